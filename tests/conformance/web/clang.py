#!/usr/bin/env python3
"""Traces of `clang -ftime-trace`: clang.py POLYPROF SAMPLES. Speaks TAP.

Slices are named by their details, which are labels as well; sums over slices are left out. Real recordings are checked against the times of their
events, added up here in another way, and a compilation is recorded fresh where there is a clang.
"""
import collections
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
tap = Tap()
folder = tempfile.TemporaryDirectory()

SMALL = {'traceEvents': [
    {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 0, 'dur': 100, 'name': 'ExecuteCompiler'},
    {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 10, 'dur': 60, 'name': 'Source', 'args': {'detail': 'heavy.h'}},
    {'ph': 'X', 'pid': 1, 'tid': 1, 'ts': 70, 'dur': 20, 'name': 'Source', 'args': {'detail': 'light.h'}},
    {'ph': 'X', 'pid': 1, 'tid': 2, 'ts': 0, 'dur': 100, 'name': 'Total ExecuteCompiler', 'args': {'count': 1}}], 'beginningOfTime': 1}
WANTED = {'ExecuteCompiler': (20000, 100000), 'Source heavy.h': (60000, 60000), 'Source light.h': (20000, 20000)}


def run(*args):
    return subprocess.run([polyprof, *args], capture_output=True, timeout=120, check=False)


def ask(*args):
    done = run(args[0], '--json', *args[1:])
    return json.loads(done.stdout), done.stderr.decode()


def save(name, text):
    path = os.path.join(folder.name, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def functions(path, *options):
    answer, _ = ask('top', '-n', '0', *options, path)
    return answer['total'], {f['name']: (f['self']['dur'], f['total']['dur']) for f in answer['functions']}


def added_up(trace):
    """Self and total of each name in ns, by a stack over the slices in order."""
    slices, begun = [], None
    for e in trace['traceEvents']:
        if e['ph'] == 'b':
            begun = e
        elif e['ph'] == 'e':
            slices.append(dict(begun, dur=e['ts'] - begun['ts']))
        elif e['ph'] == 'X' and not e['name'].startswith('Total '):
            slices.append(dict(e))
    slices.sort(key=lambda e: (e['ts'], -e['dur']))
    own, total, stack = collections.Counter(), collections.Counter(), []
    for e in slices:
        detail = e.get('args', {}).get('detail')
        e['name'] += f' {detail}' if detail else ''
        while stack and stack[-1]['ts'] + stack[-1]['dur'] <= e['ts']:
            stack.pop()
        if stack:
            own[stack[-1]['name']] -= e['dur']
        total[e['name']] += 0 if e['name'] in [s['name'] for s in stack] else e['dur']
        own[e['name']] += e['dur']
        stack.append(e)
    return {name: (own[name] * 1000, total[name] * 1000) for name in own}


def small():
    for name, text in (('m.json', json.dumps(SMALL)), ('sorted.json', json.dumps(SMALL, sort_keys=True)), ('pretty.json', json.dumps(SMALL, indent=1))):
        path = save(name, text)
        tap.same(functions(path), (100000, WANTED), f'{name}: names with details, no sums')
        _, said = ask('top', path)
        tap.ok('1 sum over slices ("Total ...") is left out [trace-event-totals]' in said, f'{name}: and it says so', said)
    total, by = functions(path, '--by', 'label:detail')
    tap.same(by, {'heavy.h': (60000, 60000), 'light.h': (20000, 20000), '(no detail)': (20000, 20000)}, 'details are a label: --by')
    tags, _ = ask('tags', path)
    tap.ok('heavy.h' in json.dumps(tags), 'details are a label: tags', tags)
    total, kept = functions(path, '--label', 'detail=heavy.h')
    tap.same((total, kept['Source heavy.h']), (60000, (60000, 60000)), 'details are a label: --label')
    others = dict(SMALL, traceEvents=SMALL['traceEvents'][:3])
    del others['beginningOfTime']
    tap.same(sorted(functions(save('others.json', json.dumps(others)))[1]), ['ExecuteCompiler', 'Source'], 'traces of other programs keep their names')
    cut = json.dumps(dict(SMALL, traceEvents=SMALL['traceEvents'][1:]))
    tap.same(sorted(functions(save('cut.json', cut[:cut.index('Total') - 60]))[1]), ['Source heavy.h', 'Source light.h'], 'a file that is cut is known by its first slice')


def recorded(path):
    with (gzip.open if path.endswith('.gz') else open)(path, 'rb') as file:
        trace = json.load(file)
    name = os.path.basename(path)
    _, got = functions(path)
    tap.same(got, added_up(trace), f'{name}: each function is what its slices add up to')
    total, _ = functions(path)
    labelled, by = functions(path, '--by', 'label:detail')
    tap.ok(labelled == total == sum(own for own, _ in by.values()), f'{name}: labels add up to the whole', (total, labelled))
    for out in ('spaa', 'trace-event'):
        written = os.path.join(folder.name, f'{name}.{out}')
        run('convert', '-q', path, '--to', out, '-o', written)
        tap.same(functions(written), (total, got), f'{name}: the same as {out}')
        back = written + '.json'
        run('convert', '-q', written, '--to', 'trace-event', '-o', back)
        tap.same(functions(back), (total, got), f'{name}: and as a trace again')
    for kind, rows in (('^Source ', 'Source '), ('^Instantiate', 'Instantiate')):
        answer, _ = ask('top', '--show', kind, '--sort', 'total', '-n', '1', path)
        best = max((t for n, (_, t) in got.items() if n.startswith(rows)), default=0)
        tap.ok(answer['functions'][0]['total']['dur'] == best, f'{name}: the hottest of {kind!r} in one command', answer['functions'][:1])


def fresh():
    clang = next((c for c in map(shutil.which, ('clang++', 'clang++-14')) if c), None)
    source = save('fresh.cc', '#include <map>\n#include <regex>\n#include <string>\nint main() { std::map<std::string, int> m; return m.size() + std::regex_match("a", std::regex("a+")); }\n')
    done = clang and subprocess.run([clang, '-O1', '-ftime-trace', '-c', source, '-o', source[:-2] + 'o'], capture_output=True, check=False, timeout=120)
    if not clang or done.returncode or not os.path.exists(source[:-2] + 'json'):
        tap.skip('a compilation recorded fresh', 'there is no clang')
        return
    recorded(source[:-2] + 'json')


small()
recorded(os.path.join(samples, 'trace-event/good/clang14.trace.json.gz'))
recorded(os.path.join(samples, 'trace-event/good/clang19.trace.json'))
fresh()
sys.exit(tap.done())
