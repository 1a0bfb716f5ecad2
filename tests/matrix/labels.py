#!/usr/bin/env python3
"""What holds for labels: labels.py POLYPROF SAMPLES. Speaks TAP.

Rows by label add up to the whole; what --label chooses is its row; and both go together with --focus, --thread and --time: what they leave
of each value adds up to what they leave of all.
"""
import json
import os
import re
import subprocess
import sys

POLYPROF, SAMPLES = sys.argv[1], sys.argv[2]
CASES = [('perf-script/good/two.script.txt.gz', 'comm'), ('perf-script/good/switch.script.txt.gz', 'tid'),
         ('spaa/good/probe.spaa', 'execname'), ('spaa/good/probe.spaa', 'uid'), ('spx/good/04-http.json', 'http_method'),
         ('pprof/good/all.pb.gz', 'tenant'), ('otlp/good/all.otlp', 'service.name')]
n = 0


def ok(good, what):
    global n
    n += 1
    print(f'{"ok" if good else "not ok"} {n} - {what}')


def top(path, *options):
    """The totals of all metrics and the own costs of rows, by name."""
    out = subprocess.run([POLYPROF, 'top', '--json', '-q', *options, path], capture_output=True, check=False)
    answer = json.loads(out.stdout)
    rows = [(row['name'], row['self']) for row in answer.get('functions', [])]
    total = {}
    for _, costs in rows:
        for metric, value in costs.items():
            total[metric] = total.get(metric, 0) + value
    return {m: v for m, v in total.items() if v}, rows


def plus(sums):
    total = {}
    for one in sums:
        for metric, value in one.items():
            total[metric] = total.get(metric, 0) + value
    return {m: v for m, v in total.items() if v}


def case(path, key):
    name = f'{os.path.basename(path)} by {key}'
    whole, functions = top(path)
    added, rows = top(path, '--by', f'label:{key}')
    ok(rows and added == whole, f'{name}: rows add up to the whole {added} {whole}')
    pick = {value: f'{key}=' if value == f'(no {key})' else f'{key}={value}' for value, _ in rows}
    wrong = [v for v, costs in rows if top(path, '--label', pick[v])[0] != {m: c for m, c in costs.items() if c}]
    ok(not wrong, f'{name}: what --label chooses is its row {wrong}')
    wrong = [v for v in pick if plus([top(path, '--label', pick[v])[0], top(path, '--label', pick[v].replace('=', '!=', 1))[0]]) != whole]
    ok(not wrong, f'{name}: the rest is what != chooses {wrong}')
    costliest = max(functions, key=lambda f: max(f[1].values(), default=0))[0]
    for more in (['--focus', '^' + re.escape(costliest) + '$'], ['--ignore', '^' + re.escape(costliest) + '$'], ['--time', '..50%'],
                 ['--by', 'file']):
        if 'error' in json.loads(subprocess.run([POLYPROF, 'top', '--json', '-q', *more, path], capture_output=True, check=False).stdout):
            continue
        ok(plus(top(path, '--label', pick[v], *more)[0] for v in pick) == top(path, *more)[0], f'{name}: with {more[0]}')


for path, key in CASES:
    case(os.path.join(SAMPLES, path), key)
print(f'1..{n}')
sys.exit(0)
