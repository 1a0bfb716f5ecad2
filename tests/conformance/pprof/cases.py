#!/usr/bin/env python3
"""pprof beside what it must come to: cases.py POLYPROF CORPUS/pprof. Speaks TAP.

Each file of the corpus: its verdict and the rules that must be named; metrics, totals and all rows of `top`, which are google/pprof's; and what the
reference reader finds in it once more after it was written as pprof again, which has to be all of it. Of the recordings also what google/pprof
itself printed: tables of every sample type by function, by file and function and by line, traces, and tags.
"""
import collections
import glob
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap, share  # noqa: E402 (needs the path above)

polyprof, corpus = sys.argv[1:3]
tap = Tap()
if not os.path.isdir(corpus):
    tap.skip('files of the corpus', 'it is not there')
    sys.exit(tap.done())
sys.path.insert(0, corpus)
import pprof_check as reference  # noqa: E402 (needs the path above)

with open(os.path.join(corpus, 'expectations.json'), encoding='utf-8') as f:
    expectations = json.load(f)
with open(os.path.join(corpus, 'tops.json'), encoding='utf-8') as f:
    tops = json.load(f)
CONTAINER = {'pprof-container': ('io-',), 'pprof-container-trailing': ('io-',)}


def run(*args):
    done = subprocess.run([polyprof, *args], capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def drops_frames(path):
    """Whether the profile says which frames to drop, as google/pprof does too; it has no list of allocators of its own."""
    return b'"drop_frames"' in run('info', '--json', '-q', path)[1]


def answer(*args):
    if args[0] in ('top', 'traces', 'tags', 'peek') and not drops_frames(args[-1]):
        args = (*args[:-1], '--all-frames', args[-1])
    code, out, err = run(*args)
    try:
        return json.loads(out)
    except ValueError:
        return {'error': err, 'code': code}


def is_ours(name):
    """Heap and CPU profiles of older forms are other formats."""
    return any(word in name for word in ('contention', 'thread', 'java.heap', 'java.cpu', 'goroutine', 'block', 'mutex', 'nomappings', 'fuzz'))


def verdicts(names):
    found = answer('check', '--json', *(os.path.join(corpus, name) for name in names))
    for name, got in zip(names, found['files']):
        want = expectations[name]
        rules = {d['rule'] for d in got['diagnostics']}
        expect = 'accept' if want['expect'] == 'own' else want['expect']
        missing = [rule for rule in want['rules'] if rule not in rules and not any(r.startswith(CONTAINER.get(rule, ('-',))) for r in rules)]
        tap.same((got['verdict'], missing), (expect, []), f'{name}: verdict')


def numbers(name, path, want):
    got = answer('top', '--json', '-n', '0', '-q', path)
    info = answer('info', '--json', '-q', path)
    if 'functions' not in got or 'metrics' not in info:
        tap.same(got, {}, f'{name}: cannot be asked')
        return
    metrics = [[m['name'], m['unit'], m['total']] for m in info['metrics']]
    tap.same((info.get('primary'), metrics), (want['primary'], want['metrics']), f'{name}: metrics')
    if want.get('totals_only'):
        return
    keys = [m[0] for m in metrics]
    rows = sorted([f.get('name'), f.get('file') or '', f.get('line') or 0, f.get('module') or '',
                   [f['self'].get(k, 0) for k in keys], [f['total'].get(k, 0) for k in keys]]
                  for f in got['functions'] if any(f['self'].values()) or any(f['total'].values()))
    # Bytes that are not UTF-8 are given as U+FFFD.
    known = sorted([x.encode('utf-8', 'surrogateescape').decode('utf-8', 'replace') if isinstance(x, str) else x for x in r] for r in want['rows'])
    tap.same(rows, known, f'{name}: rows')


def content(path):
    """All that a file says, without numbers of strings; None where it cannot be read."""
    c, p = reference.check(path)
    if p is None:
        return None
    m = p.raw
    text = [s.decode('utf-8', 'surrogateescape') for s in m['string_table']] or ['']
    index = {'type', 'unit', 'key', 'str', 'num_unit', 'filename', 'build_id', 'name', 'system_name', 'drop_frames', 'keep_frames', 'default_sample_type', 'doc_url'}

    def plain(x):
        if isinstance(x, list):
            return [plain(v) for v in x]
        if not isinstance(x, dict):
            return x
        return {k: text[v] if k in index and isinstance(v, int) else [text[i] for i in v] if k == 'comment' else plain(v)
                for k, v in x.items() if k not in ('@', 'string_table', 'stopped', 'map', 'fn', 'file', 'build', 'nm', 'sys')}
    return plain(m)


def again(name, path, work):
    out = os.path.join(work, 'again.pb.gz')
    code, _, err = run('convert', '-q', '--to', 'pprof', '-o', out, path)
    tap.same(code, 0, f'{name}: is written again' + (': ' + err if code else ''))
    if code == 0:
        tap.same(content(out), content(path), f'{name}: all of it is there again')


INLINED = re.compile(r' \((partial-)?inline\)$')


def number(text):
    return round(float(re.match(r'-?[\d.]+', text).group()))


def lines_of(path):
    with open(path, encoding='utf-8') as f:
        return f.read().split('\n')


def printed_table(path):
    """Rows of `-top`: name to flat and cum; several rows may be printed alike."""
    rows, begun = collections.defaultdict(lambda: [0, 0]), False
    for line in lines_of(path):
        if begun and line.strip():
            flat, _, _, cum, _, *name = line.split(None, 5)
            row = rows[INLINED.sub('', name[0].strip()) if name else '']
            row[0] += number(flat)
            row[1] += number(cum)
        begun |= line.strip().startswith('flat  flat%')
    return {name: row for name, row in rows.items() if any(row)}


def table(path, metric, granularity):
    rows = collections.defaultdict(lambda: [0, 0])
    for f in answer('top', '--json', '-q', '-n', '0', '-m', metric, '--granularity', granularity, path)['functions']:
        nameless, file = f['name'].startswith(('[', '<')), f.get('file', '')
        row = rows[' '.join(x for x in (f['name'] if not (nameless and file) else '', file if granularity == 'filefunctions' else '') if x)]
        row[0] += f['self'][metric]
        row[1] += f['total'][metric]
    rows.pop('[no stack]', None)
    return {name: row for name, row in rows.items() if any(row)}


def printed_traces(path):
    """Stacks of `-traces`, root first, and what they cost in all."""
    blocks = []
    for line in lines_of(path):
        first = re.match(r' *(-?[\d.]+[a-zA-Z]*)   (.*)$', line)
        if line.startswith('-----------+'):
            blocks.append([0, []])
        elif blocks and not blocks[-1][1] and first:
            blocks[-1] = [number(first[1]), [INLINED.sub('', first[2])]]
        elif blocks and blocks[-1][1] and line.strip():
            blocks[-1][1].append(INLINED.sub('', line.strip()))
    sums = collections.Counter()
    for cost, stack in blocks:
        sums[tuple(reversed(stack))] += cost
    sums.pop((), None)
    return {stack: cost for stack, cost in sums.items() if cost}


def traces(path, metric):
    sums = collections.Counter()
    for t in answer('traces', '--json', '-q', '-n', '0', path)['traces']:
        sums[tuple(t['stack'])] += t['self'][metric]
    sums.pop(('[no stack]',), None)
    return {stack: cost for stack, cost in sums.items() if cost}


def printed_tags(path):
    rows, key = {}, None
    for line in lines_of(path):
        head, row = re.match(r' *(.+): Total \S+ of', line), re.match(r' *(\S+) \( *[\d.]+%\): (.*)$', line)
        if head:
            key = head[1]
        elif row:
            rows[key, re.sub(r'^(-?\d+)(B|ns)$', r'\1', row[2])] = number(row[1])
    return rows


def tags(path, metric):
    # google/pprof loses numbers that are 0.
    return {(t['key'], str(t['value'])): t['cost'][metric] for t in answer('tags', '--json', '-q', path)['tags'] if str(t['value']) != '0'}


def printed_peek(path):
    """Callers, callees, own cost and total of each function as pprof prints them."""
    blocks = {}
    for block in re.split(r'^-+\+-+\n', open(path, encoding='utf-8').read(), flags=re.M)[2:]:
        sides, me, costs = ({}, {}), None, ()
        for line in block.splitlines():
            cost, _, text = line.partition('|')
            text = re.sub(r' \(inline\)$', '', text)
            if text.startswith('   '):
                sides[me is not None][text[3:]] = int(re.match(r'-?\d+', cost.split()[0]).group())
            else:
                me = text[1:]
                costs = tuple(int(re.match(r'-?\d+', cost.split()[column]).group()) for column in (0, 3))
        if me:
            blocks[me] = (*sides, *costs)
    return blocks


def peek(path, metric, function):
    got = answer('peek', '--json', '-q', '-n', '0', '--granularity', 'functions', '-m', metric, f'/^{re.escape(function)}$/', path)
    sides = ({}, {})
    for side, key in zip(sides, ('callers', 'callees')):
        for row in got[key]:
            if row['total'][metric]:
                side[row['name']] = side.get(row['name'], 0) + row['total'][metric]
    return sides


def peeks(name, path, metric, file):
    """
    A few functions of each, and some that call themselves through others. pprof counts a stack once for each two functions
    that call each other on it, so the rows of these add up to more than the function; ours never do.
    """
    printed = printed_peek(file)
    chosen = sorted(printed)[::len(printed) // 3 + 1] + [f for f in ('Module._compile', 'odd', '(anonymous)') if f in printed]
    for function in sorted(set(chosen)):
        callers, callees, own, total = printed[function]
        got = peek(path, metric, function)
        if sum(callers.values()) <= total and own + sum(callees.values()) <= total:
            tap.same(got, (callers, callees), f'{name}: peek {function}')
            continue
        tap.ok(all(cost <= theirs.get(other, 0) for side, theirs in zip(got, (callers, callees)) for other, cost in side.items()) and
               sum(got[0].values()) <= total and own + sum(got[1].values()) == total,
               f'{name}: peek {function}, which calls itself through others')


def oracles(name, path):
    stem = os.path.join(corpus, 'oracle', os.path.basename(name)[:-len('.pb.gz')])
    for file in sorted(glob.glob(glob.escape(stem) + '.top.*.*.txt')):
        metric, granularity = file[len(stem) + len('.top.'):-len('.txt')].rsplit('.', 1)
        tap.same(table(path, metric, granularity), printed_table(file), f'{name}: {metric} by {granularity}')
    primary = answer('info', '--json', '-q', path)['primary']
    tap.same(traces(path, primary), printed_traces(stem + '.traces.txt'), f'{name}: traces')
    tap.same(tags(path, primary), printed_tags(stem + '.tags.txt'), f'{name}: tags')
    peeks(name, path, primary, stem + '.peek.txt')


def filtered(name, path):
    """Filters by names, every sample type, beside the reference reader's. Ours look at names alone, so files and modules are out of its sight."""
    def profile():
        p = reference.check(path)[1]
        reference.prune(p)
        return p
    metrics = [name or f'column{i + 1}' for i, (name, _) in enumerate(profile().types)]
    factors = [reference.unit_of(unit)[1] for _, unit in profile().types]
    rows = reference.top(profile(), 'name')[0]
    names = [row[0] for row in sorted(rows, key=lambda row: (-rows[row][1][0], row)) if row[0] and row[0][0] not in '[<']
    for i, kind in enumerate(('focus', 'ignore', 'hide', 'show') if names else ()):
        pattern = '^' + re.escape(names[i * len(names) // 5]) + '$'
        p = profile()
        seen = [*{id(line['fn']): line['fn'] for l in p.locations.values() for line in l['line'] if line['fn']}.values(),
                *{id(l['map']): l['map'] for l in p.locations.values() if l['map']}.values()]
        files = [row['file'] for row in seen]
        for row in seen:
            row['file'] = ''
        reference.filter_names(p, **{kind: pattern})
        for row, file in zip(seen, files):
            row['file'] = file
        wanted = {row[0]: [dict(zip(metrics, (x * f for x, f in zip(v, factors)))) for v in costs]
                  for row, costs in reference.top(p, 'name')[0].items() if any(costs[0]) or any(costs[1])}
        got = {row['name']: [row['self'], row['total']] for row in answer(
            'top', '--json', '-q', '-n', '0', '--by', 'name', f'--{kind}', pattern, path)['functions']
               if any(row['self'].values()) or any(row['total'].values())}
        tap.same(got, wanted, f'{name}: --{kind} {pattern}')


with tempfile.TemporaryDirectory() as work:
    readable = [name for name in expectations if not name.startswith('legacy/') or is_ours(name)]
    verdicts(readable)
    for name in share(readable):
        path = os.path.join(corpus, name)
        if name in tops:
            numbers(name, path, tops[name])
        if expectations[name]['expect'] != 'reject' and not name.startswith('legacy/') and name != 'cases/w21_bool_2.pb.gz':
            again(name, path, work)
        if name.startswith('real/'):
            oracles(name, path)
            filtered(name, path)
sys.exit(tap.done())
