#!/usr/bin/env python3
"""Runs the command-line cases: run.py [--renew] [--no-viewer] POLYPROF [CASE.t ...]

A case is a text file. Lines that start with "$ " are shell commands, run one after the other in one
directory that holds a copy of data/. Below each stands what it must print:

    $ polyprof top app.folded        the command; "> " continues it on the next line
      text                           a line of standard output, after two blanks
    ! text                           a line of standard error
    = 3                              the exit code, when it is not 0

Other lines are prose. A line whose bytes are not printable UTF-8, or that ends in a blank, is written
with escapes and "(esc)" behind it; one without a newline at its end has "(no-eol)". Nothing else is
changed: what users see is what is compared. With --renew the files are rewritten to what is printed. A
program built without the viewer (--no-viewer) does not offer reports.
"""
import difflib
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TIMEOUT = 120
NEEDS_VIEWER = ('names.t', 'open.t',)
OFFERS_REPORT = (' all views in one page', ' polyprof report app.folded -o report.html')


def printable(line):
    """One line of output (bytes, without its newline) as a line of a case."""
    try:
        text = line.decode('utf-8')
        if all(c.isprintable() for c in text) and not text.endswith((' ', '(esc)', '(no-eol)')):
            return text
    except UnicodeDecodeError:
        pass
    escaped = ''.join(chr(b) if 32 <= b < 127 and b != 92 else
                      {9: '\\t', 13: '\\r', 92: '\\\\'}.get(b, f'\\x{b:02x}') for b in line)
    return escaped + ' (esc)'


def lines_of(output, prefix):
    if not output:
        return []
    whole = output.endswith(b'\n')
    lines = [(prefix + printable(line)).rstrip() for line in output.split(b'\n')]
    if whole:
        lines.pop()
    else:
        lines[-1] += ' (no-eol)'
    # Empty lines at the end would look like those between cases.
    for i in range(len(lines) - 1, -1, -1):
        if lines[i].strip() not in ('', prefix.strip()):
            break
        lines[i] = prefix + '(esc)'
    return lines


def execute(command, directory, environment):
    """What a command prints and how it ends, as lines of a case."""
    done = subprocess.run(['bash', '-c', command], cwd=directory, env=environment,
                          stdin=subprocess.DEVNULL, capture_output=True, timeout=TIMEOUT)
    code = [f'= {done.returncode}'] if done.returncode else []
    return lines_of(done.stdout, '  ') + lines_of(done.stderr, '! ') + code


def is_expectation(line):
    return line.startswith(('  ', '! ', '= ')) or line == '!'


def replay(path, environment, directory):
    """The case's lines as they are, and as they would be if everything were as it is printed now."""
    with open(path, encoding='utf-8') as file:
        before = file.read().split('\n')
    after, i, pending = [], 0, []
    while i < len(before):
        line = before[i]
        i += 1
        if not line.startswith('$ '):
            after.append(line)
            continue
        after.append(line)
        command = line[2:]
        while i < len(before) and before[i].startswith('> '):
            after.append(before[i])
            command += '\n' + before[i][2:]
            i += 1
        # An empty line of output has lost its two blanks; it belongs to the output when more follows.
        while i < len(before) and (is_expectation(before[i]) or before[i] == ''):
            pending.append(before[i])
            i += 1
        trailing = []
        while pending and pending[-1] == '':
            trailing.append(pending.pop())
        pending.clear()
        after += execute(command, directory, environment) + trailing
    return before, after


def sandbox(polyprof, directory):
    """A copy of the data, and an environment in which only what we set matters."""
    work, bin_ = os.path.join(directory, 'work'), os.path.join(directory, 'bin')
    shutil.copytree(os.path.join(HERE, 'data'), work)
    os.mkdir(bin_)
    os.symlink(os.path.abspath(polyprof), os.path.join(bin_, 'polyprof'))
    os.symlink(os.path.join(HERE, 'terminal.py'), os.path.join(bin_, 'terminal'))
    environment = {'PATH': bin_ + ':' + os.environ['PATH'], 'HOME': directory, 'TERM': 'xterm',
                   'LC_ALL': 'C', 'TZ': 'UTC'}
    for name in ('ASAN_OPTIONS', 'UBSAN_OPTIONS', 'LSAN_OPTIONS', 'TSAN_OPTIONS'):
        if name in os.environ:
            environment[name] = os.environ[name]
    return work, environment


def main():
    arguments = sys.argv[1:]
    renew = '--renew' in arguments
    no_viewer = '--no-viewer' in arguments
    arguments = [a for a in arguments if a not in ('--renew', '--no-viewer')]
    polyprof, cases = arguments[0], arguments[1:]
    if not cases:
        cases = sorted(os.path.join(HERE, f) for f in os.listdir(HERE) if f.endswith('.t'))
        # Builds that look for faults in memory take each second.
        cases = cases[::2] if int(os.environ.get('POLYPROF_SHARE', '1')) > 2 and not renew else cases
    failed = 0
    print(f'1..{len(cases)}')
    for number, case in enumerate(cases, 1):
        if no_viewer and os.path.basename(case) in NEEDS_VIEWER:
            print(f'ok {number} - {os.path.basename(case)} # SKIP there are no reports')
            continue
        with tempfile.TemporaryDirectory() as directory:
            work, environment = sandbox(polyprof, directory)
            before, after = replay(case, environment, work)
        if no_viewer:
            before = [line for line in before if not any(offer in line for offer in OFFERS_REPORT)]
        name = os.path.basename(case)
        if before == after:
            print(f'ok {number} - {name}')
        elif renew:
            with open(case, 'w', encoding='utf-8') as file:
                file.write('\n'.join(after))
            print(f'ok {number} - {name} # renewed')
        else:
            failed += 1
            print(f'not ok {number} - {name}')
            for line in difflib.unified_diff(before, after, 'expected', 'printed', lineterm=''):
                print('# ' + line)
    return 1 if failed else 0


sys.exit(main())
