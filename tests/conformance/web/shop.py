#!/usr/bin/env python3
"""One request in three programs: shop.py POLYPROF RECORDINGS PAGE. Speaks TAP.

RECORDINGS holds a page in Chromium, the node server that it asked and the PHP behind that, recorded while they served one request. The commands of
PAGE (docs/web.md) are run on them: what is added up is what each program has alone, and the page shows what is printed.
"""
import gzip
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

WAITS = r'^\((idle|program)\)$'


def main():
    polyprof, recordings, page = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    with open(page, encoding='utf-8') as f:
        look = f.read().split('## Record')[1]
    lines = look.splitlines()
    commands = [i for i, line in enumerate(lines) if line.startswith('    polyprof ')]
    with tempfile.TemporaryDirectory() as room:
        def run(*arguments):
            return subprocess.run([polyprof, *arguments], cwd=room, capture_output=True, encoding='utf-8', timeout=60, env={**os.environ, 'COLUMNS': '160'})

        def total(*arguments):
            return json.loads(run('top', '-q', '--json', *arguments).stdout)['total']

        for name in os.listdir(recordings):
            if name.endswith('.gz'):
                with gzip.open(os.path.join(recordings, name)) as packed, open(os.path.join(room, name[:-3]), 'wb') as plain:
                    plain.write(packed.read())
        for at in commands:
            done = run(*shlex.split(lines[at])[1:])
            shown = '\n'.join(line[4:] for line in lines[at + 2:at + 8])
            if lines[at + 1] == '' and lines[at + 2].startswith('    time:'):
                tap.same(done.stdout.strip(), shown.strip(), f'{lines[at].strip()}: as the page shows it')
            else:
                tap.ok(done.returncode == 0, lines[at].strip(), done.stderr)
        tap.ok(len(commands) >= 8, f'{len(commands)} commands', look)
        alone = {'browser': 'browser.cpuprofile', 'node': 'node.cpuprofile', 'php': 'php.cachegrind'}
        tiers = json.loads(run('top', '-q', '--json', 'shop.ppdb', '--by', 'label:tier', '--ignore', WAITS).stdout)
        found = {row['name']: row['self']['time'] for row in tiers.get('functions', tiers.get('values', []))}
        tap.same(found, {tier: total(file, '--ignore', WAITS) for tier, file in alone.items()}, 'each tier has what its recording has')
        tap.same(total('shop.ppdb'), sum(total(file) for file in alone.values()), 'and all of them what all have')
        tree = json.loads(run('tree', '-q', '--json', 'shop.ppdb', '--root', 'label:tier', '--ignore', WAITS).stdout)
        tap.same(sorted(re.findall(r'"name": "(browser|node|php)"', json.dumps(tree))), sorted(alone), 'as frames below all others')
        merged = run('merge', '-q', *alone.values(), '-o', 'all.spaa')
        tap.same((merged.returncode, total('all.spaa')), (0, total('shop.ppdb')), 'merged without a store')
    return tap.done()


sys.exit(main())
