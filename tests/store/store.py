#!/usr/bin/env python3
"""Stores in files as users meet them: store.py POLYPROF SAMPLES

Adding once and again, labels, times, selections, what is refused; several programs at once, programs that are killed, disks that
are full; files that are no stores, newer ones, damaged ones. Speaks TAP.
"""
import glob
import json
import os
import pty
import random
import re
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402 (needs the path above)
import seals  # noqa: E402 (beside this)

polyprof, samples = (os.path.abspath(path) for path in sys.argv[1:3])
WEBSHOP = os.path.join(samples, 'folded/good/webshop.folded')


def run(*words, **more):
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL, **more)


def answer(*words):
    done = run(*words)
    return json.loads(done.stdout) if done.stdout else {'code': done.returncode, 'said': done.stderr}


def folded(path, text, when=1700000000):
    with open(path, 'w', encoding='utf-8') as out:
        out.write(text)
    os.utime(path, (when, when))
    return path


def adding(tap, work):
    store, file = os.path.join(work, 'a.ppdb'), folded(os.path.join(work, 'a.folded'), 'main;f 3\nmain;g 4\n')
    tap.same(answer('store', 'add', '--json', store, file), {'added': 1, 'known': 0, 'refused': []}, 'a file is added')
    os.utime(file, (1800000000, 1800000000))
    tap.same(answer('store', 'add', '--json', store, file), {'added': 0, 'known': 1, 'refused': []}, 'once, touched or not')
    subprocess.run(['gzip', '-k', file], check=True)
    tap.same(answer('store', 'add', '--json', store, file + '.gz')['known'], 1, 'packed or not')
    tap.same(answer('store', 'add', '--json', store, file, '--label', 'run=2')['added'], 1, 'under other labels it is another one')
    tap.same(answer('store', 'add', '--json', store, file, '--label', 'run=', '--label', 'x=')['known'], 1, 'an empty label is none')
    rows = answer('store', 'list', '--json', store)['profiles']
    tap.same([row['labels'] for row in sorted(rows, key=lambda row: str(row['labels']))], [{'run': '2'}, {}], 'what is listed')
    first = next(row for row in rows if not row['labels'])
    tap.same((first['time'], first['format'], first['metrics'], first['stacks'], first['complete']),
             ({'start': 1700000000 * 10**9, 'end': 1700000000 * 10**9}, 'folded', {'samples': 7}, 2, True), 'with all that is known')
    done = run('store', 'add', '--json', store, file, os.path.join(work, 'nothing'), os.path.join(samples, 'folded/bad/folded-count-missing-none.folded'))
    told = json.loads(done.stdout)
    tap.ok(done.returncode == 3 and told['known'] == 1 and told['refused'][0]['rule'] == 'io-open-failed', 'what is refused is told', told)
    folder = os.path.join(work, 'tree')
    for host in ('a1', 'b2'):
        os.makedirs(os.path.join(folder, host))
        folded(os.path.join(folder, host, 'x.folded'), f'main;{host} 5\n')
    for path in glob.glob(os.path.join(samples, 'spx/good', '05gz-tiny.*')):
        shutil.copy(path, folder)
    count = answer('store', 'add', '--json', store, folder, '--label-from-path', r'(?<host>[^/]+)/[^/]*\.folded$', '--label', 'kind=dir')
    tap.ok(count['added'] == 3 and not count['refused'], 'directories, with labels out of paths', count)
    tap.same(answer('top', '--json', '-n', '1', store, '--where', 'host=a1')['functions'][0]['name'], 'a1', 'which can be asked for')
    os.makedirs(os.path.join(work, 'latin', 'c3'))
    with open(os.path.join(os.fsencode(work), b'latin/c3/caf\xe9.folded'), 'wb') as file_:
        file_.write(b'main;latin 3\n')
    run('store', 'add', store, os.path.join(work, 'latin'), '--label-from-path', r'(?<host>[^/]+)/(?<file>[^/]*)\.folded$')
    tap.same(answer('store', 'list', '--json', store, '--where', 'host=c3')['profiles'][0]['labels'], {'host': 'c3', 'file': 'caf\ufffd'}, 'of paths that are no text, too')
    piped = subprocess.run([polyprof, 'store', 'add', '--json', store, '-'], input=b'main;piped 1\n', capture_output=True)
    tap.same(json.loads(piped.stdout)['added'], 1, 'standard input')
    tap.ok(run('convert', file, '-o', os.path.join(work, 'c.ppdb')).returncode == 0 and
           answer('top', '--json', os.path.join(work, 'c.ppdb'))['total'] == 7, 'convert into a store adds')
    for words in (['--hide', 'a'], ['--to', 'folded'], ['--time', '..1s'], ['--where', 'a=b'], ['--base', file], ['--strict']):
        done = run('convert', file, '-o', os.path.join(work, 'not.ppdb'), *words)
        tap.ok(done.returncode == 2 and words[0].encode() in done.stderr and not os.path.exists(os.path.join(work, 'not.ppdb')), f'but not with {words[0]}, which would change them', done.stderr)
    for words, what in ((['--label', 'novalue'], 'a label without a value'), (['--label', '=x'], 'without a key'),
                        (['--label', 'k' * 129 + '=v'], 'with a long key'), (['--label', 'k=' + 'v' * 4097], 'with a long value'),
                        (['--label', 'k=\udcff'], 'that is not UTF-8'), ([f'--label=k{i}=v' for i in range(65)], 'too many of them'),
                        (['--label-from-path', '('], 'a pattern that is none')):
        done = run('store', 'add', store, file, *words)
        tap.ok(done.returncode == 2, f'{what} is a wrong option', (done.returncode, done.stderr))
    return store


def selecting(tap, work):
    store = os.path.join(work, 's.ppdb')
    names = ['plain', "o'brien; DROP TABLE profile;--", '%_"\\', 'überall', 'a b']
    for i, name in enumerate(names):
        file = folded(os.path.join(work, f's{i}.folded'), f'main;{name.replace(";", ",")} {i + 1}\n', 1700000000 + 100 * i)
        run('store', 'add', store, file, '--label', f'name={name}', '--label', f'number={i}')
    for i, name in enumerate(names):
        quoted = name.replace('\\', '\\\\').replace('"', '\\"')
        got = answer('top', '--json', store, '--where', f'name="{quoted}"')
        tap.same(got.get('total'), i + 1, f'name={name}')
    for where, total in (('number in (0,2)', 4), ('not number=0', 14), ('number~"[34]"', 9), ('number!~"[34]"', 6), ('format=folded', 15),
                         ('complete=true and number!=4', 10), ('nothing=""', 15), ('number=1 or number=2 and number=3', 2)):
        tap.same(answer('top', '--json', store, '--where', where).get('total'), total, where)
    for words, total in ((['--since', '@1700000200'], 12), (['--until', '@1700000200'], 3), (['--between', '@1700000100..@1700000300'], 5),
                         (['--since', '2023-11-14T22:13:20Z'], 15)):
        tap.same(answer('top', '--json', store, *words).get('total'), total, ' '.join(words))
    identity = answer('store', 'list', '--json', store, '--where', 'number=3')['profiles'][0]['id']
    tap.same(answer('top', '--json', f'{store}?where=profile={identity[:8]}').get('total'), 4, 'by the beginning of its id')
    for words, code, what in ((['--where', 'number=9'], 3, 'nothing selected'), (['--where', '(('], 2, 'a bad expression'),
                              (['--since', 'yesterday'], 2, 'a bad time'), (['--between', '5..6'], 2, 'bad times'),
                              (['--since', '1d', '--between', '2d..1d'], 2, 'both'), (['--since', '1d', '--until', '2d'], 2, 'an end before the beginning'),
                              (['--between', '1d..2d'], 2, 'the same in one')):
        tap.same(run('top', store, *words).returncode, code, what)
    tap.same(answer('store', 'list', '--json', store, '--where', 'number=9'), {'profiles': []}, 'an empty list')
    tap.same(run('store', 'info', store, '--where', 'number=9').returncode, 3, 'nothing to tell about')
    tap.same(run('diff', store).returncode, 2, 'which are before is to be said')
    mixed = os.path.join(work, 'mixed.ppdb')
    run('store', 'add', mixed, WEBSHOP, *sorted(glob.glob(os.path.join(samples, 'callgrind/good/*.callgrind')))[:1])
    other = re.search(r'is left out: .*\((-m \S+)\)', run('top', mixed).stderr.decode())
    tap.ok(other and run('top', mixed, *other.group(1).split()).returncode == 0, 'a profile that cannot be merged: how to ask for it', other)
    around = re.search("'(profile!=[0-9a-f]{12})'", run('merge', mixed, '-o', os.path.join(work, 'merged.spaa')).stderr.decode())
    tap.ok(around and run('top', mixed, '--where', around.group(1)).returncode == 0, 'a profile that cannot be written with the others: how to ask without it', around)
    timed = os.path.join(work, 'timed.ppdb')
    run('store', 'add', timed, *(os.path.join(samples, name) for name in ('nytprof/good/plain.out', 'nytprof/good/dash_e.out', 'pstats/good/bakery.pstats')))
    said = run('top', timed).stderr.decode()
    tap.ok('1 of 3 profiles is left out: 1 has single calls only (--where format=pstats)' in said, 'the same metric: what keeps a profile apart is said', said)
    tap.same(run('top', WEBSHOP, '--where', 'a=b').returncode, 2, 'a file is no store')
    rows = answer('store', 'list', '--json', '-n', '2', store)
    tap.ok([row['labels']['number'] for row in rows['profiles']] == ['4', '3'] and rows['cut']['page'] == 2, 'pages, newest first', rows)
    tap.same([row['labels']['number'] for row in answer('store', 'list', '--json', '-n', '2', '--page', '2', store)['profiles']], ['2', '1'], 'the next')
    return store


def keeping(tap, work):
    store, file = os.path.join(work, 'k.ppdb'), folded(os.path.join(work, 'k.folded'), 'b 1\na 2\nb 1\n')
    run('store', 'add', store, file, '--keep', '--label', 'kept=yes')
    run('store', 'add', store, file)
    rows = {bool(row['labels']): row['id'] for row in answer('store', 'list', '--json', store)['profiles']}
    out = os.path.join(work, 'out.folded')
    tap.ok(run('store', 'get', store, rows[True], '-o', out).returncode == 0 and open(out, 'rb').read() == open(file, 'rb').read(), 'the original')
    tap.ok(run('store', 'get', store, rows[False], '-o', out).returncode == 0 and open(out, 'rb').read() == b'a 2\nb 2\n', 'or converted')
    os.unlink(out)
    tap.ok(run('store', 'get', store, '--where', 'kept=""', '-o', out).returncode == 0 and open(out, 'rb').read() == b'a 2\nb 2\n', 'by a condition')
    tap.same([run('store', 'get', f'{store}?where=kept=""', rows[False], '-o', out).returncode, run('store', 'get', store, '--where', 'format=folded', '-o', out).returncode,
              run('store', 'get', store, '--where', 'kept=no', '-o', out).returncode], [0, 3, 3], 'of one profile')
    tap.same(run('store', 'get', store, 'zz', '-o', out).returncode, 2, 'no id')
    tap.same(run('store', 'get', store, '0' * 32, '-o', out).returncode, 3, 'an id of nothing')
    tap.same(answer('store', 'remove', '--json', store, rows[True]), {'removed': 1}, 'one is removed')
    tap.same(run('store', 'remove', store).returncode, 2, 'but not all by accident')
    tap.same(answer('store', 'gc', '--json', store, '--keep', '30d')['removed'], 1, 'what is old goes')
    tap.same(answer('store', 'list', '--json', store), {'profiles': []}, 'and is gone')
    tap.ok(run('store', 'check', store).returncode == 0, 'the store is sound')
    tap.same([name for name in os.listdir(work) if name.startswith('k.ppdb')], ['k.ppdb'], 'nothing is left beside it')


def replaced(tap, work):
    """No output takes a store's place, whatever the store is called."""
    kept = os.path.join(work, 'r.ppdb')
    run('store', 'add', kept, WEBSHOP, '--keep')
    bare = shutil.copy(kept, os.path.join(work, 'r'))
    id = answer('store', 'list', '--json', kept)['profiles'][0]['id']
    before = open(bare, 'rb').read()
    for store in (kept, bare):
        for words in (['top', WEBSHOP], ['top', WEBSHOP, '--json'], ['flame', WEBSHOP], ['report', kept], ['merge', WEBSHOP, '-t', 'folded'],
                      ['store', 'get', kept, id], ['store', 'get', kept, id, '-t', 'spaa'], ['store', 'list', kept], ['record', '--', 'true']):
            done = run(*words[:1], '-o', store, *words[1:]) if words[0] == 'record' else run(*words, '-o', store)
            tap.ok(done.returncode in (2, 4, 127) and done.stderr, f'{" ".join(words[:2])} -o {os.path.basename(store)} is refused')
    tap.ok(open(bare, 'rb').read() == before and run('store', 'check', kept).returncode == 0, 'both are as before')
    done = run('top', WEBSHOP, '-o', bare)
    tap.ok(done.returncode == 4 and b'store of profiles' in done.stderr, 'and it is said why')
    for ending in ('-wal', '-shm', '-journal'):
        open(bare + ending, 'wb').close()
        os.symlink(bare + ending, os.path.join(work, 'link' + ending))
        tap.same([run('top', WEBSHOP, '-o', name).returncode for name in (bare + ending, os.path.join(work, 'link' + ending))], [4, 4], f'nor what lies beside it: {ending}')
        os.unlink(bare + ending)
        tap.ok(run('top', WEBSHOP, '-o', bare + ending).returncode == 4 and not os.path.exists(bare + ending), f'be it there or not: {ending}')
        tap.same(run('top', WEBSHOP, '-o', os.path.join(work, 'plain' + ending)).returncode, 0, f'{ending} alone is a name like others')
    tap.same(run('top', WEBSHOP, '-o', os.path.join(work, 'new.ppdb')).returncode, 2, 'nothing else is called like a store')


def companions(tap, work):
    """What is got of a pair is a pair again, under the name that was asked for, and no other file is written over."""
    store, folder = os.path.join(work, 'pair.ppdb'), os.path.join(work, 'pair')
    os.makedirs(folder)
    names = ('04-closures-builtins.json', '04-closures-builtins.txt.gz')
    run('store', 'add', store, '--keep', os.path.join(samples, 'spx/good', names[0]))
    precious = folded(os.path.join(folder, names[1]), 'precious')
    top = answer('top', '--json', os.path.join(samples, 'spx/good', names[0]))
    for output, body in (('y.json', 'y.txt.gz'), ('z', 'z.txt.gz'), ('a.b.json', 'a.b.txt.gz')):
        path = os.path.join(folder, output)
        done = run('store', 'get', store, '--where', 'format=spx', '-o', path)
        got = answer('top', '--json', path)
        tap.ok(done.returncode == 0 and os.path.exists(os.path.join(folder, body)) and got.get('functions') == top['functions'],
               f'a pair as {output} and {body}', (done, os.listdir(folder)))
    tap.same(open(precious, encoding='utf-8').read(), 'precious', 'the file of the old name is left alone')
    recording, store = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'conformance/web/uftrace'), os.path.join(work, 'rec.ppdb')
    folder, other = os.path.join(work, 'rec'), os.path.join(work, 'rec2')
    os.makedirs(folder)
    os.makedirs(other)
    run('store', 'add', store, '--keep', os.path.join(recording, 'info'))
    precious = folded(os.path.join(folder, 'task.txt'), 'precious')
    done = run('store', 'get', store, '--where', 'format=uftrace', '-o', os.path.join(folder, 'x'))
    tap.ok(done.returncode == 4 and os.listdir(folder) == ['task.txt'] and open(precious, encoding='utf-8').read() == 'precious',
           'companions with names of their own go over nothing', (done, os.listdir(folder)))
    done = run('store', 'get', store, '--where', 'format=uftrace', '-o', os.path.join(other, 'info'))
    tap.ok(done.returncode == 0 and answer('top', '--json', os.path.join(other, 'info'))['functions'] ==
           answer('top', '--json', os.path.join(recording, 'info'))['functions'], 'a recording into a directory', done)


def pprof(path, begin, length, cost):
    """One function of a cost, from `begin` on; ns."""
    def number(value):
        out = b''
        while value > 127:
            out, value = out + bytes([value & 127 | 128]), value >> 7
        return out + bytes([value])

    def part(field, data):
        return number(field << 3 | 2) + number(len(data)) + data
    names = b''.join(part(6, name) for name in (b'', b'cpu', b'nanoseconds', b'f'))
    with open(path, 'wb') as out:
        out.write(part(1, b'\x08\x01\x10\x02') + part(2, part(1, b'\x01') + part(2, number(cost))) + part(4, b'\x08\x01' + part(4, b'\x08\x01')) +
                  part(5, b'\x08\x01\x10\x03') + names + b'\x48' + number(begin) + b'\x50' + number(length))
    return path


def times(tap, work):
    """Times are those of the file to the nanosecond."""
    store, second = os.path.join(work, 'times.ppdb'), 10**9
    for tenth in (9, 1, 5):
        file = pprof(os.path.join(work, f'{tenth}.pb'), 1700000000 * second + tenth * second // 10 + 7, second // 2, tenth)
        run('store', 'add', store, file)
    for packed in (False, True):
        rows = [row['time'] for row in reversed(answer('store', 'list', '--json', store)['profiles'])]
        tap.same(rows, [{'start': at, 'end': at + second // 2} for at in (1700000000100000007, 1700000000500000007, 1700000000900000007)],
                 f'begin and end, packed: {packed}')
        tap.same([answer('top', '--json', store, *words).get('total') for words in
                  (['--since', '@1700000001'], ['--until', '@1700000001'], ['--since', '@1700000002'])], [14, 15, None], 'which meet a window')
        run('store', 'compact', store)
    again, out = os.path.join(work, 'again.ppdb'), os.path.join(work, 'times.spaa')
    run('convert', os.path.join(work, '9.pb'), '--to', 'spaa', '-o', out)
    run('store', 'add', again, out)
    tap.same(answer('store', 'list', '--json', again)['profiles'][0]['time']['start'], 1700000000900000007, 'carried through SPAA')
    tap.same(answer('info', '--json', os.path.join(work, '9.pb'))['recorded'], 1700000000, 'people and scripts are told seconds')


def together(tap, work):
    """Two programs add the same, a third asks all the time."""
    store, folder = os.path.join(work, 't.ppdb'), os.path.join(work, 'many')
    os.makedirs(folder)
    for i in range(60):
        folded(os.path.join(folder, f'{i}.folded'), f'main;f{i} 1\nmain;g 2\n', 1700000000 + i)
    adders = [subprocess.Popen([polyprof, 'store', 'add', '--json', store, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    totals = []
    while any(adder.poll() is None for adder in adders):
        done = run('top', '--json', store)
        if done.returncode == 0:
            totals.append(json.loads(done.stdout)['total'])
    told = [json.loads(adder.stdout.read()) for adder in adders]
    tap.ok(sum(t['added'] for t in told) == 60 and sum(t['known'] for t in told) == 60, 'each is added once', told)
    tap.ok(all(total % 3 == 0 for total in totals) and totals == sorted(totals), 'a reader never sees half of one', totals)
    tap.same(answer('top', '--json', store)['total'], 180, 'all are there')


def killed(tap, work):
    """Adding is killed again and again; what was told to be added is there, and nothing twice."""
    store, folder = os.path.join(work, 'killed.ppdb'), os.path.join(work, 'lots')
    os.makedirs(folder)
    for i in range(150):
        folded(os.path.join(folder, f'{i}.folded'), ''.join(f'main;f{i};g{k} {k + 1}\n' for k in range(40)), 1700000000 + i)
    dice, kills = random.Random(19), 0
    for _ in range(15):
        adder = subprocess.Popen([polyprof, 'store', 'add', store, folder], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(dice.random() * 0.06)
        kills += adder.poll() is None
        adder.kill()
        adder.wait()
        done = run('top', '--json', store)
        tap.ok(done.returncode in (0, 3) and (done.returncode or json.loads(done.stdout)['total'] % 820 == 0), 'killed: whole or not at all', done.stderr)
    tap.same(run('store', 'add', store, folder).returncode, 0, f'{kills} kills later the rest is added')
    tap.same(answer('top', '--json', store)['total'], 150 * 820, 'nothing is lost, nothing is there twice')
    tap.ok(run('store', 'check', store).returncode == 0, 'the store is sound')


def full(tap, work):
    """Where there is no room the store is as before."""
    store, big = os.path.join(work, 'full.ppdb'), os.path.join(work, 'big.folded')
    run('store', 'add', store, WEBSHOP)
    dice = random.Random(1)
    with open(big, 'w', encoding='utf-8') as out:
        out.writelines(f'main;{dice.getrandbits(256):x} {i + 1}\n' for i in range(20000))
    before = answer('top', '--json', store)

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200000, 200000))
    done = run('store', 'add', store, big, preexec_fn=limit)
    tap.ok(done.returncode == 4 and done.stderr, 'a full disk is exit 4', (done.returncode, done.stderr))
    tap.ok(answer('top', '--json', store) == before and run('store', 'check', store).returncode == 0, 'and the store is as before')

    def no_room():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    done = run('top', '--json', store, preexec_fn=no_room)
    tap.ok(done.returncode == 0 and json.loads(done.stdout) == before, 'who asks needs no room', (done.returncode, done.stderr))
    for words in (['remove', store, '--where', 'x=""'], ['compact', store], ['gc', store, '--keep', '1d']):
        tap.same(run('store', *words, preexec_fn=no_room).returncode, 4, f'{words[0]} on a full disk is exit 4')
    tap.ok(answer('top', '--json', store) == before and run('store', 'check', store).returncode == 0, 'and the store is still as before')
    tap.same(run('store', 'add', store, big).returncode, 0, 'with room it goes on')
    if os.getuid():
        os.chmod(store, 0o400)
        tap.same(run('store', 'add', store, folded(os.path.join(work, 'n.folded'), 'n 1\n')).returncode, 4, 'a store that cannot be written')
        tap.same(run('top', store).returncode, 0, 'can be read')


def hostile(tap, work):
    """Files that are no stores, or not whole, are left alone."""
    store = os.path.join(work, 'h.ppdb')
    run('store', 'add', store, WEBSHOP, '--label', 'a=b')
    good = open(store, 'rb').read()

    def judged(name, data, what, verbs=(['top', '--json'], ['store', 'list'], ['store', 'add'])):
        path = os.path.join(work, name)
        for words in verbs:
            with open(path, 'wb') as out:
                out.write(data)
            done = run(*words, path, *([WEBSHOP] if words[-1] == 'add' else []))
            tap.ok(done.returncode == 3 and open(path, 'rb').read() == data, f'{what}: {" ".join(words)}', (done.returncode, done.stderr))
            for ending in ('-wal', '-shm', '-journal'):
                if os.path.exists(path + ending):
                    os.unlink(path + ending)
    tap.same(run('top', 'sqlite:' + os.path.join(work, 'none.ppdb')).returncode, 3, 'one that is not there')
    tap.ok(not os.path.exists(os.path.join(work, 'none.ppdb')), 'is not made by asking')
    judged('text.ppdb', b'not a store at all\n' * 20, 'text')
    foreign = os.path.join(work, 'foreign.db')
    with sqlite3.connect(foreign) as db:
        db.execute('CREATE TABLE t(x)')
    db.close()
    judged('foreign.ppdb', open(foreign, 'rb').read(), 'another database')
    newer = os.path.join(work, 'newer.db')
    shutil.copy(store, newer)
    with sqlite3.connect(newer) as db:
        db.execute('PRAGMA journal_mode = DELETE')
        db.execute('PRAGMA user_version = 2')
    db.close()
    judged('newer.ppdb', open(newer, 'rb').read(), 'a newer store')
    judged('empty.ppdb', b'', 'an empty file', (['top', '--json'], ['store', 'list']))
    half = os.path.join(work, 'half.ppdb')
    with open(half, 'wb'):
        pass
    tap.ok(run('store', 'add', half, WEBSHOP).returncode == 0 and answer('top', '--json', half)['total'] == 6017, 'an empty file is completed')
    os.unlink(half)
    with sqlite3.connect(half) as db:
        db.execute('PRAGMA application_id = 0x70707366')
        db.execute('PRAGMA user_version = 1')
    db.close()
    tap.same([run('top', half).returncode, run('store', 'list', half).returncode, run('store', 'add', half, WEBSHOP).returncode,
              answer('top', '--json', half).get('total')], [3, 3, 0, 6017], 'as is a store without tables')
    for source, what in ((os.path.join(work, 'none.ppdb'), 'missing'), (os.path.join(work, 'foreign.ppdb'), 'foreign')):
        tap.same([run('top', source, '--where', 'a=b').returncode, run('diff', source, '--before', 'a=b', '--after', 'a=c').returncode], [3, 3],
                 f'a selection of a {what} store')
    dice, wrong, seen = random.Random(7), [], set()
    total = answer('top', '--json', store)['total']
    for i in range(40):
        data = bytearray(good)
        if i % 4 == 0:
            del data[dice.randrange(100, len(data)):]
        for _ in range(1 + i % 5):
            data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
        path = os.path.join(work, f'flip{i}.ppdb')
        with open(path, 'wb') as out:
            out.write(data)
        for words in (['top', '--json'], ['store', 'check'], ['store', 'list', '--json'])[i % 3:i % 3 + 1]:
            done = run(*words, path, timeout=60)
            seen.add(done.returncode)
            if done.returncode not in (0, 3) or (words[0] == 'top' and not done.returncode and json.loads(done.stdout).get('total') != total):
                wrong.append((i, words, done.returncode, done.stdout[:200], done.stderr[:200]))
    tap.ok(not wrong and 3 in seen, 'damaged stores are exit 3, never another number', wrong)
    seals.change(store, 'UPDATE profile SET source = ?', ('/etc/\x1b[31m\npasswd',))
    done = run('info', store)
    tap.ok(done.returncode == 0 and b'\x1b' not in done.stdout + done.stderr, 'names from a store are safe for a terminal', done.stdout)
    seals.change(store, "UPDATE series SET labels = '{\"a\": 1'")
    tap.same(run('store', 'list', '--json', store).returncode, 3, 'labels that are none')
    seals.change(store, "UPDATE series SET labels = '{\"a\":\"b\"}'")
    seals.change(store, "UPDATE profile SET meta = '{\"stacks\": 1, \"metrics\": }} evil'")
    with sqlite3.connect(store) as db:
        db.execute('CREATE TRIGGER evil AFTER INSERT ON profile BEGIN DELETE FROM profile; END')
    db.close()
    tap.same(answer('store', 'list', '--json', store)['profiles'][0]['metrics'], {}, 'what is no JSON is not printed as such')
    tap.ok(run('store', 'add', store, WEBSHOP, '--label', 'x=y').returncode == 0 and len(answer('store', 'list', '--json', store)['profiles']) == 2,
           'nothing that a store brings is run')


def checked(tap, work):
    """Kept and packed: the input is sound, the cells are not."""
    store = os.path.join(work, 'both.ppdb')
    run('store', 'add', store, WEBSHOP, '--keep')
    run('store', 'compact', store)
    with sqlite3.connect(store) as db:
        db.execute('UPDATE cells SET total = 1')
    db.close()
    tap.same(run('store', 'check', store).returncode, 3, 'a blob that is not its total')


def narrow(tap, store):
    """A list on a terminal of 80 columns."""
    leader, follower = pty.openpty()
    env = {**os.environ, 'COLUMNS': '80', 'NO_COLOR': '1', 'LC_ALL': 'C.UTF-8'}
    subprocess.run([polyprof, 'store', 'list', store], stdout=follower, stdin=subprocess.DEVNULL, env=env, check=True)
    os.close(follower)
    lines = os.read(leader, 65536).decode().splitlines()
    os.close(leader)
    tap.ok(len(lines) == 5 and max(map(len, lines)) == 80, 'a list on a terminal', lines)


def watching(tap, work):
    store, folder = os.path.join(work, 'w.ppdb'), os.path.join(work, 'inbox')
    os.makedirs(folder)
    folded(os.path.join(folder, 'old.folded'), 'main;old 1\n')
    head = sorted(glob.glob(os.path.join(samples, 'spx/good/*.json')))[0]
    body = next(head[:-5] + ending for ending in ('.txt.gz', '.txt.zst', '.txt') if os.path.exists(head[:-5] + ending))
    shutil.copy(head, folder)
    os.utime(os.path.join(folder, os.path.basename(head)), (1700000000, 1700000000))
    watcher = subprocess.Popen([polyprof, 'store', 'add', '--json', store, '--watch', folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    folded(os.path.join(folder, 'new.folded'), 'main;new 2\n', int(time.time()))
    deadline = time.time() + 60
    while time.time() < deadline and answer('top', '--json', f'sqlite:{store}?where=format=folded').get('total') != 3:
        time.sleep(0.2)
    tap.same(answer('store', 'list', '--json', store, '--where', 'format=spx'), {'profiles': []}, 'half a report is left')
    shutil.copy(body, os.path.join(work, 'body'))
    os.utime(os.path.join(work, 'body'), (1700000000, 1700000000))
    os.rename(os.path.join(work, 'body'), os.path.join(folder, os.path.basename(body)))
    while time.time() < deadline and not answer('store', 'list', '--json', store, '--where', 'format=spx').get('profiles'):
        time.sleep(0.2)
    watcher.send_signal(signal.SIGTERM)
    out, _ = watcher.communicate(timeout=60)
    tap.same((watcher.returncode, json.loads(out)), (0, {'added': 3, 'known': 0, 'refused': []}), 'what comes into a directory is added')


def texts(tap, work, store):
    tap.ok(re.search(r'1 fresh|2 fresh', run('store', 'info', os.path.join(work, 'c.ppdb')).stdout.decode()), 'info for people')
    tap.ok('CREATE TABLE profile' in run('store', 'info', '--sql', store).stdout.decode(), 'the SQL can be read')
    tap.ok(answer('store', 'info', '--json', store)['profiles'] == 5, 'info for scripts')
    for words in (['add', store, store, '--label-from-path', 'no(group)(?<=x)'], [], ['add'], ['list'], ['nonsense', store], ['list', store, 'more'], ['get', store], ['add', store]):
        tap.same(run('store', *words).returncode, 2, f'store {" ".join(words[:1])} alone makes no sense')
    tap.same(run('store', 'init', os.path.join(work, 'i.ppdb')).returncode, 0, 'init makes a store')
    tap.same(answer('store', 'list', '--json', os.path.join(work, 'i.ppdb')), {'profiles': []}, 'which is empty')


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        adding(tap, work)
        store = selecting(tap, work)
        texts(tap, work, store)
        keeping(tap, work)
        replaced(tap, work)
        companions(tap, work)
        times(tap, work)
        together(tap, work)
        killed(tap, work)
        full(tap, work)
        hostile(tap, work)
        checked(tap, work)
        narrow(tap, store)
        watching(tap, work)
    return tap.done()


sys.exit(main())
