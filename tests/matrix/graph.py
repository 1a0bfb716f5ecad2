#!/usr/bin/env python3
"""The call graph has the numbers of `top` and `callees`: graph.py POLYPROF SAMPLES. Speaks TAP."""
import json
import os
import re
import subprocess
import sys

polyprof, samples = sys.argv[1:]
number = failed = 0
FILES = ['cycle.callgrind', 'whole.callgrind', 'recursion.folded', 'app.folded', 'tiny.json', 'closures.xt', 'fib.xt',
         'run.xhprof.json', 'dash_e.out', 'hostile.folded']
NODE = re.compile(r'\tn(\d+) \[(.*)\];')
EDGE = re.compile(r'\tn(\d+) -> n(\d+) \[(.*)\];')
ATTRIBUTE = re.compile(r'(\w+)="((?:[^"\\]|\\.)*)"')


def ok(passed, what, detail=''):
    global number, failed
    number += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {what}" + ('' if passed else f'\n# {detail!r}'[:500]))


def run(*words):
    return subprocess.run([polyprof, *words, '-q'], capture_output=True, check=True, stdin=subprocess.DEVNULL).stdout.decode()


def attributes(text):
    return {key: re.sub(r'\\(.)', lambda found: {'n': '\n'}.get(found[1], found[1]), value)
            for key, value in ATTRIBUTE.findall(text)}


def spelled(name):
    return re.sub('[\x00-\x08\x0b-\x1f\x7f]', lambda found: f'\\x{ord(found[0]):02x}', name)


for name in FILES:
    path = os.path.join(samples, name)
    dot = run('graph', '--min', '0', '-n', '0', path)
    nodes = {int(found[1]): attributes(found[2]) for found in map(NODE.fullmatch, dot.splitlines()) if found}
    edges = [(int(found[1]), int(found[2]), attributes(found[3])) for found in map(EDGE.fullmatch, dot.splitlines()) if found]
    ok(len(nodes) + len(edges) + 5 == dot.count('\n'), f'{name}: nodes and edges are lines', dot[:300])
    ok(len({edge[:2] for edge in edges}) == len(edges), f'{name}: one edge for each pair')

    top = json.loads(run('top', '--json', path))
    metric = top['metric']
    stated = sorted((spelled(f['name']), f.get('file', ''), str(f['self'][metric]), str(f['total'][metric]), str(f.get('calls', '')))
                    for f in top['functions'] if 'name_hex' not in f)
    drawn = sorted((n['function'], n.get('file', ''), n['self'], n['total'], n.get('calls', '')) for n in nodes.values()
                   if not re.search(r'\\x[89a-f]', n['function']))
    ok(stated == drawn, f'{name}: functions as `top` has them', [pair for pair in zip(stated, drawn) if pair[0] != pair[1]][:2])

    heaviest = [f for f in top['functions'] if sum(g['name'] == f['name'] for g in top['functions']) == 1 and 'name_hex' not in f]
    for function in sorted(heaviest, key=lambda f: -f['total'][metric])[:3]:
        listed = {}
        for edge in json.loads(run('callees', '--json', function['name'], path))['edges']:
            if 'name_hex' in edge:
                continue
            calls, total = listed.get(edge['name'], (0, 0))
            listed[edge['name']] = calls + edge.get('calls', 0), total + edge['total'][metric]
        node = next(i for i, n in nodes.items() if n['function'] == spelled(function['name']))
        seen = {}
        for _, to, edge in (edge for edge in edges if edge[0] == node and not re.search(r'\\x[89a-f]', nodes[edge[1]]['function'])):
            calls, total = seen.get(nodes[to]['function'], (0, 0))
            seen[nodes[to]['function']] = calls + int(edge.get('calls', 0)), total + json.loads(edge['total'])
        ok({spelled(key): value for key, value in listed.items()} == seen,
           f"{name}: calls of {function['name'][:20]} as `callees` has them", (listed, seen))

# Callers of which nothing else is known are drawn, but they are no functions that anything else counts: main::NULL, where no statements
# say what is outside of subs.
for name, callers in (('modules.out', 0), ('level.out', 0), ('levels-stmts0.out', 1)):
    path = os.path.join(samples, name)
    functions = json.loads(run('graph', '--json', '--min', '0', '-n', '0', path))['functions']
    counted = json.loads(run('info', '--json', path))['counts']['functions']
    ok(len([f for f in functions if not f.get('only_calls')]) == counted == len(functions) - callers,
       f'{name}: as many functions as `info` counts, and who only calls', (len(functions), counted))
    said = subprocess.run([polyprof, 'graph', '-n', '2', path], capture_output=True, check=True,
                          stdin=subprocess.DEVNULL).stderr.decode()
    ok(f' of {counted} functions' in said, f'{name}: what is left out is of as many', said)
print(f'1..{number}')
sys.exit(1 if failed else 0)
