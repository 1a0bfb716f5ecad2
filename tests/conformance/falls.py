#!/usr/bin/env python3
"""What metrics that fall gained and gave back, against a slow reader: falls.py POLYPROF tests/formats [DIRECTORY...]

The reader below goes through SPX bodies event by event and through Xdebug files record by record, and adds up each
step of each function, each stack and each call: upwards is gained, downwards is given back. `top --json` must say the
same, from one file or from two that are merged; so must `traces`, `graph`, `diff`, `callers` and `flame`; limits of `gate` are
of what was gained; and no share that is printed exceeds 100 %, also where no steps are known. Speaks TAP.
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
    """{function: {metric: [gained, given back]}}, the same by stack, and what calls gained: {(caller, callee): {metric: sum}}"""

    def __init__(self, metrics):
        self.metrics = [(i, m) for i, m in enumerate(metrics) if m in FALLING]
        self.rows = collections.defaultdict(lambda: {m: [0, 0] for _, m in self.metrics})
        self.stacks = collections.defaultdict(lambda: {m: [0, 0] for _, m in self.metrics})
        self.calls = collections.defaultdict(lambda: {m: 0 for _, m in self.metrics})
        self.odd = False

    def add(self, function, steps, stack=()):
        rows = [self.rows[function]] + ([self.stacks[stack]] if stack else [])
        for row in rows:
            for i, m in self.metrics:
                row[m][steps[i] < 0] += abs(steps[i])

    def gained(self, metric):
        return sum(row[metric][0] for row in self.rows.values())


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
            steps.add(names[stack[-1]], [now - before for now, before in zip(values, last)],
                      tuple(names[i] for i in stack))
        if begins:
            steps.rows[names[index]]
            stack.append(index)
        else:
            stack.pop()
        last = values
    return steps


# ---- Xdebug ----

def xdebug_calls(steps, record, done):
    """Records stand behind those of their calls: the last ones that nobody called yet. `done` has these, with what each
    gained in all."""
    gained = {m: max(0, record[0][i]) for i, m in steps.metrics}
    n = len(record[2])
    for callee, below in done[max(0, len(done) - n):]:
        for m in gained:
            gained[m] += below[m]
            steps.calls[record[1], callee][m] += below[m]
    if [callee for callee, _ in done[max(0, len(done) - n):]] != record[2]:
        steps.odd = True  # fibers: not one below the other
    del done[max(0, len(done) - n):]
    done.append((record[1], gained))


def xdebug_steps(path):
    """The files of Xdebug 2.3 and later, whose names have ids."""
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        lines = file.read().decode('latin-1').splitlines()
    metrics = next(line for line in lines if line.startswith('events:')).split()[1:]
    names, steps, record, is_call, done = {}, Steps(metrics), None, False, []
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
                    xdebug_calls(steps, record, done)
                record, place = None, name
            elif named[1] == 'fn':
                record = [[0] * len(metrics), (place, name), []]
            elif named[1] == 'cfl':
                called_place = name
            elif record and named[1] == 'cfn':
                record[2].append((called_place, name))
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


def close(share, part, whole):
    return abs(share - (part / whole if whole else 0)) < 1e-9


def check_stacks(tap, polyprof, path, steps, metric):
    """`traces`, stack by stack; those that are alike by name only stay apart."""
    rows = json.loads(run(polyprof, 'traces', '--json', '-n', '0', '-m', metric, path).stdout)['traces']
    got = sorted([len(row['stack']), row['gained'][metric], row['given_back'][metric]] for row in rows)
    want = sorted([len(stack), *row[metric]] for stack, row in steps.stacks.items())
    tap.same([row for row in got if any(row[1:])], [row for row in want if any(row[1:])],
             f'{os.path.basename(path)}: stacks of {metric}')


def check_calls(tap, polyprof, path, steps, metric, got):
    """`callers`, by call: what its share is of is what was gained below it."""
    name, whole, wrong, asked = os.path.basename(path), steps.gained(metric), [], 0
    names = collections.Counter(function[1] for function in got)
    again = {f for pair in steps.calls for f in pair if reaches(steps.calls, f)}
    for (caller, callee), gained in steps.calls.items():
        if not whole or callee in again or names[callee[1]] > 1 or names[caller[1]] > 1 or not callee[1].isascii() or asked > 40:
            continue
        asked += 1
        lines = run(polyprof, 'callers', '--names', 'full', '-n', '0', '-m', metric, '--', callee[1], path).stdout.decode().splitlines()
        shown = [float(line.split('%')[0].lstrip(' <')) for line in lines if '%' in line and f' {caller[1]} ' in line + ' ' and 'total%' not in line]
        # Rows are one for each place; each is rounded to a tenth.
        if not shown or abs(sum(shown) - 100 * gained[metric] / whole) > 0.06 * len(shown) + 0.05:
            wrong.append(f'{caller[1]} -> {callee[1]}: {shown}, not {100 * gained[metric] / whole}')
    tap.ok(not wrong, f'{name}: {asked} calls', '\n'.join(wrong[:9]))


def reaches(calls, function):
    """Whether it calls itself, perhaps through others."""
    seen, todo = set(), [function]
    while todo:
        at = todo.pop()
        for caller, callee in calls:
            if caller == at and callee not in seen:
                seen.add(callee)
                todo.append(callee)
    return function in seen


def check_shares(tap, polyprof, path, metric, got):
    """Shares in the other answers; `got` has what each function gained."""
    name, whole = os.path.basename(path), sum(row[metric][0] for row in got.values())
    dot = run(polyprof, 'graph', '-q', '--min', '0', '-n', '0', '-m', metric, path).stdout.decode()
    labels = [float(share) for share in re.findall(r'(-?[\d.]+)%', re.sub(r'(?m)^\tgraph .*$', '', dot))]
    self_shares = sorted(float(s) for s in re.findall(r'(?m)^\tn\d+ \[.* label=".*?self [^"(]* \(<?([\d.]+)%', dot))
    tap.ok(all(0 <= s <= 100 for s in labels), f'{name}: shares in the graph', labels)
    wanted = sorted(100 * row[metric][0] / whole for row in got.values()) if whole else []
    tap.ok(not whole or len(self_shares) == len(wanted) and all(abs(a - b) < 0.11 for a, b in zip(self_shares, wanted)),
           f'{name}: those of functions', (self_shares, wanted))
    drawn = re.findall(r'<title>.*?\(([-\d,]+) [^,]*, ([\d.]+)%\)', run(polyprof, 'flame', '-q', '-m', metric, path, '-o', '-').stdout.decode())
    tap.ok(drawn and all(float(s) <= 100 for _, s in drawn) and int(drawn[0][0].replace(',', '')) == whole, f'{name}: the picture', drawn[:3])


def check_diff(tap, polyprof, path, other, metric, got):
    name, whole = os.path.basename(path), sum(row[metric][0] for row in got.values())
    there = json.loads(run(polyprof, 'diff', '--json', '-n', '0', '-m', metric, other, path).stdout)['functions']
    wrong = []
    for f in there:
        for side in f['share'].values():
            if not -1 <= side <= 1:
                wrong.append(f"{f['name']}: {f['share']}")
        if f['status'] == 'new' and f['before']['gained'] == 0 and not close(f['share']['self'], f['after']['gained'], whole):
            wrong.append(f"{f['name']}: {f['share']} of {f['after']['gained']} in {whole}")
        if f['after']['gained'] - f['after']['given_back'] != f['after']['self']:
            wrong.append(f"{f['name']}: {f['after']}")
    tap.ok(there and not wrong, f'{name}: differences', '\n'.join(wrong[:9]))
    tap.same(sum(f['after']['gained'] for f in there), whole, f'{name}: what is gained after them')
    for verb in ['diff', '-n', '0'], ['trend']:
        printed = run(polyprof, *verb, '-m', metric, other, path, *([other, other, path, path] if verb == ['trend'] else [])).stdout.decode()
        if verb == ['trend']:
            shown = [float(s) for s in re.findall(r' (\d+(?:\.\d+)?)%', printed)]
        else:
            shown = [float(s) for s in re.findall(r' ([-+]\d+\.\d) ', printed)]
        tap.ok(all(-100 <= s <= 100 for s in shown), f'{name}: shares in {verb[0]}', shown)


def check_gate(tap, polyprof, path, metric, got):
    """The limit that a function just keeps, and one that it does not."""
    name, whole = os.path.basename(path), sum(row[metric][0] for row in got.values())
    share = 100 * max(row[metric][0] for row in got.values()) / whole if whole else 0
    if share:
        codes = [run(polyprof, 'gate', path, path, '-m', metric, '--fail-if', f'self(*) > {limit:.6f}%').returncode
                 for limit in (share * 1.001 + 1e-6, share * 0.999)]
        tap.same(codes, [0, 1], f'{name}: limits around {share} %')


def check_stepless(tap, polyprof, path):
    """Of a metric that falls whose steps nobody recorded: callers have what their callees have, and nobody more than all."""
    name = os.path.basename(path)
    for metric in (m['name'] for m in json.loads(run(polyprof, 'info', '--json', path).stdout)['metrics'] if m.get('falls')):
        printed = [s for verb in ('top', 'tree', 'traces', 'summary') for s in shares(polyprof, verb, metric, path)]
        tap.ok(all(0 <= s <= 100 for s in printed), f'{name}: shares of {metric}', printed)
        svg = run(polyprof, 'flame', '-q', '--min-width', '0', '-m', metric, path, '-o', '-').stdout.decode()
        drawn = re.findall(r'<title>.*?\(([-\d,]+) [^,]*, ([\d.]+)%\)', svg)
        tree = json.loads(run(polyprof, 'tree', '--json', '--min', '0', '-m', metric, path).stdout)
        todo, left = [tree['root']], 0
        while todo:
            node = todo.pop()
            left += max(0, node['self'][metric])
            todo += node['children']
        tap.ok(drawn and all(float(s) <= 100 for _, s in drawn), f'{name}: the picture of {metric}', drawn[:3])
        tap.ok(drawn and abs(int(drawn[0][0].replace(',', '')) - left) <= len(drawn), f'{name}: its whole', (drawn[:1], left))
        dot = run(polyprof, 'graph', '-q', '--min', '0', '-n', '0', '-m', metric, path).stdout.decode()
        labels = [float(share) for share in re.findall(r'(-?[\d.]+)%', re.sub(r'(?m)^\tgraph .*$', '', dot))]
        tap.ok(labels and all(0 <= s <= 100 for s in labels), f'{name}: the graph of {metric}', labels)


def check(tap, polyprof, path, steps, key, other):
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
    printed = [s for verb in ('top', 'tree', 'traces', 'summary') for s in shares(polyprof, verb, metric, path)]
    tap.ok(all(0 <= s <= 100 for s in printed), f'{name}: shares of {metric}', printed)
    check_shares(tap, polyprof, path, metric, got)
    check_diff(tap, polyprof, path, other or path, metric, got)
    check_gate(tap, polyprof, path, metric, got)
    if steps.stacks:
        check_stacks(tap, polyprof, path, steps, metric)
    elif not steps.odd:
        check_calls(tap, polyprof, path, steps, metric, got)
    pair, _ = answered(top(polyprof, path, path), steps, key)
    tap.ok(all(pair[f] == {m: [2 * v for v in row[m]] for m in row} for f, row in got.items()), f'{name}: merged with itself')


def main():
    polyprof, directories = sys.argv[1], sys.argv[2:]
    tap = Tap()
    last = None  # the one before, to compare with
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
                check(tap, polyprof, path, steps, spx_key, last)
                last = path if 'zm' in metrics else last
        last = None
        for path in sorted(glob.glob(os.path.join(directory, '**', '*.xdebug*'), recursive=True)):
            if '/good/' not in path and whole == {'good'} or re.match(r'2\.0|negative', os.path.basename(path)):
                continue
            steps = xdebug_steps(path)
            if steps.metrics:
                check(tap, polyprof, path, steps, xdebug_key, last)
                last = path
        for path in sorted(glob.glob(os.path.join(directory, 'xhprof', 'good', '*')) +
                           glob.glob(os.path.join(directory, 'dtrace', 'good', 'sum*'))):
            check_stepless(tap, polyprof, path)
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
