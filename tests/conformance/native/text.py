#!/usr/bin/env python3
"""What DTrace and bpftrace print, beside what it must come to: text.py POLYPROF tests/formats [CORPUS/native]. Speaks TAP.

DTrace: own cost by module and symbol, the whole, whether all of it is there, and the same once more after it was written and read
again. bpftrace: the sum of each map, and where stacks of kernel and program meet.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
corpus = sys.argv[3] if len(sys.argv) > 3 else ''
tap = Tap()
OWN = {
    'profile.dtrace': {'total': 1253, 'self': {'genunix`fop_read': 41, 'libc.so.1`0xdead10': 2, 'zfs`arc_read': 6,
                                               'depot`operator+(Row const&, Row const&)': 1204}},
    'keys.dtrace': {'total': 24, 'self': {'depot`index_rows': 21, 'libc.so.1`memcpy': 3}},
    'table.dtrace': {'total': 20, 'self': {'depot`index_rows': 20}},
    'printed.dtrace': {'total': 2, 'self': {'libc.so.1`__write': 2}},
    'sum.dtrace': {'total': 12288, 'self': {'depot`release': -8192, 'depot`acquire': 20480}},
}


def top(path):
    done = subprocess.run([polyprof, 'top', '--json', '-n', '0', path], capture_output=True, timeout=60)
    return json.loads(done.stdout) if done.returncode == 0 else {'format': done.stderr.decode(errors='replace')}


def check(path, want, work):
    answer = top(path)
    name, metric = os.path.basename(path), answer.get('metric')
    tap.same(answer['format'], 'dtrace', f'{name} is recognised')
    own = {'`'.join(filter(None, (f.get('module'), f['name']))): f['self'][metric] for f in answer.get('functions', ())}
    tap.same({key: own.get(key) for key in want['self']}, want['self'], f'{name}: own costs')
    tap.same((answer.get('total'), answer.get('complete')), (want['total'], want.get('complete', True)), f'{name}: the whole')
    again = os.path.join(work, 'again.dtrace')
    subprocess.run([polyprof, 'convert', '-q', '--to', 'dtrace', '-o', again, path], check=True, timeout=60)
    tap.same(top(again).get('functions'), answer.get('functions'), f'{name}: written and read again')


MAPS = {
    'stacks.bpftrace': {'@': 20, '@size': 4, '@took': 37},
    'maps.bpftrace': {'@': 19, '@size': 4, '@took': 34},
    'printed.bpftrace': {'printf': 2},
}


def maps(path, want):
    done = subprocess.run([polyprof, 'info', '--json', path], capture_output=True, timeout=60)
    info = json.loads(done.stdout) if done.returncode == 0 else {'format': done.stderr.decode(errors='replace'), 'metrics': []}
    sums = {metric['event']: metric['total'] for metric in info['metrics']}
    tap.same((info['format'], {name: sums.get(name) for name in want}), ('bpftrace', want), f'{os.path.basename(path)}: maps')


def folded(path):
    done = subprocess.run([polyprof, 'convert', '-q', '--to', 'folded', '-o', '-', path], capture_output=True, timeout=60)
    return done.stdout.decode().splitlines()


KERNEL, USER, OTHER = '        vfs_read+5\n        do_syscall_64+9\n', '        sort_rows+3\n        main+7\n', '        load+1\n        main+7\n'
PRINTED = [
    # What is printed: stacks, how often, warnings.
    ('pairs.txt', f'Attaching 1 probe...\nwrk 7\n\n{KERNEL}\n\n{USER}\nwrk 7\n\n\n{USER}\nwrk 8\n\n{USER}\n\n{KERNEL}\n',
     ['main;sort_rows 1', 'main;sort_rows;do_syscall_64;vfs_read 2'], b''),
    ('three.txt', f'Attaching 1 probe...\n\n{USER}\n\n{OTHER}\n\n{USER}\n', ['main;load 1', 'main;sort_rows 2'], b''),
    ('printf.ndjson', '{"type": "attached_probes", "data": {"probes": 1}}\n' + ''.join(json.dumps({'type': 'printf', 'data': f'wrk 7\n\n{KERNEL}\n\n{stack}\n'}) + '\n' for stack in (USER, OTHER, USER))
     + '{"type": "printf", "data": "@no[map]: 1\\n"}\n', ['main;load;do_syscall_64;vfs_read 1', 'main;sort_rows;do_syscall_64;vfs_read 2'], b''),
    ('windows.txt', 'Attaching 1 probe...\n' + ''.join(f'@[\n    f+1\n    main+2\n]: {a}\n@[\n    g+1\n    main+2\n]: {b}\n' for a, b in ((2, 5), (3, 9))),
     ['main;f 5', 'main;g 14'], b'bpftrace-again'),
    ('once.txt', 'Attaching 1 probe...\n@[\n    f+1\n    main+2\n]: 2\n@[\n    g+1\n    main+2\n]: -1\n', ['main;f 2', 'main;g 0'], b''),
    ('key.txt', '\n              app`f+0x1\n              app`main+0x1\n  my tool                                       44\n', ['main;f 44'], b''),
]


def printed(work):
    for name, text, want, warning in PRINTED:
        path = os.path.join(work, name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        done = subprocess.run([polyprof, 'check', path], capture_output=True, timeout=60)
        said = done.stdout + done.stderr
        tap.same((folded(path), (warning in said) if warning else b'warning' in said), (want, bool(warning)), f'{name}: what is printed')


with tempfile.TemporaryDirectory() as directory:
    printed(directory)
    for file, expected in OWN.items():
        check(os.path.join(samples, 'dtrace/good', file), expected, directory)
    for file, expected in MAPS.items():
        maps(os.path.join(samples, 'bpftrace/good', file), expected)
    tap.same(folded(os.path.join(samples, 'bpftrace/good/stacks.bpftrace')), [
        '0x7f16bff16439;0x55d0c0ffee10 1', 'start_thread;worker;sort_rows 7',
        'start_thread;worker;sort_rows;entry_SYSCALL_64_after_hwframe;do_syscall_64;vfs_read 12'], 'the kernel is on top')
    shapes = os.path.join(corpus, 'dtrace_shapes')
    if os.path.isdir(shapes):
        with open(os.path.join(shapes, 'expect.json')) as cases:
            for file, expected in json.load(cases).items():
                check(os.path.join(shapes, file), expected, directory)
        with open(os.path.join(corpus, 'bpftrace/expect.json')) as cases:
            for file, expected in json.load(cases).items():
                maps(os.path.join(corpus, 'bpftrace', file), expected)
    else:
        tap.skip('shapes of the corpus', 'the corpus is not here')
sys.exit(tap.done())
