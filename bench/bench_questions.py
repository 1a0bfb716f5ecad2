"""Every question beside `top` on the same file, one thread: each should take no more than 1.2 x its processor time."""
import os
import subprocess

from bench_nytprof import MEGABYTES_A_ROUND, recorded
from bench_spx import made as spx_made

TITLE = 'Questions'


def files(bench, size):
    yield 'folded, few repeats', bench.made(f'unique-{size:g}.folded', [bench.compiled('gen_folded.c'), str(size), '0'])
    yield 'folded, many repeats', bench.made(f'repeats-{size:g}.folded', [bench.compiled('gen_folded.c'), str(size), '90'])
    yield 'SPX 0.5', spx_made(bench, f'spx5-q{size:g}.txt.zst', '0.5', int(size * 1e6 / 12), 'zstd -q -1 -c')
    yield 'SPAA', bench.made(f'made-{size:.0f}.spaa', [bench.compiled('gen_spaa.c'), str(size)])
    yield 'Xdebug', bench.made(f'cachegrind.out.large-{size:g}', [bench.compiled('gen_xdebug.c'), str(size)])
    yield 'callgrind', bench.made(f'callgrind.out.{size:g}', [bench.compiled('gen_callgrind.c'), str(size)])
    rounds = max(1, round(size / MEGABYTES_A_ROUND))
    try:
        yield 'NYTProf', recorded(bench, f'plain-{rounds}.nytprof', 'compress=0', rounds)
    except subprocess.CalledProcessError:
        print('\n  Devel::NYTProf is not installed (Debian: libdevel-nytprof-perl)')


def hottest(polyprof, path):
    """The costliest function, which the most stacks have."""
    done = subprocess.run([polyprof, 'top', '--csv', '-n', '1', '--sort', 'total', path], capture_output=True, check=True)
    return done.stdout.decode().splitlines()[1].split(',')[0].strip('"')


def questions(polyprof, path):
    name = hottest(polyprof, path)
    yield 'summary', [path]
    yield 'tree', ['tree', path]
    yield 'callers', ['callers', name, path]
    yield 'callees', ['callees', name, path]
    known = subprocess.run([polyprof, 'info', '--json', path], capture_output=True, check=True).stdout
    if b'"lines"' in known[known.index(b'"facets"'):known.index(b']', known.index(b'"facets"'))]:
        yield 'lines', ['lines', path]
    yield 'top --focus', ['top', '--focus', '[0-9]', path]
    yield 'top --ignore', ['top', '--ignore', 'zzz', path]
    yield 'top --hide', ['top', '--hide', '7$', path]
    yield 'top --depth 5', ['top', '--depth', '5', path]
    yield 'tree --focus', ['tree', '--focus', '[0-9]', path]


def week(bench):
    """A thousand reports of 1 MB, as a week of requests leaves them; the bodies are links to one."""
    directory = os.path.join(bench.directory, 'week')
    body = spx_made(bench, 'spx5-week.txt.zst', '0.5', 330000, 'zstd -q -1 -c')
    meta = body.replace('.txt.zst', '.json')
    if not os.path.isdir(directory):
        os.makedirs(directory + '.part')
        for i in range(1000):
            os.link(body, os.path.join(directory + '.part', f'report{i}.txt.zst'))
            os.link(meta, os.path.join(directory + '.part', f'report{i}.json'))
        os.rename(directory + '.part', directory)
    files = [os.path.join(directory, f'report{i}.json') for i in range(1000)]
    bench.table(f'A week of SPX: 1,000 reports of {os.path.getsize(body) / 1e6:.1f} MB', [
        ('polyprof merge', [bench.polyprof, 'merge', *files, '--to', 'folded', '-o', '/dev/null'])])


def run(bench):
    size, polyprof = bench.size(100), bench.polyprof
    for title, path in files(bench, size):
        one = [('top', [polyprof, 'top', '-j1', path])]
        one += [(label, [polyprof, *words, '-j1']) for label, words in questions(polyprof, path)]
        bench.table(f'{title}, {os.path.getsize(path) / 1e6:.0f} MB', one, os.path.getsize(path))
        two = [('two tops', ['sh', '-c', '"$1" top -j1 "$2"; "$1" top -j1 "$2"', 'sh', polyprof, path]),
               ('diff', [polyprof, 'diff', '-j1', path, path]),
               ('gate', [polyprof, 'gate', '-j1', path, path, '--fail-if', 'total > +5%'])]
        bench.table(f'{title}, two files', two)
    week(bench)
