#!/usr/bin/env python3
"""Answers under a budget: budgets.py POLYPROF SAMPLES

Over all good samples: no answer exceeds its budget, whatever it is; both forms of a result are the same; pages show each row
exactly once; rows of trees add up at every budget, and a larger one shows more of the same; numbers are those of
`top --json`; handles are the same in two processes, and on the command line. What `check` says under a budget is what it says
without one, also of bad samples, whatever was asked before. Speaks TAP.
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile
import unicodedata

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from agents.kit import Server
from tap import SHARE, Tap

TOOLS = ['summary', 'findings', 'info', 'check', 'top', 'tree', 'lines', 'callers', 'callees', 'show', 'diff', 'trend', 'list']
RANDOM = random.Random(18)


def arguments(tool, file):
    if tool == 'diff':
        return {'before': file, 'after': file}
    if tool == 'trend':
        return {'files': [file, file, file]}
    if tool == 'list':
        return {'dir': os.path.dirname(file)}
    if tool in ('callers', 'callees', 'show'):
        return {'file': file, 'function': 'f1'}
    return {'file': file}


def budgets_hold(server, file, count, tools=TOOLS):
    for tool in tools:
        for budget in [300] + [RANDOM.randint(300, 20000) for _ in range(count)]:
            answer, size, result = server.call(tool, budget=budget, **arguments(tool, file))
            if size > 2 * budget:
                return f'{tool} takes {size} bytes of {2 * budget}'
            if answer != result['structuredContent']:
                return f'{tool}: data and text differ'
            if answer['tool'] != tool:
                return f'{tool} is answered as {answer["tool"]}'
            cut = answer.get('cut')
            if cut and 'rows' in answer and tool != 'tree' and not answer['rows']:
                return f'{tool} under {budget} shows no row, so that pages lead nowhere'
            if cut and tool in ('top', 'lines') and size < 1.2 * budget:
                return f'{tool} uses {size} of {2 * budget} bytes'
    return None


def pages(server, tool, budget, **given):
    rows, page, all_rows = [], None, None
    for _ in range(5000):
        answer, _, _ = server.call(tool, budget=budget, **given, **({'page': page} if page else {}))
        if 'error' in answer:
            return None, None
        rows += answer['rows']
        all_rows = answer.get('count')
        if 'cut' not in answer:
            return rows, all_rows
        page = answer['cut']['next']['page']
    return rows, -1


def pages_hold(server, file):
    for tool in ('top', 'lines', 'check', 'findings', 'info'):
        budget = RANDOM.randint(300, 900)
        rows, count = pages(server, tool, budget, file=file)
        whole, _ = pages(server, tool, 20000, file=file)
        if rows is None:
            continue
        if len(rows) != count or len(whole) != count:
            return f'{tool}: {len(rows)} and {len(whole)} rows of {count}'
        if budget > 600 and [r[:5] for r in rows] != [r[:5] for r in whole] and tool == 'top':
            return f'{tool}: pages are not the whole'
    return None


def tree_sum(rows):
    """Whether each row is what it costs itself and the rows one level below it."""
    for at, row in enumerate(rows):
        if row[6] is None:
            continue
        below = 0
        for other in rows[at + 1:]:
            if other[2] <= row[2]:
                break
            if other[2] == row[2] + 1:
                below += other[5]
        leaf = at + 1 == len(rows) or rows[at + 1][2] <= row[2]
        if leaf and row[6] == row[5]:
            continue
        if abs(row[6] + below - row[5]) > 1e-6 * max(1, abs(row[5])):
            return f'{row[0]}: {row[5]} is not {row[6]} + {below}'
    return None


def trees_hold(server, file):
    before = None
    for budget in sorted(RANDOM.randint(300, 6000) for _ in range(4)):
        answer, _, _ = server.call('tree', file=file, budget=budget)
        if 'error' in answer:
            return None
        wrong = tree_sum(answer['rows'])
        if wrong:
            return f'budget {budget}: {wrong}'
        shown = {row[0] for row in answer['rows'] if not row[0].endswith('+')}
        if before is not None and not before <= shown:
            return f'budget {budget} does not show {sorted(before - shown)[:3]}'
        before = shown
    return None


def rests_of(rows):
    return {row[0][:-1]: row[5] for row in rows if row[0].endswith('+')}


def not_largest(server, file, rests, node):
    """Whether there is a larger rest than that of `node`. What skipped frames cost themselves is in a rest, too: one that
    holds nothing else is in the whole tree as well, and there is nothing to open."""
    whole, _, _ = server.call('tree', file=file, budget=20000)
    lasting = rests_of(whole['rows']) if 'cut' not in whole else {}
    return any(abs(rest) > abs(rests[node]) and ('cut' in whole or rest != lasting.get(other)) for other, rest in rests.items())


def follow(server, file, budget):
    """The rows of a tree in all of its answers, one after the other as `next` says; the first of each is what it is about."""
    given, rows = {}, []
    for number in range(4000):
        answer, size, _ = server.call('tree', file=file, budget=budget, **given)
        if 'error' in answer:
            return None, answer['error'] if number else None
        if size > 2 * budget:
            return None, f'{size} bytes of {2 * budget}'
        wrong = tree_sum(answer['rows'])
        if wrong:
            return None, f'{given}: {wrong}'
        if number and answer['rows'][0][0] != given['node']:
            return None, f'{given} is about {answer["rows"][0][0]}'
        rests = rests_of(answer['rows'])
        rows += [row for row in answer['rows'][1 if number else 0:] if not row[0].endswith('+')]
        if 'cut' not in answer:
            return rows, None
        following = answer['cut']['next']
        if number == 0 and not_largest(server, file, rests, following['node']):
            return None, f'{following} is not the row with the largest rest'
        if following == given:
            return None, f'{given} leads to itself'
        given = following
    return None, 'it goes on without an end'


def open_all(server, file):
    """Following `next` alone shows each node that has a row once, whatever the budget."""
    whole, wrong = follow(server, file, 20000)
    if whole is None:
        return wrong
    for budget in (300, RANDOM.randint(300, 2000)) if len(whole) < 120 else (RANDOM.randint(900, 3000),):
        rows, wrong = follow(server, file, budget)
        if rows is None:
            return wrong
        ids = [row[0] for row in rows]
        if len(set(ids)) != len(ids):
            return f'budget {budget}: {len(ids) - len(set(ids))} nodes are shown twice'
        if sorted((row[0], row[5], row[6]) for row in rows) != sorted((row[0], row[5], row[6]) for row in whole):
            return f'budget {budget}: {len(rows)} of {len(whole)} nodes, {sorted(set(r[0] for r in whole) ^ set(ids))[:5]}'
    return None


def rests_open(server, file):
    """A row that stands for several is opened by its node: what was shown of that is the same, and there is more."""
    answer, _, _ = server.call('tree', file=file, budget=RANDOM.randint(300, 700))
    shown = {row[0]: row for row in answer.get('rows', ()) if not row[0].endswith('+')}
    rests = [row for row in answer.get('rows', ()) if row[0].endswith('+')]
    for rest in rests[:12]:
        node = rest[0][:-1]
        inner, _, _ = server.call('tree', file=file, node=node, budget=6000)
        if 'error' in inner:
            return f'{rest[0]}: {inner["error"]}'
        rows = {row[0]: row for row in inner['rows']}
        wrong = tree_sum(inner['rows'])
        if wrong:
            return f'{rest[0]}: {wrong}'
        if inner['rows'][0][0] != node or [inner['rows'][0][at] for at in (5, 6, 7, 8)] != [shown[node][at] for at in (5, 6, 7, 8)]:
            return f'{rest[0]} is about {inner["rows"][0]}, not {shown[node]}'
        # What frames that are skipped cost themselves is left, too.
        if not set(rows) - set(shown) - {rest[0]} and not any(row[3] for row in inner['rows']):
            return f'{rest[0]}: nothing new'
        if any(rows[other][4:] != shown[other][4:] for other in set(rows) & set(shown)):
            return f'{rest[0]}: other numbers'
    return None


def numbers_hold(polyprof, server, samples, file):
    run = subprocess.run([polyprof, 'top', '--json', os.path.join(samples, file)], capture_output=True)
    if run.returncode:
        return None
    exact = json.loads(run.stdout)
    rows, _ = pages(server, 'top', 20000, file=file)
    metric = exact.get('metric')
    if rows is None or metric is None:
        return None
    functions = exact['functions']
    if len(functions) != len(rows):
        return f'{len(functions)} functions, {len(rows)} rows'
    for at, (function, row) in enumerate(zip(functions, rows)):
        if [function['self'][metric], function['total'][metric]] != row[2:4]:
            return f'row {at}: {function["self"][metric]} is not {row[2]}'
        if row[0] != f'f{at + 1}':
            return f'row {at} has handle {row[0]}'
    return None


def counts_hold(polyprof, server, samples, file):
    """What is counted is the same in `info` with a budget and without."""
    run = subprocess.run([polyprof, 'info', '--json', os.path.join(samples, file)], capture_output=True)
    if run.returncode:
        return None
    exact = json.loads(run.stdout)['counts']
    answer, _, _ = server.call('info', file=file, budget=2000)
    wrong = {key: value for key, value in answer['counts'].items() if exact.get(key, 0) != value}
    if wrong:
        return f'{wrong} instead of {exact}'
    return threads_hold(server, file, exact['threads'])


def threads_hold(server, file, threads):
    """Threads are the rows by thread but for those of a process as a whole, which have no number; where there are none, one at most."""
    answer, _, _ = server.call('top', file=file, by='thread', budget=20000)
    rows = answer.get('count', 0)
    unnamed = sum(not row[answer['columns'].index('name')][-1:].isdigit() for row in answer.get('rows', []))
    if not rows - unnamed <= threads <= rows and (rows or threads > 1):
        return f'{threads} threads, {rows} rows by thread, {unnamed} of them without a number'
    return None


def wholes_hold(server, file):
    """Answers agree on the total, and shares are of it unless the metric falls."""
    top, _, _ = server.call('top', file=file, budget=20000)
    if 'error' in top or 'total' not in top:
        return None
    for tool in ('tree', 'summary', 'findings', 'info'):
        answer, _, _ = server.call(tool, file=file, budget=20000)
        if 'error' not in answer and answer['total'] != top['total']:
            return f'{tool}: the total is {answer["total"]}, that of top {top["total"]}'
    falls = any(kind == 'net-metric' for kind, *_ in server.call('findings', file=file, budget=20000)[0]['rows'])
    for tool, share, cost in (('top', 1, 2), ('lines', 0, 1), ('tree', 4, 5)):
        answer, _, _ = server.call(tool, file=file, budget=20000)
        total = answer['total'] - answer.get('idle', 0) if 'total' in answer else None
        for row in answer.get('rows', []) if total and not falls else []:
            if abs(row[share] - 100 * row[cost] / total) > 0.0051:
                return f'{tool}: {row[cost]} of {total} is {row[share]} %'
        if total == 0 and any(row[share] for row in answer.get('rows', [])):
            return f'{tool}: shares of nothing'
    return None


def check_holds(polyprof, server, samples, file):
    run = subprocess.run([polyprof, 'check', '--json', file], capture_output=True, cwd=samples)
    exact = json.loads(run.stdout)['files'][0]
    for before in (None, 'top', None):
        if before:
            server.call(before, file=file)
        answer, _, _ = server.call('check', file=file, budget=20000)
        if 'error' in answer:
            return None if run.returncode == 3 else answer['error']
        if answer['verdict'] != exact['verdict']:
            return f'{answer["verdict"]} instead of {exact["verdict"]}'
        found = [diag['rule'] for diag in exact['diagnostics']]
        if [row[1] for row in answer['rows']] != found[:len(answer['rows'])] or answer['count'] != len(found):
            return f'after {before}: {[row[1] for row in answer["rows"]]} instead of {found}'
    return None


def hidden_are_spelled(server, home):
    """Nothing that hides or reorders text reaches a model."""
    ignorable = {0x34f, 0x115f, 0x1160, 0x17b4, 0x17b5, *range(0x180b, 0x1810), 0x2065, 0x2800, 0x3164, *range(0xfe00, 0xfe10), 0xffa0,
                 *range(0xfff0, 0xfff9), *range(0x13430, 0x13440), *range(0xe0000, 0xe1000)}

    def is_hidden(code):
        return unicodedata.category(chr(code)) in ('Cc', 'Cf', 'Co', 'Zl', 'Zp') or code in ignorable

    codes = [code for code in range(1, 0x110000) if is_hidden(code) and chr(code) not in ' ;\n\r']
    # Of planes for private use a few do.
    codes = [code for code in codes if code < 0xf0000 or code % 4999 == 0]
    for at in range(0, len(codes), 2500):
        with open(os.path.join(home, f'hidden{at}.folded'), 'w') as file:
            file.write(''.join(f'm;a{chr(code)}b 1\n' for code in codes[at:at + 2500]))
        rows, count = pages(server, 'top', 20000, file=file.name)
        shown = ''.join(row[5] for row in rows)
        wrong = sorted({hex(ord(letter)) for letter in shown if is_hidden(ord(letter))})
        if wrong or count < 2500 and at + 2500 < len(codes):
            return f'{count} functions, not spelled: {wrong[:20]}'
    return None


def chains_open(server, home):
    """Frames that are skipped one by one hold no more than one of them may: what they cost could not be opened."""
    path = os.path.join(home, 'chain.folded')
    with open(path, 'w') as file:
        file.write(''.join(';'.join(f'f{n}' for n in range(depth)) + ' 10\n' for depth in range(1, 160)) +
                   ';'.join(f'f{n}' for n in range(160)) + ';leaf;end 900\n')
    answer, _, _ = server.call('tree', file=path, budget=20000)
    worst = max(row[4] for row in answer['rows'] if row[0].endswith('+'))
    return None if worst < 1 and 'cut' not in answer and any(row[3] for row in answer['rows']) else f'{worst} % cannot be opened'


def handles_hold(polyprof, server, samples, file):
    """What the command line prints is what the server answers."""
    for tool in ('top', 'tree'):
        answer, _, _ = server.call(tool, file=file, budget=700)
        run = subprocess.run([polyprof, tool, '--json', '--budget', '700', file], capture_output=True, cwd=samples)
        line = json.loads(run.stdout)
        for key in ('rows', 'stamp', 'total', 'count'):
            if line.get(key) != answer.get(key) and 'error' not in answer:
                return f'{tool}: {key} differs: {str(line.get(key))[:80]}, {str(answer.get(key))[:80]}'
    return None


def hostile(path, letters):
    """Calls whose names, files and events are as long as they like and double when they are escaped, with costs of many digits."""
    def word(length):
        return ''.join(RANDOM.choice(letters) for _ in range(length))

    names = [word(RANDOM.choice((20, 170, 600))) + str(n) for n in range(20)]
    events = [word(RANDOM.choice((20, 90))) + str(n) for n in range(14)]

    def costs():
        return ' '.join(str(10 ** 15 + RANDOM.randint(0, 10 ** 14)) for _ in events)

    with open(path, 'w') as file:
        file.write(f'version: 1\ncreator: callgrind-3.19.0\ncmd: {word(300)}\npart: 1\npositions: line\nevents: {" ".join(events)}\n\n')
        for name in names[:8]:
            file.write(f'fl={name}.c\nfn={name}\n10 {costs()}\n')
            for other in names[8:]:
                file.write(f'cfl={other}.c\ncfn={other}\ncalls=99999999999 10\n12 {costs()}\n')
            file.write('\n')


def hostile_hold(server, home):
    """Nothing in a profile breaks the bound, makes answers without rows, or leaves metrics out silently."""
    wrong = []
    for at, letters in enumerate(('x', '\\"', '\u202e\U000e0041', '\u6f22\u00e9')):
        path = os.path.join(home, f'{"d" * 60}{letters[0]}{at}.callgrind')
        hostile(path, letters)
        for _ in range(3):
            w = budgets_hold(server, path, 6, [tool for tool in TOOLS if tool != 'list'])
            wrong += [f'{at}: {w}'] if w else []
        shown, _, _ = server.call('show', file=path, function='f1', budget=300)
        wrong += [] if len(shown['self']) + shown['metrics_left'] == 14 else [f'{at}: {shown}']
        whole, _, _ = server.call('show', file=path, function='f1', budget=8000)
        wrong += [] if len(whole['self']) == 14 and 'metrics_left' not in whole else [f'{at}: {len(whole["self"])} metrics']
    return '\n'.join(wrong) or None


def main():
    polyprof, samples = map(os.path.abspath, sys.argv[1:3])
    tap = Tap()
    server = Server(polyprof, samples)
    files = sorted(f for f in glob.glob('*/good/*', root_dir=samples) if not f.endswith(('.txt.gz', '.txt.zst', '.txt')))
    first = {}
    for file in files:
        first.setdefault(file.split('/')[0], file)
    wrong = []
    for file in files[::SHARE]:
        wrong += [f'{file}: {w}' for w in [budgets_hold(server, file, 1, TOOLS[:-1])] if w]
    tap.ok(not wrong, f'{len(files)} samples keep budgets', '\n'.join(wrong[:10]))
    for file in first.values():
        tap.ok(*result(budgets_hold(server, file, 20 // SHARE), f'{file}: twenty budgets'))
        tap.ok(*result(pages_hold(server, file), f'{file}: pages'))
        tap.ok(*result(trees_hold(server, file), f'{file}: trees add up'))
        tap.ok(*result(open_all(server, file), f'{file}: trees can be opened'))
        tap.ok(*result(rests_open(server, file), f'{file}: each of what is left can be opened'))
        tap.ok(*result(numbers_hold(polyprof, server, samples, file), f'{file}: numbers'))
        tap.ok(*result(counts_hold(polyprof, server, samples, file), f'{file}: counts'))
        tap.ok(*result(handles_hold(polyprof, server, samples, file), f'{file}: two processes'))
    wrong = []
    for file in sorted(glob.glob('*/good/*', root_dir=samples))[::SHARE]:
        wrong += [f'{file}: {w}' for w in [wholes_hold(server, file)] if w]
    tap.ok(not wrong, 'totals, and shares of them', '\n'.join(wrong[:10]))
    wrong = []
    for file in sorted(glob.glob('*/bad/*', root_dir=samples))[::SHARE]:
        wrong += [f'{file}: {w}' for w in [check_holds(polyprof, server, samples, file)] if w]
    tap.ok(not wrong, 'bad samples are judged alike', '\n'.join(wrong[:10]))
    # Those of whole processes, of nobody, and without stacks.
    threads = ('otlp/good/all.otlp', 'trace-event/good/slices.trace.json', 'spaa/good/samples-windows.spaa',
               'perf-script/good/fp.eventonly.txt.gz', 'perf-script/good/tp.trace.txt.gz')
    for file in (*files, *threads[-2:]):
        if file.startswith(('spx/', *threads)) and file not in first.values():
            tap.ok(*result(counts_hold(polyprof, server, samples, file), f'{file}: counts'))
    with tempfile.TemporaryDirectory() as home:
        other = Server(polyprof, home)
        tap.ok(*result(hostile_hold(other, home), 'names that are as long as they like'))
        tap.ok(*result(hidden_are_spelled(other, home), 'characters that hide are spelled'))
        tap.ok(*result(chains_open(other, home), 'long chains'))
        other.end()
    code, rest, _ = server.end()
    tap.ok(code == 0 and rest == b'', 'the server ends with its input')
    return tap.done()


def result(wrong, name):
    return wrong is None, name, wrong


sys.exit(main())
