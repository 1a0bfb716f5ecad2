#!/usr/bin/env python3
"""Profiles that are pushed into `polyprof serve`: push.py POLYPROF. Speaks TAP.

Every endpoint as its senders speak; acknowledged means stored, once; what is too large, wrong or hostile is refused; a kill loses nothing
that was acknowledged.
"""
import base64
import concurrent.futures
import gzip
import json
import os
import signal
import sqlite3
import struct
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.path[:0] = [os.path.dirname(os.path.abspath(__file__)), os.path.join(os.path.dirname(os.path.abspath(__file__)), '..')]
import kit  # noqa: E402
import tap  # noqa: E402
from wire import num, sub, varint  # noqa: E402

T = tap.Tap()


def field(number, value):
    """A field of protobuf: bytes, text or a number."""
    return num(number, value) if isinstance(value, int) else sub(number, value)


def pprof(name='work', value=7, seconds=None):
    """A profile of one stack, main > NAME."""
    strings = ['', 'samples', 'count', 'main', name]
    data = field(1, field(1, 1) + field(2, 2))
    data += field(2, field(1, b'\x02\x01') + field(2, varint(value)))
    for i in (1, 2):
        data += field(4, field(1, i) + field(4, field(1, i)))
        data += field(5, field(1, i) + field(2, 2 + i))
    data += b''.join(field(6, s) for s in strings)
    return data + (field(9, seconds * 10**9) if seconds else b'')


def otlp(services, value=3):
    """A request of many resources over one dictionary, as the collector sends it."""
    strings = ['', 'samples', 'count', 'leaf', 'root']
    functions = b''.join(field(3, field(1, name)) for name in (0, 3, 4))
    locations = field(2, b'') + field(2, field(3, field(1, 1))) + field(2, field(3, field(1, 2)))
    stacks = field(7, b'') + field(7, field(1, b'\x01\x02'))
    dictionary = field(1, b'') + locations + functions + field(4, b'') + b''.join(field(5, s) for s in strings) + field(6, b'') + stacks
    data = b''
    for service, host in services:
        attributes = b''.join(field(1, field(1, key) + field(2, field(1, text))) for key, text in (('service.name', service), ('host.name', host)))
        attributes += field(1, field(1, 'process.pid') + field(2, field(3, 42))) + field(1, field(3, 2) + field(2, field(8, 1)))
        profile = field(1, field(1, 1) + field(2, 2)) + field(2, field(1, 1) + field(4, varint(value)))
        profile += varint(3 << 3 | 1) + struct.pack('<Q', 1700000000 * 10**9)
        data += field(1, field(1, attributes) + field(2, field(2, profile)))
    return data + field(2, dictionary)


class Store:
    def __init__(self, polyprof, path):
        self.polyprof, self.path = polyprof, path

    def run(self, *words):
        r = subprocess.run([self.polyprof, *words], capture_output=True, check=False)
        return json.loads(r.stdout) if r.stdout else {}

    def list(self, *words):
        return self.run('store', 'list', self.path, '--json', '-n', '0', *words)['profiles']

    def total(self, function, *words):
        rows = self.run('top', self.path, '--json', *words).get('functions', [])
        return sum(sum(row['total'].values()) for row in rows if row['name'] == function)


def quoted(name):
    return urllib.parse.quote(name, safe='')


def endpoints(s, store):
    """Each as its senders speak: what is stored, with which labels."""
    form = b'\r\n'.join([b'--b', b'Content-Disposition: form-data; name="profile"; filename="profile.pprof"', b'Content-Type: application/octet-stream',
                         b'', gzip.compress(pprof('form')), b'--b', b'Content-Disposition: form-data; name="sample_type_config"', b'', b'{}', b'--b--', b''])
    series = [{'labels': [{'name': 'service_name', 'value': 'alloy'}, {'name': '__name__', 'value': 'process_cpu'}],
               'samples': [{'ID': 'x', 'rawProfile': base64.b64encode(gzip.compress(pprof('alloy_json'))).decode()}]}]
    parca = [{'labels': {'labels': series[0]['labels']}, 'samples': [{'rawProfile': base64.b64encode(pprof('parca')).decode()}]}]
    label = field(1, field(1, 'service_name') + field(2, 'connect'))
    proto = field(1, label + field(2, field(1, pprof('first')) + field(2, 'id')) + field(2, field(1, pprof('second'))))
    resource = {'resource': {'attributes': [{'key': 'service.name', 'value': {'stringValue': 'json'}}, {'key': 'n', 'value': {'intValue': '5'}}]},
                'scopeProfiles': [{'profiles': [{'sampleType': {'typeStrindex': 1, 'unitStrindex': 2}, 'timeUnixNano': '1700000000000000000',
                                                 'samples': [{'stackIndex': 1, 'values': ['3']}]}]}]}
    dictionary = {'mappingTable': [{}], 'locationTable': [{}, {'lines': [{'functionIndex': 1}]}], 'functionTable': [{}, {'nameStrindex': 3}],
                  'linkTable': [{}], 'stringTable': ['', 'samples', 'count', 'json_leaf'], 'attributeTable': [{}], 'stackTable': [{}, {'locationIndices': [1]}]}
    ingest = '/ingest?from=1700000000&until=1700000010&spyName=nodespy&sampleRate=100&name='
    otlp_path = '/v1development/profiles'
    cases = [
        ('Pyroscope, pb.gz', ingest + quoted('app{a=b,c=d}') + '&format=pprof', gzip.compress(pprof('ingest')), {}, [('ingest', {'service': 'app', 'a': 'b', 'c': 'd', 'type': 'samples'})]),
        ('Pyroscope, a form', ingest + 'form&format=pprof', form, {'Content-Type': 'multipart/form-data; boundary=b'}, [('form', {'service': 'form', 'type': 'samples'})]),
        ('Pyroscope, lines', ingest + 'lines&format=lines', b'a;lines\na;lines\n', {}, [('lines', {'service': 'lines', 'type': 'samples'})]),
        ('Pyroscope, folded', ingest + 'folded', b'a;folded 4\n', {}, [('folded', {'service': 'folded', 'type': 'samples'})]),
        ('OTLP, protobuf, gzip', otlp_path, gzip.compress(otlp([('cart', 'h1'), ('shop', 'h2')])),
         {'Content-Type': 'application/x-protobuf', 'Content-Encoding': 'gzip'},
         [('leaf', {'service': name, 'host.name': host, 'process.pid': '42', 'count': 'samples', 'type': 'samples'}) for name, host in (('cart', 'h1'), ('shop', 'h2'))]),
        ('OTLP, JSON', otlp_path, json.dumps({'resourceProfiles': [resource], 'dictionary': dictionary}).encode(), {'Content-Type': 'application/json'},
         [('json_leaf', {'service': 'json', 'n': '5', 'type': 'samples'})]),
        ('Connect, protobuf', '/push.v1.PusherService/Push', proto, {'Content-Type': 'application/proto'},
         [(name, {'service': 'connect', 'type': 'samples'}) for name in ('first', 'second')]),
        ('Connect, JSON', '/push.v1.PusherService/Push', json.dumps({'series': series}).encode(), {'Content-Type': 'application/json'},
         [('alloy_json', {'service': 'alloy', '__name__': 'process_cpu', 'type': 'samples'})]),
        ('Connect, JSON in the other alphabet', '/push.v1.PusherService/Push', json.dumps({'series': [{'samples': [{'rawProfile': base64.urlsafe_b64encode(pprof('a\u00ff\u00fe\u00fb?>')).decode().rstrip('=')}]}]}).encode(),
         {'Content-Type': 'application/json'}, [('a\u00ff\u00fe\u00fb?>', {'type': 'samples'})]),
        ('Pyroscope, a form behind other text', ingest + 'preamble', b'before it\r\n' + form, {'Content-Type': 'multipart/form-data; boundary=b'}, [('form', {'service': 'preamble', 'type': 'samples'})]),
        ('Coroot', '/v1/profiles?service.name=co&host=h', gzip.compress(pprof('coroot')), {}, [('coroot', {'service': 'co', 'host': 'h', 'type': 'samples'})]),
        ('Parca', '/profiles/writeraw', json.dumps({'series': parca}).encode(), {'Content-Type': 'application/json'},
         [('parca', {'service': 'alloy', '__name__': 'process_cpu', 'type': 'samples'})]),
        ('curl, any format', '/api/v1/add?label.service=ci&label.run=2&t0=1700000000&name=x.folded', b'a;curl 4\n', {}, [('curl', {'service': 'ci', 'run': '2'})]),
    ]
    for what, path, body, headers, wanted in cases:
        before = {p['id'] for p in store.list()}
        statuses = [s.ask(path, 'POST', body, headers)[0] for _ in range(2)]
        new = [p for p in store.list() if p['id'] not in before]
        T.ok(statuses == [200, 200] and len(new) == len(wanted), f'{what}: stored once, sent twice', (statuses, new))
        labels = sorted(json.dumps(p['labels'], sort_keys=True) for p in new)
        T.same(labels, sorted(json.dumps(labels, sort_keys=True) for _, labels in wanted), f'{what}: its labels')
        for name, _ in wanted:
            T.ok(store.total(name) > 0, f'{what}: {name} is found')
    for given, seconds in (('100', 100), ('1700000000', 1700000000), ('1700000000500', 1700000000.5), ('1700000000500000000', 1700000000.5)):
        s.ask(f'/ingest?name=clock{given}&from={given}', 'POST', b'clock 1\n')  # which nobody recognises
        T.same([p['time']['start'] for p in store.list() if p['labels'].get('service') == f'clock{given}'], [int(seconds * 1e9)], f'from={given} is {seconds} s')
    for given, before in (('now', 0), ('now-1h', 3600)):
        now = time.time()
        s.ask(f'/ingest?name=clock{given}&from={given}', 'POST', b'clock 1\n')
        start = [p['time']['start'] / 1e9 + before for p in store.list() if p['labels'].get('service') == f'clock{given}']
        T.ok(len(start) == 1 and now - 1 <= start[0] <= time.time() + 1, f'from={given} is so long before it came', (now, start))
    entry = [p for p in store.list() if p['labels'].get('service') == 'app'][0]
    T.same(entry['time'], {'start': 1700000000 * 10**9, 'end': 1700000010 * 10**9}, 'times of the request')
    T.same(store.total('lines'), 2, 'lines are counted')
    first = s.ask('/api/v1/add?label.service=late', 'POST', b'a;late 1\n')
    seen = store.list('--where', 'service=late')[0]['time']
    time.sleep(0.01)
    again = s.ask('/api/v1/add?label.service=late', 'POST', b'a;late 1\n')
    T.ok(json.loads(first[2])['added'] == 1 and json.loads(again[2])['known'] == 1 and store.list('--where', 'service=late')[0]['time'] == seen,
         'without a time it has that of its arrival, the first one')


def refusals(s, store):
    small = gzip.compress(pprof('refused'))
    ingest = '/ingest?name=a&format=pprof'
    bomb = gzip.compress(b'a;b 1\n' * 4_000_000, 1)
    huge = 'x' * (1 << 20)
    many = ','.join(f'k{i}=v' for i in range(70))
    stacked = gzip.compress(gzip.compress(b'\0' * 50_000_000))
    cases = [
        ('no profile', ingest, b'', {}, 400), ('nonsense', ingest, b'hello', {}, 400), ('half a profile', ingest, small[:20], {}, 400),
        ('jfr', '/ingest?name=a&format=jfr', b'FLR\0', {}, 415), ('trie', '/ingest?name=a&format=trie', b'x', {}, 415),
        ('no name', '/ingest?format=pprof', small, {}, 400), ('a name of braces', '/ingest?name=%7Ba=b%7D&format=pprof', small, {}, 400),
        ('braces that stay open', '/ingest?name=a%7Bb=c&format=pprof', small, {}, 400), ('a label without a value', '/ingest?name=a%7Bb%7D&format=pprof', small, {}, 400),
        ('a time that is none', ingest + '&from=yesterday', small, {}, 400), ('a label of 5,000 bytes', f'/ingest?name=a%7Bk={huge[:5000]}%7D&format=pprof', small, {}, 400),
        ('a label that is not UTF-8', '/ingest?name=a%7Bk=%FF%7D&format=pprof', small, {}, 400), ('70 labels', f'/ingest?name=a%7B{many}%7D&format=pprof', small, {}, 400),
        ('a body beyond the limit', ingest, b'x' * (3 << 20), {}, 413), ('a bomb', '/ingest?name=a', bomb, {}, 413), ('a bomb in a bomb', ingest, stacked, {}, 413),
        ('a bomb by its encoding', '/ingest?name=a', bomb, {'Content-Encoding': 'gzip'}, 413), ('another packing', ingest, small, {'Content-Encoding': 'br'}, 415), ('deflate', ingest, small, {'Content-Encoding': 'deflate'}, 415), ('a time before nothing', ingest + '&from=now-', small, {}, 400), ('a time of neither', ingest + '&from=nowhere', small, {}, 400),
        ('not packed at all', ingest, b'\x1f\x8b' + b'x' * 50, {'Content-Encoding': 'gzip'}, 400),
        ('OTLP of another type', '/v1development/profiles', otlp([('a', 'b')]), {'Content-Type': 'text/plain'}, 415),
        ('OTLP that is cut', '/v1development/profiles', otlp([('a', 'b')])[:-9], {'Content-Type': 'application/x-protobuf'}, 400),
        ('JSON that is none', '/v1development/profiles', b'{"resourceProfiles": [', {'Content-Type': 'application/json'}, 400),
        *[('OTLP of another shape', '/v1development/profiles', body, {'Content-Type': 'application/json'}, 400)
          for body in (b'[]', b'"x"', b'null', b'{"resourceProfiles":5}', b'{"resourceProfiles":{}}', b'{"resourceProfiles":[5]}')],
        ('Connect that is cut', '/push.v1.PusherService/Push', b'\x0a\xff\x01', {'Content-Type': 'application/proto'}, 400),
        ('base64 that is none', '/profiles/writeraw', b'{"series":[{"samples":[{"rawProfile":"%%%"}]}]}', {'Content-Type': 'application/json'}, 400),
        ('a label of a megabyte', '/profiles/writeraw', json.dumps({'series': [{'labels': [{'name': 'k', 'value': huge}],
         'samples': [{'rawProfile': base64.b64encode(small).decode()}]}]}).encode(), {'Content-Type': 'application/json'}, 400),
        ('a form without a profile', ingest, b'--b\r\nContent-Disposition: form-data; name="x"\r\n\r\ny\r\n--b--\r\n', {'Content-Type': 'multipart/form-data; boundary=b'}, 400),
        ('a form that does not end', ingest, b'--b\r\nContent-Disposition: form-data; name="profile"\r\n\r\n' + small, {'Content-Type': 'multipart/form-data; boundary=b'}, 400),
        ('a label with two values', '/api/v1/add?label.a=1&label.a=2', b'a 1\n', {}, 400),
        ('a service with two names', '/api/v1/add?label.service=1&label.service_name=2', b'a 1\n', {}, 400),
        ('an end before the beginning', '/ingest?name=a&from=1700000010&until=1700000000', b'a;b 1\n', {}, 400),
        ('another one', '/api/v1/add?t0=1700000010&t1=1700000000', b'a;b 1\n', {}, 400),
        ('a path as a name', '/api/v1/add?name=../../x', b'a 1\n', {}, 400), ('a format that is none', '/api/v1/add?from=nothing', b'a 1\n', {}, 400),
        ('GET', '/ingest?name=a', None, {}, 405),
    ]
    before = len(store.list())
    for what, path, body, headers, wanted in cases:
        status, answer, content = s.ask(path, 'GET' if body is None else 'POST', body, headers)
        # Exporters of OTLP are answered as its protocol says: a google.rpc.Status.
        told = content[:1] == b'\x08' if headers.get('Content-Type') == 'application/x-protobuf' else b'"rule"' in content
        T.ok(status == wanted and told, f'{what}: {wanted}', (status, content[:300]))
    T.same(len(store.list()), before, 'and nothing of it is stored')
    T.ok(s.rss() < kit.memory_limit(store.polyprof, 150 << 20), 'bombs take no memory', s.rss())
    host = f'Host: {s.host}\r\n'
    for what, chunks, wanted in (('chunks', b'3\r\na;b\r\n3\r\n 1\n\r\n0\r\n\r\n', 200), ('chunks with extensions and trailers', b'6;x=y\r\na;b 1\n\r\n0\r\nX: y\r\n\r\n', 200),
                                 ('a size that is none', b'zz\r\n', 400), ('a negative size', b'-1\r\n', 400), ('a size with blanks', b' 6\r\na;b 1\n\r\n0\r\n\r\n', 400),
                                 ('no size', b'\r\n', 400), ('a size that overflows', b'ffffffffffffffffff\r\n', 400), ('a huge chunk', b'fffffffffff\r\nx', 413),
                                 ('a chunk that is longer than said', b'3\r\na;b 1\n\r\n0\r\n\r\n', 400), ('lines that end in LF', b'6\na;b 1\n\n0\n\n', 400),
                                 ('endless extensions', b'6;' + b'x' * 9000 + b'\r\n', 400), ('chunks that break off', b'6\r\na;b', 400)):
        got = s.raw(f'POST /ingest?name=chunks HTTP/1.1\r\n{host}Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n'.encode() + chunks, shut=True)
        T.ok(kit.status(got) == wanted and (wanted == 200 or b'{"error": {"rule": "' in got), f'{what}: {wanted}', got[:300])
    got = s.raw(f'POST /ingest?name=a HTTP/1.1\r\n{host}Content-Length: {1 << 40}\r\nExpect: 100-continue\r\n\r\n'.encode())
    T.ok(kit.status(got) == 413, 'what is too large is not even asked for', got[:200])
    got = s.raw(f'POST /ingest?name=expects HTTP/1.1\r\n{host}Connection: close\r\nContent-Length: 6\r\nExpect: 100-continue\r\n\r\n'.encode() + b'a;b 1\n')
    T.ok(b'HTTP/1.1 200' in got, 'what is waited for is asked for', got[:200])


def sql(s, store):
    """Names are data, in every language."""
    names = ["'; DROP TABLE profile; --", '" OR 1=1', "Robert'); DELETE FROM series;--", '%s%n', '\\', "a'b\"c", '{"a":1}', '\u202e\u2028', '../../etc/passwd', '--help', '']
    for name in names:
        path = '/api/v1/add?' + urllib.parse.urlencode({'label.service': 'sql', 'label.x': name, ('label.' + name if name and len(name) < 100 else 'label.y'): 'z'})
        T.same(s.ask(path, 'POST', b'a;' + (name.replace(';', ' ').encode() or b'x') + b' 1\n')[0], 200, f'a label {name!r}')
    listed = store.list('--where', 'service=sql')
    T.same(sorted(p['labels'].get('x', '') for p in listed), sorted(names), 'all of them are there as they were sent')
    where = urllib.parse.quote("service=\"x'; DROP TABLE profile; --\"")
    T.same(s.ask(f'/api/v1/top?where={where}')[0], 422, 'an expression is no SQL')
    T.ok(s.ask('/api/v1/top?where=' + urllib.parse.quote("service='1"))[0] == 400, 'one that is none is refused')
    T.ok(len(store.list('--where', 'service=sql')) == len(names), 'and nothing has changed')


def listed(s, store):
    """A long list comes in parts of less than a megabyte."""
    for i in range(270):
        s.ask('/api/v1/add?' + urllib.parse.urlencode({'label.service': 'long', 'label.x': 'y' * 4000, 'label.n': i}), 'POST', b'a;b 1\n')
    found, page, sizes = [], 0, []
    while page is not None:
        content = s.ask(f'/api/v1/store?file=s.ppdb&where=service%3Dlong&page={page}')[2]
        body = json.loads(content)
        sizes.append(len(content))
        found += body['profiles']
        page = body['cut']['page'] if 'cut' in body else None
    T.same([s.ask('/api/v1/store?file=s.ppdb&' + wrong)[0] for wrong in ('n=abc', 'n=', 'page=-1', 'page=9999999999')], [400] * 4, 'what is no number is not taken for one')
    T.ok(len(sizes) > 1 and max(sizes) <= 1000000 and found == store.list('--where', 'service=long'), 'a list in parts of less than 1 MB', (len(found), sizes))


def asked(s, store, directory):
    """Questions about a store: as the command line answers them, and about nothing else of the machine."""
    for i, version in enumerate('112233'):
        s.ask(f'/api/v1/add?label.service=asked&label.version={version}&t0={1700000000 + 60 * i}', 'POST', f'a;b {i + 5}\na;c 3\n'.encode())
    for query, words in (('diff?before=service%3Dasked+and+version%3D1&after=service%3Dasked+and+version%3D2', ('diff', '--before', 'service=asked and version=1', '--after', 'service=asked and version=2')),
                         ('diff?file=s.ppdb&before=version%3D1&after=version%3D2', ('diff', '--before', 'version=1', '--after', 'version=2')),
                         ('gate?file=s.ppdb&before=version%3D1&after=version%3D3&fail-if=total%3E1', ('gate', '--before', 'version=1', '--after', 'version=3', '--fail-if', 'total>1')),
                         ('trend?function=b&by=version&every=1m&where=service%3Dasked', ('trend', '--function', 'b', '--by', 'version', '--every', '1m', '--where', 'service=asked')),
                         ('top?where=service%3Dasked&by=label:version', ('top', '--where', 'service=asked', '--by', 'label:version'))):
        r = subprocess.run([store.polyprof, words[0], store.path, *words[1:], '--json'], capture_output=True, check=False)
        T.same(s.ask('/api/v1/' + query)[2], r.stdout, f'/api/v1/{query} is what {" ".join(words)} prints')
    outside = os.path.join(directory, 'outside=1')
    with open(outside, 'w', encoding='ascii') as file:
        file.write('secret;outside 7\n')
    for query in ('top?file=s.ppdb&base=', 'convert?to=folded&file=s.ppdb&base=', 'findings?file=s.ppdb&before=', 'list?file=s.ppdb&directory=', 'diff?file=s.ppdb&after=version%3D1&before=',
                  'diff?file=s.ppdb&file=s.ppdb&after=version%3D1&before=', 'gate?file=s.ppdb&fail-if=total%3E1&after=version%3D1&before=', 'flame?file=s.ppdb&base=', 'trend?file=s.ppdb&before=', 'top?file=s.ppdb&file='):
        for path in (outside, directory, os.path.dirname(outside)):
            status, _, content = s.ask('/api/v1/' + query + urllib.parse.quote(path))
            T.ok(status in (400, 404, 422) and b'secret' not in content and b'outside",' not in content, f'/api/v1/{query}… reads nothing else', (status, content[:300]))


def crowd(s, store):
    """Many at once, while somebody else writes: they wait, are stored in few transactions, and who does not fit is sent away."""
    def push(i):
        body = pprof('crowd', 1)
        c = s.connect()
        c.sendall(f'POST /ingest?name=crowd&format=pprof&from={1700000000 + i} HTTP/1.1\r\nHost: {s.host}\r\nConnection: close\r\n'
                  f'Content-Length: {len(body)}\r\n\r\n'.encode() + body)
        return c

    refused, commits = s.number('polyprof_answers_total{status="4xx"}'), s.number('polyprof_commits_total')
    other = sqlite3.connect(store.path, isolation_level=None)
    other.execute('BEGIN IMMEDIATE')
    # More than can wait; under a sanitizer that would take longer than the store is waited for.
    pushes = [push(i) for i in range(200 if kit.sanitized(store.polyprof) else 900)]
    settled = s.wait(lambda: s.number('polyprof_pushes_waiting') + s.number('polyprof_answers_total{status="4xx"}') - refused == len(pushes))
    waiting = s.number('polyprof_pushes_waiting')
    T.ok(settled and 1 <= waiting <= 768, 'some wait, the others do not fit', waiting)
    other.execute('ROLLBACK')
    other.close()
    answers = [kit.read_all(c) for c in pushes]
    for c in pushes:
        c.close()
    statuses = [kit.status(a) for a in answers]
    T.same((statuses.count(200), statuses.count(429)), (waiting, len(pushes) - waiting), 'those that waited are acknowledged, the others 429')
    T.ok(all(b'\r\nRetry-After: 1\r\n' in a and b'"queue-full"' in a for a in answers if kit.status(a) == 429), 'which says when to come again')
    T.same(store.total('crowd', '--where', 'service=crowd'), waiting, 'what was acknowledged is stored')
    T.ok(1 <= s.number('polyprof_commits_total') - commits <= 3, 'many in one transaction', s.number('polyprof_commits_total') - commits)


def held(polyprof, directory):
    """While another program has the store pushes wait, without what was sent; who stops the server twice waits for nothing."""
    path = os.path.join(directory, 'held.ppdb')
    s = kit.Server(polyprof, '--store', path, '--max-body', '2')
    body = gzip.compress((b'm;' + b'x' * 100 + b' 1\n') * 150000, 1)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute('BEGIN IMMEDIATE')
    clients = []
    for i in range(12):
        c = s.connect()
        c.sendall(f'POST /ingest?name=held&from={1700000000 + i} HTTP/1.1\r\nHost: {s.host}\r\nContent-Encoding: gzip\r\nContent-Length: {len(body)}\r\n\r\n'.encode() + body)
        clients.append(c)
    T.ok(s.wait(lambda: s.number('polyprof_pushes_waiting') == len(clients)), 'all wait for the store')
    T.ok(s.rss() < kit.memory_limit(polyprof, 130 << 20), 'not with 16 MB each', s.rss())
    started = time.monotonic()
    s.process.terminate()
    time.sleep(0.2)
    s.process.terminate()
    T.ok(s.process.wait(kit.HANG) == 0 and time.monotonic() - started < 30, 'a second signal ends it, exit 0', time.monotonic() - started)
    for c in clients:
        c.close()
    other.close()
    T.same(Store(polyprof, path).list(), [], 'what was not acknowledged is not there')


def killed(polyprof, directory):
    """A kill: what was acknowledged stays, what is sent again is there once."""
    path = os.path.join(directory, 'killed.ppdb')
    acknowledged, number = set(), 0
    for life in range(3):
        s = kit.Server(polyprof, '--store', path)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            def push(i):
                try:
                    if s.ask(f'/ingest?name=kill&format=pprof&from={1700000000 + i}', 'POST', pprof('kill', 1))[0] == 200:
                        acknowledged.add(i)
                except OSError:
                    pass
                except Exception:  # an answer that was cut
                    pass
            # Half of them were sent before.
            jobs = [pool.submit(push, i) for i in range(max(0, number - 60), number + 120)]
            number += 120
            before = len(acknowledged)
            s.wait(lambda: len(acknowledged) > before + 10 * life)
            s.process.send_signal(signal.SIGKILL)
        s.process.wait()
    stored = Store(polyprof, path)
    ids = {p['time']['start'] // 10**9 - 1700000000 for p in stored.list()}
    T.ok(acknowledged and acknowledged <= ids and len(ids) == len(stored.list()), 'nothing that was acknowledged is lost, nothing is there twice',
         (len(acknowledged), len(ids), sorted(acknowledged - ids)[:5]))
    s = kit.Server(polyprof, '--store', path)
    answers = [s.ask(f'/ingest?name=kill&format=pprof&from={1700000000 + i}', 'POST', pprof('kill', 1))[0] for i in range(40)]
    s.process.terminate()
    T.ok(s.process.wait(30) == 0 and answers == [200] * 40, 'and it goes on')
    T.same(stored.total('kill'), len(stored.list()), 'counted once')


def away(polyprof, directory):
    """A store that is moved, or removed: nothing is acknowledged that would be lost with it."""
    path = os.path.join(directory, 'away.ppdb')
    s = kit.Server(polyprof, '--store', path)
    first = s.ask('/api/v1/add?label.n=1', 'POST', b'a;b 1\n')[0]
    os.rename(path, path + '.moved')
    moved, _, why = s.ask('/api/v1/add?label.n=2', 'POST', b'a;b 1\n')
    again = s.ask('/api/v1/add?label.n=1', 'POST', b'a;b 1\n')[0]
    os.rename(path + '.moved', path)
    T.same([first, moved, again, s.ask('/api/v1/add?label.n=3', 'POST', b'a;b 1\n')[0]], [200, 503, 503, 200], 'a store that is away is 503')
    T.ok(b'moved' in why, 'and it is said why', why)
    T.same(s.ask('/healthz')[0], 200, 'the server is well all the same')
    T.same(len(Store(polyprof, path).list()), 2, 'what was acknowledged is there')
    os.unlink(path)
    T.same(s.ask('/api/v1/add?label.n=4', 'POST', b'a;b 1\n')[0], 503, 'one that is removed, too')
    s.stop()


def looked_at(polyprof, directory):
    """What a page looks at stays as it was while profiles come in; reading alone changes nothing."""
    path = os.path.join(directory, 'looked.ppdb')
    s = kit.Server(polyprof, '--store', path)

    def view(query=''):
        status, headers, _ = s.ask('/api/v1/view?file=looked.ppdb' + query)
        return status, headers['Polyprof-Stamp']

    def add(i):
        return s.ask(f'/api/v1/add?label.n={i}', 'POST', b'a;b 1\na;c 2\n')[0]

    add(1)
    first = view()
    T.same([add(2), view('&functions=0&stamp=' + first[1]), view('&at=0&stamp=' + first[1])], [200, first, first], 'a store that grew is looked at as it was')
    second = view()
    T.ok(second[0] == 200 and second[1] != first[1], 'who looks anew sees what came', second)
    T.same([view('&functions=0&stamp=' + stamp) for _, stamp in (first, second)], [first, second], 'and both go on')
    T.same(view('&focus=b&functions=0&stamp=' + first[1])[0], 409, 'what was not asked of it then cannot be asked now')
    for i in range(3, 6):
        add(i)
        view()
    T.same([view('&functions=0&stamp=' + stamp)[0] for stamp in (first[1], 'ffff', '')], [409, 409, 409], 'what is not kept any more has changed')
    s.stop()
    s = kit.Server(polyprof, path)
    T.same(view(), view(), 'reading changes nothing')
    s.stop()


def tidied(polyprof, directory):
    """Profiles that came in a burst are packed while no others come."""
    store = Store(polyprof, os.path.join(directory, 'burst.ppdb'))
    s = kit.Server(polyprof, '--store', store.path)
    raw = [base64.b64encode(pprof(f'f{i % 50}', i + 1)).decode() for i in range(2600)]
    status, _, _ = s.ask('/profiles/writeraw', 'POST', json.dumps({'series': [{'labels': [], 'samples': [{'rawProfile': r} for r in raw]}]}), {'Content-Type': 'application/json'})
    T.ok(status == 200 and s.wait(lambda: 0 < store.run('store', 'info', store.path, '--json')['levels']['fresh'] < 1000), 'what came in a burst is packed when there is time',
         store.run('store', 'info', store.path, '--json'))
    T.same(store.run('top', store.path, '--json')['total'], sum(range(1, 2601)), 'and costs what it did')
    s.stop()


def cardinality(polyprof, directory):
    """Too many sets of labels are refused, those that were there are not; and what is no profile does not count."""
    s = kit.Server(polyprof, '--store', os.path.join(directory, 'series.ppdb'))

    def push(first, count, profile):
        raw = base64.b64encode(profile).decode()
        series = [{'labels': [{'name': 'n', 'value': str(i)}], 'samples': [{'rawProfile': raw}]} for i in range(first, first + count)]
        status, _, content = s.ask('/profiles/writeraw', 'POST', json.dumps({'series': series}), {'Content-Type': 'application/json'})
        return status, json.loads(content).get('error', {}).get('rule') if content else None

    small = pprof('x')
    T.same((push(0, 1, b'nonsense')[0], s.number('polyprof_series')), (400, 0), 'what is no profile takes no place')
    answers = [push(i * 4000, 4000, small)[0] for i in range(5)]
    T.ok(answers == [200] * 5 and s.number('polyprof_series') == 20000, '20,000 sets of labels', answers)
    T.same([push(20000, 1, small), push(7, 1, small)[0], push(7, 1, pprof('other'))[0]], [(400, 'too-many-series'), 200, 200], 'one more is refused, what is known is taken')
    s.stop()


def main():
    polyprof = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, 's.ppdb')
        store = Store(polyprof, path)
        s = kit.Server(polyprof, '--store', path, '--max-body', '2')
        if s.ask('/api/v1/add', 'POST', b'a;b 1\n')[0] == 404:
            print('1..0 # SKIP built without stores')
            return 0
        endpoints(s, store)
        refusals(s, store)
        sql(s, store)
        listed(s, store)
        asked(s, store, directory)
        crowd(s, store)
        T.same(s.stop()[0], 0, 'SIGTERM: exit 0')
        held(polyprof, directory)
        killed(polyprof, directory)
        away(polyprof, directory)
        looked_at(polyprof, directory)
        if not kit.sanitized(polyprof):  # it takes many profiles
            cardinality(polyprof, directory)
            tidied(polyprof, directory)
        plain = kit.Server(polyprof, directory)
        T.same(plain.ask('/ingest?name=a', 'POST', b'a;b 1\n')[0], 404, 'without a store nothing is taken')
        plain.stop()
    return T.done()


sys.exit(main())
