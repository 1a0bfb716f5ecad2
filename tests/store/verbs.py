#!/usr/bin/env python3
"""Every command about a store is what it is about the files in it: verbs.py POLYPROF SAMPLES

A store of one profile beside its file, for the samples of every format, also when it is compacted; a store of several beside these files in the store's order;
two sides of a store beside lists of files. What may differ is "store", and what names the file. Speaks TAP.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap, share, turn_of  # noqa: E402 (needs the path above)

polyprof, samples = (os.path.abspath(path) for path in sys.argv[1:3])
VERBS = [['info', '--json'], ['top', '--json'], ['tree', '--json'], ['callers', '--json', None], ['callees', '--json', None], ['peek', '--json', None],
         ['lines', '--json'], ['traces', '--json'], ['tags', '--json'], ['convert', '--to', 'spaa', '-o', '-'], ['findings', '--json'],
         ['check', '--json'], ['show', '--json', None], ['convert', '--to', 'folded', '-o', '-'], ['flame', '-o', '-', '--title', 'x'],
         ['leaks', '--json'], ['summary', '--json'], ['graph', '-o', '-'], ['top', '--csv'], ['top', '--by', 'file', '--json'],
         ['top', '--focus', 'main', '--json'], ['tree', '--hide', 'main', '--json'], ['summary', '--json', '--focus', 'main']]
# Of compacted stores, which may write the same data in another order.
PACKED = [words for words in VERBS if words[0] != 'convert'] + [['top', '--json', '--by', 'thread', '--focus', 'no function is called that'],
                                                                ['top', '--json', '--by', 'thread'], ['traces', '--csv', '-n', '0'],
                                                                ['flame', '-o', '-', '--title', 'x', '--by', 'name']]


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL)


def plain(output):
    """An answer without what may differ."""
    try:
        answer = json.loads(output)
    except ValueError:
        return output
    except RecursionError:  # trees of deep recursion
        return re.sub(rb', "(store": \{[^{}]*\}|stamp": "[^"]*")', b'', output)
    if isinstance(answer, dict):
        answer.pop('store', None)
        answer.pop('stamp', None)
        if isinstance(answer.get('error'), dict):
            answer['error'].pop('file', None)
    return json.dumps(answer)


def compare(tap, what, verbs, one, other):
    """The same question about two lists of sources."""
    for words in verbs:
        # A summary is what there is without a command.
        asked = [run(*sources, *words[1:]) if words[0] == 'summary' else run(*words, *sources) for sources in (one, other)]
        same = asked[0].returncode == asked[1].returncode and plain(asked[0].stdout) == plain(asked[1].stdout)
        tap.ok(same, f'{what}: {" ".join(words)}', f'{plain(asked[0].stdout)!r:.600}\n{plain(asked[1].stdout)!r:.600}\n{asked[1].stderr!r:.300}')


def named(verbs, file):
    """Verbs about a function are about the first of `top`."""
    try:
        name = json.loads(run('top', '--json', '-n', '1', file).stdout)['functions'][0]['name']
    except (ValueError, KeyError, IndexError):
        name = 'main'
    return [[name if word is None else word for word in words] for words in verbs]


def one_each(tap, work):
    number = 0
    for kind in sorted(os.listdir(samples)):
        folder = os.path.join(samples, kind, 'good')
        for name in share(sorted(os.listdir(folder))) if os.path.isdir(folder) else []:
            file, store = os.path.join(folder, name), os.path.join(work, f'{number}.ppdb')
            added = run('store', 'add', '--json', store, file)
            if added.returncode:
                tap.ok(run('info', file).returncode != 0, f'{kind}/{name}: refused as the file is', added.stderr.decode(errors='replace'))
                continue
            verbs = turn_of(VERBS, number, 2)
            compare(tap, f'{kind}/{name}', named(verbs, file) if any(None in v for v in verbs) else verbs, [file], [store])
            if b'"packed": 1' in run('store', 'compact', '--json', store).stdout:
                verbs = turn_of(PACKED, number, 2)
                compare(tap, f'{kind}/{name}, compacted', named(verbs, file) if any(None in v for v in verbs) else verbs, [file], [store])
            number += 1


def several(tap, work):
    number = 0
    for kind in sorted(os.listdir(samples)):
        folder = os.path.join(samples, kind, 'good')
        files = [os.path.join(folder, name) for name in sorted(os.listdir(folder))] if os.path.isdir(folder) else []
        files = [file for file in files if not file.endswith(('.txt.gz', '.txt.zst', '.txt'))][:3]
        store = os.path.join(work, f'several-{kind}.ppdb')
        if len(files) < 2 or run('store', 'add', store, *files).returncode:
            continue
        listed = json.loads(run('store', 'list', '--json', store).stdout)['profiles']
        order = [row['source'] for row in reversed(listed)]
        verbs = turn_of([v for v in VERBS if v[0] != 'show'], number, 3)
        # Two files are a comparison in a picture, a store is one profile.
        verbs = [[*words, '--merge'] if words[0] == 'flame' else words for words in verbs]
        compare(tap, f'{len(order)} of {kind}', named(verbs, order[0]), order, [store])
        number += 1


def sides(tap, work):
    """Repeated runs before and after, by label, beside lists of files."""
    store, files = os.path.join(work, 'sides.ppdb'), []
    for i in range(6):
        files.append(os.path.join(work, f'run{i}.folded'))
        with open(files[-1], 'w', encoding='utf-8') as out:
            out.write(f'main;work {1000 + i * 7}\nmain;wait {400 + (i >= 3) * 300 + i}\nmain;more {90 - i}\n')
        os.utime(files[-1], (1700000000 + i, 1700000000 + i))
        run('store', 'add', store, files[-1], '--label', f'version={1 if i < 3 else 2}', '--label', f'run={i}')
    by_label = [store, '--before', 'version=1', '--after', 'version=2']
    by_name = ['--before', *files[:3], '--after', *files[3:]]
    for words in (['diff', '--json'], ['diff', '--json', '--normalize', 'total'], ['gate', '--json', '--max-growth', '5%']):
        one, other = run(*words, *by_name), run(*words, *by_label)
        tap.ok(one.returncode == other.returncode and plain(one.stdout) == plain(other.stdout), f'{" ".join(words)} by label is by name',
               f'{one.stdout!r:.400}\n{other.stdout!r:.400}\n{other.stderr!r:.200}')
    compare(tap, 'a store beside a file', [['diff', '--json']], [files[0], files[5]], [store + '?where=run=0', files[5]])
    compare(tap, 'two selections', [['flame', '-o', '-', '--title', 'x'], ['diff', '--json']], [files[1], files[4]],
            [store + '?where=run=1', store + '?where=run=4'])
    compare(tap, 'a base', [['top', '--json', '--base', files[0]]], [files[5]], [store + '?where=run=5'])
    one, other = run('top', '--json', '--base', files[0], files[5]), run('top', '--json', '--base', store + '?where=run=0', files[5])
    tap.same(plain(other.stdout), plain(one.stdout), 'a base out of a store')
    compare(tap, 'a store beside files', [['top', '--json']], [*files], [store + '?where=version=1', *files[3:]])
    answer = json.loads(run('top', '--json', store, '--where', 'version=2', '--since', '@1700000004').stdout)
    tap.same(answer['store'], {'source': store, 'where': 'version=2', 'since': 1700000004000000000, 'profiles': 2, 'samples': 6, 'series': 2,
                               'promised': 6}, 'what the answer says of the store')
    several = [store + '?where=run=0 or run=4', '--where', 'version=2 or run=5']
    told = json.loads(run('top', '--json', *several).stdout)['store']
    again = json.loads(run('top', '--json', store, '--where', told['where']).stdout)['store']
    tap.same((told['profiles'], again), (1, told), 'conditions in two places are told as one that selects the same')
    rows = json.loads(run('top', '--json', store, '--by', 'label:version').stdout)['functions']
    tap.same({row['name']: row['self']['samples'] for row in rows}, {'1': 3021 + 1203 + 267, '2': 3084 + 2112 + 258}, 'rows by label')
    total = json.loads(run('top', '--json', store, '--label', 'version=2').stdout)['total']
    tap.same(total, 3084 + 2112 + 258, 'labels of a store filter, too')
    by_values(tap, store)
    export = os.path.join(work, 'all.folded')
    run('merge', store, '-o', export)
    compare(tap, 'merge exports', [['top', '--json']], [export], [store])


def same_names(tap, work):
    """Where functions of one name stand in several files, a picture tells the same file, packed or not, whichever comes first."""
    store, files = os.path.join(work, 'names.ppdb'), []
    for i, (mine, other) in enumerate((('b.c', ''), ('a.c', 'z.c'), ('', 'y.c'))):
        files.append(os.path.join(work, f'names{i}.json'))
        frames = [{'name': name, **({'file': file} if file else {})} for name, file in (('main', mine), (f'f{i}', 'x.c'), ('g', other))]
        with open(files[-1], 'w', encoding='utf-8') as out:
            json.dump({'$schema': 'https://www.speedscope.app/file-format-schema.json', 'shared': {'frames': frames}, 'profiles': [
                {'type': 'sampled', 'name': 't', 'unit': 'none', 'startValue': 0, 'endValue': 9, 'samples': [[0, 1], [0, 2]], 'weights': [4, 5]}]}, out)
        os.utime(files[-1], (1700000000 + i,) * 2)
        run('store', 'add', store, files[-1], '--label', f'run={i}')
    verbs = [['flame', '-o', '-', '--title', 'x', *more] for more in ([], ['--reverse'], ['--palette', 'name'])]
    compare(tap, 'names in several files', verbs, files, [store])
    compare(tap, 'the other way round', verbs, files, [*reversed(files)])
    run('store', 'compact', store)
    compare(tap, 'names in several files, packed', verbs, files, [store])
    tap.ok(b'>a.c<' in run(*verbs[0], store).stdout and b'>b.c<' not in run(*verbs[0], store).stdout, 'one of them is told')


def once_differed(tap, work):
    """What compacting changed once: facets under filters, groups of nothing, what stands for functions of one name."""
    for number, (sample, words) in enumerate((
            ('xdebug/good/2.3.3-recursion.xdebug', ['summary', '--json', '--focus', 'main']),
            ('bpftrace/good/maps.bpftrace', ['summary', '--json', '--focus', 'main']),
            ('pyinstrument/good/bakery.json', ['top', '--json', '--by', 'thread', '--focus', 'no function is called that']),
            ('pyinstrument/good/bakery.json', ['top', '--json', '--by', 'label:x', '--focus', 'no function is called that']),
            ('massif/good/oven.massif', ['flame', '-o', '-', '--title', 'x', '--by', 'name']),
            ('dhat/good/oven.dhat.json', ['flame', '-o', '-', '--title', 'x', '--by', 'file']))):
        file, store = os.path.join(samples, sample), os.path.join(work, f'once{number}.ppdb')
        run('store', 'add', store, file)
        tap.ok(b'"packed": 1' in run('store', 'compact', '--json', store).stdout, f'{sample} is packed')
        compare(tap, f'{sample}, compacted', [words], [file], [store])


def by_values(tap, store):
    """A column for each value of a label; two values are two sides."""
    one, other = run('diff', '--json', store, '--by', 'label:version'), run('diff', '--json', store, '--before', 'version=1', '--after', 'version=2')
    tap.same(plain(one.stdout), plain(other.stdout), 'two values are two sides')
    answer = json.loads(run('diff', '--json', store, '--by', 'label:run', '--since', '@1700000002').stdout)
    tap.same([value['value'] for value in answer['values']], ['2', '3', '4', '5'], 'values in the order of time')
    rows = {row['name']: row['self'] for row in answer['functions']}
    tap.same(rows['wait'], {'2': 402, '3': 703, '4': 704, '5': 705}, 'a column for each')
    text = run('diff', store, '--by', 'label:run', '--where', 'run!=5').stdout.decode()
    tap.same(text.splitlines()[2].split(), ['0', '1', '2', '3', '4', 'function'], 'its head for people')
    means = json.loads(run('diff', '--json', store, '--by', 'label:none', '--where', 'run in (0,1)').stdout)
    tap.ok('error' in means and run('diff', store, '--by', 'label:run', '--tree').returncode == 2, 'one value is nothing to compare, four are no tree')
    packed = plain(run('diff', '--json', store, '--by', 'label:run').stdout)
    run('store', 'compact', store)
    tap.same(plain(run('diff', '--json', store, '--by', 'label:run').stdout), packed, 'packed or not')


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        one_each(tap, work)
        several(tap, work)
        sides(tap, work)
        same_names(tap, work)
        once_differed(tap, work)
    return tap.done()


sys.exit(main())
