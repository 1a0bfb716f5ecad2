#!/usr/bin/env python3
"""OTLP profiles beside what they must come to: cases.py POLYPROF CORPUS/otlp. Speaks TAP.

Each file of the corpus: its verdict and the rules that must be named; metrics, totals and all rows of `top`; what the reference reader finds in it once
more after it was written again in each form, which has to be all of it; and the same numbers through pprof and SPAA and back.
"""
import json
import os
import struct
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
import otlp_check as reference  # noqa: E402 (needs the path above)

with open(os.path.join(corpus, 'expectations.json'), encoding='utf-8') as f:
    expectations = json.load(f)
with open(os.path.join(corpus, 'tops.json'), encoding='utf-8') as f:
    tops = json.load(f)


def run(*args):
    done = subprocess.run([polyprof, *args], capture_output=True, timeout=120)
    return done.returncode, done.stdout, done.stderr.decode(errors='replace')


def answer(*args):
    code, out, err = run(*args)
    try:
        return json.loads(out)
    except ValueError:
        return {'error': err, 'code': code}


def verdicts(names):
    found = answer('check', '--json', *(os.path.join(corpus, name) for name in names))
    for name, got in zip(names, found['files']):
        want = expectations[name]
        rules = {d['rule'] for d in got['diagnostics']}
        # A value that is wrong may make others so.
        odd = set(want['rules']) - rules if want['expect'] == 'reject' else rules ^ set(want['rules'])
        tap.same((got.get('format'), got['verdict'], odd), ('otlp', want['expect'], set()), f'{name}: verdict')


def table(path):
    """Metrics and rows, as tops.json has them."""
    got = answer('top', '--json', '-n', '0', '-q', path)
    info = answer('info', '--json', '-q', path)
    if 'functions' not in got or 'metrics' not in info:
        return got
    metrics = [[m['name'], m['unit'], m['total']] for m in info['metrics']]
    keys = [m[0] for m in metrics]
    rows = sorted([f.get('name'), f.get('file') or '', f.get('line') or 0, f.get('module') or '',
                   [f['self'].get(k, 0) for k in keys], [f['total'].get(k, 0) for k in keys]]
                  for f in got['functions'] if any(f['self'].values()) or any(f['total'].values()))
    return info.get('primary'), metrics, rows


def plain(x):
    if isinstance(x, list):
        return [plain(v) for v in x]
    if not isinstance(x, dict):
        return x
    # The reference reader leaves a double of protobuf as the bits that it is.
    return {k: struct.unpack('<d', v.to_bytes(8, 'little'))[0] if k == 'double_value' and isinstance(v, int) else plain(v)
            for k, v in x.items() if k not in ('@', 'set', 'nm', 'sys', 'file')}


def content(path):
    """All that a file says."""
    c = reference.C()
    with open(path, 'rb') as f:
        return [plain(m) for m in reference.messages(reference.unpack(f.read(), c), c)]


def again(name, path, work):
    """In each form all of it is there again, and written once more it is the same bytes."""
    for form in ('protobuf', 'length-prefixed', 'json'):
        out, twice = os.path.join(work, 'again'), os.path.join(work, 'twice')
        code, _, err = run('convert', '-q', '--to', 'otlp', '--variant', form, '-o', out, path)
        tap.same(code, 0, f'{name}: is written as {form}' + (': ' + err if code else ''))
        if code:
            continue
        tap.same(content(out), content(path), f'{name}: all of it is there again as {form}')
        run('convert', '-q', '--from', 'otlp', '--to', 'otlp', '--variant', form, '-o', twice, out)
        with open(out, 'rb') as one, open(twice, 'rb') as two:
            tap.same(one.read() == two.read(), True, f'{name}: {form} is the same once more')


def through(name, path, work, other):
    """Numbers survive another format and the way back."""
    there, back = os.path.join(work, 'there.' + other), os.path.join(work, 'back.otlp')
    want = tops[name]
    for to, source, out in ((other, path, there), ('otlp', there, back)):
        code, _, err = run('convert', '-q', '--to', to, '-o', out, source)
        if code:
            tap.same((code, err), (0, ''), f'{name}: through {other}')
            return
        got = table(out)
        tap.same((sorted(got[1]), got[0]), (sorted(want['metrics']), want['primary']), f'{name}: metrics as {to} by {other}')
    c, _ = reference.check(back)
    tap.same([d for d in c.diags if d['severity'] != 'note'], [], f'{name}: what is written by way of {other} is right')


with tempfile.TemporaryDirectory() as work:
    verdicts(list(expectations))
    for name, want in share(expectations.items()):
        path = os.path.join(corpus, name)
        if name in tops:
            tap.same(table(path), (tops[name]['primary'], tops[name]['metrics'], sorted(tops[name]['rows'])), f'{name}: numbers')
        if want['expect'] != 'reject' and not any(word in name for word in ('unknown', 'snake', 'empty.otlp')):
            again(name, path, work)
        if name in tops and 'beyond' not in name and want['expect'] == 'accept':
            for other in ('pprof', 'spaa'):
                through(name, path, work, other)
sys.exit(tap.done())
