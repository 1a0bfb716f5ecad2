#!/usr/bin/env python3
"""Folded stacks against the list of cases and against a slow model: cases.py POLYPROF [CORPUS]

folded/expectations.json names for each case the canonical form, the totals and the refused lines. Then
files made of awkward pieces are compared with the model below, read in every way: alone, by two
threads, from a pipe, compressed, and through the tree instead of the direct way. CORPUS may name a
directory with another expectations.json, which is then checked too. Speaks TAP.
"""
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

HERE = os.path.dirname(os.path.abspath(__file__))
BLANKS = b' \t\x0b\x0c\r'
LARGEST = (1 << 64) - 1
FORMATS = {'folded': 'folded', 'diff': 'diff-folded'}
PIECES = [b'main', b'a', b'a-b', b'b', b'', b' ', b';', b';', b'\t', b' 1', b' 22', b' 0', b'7', b'+5', b'-1',
          b'1.5', b'18446744073709551615', b'18446744073709551616', b'\r', b'\xff', b'\xe9', b'\x00', b'\x0b',
          b'\xc3\xa9', b'\xef\xbb\xbf', b'# x', b'foo bar', b'00012', b'\xd9\xa3', b'_[k]', b'x' * 70]


def model(data, counts):
    """The canonical form, the totals and the refused lines."""
    data = data.removeprefix(b'\xef\xbb\xbf')
    number = b'[' + BLANKS + b']+([0-9]+)'
    record = re.compile(b'(.*[^' + BLANKS + b'])' + number * counts, re.S)
    sums, refused = {}, []
    for at, line in enumerate(data.split(b'\n'), 1):
        line = line.strip(BLANKS)
        if not line:
            continue
        match = record.fullmatch(line)
        values = [int(v) for v in match.groups()[1:]] if match else []
        added = [a + b for a, b in zip(sums.get(match[1], [0] * counts), values)] if match else []
        if not match or max(values) > LARGEST or max(added) > LARGEST:
            refused.append(at)
        else:
            sums[match[1]] = added
    text = b''.join(stack + b''.join(b' %d' % v for v in values) + b'\n' for stack, values in sorted(sums.items()))
    return text, [sum(v[k] for v in sums.values()) for k in range(counts)], refused


class Checker:
    def __init__(self, polyprof):
        self.polyprof = polyprof
        self.tap = Tap()

    def run(self, *args, data=None):
        return subprocess.run([self.polyprof, *args], input=data, capture_output=True, timeout=120)

    def convert(self, path, kind, *args, data=None):
        return self.run('convert', path, '--to', kind, '-o', '-', '-q', *args, data=data)

    def facts(self, path, *args):
        """Format, verdict, refused lines and totals as the commands give them."""
        check = json.loads(self.run('check', '--json', path, *args).stdout)['files'][0]
        info = json.loads(self.run('info', '--json', path, *args).stdout)
        refused = [d['line'] for d in check['diagnostics'] if d['severity'] == 'error']
        return check['format'], check['verdict'], refused, [m['total'] for m in info['metrics']]

    def case(self, base, case):
        kind, expect = FORMATS[case['format']], case['expect']
        path = os.path.join(base, case['file'])
        args = ['--from', kind] if '--format' in case['args'] else []
        with (gzip.open if expect['canonical'].endswith('.gz') else open)(
                os.path.join(base, expect['canonical']), 'rb') as file:
            canonical = file.read()
        done = self.convert(path, kind, *args)
        verdict = 'reject' if expect['strict'] == 'error' else 'accept'
        facts = self.facts(path, *args)
        wanted = (kind, verdict, expect['rejected_lines'], expect['totals'])
        self.tap.ok(done.stdout == canonical and facts == wanted, f"{case['id']}: {case['point']}",
                    f'{facts}\n{wanted}\n{done.stdout[:300]!r}\n{canonical[:300]!r}')

    def cases(self, base):
        with open(os.path.join(base, 'expectations.json')) as file:
            for case in json.load(file)['read']:
                self.case(base, case)

    def awkward(self, directory, seed):
        chance = random.Random(seed)
        counts = 1 + seed % 2
        kind = list(FORMATS.values())[counts - 1]
        data = b'\n'.join(b''.join(chance.choices(PIECES, k=chance.randrange(9))) +
                          b''.join(chance.choice((b' ', b'\t', b'  ')) + b'%d' % chance.randrange(100)
                                   for _ in range(chance.choice((0, counts, counts, counts))))
                          for _ in range(chance.randrange(60)))
        if data[:2] in (b'\xff\xfe', b'\xfe\xff') or data[:2] == b'\x1f\x8b':
            return
        path = os.path.join(directory, 'x.diff.folded' if counts == 2 else 'x.folded')
        with open(path, 'wb') as file:
            file.write(data)
        with gzip.open(path + '.gz', 'wb') as file:
            file.write(data)
        canonical, totals, refused = model(data, counts)
        ways = {
            'directly': self.convert(path, kind),
            'through the tree': self.convert(path, kind, '-m', 'after' if counts == 2 else 'samples'),
            'from a pipe': self.convert('-', kind, '--from', kind, data=data),
            'compressed': self.convert(path + '.gz', kind),
        }
        got = self.facts(path)
        wrong = [way for way, done in ways.items() if done.stdout != canonical]
        self.tap.ok(not wrong and got[2:] == (refused, totals) and got[0] == kind, f'awkward file {seed}',
                    f'{wrong} {got} {(refused, totals)}\n{data!r}\n{canonical!r}\n'
                    f'{[ways[way].stdout for way in wrong]!r}')


def main():
    checker = Checker(sys.argv[1])
    checker.cases(HERE)
    corpus = sys.argv[2] if len(sys.argv) > 2 else ''
    if os.path.isfile(os.path.join(corpus, 'expectations.json')):
        checker.cases(corpus)
    with tempfile.TemporaryDirectory() as directory:
        for seed in range(80):
            checker.awkward(directory, seed)
    print(f'1..{checker.tap.run}')
    return 1 if checker.tap.failed else 0


sys.exit(main())
