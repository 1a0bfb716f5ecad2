#!/usr/bin/env python3
"""What metrics that fall gained and gave back, against a slow reader: falls.py POLYPROF tests/formats [DIRECTORY...]

The reader below goes through SPX bodies event by event and through Xdebug files record by record, and adds up each
step of each function: upwards is gained, downwards is given back. `top --json` must say the same, filtered by time
or not, from one file or from two that are merged; and no share that is printed exceeds 100 %. Speaks TAP.
"""
import collections
import glob
import gzip
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402 (needs the path above)

FALLING = {'zm', 'zgb', 'zo', 'mor', 'zr', 'mu', 'pmu', 'Memory', 'Memory_(bytes)'}


def run(*arguments):
    return subprocess.run(arguments, capture_output=True, timeout=300)


def top(polyprof, *arguments):
    return json.loads(run(polyprof, 'top', '--json', '-n', '0', *arguments).stdout)


class Steps:
    """{function: {metric: [gained, given back]}}"""

    def __init__(self, metrics):
        self.metrics = [(i, m) for i, m in enumerate(metrics) if m in FALLING]
        self.rows = collections.defaultdict(lambda: {m: [0, 0] for _, m in self.metrics})

    def add(self, function, steps):
        row = self.rows[function]
        for i, m in self.metrics:
            row[m][steps[i] < 0] += abs(steps[i])


# ---- SPX ----

def spx_text(polyprof, base):
    if os.path.exists(base + '.txt.gz'):
        with gzip.open(base + '.txt.gz') as file:
            return file.read().decode('latin-1')
    ending = '.txt.zst' if os.path.exists(base + '.txt.zst') else '.txt'
    return run(polyprof, 'convert', base + ending, '--to', 'spx', '-o', '-').stdout.decode('latin-1')


def spx_number(text):
    """SPX 0.4 writes -5 as -4.9999."""
    slip = re.fullmatch(r'-(\d*)\.9999', text)
    return -int(slip[1] or 0) - 1 if slip else int(text)


def spx_events(text, columns):
    """(function, begins, values); of a function the index is told."""
    values, recent = [0] * columns, []
    for line in re.search(r'\[events\]\n([^\[]*)', text)[1].splitlines():
        if '|' not in line:
            index, begins, *rest = line.split(' ')
            yield int(index), begins == '1', [spx_number(v) for v in rest]
            continue
        fields = line.split('|')
        begins = line[0] != '-'
        index = fields[1] if begins else fields[0][1:]
        index = recent[-int(index[1:])] if index[0] == 'r' else int(index)
        recent.append(index)
        for i, field in enumerate(fields[1 + begins:]):
            if field:
                values[i] = int(field[1:]) if field[0] == 'a' else values[i] + int(field)
        yield index, begins, list(values)


def spx_steps(polyprof, base, metrics):
    text, steps = spx_text(polyprof, base), Steps(metrics)
    # Functions of PHP itself have neither file nor line.
    names = [re.sub('^:0:', '', name) for name in re.search(r'\[functions\]\n([^\[]*)', text)[1].splitlines()]
    stack, last = [], None
    for index, begins, values in spx_events(text, len(metrics)):
        if stack:
            steps.add(names[stack[-1]], [now - before for now, before in zip(values, last)])
        if begins:
            steps.rows[names[index]]
            stack.append(index)
        else:
            stack.pop()
        last = values
    return steps


# ---- Xdebug ----

def xdebug_steps(path):
    """The files of Xdebug 2.3 and later, whose names have ids."""
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        lines = file.read().decode('latin-1').splitlines()
    metrics = next(line for line in lines if line.startswith('events:')).split()[1:]
    names, steps, record, is_call = {}, Steps(metrics), None, False
    for line in lines + ['fl=']:
        named = re.match(r'(c?f[ln])=(\(\d+\))?(?: ?(.*))?$', line)
        if named:
            kind, number, name = named[1].lstrip('c'), named[2], named[3]
            if number and name:
                names[kind, number] = name
            name = names.get((kind, number), name)
            if named[1] == 'fl':
                if record:
                    steps.add(record[1], record[0])
                record, place = None, name
            elif named[1] == 'fn':
                record = [[0] * len(metrics), (place, name)]
        elif line.startswith('calls='):
            is_call = True
        elif record and re.match(r'\d', line):
            if not is_call:
                record[0] = [a + int(b) for a, b in zip(record[0], line.split()[1:])]
            is_call = False
    return steps


# ---- comparing ----

def answered(answer, steps, key):
    rows = collections.defaultdict(lambda: {m: [0, 0] for _, m in steps.metrics})
    wrong = []
    for f in answer['functions']:
        for _, m in steps.metrics:
            gained, given_back = f['gained'][m], f['given_back'][m]
            row = rows[key(f)][m]
            row[0] += gained
            row[1] += given_back
            if gained < 0 or given_back < 0 or gained - given_back != f['self'][m]:
                wrong.append(f"{f['name']}: {gained} - {given_back} is not {f['self'][m]}")
    return rows, wrong


def latin(f):
    return (bytes.fromhex(f['name_hex']) if 'name_hex' in f else f['name'].encode('utf-8')).decode('latin-1')


def spx_key(f):
    name = latin(f)
    return f"{f.get('file', '')}:{f.get('line', 0)}:{name}" if f.get('file') or f.get('line') else name


def xdebug_key(f):
    return f.get('file', ''), latin(f)


def shares(polyprof, verb, metric, path):
    printed = run(polyprof, verb, '-n', '0', '-m', metric, path).stdout.decode()
    return [float(share) for share in re.findall(r'(-?[\d.]+)%', printed)]


def check(tap, polyprof, path, steps, key):
    name = os.path.basename(path)
    answer = top(polyprof, path)
    got, wrong = answered(answer, steps, key)
    for function in set(got) | set(steps.rows):
        if got.get(function) != steps.rows.get(function):
            wrong.append(f'{function}: expected {steps.rows.get(function)}, got {got.get(function)}')
    tap.ok(not wrong and got, f'{name}: {len(got)} functions', '\n'.join(wrong[:9]))
    falls = {m['name'] for m in json.loads(run(polyprof, 'info', '--json', path).stdout)['metrics'] if m.get('falls')}
    tap.same(falls, {m for _, m in steps.metrics}, f'{name}: what falls')
    metric = steps.metrics[0][1]
    printed = [s for verb in ('top', 'tree') for s in shares(polyprof, verb, metric, path)]
    tap.ok(all(0 <= s <= 100 for s in printed), f'{name}: shares of {metric}', printed)
    pair, _ = answered(top(polyprof, path, path), steps, key)
    tap.ok(all(pair[f] == {m: [2 * v for v in row[m]] for m in row} for f, row in got.items()), f'{name}: merged with itself')


def main():
    polyprof, directories = sys.argv[1], sys.argv[2:]
    tap = Tap()
    whole = {'good'} if len(directories) == 1 else {''}
    for directory in directories:
        for path in sorted(glob.glob(os.path.join(directory, '**', '*.json'), recursive=True)):
            if 'oracle' in path or '/good/' not in path and whole == {'good'} or '/spx/' not in path:
                continue
            with open(path, encoding='utf-8', errors='replace') as file:
                metrics = json.load(file, strict=False)['enabled_metrics']
            # The document of the format has decimals throughout.
            if FALLING & set(metrics) and 'mu' not in metrics:
                steps = spx_steps(polyprof, path[:-5], metrics)
                check(tap, polyprof, path, steps, spx_key)
        for path in sorted(glob.glob(os.path.join(directory, '**', '*.xdebug*'), recursive=True)):
            if '/good/' not in path and whole == {'good'} or re.match(r'2\.0|negative', os.path.basename(path)):
                continue
            steps = xdebug_steps(path)
            if steps.metrics:
                check(tap, polyprof, path, steps, xdebug_key)
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
