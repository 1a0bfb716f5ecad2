#!/usr/bin/env python3
"""Every question beside `top` on the same file, in instructions: questions.py POLYPROF [FORMAT...]

An answer should take no more than 1.2 x as long as `top`; a comparison of two files, as two of them. What takes longer stands
in LONGER. The inputs are those of gate.py. Speaks TAP.
"""
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

import gate

LIMIT = 1.2
# Where `top` builds no tree, or keeps no lines and call sites, what needs them takes longer than it: Xdebug 1.20 to
# 1.21 x (its `callers` need edges besides), folded stacks 1.46 to 1.56 x of a `top` that is a quarter cheaper than with a
# tree.
LONGER = {**{(fmt, what): 1.7 for fmt in ('folded', 'diff-folded') for what in ('summary', 'tree')},
          # `top` of callgrind sorts only the rows that it shows, so it takes 51 M instructions instead of 61 M; the others take what
          # they took (lines 83 M, tree 62 M, diff of two files 141 M), and callers and callees 4 % more for recursion.
          ('callgrind', 'lines'): 1.65, ('callgrind', 'summary'): 1.8, ('callgrind', 'tree'): 1.25,
          **{('callgrind', what): 1.35 for what in ('callers', 'callees')},
          **{('callgrind', what): 1.65 for what in ('focus', 'hide', 'depth')}, **{('callgrind', what): 1.4 for what in ('diff', 'gate')},
          # Here, too, `top` adds up stacks without a tree: 1.22 x for what needs one, 1.21 x for what keeps part of one.
          ('speedscope', 'summary'): 1.3, ('trace-event', 'focus'): 1.3, ('trace-event', 'hide'): 1.3, ('trace-event', 'summary'): 1.3,
          ('xdebug', 'callers'): 1.3, ('xdebug', 'callees'): 1.3,
          **{('xdebug', what): 1.25 for what in ('summary', 'tree', 'focus', 'hide', 'depth')}}


def questions(polyprof, path):
    done = subprocess.run([polyprof, 'top', '--json', '-n', '1', '--sort', 'total', path], capture_output=True, check=True)
    costliest = json.loads(done.stdout)['functions'][0]
    # Others may have its name in other files.
    name = f"{costliest['file']}:{costliest['name']}" if costliest.get('file') else costliest['name']
    facets = json.loads(subprocess.run([polyprof, 'info', '--json', path], capture_output=True, check=True).stdout)['facets']
    yield 'summary', [path]
    yield 'tree', ['tree', path]
    yield 'callers', ['callers', name, path]
    yield 'callees', ['callees', name, path]
    if 'lines' in facets:
        yield 'lines', ['lines', path]
    yield 'focus', ['top', '--focus', 'e', path]
    yield 'hide', ['top', '--hide', '7', path]
    yield 'depth', ['top', '--depth', '5', path]
    yield 'diff', ['diff', path, path]
    yield 'gate', ['gate', path, path, '--fail-if', 'total > +5%']


def names_write(path):
    """Many functions, each of which costs something else: nothing needs the order of their names."""
    dice, costs = random.Random(3), list(range(1000, 31000))
    dice.shuffle(costs)
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(f'main;handler_of_request_{dice.randrange(10 ** 9)} {cost}\n' for cost in costs)


def main():
    polyprof, *wanted = sys.argv[1:]
    polyprof = os.path.abspath(polyprof)
    if not shutil.which('valgrind'):
        print('1..0 # SKIP valgrind is not installed')
        return 0
    number = failed = 0
    with tempfile.TemporaryDirectory() as directory:
        # Each second format, unless all are asked for.
        for fmt in wanted or sorted(gate.INPUTS)[::1 if os.environ.get('POLYPROF_ALL') else 2]:
            name, write = gate.INPUTS[fmt]
            path = os.path.join(directory, name)
            write(path)
            top = gate.instructions(polyprof, ['top', '-j1', '-q', path], directory)
            for what, words in questions(polyprof, path):
                count = gate.instructions(polyprof, [*words, '-j1', '-q'], directory)
                ratio = count / top / (2 if what in ('diff', 'gate') else 1)
                limit = LONGER.get((fmt, what), LIMIT)
                passed = ratio <= limit
                number, failed = number + 1, failed + (not passed)
                print(f"{'ok' if passed else 'not ok'} {number} - {fmt}: {what} takes {ratio:.2f} x top, "
                      f'{count / 1e6:.1f} M instructions; at most {limit}')
        path = os.path.join(directory, 'names.folded')
        names_write(path)
        top, traces = (gate.instructions(polyprof, [words, '-j1', '-q', path], directory) for words in ('top', 'traces'))
        number, passed = number + 1, traces <= 1.5 * top
        failed += not passed
        print(f"{'ok' if passed else 'not ok'} {number} - traces of many names takes {traces / top:.2f} x top; at most 1.5")
    print(f'1..{number}')
    return 1 if failed else 0


sys.exit(main())
