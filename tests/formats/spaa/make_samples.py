#!/usr/bin/env python3
"""Writes the SPAA samples: make_samples.py [DIRECTORY]

bad/RULE.spaa breaks one rule; good/ holds one file for each way to keep them. Run it after changing it;
the results are part of the repository.
"""
import copy
import json
import os
import sys

HERE = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))


def event(name='cycles', kind='hardware', mode='period', primary='period', **more):
    sampling = {'mode': mode, 'primary_metric': primary}
    for key in ('sample_period', 'frequency_hz'):
        if key in more:
            sampling[key] = more.pop(key)
    return {'name': name, 'kind': kind, 'sampling': sampling, **more}


def header(*events, **more):
    record = {'type': 'header', 'format': 'spaa', 'version': '1.0', 'source_tool': 'perf',
              'frame_order': 'leaf_to_root', 'events': list(events) or [event()],
              'time_range': {'start': 10.0, 'end': 20.5, 'unit': 'seconds'},
              'stack_id_mode': 'content_addressable'}
    record.update(more)
    return record


def dso(number=1, **more):
    return {'type': 'dso', 'id': number, 'name': '/usr/bin/engine', 'is_kernel': False, **more}


def frame(number, func, owner=1, **more):
    return {'type': 'frame', 'id': number, 'func': func, 'dso': owner, 'kind': 'user', **more}


def weight(metric, value, **more):
    return {'metric': metric, 'value': value, **more}


def stack(number, frames, value=100, **more):
    record = {'type': 'stack', 'id': number, 'frames': frames, 'context': {'event': 'cycles'},
              'weights': [weight('period', value)]}
    record.update(more)
    return record


def sample(stack_id='0xa1', **more):
    return {'type': 'sample', 'timestamp': 12.25, 'event': 'cycles', 'stack_id': stack_id, **more}


def window(stack_id='0xa1', **more):
    return {'type': 'window', 'id': 'w1', 'start': 11.0, 'end': 12.0, 'unit': 'seconds',
            'by_stack': [{'stack_id': stack_id, 'weights': [weight('period', 5)]}], **more}


def base():
    return [header(), dso(), frame(1, 'main'), frame(2, 'boil'), stack('0xa1', [2, 1])]


def without(record, *keys):
    record = copy.deepcopy(record)
    for key in keys:
        del record[key]
    return record


def changed(at, **more):
    """The plain file with some keys of one record replaced."""
    records = base()
    records[at] = {**records[at], **more}
    return records


def lacking(at, *keys):
    records = base()
    records[at] = without(records[at], *keys)
    return records


def with_event(**more):
    return changed(0, events=[event(**more)])


def lines(records):
    text = (record if isinstance(record, (str, bytes)) else
            json.dumps(record, separators=(',', ':'), ensure_ascii=False) for record in records)
    return b''.join((line if isinstance(line, bytes) else line.encode()) + b'\n' for line in text)


INLINE = dict(ip='0x4010', symoff='0x10')
GROUP = [frame(3, 'outer', inlined=False, inline_depth=0, **INLINE),
         frame(4, 'middle', inlined=True, inline_depth=1, **INLINE),
         frame(5, 'inner', inlined=True, inline_depth=2, **INLINE)]
KERNEL = [dso(9, name='[kernel.kallsyms]', is_kernel=True),
          frame(8, 'do_sys', 9, kind='kernel'), frame(7, 'entry', 9, kind='kernel')]
TIMER = event('profile-997', 'timer', 'frequency', 'samples', frequency_hz=997)


def pair(user_links=('k1',), kernel_links=('u1',)):
    context = {'event': 'profile-997'}
    weights = [weight('samples', 4)]
    return [header(TIMER, source_tool='dtrace', stack_id_mode='local'), *base()[1:4], *KERNEL,
            stack('u1', [2, 1], stack_type='user', context=context, weights=weights,
                  related_stacks=list(user_links)),
            stack('k1', [8, 7], stack_type='kernel', context=context, weights=weights,
                  related_stacks=list(kernel_links))]


def exclusive(frame_id=2, **weights):
    return {'frame': frame_id, 'weights': [weight(*item) for item in weights.items()]}


BAD = {
    'utf8': base()[:2] + [b'{"type":"frame","id":1,"func":"caf\xe9","dso":1,"kind":"user"}'],
    'bom': [b'\xef\xbb\xbf' + lines(base()[:1])[:-1], *base()[1:]],
    'json': base() + ['{"type":"x_note","n":01}'],
    'surrogate': base() + ['{"type":"x_note","text":"\\ud800"}'],
    'not-object': base() + ['[1,2]'],
    'key-twice': base() + ['{"type":"x_note","deep":{"a":{"n":1,"\\u006e":2}}}'],
    'header-first': base()[1:],
    'type-missing': base() + [{'kind': 'note'}],
    'type-unknown': base() + [{'type': 'Stack'}],
    'header-missing': ['', ' \t'],
    'header-twice': base() + [header()],
    'format': changed(0, format='folded'),
    'version': changed(0, version='2.0'),
    'version-newer': changed(0, version='1.1'),
    'source-tool': lacking(0, 'source_tool'),
    'source-tool-unknown': changed(0, source_tool='my-profiler'),
    'frame-order': changed(0, frame_order='sideways'),
    'events': changed(0, events={}),
    'events-empty': [header(events=[])],
    'event-twice': changed(0, events=[event(), event(primary='samples')]),
    'id-mode': changed(0, stack_id_mode='global'),
    'id-mode-missing': lacking(0, 'stack_id_mode'),
    'time-range': changed(0, time_range={'start': 1, 'end': 'later', 'unit': 'seconds'}),
    'time-range-reversed': changed(0, time_range={'start': 9, 'end': 1, 'unit': 'seconds'}),
    'time-unit': changed(0, time_range={'start': 1, 'end': 9, 'unit': 'jiffies'}),
    'source': changed(0, source={'tool': 7}),
    'event-name': with_event(name=5),
    'event-name-empty': [header(event(name='')), *base()[1:4]],
    'event-kind': with_event(kind='tracepoint'),
    'sampling': changed(0, events=[without(event(), 'sampling')]),
    'sampling-mode': with_event(mode='random'),
    'primary-metric': with_event(primary=''),
    'rate': with_event(sample_period='often'),
    'rate-zero': with_event(sample_period=0),
    'rate-mode': with_event(frequency_hz=99),
    'allocation-tracking': with_event(kind='allocation', allocation_tracking={'tracks_frees': 'yes'}),
    'allocation-tracking-kind': with_event(allocation_tracking={}),
    'too-large': changed(1, id=1 << 64),
    'dso-id': changed(1, id=-1),
    'dso-twice': base() + [dso()],
    'dso-name': lacking(1, 'name'),
    'dso-kernel': changed(1, is_kernel=0),
    'kernel-flag': base() + [dso(2, name='[kernel.kallsyms]')],
    'build-id': changed(1, build_id=1234),
    'build-id-form': changed(1, build_id='AB-CD'),
    'frame-id': changed(2, id='1'),
    'frame-twice': base() + [frame(1, 'main')],
    'func': lacking(2, 'func'),
    'func-empty': changed(2, func=''),
    'frame-dso': changed(2, dso='/usr/bin/engine'),
    'dso-undefined': changed(2, dso=5),
    'frame-kind': changed(2, kind='jit'),
    'frame-kind-missing': lacking(2, 'kind'),
    'func-resolved': changed(2, func_resolved='no'),
    'func-unresolved': changed(2, func='[unknown]', func_resolved=False),
    'srcline': changed(2, srcline=12),
    'srcline-flag': changed(2, srcline='a.c:12', srcline_resolved=False),
    'symoff': changed(2, symoff=16),
    'symoff-hex': changed(2, symoff='16'),
    'inlined': changed(2, inlined=0),
    'inline-depth': changed(2, inline_depth=-1),
    'inline-flag': changed(2, inlined=True, inline_depth=0),
    'inline-group': base() + [frame(6, 'leaf', inlined=True, ip='0x5000'), stack('0xa2', [6, 1])],
    'inline-physical': base() + [frame(6, 'leaf', inlined=True), stack('0xa2', [6])],
    'inline-order': base() + GROUP + [stack('0xa2', [4, 5, 3, 1])],
    'ip': changed(2, ip=4096),
    'ip-hex': changed(2, ip='4096'),
    'thread-id': base() + [{'type': 'thread', 'pid': 5, 'tid': -1}],
    'thread-pid': base() + [{'type': 'thread', 'pid': pid, 'tid': 7} for pid in (5, 6)],
    'thread-twice': base() + [{'type': 'thread', 'pid': 5, 'tid': 7, 'comm': c} for c in 'ab'],
    'thread-late': base() + [stack('0xa2', [1], context={'event': 'cycles', 'tid': 7}),
                             {'type': 'thread', 'pid': 5, 'tid': 7}],
    'thread-comm': base() + [{'type': 'thread', 'pid': 5, 'tid': 7, 'comm': 1}],
    'stack-id': changed(4, id=''),
    'stack-id-hex': changed(4, id='first'),
    'stack-id-local': [header(stack_id_mode='local'), *base()[1:], stack('0xa1', [1])],
    'stack-id-clash': base() + [stack('0xa1', [1], context={'event': 'cycles', 'tid': 7})],
    'stack-repeated': base() + [stack('0xa1', [2, 1])],
    'stack-contexts': base() + [stack('0xa1', [2, 1], context={'event': 'cycles', 'tid': 7})],
    'stack-events': [header(event(), event('faults', 'software')), *base()[1:],
                     stack('0xa1', [2, 1], context={'event': 'faults'})],
    'frames': changed(4, frames=[1.0]),
    'frame-undefined': changed(4, frames=[2, 1, 99]),
    'frames-empty': changed(4, frames=[]),
    'stack-type': changed(4, stack_type='mixed'),
    'stack-kind': [*base()[:4], *KERNEL, stack('0xa1', [8, 1], stack_type='user')],
    'related': changed(4, related_stacks='0xa2'),
    'related-undefined': changed(4, related_stacks=['0xa2']),
    'related-one-way': pair(kernel_links=()),
    'context': lacking(4, 'context'),
    'event-undefined': changed(4, context={'event': 'instructions'}),
    'context-field': changed(4, context={'event': 'cycles', 'cpu': '3'}),
    'key-unknown': changed(4, context={'event': 'cycles', 'cgroup': '/a'}),
    'context-object': changed(4, context={'event': 'cycles', 'probe': 'read'}),
    'weights': changed(4, weights={'period': 100}),
    'value': changed(4, weights=[weight('period', '100')]),
    'metric-twice': changed(4, weights=[weight('period', 1), weight('period', 1)]),
    'metrics-many': changed(4, weights=[weight(name, 1) for name in ('period', *map(str, range(1024)))]),
    'unit': changed(4, weights=[weight('period', 1, unit=7)]),
    'unit-differs': changed(4, weights=[weight('period', 1, unit='events')]) +
                    [stack('0xa2', [1], weights=[weight('period', 1, unit='ns')])],
    'primary-missing': changed(4, weights=[weight('Period', 100)]),
    'native-metric': [header(event(primary='samples')), *base()[1:4],
                      stack('0xa1', [1], weights=[weight('samples', 1)])],
    'cpu-time': changed(4, weights=[weight('period', 1), weight('cpu_time_ns', 1)]),
    'exclusive': changed(4, exclusive={'weights': [weight('period', 1)]}),
    'exclusive-leaf': changed(4, exclusive=exclusive(1, period=100)),
    'exclusive-primary': changed(4, weights=[weight('period', 9), weight('samples', 1)],
                                 exclusive=exclusive(2, samples=1)),
    'exclusive-more': changed(4, exclusive=exclusive(2, period=101)),
    'sample-stack': base() + [without(sample(), 'stack_id')],
    'stack-undefined': base() + [sample('0xdead')],
    'timestamp': base() + [sample(timestamp='noon')],
    'timestamp-range': base() + [sample(timestamp=20.75)],
    'timestamp-no-range': lacking(0, 'time_range') + [sample()],
    'sample-field': base() + [sample(cpu=-1)],
    'sample-event': base() + [sample(event='instructions')],
    'sample-event-differs': [header(event(), event('faults', 'software')), *base()[1:],
                             sample(event='faults')],
    'sample-context': base() + [sample(context='none')],
    'window': base() + [without(window(), 'unit')],
    'window-unit': base() + [window(unit='ticks')],
    'window-outside': base() + [window(start=1.0, end=2.0)],
    'window-reversed': base() + [window(start=12.0, end=11.0)],
    'window-stack': base() + [window('0xdead')],
    'value-zero': changed(4, weights=[weight('period', 0)]),
    'value-negative': changed(4, weights=[weight('period', -1)]),
    'live': changed(4, weights=[weight('period', 1), weight('alloc_bytes', 9), weight('free_bytes', 4),
                                weight('live_bytes', 6)]),
    'carry-damaged': [header(x_polyprof={'version': 1, 'format': 'folded'}), *base()[1:],
                      {'type': 'x_polyprof_strings', 'first': 1, 'text': ['samples', 'main']},
                      {'type': 'x_polyprof_funcs', 'n': [9, 0, 0, 0, 0, 0, 1]}],
    'carry-stale': [header(x_polyprof={'version': 1, 'format': 'folded'}), *base()[1:],
                    {'type': 'x_polyprof_strings', 'first': 1, 'text': ['samples']},
                    {'type': 'x_polyprof_end', 'format': 'folded', 'stacks': 9, 'sum': '0x0000000000000000'}],
}

MALLOC = event('malloc', 'allocation', 'event', 'alloc_bytes',
               allocation_tracking={'tracks_frees': True, 'has_timestamps': True})
PROBE = event('syscall::read:entry', 'probe', 'event', 'count')

GOOD = {
    'plain': base(),
    'header-only': [header()],
    'root-to-leaf': [header(frame_order='root_to_leaf'), *base()[1:4],
                     stack('0xa1', [1, 2], exclusive=exclusive(2, period=100))],
    'exclusive': changed(4, exclusive=exclusive(2, period=40)),
    'numbers': [header(), dso((1 << 64) - 1), frame(1 << 53, 'main', (1 << 64) - 1),
                frame((1 << 53) + 1, 'boil', (1 << 64) - 1),
                '{"type":"stack","id":18446744073709551615,"frames":[9007199254740993,9007199254740992],'
                '"context":{"event":"cycles"},"weights":[{"metric":"period","value":18446744073709551615},'
                '{"metric":"ratio","value":12.75},{"metric":"big","value":1e6}]}',
                stack(17, [1 << 53], (1 << 64) - 1), sample('17')],
    'inline': [*base()[:4], *GROUP, stack('0xa1', [5, 4, 3, 1])],
    'pair': pair(),
    'pair-shared': [*pair(user_links=('k1', 'k2'))[:-1],
                    *(stack(name, [frame_id], stack_type='kernel', context={'event': 'profile-997'},
                            weights=[weight('samples', value)], related_stacks=['u1'])
                      for name, frame_id, value in (('k1', 8, 1), ('k2', 7, 2)))],
    'kernel-alone': [header(TIMER, source_tool='dtrace', stack_id_mode='local'), *KERNEL,
                     stack('k1', [8, 7], stack_type='kernel', context={'event': 'profile-997'},
                           weights=[weight('samples', 4)], related_stacks=[])],
    'threads': [header(), *base()[1:4], {'type': 'thread', 'pid': 5, 'tid': 5, 'comm': 'engine'},
                {'type': 'thread', 'pid': 5, 'tid': 7, 'comm': 'io (1): x'},
                stack('0xa1', [2, 1], 10, context={'event': 'cycles', 'pid': 5, 'tid': 5, 'cpu': 0}),
                stack('0xa2', [2, 1], 5, context={'event': 'cycles', 'pid': 5, 'tid': 7, 'cpu': 1})],
    'samples-windows': [header(), *base()[1:4], window(),
                        sample(period=60, pid=5, tid=7, cpu=3), stack('0xa1', [2, 1]),
                        sample(timestamp=13, period=40, context={'x_n': 1}),
                        window(id=2, start=11.5, end=12.5, by_stack=[])],
    'memory': [header(MALLOC, source_tool='heaptrack'), *base()[1:4],
               stack('0xa1', [2, 1], context={'event': 'malloc'},
                     weights=[weight('alloc_bytes', 4096, unit='bytes'), weight('alloc_count', 4),
                              weight('free_bytes', 1024, unit='bytes'), weight('free_count', 1),
                              weight('live_bytes', 3072, unit='bytes'), weight('live_count', 3),
                              weight('peak_bytes', 4096, unit='bytes')])],
    'two-events': [header(event(), MALLOC), *base()[1:], stack('0xb1', [2, 1], context={'event': 'malloc'},
                                                               weights=[weight('alloc_bytes', 99)])],
    'shared-metric': [header(event(), event('faults', 'software')), *base()[1:],
                      stack('0xb1', [1], 3, context={'event': 'faults'})],
    'probe': [header(PROBE, source_tool='dtrace'), *base()[1:4],
              stack('0xa1', [2, 1], weights=[weight('count', 3)],
                    context={'event': PROBE['name'], 'execname': 'engine', 'uid': 1000, 'zonename': 'global',
                             'probe': {'provider': 'syscall', 'module': '', 'function': 'read'}})],
    'tracepoint': [header(event('sched:sched_switch', 'probe', 'event', 'count')), *base()[1:4],
                   stack('0xa1', [2, 1], weights=[weight('count', 3)],
                         context={'event': 'sched:sched_switch',
                                  'trace_fields': {'prev_comm': 'engine', 'prev_pid': 1234}})],
    'unknown-kept': [header(x_site={'rack': 4}), dso(x_arch='x86_64'), frame(1, 'main', x_col=7),
                     {'type': 'thread', 'pid': 5, 'tid': 7, 'x_role': 'io'},
                     '{"type":"x_acme_note","n":18446744073709551615,"v":2.50}',
                     stack('0xa1', [1], context={'event': 'cycles', 'x_b': [1, 2.5, None]}, x_tag='t')],
    'odd-text': [header(), dso(name='/opt/Ünï/ⓔ'), frame(1, 'a;b\n\x00"\\\u2028'),
                 '{"type":"frame","id":2,"\\u0066unc":"\\ud83d\\ude00","dso":1,"kind":"user"}',
                 '\t{ "weights" : [ { "value" : 1 , "metric" : "period" } ] , "id" : "0xa1" , "frames" : [ 2 , 1 ] '
                 ', "context" : { "event" : "cycles" } , "type" : "stack" } \r', ''],
    'time-units': [header(event('cpu-clock', 'software', 'frequency', 'period', frequency_hz=99.9),
                          time_range={'start': 1700000000000000000, 'end': 1700000000000000009,
                                      'unit': 'nanoseconds'}), *base()[1:4],
                   stack('0xa1', [2, 1], context={'event': 'cpu-clock'},
                         weights=[weight('samples', 2), weight('period', 2002, unit='us')]),
                   {'type': 'sample', 'timestamp': 1700000000000000007, 'event': 'cpu-clock',
                    'stack_id': '0xa1'}],
    'places': [header(), dso(build_id='ab12'), frame(1, 'main', srcline='C:\\src\\main.c:12:7'),
               frame(2, 'boil', srcline='src/boil.c:90', ip='0x401234', symoff='0x54'),
               frame(3, '0x7fff12', func_resolved=False, srcline_resolved=False, kind='unknown'),
               stack('0xa1', [3, 2, 1])],
    'interleaved': [header(), dso(), frame(1, 'main'), stack('0xa1', [1]), dso(2), frame(2, 'boil', 2),
                    stack('0xa2', [2, 1])],
}


def main():
    for kind, files in (('bad', BAD), ('good', GOOD)):
        os.makedirs(os.path.join(HERE, kind), exist_ok=True)
        for name, records in files.items():
            name = f'spaa-{name}.spaa' if kind == 'bad' else f'{name}.spaa'
            with open(os.path.join(HERE, kind, name), 'wb') as file:
                file.write(lines(records))


main()
