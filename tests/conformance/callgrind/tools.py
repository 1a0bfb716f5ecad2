#!/usr/bin/env python3
"""Against the tools themselves: tools.py POLYPROF SOURCE-ROOT. Speaks TAP; skips what is not installed.

- what we write as callgrind, callgrind_annotate reads without a word on stderr and with our numbers, own and
  inclusive, recursion included;
- a file that valgrind records now, and one that PHP's Xdebug records now, have callgrind_annotate's own costs;
- what we write as cachegrind, cg_annotate accepts.
"""
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

polyprof, root = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
number = failed = 0


def ok(passed, what, detail=''):
    global number, failed
    number += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {what}" + ('' if passed else f'\n# {detail[:1000]}'))


def skip(what, why):
    global number
    number += 1
    print(f'ok {number} - {what} # SKIP {why}')


def run(*command, **options):
    return subprocess.run(command, capture_output=True, timeout=300, stdin=subprocess.DEVNULL, **options)


def annotate(path, *options):
    """{file:function: [costs]} and stderr."""
    done = run('callgrind_annotate', '--threshold=100', '--auto=no', '--show-percs=no', *options, path, cwd='/')
    rows, columns, listing = {}, None, False
    for line in done.stdout.decode('utf8', 'replace').split('\n'):
        total = re.match(r'\s*([\d,.\s-]+?)\s+PROGRAM TOTALS', line)
        if total:
            columns = len(total[1].split())
        listing |= line.rstrip().endswith('file:function')
        cells = line.split(None, columns or 1)
        if not listing or not columns or len(cells) <= columns:
            continue
        try:
            costs = [0 if c == '.' else int(c.replace(',', '')) for c in cells[:columns]]
        except ValueError:
            continue
        rows[re.sub(r' \[.*\]$', '', cells[columns])] = costs
    return rows, done.stderr.decode('utf8', 'replace')


def ours(path):
    """[(file:function, row)]; the same may occur in several objects."""
    data = json.loads(run(polyprof, 'top', '--json', '-n', '0', path).stdout)
    return [(f"{f.get('file', '???')}:{f['name']}", f) for f in data['functions']]


def raw(costs, factor):
    return [value // factor if name.startswith('Time') else value for name, value in costs.items()]


def check_written(directory, path, factor):
    """Xdebug to callgrind: numbers in callgrind_annotate are ours."""
    name = os.path.basename(path)
    out = os.path.join(directory, 'callgrind.out.' + os.path.splitext(name)[0])
    run(polyprof, 'convert', path, '--to', 'callgrind', '-o', out)
    inclusive, said = annotate(out, '--inclusive=yes')
    own, _ = annotate(out)
    wrong = []
    for key, function in ours(path):
        total = raw(function['total'], factor)
        # It leaves out functions without cost, and roots of functions that are also called (destructors).
        if any(total) and inclusive.get(key) != total and not function['name'].endswith('__destruct'):
            wrong.append(f'{key}: inclusive {inclusive.get(key)}, not {total}')
        self = [a + b for a, b in zip(own.get(key, [0, 0]), own.get(key + "'2", [0, 0]))]
        if self != raw(function['self'], factor)[:len(self)]:
            wrong.append(f"{key}: own {self}, not {raw(function['self'], factor)}")
    ok(not wrong and not said, f'{name} through callgrind_annotate', '; '.join(wrong[:3]) + said)


def check_own(path, what):
    """Own costs of a file as callgrind_annotate shows them; it counts inlined files apart."""
    theirs, _ = annotate(path)
    sums, mine = {}, {}
    for key, costs in theirs.items():
        sums[key.rsplit(':', 1)[-1]] = sums.get(key.rsplit(':', 1)[-1], 0) + costs[0]
    for key, function in ours(path):
        name, values = key.rsplit(':', 1)[-1], list(function['self'].values())
        mine[name] = mine.get(name, 0) + values[0]
    scale = 10 if 'xdebug' in what else 1
    wrong = [f'{name}: {mine.get(name)}, not {cost}' for name, cost in sums.items()
             if cost and mine.get(name) != cost * scale]
    ok(bool(sums) and not wrong, what, '; '.join(wrong[:4]))


def main():
    directory = tempfile.mkdtemp()
    if shutil.which('callgrind_annotate'):
        for path in sorted(glob.glob(os.path.join(root, 'tests/formats/xdebug/good/3.*'))):
            if 'append' not in path:
                check_written(directory, path, 10)
        for path in sorted(glob.glob(os.path.join(root, 'tests/formats/xdebug/good/2.3*'))):
            check_written(directory, path, 1000)
        if shutil.which('valgrind') and shutil.which('cc'):
            run('cc', '-O1', '-g', '-fno-optimize-sibling-calls', '-o', directory + '/rec',
                os.path.join(root, 'tests/conformance/callgrind/rec.c'))
            out = directory + '/callgrind.out.now'
            run('valgrind', '--tool=callgrind', '--callgrind-out-file=' + out, directory + '/rec')
            check_own(out, 'a file that valgrind recorded now')
            rows = [row for _, row in ours(out)]
            whole = sum(row['self']['Ir'] for row in rows)
            ok(all(row['total']['Ir'] <= whole for row in rows), 'no function costs more than the whole')
        else:
            skip('a file that valgrind recorded now', 'no valgrind or compiler')
        if shutil.which('php') and b'xdebug' in run('php', '-m').stdout.lower():
            run('php', '-d', 'xdebug.mode=profile', '-d', 'xdebug.start_with_request=yes', '-d',
                'xdebug.output_dir=' + directory, '-d', 'xdebug.profiler_output_name=now', '-d',
                'xdebug.use_compression=0', os.path.join(root, 'tests/conformance/callgrind/rec.php'))
            check_own(directory + '/now', 'a file that xdebug recorded now')
            check_written(directory, directory + '/now', 10)
            verdict = json.loads(run(polyprof, 'check', '--json', directory + '/now').stdout)['files'][0]
            ok(verdict['verdict'] == 'accept', 'and it is accepted', json.dumps(verdict))
        else:
            skip('a file that xdebug recorded now', 'no PHP with Xdebug')
    else:
        skip('callgrind_annotate', 'not installed')
    if shutil.which('cg_annotate'):
        for path in sorted(glob.glob(os.path.join(root, 'tests/formats/cachegrind/good/*'))):
            out = directory + '/cachegrind.out.again'
            run(polyprof, 'convert', path, '--to', 'cachegrind', '-o', out)
            done = run('cg_annotate', out)
            ok(done.returncode == 0 and not done.stderr, f'{os.path.basename(path)} through cg_annotate',
               done.stderr.decode(errors='replace'))
    else:
        skip('cg_annotate', 'not installed')
    shutil.rmtree(directory)
    print(f'1..{number}')
    return 1 if failed else 0


sys.exit(main())
