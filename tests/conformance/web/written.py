#!/usr/bin/env python3
"""What viewers need of a file: written.py POLYPROF SAMPLES CORPUS. Speaks TAP.

Small samples of every format as each of the JSON formats, held against the checker of the corpus: what viewers refuse, misdraw or need.
"""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

FORMATS = {'speedscope': 'speedscope.json', 'cpuprofile': 'cpuprofile', 'heapprofile': 'heapprofile', 'trace-event': 'json', 'firefox': 'json'}
MOST, EACH, WRITTEN = 12000, 2, 400000
PACKED = ('gz', 'zst', 'bz2', 'xz')


def samples(folder):
    """Small ones of each format that say anything. What is packed may be very deep, which the checker cannot read."""
    for name in sorted(os.listdir(folder)):
        good = os.path.join(folder, name, 'good')
        files = [os.path.join(good, f) for f in sorted(os.listdir(good))] if os.path.isdir(good) else []
        sized = sorted((os.path.getsize(f), f) for f in files if os.path.isfile(f) and not f.endswith(PACKED))
        fit = [f for size, f in sized if 200 < size < MOST]
        yield from fit[:EACH - 1] + fit[EACH - 1:][-1:]


def main():
    polyprof, folder, corpus = sys.argv[1:4]
    tap = Tap()
    if not os.path.isdir(os.path.join(corpus, 'web')):
        tap.skip('what viewers need', 'the checker is not there')
        return tap.done()
    sys.path.insert(0, os.path.join(corpus, 'web'))
    import webcheck
    wrong, written, refused = [], dict.fromkeys(FORMATS, 0), 0
    with tempfile.TemporaryDirectory() as room:
        for path in samples(folder):
            for to, ending in FORMATS.items():
                out = os.path.join(room, 'written.' + ending)
                done = subprocess.run([polyprof, 'convert', '-q', '--to', to, '-o', out, path], capture_output=True, timeout=60)
                if done.returncode or os.path.getsize(out) > WRITTEN:
                    refused += 1
                    continue
                written[to] += 1
                problems = webcheck.problems(out)
                if problems:
                    wrong.append(f'{os.path.relpath(path, folder)} as {to}: {problems[:3]}')
    tap.ok(not wrong, f'{sum(written.values())} files that viewers open', '\n'.join(wrong))
    tap.ok(all(n > 15 for n in written.values()), 'of each format', f'{written}, {refused} refused')
    return tap.done()


sys.exit(main())
