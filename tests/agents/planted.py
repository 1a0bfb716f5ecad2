#!/usr/bin/env python3
"""Problems that were planted are found, and nothing is claimed that is not there: planted.py POLYPROF. Speaks TAP."""
import json
import os
import random
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..'))
from tap import Tap

TAP = Tap()
HERE = os.path.dirname(os.path.abspath(__file__))
POLYPROF = os.path.abspath(sys.argv[1])
# What is always said, or of every profile of its kind.
ALWAYS = {'concentration', 'estimated', 'hot-path', 'hot-self'}


def ask(*words):
    run = subprocess.run([POLYPROF, *words, '--json'], capture_output=True)
    return json.loads(run.stdout)


def kinds(answer):
    found = {}
    for kind, weight, evidence, _ in answer['rows']:
        found.setdefault(kind, []).append((weight, evidence))
    return found


def check(name, answer, must):
    """The kinds beside those of every profile are just these."""
    found = kinds(answer)
    TAP.same(set(found) - ALWAYS, set(must), f'{name}: {", ".join(must) or "nothing"} and nothing else')
    return found


def calls_file(path, program, functions):
    """A profile of calls as callgrind and Xdebug write it: {name: (own, [(callee, calls, inclusive)])}."""
    with open(path, 'w') as file:
        file.write(f'version: 1\ncreator: {program}\ncmd: planted\npart: 1\npositions: line\nevents: Ir\n\n')
        for name, (own, calls) in functions.items():
            file.write(f'fl=planted.c\nfn={name}\n10 {own}\n')
            for callee, count, cost in calls:
                file.write(f'cfl=planted.c\ncfn={callee}\ncalls={count} 10\n12 {cost}\n')
            file.write('\n')
        own = sum(own for own, _ in functions.values())
        file.write(f'totals: {own}\n')


def varint(n):
    out = b''
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def field(number, value):
    """A field of a protobuf message: a number, or bytes."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def pprof_file(path, types, stacks):
    """A profile of Go: [(type, unit)], {stack from the root: values}."""
    texts = ['']

    def text(word):
        if word not in texts:
            texts.append(word)
        return texts.index(word)

    names = sorted({name for stack in stacks for name in stack.split(';')})
    out = b''.join(field(1, field(1, text(kind)) + field(2, text(unit))) for kind, unit in types)
    for stack, values in stacks.items():
        places = b''.join(varint(names.index(name) + 1) for name in reversed(stack.split(';')))
        out += field(2, field(1, places) + field(2, b''.join(varint(v) for v in values)))
    for n, name in enumerate(names, 1):
        out += field(4, field(1, n) + field(4, field(1, n) + field(2, 1))) + field(5, field(1, n) + field(2, text(name)))
    out += b''.join(field(6, word.encode()) for word in texts)
    with open(path, 'wb') as file:
        file.write(out)


def follow(name, path):
    """What a finding says to ask next can be asked."""
    for kind, _, _, following in ask('findings', path)['rows']:
        if following:
            words = dict(following)
            tool, function = words.pop('tool'), words.pop('function', None)
            more = [w for key, value in words.items() for w in (f'--{key}', value)]
            answer = ask(tool, '--budget', '400', *([function] if function else []), *more, path)
            TAP.ok('error' not in answer, f'{name}: {kind} leads to {tool}', answer)


def carried(path, must, formats):
    """The facts of a profile are those of the same one in other formats."""
    for to, ending in formats:
        subprocess.run([POLYPROF, 'convert', '--to', to, '-o', f'carried.{ending}', '-q', path], check=True, capture_output=True)
        found = kinds(ask('findings', f'carried.{ending}'))
        TAP.same([(e['caller_name'], e['callee_name'], e['calls'], e['per_call']) for _, e in found.get('calls-per-call', [])], [must], f'{path} as {to}')


def many_calls():
    """PHP: a query for each row that an earlier one gave."""
    with open('n1.xdebug', 'w') as file:
        file.write('version: 1\ncreator: xdebug 3.3.1 (PHP 8.2.7)\ncmd: /srv/shop/index.php\npart: 1\npositions: line\n\n'
                   'events: Time_(10ns) Memory_(bytes)\n\n')
        for _ in range(300):
            file.write('fl=(1) php:internal\nfn=(1) php::PDOStatement->execute\n20 900 16\n\n')
        file.write('fl=(2) /srv/shop/Orders.php\nfn=(2) Orders->load\n5 3000 64\n')
        for _ in range(300):
            file.write('cfl=(1)\ncfn=(1)\ncalls=1 0 0\n7 900 16\n')
        file.write('\nfl=(3) /srv/shop/index.php\nfn=(3) {main}\n1 9000 32\ncfl=(2)\ncfn=(2)\ncalls=1 0 0\n3 273000 4864\n\n'
                   'summary: 282000 4896\n')
    found = check('N+1 in PHP', ask('findings', 'n1.xdebug'), ['calls-per-call', 'class', 'both-hot'])
    evidence = found['calls-per-call'][0][1]
    TAP.same((evidence['caller_name'], evidence['callee_name'], evidence['calls'], evidence['per_call']),
             ('Orders->load', 'php::PDOStatement->execute', 300, 300), 'who calls what, and how often')
    TAP.same([e['class'] for _, e in found['class']], ['io'], 'it is input and output')
    carried('n1.xdebug', ('Orders->load', 'php::PDOStatement->execute', 300, 300), (('callgrind', 'callgrind'), ('spx', 'json')))
    follow('N+1 in PHP', 'n1.xdebug')
    for calls, cost, name in ((9, 60000, 'a few calls'), (500, 400, 'many calls that cost nothing')):
        calls_file('few.callgrind', 'callgrind-3.19.0', {'fetch_one': (cost, []), 'render': (20000, []), 'fetch_all': (10, [('fetch_one', calls, cost)]),
                                                         'main': (10, [('fetch_all', 1, cost + 10), ('render', 1, 20000)])})
        check(name, ask('findings', 'few.callgrind'), [])


def quadratic():
    """C: twice as many rows, four times the work."""
    for path, n in (('small.callgrind', 100), ('large.callgrind', 200)):
        join = n * n * 5
        calls_file(path, 'callgrind-3.19.0', {
            'row_parse': (n * 40, []), 'row_check': (n * 10, []), 'row_print': (n * 10, []), 'join_rows': (join, []),
            'main': (50, [('row_parse', n, n * 40), ('row_check', n * 2, n * 10), ('row_print', n, n * 10), ('join_rows', 1, join)])})
    found = check('a quadratic join in C', ask('findings', 'large.callgrind', '--before', 'small.callgrind'), ['changed', 'superlinear'])
    TAP.same([(e['name'], e['exponent'], e['size_ratio']) for _, e in found['superlinear']], [('join_rows', 2, 2)], 'its exponent')
    TAP.same([(e['name'], e['status'], e['because']) for _, e in found['changed']], [('join_rows', 'grew', 'cost-per-call')], 'why it grew')


def convoy():
    """C: threads that wait for one lock; folded stacks of a sampler."""
    with open('convoy.folded', 'w') as file:
        file.write('main;worker;account_add;pthread_mutex_lock;__lll_lock_wait;futex_wait 640\n'
                   'main;worker;account_add 120\nmain;worker;parse;decode 240\nmain;setup 40\n')
    found = check('a convoy of locks', ask('findings', 'convoy.folded'), ['class'])
    TAP.same([(e['class'], e['self'], w) for w, e in found['class']], [('lock', 640, 0.6154)], 'what locks cost')


def churn():
    """C++: memory that is given back at once."""
    with open('churn.heap', 'w') as file:
        file.write('heap profile:    10:   20480 [ 90000: 94371840] @ heap_v2/1\n'
                   '     5:   10240 [ 80000: 83886080] @ 0x1000 0x2000 0x3000\n'
                   '     5:   10240 [ 10000: 10485760] @ 0x1100 0x2000 0x3000\n\nMAPPED_LIBRARIES:\n')
    answer = ask('findings', 'churn.heap', '-m', 'alloc_bytes')
    found = kinds(answer)
    TAP.ok('churn' in found and found['churn'][0][1]['allocated'] >= 94371840 and found['churn'][0][1]['live'] == 20480,
           'churn of allocations', answer)


def churn_in_go():
    """Go: what is allocated and what is left of it, of one program that throws it away and one that keeps it."""
    types = [('alloc_objects', 'count'), ('alloc_space', 'bytes'), ('inuse_objects', 'count'), ('inuse_space', 'bytes')]
    for name, live, must in (('thrown', 1, ['churn']), ('kept', 32, [])):
        pprof_file(f'{name}.pb', types, {'main.main;main.serve;main.encode': (5000, 48 << 20, 50, live << 19),
                                         'main.main;main.serve;main.decode': (5000, 16 << 20, 50, live << 19)})
        found = kinds(ask('findings', f'{name}.pb', '-m', 'alloc_space'))
        TAP.same(sorted(set(found) - ALWAYS), must, f'memory that is {name}')
        follow(f'memory that is {name}', f'{name}.pb')
        if must:
            evidence = found['churn'][0][1]
            TAP.same((evidence['allocated'], evidence['live']), (64 << 20, 1 << 20), 'how much, and how much of it stays')


def without_calls():
    """Costs by function and nothing else: nobody is asked who called them."""
    calls_file('flat.callgrind', 'callgrind-3.19.0', {'parse': (9000, []), 'print': (4000, []), 'check': (3000, [])})
    check('a profile without calls', ask('findings', 'flat.callgrind'), [])
    follow('a profile without calls', 'flat.callgrind')


def hot_line():
    """Perl by its lines; the line is told by `lines`, the function by findings."""
    calls_file('line.callgrind', 'callgrind-3.19.0', {'main::slow': (9000, []), 'main::fast': (500, []),
                                                      'main::RUNTIME': (100, [('main::slow', 1, 9000), ('main::fast', 1, 500)])})
    row = ask('lines', '--budget', '500', 'line.callgrind')['rows'][0]
    TAP.same((row[3], row[0]), ('planted.c:10', 100), 'the hot line')
    TAP.same([e['name'] for _, e in kinds(ask('findings', 'line.callgrind'))['hot-self']], ['main::slow'], 'its function')


def matching():
    """Perl: regular expressions, as folded stacks."""
    with open('perl.folded', 'w') as file:
        file.write('main::RUNTIME;main::scan;main::CORE:match 700\nmain::RUNTIME;main::scan 300\nmain::RUNTIME 100\n')
    found = check('regular expressions in Perl', ask('findings', 'perl.folded'), ['class'])
    TAP.same([e['class'] for _, e in found['class']], ['regex'], 'which class')


def perl():
    """Perl as Devel::NYTProf recorded it: planted/shop.pl."""
    shop = os.path.join(HERE, 'planted', 'shop.nytprof')
    found = check('an order at a time in Perl', ask('findings', shop), ['calls-per-call', 'class'])
    evidence = found['calls-per-call'][0][1]
    TAP.same((evidence['caller_name'], evidence['callee_name'], evidence['calls'], evidence['per_call']),
             ('main::load_orders', 'main::query', 300, 300), 'who calls what, and how often')
    TAP.same([e['class'] for _, e in found['class']], ['regex'], 'regular expressions are told')
    TAP.same({e['name'] for _, e in found['hot-self']}, {'main::query', 'main::CORE:match'}, 'what is hot')
    row = ask('lines', '--budget', '500', '--focus', 'main::query', shop)['rows'][0]
    TAP.same((row[3].rsplit('/', 1)[1], row[2], row[5]), ('shop.pl:6', 300, '$sum += $_ * $id for 1 .. 200;'), 'the hot line')


def recursion():
    with open('mutual.folded', 'w') as file:
        file.write('main;even;odd;even;odd 50\nmain;even;odd 250\nmain;walk;walk;walk 300\n')
    found = check('recursion', ask('findings', 'mutual.folded'), ['recursion'])
    TAP.same({e['name']: (e['depth'], len(e.get('cycle', []))) for _, e in found['recursion']},
             {'even': (2, 2), 'odd': (2, 2), 'walk': (3, 0)}, 'who calls itself, how deep, in which cycle')


def worth():
    with open('few.folded', 'w') as file:
        file.write('main;[unknown] 60\nmain;0x7f00aa 20\nmain;work 40\n')
    found = check('few samples without names', ask('findings', 'few.folded'), ['few-samples', 'unknown-names'])
    TAP.same(found['unknown-names'][0][1]['self'], 80, 'what has no name')
    nodes = [{'id': n + 1, 'callFrame': {'functionName': name, 'scriptId': '0', 'url': '', 'lineNumber': 0, 'columnNumber': 0}, 'hitCount': hits,
              'children': children} for n, (name, hits, children) in enumerate((('(root)', 0, [2]), ('main', 30, [3]), ('work', 90, [])))]
    for name, times in (('few', 1), ('many', 3)):
        samples = ([2] * 30 + [3] * 90) * times
        with open(f'{name}.cpuprofile', 'w') as file:
            json.dump({'nodes': [{**node, 'hitCount': node['hitCount'] * times} for node in nodes], 'startTime': 0, 'endTime': 1000 * len(samples),
                       'samples': samples, 'timeDeltas': [1000] * len(samples)}, file)
        found = check(f'{name} samples that stand for time', ask('findings', f'{name}.cpuprofile'), ['few-samples'] if name == 'few' else [])
        if name == 'few':
            TAP.same(found['few-samples'][0][1]['samples'], 120, 'how few')
    with open('cut.folded', 'w') as file:
        file.write('main;work 4000\nmain;work')
    TAP.ok('incomplete' in kinds(ask('findings', 'cut.folded')), 'a file that is cut')
    with open('flat.folded', 'w') as file:
        file.write(''.join(f'f{n} 100\n' for n in range(40)))
    TAP.same(set(kinds(ask('findings', 'flat.folded'))), {'concentration'}, 'nothing is hot where all is even')


def deploys():
    """Twenty deploys: one function costs more from the thirteenth on, another is noise."""
    chance = random.Random(5)
    files = []
    for n in range(20):
        render = 900 if n >= 12 else 500
        rows = {'main;render': render, 'main;query': 3000, 'main;log': 200}
        with open(f'deploy{n:02}.folded', 'w') as file:
            file.write(''.join(f'{stack} {round(chance.gauss(cost, cost ** 0.5))}\n' for stack, cost in rows.items()))
        files.append(f'deploy{n:02}.folded')
    answer = ask('trend', *files)
    rows = {row[0]: row for row in answer['rows']}
    TAP.ok('render' in rows and rows['render'][1:3] == ['deploy12.folded', 12] and rows['render'][5] > 4, 'the deploy that made it slower', answer)
    TAP.ok('log' not in rows, 'noise is no trend', answer)
    TAP.same(ask('trend', *files[:12])['rows'], [], 'before that nothing changed')
    for path in files:
        subprocess.run([POLYPROF, 'convert', '--to', 'pprof', '-o', path[:-6] + 'pb', '-q', path], check=True, capture_output=True)
    other = {row[0]: row for row in ask('trend', *(path[:-6] + 'pb' for path in files))['rows']}
    TAP.same({name: row[2:] for name, row in other.items()}, {name: row[2:] for name, row in rows.items()}, 'the same in pprof')
    TAP.ok(ask('trend', *files[:5])['too_few'] and 'error' in ask('trend', files[0]), 'five are too few, one is no series')


with tempfile.TemporaryDirectory() as home:
    os.chdir(home)
    for part in (many_calls, quadratic, convoy, churn, churn_in_go, without_calls, hot_line, matching, perl, recursion, worth, deploys):
        part()
    os.chdir('/')
sys.exit(TAP.done())
