#!/usr/bin/env python3
"""One number for one thing, whoever is asked: totals.py POLYPROF tests/formats

Of every sample: `info`, `top` and the root of `tree --json` state one total for each metric; where stacks are known, what
functions cost in the tree is what `top` says. Of memory in Xdebug's files, which state total costs that own costs do not
add up to, also the tree under a budget, whose rows add up, the report and the flame graph. Speaks TAP.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from report_data import columns_of, ids, numbers  # noqa: E402 (needs the path above)
from tap import Tap, share  # noqa: E402

# A function that is called in a cycle counts what it costs once in `top`, and a tree cannot say where. SPAA may state
# own costs that only `top` shows.
CYCLES = 'cycle'


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def asked(polyprof, *words):
    """An answer as JSON; None when there is none."""
    answer = run(polyprof, *words)
    try:
        return json.loads(answer.stdout) if answer.returncode in (0, 1) else None
    except (ValueError, RecursionError):  # of stacks deeper than Python can read
        return None


def close(a, b):
    exact = isinstance(a, int) and isinstance(b, int)
    return a == b if exact else abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1)


def by_function(root):
    """Own and total costs of functions in a tree: totals are of calls that are in no other call of theirs."""
    own, total, todo = collections.Counter(), collections.Counter(), [(root, frozenset())]
    while todo:
        node, above = todo.pop()
        who = tuple(node.get(key) for key in ('name', 'file', 'line', 'module'))
        for metric, cost in node['self'].items():
            own[who, metric] += cost
            total[who, metric] += 0 if who in above else node['total'][metric]
        todo += [(child, above | {who}) for child in node['children']]
    return own, total


def check(tap, polyprof, path, name):
    info, top = asked(polyprof, 'info', '--json', path), asked(polyprof, 'top', '--json', '--all-frames', '-n', '0', path)
    tree = asked(polyprof, 'tree', '--json', '--all-frames', '--min', '0', path)
    if not info or not top or 'functions' not in top:
        return
    metrics = {m['name']: m['total'] for m in info['metrics']}
    if top.get('metric') in metrics:
        tap.ok(close(top['total'], metrics[top['metric']]), f'{name}: the total of top', (top['total'], metrics))
    if not tree or 'root' not in tree:
        return
    root = tree['root']['total']
    if tree['estimated']:  # shares of numbers of 64 bits
        root = {m: float(total) for m, total in root.items()}
    tap.ok(all(close(root[m], total) for m, total in metrics.items() if m in root), f'{name}: the total of the tree',
           (root, metrics))
    if tree['estimated'] or name.endswith('exclusive.spaa') or CYCLES in json.dumps(top):
        return
    own, total = by_function(tree['root'])
    for f in top['functions']:  # those that differ by their column only are one here
        who = tuple(f.get(key) for key in ('name', 'file', 'line', 'module'))
        for metric, cost in f['self'].items():
            own[who, metric] -= cost
            total[who, metric] -= f['total'][metric]
    left = {who: (own[who], total[who]) for who in own if who[0][0] and not (close(own[who], 0) and close(total[who], 0))}
    tap.ok(not left, f'{name}: functions cost in the tree what they cost in top', list(left.items())[:5])


def rows_add_up(rows):
    """Rows of a tree under a budget whose own cost and rows below are not their total."""
    wrong, below = [], collections.defaultdict(int)
    for row in reversed(rows):
        depth, total, own = row[2], row[5], row[6]
        inner = below.pop(depth + 1, 0)
        below[depth] += total
        if own is not None and total != own + inner:
            wrong.append(row)
    return wrong


def check_falls(tap, polyprof, path, name, work, reports):
    """Of a metric that falls in a file that states totals."""
    info = asked(polyprof, 'info', '--json', path)
    for number, metric in enumerate(info['metrics']):
        if not metric.get('falls'):
            continue
        top = asked(polyprof, 'top', '--json', '-n', '0', '-m', metric['name'], path)
        gained, total = top['gained'], metric['total']
        for budget in '300', '800', '20000':
            answer = asked(polyprof, 'tree', '--json', '--budget', budget, '-m', metric['name'], path)
            tap.ok(answer['rows'][0][5] == total, f'{name}: the total of a tree of {budget}', (answer['rows'][0], total))
            tap.ok(not rows_add_up(answer['rows']), f'{name}: its rows add up', rows_add_up(answer['rows']))
        drawn = re.search(r'<title>all \(([\d,]+) ', run(polyprof, 'flame', '-q', '-m', metric['name'], path, '-o', '-').stdout)
        if gained:
            tap.same(int(drawn[1].replace(',', '')), gained, f'{name}: the flame graph is of what was gained')
        dot = run(polyprof, 'graph', '-q', '--min', '0', '-n', '0', '-m', metric['name'], path).stdout
        tap.same(sorted(int(cost) for cost in re.findall(r'(?m)^\tn\d+ \[.*\btotal="(-?\d+)"', dot)),
                 sorted(f['total'][metric['name']] for f in top['functions']), f'{name}: the graph has the totals of top')
        if not reports:
            continue
        page = os.path.join(work, 'x.html')
        run(polyprof, 'report', '-q', path, '-o', page)
        with open(page, encoding='utf-8') as file:
            columns = columns_of(file.read())
        seen = [column for column in columns if re.fullmatch(rf'0\.s\.\d+\.(m|unseen){number}', column)]
        tap.same(sum(sum(numbers(columns[column])) for column in seen), total, f"{name}: the total of the report's tree")
        tap.ok(all(len(numbers(columns[c])) == len(ids(columns[c.rsplit('.', 1)[0] + '.node'])) for c in seen),
               f'{name}: for each of its nodes', seen)


def main():
    polyprof, samples = sys.argv[1:3]
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        reports = run(polyprof, 'report', os.devnull, '--from', 'folded', '-o', os.path.join(work, 'x.html')).returncode == 0
        for path in share(sorted(glob.glob(samples + '/*/good/*'))):
            check(tap, polyprof, path, '/'.join(path.split('/')[-3:]))
        for path in share(sorted(glob.glob(samples + '/xdebug/good/*'))):
            check_falls(tap, polyprof, path, os.path.basename(path), work, reports)
    return tap.done()


sys.exit(main())
