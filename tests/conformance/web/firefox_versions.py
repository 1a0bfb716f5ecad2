#!/usr/bin/env python3
"""Old versions of Firefox profiles: firefox_versions.py POLYPROF. Speaks TAP.

One recording as Gecko wrote it in 2016 and as its viewer kept it in each version that moved something. All are recognised as what they are, by
their layout where nothing names the version, and have the same functions with the same costs.
"""
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
META = {'abi': 'x86_64-gcc3', 'interval': 1, 'processType': 0, 'product': 'Firefox', 'stackwalk': 1, 'startTime': 1460221352723.438}
STRINGS = ['(root)', '0x100000f84', 'frobnicate (chrome://blargh:34)', 'https://a.example/x.js:7', 'VsyncTimestamp', 'examplebinary', 'chrome://blargh',
           'https://a.example/x.js', 'frobnicate', 'chrome://blargh:34']
LIB = {'start': 4294967296, 'end': 4294977296, 'name': 'examplebinary', 'breakpadId': 'A1'}
PLACE = ('chrome://blargh', 34, None), ('https://a.example/x.js', 7, None)


def table(**columns):
    return {'length': len(next(iter(columns.values()))), **columns}


def thread(name):
    """As before version 1: a marker has a stack of its own, laid out as Gecko does."""
    stack = {'markers': {'schema': {'name': 0}, 'data': []}, 'name': 'SyncProfile', 'samples': {'schema': {'stack': 0, 'time': 1}, 'data': [[2, 1]]}}
    return {
        'name': name, 'libs': [LIB],
        'frameTable': table(func=[0, 1, 2, 3], address=[-1, 3972, -1, -1], line=[None, None, 36, None]),
        'funcTable': table(name=[0, 1, 2, 3], resource=[-1, 0, 1, 2], isJS=[False, False, True, True], address=[-1, 3972, -1, -1]),
        'resourceTable': table(type=[1, 5, 5], name=[5, 6, 7], lib=[0]),
        'stackTable': table(prefix=[None, 0, 1, 1], frame=[0, 1, 2, 3]),
        'markers': table(name=[4], time=[0], data=[{'category': 'Paint', 'type': 'tracing', 'stack': stack}]),
        'samples': table(stack=[1, 2, 2, 3, 0], time=[0, 1, 2, 3, 4]),
        'stringArray': STRINGS,
    }


def processed(version):
    doc = {'meta': dict(META, version=4), 'threads': [thread('GeckoMain'), thread('Compositor')]}
    if version:
        doc['meta']['preprocessedProfileVersion'] = version
    for t in doc['threads']:
        funcs = t['funcTable']
        if version >= 4:
            funcs.update(name=[0, 1, 8, 7], fileName=[None, None, 6, 7], lineNumber=[None, None, 34, 7])
        if version >= 18:
            funcs['columnNumber'] = [None] * 4
    return doc


def with_columns(version):
    """Between versions 4 and 17 a column stood where the line belongs, and the line behind the name of the file."""
    doc = processed(version)
    for t in doc['threads']:
        t['funcTable'].update(fileName=[None, None, 9, 7], lineNumber=[None, None, 5, 7])
    return doc


def gecko_thread(name):
    return {'name': name, 'processType': 'default', 'stringTable': STRINGS[:5],
            'samples': {'schema': {'stack': 0, 'time': 1, 'responsiveness': 2}, 'data': [[1, 0, 0], [2, 1, 0], [2, 2, 0], [3, 3, 0], [0, 4, 0]]},
            'stackTable': {'schema': {'prefix': 0, 'frame': 1}, 'data': [[None, 0], [0, 1], [1, 2], [1, 3]]},
            'frameTable': {'schema': {'location': 0, 'implementation': 1, 'line': 2}, 'data': [[0], [1], [2, None, 36], [3]]},
            'markers': {'schema': {'name': 0, 'time': 1, 'data': 2}, 'data': []}}


def gecko(*threads, start=0):
    return {'meta': dict(META, version=3, startTime=META['startTime'] + start), 'libs': [dict(LIB, offset=0)], 'threads': list(threads)}


def gecko_inside():
    """The second process is text in the list of threads, and began a second later."""
    return gecko(gecko_thread('GeckoMain'), json.dumps(gecko(gecko_thread('Content'), start=1000)))


def ask(question, path):
    done = subprocess.run([polyprof, question, '--json', *(['-n', '0'] if question == 'top' else []), path], capture_output=True, timeout=60)
    return json.loads(done.stdout)


def check(name, doc, wanted, places=PLACE, seconds=None):
    path = os.path.join(folder.name, name + '.json')
    with open(path, 'w', encoding='utf-8') as file:
        json.dump(doc, file)
    info, top = ask('info', path), ask('top', path)
    got = (info.get('format'), info.get('complete'), info['counts']['threads'] if 'counts' in info else info)
    tap.ok(got == (wanted, True, 2), f'{name}: a sound {wanted} profile of two threads', got)
    names = 'frobnicate', 'https://a.example/x.js' if wanted == 'firefox' else '(root scope) https://a.example/x.js'
    rows = {(f['name'], f.get('file'), f.get('line'), f.get('column')): (f['self']['samples'], f['total']['samples']) for f in top.get('functions', [])}
    tap.same(rows, {('(root)', None, None, None): (2, 10), ('0x100000f84', None, None, None): (2, 8), (names[0], *places[0]): (4, 4),
                    (names[1], *places[1]): (2, 2)}, f'{name}: functions and costs')
    if seconds:
        tap.same(info['time']['end'] - info['time']['start'], seconds, f'{name}: processes on one clock')


def main():
    for version in (0, 1, 3, 4, 9, 17, 18, 24):
        check(f'processed {version}', processed(version), 'firefox')
    check('a column for a line', with_columns(9), 'firefox', (('chrome://blargh', 34, 5), PLACE[1]))
    moved = processed(0)
    moved['threads'][0] = dict(reversed(moved['threads'][0].items()))
    check('strings first', moved, 'firefox')
    check('gecko 3', gecko(gecko_thread('GeckoMain'), gecko_thread('Content')), 'gecko')
    check('gecko 3, a process as text', gecko_inside(), 'gecko', seconds=1_004_000_000)
    late = copy.deepcopy(gecko(gecko_thread('GeckoMain'), gecko_thread('Content')))
    for t in late['threads']:
        for key in ('stackTable', 'frameTable'):
            t[key] = dict(reversed(t[key].items()))
    check('gecko 3, rows before their schema', late, 'gecko')
    path = os.path.join(folder.name, 'cleopatra.json')
    with open(path, 'w', encoding='utf-8') as file:
        json.dump({'format': 'profileJSONWithSymbolicationTable,1', 'meta': {}, 'profileJSON': [], 'symbolicationTable': {}}, file)
    done = subprocess.run([polyprof, 'top', path], capture_output=True, timeout=60)
    tap.ok(done.returncode == 3 and b'Cleopatra' in done.stderr and b'save it again' in done.stderr, 'a profile of before 2016 is refused by name', done.stderr)
    return tap.done()


sys.exit(main())
