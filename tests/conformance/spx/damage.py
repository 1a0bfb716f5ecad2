#!/usr/bin/env python3
"""SPX bodies whose container lost a piece or turned into garbage: damage.py POLYPROF tests/formats/spx

Deflate that lost a byte goes on decoding: to lines of which some look like events, with any time and any function.
So samples are damaged at many places, in several ways, and no answer may hold a time that the run did not take or a
function that it did not have. Larger bodies are made here, forked as a process forks that SPX profiles (two streams
that begin alike, written by turns into one file), or with a gap: what stands before the damage must be kept, to
within a few lines, with one thread and with two. Speaks TAP.
"""
import gzip
import json
import os
import random
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap, share  # noqa: E402 (needs the path above)

SAMPLES = ('04-closures-builtins', '04-recursion-depth2', '05-generators', '05gz-tiny', '05-anon')
ENDINGS = ('.txt.gz', '.txt.zst', '.txt')
PLACES = 24
# Lines that may be taken for events before the damage shows, and those that a decoder may keep to itself at an error.
SLACK, KEPT_BACK = 8, 20


def ask(polyprof, verb, path, *options):
    run = subprocess.run([polyprof, verb, '--json', *options, path], capture_output=True, check=False)
    return run.returncode, json.loads(run.stdout) if run.returncode == 0 else None, run.stderr.decode(errors='replace')


def damages(data, rnd):
    """(what, damaged bytes)"""
    step = max(1, len(data) // PLACES)
    for at in range(0, len(data), step):
        yield f'byte {at} lost', data[:at] + data[at + 1:]
        yield f'7 bytes lost at {at}', data[:at] + data[at + 7:]
        yield f'a bit flipped at {at}', data[:at] + bytes([data[at] ^ 1 << rnd.randrange(8)]) + data[at + 1:]
        yield f'8 bytes of garbage at {at}', data[:at] + rnd.randbytes(8) + data[at + 8:]
        yield f'garbage from {at} on', data[:at] + rnd.randbytes(len(data) - at)


def nonsense(table, wall, functions):
    """What no part of the run can have."""
    if table['unit'] == 'ns' and not 0 <= table['total'] <= wall:
        yield f"total {table['total']}"
    for row in table['functions']:
        own = row['self'].get('wt', 0)
        if not 0 <= own <= wall:
            yield f"{row['name']}: self {own}"
        if row['name'][0] == '#' and int(row['name'][1:]) >= functions:
            yield row['name']


def check_sample(tap, polyprof, base, directory):
    ending = next(e for e in ENDINGS if os.path.exists(base + e))
    with open(base + '.json', 'rb') as file:
        meta = file.read()
    with open(base + ending, 'rb') as file:
        data = file.read()
    told = json.loads(meta)
    # A digit of a delta may change without any trace where the container has no checksum.
    wall = (told['wall_time_ms'] + 1) * 1000 * 101 // 100
    path = os.path.join(directory, 'x')
    with open(path + '.json', 'wb') as file:
        file.write(meta)
    wrong = []
    for what, damaged in share(damages(data, random.Random(base[-8:]))):
        with open(path + ending, 'wb') as file:
            file.write(damaged)
        code, table, _ = ask(polyprof, 'top', path + '.json', '-n', '0')
        if code not in (0, 3):
            wrong.append(f'{what}: exit {code}')
        elif table:
            wrong += [f'{what}: {n}' for n in nonsense(table, wall, told['called_function_count'])]
    os.remove(path + ending)
    tap.ok(not wrong, f'{os.path.basename(base)}: damage makes no time and no function', '\n'.join(wrong[:10]))


# ---- made up ----

def made(calls, seed, bars):
    """The text of a run: main calls work, which calls leaves."""
    rnd = random.Random(seed)
    time, lines = 0, []
    last = 0

    def event(start, index):
        nonlocal time, last
        if bars:
            count = len(lines)
            value = f'a{time}|a0' if count % 8192 == 0 else f'{time - last or ""}|'
            lines.append(f'{7 if start else "-"}{"|" if start else ""}{index}|{value}')
        else:
            lines.append(f'{index} {int(start)} {time} 0')
        last = time
        time += rnd.randrange(900)

    event(True, 0)
    for i in range(calls):
        if i % 100 == 0:
            event(True, 1)
        event(True, 2)
        event(False, 2)
        if i % 100 == 99:
            event(False, 1)
    event(False, 0)
    names = ['a.php', 'work', 'leaf']
    names = [f'/a.php:{i + 1}:{n}' for i, n in enumerate(names)] if bars else names
    return '\n'.join(['[events]', *lines, '[functions]', *names, '']).encode(), last


def metadata(wall, calls):
    return json.dumps({'key': 'x', 'exec_ts': 1, 'host_name': 'h', 'process_pid': 1, 'cli': 1, 'wall_time_ms': wall // 1000,
                       'called_function_count': 3, 'call_count': calls, 'recorded_call_count': calls,
                       'enabled_metrics': ['wt', 'zm']})


def deflated():
    return zlib.compressobj(1, zlib.DEFLATED, 31)


def forked(text, at):
    """Two processes that have the same stream behind `at` bytes write by turns; and what is sound of it."""
    parent = deflated()
    before = parent.compress(text[:at])
    child = parent.copy()
    streams = [parent.compress(text[at:]) + parent.flush(), child.compress(text[at:at + len(text) // 4]) + child.flush()]
    size, rest = 4096, before
    sound = before + streams[0][:size]
    while streams[0] or streams[1]:
        for i, stream in enumerate(streams):
            rest += stream[:size]
            streams[i] = stream[size:]
    return rest, sound


def sound_lines(data):
    """The whole lines of events that the bytes before the damage decode to."""
    text = zlib.decompressobj(31).decompress(data)
    return text.count(b'\n') - 1


def check_made(tap, polyprof, name, data, sound, wall, directory):
    path = os.path.join(directory, 'made')
    with open(path + '.json', 'w', encoding='ascii') as file:
        file.write(metadata(wall, 10 ** 6))
    with open(path + '.txt.gz', 'wb') as file:
        file.write(data)
    answers = [ask(polyprof, 'top', path + '.json', '-n', '0', f'-j{j}') for j in (1, 2)]
    code, info, stderr = ask(polyprof, 'info', path + '.json')
    wrong = list(nonsense(answers[0][1], wall + 1000, 3)) if code == 0 else [f'exit {code}']
    if answers[0][1] != answers[1][1]:
        wrong.append('one thread and two differ')
    if code == 0 and not sound - KEPT_BACK <= info['counts']['events'] <= sound + SLACK:
        wrong.append(f"{info['counts']['events']} events, {sound} are sound")
    if code == 0 and info['complete']:
        wrong.append('complete')
    tap.ok(not wrong, name, '\n'.join(wrong) + stderr[:1000])


def check_streams(tap, polyprof, directory):
    for bars in (False, True):
        layout = '0.5' if bars else '0.4'
        text, wall = made(200000, 3, bars)
        for at in share((len(text) // 20, len(text) // 3, 2097000, 2097152, 2081000)):
            data, sound = forked(text, min(at, len(text) // 2))
            check_made(tap, polyprof, f'{layout} forked behind byte {at}', data, sound_lines(sound), wall, directory)
        whole = gzip.compress(text, 1)
        for percent in share((1, 20, 50, 80, 97)):
            at = len(whole) * percent // 100
            check_made(tap, polyprof, f'{layout} with a gap at {percent} %', whole[:at] + whole[at + 1000:],
                       sound_lines(whole[:at]), wall, directory)
            check_made(tap, polyprof, f'{layout} garbage at {percent} %',
                       whole[:at] + random.Random(percent).randbytes(3000) + whole[at + 3000:], sound_lines(whole[:at]), wall,
                       directory)


def main():
    polyprof, samples = sys.argv[1:3]
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        for name in SAMPLES:
            check_sample(tap, polyprof, os.path.join(samples, 'good', name), directory)
        check_streams(tap, polyprof, directory)
    return tap.done()


sys.exit(main())
