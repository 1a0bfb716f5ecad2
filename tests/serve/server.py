#!/usr/bin/env python3
"""polyprof serve as a server of HTTP: server.py POLYPROF. Speaks TAP.

Strictness, limits, who may ask, what can be read, questions as on the command line, slow and idle clients, the end.
"""
import concurrent.futures
import gzip
import json
import os
import subprocess
import sys
import tempfile
import urllib.parse

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')]
import kit  # noqa: E402
import tap  # noqa: E402

T = tap.Tap()


def strict(s):
    """Whatever two programs could understand differently is refused."""
    host = f'Host: {s.host}\r\n'
    post = f'POST /healthz HTTP/1.1\r\n{host}'
    get = f'GET /healthz HTTP/1.1\r\n{host}'
    close = 'Connection: close\r\n'
    cases = [
        ('a plain request', get + close + '\r\n', 200),
        ('an empty line before it', '\r\n' + get + close + '\r\n', 200),
        ('HEAD', f'HEAD /healthz HTTP/1.1\r\n{host}{close}\r\n', 200),
        ('HTTP/1.0', f'GET /healthz HTTP/1.0\r\n{host}\r\n', 200),
        ('HTTP/2.0', f'GET /healthz HTTP/2.0\r\n{host}\r\n', 505),
        ('no version', f'GET /healthz\r\n{host}\r\n', 400),
        ('two blanks', f'GET  /healthz HTTP/1.1\r\n{host}\r\n', 400),
        ('no Host', 'GET /healthz HTTP/1.1\r\n\r\n', 400),
        ('two Hosts', get + host + '\r\n', 400),
        ('a line that goes on', get + 'X: a\r\n b\r\n\r\n', 400),
        ('a blank before the colon', get + 'X : a\r\n\r\n', 400),
        ('a field without a name', get + ': a\r\n\r\n', 400),
        ('lines that end in LF alone', get.replace('\r\n', '\n') + '\n', 400),
        ('a CR within a value', get + 'X: a\rb\r\n\r\n', 400),
        ('a NUL within a value', get + 'X: a\0b\r\n\r\n', 400),
        ('a whole URL', f'GET http://{s.host}/healthz HTTP/1.1\r\n{host}\r\n', 400),
        ('a path that does not begin with a slash', f'GET healthz HTTP/1.1\r\n{host}\r\n', 400),
        ('two lengths', post + 'Content-Length: 1\r\nContent-Length: 1\r\n\r\nx', 400),
        ('a length with a sign', post + 'Content-Length: +1\r\n\r\nx', 400),
        ('a negative length', post + 'Content-Length: -1\r\n\r\nx', 400),
        ('a length in hexadecimal', post + 'Content-Length: 0x1\r\n\r\nx', 400),
        ('a list of lengths', post + 'Content-Length: 1, 1\r\n\r\nx', 400),
        ('an empty length', post + 'Content-Length: \r\n\r\nx', 400),
        ('a huge length', post + 'Content-Length: 99999999999999999999\r\n\r\nx', 400),
        ('a length beside chunks', post + 'Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400),
        ('chunks twice', post + 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400),
        ('another coding', post + 'Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n', 501),
        ('chunks in HTTP/1.0', f'POST /healthz HTTP/1.0\r\n{host}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 400),
        ('another expectation', get + 'Expect: more\r\n\r\n', 417),
        ('a long line', f'GET /{"a" * 20000} HTTP/1.1\r\n{host}\r\n', 414),
        ('a long head', get + f'X: {"a" * 40000}\r\n\r\n', 431),
        ('many fields', get + 'X: a\r\n' * 200 + '\r\n', 431),
        ('nonsense', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', 400),
        ('another method', f'DELETE /healthz HTTP/1.1\r\n{host}{close}\r\n', 405),
        ('a method of pages where files are dropped', f'GET /api/v1/drop HTTP/1.1\r\n{host}{close}\r\n', 405),
        ('a method in small letters', f'get /healthz HTTP/1.1\r\n{host}{close}\r\n', 405),
    ]
    for path in ('/healthz/', '//healthz', '/./healthz', '/x/../healthz', '/%68ealthz', '/healthz%00', '/HEALTHZ', '/..',
                 '/api/v1/', '/api/v1/../../healthz', '/api/v1/top/', '/etc/passwd', '/index.html'):
        cases.append((f'the path {path}', f'GET {path} HTTP/1.1\r\n{host}{close}\r\n', 404))
    for what, request, wanted in cases:
        got = s.raw(request.encode('latin-1'))
        T.ok(kit.status(got) == wanted and (wanted != 400 or b'Connection: close' in got) and (wanted < 400 or b'{"error": {"rule": "' in got), f'{what}: {wanted}', got[:300])
    got = s.raw((get + get + '\r\n').encode())
    T.same(kit.status(got), 400, 'a request within the head of another is none')
    got = s.raw(((get + '\r\n') * 50 + get + close + '\r\n').encode())
    T.same(got.count(b'HTTP/1.1 200 OK'), 51, 'many requests at once are answered in order, on one connection')
    ask = f'GET /api/v1/top?file=a.folded HTTP/1.1\r\n{host}\r\n'
    got = s.raw((ask * 20).encode(), shut=True)
    T.same(got.count(b'HTTP/1.1 200 OK'), 20, 'so are those of a client that asks no more')
    got = s.raw((get + 'X-A: b').encode(), shut=True)
    T.same(kit.status(got), 400, 'a head that breaks off')
    head, _, content = s.raw(f'HEAD /healthz HTTP/1.1\r\n{host}{close}\r\n'.encode()).partition(b'\r\n\r\n')
    T.ok(not content and b'Content-Length: 3' in head, 'HEAD has no content, but its length', head)


def guarded(s, polyprof, directory):
    for host, wanted in ((s.host, 200), (f'localhost:{s.port}', 200), (f'[::1]:{s.port}', 200), ('evil.example', 403),
                         (f'evil.example:{s.port}', 403), ('127.0.0.1', 403), (f'127.0.0.1.evil.example:{s.port}', 403)):
        T.same(s.ask('/healthz', headers={'Host': host})[0], wanted, f'Host {host.replace(str(s.port), "PORT")}: {wanted}')
    for origin, wanted in ((f'http://{s.host}', 200), (f'http://localhost:{s.port}', 200), ('null', 403), ('http://evil.example', 403),
                           (f'https://{s.host}', 403), (f'http://{s.host}.evil.example', 403), ('http://127.0.0.1:1', 403)):
        got = s.ask('/healthz', headers={'Origin': origin})
        T.same(got[0], wanted, f'Origin {origin.replace(str(s.port), "PORT")}: {wanted}')
        T.ok(not any('access-control' in key.lower() for key in got[1]), 'nothing of CORS in the answer')
    for site, mode, wanted in (('cross-site', 'navigate', 200), ('cross-site', 'no-cors', 403), ('same-site', 'cors', 403), ('same-origin', 'cors', 200), ('none', 'navigate', 200)):
        T.same(s.ask('/healthz', headers={'Sec-Fetch-Site': site, 'Sec-Fetch-Mode': mode})[0], wanted, f'a browser that comes from {site} to {mode}: {wanted}')
    for place, wanted in (('document', 200), ('iframe', 403), ('object', 403)):
        T.same(s.ask('/api/v1/top', headers={'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': place})[0], wanted, f'a link from elsewhere that is shown as {place}: {wanted}')
    T.same(s.ask('/api/v1/drop', 'POST', b'a 1\n', {'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate'})[0], 403, 'which does not send')
    for listen in ('127.0.0.2:0', ':0', '0'):
        other = kit.Server(polyprof, directory, listen=listen)
        T.ok(other.ask('/healthz', headers={'Host': other.host})[0] == 200 and other.ask('/healthz', headers={'Host': f'127.0.0.3:{other.port}'})[0] == 403, f'--listen {listen}: it is called as it says', other.host)
        other.stop()
    page = s.ask('/')
    T.ok("default-src 'none'" in page[1]['Content-Security-Policy'] and page[1]['X-Content-Type-Options'] == 'nosniff',
         'pages say what they may do', page[1])
    for words, code in ((['--listen', '0.0.0.0:0'], 2), (['--listen', '[::]:0'], 2), (['--listen', 'nonsense'], 2),
                        (['--listen', '127.0.0.1:99999'], 2), (['--listen', '::1:0'], 2), (['--token-file', 'absent'], 3), (['absent'], 3)):
        r = subprocess.run([polyprof, 'serve', directory, *words], capture_output=True, check=False, timeout=kit.HANG)
        T.same(r.returncode, code, f'serve {" ".join(words)}: exit {code}')
    with tempfile.TemporaryDirectory() as folder:
        os.mkfifo(os.path.join(folder, 'pipe'))
        r = subprocess.run([polyprof, 'serve', os.path.join(folder, 'pipe'), '--listen', '0'], capture_output=True, check=False, timeout=kit.HANG)
        T.ok(r.returncode == 3 and b'neither a file nor a directory' in r.stderr, 'a pipe cannot be served', r.stderr)
    r = subprocess.run([polyprof, 'serve', directory, '--listen', s.host], capture_output=True, check=False, timeout=kit.HANG)
    T.same(r.returncode, 4, 'a port that is taken: exit 4')
    other = kit.Server(polyprof, directory)
    with other.connect() as refused:
        refused.sendall(b'nonsense\r\n\r\n')
        T.same((kit.status(refused.recv(1000)), other.stop()[0]), (400, 0), 'one that is refused and stays does not keep it from ending')
    for store, code in ((os.path.join(directory, 'missing', 'x.ppdb'), 4), (os.path.join(directory, 'a.folded'), 3)):
        r = subprocess.run([polyprof, 'serve', '--store', store, '--listen', '0'], capture_output=True, check=False, timeout=kit.HANG)
        T.ok(r.returncode == code and b'serving' not in r.stderr, f'a store that cannot be used: exit {code}, before it says that it serves', r.stderr)
    early = [kit.Server(polyprof, '--store', os.path.join(directory, f'early{i}.ppdb')).stop()[0] for i in range(4)]
    T.same(early, [0] * 4, 'a signal as soon as it serves')


def tokens(polyprof, directory):
    secret = 'correct-horse-battery'
    with open(os.path.join(directory, 'token'), 'w', encoding='ascii') as file:
        file.write(secret + '\n')
    s = kit.Server(polyprof, os.path.join(directory, 'a.folded'), '--token-file', os.path.join(directory, 'token'))
    basic = 'Basic OmNvcnJlY3QtaG9yc2UtYmF0dGVyeQ=='
    for what, headers, wanted in (('none', {}, 401), ('Bearer', {'Authorization': 'Bearer ' + secret}, 200),
                                  ('a key', {'X-API-Key': secret}, 200), ("a browser's", {'Authorization': basic}, 200),
                                  ('a wrong one', {'Authorization': 'Bearer wrong'}, 403), ('a longer one', {'X-API-Key': secret + 'x'}, 403),
                                  ('a shorter one', {'X-API-Key': secret[:-1]}, 403), ('an empty one', {'X-API-Key': ''}, 403),
                                  ('another scheme', {'Authorization': 'Digest ' + secret}, 403),
                                  ('a wrong password, which browsers ask for again', {'Authorization': 'Basic Ondyb25n'}, 401)):
        for path in ('/healthz', '/', '/metrics', '/api/v1/top'):
            T.same(s.ask(path, headers=headers)[0], wanted, f'{path} with token: {what}')
    code, said = s.stop()
    T.ok(code == 0 and secret.encode() not in said, 'the token is not told', said)


def questions(s, polyprof, directory):
    def command(*words):
        r = subprocess.run([polyprof, *words, '--json'], capture_output=True, check=False, cwd=directory)
        return r.returncode, r.stdout

    asked = [
        ('top?file=a.folded', ('top', 'a.folded')),
        ('top?file=a.folded&limit=2&sort=total', ('top', 'a.folded', '-n', '2', '--sort', 'total')),
        ('top?file=1&n=2', ('top', 'a.folded', '-n', '2')),
        ('top?file=a.folded&file=d/b.folded', ('top', 'a.folded', 'd/b.folded')),
        ('top', ('top', 'a.folded', 'd')),
        ('top?file=d', ('top', 'd')),
        ('tree?file=d/b.folded', ('tree', 'd/b.folded')),
        ('tree?file=b.folded', ('tree', 'd/b.folded')),
        ('info?file=a.folded', ('info', 'a.folded')),
        ('callers?file=a.folded&function=c', ('callers', 'c', 'a.folded')),
        ('callers?file=a.folded&function=nobody', ('callers', 'nobody', 'a.folded')),
        ('callers?file=a.folded', ('callers', '--function', '', 'a.folded')),
        ('diff?file=a.folded&file=d/b.folded', ('diff', 'a.folded', 'd/b.folded')),
        ('diff?before=a.folded&after=d/b.folded', ('diff', '--before', 'a.folded', '--after', 'd/b.folded')),
        ('top?file=a.folded&focus=%5Eb', ('top', 'a.folded', '--focus', '^b')),
        ('top?file=a.folded&budget=300', ('top', 'a.folded', '--budget', '300')),
        ('top?file=a.folded&focus=%28', ('top', 'a.folded', '--focus', '(')),
        ('check?file=d/bad.folded', ('check', 'd/bad.folded')),
        ('top?file=d/not.json', ('top', 'd/not.json')),
        ('formats', ('formats',)),
        ('explain?rule=folded-count-missing', ('explain', 'folded-count-missing')),
        ('summary?file=a.folded', ('a.folded',)),
        ('top?file=a.folded&limit=x', ('top', 'a.folded', '--limit', 'x')),
        ('top?file=a.folded&sort=cost&names=none', ('top', 'a.folded', '--sort', 'cost')),
        ('top?file=a.folded&names=none', ('top', 'a.folded', '--names', 'none')),
        ('top?file=a.folded&limt=5', ('top', 'a.folded', '--limt', '5')),
        ('top?file=a.folded&budget=1', ('top', 'a.folded', '--budget', '1')),
        ('lines?file=a.folded&budget=300', ('lines', 'a.folded', '--budget', '300')),
        ('check?file=d/not.json', ('check', 'd/not.json')),
    ]
    for query, words in asked:
        code, wanted = command(*words)
        status, headers, content = s.ask('/api/v1/' + query)
        T.same(status, 200 if words[0] == 'check' else {0: 200, 1: 200, 2: 400, 3: 422}[code], f'/api/v1/{query}: the status of exit {code}')
        if 'function=' not in query and words[0] == 'callers':
            T.same(status, 400, 'a parameter that must be given')
            continue
        T.ok(content == wanted and headers['Polyprof-Exit'] == str(code), f'/api/v1/{query} is what {" ".join(words)} prints',
             (status, headers['Polyprof-Exit'], code, content[:500], wanted[:500]))
    # What a command writes; without options for a file and without a terminal.
    for query, words, kind in (('flame?file=a.folded', ('flame', 'a.folded'), 'image/svg+xml'), ('report?file=a.folded', ('report', 'a.folded', '-o', '-'), 'text/html'),
                               ('flame?file=a.folded&file=d/b.folded&icicle=', ('flame', 'a.folded', 'd/b.folded', '--icicle'), 'image/svg+xml'),
                               ('convert?file=a.folded&to=speedscope', ('convert', 'a.folded', '--to', 'speedscope'), 'application/octet-stream'),
                               ('merge?file=a.folded&file=d/b.folded&to=folded', ('merge', 'a.folded', 'd/b.folded', '--to', 'folded'), 'application/octet-stream'),
                               ('gate?file=a.folded&file=d/b.folded&fail-if=total%3E%2B5%25', ('gate', 'a.folded', 'd/b.folded', '--fail-if', 'total>+5%', '--json'), 'application/json'),
                               ('gate?file=a.folded&file=d/b.folded&fail-if=total%3E1&format=junit', ('gate', 'a.folded', 'd/b.folded', '--fail-if', 'total>1', '--format', 'junit'),
                                'application/xml'),
                               ('diff?file=a.folded&file=d/b.folded&to=diff-folded', ('diff', 'a.folded', 'd/b.folded', '--to', 'diff-folded'), 'application/octet-stream'),
                               ('graph?file=a.folded&format=dot', ('graph', 'a.folded'), 'text/vnd.graphviz'), ('top?file=a.folded&csv=', ('top', 'a.folded', '--csv'), 'text/csv')):
        r = subprocess.run([polyprof, *words], capture_output=True, check=False, cwd=directory)
        status, headers, content = s.ask('/api/v1/' + query)
        T.ok(content == r.stdout and r.stdout and headers['Polyprof-Exit'] == str(r.returncode) and headers['Content-Type'].split(';')[0] == kind,
             f'/api/v1/{query} is what {" ".join(words)} writes', (status, headers.items(), r.returncode, content[:300], r.stdout[:300], r.stderr))
        T.ok(kind in ('text/csv',) or 'sandbox' in headers.get('Content-Security-Policy', ''), 'and has no rights of the app')
    for query, exits in (('convert?file=a.folded&to=diff-folded', '3'), ('convert?file=d/b.folded&to=pprof&lossless=', '4')):
        status, headers, content = s.ask('/api/v1/' + query)
        T.ok((status, headers['Polyprof-Exit']) == (422, exits) and b'"error"' in content, f'/api/v1/{query}: what cannot be written is 422', (status, headers.items(), content[:300]))
    os.symlink(os.path.join(directory, 'outside'), os.path.join(directory, 'd/link'))
    for query, wanted in (('top?file=../a.folded', 404), ('top?file=/etc/passwd', 404), ('top?file=d/../a.folded', 404), ('top?file=d/link', 404),
                          ('top?file=d/.hidden', 404), ('top?file=d//b.folded', 404), ('top?file=3', 404), ('top?file=a.folded%00', 400),
                          ('top?file=%2', 400), ('top?file=%zz', 400), ('top?file=-', 404), ('top?file=./a.folded', 404), ('top?file=', 404),
                          ('lines?file=a.folded&source=/etc', 404), ('top?file=a.folded&output=/tmp/x', 400), ('nothing', 404), ('mcp', 404),
                          ('top?file=a.folded&base=/etc/passwd', 404), ('diff?before=/etc/passwd&after=a.folded', 404),
                          ('convert?file=a.folded&to=nothing', 400), ('convert?file=a.folded&to=folded&output=/tmp/x', 400), ('graph?file=a.folded&format=svg', 400),
                          ('top?file=a.folded&nothing=1', 400),
                          ('symbolize?file=a.folded', 404), ('symbolize?file=a.folded&binary=/etc/passwd', 404), ('top?file=a.folded&option=kallsyms=/etc/passwd', 400)):
        status, _, content = s.ask('/api/v1/' + query)
        T.ok(status == wanted and b'root:' not in content, f'/api/v1/{query}: {wanted}', (status, content[:300]))


def named(polyprof, directory):
    """A name is that of a file, however it is shown, and of nothing else."""
    within, outside = os.path.join(directory, 'names'), os.path.join(directory, 'outside.ppdb')
    subprocess.run([polyprof, 'store', 'add', outside, os.path.join(directory, 'a.folded')], capture_output=True, check=False)
    os.makedirs(within + '/sqlite:' + directory)
    os.mkdir(os.path.join(within.encode(), b'sub\xff'))
    os.symlink(outside, within + '/link.ppdb')
    for name in (b'bad\xff.folded', b'sub\xff/b\xfe.folded', b'two\xff.folded', b'two\xfe.folded', b'-', b'link.ppdb?where=', b'sqlite:' + outside.encode()):
        with open(os.path.join(within.encode(), name), 'wb') as file:
            file.write(b'm;named 3\n')
    s = kit.Server(polyprof, '.', b'bad\xff.folded', b'sub\xff', cwd=within)
    for name, wanted in (('bad\ufffd.folded', 200), ('sub\ufffd/b\ufffd.folded', 200), ('b\ufffd.folded', 200), ('two\ufffd.folded', 404), ('b\ufffd\ufffd.folded', 404),
                         ('-', 404), ('link.ppdb', 404), ('link.ppdb?where=', 404), ('sqlite:' + outside, 404)):
        for verb in ('top', 'view'):
            status, _, content = s.ask(f'/api/v1/{verb}?' + urllib.parse.urlencode({'file': name}))
            T.ok(status == wanted and (status == 404 or verb == 'view' or b'"named"' in content), f'{verb} of {name.replace(directory, "DIR")!r}: {wanted}', (status, content[:300]))
    s.stop()


def told_apart(polyprof, directory):
    """What the server keeps of one question is no answer to another one."""
    s = kit.Server(polyprof, os.path.join(directory, 'a.folded'))
    answers = [s.ask('/api/v1/view?file=1&' + query)[2] for query in ('focus=a&ignore=c', 'focus=a%0Aignore%3Dc', 'focus=a%0Aignore=c')]
    T.ok(answers[0] != answers[1] == answers[2], 'a parameter with a line break is not two')
    s.stop()


def unread(polyprof, directory):
    """What nobody reads stays within --memory: answers, and files that were dropped."""
    text = ''.join(f'm;{"x" * 100}{k};f{k} 1\n' for k in range(50000)).encode()
    with open(os.path.join(directory, 'long.folded'), 'wb') as file:
        file.write(text)
    share = 24 * (min(16, os.cpu_count()) + 2)
    s = kit.Server(polyprof, 'long.folded', '--memory', f'{share}M', cwd=directory)
    ask = f'GET /api/v1/convert?to=folded HTTP/1.1\r\nHost: {s.host}\r\nConnection: close\r\n\r\n'.encode()
    clients = []
    for _ in range(share // 4):
        c = s.connect()
        c.sendall(ask)
        clients.append(c)
    T.ok(s.wait(lambda: s.number('polyprof_questions_running') + s.number('polyprof_questions_waiting') == 0 and s.number('polyprof_requests_total') > len(clients)), 'all were asked')
    T.ok(0 < s.number('polyprof_answers_bytes') <= share << 20, 'answers that nobody reads take no more than all memory', s.number('polyprof_answers_bytes'))
    answers = [kit.read_all(c) for c in clients]
    T.same({kit.status(a) for a in answers}, {200, 429}, 'the others are asked to come again')
    T.ok(all(b'\r\nRetry-After: 1\r\n' in a and b'"memory"' in a for a in answers if kit.status(a) == 429) and all(a.endswith(answers[0][-50:]) for a in answers if kit.status(a) == 200), 'which says why')
    T.ok(s.wait(lambda: s.number('polyprof_answers_bytes') == 0), 'what was read is gone')
    if share > 240:  # there are as many threads, each with its part: eight of them fit
        s.stop()
        return
    names = [json.loads(s.ask('/api/v1/drop?name=x', 'POST', gzip.compress(text[:2400000 + i], 1))[2])['file'] for i in range(8)]
    kept = [s.ask('/api/v1/view?file=' + name)[0] for name in names]
    T.ok(kept[0] == 404 and kept[-1] == 200, 'files that were dropped are kept by what they take', kept)
    s.stop()


def patient(s):
    """Idle and slow clients do not keep others waiting."""
    idle = [s.connect() for _ in range(1000)]
    T.ok(s.wait(lambda: s.number('polyprof_connections') == 1001), '1,000 idle clients are counted', s.number('polyprof_connections'))
    slow = [s.connect() for _ in range(500)]
    for c in slow:
        c.sendall(b'GET /healthz HTT')
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: s.ask('/healthz')[0], range(100)))
    T.same(answers, [200] * 100, 'beside them, and 500 slow ones, requests are answered')
    for c in idle + slow:
        c.close()
    T.ok(s.wait(lambda: s.number('polyprof_connections') == 1), 'they are gone when they close', s.number('polyprof_connections'))


def given_up(polyprof, directory):
    """A question that nobody waits for stops; SIGTERM answers what is under way."""
    pipe = kit.Pipe(os.path.join(directory, 'pipe'), b''.join(b'main;a%d;b%d 1\n' % (i % 97, i) for i in range(5000)))
    s = kit.Server(polyprof, pipe.path)
    pipe.lay()
    ask = f'GET /api/v1/top HTTP/1.1\r\nHost: {s.host}\r\n\r\n'.encode()
    c = s.connect()
    c.sendall(ask)
    pipe.opened()
    c.close()
    T.ok(s.wait(lambda: not pipe.more()) and s.wait(lambda: s.number('polyprof_questions_cancelled_total') == 1),
         'a question that nobody waits for is given up')
    pipe.end()
    c = s.connect()
    c.sendall(ask)
    pipe.opened()
    early = s.connect()
    early.sendall(f'GET /healthz HTTP/1.1\r\nHost: {s.host}\r\n\r\n'.encode())
    s.process.terminate()
    T.same(kit.status(kit.read_all(early)), 200, 'what was sent before the signal is answered')
    pipe.end()
    got = kit.read_all(c)
    T.ok(kit.status(got) == 200 and b'Connection: close' in got and got.endswith(b'}\n'), 'what is under way is answered', got[:200])
    T.same(s.process.wait(60), 0, 'and then it ends, exit 0')
    try:
        s.connect()
        T.ok(False, 'nobody listens any more')
    except OSError:
        T.ok(True, 'nobody listens any more')


def beside(polyprof, directory):
    """Who waits for what somebody else has read takes no thread from those that ask about other things."""
    pipe = kit.Pipe(os.path.join(directory, 'large'), b'main;a;b 1\n' * 100)
    s = kit.Server(polyprof, pipe.path, os.path.join(directory, 'a.folded'))
    pipe.lay()
    waiting = [s.connect() for _ in range(40)]
    for c in waiting:
        c.sendall(f'GET /api/v1/view?file=large HTTP/1.1\r\nHost: {s.host}\r\nConnection: close\r\n\r\n'.encode())
    T.ok(s.wait(lambda: s.number('polyprof_requests_total') > 40 and s.number('polyprof_questions_waiting') == 0), 'all of them were looked at')
    as_it_was = os.stat(pipe.path)
    pipe.opened()
    os.utime(pipe.path, ns=(as_it_was.st_atime_ns, as_it_was.st_mtime_ns))  # else it would be another file to those that wait
    T.same(s.ask('/api/v1/top?file=a.folded')[0], 200, 'beside 40 that wait for a large file others are answered')
    T.same(s.ask('/api/v1/view?file=a.folded')[0], 200, 'also with tables')
    status, _, body = s.ask('/api/v1/view?file=a.folded&at=999999999')
    T.same((status, json.loads(body)['error']['rule']), (400, 'usage'), 'a node that is not there')
    both, off, on = (s.ask('/api/v1/view?file=a.folded&file=a.folded' + flag)[2] for flag in ('', '&merge=0', '&merge='))
    T.ok(both == off != on, 'a flag is off with 0, as elsewhere')
    pipe.end()
    answers = [kit.read_all(c) for c in waiting]
    T.ok(all(kit.status(a) == 200 for a in answers) and len({a.partition(b'\r\n\r\n')[2] for a in answers}) == 1, 'and then all of them', [a[:60] for a in answers[:3]])
    T.same(s.stop()[0], 0, 'exit 0')


def packed(polyprof, directory):
    """What pages looked at stays within --memory, however small its files are."""
    names = [f'packed{i}.folded.gz' for i in range(6)]
    for i, name in enumerate(names):
        with open(os.path.join(directory, name), 'wb') as file:
            file.write(gzip.compress(''.join(f'm;a{k % 1000};f{k} {i + 1}\n' for k in range(200000)).encode(), 1))
    s = kit.Server(polyprof, *names, '--memory', '100M', cwd=directory)
    T.same([s.ask(f'/api/v1/view?file={name}')[0] for name in names], [200] * 6, 'six packed files, one after the other')
    T.ok(s.rss() < kit.memory_limit(polyprof, 200 << 20), 'not all of them are kept', s.rss())
    T.same(s.ask('/api/v1/view?file=' + names[0])[0], 200, 'the first is read again')
    T.same(s.stop()[0], 0, 'exit 0')


def main():
    polyprof = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, 'd'))
        for name, text in (('a.folded', 'a;b;c 5\na;b 2\na;c 1\n'), ('d/b.folded', 'a;b;c 9\na;d 2\n'), ('d/bad.folded', 'a;b\nx y z\n'),
                           ('d/not.json', '{"x": [}'), ('d/.hidden', 'a;b 1\n'), ('outside', 'a;b 1\n')):
            with open(os.path.join(directory, name), 'w', encoding='ascii') as file:
                file.write(text)
        s = kit.Server(polyprof, 'a.folded', 'd', cwd=directory)
        strict(s)
        guarded(s, polyprof, directory)
        questions(s, polyprof, directory)
        patient(s)
        T.same(s.stop()[0], 0, 'SIGTERM: exit 0')
        tokens(polyprof, directory)
        given_up(polyprof, directory)
        beside(polyprof, directory)
        named(polyprof, directory)
        told_apart(polyprof, directory)
        unread(polyprof, directory)
        packed(polyprof, directory)
    return T.done()


sys.exit(main())
