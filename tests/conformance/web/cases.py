#!/usr/bin/env python3
"""Formats of web viewers beside what they must come to: cases.py POLYPROF CORPUS [FORMAT...]. Speaks TAP.

Each file of the corpora: its verdict and the rules that are named; metrics, totals and all rows of functions; and where it is accepted, what the
reference reader finds in it once more after it was written as the same format, which the reference checker finds fit to be written.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap, share  # noqa: E402 (needs the path above)

polyprof, corpus = sys.argv[1:3]
only = set(sys.argv[3:])
tap = Tap()
if not os.path.isdir(corpus):
    tap.skip('files of the corpora', 'they are not there')
    sys.exit(tap.done())
sys.path.insert(0, os.path.join(corpus, 'web'))
sys.setrecursionlimit(400000)
import webcheck  # noqa: E402 (needs the path above)
import webref  # noqa: E402

# What the page names and the reference reader does not say, or the container says itself.
MORE = {'speedscope-bom', 'io-gzip-truncated'}
# Threads without numbers are told apart by their names here, and are one there.
THREADS = {'firefox_fixtures/processed-2.json': 2}
WRITTEN = {'speedscope': 'speedscope.json', 'firefox': 'firefox.json', 'cpuprofile': 'cpuprofile', 'heapprofile': 'heapprofile', 'trace-event': 'json'}


def answer(*args):
    done = subprocess.run([polyprof, *args], capture_output=True, timeout=300)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {'error': done.stderr.decode(errors='replace'), 'code': done.returncode}


def near(a, b):
    """Decimals are exact here and floats there."""
    return a == b or abs(a - b) <= 1e-9 * max(abs(a), abs(b))


def rows_of(top, keys):
    # Bytes that are not UTF-8 are given as U+FFFD.
    text = lambda s: (s or '').encode('utf-8', 'surrogatepass').decode('utf-8', 'replace')
    return sorted(([text(f.get('name')), text(f.get('file')), f.get('line') or 0, f.get('column') or 0, text(f.get('module')), -1 if f.get('calls') is None else f['calls']],
                   [f['self'].get(k, 0) for k in keys], [f['total'].get(k, 0) for k in keys])
                  for f in top)


def same_rows(got, want):
    return [r[0] for r in got] == [r[0] for r in want] and all(near(a, b) for g, w in zip(got, want) for k in (1, 2) for a, b in zip(g[k], w[k]))


def rows(name, got, want):
    if same_rows(got, want):
        tap.ok(True, name)
        return
    lost, more = [r for r in want if r not in got][:4], [r for r in got if r not in want][:4]
    tap.same(more, lost, name)


def verdict(name, path, want):
    got = answer('check', '--json', path).get('files', [{}])[0]
    rules = {d['rule'] for d in got.get('diagnostics', []) if d['severity'] != 'note'} - MORE
    notes = {d['rule'] for d in got.get('diagnostics', []) if d['severity'] == 'note'} - MORE
    tap.same((got.get('format'), got.get('verdict'), sorted(rules), sorted(notes)),
             (want['format'], want['verdict'], want['rules'], want['notes']), f'{name}: verdict')


def numbers(name, path, want, full):
    got, info = answer('top', '--json', '-n', '0', '-q', '--all-frames', path), answer('info', '--json', '-q', path)
    if 'functions' not in got or 'metrics' not in info:
        tap.ok('error' in got and not full['top'] and not any(want['total'].values()) and want['rules'], f'{name}: refused, as nothing of it can be used', got)
        return
    totals = {m['name']: m['total'] for m in info['metrics']}
    tap.same((info.get('primary'), {m['name']: m['unit'] for m in info['metrics']}, info['complete'], info['counts']['threads'] if want['threads'] else 0,
              info['counts']['samples'], info['counts']['events']),
             (want['metric'], want['units'], want['complete'], THREADS.get(name, want['threads']), want['samples'], want['events']), f'{name}: metrics')
    tap.ok(set(totals) == set(want['total']) and all(near(totals[k], v) for k, v in want['total'].items()), f'{name}: totals')
    keys = sorted(want['units'])
    rows(f'{name}: rows', rows_of(got['functions'], keys), rows_of(full['top'], keys))


def again(name, path, want, full):
    """Written as what it was, by the rules of the page, with the same numbers."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, 'again.' + WRITTEN[want['format']])
        done = subprocess.run([polyprof, 'convert', '-q', path, '--to', want['format'], '-o', out], capture_output=True, timeout=300)
        if done.returncode:
            tap.same(done.stderr.decode(errors='replace'), '', f'{name}: written')
            return
        tap.same(webcheck.problems(out), [], f'{name}: fit to be written')
        ref = webref.summary(webref.read(out), 0)
        if want['format'] == 'cpuprofile' and any(v % 1000 for r in full['top'] for v in r['self'].values() if want['metric'] == 'time'):
            return  # whole µs are all that it can hold
        if want['format'] == 'trace-event' and (want['metric'] != 'dur' or any(v % 1 or r['file'] for r in full['top'] for v in r['self'].values())):
            return  # slices, ns and names are all that it can hold
        keys = [want['metric']] if want['format'] in ('cpuprofile', 'trace-event') else sorted(want['units'])
        rows(f'{name}: the same again', rows_of(ref['top'], keys), rows_of(full['top'], keys))


def main():
    for family in ('speedscope', 'chrome', 'firefox'):
        with open(os.path.join(corpus, family, 'expectations.json'), encoding='utf-8') as f:
            expectations = json.load(f)
        with gzip.open(os.path.join(corpus, family, 'oracle.json.gz'), 'rt', encoding='utf-8') as f:
            json.load(f)
        for name, want in share(sorted(expectations.items())):
            path = os.path.join(corpus, family, name)
            if only and want['format'] not in only:
                continue
            full = webref.summary(webref.read(path), 0)
            verdict(name, path, want)
            numbers(name, path, want, full)
            if want['verdict'] == 'accept' and want['format'] in WRITTEN and want['metric']:
                again(name, path, want, full)


if __name__ == '__main__':
    import threading
    threading.stack_size(512 << 20)
    t = threading.Thread(target=main)
    t.start()
    t.join()
    sys.exit(tap.done())
