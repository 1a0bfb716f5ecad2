#!/usr/bin/env python3
"""One C program under two profilers: across_native.py POLYPROF tests/formats tests/matrix/across

The same binary was run under callgrind (across/cpu_fp.callgrind.gz: valgrind --tool=callgrind cpu_fp 1) and
under perf (fp.script.txt.gz: perf record -g cpu_fp 8, perf script). `diff` must find that the functions
of the program are the same ones. Those are the functions in the program's own binary, not in libraries
or the kernel: user functions. Of these callgrind sees each that was called, perf only those that a
sample hit, so what perf saw must meet its like, and so must all that cost callgrind one percent or more.
Speaks TAP.
"""
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402 (needs the path above)

PROGRAM = 'cpu_fp'
LEAST = 0.95


def ask(*command):
    done = subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
    try:
        return json.loads(done.stdout)
    except ValueError:
        sys.exit(f"{' '.join(command)} printed no JSON: {done.stderr[:500]!r}")


def is_user(row):
    return os.path.basename(row.get('module') or '') == PROGRAM


def matched(rows, names):
    """Which of these functions the comparison has on both sides; told by where they cost something."""
    return {row['name'] for row in rows if row['name'] in names and row['status_total'] not in ('new', 'gone')
            and row['before']['total'] > 0 and row['after']['total'] > 0}


def compare(tap, polyprof, before, after, metrics, what):
    diff = ask(polyprof, 'diff', '--json', '-n', '0', '-m', metrics, '--normalize', 'total', before, after)
    rows = diff['functions']
    perf = after if 'script' in after else before
    callgrind = before if perf == after else after
    seen = {row['name'] for row in ask(polyprof, 'top', '--json', '-n', '0', perf)['functions'] if is_user(row)}
    both = matched(rows, seen)
    tap.ok(len(seen) >= 8 and len(both) >= LEAST * len(seen),
           f'{what}: {len(both)} of {len(seen)} functions that perf saw are matched', seen - both)
    top = ask(polyprof, 'top', '--json', '-n', '0', '--sort', 'self', callgrind)
    heavy = {row['name'].split("'")[0] for row in top['functions']
             if is_user(row) and row['self']['Ir'] >= top['total'] / 100}
    both = matched(rows, heavy)
    tap.ok(len(heavy) >= 5 and len(both) >= LEAST * len(heavy),
           f'{what}: {len(both)} of {len(heavy)} functions that cost callgrind 1 % are matched', heavy - both)
    tap.ok(abs(diff['before']['total'] - diff['after']['total']) <= 1e-6 * diff['before']['total'],
           f'{what}: scaled to the same total', (diff['before'], diff['after']))
    parts = [row for row in rows if row['name'].startswith('msort_with_tmp') and row['before']['self']]
    tap.ok(len(parts) == 1 and parts[0]['after']['self'] > 0, f'{what}: recursion and parts are one function', parts)


def main():
    polyprof, samples, own = sys.argv[1:4]
    callgrind = os.path.join(own, 'cpu_fp.callgrind.gz')
    perf = os.path.join(samples, 'perf-script', 'good', 'fp.script.txt.gz')
    tap = Tap()
    compare(tap, polyprof, callgrind, perf, 'Ir=period', 'callgrind, perf')
    compare(tap, polyprof, callgrind, perf, 'Ir=samples', 'callgrind, perf by samples')
    compare(tap, polyprof, perf, callgrind, 'period=Ir', 'perf, callgrind')
    for words, why in (((), 'without -m'), (('-m', 'Ir=period'), 'without --normalize total'),
                       (('-m', 'Ir=nothing', '--normalize', 'total'), 'a metric that is not there')):
        done = subprocess.run([polyprof, 'diff', callgrind, perf, *words], capture_output=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        tap.ok(done.returncode in (2, 3) and (b'shares' in done.stderr or b'is not a metric' in done.stderr),
               f'different metrics are refused {why}', done.stderr)
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
