#!/usr/bin/env python3
"""What is written from a packed profile is what is written from its file: converted.py POLYPROF SAMPLES

Samples of every format, alone and twice over: a store is converted fresh and compacted. Bytes are equal, or, where functions and stacks
stand in another order, all that is asked of what was written. Frames that run below themselves are told from functions that do. Speaks TAP.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import SHARE, Tap, few, share  # noqa: E402 (needs the path above)

polyprof, samples = (os.path.abspath(path) for path in sys.argv[1:3])
TARGETS = ('pprof', 'otlp', 'speedscope', 'spaa')
# What is asked of what was written in another order.
ASKED = (('info', '--json'), ('top', '--json', '-n', '0'), ('top', '--json', '-n', '0', '--by', 'address'), ('top', '--json', '-n', '0', '--by', 'line'),
         ('traces', '--json'), ('tags', '--json'), ('threads', '--json'))
# f runs below itself, in another line at another address.
RECURSIVE = """desc: --detailed-freq=1
cmd: ./oven
time_unit: i
#-----------
snapshot=1
#-----------
time=100
mem_heap_B=12
mem_heap_extra_B=0
mem_stacks_B=0
heap_tree=detailed
n1: 12 (heap allocation functions) malloc/new/new[], --alloc-fns, etc.
 n2: 12 0x109130: f (a.c:30)
  n0: 7 0x109120: f (a.c:20)
  n0: 5 0x109110: main (a.c:10)
"""


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL)


def convert(store, targets=TARGETS):
    """By target: exit code, what was written, what was said of it."""
    done = {to: run('convert', '--to', to, '-o', '-', store) for to in targets}
    return {to: (one.returncode, one.stdout, one.stderr) for to, one in done.items()}


def answers(work, written):
    """All that is asked of bytes, in the order of names."""
    path = os.path.join(work, 'written')
    with open(path, 'wb') as file:
        file.write(written)
    found = []
    for words in ASKED:
        done = run(*words, path)
        try:
            answer = json.loads(done.stdout)
            for key in ('size', 'stamp'):
                answer.pop(key, None)
            for key, value in answer.items():
                if isinstance(value, list):
                    answer[key] = sorted(json.dumps(row, sort_keys=True) for row in value)
        except ValueError:
            answer = done.stdout.decode(errors='replace')
        found.append((done.returncode, answer))
    return found


def compare(tap, work, what, store, said):
    """Compacts a store, and compares what is written from it; `said`: and what is said meanwhile."""
    fresh = convert(store)
    packed = json.loads(run('store', 'compact', '--json', store).stdout)['packed']
    for to, after in convert(store).items():
        before = fresh[to]
        same = before[0] == after[0] and (not said or before[2] == after[2])
        if same and before[1] != after[1]:
            one, other = answers(work, before[1]), answers(work, after[1])
            same = one == other
            tap.ok(same, f'{what} to {to}, in another order', [pair for pair in zip(one, other) if pair[0] != pair[1]])
        else:
            tap.ok(same, f'{what} to {to}', f'{before[0]} {before[2]!r:.500}\n{after[0]} {after[2]!r:.500}')
    return packed


def every_format(tap, work):
    for kind in sorted(os.listdir(samples)):
        folder, packed = os.path.join(samples, kind, 'good'), 0
        for number, name in enumerate(few(share(sorted(os.listdir(folder))), 8) if os.path.isdir(folder) else []):
            stores = [os.path.join(work, f'{kind}-{number}-{times}.ppdb') for times in (1, 2)]
            if run('store', 'add', stores[0], os.path.join(folder, name)).returncode:
                continue
            packed += compare(tap, work, f'{kind}/{name}', stores[0], True)
            for turn in range(2 if number == 0 else 0):
                run('store', 'add', stores[1], os.path.join(folder, name), '--label', f'run={turn}')
            if number == 0:
                compare(tap, work, f'{kind}/{name} twice', stores[1], True)
        if SHARE == 1 and kind in ('folded', 'pprof', 'otlp', 'spaa', 'massif', 'spx'):
            tap.ok(packed > 0, f'{kind}: {packed} packed')


def inputs(tap, work):
    """Data that only the same format can store stays beside the cells, and does not get in the way of sums."""
    store, file = os.path.join(work, 'inputs.ppdb'), os.path.join(samples, 'pprof', 'good', 'all.pb.gz')
    for turn in range(3):
        run('store', 'add', store, file, '--label', f'run={turn}', '--label', 'a=b')
    total = json.loads(run('top', '--json', store).stdout)['total']
    run('store', 'compact', store)
    one, other = run('convert', '--to', 'pprof', '-o', '-', store, '--where', 'run=1'), run('convert', '--to', 'pprof', '-o', '-', file)
    tap.ok(one.returncode == 0 and one.stdout == other.stdout and one.stderr == other.stderr, 'one of three is its file', one.stderr)
    got = run('store', 'get', store, '--where', 'run=2', '--to', 'pprof', '-o', '-')
    tap.ok(got.stdout == other.stdout, 'and is got so')
    tap.same(json.loads(run('top', '--json', store).stdout)['total'], total, 'the sum is as before')


def recursion(tap, work):
    """A line that is below another line of its function is no recursion of the line."""
    file = os.path.join(work, 'recursive.massif')
    with open(file, 'w', encoding='utf-8') as out:
        out.write(RECURSIVE)
    for times in (1, 2):
        store = os.path.join(work, f'recursive-{times}.ppdb')
        for turn in range(times):
            run('store', 'add', store, file, '--label', f'run={turn}')
        packed = json.loads(run('store', 'compact', store, '--json').stdout)['packed']
        tap.same(packed, times, f'{times} packed')
        for by in ('line', 'address', 'function'):
            rows = [json.loads(run('top', '--json', '--by', by, *source).stdout)['functions'] for source in ([file] * times, [store])]
            tap.same(rows[1], rows[0], f'{times} packed, by {by}')
        tap.ok(any(row['total']['mem_heap_B'] == 12 * times and row['self']['mem_heap_B'] == 12 * times
                   for row in json.loads(run('top', '--json', '--by', 'line', store).stdout)['functions']), 'a leaf costs what it costs itself')


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        recursion(tap, work)
        inputs(tap, work)
        every_format(tap, work)
    return tap.done()


sys.exit(main())
