#!/usr/bin/env python3
"""pprof beside what it must come to: cases.py POLYPROF CORPUS/pprof. Speaks TAP.

Each file of the corpus: its verdict and the rules that must be named; metrics, totals and all rows of `top`, which are google/pprof's; and what the
reference reader finds in it once more after it was written as pprof again, which has to be all of it.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

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


def answer(*args):
    code, out, err = run(*args)
    try:
        return json.loads(out)
    except ValueError:
        return {'error': err, 'code': code}


def is_ours(name):
    """Heap and CPU profiles of older forms are other formats."""
    return any(word in name for word in ('contention', 'thread', 'java.heap', 'goroutine', 'block', 'mutex', 'nomappings', 'fuzz'))


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


with tempfile.TemporaryDirectory() as work:
    readable = [name for name in expectations if not name.startswith('legacy/') or is_ours(name)]
    verdicts(readable)
    for name in readable:
        path = os.path.join(corpus, name)
        if name in tops:
            numbers(name, path, tops[name])
        if expectations[name]['expect'] != 'reject' and not name.startswith('legacy/') and name != 'cases/w21_bool_2.pb.gz':
            again(name, path, work)
sys.exit(tap.done())
