#!/usr/bin/env python3
"""What is known of addresses: cases.py POLYPROF tests/conformance/symbols

spin.perf.data is a recording of `spin` (gcc -g -O2 -static -nostdlib spin.c) by `perf record -e cpu-clock:u --call-graph dwarf`,
spin.script.txt what `perf script -F +srcline` says of it. Stacks, inlined functions and lines must be perf's. Speaks TAP.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)


class Asker:
    def __init__(self, polyprof, own):
        self.polyprof, self.own = polyprof, own
        self.recording = os.path.join(own, 'spin.perf.data')

    def run(self, *words):
        return subprocess.run([self.polyprof, *words], capture_output=True, timeout=60, text=True, check=False)

    def stacks(self, root, *words):
        """Of each stack its frames from the leaf on (name, line, inlined), and how many samples have it."""
        done = self.run('convert', '-q', '--to', 'spaa', '-o', '-', self.recording, '--option', 'symfs=' + root, *words)
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
        tap.ok('built without libdw' in done.stderr, 'who cannot know source lines says how to')
        tap.skip('source lines', 'built without libdw')
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
    return tap.done()


sys.exit(main())
