#!/usr/bin/env python3
"""Turns files into a C source of bytes, each with its hash for a content security policy:
embed.py OUT NAME=FILE..."""
import base64
import hashlib
import sys


def array(name, data):
    lines = [f'const unsigned char {name}[] = {{']
    lines += ['\t' + ','.join(str(byte) for byte in data[at:at + 32]) + ',' for at in range(0, len(data), 32)]
    return lines + ['\t0', '};', f'const size_t {name}_size = {len(data)};', '']


def main():
    out, pairs = sys.argv[1], [pair.split('=', 1) for pair in sys.argv[2:]]
    lines = ['/* Generated from web/. */', '#include "output/embedded.h"', '']
    for name, path in pairs:
        with open(path, 'rb') as file:
            data = file.read()
        lines += array(name, data)
        if name.startswith('pp_viewer'):
            lines += array(name + '_hash', b'sha256-' + base64.b64encode(hashlib.sha256(data).digest()))
    with open(out, 'w') as file:
        file.write('\n'.join(lines))


main()
