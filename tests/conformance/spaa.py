#!/usr/bin/env python3
"""SPAA as a consumer sees it: spaa.py POLYPROF tests/formats/spaa [CORPUS]

What samples mean (stacks, totals, units, threads) and, where the conformance corpus lies beside the
repository, the verdict on each of its files. Speaks TAP.
"""
import json
import os
import subprocess
import sys

# good sample -> options -> its stacks
FOLDED = {
    'plain': {(): ['main;boil 100']},
    'root-to-leaf': {(): ['main;boil 100']},
    'exclusive': {(): ['main;boil 100']},
    'inline': {(): ['main;outer;middle;inner 100']},
    'pair': {(): ['main;boil;entry;do_sys 4']},
    'pair-shared': {(): ['main;boil 1', 'main;boil;do_sys 1', 'main;boil;entry 2']},
    'kernel-alone': {(): ['entry;do_sys 4']},
    'threads': {(): ['main;boil 15']},
    'two-events': {(): ['main;boil 100'], ('-m', 'alloc_bytes'): ['main;boil 99'],
                   ('-m', 'malloc/alloc_bytes'): ['main;boil 99']},
    'memory': {(): ['main;boil 4096'], ('-m', 'live_bytes'): ['main;boil 3072']},
    'interleaved': {(): ['main 100', 'main;boil 100']},
    'header-only': {(): []},
}


class Tap:
    def __init__(self):
        self.run = self.failed = 0

    def ok(self, passed, what, detail=''):
        self.run += 1
        self.failed += not passed
        print(f"{'ok' if passed else 'not ok'} {self.run} - {what}")
        if not passed:
            print(f'# {detail}')

    def same(self, got, wanted, what):
        self.ok(got == wanted, what, f'got {got!r}, wanted {wanted!r}')


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def ask(*command):
    return json.loads(run(*command).stdout)


def metric(info, name):
    return next(m for m in info['metrics'] if m['name'] == name)


def stacks(tap, polyprof, good):
    for name, cases in FOLDED.items():
        for options, wanted in cases.items():
            done = run(polyprof, 'convert', '--to', 'folded', '-o', '-', *options, good(name))
            tap.same(done.stdout.decode().splitlines(), wanted, f"stacks of {name} {' '.join(options)}")


def numbers(tap, polyprof, good):
    info = ask(polyprof, 'info', '--json', good('numbers'))
    tap.same(metric(info, 'period')['total'], 2 * (2 ** 64 - 1), 'totals pass 64 bits exactly')
    tap.ok(b'"total": 12.75' in run(polyprof, 'info', '--json', good('numbers')).stdout,
           'decimals are exact')
    tap.same(metric(info, 'big')['total'], 1000000, '1e6 is a whole number')
    tap.same(info['counts']['samples'], 1, '17 and "17" are one id')
    info = ask(polyprof, 'info', '--json', good('time-units'))
    tap.same([metric(info, 'period')[key] for key in ('unit', 'total')], ['ns', 2002000],
             'units of time become ns')
    tap.same(info['time'], {'start': 1700000000000000000, 'end': 1700000000000000009, 'unit': 'ns'},
             'ns survive')
    tap.same(ask(polyprof, 'info', '--json', good('threads'))['counts']['threads'], 2, 'threads are apart')
    info = ask(polyprof, 'info', '--json', good('two-events'))
    tap.same([m['event'] for m in info['metrics']], ['cycles', 'malloc'], 'events are apart')
    sampling = [event['sampling']['mode'] for event in info['meta']['events']]
    tap.same(sampling, ['period', 'event'], 'the sampling of events is known')


def places(tap, polyprof, good):
    top = ask(polyprof, 'top', '--json', '-n', '0', good('places'))
    rows = {row['name']: row for row in top['functions']}
    tap.same(rows['main']['file'], 'C:\\src\\main.c', 'the file of a Windows path')
    tap.same(rows['boil']['module'], '/usr/bin/engine', 'the dso is the module')


def time(tap, polyprof, good):
    """Time is derived on request, and only where the sampling allows it (spaa-time-refused)."""
    wanted = '--option', 'time=derive'
    info = ask(polyprof, 'info', '--json', *wanted, good('pair'))
    tap.ok(abs(metric(info, 'time')['total'] * 997 / 4e9 - 1) < 1e-9, 'samples at a known rate are time',
           metric(info, 'time'))
    for name in ('plain', 'memory'):
        done = run(polyprof, 'check', '--json', *wanted, good(name))
        tap.ok(b'spaa-time-refused' in done.stdout, f'{name}: time is refused', done.stdout)
        info = ask(polyprof, 'info', '--json', good(name))
        tap.ok(all(m['unit'] != 'ns' for m in info['metrics']), f'{name}: no time by itself')


def corpus(tap, polyprof, root):
    with open(os.path.join(root, 'expectations.json')) as file:
        expected = json.load(file)
    for name, want in sorted(expected.items()):
        files = ask(polyprof, 'check', '--json', os.path.join(root, name))['files']
        tap.same(files[0]['verdict'], want['expect'], f'{name}')


def main():
    polyprof, samples = sys.argv[1:3]
    tap = Tap()

    def good(name):
        return os.path.join(samples, 'good', name + '.spaa')
    for part in (stacks, numbers, places, time):
        part(tap, polyprof, good)
    if len(sys.argv) > 3 and os.path.exists(os.path.join(sys.argv[3], 'expectations.json')):
        corpus(tap, polyprof, sys.argv[3])
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
