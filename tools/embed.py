#!/usr/bin/env python3
"""Turns files into a C source of strings: embed.py OUT NAME=FILE..."""
import sys


def main():
    out, pairs = sys.argv[1], [pair.split('=', 1) for pair in sys.argv[2:]]
    lines = ['/* Generated from web/. */', '#include "output/embedded.h"', '']
    for name, path in pairs:
        with open(path, 'rb') as file:
            data = file.read()
        lines.append(f'const unsigned char {name}[] = {{')
        lines += ['\t' + ','.join(str(byte) for byte in data[at:at + 32]) + ',' for at in range(0, len(data), 32)]
        lines += ['\t0', '};', f'const size_t {name}_size = {len(data)};', '']
    with open(out, 'w') as file:
        file.write('\n'.join(lines))


main()
