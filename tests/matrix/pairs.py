#!/usr/bin/env python3
"""One PHP program recorded by SPX and by Xdebug, compared with `diff`: pairs.py POLYPROF tests/matrix/pairs

Every user function that SPX recorded has to be found in the Xdebug file, whatever it is called there, and with as
many calls; functions that Xdebug alone knows have to be of a kind that SPX does not record. And both ways round.
Speaks TAP.
"""
import glob
import json
import os
import subprocess
import sys

polyprof, directory = sys.argv[1:3]
number = failed = 0


def ok(passed, what, detail=''):
    global number, failed
    number += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {what}" + ('' if passed else f'\n# {detail}'[:800]))


def diff(before, after):
    done = subprocess.run([polyprof, 'diff', '--json', before, after], capture_output=True, timeout=60,
                          stdin=subprocess.DEVNULL)
    return json.loads(done.stdout)['functions'] if done.returncode == 0 else []


def is_user(row):
    """Not built into PHP; SPX names what the engine does ::zend_compile_file and so on."""
    return not row['name'].startswith(('php::', '::')) and row.get('file') != 'php:internal'


def not_recorded(version, row):
    """Of a kind that SPX does not record: with builtins off, or under PHP's observers (0.5)."""
    if version == '05' and row['name'].startswith(('include', 'require')):
        return True  # a file that only declares
    return version == '05' and row['name'] in ('AbstractShape->magic', 'AbstractShape::nothing')  # ran by __call


for path in sorted(glob.glob(os.path.join(directory, '*.json'))):
    name, version, _ = os.path.basename(path).split('.')
    xdebug = os.path.join(directory, name + '.xdebug.gz')
    rows = [row for row in diff(path, xdebug) if is_user(row)]
    ours = [row for row in rows if row['before']['calls']]
    met = [row for row in ours if row['after']['calls']]
    ok(ours and len(met) >= 0.95 * len(ours), f'{name}, SPX {version}: {len(met)} of {len(ours)} user functions meet',
       [row['name'] for row in ours if not row['after']['calls']])
    alone = [row['name'] for row in rows if not row['before']['calls'] and not not_recorded(version, row)]
    ok(not alone, f'{name}, SPX {version}: none is in the Xdebug file alone', alone)
    wrong = [(row['name'], row['before']['calls'], row['after']['calls']) for row in met
             if row['before']['calls'] != row['after']['calls']]
    if name == 'generators' and version == '05':
        # A generator's first call only makes it, which observers do not see: one call less for each.
        ok(sorted(wrong) == [('counter', 16, 19), ('outer', 3, 4), ('pairs', 7, 8)],
           f'{name}, SPX {version}: calls, but for those that make generators', wrong)
    else:
        ok(not wrong, f'{name}, SPX {version}: the same numbers of calls', wrong)
    there = sorted((row['before']['calls'], row['after']['calls']) for row in diff(path, xdebug))
    back = sorted((row['after']['calls'], row['before']['calls']) for row in diff(xdebug, path))
    ok(there == back, f'{name}, SPX {version}: the other way round', (there, back))
print(f'1..{number}')
sys.exit(1 if failed else 0)
