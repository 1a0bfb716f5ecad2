"""Sums that polyprof 0.1 made in ClickHouse, and what takes profiles away: gc and TTL. Cases of cases.py."""
import gzip
import json
import os
import random
import time

HOUR = 3600
LONG_AGO = 1_600_000_000 // HOUR * HOUR  # the beginning of an hour
OLD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'old', 'clickhouse.tsv.gz')
PUSHES = ('', '&push=always', '&push=never')


def written(place, name, text, when):
    path = os.path.join(place, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.utime(path, (when, when))
    return path


def stacks(seed, n=30):
    source = random.Random(seed)
    return ''.join(f"main;{';'.join(f'f{source.randrange(9)}' for _ in range(source.randrange(1, 7)))} {source.randrange(1, 900)}\n" for _ in range(n))


def functions(c, source, *words):
    code, out, text = c.run('top', source, '--json', '-n', '0', *words)
    body = json.loads(out) if code == 0 else {}
    return (body.get('total'), body.get('functions')) if code == 0 else (code, text)


def rows(c, database, table='profiles'):
    return int(c.nodes.ask(f'SELECT count() FROM {table}_d', database=database))


def old_store(c):
    """A store whose rows polyprof 0.1 wrote, all on one node: 14 profiles, six of them in one sum (tests/store/old/README)."""
    source, database = c.store()
    with gzip.open(OLD) as file:
        tables = file.read().split(b'\n\n')
    for table in tables:
        name, _, data = table.partition(b'\n')
        if name:
            c.nodes.ask(f'INSERT INTO {name.decode()} FORMAT TSVWithNames', data=data + b'\n', database=database)
    return source, database


def test_sums(c):
    """Sums count in place of what they stand for; comparisons refuse them by name; they are removed with what they stand for."""
    source, database = old_store(c)
    place = os.path.join(c.place, 'sums')
    os.makedirs(place)
    begin = 1767607200
    files = [written(place, f'b{i}.folded', f'main;work {100 + i}\nmain;rest 50\n', begin + 60 * i) for i in range(6)]
    files += [written(place, f'a{i}.folded', f'main;work {202 + i}\nmain;rest 50\n', begin + 86400 + 3600 * i) for i in range(2)]
    for more in PUSHES:
        c.tap.ok(functions(c, source + more, '--where', 'service=shop') == functions(c, files[0], *files[1:]), f'each profile counts once {more}', functions(c, source + more))
        for words in (['tree', '-n', '0', '--min', '0'], ['callers', 'work']):
            code, out, text = c.run(words[0], *words[1:], source + more, '--json')
            c.tap.ok(code == 0 and json.loads(out)['store']['profiles'] == 14, f'{words[0]} {more}', f'{code} {text}')
    sides = ('--before', 'version=1', '--after', 'version=2')
    for words in (('diff', *sides), ('gate', *sides, '--fail-if', 'total > 1%'), ('trend',), ('diff', '--by', 'label:version')):
        code, out, text = c.run(words[0], source, *words[1:])
        c.tap.ok(code == 3 and '8b4bec8fc334' in text and words[0] in text, f'{words[0]} refuses the sum by name', f'{code} {text}')
        code, out, text = c.run(words[0], source, *words[1:], '--where', 'service=quiet')
        c.tap.ok(code in (0, 1), f'{words[0]} answers about the rest', f'{code} {text}')
    for words in (('info',), ('list',), ('check',)):
        code, out, text = c.run('store', *words, source)
        c.tap.ok(code == 0 and 'a sum of 6' in text, f'{words[0]} says that there is a sum', f'{code} {out} {text}')
    code, added, text = c.add(source, *files, label=['service=shop', 'version=1'])
    c.tap.ok(code == 0 and added['known'] == 6, 'what is in a sum is known', f'{added} {text}')
    before = rows(c, database)
    code, _, text = c.run('store', 'compact', source)
    c.tap.ok(code == 0 and rows(c, database) <= before - 6, 'compact removes the rows that a sum stands for', f'{before} {rows(c, database)} {text}')
    code, out, text = c.run('store', 'gc', source, '--keep', '1d', '--json')
    c.tap.ok(code == 0 and rows(c, database) == 0, 'gc --keep removes old sums, too', f'{out} {text} {rows(c, database)}')
    source, database = old_store(c)
    c.run('store', 'remove', source, '--where', 'profile=8b4bec8fc334')
    code, out, text = c.run('top', source, '--json')
    c.tap.ok(code == 0 and json.loads(out)['store']['profiles'] == 8, 'a sum is removed with what it stands for', f'{out[:300]} {text}')


def test_retention(c):
    """gc --keep and a TTL take old profiles away, and nothing else."""
    place = os.path.join(c.place, 'retention')
    os.makedirs(place)
    now = int(time.time())
    files = [written(place, f'{days}.folded', f'main;f {days + 1}\n', now - days * 86400) for days in (0, 1, 40, 50)]
    source, _ = c.store()
    c.add(source, *files)
    code, out, text = c.run('store', 'gc', source, '--keep', '30d', '--dry-run', '--json')
    c.tap.ok(code == 0 and json.loads(out)['removed'] == 2 and functions(c, source) == functions(c, files[0], *files[1:]), 'a dry run only counts', f'{out} {text}')
    code, out, text = c.run('store', 'gc', source, '--keep', '30d', '--json')
    c.tap.ok(code == 0 and json.loads(out)['removed'] == 2 and functions(c, source) == functions(c, *files[:2]), 'gc --keep', f'{out} {text}')
    source, database = c.store('&keep=30d')
    made = c.nodes.ask('SHOW CREATE TABLE profiles', database=database)
    c.tap.ok(b'TTL' in made, 'keep= makes a TTL', made)
    c.add(source, *files)
    for table in ('profiles', 'samples', 'blobs'):
        c.nodes.everywhere(f'OPTIMIZE TABLE {table} FINAL', database=database)
    c.tap.ok(functions(c, source) == functions(c, *files[:2]), 'the servers drop what is older', functions(c, source))
    code, _, text = c.run('store', 'check', source)
    c.tap.ok(code == 0, 'and the rest is sound', text)


def test_version(c):
    """A store of version 1 is brought up to date, one of a later version is left alone."""
    place = os.path.join(c.place, 'version')
    os.makedirs(place)
    source, database = c.store()
    files = [written(place, f'{i}.folded', stacks(i), LONG_AGO + i) for i in range(6)]
    c.add(source, *files)
    for column in ('members', 'stands_for', 'rolls', 'added'):
        for table in ('profiles_d', 'profiles'):
            c.nodes.everywhere(f'ALTER TABLE {table} DROP COLUMN {column} SETTINGS mutations_sync = 2', database=database)
    c.nodes.everywhere("ALTER TABLE profiles MODIFY COMMENT 'polyprof store 1'", database=database)
    code, _, text = c.run('top', source)
    c.tap.ok(code == 3 and 'store init' in text, 'a store of version 1 says how to go on', f'{code} {text}')
    code, _, text = c.run('store', 'init', source)
    c.tap.ok(code == 0, 'it is brought up to date', f'{code} {text}')
    c.same(['top', '-n', '0'], (source,), files, 'and holds what it did')
    c.nodes.everywhere("ALTER TABLE profiles MODIFY COMMENT 'polyprof store 4'", database=database)
    before = c.nodes.ask('SHOW CREATE TABLE profiles', database=database)
    code, _, text = c.run('store', 'init', source)
    c.tap.ok(code == 3 and 'version' in text and c.nodes.ask('SHOW CREATE TABLE profiles', database=database) == before,
             'one of a later version is left alone', f'{code} {text}')


TESTS = [test_sums, test_retention, test_version]
