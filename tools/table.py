#!/usr/bin/env python3
"""Writes the table of formats or commands from the words in meson.build: table.py KIND OUT WORD..."""
import sys

HEADERS = {'format': 'formats/format.h', 'command': 'cli/command.h',
           'question': 'questions/question.h'}


def main():
    kind, out, words = sys.argv[1], sys.argv[2], sys.argv[3:]
    lines = ['/* Generated from meson.build. */', f'#include "{HEADERS[kind]}"', '']
    lines += [f'extern const struct pp_{kind} pp_{kind}_{word};' for word in words]
    lines += ['', f'const struct pp_{kind} *const pp_{kind}s[] = {{']
    lines += [f'\t&pp_{kind}_{word},' for word in words]
    lines += ['\tNULL,', '};', '']
    with open(out, 'w') as file:
        file.write('\n'.join(lines))


main()
