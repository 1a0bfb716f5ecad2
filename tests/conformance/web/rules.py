#!/usr/bin/env python3
"""Rules of the formats of web viewers, each fired by a small document: rules.py POLYPROF. Speaks TAP."""
import copy
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof = sys.argv[1]
tap = Tap()
folder = tempfile.TemporaryDirectory()


def check(rule, text, name, options=()):
    """A document fires a rule, with a place in it and an explanation."""
    path = os.path.join(folder.name, name)
    with open(path, 'wb') as f:
        f.write(text if isinstance(text, bytes) else (text if isinstance(text, str) else json.dumps(text)).encode())
    done = subprocess.run([polyprof, 'check', '--json', *options, path], capture_output=True, timeout=60)
    try:
        found = json.loads(done.stdout)['files'][0]['diagnostics']
    except (ValueError, KeyError):
        found = [{'rule': done.stderr.decode(errors='replace')}]
    tap.ok(any(d['rule'] == rule and d.get('line', 0) >= 1 for d in found), f'{rule}: {name}', found[:3])


def changed(document, *path):
    """A copy of a document in which something is set, or left out."""
    new = copy.deepcopy(document)
    at = new
    for key in path[:-2]:
        at = at[key]
    if path[-1] is ...:
        del at[path[-2]]
    else:
        at[path[-2]] = path[-1]
    return new


def speedscope():
    sampled = {'$schema': 'https://www.speedscope.app/file-format-schema.json', 'shared': {'frames': [{'name': 'a'}, {'name': 'b'}]},
               'profiles': [{'type': 'sampled', 'name': 'p', 'unit': 'seconds', 'startValue': 0, 'endValue': 3, 'samples': [[0], [0, 1]], 'weights': [1, 2]}]}
    evented = changed(sampled, 'profiles', 0, {'type': 'evented', 'name': 'p', 'unit': 'seconds', 'startValue': 0, 'endValue': 3,
                                               'events': [{'type': 'O', 'frame': 0, 'at': 0}, {'type': 'C', 'frame': 0, 'at': 3}]})
    one, events = ('profiles', 0), ('profiles', 0, 'events')
    cases = [
        ('speedscope-json', json.dumps(sampled)[:-1] + ' oops'), ('speedscope-cut', json.dumps(sampled)[:-20]),
        ('speedscope-shape', changed(sampled, 'shared', {})), ('speedscope-shape', changed(sampled, *one, 7)), ('speedscope-shape', changed(sampled, *one, 'weights', ...)),
        ('speedscope-shape', changed(evented, *one, 'events', ...)), ('speedscope-shape', changed(sampled, 'shared', 'frames', 0, {'file': 'x'})),
        ('speedscope-type', changed(sampled, *one, 'type', 'other')), ('speedscope-type', changed(sampled, *one, 'type', ...)),
        ('speedscope-lengths', changed(sampled, *one, 'weights', [1])), ('speedscope-lengths', changed(sampled, *one, 'weights', [1, 2, 3])),
        ('speedscope-number', changed(sampled, *one, 'weights', [1, '2'])), ('speedscope-number', changed(evented, *events, 0, 'at', None)),
        ('speedscope-number', json.dumps(evented).replace('"at": 3', '"at": 1e400')),
        ('speedscope-frame-index', changed(sampled, *one, 'samples', [[0], [2]])), ('speedscope-frame-index', changed(sampled, *one, 'samples', [[0], [-1]])),
        ('speedscope-frame-index', changed(sampled, *one, 'samples', [[0], 1])), ('speedscope-frame-index', json.dumps(sampled).replace('[0, 1]', '[0.0]')),
        ('speedscope-frame-index', changed(evented, *events, 0, 'frame', 9)),
        ('speedscope-event-order', changed(evented, *events, 0, 'at', 5)), ('speedscope-event-close', changed(evented, *events, 1, 'frame', 1)),
        ('speedscope-event-type', changed(evented, *events, 1, 'type', 'X')), ('speedscope-schema', changed(sampled, '$schema', ...)),
        ('speedscope-unit', changed(sampled, *one, 'unit', 'hours')), ('speedscope-range', changed(sampled, *one, 'endValue', ...)),
        ('speedscope-range', changed(sampled, *one, 'endValue', -1)), ('speedscope-range', changed(evented, *one, 'endValue', 2)), ('speedscope-range', changed(sampled, *one, 'endValue', 'x')),
        ('speedscope-active', changed(sampled, 'activeProfileIndex', 1)), ('speedscope-active', changed(sampled, 'activeProfileIndex', -1)),
        ('speedscope-name', changed(sampled, *one, 'name', ...)), ('speedscope-open', changed(evented, *events, 1, ...)),
        ('speedscope-weight-negative', changed(sampled, *one, 'weights', [1, -2])), ('speedscope-empty', changed(sampled, 'profiles', [])),
        ('speedscope-bom', b'\xef\xbb\xbf' + json.dumps(sampled).encode()),
    ]
    for i, (rule, document) in enumerate(cases):
        check(rule, document, f'{i}.speedscope.json')


def cpuprofile():
    frame = {'functionName': 'f', 'scriptId': '0', 'url': 'a.js', 'lineNumber': 0, 'columnNumber': 0}
    root = {'id': 1, 'callFrame': dict(frame, functionName='(root)', url='', lineNumber=-1, columnNumber=-1), 'hitCount': 0, 'children': [2, 3]}
    good = {'nodes': [root, {'id': 2, 'callFrame': frame, 'hitCount': 1}, {'id': 3, 'callFrame': frame, 'hitCount': 1}],
            'startTime': 0, 'endTime': 30, 'samples': [2, 3], 'timeDeltas': [10, 10]}
    text = json.dumps(good)
    cases = [
        ('cpuprofile-json', text[:-1] + ' oops}'), ('cpuprofile-cut', text[:-9]), ('cpuprofile-shape', changed(good, 'nodes', ...)), ('cpuprofile-shape', changed(good, 'nodes', 1, 7)),
        ('cpuprofile-shape', changed(good, 'nodes', 1, 'callFrame', ...)), ('cpuprofile-shape', changed(good, 'timeDeltas', 3)), ('cpuprofile-node-id', changed(good, 'nodes', 1, 'id', 3)),
        ('cpuprofile-child', changed(good, 'nodes', 0, 'children', [2, 3, 9])), ('cpuprofile-child', changed(good, 'nodes', 1, 'children', [3])),
        ('cpuprofile-child', changed(changed(good, 'nodes', 1, 'children', [3]), 'nodes', 2, 'children', [2])), ('cpuprofile-sample', changed(good, 'samples', [2, 9])),
        ('cpuprofile-sample', changed(good, 'samples', [2, 'x'])), ('cpuprofile-number', changed(good, 'timeDeltas', [10, 'x'])), ('cpuprofile-number', text.replace('[10, 10]', '[10, 1e400]')),
        ('cpuprofile-delta-count', changed(good, 'timeDeltas', [10])), ('cpuprofile-delta-count', changed(good, 'timeDeltas', [1, 2, 3, 4])),
        ('cpuprofile-parent', changed(good, 'nodes', 1, {'id': 2, 'callFrame': frame, 'hitCount': 1, 'parent': 77})),
        ('cpuprofile-delta-negative', changed(good, 'timeDeltas', [10, -5])), ('cpuprofile-end', changed(good, 'endTime', 5)), ('cpuprofile-hits', changed(good, 'nodes', 1, 'hitCount', 5)),
    ]
    for i, (rule, document) in enumerate(cases):
        check(rule, document, f'{i}.cpuprofile')


def heapprofile():
    frame = {'functionName': 'f', 'scriptId': '0', 'url': 'a.js', 'lineNumber': 0, 'columnNumber': 0}
    leaf = {'callFrame': frame, 'selfSize': 8, 'id': 2, 'children': []}
    good = {'head': {'callFrame': dict(frame, functionName='(root)'), 'selfSize': 0, 'id': 1, 'children': [leaf, dict(leaf, id=3)]},
            'samples': [{'size': 8, 'nodeId': 2, 'ordinal': 1}]}
    kids = ('head', 'children')
    cases = [('heapprofile-json', json.dumps(good)[:-1] + ' oops}'), ('heapprofile-cut', json.dumps(good)[:-40]), ('heapprofile-shape', changed(good, *kids, 0, 5)),
             ('heapprofile-shape', changed(good, *kids, 0, 'callFrame', ...)), ('heapprofile-node-id', changed(good, *kids, 1, 'id', 2)), ('heapprofile-size', changed(good, *kids, 0, 'selfSize', -1)),
             ('heapprofile-sample', changed(good, 'samples', [{'nodeId': 2}])), ('heapprofile-sample-node', changed(good, 'samples', [{'size': 1, 'nodeId': 9}]))]
    for i, (rule, document) in enumerate(cases):
        check(rule, document, f'{i}.heapprofile')


def trace_event():
    x = {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 0, 'dur': 10, 'name': 'a'}
    b, e = dict(x, ph='B'), dict(x, ph='E', ts=5)
    node = {'id': 1, 'callFrame': {'functionName': 'f', 'scriptId': 0}}
    start = {'ph': 'P', 'pid': 1, 'tid': 1, 'ts': 0, 'id': '0x1', 'name': 'Profile', 'args': {'data': {'startTime': 0}}}

    def chunk(nodes, samples, deltas, **more):
        return dict(start, name='ProfileChunk', args={'data': dict({'cpuProfile': {'nodes': nodes, 'samples': samples}, 'timeDeltas': deltas}, **more)})
    sampled = {'traceEvents': [], 'stackFrames': {'1': {'name': 'a', 'parent': '2'}, '2': {'name': 'b', 'parent': '1'}}, 'samples': [{'pid': 1, 'tid': 1, 'ts': 0, 'sf': 1}]}
    cases = [
        ('trace-event-json', json.dumps([x])[:-1] + ' oops]'), ('trace-event-json', json.dumps([x]) + 'x'), ('trace-event-json', json.dumps([x]) + ','), ('trace-event-cut', json.dumps([x, x])[:-20]), ('trace-event-cut', json.dumps({'traceEvents': [x]})[:-1]),
        ('trace-event-shape', [x, {'name': 'a'}]), ('trace-event-shape', [{'name': 'a'}, x]), ('trace-event-shape', [7, None, [], x]), ('trace-event-shape', [x, 7]), ('trace-event-ts', [x, dict(x, ts='x')]), ('trace-event-dur', [x, dict(x, dur=-1)]), ('trace-event-dur', [x, dict(x, dur='x')]),
        ('trace-event-frame', sampled), ('trace-event-frame', changed(sampled, 'stackFrames', {})), ('trace-event-profile', [chunk([node], [1], [1])]), ('trace-event-profile', [start, chunk([node], [1], [])]),
        ('trace-event-profile', [start, chunk([node, node], [1], [1])]), ('trace-event-profile', [start, chunk([node], [1], [1]), changed(chunk([], [], [5]), 'args', 'data', 'cpuProfile', {})]), ('trace-event-profile-sample', [start, chunk([node], [2], [1])]), ('trace-event-profile-number', [start, chunk([node], [1], ['x'])]),
        ('trace-event-utf8', json.dumps([x]).encode().replace(b'"a"', b'"\xff"')), ('trace-event-end', [x, e]), ('trace-event-open', [b]), ('trace-event-overlap', [x, dict(x, ts=5)]),
        ('trace-event-dur-missing', [changed(x, 'dur', ...)]), ('trace-event-profile-parent', [start, chunk([dict(node, parent=9)], [1], [1])]),
        ('trace-event-profile-delta-negative', [start, chunk([node], [1, 1], [5, -2])]), ('trace-event-profile-end', [start, chunk([node], [1], [5], endTime=1)]),
        ('trace-event-skipped', [x, dict(x, ph='C')]), ('trace-event-unterminated', json.dumps([x])[:-1]), ('trace-event-unterminated', json.dumps([x])[:-1] + ',\n'),
    ]
    for i, (rule, document) in enumerate(cases):
        check(rule, document, f'{i}.trace.json')


def total(text, name):
    """What the metrics of a document add up to."""
    path = os.path.join(folder.name, name)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    done = subprocess.run([polyprof, 'info', '--json', '-q', path], capture_output=True, timeout=60)
    try:
        return {m['name']: m['total'] for m in json.loads(done.stdout)['metrics']}
    except (ValueError, KeyError):
        return done.stderr.decode(errors='replace')


def firefox():
    sampled = {'length': 1, 'stack': [0], 'time': [1], 'weight': None, 'weightType': 'samples'}
    tables = {'stringArray': ['a'], 'stackTable': {'length': 1, 'frame': [0], 'prefix': [None]}, 'frameTable': {'length': 1, 'func': [0]},
              'funcTable': {'length': 2, 'name': [0, 0], 'lineNumber': [1, 2], 'columnNumber': [1, 2]}}
    good = {'meta': {'preprocessedProfileVersion': 60, 'interval': 1, 'startTime': 0}, 'shared': tables, 'threads': [{'name': 't', 'pid': '1', 'tid': 1, 'samples': sampled}]}
    tap.same(total(json.dumps(good), 'good.json'), {'samples': 1}, 'a Firefox profile of one sample')
    for column in ('lineNumber', 'columnNumber', 'name'):
        check('firefox-index', changed(good, 'shared', 'funcTable', column, [1] if column != 'name' else [7]), f'{column}.json')
    table = {'schema': {'stack': 0, 'time': 1}, 'data': [[0, 1], [0, 2]]}
    thread = {'name': 't', 'pid': 1, 'tid': 1, 'stringTable': ['a'], 'frameTable': {'schema': {'location': 0}, 'data': [[0]]},
              'stackTable': {'schema': {'prefix': 0, 'frame': 1}, 'data': [[None, 0]]}, 'samples': table}
    gecko = {'meta': {'version': 30, 'startTime': 0, 'interval': 1, 'processType': 0}, 'libs': [], 'threads': [thread], 'processes': []}
    tap.same(total(json.dumps(gecko), 'gecko.json'), {'samples': 2}, 'a Gecko profile of two samples')
    long = changed(gecko, 'threads', 0, 'stringTable', ['f (' + 'x' * 100000 + ':1:2)'])
    tap.same(total(json.dumps(long), 'long.json'), {'samples': 2}, 'one whose names come before all that tells what it is')
    for i, row in enumerate((False, 7, 'x', {}, None)):
        check('gecko-index', changed(gecko, 'threads', 0, 'samples', 'data', [[0, 1], row]), f'gecko{i}.json')


def spelled():
    """Words and numbers come in many spellings; a number at which a file breaks off may have lost digits."""
    text = '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"%s","name":"p","unit":"%s","startValue":0,"endValue":9,%s'
    sampled = text % ('sampled', '\\u006dicroseconds', '"samples":[[0],[0],[0]],"weights":[1,20,300')
    tap.same(total(sampled + ']}]}', 'whole.speedscope.json'), {'time': 321000}, 'a unit with escapes')
    tap.same(total(sampled, 'cut.speedscope.json'), {'time': 21000}, 'a weight that may go on is not used')
    events = '"events":[{"type":"\\u004f","frame":0,"at":1},{"type":"\\u0043","frame":0,"at":4}]}]}'
    tap.same(total(text % ('evented', 'seconds', events), 'events.speedscope.json'), {'time': 3000000000}, 'events whose types have escapes')
    head = text % ('sampled', 'seconds', '"samples":[[0]],"weights":[2]},{"type":"sam')
    path = os.path.join(folder.name, 'head.speedscope.json')
    with open(path, 'w', encoding='utf-8') as f:
        f.write(head)
    found = json.loads(subprocess.run([polyprof, 'check', '--json', path], capture_output=True, timeout=60).stdout)['files'][0]
    tap.same([d['rule'] for d in found['diagnostics']], ['speedscope-cut'], 'what is cut off is not missing')
    frame = '{"functionName":"f","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1}'
    heap = '{"head":{"callFrame":%s,"selfSize":0,"id":1,"children":[{"callFrame":%s,"selfSize":%s,"id":2,"children":[]}]},"samples":[{"size":%s,"nodeId":2,"ordinal":1}]}'
    for size, want in (('1e2', 100), ('100.0', 100), ('0.5', 0.5), ('9007199254740993', 9007199254740993)):
        tap.same(total(heap % (frame, frame, size, size), 'sizes.heapprofile'), {'selfSize': want, 'size': want, 'samples': 1}, f'a size that is written as {size}')
    trace = '[{"ph":"\\u0058","ts":"\\u0031","dur":"2e1","pid":1,"tid":1,"name":"a"}]'
    tap.same(total(trace, 'escapes.trace.json'), {'dur': 20000}, 'an event whose kind and time have escapes')


def pstats():
    """What begins as a dict of tuples is marshal, whatever comes then."""
    cases = (b'{(\xff\xff\xff\x7f', b'{)\x03', b'{' + b')\x01' * 5000, b'\xfb\xa9\x03r\x01\0\0\0i\0\0\0\0r\x01\0\0\0N0', b'{(\x03\0\0\0i\0\0\0\0')
    for i, text in enumerate(cases):
        path = os.path.join(folder.name, f'{i}.pstats')
        with open(path, 'wb') as f:
            f.write(text)
        found = json.loads(subprocess.run([polyprof, 'check', '--json', path], capture_output=True, timeout=60).stdout)['files'][0]
        tap.ok(found['format'] == 'pstats' and {d['rule'] for d in found['diagnostics']} & {'pstats-marshal', 'pstats-shape'}, f'marshal that makes no sense: {i}', found)


speedscope()
cpuprofile()
heapprofile()
trace_event()
firefox()
pstats()
spelled()
sys.exit(tap.done())
