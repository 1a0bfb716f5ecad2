#!/usr/bin/env python3
"""Heap profiles beside slow readers of them: heap.py POLYPROF tests/formats [CORPUS/native]. Speaks TAP.

heaptrack: what is allocated, temporary, live and at the peak, by function, in every version of the format, whole and cut. gperftools and
jemalloc: sums as their own tools scale them. CPU profiles: the same in each layout of words. The corpus: the totals of the real tools.
"""
import glob
import gzip
import json
import math
import os
import re
import struct
import subprocess
import sys
import tempfile
from collections import Counter

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
corpus = sys.argv[3] if len(sys.argv) > 3 else ''
tap = Tap()
work = tempfile.mkdtemp()
METRICS = ('alloc_bytes', 'alloc_count', 'temporary_count', 'live_bytes', 'live_count', 'peak_bytes')


def ask(*words):
    done = subprocess.run([polyprof, *words], capture_output=True, timeout=60)
    try:
        return json.loads(done.stdout), done.returncode
    except ValueError:
        return {'error': done.stderr.decode(errors='replace')}, done.returncode


def keep(name, data):
    path = os.path.join(work, name)
    with open(path, 'wb') as file:
        file.write(data if isinstance(data, bytes) else data.encode())
    return path


def totals(path, *words):
    answer, _ = ask('info', '--json', '--option', 'symbols=no', *words, path)
    return {metric['name']: metric['total'] for metric in answer.get('metrics', ())}


def by_leaf(path):
    answer, _ = ask('top', '--json', '--all-frames', '-n', '0', '--option', 'symbols=no', path)
    return {f['name']: {m: f['self'][m] for m in METRICS} for f in answer.get('functions', ()) if any(f['self'].values())}


# ---- heaptrack, replayed one event after the other ----

def replay(text):
    """Own cost by innermost function, and what was live when most was: each peak is a copy of everything."""
    strings, ips, traces, infos, pointers = [''], [None], [None], [], {}
    cost, live, most, peak, last = {m: Counter() for m in METRICS}, Counter(), 0, {}, 0
    form = raw = 0
    modules = []
    for line in text.split('\n'):
        kind, _, rest = line.partition(' ')
        words = rest.split(' ')
        if kind == 'v':
            form = int(words[1], 16) if len(words) > 1 else int(words[0] == '10200')
        elif kind in 'xm' and kind:
            raw = 1
            if kind == 'm' and rest == '1 -':
                modules = []
            elif kind == 'm':
                base, *pieces = [int(word, 16) for word in rest[int(words[0], 16) + len(words[0]) + 2:].split()]
                modules += [(base, base + start, size) for start, size in zip(pieces[::2], pieces[1::2])]
        elif kind == 's':
            strings.append(rest.split(' ', 1)[1] if form >= 3 else rest)
        elif kind == 'i':
            numbers = [int(word, 16) for word in words]
            ips.append(strings[numbers[2]] if len(numbers) > 2 and numbers[2] else f'0x{numbers[0]:x}')
        elif kind == 't':
            # Code without a name is called by where it is in its file.
            base = next((base for base, start, size in modules if raw and start <= int(words[0], 16) < start + size), 0)
            traces.append(f'0x{int(words[0], 16) - base:x}' if raw else ips[int(words[0], 16)])
        elif kind == 'a':
            infos.append((int(words[0], 16), int(words[1], 16)))
        elif kind == 'A':
            cost, live, most, peak, last = {m: Counter() for m in METRICS}, Counter(), 0, {}, 0
            pointers = {}
        elif kind in '+-' and kind:
            old, numbers = raw or form == 0, [int(word, 16) for word in words]
            pointer = numbers[-1]
            if old and kind == '+':
                if (numbers[0], numbers[1]) not in infos:
                    infos.append((numbers[0], numbers[1]))
                info = pointers[pointer] = infos.index((numbers[0], numbers[1]))
            elif old:
                if pointer not in pointers:
                    continue
                info = pointers.pop(pointer)
            else:
                info = numbers[0]
            (size, trace), mark = infos[info], pointer if old and not raw else info
            leaf = traces[trace]
            if kind == '+':
                cost['alloc_bytes'][leaf] += size
                cost['alloc_count'][leaf] += 1
                last = mark
            elif last == mark:
                cost['temporary_count'][leaf] += 1
            last = last if kind == '+' else 0
            sign = 1 if kind == '+' else -1
            cost['live_bytes'][leaf] += sign * size
            cost['live_count'][leaf] += sign
            live['all'] += sign * size
            if live['all'] > most:
                most, peak = live['all'], dict(cost['live_bytes'])
    cost['peak_bytes'] = Counter(peak)
    names = {name for counter in cost.values() for name, value in counter.items() if value}
    return {name: {m: cost[m][name] for m in METRICS} for name in names}


def unsized(text, version):
    return re.sub(r'(?m)^s [0-9a-f]+ ', 's ', text).replace('v 10400 3', version)


def with_pointers(text):
    """As before 1.0: each event has the pointer itself."""
    infos, lines, stacks, following = [], [], {}, 0x5000
    for line in unsized(text, 'v 10000').split('\n'):
        if line.startswith('a '):
            infos.append(line[2:])
            continue
        if line.startswith('+ '):
            following += 16
            stacks.setdefault(line[2:], []).append(following)
            line = f'+ {infos[int(line[2:], 16)]} {following:x}'
        elif line.startswith('- '):
            line = f'- {stacks[line[2:]].pop():x}'
        lines.append(line)
    return '\n'.join(lines)


with open(os.path.join(samples, 'heaptrack/good/oven.heaptrack')) as sample:
    oven = sample.read()
PRINTED = {'alloc_count': 99, 'temporary_count': 82, 'live_bytes': 24244}  # by heaptrack_print
got = totals(os.path.join(samples, 'heaptrack/good/oven.heaptrack'))
tap.same({m: got.get(m) for m in PRINTED}, PRINTED, 'oven.heaptrack: as heaptrack_print has it')
half = oven.index('\n', len(oven) // 2) + 1
forms = {
    'format 3': oven, 'format 2': unsized(oven, 'v 10300 2'), 'format 1': unsized(oven, 'v 10200 1'),
    'format 1, of one number': unsized(oven, 'v 10200'), 'format 0': with_pointers(oven),
    'attached': oven[:half] + 'A\n' + '\n'.join(l for l in oven[half:].split('\n') if l[:1] != '-'),
    'the first kind freed behind another': oven + '- 0\n+ 1\n- 1\n+ 0\n+ 1\n- 1\n- 0\n',
}
for name, text in forms.items():
    tap.same(by_leaf(keep('form.heaptrack', text)), replay(text), f'heaptrack: {name}')
tap.same(by_leaf(keep('form.gz', gzip.compress(oven.encode()))), replay(oven), 'heaptrack: gzip')
several = oven.replace('X ./oven', "X python3 -c \nimport json\na = [1, 2]\nif a:\n    print(a)\n")
tap.same(by_leaf(keep('several.heaptrack', several)), replay(oven), 'heaptrack: a command of several lines')
odd = oven.replace('s 5 dough', 's b dough\n+ 0\nx')
tap.same(sorted(by_leaf(keep('odd.heaptrack', odd))), sorted(name if name != 'dough' else 'dough\n+ 0\nx' for name in replay(oven)),
         'heaptrack: strings have line ends')
plain = subprocess.run(['zstd', '-dcq', os.path.join(samples, 'heaptrack/good/oven.raw.zst')], capture_output=True).stdout.decode()
if plain:
    tap.same(by_leaf(os.path.join(samples, 'heaptrack/good/oven.raw.zst')), replay(plain), 'heaptrack: raw')
ends = [at for at in range(40, len(oven), 171)]

def cut_is_told(at):
    """Whether a recording that was cut is incomplete or, without any allocation, refused."""
    answer = ask('top', '--json', keep('cut.heaptrack', oven[:at]))[0]
    return '\n+ ' not in oven[:at] if 'error' in answer else answer['complete'] == (oven[at - 1] == '\n')


wrong = [at for at in ends if not cut_is_told(at)]
tap.same(wrong, [], f'heaptrack: cut at {len(ends)} places, and said so')
whole, parts = totals(keep('time.heaptrack', oven)), Counter()
for stretch in ('..20ms', '20ms..61ms', '61ms..70ms', '70ms..'):
    answer, _ = ask('top', '--json', '--all-frames', '-n', '0', '--time', stretch, os.path.join(work, 'time.heaptrack'))
    for function in answer['functions']:
        parts.update(function['self'])
tap.same({m: parts[m] for m in METRICS}, whole, 'heaptrack: stretches of time add up to the whole')


# ---- text heaps, scaled ----

def scaled(rows, way):
    out = [0.0] * 4
    for row in rows:
        for pair in (0, 2):
            n, size = row[pair:pair + 2]
            factor = way(size / n) if n else 1
            out[pair] += n * factor
            out[pair + 1] += size * factor
    return out


ROWS = ((450, 501025, 450, 501025), (0, 0, 40, 640), (2, 425154, 40, 1275094), (7, 56, 9, 72))
KEYS = ('live_count', 'live_bytes', 'alloc_count', 'alloc_bytes')
SUM = [sum(column) for column in zip(*ROWS)]


def poisson(period):
    return lambda mean: 1 / (1 - math.exp(-mean / period))


KINDS = {
    'heapprofile': lambda mean: 1, 'growthz': lambda mean: 1, 'heap_v2/4096': poisson(4096), 'heapz_v2/524288': poisson(524288),
    'heap_v2/1': lambda mean: 1, 'heap/4096': lambda mean: max(1, 2048 / mean), 'heap_v2': poisson(131072),
    'heap/4096 of Go': poisson(2048),
}


def close(path, want, name):
    have = totals(path)
    tap.ok(have and all(math.isclose(have[key], value, rel_tol=1e-12) for key, value in zip(KEYS, want)), f'{name}: {have} {want}')


for kind, way in KINDS.items():
    lines = [' %d: %d [%d: %d] @ 0x%x 0x20' % (*row, 16 * i) for i, row in enumerate(ROWS, 1)]
    if kind.endswith('of Go'):
        lines = [f'{line}\n#\t0x{16 * i:x}\tmain.f{i}+0x1\t\tmain.go:{i}\n' for i, line in enumerate(lines, 1)]
    text = 'heap profile: %d: %d [%d: %d] @ %s\n' % (*SUM, kind.split(' ')[0]) + '\n'.join(lines) + '\n'
    close(keep('made.heap', text), scaled(ROWS, way), f'gperftools: {kind}')
answer, _ = ask('top', '--json', '--all-frames', os.path.join(work, 'made.heap'))
tap.same([(f['name'], f.get('file')) for f in answer['functions']][:1], [('main.f1', 'main.go')], 'gperftools: names that Go writes')
for period in (1, 4096, 524288):
    text = f'heap_v2/{period}\n  t*: 9: 9 [9: 9]\n' + ''.join(
        '@ 0x%x 0x20\n  t*: %d: %d [%d: %d]\n  t1: %d: %d [%d: %d]\n' % (16 * i, *row, *(n // 2 for n in row)) for i, row in enumerate(ROWS, 1))
    close(keep('made.jemalloc.heap', text), scaled(ROWS, poisson(period) if period > 1 else lambda mean: 1), f'jemalloc: {period}')


# ---- CPU profiles, in each layout ----

WORDS = (0, 3, 0, 2000, 0, 5, 3, 0x1010, 0x1020, 0x1030, 7, 2, 0x1040, 0x1030, 0, 1, 0)
answers = []
for order in '<>':
    for width in 'IQ':
        data = struct.pack(f'{order}{len(WORDS)}{width}', *WORDS) + b'1000-2000 r-xp 00000000 00:00 0 /srv/oven\n'
        answers.append(ask('top', '--json', '--all-frames', '-n', '0', '-m', 'samples', '--option', 'symbols=no', keep('made.prof', data))[0])
tap.same([a.get('total') for a in answers], [12] * 4, 'gperftools: samples of each layout')
tap.ok(all(a == answers[0] for a in answers), 'gperftools: the same functions in each layout')
longer = (*WORDS[:1], 5, *WORDS[2:5], 9, 9, *WORDS[5:])
tap.same(totals(keep('made.prof', struct.pack(f'<{len(longer)}Q', *longer))).get('samples'), 12, 'gperftools: a longer header is skipped')

# ---- the corpus ----

oracles = sorted(glob.glob(os.path.join(corpus, 'heap*', '*.oracle.json'))) if corpus else []
if not oracles:
    tap.skip('heap profiles of the corpus', 'no corpus')
for oracle in oracles:
    path = oracle.removesuffix('.oracle.json')
    with open(oracle) as file:
        want = json.load(file)
    have, name = totals(path), os.path.relpath(path, corpus)
    if want['format'] == 'heaptrack':
        tap.same({m: have.get(m) for m in want if m != 'format'}, {m: v for m, v in want.items() if m != 'format'}, f'{name}: totals')
    elif want['format'] == 'gperftools-cpu':
        tap.same(have.get('samples'), want['samples'], f'{name}: samples')
    else:
        tap.same([int(have.get(key, -1)) for key in KEYS], [int(value) for value in want['scaled']], f'{name}: totals')
sys.exit(tap.done())
