#!/usr/bin/env python3
"""Files that break off and samples without stacks: what there is is used, what is missing is told: damaged.py POLYPROF SAMPLES. Speaks TAP."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
tap = Tap()
folder = tempfile.TemporaryDirectory()


def ask(name, data, *question):
    path = os.path.join(folder.name, name)
    with open(path, 'wb') as f:
        f.write(data if isinstance(data, bytes) else data.encode())
    return json.loads(subprocess.run([polyprof, *question, '--json', path], capture_output=True, timeout=60, check=False).stdout)


def rows(name, data, metric):
    return {(f['name'], f.get('line')): f['self'].get(metric) for f in ask(name, data, 'top', '-q', '-n', '0')['functions']}


def nested():
    call = lambda name: {'functionName': name, 'scriptId': '0', 'url': '', 'lineNumber': -1, 'columnNumber': -1}
    heap = {'callFrame': call('leaf'), 'selfSize': 7, 'id': 9, 'children': []}
    for name, size in (('c', 4), ('b', 2), ('(root)', 1)):
        heap = {'callFrame': call(name), 'selfSize': size, 'children': [heap, {'callFrame': call('late ' + name), 'selfSize': 100, 'children': []}]}
    text = json.dumps({'head': heap})
    got = rows('h.heapprofile', text[:text.index('late b')], 'selfSize')
    tap.same(got, {('leaf', None): 7, ('late c', None): 100, ('c', None): 4, ('b', None): 2, ('(root)', None): 1}, 'heapprofile: nodes that are open when it breaks off are used')
    old = lambda name, line, hits, *children: {'functionName': name, 'url': '', 'lineNumber': line, 'columnNumber': line, 'hitCount': hits, 'children': list(children), 'id': hits}
    document = {'head': old('(root)', 0, 1, old('a', 3, 2, old('b', 4, 3)), old('late', 5, 9)), 'startTime': 1, 'endTime': 2, 'samples': [1, 2], 'timestamps': [1000000, 1500000]}
    text = json.dumps(document)
    tap.same(rows('o.cpuprofile', text, 'samples').get(('(root)', None)), 1, 'cpuprofile: a root at line 0 of lines from 1 on has no line')
    tap.same(rows('o.cpuprofile', text[:text.index('late')], 'samples'), {('(root)', None): 1, ('a', 3): 2, ('b', 4): 3}, 'cpuprofile: hits of nodes that are open are used')


def massif():
    with open(os.path.join(samples, 'massif', 'good', 'oven.massif'), 'rb') as f:
        whole = f.read()
    tap.same(ask('m.massif', whole, 'check')['files'][0]['verdict'], 'accept', 'massif: a whole file')
    # Between snapshots nobody can tell.
    ends = {i for i in range(len(whole)) if whole[i:].startswith(b'#-----------\nsnapshot=')}
    start = whole.index(b'snapshot=')
    cuts = [i for i in range(start, len(whole), 1 + (len(whole) - start) // 300) if i not in ends]
    wrong = [i for i in cuts if ask('m.massif', whole[:i], 'check')['files'][0]['verdict'] != 'reject']
    tap.same(wrong, [], f'massif: {len(cuts)} cut files')


def stackless():
    stackprof = ('{"version":1.2,"mode":"cpu","interval":1000,"samples":5,"gc_samples":0,"missed_samples":0,'
                 '"frames":{"44":{"name":"A#b","file":"/a.rb","line":9,"total_samples":7,"samples":2}},"raw":[0,3,2,44,44,3]}')
    tap.same(rows('s.json', stackprof, 'samples'), {('A#b', 9): 3, ('[no stack]', None): 3}, 'stackprof: samples without frames have a row')
    dhat = '{"dhatFileVersion":2,"mode":"heap","bklt":false,"pps":[{"tb":5,"tbk":1,"fs":[]},{"tb":2,"tbk":1,"fs":[1]}],"ftbl":["[root]","0x1: main (a.c:1)"]}'
    tap.same(rows('d.json', dhat, 'tb'), {('main', None): 2, ('[no stack]', None): 5}, 'dhat: so have blocks')


nested()
massif()
stackless()
sys.exit(tap.done())
