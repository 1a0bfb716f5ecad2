#!/usr/bin/env python3
"""SPAA files made on the spot, each for one question: spaa_made.py POLYPROF

Cases in odd places, and random files whose sums are worked out here, too. Speaks TAP.
"""
import json
import os
import random
import subprocess
import sys
import tempfile
from decimal import Decimal
from fractions import Fraction


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


# ---- records ----

def event(name='e', primary='n', kind='probe', mode='event', **more):
    return dict({'name': name, 'kind': kind, 'sampling': {'mode': mode, 'primary_metric': primary}}, **more)


def header(*events, **more):
    return dict({'type': 'header', 'format': 'spaa', 'version': '1.0', 'source_tool': 'pprof',
                 'frame_order': 'leaf_to_root', 'events': list(events) or [event()], 'stack_id_mode': 'local'}, **more)


def dso(number=1, name='app', **more):
    return dict({'type': 'dso', 'id': number, 'name': name}, **more)


def frame(number, func=None, of=1, **more):
    return dict({'type': 'frame', 'id': number, 'func': func or f'f{number}', 'dso': of, 'kind': 'user'}, **more)


def weigh(values):
    return [{'metric': name, 'value': value} for name, value in values.items()]


def stack(number, frames, values, of='e', context=None, **more):
    return dict({'type': 'stack', 'id': number, 'frames': frames, 'context': dict({'event': of}, **(context or {})),
                 'weights': weigh(values)}, **more)


def text_of(value, comma=',', colon=':'):
    """JSON, with decimals as they were written."""
    if isinstance(value, dict):
        return '{' + comma.join(json.dumps(k) + colon + text_of(v, comma, colon) for k, v in value.items()) + '}'
    if isinstance(value, list):
        return '[' + comma.join(text_of(v, comma, colon) for v in value) + ']'
    return str(value) if isinstance(value, Decimal) else json.dumps(value)


class Made:
    """One file after the other, and the program that reads it."""

    def __init__(self, tap, polyprof, work):
        self.tap, self.polyprof = tap, polyprof
        self.path = os.path.join(work, 'made.spaa')
        self.out = os.path.join(work, 'out')

    def write(self, records, comma=',', colon=':'):
        with open(self.path, 'w', encoding='utf-8', newline='\n') as file:
            file.writelines((line if isinstance(line, str) else text_of(line, comma, colon)) + '\n' for line in records)
        return self.path

    def run(self, *words, given=None):
        return subprocess.run([self.polyprof, *words], capture_output=True, timeout=120,
                              **({'input': given} if given is not None else {'stdin': subprocess.DEVNULL}))

    def top(self, *options):
        """Function -> (self, total), by name."""
        done = self.run('top', '--json', '-n', '0', *options, self.path)
        return {row['name']: (row['self'], row['total']) for row in json.loads(done.stdout)['functions']}

    def folded(self, *options):
        done = self.run('convert', '--to', 'folded', '-o', '-', *options, self.path)
        return done.stdout.decode().splitlines(), done.stderr.decode()

    def findings(self):
        """[(rule, line, the text that the column points at)]"""
        with open(self.path, 'rb') as file:
            lines = file.read().split(b'\n')
        done = json.loads(self.run('check', '--json', self.path).stdout)['files'][0]
        return [(found['rule'], found['line'], lines[found['line'] - 1][found['column'] - 1:].decode())
                for found in done['diagnostics']]


# ---- stacks ----

PAIR = [header(), dso(), dso(2, '[kernel.kallsyms]', is_kernel=True), frame(1), frame(2),
        frame(3, of=2, kind='kernel'), frame(4, of=2, kind='kernel')]


def halves(made):
    """Of a half there may be less left than its exclusive part: then all that is left is its own."""
    for own, want in ((4, 4), (8, 7)):
        made.write(PAIR + [
            stack('u', [1, 2], {'n': 10}, stack_type='user', related_stacks=['k'],
                  exclusive={'frame': 1, 'weights': weigh({'n': own})}),
            stack('k', [3, 4], {'n': 3}, stack_type='kernel', related_stacks=['u'])])
        for options in ((), ('--by', 'function'), ('--event', 'e')):
            rows = made.top(*options)
            made.tap.same({name: (own['n'], total['n']) for name, (own, total) in rows.items()},
                          {'f1': (want, 10), 'f2': (0, 10), 'f3': (3, 3), 'f4': (0, 3)}, f'halves {own} {options}')


def events_apart(made):
    """Stacks of one event are no stacks of another, whatever metric is asked for."""
    made.write([header(event('e1'), event('e2', 'm'), event('e3')), dso(), frame(1), frame(2),
                stack('a', [1], {'n': 3}, 'e1'), stack('b', [1, 1], {'m': 2}, 'e2'), stack('c', [2], {'n': 0}, 'e3')])
    made.tap.same(made.folded()[0], ['f1 3'], 'stacks of the first event')
    made.tap.same(made.folded('-m', 'm')[0], ['f1;f1 2'], 'stacks of another')
    made.tap.same(made.folded('-m', 'e3/n')[0], ['f2 0'], 'an explicit 0 stays')
    made.tap.ok('e3/n' in made.folded()[1], 'metrics of one name are told apart', made.folded()[1])
    for command in ((), ('info',), ('top',)):
        text = made.run(*command, made.path).stdout.decode()
        made.tap.ok('e1/n: 3' in text and ('e3/n' in text), f'by {command}, too', text)


def whole_counts(made):
    """Folded stacks hold whole counts: decimals are added first, then rounded once, and that is said."""
    made.write([header(), dso(), frame(1), stack('a', [1], {'n': Decimal('2.4')}, context={'tid': 1}),
                stack('b', [1], {'n': Decimal('2.4')}, context={'tid': 2}), stack('c', [1, 1], {'n': 7})])
    lines, said = made.folded()
    made.tap.same(lines, ['f1 5', 'f1;f1 7'], 'decimals are rounded')
    made.tap.ok('folded-write-value' in said, 'and that is said', said)
    made.write([header(), dso(), frame(1), stack('a', [1], {'n': 5}, context={'tid': 1}),
                stack('b', [1], {'n': -3}, context={'tid': 2})])
    made.tap.same(made.folded()[0], ['f1 2'], 'negative values are added')


# ---- random files ----

METRICS = ('n', 'm', 'samples', 'period', 'count', 'alloc_bytes')
STYLES = (
    lambda rnd: rnd.randint(0, 20),
    lambda rnd: Decimal(rnd.randint(0, 10 ** 7)).scaleb(-rnd.randint(0, 6)),
    lambda rnd: rnd.choice((0, 1, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1)),
    lambda rnd: rnd.choice((rnd.randint(-5, 5), Decimal(rnd.randint(-1000, 1000)).scaleb(-2))),
    lambda rnd: rnd.choice((2 ** 63 - 1, -2 ** 63, 1, -1)),
    lambda rnd: rnd.choice([Decimal(text) for text in ('1.5E+3', '25E-1', '1E+2', '0.10', '1.000')]),
)


def invent(rnd):
    """Records, and {(function, dso, metric): [self, total]} of them."""
    events = [event(f'e{i}', rnd.choice(METRICS[:3])) for i in range(rnd.choice((1, 1, 2, 3)))]
    order = rnd.choice(('leaf_to_root', 'root_to_leaf'))
    base = rnd.choice((0, 100, 10 ** 7, 2 ** 64 - 10))
    frames = [(base + i, rnd.choice('abcd'), rnd.choice((1, 1, 2))) for i in range(rnd.randint(1, 6))]
    records = [header(*events, frame_order=order), dso(), dso(2, 'lib')]
    records += [frame(number, name, of, **rnd.choice(({}, {'srcline': 'x.c:7'}, {'ip': '0x10'})))
                for number, name, of in frames]
    style, sums = {name: rnd.choice(STYLES) for name in METRICS}, {}
    for number in range(rnd.randint(1, 12)):
        of = rnd.choice(events)
        names = rnd.sample([m for m in METRICS if m != of['sampling']['primary_metric']], rnd.choice((0, 0, 1, 2, 3)))
        names.insert(rnd.randint(0, len(names)), of['sampling']['primary_metric'])
        values = {name: style[name](rnd) for name in names}
        used = [rnd.choice(frames) for _ in range(rnd.randint(1, 5))]
        ids = [number for number, _, _ in used]
        record = stack(rnd.choice((number, f's{number}')), ids if order == 'leaf_to_root' else ids[::-1], values,
                       of['name'], rnd.choice(({}, {'pid': 1, 'tid': rnd.randint(1, 2)}, {'cpu': 3}, {'comm': 'x'})))
        own = dict(values)
        if rnd.random() < .6:
            said = values if rnd.random() < .5 else {name: style[name](rnd) for name in names if rnd.random() < .7}
            record['exclusive'] = {'frame': ids[0], 'weights': weigh(said)}
            own.update({name: value for name, value in said.items() if 0 <= value < values[name]})
        records.append(record)
        for name in names:
            for func in {(func, of) for _, func, of in used}:
                sums.setdefault((*func, of['name'], name), [0, 0])[1] += Fraction(values[name])
            sums[(*used[0][1:], of['name'], name)][0] += Fraction(own[name])
    return records, {key: value for key, value in sums.items() if any(value)}


def answers(made, *options):
    done = made.run('top', '--json', '-n', '0', *options, made.path)
    sums = {}
    for row in json.loads(done.stdout, parse_float=Decimal)['functions']:
        for which in (0, 1):
            for name, value in row[('self', 'total')[which]].items():
                key = row['name'], 1 if row['module'] == 'app' else 2, name
                sums.setdefault(key, [0, 0])[which] = Fraction(value)
    return {key: value for key, value in sums.items() if any(value)}


def random_files(made):
    """With blanks or without, with a tree or without, the sums are exact."""
    rnd = random.Random(6)
    for number in range(60):
        records, sums = invent(rnd)
        metrics = {(e['name'], e['sampling']['primary_metric']) for e in records[0]['events']}
        metrics |= {(r['context']['event'], w['metric']) for r in records if r['type'] == 'stack' for w in r['weights']}
        shared = {name for _, name in metrics if sum(other == name for _, other in metrics) > 1}
        wanted = {(func, of, f'{e}/{name}' if name in shared else name): value
                  for (func, of, e, name), value in sums.items()}
        for separators in ((',', ':'), (', ', ' : ')):
            made.write(records, *separators)
            for options in ((), ('--by', 'function')):
                made.tap.same(answers(made, *options), wanted, f'random file {number} {separators} {options}')


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        made = Made(tap, sys.argv[1], work)
        for part in (halves, events_apart, whole_counts, random_files):
            part(made)
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
