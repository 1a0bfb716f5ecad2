#!/usr/bin/env python3
"""Builds without node: viewer.py POLYPROF ROOT with|without

The script that bundles the viewer does without node, says what is missing, and fails only when the viewer is
needed. A program without it says what to do, leaves no file, and still draws flame graphs. Speaks TAP.
"""
import os
import subprocess
import sys
import tempfile

count = failed = 0


def ok(good, what, detail=''):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {what}")
    if not good:
        print(''.join(f'# {line}\n' for line in str(detail).splitlines()), end='')


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120, **more)


def main():
    polyprof, root, how = os.path.abspath(sys.argv[1]), sys.argv[2], sys.argv[3]
    sample = os.path.join(root, 'tests/cli/data/app.folded')
    with tempfile.TemporaryDirectory() as directory:
        empty, out = os.path.join(directory, 'bin'), os.path.join(directory, 'viewer.js')
        os.mkdir(empty)
        script = [sys.executable, os.path.join(root, 'tools/viewer.py'), os.path.join(root, 'web'), out]
        done = run(*script, 'wanted', env={'PATH': empty})
        ok(done.returncode == 0 and os.path.getsize(out) == 0, 'without node the viewer is left out', done.stderr)
        ok('node is not installed' in done.stderr and 'report' in done.stderr, 'and what is missing is said', done.stderr)
        done = run(*script, 'needed', env={'PATH': empty})
        ok(done.returncode != 0 and not os.path.exists(out), 'unless it is needed', done.stderr)

        html, svg = os.path.join(directory, 'x.html'), os.path.join(directory, 'x.svg')
        report, flame = run(polyprof, 'report', sample, '-o', html), run(polyprof, 'flame', sample, '-o', svg)
        asked = run(polyprof, sample).stdout
        ok(flame.returncode == 0 and os.path.getsize(svg) > 1000, 'flame graphs need no viewer', flame.stderr)
        if how == 'with':
            ok(report.returncode == 0 and os.path.getsize(html) > 50000, 'a report is written', report.stderr)
            ok('polyprof report' in asked, 'and offered', asked)
        else:
            ok(report.returncode == 4 and 'node' in report.stderr and not os.path.exists(html),
               'a report says what is missing and leaves no file', report.stderr)
            ok('polyprof report' not in asked and 'polyprof flame' in asked, 'and is not offered', asked)
    print(f'1..{count}')
    return 1 if failed else 0


sys.exit(main())
