#!/usr/bin/env python3
"""Every format through SPAA and back: carry.py POLYPROF tests/formats|--corpus CORPUS

For each file that can be read, damaged ones too: what is written as SPAA is accepted; all questions have the same
answers; written back in its own format it is what it is when written directly; SPAA consumers see the right totals.
Files of SPAA itself are left out. Speaks TAP.
"""
import glob
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap, few, half  # noqa: E402 (needs the path above)

# Which sums pass 64 bits depends on what is read, and with it what of these is said to be complete.
NOT_HERE = {'callgrind-sum-too-large.callgrind', 'nytprof-ticks-overflow.out'}
COMPANIONS = ('.txt', '.txt.gz', '.txt.zst')


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def rounded(text):
    """Sums of fractions depend on the order in which they are added, in their last digits."""
    return float(f'{float(text):.13g}')


def answer(polyprof, path):
    """What `top` and `info` say, apart from where it was read."""
    done = run(polyprof, 'top', '--json', '-n', '0', path)
    top = json.loads(done.stdout, parse_float=rounded)
    del top['format']
    info = json.loads(run(polyprof, 'info', '--json', path).stdout, parse_float=rounded)
    for key in ('file', 'format', 'compression', 'size', 'diagnostics', 'omitted'):
        info.pop(key, None)
    # Readers list what they do not count (functions never called) when all is wanted, as converting does.
    for key in ('stacks', 'functions'):
        info.get('counts', {}).pop(key, None)
    return top, info


def samples(directory):
    names = sorted(os.listdir(directory))

    def is_companion(name):
        stem = next((name[:-len(end)] for end in COMPANIONS if name.endswith(end)), None)
        return stem is not None and stem + '.json' in names
    return [os.path.join(directory, name) for name in names if not is_companion(name)]


def written(polyprof, source, fmt, directory):
    """All files that writing makes, by name."""
    os.makedirs(directory)
    suffix = '.json' if fmt == 'spx' else '.out'
    done = run(polyprof, 'convert', source, '--to', fmt, '-o', os.path.join(directory, 'x' + suffix))
    files = {os.path.basename(path): open(path, 'rb').read() for path in glob.glob(directory + '/*')}
    return files, done


def totals(path):
    """The sum of each metric over all stack records, as any consumer would add them up."""
    sums = {}
    with open(path, encoding='utf-8') as file:
        for line in file:
            record = json.loads(line)
            for weight in record['weights'] if record['type'] == 'stack' else ():
                name = weight['metric']
                sums[name] = sums.get(name, 0) + weight['value']
    return sums


def consumer_agrees(polyprof, path, top, info, source):
    """Own costs add up to the total, or (where a file rounds each level by itself) to all stacks."""
    sums = totals(path)
    whole = sums.get(top.get('metric'), 0) - sums.get(f"{top.get('metric')}_freed", 0)
    # Several events may each have a metric of that name.
    expected = sum(metric['total'] for metric in info['metrics'] if metric['name'] == top.get('metric'))
    if 'total' not in top or abs(whole - expected) <= 1e-9 * abs(expected):
        return True, sums
    folded = run(polyprof, 'convert', '--to', 'folded', '-o', '-', source).stdout.split(b'\n')
    stacks = sum(int(line.rsplit(b' ', 1)[1]) for line in folded if line)
    return any(whole == stacks * unit for unit in (1, 10, 100, 1000)), (sums, stacks)


def difference(a, b):
    return next((f'{key}: {a[0].get(key, a[1].get(key))!r} became {b[0].get(key, b[1].get(key))!r}'
                 for part in (0, 1) for key in a[part] if a[part][key] != b[part].get(key)), '')


def check_sample(tap, polyprof, fmt, path, work, writable):
    name = f'{fmt}: {os.path.basename(path)}'
    spaa = os.path.join(work, 'carried.spaa')
    told = run(polyprof, 'convert', path, '--to', 'spaa', '-o', spaa)
    if not os.path.exists(spaa):
        tap.ok(False, f'{name} is written as SPAA', told.stderr)
        return
    file = json.loads(run(polyprof, 'check', '--json', spaa).stdout)['files'][0]
    tap.ok(file['verdict'] == 'accept', f'{name}: as SPAA it is accepted', file['diagnostics'])
    direct, carried = answer(polyprof, path), answer(polyprof, spaa)
    tap.ok(direct == carried, f'{name}: the answers stay', difference(direct, carried))
    if direct[0].get('functions') and 'tree' in direct[1]['facets']:
        agrees, sums = consumer_agrees(polyprof, spaa, *direct, path)
        tap.ok(agrees, f'{name}: consumers see the right total', (direct[0].get('total'), sums))
    # Where a format cannot hand over its private data, that is said.
    if writable and b'loss-private' not in told.stderr:
        first, done = written(polyprof, path, fmt, os.path.join(work, 'direct'))
        second, again = written(polyprof, spaa, fmt, os.path.join(work, 'carried'))
        tap.ok(first == second, f'{name}: and back it is the same file',
               (done.stderr, again.stderr, [key for key in first if first[key] != second.get(key)]))


def corpus_files(polyprof, root):
    """All files of a corpus that are profiles of other formats, with their format."""
    for where, directories, _ in os.walk(root):
        directories.sort()
        for path in samples(where):
            if not os.path.isfile(path) or path.endswith(('.py', '.c', '.md', '.sh', '.pl', '.php')):
                continue
            done = run(polyprof, 'info', '--json', path)
            fmt = json.loads(done.stdout).get('format') if done.returncode == 0 else None
            if fmt and fmt != 'spaa':
                yield fmt, path


def main():
    polyprof, *roots = sys.argv[1:]
    if roots[0] == '--corpus' and not os.path.isdir(roots[1]):
        print('1..0 # SKIP there is no corpus here')
        return 0
    tap = Tap()
    formats = {row['name']: row for row in json.loads(run(polyprof, 'formats', '--json').stdout)['formats']}
    files = corpus_files(polyprof, roots[-1])
    for fmt, path in few(files, 40) if roots[0] == '--corpus' else half(files):
        if os.path.basename(path) in NOT_HERE:
            continue
        with tempfile.TemporaryDirectory() as work:
            check_sample(tap, polyprof, fmt, path, work, formats[fmt]['write'])
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
