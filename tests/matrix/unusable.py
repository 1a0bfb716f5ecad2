#!/usr/bin/env python3
"""Inputs of which nothing can be used: unusable.py POLYPROF tests/formats

Each sample is read as each other format: that is refused with exit code 3 and the reason, or gives a profile with functions. "0 functions, exit code 0"
is for intact profiles that are empty. The same holds for merges, conversions, stores and the JSON of errors. POLYPROF_ALL tries all pairs. Speaks TAP.
"""
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import SHARE, Tap, share, turn_of  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
tap = Tap()
EMPTY = {'e.folded': b'', 'e.diff.folded': b'', 'e.trace.json': b'{"traceEvents": []}', 'e.spaa': None, 'e.pb.gz': None, 'blank.folded': b'\n \n'}
DAMAGED = {'bad.folded': b'one\ntwo words\n', 'cut.folded.gz': b'\x1f\x8b\x08', 'cut.pb': b'\x0a\xff', 'cut.cpuprofile': b'{"nodes": [', 'bad.spaa': b'{"type": "header", "format": "spaa"}\nx\n'}


def run(*args, data=None):
    return subprocess.run([polyprof, *args], capture_output=True, timeout=120, input=data, check=False)


def functions(done):
    """How many functions an answer in JSON has, -1 if there is none."""
    try:
        return len(json.loads(done.stdout)['functions'])
    except (ValueError, KeyError):
        return -1


def contents(path):
    """What a file holds, unpacked."""
    with open(path, 'rb') as file:
        data = file.read()
    if data[:2] == b'\x1f\x8b':
        return gzip.decompress(data)
    return data


def why(name, path):
    return run('info', '--why', '--from', name, path).stdout.decode(errors='replace')


def pairs(formats):
    """Samples read as what they are not."""
    files = [path for kind in ('good', 'bad') for path in sorted(glob.glob(f'{samples}/*/{kind}/*')) if os.path.isfile(path)]
    wrong, tried, refused = {}, 0, 0
    for number, path in share(enumerate(files)):
        own = path.split(os.sep)[-3]
        for name in turn_of(formats, number, 3):
            if name == own:
                continue
            done = run('top', '--json', '-n', '1', '--from', name, path)
            tried += 1
            refused += done.returncode == 3
            said = done.stderr.decode(errors='replace')
            if done.returncode == 0 and functions(done) > 0:
                continue
            # An empty file is an empty profile of any format; and what fits the format may be empty.
            if done.returncode == 0 and 'error:' not in said and (not contents(path).strip() or f'{name}: 0 bits' not in why(name, path)):
                continue
            if done.returncode != 3 or ': ' not in said or '"error"' not in done.stdout.decode():
                wrong[f'{name} {path}'] = (done.returncode, said[-300:], done.stdout[:200])
    tap.ok(tried > 500 // SHARE and refused * 2 > tried and not wrong, f'{tried} samples read as another format: refused, or usable', list(wrong.items())[:8])


def messages(folder):
    """A wrong --from is one message, which names the file and the way out."""
    path = os.path.join(folder, 'm.trace.json')
    with open(path, 'wb') as file:
        file.write(b'{"traceEvents": [{"ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 100, "name": "f"}]}')
    for name in ('folded', 'perf-script', 'dtrace', 'callgrind', 'pstats'):
        done = run('top', '--from', name, path)
        tap.same((done.returncode, done.stderr.decode()),
                 (3, f'{path}: error: nothing in it can be read as {name}; it looks like trace-event: leave --from out [io-nothing-usable]\n'), f'--from {name}: one message')
    done = run('top', '--json', '--from', 'folded', path)
    error = json.loads(done.stdout)['error']
    tap.same((error['rule'], error['file']), ('io-nothing-usable', path), 'and as JSON')
    done = run('check', '--from', 'dtrace', path)
    tap.ok(done.returncode in (1, 3) and b'reject' in done.stdout, 'check rejects it', done)
    for command in (['info'], ['tree'], ['lines'], ['convert', '--to', 'folded', '-o', '-'], ['flame', '-o', '-'], ['report', '-o', os.path.join(folder, 'r.html')]):
        done = run(command[0], *command[1:], '--from', 'folded', path)
        tap.ok(done.returncode == 3 and not done.stdout and not os.path.exists(os.path.join(folder, 'r.html')), f'{command[0]} refuses it', done)


def files(folder):
    """Empty profiles are profiles, damaged ones of which nothing is left are none; also among others, and in a store."""
    good = os.path.join(folder, 'good.folded')
    with open(good, 'wb') as file:
        file.write(b'main;f 3\n')
    EMPTY['e.spaa'] = run('convert', '--from', 'folded', '-', '--to', 'spaa', '-o', '-', data=b'').stdout
    EMPTY['e.pb.gz'] = run('convert', '--from', 'folded', '-', '--to', 'pprof', '-o', '-', data=b'').stdout
    for name, data in EMPTY.items():
        path = os.path.join(folder, name)
        with open(path, 'wb') as file:
            file.write(data)
        done = run('top', '--json', path)
        tap.ok(done.returncode == 0 and functions(done) == 0 and b'error' not in done.stderr, f'{name} is an empty profile', done)
        tap.ok(functions(run('top', '--json', good, path)) == 2, f'{name} merges with others')
    for name, data in DAMAGED.items():
        path = os.path.join(folder, name)
        with open(path, 'wb') as file:
            file.write(data)
        done = run('top', path)
        tap.ok(done.returncode == 3 and not done.stdout and path.encode() in done.stderr, f'{name}: nothing is left of it', done)
        tap.ok(run('top', good, path).returncode == 3, f'{name}: among others as well')
        store = os.path.join(folder, 's.ppdb')
        done = run('store', 'add', store, path)
        if b'no stores' not in done.stderr:
            tap.ok(done.returncode == 3 and b'nothing in it can be used' in done.stderr + done.stdout or done.returncode == 3, f'{name}: a store refuses it', done)
    with open(os.path.join(folder, 'part.folded'), 'wb') as file:
        file.write(b'main;f 3\nbroken\n')
    done = run('top', '--json', os.path.join(folder, 'part.folded'))
    tap.ok(done.returncode == 0 and functions(done) == 2 and b'"complete": false' in done.stdout, 'what is damaged in part is used', done)
    done = run('top', '--focus', 'nobody', os.path.join(folder, 'part.folded'))
    tap.ok(done.returncode == 0, 'filters that leave nothing of it are no damage', done)


names = [f['name'] for f in json.loads(run('formats', '--json').stdout)['formats'] if f['read']]
with tempfile.TemporaryDirectory() as scratch:
    messages(scratch)
    files(scratch)
    pairs(names)
sys.exit(tap.done())
