#!/usr/bin/env python3
"""Source maps: source_maps.py POLYPROF MAPS [DIRECTORY]

MAPS holds a bundle that esbuild made of two files in TypeScript, its map, and a recording of node. Random maps are held against
a decoder that shares nothing with ours; with DIRECTORY also against npm's @jridgewell/trace-mapping, which is installed there
once. Speaks TAP.
"""
import base64
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import urllib.parse

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..'))
from tap import Tap

DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
RANDOM = random.Random(426)
KNOWN = {'mixWords': ('../b.ts', 3, 18, 'f'), 'countPrimes': ('../a.ts', 8, 29, 'o'), 'fillCells': ('../a.ts', 18, 2, 'fillCells'),
         'runAll': ('../b.ts', 9, 10, 'c'), 'isPrime': ('../a.ts', 2, 17, 'm')}


def vlq(number):
    number = (-number << 1 | 1) if number < 0 else number << 1
    text = ''
    while True:
        text += DIGITS[number & 31 | (32 if number > 31 else 0)]
        number >>= 5
        if not number:
            return text


def encode(lines):
    """Mappings of lines of segments [column, source, line, column, name], of which the last four or the last may lack."""
    last = [0, 0, 0, 0]
    groups = []
    for segments in lines:
        column, group = 0, []
        for segment in segments:
            text = vlq(segment[0] - column)
            column = segment[0]
            for i, value in enumerate(segment[1:]):
                text += vlq(value - last[i])
                last[i] = value
            group.append(text)
        groups.append(','.join(group))
    return ';'.join(groups)


def recording(places, ticks=None):
    """A CPU profile with a function of one sample at each place (line, column), from 0."""
    nodes = [{'id': 1, 'callFrame': {'functionName': '(root)', 'scriptId': '0', 'url': '', 'lineNumber': -1, 'columnNumber': -1},
              'children': [i + 2 for i in range(len(places))]}]
    for i, (line, column) in enumerate(places):
        node = {'id': i + 2, 'callFrame': {'functionName': '', 'scriptId': '1', 'url': 'http://h/js/x.js?v=1', 'lineNumber': line,
                                           'columnNumber': column}}
        if ticks:
            node['positionTicks'] = ticks
        nodes.append(node)
    return {'nodes': nodes, 'startTime': 0, 'endTime': len(places) + 1, 'samples': [i + 2 for i in range(len(places))],
            'timeDeltas': [1] * len(places)}


class Room:
    def __init__(self, polyprof, maps, tap):
        self.polyprof, self.maps, self.tap = polyprof, maps, tap
        self.at = tempfile.mkdtemp()

    def file(self, name, content):
        path = os.path.join(self.at, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w') as file:
            file.write(content if isinstance(content, str) else json.dumps(content))
        return path

    def run(self, *arguments):
        return subprocess.run([self.polyprof, *arguments], capture_output=True, timeout=60)

    def top(self, *arguments):
        run = self.run('top', '--json', '-n', '0', *arguments)
        return {(f['name'], f.get('file'), f.get('line'), f.get('column')): f for f in json.loads(run.stdout)['functions']}


def bundle(room):
    profile = os.path.join(room.maps, 'bundle.cpuprofile')
    name = os.path.join(room.maps, 'bundle.js')
    with open(name) as file:
        script = file.read()
    with open(name + '.map') as file:
        text = file.read()
    whole = room.top(profile, '--source-map', room.maps)
    found = {f['name']: (f.get('file'), f.get('line'), f.get('column'), f['minified']['name'])
             for f in whole.values() if 'minified' in f and f['name'] in KNOWN}
    room.tap.same(found, KNOWN, 'functions, files and lines of the sources, the minified ones beside')
    room.tap.same({f['minified']['file'] for f in whole.values() if 'minified' in f}, {'file:///srv/app/out/bundle.js'}, 'the script is told')
    before = room.top(profile)
    room.tap.same(sum(f['self']['time'] for f in whole.values()), sum(f['self']['time'] for f in before.values()), 'costs stay')
    room.tap.same(room.top(profile, '--source-map', name + '.map'), whole, 'a map by its name')
    code = script[:script.index('//#')]
    data = 'data:application/json;charset=utf-8;base64,' + base64.b64encode(text.encode()).decode()
    inline = room.file('inline/out/bundle.js', code + '//# sourceMappingURL=nothing.map\n//# sourceMappingURL=' + data + '\n')
    room.tap.same(room.top(profile, '--source-map', os.path.join(room.at, 'inline')), whole, 'a map within the script, in a directory')
    room.tap.same(room.top(profile, '--source-map', inline), whole, 'a map within the script, by its name')
    room.file('inline/out/bundle.js.map', json.dumps({'version': 3, 'sources': ['old.ts'], 'names': [], 'mappings': 'AAAA'}))
    room.tap.same(room.top(profile, '--source-map', os.path.join(room.at, 'inline')), whole, 'it goes before one that was left beside it')
    room.file('percent/bundle.js', code + '//# sourceMappingURL=data:application/json,' + urllib.parse.quote(text))
    room.tap.same(room.top(profile, '--source-map', os.path.join(room.at, 'percent')), whole, 'a map within the script, with percent signs')
    room.file('said/out/bundle.js', code + '//# sourceMappingURL=../maps/x.json')
    room.file('said/maps/x.json', ")]}'\n" + text)
    room.tap.same(room.top(profile, '--source-map', os.path.join(room.at, 'said')), whole, 'a map where the script says')
    room.tap.same(room.top(profile, '--source-map', room.file('other.map', text)), whole, 'a map of another name for the only script')
    sections = {'version': 3, 'sections': [{'offset': {'line': 0, 'column': 0}, 'map': {'version': 3, 'sections': [
        {'map': json.loads(text), 'offset': {'line': 0, 'column': 0}}]}}]}
    room.tap.same(room.top(profile, '--source-map', room.file('bundle.js.map', sections)), whole, 'sections within sections')
    return profile, whole, text


def places(room, profile):
    """Questions go by the names of the sources."""
    given = ['--source-map', room.maps]
    callers = json.loads(room.run('callers', '--json', 'isPrime', profile, *given).stdout)
    room.tap.same([edge['name'] for edge in callers['edges']], ['countPrimes'], 'callers by a name of the source')
    focus = room.top(profile, '--focus', '^countPrimes$', *given)
    room.tap.ok(('isPrime', '../a.ts', 2, 17) in focus and not any(key[0] == 'mixWords' for key in focus), 'filters by names of the sources')
    folded = room.run('convert', '--to', 'folded', '-o', '-', profile, *given).stdout.decode()
    room.tap.ok(';runAll;mixWords ' in folded, 'conversions have names of the sources', folded[:200])
    budget = json.loads(room.run('top', '--json', '--budget', '600', profile, *given).stdout)
    room.tap.same(budget['rows'][0][5:7], ['mixWords', '../b.ts:3'], 'so do answers under a budget')
    changes = json.loads(room.run('diff', '--json', profile, profile, *given).stdout)
    room.tap.ok(any(f['name'] == 'mixWords' for f in changes['functions']), 'and comparisons')
    wrong = room.run('top', profile, '--source-map', os.path.join(room.at, 'absent.map'))
    room.tap.ok(wrong.returncode == 3 and b'absent.map' in wrong.stderr, 'a map that is not there is an error', wrong.stderr.decode())
    wrong = room.run('top', profile, '--source-map', profile)
    room.tap.ok(wrong.returncode == 3 and b'neither a source map' in wrong.stderr, 'what is no map is an error', wrong.stderr.decode())


def outside(room, profile, text):
    """Nothing outside of the directory is read."""
    inner = os.path.join(room.at, 'inner')
    os.makedirs(os.path.join(inner, 'out'))
    room.file('outer/bundle.js.map', text)
    os.symlink(os.path.join(room.at, 'outer', 'bundle.js.map'), os.path.join(inner, 'out', 'bundle.js.map'))
    room.tap.ok(not any('minified' in f for f in room.top(profile, '--source-map', inner).values()), 'links that lead out are not followed')
    os.remove(os.path.join(inner, 'out', 'bundle.js.map'))
    room.file('inner/out/bundle.js', '//# sourceMappingURL=../../outer/bundle.js.map')
    room.tap.ok(not any('minified' in f for f in room.top(profile, '--source-map', inner).values()), 'nor what scripts say')


def lines(room):
    """Where a line of the script is one line of a source, costs of lines are of that."""
    script = room.file('x.js.map', {'version': 3, 'sourceRoot': 'src', 'sources': ['a.ts', None, 'b.ts'], 'names': [],
                                    'mappings': encode([[[0, 0, 4, 0], [8, 0, 4, 2]], [[0, 2, 6, 0], [4, 0, 9, 0]], [[2]], [[0, 1, 1, 1]]])})
    ticks = [{'line': 1, 'ticks': 3}, {'line': 2, 'ticks': 1}, {'line': 3, 'ticks': 1}]
    profile = room.file('lines.cpuprofile', recording([(0, 8)], ticks))
    rows = json.loads(room.run('lines', '--json', profile, '--source-map', script).stdout)['lines']
    room.tap.same({(r['file'], r['line']) for r in rows}, {('src/a.ts', 5), ('http://h/js/x.js?v=1', 2), ('http://h/js/x.js?v=1', 3)},
                  'costs of lines')
    top = room.top(room.file('none.cpuprofile', recording([(0, 8), (2, 1), (2, 5), (3, 7), (9, 9)])), '--source-map', script)
    room.tap.same({(k[1], k[2], k[3]) for k in top}, {('src/a.ts', 5, 3), ('http://h/js/x.js?v=1', 3, 2), ('http://h/js/x.js?v=1', 3, 6),
                                                     ('http://h/js/x.js?v=1', 4, 8), ('http://h/js/x.js?v=1', 10, 10)},
                  'what the map does not say stays')


def carried(room, profile, whole, text):
    """Maps that profiles bring, or name."""
    with open(profile) as file:
        recorded = json.load(file)
    script, data = 'file:///srv/app/out/bundle.js', 'data:application/json;base64,' + base64.b64encode(text.encode()).decode()
    room.file('empty/x', '')
    room.file('served/maps/m.json', text)
    room.file('old/out/bundle.js.map', {'version': 3, 'sources': ['old.ts'], 'names': [], 'mappings': 'AAAA'})
    given = {name: ['--source-map', os.path.join(room.at, name)] for name in ('empty', 'served', 'old')}

    def trace(name, said=None, **rest):
        event = {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 5, 'dur': 0, 'name': 'ScriptCatchup', 'cat': 'disabled-by-default-devtools.v8-source-rundown'}
        events = [{'ph': 'I', 'pid': 1, 'tid': 1, 'ts': 1, 'name': 'CpuProfile', 'args': {'data': {'cpuProfile': recorded}}}]
        if said:
            events.insert(0, {**event, 'args': {'data': {'isolate': '1', 'scriptId': 3, 'sourceMapUrl': said, 'url': script}}})
        return room.file(f'empty/{name}.json', {'traceEvents': events, **rest})

    def shown(file, *arguments):
        return {key: f['self']['time'] for key, f in room.top(file, *arguments).items() if f['self'].get('time')}

    want = {key: f['self']['time'] for key, f in whole.items() if f['self']['time']}
    room.tap.same(shown(trace('data', data), *given['empty']), want, 'a trace whose event has the map of a script')
    room.tap.same(shown(trace('percent', 'data:application/json,' + urllib.parse.quote(text)), '--source-map', 'auto'), want, 'the same with auto')
    room.tap.same(shown(trace('data', data), *given['old']), want, 'it goes before one that lies in a directory')
    named = shown(trace('data', data), '--source-map', os.path.join(room.at, 'old/out/bundle.js.map'))
    room.tap.ok(any(key[1] == 'old.ts' for key in named), 'but not before one that is named', str(list(named)[:3]))
    for said in ('../maps/m.json', '/srv/maps/m.json', 'https://h/maps/m.json?v=2'):
        room.tap.same(shown(trace('said', said), *given['served']), want, f'a trace that says where the map is: {said}')
    maps = [3, {'url': 'http://h/other.js', 'sourceMap': {}}, {'url': script, 'sourceMapUrl': 'x.map', 'sourceMap': json.loads(text)}]
    room.tap.same(shown(trace('saved', metadata={'sourceMaps': maps}), *given['empty']), want, 'a trace that DevTools saved with its maps')
    room.tap.ok(not any('minified' in f for f in room.top(trace('data', data)).values()), 'nothing is mapped unless that is asked for')
    broken = room.run('top', trace('broken', data[:200]), *given['empty'])
    room.tap.ok(broken.returncode == 0, 'a map that is cut leaves the names as they are', broken.stderr.decode())
    merged = json.loads(room.run('top', '--json', '-n', '0', trace('a', data), trace('b', data), *given['empty']).stdout)
    room.tap.same({f['name']: f['self']['time'] for f in merged['functions'] if f['name'] in KNOWN},
                  {key[0]: 2 * time for key, time in want.items() if key[0] in KNOWN}, 'two traces that bring their maps')


def in_firefox(room, profile, whole, text):
    """Maps that profiles of Firefox bring, and places in sources that they have."""
    made = os.path.join(room.at, 'empty', 'made.json')
    room.run('convert', '-q', profile, '--to', 'firefox', '-o', made)
    with open(made) as file:
        document = json.load(file)
    shared, data = document['shared'], 'data:application/json;base64,' + base64.b64encode(text.encode()).decode()
    strings, sources = shared['stringArray'], shared['sources']
    sources['sourceMapURL'] = [len(strings) if strings[f].endswith('/bundle.js') else None for f in sources['filename']]
    strings.append(data)
    auto = ['--source-map', 'auto']
    top = room.top(room.file('empty/firefox.json', document), *auto)
    room.tap.same({key for key, f in top.items() if 'minified' in f}, {key for key, f in whole.items() if 'minified' in f},
                  'a profile of Firefox whose sources have their maps')
    strings[-1] = '../maps/m.json'
    top = room.top(room.file('empty/firefox.json', document), '--source-map', os.path.join(room.at, 'served'))
    room.tap.same({key for key, f in top.items() if 'minified' in f}, {key for key, f in whole.items() if 'minified' in f},
                  'one that says where they are')
    located(room, document, auto)
    place = next(f['minified'] for f in whole.values() if f['name'] == 'countPrimes')
    gecko = {'meta': {'version': 35, 'startTime': 0, 'interval': 1, 'processType': 0}, 'libs': [], 'processes': [], 'sources': {
        'schema': {'id': 0, 'filename': 1, 'startLine': 2, 'startColumn': 3, 'sourceMapURL': 4}, 'data': [['u', 'http://h/x.js', 1, 1, data]]},
        'threads': [{'name': 'GeckoMain', 'processType': 'default', 'tid': 1, 'pid': 1, 'markers': {'schema': {}, 'data': []},
                     'stringTable': [f'o (http://h/x.js:{place["line"]}:{place["column"]})[0]'],
                     'frameTable': {'schema': {'location': 0}, 'data': [[0]]}, 'stackTable': {'schema': {'prefix': 0, 'frame': 1}, 'data': [[None, 0]]},
                     'samples': {'schema': {'stack': 0, 'time': 1, 'eventDelay': 2}, 'data': [[0, 1, 0]]}}]}
    top = room.top(room.file('empty/gecko.json', gecko), *auto)
    room.tap.same(list(top), [('countPrimes', *KNOWN['countPrimes'][:3])], 'a recording of Firefox whose sources have their maps')


def located(room, document, auto):
    """What the page of Firefox saves once it has used source maps: places of functions and frames, which may be none."""
    shared = json.loads(json.dumps(document))['shared']
    strings, funcs, frames, sources = shared['stringArray'], shared['funcTable'], shared['frameTable'], shared['sources']
    script = next(i for i, f in enumerate(sources['filename']) if strings[f].endswith('/bundle.js'))
    own = [i for i in range(funcs['length']) if funcs['source'][i] == script]
    known = own[:-1]
    for name in ('one.ts', 'q"two.ts'):
        for column, value in (('id', None), ('filename', len(strings)), ('sourceMapURL', None)):
            sources.setdefault(column, [None] * sources['length']).append(value)
        sources['length'] += 1
        strings.append(name)
    sources['sourceMapURL'] = [None] * sources['length']
    places = {f: (sources['length'] - 1 - n % 2, 100 + 7 * n, 1 + n % 5) for n, f in enumerate(known)}
    shared['sourceLocationTable'] = {'length': len(known), **{key: [places[f][i] for f in known] for i, key in enumerate(('source', 'line', 'column'))}}
    funcs['originalLocation'] = [known.index(f) if f in known else None for f in range(funcs['length'])]
    frames['originalLocation'] = [None] * frames['length']
    top = room.top(room.file('empty/located.json', {**document, 'shared': shared}), *auto)
    want = {(strings[funcs['name'][f]], strings[sources['filename'][places[f][0]]], *places[f][1:]) for f in known}
    same = {(strings[funcs['name'][f]], strings[sources['filename'][script]], funcs['lineNumber'][f], funcs['columnNumber'][f]) for f in own[-1:]}
    found = {key for key in top if key[1] in ('one.ts', 'q"two.ts')}
    room.tap.ok(found and found <= want, 'places in sources that a profile of Firefox has', f'{sorted(found - want)} {sorted(want - found)}')
    room.tap.ok(same & set(top), 'what has none stays', str(sorted(map(str, top))))
    hostile = json.loads(json.dumps({**document, 'shared': shared}))
    table = hostile['shared']['sourceLocationTable']
    table['source'], table['line'], table['column'] = [10 ** 9] * 3, [4294967294, -1, None, 7], ['x']
    hostile['shared']['funcTable']['lineNumber'] = [4294967200] * funcs['length']
    run = room.run('top', room.file('empty/hostile.json', hostile), *auto)
    room.tap.ok(run.returncode == 0, 'places that make no sense', run.stderr.decode())


def made_map():
    sources, names = RANDOM.randint(1, 4), RANDOM.randint(0, 5)
    made = []
    for _ in range(RANDOM.randint(1, 8)):
        columns = sorted(RANDOM.sample(range(200), RANDOM.randint(0, 12)))
        segments = []
        for column in columns:
            kind = RANDOM.random()
            place = [column, RANDOM.randrange(sources), RANDOM.randrange(100000), RANDOM.randrange(500)]
            segments.append([column] if kind < 0.1 else place + [RANDOM.randrange(names)] if names and kind > 0.5 else place)
        made.append(segments)
    shuffled = [RANDOM.sample(line, len(line)) if RANDOM.random() < 0.3 else line for line in made]
    whole = {'version': 3, 'file': 'x.js', 'sources': [f's{i}.ts' for i in range(sources)], 'names': [f'n{i}' for i in range(names)],
             'mappings': encode(shuffled)}
    return whole, made


def expected(made, line, column):
    """What the standard says: the last segment of the line that begins there or before."""
    segments = [s for s in made[line] if s[0] <= column] if line < len(made) else []
    if not segments or len(segments[-1]) < 4:
        return ('http://h/js/x.js?v=1', line + 1, column + 1)
    return (f's{segments[-1][1]}.ts', segments[-1][2] + 1, segments[-1][3] + 1)


def random_maps(room, oracle):
    wrong, asked = [], []
    for i in range(24):
        whole, made = made_map()
        spots = sorted({(RANDOM.randrange(len(made) + 1), RANDOM.randrange(210)) for _ in range(60)})
        path = room.file(f'random{i}/x.js.map', whole)
        top = room.top(room.file(f'random{i}.cpuprofile', recording(spots)), '--source-map', path)
        ours = {(k[1], k[2], k[3]) for k in top}
        want = {expected(made, *spot) for spot in spots}
        if ours != want:
            wrong.append(f'map {i}: {sorted(ours ^ want)[:4]}')
        asked.append((path, spots, want))
        line, column = RANDOM.randrange(5), RANDOM.randrange(50)
        moved = [(l + line, c + (column if l == 0 else 0)) for l, c in spots]
        path = room.file(f'moved{i}/x.js.map', {'version': 3, 'sections': [{'offset': {'line': line, 'column': column}, 'map': whole}]})
        top = room.top(room.file(f'moved{i}.cpuprofile', recording(moved)), '--source-map', path)
        ours = {(k[1], k[2], k[3]) for k in top if 'x.js' not in k[1]}
        if ours != {w for w in want if 'x.js' not in w[0]}:
            wrong.append(f'section {i}: {sorted(ours ^ want)[:4]}')
    room.tap.ok(not wrong, '24 random maps, whole and as sections', '\n'.join(wrong[:5]))
    if oracle is not None:
        others(room, oracle, asked)


def others(room, directory, asked):
    done = os.path.join(directory, 'node_modules', '@jridgewell', 'trace-mapping')
    os.makedirs(directory, exist_ok=True)
    if shutil.which('npm') and not os.path.exists(done):
        room.file('package.json', {'private': True})
        subprocess.run(['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--prefix', directory, '@jridgewell/trace-mapping@0.3.31'],
                       capture_output=True, timeout=120)
    if not os.path.exists(done):
        room.tap.skip('trace-mapping', 'npm cannot install it here')
        return
    script = room.file('ask.cjs', '''
const {TraceMap, originalPositionFor} = require(process.argv[2]);
const fs = require('fs');
for (const [path, spots] of JSON.parse(fs.readFileSync(0))) {
  const map = new TraceMap(fs.readFileSync(path, 'utf8'));
  console.log(JSON.stringify(spots.map(([line, column]) => originalPositionFor(map, {line: line + 1, column}))));
}''')
    run = subprocess.run(['node', script, done], input=json.dumps([a[:2] for a in asked]).encode(), capture_output=True, timeout=60)
    wrong = []
    for (path, spots, want), line in zip(asked, run.stdout.splitlines()):
        theirs = {(p['source'], p['line'], p['column'] + 1) for p in json.loads(line) if p['source']}
        if theirs != {w for w in want if 'x.js' not in w[0]}:
            wrong.append(path)
    room.tap.ok(run.returncode == 0 and not wrong, 'trace-mapping says the same', run.stderr.decode()[:500] + str(wrong[:3]))


def hostile(room, profile, text):
    bad = [text[:n] for n in range(0, len(text), 97)]
    for mappings in ('gggggggggggggg', 'AAAA,' * 50000, ';' * 100000 + 'AAAA', 'D', 'ADAA', 'AAD', 'AgggggggA', 'AAAAZ', '!', 'A\\u0000', 'A' * 6,
                     '+/+/+/+/+/', 'AAAAA' * 3, '8' * 1000):
        bad.append('{"version":3,"sources":["a"],"names":[],"mappings":"' + mappings + '"}')
    bad += ['[' * 100000, '{"sections":' * 50000, '{"sections":[{"offset":{"line":4294967295,"column":-1},"map":{}}]}', '{"sections":[null,1,{}]}',
            '{"sources":{},"mappings":1}', '{"sources":[[[["a"]]]],"mappings":"AAAA"}', '', '\xef\xbb\xbf{}']
    nested = '{"sources":["a"],"mappings":"AAAA"}'
    for _ in range(30):
        nested = '{"sections":[{"offset":{"line":0,"column":0},"map":' + nested + '}]}'
    bad.append(nested)
    wrong = []
    path = os.path.join(room.at, 'bundle.js.map')
    for i, content in enumerate(bad):
        room.file('bundle.js.map', content)
        run = room.run('top', profile, '--source-map', path)
        if run.returncode not in (0, 3):
            wrong.append(f'{i}: exit {run.returncode}: {content[:60]}')
    room.tap.ok(not wrong, f'{len(bad)} maps that are cut or make no sense', '\n'.join(wrong[:5]))


def main():
    polyprof, maps = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    room = Room(polyprof, maps, tap)
    profile, whole, text = bundle(room)
    places(room, profile)
    outside(room, profile, text)
    carried(room, profile, whole, text)
    in_firefox(room, profile, whole, text)
    lines(room)
    random_maps(room, os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None)
    hostile(room, profile, text)
    shutil.rmtree(room.at)
    return tap.done()


sys.exit(main())
