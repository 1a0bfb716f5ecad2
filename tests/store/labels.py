#!/usr/bin/env python3
"""Labels of a store with profiles of every kind: labels.py POLYPROF SAMPLES. Speaks TAP.

A label belongs to a whole profile: what it selects is what --where selects, and rows by label are the totals of these, for stacks, calls, lines and
timelines, fresh and compacted. Profiles that measure different things do not keep each other from being answered.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap, half, share, turn_of  # noqa: E402 (needs the path above)

polyprof, samples = (os.path.abspath(path) for path in sys.argv[1:3])


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL, check=False)


def answer(*words):
    out = run(*words)
    try:
        return out.returncode, json.loads(out.stdout)
    except (ValueError, RecursionError):
        return out.returncode, {}


def known(costs):
    """Costs without those that are 0."""
    return {name: value for name, value in (costs or {}).items() if value}


def close(a, b):
    return a == b or (isinstance(a, (int, float)) and isinstance(b, (int, float)) and abs(a - b) <= 1e-9 * max(abs(a), abs(b)))


def same_costs(a, b):
    a, b = known(a), known(b)
    return a.keys() == b.keys() and all(abs(a[name] - b[name]) <= 0.1 * max(abs(a[name]), abs(b[name])) for name in a)


def rows(answered):
    """The functions of an answer, by name and place; without those that files only list."""
    return sorted((row['name'], row.get('file', ''), row.get('line', 0), row.get('module', ''), row.get('calls'), sorted(known(row['self']).items()),
                   sorted(known(row['total']).items())) for row in answered.get('functions', []) if row.get('calls') or known(row['self']) or known(row['total']))


def asked(tap, what, store, values, number):
    """What labels say of the profiles of a store, beside what --where does. Other commands take turns."""
    metric = answer('top', '--json', store)[1].get('metric')
    whole = {value: answer('top', '--json', '-m', metric or '0', store, '--where', f'v={value}')[1] for value in values}
    total = {value: whole[value].get('total') for value in values}
    if not any(total.values()):
        return
    # What calls were measured to take may differ from the sum of what functions took, by rounding.
    owned = {value: sum(row['self'].get(metric, 0) for row in whole[value].get('functions', [])) for value in values}
    code, grouped = answer('top', '--json', store, '--by', 'label:v')
    got = {row['name']: row['total'].get(metric, 0) for row in grouped.get('functions', [])}
    fits = lambda value: close(got.get(value, 0), total[value] or 0) or close(got.get(value, 0), owned[value])  # noqa: E731
    # Sums beyond 64 bits are no rows.
    tap.ok('exceeds 64 bits' in str(grouped.get('error')) or (code == 0 and all(map(fits, values))),
           f'{what}: top --by label:v', f'{got!r} {total!r} {grouped.get("error")}')
    for value in values:
        code, filtered = answer('top', '--json', '-m', metric, store, '--label', f'v={value}')
        tap.ok(code == 0 and close(filtered.get('total', 0), total[value]) and rows(filtered) == rows(whole[value]), f'{what}: top --label v={value}',
               f'{rows(filtered)[:3]!r}\n{rows(whole[value])[:3]!r}')
    code, tree = answer('tree', '--json', '-m', metric, store, '--label', f'v={values[-1]}')
    known_code, other = answer('tree', '--json', '-m', metric, store, '--where', f'v={values[-1]}')
    # What calls were measured to take is not kept by filters, and differs from sums by rounding.
    tap.ok(code == known_code and same_costs((tree.get('root') or {}).get('total'), (other.get('root') or {}).get('total')), f'{what}: tree --label v={values[-1]}',
           f'{str(tree)[:300]}\n{str(other)[:300]}')
    code, tags = answer('tags', '--json', store, '--key', 'v')
    got = {row['value']: row['cost'].get(metric, 0) for row in tags.get('tags', [])}
    tap.ok(code == 0 and all(map(fits, values)), f'{what}: tags', f'{got!r} {total!r} {tags.get("error")}')
    none = answer('top', '--json', store, '--label', 'v=none')
    tap.ok(none[0] == 0 and not any(row[-1] or row[-2] for row in rows(none[1])), f'{what}: no profile has another value', str(none)[:300])
    for words in turn_of([['traces', '--json'], ['summary'], ['flame', '-o', '-'], ['top', '--budget', '400'], ['tree', '--root', 'label:v'], ['graph', '-o', '-']], number, 2):
        more = ['--label', f'v={values[0]}'] if words[-1] != 'label:v' else []
        out = run(*words[1:] if words[0] == 'summary' else words, store, *more)
        plain = run(*words[1:] if words[0] == 'summary' else words[:1] if words[0] == 'tree' else words, store, '--where', f'v={values[0]}')
        tap.ok(out.returncode == plain.returncode, f'{what}: {" ".join(words[:2])} {" ".join(more)}', out.stderr.decode(errors='replace')[:300])
    if len(values) > 1:
        out = run('diff', '--json', store, '--by', 'label:v')
        sides = run('diff', '--json', store, '--before', f'v={values[0]}', '--after', f'v={values[1]}')
        tap.same(out.returncode, sides.returncode, f'{what}: diff --by label:v')


def kinds(tap, work):
    """Each sample alone, and the first ones of a kind that go together."""
    number = 0
    for kind in share(sorted(os.listdir(samples))):
        folder = os.path.join(samples, kind, 'good')
        files = [os.path.join(folder, name) for name in sorted(os.listdir(folder)) if not name.endswith(('.txt', '.txt.gz', '.txt.zst'))] if os.path.isdir(folder) else []
        for file in half(files):
            store = os.path.join(work, f'{number}.ppdb')
            number += 1
            if run('store', 'add', store, file, '--label', 'v=1', '--label', 'w=x').returncode:
                continue
            asked(tap, f'{kind}/{os.path.basename(file)}', store, ['1'], number)
            if b'"packed": 1' in run('store', 'compact', '--json', store).stdout:
                asked(tap, f'{kind}/{os.path.basename(file)}, compacted', store, ['1'], number)
        together, measured = files[:1], answer('info', '--json', *files[:1])[1].get('metrics', [])
        for file in files[1:9]:
            metrics = answer('info', '--json', file)[1].get('metrics', [])
            if [m['name'] for m in metrics] == [m['name'] for m in measured] and len(together) < 3 and run('top', *together, file).returncode == 0:
                together.append(file)
        store = os.path.join(work, f'several-{kind}.ppdb')
        if len(together) > 1 and not any(run('store', 'add', store, file, '--label', f'v={i + 1}').returncode for i, file in enumerate(together)):
            values = [str(i + 1) for i in range(len(together))]
            asked(tap, f'{len(values)} of {kind}', store, values, number)
            run('store', 'compact', store)
            asked(tap, f'{len(values)} of {kind}, compacted', store, values, number)


def mixed(tap, work):
    """One store of all kinds: each question answers about profiles that measure the same, and says how many it leaves out."""
    store, added = os.path.join(work, 'mixed.ppdb'), 0
    for kind in ('folded', 'pstats', 'xhprof', 'pprof', 'heaptrack', 'massif', 'callgrind', 'spx', 'cachegrind'):
        folder = os.path.join(samples, kind, 'good')
        for name in sorted(os.listdir(folder))[:3]:
            added += run('store', 'add', store, os.path.join(folder, name), '--label', f'n={added}').returncode == 0
    for state in ('fresh', 'compacted'):
        for words in (['top'], ['tree'], ['traces'], ['tags'], ['leaks'], ['lines'], ['trend'], ['top', '--by', 'label:n']):
            code, got = answer(*words, '--json', store)
            told = got.get('store', {})
            tap.ok(code == 0 and told.get('profiles', 0) + told.get('left_out', 0) == added and told.get('left_out'), f'{state}: {" ".join(words)}', f'{code} {str(got)[:300]}')
        for metric in ('Ir', 'wt', 'time'):
            code, got = answer('top', '--json', '-m', metric, store)
            tap.ok(code == 0 and got.get('total'), f'{state}: -m {metric}', str(got)[:300])
        said = run('top', '-m', 'nothing of the kind', store)
        tap.ok(said.returncode == 2 and b'Ir' in said.stderr and b'samples' in said.stderr, f'{state}: a metric that there is not', said.stderr)
        file = os.path.join(samples, 'callgrind', 'good', sorted(os.listdir(os.path.join(samples, 'callgrind', 'good')))[0])
        code, got = answer('top', '--json', store, file)
        tap.ok(code == 0 and got.get('metric') == answer('top', '--json', file)[1]['metric'], f'{state}: a file that is named decides', str(got)[:300])
        run('store', 'compact', store)


def plain_files(tap, work):
    """Labels that a file gives to all of itself, where nothing in it has series."""
    file = os.path.join(samples, 'cachegrind', 'good', sorted(os.listdir(os.path.join(samples, 'cachegrind', 'good')))[0])
    total = answer('top', '--json', file)[1]['total']
    code, got = answer('top', '--json', '--by', 'label:cmd', file)
    tap.ok(code == 0 and sum(row['total'][got['metric']] for row in got['functions']) == total, 'rows by what a file says of itself', str(got)[:300])
    code, got = answer('top', '--json', '--label', 'cmd=none of these', file)
    tap.ok(code == 0 and not got['functions'], 'a label that it does not have')


def many_values(tap, work):
    """More values than a terminal has room for: those that fit, and how many more."""
    store = os.path.join(work, 'many.ppdb')
    for i in range(30):
        path = os.path.join(work, f'many{i}.folded')
        with open(path, 'w', encoding='utf-8') as out:
            out.write(f'main;work {100 + i}\nmain;only{i} 5\n')
        os.utime(path, (1700000000 + i,) * 2)
        run('store', 'add', store, path, '--label', f'v=version-1.{i}')
    for width in (40, 60, 80, 120):
        told = subprocess.run(['script', '-qec', f'stty cols {width}; {polyprof} diff {store} --by label:v --color never -n 4', '/dev/null'], capture_output=True,
                              stdin=subprocess.DEVNULL, check=False).stdout.decode().replace('\r', '').splitlines()
        heads = [line for line in told if line.rstrip().endswith('function')]
        shown = len(heads[0].split()) - 1 if heads else 0
        tap.ok(heads and shown >= 1 and f'  ... and {30 - shown} more values (--json shows all)' in told and all(len(line) <= width for line in told if not line.startswith('  ...')),
               f'{shown} of 30 values in {width} columns', '\n'.join(told))
    code, got = answer('diff', '--json', store, '--by', 'label:v')
    tap.ok(code == 0 and len(got['values']) == 30 and len(got['functions'][0]['self']) == 30, 'JSON has all of them')
    head = run('diff', '--csv', store, '--by', 'label:v').stdout.splitlines()[0]
    tap.same(head.count(b'self_version-1.'), 30, 'and so has CSV')


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        kinds(tap, work)
        mixed(tap, work)
        plain_files(tap, work)
        many_values(tap, work)
    return tap.done()


sys.exit(main())
