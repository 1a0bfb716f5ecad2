"""Extracts in ClickHouse: the cases of cases.py about what is kept of inputs that are no stacks.

Answers out of extracts are those out of the inputs, byte for byte; the bytes are those that a file has; what is damaged is no answer.
"""
import contextlib
import glob
import gzip
import json
import os
import random
import re
import signal
import socket
import sqlite3
import subprocess
import time
import urllib.error
import urllib.request

from nodes import pretended
from tap import few

FORMATS = ('xdebug', 'nytprof', 'callgrind', 'cachegrind', 'pstats', 'xhprof')
# What is asked of calls and lines; what extracts do not tell comes last.
TOLD = [['top', '-n', '0'], ['tree', '-n', '0', '--min', '0'], ['callers', 'main'], ['callees', 'main'], ['peek', 'main'], ['lines', '-n', '0'], ['traces'],
        ['leaks'], ['top', '--focus', 'a'], ['top', '--hide', 'main'], ['graph', '-o', '-'], ['top', '--csv'], ['hotpath']]
INPUT = [['info'], ['check'], ['findings'], ['top', '--time', '0..50%'], ['tags'], ['convert', '--to', 'spaa', '-o', '-']]
LONG_AGO = 1_600_000_000


def unpacked(place, path):
    """A sample as a file of its own, unpacked: what is packed already is seldom twice as large as its extract."""
    name = os.path.basename(path)
    with open(path, 'rb') as file:
        data = file.read()
    if name.endswith('.gz'):
        name, data = name[:-3], gzip.decompress(data)
    to = os.path.join(place, path.split('/')[-3], name)
    os.makedirs(os.path.dirname(to), exist_ok=True)
    with open(to, 'wb') as file:
        file.write(data)
    os.utime(to, (LONG_AGO, LONG_AGO))
    return to


def repeated(place):
    """Files of valgrind that say the same again and again, of which extracts are far smaller."""
    costs = ''.join(f'{line} {cost}\n' for cost in range(1, 30) for line in range(1, 9))
    texts = {'callgrind': 'events: Ir\n\nfl=a.c\nfn=main\n' + costs * 3 + 'cfn=a\ncalls=3 1\n4 900\n' * 40 + '\nfn=a\n' + costs + '\n',
             'cachegrind': 'events: Ir I1mr\nfl=a.c\n' + ''.join(f'fn={name}\n' + costs.replace('\n', ' 1\n') for name in ('main', 'a')) * 3}
    texts['cachegrind'] += f"summary: {sum(int(line.split()[1]) for line in costs.splitlines()) * 6} {len(costs.splitlines()) * 6}\n"
    paths = []
    for kind, text in texts.items():
        paths.append(os.path.join(place, kind, f'repeated.{kind}'))
        os.makedirs(os.path.dirname(paths[-1]), exist_ok=True)
        with open(paths[-1], 'w') as file:
            file.write(text)
        os.utime(paths[-1], (LONG_AGO, LONG_AGO))
    return paths


def samples(c, place, formats=FORMATS):
    paths = [path for name in formats for path in sorted(glob.glob(os.path.join(c.samples, name, 'good', '*'))) if os.path.isfile(path)]
    return (repeated(place) if 'callgrind' in formats else []) + [unpacked(place, path) for path in paths]


def kept(c, database):
    """The extracts of a store by the profile's id."""
    rows = c.nodes.ask('SELECT lower(hex(reinterpretAsFixedString(id))), hex(extract) FROM profiles_d WHERE extract_bytes > 0 FORMAT TSV',
                       database=database).decode()
    return dict(line.split('\t') for line in rows.splitlines())


def kept_in_file(path):
    with contextlib.closing(sqlite3.connect(path)) as db:
        return {bytes(hash).hex(): bytes(data).hex().upper()
                for hash, data in db.execute('SELECT p.hash, c.data FROM profile p JOIN cells c ON c.profile = p.id WHERE c.facet = 2')}


def id_of(c, source, path):
    """The id of a profile as commands print it."""
    code, out, _ = c.run('store', 'list', source, '-n', '0', '--json', '--where', f'sample="{"/".join(path.split("/")[-2:])}"')
    return json.loads(out)['profiles'][0]['id']


def add(c, source, place, files):
    code, out, text = c.run('store', 'add', source, *files, '--label-from-path', r'(?<sample>(?<kind>[^/]+)/[^/]+)$', '--json')
    return code, json.loads(out) if out else {}, text


def without(c, database, condition='1'):
    """Takes extracts away as if there had been none."""
    c.nodes.everywhere(f"ALTER TABLE profiles UPDATE extract = '', extract_bytes = 0 WHERE {condition} SETTINGS mutations_sync = 2", database=database)


def said(c, source, words, where=()):
    about = words[1:2] if words[0] in ('callers', 'callees', 'peek') else []
    rest = words[1 + len(about):]
    form = () if '--csv' in rest or '-o' in rest else ('--json',)
    return c.run(words[0], *about, source, *rest, *where, *form)


@contextlib.contextmanager
def watched(c, source, host=0):
    """A source that leads to a node of the store and notes what is asked."""
    asked = []

    def relayed(path, sql):
        asked.append(sql.decode(errors='replace') if b'INSERT' not in path.encode() else path)
        request = urllib.request.Request(f'http://127.0.0.1:{c.nodes.http[host]}{path}', data=sql)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                body = answer.read()
                return answer.status, body
        except urllib.error.HTTPError as error:
            return error.code, error.read()

    with pretended(relayed) as there:
        yield f"clickhouse://{there}/{source.split('/', 3)[3]}", asked


def loads(asked):
    """How many times inputs were asked for, and extracts."""
    return sum('SELECT batch, part, data' in sql for sql in asked), sum('0) part, extract' in sql for sql in asked)


def test_extracts_bytes(c):
    """Extracts of all samples are those of a file, and only of those that a file has them of."""
    place = os.path.join(c.place, 'extract-bytes')
    files = samples(c, place, sorted(os.listdir(c.samples)))
    source, database = c.store()
    lite = os.path.join(place, 'lite.ppdb')
    for store in (source, lite):
        code, added, text = add(c, store, place, files)
        c.tap.ok(code == 0 and added.get('refused') == [], f'{len(files)} samples in {store.split(":")[0]}', f'{code} {added} {text}')
    c.run('store', 'compact', lite)
    here, there = kept(c, database), kept_in_file(lite)
    c.tap.ok(here == there and len(here) >= 15, f'{len(here)} of them have extracts, with the bytes that a file has',
             f'{len(here)} {len(there)} {sorted(here)[:3]} {sorted(there)[:3]}')
    levels = [json.loads(c.run('store', 'info', source, '--json')[1])['levels'], sum(1 for _ in here)]
    c.tap.ok(levels[0]['packed'] == levels[1] and levels[0]['rolled'] == 0, 'info counts them', levels)
    code, out, text = c.run('store', 'check', source)
    c.tap.ok(code == 0, 'the store is sound', f'{out} {text}')
    done = json.loads(c.run('store', 'compact', source, '--json')[1])
    c.tap.ok(done.get('problems') is None and kept(c, database) == here, 'compact leaves them alone', done)


def test_extracts_answers(c):
    """Every verb, with extracts and without, alone and merged, whoever adds up."""
    place = os.path.join(c.place, 'extract-answers')
    files = samples(c, place)
    (with_them, base), (bare, database) = c.store(), c.store()
    for store in (with_them, bare):
        code, added, text = add(c, store, place, files)
        c.tap.ok(code == 0, f'{added.get("added")} samples of calls and lines', f'{added} {text}')
    without(c, database)
    def alike(words, where, what, more=''):
        code, out, text = said(c, with_them + more, words, where)
        wanted = said(c, bare + more, words, where)
        plain = [x.replace(base.encode() + b'?', database.encode() + b'?') for x in (out, text.encode())]
        c.tap.ok([code, *plain] == [wanted[0], wanted[1], wanted[2].encode()], what, f'{code} {out[:600]} {text[:300]}\n{wanted[0]} {wanted[1][:600]} {wanted[2][:300]}')

    listed = {one['id']: one['labels']['sample'] for one in json.loads(c.run('store', 'list', with_them, '-n', '0', '--json')[1])['profiles']}
    mine = sorted(listed[id] for id in kept(c, base))
    c.tap.ok({sample.split('/')[0] for sample in mine} == set(FORMATS) and not kept(c, database), 'one store has extracts of each format, the other none', mine)
    turn = 0
    for sample in few(mine, 15):
        where = ('--where', f'sample="{sample}"')
        for _ in range(len(TOLD) if os.environ.get('POLYPROF_ALL') else 1):
            words = TOLD[turn % len(TOLD)]
            alike(words, where, f'{" ".join(words)} of {sample}', ('', '&push=always', '&push=never')[turn % 3])
            turn += 1
    kinds = ['xdebug', 'nytprof', 'callgrind', 'pstats', 'xhprof', 'cachegrind']
    # Sums of these two do not fit into 64 bits; which of them is named depends on what is added up first.
    fits = ('--where', 'sample!~"unsigned"')
    merged = [('--where', f'kind={kind}') for kind in kinds] + [('--where', 'kind in (xdebug,xhprof)'), fits]
    for i, where in enumerate(merged):
        for k, words in enumerate((*TOLD, *INPUT)):
            if os.environ.get('POLYPROF_ALL') or (i + k) % 11 == 0:
                more = ('&push=always', '&push=never')[k % 2]
                alike(words, where, f'{" ".join(words)} {where[1:]}{more}', more)
    for words in (['trend', '--by', 'kind'], ['trend', '--function', 'main'], ['diff', '--before', 'kind=xdebug', '--after', 'kind=xhprof'],
                  ['diff', '--by', 'label:kind', '--where', 'kind in (xdebug,xhprof)'], ['merge', '--to', 'folded', '--where', 'kind=xdebug', '-o', '-']):
        alike(words, (), ' '.join(words))
    # Some with, some without, beside others that are stacks.
    without(c, base, 'id % 2 = 0')
    stacks = os.path.join(place, 'stacks', 'a.folded')
    os.makedirs(os.path.dirname(stacks))
    with open(stacks, 'w') as file:
        file.write('main;a 3\nmain;b 4\n')
    for store in (with_them, bare):
        add(c, store, place, [stacks])
    for i, words in enumerate((*TOLD, *INPUT[:3])):
        for k, where in enumerate((fits, ('--where', 'kind in (xdebug,stacks)'))):
            if os.environ.get('POLYPROF_ALL') or (i + k) % 5 == 0:
                alike(words, where, f'{" ".join(words)} {where[1:]}: some with, some without')


def test_extracts_asked(c):
    """What is asked of the servers: extracts where they tell what is ordered, several at once; else inputs."""
    place = os.path.join(c.place, 'extract-asked')
    files = samples(c, place, ('xdebug',))
    source, database = c.store()
    add(c, source, place, files)
    real = sorted(kept(c, database))
    # Of profiles that measure different things one each is read before, to see which go together: these measure the same.
    alike = ('--where', 'sample~"xdebug/3[.]"')
    mine = [path for path in files if os.path.basename(path).startswith('3.') and id_of(c, source, path) in real]
    some = ('--where', 'sample in (' + ','.join(f'"xdebug/{os.path.basename(path)}"' for path in mine) + ')')
    with watched(c, source) as (there, asked):
        for words, wanted in ((['top'], (0, 1)), (['callers', 'fib'], (0, 1)), (['trend'], (0, 1)), (['top', '--time', '0..50%'], (1, 0)),
                              (['check'], (1, 0)), (['convert', '--to', 'spaa', '-o', '-', *some], (1, 0))):
            asked.clear()
            code, _, text = said(c, there, words, () if 'convert' in words else some)
            c.tap.ok(loads(asked) == wanted, f'{words[0]} {words[1:2]}: {wanted[0]} times inputs, {wanted[1]} times extracts', f'{code} {loads(asked)} {text}')
        asked.clear()
        code, out, text = said(c, there, ['top'], alike)
        c.tap.ok(loads(asked) == (1, 1) and len(real) < len(files), 'some with, some without: each is asked for once', f'{loads(asked)} {code} {text}')
        asked.clear()
        code, _, text = c.run('store', 'check', there)
        c.tap.ok(code == 0 and loads(asked)[1] == 1, 'check reads both', f'{loads(asked)} {text}')


def test_extracts_damage(c):
    """A damaged extract is an error that names its profile; one that is not there is no loss."""
    place = os.path.join(c.place, 'extract-damage')
    names = [f'xdebug/{name}-recursion.xdebug' for name in ('2.0.0beta1', '2.3.3', '3.2.0')]
    files = [path for path in samples(c, place, ('xdebug',)) if '/'.join(path.split('/')[-2:]) in names]
    for what, change in (('a byte', "extract = concat(substring(extract, 1, 40), char(bitXor(ascii(substring(extract, 41, 1)), 1)), substring(extract, 42))"),
                         ('its end', 'extract = substring(extract, 1, 50)'), ('its size', 'extract_bytes = extract_bytes + 1'),
                         ('its digest', 'extract_digest = extract_digest + 1'),
                         ('all but the frame', "extract = repeat('x', toUInt64(length(extract)))")):
        source, database = c.store()
        add(c, source, place, files)
        whole = said(c, source, ['top', '-n', '0'])
        id = id_of(c, source, files[1])
        c.nodes.everywhere(f"ALTER TABLE profiles UPDATE {change} WHERE label_set LIKE '%2.3.3-rec%' SETTINGS mutations_sync = 2", database=database)
        code, out, text = said(c, source, ['top', '-n', '0'])
        c.tap.ok(code == 3 and id[:12] in text and 'extract' in text and b'functions' not in out, f'{what} is another: exit 3 that names it', f'{code} {id} {text} {out[:200]}')
        code, out, text = c.run('top', source, '-n', '0', '--json', '--partial')
        c.tap.ok((code, json.loads(out)['functions'] if code == 0 else out) == (0, json.loads(whole[1])['functions']), f'{what}: --partial reads the input', f'{code} {text}')
        code, out, text = said(c, source, ['check'])
        c.tap.ok(code == 0, f'{what}: who needs the input is answered', f'{code} {text}')
        code, out, text = c.run('store', 'check', source)
        c.tap.ok(code == 3 and id[:12] in text + out.decode() and 'extract' in text + out.decode(), f'{what}: check says so', f'{code} {text} {out}')
        code, _, text = said(c, source, ['top'], ('--where', f'sample!="{names[1]}"'))
        c.tap.ok(code == 0, f'{what}: others are answered', f'{code} {text}')
    source, database = c.store()
    add(c, source, place, files)
    c.nodes.everywhere("ALTER TABLE profiles UPDATE extract = '' WHERE label_set LIKE '%2.3.3-rec%' SETTINGS mutations_sync = 2", database=database)
    got = said(c, source, ['top', '-n', '0'])
    c.tap.ok((got[0], got[1].replace(database.encode(), b'')) == (0, whole[1].replace(b's' + str(c.count - 1).encode(), b'')), 'without its bytes the input is read', got)
    code, out, text = c.run('store', 'check', source)
    c.tap.ok(code == 3 and 'not there' in text + out.decode(), 'and check says so', f'{code} {text} {out}')
    c.nodes.everywhere("ALTER TABLE blobs DELETE WHERE batch IN (SELECT batch FROM profiles WHERE extract != '') SETTINGS mutations_sync = 2", database=database)
    code, out, text = c.run('top', source, '-n', '0', '--json', '--partial')
    body = json.loads(out) if code == 0 else {}
    c.tap.ok(body.get('functions') == json.loads(whole[1])['functions'] and body['complete'] is False, 'without inputs --partial reads extracts', f'{code} {text} {out[:300]}')
    code, out, text = said(c, source, ['top'])
    c.tap.ok(code == 3 and 'promised' in text, 'which else is an error', f'{code} {text}')
    c.run('store', 'remove', source, '--where', 'kind=xdebug')
    add(c, source, place, files)
    # Removed and added again.
    code, _, text = c.run('store', 'remove', source, '--where', f'sample="{names[1]}"')
    code, added, text = add(c, source, place, files)
    c.tap.ok(code == 0 and added['added'] == 1 and c.run('store', 'check', source)[0] == 0 and len(kept(c, database)) == 3, 'removed and added again it has one', f'{added} {text}')


def test_extracts_version(c):
    """A store of version 2 is read as it is, and brought up to date before anything is added."""
    place = os.path.join(c.place, 'extract-version')
    files = samples(c, place, ('xdebug',))[::-1]
    source, database = c.store()
    add(c, source, place, files[:-4])
    for column in ('extract', 'extract_bytes', 'extract_digest'):
        for table in ('profiles_d', 'profiles'):
            c.nodes.everywhere(f'ALTER TABLE {table} DROP COLUMN {column} SETTINGS mutations_sync = 2', database=database)
    c.nodes.everywhere("ALTER TABLE profiles MODIFY COMMENT 'polyprof store 2'", database=database)
    before = said(c, source, ['top', '-n', '0'])
    c.tap.ok(before[0] == 0, 'a store of version 2 is read', before)
    for words in (('info',), ('list',), ('check',)):
        code, _, text = c.run('store', words[0], source)
        c.tap.ok(code == 0, f'version 2: store {words[0]}', f'{code} {text}')
    for words in (('add', source, files[-1]), ('remove', source, '--where', 'kind=xdebug'), ('gc', source), ('compact', source)):
        code, _, text = c.run('store', *words)
        c.tap.ok(code in (3, 4) and 'store init' in text, f'version 2: {words[0]} says how to go on', f'{code} {text}')
    for _ in range(2):
        code, _, text = c.run('store', 'init', source)
        c.tap.ok(code == 0, 'it is brought up to date, any number of times', f'{code} {text}')
    c.tap.ok(said(c, source, ['top', '-n', '0']) == before and not kept(c, database), 'and holds what it did', said(c, source, ['top']))
    code, added, text = add(c, source, place, files)
    c.tap.ok(code == 0 and added['known'] == len(files) - 4 and len(kept(c, database)) > 0, 'what is added has extracts', f'{added} {text}')
    c.same(['top', '-n', '0'], (source,), sorted(files), 'all of it')
    code, _, text = c.run('store', 'check', source)
    c.tap.ok(code == 0, 'the store is sound', text)


def test_extracts_pushed(c):
    """What is pushed to `serve` has extracts, too."""
    place = os.path.join(c.place, 'extract-pushed')
    path = next(path for path in samples(c, place, ('xdebug',)) if '2.3.3-rec' in path)
    source, database = c.store()
    with socket.socket() as probe:
        probe.bind(('127.0.0.1', 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen([c.polyprof, 'serve', '--store', source, '--listen', f'127.0.0.1:{port}'], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=c.environment)
    try:
        with open(path, 'rb') as file:
            body = file.read()
        for _ in range(100):
            try:
                request = urllib.request.Request(f'http://127.0.0.1:{port}/api/v1/add?label.service=pushed&name=a.xdebug', data=body)
                answer = json.loads(urllib.request.urlopen(request, timeout=30).read())
                break
            except urllib.error.HTTPError as error:
                answer = error.read()
                break
            except OSError as error:
                answer = str(error)
                time.sleep(0.1)
    finally:
        server.terminate()
        text = server.communicate()[1]
    c.tap.ok(isinstance(answer, dict) and answer.get('added') == 1 and len(kept(c, database)) == 1, 'a push has an extract', f'{answer} {text}')
    with watched(c, source) as (there, asked):
        got = c.answer(['top', '-n', '0'], there)
        c.tap.ok(loads(asked) == (0, 1) and got[:2] == c.answer(['top', '-n', '0'], path)[:2], 'which answers', f'{loads(asked)} {got}')


def test_extracts_kills(c):
    """Clients that are killed while they add: a profile is there with its extract or not at all."""
    place = os.path.join(c.place, 'extract-kills')
    files = samples(c, place, ('xdebug', 'xhprof', 'callgrind'))
    source, database = c.store()
    chance, wrong = random.Random(7), []
    for _ in range(int(os.environ.get('POLYPROF_KILLS', '4'))):
        child = subprocess.Popen([c.polyprof, 'store', 'add', source, place], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=c.environment)
        time.sleep(chance.uniform(0.02, 0.3))
        child.send_signal(signal.SIGKILL)
        child.wait()
        code, out, text = c.run('store', 'check', source)
        if code:
            wrong.append(f'{code} {out} {text}')
    c.tap.ok(not wrong, 'each kill leaves a sound store', wrong[:3])
    code, _, text = c.run('store', 'add', source, place)
    whole, whole_in = c.store()
    c.run('store', 'add', whole, place)
    c.tap.ok(code == 0 and kept(c, database) == kept(c, whole_in) != {}, 'after that all extracts are there', f'{text} {len(kept(c, database))} {len(kept(c, whole_in))}')
    c.same(['callers', 'main'], (source, '--where', 'format=xhprof'), (whole, '--where', 'format=xhprof'), 'and answer')


TESTS = [test_extracts_bytes, test_extracts_answers, test_extracts_asked, test_extracts_damage, test_extracts_version, test_extracts_pushed, test_extracts_kills]
