"""Folded stacks: the costliest functions, the canonical form, and what others do with the same file."""
import os

TITLE = 'Folded stacks'


def run(bench):
    size = bench.size(560)
    generator = bench.compiled('gen_folded.c')
    bare = bench.compiled('bare_tree.c')
    unique = bench.made(f'unique-{size:g}.folded', [generator, str(size), '0'])
    repeats = bench.made(f'repeats-{size:g}.folded', [generator, str(size), '90'])
    bytes_unique, bytes_repeats = os.path.getsize(unique), os.path.getsize(repeats)
    polyprof = bench.polyprof

    bench.table(f'Costliest functions of {bytes_unique / 1e6:.0f} MB, every stack once', [
        ('polyprof top -j1', [polyprof, 'top', '-j1', unique]),
        ('polyprof top', [polyprof, 'top', unique]),
        ('a bare tree builder in C, one thread', [bare, unique]),
        ('flamegraph.pl (draws)', ['flamegraph.pl', unique]),
        ('inferno-flamegraph (draws)', ['inferno-flamegraph', unique]),
    ], bytes_unique)
    bench.table(f'Costliest functions of {bytes_repeats / 1e6:.0f} MB, nine lines of ten repeated', [
        ('polyprof top -j1', [polyprof, 'top', '-j1', repeats]),
        ('polyprof top', [polyprof, 'top', repeats]),
        ('a bare tree builder in C, one thread', [bare, repeats]),
    ], bytes_repeats)
    for title, path, count in (('every stack once', unique, bytes_unique), ('repeats', repeats, bytes_repeats)):
        bench.table(f'Equal stacks added, sorted by bytes ({title})', [
            ('polyprof convert --to folded', [polyprof, 'convert', path, '--to', 'folded', '-o', '/dev/null']),
            ('LC_ALL=C sort (does not add)', ['env', 'LC_ALL=C', 'sort', path]),
        ], count)
