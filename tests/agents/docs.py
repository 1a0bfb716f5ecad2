#!/usr/bin/env python3
"""The investigations of docs/agents.md are what the program answers: docs.py POLYPROF ROOT [--renew]

Each command is run again on the profiles that it was run on; the output, its bytes and tokens, and the sums at the end of each
investigation have to be those that are written there. --renew writes them. Speaks TAP.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

STAMP = '"stamp":"9c01f2aa"'
BLOCK = re.compile(r'```\n\$ (polyprof .*)\n(.*)\n```\n\n(\d+) bytes, at most (\d+) tokens\.')


def answer(polyprof, command, home):
    """What a command prints, with the stamp that the page has, and how many bytes it is."""
    run = subprocess.run([polyprof, *command.split()[1:]], cwd=home, capture_output=True, text=True)
    said = run.stdout.rstrip('\n')
    return re.sub(r'"stamp":"[0-9a-f]{8}"', STAMP, said), len(said.encode())


def profiles(root, home):
    data = os.path.join(root, 'tests', 'cli', 'data', 'app.folded')
    shutil.copy(data, os.path.join(home, 'app.folded'))
    with open(data) as file, open(os.path.join(home, 'next.folded'), 'w') as out:
        for line in file:
            stack, cost = line.rsplit(' ', 1)
            out.write(f'{stack} {int(cost) * (4 if stack.endswith(";htmlspecialchars") else 1)}\n')
    shutil.copy(os.path.join(root, 'tests', 'formats', 'xhprof', 'good', 'alloc.xhprof.json'), os.path.join(home, 'cart.xhprof.json'))


def renewed(polyprof, text, home):
    """The page as it should be."""
    def block(found):
        said, size = answer(polyprof, found[1], home)
        return f'```\n$ {found[1]}\n{said}\n```\n\n{size} bytes, at most {(size + 1) // 2} tokens.'

    parts = re.split(r'(?m)^(?=### )', text)
    for at, part in enumerate(parts):
        part = BLOCK.sub(block, part)
        tokens = [int(found[4]) for found in BLOCK.finditer(part)]
        parts[at] = re.sub(r': \d+ calls, \d+ tokens\.', f': {len(tokens)} calls, {sum(tokens)} tokens.', part) if tokens else part
    return ''.join(parts)


def main():
    polyprof, root = map(os.path.abspath, sys.argv[1:3])
    page = os.path.join(root, 'docs', 'agents.md')
    with open(page, encoding='utf-8') as file:
        text = file.read()
    tap = Tap()
    with tempfile.TemporaryDirectory() as home:
        profiles(root, home)
        wanted = renewed(polyprof, text, home)
    if '--renew' in sys.argv:
        with open(page, 'w', encoding='utf-8') as file:
            file.write(wanted)
        return 0
    was, now = (list(BLOCK.finditer(t)) for t in (text, wanted))
    tap.same(len(was), text.count('\n$ polyprof '), 'all commands of the page are run')
    for a, b in zip(was, now):
        tap.same(a[0], b[0], a[1])
    tap.ok(text == wanted, 'the sums of each investigation')
    return tap.done()


sys.exit(main())
