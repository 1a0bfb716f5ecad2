"""Collapses perf script text the plain way, for comparison: collapse_perf.py FILE

One regular expression for headers, one for frames, a dictionary of stacks: what one writes in ten minutes.
It knows none of the names that hurt.
"""
import collections
import re
import sys

header = re.compile(r'(\S.*?)\s+(?:\d+/)?\d+.*?:\s+(\d+)?\s*\S+:\s*$')
frame = re.compile(r'\s+[0-9a-f]+ (.*?)(?:\+0x[0-9a-f]+)? \(.*\)$')
stacks, stack, weight = collections.Counter(), [], 0
with open(sys.argv[1]) as file:
    for line in file:
        if line == '\n':
            stacks[';'.join(reversed(stack))] += weight
            stack = []
        elif line[0] == '\t':
            stack.append(frame.match(line)[1])
        else:
            weight = int(header.match(line)[2] or 1)
for stack in sorted(stacks):
    print(stack, stacks[stack])
