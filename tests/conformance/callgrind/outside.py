#!/usr/bin/env python3
"""Calls that no function makes, in callgrind files: outside.py POLYPROF SAMPLES. Speaks TAP.

- every good sample with counted calls keeps each function's count on the way to callgrind and back, and written again
  or merged with itself;
- the comments that store these counts change nothing for callgrind_annotate;
- a function whose calls no line counts has no count, in every answer;
- comments that count nothing are skipped.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
from tap import Tap, share  # noqa: E402 (needs the path above)

polyprof, directory = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
OUTSIDE = b'# calls from outside: '
MOST = 2 ** 64 - 1
tap = Tap()
made = tempfile.mkdtemp()


# callgrind_annotate sorts equal rows by Perl's hashes.
ENVIRONMENT = {**os.environ, 'PERL_HASH_SEED': '0', 'PERL_PERTURB_KEYS': '0'}


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL, cwd=made, env=ENVIRONMENT)


def answer(question, *words):
    done = run(polyprof, question, '--json', *words)
    return json.loads(done.stdout) if done.returncode == 0 and done.stdout else None


def clean(name):
    """A name as callgrind files store it, without the mark of recursion."""
    name = re.sub(r"'2$", '', re.sub('[\r\n]', ' ', name).strip())
    return name or '???'


def calls_of(path, *options):
    """{function: how often it was called} of all whose count is known."""
    got = answer('top', '-n', '0', *options, path)
    counts = collections.Counter()
    for f in got['functions'] if got else []:
        if 'calls' in f:
            counts[clean(f['name'])] += f['calls']
    return {name: min(count, MOST) for name, count in counts.items()}


def put(name, text):
    with open(os.path.join(made, name), 'wb') as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    return name


def read(name):
    with open(os.path.join(made, name), 'rb') as file:
        return file.read()


def differences(wanted, got):
    """Only the calls that are counted have to be: a 0 is the same as nothing."""
    return [f'{name}: {got.get(name)}, not {wanted.get(name)}' for name in sorted(set(wanted) | set(got))
            if got.get(name, 0) != wanted.get(name, 0)]


def annotated(name):
    done = run('callgrind_annotate', '--threshold=100', '--auto=no', '--tree=both', name)
    return done.stdout, done.stderr


def there_and_back(path, what):
    """Whether the file had calls that no function makes."""
    wanted = calls_of(path)
    if not any(wanted.values()):
        return False
    done = run(polyprof, 'convert', path, '--to', 'callgrind', '-o', 'one.cg')
    if done.returncode:
        return False
    wrong = differences(wanted, calls_of('one.cg'))
    wrong += [line for line in done.stderr.decode().split('\n') if 'not written: counts of calls' in line]
    run(polyprof, 'convert', 'one.cg', '--to', 'callgrind', '-o', 'again.cg')
    wrong += ['it is not written again as it is'] if read('again.cg') != read('one.cg') else []
    # Costs of some samples do not fit into 64 bits twice.
    if run(polyprof, 'merge', 'one.cg', 'one.cg', '--to', 'callgrind', '-o', 'two.cg').returncode == 0:
        wrong += differences({name: min(2 * count, MOST) for name, count in wanted.items()}, calls_of('two.cg'))
    tap.ok(not wrong, f'{what}: {sum(map(bool, wanted.values()))} functions with calls', '\n'.join(wrong[:5]))
    return OUTSIDE in read('one.cg')


def unseen_by_annotate(what):
    """The same without the comments prints the same."""
    text = read('one.cg')
    put('shown.cg', text)
    with_comments = annotated('shown.cg')
    put('shown.cg', re.sub(b'(?m)^' + OUTSIDE + b'.*\n', b'', text))
    tap.ok(with_comments == annotated('shown.cg') and not with_comments[1], f'{what}: callgrind_annotate',
           with_comments[1].decode(errors='replace'))


def samples():
    for name in sorted(os.listdir(directory)):
        good = os.path.join(directory, name, 'good')
        for file in share(sorted(os.listdir(good))) if os.path.isdir(good) else []:
            path = os.path.join(good, file)
            if os.path.isfile(path) and os.path.getsize(path) < 3000000:
                yield path, f'{name}/{file}'


def all_samples():
    annotate = shutil.which('callgrind_annotate')
    kinds = set()
    for path, what in samples():
        kind = what.split('/')[0]
        if there_and_back(path, what) and annotate and kind not in kinds:
            kinds.add(kind)
            unseen_by_annotate(what)
    if not annotate:
        tap.skip('callgrind_annotate', 'not installed')


def merged_spx():
    path = os.path.join(directory, 'spx/good/05-http.json')
    done = run(polyprof, 'merge', path, path, '--to', 'callgrind', '-o', 'spx.cg')
    tap.same(sorted(calls_of('spx.cg').values()), [2, 2, 2], 'two SPX files in one: the root was called twice')
    tap.ok(b'loss-calls' not in done.stderr, 'and nothing is said to be lost', done.stderr.decode())


# Xdebug's records: {main} calls f, which calls itself; f and bye run again after {main}; a(1) and b only then.
XDEBUG = """version: 1
creator: xdebug 3.2.0 (PHP 8.2)
cmd: a.php
part: 1
positions: line

events: Time_(10ns) Memory_(bytes)

fl=(1) php:internal
fl=(2) a.php
"""


def record(name, own, *calls):
    lines = [f'fl=(2)\nfn={name}\n1 {own} 0\n']
    for callee, cost in calls:
        lines.append(f'cfl=(2)\ncfn={callee}\ncalls=1 0 0\n2 {cost} 0\n')
    return ''.join(lines) + '\n'


def shapes():
    text = XDEBUG + record('f', 5) + record('f', 5, ('f', 5)) + record('{main}', 10, ('f', 10))
    text += record('f', 5) + record('f', 5, ('f', 5)) + record('bye', 1, ('f', 10))
    text += record('f', 3) + record('rec', 1) + record('rec', 2, ('rec', 1)) + record('rec', 1, ('rec', 3))
    text += ''.join(record(f'root {i}', 1) for i in range(300)) + 'summary: 400 0\n'
    put('shapes.xdebug', text)
    wanted = {'{main}': 1, 'bye': 1, 'f': 5, 'rec': 3, **{f'root {i}': 1 for i in range(300)}}
    tap.same(calls_of('shapes.xdebug'), wanted, 'roots, recursion, and calls from outside beside others')
    tap.ok(there_and_back('shapes.xdebug', 'the same'), 'with comments')
    got = answer('callers', 'f', 'one.cg')
    tap.same((got.get('from_outside', {}).get('calls'), sorted((e['name'], e['calls']) for e in got['edges'])),
             (1, [('bye', 1), ('{main}', 1)]), 'callers tell the calls from outside from the others')


def hostile_names():
    names = ['(1) x', '(below main)', '# calls from outside: 5', 'fn=(2) f', 'calls=9 1', 'two\nlines', '"', '=']
    trace = {'$schema': 'https://www.speedscope.app/file-format-schema.json', 'shared': {'frames': [{'name': n} for n in names]},
             'profiles': [{'type': 'evented', 'name': 'p', 'unit': 'nanoseconds', 'startValue': 0, 'endValue': len(names),
                           'events': [{'type': t, 'frame': i, 'at': i + (t == 'C')} for i in range(len(names)) for t in 'OC']}]}
    put('names.speedscope.json', json.dumps(trace))
    tap.ok(there_and_back('names.speedscope.json', 'names like lines of the format'), 'with comments')


def texts():
    head = 'events: Ir\n'
    cases = [
        ('a root of another program', 'fn=m\n1 1\ncfn=f\ncalls=2 1\n1 1\nfn=f\n1 1\n', {'f': 2}),
        ('no counted call at all', 'fn=m\n1 1\n# calls from outside: 0\n', {}),
        ('in both parts', 'fn=m\n# calls from outside: 2\n1 1\npart: 2\nevents: Ir\nfn=m\n# calls from outside: 3\n1 1\n', {'m': 5}),
        ('without own costs', 'fn=m\n# calls from outside: 2\n', {'m': 2}),
        ('behind a file change', 'fl=a.c\nfn=m\nfi=b.h\n1 1\n# calls from outside: 2\n', {'m': 2}),
        ('between calls= and its cost', 'fn=m\ncfn=f\ncalls=2 1\n# calls from outside: 1\n1 1\n', {'m': 1, 'f': 2}),
        ('no function', '# calls from outside: 2\nfn=m\n1 1\ncfn=f\ncalls=2 1\n1 1\n', {'f': 2}),
        ('no number', 'fn=m\n# calls from outside: x\n# calls from outside: -1\n# calls from outside: 1 2\n1 1\ncfn=f\ncalls=2 1\n1 1\n', {'f': 2}),
        ('too large a number', f'fn=m\n# calls from outside: {MOST + 1}\n1 1\ncfn=f\ncalls=2 1\n1 1\n', {'f': 2}),
        ('the largest number', f'fn=m\n# calls from outside: {MOST}\n1 1\n', {'m': MOST}),
        ('cut within the number', 'fn=m\n1 1\ncfn=f\ncalls=2 1\n1 1\n# calls from outside: 1', {'f': 2}),
        ('with blanks and a carriage return', 'fn=m\r\n# calls from outside: 2\r\n1 1\r\n', {'m': 2}),
    ]
    for what, body, wanted in cases:
        put('text.cg', 'creator: x\n' + head + body)
        tap.same(calls_of('text.cg', '--from', 'callgrind'), wanted, what)
    put('early.cg', 'creator: x\n# calls from outside: 2\nevents: Ir\nfn=m\n1 1\ncfn=f\ncalls=2 1\n1 1\n')
    tap.same(calls_of('early.cg'), {'f': 2}, 'before the events')
    put('sum.cg', f'creator: x\n{head}fn=m\n# calls from outside: {MOST}\n# calls from outside: 1\n1 1\n')
    tap.ok(b'callgrind-sum-too-large' in run(polyprof, 'check', 'sum.cg').stdout + run(polyprof, 'check', 'sum.cg').stderr,
           'a sum that exceeds 64 bits')
    put('early.xdebug', XDEBUG + record('{main}', 10).replace('1 10', '# calls from outside: 7\n1 10'))
    tap.same(calls_of('early.xdebug'), {'{main}': 1}, 'Xdebug counts its calls itself')


def unknown_counts():
    """A function that no counted call leads to: its count is absent, not 0."""
    put('main.cg', 'creator: x\nevents: Ir\nfl=a.c\nfn=m\n1 1\ncfn=f\ncalls=2 1\n1 1\nfn=f\n1 1\n')
    rows = answer('top', 'main.cg')['functions']
    tap.same([(f['name'], f.get('calls')) for f in sorted(rows, key=lambda f: f['name'])], [('f', 2), ('m', None)], 'top')
    tap.ok('calls' not in answer('callees', 'm', 'main.cg')['function'], 'callees')
    tap.ok(b'0 call' not in run(polyprof, 'graph', 'main.cg').stdout, 'graph')
    tap.ok('calls' not in next(n for n in answer('graph', 'main.cg')['functions'] if n['name'] == 'm'), 'graph as JSON')
    rows = {f['name']: f for f in answer('diff', '-n', '0', 'main.cg', 'main.cg')['functions']}
    tap.same([(name, 'calls' in rows[name]['before']) for name in sorted(rows)], [('f', True), ('m', False)], 'diff')
    for rule, status in (('calls(m) < 5', 0), ('calls(f) < 5', 1)):
        tap.same(run(polyprof, 'gate', '--before', 'main.cg', '--after', 'main.cg', '--fail-if', rule).returncode, status, f'gate: {rule}')


merged_spx()
shapes()
hostile_names()
texts()
unknown_counts()
all_samples()
shutil.rmtree(made)
sys.exit(tap.done())
