#!/usr/bin/env python3
"""How work grows with hostile inputs: growth.py POLYPROF [SHAPE...]

Each shape (or `stores`) is written with n parts and with 4 n of them: many threads, many files, many functions of one name, deep and wide
trees. No answer may take more than LIMIT times as long for four times the input; what grows with the square takes 16 times as
long. Time of the processor is quickly had; where it grows too much, instructions under callgrind decide, since those are
the same on a busy machine. Speaks TAP.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import gate  # noqa: E402
from tap import Tap  # noqa: E402 (needs the path above)

LIMIT = 6
# Seconds, or thousands of millions of instructions, that are nothing.
NOISE = 1e-4
CALLGRIND = '# callgrind format\nversion: 1\ncreator: growth\npositions: line\nevents: Ir\n\n'
XDEBUG = 'version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: /a.php\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n'


def each(count, text):
    return ''.join(text.format(i=i, next=i + 1, odd=i % 2) for i in range(count))


def perf(count, header, frame='55d0 main+0x1 (/bin/w)'):
    return each(count, f'{header}\n\t{frame}\n\n')


def spaa(count, events):
    """As many stacks, of as many functions, as metrics: each has one of its own, of one event or of its own event."""
    event = '{{"name":"e{i}","kind":"timer","sampling":{{"mode":"event","primary_metric":"m{i}"}}}},'
    stack = '{{"type":"stack","id":{i},"frames":[{i},0],"context":{{"event":"%s"}},"weights":[%s{{"metric":"m{i}","value":{next}}}]}}\n'
    frames = '{{"type":"frame","id":{i},"func":"f{i}","dso":1,"kind":"user"}}\n'
    weight = '' if events else '{{"metric":"m0","value":1}},'
    return ('{"type":"header","format":"spaa","version":"1.0","source_tool":"x","frame_order":"leaf_to_root","stack_id_mode":"local",'
            f'"events":[{each(count if events else 1, event)[:-1]}]}}\n' + '{"type":"dso","id":1,"name":"a","is_kernel":false}\n' +
            each(count, frames) + each(count, stack % ('e{i}' if events else 'e0', weight)).replace('"m0","value":1},{"metric":"m0"', '"m0"'))


def callgrind_events(count):
    """As many functions as events, each of which costs one of them and calls the next one; lines end where only 0 follows."""
    header = CALLGRIND.replace('events: Ir', 'events: ' + each(count, 'e{i} ')) + 'fl=a.c\n'
    return header + ''.join(f'fn=f{i}\n1 {"0 " * (i % 8)}5\ncfn=f{i + 1}\ncalls=1 1\n2 1\n' for i in range(count))


def firefox(count):
    """A chain of as many stacks, each of which has a sample."""
    rows = list(range(count))
    table = {'length': 1, 'name': [0], 'isJS': [False], 'relevantForJS': [False], 'resource': [-1], 'source': [None], 'lineNumber': [None],
             'columnNumber': [None], 'func': [0], 'address': [-1], 'inlineDepth': [0], 'category': [0], 'line': [None], 'column': [None]}
    return json.dumps({
        'meta': {'interval': 1, 'startTime': 0, 'version': 29, 'preprocessedProfileVersion': 60}, 'libs': [],
        'shared': {'stringArray': ['f'], 'sources': {'length': 0, 'filename': []}, 'resourceTable': {'length': 0}, 'funcTable': table,
                   'frameTable': table, 'stackTable': {'length': count, 'frame': [0] * count, 'prefix': [None, *rows[:-1]]}},
        'threads': [{'name': 't', 'pid': '1', 'tid': 1, 'samples': {'length': count, 'weightType': 'samples', 'stack': rows, 'time': rows}}]})


# name of the file, n, what it holds, which questions: {} is the file
TOP = ['top {}', 'top -n 0 --json {}']
TREE = ['{}', 'tree --min 0 -n 0 --json {}', 'diff {} {}', 'flame -o out.svg {}', 'report -o out.html {}']
MANY = ['top {}', 'tree {}', 'info {}', 'convert --to folded -o out.folded {}', 'convert --to spaa -o out.spaa {}']
SHAPES = {
    'chain of stacks': ('chain.json', 2000, firefox, ['top {}', 'check {}', 'info {}', 'tree {}']),
    'threads': ('threads.txt', 2000, lambda n: perf(n, 'w {next} 1.{i:06}: 1 cycles:u:'),
                ['top --by thread {}', 'info {}', 'flame -o out.svg {}', 'report -o out.html {}',
                 *(f'convert -q {{}} --to {to} -o out' for to in ('trace-event', 'firefox', 'speedscope', 'otlp', 'pprof', 'perf-script'))]),
    'named threads': ('names.txt', 2000, lambda n: perf(n, 'w{i} {next}/{next} 1.{i:06}: 1 cycles:u:'),
                      ['top --by thread {}', 'merge {} {} --to folded -o out.folded']),
    'modules': ('modules.txt', 2000, lambda n: perf(n, 'w 7 1.{i:06}: 1 cycles:', '55d0 main+0x1 (/lib/m{i}.so)'),
                ['top --by module {}', 'tree {}']),
    'files': ('callgrind.out.files', 1000, lambda n: CALLGRIND + each(n, 'fl=/s/d{odd}/f{i}.c\nfn=f{i}\n{next} 1\n'),
              ['lines --source . -n 0 {}', 'lines --json {}', 'top --by file {}', 'top --by line {}']),
    'slashes': ('callgrind.out.slashes', 20000, lambda n: CALLGRIND + 'fl=' + 'a/' * n + 'x.c\nfn=f\n1 5\n',
                ['lines --source . {}']),
    'one name': ('callgrind.out.name', 2000, lambda n: CALLGRIND + each(n, 'fl=/s/f{i}.c\nfn=same\n3 1\ncfn=callee\ncalls=1 1\n4 2\n'),
                 [*TOP, 'callers /s/f1.c:callee {}', 'callees /s/f1.c:same {}', 'diff {} {}', 'gate {} {} --fail-if total>+5%',
                  'convert --to spaa -o out.spaa {}']),
    'one caller': ('callgrind.out.caller', 2000, lambda n: CALLGRIND + 'fl=a.c\nfn=main\n1 1\n' + each(
        n, 'cfn=c{i}\ncalls=1 1\n1 5\n') + each(n, 'fn=c{i}\n1 5\n'), [*TOP, *TREE, 'callees main {}', 'callers main {}']),
    'one callee': ('callgrind.out.callee', 2000, lambda n: CALLGRIND + 'fl=a.c\n' + each(
        n, 'fn=c{i}\n1 5\ncfn=hub\ncalls=1 1\n1 5\n') + 'fn=hub\n1 7\n', [*TOP, *TREE, 'callers hub {}', 'callees hub {}']),
    'a ring': ('callgrind.out.ring', 2000, lambda n: CALLGRIND + 'fl=a.c\n' + each(
        n, 'fn=c{i}\n1 5\ncfn=c{next}\ncalls=1 1\n1 5\n') + f'fn=c{n}\n1 7\ncfn=c0\ncalls=1 1\n1 5\n', [*TOP, 'tree {}']),
    'functions of PHP': ('php.xdebug', 1000, lambda n: XDEBUG + each(n, 'fl=(2{i}) /a{i}.php\nfn=(2{i}) f{i}\n1 5 7\n\n') +
                         f'fl=(1) /a.php\nfn=(1) {{main}}\n\nsummary: {5 * n + 3} 9\n\n1 3 4\n' + each(
                             n, 'cfl=(2{i})\ncfn=(2{i})\ncalls=1 0 0\n1 5 7\n'),
                         [*TOP, 'convert --to spaa -o out.spaa {}']),
    'deep recursion': ('deep.folded', 3000, lambda n: 'a;' * n + 'a 1\n', [*TOP, *TREE, 'callers a {}']),
    'deep mutual recursion': ('mutual.folded', 3000, lambda n: 'a;b;' * (n // 2) + 'c 1\n', [*TOP, *TREE, 'callers b {}']),
    'deep names': ('names.folded', 3000, lambda n: each(n, 'f{i};') + 'c 1\n', [*TOP, *TREE, 'callers f1 {}', 'callees f1 {}']),
    'deep in time': ('deep.txt', 2000, lambda n: '[events]\n' + each(n, '0 1 {i}\n') + each(n, '0 0 ' + str(n) + '{i:09}\n') +
                     '[functions]\na\n', ['flame --flamechart -o out.svg {}', 'flame --flamechart --depth 9 -o out.svg {}',
                                        'report -o out.html {}', 'top --time 10%..90% {}']),
    'wide': ('wide.folded', 1500, lambda n: each(n, 'root;child{i} 1\n'), [*TOP, *TREE, 'callees root {}']),
    'metrics': ('metrics.spaa', 240, lambda n: spaa(n, False), MANY),
    'events': ('events.spaa', 240, lambda n: spaa(n, True), MANY),
    'filtered metrics': ('filtered.spaa', 240, lambda n: spaa(n, False), ['top --hide f2 {}', 'tree --focus f1 {}', 'top --by module {}', 'top {} {}']),
    'events of calls': ('callgrind.out.events', 120, callgrind_events, ['top {}', 'callers f1 {}', 'lines {}', 'top --by file {}', 'top {} {}', 'info {}', 'tree {}', 'convert -q {} --to xhprof -o out']),
    'roots': ('roots.folded', 1500, lambda n: each(n, 'root{i};child 1\n'), [*TOP, *TREE, 'callers child {}']),
}


# Twice the profiles may take so many times the instructions.
TWICE = 2.6


def method(service, number):
    return f'net/http.(*T{service}_{number // 20}).M{number}'


def overload(service, number):
    return f'svc::f(T{service}, A{number})'


def hashed(service, number):
    return f'svc::f::h{service:08x}{number:08x}'


def closure(service, number):
    return f'{{closure:/s{service}/a{number % 7}.php:{number}-{number}}}'


def one_file(service, number):
    return '<lambda>'


def plain_too(service, number):
    return 'svc::f' if number % 50 == 0 else overload(service, number)


# How functions of a store are called, each profile of which brings some that no other has.
STORES = {'methods': method, 'overloads': overload, 'names with a hash': hashed, 'closures': closure, 'lambdas': one_file, 'overloads and their name': plain_too}
SERVICES, NEW, OLD = 8, 16, 16


def cxx(service, number):
    return f'_ZN8Service{service}{len(str(number)) + 6}method{number}Ei'


# The same of stores whose profiles were packed and share their names: what stands above and below each function.
PACKED = {'C++ names': (cxx, [], []), 'C++ names and idleness': (cxx, [], ['(idle)']), 'overloads': (overload, ['main'], [])}
QUESTIONS = {'diff': ['--before', 'version=v0', '--after', 'version=v1'], 'trend': [], 'top': [],
             'gate': ['--before', 'version=v0', '--after', 'version=v1', '--fail-if', 'self(none) > 9']}


def folded_write(path, names, above, below, cost):
    """A profile of whole numbers, in which functions alone and what they lead to cost something."""
    with open(path + '.folded', 'w') as file:
        for name in names:
            stack = [*above, name]
            file.write(''.join(f'{";".join([*stack, *end])} {cost}\n' for end in ([], below)[:2 if below else 1]))


def store_add(polyprof):
    subprocess.run([polyprof, 'store', 'add', 'store.ppdb', 'profiles', '--label-from-path', 'profiles/(?<version>[^/]+)', '-q'],
                   check=True, stdout=subprocess.DEVNULL)


def store_write(polyprof, name, profiles, around=None):
    """A store of so many profiles, of eight services in turn, half of them of another version; packed if `around` is given."""
    for folder in ('profiles', 'store.ppdb'):
        shutil.rmtree(folder, ignore_errors=True)
        if os.path.exists(folder):
            os.remove(folder)
    for i in range(profiles):
        service, first = i % SERVICES, i // SERVICES * NEW
        folder = f'profiles/v{i * 2 // profiles}'
        os.makedirs(folder, exist_ok=True)
        numbers = [*range(min(OLD, first)), *range(first, first + NEW)]
        if around:
            folded_write(f'{folder}/{i:06}', [name(service, k) for k in numbers], *around, i % 9 + 1)
            continue
        frames = [{'name': name(service, k), 'file': f'/src/s{service}/f{k}.x', 'line': k + 1} for k in numbers]
        with open(f'{folder}/{i:06}.speedscope.json', 'w') as file:
            json.dump({'$schema': 'https://www.speedscope.app/file-format-schema.json', 'shared': {'frames': frames}, 'profiles': [
                {'type': 'sampled', 'name': 'p', 'unit': 'none', 'startValue': 0, 'endValue': len(numbers),
                 'samples': [[k] for k in range(len(numbers))], 'weights': [i % 9 + 1] * len(numbers)}]}, file)
    store_add(polyprof)
    if around:
        subprocess.run([polyprof, 'store', 'compact', 'store.ppdb', '-q'], check=True, stdout=subprocess.DEVNULL)


def packed_ask(tap, polyprof, directory):
    """How questions about packed stores grow, asked for people: they see other names than the store has."""
    for what, (name, *around) in PACKED.items():
        counts = {question: [] for question in QUESTIONS}
        for profiles in (8, 200, 400):
            store_write(polyprof, name, profiles, around)
            for question, options in QUESTIONS.items():
                words = [question, 'store.ppdb', *options, '-q', '-j1']
                counts[question].append(gate.instructions(polyprof, words, directory) / 1e9)
        for question, (base, small, large) in counts.items():
            grows = (large - base) / max(small - base, NOISE)
            tap.ok(grows <= TWICE, f'{question} of a packed store of {what}: twice the profiles take {grows:.1f} x the instructions '
                   f'({small:.3f} to {large:.3f} G)')


def stores_ask(tap, polyprof, directory):
    """How comparing two halves of a store grows with its profiles."""
    words = ['diff', 'store.ppdb', '--before', 'version=v0', '--after', 'version=v1', '-q', '-j1', '--json']
    for what, name in STORES.items():
        counts = []
        for profiles in (8, 200, 400):
            store_write(polyprof, name, profiles)
            counts.append(gate.instructions(polyprof, words, directory) / 1e9)
        base, small, large = counts
        grows = (large - base) / max(small - base, NOISE)
        tap.ok(grows <= TWICE, f'diff of a store of {what}: twice the profiles take {grows:.1f} x the instructions ({small:.3f} to {large:.3f} G)')


def processor_time(polyprof, words):
    """Seconds of the processor that a question takes, at best of two."""
    best = None
    for _ in range(2):
        asked = subprocess.Popen([polyprof, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        _, status, used = os.wait4(asked.pid, 0)
        asked.returncode = os.waitstatus_to_exitcode(status)
        if asked.returncode:
            return None
        took = used.ru_utime + used.ru_stime
        best = took if best is None else min(best, took)
    return best


def ratio(measure, write, n):
    """How many times as much work four times the input is, and the work for both."""
    counts = []
    for size in (4, n, 4 * n):
        write(size)
        counts.append(measure())
    base, small, large = counts
    return (large - base) / max(small - base, NOISE), small, large


def main():
    polyprof, *wanted = sys.argv[1:]
    polyprof = os.path.abspath(polyprof)
    if not shutil.which('valgrind'):
        print('1..0 # SKIP valgrind is not installed')
        return 0
    tap = Tap()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        if not wanted or 'stores' in wanted:
            stores_ask(tap, polyprof, directory)
            packed_ask(tap, polyprof, directory)
        for shape in [w for w in wanted if w != 'stores'] if wanted else SHAPES:
            name, n, text, questions = SHAPES[shape]

            def write(size):
                with open(name, 'w') as file:
                    file.write(text(size))
            for question in questions:
                words = [*question.format(name, name).split(), '-q', '-j1']
                what = f"{shape}: {question.format('FILE', 'FILE')}"
                write(n)
                if processor_time(polyprof, words) is None:
                    tap.ok(False, what, 'no answer')
                    continue
                grows, small, large = ratio(lambda: processor_time(polyprof, words), write, n)
                unit = 's'
                if grows > LIMIT:
                    grows, small, large = ratio(lambda: gate.instructions(polyprof, words, directory) / 1e9, write, n)
                    unit = 'G instructions'
                tap.ok(grows <= LIMIT, f'{what}: four times as much takes {grows:.1f} x as long ({small:.3f} to {large:.3f} {unit})')
    return tap.done()


sys.exit(main())
