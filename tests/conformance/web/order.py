#!/usr/bin/env python3
"""Keys of JSON come in any order: order.py POLYPROF tests/formats

Each sample is written anew with its keys sorted, reversed, each member first in turn, and behind more of something else than
recognition looks at; under a name that says nothing it is still known, and says the same. Speaks TAP.
"""
import gzip
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
tap = Tap()
FORMATS = ('speedscope', 'trace-event', 'cpuprofile', 'heapprofile', 'firefox', 'gecko', 'stackprof', 'pyinstrument', 'dhat', 'heapsnapshot')
# A list that is as long as what recognition takes at first, and then some.
FILLER = [['filler', {'deep': [[[[[[[[1, 2]]]]]]]]}, 'x' * 1000, '\\"]}' * 20]] * 80


def ask(path):
    done = subprocess.run([polyprof, 'top', '--json', '-n', '0', '-q', path], capture_output=True, timeout=120)
    try:
        answer = json.loads(done.stdout)
    except ValueError:
        return done.stderr.decode(errors='replace')
    return answer.get('error', {key: answer.get(key) for key in ('format', 'total', 'metric', 'complete', 'functions')})


def reversed_keys(value):
    if isinstance(value, dict):
        return {key: reversed_keys(value[key]) for key in reversed(value)}
    return [reversed_keys(item) for item in value] if isinstance(value, list) else value


def orders(document):
    yield 'sorted', json.loads(json.dumps(document, sort_keys=True))
    yield 'reversed', reversed_keys(document)
    yield 'behind other things', {'zz_filler': FILLER, **document}
    for key in document:
        yield f'{key} first', {key: document[key], **document}


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'something.json')
        for fmt in FORMATS:
            for name in sorted(os.listdir(os.path.join(samples, fmt, 'good'))):
                sample = os.path.join(samples, fmt, 'good', name)
                with (gzip.open if name.endswith('.gz') else open)(sample, 'rb') as file:
                    try:
                        document = json.loads(file.read())
                    except ValueError:
                        continue
                if not isinstance(document, dict):
                    continue
                wanted = ask(sample)
                for order, changed in orders(document):
                    with open(path, 'w', encoding='utf-8') as file:
                        json.dump(changed, file, ensure_ascii=False)
                    got = ask(path)
                    tap.ok(got == wanted, f'{fmt}/{name}: {order}', str(got)[:300])
        # What follows the document is not looked at, and what nobody knows is still refused.
        for what, text in (('lines of JSON', json.dumps({'level': 'info', 'x': FILLER}) + '\n{"level": "warn"}\n'), ('a document', json.dumps({'a': FILLER, 'b': {}})),
                           ('one that does not end', '{"a": [' + '[1, 2], ' * 50000), ('one that is nested deeply', '[' * 200000)):
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
            done = subprocess.run([polyprof, 'top', path], capture_output=True, timeout=120)
            tap.ok(done.returncode == 3 and b'[io-unknown-format]' in done.stderr, f'{what} of something else is refused', done.stderr)
    return tap.done()


sys.exit(main())
