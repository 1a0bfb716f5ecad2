"""What comes between two requests of one command in ClickHouse: a relay before a node stops where it is told to."""
import contextlib
import json
import os
import subprocess
import time
import urllib.error
import urllib.request

from nodes import free_ports, pretended
from sums import LONG_AGO, PUSHES, functions, stacks, written


@contextlib.contextmanager
def relayed(c, source, meet, act, nth=1):
    """The source by way of a relay before its first node, which acts once before it hands on the nth request that has this text."""
    acted, met = [], []

    def answer(path, sql):
        if meet in urllib.request.unquote(path).encode() + sql:
            met.append(None)
            if len(met) == nth:
                acted.append(None)
                acted[0] = act()
        request = urllib.request.Request(f'http://127.0.0.1:{c.nodes.http[0]}{path}', data=sql)
        try:
            with urllib.request.urlopen(request, timeout=60) as said:
                return said.status, said.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    with pretended(answer) as relay:
        yield source.replace(f'127.0.0.1:{c.nodes.http[0]}', relay, 1), acted


def added(c, name, count):
    """A store of some old files of an hour."""
    place = os.path.join(c.place, name)
    os.makedirs(place)
    source, database = c.store()
    files = [written(place, f'{i}.folded', stacks(i), LONG_AGO + i * 60) for i in range(count)]
    c.add(source, *files)
    return source, database, files


def test_race_asked(c):
    """What goes while servers add up is missed."""
    for words, meet in ((('top', '-n', '0'), b'LEFT ARRAY JOIN'), (('tree',), b'GROUP BY stack, metric ORDER')):
        source, _, files = added(c, f'asked-{words[0]}', 4)
        with relayed(c, source, meet, lambda source=source: c.run('store', 'remove', source, '--until', f'@{LONG_AGO + 60}')[0]) as (by, acted):
            code, out, text = c.run(words[0], by + '&push=always', *words[1:], '--json')
        c.tap.ok(acted == [0] and code == 3 and b'total' not in out, f'{words[0]}, of which a part goes meanwhile: exit 3', f'{acted} {code} {out[:300]} {text}')
        c.tap.ok(functions(c, source) == functions(c, *files[1:]), 'and the rest when asked again', '')


@contextlib.contextmanager
def serving(c, source):
    """A server that takes what is pushed into the store: push(bytes) says what became of it, as a status."""
    port = free_ports(1)[0]
    server = subprocess.Popen([c.polyprof, 'serve', '--store', source, '--listen', f'127.0.0.1:{port}'], stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env=c.environment)

    def push(data):
        request = urllib.request.Request(f'http://127.0.0.1:{port}/api/v1/add', data=data)
        for _ in range(200):
            try:
                with urllib.request.urlopen(request, timeout=60) as said:
                    return said.status
            except urllib.error.HTTPError as error:
                return error.code
            except OSError:
                time.sleep(0.05)
        return 0

    try:
        yield push
    finally:
        server.terminate()
        server.wait()


def made_again(c, database, source):
    """The tables are dropped on all servers, and made again; it takes more than the second in which nobody looks."""
    time.sleep(1)
    c.nodes.everywhere(f'DROP DATABASE {database} SYNC')
    return c.run('store', 'init', source)[0]


def sound(c, source, count, what):
    """All stacks are there, and as many profiles."""
    top = [c.run('top', source + more, '--json') for more in PUSHES]
    c.tap.ok(all(code == 0 and json.loads(out)['store']['profiles'] == count for code, out, _ in top), what, [text for *_, text in top])
    code, out, text = c.run('store', 'check', source)
    c.tap.ok(code == 0, 'and the store is sound', f'{code} {out} {text}')


def test_race_made_again(c):
    """Servers that lost what they had while a client goes on: it does not take for granted that they have the stacks it sent."""
    shared = ''.join(f'main;a{k};b 1\n' for k in range(50))
    for one in (False, True):
        source, database = c.store()
        source = f'clickhouse://127.0.0.1:{c.nodes.http[0]}/{database}?timeout=60' if one else source
        with serving(c, source) as push:
            said = [push((shared + f'before{i} 1\n').encode()) for i in range(5)]
            made = made_again(c, database, source)
            said += [push((shared + f'after{i} 1\n').encode()) for i in range(5)]
        c.tap.ok(said == [200] * 10 and made == 0, f'pushes before and after the tables are made again, {"one server" if one else "three"}', f'{said} {made}')
        sound(c, source, 5, 'stacks that had been sent before are there')


def test_race_one_lost(c):
    """The same of one server of three: its tables are made again, or it is started again with an older state of its files."""
    shared = ''.join(f'main;a{k};b 1\n' for k in range(50))

    def dropped(source, database):
        c.nodes.ask(f'DROP DATABASE {database} SYNC', node=2)
        return c.run('store', 'init', source)[0] == 0

    def restored(source, database):
        c.nodes.kill(2)
        c.nodes.start(2)
        for table in ('profiles', 'samples', 'stacks', 'blobs'):
            c.nodes.ask(f'TRUNCATE TABLE {table} SYNC', node=2, database=database)
        c.wait(source)
        return True

    for lose in (dropped, restored):
        source, database = c.store()
        with serving(c, source) as push:
            said = [push((shared + f'before{i} 1\n').encode()) for i in range(9)]
            time.sleep(3)
            made = lose(source, database)
            left = int(c.nodes.ask('SELECT count() FROM profiles_d FORMAT TSV', database=database))
            said += [push((shared + f'after{i} 1\n').encode()) for i in range(9)]
        c.tap.ok(said == [200] * 18 and made, f'pushes before and after one of three servers was {lose.__name__}', f'{said} {made}')
        sound(c, source, left + 9, 'the stacks of all profiles are there')


def test_race_made_ahead(c):
    """Rows that were made before the servers lost what they had are not sent."""
    source, database = c.store()
    place = os.path.join(c.place, 'made-ahead')
    os.makedirs(place)
    files = [written(place, f'{i}.folded', stacks(i), LONG_AGO + i * 60) for i in range(4)]
    with relayed(c, source, b'uptime()', lambda: made_again(c, database, source), nth=2) as (by, acted):
        code, out, text = c.run('store', 'add', by, *files, '--json')
    c.tap.ok(acted == [0] and code == 4 and 'add again' in text and json.loads(out)['added'] == 0, 'tables are made again before rows are sent: exit 4',
             f'{acted} {code} {out} {text}')
    code, added, text = c.add(source, *files)
    c.tap.ok(code == 0 and added['added'] == 4, 'they can be added again', f'{code} {added} {text}')
    sound(c, source, 4, 'and all is there')


def test_race_watched(c):
    """Whoever watches a directory goes on when servers were started again between two files."""
    source, database = c.store()
    place = os.path.join(c.place, 'watched')
    os.makedirs(place)
    watch = subprocess.Popen([c.polyprof, 'store', 'add', source, place, '--watch'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=c.environment)
    seen = []
    for i in range(2):
        written(place, f'{i}.folded', 'main;shared;deep 1\n' + stacks(i), LONG_AGO + i * 60)
        for _ in range(200):
            code, out, _ = c.run('store', 'list', source, '--json')
            seen.append(len(json.loads(out)['profiles']) if code == 0 else -1)
            if seen[-1] > i or watch.poll() is not None:
                break
            time.sleep(0.05)
        if i == 0:
            time.sleep(3)
            c.nodes.kill(1)
            c.nodes.start(1)
            c.wait(source)
    watch.terminate()
    text = watch.communicate()[1].decode()
    c.tap.ok(watch.returncode == 0 and seen[-1] == 2, 'a server is started again while a directory is watched', f'{watch.returncode} {seen} {text}')
    sound(c, source, 2, 'all files are there')


TESTS = [test_race_asked, test_race_made_again, test_race_one_lost, test_race_made_ahead, test_race_watched]
