#!/usr/bin/env python3
"""Lines have the same shares in `polyprof lines` and in reports: line_shares.py POLYPROF tests/formats

Of every sample that knows lines, the shares of the costliest ones as printed, against what the report's data give. No
share exceeds 100 %, nor do all of them together. Speaks TAP.
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
from report_data import columns_of, ids, numbers, strings_of  # noqa: E402 (needs the path above)
from tap import Tap, share  # noqa: E402

SHOWN = 5
UNKNOWN = '', '???'


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)


def by_place(columns, costs):
    """What each line costs, the costliest first: functions that share one have a row each, and one is a row in unknown files."""
    sums, strings = collections.Counter(), strings_of(columns)
    funcs = ids(columns['0.line.func']) if '0.line.func' in columns else [0] * len(costs)
    for file, line, func, cost in zip(ids(columns['0.line.file']), ids(columns['0.line.line']), funcs, costs):
        sums[file, line, func if strings[file] in UNKNOWN else 0] += cost
    return sorted(sums.values(), reverse=True)


def printed(table):
    """The shares in a table for people."""
    return [float(share) for share in re.findall(r'(?m)^.*?(?<![\d.])(\d+\.\d)%', table)]


def check(tap, polyprof, path, work):
    answer = run(polyprof, 'lines', '--json', '-n', '0', path)
    lines = json.loads(answer.stdout).get('lines') if answer.returncode == 0 else None
    if not lines:
        return
    page = os.path.join(work, 'x.html')
    run(polyprof, 'report', '-q', path, '-o', page)
    with open(page, encoding='utf-8') as file:
        columns = columns_of(file.read())
    metrics = json.loads(run(polyprof, 'info', '--json', path).stdout)
    primary = [m['name'] for m in metrics['metrics']].index(metrics['primary'].rsplit('/', 1)[-1])
    if f'0.line.m{primary}' not in columns:
        tap.ok(False, f'{path}: the report has lines', sorted(columns))
        return
    whole = numbers(columns[f'0.line.whole{primary}'])[0]
    costs = by_place(columns, numbers(columns[f'0.line.m{primary}']))
    mine = [100 * cost / whole for cost in costs[:SHOWN] if whole > 0 and cost >= whole / 1000]
    told = printed(run(polyprof, 'lines', '-q', '-n', str(SHOWN), path).stdout)[:len(mine)]
    name = '/'.join(path.split('/')[-3:])
    tap.ok(len(told) == len(mine) and all(abs(a - b) <= 0.0501 for a, b in zip(told, mine)),
           f'{name}: shares of lines', (told, mine))
    tap.ok(whole <= 0 or sum(cost for cost in costs if cost > 0) <= whole * (1 + 1e-9) or any(c < 0 for c in costs),
           f'{name}: they add up to no more than all', (sum(costs), whole))


def main():
    polyprof, samples = sys.argv[1:3]
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        if run(polyprof, 'report', os.devnull, '--from', 'folded', '-o', os.path.join(work, 'x.html')).returncode:
            print('1..0 # SKIP this program writes no reports')
            return 0
        for path in share(sorted(glob.glob(samples + '/*/good/*'))):
            check(tap, polyprof, path, work)
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
