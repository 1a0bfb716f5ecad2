#!/usr/bin/env python3
"""Markers of Firefox profiles are written again, and lost only with a word: markers.py POLYPROF SAMPLES CORPUS. Speaks TAP."""
import collections
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

ROWS = ('unique-string', 'flow-id', 'terminating-flow-id')
# One with details that are rows of strings, in a file whose second thread has nothing but markers.
OWN = {'meta': {'preprocessedProfileVersion': 60, 'interval': 1, 'startTime': 0, 'processType': 0, 'product': 'p', 'stackwalk': 1,
                'categories': [{'name': 'Idle', 'color': 'transparent', 'subcategories': ['Other']},
                               {'name': 'Other', 'color': 'grey', 'subcategories': ['Other']}],
                'markerSchema': [{'name': 'Net', 'display': [], 'fields': [{'key': 'url', 'format': 'unique-string'}, {'key': 'size', 'format': 'bytes'}]}]},
       'libs': [], 'shared': {'stringArray': ['f', 'Load', 'http://a/\u00e9"b'], 'stackTable': {'length': 1, 'frame': [0], 'prefix': [None]},
                              'frameTable': {'length': 1, 'func': [0], 'line': [None], 'column': [None], 'address': [-1], 'inlineDepth': [0]},
                              'funcTable': {'length': 1, 'name': [0], 'source': [None], 'lineNumber': [None], 'columnNumber': [None], 'resource': [-1]},
                              'resourceTable': {'length': 0, 'name': [], 'type': []}, 'sources': {'length': 0, 'filename': []}},
       'threads': [{'name': 'A', 'pid': '1', 'tid': 1, 'samples': {'length': 1, 'stack': [0], 'timeDeltas': [1], 'weight': None, 'weightType': 'samples'},
                    'markers': {'length': 0, 'data': [], 'name': [], 'startTime': [], 'endTime': [], 'phase': [], 'category': []}},
                   {'name': 'B', 'pid': '1', 'tid': 2, 'samples': {'length': 0, 'stack': [], 'timeDeltas': [], 'weight': None, 'weightType': 'samples'},
                    'markers': {'length': 2, 'data': [{'type': 'Net', 'url': 2, 'size': 7, 'cause': {'stack': 0, 'time': 1}}, None], 'name': [1, 0],
                                'startTime': [0.25, None], 'endTime': [1.125, 3], 'phase': [1, 3], 'category': [0, 1]}}]}


def load(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rt') as file:
        return json.load(file)


def told(document):
    """All markers by what they say, strings looked up, stacks aside."""
    rows = {(s['name'], f['key']) for s in document['meta'].get('markerSchema', []) for f in s.get('fields', s.get('data', []))
            if f.get('format') in ROWS}
    seen = collections.Counter()
    for thread in document['threads']:
        strings = thread.get('stringArray') or document.get('shared', {}).get('stringArray')
        markers = thread['markers']
        for i in range(markers['length']):
            data = markers['data'][i]
            if data is not None:
                data = {k: strings[v] if (data.get('type'), k) in rows and isinstance(v, int) else v for k, v in data.items() if k not in ('cause', 'stack')}
            seen[json.dumps([thread['name'], str(thread['pid']), strings[markers['name'][i]], markers['startTime'][i], markers['endTime'][i],
                             markers['phase'][i], document['meta']['categories'][markers['category'][i]]['name'], data], sort_keys=True)] += 1
    return seen


def main():
    polyprof, samples, corpus = sys.argv[1:4]
    tap = Tap()
    folder = tempfile.TemporaryDirectory()

    def convert(path, name, *options):
        out = os.path.join(folder.name, name)
        run = subprocess.run([polyprof, 'convert', path, '-o', out, *options], capture_output=True, timeout=60)
        return out, run.stderr.decode(errors='replace')

    own = os.path.join(folder.name, 'own.json')
    with open(own, 'w') as file:
        json.dump(OWN, file)
    files = [own, *sorted(glob.glob(os.path.join(samples, 'firefox/good/*.json'))), *sorted(glob.glob(os.path.join(corpus, 'real/*processed*')))]
    for path in files:
        want = told(load(path))
        for variant in ('60', '47'):
            written, said = convert(path, 'x.firefox.json', '--to', 'firefox', '--variant', variant)
            tap.ok(told(load(written)) == want and 'loss-markers' not in said, f'{os.path.basename(path)}: {sum(want.values())} markers, {variant}',
                   list((told(load(written)) - want).items())[:2] + list((want - told(load(written))).items())[:2])
        carried, said = convert(path, 'x.spaa', '--to', 'spaa')
        written, _ = convert(carried, 'y.firefox.json', '--to', 'firefox')
        tap.ok(told(load(written)) == want and 'loss-markers' not in said, f'{os.path.basename(path)}: by way of SPAA', said)
        _, said = convert(path, 'x.folded', '--to', 'folded')
        n = sum(want.values())
        tap.ok(f'markers ({n}) [loss-markers]' in said if n else 'loss-markers' not in said, f'{os.path.basename(path)}: lost elsewhere', said)
    for path in sorted(glob.glob(os.path.join(corpus, 'real/*gecko*'))):
        document = load(path)
        threads = document['threads'] + [t for p in document.get('processes', []) for t in p['threads']]
        want = collections.Counter()
        for thread in threads:
            name, data = (thread['markers']['schema'][key] for key in ('name', 'data'))
            for row in thread['markers']['data']:
                if len(row) <= data or not str((row[data] or {}).get('type')).endswith(' allocation'):
                    want[thread['stringTable'][row[name]]] += 1
        written = load(convert(path, 'x.firefox.json', '--to', 'firefox')[0])
        got = collections.Counter(written['shared']['stringArray'][name] for t in written['threads'] for name in t['markers']['name'])
        tap.same(got, want, f'{os.path.basename(path)}: {sum(want.values())} markers of all processes')
    if not os.path.isdir(corpus):
        tap.skip('recordings of Firefox', 'the corpus is not there')
    return tap.done()


sys.exit(main())
