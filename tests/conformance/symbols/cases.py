#!/usr/bin/env python3
"""What is known of addresses: cases.py POLYPROF tests/conformance/symbols

spin.perf.data is a recording of `spin` (gcc -g -O2 -static -nostdlib spin.c) by `perf record -e cpu-clock:u --call-graph dwarf`,
spin.script.txt what `perf script -F +srcline` says of it. Stacks, inlined functions and lines must be perf's. Speaks TAP.
"""
import collections
import gzip
import json
import lzma
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)
sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'perf'))
import make  # noqa: E402 (stands in that directory)


class Asker:
    def __init__(self, polyprof, own):
        self.polyprof, self.own = polyprof, own
        self.recording = os.path.join(own, 'spin.perf.data')

    def run(self, *words):
        return subprocess.run([self.polyprof, *words], capture_output=True, timeout=60, text=True, check=False)

    def stacks(self, root, *words):
        """Of each stack its frames from the leaf on (name, line, inlined), and how many samples have it."""
        words = [*(['--option', 'symfs=' + root] if root else []), *words]
        done = self.run('convert', '-q', '--to', 'spaa', '-o', '-', self.recording, *words)
        frames, found = {}, collections.Counter()
        for record in map(json.loads, done.stdout.splitlines()):
            if record['type'] == 'frame':
                line = re.sub(r'.*/([^/:]+:[0-9]+)(:[0-9]+)?$', r'\1', record.get('srcline', ''))
                frames[record['id']] = (record['func'], line, record.get('inlined', False))
            elif record['type'] == 'stack':
                count = [w['value'] for w in record['weights'] if w['metric'] == 'samples']
                found[tuple(frames[one] for one in record['frames'])] += count[0]
        return found


def perf_says(path, inlined):
    """The same out of perf's text."""
    found, stack = collections.Counter(), []
    with open(path, encoding='utf-8') as text:
        for line in [*text, '\n']:
            frame = re.match(r'\t *[0-9a-f]+ (.*?)(\+0x[0-9a-f]+)?( \(\S+\))?$', line)
            place = re.match(r'  (\S+:[0-9]+)( \(inlined\))?$', line)
            if frame:
                stack.append((frame[1], '', False))
            elif place:
                stack[-1] = (stack[-1][0], '' if place[1].startswith('??') else place[1], bool(place[2]))
            elif not line.strip() and stack:
                found[tuple(stack)] += 1
                stack = []
    if inlined:
        return found
    outer = collections.Counter()
    for stack, count in found.items():
        # Without those that are inlined, the line of an address is the innermost one's.
        kept, line = [], None
        for name, place, within in stack:
            line = place if line is None else line
            if not within:
                kept.append((name, line, False))
                line = None
        outer[tuple(kept)] += count
    return outer


def names_only(stacks):
    found = collections.Counter()
    for stack, count in stacks.items():
        found[tuple(frame[0] for frame in stack)] += count
    return found


def put(root, path, source):
    os.makedirs(os.path.dirname(root + path), exist_ok=True)
    shutil.copy(source, root + path)


def recorded(tap, ask, root, has_lines):
    """A recording that perf made, beside perf's own words."""
    said = os.path.join(ask.own, 'spin.script.txt')
    wanted = perf_says(said, False)
    put(root, '/srv/small/spin', os.path.join(ask.own, 'spin'))
    tap.same(names_only(ask.stacks(root)), names_only(wanted), 'copied stacks are unwound as perf does')
    if not has_lines:
        done = ask.run('lines', ask.recording, '--option', 'symfs=' + root)
        tap.ok('no libdw' in done.stderr, 'who cannot know source lines says how to')
        tap.skip('source lines', 'no libdw')
        return
    tap.same(ask.stacks(root), wanted, 'source lines as perf has them')
    tap.same(ask.stacks(root, '--inline'), perf_says(said, True), 'inlined functions as perf has them')
    tap.same(ask.stacks(root, '--option', 'inline=yes'), perf_says(said, True), 'the same by an option')
    done = ask.run('lines', ask.recording, '--json', '--option', 'symfs=' + root)
    rows = {f"{os.path.basename(row['file'])}:{row['line']}": row['cost']['period'] for row in json.loads(done.stdout)['lines']}
    own = collections.Counter()
    for stack, count in wanted.items():
        own[stack[0][1]] += count * 666666
    tap.same(rows, dict(own), 'what lines cost')
    copies(tap, ask, root, rows)


def copies(tap, ask, root, rows):
    """Functions are the same whether lines are looked up or not; and lines are, in formats that have a place for them."""
    symfs = ('--option', 'symfs=' + root)
    for question in (['top', '-n', '0'], ['callers', 'work'], ['tree']):
        answers = []
        for words in ([ask.recording, *symfs], [root + '/copy.spaa']):
            ask.run('convert', '-q', ask.recording, *symfs, '-o', root + '/copy.spaa')
            answer = json.loads(ask.run(*question, '--json', *words).stdout)
            answer.pop('format', None)
            answers.append(answer)
        tap.same(answers[1], answers[0], f'{question[0]} of a copy as SPAA')
    told = [row for row in answers[0]['root']['children'] if 'file' in row]
    tap.ok(not told, 'where a function begins is not told by who looks lines up', told)
    for target in ('callgrind', 'cachegrind', 'pprof'):
        ask.run('convert', '-q', ask.recording, *symfs, '--to', target, '-o', root + '/copy')
        found = json.loads(ask.run('lines', '--json', root + '/copy').stdout)['lines']
        tap.same({f"{os.path.basename(row['file'])}:{row['line']}": row['cost']['period'] for row in found}, rows,
                 f'what lines cost, as {target}')


def info(ask, root, recording=None):
    """Of each module what came of looking for its symbols."""
    done = ask.run('info', '--json', recording or ask.recording, '--option', 'symfs=' + root)
    return {one['module']: one for one in json.loads(done.stdout)['meta']['symbols']}


def verdicts(tap, ask, root, has_lines):
    """Which file gave the names, or why none did."""
    whole, path = os.path.join(ask.own, 'spin'), '/srv/small/spin'
    lines = 'yes' if has_lines else 'no libdw'
    tap.same(info(ask, root)[path], {'module': path, 'names': 'found', 'file': path, 'lines': lines}, 'verdict: found')
    if not shutil.which('objcopy'):
        tap.skip('verdicts of other files', 'objcopy is not installed')
        return
    subprocess.run(['objcopy', '--strip-all', whole, root + path], check=True)
    tap.same(info(ask, root)[path], {'module': path, 'names': 'none in it', 'file': path}, 'verdict: stripped')
    debug = '/usr/lib/debug/.build-id/' + build_id(whole)
    os.makedirs(os.path.dirname(root + debug), exist_ok=True)
    subprocess.run(['objcopy', '--only-keep-debug', whole, root + debug], check=True)
    tap.same(info(ask, root)[path], {'module': path, 'names': 'found', 'file': debug, 'lines': lines}, 'verdict: a debug file')
    if has_lines:
        tap.same(ask.stacks(root), perf_says(os.path.join(ask.own, 'spin.script.txt'), False), 'lines of a debug file')
        subprocess.run(['objcopy', '--compress-debug-sections', root + debug], check=True)
        tap.same(ask.stacks(root), perf_says(os.path.join(ask.own, 'spin.script.txt'), False), 'lines that are packed')
    os.remove(root + debug)
    packed_names(tap, ask, root, whole)
    with open(whole, 'rb') as file:
        other = bytearray(file.read())
    at = other.index(bytes.fromhex(build_id(whole).replace('/', '').removesuffix('.debug')))
    other[at] ^= 1
    with open(root + path, 'wb') as out:
        out.write(other)
    tap.same(info(ask, root)[path], {'module': path, 'names': 'other build', 'file': path}, 'verdict: another build')
    tap.ok(not any('work' in str(stack) for stack in ask.stacks(root)), 'another build is not used')
    os.remove(root + path)
    tap.same(info(ask, root)[path], {'module': path, 'names': 'not found'}, 'verdict: not found')


def packed_names(tap, ask, root, whole):
    """Symbols that a stripped binary has packed into itself."""
    path, small = '/srv/small/spin', root + '/small'
    subprocess.run(['objcopy', '--strip-debug', whole, small], check=True)
    for name, content in (('good', lzma.compress(open(small, 'rb').read())), ('damaged', b'\xfd7zXZ\0rest')):
        with open(root + '/packed', 'wb') as out:
            out.write(content)
        subprocess.run(['objcopy', '--strip-all', '--add-section', f'.gnu_debugdata={root}/packed', whole, root + path], check=True)
        if 'xz' not in ask.run('--version').stdout:
            tap.skip('packed symbols', 'built without liblzma')
        elif name == 'good':
            tap.same(info(ask, root)[path]['names'], 'found, packed', 'verdict: packed symbols')
            wanted = names_only(perf_says(os.path.join(ask.own, 'spin.script.txt'), False))
            tap.same(names_only(ask.stacks(root)), wanted, 'names out of packed symbols')
        else:
            tap.same(info(ask, root)[path]['names'], 'none in it', 'damaged packed symbols')


def build_id(path):
    notes = subprocess.run(['readelf', '-n', path], capture_output=True, text=True, check=True).stdout
    found = re.search('Build ID: ([0-9a-f]+)', notes)[1]
    return f'{found[:2]}/{found[2:]}.debug'


def symbolize(tap, ask, root, has_lines):
    """A profile of addresses gets names and lines, of its own build only."""
    whole, path = os.path.join(ask.own, 'spin'), '/srv/small/spin'
    wanted = perf_says(os.path.join(ask.own, 'spin.script.txt'), False)
    bare, named = root + '/bare.spaa', root + '/named.spaa'
    put(root, path, whole)
    ask.run('convert', '-q', ask.recording, '--option', 'symfs=' + root, '--option', 'symbols=no', '-o', bare)
    os.remove(root + path)
    fine = Asker(ask.polyprof, ask.own)
    fine.recording = named

    def check(words, what):
        done = ask.run('symbolize', bare, '-o', named, *words)
        found = fine.stacks(None)
        tap.ok(not done.stderr and (found == wanted if has_lines else names_only(found) == names_only(wanted)), what)

    check(['--binary', whole], 'symbolize: a binary')
    put(root + '/archive', '/.build-id/' + build_id(whole), whole)
    check(['--debug-dir', root + '/archive'], 'symbolize: a directory by build id')
    put(root, path, whole)
    with open(whole, 'rb') as file:
        other = bytearray(file.read())
    other[other.index(bytes.fromhex(build_id(whole).replace('/', '').removesuffix('.debug')))] ^= 1
    with open(root + '/other', 'wb') as out:
        out.write(other)
    done = ask.run('symbolize', bare, '-o', named, '--binary', root + '/other')
    tap.ok('other build' in done.stderr and '[symbolize-missing]' in done.stderr and not any('work' in str(stack) for stack in fine.stacks(None)), 'symbolize: another build is not used')
    os.remove(root + path)
    ask.run('symbolize', '-q', ask.recording, '-o', named, '--binary', whole, '--option', 'symfs=' + root)
    leaves = collections.Counter(stack[0][0] for stack in names_only(fine.stacks(None)).elements())
    tap.same(dict(leaves), dict(collections.Counter(stack[0][0] for stack in names_only(wanted).elements())), 'symbolize: perf.data')


def mapped(tap, ask, root, has_lines):
    """pprof without names: where the program was mapped tells what an address is; functions that were inlined are there, too."""
    def number(n):
        return bytes([n]) if n < 128 else bytes([n & 127 | 128]) + number(n >> 7)

    def field(at, value):
        return number(at << 3) + number(value) if isinstance(value, int) else number(at << 3 | 2) + number(len(value)) + value

    whole, start = os.path.join(ask.own, 'spin'), 0x7f0000000000
    bare, named = root + '/bare.pb', root + '/named.pb'
    strings = [b'', b'samples', b'count', b'/nowhere/spin', build_id(whole).replace('/', '').removesuffix('.debug').encode()]
    places = {1: 0x1b0, 2: 0x221, 3: 0x24b}
    with open(bare, 'wb') as out:
        out.write(field(1, field(1, 1) + field(2, 2)) + field(2, field(1, bytes(places)) + field(2, 5)))
        out.write(field(3, field(1, 1) + field(2, start) + field(3, start + 0x1000) + field(5, 3) + field(6, 4)))
        out.write(b''.join(field(4, field(1, i) + field(2, 1) + field(3, start + at)) for i, at in places.items()))
        out.write(b''.join(field(6, text) for text in strings))
    done = ask.run('symbolize', bare, '-o', named, '--binary', whole)
    stack = json.loads(ask.run('traces', '--json', named).stdout)['traces'][0]['stack']
    tap.same(stack, ['run', 'descend', 'work'] + (['twice', 'mix'] if has_lines else []), 'symbolize: a mapped program, and what was inlined')
    tap.ok('symbolize' not in done.stderr, 'symbolize: nothing is missing')
    range_ = field(2, start) + field(3, start + 0x1000)
    tap.ok(range_ in gzip.open(named).read(), 'symbolize: it is still known where the program was mapped')
    ask.run('convert', '-q', bare, '-o', root + '/bare.otlp')
    ask.run('symbolize', '-q', root + '/bare.otlp', '-o', root + '/named.otlp', '--binary', whole)
    ask.run('convert', '-q', root + '/named.otlp', '-o', named)
    tap.same(json.loads(ask.run('traces', '--json', named).stdout)['traces'][0]['stack'], stack, 'symbolize: OTLP, and what was inlined')
    tap.ok(range_ in gzip.open(named).read(), 'symbolize: OTLP knows where the program was mapped')
    done = ask.run('symbolize', bare, '-o', named, '--binary', root + '/other')
    tap.ok('other build' in done.stderr, 'symbolize: of another build nothing is taken')


def jit(tap, ask, root):
    """A dump of a compiler: loads, a move, code that takes the place of other code, lines; by time where clocks agree."""
    code, base = b'\x90' * 0x20, 0x10000

    def record(kind, time, body):
        return struct.pack('<IIQ', kind, 16 + len(body), time) + body

    def load(time, address, number, name):
        return record(0, time, struct.pack('<IIQQQQ', 100, 100, address, address, len(code), number) + name + b'\0' + code)

    def lines(time, address, *places):
        return record(2, time, struct.pack('<QQ', address, len(places)) + b''.join(
            struct.pack('<QII', address + at, line, 0) + file + b'\0' for at, line, file in places))

    dump = struct.pack('<IIIIIIQQ', 0x4A695444, 1, 40, 62, 0, 100, 5, 0)
    dump += lines(9, base, (0, 10, b'/a.lang'), (8, 11, b'\xff')) + load(10, base, 1, b'first one') + load(11, base + 0x100, 2, b'_ZN3net4workEi')
    dump += load(30, base, 3, b'second') + record(1, 40, struct.pack('<IIQQQQQ', 100, 100, 0, base + 0x100, base + 0x200, len(code), 2))
    os.makedirs(root + '/tmp', exist_ok=True)
    with open(root + '/tmp/jit-100.dump', 'wb') as out:
        out.write(dump)
    path = os.path.join(root, 'jit.perf.data')
    for clock in (True, False):
        r = make.Recording()
        r.comm(100, 100, 'app', 0)
        r.mmap(100, 0x5000, 0x1000, 0, '/tmp/jit-100.dump', 1)
        r.mmap(100, base, 0x1000, base, '//anon', 2)
        for time, at in ((5, 4), (15, 4), (16, 9), (17, 0x104), (20, 0x30), (35, 4), (36, 0x104), (45, 0x204), (46, 0x104)):
            r.sample(100, 100, time, [make.MARK_USER, base + at], 1)
        attr = bytearray(r.attr(1, 0, 1))
        if clock:
            attr[43] |= 2  # use_clockid, monotonic
            attr[92] = 1
        with open(path, 'wb') as out:
            out.write(make.file_of(r, attrs=[(bytes(attr), 'cpu-clock')]))
        done = ask.run('top', '-n', '0', '--json', path, '--option', 'symfs=' + root)
        found = {row['name']: row['self']['samples'] for row in json.loads(done.stdout)['functions']}
        timely = {'[unknown]': 2, 'first one': 2, 'net::work': 4, 'second': 1}
        late = {'[unknown]': 1, 'net::work': 4, 'second': 4}
        tap.same(found, timely if clock else late, f'a dump of compiled functions, {"in time" if clock else "by another clock"}')
    done = ask.run('lines', '--json', path, '--option', 'symfs=' + root)
    tap.ok(done.returncode in (0, 3), 'lines of code that is gone')
    wrong = 0
    for n in range(0, len(dump), 11):
        bad = bytearray(dump[:len(dump) - n % 64])
        bad[n % len(bad)] ^= 1 << n % 8
        with open(root + '/tmp/jit-100.dump', 'wb') as out:
            out.write(bad)
        wrong += ask.run('top', path, '--option', 'symfs=' + root).returncode != 0
    tap.ok(not wrong, 'damaged dumps are survived')


def missing(tap, ask, root):
    os.remove(root + '/srv/small/spin')
    done = ask.run('top', ask.recording, '--option', 'symfs=' + root)
    tap.ok('[perf-stacks]' in done.stderr and '[perf-symbols]' in done.stderr, 'without the binary callers are missing, and that is said')


def main():
    polyprof, own = sys.argv[1:3]
    tap, ask = Tap(), Asker(polyprof, own)
    has_lines = 'libdw' in ask.run('--version').stdout
    with tempfile.TemporaryDirectory() as root:
        recorded(tap, ask, root, has_lines)
        missing(tap, ask, root)
        put(root, '/srv/small/spin', os.path.join(own, 'spin'))
        verdicts(tap, ask, root, has_lines)
        symbolize(tap, ask, root, has_lines)
        mapped(tap, ask, root, has_lines)
        jit(tap, ask, root)
    return tap.done()


sys.exit(main())
