#!/usr/bin/env python3
"""Sums that polyprof 0.1 made in a store of SQLite, and retention: sums.py POLYPROF. Speaks TAP."""
import gzip
import json
import os
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof = os.path.abspath(sys.argv[1])
BEGIN = 1767607200  # 2026-01-05, 10:00
SUM = '8b4bec8fc334'
SIDES = ('--before', 'version=1', '--after', 'version=2')


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL)


def written(folder, name, text, when):
    path = os.path.join(folder, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    os.utime(path, (when,) * 2)
    return path


def old_store(folder, name):
    """A store that polyprof 0.1 wrote: 14 profiles, six of them in one sum (tests/store/old/README)."""
    path = os.path.join(folder, name)
    with gzip.open(os.path.join(HERE, 'old', 'sums.ppdb.gz')) as packed, open(path, 'wb') as file:
        file.write(packed.read())
    return path


def parts(folder):
    """The profiles of service=shop, as files: before and after."""
    return ([written(folder, f'b{i}.folded', f'main;work {100 + i}\nmain;rest 50\n', BEGIN + 60 * i) for i in range(6)],
            [written(folder, f'a{i}.folded', f'main;work {202 + i}\nmain;rest 50\n', BEGIN + 86400 + 3600 * i) for i in range(2)])


def costs(*words):
    done = run('top', '--json', '-n', '0', *words)
    return json.loads(done.stdout)['functions'] if done.returncode == 0 else (done.returncode, done.stderr)


def answered(tap, folder):
    """All that is a plain sum counts each profile once."""
    store = old_store(folder, 'asked.ppdb')
    before, after = parts(folder)
    shop = ('--where', 'service=shop')
    tap.same(costs(store, *shop), costs(*before, *after), 'top: each profile counts once')
    tap.same(costs(store, '--where', 'service=shop and version=1'), costs(*before), 'top of the sum alone')
    for words in (['tree', '--json', '-n', '0', '--min', '0'], ['callers', '--json', 'work'], ['traces', '--json'], ['convert', '--to', 'folded', '-o', '-']):
        wanted, got = run(*words, *before, *after), run(*words, store, *shop)

        def plain(text):
            try:
                return {key: value for key, value in json.loads(text).items() if key not in ('store', 'stamp')}
            except ValueError:
                return text

        tap.ok(got.returncode == 0 and plain(got.stdout) == plain(wanted.stdout), f'{words[0]} as of the files', (got.stdout[:600], got.stderr))
    tap.same(json.loads(run('top', '--json', store).stdout)['store']['profiles'], 14, 'the answer says how many profiles there are')
    for words in (['flame', '-o', '-'], ['report', '-o', os.path.join(folder, 'r.html')], []):
        tap.same(run(*words, store).returncode, 0, f'{words[0] if words else "summary"} answers')
    again = json.loads(run('store', 'add', '--json', store, *before, '--label', 'service=shop', '--label', 'version=1').stdout)
    tap.same((again['added'], again['known']), (0, 6), 'what is in the sum is known')


def said(tap, folder):
    """A store says that there are sums; comparisons refuse them by name, and go on without them."""
    store = old_store(folder, 'said.ppdb')
    new = written(folder, 'new.folded', 'main;work 7\n', BEGIN)
    for words in (['info'], ['list'], ['check']):
        done = run('store', *words, store)
        tap.ok(done.returncode == 0 and b'a sum of 6' in done.stderr and b'diff, gate and trend' in done.stderr, f'{words[0]} says so', done.stderr)
        quiet = run('store', words[0], '-q', store)
        tap.same((quiet.returncode, quiet.stderr), (0, b''), f'{words[0]} -q does not')
    tap.ok(b'(sum of 6 profiles)' in run('store', 'list', store).stdout, 'list says which')
    tap.same(json.loads(run('store', 'info', '--json', store).stdout)['levels']['rolled'], 1, 'info --json counts them')
    for words in (['diff', store, *SIDES], ['gate', store, *SIDES, '--fail-if', 'total > 1%'], ['trend', store], ['trend', store, '--function', 'work'],
                  ['diff', store, '--by', 'label:version'], ['diff', f'{store}?where=version=1', new], ['diff', new, store],
                  ['gate', '--before', f'{store}?where=version=1', '--after', new, '--fail-if', 'total > 1%']):
        done = run(*words)
        tap.ok(done.returncode == 3 and words[0].encode() in done.stderr and f"profile!={SUM}".encode() in done.stderr and b'a sum of 6' in done.stderr,
               f'{" ".join(words[:1] + words[2:])}: refused by name', (done.returncode, done.stdout[:300], done.stderr))
        rest = run(*words, '--where', f'profile!={SUM}')
        tap.ok(rest.returncode in (0, 1) or new in words, 'and the rest is compared', (rest.returncode, rest.stderr))
    done = run('diff', '--json', store, *SIDES)
    tap.same(json.loads(done.stdout)['error']['rule'], 'store-sums', 'with a rule')
    done = json.loads(run('diff', '--json', store, *SIDES, '--where', 'service=quiet').stdout)
    tap.same([(row['name'], row['status']) for row in done['functions'] if row['status'] != 'same'], [('work', 'grew')], 'other profiles are compared as ever')


def kept(tap, folder):
    """Options that made sums are gone; compact, remove and gc take sums as profiles."""
    store = old_store(folder, 'kept.ppdb')
    for words in (['--older-than', '7d', '--every', '1h'], ['--older-than', '7d'], ['--every', '1h']):
        tap.same(run('store', 'compact', store, *words).returncode, 2, f'compact {words[0]}: no such option')
    whole = costs(store)
    done = json.loads(run('store', 'compact', '--json', store).stdout)
    tap.ok(done['left'] == 9 and costs(store) == whole, 'compact leaves sums alone', done)
    tap.same(run('store', 'check', store).returncode, 0, 'the store is sound')
    dry = json.loads(run('store', 'gc', '--json', '--dry-run', store, '--keep', '1d').stdout)
    tap.ok(dry['removed'] == 9 and costs(store) == whole, 'a dry run only counts', dry)
    tap.same(json.loads(run('store', 'remove', '--json', store, SUM).stdout)['removed'], 1, 'a sum is removed')
    tap.same([run('store', 'check', store).returncode, json.loads(run('top', '--json', store).stdout)['store']['profiles']], [0, 8], 'and all that it stood for')
    before, _ = parts(folder)
    tap.same(json.loads(run('store', 'add', '--json', store, *before).stdout)['added'], 6, 'which can be added again')


def retention(tap, folder):
    """gc --keep removes what ended before that, whether fresh, packed or a sum, and nothing else."""
    now = int(time.time())
    for packed in (False, True):
        store = os.path.join(folder, f'retention{packed}.ppdb')
        files = [written(folder, f'{days}.folded', f'main;f{days} {days + 1}\n', now - days * 86400) for days in (0, 1, 29, 31, 400)]
        run('store', 'add', store, *files)
        if packed:
            run('store', 'compact', store)
        for keep, left in (('500d', 5), ('52w', 4), ('30d', 3), ('36h', 2), ('1m', 1)):
            done = json.loads(run('store', 'gc', '--json', store, '--keep', keep).stdout)
            tap.same((done['left'], costs(store)), (left, costs(*files[:left])), f'--keep {keep}: {left} left')
            tap.same(run('store', 'check', store).returncode, 0, 'and the store is sound')
    store = old_store(folder, 'aged.ppdb')
    run('store', 'add', store, written(folder, 'today.folded', 'main;today 1\n', now))
    done = json.loads(run('store', 'gc', '--json', store, '--keep', '1d').stdout)
    tap.ok(done['removed'] == 9 and done['left'] == 1 and run('store', 'check', store).returncode == 0, 'old sums go, too', done)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        for test in (answered, said, kept, retention):
            test(tap, folder)
    return tap.done()


sys.exit(main())
