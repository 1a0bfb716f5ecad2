#!/usr/bin/env python3
"""Heap snapshots beside a slow model of them, and hostile ones: heapsnapshot.py POLYPROF SAMPLES. Speaks TAP.

The model takes every rule literally: an object is held by another when no way leads to it once that one is taken away. Chrome's own
developer tools gave the numbers in KNOWN, of the samples that were recorded.
"""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap, share  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
tap = Tap()
folder = tempfile.TemporaryDirectory()

TYPES = ['hidden', 'array', 'string', 'object', 'code', 'closure', 'regexp', 'number', 'native', 'synthetic', 'concatenated string']
LINKS = ['context', 'element', 'property', 'internal', 'hidden', 'shortcut', 'weak']
FIELDS = ['type', 'name', 'id', 'self_size', 'edge_count', 'trace_node_id', 'detachedness']
EDGE_FIELDS = ['type', 'name_or_index', 'to_node']
CLASSES = {'hidden': '(system)', 'code': '(compiled code)', 'closure': 'Function', 'regexp': 'RegExp'}

# File, class: objects, shallow size, retained size.
KNOWN = [('bakery', 'Order', 24, 1152, 5712),
         ('bakery', 'Step', 30, 1200, 2688),
         ('bakery', '{text, next}', 30, 1200, 1200),
         ('bakery', 'Function', 160, 10016, 73387),
         ('bakery', 'system / Context', 19, 7648, 69251),
         ('page', 'Widget', 18, 360, 7080),
         ('page', 'Detached <div>', 12, 1248, 5856),
         ('page', 'Function', 128, 3616, 4784),
         ('page', '<div>', 7, 712, 1912)]


class Snapshot:
    """Objects (type, name, size, state), references (type, name, to) of each, locations and strings."""

    def __init__(self):
        self.nodes, self.edges, self.strings, self.locations = [], [], ['<dummy>'], []

    def string(self, text):
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def add(self, kind, name, size=0, state=0):
        self.nodes.append((kind, name, size, state))
        self.edges.append([])
        return len(self.nodes) - 1

    def refer(self, a, link, name, b):
        self.edges[a].append((link, name, b))

    def document(self, fields=FIELDS, edge_fields=EDGE_FIELDS):
        nodes, edges = [], []
        for i, (kind, name, size, state) in enumerate(self.nodes):
            row = {'type': TYPES.index(kind), 'name': self.string(name), 'id': 2 * i + 1, 'self_size': size, 'edge_count': len(self.edges[i]),
                   'trace_node_id': 0, 'detachedness': state}
            nodes += [row[f] for f in fields]
            for link, label, to in self.edges[i]:
                label = label if isinstance(label, int) else self.string(label)
                edge = {'type': LINKS.index(link), 'name_or_index': label, 'to_node': to * len(fields)}
                edges += [edge[f] for f in edge_fields]
        return {'snapshot': {'meta': {'node_fields': fields, 'node_types': [TYPES if f == 'type' else 'number' for f in fields],
                                      'edge_fields': edge_fields, 'edge_types': [LINKS if f == 'type' else 'number' for f in edge_fields],
                                      'location_fields': ['object_index', 'script_id', 'line', 'column']},
                             'node_count': len(self.nodes), 'edge_count': len(edges) // len(edge_fields), 'trace_function_count': 0},
                'nodes': nodes, 'edges': edges, 'trace_function_infos': [], 'trace_tree': [], 'samples': [],
                'locations': self.locations, 'strings': self.strings}


# ---- the model ----

def reach(starts, follow):
    seen, todo = set(starts), list(starts)
    while todo:
        for to in follow(todo.pop()):
            if to not in seen:
                seen.add(to)
                todo.append(to)
    return seen


def states(s):
    """Which objects are detached: of the browser's, what an attached one refers to is not."""
    given = {i: n[3] for i, n in enumerate(s.nodes) if n[3]}
    known = {i: state for i, state in given.items() if s.nodes[i][0] == 'native'}
    for state in (1, 2):
        todo = [i for i in known if known[i] == state]
        while todo:
            for link, _, to in s.edges[todo.pop()]:
                if link not in ('hidden', 'weak') and to not in known and to not in given and s.nodes[to][0] == 'native':
                    known[to] = state
                    todo.append(to)
    return {i for i in known if known[i] == 2}


def sizes(s):
    """Sizes of objects with the parts that serve them alone."""
    size = [n[2] for n in s.nodes]
    dom_trees = [n[0] == 'synthetic' and n[1] == '(Document DOM trees)' for n in s.nodes]
    if not any(s.nodes[to][0] != 'synthetic' or dom_trees[to] for _, _, to in s.edges[0]):
        return size
    part = [n[0] in ('hidden', 'array') or n[:2] == ('native', 'system / ExternalStringData') for n in s.nodes]
    owners = [set() for _ in s.nodes]
    for i in range(len(s.nodes)):
        if not part[i]:
            for to in reach([i], lambda x: [t for link, _, t in s.edges[x] if link != 'weak' and part[t]]) - {i}:
                owners[to].add(i)
    for i, own in enumerate(owners):
        if len(own) == 1:
            o, = own
            if o != 0 and s.nodes[o][0] != 'synthetic':
                size[o] += size[i]
                size[i] = 0
    return size


def essential(s):
    """Who holds whom."""
    starts = [to for link, _, to in s.edges[0]
              if link == 'shortcut' or (link == 'element' and s.nodes[to][:2] == ('synthetic', '(Document DOM trees)'))]
    page = reach(starts, lambda x: [t for link, _, t in s.edges[x] if link != 'weak'])
    held = [[] for _ in s.nodes]
    for i, edges in enumerate(s.edges):
        for link, name, to in edges:
            table = link == 'internal' and isinstance(name, str) and name.endswith(f' pair in WeakMap (table @{2 * i + 1})')
            if link != 'weak' and to != i and not table and (i == 0 or (link != 'shortcut' and (i in page or to not in page))):
                held[i].append(to)
    return held


def dominators(held):
    """For each object whom it is held by, all of them: those without which it cannot be reached."""
    n = len(held)
    orphans = set(range(1, n)) - {t for to in held for t in to} - reach([0], lambda x: held[x])
    held = [held[0] + sorted(orphans)] + held[1:]
    whole = reach([0], lambda x: held[x])
    above = [set() for _ in range(n)]
    for d in whole - {0}:
        for i in whole - reach([0], lambda x: [t for t in held[x] if t != d]):
            if i != d:
                above[i].add(d)
    return above


def shapes(s):
    """Classes of plain objects."""
    plain = [i for i, n in enumerate(s.nodes) if n[:2] == ('object', 'Object')]
    count, order = {}, []
    properties = {i: [name for link, name, _ in s.edges[i] if link == 'property' and name != '__proto__'] for i in plain}
    for i in plain:
        name, taken = '{', []
        for p in properties[i]:
            quoted = json.dumps(p, ensure_ascii=False) if any(c in p for c in ',\'"{}') else p
            if len(name) > 1 and len(name) + len(quoted) > 120:
                break
            name += (', ' if name != '{' else '') + quoted
            taken.append(p)
        if taken:
            if tuple(taken) not in count:
                order.append((tuple(taken), name + '}'))
            count[tuple(taken)] = count.get(tuple(taken), 0) + 1
    order = [o for o in sorted(order, key=lambda o: -count[o[0]]) if count[o[0]] >= max(2, len(plain) / 1000)]
    result = {}
    for i in plain:
        fits = [(-len(set(o[0])), at, o[1]) for at, o in enumerate(order) if set(o[0]) <= set(properties[i])]
        result[i] = min(fits)[2] if fits else 'Object'
    return result


def model(s):
    detached, size, above, shaped = states(s), sizes(s), dominators(essential(s)), shapes(s)
    name = {}
    for i, (kind, text, _, _) in enumerate(s.nodes):
        text = ('Detached ' if i in detached else '') + text
        if i in shaped:
            text = shaped[i]
        elif kind in ('object', 'native') and text.startswith(('<', 'Detached <')):
            cut = text.find(' ', 10 if text.startswith('D') else 0)
            text = text if cut < 0 else text[:cut] + '>'
        elif kind not in ('object', 'native', 'synthetic'):
            text = CLASSES.get(kind, f'({kind})')
        name[i] = text
    result = {}
    for i, own in enumerate(size):
        if i == 0 or not own:
            continue
        objects, shallow, retained = result.get(name[i], (0, 0, 0))
        result[name[i]] = (objects + 1, shallow + own, retained)
    for c in result:
        members = {i for i in name if name[i] == c and i and (size[i] or s.nodes[i][0] == 'synthetic')}
        retained = sum(own for i, own in enumerate(size) if i in members or above[i] & members)
        result[c] = (*result[c][:2], retained)
    return result


# ---- ours ----

def top(path):
    done = subprocess.run([polyprof, 'top', '--json', '-n', '0', path], capture_output=True, timeout=60)
    try:
        rows = json.loads(done.stdout)['functions']
    except (ValueError, KeyError):
        return {'(error)': done.stderr.decode(errors='replace')[:200]}
    return {r['name']: (r['self'].get('objects', 0), r['self']['self_size'], r['total']['self_size']) for r in rows if r['self'].get('self_size')}


def put(text, name='x.heapsnapshot'):
    path = os.path.join(folder.name, name)
    with open(path, 'w', encoding='utf-8', errors='surrogatepass') as f:
        f.write(text if isinstance(text, str) else json.dumps(text))
    return path


def made(seed):
    """A small snapshot of everything that the rules speak of."""
    r, s = random.Random(seed), Snapshot()
    s.add('synthetic', '')
    if r.random() < .8:
        s.refer(0, 'shortcut', 'global', s.add('object', 'global', 100))
    s.refer(0, 'element', 1, s.add('synthetic', '(GC roots)'))
    if r.random() < .5:
        s.refer(0, 'element', 2, s.add('synthetic', '(Document DOM trees)'))
    kinds = ['hidden', 'array', 'string', 'object', 'object', 'object', 'code', 'closure', 'regexp', 'native', 'native', 'concatenated string']
    names = ['Object', 'Object', 'Object', 'Map', 'A', 'B', '<div id="a">', '<p>', 'system / ExternalStringData', 'é,x']
    for _ in range(r.randrange(4, 40)):
        s.add(r.choice(kinds), r.choice(names), r.choice([0, 8, 16, 24, 1 << 33]), r.choice([0, 0, 0, 1, 2]))
    n = len(s.nodes)
    for _ in range(r.randrange(n, 4 * n)):
        link, a, b = r.choice(LINKS), r.randrange(n), r.randrange(n)
        if a == 0 and link in ('shortcut', 'weak') and r.random() < .8:
            link = 'element'
        name = r.choice(['a', 'b', 'c,d', '__proto__', 'é' * 60, 'shared']) if link not in ('element', 'hidden') else r.randrange(9)
        if link == 'internal' and r.random() < .3:
            name = f'1 / part of key (K @{2 * b + 1}) -> value (V @1) pair in WeakMap (table @{2 * r.choice([a, b]) + 1})'
        if not (link == 'property' and any(x[:2] == (link, name) for x in s.edges[a])):
            s.refer(a, link, name, b)
    return s


def models():
    for seed in share(range(150)):
        s = made(seed)
        want = model(s)
        r = random.Random(seed)
        fields, edge_fields = list(FIELDS), list(EDGE_FIELDS)
        if seed % 3 == 0:
            r.shuffle(fields)
            r.shuffle(edge_fields)
        document = s.document(fields, edge_fields)
        if seed % 5 == 0:
            document = dict(reversed(document.items()))
        got = top(put(document))
        if got != want:
            tap.ok(False, f'random graph {seed}', {k: (got.get(k), want.get(k)) for k in set(got) | set(want) if got.get(k) != want.get(k)})
            return
    tap.ok(True, 'random graphs are what the model says')


def known():
    for name, cls, *want in KNOWN:
        got = top(os.path.join(samples, 'heapsnapshot', 'good', name + '.heapsnapshot.gz'))
        tap.ok(got.get(cls) == tuple(want), f'{name}: {cls} is what the developer tools say', got.get(cls))


def chain(n, kinds):
    """A list of n objects of some classes in turn."""
    s = Snapshot()
    s.add('synthetic', '')
    s.strings += ['', *kinds]
    d = s.document()
    f = len(FIELDS)
    names = [d['strings'].index(k) for k in kinds]
    nodes = [9, 1, 1, 0, 1, 0, 0]
    edges = [1, 1, f]
    for i in range(n):
        nodes += [3, names[i % len(names)], 2 * i + 3, 10, int(i < n - 1), 0, 0]
        if i < n - 1:
            edges += [2, 1, (i + 2) * f]
    d['nodes'], d['edges'] = nodes, edges
    d['snapshot'].update(node_count=n + 1, edge_count=n)
    return d


def hostile():
    n = 20000
    got = top(put(chain(n, ['A'])))
    tap.ok(got == {'A': (n, 10 * n, 10 * n)}, 'a long list of one class', got)
    got = top(put(chain(n, ['A', 'B', 'C'])))
    third = [len(range(k, n, 3)) for k in range(3)]
    tap.ok(got == {c: (third[k], 10 * third[k], 10 * (n - k)) for k, c in enumerate('ABC')}, 'a long list of three classes in turn', got)
    done = subprocess.run([polyprof, 'tree', '--json', put(chain(n, ['A', 'B', 'C']))], capture_output=True, timeout=60)
    tap.ok(done.returncode == 0 and done.stdout.count(b'"name"') < 20, 'is a small tree', done.stdout[:300])
    got = top(put(chain(n, [f'K{i}' for i in range(n)])))
    tap.ok(len(got) == n and got.get('K0') == (1, 10, 10 * n) and got.get('K9') == (1, 10, 10 * (n - 9)), 'a long list of as many classes', len(got))
    d = chain(3, ['A'])
    d['snapshot'].update(node_count=10 ** 8, edge_count=10 ** 18)
    tap.ok(top(put(d)) == {'A': (3, 30, 30)}, 'counts that lie', top(put(d)))
    d = chain(3, ['A'])
    d['nodes'][7 + 3] = 1 << 62
    tap.ok(top(put(d)).get('A') == (3, (1 << 62) + 20, (1 << 62) + 20), 'sizes beyond 53 bits are exact', top(put(d)))
    d = chain(2, ['<div \ud800 a>'])
    tap.ok(list(top(put(json.dumps(d)))) == ['<div>'], 'half of a surrogate pair', top(put(json.dumps(d))))


models()
known()
hostile()
tap.done()
