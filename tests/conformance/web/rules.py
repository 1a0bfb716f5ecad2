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
        ('json', json.dumps(sampled)[:-1] + ' oops'), ('cut', json.dumps(sampled)[:-20]),
        ('shape', changed(sampled, 'shared', {})), ('shape', changed(sampled, *one, 7)), ('shape', changed(sampled, *one, 'weights', ...)),
        ('shape', changed(evented, *one, 'events', ...)), ('shape', changed(sampled, 'shared', 'frames', 0, {'file': 'x'})),
        ('type', changed(sampled, *one, 'type', 'other')), ('type', changed(sampled, *one, 'type', ...)),
        ('lengths', changed(sampled, *one, 'weights', [1])), ('lengths', changed(sampled, *one, 'weights', [1, 2, 3])),
        ('number', changed(sampled, *one, 'weights', [1, '2'])), ('number', changed(evented, *events, 0, 'at', None)),
        ('number', json.dumps(evented).replace('"at": 3', '"at": 1e400')),
        ('frame-index', changed(sampled, *one, 'samples', [[0], [2]])), ('frame-index', changed(sampled, *one, 'samples', [[0], [-1]])),
        ('frame-index', changed(sampled, *one, 'samples', [[0], 1])), ('frame-index', json.dumps(sampled).replace('[0, 1]', '[0.0]')),
        ('frame-index', changed(evented, *events, 0, 'frame', 9)),
        ('event-order', changed(evented, *events, 0, 'at', 5)), ('event-close', changed(evented, *events, 1, 'frame', 1)),
        ('event-type', changed(evented, *events, 1, 'type', 'X')), ('schema', changed(sampled, '$schema', ...)),
        ('unit', changed(sampled, *one, 'unit', 'hours')), ('range', changed(sampled, *one, 'endValue', ...)),
        ('range', changed(sampled, *one, 'endValue', -1)), ('range', changed(evented, *one, 'endValue', 2)), ('range-type', changed(sampled, *one, 'endValue', 'x')),
        ('active', changed(sampled, 'activeProfileIndex', 1)), ('active', changed(sampled, 'activeProfileIndex', -1)),
        ('name', changed(sampled, *one, 'name', ...)), ('open', changed(evented, *events, 1, ...)),
        ('weight-negative', changed(sampled, *one, 'weights', [1, -2])), ('empty', changed(sampled, 'profiles', [])),
        ('bom', b'\xef\xbb\xbf' + json.dumps(sampled).encode()),
    ]
    for i, (rule, document) in enumerate(cases):
        check('speedscope-' + rule, document, f'{i}.speedscope.json')


speedscope()
sys.exit(tap.done())
