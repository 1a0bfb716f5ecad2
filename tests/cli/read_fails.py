#!/usr/bin/env python3
"""A disk that fails: read_fails.py POLYPROF SHIM tests/formats

What cannot be read is exit 3 and says so, whatever the file is called, however it is packed, at whichever byte reading
fails, and of whichever file of a pair; it is never an empty or a cut profile. Speaks TAP.
"""
import gzip
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap  # noqa: E402 (needs the path above)

FOLDED = b''.join(b'main;f%d;g 1\n' % i for i in range(40))
AFTER = (0, 1, 2, 3, 17, 60)


def prepare(samples, directory):
    """(what is asked, the file that fails)"""
    plain = os.path.join(directory, 'a.folded')
    with open(plain, 'wb') as file:
        file.write(FOLDED)
    with gzip.open(plain + '.gz', 'wb') as file:
        file.write(FOLDED)
    yield from ((name, name) for name in ('a.folded', 'a.folded.gz'))
    for name in ('04-http.json', '04-http.txt.gz', '05-http.json', '05-http.txt.zst', 'plain.json', 'plain.txt'):
        shutil.copy(os.path.join(samples, 'spx', 'good', name), directory)
    for base, body in (('04-http', '.txt.gz'), ('05-http', '.txt.zst'), ('plain', '.txt')):
        yield base + body, base + body
        yield base + '.json', base + body
        yield base + '.json', base + '.json'
        yield base + body, base + '.json'
    shutil.copy(os.path.join(directory, '05-http.txt.zst'), os.path.join(directory, 'alone.zst'))
    yield 'alone.zst', 'alone.zst'


def main():
    polyprof, shim, samples = (os.path.abspath(a) for a in sys.argv[1:4])
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        for asked, failing in list(prepare(samples, directory)):
            for stdin in (False, True) if asked == failing and not asked.endswith('.json') else (False,):
                wrong = []
                for after in AFTER:
                    environment = dict(os.environ, LD_PRELOAD=shim, READ_FAILS_AT='/' + failing, READ_FAILS_AFTER=str(after))
                    with open(os.path.join(directory, asked), 'rb') as file:
                        run = subprocess.run([polyprof, 'top', '--json', '-' if stdin else asked], cwd=directory, check=False,
                                             env=environment, capture_output=True, stdin=file if stdin else None)
                    said = run.stderr.decode(errors='replace')
                    if run.returncode != 3 or b'"functions"' in run.stdout or 'io-read-failed' not in said:
                        wrong.append(f'behind {after} bytes: exit {run.returncode}: {run.stdout[:100]} {said}')
                    if 'SPX aborted' in said or 'truncated' in said:
                        wrong.append(f'behind {after} bytes: {said}')
                tap.ok(not wrong, f"{asked}{' from standard input' if stdin else ''}: {failing} fails", '\n'.join(wrong))
    return tap.done()


sys.exit(main())
