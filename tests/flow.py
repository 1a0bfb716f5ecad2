#!/usr/bin/env python3
"""The one-way flow and the house rules that a script can check: flow.py ROOT

base < text, io < model < formats < analysis < questions < output, api < store < mcp < serve < cli: a file includes its own room, lower
rooms and (text and io, output and api) its neighbour's headers, and names no struct of an upper room. The command line
knows profiles by the two public headers alone. The rooms that
must run anywhere call nothing of the operating system. Only the command line prints or exits. A profile never changes
once it is built: no function above model/ takes one that is not const. Speaks TAP.
"""
import os
import re
import sys

RANK = {'base': 0, 'text': 1, 'io': 1, 'model': 2, 'symbols': 2, 'formats': 3, 'analysis': 4, 'questions': 5, 'output': 6,
        'api': 6, 'store': 7, 'mcp': 8, 'serve': 9, 'cli': 10}
PURE = ('base', 'text', 'model', 'symbols', 'formats', 'analysis', 'questions', 'output')
# Headers that the build makes, and the room that may include them.
MADE = {'build_info.h': 'api', 'commit.h': 'cli'}
# What knows nothing of profiles.
BELOW = ('base', 'text', 'io')
# Headers of ISO C and of SIMD; everything else is the operating system.
PLAIN = {'assert', 'ctype', 'errno', 'float', 'inttypes', 'limits', 'math', 'setjmp', 'stdalign', 'stdarg', 'stdbool',
         'stddef', 'stdint', 'stdio', 'stdlib', 'stdatomic', 'string', 'emmintrin', 'immintrin', 'arm_neon'}
# Headers that only io may include, and the one that only text/regex_pcre.c needs.
ENGINES = ('zlib', 'zstd', 'isa-l', 'lzma')
# That of stores in files, for store/ alone.
DATABASE = 'sqlite3.h'
REGEX = 'pcre2.h'
# Those of libdw, for symbols/dwarf_libdw.c alone.
DEBUGGING = ('dwarf.h', 'elfutils/libdw.h', 'libelf.h')
# Functions of stdio.h and stdlib.h that print, open or exit.
FORBIDDEN = re.compile(r'\b(printf|fprintf|vprintf|vfprintf|puts|fputs|putchar|putc|perror|fopen|exit|_exit|'
                       r'abort|assert|system|getenv|strtok|strcpy|strcat|sprintf|vsprintf|gets|alloca)\s*\(')
MAX_FILE = 800
MAX_FUNCTION = 80
COMMENT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.S)
STRUCT = re.compile(r'\bstruct\s+(\w+)')
DEFINED = re.compile(r'\bstruct\s+(\w+)\s*\{')
# A parameter that may change a profile, with the name of its function.
MUTABLE = re.compile(r'\b(\w+)\(([^(){};]*)\)')
CHANGES = re.compile(r'(?<!const )\bstruct pp_profile \*(?!\*|const\b)')
# Those who are given a profile to keep or to free.
OWNERS = {'pp_view_init_owned', 'pp_shelf_put'}
LEFT = re.compile(r'\b(TODO|FIXME|XXX|HACK)\b')


def code_only(text):
    """The text without comments and literals, lines kept."""
    return COMMENT.sub(lambda found: '\n' * found[0].count('\n') + ' ', text)


def check_includes(room, name, text):
    for line in text.splitlines():
        own = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
        system = re.match(r'\s*#\s*include\s+<([^>]+)>', line)
        if own:
            target = own[1].split('/')[0]
            if target == 'polyprof' or MADE.get(target) == room:
                continue
            if target not in RANK:
                yield f'"{own[1]}" is in no room'
            elif RANK[target] > RANK[room] or (room == 'io' and target == 'text'):
                yield f'includes "{own[1]}", against the flow'
            elif room in ('cli', 'mcp') and target not in (room, 'store', 'mcp', 'serve', *BELOW):
                yield f'includes "{own[1]}": the command line is built on the public headers'
        if system and room == 'text' and system[1] == REGEX and name == 'regex_pcre.c':
            continue
        if system and (room, name) == ('symbols', 'dwarf_libdw.c') and system[1] in DEBUGGING:
            continue
        if system and (room, name, system[1]) == ('base', 'account.c', 'malloc.h'):
            continue  # how much malloc() gave: its own affair, not the operating system's
        if system and room in PURE and system[1].removesuffix('.h') not in PLAIN:
            yield f'includes <{system[1]}>: {room}/ calls nothing of the operating system'
        if system and room != 'store' and system[1] == DATABASE:
            yield f'includes <{system[1]}>, which is store\'s'
        if system and room != 'io' and system[1].startswith(ENGINES):
            yield f'includes <{system[1]}>, which is io\'s'


def check_structs(room, text, defined):
    """A struct of an upper room may not even be named."""
    code = code_only(text)
    own = set(DEFINED.findall(code))
    for name in sorted(set(STRUCT.findall(code)) - own):
        if name in defined and defined[name] > RANK[room]:
            yield f'names struct {name}, which belongs to an upper room'


def check_profiles(room, text):
    if RANK[room] <= RANK['model']:
        return
    for found in MUTABLE.finditer(code_only(text)):
        if CHANGES.search(found[2]) and found[1] not in OWNERS and found[1] != 'sizeof':
            yield f'{found[1]}() takes a profile that it could change'


def check_calls(room, text):
    for number, line in enumerate(code_only(text).splitlines(), 1):
        found = FORBIDDEN.search(line)
        if found and room not in ('cli', 'mcp'):
            yield f'line {number} calls {found[1]}()'


def check_shape(text):
    lines = text.splitlines()
    if len(lines) > MAX_FILE:
        yield f'{len(lines)} lines, more than {MAX_FILE}'
    if not text.startswith('/*'):
        yield 'does not say its purpose in a comment at the top'
    if LEFT.search(text):
        yield f'has a {LEFT.search(text)[1]} left'
    start = None
    for number, line in enumerate(lines, 1):
        if line == '{':
            start = number
        elif line == '}' and start:
            if number - start > MAX_FUNCTION:
                yield f'the function at line {start} has {number - start} lines'
            start = None
    inside = False
    for number, line in enumerate(lines, 1):
        inside = line == '{' or (inside and line != '}')
        if inside and re.match(r'\s*#\s*(if|ifdef|ifndef)\b', line):
            yield f'line {number}: #if inside a function'


def structs_defined(root):
    """The lowest room that defines each struct."""
    defined = {}
    for directory, _, names in os.walk(os.path.join(root, 'src')):
        room = os.path.relpath(directory, os.path.join(root, 'src')).split(os.sep)[0]
        for name in names:
            if not name.endswith(('.c', '.h')) or room not in RANK:
                continue
            with open(os.path.join(directory, name), encoding='utf-8') as file:
                for struct in DEFINED.findall(code_only(file.read())):
                    defined[struct] = min(RANK[room], defined.get(struct, RANK[room]))
    return defined


def main():
    root = sys.argv[1]
    defined = structs_defined(root)
    run = failed = 0
    for directory, _, names in sorted(os.walk(os.path.join(root, 'src'))):
        room = os.path.relpath(directory, os.path.join(root, 'src')).split(os.sep)[0]
        for name in sorted(names):
            if not name.endswith(('.c', '.h')):
                continue
            path = os.path.join(directory, name)
            with open(path, encoding='utf-8') as file:
                text = file.read()
            if room in RANK:
                found = [*check_includes(room, name, text), *check_calls(room, text), *check_shape(text),
                         *check_structs(room, text, defined), *check_profiles(room, text)]
            else:
                found = [f'{room}/ is no room']
            run += 1
            failed += bool(found)
            print(f"{'not ok' if found else 'ok'} {run} - {os.path.relpath(path, root)}")
            for line in found:
                print('# ' + line)
    print(f'1..{run}')
    return 1 if failed or not run else 0


sys.exit(main())
