#!/usr/bin/env python3
"""perf script text against oracles: cases.py POLYPROF tests/formats tests/conformance/perf_script SHARED

One recording was printed in every layout, so all must tell the same; perf's own report and collapse
scripts say what that is. With the shared corpus at hand, texts and results of other collapsers are
compared, too; without it those checks are skipped. Speaks TAP.
"""
import collections
import glob
import gzip
import json
import os
import random
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)
import slow  # noqa: E402 (stands beside this file)


class Asker:
    def __init__(self, polyprof, good, own):
        self.polyprof, self.good, self.own = polyprof, good, own

    def path(self, name):
        for directory in (self.good, self.own):
            for end in ('.txt.gz', '.txt'):
                path = os.path.join(directory, name + end)
                if os.path.exists(path):
                    return path
        sys.exit(f'there is no sample {name}')

    def run(self, *command):
        done = subprocess.run([self.polyprof, *command], capture_output=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        return done.stdout.decode(errors='surrogateescape')

    def folded(self, path, *options):
        """Stacks and their weight."""
        stacks = collections.Counter()
        for line in self.run('convert', '-q', '--to', 'folded', '-o', '-', *options, path).splitlines():
            stack, value = line.rsplit(' ', 1)
            stacks[stack] += int(value)
        return stacks

    def json(self, command, *words):
        text = self.run(command, '--json', *words)
        try:
            return json.loads(text)
        except ValueError:
            return {'functions': [], 'said': text}


def difference(a, b):
    return '\n'.join(f'{key}: {a.get(key)} and {b.get(key)}' for key in {**a, **b} if a.get(key) != b.get(key))


def same(tap, a, b, what):
    tap.ok(a == b and a, what, difference(a, b))


def leaves(stacks):
    found = collections.Counter()
    for stack, value in stacks.items():
        found[stack.rsplit(';', 1)[-1]] += value
    return found


def layouts(tap, ask):
    """One recording, printed in all ways."""
    samples = ask.folded(ask.path('fp.script'), '-m', 'samples')
    period = ask.folded(ask.path('fp.script'))
    for name in ('addr', 'header', 'misc', 'ns', 'pid', 'records', 'reltime', 'srcline', 'nodso'):
        path = ask.path('fp.' + name)
        same(tap, ask.folded(path, '-m', 'samples'), samples, f'{name}: the same stacks')
        same(tap, ask.folded(path), period, f'{name}: the same periods')
    for name in ('noperiod', 'min'):
        same(tap, ask.folded(ask.path('fp.' + name)), samples, f'{name}: the same stacks, by samples')
    same(tap, ask.folded(ask.path('fp.nochain')), leaves(period), 'nochain: the leaves')
    same(tap, ask.folded(ask.path('fp.eventonly')), {'[no stack]': 255}, 'eventonly: samples without stacks')
    # Addresses only: as many frames in each stack.
    depths = collections.Counter()
    for stack, value in samples.items():
        depths[stack.count(';')] += value
    plain = collections.Counter()
    for stack, value in ask.folded(ask.path('fp.iponly')).items():
        plain[stack.count(';')] += value
    same(tap, plain, depths, 'iponly: the same depths')
    same(tap, ask.folded(ask.path('cpp.nooff')), ask.folded(ask.path('cpp.script')), 'offsets are no part of names')
    tap.ok(sorted(ask.folded(ask.path('cpp.nodemangle')).values()) == sorted(ask.folded(ask.path('cpp.script')).values()),
           'mangled names: the same weights')
    times = {name: ask.json('info', ask.path('fp.' + name)).get('time') for name in ('ns', 'script', 'reltime')}
    tap.ok(times['ns'] == {'start': 2256959900678, 'end': 2257583771516, 'unit': 'ns'}, 'nine decimals are exact', times)
    tap.ok(times['script'] == {'start': 2256959900000, 'end': 2257583771000, 'unit': 'ns'}, 'six decimals are', times)
    tap.ok(times['reltime'] == {'start': 0, 'end': 623870000, 'unit': 'ns'}, 'relative times', times)


def threads_of(path):
    """Samples by comm, as the text says by its plainest reading."""
    found = collections.Counter()
    with gzip.open(path, 'rt') as file:
        for line in file:
            match = re.match(r'(\S.*?)\s+\d+ \[\d+\]\s+[\d.]+:\s+\d+ ', line)
            if match:
                found[match[1]] += 1
    return found


def report(tap, ask):
    """perf report: self and children by comm, dso and symbol."""
    path = ask.path('fp.script')
    rows = []
    with open(os.path.join(ask.own, 'fp.report.self.txt')) as file:
        for line in file:
            if line[0] != '#' and '|' in line:
                rows.append([field.strip() for field in line.split('|')])
    tops = {comm: ask.json('top', '-n', '0', '--thread', comm, path) for comm in {row[3] for row in rows}}
    found = {}
    for comm, top in tops.items():
        for function in top['functions']:
            if function['self']['samples']:
                key = (comm, os.path.basename(function['module']), function['name'])
                found[key] = (function['self']['samples'], function['self']['period'])
    expected = {(row[3], row[4], row[5].split('] ', 1)[1]): (int(row[1]), int(row[2])) for row in rows}
    same(tap, found, expected, 'self cost as perf report --no-children has it')
    kernel = {row[5].split('] ', 1)[1] for row in rows if row[5].startswith('[k]')}
    tap.ok(kernel and all(row[4].startswith('[kernel') for row in rows if row[5].startswith('[k]')), 'the kernel is there')
    whole = sum(samples for samples, _ in found.values())
    children, wanted = {}, {}
    for comm, top in tops.items():
        for function in top['functions']:
            share = round(100 * function['total']['samples'] / whole, 2)
            children[comm, os.path.basename(function.get('module') or '[unknown]'), function['name']] = share
    with open(os.path.join(ask.own, 'fp.report.children.txt')) as file:
        for line in file:
            match = re.match(r'\s+([\d.]+)%\s+[\d.]+%\s+(\S.*?)\s\s+(\S+)\s+\[.\] (\S.*?)\s*$', line)
            if match:
                name = '[unknown]' if match[4].startswith('0x') else match[4]
                wanted[match[2], match[3], name] = float(match[1])
    off = {key: (children.get(key), value) for key, value in wanted.items()
           if abs(children.get(key, -1) - value) > 0.011}
    tap.ok(not off and len(wanted) > 60, f'total cost as perf report --children has it ({len(wanted)} rows)', off)
    same(tap, collections.Counter({comm: top['total'] // 1003009 for comm, top in tops.items()}),
         threads_of(path), 'threads by name')


def collapse(tap, ask):
    expected = collections.Counter()
    with open(os.path.join(ask.own, 'fp.stackcollapse.txt')) as file:
        for line in file:
            stack, value = line.rsplit(' ', 1)
            expected[stack] += int(value)
    found = collections.Counter()
    for stack, value in ask.folded(ask.path('fp.script'), '-m', 'samples', '--option', 'root=comm').items():
        comm, rest = stack.split(';', 1)
        found[comm.replace(' ', '_') + ';' + rest] += value
    same(tap, found, expected, 'stacks as `perf script report stackcollapse` has them')
    roots = {stack.split(';')[0] for stack in ask.folded(ask.path('fp.pid'), '--option', 'root=tid')}
    tap.ok(roots == {'cpu_fp-25928/25928', 'wrk 0:a-25928/25930', 'wrk (1) x-25928/25931'}, 'root=tid', roots)


def inlined(tap, ask):
    script, srcline = ask.path('dwarf.script'), ask.path('dwarf.srcline')
    same(tap, ask.folded(script), ask.folded(srcline), 'inlined frames with and without source lines')
    folded = ask.folded(script)
    tap.ok(sum(folded.values()) == sum(ask.folded(ask.path('dwarf.noinline')).values()), 'inlining changes no total')
    functions = {row['name']: row for row in ask.json('top', '-n', '0', script)['functions']}
    modules = {name: os.path.basename(functions[name].get('module', '')) for name in ('msort_with_tmp', 'mix', 'trig')
               if name in functions}
    tap.ok(modules.get('msort_with_tmp') == 'libc.so.6' and modules.get('mix') == 'cpu_dw',
           'inlined functions are in the binary they were inlined into', modules)
    lines = {(row['file'], row['line']): row['cost'] for row in ask.json('lines', '-n', '0', srcline)['lines']}
    counted = collections.Counter()
    with gzip.open(srcline, 'rt') as file:
        after, leaf = False, False
        for line in file:
            if leaf and line.startswith('  '):
                match = re.match(r'  (\S+):(\d+)', line)
                if match:
                    counted[match[1], int(match[2])] += 1
                leaf = False
            elif after and line.startswith('\t'):
                leaf = True
            after = not line.startswith(('\t', '  ')) and line.strip() != ''
    same(tap, {key: cost['samples'] for key, cost in lines.items()}, dict(counted), 'cost by line is that of the leaves')


def events(tap, ask):
    two, tp = ask.path('two.script'), ask.path('tp.script')
    info = ask.json('info', two)
    tap.ok([(m['name'], m['unit'], m['total']) for m in info['metrics']] ==
           [('period', 'events', 117), ('samples', 'samples', 5), ('period', 'ns', 96000000), ('samples', 'samples', 48)],
           'two events are kept apart', info['metrics'])
    top = ask.json('top', '--event', 'cpu-clock', two)
    tap.ok(top['unit'] == 'ns' and top['total'] == 96000000, '--event chooses', top)
    folded = ask.folded(two)
    tap.ok(sum(folded.values()) == 96000000 and 0 not in folded.values(), 'stacks of other events stay out, time is preferred', folded)
    info = ask.json('info', tp)
    counts = [m['total'] for m in info['metrics'] if m['name'] == 'samples']
    tap.ok(counts == [7, 1202, 11, 11] and info['counts']['samples'] == 1231, 'tracepoints and their fields', counts)
    meta = {event['name']: event for event in info['meta']['events']}
    tap.ok(meta['sched:sched_switch']['kind'] == 'probe' and meta['page-faults']['kind'] == 'software', 'kinds', meta)
    fields = ask.json('info', ask.path('tp.trace'))
    tap.ok(fields['counts']['samples'] == 1231 and fields['counts']['functions'] == 0, 'fields are no frames', fields)


def filters(tap, ask):
    path = ask.path('fp.script')
    halves = [ask.json('top', '--time', part, path) for part in ('..50%', '50%..')]
    tap.ok(sum(half['total'] for half in halves) == 255767295, 'two halves are the whole', [h['total'] for h in halves])
    by_id = ask.json('top', '--thread', '25930', path)
    by_name = ask.json('top', '--thread', 'wrk 0:a', path)
    tap.ok(by_id['total'] == by_name['total'] > 0, 'threads by id and by name')
    shuffled = sorted(gzip.open(path, 'rt').read().rstrip('\n').split('\n\n'), key=hash)
    with tempfile.TemporaryDirectory() as work:
        other = os.path.join(work, 'shuffled.txt')
        with open(other, 'w') as file:
            file.write('\n\n'.join(shuffled) + '\n\n')
        same(tap, ask.folded(other), ask.folded(path), 'the order of samples does not matter')
        later = ask.json('top', '--time', '50%..', other)
        tap.ok(later['total'] == halves[1]['total'], 'nor does it to --time', later['total'])


def repeated(tap, ask):
    """Stacks that were there before are known again by their text: that must change nothing."""
    texts = []
    for name in ('fp.script', 'dwarf.srcline', 'dwarf.script', 'tp.script', 'switch.script', 'odd-names', 'crlf'):
        path = ask.path(name)
        texts.append((gzip.open if path.endswith('.gz') else open)(path, 'rb').read())
    details = (b'app 1 [000] 1.000000: 7 cycles: \n\t            1000 f+0x1 (/a)\n ABI:2    AX:0x1 \n'
               b'app 1 [000] 2.000000: 7 cycles: \n\t            1000 f+0x1 (/a)\n\t            2000 main (/a)\n\n')
    blank = b'app 1 [000] 3.000000: 7 cycles: \n\t            1000 f+0x1 (/a)\n \n\t            2000 main (/a)\n\n'
    junk = b'app 1 [000] 4.000000: 7 cycles: \n\t            1000 f+0x1 (/a)\n\tjunk\n\t            2000 main (/a)\n\n'
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, 'many.txt')
        with open(path, 'wb') as file:
            file.write(b''.join(texts * 3) + (details + blank + junk) * 5 + b''.join(reversed(texts)))
        for options in ((), ('-m', 'samples'), ('--event', 'cycles')):
            found = ask.folded(path, *options)
            wanted = collections.Counter()
            # With a root frame no text is taken for known.
            for stack, value in ask.folded(path, *options, '--option', 'root=comm').items():
                wanted[stack.partition(';')[2] or '[no stack]'] += value
            same(tap, found, wanted, f'known stacks are the same stacks {" ".join(options)}')
        findings = [[(d.get('line'), d['rule']) for d in ask.json('check', path, *more)['files'][0]['diagnostics']]
                    for more in ((), ('--option', 'root=comm'))]
        tap.ok(findings[0] == findings[1] and len(findings[0]) > 5, 'and the places of findings are, too', findings)
        with open(path, 'rb') as file:
            done = subprocess.run([ask.polyprof, 'convert', '-q', '--to', 'folded', '-o', '-', '-'], stdin=file,
                                  capture_output=True, timeout=120)
        piped = subprocess.run(f"cat '{path}' | '{ask.polyprof}' convert -q --to folded -o - -", shell=True,
                               capture_output=True, timeout=120)
        tap.ok(done.stdout == piped.stdout and done.stdout, 'a pipe gives the same')


def slowly(tap, ask):
    """Fresh recordings, and samples of the same layouts, beside a reader that shares nothing with this one."""
    paths = sorted(glob.glob(os.path.join(ask.own, 'fresh', '*')))
    paths += [ask.path(name) for name in ('fp.script', 'fp.pid', 'fp.ns', 'cpp.script', 'dwarf.script', 'two.script',
                                          'tp.script', 'switch.script', 'group.script', 'deleted.script')]
    for path in paths:
        for event, stacks in slow.collapse(path).items():
            for at, metric in enumerate(('samples', 'period')):
                wanted = {stack or '[no stack]': cost[at] for stack, cost in stacks.items() if cost[at]}
                # Without a period there is no such metric.
                if wanted:
                    same(tap, ask.folded(path, '--event', event, '-m', metric), wanted,
                         f'{os.path.basename(path)}: {event} {metric} as read slowly')


def odd_frame(rng):
    """A frame as no compiler would write it, but some would."""
    symbol = rng.choice(['f', 'main', 'operator()', 'a (b)', 'std::map<int, A (*)(int)>::at', '[unknown]', 'x+0x', 'y+0xg',
                         'z+0x12 w', 'g+0x1f+0x2', '', 'JS:~fib /srv/app.js:12:3', 'name with (/slash)'])
    offset = rng.choice(['', '+0x0', '+0x1f', '+0x2', '+0xdeadbeefdeadbeef', '+0x11112222333344445'])
    dso = rng.choice([' (/bin/web)', ' (/bin/web (deleted))', ' ([kernel.kallsyms])', ' (inlined)', ' ([unknown])', '',
                      ' (/opt/odd (1)/lib.so)', ' (/bin/web+0x162e)', ' (/tmp/perf-7.map)', '  (/bin/web)'])
    return f'\t{rng.choice((0x129b, 0x162e, 0xffffffff81000130)):16x} {symbol}{offset}{dso}'


def sieved(tap, ask):
    """Stacks are filtered as they come where names decide; of SPAA when the tree is there."""
    with tempfile.TemporaryDirectory() as work:
        for name in ('fp.script', 'two.script', 'dwarf.srcline', 'tp.script', 'cpp.script'):
            path, to = ask.path(name), os.path.join(work, 'x.spaa')
            ask.run('convert', '-q', path, '--to', 'spaa', '-o', to)
            for words in (('--focus', 'a'), ('--hide', 'e'), ('--depth', '3'), ('--ignore', 're'), ('--show-from', 'main'),
                          ('--collapse', '.'), ('--focus', 'module:libc'), ('--focus', 'zzzz')):
                # What can be asked next names the file.
                one, two = (ask.run('tree', *words, file).partition('Next steps')[0] for file in (path, to))
                tap.ok(one == two, f'{name}: {" ".join(words)}', f'{one}{two}')


def functions_of(answer):
    found = collections.Counter()
    for row in answer['functions']:
        for what in ('self', 'total'):
            for metric, value in row[what].items():
                found[row['name'], row.get('module'), what, metric] += value
    return found


def addresses(tap, ask):
    """Where functions are asked for, addresses are passed over; with all that a line says the answer is the same."""
    with tempfile.TemporaryDirectory() as work:
        path, to = os.path.join(work, 'odd.txt'), os.path.join(work, 'odd.spaa')
        for seed in range(12):
            rng = random.Random(seed)
            with open(path, 'w') as file:
                for sample in range(300):
                    print(f'app 1 [000] {sample}.000000:    1003 cycles: ', file=file)
                    for _ in range(rng.randint(1, 6)):
                        print(odd_frame(rng), file=file)
                    print(file=file)
            ask.run('convert', '-q', path, '--to', 'spaa', '-o', to)
            same(tap, functions_of(ask.json('top', '-n', '0', path)), functions_of(ask.json('top', '-n', '0', to)),
                 f'odd frames {seed} with and without addresses')


def cuts(tap, ask):
    """A file that was cut anywhere is not complete, unless the cut is behind a sample."""
    text = ('web 71 [000] 2256.000100:    1003009 cpu-clock: \n\t            129b fib+0x14 (/bin/web)\n'
            '\t            162e main+0x20 (/bin/web)\n\n' * 2)
    first_stack = text.index('\t')
    wrong = []
    with tempfile.TemporaryDirectory() as work:
        path = os.path.join(work, 'cut.txt')
        for n in range(1, len(text) + 1):
            with open(path, 'w') as file:
                file.write(text[:n])
            # Nothing is left of a file whose only sample was cut: it is refused.
            complete = ask.json('info', '--from', 'perf-script', path).get('complete', False)
            # Of a header alone nobody knows whether a stack was to follow.
            if complete != text[:n].endswith('\n\n') and n != first_stack:
                wrong.append(text[:n][-20:])
    tap.ok(not wrong, 'cuts are seen', wrong)


def spaa(tap, ask):
    """What SPAA has a place for arrives there."""
    with tempfile.TemporaryDirectory() as work:
        for name in ('fp.header', 'fp.pid', 'dwarf.srcline', 'two.script', 'namespaces'):
            path, to = ask.path(name), os.path.join(work, 'x.spaa')
            ask.run('convert', '-q', path, '--to', 'spaa', '-o', to)
            records = [json.loads(line) for line in open(to)]
            same(tap, ask.folded(to), ask.folded(path), f'{name}: the same stacks through SPAA')
            if name == 'fp.header':
                event = records[0]['events'][0]
                tap.ok(event == {'name': 'cpu-clock', 'kind': 'software', 'sampling': {
                    'mode': 'frequency', 'primary_metric': 'period', 'frequency_hz': 997}}, 'the event', event)
                found = [r for r in records if r['type'] == 'sample']
                tap.ok(len(found) == 255 and found[0]['period'] == 1003009 and found[0]['cpu'] == 1 and
                       min(r['timestamp'] for r in found) == 2256959900000, 'samples with time, cpu and period', found[:1])
            if name == 'fp.pid':
                found = sorted((r['pid'], r['tid'], r['comm']) for r in records if r['type'] == 'thread')
                tap.ok(found == [(25928, 25928, 'cpu_fp'), (25928, 25930, 'wrk 0:a'), (25928, 25931, 'wrk (1) x')],
                       'threads', found)
            if name == 'namespaces':
                found = [r.get('build_id') for r in records if r['type'] == 'dso']
                tap.ok(found == ['7e7d5f9f883e9e3ed050fd277041fa5a2b3dbdbf'], 'build ids', found)


def cases(tap, ask, shared):
    """Inputs of the shared corpus with what we want of them."""
    directory = os.path.join(shared, 'folded', 'collapse', 'perf')
    if not os.path.isdir(directory):
        tap.skip('cases of the corpus', 'the shared corpus is not there')
        return
    for path in sorted(glob.glob(directory + '/*.in.txt')):
        name = os.path.basename(path)[:-len('.in.txt')]
        wanted = path.replace('.in.txt', '.ideal.folded')
        if not os.path.exists(wanted):
            continue
        options = ['--option', 'root=comm']
        if name == 'event_filter':
            options += ['--event', 'instructions']
        expected = collections.Counter()
        for line in open(wanted):
            stack, value = line.rsplit(' ', 1)
            # --srcline of the other collapser puts places into names; ours have their own column.
            stack = ';'.join(part.split(':')[0] for part in stack.split(';')) if name == 'srcline' else stack
            expected[stack] += int(value)
        same(tap, ask.folded(path, *options), expected, f'corpus: {name}')


def peers(tap, ask, shared):
    """Results of FlameGraph's own tests: weights by process and by thread must agree exactly."""
    directory = os.path.join(shared, 'folded', 'peer_suites', 'flamegraph-57207af', 'test')
    if not os.path.isdir(directory):
        tap.skip("other collapsers' data", 'the shared corpus is not there')
        return
    for path in sorted(glob.glob(directory + '/perf-*.txt')):
        name = os.path.basename(path)[:-len('.txt')]
        for kind in ('pid', 'tid'):
            found, wanted = collections.Counter(), collections.Counter()
            shapes, expected = collections.Counter(), collections.Counter()
            for stack, value in ask.folded(path, '--option', f'root={kind}').items():
                root, _, rest = stack.partition(';')
                found[root.replace(' ', '_')] += value
                shapes[root.replace(' ', '_'), rest.count(';')] += value
            with open(f'{directory}/results/{name}-collapsed-{kind}.txt', errors='surrogateescape') as file:
                for line in file:
                    stack, value = line.rsplit(' ', 1)
                    root, _, rest = stack.partition(';')
                    wanted[root] += int(value)
                    expected[root, rest.count(';')] += int(value)
            same(tap, found, wanted, f'{name}: weights by {kind}')
            # Java's inlined frames are split by it, so shapes agree elsewhere only.
            if 'java' not in name:
                same(tap, shapes, expected, f'{name}: depths by {kind}')


def main():
    polyprof, samples, own, shared = sys.argv[1:5]
    tap, ask = Tap(), Asker(polyprof, os.path.join(samples, 'perf-script', 'good'), own)
    for part in (layouts, report, collapse, inlined, events, filters, repeated, slowly, sieved, addresses, cuts, spaa):
        part(tap, ask)
    cases(tap, ask, shared)
    peers(tap, ask, shared)
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
