#!/usr/bin/env python3
"""SPAA that `head`, `grep` and `jq` can be used on: spaa.py POLYPROF SAMPLES

Dictionaries come first, then stacks, of each event the heaviest first. Speaks TAP.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap


def records(polyprof, *words):
    run = subprocess.run([polyprof, 'convert', '--to', 'spaa', *words], capture_output=True)
    return [json.loads(line) for line in run.stdout.splitlines()]


def order_wrong(rows):
    """What is wrong with the order of records, or None."""
    stage, last = 0, {}
    stages = {'header': 0, 'dso': 1, 'frame': 1, 'thread': 1, 'stack': 2, 'sample': 3}
    for row in rows:
        now = stages.get(row['type'], 4)
        if now < stage:
            return f'{row["type"]} stands too late'
        stage = now
        if row['type'] == 'stack':
            event, value = row['context']['event'], row['weights'][0]['value']
            if value > last.get(event, value):
                return f'{event}: {value} stands behind {last[event]}'
            last[event] = value
    return None


def totals(polyprof, path):
    run = subprocess.run([polyprof, 'info', '--json', path], capture_output=True)
    return {m['name'].split('/')[-1]: m.get('total') for m in json.loads(run.stdout)['metrics']}


def in_stacks(polyprof, path):
    """The same of stacks alone: what is stated of a whole may be more."""
    run = subprocess.run([polyprof, 'tree', '--json', path], capture_output=True)
    sums, todo = {}, [json.loads(run.stdout)['root']]
    while todo:
        node = todo.pop()
        todo += node['children']
        for name, value in node['self'].items():
            sums[name.split('/')[-1]] = sums.get(name.split('/')[-1], 0) + value
    return sums


def budget_wrong(polyprof, path, budget, out):
    """What is wrong with a profile of the heaviest stacks, or None."""
    run = subprocess.run([polyprof, 'convert', '--to', 'spaa', '--budget', str(budget), '-o', out, path], capture_output=True)
    if run.returncode:
        said = run.stderr.decode(errors='replace')
        return None if 'takes' in said or 'cannot write' in said or 'cannot be written' in said else said
    with open(out) as file:
        text = file.read()
    rows = [json.loads(line) for line in text.splitlines()]
    said = rows[0]['x_polyprof']
    frames = {row['id']: row['func'] for row in rows if row['type'] == 'frame'}
    more = [name for name in frames.values() if name.endswith(' more]')]
    stacks = [row for row in rows if row['type'] == 'stack']
    if len(text.encode()) > 2 * budget:
        return f'{len(text.encode())} bytes of {2 * budget}'
    if said['budget'] != budget or (said['stacks_kept'] < said['stacks']) != bool(more):
        return f'{said}, {more}'
    if totals(polyprof, out) != totals(polyprof, path) and in_stacks(polyprof, out) != in_stacks(polyprof, path):
        return f'{totals(polyprof, out)} instead of {totals(polyprof, path)}'
    if subprocess.run([polyprof, 'check', '-q', out], capture_output=True).returncode:
        return 'it is not accepted'
    return None if stacks or not said['stacks'] else 'there are no stacks'


def main():
    polyprof, samples = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    first = {}
    for path in sorted(glob.glob(os.path.join(samples, '*/good/*'))):
        name = path.split(os.sep)[-3]
        if name != 'spaa' and not path.endswith(('.txt.gz', '.txt.zst', '.txt')):
            first.setdefault(name, path)
    for name, path in first.items():
        wrong = order_wrong(records(polyprof, path))
        tap.ok(wrong is None, f'{name}: the heaviest stacks first', wrong)
        with tempfile.TemporaryDirectory() as home:
            for budget in (500, 3000):
                wrong = budget_wrong(polyprof, path, budget, os.path.join(home, 'x.spaa'))
                tap.ok(wrong is None, f'{name}: the heaviest stacks in {budget} tokens', wrong)
    kept = [row for row in records(polyprof, '--budget', '700', first['spx']) if row['type'] == 'stack']
    whole = [row for row in records(polyprof, first['spx']) if row['type'] == 'stack']
    weights = sorted((row['weights'][0]['value'] for row in whole), reverse=True)
    tap.ok(1 < len(kept) < len(whole) and set(row['weights'][0]['value'] for row in kept) >= set(weights[:len(kept) - 1]),
           'those that are kept are the heaviest', (kept, weights[:5]))
    wrong = subprocess.run([polyprof, 'convert', '--to', 'folded', '--budget', '700', first['spx']], capture_output=True)
    tap.ok(wrong.returncode == 2 and b'spaa' in wrong.stderr, 'a budget is for SPAA only', wrong.stderr)
    again = subprocess.run([polyprof, 'convert', '--to', 'spaa', first['folded']], capture_output=True).stdout
    back = subprocess.run([polyprof, 'convert', '--to', 'folded', '-'], input=again, capture_output=True).stdout
    with open(first['folded'], 'rb') as file:
        tap.same(sorted(back.split(b'\n')), sorted(file.read().split(b'\n')), 'what was folded comes back')
    return tap.done()


sys.exit(main())
