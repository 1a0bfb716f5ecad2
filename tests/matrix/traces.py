#!/usr/bin/env python3
"""Stacks with equal costs are in the order of their names, however many there are; checked against an order made here. Speaks TAP."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap  # noqa: E402 (needs the path above)

NAMES = ['a', 'bb', 'c', 'A', 'zz', 'a b', 'é'] + [f'f{i}' for i in range(30)]


def main():
    polyprof, tap, random_ = os.path.abspath(sys.argv[1]), Tap(), random.Random(5)
    with tempfile.TemporaryDirectory() as work:
        # Of the last but one few cost the same, of the last none do.
        for count, most in ((40, 3), (4000, 3), (9000, 3), (9000, 4000), (9000, 10 ** 6), (9000, 0)):
            costs, file = {}, os.path.join(work, f'{count}.folded')
            while len(costs) < count:
                costs[tuple(random_.choice(NAMES) for _ in range(random_.randrange(1, 12)))] = random_.randrange(1, most + 1) if most else len(costs) + 1
            with open(file, 'w', encoding='utf-8') as out:
                out.writelines(f'{";".join(stack)} {cost}\n' for stack, cost in costs.items())
            done = subprocess.run([polyprof, 'traces', file, '--json', '-n', '0'], capture_output=True, stdin=subprocess.DEVNULL)
            told = [tuple(row['stack']) for row in json.loads(done.stdout)['traces']]
            wanted = sorted(costs, key=lambda stack: (-costs[stack], [name.encode() for name in stack]))
            tap.ok(told == wanted, f'{count} stacks, costs up to {most or count}')
    return tap.done()


sys.exit(main())
