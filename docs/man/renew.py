#!/usr/bin/env python3
"""Keeps the manual pages in step with the program: renew.py [--check] POLYPROF

Synopsis, options and examples of each page stand between the lines

    ; generated: synopsis|options|examples|commands
    ; end

and come from `polyprof help --json`, which is the table that the program itself parses by. The rest is
written by hand. With --check nothing is written: pages that are out of date, missing or left over are
reported (as TAP), for the tests.
"""
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def plain(text):
    """Text safe for scdoc; `code` becomes bold."""
    text = re.sub(r'([\\_*#])', r'\\\1', text)
    return re.sub(r'`([^`]*)`', r'*\1*', text)


def synopsis(command):
    name = f'*polyprof {command["name"]}*' if command['name'] else '*polyprof*'
    options = ' [_OPTIONS_]' if command['options'] else ''
    words = re.sub(r'(-+[a-z]+)', r'*\1*', plain(command['synopsis']))
    words = re.sub(r'\b([A-Z]{3,})\b', r'_\1_', words)
    return [f'{name}{options} {words}']


def option(entry):
    value = ''
    if 'value' in entry:
        words = entry['value'].split('|') if entry['kind'] == 'choice' else None
        value = '=' + ('|'.join(f'*{w}*' for w in words) if words else f'_{plain(entry["value"])}_')
    letter = f'*-{entry["letter"]}*, ' if 'letter' in entry else ''
    text = plain(entry['help'])
    return [f'{letter}*--{entry["name"]}*{value}', '\t' + text[0].upper() + text[1:] + '.', '']


def options(command):
    lines, group = [], None
    for entry in command['options']:
        if entry['group'] != group:
            group = entry['group']
            lines += [f'## {group}', '']
        lines += option(entry)
    return lines[:-1]


def examples(command):
    lines = []
    for entry in command['examples']:
        does = plain(entry['does'])
        lines += [does[0].upper() + does[1:] + ':', '', '```', 'polyprof ' + entry['words'], '```', '']
    return lines[:-1]


def commands(_, table):
    lines = []
    for command in table:
        if command['name']:
            summary = plain(command['summary'])
            lines += [f'*{command["name"]}*', '\t' + summary[0].upper() + summary[1:] + '. See '
                      f'*polyprof-{command["name"]}*(1).', '']
    return lines[:-1]


def renewed(text, command, table):
    """The page with its generated parts as they should be."""
    parts = {'synopsis': synopsis, 'options': options, 'examples': examples}

    def part(match):
        kind = match.group(1)
        lines = commands(command, table) if kind == 'commands' else parts[kind](command)
        return f'; generated: {kind}\n\n' + '\n'.join(lines) + '\n\n; end\n'
    return re.sub(r'; generated: (\w+)\n.*?; end\n', part, text, flags=re.S)


def main():
    check = '--check' in sys.argv
    polyprof = [a for a in sys.argv[1:] if a != '--check'][0]
    help_ = subprocess.run([polyprof, 'help', '--json'], check=True, capture_output=True)
    table = json.loads(help_.stdout)['commands']
    pages = {f'polyprof-{c["name"]}.1.scd' if c['name'] else 'polyprof.1.scd': c for c in table}
    there = {f for f in os.listdir(HERE) if f.endswith('.scd')}
    names, failed = sorted(there | set(pages)), 0
    if check:
        print(f'1..{len(names)}')
    for number, name in enumerate(names, 1):
        path = os.path.join(HERE, name)
        if name not in pages or name not in there:
            problem = 'no such command' if name not in pages else 'no such page'
        else:
            with open(path, encoding='utf-8') as file:
                before = file.read()
            after = renewed(before, pages[name], table)
            missing = [k for k in ('synopsis', 'options') if f'; generated: {k}\n' not in before]
            problem = f'no part {missing[0]}' if missing else 'out of date' if before != after else ''
            if not check and before != after:
                with open(path, 'w', encoding='utf-8') as file:
                    file.write(after)
                problem = problem if missing else ''
                print('renewed', name)
        failed += bool(problem)
        if check:
            print(f'{"not " if problem else ""}ok {number} - {name}' + (f' # {problem}' if problem else ''))
        elif problem:
            print(f'{name}: {problem}', file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
