#!/usr/bin/env python3
"""Every damaged sample to every format that can be written: incomplete.py POLYPROF tests/formats

What is incomplete stays so, or it is said that the format cannot tell (loss-incomplete), and --lossless refuses.
What is complete is not called incomplete on the way. The same once more by way of SPAA, which can tell: there it stays
incomplete, with the same totals and nothing that is refused again. Good samples are cut in their compression, too.
Files take turns with the formats to write, two each, so that all pairs are met; POLYPROF_ALL=1 tries all.
Speaks TAP. Further words choose the formats read.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap, half, turn_of  # noqa: E402 (needs the path above)

MEMORY = '/dev/shm' if os.access('/dev/shm', os.W_OK) else None
NAMES = {'spx': '.json', 'diff-folded': '.diff.folded'}


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def info(polyprof, path):
    """What a file tells of itself; nothing when it cannot be read."""
    done = run(polyprof, 'info', '--json', '-j1', path)
    return json.loads(done.stdout) if done.returncode == 0 else {}


def cut(path, out):
    """A compressed copy whose text ends at the end of a line, where it has lines: only the compression knows of it."""
    with open(path, 'rb') as file:
        text = file.read()
    at = text.rfind(b'\n', 0, 2 * len(text) // 3) + 1 or 2 * len(text) // 3
    with open(out, 'wb') as file:
        file.write(gzip.compress(text[:at], 1)[:-8])


def check(tap, polyprof, path, target, complete, work):
    name = f'{os.path.basename(path)} to {target}'
    out = os.path.join(work, 'x' + NAMES.get(target, '.' + target))
    convert = (polyprof, 'convert', '-j1', path, '--to', target, '-o', out)
    done = run(*convert)
    if done.returncode:
        return
    said = b'[loss-incomplete]' in done.stderr
    back = info(polyprof, out).get('complete')
    tap.ok(not said if complete else said or back is False, name,
           f'complete: {complete}, said: {said}, written: {back}')
    if said:
        strict = run(*convert, '--lossless')
        tap.ok(strict.returncode == 4, f'{name} with --lossless', strict.stderr)


def by_spaa(tap, polyprof, path, told, targets, work):
    """Writes a damaged file as SPAA, which stands for it from then on."""
    name = os.path.basename(path)
    carried = os.path.join(work, name + '.spaa')
    if run(polyprof, 'convert', '-j1', path, '--to', 'spaa', '-o', carried).returncode:
        return
    back = info(polyprof, carried)
    tap.same(back.get('complete'), False, f'{name} as spaa is incomplete')
    tap.same([row for row in back.get('diagnostics', ()) if row['severity'] == 'error'], [], f'{name} as spaa is right')
    if told['metrics']:
        tap.same([(m['name'], m['total']) for m in back.get('metrics', ())],
                 [(m['name'], m['total']) for m in told['metrics']], f'{name} as spaa has the same totals')
    for target in targets:
        check(tap, polyprof, carried, target, False, work)


def samples(root, fmt, work):
    """All that may be incomplete."""
    directory = os.path.join(root, fmt, 'bad')
    if not os.path.isdir(directory):
        return
    yield from (os.path.join(directory, name) for name in half(sorted(os.listdir(directory))))
    directory = os.path.join(root, fmt, 'good')
    for name in half(sorted(os.listdir(directory))) if fmt != 'container' else ():
        if not name.endswith(('.gz', '.zst', '.json', '.txt')):
            made = os.path.join(work, name + '.gz')
            cut(os.path.join(directory, name), made)
            yield made


def turn(targets, number):
    """The formats that a file is written as."""
    return turn_of(targets, number, 2)


def main(polyprof, root, *only):
    tap = Tap()
    formats = json.loads(run(polyprof, 'formats', '--json').stdout)['formats']
    targets = [f['name'] for f in formats if f['write']]
    seen = set()
    for fmt in sorted(f['name'] for f in formats if f['read'] and (not only or f['name'] in only)) + ['container']:
        with tempfile.TemporaryDirectory(dir=MEMORY) as work:
            for number, path in enumerate(samples(root, fmt, work)):
                told = info(polyprof, path)
                if not told:
                    continue
                seen.add((fmt, told['complete']))
                for target in turn(targets, number):
                    check(tap, polyprof, path, target, told['complete'], work)
                if not told['complete']:
                    by_spaa(tap, polyprof, path, told, turn(targets, number + 1), work)
    tap.ok(only or sum(not complete for _, complete in seen) > 6, 'there are incomplete samples', sorted(seen))
    return tap.done()


sys.exit(main(*sys.argv[1:]))
