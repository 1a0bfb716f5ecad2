"""Sums by the hour in ClickHouse: the cases of cases.py about `store compact --older-than … --every …`."""
import json
import os
import random
import signal
import subprocess
import threading
import time

HOUR = 3600
LONG_AGO = 1_600_000_000 // HOUR * HOUR  # the beginning of an hour
ROLL = ('--older-than', '7d', '--every', '1h', '--json')
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


def compact(c, source, *words):
    code, out, text = c.run('store', 'compact', source, *(words or ROLL))
    return json.loads(out) if code == 0 else {'code': code, 'text': text}


def functions(c, source, *words):
    code, out, text = c.run('top', source, '--json', '-n', '0', *words)
    body = json.loads(out) if code == 0 else {}
    return (body.get('total'), body.get('functions')) if code == 0 else (code, text)


def aged(c, database):
    """What was added, two hours ago."""
    c.nodes.everywhere('ALTER TABLE profiles UPDATE added = added - 7200 WHERE 1 SETTINGS mutations_sync = 2', database=database)


def rows(c, database, table='profiles'):
    return int(c.nodes.ask(f'SELECT count() FROM {table}_d', database=database))


def test_rollup(c):
    """The same sums as in a file, which count in place of what they stand for."""
    place = os.path.join(c.place, 'rollup')
    os.makedirs(place)
    source, database = c.store()
    files = [written(place, f'{i:02}.folded', stacks(i), LONG_AGO + i // 6 * HOUR + i % 6 * 60) for i in range(24)]
    lite = os.path.join(place, 'lite.ppdb')
    for store in (source, lite):
        for i, path in enumerate(files):
            c.run('store', 'add', store, path, '--label', f'service=s{i % 2}')
    dry = compact(c, source, '--dry-run', *ROLL)
    c.tap.ok(dry.get('rolled') == 0 and rows(c, database) == 24, 'a dry run adds nothing up', dry)
    done, wanted = compact(c, source), compact(c, lite)
    c.tap.ok(done.get('rolled') == 24 and done.get('left') == 8, 'profiles are added up by series and hour', done)
    c.tap.ok((done.get('rolled'), done.get('left')) == (wanted.get('rolled'), wanted.get('left')), 'as many as in a file', f'{done} {wanted}')

    def listed(store):
        code, out, text = c.run('store', 'list', store, '-n', '0', '--json')
        return [{key: value for key, value in one.items() if key not in ('bytes', 'store')} for one in json.loads(out)['profiles']] if code == 0 else text

    c.tap.ok(listed(source) == listed(lite), 'the same sums as in a file', f'{listed(source)}\n{listed(lite)}')
    whole = functions(c, files[0], *files[1:])
    for more in PUSHES:
        c.tap.ok(functions(c, source + more) == whole, f'the same costs {more}', functions(c, source + more))
        for words in (['top', '-n', '0'], ['tree', '-n', '0', '--min', '0'], ['info'], ['callers', 'f3']):
            c.same(words, (source + more, '--where', 'service=s1'), (lite, '--where', 'service=s1'), f'{words[0]} {more} as of the file')
        window = ('--since', f'@{LONG_AGO + HOUR}', '--until', f'@{LONG_AGO + 2 * HOUR}')
        c.tap.ok(functions(c, source + more, *window) == functions(c, files[6], *files[7:12]), f'one hour of it {more}', functions(c, source + more, *window))
    code, added, text = c.add(source, *files, label=['service=s0'])
    c.tap.ok(code == 0 and added['known'] == 12 and added['added'] == 12, 'what is in a sum is known', f'{added} {text}')
    c.run('store', 'remove', source, '--since', f'@{LONG_AGO}')
    c.tap.ok(rows(c, database) == 0, 'sums are removed with what they stand for', rows(c, database))
    code, added, text = c.add(source, *files)
    c.tap.ok(code == 0 and added['added'] == 24, 'and can be added again', f'{added} {text}')
    c.tap.ok(functions(c, source) == whole, 'and count again', functions(c, source))


def test_rollup_again(c):
    """Late arrivals, sums of sums, an hour of grace, and what is never added up."""
    place = os.path.join(c.place, 'again')
    os.makedirs(place)
    source, database = c.store()
    files = [written(place, f'{i:02}.folded', stacks(i), LONG_AGO + i * 900) for i in range(16)]
    c.add(source, *files[:12])
    compact(c, source)
    c.add(source, *files[12:], written(place, 'late.folded', stacks(99), LONG_AGO + 60))
    done = compact(c, source)
    files.append(os.path.join(place, 'late.folded'))
    whole = functions(c, files[0], *files[1:])
    c.tap.ok(done.get('rolled') == 6 and done.get('left') == 4, 'late arrivals are added to their sum', done)
    for more in PUSHES:
        c.tap.ok(functions(c, source + more) == whole, f'and count once {more}', functions(c, source + more))
    daily = compact(c, source, '--older-than', '7d', '--every', '1d', '--json')
    c.tap.ok(daily.get('left') == 1 and functions(c, source + '&push=always') == whole, 'sums of hours become one of the day', daily)
    c.tap.ok(rows(c, database) == 17 + 5 + 1, 'what sums stand for is there for a while', rows(c, database))
    code, _, text = c.run('store', 'check', source)
    c.tap.ok(code == 0, 'the store is sound', text)
    aged(c, database)
    code, _, text = c.run('store', 'gc', source)
    c.tap.ok(code == 0 and rows(c, database) == 1, 'and goes after an hour', f'{rows(c, database)} {text}')
    for table in ('samples', 'blobs'):
        left = int(c.nodes.ask(f'SELECT uniqExact(batch) FROM {table}_d', database=database))
        c.tap.ok(left == 1, f'with its {table}', left)
    c.tap.ok(functions(c, source + '&push=always') == whole and functions(c, source + '&push=never') == whole, 'the sum stays', functions(c, source))
    code, added, text = c.add(source, *files)
    c.tap.ok(code == 0 and added['known'] == len(files), 'nothing is added again', f'{added} {text}')
    code, out, text = c.run('store', 'get', source, '--where', 'format=folded')
    c.tap.ok(code in (0, 2, 3), 'a sum is asked for as an input', f'{code} {text}')
    code, out, text = c.run('store', 'gc', source, '--keep', '30d', '--json')
    c.tap.ok(code == 0 and rows(c, database) == 0, 'old sums go', f'{rows(c, database)} {text}')
    # Others.
    source, _ = c.store()
    kept = [written(place, f'k{i}.folded', stacks(40 + i), LONG_AGO + i) for i in range(2)]
    c.run('store', 'add', source, '--keep', *kept)
    broken = written(place, 'broken.folded', 'main;a 5\nno count\n', LONG_AGO + 5)
    c.add(source, broken)
    called = []
    for name in ('callgrind', 'xdebug', 'nytprof', 'pprof', 'spaa', 'speedscope', 'perf-script', 'otlp'):
        good = os.path.join(c.samples, name, 'good')
        called += sorted(os.path.join(good, one) for one in os.listdir(good))[:4] if os.path.isdir(good) else []
    c.run('store', 'add', source, *called, '--label-from-path', r'(?<kind>[^/]+)/good/')
    wheres = [('--where', 'kind=""')] + [('--where', f'kind="{name}"') for name in sorted({path.split('/')[-3] for path in called})]
    verbs = (['top', '-n', '0'], ['tree', '-n', '0', '--min', '0'])
    before = [c.answer(verb, source, *where)[:2] for where in wheres for verb in verbs]
    done = compact(c, source, '--older-than', '1d', '--every', '3650d', '--json')
    after = [c.answer(verb, source, *where)[:2] for where in wheres for verb in verbs]

    def costs(answer):
        body = answer[1] or {}
        return answer[0], body.get('total'), body.get('functions'), body.get('root')

    different = [(a, b) for a, b in zip(before, after) if costs(a) != costs(b)]
    c.tap.ok('code' not in done and not different, 'of all formats: what is added up costs what it did', f'{done} {str(different)[:1500]}')
    code, out, _ = c.run('store', 'list', source, '-n', '0', '--json', '--where', 'kind=""')
    c.tap.ok(len(json.loads(out)['profiles']) == 3, 'kept and incomplete ones stay', out[:600])
    code, _, text = c.run('store', 'check', source)
    c.tap.ok(code == 0, 'the store is sound', text)


def test_rollup_version(c):
    """A store of version 1 is brought up to date; two that add up give way to each other."""
    place = os.path.join(c.place, 'version')
    os.makedirs(place)
    source, database = c.store()
    files = [written(place, f'{i}.folded', stacks(i), LONG_AGO + i) for i in range(6)]
    c.add(source, *files)
    c.nodes.everywhere('DROP TABLE leases_d', database=database)
    c.nodes.everywhere('DROP TABLE leases', database=database)
    for column in ('members', 'stands_for', 'rolls', 'added'):
        for table in ('profiles_d', 'profiles'):
            c.nodes.everywhere(f'ALTER TABLE {table} DROP COLUMN {column} SETTINGS mutations_sync = 2', database=database)
    c.nodes.everywhere("ALTER TABLE profiles MODIFY COMMENT 'polyprof store 1'", database=database)
    code, _, text = c.run('top', source)
    c.tap.ok(code == 3 and 'store init' in text, 'a store of version 1 says how to go on', f'{code} {text}')
    code, _, text = c.run('store', 'init', source)
    c.tap.ok(code == 0, 'it is brought up to date', f'{code} {text}')
    c.same(['top', '-n', '0'], (source,), files, 'and holds what it did')
    done = compact(c, source)
    c.tap.ok(done.get('rolled') == 6, 'and adds up', done)
    c.nodes.everywhere("ALTER TABLE profiles MODIFY COMMENT 'polyprof store 4'", database=database)
    before = c.nodes.ask('SHOW CREATE TABLE profiles', database=database)
    code, _, text = c.run('store', 'init', source)
    c.tap.ok(code == 3 and 'version' in text and c.nodes.ask('SHOW CREATE TABLE profiles', database=database) == before,
             'one of a later version is left alone', f'{code} {text}')
    source, database = c.store()
    c.add(source, *files)
    c.nodes.ask("INSERT INTO leases_d (batch, holder, seconds) VALUES (0, 'elsewhere/x/1 1 2', 600)", database=database)
    for words in (('compact', source, *ROLL), ('remove', source, '--where', 'format=folded')):
        code, out, text = c.run('store', *words)
        c.tap.ok(code == 4 and 'elsewhere' in text + out.decode(), f'{words[0]} gives way to who adds up elsewhere', f'{code} {out} {text}')
    c.tap.ok(functions(c, source) == functions(c, files[0], *files[1:]), 'and changes nothing', '')
    c.nodes.everywhere('ALTER TABLE leases UPDATE seconds = 1 WHERE seconds > 0 SETTINGS mutations_sync = 2', database=database)
    children = [subprocess.Popen([c.polyprof, 'store', 'compact', source, *ROLL], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=c.environment)
                for _ in range(3)]
    ends = [(child.communicate(), child.returncode) for child in children]
    rolled = sum(json.loads(out)['rolled'] for (out, _), code in ends if code == 0)
    c.tap.ok(all(code == 0 for _, code in ends) and rolled == 6, 'three at once add up once', ends)
    code, _, text = c.run('store', 'check', source)
    c.tap.ok(code == 0 and functions(c, source) == functions(c, files[0], *files[1:]), 'and the store is sound', text)


def test_rollup_kills(c):
    """Whoever adds up is killed, beside one that asks: the whole never changes."""
    place = os.path.join(c.place, 'rollup-kills')
    os.makedirs(place)
    source, database = c.store()
    files = [written(place, f'{i:03}.folded', stacks(i, 8), LONG_AGO + i * 1200) for i in range(60)]
    c.add(source, *files)
    total = functions(c, files[0], *files[1:])[0]
    stop, wrong = threading.Event(), []

    def asking():
        turn = 0
        while not stop.is_set():
            turn += 1
            got = functions(c, source + PUSHES[turn % 3])
            if got[0] != total:
                wrong.append(str(got)[:300])

    reader = threading.Thread(target=asking)
    reader.start()
    kills, lost, chance = int(os.environ.get('POLYPROF_KILLS', '4')), [], random.Random(8)
    for kill in range(kills):
        every = ('1h', '2h', '4h', '12h')[kill * 4 // kills]
        words = ('gc', source) if kill % 5 == 4 else ('compact', source, '--older-than', '7d', '--every', every)
        child = subprocess.Popen([c.polyprof, 'store', *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=c.environment)
        time.sleep(chance.uniform(0.02, 0.6))
        child.send_signal(signal.SIGKILL)
        child.wait()
        code, out, text = c.run('store', 'check', source)
        if code:
            lost.append(f'{kill}: {out} {text}')
        if kill % 4 == 3:
            aged(c, database)
    stop.set()
    reader.join()
    c.tap.ok(not lost, f'{kills} kills while profiles are added up: sound', lost[:3])
    c.tap.ok(not wrong, 'a reader always saw the same whole', wrong[:3])
    done = compact(c, source, '--older-than', '7d', '--every', '1d', '--json')
    c.tap.ok(done.get('left') == 2 and functions(c, source) == functions(c, files[0], *files[1:]), 'in the end all is added up', done)
    code, added, text = c.add(source, *files)
    c.tap.ok(code == 0 and added['known'] == len(files), 'and known', f'{added} {text}')


TESTS = [test_rollup, test_rollup_again, test_rollup_version, test_rollup_kills]
