#!/usr/bin/env python3
"""The samples of tests/formats/otlp and tests/cli/data: make.py tests. A file for each rule, and good ones."""
import copy
import json
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from wire import fixed, message, num, packed, sub, varint  # noqa: E402 (needs the path above)

START = 1790000000 * 10 ** 9


class Bakery:
    """A small message, part by part; what a case changes it changes here."""

    def __init__(self):
        self.strings = ['']
        self.links = [sub(1, bytes(16)) + sub(2, bytes(8))]
        self.attributes = [b'']
        self.mappings = [b'', message((1, 0x400000), (2, 0x500000), (4, self.text('/bakery/bin/oven')),
                                      (5, [self.attribute('process.executable.build_id.gnu', sub(1, '5eed'))]))]
        self.functions = [b'', *(message((1, self.text(n)), (3, self.text('/bakery/oven.c')), (4, l)) for n, l in (('main', 10), ('mix', 20), ('bake', 30)))]
        self.locations = [b'', *(message((1, 1), (2, 0x401000 + 16 * i), (3, message((1, i), (2, 10 * i + 1)))) for i in (1, 2, 3))]
        self.stacks = [b'', packed(1, [1]), packed(1, [2, 1]), packed(1, [3, 2, 1])]
        self.samples = [message((1, 2), (4, [20])), message((1, 3), (4, [50])), message((1, 1), (4, [30]))]
        self.profile = b''
        self.resource = sub(1, sub(1, 'service.name') + sub(2, sub(1, 'bakery'))) + sub(1, sub(1, 'process.pid') + sub(2, num(3, 7)))
        self.profiles = []
        self.type = (self.text('cpu'), self.text('nanoseconds'))
        self.resources = []

    def text(self, text):
        if text not in self.strings:
            self.strings.append(text)
        return self.strings.index(text)

    def attribute(self, key, value, unit=''):
        self.attributes.append(message((1, self.text(key)), (2, value), (3, self.text(unit))))
        return len(self.attributes) - 1

    def dictionary(self):
        tables = (self.mappings, self.locations, self.functions, self.links, self.strings, self.attributes, self.stacks)
        return b''.join(sub(i + 1, e) for i, table in enumerate(tables) for e in table)

    def profile_of(self, samples, kind, unit, more=b''):
        return sub(1, message((1, self.text(kind)), (2, self.text(unit)))) + b''.join(sub(2, s) for s in samples) + more

    def bytes(self):
        first = sub(1, message((1, self.type[0]), (2, self.type[1]))) + b''.join(sub(2, s) for s in self.samples) + self.profile
        scope = sub(1, sub(1, 'kitchen') + sub(2, '1')) + sub(2, first) + b''.join(sub(2, p) for p in self.profiles)
        return sub(1, sub(1, self.resource) + sub(2, scope)) + b''.join(sub(1, r) for r in self.resources) + sub(2, self.dictionary())


def everything():
    b = Bakery()
    thread = [b.attribute('thread.name', sub(1, 'north')), b.attribute('thread.id', num(3, 71)), b.attribute('size', num(3, 128), 'By')]
    b.attribute('trays', sub(5, sub(1, num(3, 1)) + sub(1, sub(1, 'two'))))
    b.links.append(sub(1, bytes(range(16))) + sub(2, bytes(range(8))))
    kernel = b.attribute('profile.frame.type', sub(1, 'kernel'))
    b.functions.append(message((1, b.text('copy_page')), (2, b.text('copy_page'))))
    b.locations.append(message((2, 0xffffffff81000000), (3, message((1, 4))), (4, [kernel])))
    b.locations.append(message((1, 1), (2, 0x401100), (3, message((1, 3), (2, 33), (3, 5))), (3, message((1, 2), (2, 22)))))
    b.stacks += [packed(1, [4, 2, 1]), packed(1, [5, 1])]
    b.samples += [message((1, 4), (2, thread), (3, 1), (4, [7])), message((1, 5), (2, thread[:2]), (4, [5])), message((4, [2]))]
    b.samples = [s + fixed(5, START + 7 * 10 ** 6 * i) for i, s in enumerate(b.samples)]
    b.profile = (fixed(3, START) + num(4, 10 ** 9) + sub(5, message((1, b.text('cpu')), (2, b.text('nanoseconds')))) + num(6, 10000000) + sub(7, bytes(range(1, 17)))
                 + packed(11, [len(b.attributes) - 2]))
    times = [message((1, s)) + sub(5, b''.join((START + 10 ** 6 * (s * 10 + i)).to_bytes(8, 'little') for i in range(s))) for s in (1, 2, 3)]
    b.profiles.append(b.profile_of(times, 'samples', 'count', fixed(3, START) + num(4, 10 ** 9)))
    other = b.profile_of([message((1, 3), (4, [11, 4])) + sub(5, b''.join((START + n).to_bytes(8, 'little') for n in (5, 3)))], 'cpu', 'nanoseconds', fixed(3, START) + num(4, 10 ** 9))
    b.resources.append(sub(1, sub(1, sub(1, 'service.name') + sub(2, sub(1, 'shop')))) + sub(2, sub(2, other)))
    return b.bytes()


def as_json(values):
    table = [{}] + [{'mappingIndex': 0, 'lines': [{'functionIndex': i, 'line': str(10 * i)}]} for i in (1, 2)]
    return {'resourceProfiles': [{'scopeProfiles': [{'profiles': [{'sampleType': {'typeStrindex': 1, 'unitStrindex': 2},
                'samples': [{'stackIndex': i + 1, 'values': [v]} for i, v in enumerate(values)]}]}]}],
                 'dictionary': {'mappingTable': [{}], 'locationTable': table, 'functionTable': [{}, {'nameStrindex': 3}, {'nameStrindex': 4}], 'linkTable': [{}],
                                'stringTable': ['', 'cpu', 'nanoseconds', 'main', 'mix "dough"'], 'attributeTable': [{}],
                                'stackTable': [{}, {'locationIndices': [1]}, {'locationIndices': [2, 1]}]}}


def cases():
    def case(change):
        b = Bakery()
        change(b)
        return b.bytes()

    def put(attribute, value):
        return lambda b: setattr(b, attribute, value)

    def add(attribute, value):
        return lambda b: getattr(b, attribute).append(value)
    plain = Bakery().bytes()
    yield 'empty', b''
    yield 'varint', case(put('profile', num(6, 1)[:-1] + b'\xff' * 11))
    yield 'varint-overflow', case(put('profile', b'\x30' + b'\xff' * 9 + b'\x7f'))
    yield 'cut', plain[:-30]
    yield 'wire', case(put('profile', b'\x07\x00'))
    yield 'wire-group', case(put('profile', b'\x63\x64'))
    yield 'wire-type', case(put('profile', num(2, 5)))
    yield 'unknown-field', case(put('profile', num(90, 5)))
    yield 'utf8', plain.replace(sub(5, 'mix'), sub(5, b'm\xffx'))
    yield 'dictionary', plain[:plain.index(sub(2, Bakery().dictionary()))]
    yield 'zero', case(lambda b: b.strings.__setitem__(0, 'x'))
    yield 'table-missing', case(put('links', []))
    yield 'index', case(add('stacks', packed(1, [77])))
    yield 'location-zero', case(add('stacks', packed(1, [1, 0])))
    yield 'attribute-zero', case(add('samples', num(1, 1) + sub(2, b'\0') + packed(4, [1])))
    yield 'function-empty', case(add('functions', num(4, 4)))
    yield 'duplicate', case(add('strings', 'mix'))
    yield 'sample-empty', case(add('samples', num(1, 1)))
    yield 'sample-count', case(add('samples', num(1, 1) + packed(4, [1, 2]) + fixed(5, START)))
    yield 'sample-values', case(add('samples', num(1, 1) + packed(4, [1, 2])))
    yield 'sample-shapes', case(add('samples', num(1, 1) + fixed(5, START)))
    yield 'time', case(lambda b: (put('profile', fixed(3, START) + num(4, 1000))(b), put('samples', [num(1, 1) + fixed(5, START + 1000)])(b)))
    yield 'sample-type', case(put('type', (0, 0)))
    yield 'sample-type-units', case(lambda b: b.profiles.append(b.profile_of([message((1, 1), (4, [5]))], 'cpu', 'milliseconds')))
    yield 'no-profiles', sub(2, Bakery().dictionary())
    yield 'attribute-key', case(lambda b: b.samples.append(message((1, 1), (2, [b.attribute('k', sub(1, 'a')), b.attribute('k', sub(1, 'b'))]), (4, [1]))))
    yield 'key-both', case(lambda b: setattr(b, 'resource', sub(1, sub(1, 'oven') + sub(2, num(3, 1)) + num(3, b.text('oven')))))
    yield 'value-both', case(lambda b: b.attribute('k', sub(1, 'a') + num(3, 1)))
    yield 'id-length', case(put('profile', sub(7, b'123')))
    yield 'id-zero', case(put('profile', sub(7, bytes(16))))
    yield 'payload', case(put('profile', sub(9, 'jfr')))
    yield 'mapping-range', case(lambda b: b.mappings.append(message((1, 9), (2, 5), (4, b.text('/bakery/lib')))))
    yield 'line-number', case(add('locations', message((3, message((1, 1), (2, -5))))))


root = os.path.join(sys.argv[1], 'formats', 'otlp')
for folder in ('good', 'bad'):
    os.makedirs(os.path.join(root, folder), exist_ok=True)
files = {'bad/otlp-' + rule + '.otlp': data for rule, data in cases()}
files['good/all.otlp'] = everything()
lines = [as_json(['5', 7]), as_json([1, '9007199254740993'])]
files['good/lines.otlp.jsonl'] = ''.join(json.dumps(line) + '\n' for line in lines).encode()
wrong = copy.deepcopy(lines[0])
wrong['resourceProfiles'][0]['scopeProfiles'][0]['profiles'][0]['samples'][0]['values'] = [1.5]
files['bad/otlp-json.otlp.json'] = json.dumps(wrong).encode()
wrong = copy.deepcopy(lines[0])
wrong['resourceProfiles'][0]['scopeProfiles'][0]['profiles'][0]['samples'].append({'stack_index': 1, 'values': ['1']})
files['bad/otlp-json-name.otlp.json'] = json.dumps(wrong).encode()
# For transcripts: all of it, the original inside, and what claims more than there is.
inside = Bakery()
with open(os.path.join(sys.argv[1], 'cli', 'data', 'bakery.pb.gz'), 'rb') as f:
    inside.profile = sub(9, 'pprof') + sub(10, f.read())
files['../../cli/data/bakery.otlp'] = everything()
# Its first two bytes are a newline and a brace, and it is no JSON.
brace = Bakery()
brace.samples = brace.samples[:1]
brace.resource = sub(1, sub(1, 'k') + sub(2, sub(1, 'v' * 81)))
files['../../cli/data/brace.otlp'] = brace.bytes()
assert files['../../cli/data/brace.otlp'].startswith(b'\n{')
files['../../cli/data/inside.otlp'] = inside.bytes()
files['../../cli/data/claims.otlp'] = b'\x12' + varint(1 << 40) + Bakery().dictionary()
for name, data in files.items():
    with open(os.path.join(root, name), 'wb') as f:
        f.write(data)
