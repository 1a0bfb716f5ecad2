#!/usr/bin/env python3
"""One thread and several give the same bytes: threads.py POLYPROF [tests/formats]

Without samples, inputs are generated that are large enough to be cut into chunks, and go through the
commands below with -j1, -j2 and -j5; with samples, those do with -j1 and -j2. Speaks TAP.
"""
import gzip
import os
import random
import subprocess
import sys
import tempfile

COMMANDS = (('check', '--json'), ('top', '--json', '-n', '0'),
            ('convert', '--to', 'folded', '-o', '-'))


def answers(polyprof, path, threads):
    for command in COMMANDS:
        done = subprocess.run([polyprof, *command, threads, path], capture_output=True, timeout=300,
                              stdin=subprocess.DEVNULL)
        yield command, (done.returncode, done.stdout, done.stderr)


def folded(rng, lines, damaged):
    """Stacks with repeats, long names, new names late in the file, and (if asked) lines that are wrong."""
    for number in range(lines):
        depth = rng.randint(1, 30)
        names = [f'f{rng.randint(0, 40 + number // 50)}' for _ in range(depth)]
        if rng.random() < 0.001:
            names.append('x' * 5000)
        count = rng.randint(0, 1000)
        if damaged and rng.random() < 0.01:
            yield ';'.join(names) + rng.choice((' 1.5', ' -3', '', ' 99999999999999999999', ' +1'))
        else:
            yield ';'.join(names) + f' {count}'


def generate(directory):
    """Large inputs, made the same way each time."""
    rng = random.Random(1)
    for name, lines, damaged in (('large.folded', 60000, False), ('damaged.folded', 60000, True)):
        text = '\n'.join(folded(rng, lines, damaged)) + '\n'
        path = os.path.join(directory, name)
        with open(path, 'w') as file:
            file.write(text)
        yield path
        with gzip.GzipFile(path + '.gz', 'wb', 1, mtime=0) as file:
            file.write(text.encode())
        yield path + '.gz'
    path = os.path.join(directory, 'large.diff.folded')
    with open(path, 'w') as file:
        for line in folded(rng, 60000, False):
            file.write(f'{line} {rng.randint(0, 99)}\n')
    yield path


def main():
    polyprof = sys.argv[1]
    run = failed = 0
    with tempfile.TemporaryDirectory() as directory:
        paths = [os.path.join(where, name) for root in sys.argv[2:] for where, _, names in sorted(os.walk(root))
                 for name in sorted(names) if os.path.basename(where) in ('good', 'bad')]
        numbers = ('-j2',) if paths else ('-j2', '-j5')
        for path in paths or generate(directory):
            alone = dict(answers(polyprof, path, '-j1'))
            different = [f"{' '.join(command)} {threads}" for threads in numbers
                         for command, answer in answers(polyprof, path, threads)
                         if answer != alone[command]]
            run += 1
            failed += bool(different)
            print(f"{'not ok' if different else 'ok'} {run} - {os.path.basename(path)}")
            for line in different:
                print(f'# {line} differs from -j1')
    print(f'1..{run}')
    return 1 if failed else 0


sys.exit(main())
