#!/usr/bin/env python3
"""Every damaged sample to every format that can be written: incomplete.py POLYPROF tests/formats

What is incomplete stays so, or it is said that the format cannot tell (loss-incomplete), and --lossless refuses.
What is complete is not called incomplete on the way. Speaks TAP. Further words choose the formats read.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402 (needs the path above)

MEMORY = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
NAMES = {'spx': '.json', 'diff-folded': '.diff.folded'}


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def is_complete(polyprof, path):
    """None when it cannot be read."""
    done = run(polyprof, 'info', '--json', '-j1', path)
    return json.loads(done.stdout).get('complete') if done.returncode == 0 else None


def check(tap, polyprof, path, target, complete, work):
    name = f'{os.path.basename(path)} to {target}'
    out = os.path.join(work, 'x' + NAMES.get(target, '.' + target))
    convert = (polyprof, 'convert', '-j1', path, '--to', target, '-o', out)
    done = run(*convert)
    if done.returncode:
        return
    said = b'[loss-incomplete]' in done.stderr
    back = is_complete(polyprof, out)
    tap.ok(not said if complete else said or back is False, name,
           f'complete: {complete}, said: {said}, written: {back}')
    if said:
        strict = run(*convert, '--lossless')
        tap.ok(strict.returncode == 4, f'{name} with --lossless', strict.stderr)


def main(polyprof, root, *only):
    tap = Tap()
    formats = json.loads(run(polyprof, 'formats', '--json').stdout)['formats']
    targets = [f['name'] for f in formats if f['write']]
    seen = set()
    for fmt in sorted(f['name'] for f in formats if f['read'] and (not only or f['name'] in only)) + ['container']:
        directory = os.path.join(root, fmt, 'bad')
        for path in (os.path.join(directory, name) for name in sorted(os.listdir(directory))):
            complete = is_complete(polyprof, path)
            if complete is None:
                continue
            seen.add((fmt, complete))
            for target in targets:
                with tempfile.TemporaryDirectory(dir=MEMORY) as work:
                    check(tap, polyprof, path, target, complete, work)
    tap.ok(('folded', False) in seen or only, 'there are incomplete samples')
    return tap.done()


sys.exit(main(*sys.argv[1:]))
