#!/usr/bin/env python3
"""Findings computed anew, by their rules and from other answers: findings.py POLYPROF SAMPLES DOCS

What docs/findings.md says holds, in both directions: nothing is claimed that does not follow from `top`, `tree`, `callers` and
`diff`, and nothing is missing that does. Speaks TAP.
"""
import glob
import json
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from agents.kit import Server
from tap import SHARE, Tap, half

POLYPROF, SAMPLES, DOCS = map(os.path.abspath, sys.argv[1:4])
MOST = 300 # functions of a profile whose calls are asked one by one


def classes():
    found = {}
    with open(os.path.join(DOCS, 'findings.md'), encoding='utf-8') as file:
        for line in file:
            row = re.match(r'\| (lock|io|gc|alloc|regex|startup) \| (.*) \|$', line)
            if row:
                found[row[1]] = re.findall(r'`([^`]*)`', row[2])
    return found


CLASSES = classes()


def class_of(name):
    name = name.removeprefix('php::')
    for kind, patterns in CLASSES.items():
        for pattern in patterns:
            word = pattern.strip('…')
            if (name.endswith if pattern[0] == '…' else name.startswith)(word) and (len(name) == len(word) or '…' in pattern):
                return kind
    return 'startup' if re.search(r'::BEGIN@[\d.]+$', name) else None


def rows_of(server, tool, **given):
    rows, page = [], {}
    while True:
        answer, _, _ = server.call(tool, budget=20000, **given, **page)
        if 'error' in answer or len(rows) > 3000:
            return None, answer
        rows += answer['rows']
        if 'cut' not in answer:
            return rows, answer
        page = answer['cut']['next']


def weight(value):
    return round(max(0, min(1, value)) * 1e4)


def tree_of(file):
    run = subprocess.run([POLYPROF, 'tree', '--json', file], capture_output=True)
    answer = json.loads(run.stdout) if run.returncode == 0 and len(run.stdout) < 2_000_000 else {}
    if 'root' not in answer or answer['estimated']:
        return None
    # What a file measured of a node may be more than what was spent in it and below: findings go by what adds up.
    waiting = [answer['root']]
    while waiting:
        node = waiting.pop()
        waiting += node['children']
        if any(abs(total - node['self'][name] - sum(child['total'][name] for child in node['children'])) > 1e-6 * abs(total)
               for name, total in node['total'].items()):
            return None
    return answer['root']


def path_of(root, metric, whole):
    """The hottest path: its weight and depth."""
    node, depth = root, 0
    while node['children']:
        child = max(node['children'], key=lambda n: n['total'][metric])
        if child['total'][metric] < max(0.5 * node['total'][metric], 0.1 * whole):
            break
        node, depth = child, depth + 1
    return [(weight(node['total'][metric] / whole), depth)] if depth >= 3 else []


def calls_of_tree(root, metric, handles):
    """Calls and costs by pair, and how often each function stands on one stack; None where functions cannot be told apart."""
    pairs, deepest = {}, {}
    waiting = [(child, (), None) for child in root['children']]
    while waiting:
        node, above, caller = waiting.pop()
        handle = handles.get((node['name'], node.get('file'), node.get('line'), node.get('module')))
        if not handle:
            return None, None
        deepest[handle] = max(deepest.get(handle, 0), above.count(handle) + 1)
        if caller:
            pair = pairs.setdefault((caller, handle), [0, 0])
            pair[0] += node.get('calls') or 0
            pair[1] += 0 if handle in above else node['total'][metric]
        waiting += [(child, above + (handle,), handle) for child in node['children']]
    return pairs, deepest


def calls_of_file(server, file, rows, metric):
    pairs = {}
    for row in rows:
        for caller in rows_of(server, 'callers', file=file, function=row[0], metric=metric)[0] or ():
            if caller[0]:
                pair = pairs.setdefault((caller[0], row[0]), [0, 0])
                pair[0] += caller[3] or 0
                pair[1] += caller[2]
    return pairs, {}


def on_cycle(pairs):
    """Functions that reach themselves."""
    below = {}
    for caller, callee in pairs:
        below.setdefault(caller, set()).add(callee)
    found = set()
    for start in below:
        seen, waiting = set(), list(below[start])
        while waiting:
            at = waiting.pop()
            if at not in seen:
                seen.add(at)
                waiting += below.get(at, ())
        found |= {start} & seen
    return found


def expected(server, file, metric, exact):
    """All findings of one profile by one metric that can be computed anew: {kind: [evidence]}."""
    rows, head = rows_of(server, 'top', file=file, metric=metric)
    total, selfs = head['total'], [row[2] for row in rows]
    by_metric = json.loads(subprocess.run([POLYPROF, 'top', '--json', '-m', metric, file], capture_output=True).stdout)
    # Of a metric that falls, shares are of all that was gained.
    falls = 'gained' in by_metric
    gains = {f'f{n}': function['gained'][metric] for n, function in enumerate(exact['functions'], 1)} if falls else {row[0]: row[2] for row in rows}
    gross = by_metric['gained'] if falls else sum(max(0, own) for own in selfs)
    net = min(selfs, default=0) < 0 or gross > 1.05 * total
    whole = gross if net or falls else total
    found = {'incomplete': [] if head['complete'] else [10000], 'net-metric': [weight(1 - total / gross) if gross else 0] if net else [],
             'estimated': [0] if head.get('estimated') else []}
    count = reached = 0
    for own in sorted(gains.values(), reverse=True):
        if reached >= 0.8 * whole:
            break
        count, reached = count + 1, reached + own
    found['concentration'] = [(weight(reached / whole if whole > 0 else 0), count, len(rows))]
    if whole <= 0 or not rows:
        return found
    found['hot-self'] = [(weight(gains[row[0]] / whole), row[0], row[2], row[4]) for row in rows if gains[row[0]] >= 0.1 * whole]
    names = {f'f{n}': function['name'] for n, function in enumerate(exact['functions'], 1)}
    by_class = {}
    for row in rows:
        by_class.setdefault(class_of(names[row[0]]), []).append(row)
    by_class.pop(None, None)
    sums = {kind: (sum(gains[row[0]] for row in members), sum(row[2] for row in members)) for kind, members in by_class.items()}
    found['class'] = [(weight(gain / whole), kind, [row[0] for row in by_class[kind][:5]], own)
                      for kind, (gain, own) in sums.items() if gain >= 0.1 * whole]
    root = tree_of(file)
    if root and metric not in root['total']:
        return found
    handles = {}
    for n, function in enumerate(exact['functions'], 1):
        key = (function['name'], function.get('file'), function.get('line'), function.get('module'))
        handles[key] = None if key in handles else f'f{n}'
    pairs = deepest = None
    if root:
        found['hot-path'] = path_of(root, metric, whole)
        pairs, deepest = calls_of_tree(root, metric, handles)
    elif head.get('estimated') and len(rows) <= MOST:
        pairs, deepest = calls_of_file(server, file, rows, metric)
    if pairs is None:
        return found
    flat = {row[0]: row for row in rows}
    found['calls-per-call'] = [(weight(cost / whole), caller, callee, calls) for (caller, callee), (calls, cost) in pairs.items()
                               if caller != callee and calls >= 10 and calls >= 10 * (flat[caller][4] or 1) and cost >= 0.05 * whole]
    if falls:
        return found
    cycles = on_cycle(pairs)
    # In snapshots of heaps objects hold each other, which is no recursion.
    found['recursion'] = [(weight(row[3] / whole), row[0]) for row in rows
                          if head['format'] != 'heapsnapshot' and row[3] >= 0.05 * whole and (deepest.get(row[0], 0) > 1 or row[0] in cycles)]
    return found


KEYS = {'concentration': ('functions', 'of'), 'hot-self': ('id', 'self', 'calls'), 'class': ('class', 'ids', 'self'), 'hot-path': ('depth',),
        'calls-per-call': ('caller', 'callee', 'calls'), 'recursion': ('id',)}


def stated(rows):
    found = {}
    for kind, share, evidence, _ in rows:
        words = tuple(evidence[key] for key in KEYS.get(kind, ()))
        found.setdefault(kind, []).append((weight(share), *words) if words else weight(share))
    return found


def same(got, wanted):
    """Weights may differ by how their last digit is rounded."""
    def parts(item):
        return (item, ()) if isinstance(item, int) else (item[0], item[1:])

    got, wanted = (sorted(map(parts, items), key=lambda item: (str(item[1]), item[0])) for items in (got, wanted))
    return len(got) == len(wanted) and all(a[1] == b[1] and abs(a[0] - b[0]) <= 1 for a, b in zip(got, wanted))


def one(server, file):
    """What is wrong with the findings of a profile, by each of its metrics."""
    run = subprocess.run([POLYPROF, 'top', '--json', file], capture_output=True, cwd=SAMPLES)
    exact = json.loads(run.stdout) if run.returncode == 0 else {}
    if not exact.get('metric') or exact['count'] > 1500:
        return None
    metrics = list((exact['functions'] or [{'self': {exact['metric']: 0}}])[0]['self'])
    for metric in metrics[:3]:
        rows, _ = rows_of(server, 'findings', file=file, metric=metric)
        if rows is None:
            return 'no answer'
        if [(-row[1], row[0]) for row in rows] != sorted((-row[1], row[0]) for row in rows):
            return 'another order'
        got, wanted = stated(rows), expected(server, file, metric, exact)
        for kind, items in wanted.items():
            if not same(got.get(kind, []), items):
                return f'{metric}: {kind}: {got.get(kind)} is stated, {items} holds'
    return None


def because(row):
    before, after, status, _, was, now, calls_was, calls_now = row[:8]
    if status == 'new' or not before:
        return 'new'
    if status == 'gone' or not after:
        return 'gone'
    if not calls_was or not calls_now or was * now <= 0 or was == now:
        return 'unknown'
    ratio = math.log(calls_now / calls_was) / math.log(now / was)
    return 'calls' if ratio >= 0.8 else 'cost-per-call' if ratio <= 0.2 else 'both'


def changes(server, before, after):
    """What is wrong with `changed` and `superlinear` between two profiles."""
    rows, head = rows_of(server, 'diff', before=before, after=after)
    stated_rows, _ = rows_of(server, 'findings', file=after, before=before)
    if rows is None or stated_rows is None:
        return None if rows is stated_rows else 'one of both has no answer'
    totals = head['before']['total'], head['after']['total']
    largest = max(map(abs, totals))
    wanted = [(row[0], row[1], row[2], row[3], because(row)) for row in rows
              if row[2] not in ('same', 'noise') and abs(row[3]) >= 0.05 * largest > 0]
    got = [tuple(e[key] for key in ('before_id', 'after_id', 'status', 'delta', 'because')) for kind, _, e, _ in stated_rows if kind == 'changed']
    if sorted(map(str, got)) != sorted(map(str, wanted)):
        return f'changed: {got} is stated, {wanted} holds'
    ratios = sorted(row[7] / row[6] for row in rows if (row[6] or 0) >= 10 and (row[7] or 0) >= 10 and row[6] != row[7])
    middle = len(ratios) // 2
    size = 0 if len(ratios) < 3 else ratios[middle] if len(ratios) % 2 else (ratios[middle - 1] + ratios[middle]) / 2
    steep = [row[1] for row in rows if size >= 1.2 and row[0] and row[1] and row[4] > 0 and row[5] > 0 and row[5] >= 0.05 * totals[1] and
             math.log(row[5] / row[4]) / math.log(size) >= 1.5]
    got = [e['after_id'] for kind, _, e, _ in stated_rows if kind == 'superlinear']
    return None if sorted(got) == sorted(steep) else f'superlinear: {got} is stated, {steep} holds'


def main():
    tap = Tap()
    server = Server(POLYPROF, SAMPLES)
    os.chdir(SAMPLES)
    formats = {}
    for file in sorted(glob.glob('*/good/*')):
        if os.path.getsize(file) < 300_000:
            formats.setdefault(file.split('/')[0], []).append(file)
    for name, files in list(formats.items())[::SHARE]:
        files = half(files)
        wrong = [f'{file}: {w}' for file in files for w in [one(server, file)] if w]
        tap.ok(not wrong, f'{name}: {len(files)} profiles', '\n'.join(wrong))
        pairs = list(zip(files, files[1:]))
        wrong = [f'{a} {b}: {w}' for a, b in pairs for w in [changes(server, a, b)] if w]
        tap.ok(not wrong, f'{name}: {len(pairs)} pairs', '\n'.join(wrong))
    server.end()
    return tap.done()


sys.exit(main())
