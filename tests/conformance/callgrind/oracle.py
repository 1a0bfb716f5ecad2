#!/usr/bin/env python3
"""Xdebug, callgrind and cachegrind files against independent numbers: oracle.py POLYPROF SOURCE-ROOT

Reads tests/conformance/callgrind/expected.json.gz (samples under tests/formats) and, where it lies beside the source, the
whole corpus in ../shared/corpus/callgrind with its .oracle.json and .folded files. Compared are calls, own and
inclusive cost of every function and event, and for Xdebug the folded stacks. `--renew` rewrites the expected
numbers from the corpus. Speaks TAP.
"""
import glob
import gzip
import json
import os
import subprocess
import sys

# Two aggregate files and two written by a double exit() are told apart from what they literally say:
# see docs/formats/xdebug.md.
ON_PURPOSE = ('aggregate', '2.0.5/cachegrind.out.exit_twice', '2.5.1/cachegrind.out.exit_twice')
UNITS = {'10ns': 10, 'us': 1000, 'us?': 1000, '100ns': 100}


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=300, stdin=subprocess.DEVNULL)


def oracle(path):
    """{(module, file, name): [calls, own, total]} and the names of the events; costs in canonical units."""
    with open(path) as file:
        data = json.load(file)
    events = data['events']
    factor = [1] * len(events)
    if data['format'] == 'xdebug' and data['parts']:
        factor[0] = UNITS.get(data['parts'][0]['unit'], 1)
    elif events and events[0] == 'Time_(10ns)':
        factor[0] = 10
    rows = {}
    if data['format'] == 'xdebug':
        for part in data['xdebug_tree']['parts']:
            for f in part['functions']:
                row = rows.setdefault(('', f['fl'], f['fn']), [0, [0] * len(events), [0] * len(events)])
                row[0] += f['calls']
                for i in range(len(events)):
                    row[1][i] += f['self'][i] * factor[i]
                    row[2][i] += f['incl'][i] * factor[i]
    else:
        for f in data['functions']:
            rows[(f['ob'], f['fl'], f['fn'])] = [f['calls_in'], [a * b for a, b in zip(f['self'], factor)],
                                                 [a * b for a, b in zip(f['incl_out'], factor)]]
    return events, rows


def ours(polyprof, path, events, *options):
    done = run(polyprof, 'top', '--json', '-n', '0', *options, path)
    if done.returncode:
        return None, done.stderr.decode(errors='replace')
    rows = {}
    for f in json.loads(done.stdout)['functions']:
        key = (f.get('module', ''), f.get('file', ''), f['name'])
        if key in rows:
            return None, f'{key} stands twice'
        rows[key] = [f.get('calls', 0), [f['self'].get(e, 0) for e in events],
                     [f['total'].get(e, 0) for e in events]]
    return rows, ''


def compare(polyprof, path, events, expected, folded):
    rows, why = ours(polyprof, path, events)
    if rows is None:
        return why
    for key in sorted(set(expected) | set(rows)):
        if expected.get(key) != rows.get(key):
            return f'{key}: {rows.get(key)}, not {expected.get(key)}'
    if folded is not None:
        got = sorted(run(polyprof, 'convert', '--to', 'folded', '-o', '-', path).stdout.splitlines())
        if got != sorted(folded):
            return f'stacks differ: {sorted(set(got) ^ set(folded))[:4]}'
    return ''


def corpus_files(corpus):
    for path in sorted(glob.glob(os.path.join(corpus, '**', '*.oracle.json'), recursive=True)):
        base = path[:-len('.oracle.json')]
        if os.path.exists(base) and os.path.getsize(base):
            yield base


def lines_of(path):
    if not os.path.exists(path):
        return None
    with open(path, 'rb') as file:
        return file.read().splitlines()


def content(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        try:
            return file.read()
        except EOFError:
            return None


def renew(root, corpus, target):
    """The numbers of those corpus files that are samples here."""
    texts = {}
    for base in corpus_files(corpus):
        texts.setdefault(content(base), base)
    expected = {}
    for path in sorted(glob.glob(os.path.join(root, 'tests/formats/*/*/*'))):
        name = os.path.relpath(path, root)
        base = texts.get(content(path)) if name.split('/')[2] in ('xdebug', 'callgrind', 'cachegrind') else None
        if not base or any(word in base for word in ON_PURPOSE) or 'no_events' in base:
            continue
        events, rows = oracle(base + '.oracle.json')
        folded = lines_of(base + '.folded')
        expected[name] = {'events': events, 'rows': [[list(k), v] for k, v in sorted(rows.items())],
                          'folded': folded and [line.decode('latin-1') for line in folded]}
    with open(target, 'wb') as file:
        file.write(gzip.compress(json.dumps(expected, sort_keys=True).encode(), 9, mtime=0))


def main():
    polyprof, root = sys.argv[1:3]
    corpus = os.path.join(root, '..', 'shared', 'corpus', 'callgrind')
    corpus = os.environ.get('POLYPROF_CORPUS', corpus)
    target = os.path.join(root, 'tests/conformance/callgrind/expected.json.gz')
    if '--renew' in sys.argv:
        return renew(root, corpus, target)
    tests = []
    for name, case in json.loads(content(target)).items():
        folded = case['folded'] and [line.encode('latin-1') for line in case['folded']]
        tests.append((name, os.path.join(root, name), case['events'],
                      {tuple(key): row for key, row in case['rows']}, folded))
    for base in corpus_files(corpus):
        if any(word in base for word in ON_PURPOSE) or 'no_events' in base or 'killed_z' in base:
            continue
        tests.append((os.path.relpath(base, corpus), base, *oracle(base + '.oracle.json'),
                      lines_of(base + '.folded')))
    failed = 0
    for number, (name, path, events, expected, folded) in enumerate(tests, 1):
        why = compare(polyprof, path, events, expected, folded)
        failed += why != ''
        print(f"{'not ok' if why else 'ok'} {number} - {name}" + (f'\n# {why}' if why else ''))
    print(f'1..{len(tests)}')
    return 1 if failed else 0


sys.exit(main())
