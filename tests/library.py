#!/usr/bin/env python3
"""The example of docs/library.md, compiled and run: library.py CC SOURCE-ROOT BUILD-DIR SAMPLE. Speaks TAP."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap  # noqa: E402 (needs the path above)


def names(text):
    """The functions that a header declares."""
    return re.findall(r'PP_API\b[^;(]*?\b(pp_\w+)\s*\(', re.sub(r'/\*.*?\*/', '', text, flags=re.S))


def check_symbols(tap, root, build):
    """The library exports what the headers declare; the program on it uses nothing else of it."""
    declared = set()
    for header in ('polyprof.h', 'polyprof_experimental.h'):
        with open(os.path.join(root, 'include/polyprof', header), encoding='utf-8') as file:
            declared.update(names(file.read()))
    listed = {}
    for what, kind in (('libpolyprof.so', '--defined-only'), ('polyprof-shared', '--undefined-only')):
        done = subprocess.run(['nm', '-D', kind, os.path.join(build, what)], capture_output=True, text=True)
        listed[what] = {line.split()[-1].split('@')[0] for line in done.stdout.splitlines()}
    exported = {name for name in listed['libpolyprof.so'] if not name.startswith('POLYPROF_')}
    tap.same(sorted(exported), sorted(declared), 'exported is what the headers declare')
    used = {name for name in listed['polyprof-shared'] if name.startswith('pp_')}
    tap.ok(used and used <= declared, f'the command line uses {len(used)} of {len(declared)} public functions')


def main():
    cc, root, build, sample = sys.argv[1:5]
    tap = Tap()
    check_symbols(tap, root, build)
    with open(os.path.join(root, 'docs/library.md'), encoding='utf-8') as file:
        code = re.search(r'```c\n(.*?)```', file.read(), re.S)[1]
    tap.ok(len(code.splitlines()) <= 50, f'the example has {len(code.splitlines())} lines')
    with tempfile.TemporaryDirectory() as work:
        source, program = os.path.join(work, 'example.c'), os.path.join(work, 'example')
        with open(source, 'w', encoding='utf-8') as file:
            file.write(code)
        done = subprocess.run([cc, '-std=c99', '-Wall', '-Wextra', '-pedantic', '-Werror', '-I',
                               os.path.join(root, 'include'), source, '-L', build, '-lpolyprof',
                               f'-Wl,-rpath,{build}', '-o', program], capture_output=True, text=True)
        tap.ok(done.returncode == 0, 'it compiles against the shared library', done.stderr)
        done = subprocess.run([program, sample], capture_output=True, text=True)
        lines = done.stdout.splitlines()
        tap.ok(done.returncode == 0 and len(lines) > 1, 'it runs', done.stderr)
        answer = json.loads(lines[-1]) if lines else {}
        names = [row['name'] for row in answer.get('functions', [])]
        tap.same(lines[:-1], [f'{i}. {name}' for i, name in enumerate(names, 1)], 'and answers')
        tap.same(len(names), 5, 'as many as asked for')
        done = subprocess.run([program, source], capture_output=True, text=True)
        tap.ok(done.returncode == 1 and done.stderr, 'what is no profile is said', done.stderr)
    return tap.done()


sys.exit(main())
