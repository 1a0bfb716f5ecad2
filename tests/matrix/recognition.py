#!/usr/bin/env python3
"""What a file is taken for: recognition.py POLYPROF tests/formats ../shared/corpus

Every sample is its format under a name that says nothing. Lines that parse, however many, never outbid a first line that names another format
or that the format of the lines does not have. What `go tool pprof -raw` prints is a raw profile, made fresh where there is a go. Speaks TAP.
"""
import collections
import glob
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap, few  # noqa: E402 (needs the path above)

# Formats of lines, whose bids grow with them, and lines of each that they take for their own.
GROWS = {
    'perf-script': b'app 12 [001] 5.000001: 1000 cycles: \n\t          401000 f+0x10 (/bin/app)\n\t          402000 main+0x20 (/bin/app)\n\n',
    'dump gdb': b'Thread 2 (Thread 0x7f10 (LWP 212)):\n#0  0x0000000000401000 in f (a=1) at f.c:12\n#1  0x0000000000402000 in main () at m.c:3\n\n',
    'dump jstack': b'"w-1" #2 prio=5\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.mix(B.java:12)\n\tat a.B.run(B.java:9)\n\n',
    'dump goroutine': b'goroutine 7 [running]:\nmain.work(0x1)\n\t/src/main.go:12 +0x1d\n\n',
    'dtrace': b'\n              app`f+0x10\n              app`main+0x20\n               12\n',
    'bpftrace': b'@[\n    f+16\n    main+32\n]: 12\n',
    'austin': b'P1;T2;a.py:main:3;a.py:f:7 100\n',
    'folded': b'main;f 12\n',
    'callgrind': b'events: Ir\npositions: line\nfn=f\n1 12\n',
    'xhprof': b'"main()==>f": {"ct": 1, "wt": 2},\n',
}
# One grammar: a file is that member of the family which its lines need.
FAMILY = {'callgrind', 'cachegrind', 'xdebug'}
LEAST_NAMED = 128
MOST_CONTRADICTED = 24


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def content(path):
    with open(path, 'rb') as file:
        data = file.read()
    return gzip.decompress(data) if data[:2] == b'\x1f\x8b' and path.endswith('.gz') else data


class Recogniser:
    def __init__(self, polyprof, scratch):
        self.polyprof, self.path = polyprof, os.path.join(scratch, 'x')

    def bids(self, data):
        """The format chosen, or None, and the bids by format."""
        with open(self.path, 'wb') as file:
            file.write(data)
        text = run(self.polyprof, 'info', '--why', self.path).stdout.decode(errors='replace')
        bids = dict((name, int(bits)) for name, bits in re.findall(r'([a-z-]+): (-?\d+) bits', text))
        return next(iter(re.findall(r'([a-z-]+): \d+ bits, chosen', text)), None), bids

    def format(self, path):
        """Of a file as it is, by `check`, which also answers when nothing can be used."""
        try:
            return json.loads(run(self.polyprof, 'check', '--json', path).stdout)['files'][0].get('format')
        except (ValueError, KeyError, IndexError):
            return None


def text_samples(directory):
    for path in sorted(glob.glob(directory + '/*/good/*')):
        if os.path.isdir(path):
            continue
        try:
            data = content(path)
        except OSError:
            continue
        if data and b'\0' not in data[:4096] and data[:1] not in b'{[' and not path.endswith('.zst'):
            yield path, data


def first_lines_win(tap, recogniser, samples):
    """A file that names its format keeps it with any number of lines of others behind."""
    named = collections.OrderedDict()
    for path, data in text_samples(samples):
        head = b''.join(data.splitlines(True)[:30])
        chosen, bids = recogniser.bids(head)
        if chosen and bids[chosen] >= LEAST_NAMED:
            named.setdefault((chosen, head.split(b'\n')[0][:6]), (path, head))
    tap.ok(len({key[0] for key in named}) >= 10, 'ten formats of text name themselves in their first lines', sorted(named))
    for (chosen, _), (path, head) in named.items():
        wrong = []
        for name, lines in GROWS.items():
            got, bids = recogniser.bids(head + b'\n' + lines * 400)
            if got != chosen and not {got, chosen} <= FAMILY:
                wrong.append((name, got, {k: v for k, v in bids.items() if v > 0}))
        tap.ok(not wrong, f'{os.path.basename(path)} is {chosen}, whatever lines follow', wrong)


def growth_ends(tap, recogniser):
    """Lines alone never reach what a first line is worth; behind one that they contradict they are worth little."""
    for name, lines in GROWS.items():
        fmt = name.split()[0]
        body = b'{' + lines * 400 + b'"main()": {"ct": 1, "wt": 3}}' if fmt == 'xhprof' else lines * 400
        chosen, bids = recogniser.bids(body)
        own = fmt in ('callgrind',) or name in ('dump goroutine',)
        tap.ok(chosen == fmt and (own or bids[fmt] < LEAST_NAMED), f'{name}: lines alone are recognised, below a name', bids)
    chosen, bids = recogniser.bids(b'Comment: of nobody here\n' + GROWS['perf-script'] * 400)
    tap.ok(bids['perf-script'] <= MOST_CONTRADICTED, 'perf-script: a first line that is not of perf script counts', bids)
    chosen, bids = recogniser.bids(b'Warning: 3 lost\n' + GROWS['perf-script'] * 400)
    tap.ok(chosen == 'perf-script' and bids[chosen] > MOST_CONTRADICTED, 'perf-script: its own messages may come first', bids)


def raw_profiles(tap, recogniser, corpus, scratch):
    stored = [path for path in sorted(glob.glob(corpus + '/pprof/*/*')) if path.endswith(('.raw.txt', '.string')) and content(path).startswith(b'Period')]
    wrong = [(os.path.basename(path), got) for path in stored for got in [recogniser.format(path)] if got != 'dump']
    tap.ok(len(stored) > 60 and not wrong, f'{len(stored)} raw profiles of the corpus are raw profiles', wrong)
    made, wrong = 0, []
    for path in few(sorted(glob.glob(corpus + '/pprof/real/*') + glob.glob(corpus + '/pprof/cases/*')), 60):
        try:
            done = run('go', 'tool', 'pprof', '-raw', '-symbolize=none', path)
        except OSError:
            tap.skip('raw profiles made fresh', 'there is no go')
            return
        if done.returncode or not done.stdout.startswith((b'Period', b'Comment')):
            continue
        made += 1
        out = os.path.join(scratch, 'raw')
        with open(out, 'wb') as file:
            file.write(done.stdout)
        got = recogniser.format(out)
        if got != 'dump':
            wrong.append((os.path.basename(path), got))
    tap.ok(made > 20 and not wrong, f'{made} raw profiles made fresh are raw profiles', wrong or made)


def main():
    polyprof, samples, corpus = sys.argv[1:4]
    tap = Tap()
    with tempfile.TemporaryDirectory() as scratch:
        recogniser = Recogniser(polyprof, scratch)
        first_lines_win(tap, recogniser, samples)
        growth_ends(tap, recogniser)
        raw_profiles(tap, recogniser, corpus, scratch)
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
