#!/usr/bin/env python3
"""Recursion is counted once, in every format: callers.py POLYPROF SAMPLES CORPUS. Speaks TAP.

- Over all samples, and files of the corpus where it is there: no edge of callers, callees and graph exceeds the function,
  and the rows add up to its total: callers with what came from outside, callees with its own cost. No file exceeds the whole.
- One program of each kind of recursion, written by hand in several formats: the same rows in all of them.
"""
import collections
import glob
import json
import marshal
import os
import subprocess
import sys
import tempfile

polyprof, samples, corpus = os.path.abspath(sys.argv[1]), *sys.argv[2:4]
number = failed = 0
ASKED = 6  # functions of a file: the costliest, and as many of cycles
LARGEST = 2 << 20  # files of the corpus


def ok(wrong, what):
    global number, failed
    wrong = list(wrong)
    number += 1
    failed += bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
    for line in wrong[:4]:
        print('# ' + str(line)[:400])


def ask(*words):
    done = subprocess.run([polyprof, *words], capture_output=True, timeout=120, stdin=subprocess.DEVNULL)
    if done.returncode < 0 or done.returncode > 128:
        ok([done.stderr.decode(errors='replace')], ' '.join(words) + ' ended by a signal')
    return json.loads(done.stdout) if done.returncode == 0 else None


# ---- the property ----

def slack(value, rows, measured):
    """What rounding may make: of doubles, and of each call where a file measures calls and functions apart."""
    return 1e-9 * max(1, abs(value)) + (measured * (1 + sum(row.get('calls', 1) for row in rows)))


def side_wrong(answer, side, metric, total, own, measured, falls):
    edges = answer[side]
    costs = [edge['total'].get(metric, 0) for edge in edges]
    rests = [answer[key]['total'].get(metric, 0) for key in (('from_outside',) if side == 'callers' else ()) + (side + '_unattributed',)
             if key in answer]
    if not edges or not (any(costs) or any(rests)):
        return  # nobody states what calls cost
    spare = slack(total, edges, measured if side == 'callees' else 0)
    if min([total, own, *costs]) >= 0 and not falls:
        for edge, cost in zip(edges, costs):
            if cost > total + spare:
                yield f"{side} of {answer['function']['name']}: {edge['name']} {metric} {cost} of {total}"
    rest = total - sum(costs) - sum(rests) - (own if side == 'callees' else 0)
    if abs(rest) > spare and not (falls and measured):
        yield f"{side} of {answer['function']['name']}: {metric} {rest} of {total} is missing"


def rows_wrong(path, name, measured, falling):
    answer = ask('peek', '--json', '-q', '--', name, path)
    if not answer or 'total' not in answer['function']:
        return
    for metric, total in answer['function']['total'].items():
        for side in ('callers', 'callees'):
            yield from side_wrong(answer, side, metric, total, answer['function']['self'][metric], measured, metric in falling)


def graph_wrong(path):
    graph = ask('graph', '--json', '-q', '--min', '0', '-n', '0', path)
    if not graph or min([edge['total'].get(graph.get('metric'), 0) for edge in graph['edges']] or [0]) < 0:
        return
    for edge in graph['edges'] if graph and 'metric' in graph else ():
        for end in ('from', 'to'):
            node = graph['functions'][edge[end]]
            total, cost = node['total'].get(graph['metric'], 0), edge['total'].get(graph['metric'], 0)
            if not node.get('only_calls') and min(node['self'].get(graph['metric'], 0), total) >= 0 and cost > total + slack(total, [], 0):
                yield f"graph: {edge['caller']} calls {edge['callee']} for {cost}, {node['name']} costs {total}"


def groups_wrong(path, falling):
    """No file costs more than all of them, though its functions call each other."""
    top = ask('top', '--json', '-q', '-n', '0', '--by', 'file', path)
    if not top or top.get('metric') in falling or min([f['self'][top['metric']] for f in top['functions'] if 'metric' in top] or [0]) < 0:
        return
    for f in top['functions'] if 'metric' in top else ():
        if f['total'][top['metric']] > top['total'] * 1.002:  # what measured calls are rounded by
            yield f"{f['name']}: {f['total'][top['metric']]} of {top['total']}"


def whole(path):
    top = ask('top', '--json', '-q', '-n', '0', path)
    if not top or 'metric' not in top or not top['functions']:
        return None
    names = collections.Counter(f['name'] for f in top['functions'])
    alone = [f for f in top['functions'] if names[f['name']] == 1 and 'name_hex' not in f and 0 < len(f['name']) < 3000 and
             '\0' not in f['name'] and not f['name'].startswith('/')]
    order = sorted(alone, key=lambda f: -abs(f['total'][top['metric']]))
    chosen = order[:ASKED] + [f for f in order if 'cycle' in f][:ASKED]
    # Xdebug rounds each call and each function: by half a unit or, before version 3, by a whole one.
    measured = {'xdebug': 1000, 'nytprof': 1000}.get(top['format'], 0)
    falling = {m.get('key', m['name']) for m in ask('info', '--json', '-q', path)['metrics'] if m.get('falls')}
    wrong = [text for name in dict.fromkeys(f['name'] for f in chosen) for text in rows_wrong(path, name, measured, falling)]
    return wrong + list(graph_wrong(path)) + list(groups_wrong(path, falling))


def property_holds():
    for path in sorted(glob.glob(os.path.join(samples, '*', 'good', '*'))):
        wrong = whole(path)
        if wrong is not None:
            ok(wrong, os.path.relpath(path, samples))
    files = [path for path in sorted(glob.glob(os.path.join(corpus, '**', '*'), recursive=True))
             if os.path.isfile(path) and 500 < os.path.getsize(path) < LARGEST and not path.endswith(('.json.gz', '.txt', '.md', '.py', '.oracle.json'))]
    for path in files[::max(1, len(files) // 120)]:
        wrong = whole(path)
        if wrong is not None:
            ok(wrong, os.path.relpath(path, corpus))


# ---- one program in several formats ----

class Program:
    """A tree of calls, each [name, own cost, callees]."""

    def __init__(self, root):
        self.root, self.edges, self.own, self.calls = root, {}, collections.Counter(), collections.Counter()
        self.outer, self.seen = collections.Counter(), {}
        self.walk(root, None, ())

    def walk(self, call, caller, above):
        """Returns what the call costs with everything below it."""
        name, own, callees = call
        self.own[name] += own
        self.calls[name] += 1
        cost = own + sum(self.walk(callee, name, above + (name,)) for callee in callees)
        edge = self.edges.setdefault((caller, name), {'calls': 0, 'every': 0, 'edge': 0, 'outer': 0})
        edge['calls'] += 1
        edge['every'] += cost
        pairs = list(zip((None,) + above, above))
        edge['edge'] += cost if (caller, name) not in pairs else 0  # outermost calls over this edge
        edge['outer'] += cost if name not in above else 0
        self.outer[name] += cost if name not in above else 0
        return cost

    def callers(self, name):
        return {caller: (edge['calls'], edge['outer']) for (caller, callee), edge in self.edges.items() if callee == name and caller}

    # Each writes what the format's own recorder would.

    def folded(self):
        lines = []

        def walk(call, above):
            if call[1]:
                lines.append(f"{';'.join(above + (call[0],))} {call[1]}")
            for callee in call[2]:
                walk(callee, above + (call[0],))
        walk(self.root, ())
        return '\n'.join(lines).encode() + b'\n'

    def xdebug(self):
        ids, out = {}, ['version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: a.php\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n']

        def named(name):
            if name in ids:
                return f'({ids[name]})'
            ids[name] = len(ids) + 1
            return f"({ids[name]}) {'{main}' if name == 'main' else name}"

        def walk(call):
            costs = [(callee[0], walk(callee)) for callee in call[2]]
            out.append(f'fl=({1}){" a.php" if len(out) == 1 else ""}\nfn={named(call[0])}\n1 {call[1]} 0\n' +
                       ''.join(f'cfl=(1)\ncfn={named(name)}\ncalls=1 0 0\n2 {cost} 0\n' for name, cost in costs))
            return call[1] + sum(cost for _, cost in costs)
        walk(self.root)
        return ('\n'.join(out) + '\n').encode()

    def callgrind(self):
        out = ['# callgrind format\nversion: 1\ncreator: other\npositions: line\nevents: Time\n']
        for name, own in self.own.items():
            out.append(f'fl=a.c\nfn={name}\n1 {own}\n' + ''.join(
                f"cfn={callee}\ncalls={edge['calls']} 1\n2 {edge['every']}\n" for (caller, callee), edge in self.edges.items() if caller == name))
        return '\n'.join(out).encode()

    def pstats(self):
        def key(name):
            return ('a.py', 1 + list(self.own).index(name), name)
        return marshal.dumps({key(name): (calls, calls, self.own[name] / 1e6, self.outer[name] / 1e6, {
            key(caller): (edge['calls'], edge['calls'], 0.0, edge['edge'] / 1e6)
            for (caller, callee), edge in self.edges.items() if callee == name and caller}) for name, calls in self.calls.items()})

    def xhprof(self):
        rows = collections.OrderedDict()

        def walk(call, caller, above):
            level = above.count(call[0])
            name = 'main()' if call[0] == 'main' else call[0] + (f'@{level}' if level else '')
            cost = call[1] + sum(walk(callee, name, above + (call[0],)) for callee in call[2])
            row = rows.setdefault(f'{caller}==>{name}' if caller else name, {'ct': 0, 'wt': 0})
            row['ct'] += 1
            row['wt'] += cost
            return cost
        walk(self.root, None, ())
        return json.dumps(rows).encode()

    def pprof(self):
        """As text in the way of pprof's own tests: gzip and protobuf are read elsewhere."""
        def varint(value):
            out = b''
            while value > 127:
                out, value = out + bytes([value & 127 | 128]), value >> 7
            return out + bytes([value])

        def field(tag, value):
            return varint(tag << 3) + varint(value) if isinstance(value, int) else varint(tag << 3 | 2) + varint(len(value)) + value
        names = list(self.own)
        strings = [b'', b'cpu', b'nanoseconds'] + [name.encode() for name in names]
        out = field(1, field(1, 1) + field(2, 2))

        def walk(call, above):
            stack = (names.index(call[0]) + 1,) + above
            found = field(2, field(1, b''.join(map(varint, stack))) + field(2, varint(call[1]))) if call[1] else b''
            return found + b''.join(walk(callee, stack) for callee in call[2])
        out += walk(self.root, ())
        out += b''.join(field(4, field(1, i + 1) + field(4, field(1, i + 1))) for i in range(len(names)))
        out += b''.join(field(5, field(1, i + 1) + field(2, 3 + i)) for i in range(len(names)))
        return out + b''.join(field(6, text) for text in strings)


def fib(n):
    return ['fib', 3, [fib(n - 1), fib(n - 2)] if n > 1 else []]


def turns(names, n, own=5):
    """Functions that call each other in turn."""
    return [names[0], own + n, [turns(names[1:] + names[:1], n - 1, own)] if n else []]


PROGRAMS = {
    'direct recursion': ['main', 1, [fib(5), ['other', 2, [fib(3)]]]],
    'mutual recursion': ['main', 1, [turns(['even', 'odd'], 6)]],
    'mutual recursion entered at both': ['main', 1, [turns(['even', 'odd'], 6), ['other', 4, [turns(['odd', 'even'], 3)]]]],
    'three in a circle, entered at two': ['main', 1, [turns(['a', 'b', 'c'], 7), turns(['b', 'c', 'a'], 4)]],
    'recursion through two callers': ['main', 1, [
        ['walk', 2, [['left', 3, [['walk', 4, [['right', 5, [['walk', 6, []]]]]]]]]],
        ['right', 7, [['walk', 8, []]]],
        ['left', 9, [['walk', 1, [['left', 1, []]]]]]]],
}
# Stacks tell all of it; of calls that state every level only what is between functions of no common cycle is exact.
EXACT = {'folded', 'xdebug', 'xhprof', 'pprof'}


def callers_of(path, function, metric, factor, names):
    answer = ask('callers', '--json', '-q', '-m', metric, function, path)
    rows = {}
    for edge in answer['edges']:
        name = names(edge['name'])
        calls, cost = rows.get(name, (0, 0))
        rows[name] = calls + edge.get('calls', 0), cost + edge['total'][metric] / factor
    return rows, answer['function']['total'][metric] / factor


def program_holds(directory, what, program):
    metrics = {'folded': ('samples', 1), 'xdebug': ('Time_(10ns)', 10), 'callgrind': ('Time', 1), 'pstats': ('time', 1000),
               'xhprof': ('wt', 1000), 'pprof': ('cpu', 1)}
    for kind, (metric, factor) in metrics.items():
        path, wrong = os.path.join(directory, 'program.' + kind), []
        with open(path, 'wb') as file:
            file.write(getattr(program, kind)())
        for function in program.own:
            if function == 'main':
                continue
            got, total = callers_of(path, function, metric, factor, lambda name: {'{main}': 'main', 'main()': 'main'}.get(name, name.split('@')[0]))
            wanted = program.callers(function)
            if kind == 'xhprof':  # levels are functions of their own: the outermost ones are called by these
                wanted = {caller: cost for caller, (_, cost) in wanted.items() if cost}
                got = {caller: round(cost, 6) for caller, (_, cost) in got.items()}
            elif kind in ('folded', 'pprof'):
                wanted = {caller: cost for caller, (_, cost) in wanted.items()}
                got = {caller: cost for caller, (_, cost) in got.items()}
            got = {caller: (row if isinstance(row, (int, float)) else (row[0], round(row[1], 6))) for caller, row in got.items()}
            inner = [caller for (caller, callee) in program.edges if callee == function and caller and (function in reach(program, caller))
                     and caller in reach(program, function) and caller != function]
            if kind in EXACT or (kind == 'pstats' and len(inner) < 2):
                if got != wanted:
                    wrong.append(f'{function}: {got}, not {wanted}')
            elif sum(cost for _, cost in got.values()) > total + 1e-6 or {k: v[0] for k, v in got.items()} != {k: v[0] for k, v in wanted.items()}:
                wrong.append(f'{function}: {got} of {total}, calls {wanted}')
        ok(wrong + whole(path), f'{what}: {kind}')


def reach(program, start):
    seen, todo = set(), [start]
    while todo:
        at = todo.pop()
        for caller, callee in program.edges:
            if caller == at and callee not in seen:
                seen.add(callee)
                todo.append(callee)
    return seen


property_holds()
with tempfile.TemporaryDirectory() as scratch:
    for what, root in PROGRAMS.items():
        program_holds(scratch, what, Program(root))
print(f'1..{number}')
sys.exit(1 if failed else 0)
