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
        ('trace-event-json', json.dumps([x])[:-1] + ' oops]'), ('trace-event-cut', json.dumps([x, x])[:-20]), ('trace-event-cut', json.dumps({'traceEvents': [x]})[:-1]),
        ('trace-event-shape', [x, {'name': 'a'}]), ('trace-event-shape', [x, 7]), ('trace-event-ts', [x, dict(x, ts='x')]), ('trace-event-dur', [x, dict(x, dur=-1)]), ('trace-event-dur', [x, dict(x, dur='x')]),
        ('trace-event-frame', sampled), ('trace-event-frame', changed(sampled, 'stackFrames', {})), ('trace-event-profile', [chunk([node], [1], [1])]), ('trace-event-profile', [start, chunk([node], [1], [])]),
        ('trace-event-profile', [start, chunk([node, node], [1], [1])]), ('trace-event-profile-sample', [start, chunk([node], [2], [1])]), ('trace-event-profile-number', [start, chunk([node], [1], ['x'])]),
        ('trace-event-utf8', json.dumps([x]).encode().replace(b'"a"', b'"\xff"')), ('trace-event-end', [x, e]), ('trace-event-open', [b]), ('trace-event-overlap', [x, dict(x, ts=5)]),
        ('trace-event-dur-missing', [changed(x, 'dur', ...)]), ('trace-event-profile-parent', [start, chunk([dict(node, parent=9)], [1], [1])]),
        ('trace-event-profile-delta-negative', [start, chunk([node], [1, 1], [5, -2])]), ('trace-event-profile-end', [start, chunk([node], [1], [5], endTime=1)]),
        ('trace-event-skipped', [x, dict(x, ph='C')]), ('trace-event-unterminated', json.dumps([x])[:-1]), ('trace-event-unterminated', json.dumps([x])[:-1] + ',\n'),
    ]
    for i, (rule, document) in enumerate(cases):
        check(rule, document, f'{i}.trace.json')


speedscope()
cpuprofile()
heapprofile()
trace_event()
sys.exit(tap.done())
