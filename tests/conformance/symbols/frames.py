#!/usr/bin/env python3
"""Call frame information against readelf: frames.py FRAMES POLYPROF

`readelf --debug-dump=frames-interp` says what holds at each address of a binary; `frames` what polyprof makes of it. Compared are polyprof itself, the C
library it runs with and, where compilers for them are installed, programs of i386 and AArch64. Speaks TAP.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

# Functions of one binary that are looked at: every so manieth of a large one.
MOST = 1000
NAMES = {
    'x86-64': dict(zip('rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15'.split(), range(16))),
    'i386': dict(zip('eax ecx edx ebx esp ebp esi edi'.split(), range(8))),
    'AArch64': {**{f'x{n}': n for n in range(31)}, 'sp': 31},
}
SOURCE = """
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
int vary(int n, ...) { va_list a; int s = 0; va_start(a, n); while (n--) s += va_arg(a, int); va_end(a); return s; }
int wide(int a, int b, int c, int d, int e, int f, int g, int h) { char room[a + 1]; memset(room, b, a + 1); return vary(3, room[0], c * d, e + f * g - h); }
double many(double a, double b, double c) { double x[40]; for (int i = 0; i < 40; i++) x[i] = a * i + b; printf("%f", c); return x[7] + x[39] * c; }
int deep(int n) { return n ? deep(n - 1) * 3 + wide(n, 1, 2, 3, 4, 5, 6, 7) : (int)many(n, 1, 2); }
int main(int argc, char **argv) { return deep(argc) + (int)strlen(argv[0]); }
"""


def oracle(path):
    """Rows as readelf has them: number of the function, from, to, the frame's address, rules, register of the return address, whether a signal came in."""
    env = dict(os.environ, LC_ALL='C')
    done = subprocess.run(['readelf', '--debug-dump=frames-interp', path], capture_output=True, text=True, env=env, timeout=120)
    initial, rows, columns, inside = {}, [], [], None
    functions = 0
    for line in done.stdout.splitlines():
        start = re.match(r'([0-9a-f]+) [0-9a-f]+ [0-9a-f]+ (CIE|FDE)', line)
        if start:
            inside, columns = start[2], []
            if inside == 'CIE':
                cie = (start[1], int(re.search(r'ra=(\d+)', line)[1]), 'S' in re.search(r'"(.*?)"', line)[1])
            else:
                which = re.search(r'cie=([0-9a-f]+)', line)[1]
                begin, end = (int(one, 16) for one in re.search(r'pc=([0-9a-f]+)\.\.([0-9a-f]+)', line).groups())
                functions += 1
                known = initial.get(which)
                if known and end > begin:
                    rows.append([functions, begin, end, *known])
            continue
        # A register is told twice: "r1 (ecx)".
        words = re.sub(r'(r\d+) \(\w+\)', r'\1', line).split()
        if 'terminator' in line:
            inside = None
        elif words[:2] == ['LOC', 'CFA']:
            columns = words[2:]
        elif inside and len(words) >= 2 and re.fullmatch('[0-9a-f]{8,16}', words[0]):
            rules = dict(zip(columns, words[2:]))
            if inside == 'CIE':
                initial[cie[0]] = (words[1], rules, cie[1], cie[2])
            elif known:
                at = int(words[0], 16)
                if rows and rows[-1][0] == functions:
                    rows[-1][2] = at
                    if rows[-1][1] == at:
                        rows.pop()
                rows.append([functions, at, end, words[1], rules, known[2], known[3]])
    every = max(1, functions // MOST)
    return [row for row in rows if row[0] % every == 0 and row[2] > row[1] and row[0]]


def wanted(row, machine):
    _, _, _, frame, rules, ra, signal = row
    names = NAMES[machine]
    match = re.fullmatch(r'([a-z0-9]+)([+-]\d+)', frame)
    first = f'r{names[match[1]]}{match[2]}' if match else 'exp'
    found = {}
    for name, rule in rules.items():
        number = ra if name == 'ra' else names.get(name)
        if number is None or number > 32 or rule in ('u', 's'):
            continue
        moved = re.fullmatch(r'r(\d+)', rule) and rule or (f'r{names[rule]}' if rule in names else rule)
        found[number] = moved
    return first, ra, signal, found


def found_in(line):
    if line == '-':
        return None
    words = line.split()
    rules = {}
    for word in words[2:]:
        if word != 'signal' and not word.endswith(':u'):
            number, rule = word.split(':')
            rules[int(number)] = rule
    return words[0], int(words[1][3:]), 'signal' in words, rules


def compare(tap, frames, path, machine, title):
    rows = oracle(path)
    asked = [address for row in rows for address in (row[1], row[2] - 1)]
    done = subprocess.run([frames, path], input=''.join(f'{one:x}\n' for one in asked), capture_output=True, text=True, timeout=120)
    said = done.stdout.splitlines()
    wrong = [(hex(asked[k]), wanted(rows[k // 2], machine), line) for k, line in enumerate(said) if found_in(line) != wanted(rows[k // 2], machine)]
    tap.ok(len(said) == len(asked) and asked and not wrong, f'{title}: {len(asked)} addresses as readelf has them',
           f'{len(said)} of {len(asked)} answered, {len(wrong)} differ: {wrong[:3]}')


def main():
    frames, polyprof = sys.argv[1:3]
    tap = Tap()
    if not shutil.which('readelf'):
        tap.skip('call frame information', 'readelf is missing')
        return tap.done()
    machine = {'x86_64': 'x86-64', 'aarch64': 'AArch64'}.get(os.uname().machine)
    if machine:
        compare(tap, frames, polyprof, machine, 'polyprof itself')
    compilers = (('i386', ['gcc', '-m32'], '/usr/lib32/libc.so.6'), ('AArch64', ['aarch64-linux-gnu-gcc'], '/usr/aarch64-linux-gnu/lib/libc.so.6'),
                 ('AArch64', ['aarch64-linux-gnu-gcc-12'], '/usr/aarch64-linux-gnu/lib/libm.so.6'))
    with tempfile.TemporaryDirectory() as directory:
        for which, compiler, library in compilers:
            for level in ('-O0', '-O2', '-Os'):
                path = os.path.join(directory, 'x')
                done = shutil.which(compiler[0]) and subprocess.run(
                    [*compiler, level, '-g', '-x', 'c', '-', '-o', path], input=SOURCE.encode(), capture_output=True, timeout=60)
                if not done or done.returncode:
                    tap.skip(f'{which} {level}', f"{' '.join(compiler)} does not work here")
                    break
                compare(tap, frames, path, which, f'{which} {level}')
            if os.path.exists(library):
                compare(tap, frames, library, which, os.path.basename(library) + ' of ' + which)
    return tap.done()


sys.exit(main())
