#!/usr/bin/env python3
"""What the compiler and linker were told against hostile files, seen in the program: hardened.py PROGRAM. Speaks TAP.

And that all memory is counted: in the library beside it, only base/account.c knows malloc() and its kin.
"""
import os
import re
import shutil
import subprocess
import sys


def main():
    program = sys.argv[1]
    if not shutil.which('readelf'):
        print('1..0 # SKIP readelf is not installed')
        return 0
    text = subprocess.run(['readelf', '-W', '-h', '-l', '-d', '-n', '--dyn-syms', program], capture_output=True,
                          text=True, check=True).stdout
    stack = [line for line in text.splitlines() if 'GNU_STACK' in line]
    checks = [
        ('it is loaded anywhere (PIE)', 'Type:' in text and 'DYN' in text.split('Type:')[1].splitlines()[0]),
        ('relocations are read-only', 'GNU_RELRO' in text),
        ('and done at once (BIND_NOW)', 'BIND_NOW' in text or 'Flags: NOW' in text),
        ('the stack is not executable', bool(stack) and 'E' not in stack[0].split()[6]),
        ('stacks are guarded', '__stack_chk_fail' in text),
        ('the C library checks sizes (FORTIFY)', '_chk@' in text),
    ]
    if 'X86-64' in text:
        # The note of the whole program is the linker's, and missing where the C runtime's own files lack it.
        with open(program, 'rb') as file:
            marks = file.read().count(b'\xf3\x0f\x1e\xfa')
        checks.append(('jumps land where they may (CET)', marks > 500))
    library = os.path.join(os.path.dirname(os.path.abspath(program)), 'libpolyprof_core.a')
    symbols = subprocess.run(['nm', '-A', library], capture_output=True, text=True, check=True).stdout
    plain = set(re.findall(r'(\w+)\.c\.o: +U (?:[cm]alloc|realloc\w*|free|strn?dup|__v?asprintf_chk|getline)$', symbols, re.M))
    forgotten = ''.join(f' but {name}' for name in sorted(plain - {'base_account'}))
    checks.append((f'memory is counted in all files{forgotten}', plain == {'base_account'}))
    for number, (what, good) in enumerate(checks, 1):
        print(f"{'ok' if good else 'not ok'} {number} - {what}")
    print(f'1..{len(checks)}')
    return 0 if all(good for _, good in checks) else 1


sys.exit(main())
