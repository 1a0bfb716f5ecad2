#!/usr/bin/env python3
"""Extracts of inputs that are no stacks: extracts.py POLYPROF SAMPLES

What is asked after `compact` is answered as before, also with a base, where nothing is told of what was gained. An extract whose bytes
refer to what is not there is refused though its seal is right, unless the input will do (`--partial`). Speaks TAP.
"""
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402 (needs the path above)
from seals import seal  # noqa: E402 (beside this file)

polyprof, samples = (os.path.abspath(path) for path in sys.argv[1:3])
REAL = os.path.join(samples, 'xdebug', 'good', '2.0.0beta1-recursion.xdebug')
TABLES = ('profile', 'modules', 'funcs', 'frames', 'metrics', 'labels', 'series', 'nodes', 'calls', 'lines', 'meta', 'sources', 'not_own', 'facts')


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL, check=False)


def number(value):
    out = b''
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def zigzag(value):
    return value << 1 if value >= 0 else (-value << 1) - 1


def text(value):
    return number(len(value)) + value


def extract(tables, basis=(1, 0), costs=()):
    """The bytes of src/store/extract.h: rows of tables, whether calls and costs of functions are what counts, and these costs."""
    strings = (b'main', b'f', b'Time', b'ns', b'key')
    out = number(1) + number(999) + text(b'xdebug') + number(len(strings) + 1) + b''.join(map(text, strings))
    for name in TABLES:
        out += number(len(tables.get(name, ())))
        for row in tables.get(name, ()):
            out += b''.join(number(zigzag(value)) for value in row)
    out += number(basis[0]) + bytes(12)
    out += number(basis[1]) * 2 + number(len(costs)) + number(0)
    out += b''.join(number(func) for func, _ in costs)
    return out + b''.join(number(low) + number(zigzag(high)) for _, values in costs for low, high in values)


def parcel(data):
    """As src/store/parcel.h has it, in a frame of Zstandard that is not compressed."""
    inner = (1).to_bytes(4, 'little') + (7).to_bytes(4, 'little') + b'extract' + len(data).to_bytes(8, 'little') + data
    frame = bytes.fromhex('28b52ffd') + b'\x60' + (len(inner) - 256).to_bytes(2, 'little') + (len(inner) << 3 | 1).to_bytes(3, 'little') + inner
    return len(inner).to_bytes(8, 'little') + frame


def forge(store, data):
    """Puts an extract in place of that of the only profile."""
    db = sqlite3.connect(store)
    with db:
        (profile,), = db.execute('SELECT profile FROM cells WHERE facet = 2')
        packed = parcel(data)
        db.execute('UPDATE cells SET n = ?, seal = ?, data = ?', (len(data), seal('cells', profile, 2, 0, 0, len(data), '', packed), packed))
    db.close()


def tables(**changed):
    """A run of main() that calls f(); meta only makes it long enough for the head of its frame."""
    rows = {'profile': [(0, 0, 1, 0, 8, 8, 0, 1, 0, 0, 0, 2) + (0,) * 7],
            'funcs': [(1, 0, 0, 0, 0, 0, 1, 0), (2, 0, 0, 0, 0, 0, 2, 0)],
            'metrics': [(3, 3, 0, 4, 1, 1, 1, 0, 1, 1)],
            'calls': [(0, 1, 0, 0, 0, 0, 1, 9, 4), (1, 2, 0, 0, 0, 0, 3, 5, 5)],
            'meta': [(0, 5, 1, 0)] * 60}
    return {**rows, **changed}


def forged(tap, folder):
    store, bad = (os.path.join(folder, name) for name in ('real.ppdb', 'forged.ppdb'))
    run('store', 'add', store, REAL)
    run('store', 'compact', store)
    expected = run('top', '--csv', REAL).stdout
    calls, funcs, meta = (tables()[name] for name in ('calls', 'funcs', 'meta'))
    whole, main, one = ((0, ((9, 0), (9, 0))), (1, ((4, 0), (9, 0))), (2, ((5, 0), (5, 0))))
    for what, data, code in (
            ('calls', extract(tables()), 0),
            ('costs of functions', extract(tables(), (0, 1), (whole, main, one)), 0),
            ('a call of nobody', extract(tables(calls=[*calls, (1, 0, 0, 0, 0, 0, 3, 5, 5)])), 3),
            ('a call of a series that there is not', extract(tables(calls=[*calls, (2, 1, 0, 0, 0, 4, 3, 5, 5)])), 3),
            ('a function that is one that is another', extract(tables(funcs=[*funcs[:1], (2, 0, 0, 0, 0, 0, 1, 0), (2, 0, 0, 0, 0, 0, 2, 0)])), 3),
            ('what is known of something that is no object', extract(tables(meta=[*meta, (60, 5, 1, 0)])), 3),
            ('costs of the whole once more', extract(tables(), (0, 1), (whole, whole, main)), 3),
            ('the whole is a function', extract(tables(), (0, 1), (main, main, one)), 3),
            ('a sum that no sum can be', extract(tables(), (0, 1), (whole, (1, ((4, 0), (9, -(1 << 63)))), one)), 3)):
        shutil.copy(store, bad)
        forge(bad, data)
        done = [run('top', '--csv', bad), run('graph', bad, '-o', '-'), run('info', bad)]
        tap.same([one.returncode for one in done], [code] * 3, what)
        if code:
            tap.same(run('top', '--csv', '--partial', bad).stdout, expected, f'{what}: --partial reads the input')
        if code == 0:
            tap.same([line.split(b',')[-2:] for line in done[0].stdout.splitlines()[1:]], [[b'5', b'5'], [b'4', b'9']], f'{what}: what they say')


def idle(tap, folder):
    """A function that is called and costs nothing is in the graph."""
    store = os.path.join(folder, 'forged.ppdb')
    forge(store, extract(tables(calls=tables()['calls'][:1]), (0, 1), [(0, ((0, 0), (0, 0)))]))
    done = run('graph', store, '-o', '-')
    tap.same((done.returncode, b'main' in done.stdout), (0, True), 'a function that costs nothing')


def moved(tap, folder):
    """An extract that is not found does not change an answer, but is not sound."""
    store, bad = (os.path.join(folder, name) for name in ('real.ppdb', 'moved.ppdb'))
    expected = run('top', '--csv', store).stdout
    for what in ('facet = 3', 'metric = 1', 'sub = 1', "total = '5'"):
        shutil.copy(store, bad)
        db = sqlite3.connect(bad)
        with db:
            db.execute(f'UPDATE cells SET {what}')
        db.close()
        tap.same((run('top', '--csv', bad).stdout, run('store', 'check', bad).returncode), (expected, 3), f'an extract with {what}')


def based(tap, folder):
    """A base takes from what memory came to, not from what was gained on the way; who only looks at a text is not told either."""
    store = os.path.join(folder, 'based.ppdb')
    run('store', 'add', store, REAL)
    questions = [[verb, store, *more] for verb in ('top', 'tree', 'traces') for more in (['--base', store, '--json'], ['--json'], [])]
    questions.append(['callers', 'fib', store, '--base', store, '--json'])
    before = [run(*words) for words in questions]
    tap.ok(b'"packed": 1' in run('store', 'compact', store, '--json').stdout, 'packed')
    for words, one in zip(questions, before):
        after = run(*words)
        tap.same((after.returncode, after.stdout, after.stderr), (0, one.stdout, one.stderr), ' '.join(os.path.basename(word) for word in words))


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        forged(tap, folder)
        idle(tap, folder)
        moved(tap, folder)
        based(tap, folder)
    return tap.done()


sys.exit(main())
