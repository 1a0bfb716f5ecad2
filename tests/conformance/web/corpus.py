#!/usr/bin/env python3
"""Files of web and small profilers beside what they must come to: corpus.py POLYPROF CORPUS FORMAT... Speaks TAP.

Each file of the corpus that is of one of the formats: its verdict and the rules that must be named, metrics and totals, whether it is complete, how many
functions there are, the costliest ones, and all functions of the oracle with what they cost themselves and with all they called.
"""
import gzip
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap, share  # noqa: E402 (needs the path above)

polyprof, corpus = sys.argv[1:3]
formats = sys.argv[3:]
tap = Tap()
if not os.path.isdir(corpus):
    tap.skip('files of the corpus', 'it is not there')
    sys.exit(tap.done())
with open(os.path.join(corpus, 'expectations.json'), encoding='utf-8') as f:
    expectations = json.load(f)
with gzip.open(os.path.join(corpus, 'oracle.json.gz')) as f:
    oracle = json.load(f)


def answer(*args):
    done = subprocess.run([polyprof, *args], capture_output=True, timeout=120)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {'error': done.stderr.decode(errors='replace'), 'code': done.returncode}


def verdict(name, path, want):
    got = answer('check', '--json', path)
    got = got.get('files', [got])[0]
    rules = {d['rule'] for d in got.get('diagnostics', ()) if d['severity'] != 'note'}
    tap.same((got.get('verdict'), sorted(rules)), (want['verdict'], sorted(set(want['rules']))), f'{name}: verdict')


def cost(costs, units):
    return {m: costs.get(m, 0) for m in units if costs.get(m)}


def numbers(name, path, want):
    got = answer('top', '--json', '-n', '0', '-q', '--all-frames', path)
    if want['metric'] is None:
        tap.same('functions' in got and bool(got['functions']), False, f'{name}: nothing is used')
        return
    if 'functions' not in got:
        tap.same(got, {}, f'{name}: cannot be asked')
        return
    units = want['units']
    head = (got['format'], got['complete'], got['metric'], {m: got.get('units', {got['metric']: got['unit']}).get(m) for m in units})
    tap.same(head, (want['format'], want['complete'], want['metric'], units), f'{name}: metrics')
    info = answer('info', '--json', '-q', path)
    totals = {m['name']: m['total'] for m in info.get('metrics', ())}
    tap.same({m: totals.get(m) for m in want['total']}, want['total'], f'{name}: totals')
    rows = {}
    for f in got['functions']:
        key = (f['name'], f.get('file') or '', f.get('line') or 0)
        rows.setdefault(key, []).append((f.get('calls'), cost(f['self'], units), cost(f['total'], units)))
    known = {}
    for fn, file, line, calls, own, total in oracle.get(name, {}).get('rows', ()):
        known.setdefault((fn, file or '', line or 0), []).append((calls, cost(own, units), cost(total, units)))
    plain = repr
    tap.same({k: sorted(v, key=plain) for k, v in rows.items()}, {k: sorted(v, key=plain) for k, v in known.items()}, f'{name}: functions')
    tap.same(len(got['functions']), want['functions'], f'{name}: number of functions')


for name, want in share(expectations.items()):
    if want['format'] in formats:
        path = os.path.join(corpus, name)
        verdict(name, path, want)
        numbers(name, path, want)
sys.exit(tap.done())
