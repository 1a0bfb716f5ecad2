#!/usr/bin/env python3
"""Folded stacks against the list of cases and against a slow model: cases.py POLYPROF [CORPUS]

folded/expectations.json names for each case the canonical form, the totals and the refused lines. Then
files made of awkward pieces are compared with the model below, read in every way: alone, by two
threads, from a pipe, compressed, and through the tree instead of the direct way. CORPUS may name a
directory with another expectations.json, which is then checked too. Speaks TAP.
"""
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap, share  # noqa: E402 (needs the path above)

HERE = os.path.dirname(os.path.abspath(__file__))
BLANKS = b' \t\x0b\x0c\r'
LARGEST = (1 << 64) - 1
FORMATS = {'folded': 'folded', 'diff': 'diff-folded'}
PIECES = [b'main', b'a', b'a-b', b'b', b'', b' ', b';', b';', b'\t', b' 1', b' 22', b' 0', b'7', b'+5', b'-1',
          b'1.5', b'18446744073709551615', b'18446744073709551616', b'\r', b'\xff', b'\xe9', b'\x00', b'\x0b',
          b'\xc3\xa9', b'\xef\xbb\xbf', b'# x', b'foo bar', b'00012', b'\xd9\xa3', b'_[k]', b'x' * 70]


# What collapsers other than perf's write: annotations, ids, places, fractions of names, odd blanks.
HABITS = {
    'tracer': b'worker;app.py:main:12;app.py:fib:4 1000\nworker;app.py:main:12 250\nworker;app.py:main:12;app.py:fib:4 7\n',
    'async-profiler': b'java/lang/Thread.run_[j];Main$1.call_[i];libjvm.so`Foo_[k] 12\njava/lang/Thread.run_[j] 3\n',
    'py-spy': b'<module> (app.py:30);fib (app.py:4);<listcomp> (app.py:5) 17\n<module> (app.py:30) 1\n',
    'rbspy': b'<main> - app.rb:1;block in run - lib/a b.rb:22;Integer#times [c function] - (unknown):0 5\n',
    'dtrace': b"libc.so.1`main+0x12;genunix`read;unix`0xfffffffffb800c86 40\nlibc.so.1`main+0x12 2\n",
    'bpftrace': b'swapper/0;secondary_startup_64+0xb;start_kernel 9001\nbash;__libc_start_main+231 2\n',
    'cargo flamegraph': b'app;<alloc::vec::Vec<T> as core::iter::FromIterator<T>>::from_iter;[unknown] 300\napp;__rust_begin 1\n',
    'go': b'runtime.main;main.(*Server).Serve.func1;net/http.(*conn).serve;encoding/json.Marshal[...] 44\n',
    'node': b'node;v8::internal::Builtin;~fib file:///srv/app.js:3:14;*fib file:///srv/app.js:3:14 61\n',
    'php': b'{main};App\\Kernel->handle;{closure:/srv/a.php:3-9} 12\n{main};include /srv/b.php 4\n',
    'windows': b'app.exe!main;ntdll.dll!RtlUserThreadStart;KERNEL32.DLL!BaseThreadInitThunk 8\r\napp.exe!main 1\r\n',
    'off-cpu': b'mysqld;do_command;-;finish_task_switch_[k] 1234567\nmysqld;- 99\nmysqld;do_command;-;finish_task_switch_[k] 1\n',
    'erlang': b"<0.12.0>;'Elixir.App':run/2;lists:foldl/3;SLEEP 77\n<0.12.0>;lists:foldl/3 5\n",
    'tabs': b'main;a b;c\t5\nmain;a b\t\t6 \n\n\tmain 7\n',
}


def model(data, counts):
    """The canonical form, the totals and the refused lines."""
    data = data.removeprefix(b'\xef\xbb\xbf')
    number = b'[' + BLANKS + b']+([0-9]+)'
    record = re.compile(b'(.*[^' + BLANKS + b'])' + number * counts, re.S)
    sums, refused = {}, []
    for at, line in enumerate(data.split(b'\n'), 1):
        line = line.strip(BLANKS)
        if not line:
            continue
        match = record.fullmatch(line)
        values = [int(v) for v in match.groups()[1:]] if match else []
        added = [a + b for a, b in zip(sums.get(match[1], [0] * counts), values)] if match else []
        if not match or max(values) > LARGEST or max(added) > LARGEST:
            refused.append(at)
        else:
            sums[match[1]] = added
    text = b''.join(stack + b''.join(b' %d' % v for v in values) + b'\n' for stack, values in sorted(sums.items()))
    return text, [sum(v[k] for v in sums.values()) for k in range(counts)], refused


class Checker:
    def __init__(self, polyprof):
        self.polyprof = polyprof
        self.tap = Tap()

    def run(self, *args, data=None):
        return subprocess.run([self.polyprof, *args], input=data, capture_output=True, timeout=120)

    def convert(self, path, kind, *args, data=None):
        return self.run('convert', path, '--to', kind, '-o', '-', '-q', *args, data=data)

    def facts(self, path, *args):
        """Format, verdict, refused lines and totals as the commands give them."""
        check = json.loads(self.run('check', '--json', path, *args).stdout)['files'][0]
        info = json.loads(self.run('info', '--json', path, *args).stdout)
        refused = [d['line'] for d in check['diagnostics'] if d['severity'] == 'error']
        return check['format'], check['verdict'], refused, [m['total'] for m in info['metrics']]

    def case(self, base, case):
        kind, expect = FORMATS[case['format']], case['expect']
        path = os.path.join(base, case['file'])
        args = ['--from', kind] if '--format' in case['args'] else []
        with (gzip.open if expect['canonical'].endswith('.gz') else open)(
                os.path.join(base, expect['canonical']), 'rb') as file:
            canonical = file.read()
        done = self.convert(path, kind, *args)
        verdict = 'reject' if expect['strict'] == 'error' else 'accept'
        facts = self.facts(path, *args)
        wanted = (kind, verdict, expect['rejected_lines'], expect['totals'])
        self.tap.ok(done.stdout == canonical and facts == wanted, f"{case['id']}: {case['point']}",
                    f'{facts}\n{wanted}\n{done.stdout[:300]!r}\n{canonical[:300]!r}')

    def cases(self, base):
        with open(os.path.join(base, 'expectations.json')) as file:
            for case in share(json.load(file)['read']):
                self.case(base, case)

    def awkward(self, directory, seed):
        chance = random.Random(seed)
        counts = 1 + seed % 2
        data = b'\n'.join(b''.join(chance.choices(PIECES, k=chance.randrange(9))) +
                          b''.join(chance.choice((b' ', b'\t', b'  ')) + b'%d' % chance.randrange(100)
                                   for _ in range(chance.choice((0, counts, counts, counts))))
                          for _ in range(chance.randrange(60)))
        self.compare(directory, data, counts, f'awkward file {seed}')

    def compare(self, directory, data, counts, what):
        kind = list(FORMATS.values())[counts - 1]
        if data[:2] in (b'\xff\xfe', b'\xfe\xff') or data[:2] == b'\x1f\x8b':
            return
        path = os.path.join(directory, 'x.diff.folded' if counts == 2 else 'x.folded')
        with open(path, 'wb') as file:
            file.write(data)
        with gzip.open(path + '.gz', 'wb') as file:
            file.write(data)
        canonical, totals, refused = model(data, counts)
        ways = {
            'directly': self.convert(path, kind),
            'through the tree': self.convert(path, kind, '-m', 'after' if counts == 2 else 'samples'),
            'from a pipe': self.convert('-', kind, '--from', kind, data=data),
            'compressed': self.convert(path + '.gz', kind),
        }
        got = self.facts(path)
        wrong = [way for way, done in ways.items() if done.stdout != canonical]
        self.tap.ok(not wrong and got[2:] == (refused, totals) and got[0] == kind, what,
                    f'{wrong} {got} {(refused, totals)}\n{data!r}\n{canonical!r}\n'
                    f'{[ways[way].stdout for way in wrong]!r}')
        if counts == 1:
            # A file is divided name by name as long as parts are wide; a pipe becomes a tree, which is pruned.
            words = ('flame', '-q', '--min-width', '15%', '--title', 't', '--subtitle', 's', '-o', '-')
            drawn = self.run(*words, '--from', kind, path)
            piped = self.run(*words, '--from', kind, '-', data=data)
            self.tap.ok(drawn.stdout == piped.stdout and drawn.returncode == piped.returncode, f'{what}: drawn',
                        (drawn.stderr, piped.stderr))
            self.filtered(path, data, kind, what)

    def filtered(self, path, data, kind, what):
        """The stacks of a file are filtered as they come, those of a pipe when the tree is there."""
        wrong = []
        for words in (('--focus', 'a'), ('--hide', '[ab]'), ('--ignore', 'foo'), ('--depth', '2'), ('--show-from', 'b'),
                      ('--collapse', '.'), ('--show', '7', '--focus', 'm')):
            came = self.run('tree', '--json', '--from', kind, *words, path)
            tree = self.run('tree', '--json', '--from', kind, *words, '-', data=data)
            said = came.stderr.replace(path.encode(), b'-')
            if (came.stdout, said, came.returncode) != (tree.stdout, tree.stderr, tree.returncode):
                wrong.append((words, came.stdout, tree.stdout, said, tree.stderr))
        self.tap.ok(not wrong, f'{what}: filtered', wrong)


def main():
    checker = Checker(sys.argv[1])
    checker.cases(HERE)
    corpus = sys.argv[2] if len(sys.argv) > 2 else ''
    if os.path.isfile(os.path.join(corpus, 'expectations.json')):
        checker.cases(corpus)
    with tempfile.TemporaryDirectory() as directory:
        for name, data in HABITS.items():
            checker.compare(directory, data * 3, 1, f'as {name} writes')
        for seed in share(range(80)):
            checker.awkward(directory, seed)
    print(f'1..{checker.tap.run}')
    return 1 if checker.tap.failed else 0


sys.exit(main())
