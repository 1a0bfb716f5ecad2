#!/usr/bin/env python3
"""Real clients drive `polyprof mcp`: clients.py POLYPROF SAMPLES DIRECTORY

They come from npm and are installed into DIRECTORY once; where that is not possible each is a skipped test. Speaks TAP.
"""
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
from tap import Tap

PACKAGES = ['@modelcontextprotocol/client@2.4.0',
            '@modelcontextprotocol/inspector@2.12.0',
            '@modelcontextprotocol/sdk@1.32.2',
            'node@24.21.0']


def install(directory):
    """Whether the clients are there."""
    done = os.path.join(directory, 'installed')
    if os.path.exists(done):
        return True
    os.makedirs(directory, exist_ok=True)
    with open(os.path.join(directory, 'package.json'), 'w') as file:
        json.dump({'private': True, 'type': 'module'}, file)
    command = ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', *PACKAGES]
    try:
        fine = subprocess.run(command, cwd=directory, capture_output=True, timeout=240).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        fine = False
    if fine:
        with open(done, 'w'):
            pass
    return fine


def main():
    polyprof, samples, directory = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    eras = ('legacy', 'modern')
    if not shutil.which('npm') or not install(directory):
        for name in ('sdk', 'client legacy', 'client auto', 'client modern', *(f'inspector {era}' for era in eras)):
            tap.skip(name, 'npm cannot install the clients here')
        return tap.done()
    binaries = os.path.join(directory, 'node_modules', '.bin')
    environment = {**os.environ, 'PATH': binaries + os.pathsep + os.environ['PATH']}
    script = os.path.join(directory, 'clients.mjs')
    shutil.copy(os.path.join(HERE, 'clients.mjs'), script)
    run = subprocess.run(['node', script, polyprof, samples], capture_output=True, env=environment, timeout=100)
    seen = [json.loads(line) for line in run.stdout.splitlines()]
    tap.same(len(seen), 4, 'all clients connect')
    if len(seen) < 4:
        print('\n'.join('# ' + line for line in run.stderr.decode(errors='replace').splitlines()[:20]))
    for client in seen:
        name = client.pop('name')
        tap.same(client, {'tools': 13, 'prompts': 3, 'resources': 2, 'templates': 3, 'rows': 3, 'same': True, 'refused': True,
                          'text': True}, name)
    for era in eras:
        run = subprocess.run([os.path.join(binaries, 'mcp-inspector'), '--cli', polyprof, 'mcp', samples, '--method', 'tools/list', '--strict',
                              '--protocol-era', era], capture_output=True, env=environment, timeout=100)
        listed = json.loads(run.stdout)['tools'] if run.returncode == 0 else []
        tap.ok(len(listed) == 13, f'inspector --strict, {era}', run.stderr.decode(errors='replace')[:500])
    return tap.done()


sys.exit(main())
