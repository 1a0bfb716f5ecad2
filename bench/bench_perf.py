"""perf script text of a long recording: its costliest functions, and its stacks.

stackcollapse-perf.pl and inferno-collapse-perf are run when they are on PATH, and a plain script in
Python always.
"""
import os
import sys

TITLE = 'perf script'
HERE = os.path.dirname(os.path.abspath(__file__))


def run(bench):
    size, polyprof = bench.size(500), bench.polyprof
    for repeat, what in ((90, 'few distinct stacks'), (0, 'every stack another one')):
        path = bench.made(f'made-{size:.0f}-{repeat}.perf.txt', [bench.compiled('gen_perf.c'), str(size), str(repeat)])
        bytes_ = os.path.getsize(path)
        best = bench.table(f'The costliest functions of {bytes_ / 1e6:.0f} MB, {what}',
                           [('polyprof top -j1', [polyprof, 'top', '-j1', path])], bytes_)
        print(f'    {bytes_ / 1e6 / best.cpu:.0f} MB per second of processor time')
        bench.table('Its stacks, folded', [
            ('polyprof convert -j1', [polyprof, 'convert', '-q', '-j1', '--to', 'folded', '-o', '-', path]),
            ('stackcollapse-perf.pl', ['stackcollapse-perf.pl', path]),
            ('inferno-collapse-perf', ['inferno-collapse-perf', path]),
            ('a plain script (Python)', [sys.executable, os.path.join(HERE, 'collapse_perf.py'), path])], bytes_)
