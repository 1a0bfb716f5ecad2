#!/usr/bin/env python3
"""Stores that are damaged, and stores of others: damage.py POLYPROF

Of packed profiles rows are deleted, moved and swapped, and bits are flipped: a question gives the answer that it gave before, or exit 3;
never another one. Who may only read a store can ask it, and leaves nothing behind that keeps its owner from writing. What is no
store of ours is not touched, and nothing is left beside it. Speaks TAP.
"""
import gzip
import hashlib
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

polyprof = os.path.abspath(sys.argv[1])
ENDINGS = ('-wal', '-shm', '-journal')
OWNER, OTHER = 65533, 65534


def run(*words, user=None):
    def become():
        os.setgroups([])
        os.setgid(user)
        os.setuid(user)
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL, preexec_fn=become if user else None, cwd='/')


def change(path, sql, values=()):
    db = sqlite3.connect(path)
    with db:
        count = db.execute(sql, values).rowcount
    db.close()
    return count


def rows(path, sql):
    db = sqlite3.connect(path)
    found = db.execute(sql).fetchall()
    db.close()
    return found


def made(folder):
    """Six profiles of two services, packed; three of them have two threads and two metrics."""
    dice = random.Random(6)
    store = os.path.join(folder, 'good.ppdb')
    for number in range(6):
        path = os.path.join(folder, f'{number}.folded')
        with open(path, 'w', encoding='utf-8') as file:
            file.writelines(f"main;{';'.join(dice.choice('abcdef') for _ in range(dice.randint(1, 6)))} {dice.randint(1, 90)}\n" for _ in range(80))
        os.utime(path, (1700000000 + 100 * number,) * 2)
        run('store', 'add', store, path, '--label', f'service=s{number % 2}')
        # A second commit, so that the dictionary has more than one chunk.
        run('store', 'compact', store)
    return store


QUESTIONS = (('top', '--json', '-n', '0'), ('tree', '--json'), ('top', '--json', '-n', '0', '--where', 'service=s0'),
             ('diff', '--json', '--before', 'service=s0', '--after', 'service=s1'), ('trend', '--json', '--function', 'a'), ('info', '--json'),
             ('store', 'list', '--json'), ('top', '--json', '-n', '0', '--since', '@1700000250'), ('top', '--json', '-n', '0', '--until', '@1700000250'))
FEW = QUESTIONS[:1]


def answers(path, questions=QUESTIONS):
    """Exit codes and answers, but for what rows of cells take."""
    return [(done.returncode, re.sub(rb'"bytes": \d+', b'', done.stdout)) for done in
            (run(*(q[:2] if q[0] == 'store' else q[:1]), path, *(q[2:] if q[0] == 'store' else q[1:])) for q in questions)]


class Matrix:
    def __init__(self, tap, store):
        self.tap, self.store, self.bad = tap, store, store + '.bad'
        shutil.copy(store, self.bad)
        self.good = answers(self.bad)

    def judged(self, questions=QUESTIONS):
        """Answers that are another one, and whether any says so; and what `check` says."""
        now = answers(self.bad, questions)
        good = dict(zip(QUESTIONS, self.good))
        wrong = [question for question, one in zip(questions, now) if one[0] not in (0, 3) or (one[0] == 0 and one != good[question])]
        return wrong, any(one[0] == 3 for one in now), run('store', 'check', self.bad).returncode

    def sql(self, what, sql, values=()):
        shutil.copy(self.store, self.bad)
        count = change(self.bad, sql, values)
        wrong, said, check = self.judged()
        self.tap.ok(count > 0 and not wrong and said and check == 3, what, (count, wrong, said, check))

    def row_lost(self):
        """The last row of a page of profiles is not counted as one: what the indexes have is as before."""
        shutil.copy(self.store, self.bad)
        (root,), = rows(self.store, "SELECT rootpage FROM sqlite_master WHERE name = 'profile'")
        (size,), = rows(self.store, 'PRAGMA page_size')
        with open(self.bad, 'r+b') as file:
            file.seek((root - 1) * size)
            page = file.read(5)
            file.seek((root - 1) * size + 3)
            file.write((int.from_bytes(page[3:], 'big') - 1).to_bytes(2, 'big'))
        wrong, said, check = self.judged(tuple(question for question in QUESTIONS if question[0] != 'store'))
        self.tap.ok(page[0] == 13 and not wrong and said and check == 3, 'a row that only the indexes have', (page, wrong, said, check))

    def flips(self, table, column, times, seed, questions=FEW):
        dice = random.Random(seed)
        found = [row for row in rows(self.store, f'SELECT rowid, {column} FROM {table}') if row[1]]
        failed = []
        for _ in range(times):
            number, old = dice.choice(found)
            data = bytearray(old if isinstance(old, bytes) else old.encode())
            at = dice.randrange(len(data))
            data[at] ^= 1 << dice.randrange(8)
            shutil.copy(self.store, self.bad)
            change(self.bad, f'UPDATE {table} SET {column} = ? WHERE rowid = ?', (bytes(data), number))
            wrong, said, check = self.judged(questions)
            if wrong or check != 3 or not said:
                failed.append((number, at, wrong, said, check))
        self.tap.ok(not failed, f'{times} bits of {table}.{column}', failed)


def damage(tap, folder):
    store = made(folder)
    tap.same([code for code, _ in answers(store)], [0] * len(QUESTIONS), 'what is sound is answered')
    tap.ok(run('store', 'check', store).returncode == 0 and rows(store, 'SELECT count(*) FROM packed') == [(6,)], 'and found to be so')
    m = Matrix(tap, store)
    m.sql('cells of a profile are gone', 'DELETE FROM cells WHERE profile = 1')
    m.sql('all cells are gone', 'DELETE FROM cells')
    m.sql('cells of another facet', 'UPDATE cells SET facet = facet + 1 WHERE profile = 2')
    m.sql('cells of another profile', 'UPDATE cells SET profile = 77 WHERE profile = 1')
    for number in (1, 4):
        m.sql(f'cells of another series, profile {number}', 'UPDATE cells SET sub = 77 WHERE profile = ?', (number,))
        m.sql(f'cells of another metric, profile {number}', 'UPDATE cells SET metric = 77 WHERE profile = ?', (number,))
    m.sql('cells of two profiles change places',
          'UPDATE cells SET (n, total, seal, data) = (SELECT n, total, seal, data FROM cells c WHERE c.profile = 3 - cells.profile) WHERE profile IN (1, 2)')
    m.sql('another number', 'UPDATE cells SET n = n + 1 WHERE profile = 3')
    m.sql('another total', 'UPDATE cells SET total = total + 1 WHERE profile = 3')
    m.sql('what is packed is gone', 'DELETE FROM packed WHERE profile = 1')
    m.sql('fewer rows are promised', 'UPDATE packed SET cells = 0, cells_seal = 0 WHERE profile = 1')
    m.sql('facts of another', 'UPDATE packed SET own = (SELECT own FROM packed p WHERE p.profile = 2) WHERE profile = 1')
    for part in 'sfrnt':
        m.sql(f'the last chunk of {part} is gone', 'DELETE FROM dict WHERE rowid = (SELECT max(rowid) FROM dict WHERE part = ?)', (part,))
        m.sql(f'the first chunk of {part} is gone', 'DELETE FROM dict WHERE rowid = (SELECT min(rowid) FROM dict WHERE part = ?)', (part,))
    m.sql('chunks change places', "UPDATE dict SET (n, seal, data) = (SELECT n, seal, data FROM dict d WHERE d.part = 't' AND d.chunk = 3 - dict.chunk) "
          "WHERE part = 't' AND chunk IN (1, 2)")
    m.sql('a dictionary of another number', 'UPDATE dict SET dict = dict + 1')
    m.sql('the format of a profile', "UPDATE profile SET format = 'pprof' WHERE id = 2")
    m.sql('its time', 'UPDATE profile SET t0 = t0 + 1 WHERE id = 2')
    m.sql('its time, so that it leaves one window', 'UPDATE profile SET t0 = t0 - ?1, t1 = t1 - ?1 WHERE id = 5', (10 ** 12,))
    m.sql('its time, so that it leaves the other', 'UPDATE profile SET t0 = t0 + ?1, t1 = t1 + ?1 WHERE id = 1', (10 ** 12,))
    m.sql('its time, which is none', "UPDATE profile SET t0 = 'x' WHERE id = 1")
    m.sql('its labels', 'UPDATE profile SET series = 3 - series WHERE id = 2')
    m.sql('its labels, so that it is not asked for', 'UPDATE profile SET series = 3 - series WHERE id = 1')
    m.sql('how many there must be is gone', "DELETE FROM census WHERE name = 'profiles'")
    m.row_lost()
    m.sql('a label', 'UPDATE series SET labels = replace(labels, \'s0\', \'s1x\')')
    m.flips('cells', 'data', 40, 1)
    m.flips('dict', 'data', 60, 2)
    m.flips('packed', 'own', 6, 3)
    m.flips('shape', 'def', 12, 4)
    m.flips('sub', 'def', 4, 5, QUESTIONS)
    # A profile that is gone altogether: whoever asks is told, who looks after the store can still do so.
    shutil.copy(store, m.bad)
    change(m.bad, 'DELETE FROM profile WHERE id = 1')
    partial = run('top', m.bad, '--json', '--partial')
    tap.ok(run('top', m.bad).returncode == 3 and run('store', 'check', m.bad).returncode == 3, 'a profile is gone')
    tap.ok(partial.returncode == 0 and json.loads(partial.stdout)['complete'] is False, 'but for who wants the others', partial.stdout)
    for words in (['gc', '--keep', '1d'], ['compact']):
        shutil.copy(store, m.bad)
        change(m.bad, 'UPDATE cells SET seal = seal + 1 WHERE profile = 2')
        change(m.bad, "UPDATE profile SET level = level")
        if words[0] == 'gc':
            run('store', 'remove', m.bad, '--where', 'service=s0')
        done = run('store', words[0], m.bad, *words[1:])
        tap.ok(done.returncode in (0, 3, 4) and run('top', m.bad).returncode == 3, f'{words[0]} does not make sound what is not', done.stderr)
    change(m.bad, 'DELETE FROM cells WHERE profile = 2')
    tap.same(run('store', 'remove', m.bad, '--where', 'service=s1').returncode, 0, 'what is damaged can be removed')
    tap.same([run('top', m.bad).returncode, run('store', 'check', m.bad).returncode], [0, 0], 'and the rest is sound')


def varint(data, at):
    """A number as SQLite writes it, and where the next one is."""
    value = 0
    while data[at] & 128:
        value, at = value << 7 | data[at] & 127, at + 1
    return value << 7 | data[at], at + 1


def disordered(tap, folder):
    """Many packed profiles, read in a row, of which one claims a number that is none of theirs, or that of another."""
    store, bad = os.path.join(folder, 'many.ppdb'), os.path.join(folder, 'many.ppdb.bad')
    for number in range(80):
        with open(os.path.join(folder, f'm{number}.folded'), 'w', encoding='utf-8') as file:
            file.write(f'main;f{number % 7} {number + 1}\n')
    run('store', 'add', store, *(os.path.join(folder, f'm{number}.folded') for number in range(80)))
    run('store', 'compact', store)
    tap.ok(rows(store, 'SELECT min(profile), max(profile) FROM packed') == [(1, 80)] and run('top', store).returncode == 0, 'many are packed')
    ((root, size),) = rows(store, "SELECT (SELECT rootpage FROM sqlite_master WHERE name = 'packed'), page_size FROM pragma_page_size")
    with open(store, 'rb') as file:
        file.seek((root - 1) * size)
        whole = file.read(size)
    for name, claimed in (('below 0', b'\xff\x80\x80' + b'\x80' * 5 + b'\0'), ('of another', b'\x32')):
        page, pointer = bytearray(whole), 8 + 2 * 30
        at = int.from_bytes(page[pointer:pointer + 2], 'big')
        length, head = varint(page, at)
        _, body = varint(page, head)
        # A copy in the free room of the page, as the number may be longer.
        cell = page[at:head] + claimed + page[body:body + length]
        free = 8 + 2 * 80 + 64
        page[free:free + len(cell)] = cell
        page[pointer:pointer + 2] = free.to_bytes(2, 'big')
        shutil.copy(store, bad)
        with open(bad, 'r+b') as file:
            file.seek((root - 1) * size)
            file.write(page)
        for words in (['top'], ['tree'], ['diff', '--before', 'format=folded', '--after', 'complete=true']):
            done = run(words[0], bad, *words[1:])
            tap.ok(page[0] == 13 and done.returncode == 3 and b'is damaged' in done.stderr, f'{words[0]}: a number {name}', (done.returncode, done.stderr))


def moved(tap, folder):
    """Inputs that change places, and sums that lose parts."""
    store = os.path.join(folder, 'inputs.ppdb')
    for number in range(6):
        run('store', 'add', store, os.path.join(folder, f'{number}.folded'), '--label', f'service=s{number % 2}')
    m = Matrix(tap, store)
    m.sql('an input of another profile', 'UPDATE original SET data = (SELECT data FROM original o WHERE o.profile = 2) WHERE profile = 1')
    m.sql('inputs change places', 'UPDATE original SET data = (SELECT data FROM original o WHERE o.profile = 3 - original.profile) WHERE profile IN (1, 2)')
    shutil.copy(store, m.bad)
    change(m.bad, 'UPDATE original SET data = (SELECT data FROM original o WHERE o.profile = 2) WHERE profile = 1')
    tap.same([json.loads(run('store', 'compact', '--json', m.bad).stdout)['packed'], run('top', m.bad).returncode], [5, 3], 'and is not packed as if it were its own')
    # A store of polyprof 0.1: one profile is a sum of six.
    store = os.path.join(folder, 'sums.ppdb')
    with gzip.open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'old', 'sums.ppdb.gz')) as packed, open(store, 'wb') as file:
        file.write(packed.read())
    m = Matrix(tap, store)
    m.sql('a sum that is called a profile', 'UPDATE profile SET level = 1 WHERE level = 2')
    m.sql('parts of a sum are gone', 'DELETE FROM rolled WHERE hash = (SELECT min(hash) FROM rolled)')
    m.sql('parts are those of another sum', 'UPDATE rolled SET profile = (SELECT min(id) FROM profile) WHERE hash = (SELECT min(hash) FROM rolled)')
    m.flips('cells', 'data', 20, 6)


def beside(path):
    return [ending for ending in ENDINGS if os.path.exists(path + ending)]


def digest(path):
    with open(path, 'rb') as file:
        return hashlib.sha256(file.read()).hexdigest()


def foreign(tap, folder):
    """What is no store of ours is left as it is, with nothing beside it."""
    file = os.path.join(folder, '0.folded')
    good = os.path.join(folder, 'f.ppdb')
    run('store', 'add', good, file)
    tap.ok(os.path.getsize(good) < 500000, 'a small store is small', os.path.getsize(good))
    tables = os.path.join(folder, 'tables.ppdb')
    db = sqlite3.connect(tables)
    for sql in ('PRAGMA application_id = 0x70707366', 'PRAGMA user_version = 1', 'PRAGMA journal_mode = WAL', 'CREATE TABLE profile(id INTEGER PRIMARY KEY, mine)',
                'INSERT INTO profile(mine) VALUES(1)'):
        db.execute(sql)
    db.commit()
    db.close()
    early, newer, cut = (os.path.join(folder, name) for name in ('early.ppdb', 'newer.ppdb', 'cut.ppdb'))
    for path in (early, newer, cut):
        shutil.copy(good, path)
    change(newer, 'PRAGMA user_version = 2')
    change(early, 'ALTER TABLE cells DROP COLUMN seal')
    os.truncate(cut, os.path.getsize(cut) // 2)
    for path in (tables, early, newer, cut):
        before = digest(path)
        for words in (['top'], ['store', 'list'], ['store', 'check'], ['store', 'compact'], ['store', 'add']):
            done = run(*words, path, *([file] if words[-1] == 'add' else []))
            tap.ok(done.returncode == 3 and done.stderr and digest(path) == before and not beside(path), f'{os.path.basename(path)}: {" ".join(words)}',
                   (done.returncode, done.stderr, beside(path)))


def others(tap, folder):
    """Stores of somebody else. The root of a system may do all, so that these need it to become others."""
    if os.getuid():
        print('# SKIPPED: who may read a store but not write it: this test has to be run as root', flush=True)
        tap.ok(True, 'stores of others # SKIP not root')
        return
    inputs = []
    for number in range(4):
        inputs.append(os.path.join(folder, f'o{number}.folded'))
        with open(inputs[-1], 'w', encoding='utf-8') as file:
            file.write(f'main;f{number} {number + 1}\n')
        os.chmod(inputs[-1], 0o644)
    for mode in (0o755, 0o777):
        place = os.path.join(folder, f'{mode:o}')
        os.mkdir(place)
        os.chown(place, OWNER, OWNER)
        os.chmod(place, mode)
        store = os.path.join(place, 's.ppdb')
        tap.same(run('store', 'add', store, inputs[0], user=OWNER).returncode, 0, f'{mode:o}: the owner adds')
        os.chmod(store, 0o644)
        asked = [run(*words, store, user=OTHER) for words in (['top', '--json'], ['store', 'list'], ['store', 'check'])]
        tap.ok(all(done.returncode == 0 for done in asked) and json.loads(asked[0].stdout)['total'] == 1, f'{mode:o}: others ask', [done.stderr for done in asked])
        tap.same(beside(store), [], f'{mode:o}: and leave nothing behind')
        tap.same(run('store', 'add', store, inputs[1], user=OTHER).returncode, 4, f'{mode:o}: but they cannot add')
        done = run('store', 'add', store, inputs[1], user=OWNER)
        tap.ok(done.returncode == 0 and not beside(store), f'{mode:o}: the owner adds once more', (done.stderr, beside(store)))
        # Somebody writes at the moment: what is committed is seen.
        writer = subprocess.Popen([sys.executable, '-c', f'''
import os, sqlite3, sys
os.setgid({OWNER}); os.setuid({OWNER})
db = sqlite3.connect({store!r}, isolation_level=None)
db.execute('BEGIN IMMEDIATE'); db.execute("CREATE TABLE more(x)"); db.execute('COMMIT')
print('there', flush=True); sys.stdin.read(1)
os._exit(0) if {mode == 0o777} else db.close()
'''], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        writer.stdout.readline()
        done = run('top', '--json', store, user=OTHER)
        tap.ok(done.returncode == 0 and json.loads(done.stdout)['total'] == 3, f'{mode:o}: others ask while somebody writes', done.stderr)
        writer.communicate(b'x')
        done = run('top', '--json', store, user=OTHER)
        tap.ok(done.returncode == 0 and json.loads(done.stdout)['total'] == 3, f'{mode:o}: and after that', done.stderr)
        if mode == 0o777:
            os.unlink(store + '-shm')
            done = run('top', store, user=OTHER)
            tap.ok(done.returncode == 3 and b'may write' in done.stderr and beside(store) == ['-wal'], 'what lies beside it cannot be taken in by others',
                   (done.returncode, done.stderr, beside(store)))
        done = run('store', 'add', store, inputs[2], user=OWNER)
        tap.ok(done.returncode == 0 and not beside(store), f'{mode:o}: the owner goes on', (done.stderr, beside(store)))
        tap.same(json.loads(run('top', '--json', store, user=OTHER).stdout)['total'], 6, f'{mode:o}: all is there')


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        damage(tap, folder)
        disordered(tap, folder)
        moved(tap, folder)
        foreign(tap, folder)
        others(tap, folder)
    return tap.done()


sys.exit(main())
