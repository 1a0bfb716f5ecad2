#!/usr/bin/env python3
"""`lines`, `callers`, `callees` and `top` beside what others say: questions.py POLYPROF SOURCE-ROOT [--renew]

- costs per line and calls between functions of callgrind, cachegrind and Xdebug files, against an independent
  reader of these formats: for the samples here (questions.json.gz) and for the whole corpus where it lies beside
  the source;
- KCachegrind's own numbers, Devel::NYTProf's lines and callers, the edges of SPX reports: corpus only;
- callgrind_annotate and cg_annotate here and now, line by line, where they are installed.

Where others are wrong, or count otherwise on purpose, docs/formats/*.md say why; EXCEPT below lists it. Speaks TAP.
"""
import collections
import glob
import gzip
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

# Read otherwise than they literally say, on purpose (docs/formats/xdebug.md), or not at all.
EXCEPT = ('aggregate', '2.0.5/cachegrind.out.exit_twice', '2.5.1/cachegrind.out.exit_twice', 'no_events', 'killed_z')
UNITS = {'10ns': 10, 'us': 1000, 'us?': 1000, '100ns': 100}
ASKED = 4  # functions per file and side with the most calls, and as many at random


class Tap:
    run = failed = 0

    def ok(self, wrong, what):
        self.run += 1
        self.failed += bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {self.run} - {what}")
        for line in list(wrong)[:4]:
            print('# ' + str(line)[:300])

    def skip(self, what, why):
        self.run += 1
        print(f'ok {self.run} - {what} # SKIP {why}')


tap = Tap()
polyprof, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])


def run(*command, **keys):
    return subprocess.run(command, capture_output=True, timeout=300, stdin=subprocess.DEVNULL, **keys)


def ask(*words):
    """The answer; None when there is none."""
    done = run(polyprof, *words)
    return json.loads(done.stdout) if done.returncode == 0 else None


def read(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        return file.read()


def differences(expected, got):
    return [f'{key}: {got.get(key)}, not {expected.get(key)}' for key in sorted(set(expected) | set(got), key=str)
            if expected.get(key) != got.get(key)]


def add(table, key, values):
    sums = table.setdefault(key, [0] * len(values))
    for i, value in enumerate(values):
        sums[i] += value


# ---- the callgrind family ----

def oracle(path):
    """{'events', 'lines': {(file, line): costs}, 'edges': {(caller, callee): [calls, costs...]}}; costs in ns"""
    data = json.loads(read(path))
    events, lines, edges = data['events'], {}, {}
    factor = [1] * len(events)
    if events and data['format'] == 'xdebug' and data['parts']:
        factor[0] = UNITS.get(data['parts'][0]['unit'], 1)
    elif events and events[0] == 'Time_(10ns)':
        factor[0] = 10
    for row in data.get('lines') or []:
        add(lines, (row['fl'], row['line']), [a * b for a, b in zip(row['cost'], factor)])
    for row in data.get('edges') or []:
        add(edges, (tuple(row['from']), tuple(row['to'])),
            [row['count']] + [a * b for a, b in zip(row['cost'], factor)])
    return {'events': events, 'lines': data.get('lines') is not None and lines, 'edges': edges}


def same_lines(path, expected, name):
    events, got = expected['events'], ask('lines', '--json', path)
    mine = {}
    for row in got['lines'] if got else []:
        add(mine, (row.get('file', ''), row.get('line', 0)), [row['cost'].get(event, 0) for event in events])
    theirs = {key: value for key, value in expected['lines'].items() if any(value)}
    tap.ok(differences(theirs, {key: value for key, value in mine.items() if any(value)}) if got else ['no answer'],
           f'{name}: {len(theirs)} lines')


def as_stated(edge):
    """What a file states of a call: within cycles callers and callees show less (polyprof-callers(1)), and that beside it."""
    return edge.get('stated', edge['total'])


def same_calls(path, expected, name):
    """Callers and callees of the functions with most of them, and of some others."""
    events, wrong, asked = expected['events'], [], 0
    for side, own, other in (('callees', 0, 1), ('callers', 1, 0)):
        table = collections.defaultdict(dict)
        for pair, values in expected['edges'].items():
            table[pair[own]][pair[other]] = values
        order = sorted(table, key=lambda key: (-len(table[key]), key))
        for key in dict.fromkeys(order[:ASKED] + random.Random(7).sample(order, min(ASKED, len(order)))):
            if sum(other[1:] == key[1:] for other in table) > 1:
                continue  # told apart by module only, which no NAME can say
            got = ask(side, '--json', f'{key[1]}:{key[2]}' if key[1] else key[2], path)
            mine = {}
            for edge in got['edges'] if got else []:
                add(mine, (edge.get('module', ''), edge.get('file', ''), edge['name']),
                    [edge.get('calls', 0)] + [as_stated(edge).get(event, 0) for event in events])
            wrong += [f'{side} of {key[2]}: {text}' for text in differences(table[key], mine)]
            asked += 1
    if asked:
        tap.ok(wrong, f'{name}: callers and callees of {asked} functions')


def family(path, expected, name):
    if expected['lines'] is not False:
        same_lines(path, expected, name)
    same_calls(path, expected, name)


def corpus_files(corpus):
    for path in sorted(glob.glob(os.path.join(corpus, 'callgrind', '**', '*.oracle.json'), recursive=True)):
        base = path[:-len('.oracle.json')]
        if os.path.exists(base) and os.path.getsize(base) and not any(word in base for word in EXCEPT):
            yield base


# ---- KCachegrind ----

def kcachegrind(path, name):
    """Own costs and calls; inclusive ones where its callers account for just what a function costs, outside cycles."""
    theirs = json.loads(read(path + '.kcachegrind.json'))['no_cycles']
    data = json.loads(read(path + '.oracle.json'))
    if theirs['load_errors'] or not theirs['functions']:
        return
    ambiguous = {(f['fn'], f['fl']) for f in data['functions'] if f['cycle'] or f['incl_in'] not in (None, f['incl_out'])}
    mine = {}
    for f in ask('top', '--json', path)['functions']:
        key = tuple('' if part == '???' else part for part in (f.get('module', ''), f.get('file', ''), f['name']))
        mine[key] = f
    wrong = []
    for f in theirs['functions']:
        own = mine.get((f['ob'], f['fl'], f['fn']))
        if own is None:
            wrong += [f"{f['fn']} is missing"] if any(f['self']) or f['called'] else []
            continue
        n = len(f['self'])
        if f['self'] != list(own['self'].values())[:n] or f['called'] != own.get('calls', 0):
            wrong.append(f"{f['fn']}: {own}, not {f}")
        elif f['incl'] != list(own['total'].values())[:n] and (f['fn'], f['fl'] or '???') not in ambiguous:
            wrong.append(f"{f['fn']}: {own['total']}, not {f['incl']}")
    tap.ok(wrong, f"{name}: {len(theirs['functions'])} functions as in KCachegrind")


# ---- NYTProf ----

def close(a, b):
    return abs(a - b) <= 1e-9 * max(1e-3, abs(a), abs(b))


def nytprof(path, oracle_path, name):
    raw = json.loads(read(oracle_path))['raw']
    files = {fid: row['name'] for fid, row in raw['files'].items()}
    lines, mine, wrong = {}, {}, []
    for fid, rows in raw.get('line_time', {}).items():
        for line, (cost, hits) in rows.items():
            add(lines, (files[fid], int(line)), [hits, float(cost)])
    got = ask('lines', '--json', path)
    if lines or (got and got['lines']):
        for row in got['lines'] if got else []:
            add(mine, (row['file'], row['line']), [row['hits'], row['cost']['time'] / 1e9])
        wrong = [f'{key}: {mine.get(key)}, not {lines.get(key)}' for key in set(lines) | set(mine)
                 if key not in mine or key not in lines or mine[key][0] != lines[key][0] or
                 not close(mine[key][1], lines[key][1])]
        tap.ok(wrong, f'{name}: {len(lines)} lines as in Devel::NYTProf')
    asked, wrong = 0, []
    subs = {sub: row['callers'] for sub, row in raw['subs'].items() if row.get('callers') and sub.isascii()}
    for sub in sorted(subs, key=lambda sub: (-len(subs[sub]), sub))[:2 * ASKED]:
        sites, own = {}, {}
        for place, row in subs[sub].items():
            fid, line = place.split(':')
            add(sites, (files[fid], int(line)), [row['calls'], float(row['incl'])])
        got = ask('callers', '--json', sub, path)
        for edge in got['edges'] if got else []:
            site = edge.get('site', {})
            add(own, (site.get('file', ''), site.get('line', 0)), [edge['calls'], edge['total']['time'] / 1e9])
        wrong += [f'{sub} from {key}: {own.get(key)}, not {sites.get(key)}' for key in set(sites) | set(own)
                  if key not in own or key not in sites or own[key][0] != sites[key][0] or
                  not close(own[key][1], sites[key][1])]
        asked += 1
    if asked:
        tap.ok(wrong, f'{name}: callers of {asked} subs as in Devel::NYTProf')


# ---- SPX ----

def spx(path, name):
    data = json.loads(read(path[:-len('.json')] + '.oracle.json'))
    if not data.get('edges') or data['sections'] > 1:
        return
    functions = {f['idx']: f for f in data['functions']}
    names = collections.Counter(f['name'] for f in data['functions'])
    table, wrong, asked = collections.defaultdict(dict), [], 0
    for edge in data['edges']:
        caller = functions[edge['caller']]['name'] if edge['caller'] is not None and edge['caller'] >= 0 else None
        if caller:
            table[edge['callee']][caller] = edge
    order = sorted((i for i in table if names[functions[i]['name']] == 1 and '\\x' not in functions[i]['name']), key=lambda i: (-len(table[i]), i))
    for index in dict.fromkeys(order[:ASKED] + random.Random(7).sample(order, min(ASKED, len(order)))):
        function = functions[index]
        got = ask('callers', '--json', function['name'], path)
        own = {}
        for edge in got['edges'] if got else []:
            add(own, edge['name'], [edge.get('calls', 0)] + [edge['total'][m] for m in data['metrics']])
        theirs = {}
        for caller, edge in table[index].items():
            add(theirs, caller, [edge['calls']] + [edge['inc'][m] for m in data['metrics']])
        if function['max_recursion']:  # each level is counted again there, here once
            own, theirs = {k: v[0] for k, v in own.items()}, {k: v[0] for k, v in theirs.items()}
        wrong += [f"{function['name']}: {text}" for text in differences(theirs, own)]
        asked += 1
    if asked:
        tap.ok(wrong, f'{name}: callers of {asked} functions as in SPX')


# ---- the annotating tools, now ----

def annotated(tool, out, source):
    """{line: costs} of one source file as callgrind_annotate or cg_annotate prints it."""
    threshold = '--threshold=0' if tool == 'cg_annotate' else '--threshold=100'
    done = run(tool, '--auto=yes', threshold, '--show-percs=no', '--context=1000', out)
    if done.returncode:  # newer ones know other options
        done = run(tool, '--annotate', '--no-show-percs', '--context=1000', out)
    lines, inside, number = {}, False, 0
    with open(source) as file:
        texts = file.read().splitlines()
    for line in done.stdout.decode(errors='replace').splitlines():
        header = re.match(r'-- (?:Auto-annotated source|Annotated source file|line \d+): ?(.*)', line)
        if re.search(r'(?:Auto-annotated source|Annotated source)', line):
            inside, number = source in line, 0
            continue
        if not inside or line.startswith('-- line') or header:
            continue
        # Costs stand before the text of the line; calls ("=> ...") stand on lines of their own.
        cells = re.match(r'((?:\s*(?:[\d,]+|\.))+)\s\s(.*)$', line)
        if not cells or '=> ' in line or number >= len(texts):
            continue
        if cells[2].strip() == texts[number].strip():
            number += 1
            lines[number] = [0 if c == '.' else int(c.replace(',', '')) for c in cells[1].split()]
    return lines


def live(directory):
    missing = [tool for tool in ('valgrind', 'callgrind_annotate', 'cg_annotate', 'cc') if not shutil.which(tool)]
    if missing:
        tap.skip('line by line beside callgrind_annotate and cg_annotate', 'no ' + ', '.join(missing))
        return
    source, program = os.path.join(directory, 'rec.c'), os.path.join(directory, 'rec')
    shutil.copy(os.path.join(root, 'tests/conformance/callgrind/rec.c'), source)
    run('cc', '-O1', '-g', '-fno-optimize-sibling-calls', '-o', program, source)
    for tool, annotate, options in (('callgrind', 'callgrind_annotate', ()),
                                    ('callgrind', 'callgrind_annotate', ('--cache-sim=yes', '--branch-sim=yes')),
                                    ('cachegrind', 'cg_annotate', ('--cache-sim=yes',))):
        out = os.path.join(directory, f'{tool}.out.now')
        run('valgrind', f'--tool={tool}', f'--{tool}-out-file={out}', *options, program)
        theirs = {line: costs for line, costs in annotated(annotate, out, source).items() if any(costs)}
        mine = {row['line']: list(row['cost'].values()) for row in ask('lines', '--json', out)['lines']
                if row['file'] == source and any(row['cost'].values())}
        columns = len(next(iter(theirs.values()), []))
        tap.ok(differences(theirs, {line: costs[:columns] for line, costs in mine.items()}) or
               (['nothing was annotated'] if len(theirs) < 5 else []),
               f"{annotate} {' '.join(options)}: {len(theirs)} lines")


# ---- all of it ----

def renew(corpus, target):
    texts, expected = {}, {}
    for base in corpus_files(corpus):
        texts.setdefault(read(base), base)
    for path in sorted(glob.glob(os.path.join(root, 'tests/formats/*/*/*'))):
        base = texts.get(read(path)) if path.split('/')[-3] in ('xdebug', 'callgrind', 'cachegrind') else None
        if base and os.path.getsize(base) < 60000:
            data = oracle(base + '.oracle.json')
            expected[os.path.relpath(path, root)] = {
                'events': data['events'], 'lines': data['lines'] is not False and
                [[*key, value] for key, value in data['lines'].items()],
                'edges': [[*key, value] for key, value in data['edges'].items()]}
    with open(target, 'wb') as file:
        file.write(gzip.compress(json.dumps(expected, sort_keys=True).encode(), 9, mtime=0))


def main():
    corpus = os.environ.get('POLYPROF_CORPUS', os.path.join(root, '..', 'shared', 'corpus'))
    target = os.path.join(root, 'tests/matrix/questions.json.gz')
    if '--renew' in sys.argv:
        return renew(corpus, target)
    for name, case in json.loads(read(target)).items():
        family(os.path.join(root, name), {
            'events': case['events'],
            'lines': case['lines'] is not False and {(f, line): value for f, line, value in case['lines']},
            'edges': {(tuple(a), tuple(b)): value for a, b, value in case['edges']}}, name)
    with tempfile.TemporaryDirectory() as directory:
        live(os.path.realpath(directory))
    if not os.path.isdir(corpus):
        tap.skip('the corpus', 'it is not here')
    for base in corpus_files(corpus):
        family(base, oracle(base + '.oracle.json'), os.path.relpath(base, corpus))
        if '/valgrind/' in base and 'mangled' not in base and 'xtmemory' not in base and \
                os.path.exists(base + '.kcachegrind.json'):
            kcachegrind(base, os.path.relpath(base, corpus))
    for path in sorted(glob.glob(os.path.join(corpus, 'nytprof', 'perl', '*.out*'))):
        name = os.path.basename(path)
        found = os.path.join(corpus, 'nytprof', 'oracle', name + '.json')
        if os.path.exists(found) and 'merged' not in name:  # nytprofmerge loses statement counts
            nytprof(path, found, 'nytprof/' + name)
    for path in sorted(glob.glob(os.path.join(corpus, 'spx', 'v*', '*.json'))):
        if not path.endswith('.oracle.json') and os.path.exists(path[:-len('.json')] + '.oracle.json'):
            spx(path, os.path.relpath(path, corpus))
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
