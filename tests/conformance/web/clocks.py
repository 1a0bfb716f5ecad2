#!/usr/bin/env python3
"""Times of one trace that come from several clocks: clocks.py POLYPROF. Speaks TAP.

CPU profiles in trace events: a chunk may count its end from a start of its own. The time of all samples is never longer than what the
profile lasted, and a trace whose clocks do not fit says so.
"""
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
BOOT = 470_029_996_751
NODES = [{'id': 1, 'callFrame': {'functionName': '(root)', 'scriptId': 0}},
         {'id': 2, 'parent': 1, 'callFrame': {'functionName': 'bake', 'scriptId': '7', 'url': 'a.js', 'lineNumber': 4, 'columnNumber': 0}}]


def trace(head, *chunks):
    """A Profile event and its chunks, each with samples of 100 us; `head` and each chunk say where their times start and end."""
    def event(ph, name, ts, data):
        return {'ph': ph, 'pid': 1, 'tid': 1, 'id': '0x1', 'cat': 'v8', 'name': name, 'ts': ts, 'args': {'data': data}}
    events = [event('P', 'Profile', 50, head)]
    for n, (ts, data) in enumerate(chunks):
        profile = {'samples': [2] * 4, **({} if n else {'nodes': NODES}), **data.pop('within', {})}
        events.append(event('P', 'ProfileChunk', ts, {'cpuProfile': profile, 'timeDeltas': [100] * 4, **data}))
    return events


def answer(events, name):
    path = os.path.join(folder.name, name + '.trace.json')
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(events, file)
    done = subprocess.run([polyprof, 'info', '--json', path], capture_output=True, timeout=60)
    info = json.loads(done.stdout)
    return next(m['total'] for m in info['metrics'] if m['name'] == 'time'), [d['rule'] for d in info['diagnostics']]


def check(name, events, total, rules=()):
    got = answer(events, name)
    tap.ok(got == (total, list(rules)), name, got)


def main():
    ends = {'startTime': BOOT, 'endTime': BOOT + 450}
    check('one clock', trace({'startTime': 0}, (600, {'endTime': 450})), 350_000)
    check('the chunk has a clock of its own', trace({'startTime': 0}, (600, {'within': dict(ends)})), 350_000)
    check('beside the profile', trace({'startTime': 0}, (600, dict(ends))), 350_000)
    check('only the last of two chunks', trace({'startTime': 0}, (600, {}), (900, {'within': {'startTime': BOOT, 'endTime': BOOT + 850}})), 750_000)
    check('the Profile event has no start', trace({}, (600, {'within': dict(ends)})), 350_000)
    check('an end without a start, since boot', trace({'startTime': 0}, (600, {'endTime': BOOT + 450})), 300_000, ['trace-event-profile-end'])
    check('all since boot, events are not', trace({'startTime': BOOT}, (600, {'endTime': BOOT + 450})), 350_000)
    check('a long last sample', trace({'startTime': 0}, (6000, {'endTime': 5900})), 5_800_000)
    return tap.done()


sys.exit(main())
