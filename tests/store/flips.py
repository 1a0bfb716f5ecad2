#!/usr/bin/env python3
"""Bits of a compacted store are flipped: flips.py POLYPROF SAMPLES [TIMES]

Holds for each flip, in a store of pprof, OTLP, Xdebug and folded profiles (some of these with --keep):

- if `top` of all, or of a profile, ends with another exit code or answer than before, `store check` reports a problem
- in the tables that are derived from inputs: --partial answers as the sound store where the inputs are stored, and `compact` makes
  the store sound again, with the same answers

Then what removes, gets and selects profiles by the beginning of an id. Speaks TAP.
"""
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import SHARE, Tap, share  # noqa: E402 (needs the path above)

polyprof, samples = map(os.path.abspath, sys.argv[1:3])
TIMES = int(sys.argv[3]) if len(sys.argv) > 3 else 2
DERIVED = (('cells', 'data'), ('cells', 'total'), ('cells', 'n'), ('cells', 'seal'), ('cells', 'profile'), ('cells', 'facet'), ('cells', 'metric'), ('cells', 'sub'),
           ('dict', 'data'), ('dict', 'n'), ('dict', 'seal'), ('dict', 'chunk'), ('dict', 'part'), ('packed', 'own'), ('packed', 'shape'), ('packed', 'dict'),
           ('packed', 'cells'), ('packed', 'cells_seal'), ('packed', 'seal'), ('shape', 'def'), ('shape', 'seal'), ('sub', 'def'), ('sub', 'seal'),
           ('metric', 'def'), ('metric', 'seal'), ('original', 'keep'), ('profile', 'dict'))
STATED = (('profile', 'hash'), ('profile', 'series'), ('profile', 't0'), ('profile', 't1'), ('profile', 'complete'), ('profile', 'format'), ('profile', 'source'),
          ('profile', 'meta'), ('profile', 'level'), ('profile', 'seal'), ('series', 'labels'), ('series', 'seal'), ('census', 'n'), ('original', 'data'))


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL, cwd='/')


def made(folder, whole):
    """A compacted store; `whole`: all inputs stay in it."""
    store = os.path.join(folder, f'good{whole:d}.ppdb')
    for number in range(3):
        path = os.path.join(folder, f'{number}.folded')
        with open(path, 'w', encoding='utf-8') as file:
            file.writelines(f'main;f{i % 7};g{i % (5 + number)} {i + number + 1}\n' for i in range(60))
        os.utime(path, (1700000000 + 100 * number,) * 2)
        run('store', 'add', store, path, '--label', 'kind=folded', *(['--keep'] if whole or number == 0 else []))
    for name, files in (('pprof', ('all.pb.gz', 'go.pb.gz')), ('otlp', ()), ('xdebug', ())):
        good = os.path.join(samples, name, 'good')
        for file in [f for f in files if os.path.exists(os.path.join(good, f))] or sorted(os.listdir(good))[:3]:
            run('store', 'add', store, os.path.join(good, file), '--label', f'kind={name}')
    run('store', 'compact', store)
    return store


def questions(store):
    """What is asked: all of a kind, and each profile by itself."""
    listed = json.loads(run('store', 'list', '--json', '-n', '0', store).stdout)['profiles']
    kinds = sorted({p['labels']['kind'] for p in listed})
    return [f'kind={kind}' for kind in kinds] + [f'profile={p["id"]}' for p in listed]


def answers(store, wheres, *more):
    asked = [run('top', '--json', '-n', '0', store, '--where', where, *more) for where in wheres]
    return [(done.returncode, done.stdout if not done.returncode else b'') for done in asked]


def flipped(value, dice):
    """A value of SQLite with one bit changed."""
    if isinstance(value, int):
        changed = (value ^ 1 << dice.choice((0, 0, 1, 2, 7, 31, 62))) & (1 << 64) - 1
        return changed - (1 << 64) if changed >> 63 else changed
    data = bytearray(value if isinstance(value, bytes) else value.encode())
    if data:
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    return bytes(data) if isinstance(value, bytes) else data.decode('utf-8', 'replace')


class Flips:
    def __init__(self, tap, folder, whole):
        self.tap, self.whole, self.store = tap, whole, made(folder, whole)
        self.bad, self.wheres = self.store + '.bad', questions(self.store)
        shutil.copy(self.store, self.bad)
        self.good = answers(self.bad, self.wheres)
        levels = json.loads(run('store', 'info', '--json', self.store).stdout)['levels']
        tap.ok(all(code == 0 for code, _ in self.good) and run('store', 'check', self.store).returncode == 0 and levels['packed'] > 6, 'a sound store', levels)

    def judged(self, what, failed, repairs):
        now, check = answers(self.bad, self.wheres), run('store', 'check', '--json', self.bad)
        told = check.returncode == 3
        if now != self.good and not told:
            failed.append((what, 'check reports nothing', [w for w, a, b in zip(self.wheres, now, self.good) if a != b]))
        if any(code == 0 and (code, body) != good for (code, body), good in zip(now, self.good)):
            failed.append((what, 'another answer', [w for w, a, b in zip(self.wheres, now, self.good) if a != b]))
        if not repairs:
            return
        partial = answers(self.bad, self.wheres, '--partial')
        if partial != self.good:
            failed.append((what, '--partial differs', [w for w, a, b in zip(self.wheres, partial, self.good) if a != b]))
        mended = run('store', 'compact', self.bad)
        after, check = answers(self.bad, self.wheres), run('store', 'check', self.bad)
        if mended.returncode or after != self.good or check.returncode:
            failed.append((what, 'compact does not repair it', mended.stderr, check.stderr, [w for w, a, b in zip(self.wheres, after, self.good) if a != b]))

    def column(self, table, column, repairs):
        dice, failed, done = random.Random(f'{table}.{column}'), [], 0
        db = sqlite3.connect(self.store)
        key = {'census': 'name'}.get(table, 'rowid')
        found = [row for row in db.execute(f'SELECT {key}, {column} FROM {table}') if row[1] is not None]
        db.close()
        for at, old in dice.sample(found, min(TIMES, len(found))):
            shutil.copy(self.store, self.bad)
            new, db = flipped(old, dice), sqlite3.connect(self.bad)
            try:
                with db:
                    db.execute(f'UPDATE {table} SET {column} = ? WHERE {key} = ?', (new, at))
                done += new != old
            except sqlite3.IntegrityError:
                continue
            finally:
                db.close()
            self.judged((at, old if isinstance(old, int) else '', new if isinstance(new, int) else ''), failed, repairs)
        self.tap.ok(not failed, f'{done} bits of {table}.{column}{", all inputs stored" if self.whole else ""}', failed)

    def bytes(self, times):
        """Anywhere in the file, the pages of SQLite included."""
        dice, failed = random.Random(8), []
        with open(self.store, 'rb') as file:
            whole = file.read()
        filled = [at for at in range(0, len(whole)) if whole[at]]
        for _ in range(times):
            at = dice.choice(filled)
            data = bytearray(whole)
            data[at] ^= 1 << dice.randrange(8)
            with open(self.bad, 'wb') as file:
                file.write(data)
            self.judged(at, failed, False)
        self.tap.ok(not failed, f'{times} bits of the file', failed)


def named(tap, folder):
    """Damage is reported by id and labels, never by the number of a row; the message says what to do."""
    for whole in (True, False):
        store = made(folder, whole)
        bad = store + '.named'
        listed = json.loads(run('store', 'list', '--json', '-n', '0', store).stdout)['profiles']
        for table, column in (('cells', 'data'), ('packed', 'own'), ('original', 'data')):
            db = sqlite3.connect(store)
            key = 'profile'
            rows = db.execute(f'SELECT DISTINCT {key} FROM {table}').fetchall()
            db.close()
            wrong = []
            for number, in rows:
                shutil.copy(store, bad)
                db = sqlite3.connect(bad)
                with db:
                    db.execute(f"UPDATE {table} SET {column} = zeroblob(5) WHERE {key} = ?", (number,))
                (ident,), = db.execute('SELECT hex(hash) FROM profile WHERE id = ?', (number,))
                db.close()
                kind = next(p for p in listed if p['id'] == ident.lower())['labels']['kind']
                said = [run('store', 'check', bad).stderr.decode(), run('top', bad, '--where', f'profile={ident}').stderr.decode()]
                if ident.lower()[:12] not in said[0] or f'"kind":"{kind}"' not in said[0] or f'profile {number} ' in said[0] + said[1] or \
                   (said[1] and 'damaged' in said[1] and ident.lower()[:12] not in said[1]):
                    wrong.append((number, ident, said))
            tap.ok(rows and not wrong, f'{len(rows)} profiles of {table}.{column} by name', wrong)


def beginnings(tap, folder):
    """The beginning of an id that is short, or that of several, selects nothing, gets nothing and removes nothing."""
    store, inbox = os.path.join(folder, 'ids.ppdb'), os.path.join(folder, 'inbox')
    os.mkdir(inbox)
    for number in range(900):
        with open(os.path.join(inbox, f'{number}.folded'), 'w', encoding='utf-8') as file:
            file.write(f'main;f{number} 1\n')
    run('store', 'add', store, inbox, '--label', 'kind=many')
    ids = [p['id'] for p in json.loads(run('store', 'list', '--json', '-n', '0', store).stdout)['profiles']]
    heads = [ident[:4] for ident in ids]
    shared = next(head for head in heads if heads.count(head) > 1)
    several = [ident for ident in ids if ident.startswith(shared)]
    alone = next(ident for ident in ids if heads.count(ident[:4]) == 1)
    gone = next(f'{head:04x}' for head in range(65536) if f'{head:04x}' not in heads)
    count = len(ids)
    for begin in (shared, several[0][:2], several[0][:3]):
        candidates = [ident for ident in ids if ident.startswith(begin)]
        for words in (['store', 'remove', store, begin], ['store', 'remove', store, alone, begin], ['store', 'get', store, begin, '-o', os.path.join(folder, 'x.folded')],
                      ['top', store, '--where', f'profile={begin}'], ['top', f'{store}?where=profile={begin}'], ['store', 'list', store, '--where', f'profile!={begin}'],
                      ['store', 'remove', store, '--where', f'not profile in ({alone}, {begin})'], ['store', 'gc', store, '--keep', '1m', '--where', f'profile={begin}'],
                      ['diff', store, '--before', f'profile={begin}', '--after', f'profile={alone}'], ['store', 'remove', '--dry-run', store, begin]):
            done = run(*words)
            shown = [ident for ident in candidates if ident[:12].encode() in done.stderr]
            tap.ok(done.returncode == 2 and len(shown) == min(5, len(candidates)) and b'"kind":"many"' in done.stderr and
                   json.loads(run('store', 'info', '--json', store).stdout)['profiles'] == count, f'{" ".join(words[:2]) if words[0] == "store" else words[0]} of {len(begin)} digits',
                   (done.returncode, done.stderr[:600]))
    done = run('store', 'remove', store, alone, gone)
    tap.ok(done.returncode == 3 and gone.encode() in done.stderr and json.loads(run('store', 'info', '--json', store).stdout)['profiles'] == count,
           'one of two ids is nobody\'s: nothing is removed', (done.returncode, done.stderr))
    tap.same(json.loads(run('top', '--json', store, '--where', f'profile={alone[:4]}').stdout)['total'], 1, 'four digits suffice where they are unique')
    tap.same(json.loads(run('store', 'remove', '--json', store, alone[:4], several[0]).stdout)['removed'], 2, 'and an id as a whole')
    tap.same(json.loads(run('store', 'info', '--json', store).stdout)['profiles'], count - 2, 'these two are gone')


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        named(tap, folder)
        beginnings(tap, folder)
        for whole in (True, False):
            flips = Flips(tap, folder, whole)
            for table, column in share(DERIVED):
                flips.column(table, column, whole)
            if not whole:
                for table, column in share(STATED):
                    flips.column(table, column, False)
                flips.bytes(max(1, TIMES * 10 // SHARE))
    return tap.done()


sys.exit(main())
