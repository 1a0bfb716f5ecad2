"""NYTProf: sub totals, folded stacks, against Devel::NYTProf's own tools on a profile of about 100 M records."""
import os
import shutil
import subprocess

TITLE = 'NYTProf'
HERE = os.path.dirname(os.path.abspath(__file__))
MEGABYTES_A_ROUND = 23.4


def recorded(bench, name, options, rounds):
    """A profile of the program here, recorded once."""
    path = os.path.join(bench.directory, name)
    if not os.path.exists(path):
        subprocess.run(['perl', '-d:NYTProf', os.path.join(HERE, 'gen_nytprof.pl'), str(rounds)], check=True,
                       env=dict(os.environ, NYTPROF=f'file={path}.part:{options}'), stdout=subprocess.DEVNULL)
        os.rename(path + '.part', path)
    return path


def run(bench):
    if not shutil.which('nytprofcalls'):
        print('\n  Devel::NYTProf is not installed (Debian: libdevel-nytprof-perl)')
        return
    rounds = max(1, round(bench.size(450) / MEGABYTES_A_ROUND))
    plain = recorded(bench, f'plain-{rounds}.nytprof', 'compress=0', rounds)
    deflated = recorded(bench, f'deflated-{rounds}.nytprof', 'compress=6', rounds)
    bare = bench.compiled('bare_nytprof.c', '-lz')
    polyprof, size = bench.polyprof, os.path.getsize(plain)
    load = ['perl', '-MDevel::NYTProf::Data', '-e', 'Devel::NYTProf::Data->new({ filename => shift, quiet => 1 })']
    for title, path in (('deflated', deflated), ('not compressed', plain)):
        bench.table(f'Sub totals of {size / 1e6:.0f} MB of records, {title}', [
            ('polyprof top', [polyprof, 'top', path]),
            ('polyprof top -j1', [polyprof, 'top', '-j1', path]),
            ('inflate and a bare parse in C', [bare, path]),
            ('Devel::NYTProf::Data', load + [path]),
        ], size)
    bench.table('Folded stacks', [
        ('polyprof convert --to folded', [polyprof, 'convert', deflated, '--to', 'folded', '-o', '/dev/null']),
        ('nytprofcalls', ['nytprofcalls', deflated]),
    ], size)
    bench.table('The same records written again', [
        ('polyprof convert --to nytprof', [polyprof, 'convert', deflated, '--to', 'nytprof', '-o', '/dev/null']),
        ('nytprofmerge', ['nytprofmerge', '-o', os.devnull, deflated]),
    ], size)
