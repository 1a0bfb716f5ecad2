#!/usr/bin/env python3
"""A merged file is a sum: merge_files.py POLYPROF tests/formats [CORPUS]. Speaks TAP.

Pairs of samples of each format that is written, merged into a file of that format, both ways round: what is read from it has for each
function (name, file and line) the own cost of both, and the same total. Where the writer says that it cannot tell functions of one name
apart, names alone are compared. For NYTProf, main::RUNTIME of each script stays by itself all the same, in our files and in those of nytprofmerge.
"""
import collections
import glob
import itertools
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap, few  # noqa: E402

polyprof, samples = os.path.abspath(sys.argv[1]), sys.argv[2]
corpus = sys.argv[3] if len(sys.argv) > 3 else ''
rng = random.Random(1)
tap = Tap()
PAIRS = 8
# Nothing in these says what runs outside of subs: calls or statements were not recorded, or an eval stands in a file that no line or sub is
# in. The subs of one spent more than its statements, which a single process cannot say.
VAGUE = 'tiny_subs0', 'tiny_stmts0', 'eval-forward', 'long-varints'
LARGEST = 300_000
# These say something about names, files or values that the target cannot hold; own costs by function cannot be compared then.
DIFFERENT = ('loss-names', 'loss-values', 'loss-rounded', 'loss-metrics', 'loss-units', 'loss-own-costs', 'loss-self')


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def ask(*words):
    done = run('top', '--json', '-n', '0', *words)
    return json.loads(done.stdout) if done.returncode == 0 else None


def key(row, places):
    if 'RUNTIME' in row['name']:
        return row['name'], row.get('file')
    # Callgrind's own word for a file that is not known.
    file = row.get('file') if row.get('file') != '???' else None
    return (row['name'], file, row.get('line')) if places else row['name']


def costs(top, places):
    out = collections.Counter()
    for row in top['functions']:
        out[key(row, places)] += row['self'][top['metric']]
    return out


def totals(top):
    """Of what stays one function: the levels of scripts."""
    return {key(row, False): row['total'][top['metric']] for row in top['functions'] if row['name'] == 'main::RUNTIME'}


def differences(got, wanted):
    for name in got.keys() | wanted.keys():
        if abs(got.get(name, 0) - wanted.get(name, 0)) > 2 + 1e-9 * abs(wanted.get(name, 0)):
            yield f'{name}: {got.get(name, 0)}, not {wanted.get(name, 0)}'


def compare(name, out, tops, places):
    merged = ask(out)
    if not merged or len({top['metric'] for top in tops} | {merged['metric']}) > 1:
        return
    wanted = collections.Counter()
    for top in tops:
        wanted.update(costs(top, places))
    wrong = list(differences(costs(merged, places), wanted))
    if abs(merged['total'] - sum(top['total'] for top in tops)) > 2 + 1e-9 * abs(merged['total']):
        wrong.append(f"total: {merged['total']}, not {sum(top['total'] for top in tops)}")
    one, two = totals(tops[0]), totals(tops[1])
    if set(one) & set(two) == set() and one and two:
        wrong += differences(totals(merged), {**one, **two})
    tap.ok(not wrong, name, '\n'.join(wrong[:4]))
    counted[name.split(' ')[0]] += 1


def pair(kind, paths, directory):
    tops = [ask(path) for path in paths]
    if any(top is None or 'metric' not in top or top['estimated'] for top in tops):
        return
    out = os.path.join(directory, 'merged.' + ('json' if kind == 'spx' else kind))
    done = run('merge', *paths, '--to', kind, '-o', out)
    said = done.stderr.decode(errors='replace')
    if done.returncode or any(f'[{rule}]' in said for rule in DIFFERENT):
        return
    name = f"{kind} {' and '.join(os.path.basename(path) for path in paths)}"
    compare(name, out, tops, not re.search(r'\[loss-(homonyms|files|first-lines|modules|frames)\]|only 1 of 2 profiles', said))
    if kind == 'nytprof' and shutil.which('nytprofmerge'):
        done = subprocess.run(['nytprofmerge', '-o', out, *paths], capture_output=True, timeout=120)
        if done.returncode == 0:
            compare(f'{name}, by nytprofmerge', out, tops, False)


def recorded(directory):
    """Two scripts with subs of one name, and one that runs twice, where Perl has the profiler."""
    if subprocess.run(['perl', '-MDevel::NYTProf::Data', '-e', '1'], capture_output=True).returncode:
        tap.skip('recordings of two scripts', 'there is no Devel::NYTProf')
        return []
    paths = []
    for name, text in (('one', 'sub work { my $s = 0; $s += $_ for 1..3000; $s } my $t = 0; $t += work() for 1..20;'),
                       ('two', 'sub work { my $s = 0; $s .= $_ for 1..200; $s } my $t = 0; for (1..5) { work() } $t += $_ for 1..20000;'),
                       ('one', None)):
        script = os.path.join(directory, name + '.pl')
        if text:
            with open(script, 'w') as file:
                file.write(text)
        paths.append(os.path.join(directory, f'{len(paths)}.out'))
        subprocess.run(['perl', '-d:NYTProf', script], env={**os.environ, 'NYTPROF': f'file={paths[-1]}'}, check=True, timeout=60)
    return paths


counted = collections.Counter()


def main():
    kinds = [f['name'] for f in json.loads(run('formats', '--json').stdout)['formats'] if f['write']]
    with tempfile.TemporaryDirectory() as directory:
        recordings = recorded(directory)
        for kind in kinds:
            found = [path for path in sorted(glob.glob(os.path.join(samples, kind, 'good', '*')))
                     if os.path.isfile(path) and not os.path.basename(path).startswith(VAGUE) and os.path.getsize(path) < LARGEST and not re.search(r'\.txt(\.gz|\.zst)?$', path)]
            if kind == 'nytprof':
                found += few([path for path in sorted(glob.glob(os.path.join(corpus, 'nytprof/perl/*.out*')))
                              if not os.path.basename(path).startswith(VAGUE) and os.path.getsize(path) < LARGEST], 12)
            pairs = list(itertools.permutations(found, 2))
            pairs = rng.sample(pairs, min(PAIRS, len(pairs)))
            if kind == 'nytprof':
                pairs += list(itertools.permutations(recordings, 2))
            for number, paths in enumerate(pairs):
                # A directory each: reports of SPX have bodies of several names.
                inner = os.path.join(directory, kind, str(number))
                os.makedirs(inner)
                pair(kind, paths, inner)
        tap.ok(counted['nytprof'] > 5 and sum(counted.values()) > 50, f'enough pairs: {dict(counted)}')
    return tap.done()


sys.exit(main())
