#!/usr/bin/env python3
"""Trace events that are no slices, and times as they are written: events.py POLYPROF SAMPLES. Speaks TAP.

Counters are metrics over time, other events markers that are written again. Events that are written in many ways come to the same as if each were
written in one.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
tap = Tap()
folder = tempfile.TemporaryDirectory()


def run(*args):
    return subprocess.run([polyprof, *args], capture_output=True, timeout=120, check=False)


def ask(*args):
    return json.loads(run(args[0], '--json', '-q', *args[1:]).stdout)


def save(name, events, text=None):
    path = os.path.join(folder.name, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text if text is not None else json.dumps(events))
    return path


def written(path, to='trace-event', *options):
    out = os.path.join(folder.name, f'out.{to}.json')
    done = run('convert', '--to', to, *options, '-o', out, path)
    if done.returncode:
        return None, done.stderr.decode()
    with open(out, encoding='utf-8') as file:
        return json.load(file), done.stderr.decode()


def levels(events):
    """What each counter was at each time."""
    said = {}
    for e in sorted((e for e in events if e['ph'] == 'C'), key=lambda e: e['ts']):
        name = e['name'] + (f"[{e['id']}]" if 'id' in e else '')
        for key, value in e['args'].items():
            said[(e['pid'], name if key == 'value' else f'{name}.{key}', e['ts'])] = float(value)
    return said


def others(events):
    return sorted(json.dumps({k: v for k, v in e.items()}, sort_keys=True) for e in events if e['ph'] not in 'BEXMC')


def counters():
    steps = [(5, {'used': 10, 'free': 90}), (1, {'used': 30.25, 'free': 70}), (9, {'used': 20, 'free': 2 ** 53 + 1})]
    events = [{'ph': 'X', 'ts': 0, 'dur': 10, 'pid': p, 'tid': 1, 'name': 'work'} for p in (1, 2)]
    events += [{'ph': 'C', 'ts': ts, 'pid': p, 'tid': 4, 'name': 'heap', 'args': args} for p in (1, 2) for ts, args in steps]
    events += [{'ph': 'C', 'ts': ts, 'pid': 1, 'name': 'sentBytes', 'id': 7, 'args': {'value': n}} for ts, n in ((2, 5), (3, 8))]
    path = save('counters.json', events)
    info = ask('info', path)
    totals = {m['name']: (m['unit'], m['total'], m.get('falls')) for m in info['metrics']}
    tap.same(totals, {'dur': ('ns', 20000, None), 'heap.used': ('count', 40, True), 'heap.free': ('count', 2 * (2 ** 53 + 1), True),
                      'sentBytes[7]': ('count', 8, True)}, 'counters are metrics, their last values the totals')
    tap.same(info['counts']['threads'], 2, 'and no threads')
    tap.same(info['counts']['stacks'], 1, 'nor are they a stack')
    tap.same([f['name'] for f in ask('top', '-n', '0', path)['functions']], ['work'], 'nor functions')
    part = {m['name']: m['total'] for m in ask('info', '--time', '1us..4us', path)['metrics']} if run('info', '--time', '1us..4us', path).returncode == 0 else \
        ask('top', '--time', '1us..4us', '-m', 'heap.used', path)
    tap.ok(part.get('heap.used', part.get('total')) == 60.5, 'a part of the time has its steps', part)
    again, said = written(path, 'trace-event', '--lossless')
    tap.ok(again is not None, 'nothing of them is lost', said)
    tap.same(levels(again['traceEvents']) if again else None, levels(events), 'each value is written again at its time')
    one = save('one.json', events[:1] + [{'ph': 'C', 'ts': 3, 'pid': 1, 'tid': 1, 'name': 'heap', 'args': {'used': 5}}])
    tap.same([m['name'] for m in ask('info', one)['metrics']], ['dur'], 'what has one value only is a marker')
    tap.ok(b'[loss-markers]' in run('convert', '--to', 'folded', '-o', os.devnull, one).stderr, 'which others lose with a word')
    many = save('many.json', events[:1] + [{'ph': 'C', 'ts': i, 'pid': 1, 'tid': 1, 'name': f'c{i % 500}', 'args': {'v': i}} for i in range(1000)])
    info = ask('info', many)
    tap.same((len(info['metrics']), info['counts']['markers']), (25, 952), 'of many counters 24 are metrics, the values of the others are markers')


def marks():
    path = os.path.join(samples, 'trace-event/good/slices.trace.json')
    with open(path, encoding='utf-8') as file:
        source = json.load(file)
    again, said = written(path, 'trace-event', '--lossless')
    tap.ok(again is not None, 'markers and metadata are kept', said)
    tap.same(others(again['traceEvents']), sorted(others(source['traceEvents'])), 'asynchronous events, flows and instants are written again')
    tap.same((again['metadata'], again['otherData']['version'], again['displayTimeUnit']), (source['metadata'], '7', 'ms'), 'so is metadata')
    tap.same({(e['name'], e['ts']) for e in again['traceEvents'] if e['ph'] == 'B'} >= {('bake', 100), ('bake', 200), ('wait', 100)}, True,
             'slices keep their times, pauses between them, too')
    fox, _ = written(path, 'firefox')
    seen = [(fox['shared']['stringArray'][t['markers']['name'][i]], t['markers']['startTime'][i], t['markers']['phase'][i])
            for t in fox['threads'] for i in range(t['markers']['length'])]
    tap.ok({('order', 0.101, 2), ('order', 0.1055, 0), ('order', 0.19, 3), ('bell', 0.15, 0)} <= set(seen), 'Firefox profiles have them as markers', seen)
    fox['threads'][0]['markers'] = {'length': 2, 'name': [0, 0], 'startTime': [1.5, 2], 'endTime': [2.25, None], 'phase': [1, 0], 'category': [0, 0],
                                    'data': [{'type': 'Text', 'name': 'a'}, None]}
    trace, _ = written(save('fox.json', fox))
    seen = [(e['ph'], e['ts']) for e in trace['traceEvents'] if e['ph'] in 'bei']
    tap.ok({('b', 1501), ('e', 2251), ('i', 2001)} <= set(seen) or {('b', 1500), ('e', 2250), ('i', 2000)} <= set(seen), 'and theirs are events', seen)
    tap.ok(min(e['ts'] for e in written(os.path.join(samples, 'folded/good/webshop.folded'))[0]['traceEvents'] if 'ts' in e) > 0,
           'what has no times does not begin at 0, which Chrome takes for none')


def ways():
    """The same events in one way, and each in another way; numbers in quotes, blanks, other orders of keys."""
    pick = random.Random(17)
    events, t = [], 1000
    for i in range(3000):
        t += pick.randrange(1, 9)
        events.append({'ph': 'X', 'pid': 1, 'tid': pick.randrange(3), 'ts': t, 'dur': pick.randrange(1, 20), 'cat': 'c%d' % (i % 3),
                       'name': pick.choice(['f%d' % (i % 40), 'é', 'a"b', 'tab\t']), 'args': {'n': i, 'm': [i, {'k': 'v'}]}})

    def spelled(e):
        keys = list(e)
        pick.shuffle(keys)
        if pick.random() < .3:
            e = dict(e, ts=str(e['ts']))
        return json.dumps({k: e[k] for k in keys}, indent=pick.choice([None, 1]), ensure_ascii=pick.random() < .5)

    plain = save('plain.json', events)
    answer = ask('top', '-n', '0', plain)
    for text, what in (('[' + ',\n'.join(json.dumps(e, separators=(',', ':')) for e in events) + ']', 'without blanks'),
                       ('[' + ',\n'.join(spelled(e) for e in events), 'each in its own way'),
                       ('[' + ',\n'.join(json.dumps(dict(e, ts=e['ts'] + 0.5)) for e in events), 'with fractions')):
        got = ask('top', '-n', '0', save('ways.json', None, text))
        tap.same(got['functions'], answer['functions'], f'events {what}')


def extremes():
    """Values that nobody looks into may be nested as deep as they like; times that have no room in ns lose digits, not their size."""
    deep = '[{"ph":"X","ts":1,"dur":2,"pid":1,"tid":1,"name":"a","args":' + '{"a":' * 100000 + '1' + '}' * 100000 + '},{"ph":"X","ts":4,"dur":5,"pid":1,"tid":1,"name":"b"}]'
    tap.same(ask('info', save('deep.json', None, deep))['metrics'][0]['total'], 7000, 'args may be nested 100,000 deep')
    large = save('large.json', [{'ph': 'X', 'ts': 1700000000000000, 'dur': 2 ** 53 + 1, 'pid': 1, 'tid': 1, 'name': 'a'},
                                {'ph': 'X', 'ts': 1700000000000000.25, 'dur': .5, 'pid': 1, 'tid': 1, 'name': 'b'}])
    tap.same(ask('info', large)['metrics'][0]['total'], (2 ** 53 + 1) * 1000, 'a slice that ends in 342 years keeps its duration')


def overlaps():
    """Slices that go on without the one around them are calls in parts where they are written, and that is told."""
    for second, told in (({'ts': 5, 'dur': 10}, True), ({'ts': 5, 'dur': 5}, False)):
        path = save('overlap.json', [{'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 1, 'dur': 9, 'name': 'a'}, {'ph': 'X', 'pid': 1, 'tid': 1, 'name': 'b', **second}])
        for to in ('trace-event', 'speedscope'):
            tap.same('loss-calls' in written(path, to)[1], told, f'{to}: calls of slices that {"overlap" if told else "nest"}')
        tap.same(written(path, 'trace-event', '--lossless')[0] is None, told, 'which --lossless refuses' if told else 'which is lossless')
    found = ask('check', save('late.json', None, '[{"ph":"M","pid":1,"tid":1,"name":"x","args":{}},\n {"ph":"E","pid":1,"tid":1,"ts":3,"name":"a"}]'))['files'][0]['diagnostics']
    tap.same([(d['rule'], d['line'], d['column']) for d in found], [('trace-event-end', 2, 2)], 'what is found in slices is at the first of the thread')


def unread():
    """Members that nobody reads are told to be lost when the file is written as what it was."""
    frame = {'functionName': '(root)', 'scriptId': '0', 'url': '', 'lineNumber': -1, 'columnNumber': -1}
    with open(os.path.join(samples, 'firefox', 'good', 'worker.json'), encoding='utf-8') as file:
        firefox = json.load(file)
    sampled = {'type': 'sampled', 'name': 't', 'unit': 'none', 'startValue': 0, 'endValue': 1, 'samples': [[0]], 'weights': [1]}
    documents = {
        'firefox': (firefox, {'counters': [{'name': 'malloc', 'samples': {'length': 0}}]}), 'cpuprofile': ({
            'nodes': [{'id': 1, 'callFrame': frame, 'hitCount': 1}], 'startTime': 0, 'endTime': 2, 'samples': [1], 'timeDeltas': [1]}, {'x_more': {'a': 1}}),
        'speedscope': ({'$schema': 'https://www.speedscope.app/file-format-schema.json', 'shared': {'frames': [{'name': 'f'}]}, 'profiles': [sampled],
                        'name': 'n', 'exporter': 'e'}, {'x_more': {'a': 1}}),
        'trace-event': ({'traceEvents': [{'ph': 'X', 'ts': 1, 'dur': 2, 'pid': 1, 'tid': 1, 'name': 'a'}]}, {'metadata': {'long': 'x' * 20000}}),
    }
    for name, (document, more) in documents.items():
        tap.ok('loss-private' not in written(save('plain.json', document), name)[1], f'{name}: nothing is lost where nothing more is')
        tap.ok('loss-private' in written(save('more.json', {**document, **more}), name)[1], f'{name}: what is not read is told to be lost')
    tap.ok('loss-private' in written(save('pages.json', {**firefox, 'pages': [{'url': 'https://h/'}], 'counters': []}), 'firefox')[1], 'firefox: pages, too')
    with open(os.path.join(samples, 'gecko', 'good', 'processes.json'), encoding='utf-8') as file:
        gecko = json.load(file)
    for more in ({}, {'counters': [{'name': 'malloc'}]}):
        tap.same('loss-private' in written(save('recorded.json', {**gecko, **more}), 'firefox')[1], bool(more), 'gecko: a Firefox profile of it ' + ('lacks counters, as is told' if more else 'lacks nothing'))


def mixed():
    """Samples and events in one speedscope file, and in one that a trace of both is written as: parts of the time add up."""
    sampled = {'type': 'sampled', 'name': 'p', 'unit': 'milliseconds', 'startValue': 0, 'endValue': 10, 'samples': [[0, 1], [0]], 'weights': [4, 6]}
    evented = {'type': 'evented', 'name': 'q', 'unit': 'milliseconds', 'startValue': 0, 'endValue': 4, 'events': [{'type': 'O', 'frame': 2, 'at': 0}, {'type': 'C', 'frame': 2, 'at': 4}]}
    document = {'$schema': 'https://www.speedscope.app/file-format-schema.json', 'shared': {'frames': [{'name': 'a'}, {'name': 'b'}, {'name': 'c'}]}, 'profiles': [sampled, evented]}
    path = save('mixed.speedscope.json', document)
    selves = [{f['name']: f['self']['time'] for f in ask('top', '-n', '0', '--time', part, path)['functions'] if f['self']['time']} for part in ('..3ms', '3ms..')]
    tap.same(selves, [{'b': 4e6, 'c': 3e6}, {'a': 6e6, 'c': 1e6}], 'speedscope: samples beside events belong to the time when they were taken')
    again = written(path, 'speedscope')[0]['profiles']
    tap.same([(p['type'], p.get('samples'), p.get('x_polyprof')) for p in again if p['type'] == 'sampled'], [('sampled', [[0, 1], [0]], None)], 'and keep their order when written')


counters()
overlaps()
mixed()
unread()
marks()
ways()
extremes()
sys.exit(tap.done())
