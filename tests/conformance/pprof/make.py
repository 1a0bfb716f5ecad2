#!/usr/bin/env python3
"""The samples of tests/formats/pprof and tests/cli/data: make.py tests. A file for each rule, good ones, and what others get wrong."""
import gzip
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from wire import message, num, sub, varint  # noqa: E402 (needs the path above)


TEXTS = ['', 'samples', 'count', 'cpu', 'nanoseconds', 'bake', 'mix', 'main', '/bakery/oven.c', '/bakery/bin/oven', '5eed', 'tenant', 'north', 'size', 'bytes',
         'http://bakery.example/', 'a note']
S = {text: i for i, text in enumerate(TEXTS)}


class Bakery:
    """A small profile, part by part; what a case changes it changes here."""

    def __init__(self):
        self.types = [message((1, S['samples']), (2, S['count'])), message((1, S['cpu']), (2, S['nanoseconds']))]
        self.samples = [self.sample([2, 1], [3, 30]), self.sample([3, 2, 1], [2, 20])]
        self.mappings = [message((1, 1), (2, 0x1000), (3, 0x9000), (5, S['/bakery/bin/oven']), (6, S['5eed']), (7, 1))]
        self.locations = [self.location(i, i) for i in (1, 2, 3)]
        self.functions = [self.function(i + 1, name, 10 * i) for i, name in enumerate(('main', 'bake', 'mix'))]
        self.texts = [text.encode() for text in TEXTS]
        self.rest = b''

    @staticmethod
    def sample(stack, values, labels=b''):
        return sub(1, b''.join(map(varint, stack))) + sub(2, b''.join(map(varint, values))) + labels

    @staticmethod
    def location(number, function, mapping=1, address=None, line=5):
        return message((1, number), (2, mapping), (3, 0x1000 + 16 * number if address is None else address), (4, message((1, function), (2, line))))

    @staticmethod
    def function(number, name, line):
        return message((1, number), (2, S[name] if name else 0), (4, S['/bakery/oven.c']), (5, line))

    @staticmethod
    def label(key=0, text=0, number=0, unit=0):
        return sub(3, message((1, key), (2, text), (3, number), (4, unit)))

    def bytes(self):
        parts = ((1, self.types), (2, self.samples), (3, self.mappings), (4, self.locations), (5, self.functions), (6, self.texts))
        return b''.join(sub(field, part) for field, many in parts for part in many) + self.rest


def changed(change):
    b = Bakery()
    change(b)
    return b.bytes()


def with_rest(rest):
    return lambda b: setattr(b, 'rest', rest)


def labelled(*labels):
    return lambda b: b.samples.append(b.sample([1], [1, 10], b''.join(b.label(**label) for label in labels)))


def appended(part, item):
    return lambda b: getattr(b, part).append(item)


CASES = {
    'varint': with_rest(num(12, 1)[:1] + b'\xff' * 10 + b'\x01'),
    'varint-overflow': with_rest(varint(12 << 3) + b'\xff' * 9 + b'\x7f'),
    'cut': with_rest(varint(6 << 3 | 2) + varint(1 << 62)),
    'wire': with_rest(varint(20 << 3 | 6)),
    'wire-group': with_rest(varint(20 << 3 | 3) + num(1, 5) + varint(20 << 3 | 4)),
    'wire-type': with_rest(varint(12 << 3 | 1) + bytes(8)),
    'field-twice': with_rest(sub(11, message((1, 3), (2, 4))) * 2),
    'unknown-field': with_rest(num(99, 7)),
    'concatenated': lambda b: setattr(b, 'rest', num(9, 5) + Bakery().bytes() + num(9, 6)),
    'string-table': lambda b: b.texts.clear(),
    'string-zero': lambda b: b.texts.__setitem__(0, b'x'),
    'string-index': with_rest(num(14, 1 << 32)),
    'string-empty': appended('texts', b''),
    'utf8': lambda b: b.texts.__setitem__(S['mix'], b'm\xefx'),
    'sample-type-missing': lambda b: b.types.clear(),
    'no-metrics': lambda b: (b.types.clear(), b.samples.clear()),
    'sample-type-duplicate': lambda b: b.types.__setitem__(0, b.types[1]),
    'sample-type-name': lambda b: b.types.__setitem__(0, message((2, S['count']))),
    'default-type': with_rest(num(14, S['bake'])),
    'value-count': lambda b: b.samples.append(b.sample([1], [1])),
    'location-unknown': lambda b: b.samples.append(b.sample([9], [1, 1])),
    'location-id': lambda b: b.locations.append(b.locations[0]),
    'function-id': lambda b: b.functions.append(b.functions[0]),
    'mapping-id': lambda b: b.mappings.append(b.mappings[0]),
    'function-unknown': lambda b: b.locations.append(b.location(4, 9)),
    'mapping-unknown': lambda b: b.locations.append(b.location(4, 1, mapping=7)),
    'mapping-range': lambda b: b.mappings.append(message((1, 2), (2, 9), (3, 8))),
    'address-range': lambda b: b.locations.append(b.location(4, 1, address=7)),
    'line-number': lambda b: b.locations.append(b.location(4, 1, line=-1)),
    'function-name': lambda b: b.functions.append(b.function(4, '', 1)),
    'label-key': labelled({'text': S['north']}),
    'label-both': labelled({'key': S['tenant'], 'text': S['north'], 'number': 5}),
    'label-repeated': labelled({'key': S['tenant'], 'text': S['north']}, {'key': S['tenant'], 'number': 5}),
    'label-units': lambda b: (labelled({'key': S['size'], 'number': 5, 'unit': S['bytes']})(b), labelled({'key': S['size'], 'number': 5, 'unit': S['count']})(b)),
    'label-reserved': lambda b: (b.texts.append(b'pprof::base'), labelled({'key': len(TEXTS), 'text': S['north']})(b)),
    'time': with_rest(num(9, -5)),
    'doc-url': with_rest(num(15, S['bake'])),
    'frames-regex': lambda b: (b.texts.append(b'(mix'), with_rest(num(7, len(TEXTS)))(b)),
}


def all_of_it(b):
    """What a profile can have, once."""
    b.texts += [b'mix_inner', b'[kernel.kallsyms]_text']
    n = len(TEXTS)
    b.functions.append(message((1, 1 << 40), (2, n), (3, S['mix']), (4, S['/bakery/oven.c']), (5, 90)))
    b.mappings.append(message((1, 9), (2, 1 << 63), (3, (1 << 64) - 1), (4, 4096), (5, n + 1)))
    b.locations.append(message((1, (1 << 64) - 1), (2, 1), (3, 0x2000), (4, message((1, 1 << 40), (2, 91), (3, 7))), (4, message((1, 3), (2, 33))), (5, 1)))
    b.locations.append(message((1, 70000), (2, 9), (3, (1 << 63) + 5)))
    b.samples += [b.sample([(1 << 64) - 1, 1], [1, 10], b.label(S['tenant'], S['north']) + b.label(S['size'], 0, 0)),
                  b.sample([70000, 2, 1], [1, 10], b.label(S['size'], 0, 4096, S['bytes'])), b.sample([], [4, 40])]
    b.rest = num(9, 1700000000123456789) + num(10, 2500000000) + sub(11, message((1, S['cpu']), (2, S['nanoseconds']))) + num(12, 10) + \
        num(13, S['a note']) + num(14, S['samples']) + num(15, S['http://bakery.example/'])


def dropped(b):
    """What the file says to drop: mix goes, and its cost moves to bake."""
    b.texts += [b'mi.*', b'mixer']
    b.rest = num(7, len(TEXTS)) + num(8, len(TEXTS) + 1)


def milliseconds(b):
    """Another unit, and a sample that costs no time: google/pprof loses it when it merges this with another file."""
    b.texts += [b'milliseconds', b'rest']
    b.types[1] = message((1, S['cpu']), (2, len(TEXTS)))
    b.functions.append(message((1, 4), (2, len(TEXTS) + 1)))
    b.locations.append(b.location(4, 4))
    b.samples.append(b.sample([4, 1], [5, 0]))


def huge(b):
    """Sums beyond 64 bits."""
    b.samples = [b.sample([2, 1], [1, (1 << 63) - 1]) for _ in range(3)]


def write(path, data, packed=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'wb') as f:
        f.write(gzip.compress(data, 9, mtime=0) if packed else data)


if __name__ == '__main__':
    root, cli = os.path.join(sys.argv[1], 'formats/pprof'), os.path.join(sys.argv[1], 'cli/data')
    write(os.path.join(root, 'good/all.pb.gz'), changed(all_of_it), True)
    write(os.path.join(root, 'good/plain.pb'), Bakery().bytes())
    write(os.path.join(root, 'bad/pprof-empty.pb'), b'')
    for rule, case in CASES.items():
        write(os.path.join(root, 'bad', f'pprof-{rule}.pb'), changed(case))
    write(os.path.join(root, 'bad/pprof-legacy-line.txt'), b'goroutine profile: total 2\n2 @ 0x10 0x20\nnothing of the kind\n')
    write(os.path.join(cli, 'goroutines.txt'), b'goroutine profile: total 7\n5 @ 0x4031 0x4041\n#\t0x4030\tbakery.knead+0x18\tbakery/main.go:18\n'
          b'#\t0x4040\tmain.main+0x20\tbakery/main.go:9\n\n2 @\n')
    write(os.path.join(cli, 'bakery.pb.gz'), changed(all_of_it), True)
    write(os.path.join(cli, 'bakery.pb'), Bakery().bytes())
    write(os.path.join(cli, 'drop.pb'), changed(dropped))
    write(os.path.join(cli, 'ms.pb'), changed(milliseconds))
    write(os.path.join(cli, 'huge.pb'), changed(huge))
    write(os.path.join(cli, 'claims.pb'), Bakery().bytes()[:12] + varint(4 << 3 | 2) + varint(1 << 40) + bytes(700))
