#!/usr/bin/env python3
"""Recordings of uftrace beside a slow reader and what `uftrace report` printed: uftrace.py POLYPROF RECORDING. Speaks TAP."""
import collections
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof, recording = sys.argv[1:3]
tap = Tap()
THREADS = sorted(name for name in os.listdir(recording) if name.endswith('.dat'))


def ask(*words):
    done = subprocess.run([polyprof, *words], capture_output=True, timeout=60)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {'error': done.stderr.decode(errors='replace')}


def rows(path):
    answer = ask('top', '--json', '-n', '0', '-q', path)
    return {f['name']: (f['calls'], f['self']['time'], f['total']['time']) for f in answer.get('functions', ())}


def slow(directory):
    """Self and total of each function, one record after the other; all code is in one file."""
    symbols, base = [], None
    for name in os.listdir(directory):
        if name.endswith('.map'):
            with open(os.path.join(directory, name)) as lines:
                base = min(int(line.split('-')[0], 16) for line in lines if 'oven_pg' in line)
    with open(os.path.join(directory, 'oven_pg.sym')) as lines:
        for line in lines:
            if line[0] != '#':
                address, _, name = line.rstrip('\n').split(' ', 2)
                symbols.append((int(address, 16), name))
    calls, own, total = collections.Counter(), collections.Counter(), collections.Counter()
    for name in THREADS:
        stack, last = [], None
        with open(os.path.join(directory, name), 'rb') as file:
            data = file.read()
        for at in range(0, len(data) - 15, 16):
            time, word = struct.unpack_from('<QQ', data, at)
            kind, depth, address = word & 3, word >> 6 & 1023, word >> 16
            if kind > 1:
                continue
            if stack:
                own[stack[-1]] += time - last
                for function in set(stack):
                    total[function] += time - last
            del stack[depth:]
            if kind == 0:
                stack.append(max(s for s in symbols if s[0] <= address - base)[1])
                calls[stack[-1]] += 1
            last = time
    return {f: (calls[f], own[f], total[f]) for f in calls}


PRINTED = {'knead': (280, 46149, 46149), 'shape': (17, 6924, 12340), 'bake': (2, 4024, 60409), 'malloc': (17, 3072, 3072)}
got = rows(recording)
tap.same({f: got.get(f) for f in PRINTED}, PRINTED, 'as uftrace report prints it')
tap.same(got, slow(recording), 'as a slow reader has it')
tap.same(rows(os.path.join(recording, 'info')), got, 'info is the recording, too')
threads = ask('top', '--json', '-n', '0', '-q', '--by', 'thread', recording)
tap.same(len(threads.get('functions', ())), len(THREADS), 'a series for each thread')


def damaged(name, change, rule, verdict):
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, 'copy')
        shutil.copytree(recording, path)
        change(path)
        found = ask('check', '--json', os.path.join(path, 'info')).get('files', [{}])[0]
        tap.same((found.get('verdict'), sorted({d['rule'] for d in found.get('diagnostics', ())})), (verdict, rule), name)


def records(directory, data):
    with open(os.path.join(directory, THREADS[0]), 'wb') as file:
        file.write(data)


def record(kind, depth, address, more=0):
    return struct.pack('<QQ', 10 ** 12, kind | more << 2 | 5 << 3 | depth << 6 | address << 16)


with open(os.path.join(recording, THREADS[0]), 'rb') as file:
    whole = file.read()
damaged('a record is cut', lambda d: records(d, whole[:-5]), ['uftrace-cut', 'uftrace-open'], 'reject')
damaged('functions do not return', lambda d: records(d, whole[:-16]), ['uftrace-open'], 'warn')
damaged('records were lost', lambda d: records(d, whole + record(2, 0, 7)), ['uftrace-lost'], 'warn')
damaged('arguments', lambda d: records(d, whole + record(0, 0, 7, 1)), ['uftrace-cut'], 'reject')
damaged('something else', lambda d: records(d, b'x' * 64), ['uftrace-cut'], 'reject')
damaged('returns without calls', lambda d: records(d, record(1, 1023, 0) * 9), [], 'accept')
damaged('deep calls alone', lambda d: records(d, b''.join(record(0, 1023, i) for i in range(9)) + record(1, 0, 0)), [], 'accept')
damaged('no tasks', lambda d: os.remove(os.path.join(d, 'task.txt')), ['uftrace-cut'], 'reject')
times = []
for i in range(0, len(whole), 16):
    at, word = struct.unpack('<QQ', whole[i:i + 16])
    if word & 3 == 0:
        times.append(at)
with tempfile.TemporaryDirectory() as work:
    trace = os.path.join(work, 'trace.json')
    subprocess.run([polyprof, 'convert', '-q', '--to', 'trace-event', '-o', trace, recording], check=True)
    with open(trace, encoding='utf-8') as file:
        events = json.load(file, parse_float=lambda text: round(float(text.split('.')[0]) * 1000 + float((text.split('.')[1] + '00')[:3])))
    thread = int(THREADS[0].split('.')[0])
    begun = [e['ts'] if e['ts'] > 10 ** 12 else e['ts'] * 1000 for e in events['traceEvents'] if e['ph'] == 'B' and e['tid'] == thread]
    tap.same(begun, times, 'calls are written at the times of their records')
sys.exit(tap.done())
