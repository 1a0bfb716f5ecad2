#!/usr/bin/env python3
"""Agents ask over HTTP: agents.py POLYPROF. Speaks TAP.

The same answers as over standard input and output, in both eras; headers that must match; events only where there is progress; a closed
stream cancels.
"""
import importlib.util
import json
import os
import select
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, '..')]
import kit  # noqa: E402
import tap  # noqa: E402

T = tap.Tap()
SPEC = importlib.util.spec_from_file_location('agents_kit', os.path.join(HERE, '..', 'agents', 'kit.py'))
AGENTS = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(AGENTS)
VERSION = '2026-07-28'


def post(s, message, headers=None, accept='application/json, text/event-stream'):
    status, answer, content = s.ask('/mcp', 'POST', json.dumps(message) if not isinstance(message, bytes) else message,
                                    {'Content-Type': 'application/json', 'Accept': accept, **(headers or {})})
    return status, answer, content


def modern(s, method, params=None, **change):
    """A request of the present era, with what its headers say."""
    params = {**(params or {}), '_meta': {**AGENTS.MODERN, **(params or {}).get('_meta', {})}}
    headers = {'MCP-Protocol-Version': VERSION, 'Mcp-Method': method}
    name = params.get('uri') if method == 'resources/read' else params.get('name')
    if name:
        headers['Mcp-Name'] = name
    headers.update({key.replace('_', '-'): value for key, value in change.items()})
    headers = {key: value for key, value in headers.items() if value is not None}
    status, answer, content = post(s, {'jsonrpc': '2.0', 'id': 7, 'method': method, 'params': params}, headers)
    return status, json.loads(content) if content and answer['Content-Type'] == 'application/json' else content


def same_answers(s, polyprof, directory):
    """Whatever way an agent comes."""
    stdio = AGENTS.Server(polyprof, directory)
    calls = [('tools/list', {}), ('prompts/list', {}), ('resources/list', {}), ('resources/templates/list', {}), ('server/discover', {}),
             ('resources/read', {'uri': 'polyprof://formats'}), ('prompts/get', {'name': 'review_profile', 'arguments': {'file': 'a.folded'}}),
             ('tools/call', {'name': 'top', 'arguments': {'file': 'a.folded'}}), ('tools/call', {'name': 'summary', 'arguments': {'file': 'a.folded'}}),
             ('tools/call', {'name': 'callers', 'arguments': {'file': 'a.folded', 'function': 'c'}}),
             ('tools/call', {'name': 'tree', 'arguments': {'file': 'a.folded', 'budget': 300}}),
             ('tools/call', {'name': 'top', 'arguments': {'file': 'a.folded', 'metric': 'nothing'}})]
    for method, params in calls:
        wanted = stdio.ask(method, params)['result']
        status, got = modern(s, method, params)
        T.ok(status == 200 and got.get('result') == wanted, f'{method} {params.get("name", "")}: as over standard input', (status, str(got)[:500], str(wanted)[:500]))
    stdio.end()


def headers(s):
    top = {'name': 'top', 'arguments': {'file': 'a.folded'}}
    for what, change in (('another version', {'MCP_Protocol_Version': '2025-11-25'}), ('no version', {'MCP_Protocol_Version': None}), ('another method', {'Mcp_Method': 'tools/list'}),
                         ('no method', {'Mcp_Method': None}), ('another name', {'Mcp_Name': 'tree'}), ('no name', {'Mcp_Name': None})):
        status, got = modern(s, 'tools/call', top, **change)
        T.ok(status == 400 and got['error']['code'] == -32020, f'headers with {what}: -32020', (status, got))
    message = json.dumps({'jsonrpc': '2.0', 'id': 7, 'method': 'tools/call', 'params': {**top, '_meta': AGENTS.MODERN}})
    for twice in ('Mcp-Method: tools/list', 'Mcp-Name: tree', 'MCP-Protocol-Version: 2025-11-25'):
        got = s.raw(f'POST /mcp HTTP/1.1\r\nHost: {s.host}\r\nConnection: close\r\nMCP-Protocol-Version: {VERSION}\r\nMcp-Method: tools/call\r\nMcp-Name: top\r\n{twice}\r\n'
                    f'Content-Length: {len(message)}\r\n\r\n{message}'.encode())
        T.ok(kit.status(got) == 400 and b'-32020' in got, f'a second {twice}: -32020', got[:300])
    status, got = modern(s, 'nothing/at/all')
    T.ok(status == 404 and got['error']['code'] == -32601, 'no such method: 404', (status, got))
    status, _, content = post(s, {'jsonrpc': '2.0', 'id': 1, 'method': 'tools/list', 'params': {}}, {'MCP-Protocol-Version': VERSION, 'Mcp-Method': 'tools/list'})
    T.ok(status == 400 and json.loads(content)['error']['code'] == -32602, 'without _meta: -32602', (status, content))
    for what, message, wanted in (('no JSON', b'{"x', -32700), ('a batch', b'[]', -32600), ('no request', b'{"jsonrpc":"1.0"}', -32600)):
        status, _, content = post(s, message)
        T.ok(status == 400 and json.loads(content)['error']['code'] == wanted, f'{what}: {wanted}', (status, content))
    status, _, content = post(s, {'jsonrpc': '2.0', 'method': 'notifications/initialized'})
    T.ok(status == 202 and not content, 'a notification: 202', (status, content))
    for method in ('GET', 'DELETE', 'PUT'):
        T.same(s.ask('/mcp', method)[0], 405, f'{method}: 405')
    T.same(post(s, b'{}', {'Origin': 'http://evil.example'})[0], 403, 'another Origin: 403')
    T.same(post(s, b' ' * (1 << 20) + b'{}')[0], 413, 'a message beyond a megabyte: 413')


def legacy(s):
    start = {'jsonrpc': '2.0', 'id': 1, 'method': 'initialize', 'params': {'protocolVersion': '2025-06-18', 'capabilities': {}, 'clientInfo': {'name': 'x', 'version': '1'}}}
    status, _, content = post(s, start)
    T.ok(status == 200 and json.loads(content)['result']['protocolVersion'] == '2025-06-18', 'a handshake', content[:200])
    call = {'jsonrpc': '2.0', 'id': 2, 'method': 'tools/call', 'params': {'name': 'top', 'arguments': {'file': 'a.folded'}}}
    for version in ({}, {'MCP-Protocol-Version': '2025-06-18'}, {'MCP-Protocol-Version': '2025-11-25'}):
        status, _, content = post(s, call, version)
        T.ok(status == 200 and json.loads(content)['result']['structuredContent']['total'] == 8, f'a call of 2025 {version}', content[:200])
    for path in ('../x', '/etc/passwd', 'd/link'):
        _, got = modern(s, 'tools/call', {'name': 'top', 'arguments': {'file': path}})
        T.ok(got['result']['isError'] and 'outside' in got['result']['structuredContent']['error'], f'{path} is not served', got)


def streams(polyprof, directory):
    """Events where there is progress; who closes the stream cancels."""
    pipe = kit.Pipe(os.path.join(directory, 'pipe'), b''.join(b'main;a%d;b%d 1\n' % (i % 97, i) for i in range(5000)))
    s = kit.Server(polyprof, pipe.path)
    pipe.lay()
    message = json.dumps({'jsonrpc': '2.0', 'id': 7, 'method': 'tools/call', 'params': {
        'name': 'top', 'arguments': {'file': pipe.path}, '_meta': {**AGENTS.MODERN, 'progressToken': 'p'}}})
    ask = (f'POST /mcp HTTP/1.1\r\nHost: {s.host}\r\nAccept: text/event-stream\r\nMCP-Protocol-Version: {VERSION}\r\nMcp-Method: tools/call\r\n'
           f'Mcp-Name: top\r\nConnection: close\r\nContent-Length: {len(message)}\r\n\r\n{message}').encode()

    def call():
        c = s.connect()
        c.sendall(ask)
        pipe.opened()
        return c

    c, parts = call(), []

    def progress():
        pipe.more()
        if select.select([c], [], [], 0)[0]:
            parts.append(c.recv(65536))
        return b'notifications/progress' in b''.join(parts)

    s.wait(progress)
    pipe.end()
    got = b''.join(parts) + kit.read_all(c)
    events = [json.loads(line[6:]) for line in got.decode().splitlines() if line.startswith('data: ')]
    told = [e['params']['progress'] for e in events if e.get('method') == 'notifications/progress']
    T.ok(kit.status(got) == 200 and told and told == sorted(told) and events[-1]['id'] == 7 and 'result' in events[-1],
         'progress as events, the answer last', got[:500])
    call().close()
    T.ok(s.wait(lambda: not pipe.more()) and s.wait(lambda: s.number('polyprof_questions_running') == 0), 'a closed stream cancels')
    pipe.end()
    T.same(s.stop()[0], 0, 'exit 0')


def main():
    polyprof = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, 'd'))
        for name, text in (('a.folded', 'a;b;c 5\na;b 2\na;c 1\n'), ('d/b.folded', 'a;b;c 9\na;d 2\n')):
            with open(os.path.join(directory, name), 'w', encoding='ascii') as file:
                file.write(text)
        os.symlink('/etc/passwd', os.path.join(directory, 'd/link'))
        s = kit.Server(polyprof, '.', cwd=directory)
        same_answers(s, polyprof, directory)
        headers(s)
        legacy(s)
        T.same(s.stop()[0], 0, 'SIGTERM: exit 0')
        streams(polyprof, directory)
    return T.done()


sys.exit(main())
