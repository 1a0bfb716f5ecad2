"""Xdebug profiles: the costliest functions, exact stacks, and what others do with the same file."""
import os

TITLE = 'Xdebug profiles'


def run(bench):
    size = bench.size(1150)
    generator = bench.compiled('gen_xdebug.c')
    large = bench.made(f'cachegrind.out.large-{size:g}', [generator, str(size)])
    small = bench.made('cachegrind.out.small-20', [generator, '20'])
    polyprof = bench.polyprof
    for path in (large, small):
        count = os.path.getsize(path)
        rows = [
            ('polyprof top -j1', [polyprof, 'top', '-j1', path]),
            ('polyprof top', [polyprof, 'top', path]),
            ('wc -l (only counts lines)', ['wc', '-l', path]),
            ("grep -c '^fn=' (only counts calls)", ['grep', '-c', '^fn=', path]),
        ]
        if path == small:
            rows += [('callgrind_annotate', ['callgrind_annotate', '--threshold=100', path]),
                     ('gprof2dot', ['gprof2dot', '-f', 'callgrind', path])]
        bench.table(f'Costliest functions of {count / 1e6:.0f} MB', rows, count)
        bench.table(f'Exact stacks of {count / 1e6:.0f} MB', [
            ('polyprof convert --to folded', [polyprof, 'convert', '-q', path, '--to', 'folded', '-o', '/dev/null']),
        ], count)
