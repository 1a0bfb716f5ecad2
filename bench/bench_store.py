"""A store of a fleet: 20,000 functions, a million different stacks, 1,000 of them in each profile.

`bare_store` does the same on the same file with no care at all: what polyprof takes beside it is what its checks cost.
--size is in millions of samples (default 100, at least 10); a tenth of it is asked, too, for how time grows.
"""
import os
import shutil
import sqlite3
import subprocess

TITLE = 'store'
SERVICES = 10
WEEK = 1790000000
RUNS = 2000


def packed(bench, polyprof):
    """The store of the first thousand profiles, through add and compact."""
    path = os.path.join(bench.directory, 'fleet.ppdb')
    if os.path.exists(path):
        return path
    folder = os.path.join(bench.directory, 'fleet')
    os.makedirs(folder, exist_ok=True)
    subprocess.run([bench.compiled('gen_fleet.c'), folder, '1000', '0'], check=True)
    part = path + '.part'
    for service in range(SERVICES):
        files = [os.path.join(folder, f'{number:06}.folded') for number in range(service * 100, service * 100 + 100)]
        subprocess.run([polyprof, 'store', 'add', 'sqlite:' + part, *files, '--label', f'service=s{service}'], check=True,
                       stdout=subprocess.DEVNULL)
    bench.table('packing 1,000 profiles of 1,000 stacks, reading them included', [
        ('polyprof store compact', [polyprof, 'store', 'compact', part])], repeat=1)
    os.rename(part, path)
    return path


def grown(bench, start, profiles):
    path = os.path.join(bench.directory, f'fleet-{profiles}.ppdb')
    if not os.path.exists(path):
        shutil.copy(start, path + '.part')
        subprocess.run([bench.compiled('grow_store.c', '-lsqlite3'), path + '.part', str(profiles)], check=True)
        os.rename(path + '.part', path)
    return path


def sizes(path):
    """Bytes per sample and per node of the dictionary, as the tables have them; and what questions may take."""
    with sqlite3.connect(path) as store:
        (cells, samples), = store.execute('SELECT sum(length(data)), sum(n) FROM cells')
        dictionary, = store.execute('SELECT sum(length(data)) FROM dict').fetchone()
        nodes, = store.execute("SELECT sum(n) FROM dict WHERE part = 'n'").fetchone()
    return (f'{os.path.getsize(path) / 1e6:.0f} MB, {cells / samples:.2f} bytes a sample, {dictionary / nodes:.2f} bytes a node; '
            f'24 bytes a node and 64 MB are {(24 * nodes >> 20) + 64} MB')


def clickhouse_rows(bench):
    """How many rows for ClickHouse a second of processor time makes and sends, to a server that says yes to all."""
    folder = os.path.join(bench.directory, 'fleet')
    files = [os.path.join(folder, f'{number:06}.folded') for number in range(400)]
    print('\n  rows for ClickHouse, made and sent')
    for what, again, some in (('stacks that servers have', '0', files[:50]), ('each stack is new', '1', files)):
        program = subprocess.run([bench.inside('clickhouse_rows'), again, *some], check=True, capture_output=True, text=True)
        print(f'    {what}: {program.stdout.strip()}')


def run(bench):
    polyprof, bare = bench.polyprof, bench.compiled('bare_store.c', '-lsqlite3')
    start = packed(bench, polyprof)
    most = max(10000, int(bench.size(100) * 1000))
    times = []
    for profiles in (most // 10, most):
        path = grown(bench, start, profiles)
        print(f'\n  {profiles / 1000:.0f} million samples: {sizes(path)}')
        first = bench.table('the costliest functions of all', [
            ('polyprof top', [polyprof, 'top', path, '--json']), ('bare_store', [bare, path, 'top'])])
        times.append(first.cpu)
        bench.table('of one service and one day', [
            ('polyprof top', [polyprof, 'top', path, '--json', '--where', 'service=s2', '--between', f'@{WEEK}..@{WEEK + 86400}']),
            ('bare_store', [bare, path, 'top',
                            f'p.series = 3 AND p.t0 >= {WEEK}000000000 AND p.t0 < {WEEK + 86400}000000000'])])
        bench.table('its tree, branches of 0.1 % and more', [
            ('polyprof tree', [polyprof, 'tree', path, '--min', '0.1']), ('bare_store', [bare, path, 'tree'])])
        bench.table('what people ask first', [
            ('polyprof', [polyprof, path]), ('polyprof flame', [polyprof, 'flame', path, '-o', '/dev/null']),
            ('polyprof traces', [polyprof, 'traces', path])])
    print(f'\n  10 x the samples take {times[1] / times[0]:.1f} x the time')
    # Each run has costs of its own, so this grows with the profiles on both sides, whatever they have in common.
    bench.table(f'half of {RUNS:,} profiles against the others, each a run', [
        ('polyprof diff', [polyprof, 'diff', grown(bench, start, RUNS), '--json', '--before', 'service~"s[0-4]"', '--after', 'service~"s[5-9]"'])])
    one = os.path.join(bench.directory, 'fleet', '000000.folded')
    path = grown(bench, start, most)
    shutil.copy(path, path + '.fresh')
    bench.table('one more profile of 1,000 stacks', [
        ('polyprof store add', f'{polyprof} store add {path}.fresh {one} --label run=again-$$'),
        ('polyprof top of the file', [polyprof, 'top', one])])
    os.remove(path + '.fresh')
    clickhouse_rows(bench)
