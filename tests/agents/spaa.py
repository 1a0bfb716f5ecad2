#!/usr/bin/env python3
"""SPAA that `head`, `grep` and `jq` can be used on: spaa.py POLYPROF SAMPLES

Dictionaries come first, then stacks, of each event the heaviest first. Speaks TAP.
"""
import glob
import json
import os
import subprocess
import sys

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
    again = subprocess.run([polyprof, 'convert', '--to', 'spaa', first['folded']], capture_output=True).stdout
    back = subprocess.run([polyprof, 'convert', '--to', 'folded', '-'], input=again, capture_output=True).stdout
    with open(first['folded'], 'rb') as file:
        tap.same(sorted(back.split(b'\n')), sorted(file.read().split(b'\n')), 'what was folded comes back')
    return tap.done()


sys.exit(main())
