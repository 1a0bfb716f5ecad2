#!/usr/bin/env python3
"""What README.md promises: readme.py POLYPROF ROOT LIBRARY [COMPILER ...]

The table of formats is that of `polyprof formats`, every command in it exists, links lead to files, and the example in C
compiles, runs and prints what `polyprof top` does. Speaks TAP.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

polyprof, root, library, *compiler = sys.argv[1:]
with open(os.path.join(root, 'README.md'), encoding='utf-8') as file:
    text = file.read()
count = 0


def ok(good, name, why=''):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        print('\n'.join('# ' + line for line in str(why).splitlines()[:12]))


def asked(*args):
    return subprocess.run([polyprof, *args], stdout=subprocess.PIPE, text=True, check=True).stdout


def block(language):
    return re.search(rf'^```{language}\n(.*?)^```', text, re.S | re.M)[1]


said = {name: (reads == 'yes', writes == 'yes') for name, reads, writes in
        re.findall(r'^\| `([\w-]+)` \| [^|]* \| (yes|no) \| (yes|no) \|$', text, re.M)}
known = {f['name']: (f['read'], f['write']) for f in json.loads(asked('formats', '--json'))['formats']}
ok(said == known, 'the table of formats in README.md is that of polyprof formats', sorted(set(said.items()) ^ set(known.items())))

commands = {c['name'] for c in json.loads(asked('help', '--json'))['commands']}
shown = '\n'.join(re.findall(r'^```\n(.*?)^```', text, re.S | re.M))
used = set(re.findall(r'^(?:\$ )?polyprof (\w+) ', shown, re.M)) | set(re.findall(r'`polyprof ([a-z]+)\b(?![./])', text))
ok(used <= commands, 'every command exists', used - commands)

links = [link for link in re.findall(r'\]\(([^)#]+)\)', text) if '://' not in link]
missing = [link for link in links if not os.path.exists(os.path.join(root, link))]
ok(len(links) > 15 and not missing, 'links lead to files', missing)
large = [p for p in os.listdir(os.path.join(root, 'docs', 'img')) if os.path.getsize(os.path.join(root, 'docs', 'img', p)) > 160_000]
ok(not large, 'pictures are small', large)

sample = os.path.join(root, 'tests', 'formats', 'folded', 'good', 'webshop.folded')
with tempfile.TemporaryDirectory() as work:
    source, program = os.path.join(work, 'example.c'), os.path.join(work, 'example')
    with open(source, 'w', encoding='utf-8') as file:
        file.write(block('c'))
    done = subprocess.run([*compiler, '-Wall', '-Wextra', '-Werror', '-I', os.path.join(root, 'include'), source, library,
                           '-Wl,-rpath,' + os.path.dirname(library), '-o', program], stderr=subprocess.PIPE, text=True)
    ok(done.returncode == 0, 'the example in C compiles', done.stderr)
    if done.returncode == 0:
        run = subprocess.run([program, sample], stdout=subprocess.PIPE, text=True)
        names = [f['name'] for f in json.loads(asked('top', '--json', '--sort', 'total', '-n', '5', sample))['functions']]
        ok(run.stdout == ''.join(f'{i + 1}. {name}\n' for i, name in enumerate(names)), 'and prints what polyprof top does', run.stdout)
print(f'1..{count}')
