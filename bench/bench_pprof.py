"""A large pprof profile of Go's shape, in gzip: its costliest functions, its tree, a picture, and written in other formats.

zcat shows what decompressing alone takes, a bare decoder what adding up takes without any check; google/pprof is run when `pprof` or `go` is on PATH.
"""
import os
import shutil

TITLE = 'pprof'


def google():
    return ['pprof'] if shutil.which('pprof') else ['go', 'tool', 'pprof']


def run(bench):
    polyprof, samples = bench.polyprof, int(bench.size(100) * 19000)
    generator = bench.compiled('gen_pprof.c')
    path = bench.made(f'made-{samples}.pb.gz', ['sh', '-c', f'{generator} {samples} | gzip -1'])
    bare = bench.compiled('bare_pprof.c', '-lz')
    bytes_ = os.path.getsize(path)
    bench.table(f'The costliest functions of {bytes_ / 1e6:.0f} MB', [
        ('polyprof top', [polyprof, 'top', path]), ('polyprof top, one thread', [polyprof, 'top', '-j1', path]),
        ('inflate and a bare decoder in C', [bare, path]), ('zcat', ['zcat', path]),
        ('pprof -top', google() + ['-top', '-symbolize=none', path])], bytes_)
    bench.table('Its tree, a picture, the difference from itself, other formats', [
        ('polyprof tree', [polyprof, 'tree', path]), ('polyprof flame', [polyprof, 'flame', '-o', '-', path]),
        ('polyprof diff', [polyprof, 'diff', path, path]),
        ('polyprof convert --to pprof', [polyprof, 'convert', '--to', 'pprof', '-o', '-', path]),
        ('polyprof convert --to folded', [polyprof, 'convert', '--to', 'folded', '-o', '-', path]),
        ('polyprof convert --to spaa', [polyprof, 'convert', '--to', 'spaa', '-o', '-', path]),
        ('pprof -proto', google() + ['-proto', '-symbolize=none', '-output=/dev/null', path])], bytes_)
