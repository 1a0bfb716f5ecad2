#!/usr/bin/env python3
"""What must hold for all profiles: properties.py POLYPROF tests/formats [SEED]. Speaks TAP.

Over the samples of all formats, and random pairs of them:
- filters: what one keeps and what it drops add up to the whole; a filter that keeps all changes nothing; --event
  picks columns; a written profile has what the filtered one had;
- diff: swapping before and after mirrors every number; a profile against itself has not changed; either side says
  what top says;
- merge: totals, own costs and calls add up exactly; the order of files does not matter.
"""
import collections
import glob
import json
import os
import random
import re
import subprocess
import sys
import tempfile

polyprof, samples = os.path.abspath(sys.argv[1]), sys.argv[2]
rng = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
number = failed = 0
PAIRS = 150
MIRROR = {'new': 'gone', 'gone': 'new', 'grew': 'shrank', 'shrank': 'grew', 'same': 'same', 'noise': 'noise'}


def ok(wrong, what):
    global number, failed
    number += 1
    failed += bool(wrong)
    print(f"{'not ok' if wrong else 'ok'} {number} - {what}")
    for line in list(wrong)[:4]:
        print('# ' + str(line)[:400])


def run(*words):
    return subprocess.run([polyprof, *words], capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def ask(*words):
    done = run(*words)
    if done.returncode < 0 or done.returncode > 128:
        ok([done.stderr.decode(errors='replace')], ' '.join(words) + ' ended by a signal')
    return json.loads(done.stdout) if done.returncode == 0 else None


def close(a, b):
    return a == b or (isinstance(a + b, float) and abs(a - b) <= 1e-9 * max(abs(a), abs(b), 1e-9))


def rows(top):
    """{function: {metric: own}}, equal keys added up"""
    out = collections.defaultdict(lambda: collections.defaultdict(int))
    for f in top['functions']:
        for metric, value in f['self'].items():
            out[(f['name'], f.get('name_hex'), f.get('file'), f.get('line'), f.get('column'), f.get('module'))][metric] += value
    return out


def same_rows(a, b, ignore=()):
    """Functions without any cost may be left out."""
    for key in set(a) | set(b):
        for metric in set(a.get(key, {})) | set(b.get(key, {})):
            x, y = a.get(key, {}).get(metric, 0), b.get(key, {}).get(metric, 0)
            if not close(x, y) and key[0] not in ignore:
                yield f'{key[0]}: {metric} {x}, not {y}'


# ---- filters ----

def whole(top):
    """The sum of own costs of the shown metric."""
    return sum(f['self'][top['metric']] for f in top['functions'])


def filters(path, name):
    top = ask('top', '--json', '-n', '0', path)
    if not top or not top['functions'] or 'metric' not in top:
        return
    wrong, pruned = [], ('[pruned]',)
    everything = ask('top', '--json', '-n', '0', '--focus', '', path)
    if everything:
        if everything['estimated']:
            tree = ask('tree', '--json', path)
            wrong += [] if close(tree['total'], top['total']) else [f"estimated {tree['total']} of {top['total']}"]
        elif 'edges' not in ask('info', '--json', path)['facets']:
            wrong += same_rows(rows(everything), rows(top), pruned)
        target = rng.choice(top['functions'])['name'][:4000]
        pattern = '(?s)^' + ''.join(c if c.isalnum() else '.' for c in target)
        kept = ask('top', '--json', '-n', '0', '--focus', pattern, path)
        rest = ask('top', '--json', '-n', '0', '--ignore', pattern, path)
        if kept is None or rest is None:
            wrong.append(f'no answer for {pattern}')
        elif not close(whole(kept) + whole(rest), whole(everything)):
            wrong.append(f'{pattern}: {whole(kept)} + {whole(rest)} is not {whole(everything)}')
        nothing = ask('top', '--json', '--focus', 'no function is called that', path)
        wrong += [] if nothing and nothing['functions'] == [] else [f'something is left: {nothing}']
        done = run('top', '--json', '-n', '0', '--hide', pattern, path)
        hidden = json.loads(done.stdout) if done.returncode == 0 else {'functions': []}
        if done.returncode and b'exceeds 64 bits' not in done.stderr:  # sums that pass 64 bits
            wrong.append(done.stderr.decode(errors='replace'))
        elif '\ufffd' not in target and any(f['name'].startswith(target) for f in hidden['functions']):
            wrong.append(f'{target} is not hidden')
    else:
        wrong.append('--focus does not work')
    for metric in top['functions'][0]['self']:
        one = ask('top', '--json', '-n', '0', '--event', metric, path)
        if one is None:
            wrong.append(f'no answer for --event {metric}')
        elif not top['estimated'] and len([m for m in top['functions'][0]['self'] if m == metric]) == 1:
            # Alone, "EVENT/NAME" is just NAME.
            mine = {key: {metric: values.get(metric, values.get(metric.split('/')[-1], 0))}
                    for key, values in rows(one).items()}
            want = {key: {metric: values.get(metric, 0)} for key, values in rows(top).items()}
            wrong += [f'--event: {text}' for text in same_rows(mine, want)]
    ok(wrong, f'{name}: filters')


def written(path, name, directory):
    """A filtered profile, written and read again."""
    top = ask('top', '--json', '-n', '0', '--ignore', 'nobody is called that', path)
    wrong = []
    for target in ('folded', 'callgrind', 'xdebug', 'spaa'):
        out = os.path.join(directory, 'again.' + target)
        done = run('convert', '-q', '--ignore', 'nobody is called that', path, '--to', target, '-o', out)
        if done.returncode > 4 or done.returncode < 0:
            wrong.append(f'--to {target}: {done.stderr.decode(errors="replace")}')
        elif done.returncode == 0 and top and target == 'spaa':
            again = ask('top', '--json', '-n', '0', '--from', target, out)
            if again is None or not close(again.get('total', 0), top.get('total', 0)):
                wrong.append(f"--to {target}: {again and again.get('total')}, not {top.get('total')}")
    ok(wrong, f'{name}: filtered and written')


# ---- diff ----

def numbers(row, swapped):
    before, after = ('after', 'before') if swapped else ('before', 'after')
    sign = -1 if swapped else 1
    return (row[before]['self'], row[after]['self'], row[before]['total'], row[after]['total'],
            row[before].get('calls'), row[after].get('calls'), sign * row['delta']['self'], sign * row['delta']['total'],
            round(sign * row['share']['self'], 9) + 0.0, round(sign * row['share']['total'], 9) + 0.0)


def mirror(a, b):
    there, back = ask('diff', '--json', '-n', '0', a, b), ask('diff', '--json', '-n', '0', b, a)
    if (there is None) != (back is None):
        return ['only one way works']
    if there is None:
        return None
    # The first profile says which metric (docs/diff.md); where the second would say another, the mirror shows that one.
    if there['after']['metric'] != back['before']['metric']:
        back = ask('diff', '--json', '-n', '0', '-m', there['after']['metric'], b, a)
    wrong = side_as_top(there, 'before', ask('top', '--json', '-n', '0', a))
    wrong += side_as_top(there, 'after', ask('top', '--json', '-n', '0', b))
    if (there['before']['total'], there['after']['total']) != (back['after']['total'], back['before']['total']):
        wrong.append('totals differ')
    one = collections.Counter(numbers(row, False) for row in there['functions'])
    two = collections.Counter(numbers(row, True) for row in back['functions'])
    if one != two:
        wrong += [f'rows: {list((one - two).items())[:2]} against {list((two - one).items())[:2]}']
    one = collections.Counter((numbers(row, False), row['status'], row['status_total']) for row in there['functions'])
    two = collections.Counter((numbers(row, True), MIRROR[row['status']], MIRROR[row['status_total']])
                              for row in back['functions'])
    if one != two:
        wrong += [f'verdicts: {list((one - two).items())[:2]} against {list((two - one).items())[:2]}']
    for row in there['functions']:
        for kind in ('self', 'total'):
            before, delta = row['before'][kind], row['delta'][kind]
            change = row['change'][kind]
            if (change is None) != (before == 0) or (before and not close(float(change), delta / abs(before)) and
                                                     abs(change - delta / abs(before)) > 1e-9):
                wrong.append(f"{row['name']}: change {change} of {before} by {delta}")
    return wrong


def scaled(a, b, how):
    """Scaled to one size, both ways have the same shares of their sides and mirrored verdicts."""
    there = ask('diff', '--json', '-n', '0', '--normalize', how, a, b)
    back = there and ask('diff', '--json', '-n', '0', '--normalize', how, '-m', there['before']['metric'], b, a)
    if there is None:
        return [] if ask('diff', '--json', '-n', '0', '--normalize', how, b, a) is None else ['only one way works']
    if back is None:
        return ['only one way works']
    if (there['before']['metric'], there['after']['metric']) != (back['after']['metric'], back['before']['metric']):
        return []

    def verdicts(diff, before, after, told):
        return collections.Counter(
            (*(round(row[side][kind] / (diff[side]['total'] or 1), 6) + 0.0 for side in (before, after)
               for kind in ('self', 'total')), told(row['status']), told(row['status_total']))
            for row in diff['functions'])
    one, two = verdicts(there, 'before', 'after', str), verdicts(back, 'after', 'before', MIRROR.get)
    wrong = [] if there['status'] == MIRROR[back['status']] else [f"whole: {there['status']}, {back['status']}"]
    return wrong + ([f'{how}: {list((one - two).items())[:2]} against {list((two - one).items())[:2]}'] if one != two else [])


def place(f):
    return f['name'], f.get('name_hex'), f.get('file'), f.get('line'), f.get('column'), f.get('module')


def side_as_top(diff, side, top):
    """A side of a comparison has the numbers that top gives: functions may only have become one."""
    metric, rows, wrong = diff[side]['metric'], diff['functions'], []
    if not close(diff[side]['total'], top['total']) and metric == top['metric']:
        wrong.append(f"{side}: {diff[side]['total']} in all, not {top['total']}")
    own = sum(f['self'][metric] for f in top['functions'])
    if not close(sum(row[side]['self'] for row in rows), own):
        wrong.append(f'{side}: own costs are {sum(row[side]["self"] for row in rows)}, not {own}')
    if any('calls' in row[side] for row in rows):
        calls = sum(f.get('calls', 0) for f in top['functions'])
        if sum(row[side].get('calls', 0) for row in rows) != calls:
            wrong.append(f'{side}: {sum(row[side].get("calls", 0) for row in rows)} calls, not {calls}')
    return wrong


def unmarked(name):
    """Without what callgrind adds to the names of those that are further down their own stack."""
    return re.sub(r"'\d+(?=$|')", '', name)


def as_top(path, diff):
    """Compared with itself a profile has in each row what top has for that function."""
    top, wrong = ask('top', '--json', '-n', '0', path), []
    if 'metric' not in top:
        return []
    tops, united, metric = collections.defaultdict(list), collections.defaultdict(list), diff['before']['metric']
    for f in top['functions']:
        tops[place(f)].append(f)
    shown = {place(row) for row in diff['functions']}
    for key, found in tops.items():
        if key not in shown:
            united[(unmarked(key[0]), *key[2:])] += found
    for row in diff['functions']:
        found, more = tops.get(place(row), []), united.pop((unmarked(row['name']), *place(row)[2:]), [])
        plain = [f for f in found + more if f['name'] == unmarked(f['name'])]
        own = sum(f['self'][metric] for f in found + more)
        calls = sum(f.get('calls', 0) for f in found + more)
        total = row['before']['total']
        if not found or not close(row['before']['self'], own) or row['before'].get('calls', calls) != calls:
            wrong.append(f'{place(row)}: {row["before"]}, not {own} in {calls} calls')
        elif not more or (len(plain) == 1 and 'cycle' not in plain[0] and "'" not in plain[0]['name']):
            # All that is marked lies below what is not; but f'2'g may lie below f'h alone.
            if not close(total, sum(f['total'][metric] for f in plain or found)):
                wrong.append(f'{row["name"]}: {total} in all, top says {[f["total"] for f in found + more]}')
        elif not max(own, *(f['total'][metric] for f in found + more)) <= total <= top['total']:
            wrong.append(f'{row["name"]}: {total} in all, top says {[f["total"] for f in found + more]}')
    if united:
        wrong.append(f'in no row: {list(united)[:3]}')
    return wrong + side_as_top(diff, 'after', top)


def piped(a, b):
    """What cannot be read twice is read whole at once, and gives the same."""
    with open(a, 'rb') as file:
        done = subprocess.run([polyprof, 'diff', '--json', '-n', '0', '-', b], capture_output=True, timeout=120, stdin=file)
    one = ask('diff', '--json', '-n', '0', a, b)
    return [] if done.returncode or one is None or json.loads(done.stdout) == one else ['they differ']


def unchanged(path, name):
    same = ask('diff', '--json', '-n', '0', path, path)
    if same:
        ok([row['name'] for row in same['functions'] if row['status'] != 'same' or row['status_total'] != 'same' or
            row['delta']['self'] or row['delta']['total']], f'{name}: against itself nothing changed')
        ok(as_top(path, same), f'{name}: against itself it is as in top')


# ---- merge ----

def merged(files):
    tops = [ask('top', '--json', '-n', '0', path) for path in files]
    both, other = ask('top', '--json', '-n', '0', *files), ask('top', '--json', '-n', '0', *reversed(files))
    if both is None or any(top is None or 'metric' not in top for top in tops):
        return None
    wrong, sums, calls = [], collections.defaultdict(int), [0, 0]
    for top in tops:
        for f in top['functions']:
            for metric, value in f['self'].items():
                sums[metric] += value
            calls[0] += f.get('calls', 0)
    got = collections.defaultdict(int)
    for f in both['functions']:
        for metric, value in f['self'].items():
            got[metric] += value
        calls[1] += f.get('calls', 0)
    if {m for top in tops for f in top['functions'] for m in f['self']} == set(got):
        wrong += [f'{m}: {got[m]}, not {sums[m]}' for m in sums if not close(got[m], sums[m])]
    elif not close(sum(got.values()), sum(sums.values())):
        wrong.append(f'{dict(got)}, not {dict(sums)}')  # other names of the same metrics
    if all(any('calls' in f for f in top['functions']) for top in tops) and calls[0] != calls[1]:
        wrong.append(f'{calls[1]} calls, not {calls[0]}')
    back = collections.defaultdict(int)
    for f in other['functions'] if other else []:
        for metric, value in f['self'].items():
            back[metric] += value
    if other is None or both['count'] != other['count'] or \
            sorted(back.values()) != sorted(got.values()) and not any(isinstance(v, float) for v in got.values()):
        wrong.append(f'the order of files matters: {dict(got)}, {dict(back)}')
    return wrong


def moved(directory):
    """Thousands of closures, recorded in another directory, all meet."""
    for number, root in enumerate(('/srv/v1/app', '/home/x/v2/app')):
        with open(os.path.join(directory, f'moved{number}.xt'), 'w') as file:
            print('version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: x.php\npart: 1\npositions: line\n\n'
                  'events: Time_(10ns) Memory_(bytes)\n', file=file)
            for i in range(2000):
                path = f'{root}/m{i % 50}/f{i % 600}.php'
                print(f'fl=({i + 1}) {path}\nfn=({i + 1}) {{closure:{path}:{i}-{i + 2}}}\n{i + 1} {i + 5} 0\n', file=file)
            print(f'fl=(2001) {root}/x.php\nfn=(2001) {{main}}\n1 10 0', file=file)
            for i in range(2000):
                print(f'cfl=({i + 1})\ncfn=({i + 1})\ncalls=1 0 0\n1 {i + 5} 0', file=file)
            print('\nsummary: 1 0', file=file)
    rows = ask('diff', '--json', *(os.path.join(directory, f'moved{number}.xt') for number in (0, 1)))['functions']
    ok([row['name'] for row in rows if row['status'] != 'same'] or ([] if len(rows) == 2001 else [len(rows)]),
       'two thousand closures in another directory')


def main():
    files = [path for path in sorted(glob.glob(os.path.join(samples, '*', 'good', '*')))
             if not path.endswith(('.txt', '.txt.gz', '.txt.zst')) and os.path.getsize(path) < 300000]
    files = files[::1 if os.environ.get('POLYPROF_ALL') else 2]
    names = {path: os.path.relpath(path, samples) for path in files}
    with tempfile.TemporaryDirectory() as directory:
        moved(directory)
        for path in files:
            filters(path, names[path])
            unchanged(path, names[path])
            written(path, names[path], directory)
    pairs = [rng.sample(files, 2) for _ in range(PAIRS)]
    by_format = collections.defaultdict(list)
    for path in files:
        by_format[names[path].split('/')[0]].append(path)
    pairs += [rng.sample(group, 2) for group in by_format.values() if len(group) > 1 for _ in range(12)]
    for a, b in pairs:
        wrong = mirror(a, b)
        if wrong is not None:
            wrong += scaled(a, b, rng.choice(('total', 'samples', 'time')))
            ok(wrong, f'{names[a]} and {names[b]}: diff both ways')
        if wrong is not None and not a.endswith('.json'):
            ok(piped(a, b), f'{names[a]} and {names[b]}: diff of a pipe')
        wrong = merged([a, b])
        if wrong is not None:
            ok(wrong, f'{names[a]} and {names[b]}: merged')
    print(f'1..{number}')
    return 1 if failed else 0


sys.exit(main())
