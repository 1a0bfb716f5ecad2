#!/usr/bin/env python3
"""Stacks estimated from callgrind's edges: estimate.py POLYPROF SAMPLES. Speaks TAP."""
import os
import re
import subprocess
import sys

polyprof, samples = sys.argv[1:3]
number = failed = 0


def ok(passed, what, detail=''):
    global number, failed
    number += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {what}" + ('' if passed else f'\n# {detail}'))


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def folded(path, *options):
    done = run(polyprof, 'convert', '--to', 'folded', '-o', '-', *options, path)
    stacks = {}
    for line in done.stdout.decode(errors='replace').splitlines():
        stack, _, count = line.rpartition(' ')
        stacks[stack] = int(count)
    return stacks, done


good = os.path.join(samples, 'callgrind', 'good')
for name in sorted(os.listdir(good)):
    path = os.path.join(good, name)
    top = run(polyprof, 'top', '--json', path)
    if top.returncode or 'empty' in name or 'xtmemory' in name:
        continue
    total = int(re.search(rb'"total": (-?\d+)', top.stdout)[1])
    if b'"Time_(10ns)"' in top.stdout:
        total //= 10
    stacks, done = folded(path)
    if done.returncode == 0:
        ok(sum(stacks.values()) == total, f'{name}: no cost is lost or invented',
           f'{sum(stacks.values())} of {total}')
        ok(b'[callgrind-estimated]' in done.stderr, f'{name}: says that it estimates')

# a and b both call x, which calls r and w: the file does not tell which of them for whom.
mixed = os.path.join(samples, '..', 'callgrind', 'mixed.callgrind')
stacks, done = folded(mixed)
ok(stacks.get('main;a;x;r') == 2 and stacks.get('main;b;x;w') == 2, 'shared cost is divided', str(stacks))
said = done.stderr.decode()
ok('20.0 % of the cost lies on certain ones' in said, 'the certain share is told', said)
ok('cost between 0 and 4' in said, 'and the bounds of what is not', said)
stacks, done = folded(mixed, '--lossless')
ok(done.returncode == 4, 'lossless refuses an estimate', str(done.returncode))

# Whole stacks are in the file: nothing is estimated.
stacks, done = folded(os.path.join(good, 'xtmemory.kcg.gz'))
ok(done.returncode == 0 and b'estimated' not in done.stderr, 'xtree holds whole stacks', done.stderr.decode())
print(f'1..{number}')
sys.exit(1 if failed else 0)
