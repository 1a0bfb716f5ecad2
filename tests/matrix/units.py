#!/usr/bin/env python3
"""Totals keep their units: units.py POLYPROF FACTS tests/formats. Speaks TAP.

Samples that store a quantity in different ways (whole ns, tenths of ns, 10 ns, µs with decimals, doubles), alone and each pair of them
that can be merged, of one format and across formats, are written to every format. All metrics of the file that are also metrics of the
sources have their totals, in the canonical unit. Rounding and other changes of values must be reported; even then, rounding changes a
total by less than one µs for each row. A metric whose unit is another one must be reported, too.
"""
import collections
import glob
import itertools
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap, half, turn_of  # noqa: E402

polyprof, facts, samples = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3]
tap = Tap()
LARGEST = 60_000
# The subs of one spent more than its statements, which a single process cannot say; the other has a total of more than 64 bits.
VAGUE = 'look-like-tags.out', 'limits.out'
SAMPLES = 4
# A rounded value differs by less than this; each row may be rounded.
STEP = 1000
# These change values in ways that are no rounding.
OTHERWISE = ('negative', 'loss-incomplete')


def run(*words):
    return subprocess.run(words, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def ask(path):
    """{metric: (kind, unit, totals)} and how many values there may be; None when nothing says them exactly. Xdebug states totals to which own
    costs do not add up; a file may have either."""
    asked = [run(polyprof, 'info', '--json', path), run(polyprof, 'top', '--json', '--all-frames', '-n', '0', path), run(facts, path)]
    if any(done.returncode for done in asked):
        return None
    info, top, tables = (json.loads(done.stdout) for done in asked)
    if not info.get('metrics') or info.get('estimated') or not top.get('functions'):
        return None
    own = collections.Counter()
    for row in top['functions']:
        own.update(row['self'])
    kinds = {m['name']: m['kind'] for m in tables['metrics']}
    totals = {m['key']: (kinds[m['key']], m['unit'], (m['total'], own.get(m['name'], 0) if info['format'] == 'xdebug' else m['total'])) for m in info['metrics'] if m['key'] in kinds and 'total' in m}
    return totals, len(tables['nodes']) + len(tables['lines']) + len(tables['edges'])


def ways(path):
    """In which ways a sample stores which units."""
    done = run(facts, path)
    metrics = json.loads(done.stdout)['metrics'] if done.returncode == 0 else []
    names = [m['name'] for m in metrics]
    # Names that two metrics share cannot be told apart in answers.
    if len(set(names)) < len(names):
        return frozenset()
    return frozenset((m['kind'], m['unit'], m['real'], m['scale'], m['factor_num'], m['factor_den'], m['name'] in ('mu', 'pmu')) for m in metrics)


def sums_possible(metric, unit, sources):
    """Sums of the sources that a metric can have: of its name or of all metrics of one kind, alone or together."""
    each = [(name, *row) for source, _ in sources for name, row in source.items() if row[1] == unit]
    groups = [[costs for name, kind, _, costs in each if kind == wanted] for wanted in {kind for _, kind, _, _ in each}]
    named = [costs for name, _, _, costs in each if name == metric]
    groups += [named] if named else [[costs] for _, _, _, costs in each]
    return {sum(costs[i] for costs in group) for group in groups for i in range(2)}


def wrong_totals(written, sources, said):
    rounded = '[loss-values]' in said or '[loss-rounded]' in said
    rows = written[1] + sum(n for _, n in sources)
    for metric, (kind, unit, got) in written[0].items():
        units = {source[metric][1] for source, _ in sources if metric in source} or {other for source, _ in sources for _, other, _ in source.values()}
        # How many samples there were is made up where a file must say it; perf's periods count what samples weigh.
        if kind == SAMPLES or unit == 'events' or metric == 'samples':
            continue
        # A .cpuprofile always has times.
        if unit not in units and metric != 'time' and not any(word in said for word in ('[loss-units]', '[loss-time]', 'made up: the number of samples')):
            yield f'{metric}: in {unit}, not {sorted(units)}'
        if unit not in units or any(word in said for word in OTHERWISE) or f' as {metric}' in said:
            continue
        possible = sums_possible(metric, unit, sources)
        if not any(abs(cost - wanted) <= 1e-9 * max(abs(cost), abs(wanted)) + 1e-6 + rounded * STEP * rows
                   for wanted in possible for cost in got):
            yield f'{metric}: {got[0]} {unit}, not {" or ".join(map(str, sorted(possible)))}'


def check(words, sources, kind, directory):
    out = os.path.join(directory, 'written.' + ('json' if kind == 'spx' else kind))
    done = run(polyprof, *words, '--to', kind, '-o', out)
    written = ask(out) if done.returncode == 0 else None
    for left in os.listdir(directory):
        os.remove(os.path.join(directory, left))
    if not written:
        return None
    return [f'{kind}: {text}' for text in wrong_totals(written, sources, done.stderr.decode(errors='replace'))]


def representatives(kinds):
    """The smallest samples that store something in a way that no smaller one of their format does."""
    chosen = []
    for kind in kinds:
        paths = [path for path in glob.glob(os.path.join(samples, kind, 'good', '*'))
                 if os.path.isfile(path) and os.path.getsize(path) < LARGEST and os.path.basename(path) not in VAGUE and not (kind == 'spx' and '.txt' in path)]
        seen = set()
        for path in sorted(paths, key=lambda path: (os.path.getsize(path), path)):
            stored = ways(path)
            if stored - seen and ask(path):
                seen |= stored
                chosen.append((kind, path, stored))
    return chosen


def differ(one, two):
    """Whether two samples store a unit in different ways."""
    units = {way[:2] for way in one} & {way[:2] for way in two}
    return any({way for way in one if way[:2] == unit} != {way for way in two if way[:2] == unit} for unit in units)


def main():
    formats = json.loads(run(polyprof, 'formats', '--json').stdout)['formats']
    targets = [f['name'] for f in formats if f['write']]
    chosen = representatives([f['name'] for f in formats if f['read']])
    read = {path: ask(path) for _, path, _ in chosen}
    written = collections.Counter()
    with tempfile.TemporaryDirectory() as directory:
        singles = [((path,), 'convert', targets) for _, path, _ in chosen]
        pairs = [((a[1], b[1]), 'merge', a[0] == b[0]) for a, b in itertools.combinations(chosen, 2) if differ(a[2], b[2])]
        # Each pair within a format is written to that format; to others, they take turns.
        pairs = [(paths, verb, sorted({*turn_of(targets, number, 2), *([os.path.basename(os.path.dirname(os.path.dirname(paths[0])))] if same else [])} & set(targets)))
                 for number, (paths, verb, same) in enumerate(pairs)]
        for paths, verb, kinds in singles + half(pairs):
            answers = [check([verb, *paths], [read[path] for path in paths], kind, directory) for kind in kinds]
            wrong = [text for answer in answers for text in answer or []]
            written[verb] += sum(answer is not None for answer in answers)
            if any(answer is not None for answer in answers):
                tap.ok(not wrong, f"{verb} {' and '.join(os.path.relpath(path, samples) for path in paths)}", '\n'.join(wrong))
    tap.ok(written['convert'] > 50 and written['merge'] > 50, f'enough is written: {dict(written)}')
    return tap.done()


sys.exit(main())
