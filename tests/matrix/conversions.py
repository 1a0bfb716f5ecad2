#!/usr/bin/env python3
"""Every good sample to every format that can be written and back: conversions.py POLYPROF FACTS tests/formats

What the written file holds is compared with what the sample holds, fact by fact (FACTS prints the tables of the
model, `top` adds calls, self and total). What differs must have been reported by a rule that explains it, and a rule
that was reported must explain some difference. Then the file is written back in the format of the sample, and what
differs must have been reported on one of the two ways. --lossless must fail just when something is reported.
Samples take turns with the formats to write, three each; POLYPROF_ALL=1 tries all pairs.
Speaks TAP. Further words choose the targets.
"""
import collections
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap, turn_of  # noqa: E402 (needs the path above)

COMPANIONS = ('.txt', '.txt.gz', '.txt.zst')
# Files are synced to the disk, which takes its time; memory has none.
MEMORY = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
NAMES = {'spx': '.json', 'diff-folded': '.diff.folded'}


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


DECLARED = 64  # a flag of functions: the file lists it, called or not

# Which rules explain that a fact differs. Each rule that is reported must explain one that does.
CHANGED = 'loss-names loss-homonyms loss-no-stack loss-roots loss-recursion estimated '
SPENT = CHANGED + 'loss-values loss-exclusive loss-metrics '
EXPLAINED_BY = {
    'complete': 'loss-incomplete',
    'whole': 'loss-values',
    'recorded': 'loss-recorded',
    'samples': 'loss-samples',
    'markers': 'loss-markers',
    'time range': 'loss-time loss-timeline',
    'sources': 'loss-sources',
    'metadata': 'loss-metadata loss-homonyms',
    'metrics': 'loss-metrics loss-units',
    'events': 'loss-events',
    'threads': 'loss-threads',
    'cpus': 'loss-cpus',
    'timeline': 'loss-timeline',
    'names': 'loss-names loss-roots loss-no-stack loss-recursion loss-pairs loss-lines loss-metrics loss-stacks',
    'files': 'loss-files loss-names loss-pairs loss-stacks',
    'first lines': 'loss-first-lines loss-homonyms loss-pairs',
    'first columns': 'loss-first-columns loss-homonyms loss-pairs',
    'last lines': 'loss-last-lines loss-homonyms loss-pairs',
    'modules': 'loss-modules loss-names loss-metrics',
    'build ids': 'loss-build-ids',
    'marks': 'loss-marks loss-metrics',
    'built in': 'loss-built-in',
    'uncalled': 'loss-uncalled loss-names',
    'homonyms': 'loss-homonyms loss-names loss-metrics loss-stacks',
    'places': 'loss-places',
    'columns': 'loss-columns',
    'addresses': 'loss-addresses',
    'offsets': 'loss-offsets',
    'inlining': 'loss-inlining',
    'sites': 'loss-sites loss-stack-sites',
    'stacks': CHANGED + 'loss-stacks loss-metrics',
    'stack costs': SPENT + 'loss-stacks loss-pairs',
    'stack calls': CHANGED + 'loss-stacks loss-calls',
    'lines': 'loss-lines loss-values loss-metrics loss-names loss-files',
    'hits': 'loss-hits loss-lines loss-names loss-files',
    'pairs': 'loss-pairs',
    'calls': CHANGED + 'loss-calls loss-pairs',
    'self': SPENT + 'loss-lines loss-pairs loss-measured',
    'total': SPENT + 'loss-measured loss-stacks loss-pairs',
    'order': 'loss-timeline',
    'frames at lines': 'loss-places',
    'site rows': 'loss-sites',
    'pair costs': 'loss-values loss-sites',
    # Only metrics other than the one that is looked at may have fractions.
    'other totals': 'loss-measured loss-values',
    'gains': 'loss-gains',
}
# What may differ without a word, though it explains one: a trace of samples is one of calls, too.
SOFT = {'order', 'whole', 'other totals', 'frames at lines', 'site rows', 'pair costs', 'gains'}
# What cannot always be seen: differences in the last digit, the same metadata may be what the other format says anyhow, readers guess marks by names, and only the format itself understands what is private.
UNSEEN = {'loss-metadata', 'loss-measured', 'loss-built-in', 'loss-private', 'estimated'}
# Damaged samples show this: see tests/cli/merge.t.
NOT_HERE = {'loss-incomplete'}


def samples(directory):
    # A recording that is a directory is no sample.
    names = sorted(name for name in os.listdir(directory) if not name.startswith('.')) if os.path.isdir(directory) else []

    def is_companion(name):
        stem = next((name[:-len(end)] for end in COMPANIONS if name.endswith(end)), None)
        return stem is not None and stem + '.json' in names
    return [os.path.join(directory, name) for name in names if not is_companion(name)]


# ---- facts ----

def shares(rows, column):
    """{key: [cells...] of several rows} as each key's share of one column."""
    sums = {key: float(sum(cells[column] for cells in cells_of)) for key, cells_of in rows.items()}
    whole = sum(sums.values()) or 1.0
    return {key: value / whole for key, value in sums.items()}


class Facts:
    """What a file holds, by class of fact: sets, counts and shares by name, so that ids and units do not matter."""

    def __init__(self, polyprof, facts, path, like=None):
        """`like` has the metric to look at, if it is there: by name, or by place where there are as many."""
        done = run(facts, path)
        self.readable = done.returncode == 0
        if not self.readable:
            return
        tables = json.loads(done.stdout)
        self.of = {}
        names = [m['name'] for m in tables['metrics']]
        self.metrics = len(names)
        if like and like.metric in names and not like.shared:
            self.column = names.index(like.metric)
        elif like and like.metrics == len(names) and names:
            self.column = like.column
        else:
            self.column = tables['primary']
        self.metric = names[self.column] if names else None
        self.shared = names.count(self.metric) > 1
        self.whole(tables)
        self.places(tables)
        self.tree(tables)
        self.rows(tables)
        # A conversion keeps allocators and idleness where they are; a format without stacks cannot set them aside.
        self.top(json.loads(run(polyprof, 'top', '--json', '--all-frames', '-j1', path).stdout or '{}'))

    def whole(self, t):
        of, series = self.of, t['series']
        for key in ('complete', 'recorded', 'samples', 'markers', 'sources'):
            of[key] = t[key]
        of['time range'] = (t['start'], t['end']) if t['timed'] else None
        # SPX's "key" is the name of the file.
        of['metadata'] = {(key, text) for _, key, text in t['meta'] if text and key != 'key'}
        of['metrics'] = sorted((m['name'], m['unit']) for m in t['metrics'])
        self.units = {m['name']: m['unit'] for m in t['metrics']}
        of['events'] = {m['event'] for m in t['metrics'] if m['event']}
        of['threads'] = {(s['process'], s['thread'], s['pid'], s['tid'], s['context']) for s in series
                         if s['process'] or s['thread'] or s['context'] or s['pid'] >= 0 or s['tid'] >= 0}
        of['cpus'] = {s['cpu'] for s in series if s['cpu'] >= 0}
        of['timeline'] = any(s['happened'] for s in series)
        of['order'] = [s['happened'] for s in series if s['happened']]

    def places(self, t):
        of, funcs = self.of, t['funcs']
        frames = [t['frames'][i] for i in {frame for _, frame in t['nodes'][1:]}]
        used = {frame[0] for frame in frames} | {e[i] for e in t['edges'] for i in (0, 1)} | {l[0] for l in t['lines']}
        listed = {f[0] for f in funcs[1:] if f[6] & DECLARED}
        used = [funcs[i] for i in used if i]
        of['names'] = {f[0] for f in used}
        of['uncalled'] = listed - of['names']
        for f in used:
            f[1], f[4] = ('' if text == '???' else text for text in (f[1], f[4]))
        of['files'] = {f[1] for f in used if f[1]}
        of['first lines'] = {f[2] for f in used if f[2]}
        self.placed = [{f[0]: f[i] for f in used} for i in (1, 2)]
        of['first columns'] = {f[7] for f in used if f[7]}
        of['last lines'] = {f[3] for f in used if f[3]}
        of['modules'] = {f[4] for f in used if f[4]}
        of['build ids'] = {f[5] for f in used if f[5]}
        of['marks'] = {f[6] & 2 for f in used if f[6] & 2} | {f[7] & 28 for f in frames if f[7] & 28}
        of['built in'] = {f[6] & 1 for f in used if f[6] & 1}
        of['homonyms'] = len({(f[0], f[1], f[2], f[4], f[7]) for f in used}) - len(of['names'])
        of['places'] = {f[1] for f in frames if f[1]}
        of['columns'] = {f[2] for f in frames if f[2]}
        of['site rows'] = sorted([f[3] for f in frames if f[3]] + [e[3] for e in t['edges'] if e[3]])
        of['sites'] = set(of['site rows'])
        of['frames at lines'] = of['places']
        of['addresses'] = {f[4] for f in frames if f[4]} | {l[3] for l in t['lines'] if l[3]} | \
            {e[4] for e in t['edges'] if e[4]}
        of['offsets'] = {f[5] for f in frames if f[5]}
        of['inlining'] = {(f[6], f[7] & 1) for f in frames if f[6] or f[7] & 1}

    def tree(self, t):
        path, own, calls = [()], collections.defaultdict(list), collections.Counter()
        depth = [0]
        names = [t['funcs'][frame[0]][0] for frame in t['frames']]
        for parent, frame in t['nodes'][1:]:
            path.append(hash((path[parent], names[frame])))
            depth.append(depth[parent] + 1)
        self.depth = max(depth)
        for s in t['series']:
            for node, count, *cells in s['rows']:
                own[path[node]].append(cells)
                calls[path[node]] += max(count, 0)
        self.of['stacks'] = set(path[1:])
        costs = shares(own, self.column) if t['metrics'] else {}
        self.of['stack costs'] = {key: share for key, share in costs.items() if share}
        self.of['stack calls'] = {key: n for key, n in calls.items() if n}

    def rows(self, t):
        lines, hits = collections.defaultdict(list), collections.Counter()
        for _, file, line, _, count, *cells in t['lines']:
            if line:
                file = '' if file == '???' else file
                lines[file, line].append(cells)
                hits[file, line] += max(count, 0)
        self.of['lines'] = shares(lines, self.column)
        self.of['hits'] = {key: n for key, n in hits.items() if n}
        self.of['pairs'] = bool(t['edges'])
        self.of['pair costs'] = sorted(e[6:] for e in t['edges'])

    def top(self, answer):
        of = self.of
        of['calls'], of['self'], of['total'], of['other totals'], of['gains'] = {}, {}, {}, {}, []
        self.totals = {}
        functions = answer.get('functions', ())
        labels = list(functions[0]['self']) if functions else []
        label = labels[self.column] if self.column < len(labels) else answer.get('metric')
        whole = sum(f['self'][label] for f in functions) or 1
        # Values that are all cut to the same have the same shares.
        of['whole'] = whole
        for f in functions:
            key = f.get('name_hex', f['name'])
            for what in ('self', 'total'):
                of[what][key] = of[what].get(key, 0.0) + f[what][label] / whole
            for metric, value in f['total'].items():
                if metric != label:
                    of['other totals'][key, self.units.get(metric)] = value
                    self.totals[key, metric] = value
            of['gains'] += sorted(f.get('gained', {}).values())
            if 'calls' in f:
                of['calls'][key] = of['calls'].get(key, 0) + f['calls']


def is_near(a, b):
    """Whether each share of `a` is the same in `b`, which may have more."""
    return all(abs(a[key] - b.get(key, 0.0)) <= 1e-6 for key in a)


def differences(a, b):
    """The classes of facts in which two files differ."""
    found = {key for key in a.of if a.of[key] != b.of[key]}
    for key in ('stack costs', 'lines', 'self', 'total', 'calls'):
        if key in found and is_near(a.of[key], b.of[key]) and not (key == 'calls' and not a.of[key]) and \
                (key != 'lines' or set(a.of[key]) <= set(b.of[key])):
            found.discard(key)
    # A format may say more of the recording; lines and pairs can be had from stacks.
    for key in ('metadata', 'marks', 'built in'):
        if a.of[key] <= b.of[key]:
            found.discard(key)
    # Several metrics may have one unit.
    if any(b.totals.get(key, value) != value for key, value in a.totals.items()):
        found.add('other totals')
    # Of functions whose place is not known, no place may be told.
    for key, before, after in zip(('files', 'first lines'), a.placed, b.placed):
        found.discard(key)
        if not a.of[key] <= b.of[key] or any(
                not place and (after.get(name) or after.get('main::' + name)) for name, place in before.items()):
            found.add(key)
    if a.of['places'] <= b.of['places'] | b.of['sites'] | {line for _, line in b.of['lines']}:
        found.discard('places')
    # Where a caller was in a stack is from where it called.
    if a.of['sites'] <= b.of['sites'] <= a.of['sites'] | a.of['places']:
        found.discard('sites')
    # SPX always has a column of memory. Several events may each have a metric of one name.
    if not collections.Counter(a.of['metrics']) - collections.Counter(b.of['metrics']):
        found.discard('metrics')
    if not a.of['pairs']:
        found.discard('pairs')
    if not a.of['lines']:
        found.discard('lines')
    return found


# ---- pairs ----

def rules_of(done):
    found = set(re.findall(r'\[([a-z0-9-]+)\]$', done.stderr.decode(errors='replace'), re.M))
    return {'estimated' if rule.endswith('estimated') else rule for rule in found
            if rule.startswith('loss-') or rule.endswith('estimated')}


def silent(differ, rules):
    return {key for key in differ - SOFT if not rules & set(EXPLAINED_BY[key].split())}


def idle(differ, rules):
    # Labels are no facts here: tests/conformance/pprof compares them.
    rules = rules - {'loss-labels'}
    # Where names differ, the places of functions cannot be compared.
    if 'names' in differ:
        rules = rules - {'loss-files', 'loss-first-lines'}
    explained = set(' '.join(EXPLAINED_BY[key] for key in differ).split())
    return {rule for rule in rules if rule not in explained and rule not in UNSEEN}


class Matrix:
    def __init__(self, polyprof, facts, root, targets):
        self.polyprof, self.facts, self.root = polyprof, facts, root
        formats = json.loads(run(polyprof, 'formats', '--json').stdout)['formats']
        self.readable = sorted(f['name'] for f in formats if f['read'])
        self.writable = [f['name'] for f in formats if f['write']]
        self.targets = [(name, variant) for f in formats for name in [f['name']]
                        for variant in f['variants'] or [None] if f['write'] and (not targets or name in targets)]
        self.tap = Tap()
        self.reported = set()

    def convert(self, source, target, variant, work):
        out = os.path.join(work, 'x' + NAMES.get(target, '.' + target))
        words = ['--variant', variant] if variant else []
        done = run(self.polyprof, 'convert', '-j1', source, '--to', target, '-o', out, *words)
        return out, done

    def check(self, fmt, path, source, target, variant, work):
        name = f"{fmt}: {os.path.basename(path)} to {target}{' ' + variant if variant else ''}"
        out, done = self.convert(path, target, variant, os.path.join(work, 'there'))
        if done.returncode:
            # What cannot be written at all is an error, not a loss.
            self.tap.ok(b'cannot write' in done.stderr, f'{name} is refused in words', done.stderr)
            return
        written = Facts(self.polyprof, self.facts, out, source)
        self.tap.ok(written.readable, f'{name} can be read', out)
        if not written.readable:
            return
        rules, differ = rules_of(done), differences(source, written)
        self.reported |= rules
        self.tap.ok(not silent(differ, rules) and not idle(differ, rules), name,
                    f'silent: {sorted(silent(differ, rules))} idle: {sorted(idle(differ, rules))}')
        strict = run(self.polyprof, 'convert', '-j1', '--lossless', path, '--to', target, '-o', out + '.strict',
                     *(['--variant', variant] if variant else []))
        self.tap.ok(strict.returncode == (4 if rules else 0), f'{name} with --lossless', strict.stderr)
        # Text of all stacks grows with the square of their depth.
        if fmt in self.writable and fmt != target and source.depth < 2000:
            self.check_back(name, fmt, source, rules, out, work)

    def check_back(self, name, fmt, source, rules, out, work):
        """What differs after writing it back was reported on one of the two ways."""
        back, done = self.convert(out, fmt, None, os.path.join(work, 'back'))
        if done.returncode:
            self.tap.ok(b'cannot write' in done.stderr, f'{name} and back is refused in words', done.stderr)
            return
        again = Facts(self.polyprof, self.facts, back, source)
        differ = differences(source, again) if again.readable else {'complete'}
        missing = silent(differ, rules | rules_of(done))
        # Where frames are may have been told by lines and call sites on the way.
        if {'loss-lines', 'loss-sites'} & rules_of(done):
            missing.discard('places')
        self.tap.ok(not missing, f'{name} and back', f'silent: {sorted(missing)}')

    def sample(self, fmt, path, number):
        source = Facts(self.polyprof, self.facts, path)
        for target, variant in turn_of(self.targets, number, 3):
            with tempfile.TemporaryDirectory(dir=MEMORY) as work:
                os.mkdir(os.path.join(work, 'there'))
                os.mkdir(os.path.join(work, 'back'))
                self.check(fmt, path, source, target, variant, work)

    def run(self):
        for fmt in self.readable:
            for number, path in enumerate(samples(os.path.join(self.root, fmt, 'good'))):
                self.sample(fmt, path, number)
        known = {rule['rule'] for rule in json.loads(run(self.polyprof, 'explain', '--json').stdout)['rules']}
        known = {rule for rule in known if rule.startswith('loss-')}
        self.tap.ok(self.reported - {'estimated'} == known - NOT_HERE, 'each rule is reported',
                    sorted((known - NOT_HERE) ^ (self.reported - {'estimated'})))
        return self.tap.done()


sys.exit(Matrix(*sys.argv[1:4], sys.argv[4:]).run())
