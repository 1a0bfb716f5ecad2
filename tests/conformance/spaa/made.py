#!/usr/bin/env python3
"""SPAA files made on the spot, each for one question: spaa_made.py POLYPROF

Cases in odd places, and random files whose sums are worked out here, too. Speaks TAP.
"""
import itertools
import json
import os
import random
import re
import subprocess
import sys
import tempfile
from decimal import Decimal
from fractions import Fraction

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)


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
        rows = json.loads(done.stdout, parse_float=Decimal)['functions']
        return {row['name']: (row['self'], row['total']) for row in rows}

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


def one_way(made):
    """A kernel stack that does not link back is shared out all the same, and each part stands below its own user stack."""
    made.write(PAIR + [
        stack('u', [1, 2], {'n': 2}, stack_type='user', related_stacks=['k']),
        stack('k', [3, 4], {'n': 9}, stack_type='kernel'),
        stack('v', [2], {'n': 6}, stack_type='user', related_stacks=['k', 'k']),
        stack('w', [1], {'n': 5}, stack_type='user', related_stacks=['k'])])
    made.tap.same(made.folded()[0], ['f1 4', 'f1;f4;f3 1', 'f2;f1;f4;f3 2', 'f2;f4;f3 6'], 'links of one way')
    made.tap.same(made.top(), made.top('--by', 'function'), 'links of one way, with a tree and without')


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
        made.tap.ok(re.search('e1 n:? +3', text) and 'e3 n' in text, f'by {command}, too', text)


def metrics_lacking(made):
    """A stack that lacks a metric does not stand among its stacks; one that has it as 0 does."""
    stacks = [stack('a', [1], {'n': 5}), stack('b', [2], {'n': 6, 'm': 4}), stack('c', [2, 1], {'n': 1, 'm': 0})]
    made.write([header(), dso(), frame(1), frame(2)] + stacks[:2])
    made.tap.same(made.folded('-m', 'm')[0], ['f2 4'], 'a stack without the metric')
    made.write([header(), dso(), frame(1), frame(2)] + stacks[1:])
    made.tap.same(made.folded('-m', 'm')[0], ['f1;f2 0', 'f2 4'], 'a stack that has it as 0')


def whole_counts(made):
    """Folded stacks hold whole counts: decimals are added first, then rounded once, and that is said."""
    made.write([header(), dso(), frame(1), stack('a', [1], {'n': Decimal('2.4')}, context={'tid': 1}),
                stack('b', [1], {'n': Decimal('2.4')}, context={'tid': 2}), stack('c', [1, 1], {'n': 7})])
    lines, said = made.folded()
    made.tap.same(lines, ['f1 5', 'f1;f1 7'], 'decimals are rounded')
    made.tap.ok('loss-values' in said, 'and that is said', said)
    made.write([header(), dso(), frame(1), stack('a', [1], {'n': 5}, context={'tid': 1}),
                stack('b', [1], {'n': -3}, context={'tid': 2})])
    made.tap.same(made.folded()[0], ['f1 2'], 'negative values are added')


# ---- places ----

def place_cases():
    """(rule, what the finding points at, records)"""
    def with_header(**more):
        return [header(**more)]

    def with_event(sampling=None, **more):
        one = event(**more)
        one['sampling'].update(sampling or {})
        return [header(one)]

    def with_frame(**more):
        return [header(), dso(), frame(1, **more)]

    def with_stack(values=None, frames=(1,), head=None, **more):
        return [head or header(), dso(), frame(1), frame(2), stack('a', list(frames), values or {'n': 5}, **more)]

    twice = with_stack()[:-1] + [{'type': 'stack', 'id': 'a', 'frames': [1], 'context': {'event': 'e'},
                                  'weights': weigh({'n': 1}) + weigh({'m': 2}) + weigh({'n': 33})}]
    units = with_stack() + [stack('b', [2], {'n': 1}), stack('c', [2], {'m': 0, 'n': 2}), stack('d', [1, 2], {'n': 3})]
    units[4]['weights'][0]['unit'] = 'ms'
    units[5]['weights'][0]['unit'] = 'ms'
    units[6]['weights'][1]['unit'] = 'us'
    window = {'type': 'window', 'id': 'w', 'start': 4, 'end': 5, 'unit': 'seconds', 'by_stack': [
        {'stack_id': 'a', 'weights': weigh({'n': 1})}, {'stack_id': 'a', 'weights': weigh({'m': 2}) + weigh({'m': 44})}]}
    ranged = header(time_range={'start': 0, 'end': 9, 'unit': 'seconds'})
    yield 'spaa-type-missing', '17', with_stack() + [{'x': 1, 'type': 17}]
    yield 'spaa-key-twice', '"a"', with_stack() + ['{"y":[{"a":1,"b":2,"a":3}],"type":17}']
    yield 'spaa-type-unknown', '"hm"', with_stack() + [{'x': 1, 'type': 'hm'}]
    yield 'spaa-version', '"2.0"', with_header(version='2.0')
    yield 'spaa-source-tool-unknown', '"hm"', with_header(source_tool='hm')
    yield 'spaa-frame-order', '"up"', with_header(frame_order='up')
    yield 'spaa-time-range-reversed', '7', with_header(time_range={'start': 7, 'end': 5, 'unit': 'seconds'})
    yield 'spaa-time-unit', '"ns"', with_header(time_range={'start': 0, 'end': 5, 'unit': 'ns'})
    yield 'spaa-event-twice', '"e"', [header(event(), event())]
    yield 'spaa-event-kind', '"hm"', with_event(kind='hm')
    yield 'spaa-rate-zero', '0', with_event({'sample_period': 0}, mode='period')
    yield 'spaa-rate-mode', '99', with_event({'frequency_hz': 99})
    yield 'spaa-allocation-tracking-kind', '{}', with_event(allocation_tracking={})
    yield 'spaa-kernel-flag', '"vmlinux"', [header(), dso(name='vmlinux')]
    yield 'spaa-build-id-form', '"AB"', [header(), dso(build_id='AB')]
    yield 'spaa-dso-twice', '1', [header(), dso(), dso(name='b')]
    yield 'spaa-func-empty', '""', [header(), dso(), dict(frame(1), func='')]
    yield 'spaa-func-unresolved', '"f1"', with_frame(func_resolved=False)
    yield 'spaa-ip-hex', '"\\u0031"', [header(), dso(), text_of(frame(1, ip='@')).replace('@', '\\u0031')]
    yield 'spaa-symoff-hex', '"5"', with_frame(symoff='5')
    yield 'spaa-srcline-flag', '"a.c:1"', with_frame(srcline='a.c:1', srcline_resolved=False)
    yield 'spaa-inline-flag', '3', with_frame(inline_depth=3)
    yield 'spaa-dso-undefined', '9', [header(), dso(), frame(1, of=9)]
    yield 'spaa-thread-pid', '6', [header(), {'type': 'thread', 'pid': 5, 'tid': 1}, {'type': 'thread', 'pid': 6, 'tid': 1}]
    yield 'spaa-thread-twice', '1', [header()] + 2 * [{'type': 'thread', 'pid': 5, 'tid': 1}]
    yield 'spaa-frame-undefined', '8', with_stack(frames=(1, 8, 2))
    yield 'spaa-stack-id-hex', '"a"', with_stack(head=header(stack_id_mode='content_addressable'))
    yield 'spaa-primary-missing', '[', with_stack({'m': 1})
    yield 'spaa-metric-twice', '"n"', twice
    yield 'spaa-unit-differs', '"us"', units
    yield 'spaa-value-zero', '0', with_stack({'m': 4, 'n': 0})
    yield 'spaa-value-zero', '0', with_stack({'m': 4, 'n': 1, 'count': 0})
    yield 'spaa-value-negative', '-3', with_stack({'n': 4, 'm': -3})
    yield 'spaa-live', '9', with_stack({'alloc_bytes': 4, 'free_bytes': 3, 'n': 1, 'live_bytes': 9})
    yield 'spaa-cpu-time', '6', with_stack({'n': 1, 'cpu_time_ns': 6})
    yield 'spaa-exclusive-leaf', '2', with_stack(frames=(1, 2), exclusive={'weights': weigh({'n': 5}), 'frame': 2})
    yield 'spaa-exclusive-more', '66', with_stack(exclusive={'frame': 1, 'weights': weigh({'m': 7, 'n': 66})})
    yield 'spaa-exclusive-primary', '[', with_stack(exclusive={'frame': 1, 'weights': weigh({'m': 7})})
    yield 'spaa-event-undefined', '"no"', with_stack(of='no')
    yield 'spaa-context-field', '-1', with_stack(context={'comm': 'x', 'tid': -1})
    yield 'spaa-related-undefined', '"z"', with_stack(related_stacks=['z'])
    yield 'spaa-timestamp-range', '10', with_stack(head=ranged) + [
        {'type': 'sample', 'timestamp': 10, 'event': 'e', 'stack_id': 'a'}]
    yield 'spaa-stack-undefined', '"z"', with_stack(head=ranged) + [
        {'type': 'sample', 'timestamp': 1, 'event': 'e', 'stack_id': 'z'}]
    yield 'spaa-value-zero', '0', with_stack(head=ranged) + [
        {'type': 'sample', 'timestamp': 1, 'event': 'e', 'period': 0, 'stack_id': 'a'}]
    yield 'spaa-metric-twice', '"m"', with_stack(head=ranged) + [window]
    yield 'spaa-window-reversed', '4', with_stack(head=ranged) + [dict(window, end=3)]
    yield 'spaa-window-unit', '"days"', with_stack(head=ranged) + [dict(window, unit='days')]
    yield 'spaa-window-outside', '14', with_stack(head=ranged) + [dict(window, start=14, end=15)]
    yield 'spaa-window-stack', '"z"', with_stack(head=ranged) + [dict(window, by_stack=[
        {'weights': weigh({'n': 1}), 'stack_id': 'z'}])]


def places(made):
    """Findings point at the value, blanks or not."""
    for rule, wanted, records in place_cases():
        for separators in ((',', ':'), (' , ', ' :  ')):
            made.write(records, *separators)
            found = [text for name, _, text in made.findings() if name == rule]
            made.tap.ok(found and all(text.startswith(wanted) for text in found), f'{rule} points at {wanted}', found)


def lists_alike(made):
    """Exclusive weights that are written like those of the stack, and such that only mean the same, have the same findings."""
    head = [header(), dso(), frame(1), stack('a', [1], {'n': 5})]
    for unit, rules in (('ms', []), ('s', 2 * ['spaa-unit-differs'])):
        head[3]['weights'][0]['unit'] = 'ms'
        for own in ({'metric': 'n', 'value': 5, 'unit': unit}, {'unit': unit, 'value': 5, 'metric': 'n'}):
            made.write(head + [stack('b', [1], {'n': 5}, weights=[{'metric': 'n', 'value': 5, 'unit': unit}],
                                     exclusive={'frame': 1, 'weights': [own]})])
            made.tap.same([rule for rule, _, _ in made.findings()], rules, f'exclusive {own}')


def window_times(made):
    """Windows give all their metrics, decimals too; relative times are understood; samples weigh their period."""
    cpu = header(event(primary='period', kind='hardware', mode='period'),
                 time_range={'start': 100, 'end': 160, 'unit': 'seconds'})
    stacks = [dso(), frame(1), frame(2), stack('a', [1], {'samples': 10, 'period': 1000}),
              stack('b', [2], {'samples': 5, 'period': 500})]

    def window(start, values):
        return {'type': 'window', 'id': start, 'start': start, 'end': start + 1, 'unit': 'seconds',
                'by_stack': [{'stack_id': 'a', 'weights': weigh(values)}]}

    made.write([cpu, *stacks, window(110, {'samples': 2, 'period': 200}), window(120, {'period': Decimal('50.5')}),
                window(30, {'period': 7})])
    wanted = {(0, 15): (200, 2), (15, 25): (50.5, 0), (29, 31): (7, 0)}
    for (start, end), (period, samples) in wanted.items():
        rows = made.top('--time', f'{start}s..{end}s')
        made.tap.same(rows, {'f1': 2 * ({'period': period, 'samples': samples},)}, f'windows from {start} s')
    done = made.run('convert', '--to', 'spaa', '--option', 'terse=yes', '-o', '-', made.path)
    made.tap.ok(b'"sample"' not in done.stdout and b'loss-private' in done.stderr, 'windows are no samples', done)
    made.write([header(event('malloc', 'alloc_bytes', 'allocation'), time_range={'start': 0, 'end': 9, 'unit': 'seconds'}),
                dso(), frame(1), stack('a', [1], {'alloc_bytes': 900, 'alloc_count': 2}, 'malloc'),
                {'type': 'sample', 'timestamp': 5, 'event': 'malloc', 'period': 400, 'stack_id': 'a'},
                {'type': 'sample', 'timestamp': 6, 'event': 'malloc', 'period': 500, 'stack_id': 'a'}])
    made.tap.same(made.top('--time', '0s..5.5s'), {'f1': 2 * ({'alloc_bytes': 400, 'alloc_count': 1},)},
                  'samples of an allocation')
    made.tap.ok('loss-timeline' in made.folded()[1], 'folded stacks cannot hold samples, and that is said')


def any_order(made):
    """Samples and windows stand in any order: what lies in a stretch of time counts, wherever it is written."""
    head = [header(event(primary='samples'), time_range={'start': 100, 'end': 200, 'unit': 'seconds'}), dso(), frame(1),
            stack('a', [1], {'samples': 9})]
    times = (190, 105, 150, Decimal('149.5'), 105, 200)
    samples = [{'type': 'sample', 'timestamp': time, 'event': 'e', 'stack_id': 'a'} for time in times]
    windows = [{'type': 'window', 'id': number, 'start': time, 'end': time + 1, 'unit': 'seconds',
                'by_stack': [{'stack_id': 'a', 'weights': weigh({'samples': 1})}]} for number, time in enumerate(times)]
    for what in (samples, windows):
        made.write(head[:-1] + what[:3] + head[-1:] + what[3:])
        for start, end in ((0, 6), (4, 50), (49, 51), (80, 101)):
            made.tap.same(made.top('--time', f'{start}s..{end}s'),
                          {'f1': 2 * ({'samples': sum(start <= time - 100 < end for time in times)},)},
                          f"{what[0]['type']}s in any order, {start} to {end} s")


def periods(made):
    """The period of a sample is exact, and survives writing anew, whatever the metric's other values and unit are."""
    head = header(event(primary='period', mode='period'), time_range={'start': 0, 'end': 9, 'unit': 'seconds'})
    for unit, ns, values, period in (('ms', 10 ** 6, (7, 5), 12), ('events', 1, (Decimal('0.12345'), 1), 10 ** 15),
                                     ('events', 1, (2 ** 64 - 1, 1), 2 ** 64 - 1), ('events', 1, (-5, 1), 7)):
        first = stack('a', [1], {'period': values[0]})
        first['weights'][0]['unit'] = unit
        made.write([head, dso(), frame(1), first, stack('b', [1, 1], {'period': values[1]}),
                    {'type': 'sample', 'timestamp': 1, 'event': 'e', 'period': period, 'stack_id': 'a'}])
        wanted = {'f1': 2 * ({'period': period * ns},)}
        made.tap.same(made.top('--time', '0s..5s'), wanted, f'a period of {period} {unit} beside {values}')
        done = made.run('convert', '--to', 'spaa', '--option', 'terse=yes', '-o', made.out + '.spaa', made.path)
        made.path, before = made.out + '.spaa', made.path
        made.tap.same(made.top('--time', '0s..5s'), wanted, f'and written anew {done.stderr}')
        made.path = before
    made.write([head, dso(), frame(1), stack('a', [1], {'period': 5}),
                {'type': 'sample', 'timestamp': 1, 'pid': 3, 'tid': 4, 'event': 'e', 'period': 5, 'stack_id': 'a'}])
    done = made.run('convert', '--to', 'spaa', '--option', 'terse=yes', '-o', '-', made.path)
    made.tap.ok(b'loss-private' not in done.stderr and b'"pid":3,"tid":4,"event"' in done.stdout,
                'threads that only samples name are written', done)
    made.write([head, dso(), frame(1), stack('a', [1], {'period': 5}),
                {'type': 'sample', 'timestamp': 1, 'pid': 3, 'tid': 4, 'event': 'e', 'period': 6, 'stack_id': 'a'}])
    done = made.run('convert', '--to', 'spaa', '--option', 'terse=yes', '-o', '-', made.path)
    made.tap.ok(b'loss-private' in done.stderr, 'those of samples that cost more than their stack are not, and that is said', done)


def twice_over(made):
    """A file merged with itself is twice the file, past 64 bits, too."""
    most = 2 ** 64 - 1
    made.write([header(event(), event('o')), dso(), frame(1), frame(2),
                stack('a', [1, 2], {'n': most, 'm': 5}, exclusive={'frame': 1, 'weights': weigh({'n': 3})}),
                stack('b', [2], {'n': Decimal('1.25')}, 'o'), stack('c', [1, 2], {'n': most}, context={'tid': 3})])
    once = made.top()
    double = {name: tuple({key: 2 * value for key, value in part.items()} for part in parts) for name, parts in once.items()}
    made.tap.same(once['f1'], ({'e/n': most + 3, 'm': 5, 'o/n': 0}, {'e/n': 2 * most, 'm': 5, 'o/n': 0}), 'once')
    made.tap.same(made.top(made.path), double, 'two files in one question')
    done = made.run('merge', '-o', made.out + '.spaa', made.path, made.path)
    made.path = made.out + '.spaa'
    made.tap.same(made.top(), double, f'two files in one {done.stderr}')
    made.tap.ok(b'reject' not in made.run('check', '--json', made.path).stdout, 'and it is right')


def broken_lines(made):
    """What is wrong in a line that is no JSON: rule and column."""
    def weight(value):
        return b'{"type":"stack","id":"a","frames":[1],"context":{"event":"e"},"weights":[{"metric":"n","value":' + value + b'}]}'

    for text, column, rule in (
            (weight(b'NaN'), 96, 'spaa-value'), (weight(b'-Infinity'), 96, 'spaa-value'), (weight(b'-nan'), 96, 'spaa-value'),
            (weight(b'1.'), 98, 'spaa-json'), (weight(b'+1'), 96, 'spaa-json'), (weight('\u00e9'.encode()), 96, 'spaa-json'),
            (weight(b'\xe9'), 96, 'spaa-utf8'), (weight(b'"\xed\xa0\x80"'), 97, 'spaa-utf8'),
            (b'\xef\xbb\xbf' + weight(b'1'), 1, 'spaa-json'), (weight(b'"\\udc00"'), 97, 'spaa-surrogate')):
        made.write([header(), dso(), frame(1)])
        for end in (b'', b'\n', b'\r\n'):
            with open(made.path, 'rb') as file:
                before = b''.join(file.readlines()[:3])
            with open(made.path, 'wb') as file:
                file.write(before + text + end)
            found = json.loads(made.run('check', '--json', made.path).stdout)['files'][0]['diagnostics']
            made.tap.same([(one['rule'], one['line'], one['column']) for one in found], [(rule, 4, column)], f'{text} {end}')


def nothing_is_absent(made):
    """null counts as absent: two contexts that differ by it are the same."""
    for key in ('pid', 'tid', 'cpu', 'comm', 'probe', 'execname', 'uid', 'zonename', 'trace_fields'):
        made.write([header(stack_id_mode='content_addressable'), dso(), frame(1), stack('0xa', [1], {'n': 5}),
                    stack('0xa', [1], {'n': 5}, context={key: None})])
        made.tap.same([rule for rule, _, _ in made.findings()], ['spaa-stack-repeated'], f'{key} is null')


def many_contexts(made):
    """An id of many threads, threads without a process: neither takes the square of their number."""
    number = 40000
    made.write([header(stack_id_mode='content_addressable', time_range={'start': 0, 'end': number, 'unit': 'seconds'}),
                dso(), frame(1)] +
               [stack('0xa', [1], {'n': 5}, context={'tid': i}) for i in range(number)] +
               [{'type': 'sample', 'timestamp': i, 'tid': i, 'event': 'e', 'stack_id': '0xa'} for i in range(number)])
    made.tap.same(made.top(), {'f1': 2 * ({'n': 5 * number},)}, 'many contexts')
    made.tap.same(json.loads(made.run('info', '--json', made.path).stdout)['counts']['threads'], number, 'many threads')


def same_contexts(made):
    """A context is what it says, however it is written: plainly, with blanks, its keys in another order."""
    probe = {'provider': 'syscall', 'module': '', 'n': 1, 'deep': {'list': [1, {'x': None}]}}
    context = {'event': 'e', 'pid': 1, 'tid': 2, 'cpu': 3, 'comm': 'c', 'execname': 'x', 'probe': probe, 'uid': 7,
               'zonename': 'z', 'trace_fields': {'a': 1.5}}
    other = dict(context, probe=dict(probe, n=2))
    for number in ('0xa', 10 ** 19):
        head = [header(stack_id_mode='content_addressable'), dso(), frame(1)]
        first = stack(number, [1], {'n': 5}, context=context)
        for text in (text_of(first), text_of(first, ', ', ' : '),
                     text_of(stack(number, [1], {'n': 5}, context=dict(reversed(context.items()),
                                                                         probe=dict(reversed(probe.items()))))),
                     text_of(first).replace('"syscall"', '"\\u0073yscall"')):
            made.write(head + [first, first, text])
            made.tap.same([rule for rule, line, _ in made.findings() if line == 5], ['spaa-stack-repeated'], f'{text} again')
            made.write(head + [stack(number, [1], {'n': 5}, context=other), text])
            made.tap.same([rule for rule, _, _ in made.findings()], ['spaa-stack-contexts'], f'{text} is another')
        for old, new, rule in (('"module"', '"provider"', 'spaa-key-twice'), ('"n":1', '"n":01', 'spaa-json'),
                               ('"uid":7', '"uid":-7', 'spaa-context-field'), ('"probe":{', '"probe":5,"x_y":{', 'spaa-context-object')):
            made.write(head + [stack('0xb', [1], {'n': 5}, context=context), text_of(first).replace(old, new)])
            made.tap.same([(rule, line) for rule, line, _ in made.findings()], [(rule, 5)], f'{rule} in a context')
    for number, rules in ((2 ** 64 - 1, []), (2 ** 64, ['spaa-stack-id'])):
        made.write(head + [stack(number, [1], {'n': 5})])
        made.tap.same([rule for rule, _, _ in made.findings()], rules, f'stack {number}')


def many_metrics(made):
    """A metric of its own for each stack, up to 1024; those beyond are refused, however many there are."""
    number, most = 20000, 1023  # besides the primary one
    made.write([header(), dso()] + [frame(i) for i in range(number)] +
               [stack(i, [i, 0], {'n': 1, f'm{i}': i + 1}) for i in range(number)])
    for options in ((), ('--by', 'function')):
        rows = made.top(*options)
        made.tap.same(len(rows), most, f'stacks past the limit are refused {options}')
        made.tap.ok(all(rows[f'f{i}'][0][f'm{i}'] == i + 1 and (i == 0 or sum(rows[f'f{i}'][1].values()) == i + 2)
                        for i in range(most)), f'many metrics {options}')
        made.tap.same(sum(rows['f0'][1].values()), most + most * (most + 1) // 2, f'all below one frame {options}')
    found = made.findings()[0]
    made.tap.same(found[:2] + (found[2][:7],), ('spaa-metrics-many', 3 + number + most, f'"m{most}"'), 'the first one past the limit')
    made.write([header(*[event(f'e{i}') for i in range(1025)]), dso(), frame(1), stack('a', [1], {'n': 1}, 'e1023'),
                stack('b', [1], {'n': 1}, 'e1024')])
    made.tap.same([(rule, line) for rule, line, _ in made.findings()], [('spaa-metrics-many', 1), ('spaa-event-undefined', 5)],
                  'many events')


def anew(made):
    """Written anew, a file says the same: exclusive parts, sums past 64 bits, what has no place."""
    largest = 2 ** 64 - 1
    made.write([header(), dso(), frame(1), frame(2),
                stack('a', [1, 2], {'n': 10}, exclusive={'frame': 1, 'weights': weigh({'n': 4})}),
                stack('b', [1], {'n': largest, 'm': largest}, context={'tid': 1}),
                stack('c', [1], {'n': largest, 'm': 5}, context={'tid': 2})])
    means_the_same(made)
    for values, own in (*itertools.product((10, -10, 2 ** 63 - 1, -2 ** 63), (-4, 0, 3, -2 ** 63)),
                        (Decimal('2.5'), Decimal('-0.5')), (Decimal('-2.5'), 7)):
        made.write([header(), dso(), frame(1), frame(2),
                    stack('a', [1, 2], {'n': values}, exclusive={'frame': 1, 'weights': weigh({'n': own})})])
        made.tap.same(Fraction(made.top()['f1'][0]['n']), Fraction(own), f'{own} of {values} is its own')
        means_the_same(made)
    made.write([header(), dso(), frame(1), stack('a', [1], {'n': 10}, x_note='kept')])
    for words in (('--option', 'terse=yes'), ('--event', 'e')):
        done = made.run('convert', '--lossless', '--to', 'spaa', '-o', made.out + '.none', *words, made.path)
        made.tap.ok(done.returncode == 4 and b'loss-private' in done.stderr and
                    not os.path.exists(made.out + '.none'), f'{words} lose a key', done)


def means_the_same(made):
    rows = made.top()
    for options in (('terse=yes',), ('terse=no',), ('threads=split',), ('frames=function',)):
        words = [word for option in options for word in ('--option', option)]
        done = made.run('convert', '--to', 'spaa', '-o', made.out + '.spaa', *words, made.path)
        made.tap.same(done.stderr.count(b'[loss-'), done.stderr.count(b'[loss-threads]'), f'{options} lose threads at most')
        found = json.loads(made.run('check', '--json', made.out + '.spaa').stdout)['files'][0]
        made.tap.same([one['rule'] for one in found['diagnostics'] if one['severity'] == 'error'], [], f'{options} are right')
        there = made.run('top', '--json', '-n', '0', made.out + '.spaa').stdout
        made.tap.same({row['name']: (row['self'], row['total']) for row in json.loads(there, parse_float=Decimal)['functions']}, rows,
                      f'{options} mean the same')


def kinds(made):
    """Whether code is of the user, of the kernel or unknown is what the file says, written anew as well."""
    says = {'a': ('user', 'app'), 'b': ('unknown', 'app'), 'c': ('kernel', '[kernel.kallsyms]'),
            'd': ('unknown', '[kernel.kallsyms]'), 'e': ('user', '[kernel.kallsyms]'), 'f': ('kernel', 'app')}
    made.write([header(), dso(), dso(2, '[kernel.kallsyms]', is_kernel=True)] +
               [frame(i, name, 1 if of == 'app' else 2, kind=kind) for i, (name, (kind, of)) in enumerate(says.items())] +
               [stack(i, [i], {'n': 1}) for i in range(len(says))])
    for option in ('terse=yes', 'threads=split', 'frames=function'):
        text = made.run('convert', '--to', 'spaa', '--option', option, '-o', '-', made.path).stdout.decode()
        records = [json.loads(line) for line in text.splitlines()]
        names = {record['id']: record['name'] for record in records if record['type'] == 'dso'}
        made.tap.same({record['func']: (record['kind'], names[record['dso']]) for record in records
                       if record['type'] == 'frame'}, says, f'kinds with {option}')


def threads_of_samples(made):
    """Stacks without a thread cost their threads what the samples of these say, and no more."""
    def sample(number, tid, period, when=1):
        return {'type': 'sample', 'timestamp': when, 'event': 'e', 'stack_id': number, 'tid': tid, 'period': period}
    head = header(event('e', 'period', mode='period'), time_range={'start': 0, 'end': 9, 'unit': 'seconds'})
    names = [{'type': 'thread', 'pid': 1, 'tid': tid, 'comm': comm} for tid, comm in ((11, 'one'), (12, 'two'))]
    stacks = [stack(1, [1, 2], {'period': 30, 'samples': 3, 'other': 4}), stack(2, [2], {'period': 5, 'samples': 1}),
              stack(3, [1], {'period': 7, 'samples': 1}), stack(4, [1], {'period': 2, 'samples': 1}, context={'tid': 11})]
    samples = [sample(1, 11, 10), sample(1, 12, 10, 3), sample(1, 12, 5, 2), sample(2, 11, 5), sample(3, 12, 8)]
    wanted = {'one 11': 17, 'two 12': 15, '(unknown thread)': 12}
    for records in ([head, dso(), frame(1), frame(2)] + names + stacks + samples,
                    [head, dso(), frame(1), frame(2)] + samples[::-1] + stacks + names):
        made.write(records)
        rows = made.top('--by', 'thread')
        made.tap.same({name: own['period'] for name, (own, _) in rows.items()}, wanted, 'threads of samples')
        made.tap.same({name: own['other'] for name, (own, _) in rows.items() if own['other']}, {'(unknown thread)': 4},
                      'what samples do not tell stays')
        for name, tid in (('one', 11), ('two', 12)):
            made.tap.same(sum(own['period'] for own, _ in made.top('--thread', name).values()), wanted[f'{name} {tid}'],
                          f'--thread {name}')
            made.tap.same(made.top('--thread', name), made.top('--thread', str(tid)), f'--thread {tid}')
            made.tap.same(sum(own['period'] for own, _ in made.top('--thread', name, '--time', '0%..100%').values()),
                          wanted[f'{name} {tid}'], f'--thread {name} with all of the time, samples or not')
            made.tap.same(sum(own['period'] for own, _ in made.top('--thread', name, '--time', '0%..99%').values()),
                          wanted[f'{name} {tid}'] - (2 if name == 'one' else 0), f'--thread {name} with --time')
        made.tap.same(made.run('top', '--thread', '13', made.path).returncode, 0, 'a thread that is not there')
    made.write([head, dso(), frame(1)] + names + [stack(1, [1], {'period': 30}), sample(1, 11, 10), sample(1, 12, 20)])
    made.tap.same(sorted(made.top('--by', 'thread')), ['one 11', 'two 12'], 'nothing is left without a thread')
    made.write([dict(head, time_range=None), dso(), frame(1)] + names + [stack(1, [1], {'period': 30}), sample(1, 11, 10)])
    made.tap.same(sum(own['period'] for own, _ in made.top('--thread', 'one').values()), 10, 'without a range of time')


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
            own.update({name: value for name, value in said.items() if value < values[name] or values[name] < 0})
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


# ---- files as nobody has written them so far ----

NAMES = {'a': 'a"\\/b', 'b': 'b\u00e9\u2028\x7f', 'c': 'c\td\n', 'd': '\U0001f600::operator<<(std::ostream&, 0x1)'}
EXTRAS = (None, True, 'text', -2 ** 63, 2 ** 64, Decimal('1E-400'), [], {}, [[{'a': [1, {'b': None}]}]], {'k': {'k': 'k'}, '': 0})


def shuffled(rnd, record):
    """The same record with its keys in any order, and perhaps one of our own."""
    keys = list(record)
    rnd.shuffle(keys)
    made = {key: record[key] for key in keys}
    if rnd.random() < .3:
        made['x_' + rnd.choice(('note', 'n\u00f6te', 'a.b', '"'))] = rnd.choice(EXTRAS)
    return made


def dressed(rnd):
    """An invented file with every kind of record, in any order that the rules allow; and its sums."""
    records, sums = invent(rnd)
    head, dicts = records[0], [r for r in records if r['type'] in ('dso', 'frame')]
    stacks = [r for r in records if r['type'] == 'stack']
    head['time_range'] = {'start': Decimal('1.5'), 'end': 2 ** 53 + 1, 'unit': rnd.choice(('seconds', 'milliseconds', 'nanoseconds'))}
    head['source'] = {'command': 'a "b" \\', 'x_more': rnd.choice(EXTRAS)}
    for record in dicts:
        if record['type'] == 'frame':
            record['func'] = NAMES[record['func']]
    for record in stacks:
        record['context'] = shuffled(rnd, record['context'])
    # One id is one stack: other contexts and events would be other records of it.
    ids = {str(r['id']) for r in stacks}
    others = [{'type': 'thread', 'pid': 1, 'tid': tid, 'comm': 'w (%d) \u2603' % tid} for tid in rnd.sample((1, 2, 3), rnd.randint(0, 3))]
    loose = [dict({'type': 'sample', 'timestamp': rnd.choice((2, Decimal('2.25'), 2 ** 53)), 'event': r['context']['event'],
                   'stack_id': r['id']}, **rnd.choice(({}, {'cpu': 0}, {'tid': 3, 'pid': 1, 'period': 5}, {'context': {'x': [1]}})))
             for r in rnd.sample(stacks, rnd.randint(0, len(stacks)))]
    loose += [{'type': 'window', 'id': f'w{i}', 'start': 2, 'end': Decimal('3.5'), 'unit': head['time_range']['unit'],
               'by_stack': [{'stack_id': r['id'], 'weights': r['weights']} for r in rnd.sample(stacks, min(len(stacks), 2))]}
              for i in range(rnd.randint(0, 2))]
    loose += [{'type': 'x_' + str(rnd.randint(0, 9)), 'data': rnd.choice(EXTRAS)} for _ in range(rnd.randint(0, 3))]
    rest = stacks + loose
    rnd.shuffle(rest)
    lines = [shuffled(rnd, r) for r in [head] + dicts + others + rest]
    return lines, {(NAMES[func], of, e, name): value for (func, of, e, name), value in sums.items()}, len(ids) == len(stacks)


def spelled(rnd, record):
    """One line of JSON in some spelling: blanks, escapes, or as programs write it."""
    style = rnd.choice(((',', ':'), (', ', ': '), (' ,\t', ' : ')))
    text = text_of(record, *style)
    if rnd.random() < .3:
        text = text.encode('ascii').decode() if rnd.random() < .5 else json.dumps(json.loads(text, parse_float=Decimal), default=str) \
            if not re.search(r'[0-9.]E|\.[0-9]', text) else text
    return rnd.choice(('', ' ', '\t')) + text + rnd.choice(('', ' ', '\r'))


def fresh_files(made, checker=None, seed=2611, count=40):
    """Every kind of record in any order and spelling: exact sums, a checker's verdict, the same file back."""
    rnd = random.Random(seed)
    for number in range(count):
        records, sums, apart = dressed(rnd)
        metrics = {(e['name'], e['sampling']['primary_metric']) for e in records[0]['events']}
        metrics |= {(r['context']['event'], w['metric']) for r in records if r['type'] == 'stack' for w in r['weights']}
        shared = {name for _, name in metrics if sum(other == name for _, other in metrics) > 1}
        wanted = {(func, of, f'{e}/{name}' if name in shared else name): value for (func, of, e, name), value in sums.items()}
        lines = [spelled(rnd, record) for record in records]
        made.write(lines)
        verdict = json.loads(made.run('check', '--json', made.path).stdout)['files'][0]
        errors = [row for row in verdict['diagnostics'] if row['severity'] == 'error']
        made.tap.same(errors if apart else [], [], f'fresh file {number} is right')
        if checker:
            made.tap.same(verdict['verdict'], checker(made.path), f'fresh file {number}: the verdict of the checker')
        if errors:
            continue
        made.tap.same(answers(made), wanted, f'fresh file {number}: sums')
        done = made.run('convert', '--lossless', '--to', 'spaa', '-o', '-', made.path)
        made.tap.same(done.stdout.decode().split('\n')[:-1], [line.strip(' \t\r') for line in lines], f'fresh file {number}: the same file back')
        done = made.run('convert', '--to', 'spaa', '--option', 'threads=split', '-o', made.out + '.spaa', made.path)
        made.path, before = made.out + '.spaa', made.path
        got = answers(made) if b'[loss-values]' not in done.stderr else wanted
        # A metric that is 0 everywhere is not written, and leaves its name to that of another event.
        long = {name.split('/')[-1]: name for _, _, name in wanted}
        got = {(func, of, name if (func, of, name) in wanted else long.get(name, name)): value for (func, of, name), value in got.items()}
        made.tap.same({k: v for k, v in got.items() if wanted.get(k) != v}, {k: v for k, v in wanted.items() if got.get(k) != v},
                      f'fresh file {number}: written anew it means the same')
        made.path = before


FILTERS = (('--focus', 'a'), ('--ignore', 'b'), ('--hide', 'a|c'), ('--show', '[ab]'), ('--show-from', 'b'), ('--depth', '2'),
           ('--focus', 'module:lib', '--hide', 'd'), ('--focus', 'a', '--ignore', 'b', '--depth', '1'), ('--show', 'x'),
           ('--ignore', '.'), ('--focus', 'file:x'))


def sieves(made):
    """Filters on stacks as they come leave what filters on the tree leave, and say so."""
    rnd = random.Random(7)
    for number in range(25):
        made.write(invent(rnd)[0])
        for words in FILTERS:
            one, other = (made.run('top', '--json', '-n', '0', *words, *more, made.path) for more in ((), ('--by', 'function')))
            answers = [json.loads(done.stdout, parse_float=Decimal) if done.stdout else None for done in (one, other)]
            if answers[1] is None and b'64 bits' in other.stderr:
                continue  # sums of stacks are wider than those of a tree
            for answer in answers:
                answer.pop('by', None)
            made.tap.ok(answers[0] == answers[1] and one.stderr == other.stderr, f'filters on stacks {number} {words}',
                        (answers, one.stderr, other.stderr))
    made.write(PAIR + [stack('u', [1, 2], {'n': 10}, stack_type='user', related_stacks=['k']),
                       stack('k', [3, 4], {'n': 3}, stack_type='kernel', related_stacks=['u'])])
    for words, want in (((), {'f1': (7, 10), 'f2': (0, 10), 'f3': (3, 3), 'f4': (0, 3)}),
                        (('--focus', 'f3'), {'f1': (0, 3), 'f2': (0, 3), 'f3': (3, 3), 'f4': (0, 3)}),
                        (('--ignore', 'f4'), {'f1': (7, 7), 'f2': (0, 7)}), (('--hide', 'f[34]'), {'f1': (10, 10), 'f2': (0, 10)})):
        made.tap.same({name: (own['n'], total['n']) for name, (own, total) in made.top(*words).items()}, want, f'halves {words}')
    done = made.run('top', '--focus', '(f+)+$', made.path)
    made.tap.same((done.returncode, b'keep 100' in done.stderr), (0, False), 'a pattern that matches nothing')
    made.write([header(), dso(), frame(1, 'a' * 40 + 'b'), stack('s', [1], {'n': 1})])
    done = made.run('top', '--focus', '(a|a|aa)+$', made.path)
    made.tap.ok(done.returncode == 2 and b'too many steps' in done.stderr, 'a pattern that takes too long', done)


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        made = Made(tap, sys.argv[1], work)
        for part in (halves, one_way, events_apart, metrics_lacking, whole_counts, places, lists_alike, window_times, any_order, periods,
                     twice_over, broken_lines, nothing_is_absent, same_contexts, many_contexts, many_metrics, anew, kinds,
                     threads_of_samples, random_files, fresh_files, sieves):
            part(made)
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


if __name__ == '__main__':
    sys.exit(main())
