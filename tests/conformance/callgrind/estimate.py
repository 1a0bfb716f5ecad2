#!/usr/bin/env python3
"""Stacks estimated from callgrind's edges: estimate.py POLYPROF SAMPLES. Speaks TAP."""
import json
import os
import random
import re
import subprocess
import sys
import tempfile

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
        ok(b'[stacks-estimated]' in done.stderr, f'{name}: says that it estimates')

# a and b both call x, which calls r and w: the file does not tell which of them for whom.
mixed = os.path.join(samples, '..', 'conformance', 'callgrind', 'mixed.callgrind')
stacks, done = folded(mixed)
ok(stacks.get('main;a;x;r') == 2 and stacks.get('main;b;x;w') == 2, 'shared cost is divided', str(stacks))
said = done.stderr.decode()
ok('at least 20.0% of the cost is on stacks that are certain' in said, 'the certain share is told', said)
ok('cost between 0 and 4' in said, 'and the bounds of what is not', said)
stacks, done = folded(mixed, '--lossless')
ok(done.returncode == 4, 'lossless refuses an estimate', str(done.returncode))

# Whole stacks are in the file: nothing is estimated.
stacks, done = folded(os.path.join(good, 'xtmemory.kcg.gz'))
ok(done.returncode == 0 and b'estimated' not in done.stderr, 'xtree holds whole stacks', done.stderr.decode())


# The same stacks where a view or a filter needs them.
def answer(*command):
    done = run(polyprof, *command)
    return (json.loads(done.stdout) if done.returncode == 0 else None), done


def close(a, b):
    return a == b or (isinstance(a + b, float) and abs(a - b) <= 1e-12 * max(abs(a), abs(b)))


def faults(tree):
    """What is wrong with a tree: parts that do not add up, or pass the whole."""
    metrics = list(tree['root']['total'])
    pile = [tree['root']]
    while pile:
        node = pile.pop()
        pile += node['children']
        for m in metrics:
            parts = node['self'][m] + sum(child['total'][m] for child in node['children'])
            if not close(parts, node['total'][m]):
                yield f"{node['name']}: {m} is {node['total'][m]}, its parts {parts}"
            if node['total'][m] > tree['root']['total'][m] >= 0 and not close(node['total'][m],
                                                                              tree['root']['total'][m]):
                yield f"{node['name']}: {m} passes the whole"


def views(path, name):
    top, done = answer('top', '--json', '-n', '0', path)
    if not top or not any(any(f['self'].values()) for f in top['functions']) or 'xtmemory' in name:
        return
    exact = any('cycle' in f for f in top['functions'])
    ok(top['estimated'] is False, f'{name}: top is exact')
    tree, done = answer('tree', '--json', path)
    ok(tree is not None and tree['estimated'] is True and b'estimated' in done.stderr,
       f'{name}: tree says that it estimates', done.stderr.decode(errors='replace'))
    wrong = list(faults(tree))
    ok(close(tree['total'], top['total']) and not wrong, f'{name}: the tree adds up to the file',
       f"{tree['total']} of {top['total']}; {wrong[:3]}")
    named = 'cycle' in json.dumps(tree)
    ok(named or not exact, f'{name}: cycles are named')
    # By function the tree has the own costs that the file states, [pruned] apart; totals when there is no cycle.
    kept, done = answer('top', '--json', '-n', '0', '--focus', '', path)
    own = {(f['name'], f.get('file'), f.get('module')): f['self'][top['metric']] for f in top['functions']}
    missing = sum(abs(f['self'][top['metric']] - own.get((f['name'], f.get('file'), f.get('module')), 0))
                  for f in kept['functions'])
    ok(kept['estimated'] is True and missing <= 1e-3 * abs(top['total']) + len(own),
       f'{name}: filtered, functions cost what they cost', f'{missing} of {top["total"]}')
    svg = run(polyprof, 'flame', path, '-o', '-')
    ok(svg.returncode == 0 and b'estimated' in svg.stdout, f'{name}: flame says so too')
    summary, done = answer('--json', path)
    ok(summary['path_estimated'] is True and summary['facets'] == ['edges', 'lines'],
       f'{name}: the hottest path', str(summary.get('path'))[:200])


for name in sorted(os.listdir(good)):
    if 'empty' not in name:
        views(os.path.join(good, name), name)
views(mixed, 'mixed')
for sample in sys.argv[3:]:
    for name in sorted(os.listdir(sample)):
        path = os.path.join(sample, name)
        info = run(polyprof, 'info', '--json', path).stdout
        if b'"facets": ["edges", "lines"]' in info and b'"edges": 0,' not in info:
            views(path, name)

with tempfile.TemporaryDirectory() as directory:
    # Forty levels of two functions that call both below: 2^40 stacks.
    path = os.path.join(directory, 'wide')
    with open(path, 'w') as file:
        print('events: Ir\nfn=main\n1 1', file=file)
        for level in range(40):
            for side in 'ab':
                caller = 'main' if level == 0 else None
                for who in [caller] if caller else ['a', 'b']:
                    print(f'fn={who + str(level - 1) if level else who}\ncfn={side}{level}\ncalls=1 1\n1 '
                          f'{(40 - level) * 1000 // (1 if level == 0 else 2)}', file=file)
                print(f'fn={side}{level}\n1 1000', file=file)
    tree, done = answer('tree', '--json', path)
    ok(tree is not None and tree['total'] == 80001 and not list(faults(tree)), 'exponentially many stacks add up')
    ok(b'[pruned]' in done.stderr and len(done.stdout) < 100 << 20, 'and are cut, which is said', done.stderr.decode())
    done = run(polyprof, 'tree', path)
    ok(done.returncode == 0 and b'main' in done.stdout, 'text shows the costly ones')
    # A cycle of 3,000 functions that is entered from 3,000 places.
    path = os.path.join(directory, 'cycle')
    with open(path, 'w') as file:
        print('events: Ir', file=file)
        for i in range(3000):
            print(f'fn=c{i}\n1 7\ncfn=c{(i + 1) % 3000}\ncalls=1 1\n1 21000\n'
                  f'fn=e{i}\n1 3\ncfn=c{i}\ncalls=1 1\n1 7', file=file)
    tree, done = answer('tree', '--json', path)
    ok(tree is not None and tree['total'] == 30000 and not list(faults(tree)), 'a large cycle adds up')
    ok(b'1 cycle of calls is taken as one' in done.stderr, 'and is named', done.stderr.decode())
    # Threads: each has its own roots.
    path = os.path.join(directory, 'threads')
    with open(path, 'w') as file:
        for thread, cost in ((1, 10), (2, 5)):
            print(f'# callgrind format\nversion: 1\npid: 7\nthread: {thread}\npart: 1\nevents: Ir\nfn=t{thread}\n1 {cost}\n'
                  f'cfn=work\ncalls=1 1\n1 {cost * 2}\nfn=work\n2 {cost * 2}\n', file=file)
    one, done = answer('tree', '--json', '--thread', '2', path)
    ok(one is not None and one['total'] == 15 and [c['name'] for c in one['root']['children']] == ['t2'],
       'a thread alone', done.stderr.decode() + done.stdout.decode()[:300])
    both, done = answer('tree', '--json', path)
    ok(both is not None and both['total'] == 45 and sorted(
        (c['name'], c['total']['Ir']) for c in both['root']['children']) == [('t1', 30), ('t2', 15)],
       'threads together', done.stdout.decode()[:300])

# Any call graph: consistent or not, with cycles, parts without callers. Nothing is negative, all adds up, own costs stay.
def all_nodes(tree):
    pile = [tree['root']]
    while pile:
        node = pile.pop()
        pile += node['children']
        yield node


with tempfile.TemporaryDirectory() as directory:
    path, wrong = os.path.join(directory, 'random'), []
    for seed in range(40):
        rng = random.Random(seed)
        n, own = rng.randint(1, 12), {}
        with open(path, 'w') as file:
            print('# callgrind format\nversion: 1\nevents: Ir Dr', file=file)
            for f in range(n):
                own[f'f{f}'] = rng.choice((0, 1, 7, rng.randint(1, 10 ** rng.randint(1, 17))))
                print(f"fn=f{f}\n1 {own[f'f{f}']} {rng.randint(0, 9)}", file=file)
                for _ in range(rng.randint(0, 4)):
                    callee = rng.randrange(n) if rng.random() < 0.1 else rng.randint(f, n - 1)
                    print(f'cfn=f{callee}\ncalls=1 1\n2 {rng.randint(0, 10 ** rng.randint(1, 17))} {rng.randint(0, 99)}',
                          file=file)
        for options in ((), ('--min', '3')):
            tree, done = answer('tree', '--json', *options, path)
            if tree is None or tree['total'] != sum(own.values()):
                wrong.append(f"{seed}: {tree and tree['total']} of {sum(own.values())} {done.stderr.decode()}")
                continue
            if not options:
                wrong += [f'{seed}: {fault}' for fault in faults(tree)]
            nodes, sums = list(all_nodes(tree)), {}
            wrong += [f"{seed}: {node['name']} costs {node['total']}" for node in nodes if min(node['total'].values()) < 0]
            for node in nodes:
                sums[node['name']] = sums.get(node['name'], 0) + node['self']['Ir']
            # A few units are lost or won where parts are rounded.
            if not options and any(abs(sums.get(f, 0) - cost) > 1 + 1e-6 * sum(own.values()) for f, cost in own.items()):
                wrong.append(f'{seed}: own costs {sums}, not {own}')
    ok(not wrong, 'any call graph', '; '.join(wrong[:4]))

# What stacks cannot be made of says so.
lines_only = os.path.join(samples, 'cachegrind', 'good')
for name in sorted(os.listdir(lines_only))[:1]:
    done = run(polyprof, 'tree', os.path.join(lines_only, name))
    ok(done.returncode == 3 and b'does not know which function called which' in done.stderr, f'{name}: no tree', done.stderr.decode())
    top, done = answer('top', '--json', '--focus', 'main', os.path.join(lines_only, name))
    ok(top is not None and top['estimated'] is False and all('main' in f['name'] for f in top['functions']),
       f'{name}: filters choose functions', done.stderr.decode())
print(f'1..{number}')
sys.exit(1 if failed else 0)
