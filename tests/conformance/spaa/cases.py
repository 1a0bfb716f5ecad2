#!/usr/bin/env python3
"""SPAA as a consumer sees it: cases.py POLYPROF tests/formats/spaa [CORPUS]

What samples mean (stacks, totals, units, threads) and, where the conformance corpus lies beside the
repository, the verdict on each of its files. Speaks TAP.
"""
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap, share  # noqa: E402 (needs the path above)

# good sample -> options -> its stacks
FOLDED = {
    'plain': {(): ['main;boil 100']},
    'root-to-leaf': {(): ['main;boil 100']},
    'exclusive': {(): ['main;boil 100']},
    'inline': {(): ['main;outer;middle;inner 100']},
    'pair': {(): ['main;boil;entry;do_sys 4']},
    'pair-shared': {(): ['main;boil 1', 'main;boil;do_sys 1', 'main;boil;entry 2']},
    'kernel-alone': {(): ['entry;do_sys 4']},
    'threads': {(): ['main;boil 15']},
    'two-events': {(): ['main;boil 100'], ('-m', 'alloc_bytes'): ['main;boil 99'],
                   ('-m', 'malloc/alloc_bytes'): ['main;boil 99']},
    'memory': {(): ['main;boil 4096'], ('-m', 'live_bytes'): ['main;boil 3072']},
    'interleaved': {(): ['main 100', 'main;boil 100']},
    'header-only': {(): []},
}


def run(*command):
    return subprocess.run(command, capture_output=True, timeout=120, stdin=subprocess.DEVNULL)


def ask(*command):
    return json.loads(run(*command).stdout)


def metric(info, name):
    return next(m for m in info['metrics'] if m['name'] == name)


def stacks(tap, polyprof, good):
    for name, cases in FOLDED.items():
        for options, wanted in cases.items():
            done = run(polyprof, 'convert', '--to', 'folded', '-o', '-', *options, good(name))
            tap.same(done.stdout.decode().splitlines(), wanted, f"stacks of {name} {' '.join(options)}")


def numbers(tap, polyprof, good):
    info = ask(polyprof, 'info', '--json', good('numbers'))
    tap.same(metric(info, 'period')['total'], 2 * (2 ** 64 - 1), 'totals pass 64 bits exactly')
    tap.ok(b'"total": 12.75' in run(polyprof, 'info', '--json', good('numbers')).stdout,
           'decimals are exact')
    tap.same(metric(info, 'big')['total'], 1000000, '1e6 is a whole number')
    tap.same(info['counts']['samples'], 1, '17 and "17" are one id')
    info = ask(polyprof, 'info', '--json', good('time-units'))
    tap.same([metric(info, 'period')[key] for key in ('unit', 'total')], ['ns', 2002000],
             'units of time become ns')
    tap.same(info['time'], {'start': 1700000000000000000, 'end': 1700000000000000009, 'unit': 'ns'},
             'ns survive')
    tap.same(ask(polyprof, 'info', '--json', good('threads'))['counts']['threads'], 2, 'threads are apart')
    info = ask(polyprof, 'info', '--json', good('two-events'))
    tap.same([m['event'] for m in info['metrics']], ['cycles', 'malloc'], 'events are apart')
    sampling = [event['sampling']['mode'] for event in info['meta']['events']]
    tap.same(sampling, ['period', 'event'], 'the sampling of events is known')


def shared(tap, polyprof, good):
    """Metrics of two events that share a name."""
    top = ask(polyprof, 'top', '--json', '-n', '0', good('shared-metric'))
    rows = {row['name']: row['total'] for row in top['functions']}
    tap.same(rows['main'], {'cycles/period': 100, 'faults/period': 3}, 'events that share a metric')
    top = ask(polyprof, 'top', '--json', '--event', 'faults', good('shared-metric'))
    tap.same([row['self'] for row in top['functions'] if row['name'] == 'main'], [{'period': 3}],
             'one event alone')
    done = run(polyprof, 'convert', '--to', 'folded', '-o', '-', '-m', 'faults/period', good('shared-metric'))
    tap.ok(b'main 3\n' in done.stdout, 'EVENT/NAME finds it', done.stdout)


def places(tap, polyprof, good):
    top = ask(polyprof, 'top', '--json', '-n', '0', good('places'))
    rows = {row['name']: row for row in top['functions']}
    tap.same(rows['main']['file'], 'C:\\src\\main.c', 'the file of a Windows path')
    tap.same(rows['boil']['module'], '/usr/bin/engine', 'the dso is the module')


def time(tap, polyprof, good):
    """Time is derived on request, and only where the sampling allows it (spaa-time-refused)."""
    wanted = '--option', 'time=derive'
    info = ask(polyprof, 'info', '--json', *wanted, good('pair'))
    tap.ok(abs(metric(info, 'time')['total'] * 997 / 4e9 - 1) < 1e-9, 'samples at a known rate are time',
           metric(info, 'time'))
    for name in ('plain', 'memory'):
        done = run(polyprof, 'check', '--json', *wanted, good(name))
        tap.ok(b'spaa-time-refused' in done.stdout, f'{name}: time is refused', done.stdout)
        info = ask(polyprof, 'info', '--json', good(name))
        tap.ok(all(m['unit'] != 'ns' for m in info['metrics']), f'{name}: no time by itself')


def records(data):
    return [json.loads(line) for line in data.decode().splitlines()]


def convert(polyprof, path, *options):
    words = [word for option in options for word in ('--option', option)]
    return run(polyprof, 'convert', '--to', 'spaa', '-o', '-', *words, path)


def by_type(data, word):
    return [record for record in records(data) if record['type'] == word]


def kept(tap, polyprof, good):
    for name in ('unknown-kept', 'samples-windows', 'pair', 'odd-text', 'numbers'):
        with open(good(name), 'rb') as file:
            wanted = [json.loads(line) for line in file.read().decode().split('\n') if line.strip()]
        tap.same([json.loads(line) for line in convert(polyprof, good(name)).stdout.decode().split('\n') if line],
                 wanted, f'{name}: every key and record survives')


def writing(tap, polyprof, good):
    """Options: loss-timeline and loss-private say what they leave out."""
    done = convert(polyprof, good('unknown-kept'), 'terse=yes')
    tap.ok(b'loss-private' in done.stderr and b'exclusive' not in done.stdout, 'terse files', done)
    done = convert(polyprof, good('threads'), 'threads=split')
    stacks = by_type(done.stdout, 'stack')
    tap.same([(s['context']['tid'], s['weights'][0]['value']) for s in stacks], [(5, 10), (7, 5)],
             'threads are split')
    tap.ok(len({s['id'] for s in stacks}) == 2, 'split stacks have ids of their own', stacks)
    stacks = by_type(convert(polyprof, good('threads'), 'threads=merge').stdout, 'stack')
    tap.same([s['weights'][0]['value'] for s in stacks], [15], 'threads are merged')
    done = convert(polyprof, good('places'), 'frames=function')
    tap.ok(all('srcline' not in f for f in by_type(done.stdout, 'frame')), 'frames by function', done)
    done = convert(polyprof, good('samples-windows'), 'samples=no')
    tap.ok(b'loss-timeline' in done.stderr and not by_type(done.stdout, 'sample'), 'no samples', done)
    done = convert(polyprof, good('samples-windows'), 'samples=yes')
    ids = {s['id'] for s in by_type(done.stdout, 'stack')}
    tap.same(sorted((s['timestamp'], s['period'], s['stack_id'] in ids) for s in by_type(done.stdout, 'sample')),
             [(12250000000, 60, True), (13000000000, 40, True)], 'samples are written anew')
    again = convert(polyprof, good('samples-windows'), 'samples=yes')
    tap.ok(done.stdout == again.stdout, 'the same bytes each time')


def meaning(tap, polyprof, good):
    """Whatever form is written, it is accepted and means the same."""
    for options in ((), ('threads=split',), ('frames=function',), ('terse=yes',), ('samples=yes',)):
        for name in ('inline', 'places', 'memory', 'two-events', 'time-units', 'pair'):
            with tempfile.NamedTemporaryFile(suffix='.spaa') as file:
                file.write(convert(polyprof, good(name), *options).stdout)
                file.flush()
                verdict = ask(polyprof, 'check', '--json', file.name)['files'][0]
                tap.ok(verdict['verdict'] == 'accept', f'{name} {options} is accepted', verdict)
                tops = [ask(polyprof, 'top', '--json', '-n', '0', path) for path in (good(name), file.name)]
                keys = [sorted((row['name'], str(row['self']), str(row['total'])) for row in top['functions'])
                        for top in tops]
                tap.same(keys[1], keys[0], f'{name} {options} means the same')


def many_places(tap, polyprof, good):
    """Places of one function become one frame (loss-addresses)."""
    head = {'type': 'header', 'format': 'spaa', 'version': '1.0', 'source_tool': 'pprof',
            'frame_order': 'leaf_to_root', 'stack_id_mode': 'local', 'events': [
                {'name': 'e', 'kind': 'probe', 'sampling': {'mode': 'event', 'primary_metric': 'n'}}]}
    lines = [head, {'type': 'dso', 'id': 1, 'name': 'a'}]
    for number in (1, 2, 3):
        lines.append({'type': 'frame', 'id': number, 'func': 'f', 'dso': 1, 'kind': 'user', 'ip': hex(number)})
        lines.append({'type': 'stack', 'id': number, 'frames': [number], 'context': {'event': 'e'},
                      'weights': [{'metric': 'n', 'value': number}]})
    with tempfile.NamedTemporaryFile(suffix='.spaa') as file:
        file.write('\n'.join(map(json.dumps, lines)).encode())
        file.flush()
        done = convert(polyprof, file.name, 'frames=function')
        tap.ok(b'loss-addresses' in done.stderr, 'merged places are reported', done.stderr)
        tap.same([s['weights'][0]['value'] for s in by_type(done.stdout, 'stack')], [6], 'and added')


def same_ids(tap, polyprof, good):
    """Equal stacks of two files have equal ids, whatever the order."""
    found = []
    for text in ('main;a 1\nmain;b 2\n', 'x 1\nmain;b 5\n'):
        with tempfile.NamedTemporaryFile(suffix='.folded') as file:
            file.write(text.encode())
            file.flush()
            found.append({s['id']: s['weights'][0]['value']
                          for s in by_type(convert(polyprof, file.name).stdout, 'stack')})
    common = set(found[0]) & set(found[1])
    tap.same([(found[0][i], found[1][i]) for i in common], [(2, 5)], 'ids hash names')


def flat(polyprof, path, *options):
    """Self and total by function, as a list that can be compared."""
    done = run(polyprof, 'top', '--json', '-n', '0', *options, path)
    return done.returncode, [(row['name'], row['self'], row['total']) for row in json.loads(done.stdout or b'{}')
                             .get('functions', [])]


def shapes(tap, polyprof, good, names):
    """However its lines are written, a file gets the same verdict and the same answers.

    Plain lines are taken apart by a shorter way than others, and `top` builds no tree unless something
    needs one: blanks and another order of keys, and --by function, take the long ways.
    """
    with tempfile.TemporaryDirectory() as work:
        blanks, turned = os.path.join(work, 'blanks.spaa'), os.path.join(work, 'turned.spaa')
        for name in names:
            with open(good(name), encoding='utf-8', newline='\n') as file:
                lines = [json.loads(line) for line in file.read().split('\n') if line.strip()]
            with open(blanks, 'w') as file:
                file.writelines(json.dumps(line) + '\n' for line in lines)
            with open(turned, 'w') as file:
                file.writelines(json.dumps(dict(reversed(line.items())), separators=(',', ':')) + '\n'
                                for line in lines)
            verdicts = [ask(polyprof, 'check', '--json', path)['files'][0]['verdict']
                        for path in (good(name), blanks, turned)]
            tap.same(len(set(verdicts)), 1, f'{name}: one verdict')
            for path in (blanks, turned):
                tap.same(flat(polyprof, path), flat(polyprof, good(name)),
                         f'{name}: {os.path.basename(path)} answers the same')
            tap.same(flat(polyprof, good(name), '--by', 'function'), flat(polyprof, good(name)),
                     f'{name}: with a tree and without')
            # By name only stacks with that name are put into the tree, by pattern all.
            for function in sorted({row[0] for row in flat(polyprof, good(name))[1] if row[0].isprintable()})[:3]:
                for command in ('callers', 'callees'):
                    by_name, by_pattern = (run(polyprof, command, '--json', '--depth', '4', typed, good(name))
                                           for typed in (function, f'/^\\Q{function}\\E$/'))
                    tap.same((by_name.returncode, by_name.stdout), (by_pattern.returncode, by_pattern.stdout),
                             f'{name}: {command} of {function!r}')


def exclusive_less(tap, polyprof, good):
    """What a stack's exclusive weights say counts as the leaf's own, and as nothing else."""
    with open(good('plain'), encoding='utf-8') as file:
        lines = [json.loads(line) for line in file]
    stack = next(line for line in lines if line['type'] == 'stack')
    stack['exclusive'] = {'frame': stack['frames'][0], 'weights': [dict(stack['weights'][0], value=30)]}
    with tempfile.NamedTemporaryFile(suffix='.spaa', mode='w') as file:
        file.writelines(json.dumps(line, separators=(',', ':')) + '\n' for line in lines)
        file.flush()
        tap.same(ask(polyprof, 'check', '--json', file.name)['files'][0]['verdict'], 'accept',
                 'an exclusive part may be smaller')
        for options in ((), ('--by', 'function'), ('--event', lines[0]['events'][0]['name']), ('--focus', 'main')):
            rows = {name: (own['period'], total['period']) for name, own, total in
                    flat(polyprof, file.name, *options)[1]}
            tap.same(rows, {'boil': (30, 100), 'main': (0, 100)}, f'self is the exclusive part {options}')
        done = run(polyprof, 'convert', '--to', 'folded', '-o', '-', file.name)
        tap.same(done.stdout, b'main;boil 100\n', 'a stack weighs what it weighs')


def generated(tap, polyprof, tool):
    """Files of all kinds that the corpus can generate."""
    with tempfile.TemporaryDirectory() as work:
        names = []
        for kind in ('perf', 'perf-inline', 'dtrace', 'probes', 'memory', 'mixed'):
            for ids in ('ca', 'local', 'num'):
                names.append(f'{kind}-{ids}')
                run(sys.executable, tool, kind, '--ids', ids, '--stacks', '60', '--samples', '40', '--windows', '2',
                    '--funcs', '40', '-o', os.path.join(work, names[-1] + '.spaa'))
        shapes(tap, polyprof, lambda name: os.path.join(work, name + '.spaa'), share(names))


def behave(tap, polyprof, root):
    """The cases that say what a consumer must make of a file."""
    with open(os.path.join(root, 'behave', 'expected.json')) as file:
        cases = json.load(file)
    for name, case in cases.items():
        path, want, do = os.path.join(root, name), case['want'], case['do']
        if do.startswith('folded'):
            options = ('-m', 'samples') if 'metric samples' in do else ('--event', 'malloc') if 'event' in do else ()
            done = run(polyprof, 'convert', '--to', 'folded', '-o', '-', *options, path)
            tap.same(done.stdout.decode().splitlines(), want, name)
        elif do.startswith('self/total'):
            rows = {f"{n} self={own['period']} total={total['period']}" for n, own, total in flat(polyprof, path)[1]}
            tap.same(sorted(rows), want, name)
        elif do.startswith('diff with'):
            other = path.replace('_a.', '_b.')
            done = run(polyprof, 'convert', '--to', 'folded', '-o', '-', path), \
                run(polyprof, 'convert', '--to', 'folded', '-o', '-', other)
            before, after = ({line.rsplit(' ', 1)[0]: int(line.rsplit(' ', 1)[1])
                              for line in each.stdout.decode().splitlines()} for each in done)
            got = sorted(f'{stack} {after.get(stack, 0) - before.get(stack, 0):+d}'
                         for stack in before.keys() | after.keys() if before.get(stack) != after.get(stack))
            tap.same(got, want, name)
            rows = {row['name']: row['delta']['self'] for row in
                    ask(polyprof, 'diff', '--json', '-n', '0', path, other)['functions']}
            tap.same({k: v for k, v in rows.items() if v},
                     {line.split(';')[-1].split()[0]: int(line.split()[-1]) for line in want}, name + ' by diff')
        elif do == 'ask for seconds':
            done = run(polyprof, 'info', '--json', '--option', 'time=derive', path)
            if 'refuse' in want:
                tap.ok(b'spaa-time-refused' in done.stdout, name, done.stdout)
            else:
                tap.same(metric(json.loads(done.stdout), 'time')['total'], float(want.split()[0]) * 1e9, name)
        elif do.startswith('read, write'):
            with open(path, encoding='utf-8') as file:
                wanted = [json.loads(line) for line in file if line.strip()]
            tap.same(records(convert(polyprof, path).stdout), wanted, name)


def corpus(tap, polyprof, root):
    with open(os.path.join(root, 'expectations.json')) as file:
        expected = json.load(file)
    for name, want in share(sorted(expected.items())):
        files = ask(polyprof, 'check', '--json', os.path.join(root, name))['files']
        tap.same(files[0]['verdict'], want['expect'], f'{name}')


def fresh(tap, polyprof, tools):
    """Files that were made for this run, beside what the corpus' own checker says of them."""
    sys.path.insert(0, tools)
    import made
    import spaa_check
    with tempfile.TemporaryDirectory() as work:
        made.fresh_files(made.Made(tap, polyprof, work), lambda path: spaa_check.check(path)[0], 77, 30)


def main():
    polyprof, samples = sys.argv[1:3]
    tap = Tap()

    def good(name):
        return os.path.join(samples, 'good', name + '.spaa')
    for part in (stacks, numbers, shared, places, time, kept, writing, meaning, many_places, same_ids, exclusive_less):
        part(tap, polyprof, good)
    shapes(tap, polyprof, good, share(sorted(name[:-5] for name in os.listdir(os.path.join(samples, 'good'))
                                             if name.endswith('.spaa'))))
    if len(sys.argv) > 3 and os.path.exists(os.path.join(sys.argv[3], 'expectations.json')):
        corpus(tap, polyprof, sys.argv[3])
        behave(tap, polyprof, sys.argv[3])
        generated(tap, polyprof, os.path.join(sys.argv[3], 'tools', 'spaa_gen.py'))
        fresh(tap, polyprof, os.path.join(sys.argv[3], 'tools'))
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
