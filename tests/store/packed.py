#!/usr/bin/env python3
"""Packed profiles answer what fresh ones do: packed.py POLYPROF SAMPLES

Samples of formats that are stacks, with times or without, and made ones: each question about a store gives the same bytes before and after
`compact`, also when some are packed and some are fresh; sums by the hour have the same totals and are not added again. Speaks TAP.
"""
import contextlib
import json
import os
import random
import sqlite3
import subprocess
import sys
import tempfile

VERBS = (('info', '--json'), ('top', '--json', '-n', '0'), ('tree', '--json'), ('traces', '--json'), ('summary', '--json'),
         ('tags', '--json'), ('flame', '-o', '-'))
FORMATS = ('folded', 'pprof', 'spaa', 'massif', 'otlp')
# With times; and questions about metrics that fall, which people are told less of than programs, and about times.
TIMED = ('spx', 'speedscope', 'cpuprofile', 'trace-event', 'firefox', 'gecko')
# What their readers note is told by those who read them.
NOTED = ('cpuprofile', 'trace-event')
TIMED_VERBS = VERBS + (('top',), ('tree',), ('top', '-m', '2'), ('top', '--json', '-m', '2'), ('tree', '-m', '2'), ('flame', '-m', '2', '-o', '-'),
                       ('top', '--json', '--hide', 'a'), ('top', '--json', '--by', 'file'), ('top', '--json', '--by', 'thread'),
                       ('lines', '--json'), ('threads', '--json'), ('findings', '--json'), ('top', '--json', '--time', '0..50%'),
                       ('flame', '--chart', '-o', '-'), ('callers', 'main', '--json'), ('check', '--json'), ('trend', '--json'),
                       ('diff', '--before', 'run=0', '--after', 'run=1', '--json'))


def run(program, *words):
    done = subprocess.run([program, *words], capture_output=True, check=False)
    return done.returncode, done.stdout, done.stderr


def asked(program, store, verb):
    """About a function goes before the store; a summary is what there is without a command."""
    if verb[0] in ('callers', 'callees'):
        return run(program, *verb[:2], store, *verb[2:])
    return run(program, *(() if verb[0] == 'summary' else verb[:1]), store, *verb[1:])


def answers(program, store, verbs=VERBS):
    return {verb: asked(program, store, verb) for verb in verbs}


def made(folder):
    random.seed(5)
    files = []
    for number in range(12):
        path = os.path.join(folder, f'{number}.folded')
        with open(path, 'w', encoding='utf-8') as file:
            for _ in range(40):
                stack = ';'.join(random.choice('abcdefgh') for _ in range(random.randint(1, 9)))
                file.write(f'{stack} {random.randint(number % 2, 50)}\n')
        os.utime(path, (1000 + 1200 * number,) * 2)
        files.append(path)
    return files


def shrinks(program, folder):
    """What was removed is gone from the dictionary after gc, which has nothing to remove itself."""
    store = os.path.join(folder, 'shrinks.ppdb')
    for number, part in enumerate('xyz'):
        path = os.path.join(folder, part + '.folded')
        with open(path, 'w', encoding='utf-8') as file:
            file.writelines(f'main;{part}{line} 1\n' for line in range(100))
        run(program, 'store', 'add', store, path, '--label', f'n={number}')
    run(program, 'store', 'compact', store)
    run(program, 'store', 'remove', store, '--where', 'n!=1')
    kept = without_store(run(program, 'top', store, '--json', '-n', '0'))
    run(program, 'store', 'gc', store)
    with contextlib.closing(sqlite3.connect(store)) as inside:
        (nodes,), = inside.execute("SELECT sum(n) FROM dict WHERE part = 'n'")
    yield 'gc shrinks what remove left', nodes == 101 and without_store(run(program, 'top', store, '--json', '-n', '0')) == kept


def timed(program, samples, folder):
    """Profiles that tell when things happened are packed beside their inputs: questions that need no times do without these."""
    for name in TIMED:
        directory = os.path.join(samples, name, 'good')
        files = sorted(os.path.join(directory, file) for file in os.listdir(directory))[:10]
        store = os.path.join(folder, name + '.ppdb')
        for run_of in range(2):
            run(program, 'store', 'add', store, *files, '--label', f'run={run_of}')
        before = answers(program, store, TIMED_VERBS)
        packed = json.loads(run(program, 'store', 'compact', store, '--json')[1])['packed']
        yield f'{name}: {packed} packed', packed > 0
        after = answers(program, store, TIMED_VERBS)
        parts = 2 if name in NOTED else 3
        different = [verb for verb in TIMED_VERBS if before[verb][:parts] != after[verb][:parts]]
        yield f'{name}: the same answers, but for {different}', not different
        yield f'{name}: sound', run(program, 'store', 'check', store)[0] == 0
    yield from shrinks(program, folder)
    store = os.path.join(folder, 'beside.ppdb')
    good = os.path.join(samples, 'spx', 'good')
    for run_of in range(12):
        run(program, 'store', 'add', store, os.path.join(good, '04-http.json'), '--label', f'run={run_of}')
    diff = ('diff', store, '--before', 'run in (0,1,2,3,4,5,6,7,8)', '--after', 'run in (9,10,11)', '--json')
    first = [run(program, *words) for words in (('top', store, '--json'), ('top', store, '-m', 'zm'), diff, ('trend', store, '--json'))]
    yield 'a request, twelve times', json.loads(run(program, 'store', 'compact', store, '--json')[1])['packed'] == 12
    got = run(program, 'store', 'get', store, '--where', 'run=3', '--to', 'spaa', '-o', '-')
    yield 'one of them is what it was', got[0] == 0 and got[1] == run(program, 'convert', os.path.join(good, '04-http.json'), '--to', 'spaa', '-o', '-')[1]
    with contextlib.closing(sqlite3.connect(store)) as inside, inside:
        inside.execute("UPDATE original SET data = x'00'")
    second = [run(program, *words) for words in (('top', store, '--json'), ('top', store, '-m', 'zm'), diff, ('trend', store, '--json'))]
    yield 'without the inputs the same', first == second and all(answer[0] == 0 for answer in first)
    yield 'what needs them says so', run(program, 'top', store, '--time', '0..50%')[0] == 3 and run(program, 'store', 'check', store)[0] == 3


COSTS = (('top', '--json', '-n', '0'), ('tree', '--json'), ('callers', 'work', '--json'), ('top',), ('top', '--by', 'file', '--json'),
         ('top', '--json', '--focus', 'w'), ('info', '--json'), ('flame', '-o', '-'), ('summary', '--json'), ('trend', '--json', '--function', 'work'),
         ('diff', '--before', 'run in (0,1,2)', '--after', 'run in (3,4,5)', '--json'))
INPUTS = (('check', '--json'), ('convert', '--to', 'callgrind', '-o', '-'), ('convert', '--to', 'spaa', '-o', '-'))


def calls_written(path, number, n=60):
    """What Xdebug writes of many calls of few functions."""
    random.seed(number)
    text = ('version: 1\ncreator: xdebug 3.1.6 (PHP 8.1.0)\ncmd: /srv/sample/a.php\npart: 1\npositions: line\n\n'
            'events: Time_(10ns) Memory_(bytes)\n\n')
    total, calls = 400 + number, ''
    for call in range(n):
        name, cost = random.randrange(3), random.randint(1, 900)
        names = ('work', 'wait', 'php::strlen')
        text += f"fl=({1 + (name == 2)}) {'php:internal' if name == 2 else '/srv/sample/a.php'}\nfn=({name + 1}) {names[name]}\n{7 + name} {cost} -16\n\n"
        calls += f'cfl=({1 + (name == 2)})\ncfn=({name + 1})\ncalls=1 0 0\n{20 + call % 4} {cost} -16\n'
        total += cost
    text += f'fl=(1) /srv/sample/a.php\nfn=(9) {{main}}\n1 {400 + number} 64\n{calls}\nsummary: {total} {64 - 16 * n}\n\n'
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.utime(path, (2000 + number,) * 2)
    return path


def extracts(program, samples, folder):
    """What calls and lines cost is packed beside the inputs that tell it."""
    for name in ('xdebug', 'pstats', 'xhprof'):
        directory = os.path.join(samples, name, 'good')
        store = os.path.join(folder, f'{name}-extracts.ppdb')
        files = [os.path.join(directory, file) for file in sorted(os.listdir(directory))]
        run(program, 'store', 'add', store, *files)
        wheres = [json.loads(run(program, 'store', 'list', store, '--json', '-n', '0')[1])['profiles'][at]['id'] for at in range(len(files))]
        before = [run(program, verb[0], f'{store}?where=profile={where}', *verb[1:]) for where in wheres for verb in VERBS[:3]]
        packed = json.loads(run(program, 'store', 'compact', store, '--json')[1])['packed']
        yield f'{name}: {packed} packed', packed > 0
        after = [run(program, verb[0], f'{store}?where=profile={where}', *verb[1:]) for where in wheres for verb in VERBS[:3]]
        yield f'{name}: the same answers', before == after
        yield f'{name}: sound', run(program, 'store', 'check', store)[0] == 0
    store = os.path.join(folder, 'calls.ppdb')
    files = [calls_written(os.path.join(folder, f'calls{number}.xdebug'), number) for number in range(6)]
    for number, file in enumerate(files):
        run(program, 'store', 'add', store, file, '--label', f'run={number}')
    before = answers(program, store, COSTS + INPUTS[:1])
    yield 'six runs', json.loads(run(program, 'store', 'compact', store, '--json')[1])['packed'] == 6 and all(answer[0] == 0 for answer in before.values())
    yield 'the same answers', answers(program, store, COSTS + INPUTS[:1]) == before
    yield 'all are packed', json.loads(run(program, 'store', 'info', store, '--json')[1])['levels'] == {'fresh': 0, 'packed': 6, 'rolled': 0}
    with_file = [without_store(answer) for answer in (run(program, 'top', '--json', *files), run(program, 'top', '--json', store))]
    yield 'as of the files', with_file[0] == with_file[1]
    with contextlib.closing(sqlite3.connect(store)) as inside, inside:
        inputs = inside.execute('SELECT profile, data FROM original').fetchall()
        inside.execute("UPDATE original SET data = x'00'")
    del before[INPUTS[0]]
    yield 'without the inputs the same', answers(program, store, COSTS) == before
    yield 'what needs them says so', all(answer[0] in (1, 3) for answer in answers(program, store, INPUTS).values()) and run(program, 'store', 'check', store)[0] == 3
    with contextlib.closing(sqlite3.connect(store)) as inside, inside:
        inside.executemany('UPDATE original SET data = ?2 WHERE profile = ?1', inputs)
        (data,), = inside.execute('SELECT data FROM cells WHERE profile = 2')
        inside.execute('UPDATE cells SET data = ? WHERE profile = 2', (data[:9] + bytes([data[9] ^ 1]) + data[10:],))
    yield 'a damaged one is an error', run(program, 'top', store)[0] == 3 and run(program, 'store', 'check', store)[0] == 3
    with contextlib.closing(sqlite3.connect(store)) as inside, inside:
        inside.execute('UPDATE cells SET (n, seal, data) = (SELECT n, seal, data FROM cells c WHERE c.profile = 1) WHERE profile = 2')
    yield 'so is that of another', run(program, 'top', store)[0] == 3
    with contextlib.closing(sqlite3.connect(store)) as inside, inside:
        inside.execute('DELETE FROM cells WHERE profile = 2')
    yield 'without one the input is read', answers(program, store, COSTS) == before
    yield 'and it is missed', run(program, 'store', 'check', store)[0] == 3
    run(program, 'store', 'remove', store, '--where', 'run=5')
    calls_written(files[0], 77)
    run(program, 'store', 'add', store, files[0], '--label', 'run=5')
    expected = without_store(run(program, 'top', '--json', files[0]))
    yield 'who comes in the place of another has none', without_store(run(program, 'top', store, '--where', 'run=5', '--json')) == expected


def checks(program, samples, folder):
    """(what, whether it holds) one by one."""
    yield from extracts(program, samples, folder)
    yield from timed(program, samples, folder)
    for name in FORMATS:
        directory = os.path.join(samples, name, 'good')
        files = sorted(os.path.join(directory, file) for file in os.listdir(directory))[:8]
        store = os.path.join(folder, name + '.ppdb')
        run(program, 'store', 'add', store, *files)
        before = answers(program, store)
        packed = json.loads(run(program, 'store', 'compact', store, '--json')[1])['packed']
        yield f'{name}: {packed} packed', packed > 0
        after = answers(program, store)
        yield f'{name}: the same answers', before == after
        yield f'{name}: sound', run(program, 'store', 'check', store)[0] == 0
    files = made(folder)
    fresh, mixed = (os.path.join(folder, name) for name in ('fresh.ppdb', 'mixed.ppdb'))
    run(program, 'store', 'add', fresh, *files)
    run(program, 'store', 'add', mixed, *files[1::2])
    run(program, 'store', 'compact', mixed)
    run(program, 'store', 'add', mixed, *files[0::2])
    expected = answers(program, fresh)

    def same(answer):
        return tuple(part.replace(mixed.encode(), fresh.encode()) if isinstance(part, bytes) else part for part in answer)

    yield 'half packed, half fresh', all(same(answer) == expected[verb] for verb, answer in answers(program, mixed).items())
    broken = os.path.join(folder, 'broken.folded')
    with open(broken, 'w', encoding='utf-8') as file:
        file.write('main;a 5\nmain;b;a 7\nno count\n')
    for when in (1, 6000, 90000):
        os.utime(broken, (when,) * 2)
        stores = [os.path.join(folder, f'{name}-{when}.ppdb') for name in ('loose', 'packed')]
        for store in stores:
            run(program, 'store', 'add', store, *files[:8])
        run(program, 'store', 'compact', stores[1])
        for store in stores:
            run(program, 'store', 'add', store, broken, files[9])
        one, other = (answers(program, store) for store in stores)
        yield f'one that cannot be packed, at {when}', all(
            tuple(part.replace(stores[1].encode(), stores[0].encode()) if isinstance(part, bytes) else part for part in other[verb]) == one[verb]
            for verb in one)
    again = json.loads(run(program, 'store', 'add', mixed, *files, '--json')[1])
    yield 'none is added again', again['added'] == 0 and again['known'] == len(files)
    yield 'sound', run(program, 'store', 'check', mixed)[0] == 0
    cleaned = json.loads(run(program, 'store', 'gc', mixed, '--keep', '30d', '--json')[1])
    yield 'old ones go', cleaned['left'] == 0 and run(program, 'store', 'check', mixed)[0] == 0
    yield from runs(program, folder)


def without_store(answer):
    code, out, _ = answer
    parsed = json.loads(out)
    parsed.pop('store', None)
    return code, parsed


def runs(program, folder):
    """Many runs on two sides are compared one after the other: as files, fresh, packed, some of each."""
    random.seed(7)
    store = os.path.join(folder, 'runs.ppdb')
    files = []
    for number in range(24):
        files.append(os.path.join(folder, f'run{number}.folded'))
        with open(files[-1], 'w', encoding='utf-8') as file:
            file.writelines(f"main;{';'.join(random.choice('abcd') for _ in range(random.randint(1, 6)))};f{number % 5 + i} "
                            f'{random.randint(1, 90) + (number >= 12) * 40}\n' for i in range(20))
            file.write('main;nothing 0\n' * (number == 3))
        os.utime(files[-1], (1000 + number,) * 2)
        run(program, 'store', 'add', store, files[-1], '--label', f'side={number // 12}')
    for more in ((), ('--normalize', 'total'), ('--normalize', 'samples'), ('--sort', 'total', '-n', '3'), ('--focus', 'a')):
        words = ('diff', '--json', *more)
        expected = without_store(run(program, *words, '--before', *files[:12], '--after', *files[12:]))
        yield f"24 runs {' '.join(more)}: fresh", without_store(run(program, *words, store, '--before', 'side=0', '--after', 'side=1')) == expected
        run(program, 'store', 'compact', store)
        yield f"24 runs {' '.join(more)}: packed", without_store(run(program, *words, store, '--before', 'side=0', '--after', 'side=1')) == expected
    run(program, 'store', 'add', store, files[0], '--label', 'side=2')
    mixed = without_store(run(program, 'diff', '--json', store, '--before', 'side in (2,0)', '--after', 'side=1'))
    yield '25 runs, one of them fresh', mixed == without_store(
        run(program, 'diff', '--json', '--before', files[0], *files[:12], '--after', *files[12:]))
    rows = json.loads(run(program, 'store', 'list', store, '--json')[1])['profiles']
    yield 'what packed ones take is told', all(row['bytes'] > 0 for row in rows)


def main():
    program, samples = os.path.abspath(sys.argv[1]), sys.argv[2]
    number = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, (what, holds) in enumerate(checks(program, samples, folder), 1):
            print(f"{'ok' if holds else 'not ok'} {number} - {what}", flush=True)
    print(f'1..{number}')


main()
