#!/usr/bin/env python3
"""Stores survive kill -9 at any moment: kills.py POLYPROF [KILLS] [SEED]

Profiles are added one by one, packed, added up by the hour and cleaned away, and each of these is killed at random moments. After each
kill nothing is missing that was acknowledged, nothing is there twice, the store is sound, and a reader that asks all the
time sees whole profiles only: each of them has the same total. Speaks TAP.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

TOTAL = 1000
OLD = 60 * 86400


class Store:
    def __init__(self, program, folder):
        self.program = program
        self.path = os.path.join(folder, 's.ppdb')
        self.folder = folder
        self.acknowledged = set()
        self.tried = set()
        self.cleaned = False
        self.took = {}

    def command(self, *words):
        return [self.program, 'store', words[0], self.path, *words[1:]]

    def ask(self, *words):
        return subprocess.run([self.program, *words], capture_output=True, text=True, check=False)


def profile_write(folder, number, old):
    """A profile whose costs add up to TOTAL; every other one is the first of its kind."""
    path = os.path.join(folder, f'{number:04}.folded')
    left = TOTAL
    lines = []
    for i in range(30):
        cost = left if i == 29 else random.randint(1, max(1, left // 4))
        left -= cost
        stack = ['main', *(random.choice('abcdefghij') for _ in range(random.randint(1, 12)))]
        lines.append(f"{';'.join(stack)};f{number if number % 2 else 0}_{i} {cost}\n")
        if left <= 0:
            break
    with open(path, 'w', encoding='utf-8') as file:
        file.writelines(lines)
    stamp = time.time() - (OLD if old else 8 * 86400) - number % 7 * 600
    os.utime(path, (stamp, stamp))
    return path


def run_killed(store, kind, words):
    """Runs a command and kills it at a random moment of the time that it takes; whether it ended by itself with 0."""
    usual = store.took.get(kind, 0.05)
    process = subprocess.Popen(store.command(*words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    started = time.monotonic()
    try:
        process.wait(random.uniform(0, usual * 1.2))
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        store.took[kind] = min(2, usual * 1.1)
        return False
    store.took[kind] = max(0.005, 0.7 * usual + 0.3 * (time.monotonic() - started))
    return process.returncode == 0


def problems_of(store, files):
    """What is wrong with the store now."""
    if not os.path.exists(store.path) or not store.acknowledged:
        return []
    check = store.ask('store', 'check', store.path)
    if check.returncode:
        return [f'check: {check.returncode} {check.stdout} {check.stderr}']
    listing = store.ask('store', 'list', store.path, '--json', '-n', '100000')
    if listing.returncode:
        return [f'list: {listing.stderr}']
    rows = json.loads(listing.stdout)['profiles']
    if len({row['id'] for row in rows}) != len(rows):
        return ['a profile is there twice']
    top = store.ask('top', store.path, '--json', '-n', '0')
    if not rows:
        return []
    answer = json.loads(top.stdout)
    count = answer['store']['profiles']
    young = {name for name in store.acknowledged if not files[name]} if store.cleaned else store.acknowledged
    known = store.tried if not store.cleaned else store.tried | young
    whole = sum(row['self']['samples'] for row in answer['functions'])
    found = []
    if whole != count * TOTAL:
        found.append(f'{count} profiles cost {whole}')
    if not len(young) <= count <= len(known):
        found.append(f'{count} profiles, {len(young)} acknowledged, {len(known)} tried')
    return found


def reader_run(store, stop, seen):
    """Asks until it is told to stop; notes answers that are no sum of whole profiles."""
    while not stop.is_set():
        answer = store.ask('top', store.path, '--json', '-n', '0')
        if answer.returncode == 3:
            continue  # there is nothing in it yet
        if answer.returncode:
            seen['wrong'].append(answer.stderr)
            continue
        answer = json.loads(answer.stdout)
        seen['asked'] += 1
        if sum(row['self']['samples'] for row in answer['functions']) != answer['store']['profiles'] * TOTAL:
            seen['wrong'].append(str(answer['store']))
        time.sleep(0.01)


def kill_round(store, files, pending):
    """One command, killed; True when it was."""
    kind = random.choices(('add', 'compact', 'gc'), (6, 3, 1))[0]
    if kind == 'add':
        if not pending:
            pending.extend(store.tried - store.acknowledged)
        if not pending:
            kind = 'compact'
    if kind == 'add':
        name = pending.pop()
        store.tried.add(name)
        if run_killed(store, kind, ('add', name)):
            store.acknowledged.add(name)
            return False
        return True
    words = {'compact': ('compact',), 'gc': ('gc', '--keep', '30d')}
    if kind == 'gc':
        store.cleaned = True
    return not run_killed(store, kind, words[kind])


def main():
    program = os.path.abspath(sys.argv[1])
    kills = int(sys.argv[2]) if len(sys.argv) > 2 else 12
    seed = int(sys.argv[3]) if len(sys.argv) > 3 else time.time_ns()
    random.seed(seed)
    print(f'# seed {seed}')
    with tempfile.TemporaryDirectory() as folder:
        store = Store(program, folder)
        files = {}
        for number in range(kills * 3):
            old = number % 5 == 0
            files[profile_write(folder, number, old)] = old
        pending = list(files)
        random.shuffle(pending)
        stop, seen = threading.Event(), {'asked': 0, 'wrong': []}
        reader = threading.Thread(target=reader_run, args=(store, stop, seen))
        reader.start()
        killed = rounds = 0
        wrong = []
        while killed < kills and rounds < 20 * kills and not wrong:
            rounds += 1
            if kill_round(store, files, pending):
                killed += 1
                wrong = problems_of(store, files)
        # What was cut off is added again: once it is there, once it was.
        again = store.ask('store', 'add', store.path, *sorted(store.tried))
        store.acknowledged = set(store.tried)
        store.cleaned = False
        end = problems_of(store, files)
        until = time.monotonic() + 60
        while not seen['asked'] and not seen['wrong'] and time.monotonic() < until:
            time.sleep(0.01)
        stop.set()
        reader.join()
        for number, (text, found) in enumerate((
                (f'{killed} kills in {rounds} commands: nothing lost, nothing twice, sound', wrong or killed < kills),
                ('all that was added again is there once', again.returncode or end),
                (f'{seen["asked"]} answers meanwhile saw whole profiles only', seen['wrong'] or not seen['asked'])), 1):
            print(f"{'not ok' if found else 'ok'} {number} - {text}")
            if found:
                print(f'# {found}')
        print('1..3')
        return 0


sys.exit(main())
