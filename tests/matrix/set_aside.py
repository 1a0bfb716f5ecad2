#!/usr/bin/env python3
"""Allocators and idleness are set aside in answers, and nowhere else: set_aside.py POLYPROF tests/formats

The cost of allocators in metrics of memory goes to the first frame outside of them, idle leaves are in no row and no share; no total
changes, --all-frames shows all, conversions keep all. In every front end that shows functions, of files, pipes and stores. Of every
sample: what is not set aside stays the same, byte for byte. Speaks TAP.
"""
import csv
import glob
import io
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from tap import Tap, share  # noqa: E402 (needs the path above)

# Stacks, root first, and whose their cost is.
OWNERS = [
    ('main bake malloc', 'bake'),
    ('main bake operator#new(unsigned#long) malloc', 'bake'),
    ('main fry operator#new[](unsigned#long)', 'fry'),
    ('main boil std::allocator<int>::allocate(unsigned#long) operator#new(unsigned#long)', 'boil'),
    ('main steam __gnu_cxx::new_allocator<std::pair<int,#int>#>::allocate(unsigned#long,#void#const*) _Znwm', 'steam'),
    ('main std::allocator<int>::describe()', 'std::allocator<int>::describe()'),
    ('main my_malloc_wrapper calloc', 'my_malloc_wrapper'),
    ('main my_malloc', 'my_malloc'),
    ('main malloc_stats_print', 'malloc_stats_print'),
    ('main Pool::operator#new(unsigned#long)', 'Pool::operator new(unsigned long)'),
    ('main operator#newline', 'operator newline'),
    ('main je_suis', 'je_suis'),
    ('main roast je_malloc je_arena_malloc_hard', 'roast'),
    ('main grill mi_heap_malloc', 'grill'),
    ('main toast malloc@@GLIBC_2.2.5', 'toast'),
    ('main toast _int_malloc', 'toast'),
    ('main.main main.work runtime.growslice runtime.mallocgcSmallNoscan', 'main.work'),
    ('main app::run alloc::raw_vec::finish_grow __rust_alloc', 'app::run'),
    ('main py_run _PyObject_GC_New PyObject_Malloc', 'py_run'),
    ('main malloc hook realloc', 'hook'),
    ('malloc _int_malloc', 'malloc'),
    ('main g_malloc', 'main'),
    ('main script.py:malloc', 'script.py:malloc'),
]
# Names of allocators that must not have any cost of their own then.
ALLOCATORS = {'calloc', 'realloc', '_int_malloc', 'operator new(unsigned long)', 'runtime.mallocgcSmallNoscan', '__rust_alloc',
              'PyObject_Malloc', 'g_malloc', 'je_arena_malloc_hard', 'mi_heap_malloc', '_Znwm'}
IDLE = [('main;(idle)', 90), ('main;work', 10), ('(program)', 5), ('main;serve;(idle)', 2), ('main;serve;(idle) watch', 3),
        ('main;serve', 1)]


class Polyprof:
    def __init__(self, path, where):
        self.path, self.where = path, where

    def run(self, *words, stdin=None):
        return subprocess.run([self.path, *words], capture_output=True, timeout=120, input=stdin or b'', cwd=self.where)

    def json(self, *words, stdin=None):
        answer = self.run(*words, stdin=stdin)
        try:
            return json.loads(answer.stdout)
        except (ValueError, RecursionError):  # of stacks deeper than Python can read
            return None


def frame_of(word):
    """A frame of speedscope: "script.py:malloc" has a file."""
    file, colon, name = word.rpartition('.py:')
    return {'name': name, 'file': file + '.py'} if colon else {'name': word.replace('#', ' ')}


def write_memory(path, unit='bytes'):
    frames, samples, weights = [], [], []
    for number, (stack, _) in enumerate(OWNERS):
        wanted = [frame_of(word) for word in stack.split()]
        frames += [frame for frame in wanted if frame not in frames]
        samples.append([frames.index(frame) for frame in wanted])
        weights.append(1000 + number * number)
    json.dump({'$schema': 'https://www.speedscope.app/file-format-schema.json', 'shared': {'frames': frames},
               'profiles': [{'type': 'sampled', 'name': 'memory', 'unit': unit, 'startValue': 0, 'endValue': sum(weights),
                             'samples': samples, 'weights': weights}]}, open(path, 'w'))
    own = {}
    for (_, owner), weight in zip(OWNERS, weights):
        name = owner.rpartition('.py:')[2]
        own[name, owner != name] = own.get((name, owner != name), 0) + weight
    return own, sum(weights)


def own_of(top):
    return {(f['name'], bool(f.get('file'))): f['self'][top['metric']] for f in top['functions'] if f['self'][top['metric']]}


def memory(tap, p):
    path = os.path.join(p.where, 'memory.speedscope.json')
    wanted, whole = write_memory(path)
    top = p.json('top', '--json', '-n', '0', path)
    got = own_of(top)
    # One of the names occurs as the owner of a stack that is nothing but allocators.
    for key in sorted(wanted.keys() | got.keys()):
        tap.same(got.get(key), wanted.get(key), f'memory: the own cost of {key[0]}')
    tap.same((top['attributed'], top['total']), (True, whole), 'memory: the total stays, and "attributed" says what was done')
    tap.ok(list(top).index('attributed') == list(top).index('metric') + 1, '"attributed" is beside "metric"')
    note = p.run('top', path).stderr
    tap.ok(b'--all-frames' in note and note.count(b'cost of allocators') == 1, 'memory: one note', note)

    everything = p.json('top', '--json', '-n', '0', '--all-frames', path)
    tap.ok('attributed' not in everything and everything['total'] == whole and ('calloc', False) in own_of(everything),
           '--all-frames shows allocators')
    tap.same(p.run('top', '--all-frames', path).stderr, b'', '--all-frames has no note')
    folded = p.run('convert', '-q', '--to', 'folded', '-o', '-', path).stdout.decode()
    tap.ok('main;my_malloc_wrapper;calloc ' in folded and 'malloc;hook;realloc ' in folded, 'convert keeps allocators')
    tap.same(p.run('merge', '-q', path, path, '-o', 'both.spaa').returncode, 0, 'merge')
    tap.ok(('calloc', False) in own_of(p.json('top', '--json', '--all-frames', 'both.spaa')), 'merge keeps allocators')
    fronts(tap, p, path)

    write_memory(os.path.join(p.where, 'time.speedscope.json'), 'nanoseconds')
    for all_frames in [], ['--all-frames']:
        top = p.json('top', '--json', '-n', '0', *all_frames, 'time.speedscope.json')
        tap.ok('attributed' not in top and ('calloc', False) in own_of(top), f'time is nobody else\'s {all_frames}')


def fronts(tap, p, path):
    """Everything that shows functions; none shows the cost of an allocator."""
    listed = csv.DictReader(io.StringIO(p.run('top', '--csv', '-n', '0', path).stdout.decode()))
    tap.same({row['name'] for row in listed} & ALLOCATORS, set(), 'top --csv')
    for words in (['top', '-n', '0'], ['tree', '--min', '0'], ['traces', '-n', '0'],
                  ['callees', 'my_malloc_wrapper'], ['peek', 'my_malloc_wrapper'], ['flame', '-o', '-'], ['flame', '--reverse', '-o', '-'],
                  ['tree', '--json'], ['traces', '--json', '-n', '0'], ['callees', '--json', 'my_malloc_wrapper'], ['--json'], [],
                  ['graph', '-o', '-', '--format', 'dot'], ['top', '--json', '--budget', '4000'], ['tree', '--json', '--budget', '4000'],
                  ['findings', '--json'], ['top', '--json', '--by', 'name', '-n', '0'],
                  ['top', '--json', '--focus', 'my_malloc_wrapper', '-n', '0']):
        shown = p.run(*words, path)
        plain = p.run(*words, '--all-frames', path)
        text = shown.stdout.decode()
        tap.ok(shown.returncode == plain.returncode == 0 and not any(f'{name}"' in text or f'{name} ' in text or f'{name}\n' in text
                                                                     for name in ('calloc', '_int_malloc')),
               f'{" ".join(words) or "summary"}: no allocator', shown.stdout[:2000] + shown.stderr)
    tap.ok(b'calloc' in p.run('flame', '--all-frames', '-o', '-', path).stdout, 'flame --all-frames')
    changed = p.json('diff', '--json', path, path)
    tap.ok(changed['attributed'] and not {f['name'] for f in changed['functions'] if f['before']['self']} & ALLOCATORS, 'diff')
    limit = ['--fail-if', 'self(calloc) > 0']
    tap.ok(p.run('gate', path, path, *limit).returncode != 1 and p.run('gate', '--all-frames', path, path, *limit).returncode == 1,
           'gate')


def stores(tap, p, path, name, wanted):
    """A store says what the file says, before and after it is compacted, alone and among others."""
    store = os.path.join(p.where, f'{name}.ppdb')
    for label in 'ab':
        tap.same(p.run('store', 'add', store, path, '--label', f'k={label}').returncode, 0, f'{name}: store add')
    for when in 'fresh', 'compacted':
        if when == 'compacted':
            tap.same(p.run('store', 'compact', store).returncode, 0, f'{name}: store compact')
        one = p.json('top', '--json', '-n', '0', store, '--where', 'k=a')
        tap.same((one['total'], one.get('idle'), one.get('attributed'), own_of(one)), wanted, f'{name}: {when}, one profile')
        two = p.json('top', '--json', '-n', '0', store)
        tap.same((two['total'], {key: 2 * cost for key, cost in wanted[3].items()}), (2 * wanted[0], own_of(two)),
                 f'{name}: {when}, the sum of two')
        changed = p.json('diff', '--json', store, '--before', 'k=a', '--after', 'k=b')
        tap.same(sorted((f['name'], f['before']['self']) for f in changed['functions'] if f['before']['self']),
                 sorted((key[0], cost) for key, cost in wanted[3].items()), f'{name}: {when}, diff')


def idle(tap, p):
    text = ''.join(f'{stack} {cost}\n' for stack, cost in IDLE)
    path = os.path.join(p.where, 'idle.folded')
    with open(path, 'w') as out:
        out.write(text)
    for how, top in (('file', p.json('top', '--json', '-n', '0', path)),
                     ('pipe', p.json('top', '--json', '-n', '0', '-', stdin=text.encode())),
                     ('filter', p.json('top', '--json', '-n', '0', '--focus', '.', path)),
                     ('group', p.json('top', '--json', '-n', '0', '--by', 'name', path))):
        tap.same((top['total'], top['idle'], {f['name']: (f['self']['samples'], f['total']['samples']) for f in top['functions']}),
                 (111, 97, {'main': (0, 14), 'work': (10, 10), 'serve': (1, 4), '(idle) watch': (3, 3)}), f'idle: {how}')
    shown = p.run('top', path)
    tap.ok(b'(idle) ' not in shown.stdout.replace(b'(idle) watch', b'') and b' 71.4%' in shown.stdout and b'97' in shown.stderr,
           'idle: shares are of the rest', shown.stdout)
    tree = p.json('tree', '--json', path)
    tap.same((tree['total'], tree['idle'], tree['root']['total']['samples']), (111, 97, 14), 'idle: tree')
    callers = p.run('callers', 'work', path).stdout
    tap.ok(b'71.4%' in callers, 'idle: callers', callers)
    tap.ok(b'(idle)' not in p.run('flame', path, '-o', '-').stdout.replace(b'(idle) watch', b''), 'idle: flame')
    changed = p.json('diff', '--json', path, path)
    tap.same([changed[side][key] for side in ('before', 'after') for key in ('total', 'idle')], [111, 97] * 2, 'idle: diff')
    # Of several files, a share of one is not that of all.
    path_b = os.path.join(p.where, 'busy.folded')
    with open(path_b, 'w') as out:
        out.write('main;(idle) 10\nmain;work 90\n')
    notes = [p.run(*words).stderr for words in (['diff', path, path_b], ['gate', path, path_b, '--fail-if', 'total > +1000%'], ['flame', path, path_b, '-o', '-'])]
    tap.ok(all(b'idle' in note and b'%' not in note.replace(b'1000%', b'') for note in notes), 'idle: a note on two files is about both', notes)
    top = p.json('top', '--json', '--all-frames', path)
    tap.same((top['total'], top.get('idle'), own_of(top)['(idle)', False]), (111, None, 92), 'idle: --all-frames')
    tap.same(p.run('convert', '-q', '--to', 'folded', '-o', '-', path).stdout.decode(), ''.join(sorted(text.splitlines(True))),
             'idle: convert keeps all')
    tap.same(p.json('info', '--json', path)['metrics'][0]['total'], 111, 'idle: info')
    for to in 'spaa', 'pprof', 'otlp', 'speedscope', 'cpuprofile', 'trace-event', 'firefox':
        tap.same(p.run('convert', '-q', '--to', to, '-o', f'idle.{to}', path).returncode, 0, f'idle: to {to}')
        top = p.json('top', '--json', f'idle.{to}')
        with open(os.path.join(p.where, f'idle.{to}'), 'rb') as file:
            piped = p.json('top', '--json', '-', stdin=file.read())
        metric, scale = top['metric'], top['total'] // 111
        tap.same((top['total'], top['idle'], {f['name']: f['self'][metric] for f in top['functions'] if f['self'][metric]}),
                 (111 * scale, 97 * scale, {'work': 10 * scale, 'serve': scale, '(idle) watch': 3 * scale}), f'idle: {to}')
        tap.same((piped['total'], piped['idle'], own_of(piped)), (top['total'], top['idle'], own_of(top)), f'idle: {to} from a pipe')
    top = p.json('top', '--json', '-n', '0', path)
    stores(tap, p, path, 'idle', (111, 97, None, own_of(top)))
    # Enough for several threads.
    with open(os.path.join(p.where, 'large.folded'), 'w') as out:
        for i in range(200000):
            out.write(f'main;loop{i % 50};f{i % 999} 3\nmain;loop{i % 50};(idle) 2\n')
    for jobs in '1', '4':
        top = p.json('top', '--json', '-j', jobs, 'large.folded')
        tap.same((top['total'], top['idle'], sum(f['self']['samples'] for f in top['functions'])), (1000000, 400000, 600000),
                 f'idle: -j{jobs}')


def check_sample(tap, p, path):
    """Nothing changes but what is said to."""
    name = os.path.relpath(path, os.path.dirname(os.path.dirname(os.path.dirname(path))))
    for words in ['top', '--json', '-n', '0'], ['traces', '--json', '-n', '0'], ['tree', '--json', '--min', '0']:
        shown, plain = p.run(*words, path), p.run(*words, '--all-frames', path)
        if plain.returncode or shown.stdout == plain.stdout:
            continue
        try:
            one, all_of = json.loads(shown.stdout), json.loads(plain.stdout)
        except (ValueError, RecursionError):
            continue
        tap.ok(one.get('attributed') or one.get('idle') or b'drop' in plain.stdout or 'pprof' in name,
               f'{name}: {words[0]} tells why it differs')
        tap.same(one.get('total'), all_of.get('total'), f'{name}: {words[0]}, total')
        if words[0] == 'top':
            metric = one['metric']
            sums = [sum(f['self'][metric] for f in answer['functions']) + answer.get('idle', 0) for answer in (one, all_of)]
            tap.ok(abs(sums[0] - sums[1]) <= 1e-9 * abs(sums[1]), f'{name}: own costs and what was idle', sums)
        if words[0] == 'tree':
            tap.same(one['root']['total'][one['metric']] + one.get('idle', 0), all_of['root']['total'][one['metric']],
                     f'{name}: the root and what was idle')


def main():
    tap, samples = Tap(), os.path.abspath(sys.argv[2])
    with tempfile.TemporaryDirectory() as where:
        p = Polyprof(os.path.abspath(sys.argv[1]), where)
        memory(tap, p)
        path = os.path.join(where, 'memory.speedscope.json')
        top = p.json('top', '--json', '-n', '0', path)
        tap.same(p.run('convert', '-q', '--to', 'pprof', '-o', 'memory.pb', path).returncode, 0, 'memory: to pprof')
        stores(tap, p, 'memory.pb', 'memory', (top['total'], None, True, {
            key: cost for key, cost in own_of(p.json('top', '--json', '-n', '0', 'memory.pb')).items()}))
        idle(tap, p)
        for sample in share(sorted(glob.glob(os.path.join(samples, '*', 'good', '*')))):
            check_sample(tap, p, sample)
    return tap.done()


if __name__ == '__main__':
    sys.exit(main())
