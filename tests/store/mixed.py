#!/usr/bin/env python3
"""What a store of profiles that measure different things leaves out: mixed.py POLYPROF SAMPLES. Speaks TAP.

Each way out that a note names leads to the profiles that it is named for; --label alone selects what --where does, whatever most profiles are;
stacks that cost the same stand in one order, packed or not.
"""
import contextlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402 (needs the path above)
from wire import num, sub, varint  # noqa: E402

polyprof, samples = (os.path.abspath(path) for path in sys.argv[1:3])
KINDS = {'pstats': 'profile.pstats', 'nytprof': 'plain.out', 'otlp': 'all.otlp', 'folded': 'webshop.folded', 'xdebug': '3.2.0-names.xdebug',
         'xhprof': None}
CPU, HEAP = ('samples', 'cpu'), ('alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space')


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL, check=False)


def answer(*words):
    out = run(*words)
    try:
        return out.returncode, json.loads(out.stdout)
    except ValueError:
        return out.returncode, {}


def pprof(types, seed):
    """Fifty stacks of Go methods, of which many cost the same."""
    chance, strings = random.Random(seed), ['']
    at = lambda text: strings.index(text) if text in strings else strings.append(text) or len(strings) - 1  # noqa: E731
    unit = {'cpu': 'nanoseconds', 'alloc_space': 'bytes', 'inuse_space': 'bytes'}
    data = b''.join(sub(1, num(1, at(name)) + num(2, at(unit.get(name, 'count')))) for name in types)
    functions = [f'main.(*{kind}).{name}' for kind in ('conn', 'Tree[...]', 'DB') for name in 'abcdef']
    chance.shuffle(functions)
    for i, name in enumerate(functions, 1):
        data += sub(4, num(1, i) + sub(4, num(1, i) + num(2, 10 * i))) + sub(5, num(1, i) + num(2, at(name)))
    for _ in range(50):
        stack = b''.join(varint(chance.randrange(len(functions)) + 1) for _ in range(chance.randrange(2, 6)))
        data += sub(2, sub(1, stack) + sub(2, b''.join(varint(512 * chance.randrange(1, 4)) for _ in types)))
    return data + b''.join(sub(6, text.encode()) for text in strings) + num(9, 1790000000000000000 + seed)


def made(work):
    """A store with more CPU profiles than of any other kind, each labelled by its kind."""
    store = os.path.join(work, 'mixed.ppdb')
    for seed in range(9):
        path = os.path.join(work, f'{seed}.pb')
        with open(path, 'wb') as file:
            file.write(pprof(HEAP if seed % 3 == 2 else CPU, seed))
        run('store', 'add', store, path, '--label', f'kind={"heap" if seed % 3 == 2 else "cpu"}')
    for kind, name in KINDS.items():
        good = os.path.join(samples, kind, 'good')
        for file in [name] if name else sorted(os.listdir(good)):
            run('store', 'add', store, os.path.join(good, file), '--label', f'kind={kind}')
    return store


def mentioned(text):
    """What a note says is left out: how many, what they have, how to ask for them."""
    note = re.search(r'profiles? (?:is|are) left out: (.*)', text)
    found = re.findall(r'(\d+) (?:has|have) (.*?)(?: \((-m|--where) (\'[^\']*\'|[^)]*)\))?(?:; |$)', note.group(1).replace('; …', '') if note else '')
    return [(int(count), what, [option, value.strip("'")] if option else []) for count, what, option, value in found]


def hints(tap, store, what):
    for words in (['top'], ['top', '-m', 'time'], ['top', '-m', 'wt'], ['top', '-m', 'cpu'], ['top', '-m', 'inuse_space'], ['lines'], ['traces'], ['leaks'],
                  ['diff', '--by', 'label:kind'], ['trend']):
        done = run(words[0], store, *words[1:])
        told = mentioned(done.stderr.decode())
        name = f'{" ".join(words)}, {what}'
        tap.ok(done.returncode == 0 and told, f'{name}: answers, and says what is left out', (done.returncode, done.stderr))
        tap.ok(len(told) == len({(says, *hint) for _, says, hint in told}), f'{name}: each is said once', told)
        asked = words[2] if words[1:2] == ['-m'] else None
        order = [(says.split(', ')[0] != asked, -count) for count, says, _ in told]
        tap.ok(asked or order == sorted(order), f'{name}: most first', told)
        for count, says, hint in told:
            # To compare values of a label takes two of them.
            if not hint or (words[0] == 'diff' and hint[0] == '--where'):
                continue
            rest = words[1:] if '-m' not in words else []
            code, got = answer(words[0], store, *rest, *hint, '--json')
            there = got.get('store', {}).get('profiles', 0)
            tap.ok(code == 0 and there >= count, f'{name}: {" ".join(hint)} gives the {count} with {says}', (code, there))
    code, got = answer('top', store, '-m', 'nosuch', '--json')
    listed = re.findall(r'\d+ (?:has|have) ([^;]*)', got.get('error', {}).get('message', ''))
    tap.ok(code != 0 and len(listed) > 3 and len(listed) == len(set(listed)), f'an unknown metric, {what}: what there is, once', got)


def labels(tap, store, what):
    for kind in ('cpu', 'heap', 'pstats', 'nytprof', 'xdebug', 'otlp'):
        for words in (['top', '-n', '0'], ['tags', '--key', 'kind']):
            of_label, of_where = (answer(words[0], store, *words[1:], *selects, '--json') for selects in (['--label', f'kind={kind}'], ['--where', f'kind={kind}']))
            # Profiles that are merged with these may call the metric by another name.
            costs = [sorted((row.get('name') or row.get('value'), costs.get(got[1]['metric'])) for row in got[1].get('functions') or got[1].get('tags') or []
                            if (costs := row.get('self') or row.get('cost')).get(got[1]['metric'])) for got in (of_label, of_where)]
            tap.ok(of_label[0] == of_where[0] == 0 and costs[0] == costs[1] != [], f'{words[0]} --label kind={kind}, {what}: the profiles that --where selects',
                   (of_label[0], of_label[1].get('metric'), of_where[1].get('metric'), costs))
    code, got = answer('top', store, '--label', 'kind~he', '--json')
    tap.ok(code == 0 and got.get('metric') == 'inuse_space' and got.get('total', 0) > 0, f'a pattern chooses, too, {what}', got.get('metric'))
    code, got = answer('tree', store, '--label', 'kind=heap', '-m', 'cpu', '--json')
    tap.ok(code == 0 and got.get('metric') == 'cpu', f'-m before --label, {what}', (code, got))
    tap.same(run('top', store, '--label', 'kind').returncode, 2, f'a rule that is none, {what}')


def order(tap, store, packed):
    for words in (['leaks', '-n', '0', '--csv'], ['leaks', '-n', '0', '--json'], ['leaks', '-m', 'inuse_objects', '--csv', '-n', '0'], ['leaks']):
        a, b = (run(words[0], there, *words[1:]).stdout.replace(there.encode(), b'') for there in (store, packed))
        tap.ok(a and a == b, f'{" ".join(words)}: one order', (a[:300], b[:300]))
    rows = answer('leaks', store, '-n', '0', '--json')[1].get('leaks', [])
    got = [(-row['bytes'], row['name']) for row in rows]
    tap.ok(len(rows) > 30 and got == sorted(got), 'stacks that hold the same: by name', got[:9])


def told_of_store(tap, store, what):
    """What an answer says of the store is said of the profiles that answer, not of those that are left out."""
    for metric, kind in (('inuse_space', 'heap'), ('wt', 'xhprof')):
        got, wanted = (answer('top', store, *selects, '--json')[1].get('store', {}) for selects in (['-m', metric], ['--where', f'kind={kind}']))
        keys = ('profiles', 'samples', 'series', 'promised')
        tap.same([got.get(key) for key in keys], [wanted.get(key) for key in keys], f'-m {metric}, {what}: as much as --where kind={kind}')


def lacking(tap, store, work):
    """A profile is gone from the store: who compares is told, too."""
    less = os.path.join(work, 'less.ppdb')
    shutil.copy(store, less)
    with contextlib.closing(sqlite3.connect(less)) as db:
        db.execute('DELETE FROM profile WHERE id = 1')
        db.commit()
    for words in (['top'], ['diff', '--by', 'label:kind'], ['diff', '--before', 'kind=cpu', '--after', 'kind=xhprof'], ['trend'],
                  ['gate', '--before', 'kind=cpu', '--after', 'kind=xhprof', '--fail-if', 'total > 1h']):
        tap.same(run(words[0], less, *words[1:]).returncode, 3, f'{" ".join(words)}: an error')
        done = run(words[0], less, *words[1:], '--partial', '--json')
        body = json.loads(done.stdout or '{}')
        tap.ok(done.returncode == 0 and body.get('store', {}).get('complete') is False and b'does not hold all' in done.stderr, f'{" ".join(words)} --partial: of the rest, and says so',
               (done.returncode, body.get('store'), done.stderr))
    tap.ok('complete' not in answer('diff', store, '--by', 'label:kind', '--json')[1].get('store', {}), 'a whole store says nothing')


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        store, packed = made(work), os.path.join(work, 'packed.ppdb')
        with open(store, 'rb') as a, open(packed, 'wb') as b:
            b.write(a.read())
        tap.same(run('store', 'compact', packed).returncode, 0, 'compacted')
        for there, what in ((store, 'fresh'), (packed, 'compacted')):
            hints(tap, there, what)
            labels(tap, there, what)
            told_of_store(tap, there, what)
        order(tap, store, packed)
        lacking(tap, packed, work)
    return tap.done()


sys.exit(main())
