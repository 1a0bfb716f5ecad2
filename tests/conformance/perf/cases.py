#!/usr/bin/env python3
"""Recordings of perf: cases.py POLYPROF tests/formats tests/conformance/perf SHARED

One recording in every layout tells the same, and what it tells is known (make.py). Recordings that perf made add up to what
perf says of them. With the shared corpus at hand all of it is compared with perf's own answers, by event, thread
and module; without it those checks are skipped. Speaks TAP.
"""
import collections
import glob
import gzip
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap, few, share  # noqa: E402 (needs the path above)
import make  # noqa: E402 (stands beside this file)

# What `perf script` says: samples and period of each event.
RECORDED = {
    'packed.perf.data': {'cpu-clock': (8, 11428568)},
    'group.perf.data': {'cpu-clock': (3, 10029676), 'task-clock': (3, 10027636)},
    'threads.perf.data': {'cpu-clock': (3, 9999999)},
}


class Asker:
    def __init__(self, polyprof):
        self.polyprof = polyprof

    def run(self, *words, **more):
        return subprocess.run([self.polyprof, *words], capture_output=True, timeout=120, **more)

    def json(self, command, path, *words):
        done = self.run(command, '--json', '-q', path, *words)
        return json.loads(done.stdout) if done.stdout.strip() else {}

    def folded(self, path, metric, *options, **more):
        """Stacks under the name of their thread."""
        done = self.run('convert', '-q', '--to', 'folded', '-o', '-', '--option', 'root=comm', '-m', metric, path,
                        *[word for option in options for word in ('--option', option)], **more)
        lines = done.stdout.decode(errors='surrogateescape').splitlines()
        return {line.rsplit(' ', 1)[0]: int(line.rsplit(' ', 1)[1]) for line in lines}

    def events(self, path):
        found = collections.defaultdict(dict)
        for metric in self.json('info', path).get('metrics', []):
            found[metric.get('event')][metric['name'].split('/')[-1]] = metric['total']
        return {event: (one.get('samples'), one.get('period')) for event, one in found.items()}

    def modules(self, path, event):
        rows = self.json('top', path, '-n', '0', '--by', 'module', '--event', event).get('functions', [])
        found = collections.Counter()
        for row in rows:
            for metric, value in row['self'].items():
                if metric.split('/')[-1] == 'period':
                    found[row['name']] += value
        return {name: value for name, value in found.items() if value}


def inclusive(stacks):
    """What functions cost by their stacks: themselves, and with all that they call."""
    own, total = collections.Counter(), collections.Counter()
    for stack, value in stacks.items():
        names = stack.split(';')
        own[names[-1]] += value
        for name in set(names):
            total[name] += value
    return own, total


def ranked(ask, path, metric, *options):
    rows = ask.json('top', path, '-n', '0', *[word for option in options for word in ('--option', option)])['functions']
    own, total = collections.Counter(), collections.Counter()
    for row in rows:
        own[row['name']] += row['self'].get(metric, 0)
        total[row['name']] += row['total'].get(metric, 0)
    return +own, +total


def layouts(tap, ask, directory):
    for name, content in make.layouts().items():
        path = os.path.join(directory, name + '.perf.data')
        with open(path, 'wb') as out:
            out.write(content)
        tap.ok(ask.folded(path, 'cpu-clock/period', 'symbols=no') == make.STACKS, f'{name}: all stacks')
        tap.ok(ask.events(path) == {'cpu-clock': (8, sum(make.STACKS.values())), 'page-faults': (1, 1)}, f'{name}: events')
        tap.same(ranked(ask, path, 'cpu-clock/period', 'symbols=no', 'root=comm'), inclusive(make.STACKS), f'{name}: costs without a tree')
    modules = ask.modules(path, 'cpu-clock')
    tap.ok(modules == {make.APP: 1200, make.LIBRARY: 700, '[kernel.kallsyms]': 250, make.PLUGIN: 600, '(no module)': 55},
           f'costs by module ({modules})')
    with open(path, 'rb') as piped:
        tap.ok(ask.folded('-', 'cpu-clock/period', 'symbols=no', stdin=piped) == make.STACKS, 'out of a pipe')
    os.mkdir(os.path.join(directory, 'dir.perf.data'))
    os.rename(path, os.path.join(directory, 'dir.perf.data/data'))
    done = ask.run('top', os.path.join(directory, 'dir.perf.data'))
    tap.ok(done.returncode == 0 and b'1 profile' not in done.stderr, 'a directory is a recording', done.stderr)
    path = os.path.join(directory, 'dir.perf.data/data')
    info = ask.json('info', path)['meta']
    tap.ok(info['cmdline'] == 'perf record app' and info['hostname'] == 'box', 'what the file says of itself')


def damage(tap, ask, directory):
    """What comes before the damage counts; every cut is survived."""
    whole = make.layouts()['file']
    first = struct.unpack_from('<Q', whole, 24)[0] + struct.unpack_from('<Q', whole, 16)[0]
    path = os.path.join(directory, 'cut.perf.data')
    wrong, used = [], False
    for n in range(0, len(whole), 37):
        with open(path, 'wb') as out:
            out.write(whole[:n])
        done = ask.run('info', '--json', path)
        used |= done.returncode == 0
        if done.returncode != (0 if used else 3) or (n < first and used) or (used and json.loads(done.stdout)['complete']):
            wrong.append(n)
    tap.ok(used and not wrong, f'cut anywhere: incomplete, or refused before its first sample {wrong}')


def branches(tap, ask, directory):
    """Branches are no stacks; they are added up, whatever the order of bits, and SPAA keeps them."""
    taken = {'<': [(0x400123, 0x400456, 1 | 7 << 4), (0x7f0000000020, 0x400123, 2 | 1 << 3 | 9 << 4)],
             '>': [(0x400123, 0x400456, 1 << 63 | 7 << 44), (0x7f0000000020, 0x400123, 1 << 62 | 1 << 60 | 9 << 44)]}
    for order, pairs in taken.items():
        path, carried = os.path.join(directory, 'b.perf.data'), os.path.join(directory, 'b.spaa')
        with open(path, 'wb') as out:
            out.write(make.branched(order, pairs))
        tap.ok(ask.folded(path, 'cpu-clock/period', 'symbols=no') == make.STACKS, f'branches ({order}): stacks are what they were')
        ask.run('convert', '-q', '--option', 'symbols=no', path, '-o', carried)
        for which in (path, carried):
            meta = ask.json('info', which).get('meta', {}).get('branches')
            tap.same(meta, {'taken': 18, 'distinct': 6, 'mispredicted': 9, 'predicted': 9, 'aborted': 9, 'cycles': 144},
                     f'branches ({order}): what info says')
        with open(carried, encoding='utf-8') as lines:
            texts = [text for line in lines for text in json.loads(line).get('text', []) if '"taken"' in str(text)]
        rows = [json.loads(row) for text in texts for row in text.splitlines()]
        tap.same(rows[0], {'event': 'cpu-clock', 'from': {'dso': make.APP, 'ip': '0x1123'}, 'to': {'dso': make.APP, 'ip': '0x1456'},
                           'taken': 6, 'mispredicted': 6, 'cycles': 42}, f'branches ({order}): the first')
        tap.ok(sum(row['taken'] for row in rows) == 18 and len(rows) == 6, f'branches ({order}): all of them')
        os.remove(carried)


def executing(tap, ask, directory):
    """Within execve() the callers are of the program before; its own code is of the new one only."""
    recording = make.Recording()
    recording.kernel()
    recording.comm(7, 7, 'sh', 10)
    recording.mmap(7, 0x400000, 0x1000, 0, '/bin/sh', 20)
    recording.comm(7, 7, 'ls', 30, executed=True)
    recording.sample(7, 7, 40, [make.MARK_KERNEL, 0xffffffff81000100, make.MARK_USER, 0x400010], misc=make.KERNEL)
    recording.mmap(7, 0x500000, 0x1000, 0, '/bin/ls', 50)
    recording.sample(7, 7, 60, [make.MARK_USER, 0x500020, 0x400010])
    path = os.path.join(directory, 'exec.perf.data')
    with open(path, 'wb') as out:
        out.write(make.file_of(recording))
    modules = {(row['name'], row.get('module')) for row in ask.json('top', path, '-n', '0', '--option', 'symbols=no')['functions']}
    tap.same(modules, {('0xffffffff81000100', '[kernel.kallsyms]'), ('0x10', '/bin/sh'), ('0x20', '/bin/ls'), ('0x400010', None)}, 'within execve()')


def kernel_here(tap, ask, directory):
    """A recording of this machine that has no build ids, as out of a pipe: its kernel is the one that runs."""
    found = {}
    with open('/proc/kallsyms', encoding='utf-8', errors='replace') as lines:
        for line in lines:
            found.setdefault(line.split()[2], int(line.split()[0], 16))
    if not found.get('_text') or not found.get('vfs_read'):
        tap.skip('the kernel that runs', 'its addresses are hidden')
        return
    for host, name in ((os.uname().nodename, 'vfs_read'), ('elsewhere', '[unknown]')):
        recording = make.Recording()
        recording.add(1, make.KERNEL, recording.pack('iiQQQ', -1, 0, found['_text'], 2**30, found['_text'])
                      + recording.text('[kernel.kallsyms]_text'), 0)
        recording.sample(1, 1, 1000, [make.MARK_KERNEL, found['vfs_read'] + 1], misc=make.KERNEL)
        bits = make.features(recording, make.attrs_of(recording))
        bits.update({3: make.strings(recording, host), 4: make.strings(recording, os.uname().release)})
        path = os.path.join(directory, 'kernel.perf.data')
        with open(path, 'wb') as out:
            out.write(make.file_of(recording, bits=bits))
        rows = ask.json('top', path, '--option', f'debug-dir={directory}').get('functions', [{}])
        tap.same(rows[0].get('name'), name, f'the kernel of {"this host" if name == "vfs_read" else "another host"}')


def limits(tap, ask, directory):
    recording = make.Recording()
    for k in range(70002):
        recording.mmap(100, 0x1000 * 2 * k, 0x1000, 0, '/a', 1)
    path = os.path.join(directory, 'maps.perf.data.gz')
    with gzip.open(path, 'wb', 1) as out:
        out.write(make.file_of(recording))
    done = ask.run('check', path)
    tap.ok(b'[perf-maps]' in done.stdout + done.stderr and done.returncode == 1, 'too many mappings')
    recording = make.fill(make.Recording())
    attrs = [(recording.attr(1, 0, 1), 'cpu-clock')] * 1025
    with gzip.open(path, 'wb', 1) as out:
        out.write(make.file_of(recording, attrs=attrs))
    done = ask.run('check', path)
    tap.ok(b'[perf-events]' in done.stdout + done.stderr and done.returncode == 1, 'too many events')


def symbols(tap, ask, directory):
    """Names out of binaries below a directory, as perf chooses them."""
    func, obj, weak = 2, 1, 2
    own = bytes(range(20, 40))
    rows = [('_ZN3net4workEi', 0x1100, 0x40, func, 1), ('weak_alias', 0x1100, 0x40, func, weak), ('_alias', 0x1100, 0x40, func, 1),
            ('static', 0x1400, 0x80, func, 0), ('_ZN4core3fmt5write17h0123456789abcdefE', 0x1789, 1, func, 1),
            ('label', 0x1999, 0, 0, 1), ('outer', 0x3000, 0x100, func, 1), ('inner', 0x3010, 4, func, 1), ('data', 0x3800, 8, obj, 1)]
    recording = os.path.join(directory, 'named.perf.data')
    with open(recording, 'wb') as out:
        out.write(make.layouts()['file'])

    def at(path, content):
        whole = directory + '/root' + path
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, 'wb') as out:
            out.write(content)

    def stacks(*options):
        return ask.folded(recording, 'cpu-clock/period', 'symfs=' + directory + '/root', *options)

    def kernel(name):
        return {'app;core::fmt::write;static;net::work': 500, 'app;core::fmt::write;static;[unknown]': 700,
                'app;label;net::work': 300, f'wrk (1) x;label;net::work;{name}': 250, 'app;net::work': 400,
                'app;net::work;inner;[unknown]': 600, 'child;[unknown]': 50, ':301;[unknown]': 5}

    at(make.APP, make.elf(rows, own))
    tap.same(stacks(), kernel('[unknown]'), 'names of a binary')
    at('/list', b'ffffffff81000000 T _text\nffffffff81000100 t do_work\nffffffff81000200 T next\n')
    tap.same(stacks(f'kallsyms={directory}/root/list'), kernel('do_work'), 'names of the kernel')
    at('/list', b'ffffffff91000000 T _text\nffffffff91000100 t do_work\n')
    tap.same(stacks(f'kallsyms={directory}/root/list'), kernel('do_work'), 'a kernel that was elsewhere')
    full = ask.folded(recording, 'cpu-clock/period', f'symfs={directory}/root', 'demangle=no')
    tap.ok('app;_ZN4core3fmt5write17h0123456789abcdefE;static;_ZN3net4workEi' in full, 'names as they are')
    at(make.APP, make.elf(rows, own, shift=0x400000))
    tap.same(stacks(), kernel('[unknown]'), 'addresses are not offsets')
    at(make.APP, make.elf(rows, bytes(20)))
    tap.ok(all('work' not in stack for stack in stacks()), 'another build is not used')
    at(make.APP, make.elf([], own, 'app.debug', [('exported', 0x1100, 0x40, func, 1)]))
    tap.ok('app;exported' in stacks(), 'stripped: what it exports')
    at('/srv/app/bin/.debug/app.debug', make.elf(rows, own))
    tap.same(stacks(), kernel('[unknown]'), 'the file that it names')
    os.remove(directory + '/root/srv/app/bin/.debug/app.debug')
    at('/usr/lib/debug/.build-id/14/' + own.hex()[2:] + '.debug', make.elf(rows, own))
    tap.same(stacks(), kernel('[unknown]'), 'a debug file by its build id')
    os.remove(directory + '/root/usr/lib/debug/.build-id/14/' + own.hex()[2:] + '.debug')
    at('/.debug/.build-id/14/' + own.hex()[2:] + '/elf', make.elf(rows, own))
    tap.same(stacks(), kernel('[unknown]'), "perf's cache")
    os.remove(directory + '/root/.debug/.build-id/14/' + own.hex()[2:] + '/elf')
    with open(directory + '/outside', 'wb') as out:
        out.write(make.elf(rows, own))
    os.remove(directory + '/root' + make.APP)
    os.symlink(directory + '/outside', directory + '/root' + make.APP)
    tap.ok(all('work' not in stack for stack in stacks()), 'no link leads out of symfs')
    os.remove(directory + '/root' + make.APP)
    done = ask.run('check', recording, '--option', f'symfs={directory}/root')
    tap.ok(b'[perf-symbols]' in done.stdout + done.stderr, 'what has no names is said')
    whole, wrong = make.elf(rows, own, 'app.debug', rows[:2]), 0
    for n in range(0, 0x1000, 3):
        # The headers, and what they lead to, in turn.
        bad = bytearray(whole)
        place = n % 120 if n % 2 else 0x1000 + n % (len(whole) - 0x1000)
        bad[place] ^= 1 << n % 8
        bad[(n * 7) % 120] = n & 255
        if n % 256 == 0:
            at(make.APP, bytes(bad[:len(whole) - n]))
            wrong += ask.run('top', recording, '--option', f'symfs={directory}/root').returncode != 0
    tap.ok(not wrong, 'damaged binaries are survived')


def corpus_names(tap, ask, shared):
    """All stacks by name, those that were copied included. perf had no map for node's."""
    packed = os.path.join(shared, 'native/symfs.tar.zst')
    if not os.path.exists(packed):
        return
    with tempfile.TemporaryDirectory() as root:
        if subprocess.run(['tar', '--zstd', '-xf', packed, '-C', root], check=False).returncode != 0:
            tap.skip('names in the corpus', 'tar or zstd is missing')
            return
        kallsyms = glob.glob(root + '/.debug/.build-id/*/*/kallsyms')[0]
        for path in few(sorted(glob.glob(os.path.join(shared, 'native/perf*/**/*.oracle.json'), recursive=True)), 24):
            recording = path.replace('.oracle.json', '.perf.data')
            if os.path.basename(recording) == 'js.perf.data':
                continue
            with open(path, encoding='utf-8') as text:
                said = json.load(text)
            fine = True
            for event, stacks in said['folded'].items():
                metric = f'{event}/period' if len(said['events']) > 1 else 'period'
                found = ask.folded(recording, metric, 'symfs=' + root, 'kallsyms=' + kallsyms)
                fine &= {k: v for k, v in found.items() if v} == {k: v for k, v in stacks.items() if v}
            tap.ok(fine, f'{os.path.basename(recording)}: all stacks as perf has them')


def corpus_js(tap, ask, shared):
    """perf's answer for node has no names out of its JIT map, which came with the recording; the text has them."""
    packed, text = os.path.join(shared, 'native/symfs.tar.zst'), os.path.join(shared, 'native/perf/js.script.txt')
    if not os.path.exists(packed) or not os.path.exists(text):
        return

    def scripts(stacks):
        found = collections.Counter()
        for stack, value in stacks.items():
            found[tuple(name for name in stack.split(';') if name.split(':')[0] in ('JS', 'Builtin', 'Eval', 'Script'))] += value
        return found
    with tempfile.TemporaryDirectory() as root:
        if subprocess.run(['tar', '--zstd', '-xf', packed, '-C', root, './tmp'], check=False, stderr=subprocess.DEVNULL).returncode != 0 and \
                subprocess.run(['tar', '--zstd', '-xf', packed, '-C', root, 'tmp'], check=False).returncode != 0:
            tap.skip('names of node', 'tar or zstd is missing')
            return
        found = scripts(ask.folded(text.replace('.script.txt', '.perf.data'), 'period', 'symfs=' + root))
        tap.ok(len(found) > 10 and found == scripts(ask.folded(text, 'period')), 'js.perf.data: names out of the JIT map, as in its text')


def corpus_fields(tap, ask, shared):
    """Fields of tracepoints are labels, as perf prints them."""
    text = os.path.join(shared, 'native/perf/tp.trace.txt')
    if not os.path.exists(text):
        tap.skip('fields of tracepoints', 'there is no shared corpus')
        return
    with open(text, encoding='utf-8') as lines:
        lines = lines.read().splitlines()
    wanted = {'fd': collections.Counter(int(re.search(r'fd: (0x[0-9a-f]+)', line)[1], 16) for line in lines if 'sys_enter_read: ' in line),
              'count': collections.Counter(int(re.search(r'count: (0x[0-9a-f]+)', line)[1], 16) for line in lines if 'sys_enter_read: ' in line),
              'next_comm': collections.Counter(re.search(r'next_comm=(.*) next_pid', line)[1] for line in lines if 'sched_switch: ' in line),
              'next_pid': collections.Counter(int(re.search(r'next_pid=([0-9]+)', line)[1]) for line in lines if 'sched_switch: ' in line)}
    recording = text.replace('.trace.txt', '.perf.data')
    with tempfile.TemporaryDirectory() as directory:
        carried = os.path.join(directory, 'x.spaa')
        done = ask.run('convert', '-q', '--lossless', recording, '-o', carried)
        tap.ok(done.returncode == 0, 'SPAA has all of them')
        for path in (recording, carried):
            for key, counts in wanted.items():
                event = 'sched:sched_switch' if key.startswith('next') else 'syscalls:sys_enter_read'
                rows = ask.json('top', path, '-n', '0', '--by', 'label:' + key, '--event', event).get('functions', [])
                found = {row['name']: max(row['self'].values()) for row in rows}
                tap.same(found, {str(value): n for value, n in counts.items()}, f'{os.path.basename(path)}: field {key}')


def corpus(tap, ask, shared):
    found = sorted(glob.glob(os.path.join(shared, 'native/perf*/**/*.oracle.json'), recursive=True))
    if not found:
        tap.skip('recordings of the corpus', 'there is no shared corpus')
    for path in share(few(found, 24)):
        recording = path.replace('.oracle.json', '.perf.data')
        with open(path, encoding='utf-8') as text:
            said = json.load(text)
        events = {event: tuple(values) for event, values in said['events'].items()}
        fine = ask.events(recording) == events
        for event in events:
            metric = f'{event}/period' if len(events) > 1 else 'period'
            comms = [collections.Counter(), collections.Counter()]
            for side, stacks in enumerate((ask.folded(recording, metric), said['folded'][event])):
                for stack, value in stacks.items():
                    comms[side][stack.split(';')[0]] += value
            modules = collections.Counter()
            for row in said['rows']:
                modules[row[2] or '(no module)'] += row[5] if row[0] == event else 0
            fine &= comms[0] == comms[1] and ask.modules(recording, event) == {k: v for k, v in modules.items() if v}
        tap.ok(fine, f'{os.path.basename(recording)}: events, threads and modules as perf has them')


def main():
    polyprof, samples, own, shared = sys.argv[1:5]
    tap, ask = Tap(), Asker(polyprof)
    with tempfile.TemporaryDirectory() as directory:
        layouts(tap, ask, directory)
        damage(tap, ask, directory)
        branches(tap, ask, directory)
        executing(tap, ask, directory)
        kernel_here(tap, ask, directory)
        limits(tap, ask, directory)
        symbols(tap, ask, directory)
    for name, events in RECORDED.items():
        path = os.path.join(samples, 'perf/good', name)
        path = path if os.path.exists(path) else os.path.join(own, name)
        tap.ok(ask.events(path) == events, f'{name}: events as perf has them')
    corpus(tap, ask, shared)
    corpus_js(tap, ask, shared)
    corpus_fields(tap, ask, shared)
    corpus_names(tap, ask, shared)
    return tap.done()


sys.exit(main())
