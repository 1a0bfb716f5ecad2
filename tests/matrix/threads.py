#!/usr/bin/env python3
"""One thread and several give the same bytes: threads.py POLYPROF [tests/formats]

Without samples, inputs are generated that are large enough to be cut into chunks, and go through the
commands below with -j1, -j2 and -j5; with samples, those do with -j1 and -j2. A filter is applied while a plain file is
read, and to the whole tree of a compressed one: that must not matter either. Speaks TAP.
"""
import gzip
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import SHARE, half  # noqa: E402 (needs the path above)
from wire import sub, varint  # noqa: E402

COMMANDS = (('check', '--json'), ('top', '--json', '-n', '0'),
            ('convert', '--to', 'folded', '-o', '-'))
FILTERS = (('--hide', 'f1'), ('--focus', '^f[0-3]$', '--show', '[02468]$'), ('--show-from', 'f7', '--ignore', 'f99', '--depth', '5'))


def answers(polyprof, path, threads, commands=COMMANDS):
    for command in commands:
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


def perf_script(rng, samples, damaged):
    """Samples of two events and four threads, of stacks that repeat, source lines, records, and (if asked) what is wrong."""
    lately = []
    for number in range(samples):
        if lately and rng.random() < 0.5:
            stack = rng.choice(lately[-500:])
        else:
            stack = []
            for _ in range(rng.randint(1, 25)):
                f = rng.randint(0, 40 + number // 50)
                stack.append(f'\t{f * 4096 + rng.randint(0, 99):16x} f{f}+0x{rng.randint(0, 99):x} (/usr/lib/lib{f % 7}.so)')
                if rng.random() < 0.02:
                    stack.append('  main.c:%d' % f)
            lately.append(stack)
        tid = rng.randint(1, 4)
        header = f'worker {tid} {100 + tid} [00{tid % 2}] {number // 1000}.{number % 1000:03}000:'
        wrong = damaged and rng.random() < 0.02
        yield header + rng.choice(('   99999999999999999999 cycles: ', ' what', ' 1 ')) if wrong else header + '   250000 cycles: '
        yield from stack[:-1] if wrong else stack
        if not (wrong and rng.random() < 0.5):
            yield ''
        if rng.random() < 0.01:
            yield header + f' PERF_RECORD_COMM: worker {tid}:100/{100 + tid}'
        if wrong and rng.random() < 0.3:
            yield rng.choice(('\t           1 lost its header (x)', 'nonsense', '#', '  c.c:3', '\t'))


def pprof(rng, samples, damaged):
    """Deep stacks of 500 locations of one function each, and (if asked) samples that are wrong, empty, labelled or below zero."""
    texts = ['', 'samples', 'count', 'key', 'value', *(f'f{i}' for i in range(500))]
    numbers = [varint(i) for i in range(1, 502)]
    yield sub(1, b'\x08\x01\x10\x02')
    for _ in range(samples):
        stack, rest = b''.join(rng.choices(numbers[:-1], k=rng.randint(100, 300))), sub(2, varint(rng.randint(0, 99)))
        if damaged and rng.random() < 0.001:
            stack, rest = rng.choice(((stack + numbers[-1], rest), (stack, rest + b'\x10\x01'), (b'', rest), (stack, rest + sub(3, b'\x08\x03\x10\x04')),
                                      (stack + b'\x81', rest), (stack, b'\x10' + b'\xff' * 9 + b'\x01'), (stack, rest + b'\x48\x01')))
        yield sub(2, sub(1, stack) + rest)
    for i in range(1, 501):
        yield sub(4, b'\x08' + varint(i) + sub(4, b'\x08' + varint(i))) + sub(5, b'\x08' + varint(i) + b'\x10' + varint(i + 4))
    yield from (sub(6, text.encode()) for text in texts)


def generate(directory):
    """Large inputs, made the same way each time."""
    rng = random.Random(1)
    for name, lines, damaged in (('large.folded', 60000, False), ('damaged.folded', 60000, True)):
        text = '\n'.join(folded(rng, lines, damaged)) + '\n'
        path = os.path.join(directory, name)
        with open(path, 'w') as file:
            file.write(text)
        with gzip.GzipFile(path + '.gz', 'wb', 1, mtime=0) as file:
            file.write(text.encode())
        yield path
        yield path + '.gz'
    for name, damaged in (('large.perf.txt', False), ('damaged.perf.txt', True)):
        path = os.path.join(directory, name)
        with open(path, 'w') as file:
            file.writelines(line + '\n' for line in perf_script(rng, 5000, damaged))
        yield path
    for name, damaged in (('large.pb', False), ('damaged.pb', True)):
        path = os.path.join(directory, name)
        with open(path, 'wb') as file:
            file.writelines(pprof(rng, 14000, damaged))
        yield path
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
        numbers = ('-j2',) if paths else ('-j2', '-j5') if SHARE == 1 else ('-j5',)
        for path in half(paths) or generate(directory):
            # Sanitizers look for races, not at answers: of those one is compared, and of the others what sanitizers say is looked for.
            alone = dict(answers(polyprof, path, '-j1', COMMANDS if SHARE == 1 else COMMANDS[:1]))
            different = [f"{' '.join(command)} {threads}" for threads in numbers
                         for command, answer in answers(polyprof, path, threads)
                         if (answer != alone[command] if command in alone else answer[0] < 0 or b'Sanitizer' in answer[2])]
            run += 1
            failed += bool(different)
            print(f"{'not ok' if different else 'ok'} {run} - {os.path.basename(path)}")
            for line in different:
                print(f'# {line} differs from -j1')
            if not paths and os.path.exists(path + '.gz'):
                sifted = [('top', '--json', '-n', '0', *words) for words in FILTERS]
                whole = {command: answer[1] for command, answer in answers(polyprof, path + '.gz', '-j1', sifted)}
                different = [f"{' '.join(command)} {threads}" for threads in ('-j1', *numbers)
                             for command, answer in answers(polyprof, path, threads, sifted) if answer[1] != whole[command]]
                run += 1
                failed += bool(different)
                print(f"{'not ok' if different else 'ok'} {run} - {os.path.basename(path)}, filtered as it is read")
                for line in different:
                    print(f'# {line} differs from the whole tree')
    print(f'1..{run}')
    return 1 if failed else 0


sys.exit(main())
