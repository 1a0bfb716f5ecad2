#!/usr/bin/env python3
"""Numbers of JSON formats that 64 bits hold beside one another are exact, all others are told of: digits.py POLYPROF SAMPLES. Speaks TAP."""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
tap = Tap()
folder = tempfile.TemporaryDirectory()
SCHEMA = 'https://www.speedscope.app/file-format-schema.json'
FRAME = '"callFrame":{"functionName":"%s","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1}'


def speedscope(profile, unit):
    return (f'{{"$schema":"{SCHEMA}","shared":{{"frames":[{{"name":"a"}},{{"name":"b"}}]}},"profiles":[{{"name":"t","unit":"{unit}",{profile}}}]}}')


def weights(*numbers):
    return speedscope('"type":"sampled","startValue":0,"endValue":0,"samples":[[0],[1]],"weights":[%s]' % ','.join(numbers), 'none')


def events(unit, a, b, c, d):
    """a from the first to the last time, b within it."""
    of = lambda kind, frame, at: f'{{"type":"{kind}","frame":{frame},"at":{at}}}'
    return speedscope(f'"type":"evented","startValue":{a},"endValue":{d},"events":[{of("O", 0, a)},{of("O", 1, b)},{of("C", 1, c)},{of("C", 0, d)}]', unit)


def slices(*pairs):
    return '[' + ','.join(f'{{"ph":"X","pid":1,"tid":1,"ts":{ts},"dur":{dur},"name":"{name}"}}' for name, (ts, dur) in zip('ab', pairs)) + ']'


def heap(*sizes):
    nodes = ','.join(f'{{{FRAME % name},"selfSize":{size},"id":{i},"children":[]}}' for i, (name, size) in enumerate(zip('ab', sizes), 2))
    return f'{{"head":{{{FRAME % "(root)"},"selfSize":0,"id":1,"children":[{nodes}]}}}}'


def cpu(start, end, *deltas):
    nodes = f'{{"id":1,{FRAME % "(root)"},"children":[2]}},{{"id":2,{FRAME % "a"}}}'
    return f'{{"nodes":[{nodes}],"startTime":{start},"endTime":{end},"samples":[{",".join("2" for _ in deltas)}],"timeDeltas":[{",".join(deltas)}]}}'


def stackprof(*deltas):
    return ('{"version":1.2,"mode":"cpu","interval":1000,"samples":1,"gc_samples":0,"missed_samples":0,"frames":{"4":{"name":"a","file":"/a.rb","line":9}},'
            f'"raw":[1,4,{len(deltas)}],"raw_timestamp_deltas":[{",".join(deltas)}]}}')


def pyinstrument(outer, inner):
    return ('{"start_time":1,"duration":1,"sample_count":1,"root_frame":{"function":"a","file_path":"/a.py","line_no":1,"time":%s,'
            '"children":[{"function":"b","file_path":"/a.py","line_no":5,"time":%s,"children":[]}]}}' % (outer, inner))


# name, file, metric, what each function costs itself as it is printed, rules that are not notes, notes
CASES = (
    ('past 2^63', 'u.speedscope.json', 'weight', weights('7', '1e19'), {'a': '7', 'b': '10000000000000000000'}, [], []),
    ('to 2^64 - 1', 'u.speedscope.json', 'weight', weights('1', '18446744073709551615'), {'a': '1', 'b': '18446744073709551615'}, [], []),
    ('a double with all its digits', 'u.speedscope.json', 'weight', weights('0.30000000000000004', '0.1'), {'a': '0.30000000000000004', 'b': '0.1'}, [], []),
    ('a fraction beside 2^53', 'u.speedscope.json', 'weight', weights('9007199254740993', '0.00025'), {'a': '9007199254740993', 'b': '0'}, ['speedscope-digits'], []),
    ('more digits than a double', 'u.speedscope.json', 'weight', weights('0.1234567890123456789', '12'), {'a': '0.123456789012345679', 'b': '12'}, [], ['speedscope-digits']),
    ('past 2^64', 'u.speedscope.json', 'weight', weights('7', '1e25'), {'a': '7'}, ['speedscope-number'], []),
    ('only past 2^64', 'u.speedscope.json', 'weight', weights('1e25', '3e25'), {'a': '1' + 25 * '0', 'b': '3' + 25 * '0'}, [], []),
    ('below 0 beside 2^63', 'u.speedscope.json', 'weight', weights('-3', '1e19'), {'a': '-3'}, ['speedscope-number', 'speedscope-weight-negative'], []),
    ('late times', 'e.speedscope.json', 'weight', events('none', *(18446744073709551600 + n for n in (0, 2, 5, 15))), {'a': '12', 'b': '3'}, ['speedscope-digits'], []),
    ('times of parts of ns', 'e.speedscope.json', 'time', events('seconds', *(f'1700000000.{n}' for n in ('000000001', '000000002', '0000000035', '1'))),
     {'a': '99999997.5', 'b': '1.5'}, ['speedscope-digits'], []),
    ('times far from each other', 't.json', 'dur', slices(('9223372036854775', '7'), ('18446744073709551000', '3')), {'a': '7000'}, ['trace-event-digits', 'trace-event-ts'], []),
    ('late times with fractions', 't.json', 'dur', slices(('9223372036854779', '7.25'), ('9223372036854999.125', '3')), {'a': '7250', 'b': '3000'}, ['trace-event-digits'], []),
    ('a length past all', 't.json', 'dur', slices(('0', '7.25'), ('100', '1e300')), {'a': '7250'}, ['trace-event-dur'], []),
    ('sizes to 2^64 - 1', 'h.heapprofile', 'selfSize', heap('5', '18446744073709551615'), {'a': '5', 'b': '18446744073709551615'}, [], []),
    ('late times and fractions of samples', 'c.cpuprofile', 'time', cpu(2 ** 60, 2 ** 60 + 4, '0', '2.5'), {'a': '4000'}, ['cpuprofile-digits'], []),
    ('steps past 2^63', 'c.cpuprofile', 'time', cpu(0, 10, str(2 ** 63 - 1), str(2 ** 63 - 1)), {'a': '0'}, ['cpuprofile-digits', 'cpuprofile-end'], []),
    ('fractions of us', 's.json', 'time', stackprof('1.5', '2'), {'a': '3500'}, [], []),
    ('what is no number', 's.json', 'time', stackprof('1.5', '"2"'), {'a': '1500'}, ['stackprof-digits'], []),
    ('fractions of ns', 'p.json', 'time', pyinstrument('1.0000000005', '0.5'), {'a': '500000000.5', 'b': '500000000'}, [], []),
)


def run(*args):
    return subprocess.run([polyprof, *args], capture_output=True, timeout=60, check=False).stdout


for name, file, metric, text, want, rules, notes in CASES:
    path = os.path.join(folder.name, file)
    with open(path, 'w', encoding='utf-8') as f:
        f.write(text)
    # Numbers as they are printed, not as floats.
    top = json.loads(run('top', '--json', '-q', '-n', '0', path), parse_float=str, parse_int=str)
    tap.same({f['name']: f['self'][metric] for f in top.get('functions', ())}, want, f'{file}: {name}')
    found = json.loads(run('check', '--json', path))['files'][0]['diagnostics']
    tap.same((sorted({d['rule'] for d in found if d['severity'] != 'note'}), sorted({d['rule'] for d in found if d['severity'] == 'note'} - {'cpuprofile-hits'})),
             (rules, notes), f'{file}: {name}: findings')
    tap.ok(all(d.get('line') for d in found if d['rule'].endswith('-digits')), f'{file}: {name}: each has a place')
with open(os.path.join(samples, 'firefox', 'good', 'worker.json'), encoding='utf-8') as f:
    document = json.load(f)
for thread in document['threads']:
    thread['samples'].update(weightType='tracing-ms', weight=None)
path = os.path.join(folder.name, 'ms.json')
with open(path, 'w', encoding='utf-8') as f:
    json.dump(document, f)
totals = {m['name']: m['total'] for m in json.loads(run('info', '--json', '-q', path))['metrics']}
tap.same(totals.get('time'), 1000000 * sum(len(t['samples']['stack']) for t in document['threads']), 'firefox: samples without weights are 1 ms each where they count ms')
sys.exit(tap.done())
