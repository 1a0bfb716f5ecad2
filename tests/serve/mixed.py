#!/usr/bin/env python3
"""Profiles of several types in one store, pushed every way: mixed.py POLYPROF SAMPLES. Speaks TAP.

CPU and heap profiles get the same label `type` whichever endpoint takes them; questions over HTTP choose by metric; OTLP requests are taken or
rejected as `check` judges their bytes; an error says why a question stopped.
"""
import base64
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
from wire import num, sub, varint  # noqa: E402

T = tap.Tap()
POLYPROF, SAMPLES = (os.path.abspath(path) for path in sys.argv[1:3])
CORPUS = os.path.join(SAMPLES, '../../../shared/corpus/otlp/cases')
PROTOBUF, JSON = {'Content-Type': 'application/x-protobuf'}, {'Content-Type': 'application/json'}
KINDS = {'cpu': [('samples', 'count'), ('cpu', 'nanoseconds')], 'wall': [('samples', 'count'), ('wall', 'nanoseconds')],
         'inuse_space': [(a + b, 'bytes' if b == 'space' else 'count') for a in ('alloc_', 'inuse_') for b in ('objects', 'space')],
         'delay': [('contentions', 'count'), ('delay', 'nanoseconds')]}


def pprof(types, value=7, usual=None):
    """A profile of one stack, main > work."""
    strings = ['', 'main', 'work']
    at = lambda text: strings.index(text) if text in strings else strings.append(text) or len(strings) - 1  # noqa: E731
    data = b''.join(sub(1, num(1, at(name)) + num(2, at(unit))) for name, unit in types)
    data += sub(2, sub(1, b'\x02\x01') + sub(2, b''.join(varint(value) for _ in types)))
    for i in (1, 2):
        data += sub(4, num(1, i) + sub(4, num(1, i))) + sub(5, num(1, i) + num(2, i))
    data += num(14, at(usual)) if usual else b''
    return data + b''.join(sub(6, text.encode()) for text in strings)


def resource(service, types, strings, value=5, stack=1):
    """The profiles of a service in OTLP, one for each type."""
    profiles = b''.join(sub(2, sub(1, num(1, strings.index(name)) + num(2, strings.index(unit))) +
                            sub(2, num(1, stack) + sub(4, varint(value)))) for name, unit in types)
    return sub(1, sub(1, sub(1, sub(1, b'service.name') + sub(2, sub(1, service.encode())))) + sub(2, profiles))


def dictionary(strings):
    return sub(2, sub(1, b'') + sub(2, b'') + sub(2, sub(3, num(1, 1))) + sub(3, b'') + sub(3, num(1, strings.index('work'))) + sub(4, b'') +
               b''.join(sub(5, text.encode()) for text in strings) + sub(6, b'') + sub(7, b'') + sub(7, sub(1, b'\x01')))


def listed(store):
    run = subprocess.run([POLYPROF, 'store', 'list', '--json', '-n', '0', store], capture_output=True, check=False)
    return json.loads(run.stdout)['profiles'] if run.stdout else []


def types_of_pushes(s, store):
    """One service, four types, each endpoint: the same words."""
    strings = ['', 'work'] + sorted({text for kind in KINDS.values() for pair in kind for text in pair})
    for word, types in KINDS.items():
        data = pprof(types)
        series = {'series': [{'labels': [{'name': 'service_name', 'value': 'json'}, {'name': '__name__', 'value': 'process_cpu'}],
                              'samples': [{'rawProfile': base64.b64encode(gzip.compress(data)).decode()}]}]}
        proto = sub(1, sub(1, sub(1, b'service_name') + sub(2, b'proto')) + sub(2, sub(1, gzip.compress(data))))
        for path, body, headers in (('/ingest?name=ingest&format=pprof', data, {}),
                                    ('/v1/profiles?service.name=coroot', gzip.compress(data), {}),
                                    ('/push.v1.PusherService/Push', json.dumps(series).encode(), JSON),
                                    ('/push.v1.PusherService/Push', proto, {'Content-Type': 'application/proto'}),
                                    ('/v1development/profiles', resource('otlp', types, strings) + dictionary(strings), PROTOBUF)):
            before = {p['id'] for p in listed(store)}
            status = s.ask(path, 'POST', body, headers)[0]
            new = [p['labels'] for p in listed(store) if p['id'] not in before]
            T.ok(status == 200 and len(new) == 1 and new[0].get('type') == word, f'{path}: type={word}', (status, new))
    for name, type_, labels in (('shop.cpu', '', {'service': 'shop', 'type': 'cpu'}), ('shop.inuse_space{a=b}', '', {'service': 'shop', 'type': 'inuse_space', 'a': 'b'}),
                                ('shop', '', {'service': 'shop', 'type': 'samples'}), ('plain{type=mine}', '', {'service': 'plain', 'type': 'mine'}),
                                ('a.mutex_duration', '', {'service': 'a', 'type': 'delay'})):
        before = {p['id'] for p in listed(store)}
        s.ask(f'/ingest?name={urllib.parse.quote(name)}', 'POST', f'main;{name} 4\n'.encode(), {})
        T.same([p['labels'] for p in listed(store) if p['id'] not in before], [labels], f'/ingest of folded stacks called {name}')
    before = {p['id'] for p in listed(store)}
    s.ask('/ingest?name=allocs&format=pprof', 'POST', pprof(KINDS['inuse_space'], usual='alloc_space'), {})
    T.same([p['labels']['type'] for p in listed(store) if p['id'] not in before], ['alloc_space'], 'the type that a profile shows by default')


def questions(s, store):
    """The same store is asked without --where."""
    def ask(path):
        status, _, body = s.ask(path)
        return status, json.loads(body)
    for metric, function in (('cpu', 'work'), ('wall', 'work'), ('inuse_space', 'work'), ('delay', 'work')):
        status, answer = ask(f'/api/v1/top?metric={metric}&where=service=ingest')
        T.ok(status == 200 and answer['metric'] == metric and answer['functions'][0]['name'] == function and answer['store']['left_out'] == 3,
             f'-m {metric} selects its profiles', answer)
    status, answer = ask('/api/v1/top')
    T.ok(status == 200 and answer['total'] > 0 and answer['store']['left_out'] > 0, 'without -m most profiles answer', answer)
    for verb in ('tree', 'traces', 'tags', 'callers?function=work', 'trend', 'diff?before=service=ingest&after=service=proto', 'info', 'findings',
                 'flame', 'report', 'graph?format=dot', 'leaks', 'convert?to=folded'):
        status, _, body = s.ask(f'/api/v1/{verb}')
        T.ok(status == 200, f'{verb} answers', (status, body[:300]))
    status, answer = ask('/api/v1/top?metric=nothing')
    T.ok(status == 400 and answer['error']['rule'] == 'no-metric' and 'cpu' in answer['error']['message'] and 'delay' in answer['error']['message'],
         'a metric that no profile has: all are named', answer)


def reasons(work):
    """A store whose first profile has an old error: what stopped the question is reported."""
    store = os.path.join(work, 'reasons.ppdb')
    for i, text in enumerate(('main;work 5\nno count\n', 'main;work 6\n')):
        path = os.path.join(work, f'reason{i}.folded')
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        subprocess.run([POLYPROF, 'store', 'add', '-q', store, path, '--label', f'n={i}'], check=False, capture_output=True)
    s = kit.Server(POLYPROF, store)
    for path, rule in (('/api/v1/lines', 'no-lines'), ('/api/v1/callers?function=nobody', 'no-function'), ('/api/v1/top?by=label:none', 'no-label'),
                       ('/api/v1/leaks', 'no-live')):
        _, _, body = s.ask(path)
        error = json.loads(body).get('error', {})
        T.ok(error.get('rule') not in (None, 'folded-count-missing'), f'{path}: the reason, not an old finding', error)
    s.stop()


def verdicts(s):
    """What `check` rejects is not acknowledged, and the other way round."""
    folders = [os.path.join(SAMPLES, 'otlp', 'bad'), os.path.join(SAMPLES, 'otlp', 'good'), CORPUS]
    files = [os.path.join(folder, name) for folder in folders if os.path.isdir(folder) for name in sorted(os.listdir(folder))]
    asked = 0
    for file in files:
        with open(file, 'rb') as data:
            body = data.read()
        headers = dict(JSON if '.json' in file else PROTOBUF)
        headers.update({'Content-Encoding': 'gzip'} if file.endswith('.gz') else {'Content-Encoding': 'zstd'} if file.endswith('.zst') else {})
        # Files of many messages are no requests, and a request without a byte is one without profiles.
        if file.endswith('.jsonl') or 'prefixed' in file or not body:
            continue
        answer = json.loads(subprocess.run([POLYPROF, 'check', '--json', file], capture_output=True, check=False).stdout)
        verdict = answer['files'][0]['verdict']
        status, _, said = s.ask('/v1development/profiles', 'POST', body, headers)
        taken = status == 200 and b'ejectedProfiles' not in said and (headers['Content-Type'] == JSON['Content-Type'] or not said)
        asked += 1
        T.ok(taken == (verdict != 'reject') and (status == 200 or 400 <= status < 500), f'{os.path.basename(file)}: {verdict}', (status, said[:300], answer['files'][0]['diagnostics'][:2]))
    T.ok(asked > 30, 'many samples', asked)


def partial(s, store):
    """Of three resources one is wrong: two are stored, and the answer counts the profiles of the third."""
    strings = ['', 'samples', 'count', 'cpu', 'nanoseconds', 'work']
    types = KINDS['cpu']
    body = resource('good1', types, strings) + resource('wrong', types, strings, stack=99) + resource('good2', types, strings) + dictionary(strings)
    before = {p['id'] for p in listed(store)}
    status, head, said = s.ask('/v1development/profiles', 'POST', body, PROTOBUF)
    new = sorted(p['labels']['service'] for p in listed(store) if p['id'] not in before)
    T.same((status, new), (200, ['good1', 'good2']), 'the others are stored')
    T.ok(said[:1] == b'\x0a' and said[2:4] == b'\x08\x02' and b'otlp-index' in said, 'ExportProfilesPartialSuccess of 2 profiles', said)
    status, head, said = s.ask('/v1development/profiles', 'POST', resource('wrong', types, strings, stack=99) + dictionary(strings), PROTOBUF)
    T.ok(status == 400 and said[:2] == b'\x08\x03' and b'otlp-index' in said, 'a google.rpc.Status if nothing is left', (status, said))
    status, _, said = s.ask('/v1development/profiles', 'POST', b'\xff\xff', PROTOBUF)
    T.ok(status == 400 and said[:2] == b'\x08\x03', 'and of what is no message', (status, said))
    for wrong, wanted in ((1, 200), (0, 400)):
        def json_of(service, stack):
            return {'resource': {'attributes': [{'key': 'service.name', 'value': {'stringValue': service}}]},
                    'scopeProfiles': [{'profiles': [{'sampleType': {'typeStrindex': 3, 'unitStrindex': 4}, 'samples': [{'stackIndex': stack, 'values': ['3']}]}]}]}
        tables = {'mappingTable': [{}], 'locationTable': [{}, {'lines': [{'functionIndex': 1}]}], 'functionTable': [{}, {'nameStrindex': 5}],
                  'linkTable': [{}], 'stringTable': strings, 'attributeTable': [{}], 'stackTable': [{}, {'locationIndices': [1]}]}
        body = {'resourceProfiles': [json_of('json', 77)] + [json_of('fine', 1)] * wrong, 'dictionary': tables}
        status, _, said = s.ask('/v1development/profiles', 'POST', json.dumps(body).encode(), JSON)
        answer = json.loads(said)
        if wanted == 200:
            T.ok(status == 200 and answer['partialSuccess']['rejectedProfiles'] == '1' and 'otlp-index' in answer['partialSuccess']['errorMessage'],
                 'partialSuccess in JSON', answer)
        else:
            T.ok(status == 400 and answer['code'] == 3 and 'otlp-index' in answer['message'], 'a Status in JSON', answer)


def main():
    with tempfile.TemporaryDirectory() as work:
        store = os.path.join(work, 'mixed.ppdb')
        s = kit.Server(POLYPROF, '--store', store)
        types_of_pushes(s, store)
        questions(s, store)
        s.stop()
        other = os.path.join(work, 'otlp.ppdb')
        s = kit.Server(POLYPROF, '--store', other)
        verdicts(s)
        partial(s, other)
        s.stop()
        reasons(work)
    return T.done()


sys.exit(main())
