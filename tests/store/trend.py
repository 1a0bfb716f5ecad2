#!/usr/bin/env python3
"""Trends of a store: trend.py POLYPROF

Profiles whose costs are known: one function makes a step, on one host of two; a hundred others only scatter. Points are checked against
sums made here. Speaks TAP.
"""
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof = os.path.abspath(sys.argv[1])
HOUR, BEGIN, RUNS, STEP = 3600, 1700006400, 40, 24  # it begins at midnight
OTHERS = [f'other{i}' for i in range(100)]


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL)


def ask(*words):
    done = run('trend', '--json', *words)
    return json.loads(done.stdout) if done.returncode == 0 else {'exit': done.returncode}


def costs_of(host, i, noise, fixed):
    """What the functions cost in one run; `fixed`: a run has so many samples, whatever they are spent on."""
    usual = {name: 200 + 7 * k for k, name in enumerate(OTHERS)}
    usual['parse'] = (30000 if fixed else 3000) * (2 if host == 'b' and i >= STEP else 1)
    scale = fixed / sum(usual.values()) if fixed else 1
    return {name: max(0, round(noise.gauss(cost * scale, cost * scale * 0.04))) for name, cost in usual.items()}


def store_make(folder, noise, fixed=0):
    store, runs = os.path.join(folder, 'prof.ppdb'), {}
    for host in 'ab':
        files = []
        for i in range(RUNS):
            runs[host, i] = costs_of(host, i, noise, fixed)
            files.append(os.path.join(folder, f'{host}{i}.folded'))
            with open(files[-1], 'w', encoding='utf-8') as out:
                out.write(''.join(f'main;{name} {cost}\n' for name, cost in runs[host, i].items()))
            when = BEGIN + i * HOUR + 600
            os.utime(files[-1], (when, when))
        run('store', 'add', store, *files, '--label', f'host={host}')
    return store, runs


def points(tap, store, runs):
    answer = ask(store, '--function', 'parse', '--every', '4h', '--by', 'host')
    tap.same(list(answer), ['function', 'metric', 'unit', 'every', 'points', 'steps', 'store'], 'the keys')
    tap.same([answer[key] for key in ('function', 'metric', 'unit', 'every')], ['parse', 'samples', 'samples', 4 * HOUR * 10**9], 'the head')
    tap.same(answer['store'], {'source': store, 'profiles': 2 * RUNS, 'samples': 101 * 2 * RUNS, 'series': 2, 'promised': 101 * 2 * RUNS}, 'the store')
    wrong = []
    for host in 'ab':
        for first in range(0, RUNS, 4):
            mine = [runs[host, i] for i in range(first, first + 4)]
            selfs = [costs['parse'] for costs in mine]
            want = {'time': (BEGIN + first * HOUR) * 10**9, 'by': {'host': host}, 'profiles': 4, 'self': sum(selfs), 'total': sum(selfs),
                    'whole': sum(sum(costs.values()) for costs in mine), 'mean': sum(selfs) / 4, 'se': statistics.stdev(selfs) / 2}
            got = [dict(p) for p in answer['points'] if p['time'] == want['time'] and p['by'] == want['by']]
            if len(got) != 1 or list(got[0]) != list(want) or not math.isclose(got[0].pop('se'), want.pop('se'), rel_tol=1e-9) or got[0] != want:
                wrong.append((got, want))
    tap.ok(not wrong and len(answer['points']) == RUNS // 2, 'sums, means and errors of each point', f'{wrong[:1]}')
    means = [statistics.mean(runs['b', i]['parse'] for i in part) for part in (range(STEP), range(STEP, RUNS))]
    step = {'time': (BEGIN + STEP * HOUR) * 10**9, 'by': {'host': 'b'}, 'before': means[0], 'after': means[1], 'status': 'grew'}
    tap.same(answer['steps'], [step], 'the one step, on one host')
    again = ask(store, '--function', 'parse', '--every', '4h', '--by', 'label:host')
    tap.same(again, answer, 'label:KEY is KEY')
    alone = ask(store, '--function', 'parse', '--every', '1d', '--where', 'host=a')
    tap.same([(p['by'], p['profiles']) for p in alone['points']] + alone['steps'], [({}, 24), ({}, 16)], 'without a label; a day; no step on the other host')
    other = ask(store, '--by', 'host')
    tap.same(list(other), ['metric', 'unit', 'every', 'steps', 'store'], 'the keys without a function')
    tap.same(other['every'], HOUR * 10**9, 'a round span for some fifty points')
    tap.same(other['steps'], [{'name': 'parse', **step}], 'what stepped, and no function that scatters')


def refusals(tap, store, folder):
    tap.same(run('trend', store, '--function', 'prase').returncode, run('callers', 'prase', store).returncode, 'no such function, as callers')
    tap.ok(b'parse' in run('trend', store, '--function', 'prase').stderr, 'what may be meant is said')
    for words, code in ((['--every', '5x'], 2), (['--every', '0s'], 2), (['--where', 'host=c'], 3), (['--since', 'x'], 2), (['-m', 'nix'], 2)):
        tap.same(run('trend', store, *words).returncode, code, ' '.join(words))
    files = [os.path.join(folder, f'b{i}.folded') for i in range(20, 30)]
    rows = json.loads(run('trend', '--json', *files).stdout)['rows']
    tap.same([row[:3] for row in rows], [['parse', files[4], 4]], 'files in order are what they were')
    tap.same(run('trend', *files, '--by', 'host').returncode, 2, 'files have no labels')
    short = [store, '--where', 'host=b', '--between', f'@{BEGIN + (STEP - 2) * HOUR}..@{BEGIN + (STEP + 2) * HOUR}']
    few = ask(*short, '--function', 'parse')
    tap.same((sum(p['profiles'] for p in few['points']), few['steps']), (4, []), 'of too few profiles nothing is said')
    for words in ([], ['--function', 'parse']):
        said = run('trend', *short, *words).stdout
        tap.ok(b'too few runs to tell' in said and b'more than noise' not in said, 'and people are told that they are too few', said)
    tap.ok(b'no function changed by more than noise' in run('trend', store, '--where', 'host=a').stdout, 'enough profiles, and no step')
    said = run('trend', store, '--where', 'host=a', '--function', 'parse', '--by', 'host').stdout
    tap.ok(b'within each value, it did not change by more than noise' in said, 'by a label, values are not compared with each other', said)
    lines = run('trend', store, '--function', 'parse', '--by', 'host').stdout.decode().splitlines()
    tap.ok(len(lines) > 2 * RUNS and max(map(len, lines)) <= 80 and any('2023-11-16 00:00' in line and '+' in line for line in lines[-2:]), 'for people', '\n'.join(lines[-4:]))


def main():
    tap, noise = Tap(), random.Random(7)
    with tempfile.TemporaryDirectory() as folder:
        store, runs = store_make(folder, noise)
        points(tap, store, runs)
        refusals(tap, store, folder)
    with tempfile.TemporaryDirectory() as folder:
        store, _ = store_make(folder, noise, fixed=60000)
        steps = ask(store, '--by', 'host')['steps']
        tap.same([(s['name'], s['by'], s['status']) for s in steps], [('parse', {'host': 'b'}, 'grew')], 'who only makes room did not change')
    return tap.done()


sys.exit(main())
