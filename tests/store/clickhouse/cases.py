#!/usr/bin/env python3
"""Stores in ClickHouse, on three real nodes: cases.py POLYPROF SAMPLES DIRECTORY

Every answer is compared with that about the files themselves; clients and nodes are killed while profiles are added, profiles are
committed twice, rows are deleted behind polyprof's back. The nodes come from npm (nodes.py); without them all of it is
skipped. Speaks TAP.
"""
import glob
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..', '..')]
import extracts
import races
import sums
from nodes import Missing, Nodes, pretended
from tap import Tap, few

# Every command that answers in JSON about one profile, with what it needs to be told.
VERBS = [['top', '-n', '0'], ['info'], ['tree', '-n', '0', '--min', '0'], ['callers', 'main'], ['callees', 'main'], ['lines', '-n', '0'],
         ['traces'], ['tags'], ['check'], ['leaks'], ['findings']]


class Cases:
    def __init__(self, polyprof, samples, nodes, tap, place):
        self.polyprof, self.samples, self.nodes, self.tap, self.place = polyprof, samples, nodes, tap, place
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith('POLYPROF_CLICKHOUSE')}
        self.count = 0
        self.pushed = None  # whether servers added up what was asked last
        self.left_out = 0  # profiles of it that measured other things

    def run(self, *args, **more):
        environment = {**self.environment, **more}
        done = subprocess.run([self.polyprof, *args], capture_output=True, env=environment, timeout=120)
        return done.returncode, done.stdout, done.stderr.decode(errors='replace')

    def wait(self, source):
        """Starts again what has ended until all nodes answer."""
        for _ in range(30):
            self.nodes.mend()
            if self.run('store', 'list', source)[0] == 0:
                break
            time.sleep(0.5)

    def store(self, options=''):
        """A new store."""
        self.count += 1
        source = self.nodes.source(f's{self.count}', options)
        code, _, text = self.run('store', 'init', source)
        self.tap.ok(code == 0, f'store {self.count}', text)
        return source, f's{self.count}'

    def add(self, source, *files, label=()):
        code, out, text = self.run('store', 'add', source, *files, '--json', *(x for pair in label for x in ('--label', pair)))
        return code, json.loads(out) if out else {}, text

    def answer(self, verb, *sources):
        """What a command says in JSON, without what it says of the store; and its exit code."""
        # What a command is about, if anything, comes before the files.
        about = verb[1:2] if verb[0] in ('callers', 'callees', 'peek') else []
        code, out, text = self.run(verb[0], *about, *sources, *verb[1 + len(about):], '--json')
        try:
            body = json.loads(out) if out else None
        except ValueError:
            body = out
        if isinstance(body, dict):
            store = body.pop('store', {})
            self.pushed, self.left_out = store.get('pushed'), store.get('left_out', 0)
            # What tells contents apart is a time of the file, or a hash; an error names what was asked about.
            body.pop('stamp', None)
            body.pop('notes', None)
            if isinstance(body.get('error'), dict):
                body['error'].pop('file', None)
                # Of a store it is also told how to ask without what does not fit.
                body['error']['message'] = body['error']['message'].split('; --where selects others')[0]
        return code, body, text

    def same(self, verb, selected, files, what, pushed=None):
        got = self.answer(verb, *selected)
        was = self.pushed
        wanted = self.answer(verb, *files)
        self.tap.ok(got[:2] == wanted[:2] and pushed in (None, was), what, f'{got[0]} {json.dumps(got[1])[:1200]} {got[2][:300]}\n'
                                                 f'{wanted[0]} {json.dumps(wanted[1])[:1200]} {wanted[2][:300]}')


def folded(place, name, seed, stacks=40, names=12):
    """A file of random stacks."""
    source = random.Random(seed)
    path = os.path.join(place, name)
    with open(path, 'w') as file:
        for _ in range(stacks):
            stack = ';'.join(f'fun{source.randrange(names)}' for _ in range(source.randrange(1, 9)))
            file.write(f'{stack} {source.randrange(1, 1000)}\n')
    return path


def test_samples(c):
    """Every sample of every format by itself, with some commands in turn; and those of a format merged."""
    source, _ = c.store()
    formats = {}
    for path in sorted(glob.glob(os.path.join(c.samples, '*', 'good', '*'))):
        if os.path.isfile(path):
            formats.setdefault(path.split('/')[-3], []).append(path)
    everything = [path for paths in formats.values() for path in paths]
    code, out, text = c.run('store', 'add', source, *everything, '--label-from-path', r'(?<sample>[^/]+/good/[^/]+)$', '--json')
    added = json.loads(out) if out else {}
    c.tap.ok(code == 0 and added.get('refused') == [] and added.get('added', 0) + added.get('known', 0) >= len(everything) * 0.95,
             f'{len(everything)} samples are added', f'{code} {added} {text}')
    turn = 0
    # What the store says of a profile by its label is no part of the file.
    verbs = [[*verb, '--key', 'event'] if verb == ['tags'] else verb for verb in VERBS]
    for path in few(everything, 48):
        sample = '/'.join(path.split('/')[-3:])
        verb = verbs[turn % len(verbs)]
        c.same(verb, (source, '--where', f'sample="{sample}"'), (path,), f'{verb[0]} of {sample}')
        turn += 1
    # A store is merged in the order of time, then of hashes.
    code, out, text = c.run('store', 'list', source, '-n', '0', '--json')
    order = [profile['labels']['sample'] for profile in reversed(json.loads(out)['profiles'])]
    for name in few(sorted(formats), 9):
        mine = [sample for sample in order if sample.startswith(f'{name}/good/')]
        files = [os.path.join(c.samples, sample) for sample in mine]
        where = 'sample in (' + ','.join(f'"{sample}"' for sample in mine) + ')'
        wanted = c.answer(['top', '-n', '0'], *files)
        got = c.answer(['top', '-n', '0'], source, '--where', where)
        # Files that measure different things are refused; of a store those that measure the same answer.
        fine = got[0] == 0 and c.left_out > 0 if wanted[0] == 3 else got[:2] == wanted[:2]
        c.tap.ok(fine, f'all samples of {name}, merged or left out', f'{c.left_out} {got} {wanted}'[:3000])
    code, _, text = c.run('store', 'check', source)
    c.tap.ok(code == 0, 'the store is sound', text)


def test_pushed(c):
    """Answers that the servers add up are those about the merged files."""
    source, _ = c.store()
    place = os.path.join(c.place, 'pushed')
    os.makedirs(place)
    files = [folded(place, f'{i:02}.folded', i) for i in range(24)]
    odd = os.path.join(place, 'odd.folded')
    with open(odd, 'wb') as file:
        file.write(b"a'b\\c\"`;x\xff\xfe;\\x1f\x1ff;') 3\nSELECT 1; DROP TABLE profiles;--;f1 7\n\xe2\x82\xac;f2 9\nf1;f1;f1 5\nf3;f1;f3 0\n")
    files.append(odd)
    code, added, text = c.add(source, *files, label=['service=s'])
    c.tap.ok(code == 0 and added.get('added') == 25, 'files to be added up', f'{added} {text}')
    by_servers = [['top', '-n', '0'], ['tree', '-n', '0', '--min', '0'], ['tree'], ['callers', 'fun1'], ['callees', 'fun1'], ['peek', 'fun2'],
                  ['top', '--focus', 'fun1']]
    for verb in [*by_servers, ['info'], ['traces'], ['findings']]:
        c.same(verb, (source + '&push=always',), files, f'{" ".join(verb)}, push=always', True if verb in by_servers else None)
    for verb in by_servers[:3]:
        c.same(verb, (source + '&push=never',), files, f'{" ".join(verb)}, push=never', False)
    # Of what costs most only a part: the whole stays what it is, and what is left out is said.
    for verb in (['top'], ['tree', '--min', '0']):
        code, out, text = c.run(verb[0], source + '&push=always', *verb[1:], '-n', '0', '--max-nodes', '5', '--json')
        body = json.loads(out) if code == 0 else {}
        _, everything, _ = c.answer([*verb, '-n', '0'], *files)
        c.tap.ok(body.get('total') == everything['total'] and body.get('store', {}).get('cut', 0) > 0 and
                 (verb[0] == 'tree' or (len(body['functions']) == 5 and all(row in everything['functions'] for row in body['functions']))),
                 f'{verb[0]} --max-nodes 5', f'{code} {text} {str(body)[:600]}')
    code, _, text = c.run('flame', source + '&push=always', '-o', f'{place}/a.svg')
    other = c.run('flame', *files, '--merge', '-o', f'{place}/b.svg')
    c.tap.ok(code == 0 and other[0] == 0 and open(f'{place}/a.svg').read() == open(f'{place}/b.svg').read(), 'flame, push=always',
             text + other[2])


def test_where(c):
    """Random expressions select the same profiles from SQLite and from ClickHouse."""
    source, _ = c.store()
    sqlite = os.path.join(c.place, 'where.ppdb')
    place = os.path.join(c.place, 'where')
    os.makedirs(place)
    chance = random.Random(7)
    keys = {'service': ['web', 'db', 'a b', "o'x", ''], 'host': ['a1', 'a2', 'b"1', 'b\\2'], 'version': ['1.0', '2.0', 'é']}
    for i in range(30):
        path = folded(place, f'{i}.folded', 1000 + i, stacks=2)
        label = [f'{key}={chance.choice(values)}' for key, values in keys.items() if chance.random() < 0.8]
        for store in (source, sqlite):
            code, _, text = c.add(store, path, label=label)
            if code:
                c.tap.ok(False, f'adding to {store}', text)

    def quoted(text):
        return '"' + text.replace('\\', '\\\\').replace('"', '\\"') + '"'

    def expression(depth):
        kind = chance.randrange(8 if depth else 5)
        key = chance.choice([*keys, 'nowhere'])
        value = quoted(chance.choice(keys.get(key, ['x'])))
        if kind < 2:
            return f'{key}{chance.choice(["=", "!="])}{value}'
        if kind == 2:
            return f'{key}{chance.choice(["~", "!~"])}{quoted(chance.choice(["^a", "1$", ".", "^$", "[wd]b?", "x|e"]))}'
        if kind == 3:
            return f'{key} in ({value},{quoted("2.0")})'
        if kind == 4:
            return chance.choice(['format=folded', 'complete=true', 'complete!=true', f'profile={chance.randrange(1 << 32):08x}', 'not format~"f"'])
        if kind == 5:
            return f'not ({expression(depth - 1)})'
        return f'({expression(depth - 1)} {chance.choice(["and", "or"])} {expression(depth - 1)})'

    wrong, sizes = [], set()
    most = 200 if os.environ.get('POLYPROF_ALL') else 60
    for _ in range(most):
        where = expression(3)
        found = []
        for store in (source, sqlite):
            code, out, text = c.run('store', 'list', store, '--where', where, '-n', '0', '--json')
            found.append((code, [p['id'] for p in json.loads(out)['profiles']] if code == 0 else text))
        sizes.add(len(found[0][1]))
        if found[0] != found[1] or found[0][0]:
            wrong.append((where, found))
    c.tap.ok(not wrong and len(sizes) > 5, f'{most} random --where select the same from both engines', f'{len(wrong)}: {wrong[:2]}')
    hostile = "x') OR 1=1 --"
    for where in (f'service="{hostile}"', 'service=`', "service='"):
        code, out, _ = c.run('store', 'list', source, '--where', where, '--json')
        c.tap.ok(code == 2 or json.loads(out) == {'profiles': []}, f'{where} is an expression or nothing', out[:300])


def test_days(c):
    """Recordings of many days at once, and windows of time that select the same from both engines."""
    source, _ = c.store()
    sqlite = os.path.join(c.place, 'days.ppdb')
    place = os.path.join(c.place, 'days')
    os.makedirs(place)
    day, first = 86400, 1700000000
    for i in range(130):
        os.utime(folded(place, f'{i:03}.folded', 2000 + i, stacks=1), (first + i * day,) * 2)
    for store in (source, sqlite):
        code, added, text = c.add(store, place)
        c.tap.ok(code == 0 and added.get('added') == 130, 'recordings of 130 days', f'{added} {text}')
    for window in (['--since', f'@{first + 30 * day}'], ['--until', f'@{first + 30 * day}'],
                   ['--between', f'@{first + 9 * day}..@{first + 20 * day + 1}'], ['--since', '1d'], ['--between', '1960-01-01T00:00:00Z..@1']):
        found = [c.run('store', 'list', store, *window, '-n', '0', '--json') for store in (source, sqlite)]
        lists = [[p['id'] for p in json.loads(out)['profiles']] if code == 0 else text for code, out, text in found]
        c.tap.ok(lists[0] == lists[1], f'{" ".join(window)}: {len(lists[0])} from both engines', lists)


def reader(c, source, stop, wrong):
    """Asks until it is told to stop: every profile costs 1,000, so that half of one would be seen."""
    while not stop.is_set():
        code, out, text = c.run('top', source, '--json', '-n', '0')
        body = json.loads(out) if out else {}
        if code == 0 and (body['total'] % 1000 or body['total'] // 1000 != body['store']['profiles']):
            wrong.append(body['store'] | {'total': body['total']})
        elif code not in (0, 3) or (code == 3 and 'no profile' not in text):
            wrong.append(f'{code} {text}')


def test_killed_upkeep(c):
    """Clients that are killed while they add, take away and clean up, beside one that asks."""
    source, _ = c.store()
    place = os.path.join(c.place, 'upkeep')
    os.makedirs(place)
    chance, files, now = random.Random(4), {}, int(time.time())
    for i in range(12):
        path = os.path.join(place, f'{i:02}.folded')
        with open(path, 'w') as file:
            file.write(f'main;fun{i % 5} 400\nmain;fun{i % 3};own{i} 600\n')
        os.utime(path, (now - (90 if i % 3 == 0 else 1) * 86400,) * 2)
        files[path] = i % 3 == 0
    stop, wrong = threading.Event(), []
    asking = threading.Thread(target=reader, args=(c, source, stop, wrong))
    asking.start()
    kills, lost = int(os.environ.get('POLYPROF_KILLS', '3')), []
    for kill in range(kills):
        words = (('add', source, place), ('gc', source, '--keep', '30d'), ('compact', source))[kill % 3]
        child = subprocess.Popen([c.polyprof, 'store', *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=c.environment)
        time.sleep(chance.uniform(0.005, 0.3))
        child.send_signal(signal.SIGKILL)
        child.wait()
        code, out, text = c.run('store', 'check', source)
        if code:
            lost.append(f'{code} {out} {text}')
        if kill % 3 == 0:  # what was acknowledged: nothing that is young may go
            code, _, text = c.run('store', 'add', source, place)
            code, out, _ = c.run('top', source, '--json')
            if json.loads(out)['total'] != 1000 * len(files):
                lost.append(f'{kill}: {out[:300]}')
        elif json.loads(c.run('top', source, '--json', '--since', '30d')[1])['total'] != 1000 * sum(not old for old in files.values()):
            lost.append(f'{kill}: a young one is gone')
    stop.set()
    asking.join()
    c.tap.ok(not lost, f'{kills} kills of add, gc and compact: nothing lost, nothing twice, sound', lost[:3])
    c.tap.ok(not wrong, 'a reader saw whole profiles only', wrong[:3])
    codes = [c.run('store', *words)[0] for words in (('gc', source, '--keep', '30d'), ('compact', source), ('check', source))]
    c.tap.ok(codes == [0, 0, 0], 'gc, compact and check end well', codes)
    c.same(['top', '-n', '0'], (source,), sorted(path for path, old in files.items() if not old), 'what is left')
    code, added, text = c.add(source, place)
    c.tap.ok((added.get('added'), added.get('known')) == (4, 8), 'what was taken away can be added again', f'{added} {text}')
    c.same(['top', '-n', '0'], (source + '&push=always',), sorted(files), 'and has its stacks')


def test_shared(c):
    """Stacks that a server got from a client once are not sent again, and no profile lacks one."""
    source, database = c.store()
    place = os.path.join(c.place, 'shared')
    os.makedirs(place)
    files = []
    for i in range(30):
        files.append(os.path.join(place, f'{i:02}.folded'))
        with open(files[-1], 'w') as file:
            file.writelines(f'main;a{k};b{k % 7};c 1{i}\n' for k in range(200))
    code, added, text = c.add(source, *files)
    rows = sum(int(n) for n in c.nodes.everywhere('SELECT count() FROM stacks FORMAT TSV', database=database))
    c.tap.ok(code == 0 and added.get('added') == 30 and rows <= 600, '200 stacks of 30 profiles on three servers: no more than 600 rows', f'{rows} {text}')
    c.same(['tree', '-n', '0', '--min', '0'], (source + '&push=always',), files, 'all stacks are there')
    code, out, text = c.run('store', 'info', source, '--sql')
    sql = out.decode().split('-- all samples')[1].split('\n', 1)[1].split(';\n')[0]
    table = c.nodes.ask(sql + ' FORMAT Parquet')
    c.nodes.ask('CREATE TABLE read_back (frames Array(String), value Int64) ENGINE = Memory', database=database)
    c.nodes.ask('INSERT INTO read_back FORMAT Parquet', data=table, database=database)
    sums = c.nodes.ask('SELECT f, sum(value) FROM read_back ARRAY JOIN arrayDistinct(frames) AS f GROUP BY f FORMAT TSV', database=database).decode()
    _, top, _ = c.answer(['top', '-n', '0'], *files)
    c.tap.ok(table[:4] == b'PAR1' and {name: int(n) for name, n in (line.split('\t') for line in sums.splitlines())} ==
             {row['name']: row['total']['samples'] for row in top['functions']}, 'a table of all samples as Parquet has the sums of top', sums[:500])
    code, _, text = c.run('store', 'check', source)
    c.tap.ok(code == 0, 'the store is sound', text)


def test_large(c):
    """A profile whose rows are more than are kept is sent as it is read, between others."""
    source, _ = c.store()
    place = os.path.join(c.place, 'large')
    os.makedirs(place)
    files = [folded(place, f'{i}.folded', 500 + i) for i in range(3)]
    with open(files[1], 'w') as file:
        file.writelines(f'main;{"long" * 100}{k % 50};f{k} {k + 1}\n' for k in range(30000))
    code, added, text = c.add(source, *files)
    c.tap.ok(code == 0 and added.get('added') == 3, 'a large profile between small ones', f'{added} {text}')
    c.same(['top', '-n', '0'], (source + '&push=always',), files, 'all of it is there')


def test_trend(c):
    """Trends and comparisons of a store are those of SQLite, and those that servers add up byte for byte the others."""
    source, database = c.store()
    sqlite, place = os.path.join(c.place, 'trend.ppdb'), os.path.join(c.place, 'trend')
    os.makedirs(place)
    for host in 'ab':
        files = []
        for i in range(16):
            files.append(os.path.join(place, f'{host}{i:02}.folded'))
            with open(files[-1], 'w') as file:
                file.write(f'main;load {60 + i % 3}\nmain;parse;scan {20 + i % 2 if i < 8 or host == "a" else 70 + i % 2}\nmain;write {i + 1}\n')
            os.utime(files[-1], (1700000000 + 3600 * i,) * 2)
        for store in (source, sqlite):
            c.add(store, *files, label=[f'host={host}'])
    odd = os.path.join(place, 'odd.folded')
    with open(odd, 'wb') as file:
        file.write(b"main;x\xff\xfe;main;x\xff\xfe 3\nmain;') 7\nscan;scan;scan 5\nmain;idle 0\n")
    large = os.path.join(place, 'large.folded')
    with open(large, 'w') as file:
        file.write('main;scan 9223372036854775807\nmain;load 9\n')
    for store in (source, sqlite):
        # Recursion, bytes that are no text; two metrics; and a profile that servers cannot add up.
        c.add(store, odd, large, label=['host=c'])
        for run in 'xy':
            c.add(store, os.path.join(c.samples, 'pprof', 'good', 'plain.pb'), label=['host=d', f'run={run}'])
            # Events without stacks: cost that belongs to no function.
            c.add(store, os.path.join(c.samples, 'perf-script', 'good', 'fp.eventonly.txt.gz'), label=['host=e', f'run=no-stack-{run}'])
    by_servers = (['trend', '--by', 'host', '--where', 'host in (a,b)'], ['trend', '--function', 'scan', '--by', 'host', '--every', '2h'], ['trend', '--where', 'host=c'],
                  ['diff', '--before', 'host=a', '--after', 'host=b'], ['diff', '--before', 'host=c', '--after', 'host=a', '-n', '0'],
                  ['diff', '--by', 'label:host', '--where', 'host in (a,b,c)'], ['diff', '--before', 'run=x', '--after', 'run=y', '-m', 'samples'])
    for words in (*by_servers, ['diff', '--before', 'run=x', '--after', 'run=y', '--normalize', 'time'],
                  ['diff', '--before', 'run=no-stack-x', '--after', 'run=no-stack-y'], ['merge', '--to', 'folded', '--where', 'host in (a,b)']):
        answers = [c.run(words[0], store, *words[1:], *(() if words[0] == 'merge' else ('--json',))) for store in (f'{source}&push=always', f'{source}&push=never', sqlite)]
        bodies = [json.loads(out) if out[:1] == b'{' else out for _, out, _ in answers]
        pushed = [body.pop('store', {}).get('pushed') if isinstance(body, dict) else None for body in bodies]
        plain = [out.replace(b'push=always', b'push=never').replace(b'"pushed": true', b'"pushed": false') for _, out, _ in answers]
        for body in bodies:
            if isinstance(body, dict):
                for key in ('stamp', 'notes', 'before', 'after', 'file', 'files', 'error'):
                    body.pop(key, None)
        c.tap.ok(len({answer[0] for answer in answers}) == 1 and plain[0] == plain[1] and plain[0] and bodies[1] == bodies[2],
                 f'{" ".join(words)}: as SQLite answers, whoever adds up', f'{answers[0]} {answers[1]} {answers[2]}'[:2500])
        if words in by_servers:
            c.tap.ok(pushed[:2] == [True, False], f'{" ".join(words)}: added up by the servers', pushed)
    c.nodes.everywhere('TRUNCATE TABLE stacks', database=database)
    code, out, text = c.run('diff', f'{source}&push=always', '--before', 'host=a', '--after', 'host=b', '--json')
    c.tap.ok(code == 3 and 'not in the store' in text, 'stacks that are gone are no smaller numbers', f'{code} {text} {out[:300]}')


def test_kills(c):
    """Clients and nodes that die while profiles are added: nothing is lost, nothing counts twice."""
    source, _ = c.store()
    place = os.path.join(c.place, 'kills')
    os.makedirs(place)
    files = [folded(place, f'{i:02}.folded', 50 + i) for i in range(20)]
    chance = random.Random(3)
    seen = 0
    for kill in range(int(os.environ.get('POLYPROF_KILLS', '5'))):
        files.append(folded(place, f'new{kill}.folded', 300 + kill))
        child = subprocess.Popen([c.polyprof, 'store', 'add', source, place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 env=c.environment)
        time.sleep(chance.uniform(0.005, 0.25))
        child.send_signal(signal.SIGKILL)
        child.wait()
        code, out, text = c.run('store', 'list', source, '-n', '0', '--json')
        now = len(json.loads(out)['profiles']) if code == 0 else -1
        if code or now < seen:
            c.tap.ok(False, 'a client was killed', f'{code} {now} {seen} {text}')
        seen = now
    def named(text):
        """Whether a node that has ended is named as the source names it; others may have followed the one that was killed."""
        dead = [i for i, process in enumerate(c.nodes.running) if process.poll() is not None]
        return any(f'127.0.0.1:{c.nodes.http[i]}: ' in text for i in dead)

    # The one that is asked first, and another.
    for node in (0, 1):
        c.nodes.kill(node)
        code, _, text = c.run('store', 'add', source, place)
        c.tap.ok(code == 4 and named(text), 'a dead node: adding fails and names it', f'{code} {text}')
        for verb in (['top'], ['info'], ['tree']):
            code, out, text = c.run(verb[0], source, '--json')
            c.tap.ok(code == 3 and named(text) and b'total' not in out, f'and so does {verb[0]}', f'{code} {text} {out[:100]}')
        c.nodes.start(node)
        c.wait(source)
    # A node may end some time after another one did, with which it was answering: what has ended is started again, and adding again is right.
    codes = []
    for _ in range(6):
        c.nodes.mend()
        children = [subprocess.Popen([c.polyprof, 'store', 'add', source, place], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                                     env=c.environment) for _ in range(2)]
        codes = [(child.communicate()[1], child.returncode) for child in children]
        if all(code == 0 for _, code in codes):
            break
        time.sleep(1)
    c.tap.ok(all(code == 0 for _, code in codes), 'two clients add the same files', codes)
    c.same(['top', '-n', '0'], (source,), files, 'after all that each profile counts once')
    c.same(['top', '-n', '0'], (source + '&push=always',), files, 'also where servers add up')
    code, _, text = c.run('store', 'check', source)
    c.tap.ok(code == 0, 'and the store is sound', text)
    return source, files


def test_behind(c):
    """What happens behind polyprof's back is seen."""
    source, database = c.store()
    place = os.path.join(c.place, 'behind')
    os.makedirs(place)
    files = [folded(place, f'{i}.folded', 80 + i) for i in range(6)]
    c.add(source, *files)
    columns = c.nodes.ask("SELECT arrayStringConcat(groupArray(name), ',') FROM system.columns WHERE table = 'profiles' AND "
                          f"database = '{database}' AND name != 'batch'").decode().strip()
    # Every profile committed a second time, with rows of its own.
    for table, kept in (('samples', None), ('blobs', None), ('profiles', columns)):
        names = kept or c.nodes.ask("SELECT arrayStringConcat(groupArray(name), ',') FROM system.columns WHERE table = "
                                    f"'{table}' AND database = '{database}' AND name != 'batch'").decode().strip()
        c.nodes.everywhere(f'INSERT INTO {table} (batch,{names}) SELECT batch + 1,{names} FROM {table}', database=database)
    c.same(['top', '-n', '0'], (source,), files, 'profiles that were committed twice count once')
    c.same(['top', '-n', '0'], (source + '&push=always',), files, 'also where servers add up')
    c.nodes.everywhere('ALTER TABLE samples DELETE WHERE value < 200 SETTINGS mutations_sync = 2', database=database)
    code, out, text = c.run('top', source, '--json')
    c.tap.ok(code == 3 and 'promised' in text and b'functions' not in out, 'rows that were deleted: exit 3 with the numbers', f'{code} {text} {out[:200]}')
    code, _, text = c.run('store', 'check', source)
    c.tap.ok(code != 0 and 'promised' in text, 'check says so, too', f'{code} {text}')
    code, out, text = c.run('top', source, '--partial', '--json')
    body = json.loads(out) if code == 0 else {}
    c.tap.ok(body.get('complete') is False and body['store']['samples'] < body['store']['promised'], '--partial: what is left, said to be so',
             f'{code} {text} {out[:300]}')
    source, database = c.store()
    c.add(source, *files)
    c.nodes.everywhere('ALTER TABLE stacks DELETE WHERE length(frames) > 5 SETTINGS mutations_sync = 2', database=database)
    for verb in ('top', 'tree'):
        code, out, text = c.run(verb, source + '&push=always', '--json')
        c.tap.ok(code == 3 and 'stack' in text, f'stacks that were deleted: {verb}, exit 3', f'{code} {text} {out[:200]}')
    source, database = c.store()
    c.add(source, *files)
    c.nodes.everywhere("ALTER TABLE stacks UPDATE leaf = 'nobody' WHERE length(frames) > 5 SETTINGS mutations_sync = 2", database=database)
    code, out, text = c.run('top', source + '&push=always', '--json')
    c.tap.ok(code == 3 and 'promised' in text, 'stacks that were changed: exit 3', f'{code} {text} {out[:200]}')
    code, out, text = c.run('trend', source + '&push=always', '--json')
    c.tap.ok(code == 3 and b'steps' not in out, 'also of a trend', f'{code} {text} {out[:200]}')
    source, database = c.store()
    c.add(source, *files)
    c.nodes.everywhere('ALTER TABLE blobs DELETE WHERE 1 SETTINGS mutations_sync = 2', database=database)
    code, out, text = c.run('info', source, '--json')
    c.tap.ok(code == 3 and b'metrics' not in out, 'inputs that were deleted: exit 3', f'{code} {text}')
    whole = json.loads(c.run('top', *files, '--json', '-n', '0')[1])
    for more in ('', '&push=always', '&push=never'):
        for words, part in ((['top', '-n', '0'], 'functions'), (['tree'], 'total'), (['info'], 'metrics')):
            code, out, text = c.run(words[0], source + more, '--json', '--partial', *words[1:])
            body = json.loads(out) if code == 0 else {}
            said = [one['complete'] for one in body.get('files', [body]) if one]
            c.tap.ok(said and not any(said) and (part == 'metrics' or body[part] == whole[part]),
                     f'--partial{more}: {words[0]} of what the rows tell', f'{code} {text} {out[:300]}')
    code, out, text = c.run('top', source + '&where=format=folded', '--json', '--partial', '--time', '0..50%')
    c.tap.ok(code == 3 or json.loads(out).get('complete') is False, 'what rows do not tell is not made up', f'{code} {text} {out[:300]}')
    c.nodes.everywhere("ALTER TABLE profiles MODIFY COMMENT 'polyprof store 4'", database=database)
    code, out, text = c.run('store', 'list', source)
    c.tap.ok(code == 3 and 'version' in text, 'a store of a later version: exit 3', f'{code} {text}')


def test_remove(c):
    source, _ = c.store()
    place = os.path.join(c.place, 'remove')
    os.makedirs(place)
    files = [folded(place, f'{i}.folded', 90 + i) for i in range(4)]
    for i, path in enumerate(files):
        c.add(source, path, label=[f'n={i}'])
    code, out, text = c.run('store', 'remove', source, '--where', 'n=2')
    c.tap.ok(code == 0, 'a profile is removed', text)
    c.same(['top', '-n', '0'], (source,), files[:2] + files[3:], 'the others stay')
    code, added, text = c.add(source, files[2], label=['n=2'])
    c.tap.ok(code == 0 and added['added'] == 1, 'it can be added again', f'{added} {text}')
    c.same(['top', '-n', '0'], (source,), files, 'and counts again')
    code, out, text = c.run('store', 'info', source, '--sql')
    c.tap.ok(code == 0 and b'CREATE TABLE' in out and b'Distributed' in out, 'the SQL is told', text)
    removed = []

    def relayed(path, sql):
        """The audit comes when a profile of those that were listed has gone."""
        if b'kind' in sql and not removed:
            removed.append(c.run('store', 'remove', source, '--where', 'n=1')[0])
        request = urllib.request.Request(f'http://127.0.0.1:{c.nodes.http[0]}{path}', data=sql)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    with pretended(relayed) as host:
        code, out, text = c.run('store', 'check', f"clickhouse://{host}/{source.split('/', 3)[3]}", '--json')
    c.tap.ok(code == 0 and removed == [0] and json.loads(out)['checked'] == 3, 'what goes while the store is checked is no problem', f'{removed} {code} {out} {text}')


def test_sources(c):
    """Sources that make no sense, servers that do not do, passwords that nobody sees."""
    host = f'127.0.0.1:{c.nodes.http[0]}'
    for source, code, words in ((f'clickhouse://{host}', 2, 'database'), (f'clickhouse://u:geheim@{host}/x', 2, 'password'),
                                (f'clickhouse://{host}/x?color=1', 2, 'option'), (f'clickhouse://{host}/x?secure=1', 3, 'TLS'),
                                (f'clickhouse://{host}/x?schema=other', 2, 'schema'), ('clickhouse://127.0.0.1:1/x', 3, '127.0.0.1:1'),
                                (f'clickhouse://{host}/nowhere', 3, 'nowhere'), (f'clickhouse://{host}/default', 3, 'init'),
                                ('clickhouse://[::1/x', 2, 'host')):
        got, out, text = c.run('top', source)
        c.tap.ok(got == code and words in text and 'geheim' not in text and not out, f'{source}: exit {code}', f'{got} {text}')
    got, out, text = c.run('top', f'clickhouse://nobody@{host}/x', POLYPROF_CLICKHOUSE_PASSWORD='geheim')
    c.tap.ok(got == 3 and 'geheim' not in text, 'a wrong password is not printed', f'{got} {text}')

    asked = []

    def old(path, sql):
        asked.append(path)
        return 200, b'\x0718.16.1'

    with pretended(old) as host:
        got, out, text = c.run('store', 'init', f'clickhouse://{host}/x')
    c.tap.ok(got in (3, 4) and '18.16.1' in text and '23.8' in text and len(asked) == 1, 'an old server is refused before any DDL', f'{got} {text} {asked}')


def test_full(c):
    """A server without room: exit 4 that says so."""
    def full(path, sql):
        if 'INSERT' in path:
            return 500, b'Code: 243. DB::Exception: Cannot reserve 1.00 MiB, not enough space. (NOT_ENOUGH_SPACE)'
        return 200, b'\x0826.7.2.1' if b'version()' in sql else b'\x10polyprof store 3\x08profiles' if b'comment' in sql else b''

    place = os.path.join(c.place, 'full')
    os.makedirs(place)
    with pretended(full) as host:
        code, out, text = c.run('store', 'add', f'clickhouse://{host}/x', folded(place, 'a.folded', 1), '--json')
    c.tap.ok(code == 4 and 'not enough space' in text and json.loads(out)['added'] == 0, 'no room: exit 4', f'{code} {out} {text}')


def test_known_beside_new(c):
    """What a profile that is there shares with a new one is sent: servers may have taken it away with what a sum stands for."""
    sent = {}

    def knows_the_first(path, sql):
        path = urllib.request.unquote(path).replace('+', ' ')
        if 'INSERT INTO ' in path:
            table = path.split('INSERT INTO ')[1].split()[0]
            sent[table] = sent.get(table, b'') + sql
        if b'uptime()' in sql:
            return 200, bytes(40)
        if b'id IN (' in sql:
            return 200, int(re.search(rb"toUInt128\('(\d+)'\)", sql)[1]).to_bytes(16, 'little')
        return 200, b'\x0826.7.2.1' if b'version()' in sql else b'\x10polyprof store 3\x08profiles' if b'comment' in sql else b''

    place = os.path.join(c.place, 'beside')
    os.makedirs(place)
    for name in 'ab':
        with open(os.path.join(place, name + '.folded'), 'w') as out:
            out.write(f'main;shared {1 + (name == "b")}\n')
    with pretended(knows_the_first) as host:
        code, out, text = c.run('store', 'add', f'clickhouse://{host}/x', place, '--json')
    c.tap.ok(code == 0 and json.loads(out) == {'added': 1, 'known': 1, 'refused': []}, 'one is there, one is new', f'{code} {out} {text}')
    c.tap.ok('samples' in sent and b'shared' in sent.get('stacks', b''), 'the new one has its stack', f'{sent}')


def test_damage(c):
    """Damage is named by id and labels; --partial reads inputs where servers lost rows; no id that is short or nobody's removes anything."""
    source, database = c.store()
    place = os.path.join(c.place, 'damage')
    os.makedirs(place)
    files = [folded(place, f'{i}.folded', 60 + i) for i in range(6)]
    for i, path in enumerate(files):
        c.add(source, path, label=[f'n={i}'])
    ids = [one['id'] for one in json.loads(c.run('store', 'list', source, '--json')[1])['profiles']]
    for words in (('remove', ids[0][:3]), ('remove', ids[0], ids[1][:2]), ('remove', ids[0], '0123456789abcdef'), ('get', ids[0][:3], '-o', os.path.join(place, 'x.folded'))):
        code, out, text = c.run('store', words[0], source, *words[1:])
        left = len(json.loads(c.run('store', 'list', source, '--json')[1])['profiles'])
        c.tap.ok(code in (2, 3) and left == len(files) and (code == 3 or '"n":' in text), f'{words[0]} of {len(words[-1])} digits', f'{code} {left} {text}')
    good = c.answer(['top', '-n', '0'], source)[1]['functions']
    c.nodes.everywhere('ALTER TABLE samples DELETE WHERE batch IN (SELECT min(batch) FROM profiles) SETTINGS mutations_sync = 2', database=database)
    code, out, text = c.run('store', 'check', source)
    c.tap.ok(code == 3 and any(f'profile {one[:12]} {{"n":' in text + out.decode() for one in ids), 'rows of samples that are missing: check names the profile', f'{code} {text}')
    c.nodes.everywhere('TRUNCATE TABLE stacks SYNC', database=database)
    for more in ('', '&push=always', '&push=never'):
        code, out, text = c.run('top', source + more, '--json', '-n', '0')
        c.tap.ok(code == 3, f'top {more}: exit 3', f'{code} {text}')
        code, out, text = c.run('top', source + more, '--json', '-n', '0', '--partial')
        c.tap.ok(code == 0 and json.loads(out)['functions'] == good, f'--partial {more} reads the inputs', f'{code} {text} {out[:300]}')


def test_foreign(c):
    """The tables of Coroot and of Parca, filled as they fill them, are read."""
    place = os.path.join(c.place, 'foreign')
    os.makedirs(place)
    path = folded(place, 'a.folded', 5, stacks=60)
    rows = {}
    for line in open(path):
        stack, value = line.rsplit(' ', 1)
        rows[stack] = rows.get(stack, 0) + int(value)
    c.nodes.ask('CREATE DATABASE coroot')
    for sql in ('CREATE TABLE profiling_stacks (ServiceName LowCardinality(String), Hash UInt64, LastSeen DateTime64(9), Stack Array(String)) '
                'ENGINE ReplacingMergeTree PRIMARY KEY (ServiceName, Hash) PARTITION BY toDate(LastSeen) ORDER BY (ServiceName, Hash)',
                'CREATE TABLE profiling_samples (ServiceName LowCardinality(String), Type LowCardinality(String), Start DateTime64(9), '
                'End DateTime64(9), Labels Map(LowCardinality(String), String), StackHash UInt64, Value Int64) ENGINE MergeTree '
                'PARTITION BY toDate(Start) ORDER BY (ServiceName, Type, toUnixTimestamp(Start), toUnixTimestamp(End))'):
        c.nodes.ask(sql, database='coroot')
    stacks = '\n'.join(json.dumps({'ServiceName': 'web', 'Hash': i, 'LastSeen': '2026-11-16 10:00:00',
                                   'Stack': [f'{f} /src/{f}.go:{int(f[3:]) + 1}' for f in reversed(stack.split(';'))]})
                       for i, stack in enumerate(rows))
    samples = '\n'.join(json.dumps({'ServiceName': 'web', 'Type': 'go:profile_cpu:nanoseconds', 'Start': '2026-11-16 10:00:00',
                                    'End': '2026-11-16 10:01:00', 'Labels': {'host': 'h1'}, 'StackHash': i, 'Value': value})
                        for i, value in enumerate(rows.values()))
    c.nodes.ask('INSERT INTO profiling_stacks FORMAT JSONEachRow', data=(stacks + '\n' + stacks).encode(), database='coroot')
    c.nodes.ask('INSERT INTO profiling_samples FORMAT JSONEachRow', data=samples.encode(), database='coroot')
    c.nodes.ask('CREATE DATABASE parca')
    c.nodes.ask('CREATE TABLE stacktraces (name String, sample_type String, sample_unit String, period_type String, period_unit String, '
                'period Int64, duration Int64, timestamp Int64, time_nanos Int64, value Int64, labels JSON, stacktrace Nested(address UInt64, '
                'mapping_start UInt64, mapping_limit UInt64, mapping_offset UInt64, mapping_file String, mapping_build_id String, '
                'line_number Int64, function_name String, function_system_name String, function_filename String, '
                'function_start_line Int64)) ENGINE MergeTree ORDER BY (name, sample_type, sample_unit, period_type, period_unit, '
                'timestamp, time_nanos) PARTITION BY toYYYYMMDD(fromUnixTimestamp64Nano(time_nanos))', database='parca')
    wide = '\n'.join(json.dumps({
        'name': 'parca_agent_cpu', 'sample_type': 'cpu', 'sample_unit': 'nanoseconds', 'period_type': 'cpu', 'period_unit': 'nanoseconds',
        'period': 1, 'duration': 10 ** 10, 'timestamp': 1794823200000, 'time_nanos': 1794823200000000000, 'value': value,
        'labels': {'host': 'h1', 'k8s.pod': 'p'},
        **{f'stacktrace.{key}': [make(f) for f in reversed(stack.split(';'))] for key, make in (
            ('address', lambda f: 0), ('mapping_start', lambda f: 0), ('mapping_limit', lambda f: 0), ('mapping_offset', lambda f: 0),
            ('mapping_file', lambda f: ''), ('mapping_build_id', lambda f: ''), ('line_number', lambda f: int(f[3:]) + 1),
            ('function_name', lambda f: f), ('function_system_name', lambda f: f), ('function_filename', lambda f: f'/src/{f}.go'),
            ('function_start_line', lambda f: 0))}}) for stack, value in rows.items())
    c.nodes.ask('INSERT INTO stacktraces FORMAT JSONEachRow', data=wide.encode(), database='parca')
    _, wanted, _ = c.answer(['top', '-n', '0'], path)
    
    def numbers(answer):
        return sorted((row['name'], *row['self'].values(), *row['total'].values()) for row in answer['functions'])

    wanted = numbers(wanted)
    for schema in ('coroot', 'parca'):
        source = f'clickhouse://127.0.0.1:{c.nodes.http[0]}/{schema}?schema={schema}'
        for extra in ((), ('--where', 'host=h1')):
            code, got, text = c.answer(['top', '-n', '0'], source, *extra)
            c.tap.ok(code == 0 and numbers(got) == wanted, f'{schema} {" ".join(extra)}: the same functions', f'{code} {text} {str(got)[:500]}')
        code, out, text = c.run('store', 'list', source, '--json')
        c.tap.ok(code == 0 and len(json.loads(out)['profiles']) == 1, f'{schema}: one profile', f'{code} {text} {out[:500]}')
        code, _, text = c.run('store', 'add', source, path)
        c.tap.ok(code != 0 and 'read only' in text, f'{schema}: nothing is written', f'{code} {text}')


def main():
    polyprof, samples, directory = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    tests = [test_sources, test_full, test_known_beside_new, test_samples, test_pushed, test_shared, test_large, test_trend, test_where, test_days, test_kills, test_killed_upkeep,
             test_behind, test_remove, test_damage, test_foreign, *sums.TESTS, *extracts.TESTS, *races.TESTS]
    try:
        nodes = Nodes(directory, 3)
    except Missing as why:
        for test in tests:
            tap.skip(test.__name__, f'no ClickHouse here: {why}')
        return tap.done()
    place = tempfile.mkdtemp(prefix='polyprof-clickhouse-')
    try:
        c = Cases(polyprof, samples, nodes, tap, place)
        for test in tests:
            if len(sys.argv) > 4 and test.__name__[5:] not in sys.argv[4:]:
                continue
            start = time.time()
            test(c)
            print(f'# {test.__name__}: {time.time() - start:.1f} s')
            nodes.mend()
    finally:
        nodes.end()
        shutil.rmtree(place, ignore_errors=True)
    return tap.done()


sys.exit(main())
