#!/usr/bin/env python3
"""Parts of the time add up to the whole: times.py POLYPROF tests/formats [CORPUS]. Speaks TAP.

Over all samples that tell when things happened, sound and damaged, of all formats:
- `--time 0%..100%` changes nothing: own and total costs and calls of each function, and the total;
- adjacent parts add up: costs within 2 ns for each part, counts exactly, wherever the borders are: at percents, and at any ns of the recording;
- a trace written as SPX has the same own and total cost and calls for each function;
- written as SPAA, parts of the time still add up.
SPAA files may place less, or more, in time than their stacks cost; those are left out whose samples say so.
"""
import collections
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap, few, half  # noqa: E402

polyprof, samples = os.path.abspath(sys.argv[1]), sys.argv[2]
corpus = sys.argv[3] if len(sys.argv) > 3 else None
rng = random.Random(1)
tap = Tap()
LARGEST = 3_000_000
FEW = 10
# Frames that stand for what the file does not name: they cost nothing themselves, and sums of callers do not know their totals.
STAND_INS = ('[unknown]',)


def ask(*words):
    done = subprocess.run([polyprof, *words], capture_output=True, timeout=300, stdin=subprocess.DEVNULL)
    return json.loads(done.stdout) if done.returncode == 0 else None


def numbers(top):
    """{(function, what): number} of an answer of `top`; the total stands under no function."""
    out = collections.Counter()
    for f in top['functions']:
        key = f['name'], f.get('name_hex'), f.get('file'), f.get('line'), f.get('module')
        for kind in ('self', 'total'):
            for metric, value in f[kind].items():
                out[key, kind, metric] += value
        out[key, 'calls', None] += f.get('calls', 0)
    out[('', ), 'total', top.get('metric')] = top.get('total', 0)
    return out


def part(path, borders):
    answer = ask('top', '--json', '-n', '0', '--time', borders, path)
    return None if answer is None else numbers(answer)


def window(path, first, last):
    return part(path, f'{first}%..{last}%')


def differences(whole, parts, tolerance):
    added = collections.Counter()
    for part in parts:
        for key, value in part.items():
            added[key] += value
    for key in whole.keys() | added.keys():
        near = 0 if key[1] == 'calls' else tolerance + 1e-9 * abs(whole[key])
        if abs(whole[key] - added[key]) > near and not (key[0][0] in STAND_INS and key[1] == 'total'):
            yield f'{key[0][0]}: {key[1]} {key[2] or ""} {added[key]}, not {whole[key]}'


def cuts():
    yield [37]
    yield sorted(rng.sample(range(1, 100), 2))
    yield sorted(rng.sample(range(1, 100), 9))


def moments(time):
    """Borders at any ns, one of them perhaps twice, so that a part may be empty."""
    inner = sorted(rng.randrange(time['start'], max(time['end'], time['start']) + 1) for _ in range(3))
    borders = ['', *(f'{moment - time["start"]}ns' for moment in inner), '']
    return [f'{first}..{last}' for first, last in zip(borders, borders[1:])]


def adds_up(path, name, whole, time):
    everything = window(path, 0, 100)
    if everything is None:
        tap.ok(False, f'{name}: all of the time', 'no answer')
        return
    wrong = list(differences(whole, [everything], 0.5))
    for inner in cuts():
        borders = [0, *inner, 100]
        parts = [window(path, *pair) for pair in zip(borders, borders[1:])]
        wrong += [f'{borders}: {text}' for text in differences(whole, parts, 2 * len(parts))]
    if time:
        borders = moments(time)
        wrong += [f'{borders}: {text}' for text in differences(whole, [part(path, pair) for pair in borders], 2 * len(borders))]
    tap.ok(not wrong, f'{name}: parts of the time', '\n'.join(wrong[:5]))


def spaa_places_all(path):
    """Whether the samples of an SPAA file weigh what its stacks do."""
    stacks, samples = collections.Counter(), collections.Counter()
    with open(path, 'rb') as file:
        for line in file:
            record = json.loads(line)
            if record['type'] == 'stack':
                stacks[str(record['id'])] += sum(w['value'] for w in record['weights'] if w['metric'] == 'period')
            elif record['type'] == 'sample':
                samples[str(record['stack_id'])] += record.get('period', 0)
    return samples == stacks


def as_spaa(path, name, whole, directory):
    out = os.path.join(directory, 'again.spaa')
    done = subprocess.run([polyprof, 'convert', '-q', path, '--to', 'spaa', '-o', out], capture_output=True, timeout=300)
    everything = window(out, 0, 100)
    if done.returncode or everything is None:
        tap.ok(False, f'{name}: as SPAA', done.stderr.decode(errors='replace'))
        return
    wrong = list(differences(whole, [everything], 0.5))
    wrong += list(differences(whole, [window(out, 0, 41), window(out, 41, 100)], 4))
    tap.ok(not wrong, f'{name}: as SPAA', '\n'.join(wrong[:5]))


def as_spx(path, name, top, directory):
    """Own and total costs and calls by name, after a way through SPX."""
    out = os.path.join(directory, 'again.json')
    done = subprocess.run([polyprof, 'convert', path, '--to', 'spx', '-o', out], capture_output=True, timeout=300)
    again = ask('top', '--json', '-n', '0', out) if done.returncode == 0 else None
    if again is None or b'rounded' in done.stderr:
        tap.ok(again is not None, f'{name}: as SPX', done.stderr.decode(errors='replace'))
        return
    sides = []
    for answer in (top, again):
        side = collections.Counter()
        for f in answer['functions']:
            for kind in ('self', 'total'):
                side[f['name'], kind] += f[kind][answer['metric']]
            # What runs without being called has to be a call in SPX.
            side[f['name'], 'calls'] += 0 if f['name'].endswith('::RUNTIME') else f.get('calls', 0)
        sides.append(side)
    wrong = [f'{key}: {sides[1][key]}, not {sides[0][key]}' for key in sides[0].keys() | sides[1].keys()
             if abs(sides[0][key] - sides[1][key]) > 0.5 and key[0] not in STAND_INS]
    tap.ok(not wrong, f'{name}: as SPX', '\n'.join(wrong[:5]))


def main():
    files = sorted(glob.glob(os.path.join(samples, '*', '*', '*')))
    # Few of SPAA tell times.
    spaa = [path for path in files if os.sep + 'spaa' + os.sep in path]
    files = half(path for path in files if path not in spaa) + spaa
    if corpus and os.path.isdir(corpus):
        for pattern in ('nytprof/*/*.out*', 'nytprof/perl/*merged*', 'nytprof/perl/fork*', 'spx/*/*', 'native/perf*/*', 'chrome/*/*', 'firefox/*/*', 'speedscope/*/*', 'speedscope/hand/two_units*',
                        'small/real/*'):
            found = [path for path in sorted(glob.glob(os.path.join(corpus, pattern))) if os.path.getsize(path) <= LARGEST]
            files += few(found, FEW)
    checked = collections.Counter()
    with tempfile.TemporaryDirectory() as directory:
        for path in files:
            if path.endswith(('.oracle.json', '.stdout')) or os.path.getsize(path) > LARGEST:
                continue
            info = ask('info', '--json', path)
            if not info or 'timeline' not in info['facets'] or \
                    (info['format'] == 'spaa' and not spaa_places_all(path)):
                continue
            name = os.path.relpath(path, corpus if corpus and path.startswith(corpus) else samples)
            top = ask('top', '--json', '-n', '0', path)
            adds_up(path, name, numbers(top), info.get('time'))
            if info['format'] != 'spaa':
                as_spaa(path, name, numbers(top), directory)
            if info['format'] == 'nytprof':
                as_spx(path, name, top, directory)
            checked[info['format']] += 1
    for kind, least in (('nytprof', 10), ('spx', 10), ('perf-script', 10), ('spaa', 1)):
        tap.ok(checked[kind] >= least, f'{checked[kind]} samples of {kind} tell when things happened')
    return tap.done()


sys.exit(main())
