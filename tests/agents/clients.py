#!/usr/bin/env python3
"""Real clients drive `polyprof mcp`: clients.py POLYPROF SAMPLES DIRECTORY

They come from npm and are installed into DIRECTORY once; where that is not possible each is a skipped test. Speaks TAP.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, '..'))
from agents.kit import Server
from tap import Tap

PACKAGES = ['@modelcontextprotocol/client@2.4.0',
            '@modelcontextprotocol/core@2.4.0',
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


FILE = 'folded/good/basic.folded'
READ = ['polyprof://formats', 'polyprof://findings', 'polyprof://formats/folded', 'polyprof://rules/spaa-frame-undefined', 'polyprof://schema/top',
        'polyprof://nothing']
PROMPTS = [('review_profile', {'file': 'x'}), ('explain_slowdown', {'before': 'a', 'after': 'b'}), ('find_regression', {'dir': 'd'}), ('nothing', {}),
           ('review_profile', {})]
FUNCTION = {'file': FILE, 'function': 'f1'}
CALLS = [(name, {'file': FILE}) for name in ('summary', 'findings', 'info', 'check', 'top', 'tree', 'lines', 'nothing')] + [
    ('callers', FUNCTION), ('callees', FUNCTION), ('show', FUNCTION), ('diff', {'before': FILE, 'after': FILE}), ('trend', {'files': [FILE] * 3}),
    ('list', {}), ('top', {'file': '/etc/passwd'}), ('top', {}), ('top', {'file': FILE, 'budget': 1}), ('show', {'file': FILE, 'function': 'none'}),
    ('convert', {'file': FILE, 'output': 'a.spaa'}), ('flame', {'file': FILE, 'output': 'a.svg'}), ('merge', {'files': [FILE] * 2, 'output': 'm.folded'}),
    ('convert', {'file': FILE, 'output': '../x.spaa'})]


def session(polyprof, samples, era, home):
    """All that a server says in a long session: the method that it answers, and the message."""
    modern = era.startswith('2026')
    large = os.path.join(home, 'large.folded')
    # More than one block, so that there is progress to tell.
    with open(large, 'w') as file:
        for at in range(60):
            file.write(''.join(f'main;a{at};b{n};c{n % 7};d{at * n} {n + 1}\n' for n in range(4000)))
    server = Server(polyprof, '--allow-write', home, samples, home)
    asked = [('server/discover', {})] if modern else [
        ('initialize', {'protocolVersion': era, 'capabilities': {}, 'clientInfo': {'name': 'tests', 'version': '1'}}), ('ping', {})]
    asked += [(method, {}) for method in ('tools/list', 'prompts/list', 'resources/list', 'resources/templates/list', 'nothing', 'tools/call',
                                          'logging/setLevel', 'resources/read')]
    asked += [('resources/read', {'uri': uri}) for uri in READ] + [('prompts/get', {'name': n, 'arguments': a}) for n, a in PROMPTS]
    asked += [('tools/call', {'name': name, 'arguments': arguments}) for name, arguments in CALLS]
    seen = [(method, server.ask(method, params, modern)) for method, params in asked]
    if modern:
        seen.append(('tools/list', server.ask('tools/list', modern=False)))
        seen.append(('tools/list', server.ask('tools/list', {'_meta': {'io.modelcontextprotocol/protocolVersion': '1999-01-01'}})))
    # What answers no request has no id; the oldest version knows no such message.
    for line in (b'{', b'[]', b'{}', b'x' * (2 << 20)) if era != '2025-06-18' else ():
        server.send(line)
        seen.append(('', server.read()))
    call = server.request('tools/call', {'name': 'top', 'arguments': {'file': large}, '_meta': {'progressToken': 'p'}}, modern)
    seen.append(('tools/call', server.read()))
    if 'id' not in seen[-1][1]:
        server.send({'jsonrpc': '2.0', 'method': 'notifications/cancelled', 'params': {'requestId': call}})
    last = server.request('tools/call', {'name': 'top', 'arguments': {'file': FILE}}, modern)
    while seen[-1][1].get('id') != last:
        seen.append(('tools/call', server.read()))
    return seen, server.end()


def wire(tap, polyprof, samples, directory, environment):
    """Every message of long sessions fits the published schemas."""
    lines = []
    for era in ('2025-06-18', '2025-11-25', '2026-07-28'):
        with tempfile.TemporaryDirectory() as home:
            seen, ended = session(polyprof, samples, era, home)
        tap.ok(ended[0] == 0 and ended[1] == b'', f'{era}: the session ends', ended)
        tap.ok(any('method' in message for _, message in seen), f'{era}: progress is told')
        lines += [json.dumps({'era': era, 'method': method, 'message': message}) for method, message in seen]
    script = os.path.join(directory, 'wire.mjs')
    shutil.copy(os.path.join(HERE, 'wire.mjs'), script)
    run = subprocess.run(['node', script], input='\n'.join(lines), capture_output=True, env=environment, timeout=100, text=True)
    tap.same(run.stdout.strip(), str(len(lines)), 'messages fit the published schemas')
    if run.returncode:
        print('\n'.join('# ' + line for line in run.stderr.splitlines()[:20]))


def main():
    polyprof, samples, directory = map(os.path.abspath, sys.argv[1:4])
    tap = Tap()
    eras = ('legacy', 'modern')
    if not shutil.which('npm') or not install(directory):
        for name in ('the wire', 'sdk', 'client legacy', 'client auto', 'client modern', *(f'inspector {era}' for era in eras)):
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
    wire(tap, polyprof, samples, directory, environment)
    for era in eras:
        run = subprocess.run([os.path.join(binaries, 'mcp-inspector'), '--cli', polyprof, 'mcp', samples, '--method', 'tools/list', '--strict',
                              '--protocol-era', era], capture_output=True, env=environment, timeout=100)
        listed = json.loads(run.stdout)['tools'] if run.returncode == 0 else []
        tap.ok(len(listed) == 13, f'inspector --strict, {era}', run.stderr.decode(errors='replace')[:500])
    return tap.done()


sys.exit(main())
