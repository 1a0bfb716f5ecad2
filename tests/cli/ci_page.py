#!/usr/bin/env python3
"""The commands of docs/ci.md do what the page says: ci_page.py POLYPROF PAGE. Speaks TAP."""
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

polyprof, page = os.path.abspath(sys.argv[1]), sys.argv[2]
number = failed = 0


def ok(passed, what, detail=''):
    global number, failed
    number += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {what}" + ('' if passed else f'\n# {detail!r}'[:500]))


with open(page, encoding='utf-8') as file:
    blocks = re.findall(r'^```(?:yaml|sh)\n(.*?)^```', file.read(), re.S | re.M)
commands = [line.strip().removeprefix('- ') for block in blocks for line in block.splitlines()
            if re.match(r'\s*(- )?polyprof ', line)]
ok(len(commands) >= 9, 'the page has commands', commands)
viewer = subprocess.run([polyprof, 'report', '-', '-o', '-'], input=b'a 1\n', capture_output=True).returncode != 4

with tempfile.TemporaryDirectory() as directory:
    os.symlink(polyprof, os.path.join(directory, 'polyprof'))
    for name, cost in (('before', 1000), ('after', 2000)):
        for run in ('', '.1', '.2', '.3'):
            with open(os.path.join(directory, name + run + '.folded'), 'w', encoding='utf-8') as file:
                file.write(f'main;a {cost + len(run) + ord(run[-1:] or "0")}\nmain;b 500\n')
    environment = os.environ | {'PATH': directory + ':' + os.environ['PATH'],
                                'GITHUB_STEP_SUMMARY': os.path.join(directory, 'summary.md')}
    for command in commands:
        if command.startswith('polyprof report') and not viewer:
            continue
        done = subprocess.run(['bash', '-c', command], cwd=directory, env=environment, capture_output=True, text=True)
        gate = 'gate' in command and '||' not in command and 'baseline' not in command  # the baseline is the profile itself
        ok(done.returncode == gate, f'{command[:60]}: exit {int(gate)}', done)
        if 'github' in command:
            ok(done.stdout.startswith('::error title=total > +5%25::'), 'annotations', done.stdout)

    def read(name):
        with open(os.path.join(directory, name), encoding='utf-8') as made:
            return made.read()
    ok('| `a` |' in read('summary.md') and '| `a` |' in read('changes.md'), 'tables of what changed')
    ok(len(json.loads(read('gate.sarif'))['runs'][0]['results']) == 1, 'a result for code scanning')
    suite = xml.etree.ElementTree.fromstring(read('gate.xml'))
    ok((suite.get('tests'), suite.get('failures')) == ('2', '2'), 'a report of tests')
print(f'1..{number}')
sys.exit(1 if failed else 0)
