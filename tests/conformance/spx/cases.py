#!/usr/bin/env python3
"""SPX reports against a slow model, byte for byte through the writer, and damaged in every way:
spx.py POLYPROF tests/formats/spx [CORPUS]

The model below reads a body line by line, as the format is described in docs/formats/spx.md, and computes
calls, self and total of every function. It is compared with `top --json` for the samples, for made-up
reports (deep, wide, with many metrics, damaged as SPX 0.4 damages them, cut anywhere, forked), with one
and two threads, from either file. What is written and read again must be the same events. When CORPUS
is there, each *.oracle.json in it is compared with the report beside it. Speaks TAP.
"""
import collections
import glob
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from decimal import Decimal

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import SHARE, Tap, share  # noqa: E402 (needs the path above)

BUFFER, SPARE, FLUSH = 8192, 128, 16384
ENDINGS = ('.txt.gz', '.txt.zst', '.txt')


# ---- the model ----

def number(text):
    """A value; SPX 0.4 writes -5 as -4.9999."""
    match = re.fullmatch(r'-(\d*)\.9999', text)
    return -(int(match[1] or 0) + 1) if match else int(text)


def repaired(line, columns, used):
    """The events on one line of the 0.4 layout, and the bytes in the writer's buffer behind each."""
    while line.count(' ') > columns + 1 and 0 < BUFFER - used[0] < len(line):
        cut = BUFFER - used[0]
        yield line[:cut], cut
        line = line[cut:]
    yield line, len(line) + 1


def events(lines, columns):
    """(index, start, values) of every event line."""
    last, recent, used, count = [0] * columns, [], [0], 0
    for line in lines:
        if '|' in line:
            fields = line.split('|')
            start = line[0] != '-'
            name, values = (fields[1], fields[2:]) if start else (fields[0][1:], fields[1:])
            index = recent[-int(name[1:])] if name[0] == 'r' else int(name)
            recent = (recent + [index])[-20:]
            last = [old if not v else number(v[1:]) if v[0] == 'a' else old + number(v) for old, v in zip(last, values)]
            yield index, start, last
            continue
        for part, size in repaired(line, columns, used):
            used[0], count = used[0] + size, count + 1
            if BUFFER - used[0] < SPARE or count % FLUSH == 0:
                used[0] = 0
            fields = (part.split(' ') + [''] * (columns + 2))[:columns + 2]
            last = [number(v) if v else old for old, v in zip(last, fields[2:])]
            yield int(fields[0]), fields[1] == '1', last


def model(text, columns, identities):
    """{identity: [calls, self, total]} of one document; identities: index -> what tells functions apart."""
    table = collections.defaultdict(lambda: [0, [0] * columns, [0] * columns])
    stack, last = [], [0] * columns
    lines = text.split('[functions]')[0].splitlines()[1:]

    def leave(values):
        name, began, inner = stack.pop()
        took = [b - a for a, b in zip(began, values)]
        row = table[name]
        row[0] += 1
        row[1] = [a + b - c for a, b, c in zip(row[1], took, inner)]
        if all(frame[0] != name for frame in stack):
            row[2] = [a + b for a, b in zip(row[2], took)]
        if stack:
            stack[-1][2] = [a + b for a, b in zip(stack[-1][2], took)]

    for index, start, values in events(lines, columns):
        if start:
            stack.append([identities(index), values, [0] * columns])
        elif stack:
            leave(values)
        last = values
    while stack:
        leave(last)
    return dict(table)


def names_of(text):
    return text.split('[functions]\n')[1].splitlines() if '[functions]\n' in text else []


def identity(text):
    names = names_of(text)
    return lambda index: names[index] if index < len(names) else f'#{index}'


# ---- polyprof ----

def run(polyprof, *arguments, stdin=None):
    return subprocess.run([polyprof, *arguments], capture_output=True, timeout=300, input=stdin)


def top(polyprof, path, *options):
    done = run(polyprof, 'top', '--json', '-n', '0', *options, path)
    if done.returncode:
        raise SystemExit(f'{path}: exit {done.returncode}: {done.stderr[:300]!r}')
    return json.loads(done.stdout, parse_float=Decimal)


def rows(answer, metrics):
    """As the model has it. Identities are the lines of [functions], so the 0.5 layout is put together again."""
    table = {}
    for f in answer['functions']:
        name = bytes.fromhex(f['name_hex']).decode('latin-1') if 'name_hex' in f else f['name']
        if f.get('file') or f.get('line'):
            name = f"{f.get('file', '')}:{f.get('line', 0)}:{name}"
        table[name] = [f['calls'], [f['self'][m] for m in metrics], [f['total'][m] for m in metrics]]
    return table


def differences(expected, got):
    keys = [k for k in expected.keys() | got.keys() if expected.get(k) != got.get(k)]
    return '\n'.join(f'{k}: expected {expected.get(k)}, got {got.get(k)}' for k in sorted(keys)[:5])


# ---- made-up reports ----

def metadata(metrics, calls, functions):
    return {'key': 'made', 'exec_ts': 1794729896, 'host_name': 'h', 'process_pid': 1, 'process_tid': 1,
            'process_pwd': '/', 'cli': 1, 'cli_command_line': 'made', 'http_request_uri': 'n/a',
            'http_method': 'n/a', 'http_host': 'n/a', 'custom_metadata_str': None, 'wall_time_ms': 0,
            'peak_memory_usage': 0, 'called_function_count': functions, 'call_count': calls,
            'recorded_call_count': calls, 'enabled_metrics': metrics}


def walk(rng, count, columns, functions, deepest, large):
    """A balanced sequence of events; indexes are given by first call, as SPX does."""
    stack, seen, values = [], [], [0] * columns
    while count > 0 or stack:
        if values != [0] * columns or stack or seen:
            values = [v + rng.choice((0, 1, 7, 123456, large)) * (1 if j != 1 else rng.choice((1, -1)))
                      for j, v in enumerate(values)]
        start = not stack or (count > len(stack) and len(stack) < deepest and rng.random() < 0.52)
        if start:
            function = rng.randrange(min(len(seen) + 1, functions))
            if function == len(seen):
                seen.append(function)
            stack.append(function)
        else:
            function = stack.pop()
        count -= 1
        yield function, start, list(values)


def as_text_04(sequence, damaged):
    """As SPX writes it: with the slip of negative numbers and, if asked, its damage to long lines."""
    out, used = [], 0
    for number_of, (index, start, values) in enumerate(sequence, 1):
        fields = [str(index), ' ', '1' if start else '0']
        for v in values:
            fields += [' ', str(v) if v >= 0 else f"-{-v - 1 or ''}.9999"]
        fields.append('\n')
        line = ''
        for field in fields:
            if not damaged or used + len(line) + len(field) <= BUFFER:
                line += field
        out.append(line)
        used += len(line)
        if BUFFER - used < SPARE or number_of % FLUSH == 0:
            used = 0
    return '[events]\n' + ''.join(out)


def as_text_05(sequence, rng, linked=False):
    """As SPX writes it; `linked`: no block stands alone, though some values are absolute."""
    out, last, recent = [], None, []
    for number_of, (index, start, values) in enumerate(sequence):
        if number_of % 8192 == 0 and (not linked or not last):
            recent, last = [], None
        back = next((k for k in range(1, 5) if k <= len(recent) and recent[-k] == index), 0) if index >= 100 else 0
        head = (f'{rng.choice((0, 3, 255, 65535)):x}'.replace('0', '', 1) if rng.random() < 0.1 else '7') + '|' if start else '-'
        tell = linked and rng.random() < 0.01
        deltas = [f'a{v}' if last is None or (tell and v != w) else '' if v == w else str(v - w) for v, w in zip(values, last or values)]
        out.append(head + (f'r{back}' if back else str(index)) + ''.join('|' + d for d in deltas) + '\n')
        recent, last = (recent + [index])[-4:], values
    return '[events]\n' + ''.join(out)


class Checker:
    def __init__(self, polyprof, tap, directory):
        self.polyprof, self.tap, self.directory = polyprof, tap, directory

    def pair(self, name, text, metrics, calls, functions, pack=True):
        base = os.path.join(self.directory, name)
        with open(base + '.json', 'w') as file:
            json.dump(metadata(metrics, calls, functions), file)
        data = text.encode('latin-1')
        with open(base + ('.txt.gz' if pack else '.txt'), 'wb') as file:
            file.write(gzip.compress(data, 1, mtime=0) if pack else data)
        return base

    def compare(self, what, path, expected, metrics, threads=('-j1', '-j2')):
        for option in threads:
            got = rows(top(self.polyprof, path, option), metrics)
            self.tap.ok(got == expected, f'{what} {option}', differences(expected, got))

    def made(self, name, seed, count, columns, functions, deepest, large, damaged=False):
        rng = random.Random(seed)
        sequence = list(walk(rng, count, columns, functions, deepest, large))
        used = max(index for index, _, _ in sequence) + 1
        calls = sum(start for _, start, _ in sequence)
        metrics = ['wt', 'zm', 'ct', 'it', 'zo', 'ze', 'mor', 'io', 'ior', 'iow', 'zmac', 'zmab'][:columns]
        names = ''.join(f'Class{i}::m{i}\n' for i in range(used))
        places = ''.join(f'/a/x{i % 9}.php:{i}:Class{i}::m{i}\n' for i in range(used))
        expected = model('[events]\n', columns, str)
        for variant, text in (('0.4', as_text_04(sequence, damaged) + '[functions]\n' + names),
                              ('0.5', as_text_05(sequence, rng) + '[functions]\n' + places)):
            base = self.pair(f'{name}-{variant}', text, metrics, calls, used)
            expected = model(text, columns, identity(text))
            self.compare(f'{name} {variant}', base + '.json', expected, metrics)
            self.round_trip(f'{name} {variant}', base, variant, expected, metrics)
            self.cut(f'{name} {variant}', base, text, columns, metrics, rng)

    def linked(self, seed, count):
        """Where the text is cut for threads no event can be understood without those before."""
        rng = random.Random(seed)
        sequence = list(walk(rng, count, 2, 400, 25, 10 ** 7))
        used = max(index for index, _, _ in sequence) + 1
        places = ''.join(f'/a.php:{i}:f{i}\n' for i in range(used))
        text = as_text_05(sequence, rng, True) + '[functions]\n' + places
        base = self.pair('linked', text, ['wt', 'zm'], sum(start for _, start, _ in sequence), used)
        self.compare('linked', base + '.json', model(text, 2, identity(text)), ['wt', 'zm'])

    def round_trip(self, what, base, variant, expected, metrics):
        other = {'0.4': '0.5', '0.5': '0.4'}[variant]
        first, second = base + '-same', base + '-back'
        for source, target, to in ((base, first, variant), (first, second + '-1', other), (second + '-1', second, variant)):
            done = run(self.polyprof, 'convert', source + '.json', '--to', 'spx', '--variant', to, '-o', target + '.json')
            if done.returncode:
                self.tap.ok(False, f'{what}: written as {to}', done.stderr)
                return
        self.compare(f'{what}: written', first + '.json', expected, metrics, ('-j2',))
        if variant == '0.4':
            self.tap.ok(body(self.polyprof, first) == body(self.polyprof, second), f'{what}: there and back again')

    def cut(self, what, base, text, columns, metrics, rng):
        """Ends anywhere: whole lines count, frames left open end with the last event."""
        head = text.split('[functions]')[0]
        for _ in range(3):
            at = rng.randrange(len('[events]\n'), len(head))
            whole = head[:head.rindex('\n', 0, at) + 1]
            path = base + '-cut.txt'
            with open(path, 'wb') as file:
                file.write(head[:at].encode('latin-1'))
            names = [f'column{i + 1}' for i in range(columns)]
            expected = model(whole, columns, lambda index: f'#{index}')
            answer = top(self.polyprof, path)
            self.tap.ok(rows(answer, names) == expected, f'{what} cut at {at}', differences(expected, rows(answer, names)))
            if head[at - 1] != '\n':
                self.tap.ok(answer['complete'] is False, f'{what} cut at {at} is not complete')


def body(polyprof, base):
    for ending in ENDINGS:
        if os.path.exists(base + ending):
            return run(polyprof, 'convert', base + ending, '--to', 'spx', '-o', '-').stdout
    return b''


# ---- the corpus ----

def oracle_key(function):
    name = function['name'] if function['name'] is not None else f"#{function['idx']}"
    return function.get('file', ''), function.get('line', 0), name


def check_oracle(tap, polyprof, path):
    with open(path) as file:
        oracle = json.load(file, parse_float=Decimal)
    base = path[:-len('.oracle.json')]
    metrics = [re.sub(r'^m(\d+)$', lambda m: f'column{int(m[1]) + 1}', name) for name in oracle['metrics']]
    for ending in ('.json',) + ENDINGS:
        if not os.path.exists(base + ending) or os.path.getsize(base + ending) == 0:
            continue
        if not oracle['events'] and oracle['warnings']:
            # SPX aborted: nothing of the report can be used.
            done = subprocess.run([polyprof, 'top', '--json', base + ending], capture_output=True, check=False)
            tap.same(done.returncode, 3, f'{os.path.basename(base) + ending}: refused')
            continue
        answer = top(polyprof, base + ending)
        # The oracle leaves microseconds as they are.
        factor = 1000 if 'mu' in metrics else 1
        times = {m: factor if m in ('wt', 'ct', 'it') else 1 for m in metrics}
        got, expected = {}, {}
        for f in answer['functions']:
            name = bytes.fromhex(f['name_hex']).decode('utf-8', 'backslashreplace') if 'name_hex' in f else f['name']
            got[f.get('file', ''), f.get('line', 0), name] = (f['calls'], f['self'], f['total'])
        merged = collections.defaultdict(list)
        for f in oracle['functions']:
            merged[oracle_key(f)].append(f)
        wrong = sorted(map(str, merged.keys() ^ got.keys()))
        for key, parts in merged.items():
            if key not in got:
                continue
            calls, own, total = got[key]
            if calls != sum(f['calls'] for f in parts):
                wrong.append(f'{key}: calls')
            for was, m in zip(oracle['metrics'], metrics):
                if own[m] != sum(round(f['exc'][was] * times[m], 4) for f in parts):
                    wrong.append(f'{key}: self {m} {own[m]}')
                # Aliases that run inside each other are counted once, so their sum is only a bound.
                if len(parts) == 1 and total[m] != round(parts[0]['inc'][was] * times[m], 4):
                    wrong.append(f'{key}: total {m} {total[m]}')
        expected = oracle['events']
        tap.ok(not wrong, f'{os.path.relpath(base + ending, os.path.dirname(os.path.dirname(path)))}: {expected} events',
               '\n'.join(wrong))


def check_samples(checker, directory):
    """The good samples of whole numbers, from the body that polyprof itself writes plainly."""
    for path in sorted(glob.glob(os.path.join(directory, 'good', '*.json'))):
        with open(path, encoding='utf-8', errors='replace') as file:
            metrics = json.load(file, strict=False)['enabled_metrics']
        text = body(checker.polyprof, path[:-5]).decode('latin-1')
        if '.' in text.split('[functions]')[0]:
            continue
        expected = model(text, len(metrics), identity(text))
        got = rows(top(checker.polyprof, path), metrics)
        fields = ('calls', 'self', 'total')
        sums = [[sorted(str(row[i]) for row in table.values()) for i in range(2)] for table in (expected, got)]
        checker.tap.ok(sums[0] == sums[1], f'{os.path.basename(path)}: {fields[:2]}', differences(expected, got))


def main():
    polyprof, samples = sys.argv[1:3]
    corpus = sys.argv[3] if len(sys.argv) > 3 else ''
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        checker = Checker(polyprof, tap, directory)
        check_samples(checker, samples)
        checker.made('small', 1, 200, 2, 5, 8, 10 ** 9)
        checker.made('one-metric', 2, 5000, 1, 50, 20, 10 ** 6)
        checker.made('wide', 3, 20000 // SHARE, 3, 3000, 30, 1000)
        checker.made('deep', 4, 20000, 2, 4, 5000, 5)
        checker.made('many-metrics', 5, 10000 // SHARE, 12, 300, 12, 10 ** 13)
        checker.made('damaged', 6, 20000 // SHARE, 12, 300, 12, 10 ** 13, damaged=True)
        checker.made('several-chunks', 7, 150000 if SHARE == 1 else 110000, 2, 400, 25, 10 ** 7)
        checker.linked(8, 150000 if SHARE == 1 else 110000)
    for path in share(sorted(glob.glob(os.path.join(corpus, '*', '*.oracle.json')))) if os.path.isdir(corpus) else []:
        check_oracle(tap, polyprof, path)
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
