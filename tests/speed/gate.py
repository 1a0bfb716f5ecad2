#!/usr/bin/env python3
"""Instruction counts against budgets: gate.py [--renew] POLYPROF [NAME...]

Runs each case of gate.json under callgrind on an input that is generated the same way each time, and
compares the number of instructions with its budget. Counting is repeatable on a busy machine, where
measuring time is not. Above the budget by more than the slack is a failure; below by more than the slack
is a reason to renew it: `tests/speed/gate.py --renew BUILD/src/polyprof` after `meson setup BUILD`.

Budgets hold for one compiler and one processor family; elsewhere the cases are skipped. Speaks TAP.
"""
import json
import os
import platform
import random
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
GATE = os.path.join(HERE, 'gate.json')
# So that libc's own choice of instructions does not depend on the processor.
TUNABLES = 'glibc.cpu.hwcaps=-AVX2_Usable,-AVX512F_Usable,-AVX2,-AVX512F,-AVX512VL,-AVX512BW,-EVEX,-ERMS,-FSRM'


def folded(path, counts=1):
    """About 2 MB of stacks as a profiler's collapser writes them: few names, many repeated prefixes."""
    rng = random.Random(7)
    names = [f'{rng.choice(("std", "app", "net", "db"))}::module{i % 37}::function_{i}' for i in range(700)]
    with open(path, 'w') as file:
        stack = []
        for _ in range(9000):
            del stack[rng.randint(0, len(stack)):]
            while len(stack) < rng.randint(2, 14):
                stack.append(names[min(int(rng.expovariate(0.02)), len(names) - 1)])
            values = ' '.join(str(rng.randint(1, 500)) for _ in range(counts))
            file.write(f"{';'.join(stack)} {values}\n")


def diff_folded(path):
    folded(path, 2)


INPUTS = {'folded': ('x.folded', folded), 'diff-folded': ('x.diff.folded', diff_folded)}


def compiler():
    found = subprocess.run([*os.environ.get('CC', 'cc').split(), '-dumpfullversion'], capture_output=True,
                           text=True).stdout.strip()
    return f"gcc {found.split('.')[0]}" if found else 'unknown'


def instructions(polyprof, arguments, directory):
    """Instructions of one run in user space."""
    out = os.path.join(directory, 'callgrind.out')
    done = subprocess.run(['valgrind', '--tool=callgrind', f'--callgrind-out-file={out}', polyprof, *arguments],
                          cwd=directory, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, 'GLIBC_TUNABLES': TUNABLES}, timeout=600)
    found = re.search(r'Collected\s*:\s*(\d+)', done.stderr)
    if done.returncode != 0 or not found:
        sys.exit(f"{' '.join(arguments)} failed under callgrind:\n{done.stderr[-2000:]}")
    return int(found[1])


def why_not(gate):
    if not shutil.which('valgrind'):
        return 'valgrind is not installed'
    if platform.machine() != gate['machine']:
        return f"budgets are for {gate['machine']}"
    if compiler() != gate['compiler']:
        return f"budgets are for {gate['compiler']}, this is {compiler()}"
    return None


def main():
    arguments = sys.argv[1:]
    renew = '--renew' in arguments
    polyprof, *wanted = [argument for argument in arguments if argument != '--renew']
    polyprof = os.path.abspath(polyprof)
    with open(GATE) as file:
        gate = json.load(file)
    if renew:
        gate['machine'], gate['compiler'] = platform.machine(), compiler()
    skip = why_not(gate)
    failed = 0
    with tempfile.TemporaryDirectory() as directory:
        sizes = {}
        for fmt, (name, write) in INPUTS.items():
            write(os.path.join(directory, name))
            sizes[fmt] = os.path.getsize(os.path.join(directory, name))
        for number, case in enumerate(gate['cases'], 1):
            if skip or (wanted and case['name'] not in wanted):
                print(f"ok {number} - {case['name']} # SKIP {skip or 'not asked for'}")
                continue
            command = [word.replace('INPUT', INPUTS[case['input']][0]) for word in case['command'].split()]
            count = instructions(polyprof, command, directory)
            budget = count if renew else case['instructions']
            passed = count <= budget * (1 + gate['slack'])
            failed += not passed
            print(f"{'ok' if passed else 'not ok'} {number} - {case['name']}: {count / 1e6:.1f} M instructions, "
                  f"{count / sizes[case['input']]:.2f} a byte, budget {budget / 1e6:.1f} M")
            if count < budget * (1 - gate['slack']):
                print(f"# faster than its budget by {100 - 100 * count / budget:.0f} %: renew it")
            case['instructions'] = count
    print(f"1..{len(gate['cases'])}")
    if renew and not skip:
        with open(GATE, 'w') as file:
            file.write('{\n')
            for key in ('machine', 'compiler', 'slack'):
                file.write(f' {json.dumps(key)}: {json.dumps(gate[key])},\n')
            file.write(' "cases": [\n  ' + ',\n  '.join(json.dumps(case) for case in gate['cases']) + '\n ]\n}\n')
    return 1 if failed else 0


sys.exit(main())
