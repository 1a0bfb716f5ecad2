#!/usr/bin/env python3
"""NYTProf beside Devel::NYTProf itself: cases.py POLYPROF NYTPROF_DUMP tests/formats [CORPUS]

The records of the samples, their re-encoding, and, where Debian's libdevel-nytprof-perl is installed: profiles
recorded here and now are compared with what Devel::NYTProf::Data makes of them, and files that polyprof
writes are loaded by Perl's tools, which must find the same sub totals and nothing to complain about. Where
the corpus lies beside the repository, its oracles are compared too. Speaks TAP.
"""
import glob
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap, share  # noqa: E402 (needs the path above)

HERE = os.path.dirname(os.path.abspath(__file__))


def close(a, b):
    return abs(float(a) - float(b)) <= 1e-9 * max(1e-3, abs(float(a)), abs(float(b)))


def run(*command, **keys):
    return subprocess.run(command, capture_output=True, timeout=300, stdin=subprocess.DEVNULL, **keys)


class Nytprof:
    def __init__(self, polyprof, dump, tap, work):
        self.polyprof, self.dump, self.tap, self.work = polyprof, dump, tap, work

    def top(self, path):
        """name -> [calls, self, total] in seconds; equal names added up"""
        done = run(self.polyprof, 'top', '--json', '-n', '0', path)
        answer = json.loads(done.stdout)
        metric, out = answer['metric'], {}
        for row in answer['functions']:
            sums = out.setdefault(row['name'], [0, 0.0, 0.0])
            sums[0] += row.get('calls', 0)
            sums[1] += row['self'][metric] / 1e9
            sums[2] += row['total'][metric] / 1e9
        return out

    def tables(self, path):
        return json.loads(run(self.dump, 'tables', path).stdout)

    def inflated(self, path):
        """All bytes, those after the 'z' inflated."""
        with open(path, 'rb') as file:
            data = file.read()
        at = data.index(b'\n') + 1
        while data[at:at + 1] in (b'#', b':', b'!'):
            at = data.index(b'\n', at) + 1
        return data[:at + 1] + zlib.decompressobj().decompress(data[at + 1:]) if data[at:at + 1] == b'z' else data

    def perl(self, path):
        done = run('perl', os.path.join(HERE, 'data.pl'), path)
        return (json.loads(done.stdout) if done.returncode == 0 else None), done.stderr.decode(errors='replace')

    # ---- checks ----

    def records(self, path, sha1):
        done = run(self.dump, 'records', path)
        self.tap.ok(done.returncode == 0 and hashlib.sha1(done.stdout).hexdigest() == sha1,
                    f'{os.path.basename(path)}: records', done.stderr)

    def reencodes(self, path):
        out = os.path.join(self.work, 'again.out')
        done = run(self.polyprof, 'convert', path, '--to', 'nytprof', '-o', out)
        self.tap.ok(done.returncode == 0 and self.inflated(out) == self.inflated(path),
                    f'{os.path.basename(path)}: written back byte for byte', done.stderr)

    def same(self, path, oracle, name):
        """lines, subs and callers of a file against Devel::NYTProf's"""
        wrong, tables, top = [], self.tables(path), self.top(path)
        lines, mine = {}, {(f, l): (hits, cost / 1e9) for f, l, hits, cost in tables['lines']}
        for file, line, hits, cost in oracle['lines']:
            sums = lines.setdefault((file, line), [0, 0.0])
            sums[0] += hits
            sums[1] += cost
        if set(lines) != set(mine):
            wrong.append(f'lines differ: {sorted(set(lines) ^ set(mine))[:5]}')
        wrong += [f'{key}: {mine[key]} instead of {lines[key]}' for key in set(lines) & set(mine)
                  if mine[key][0] != lines[key][0] or not close(mine[key][1], lines[key][1])]
        # A sub whose name Perl wrote in two encodings is two subs for Perl, one for us.
        subs = {}
        for sub, (calls, own, incl) in oracle['subs'].items():
            sums = subs.setdefault(self.repair(sub, top), [0, 0.0, 0.0])
            for i, value in enumerate((calls, own, incl)):
                sums[i] += value
        wrong += self.outside(path, sum(row[3] for row in oracle['lines']), subs, top)
        if set(subs) - {'main::RUNTIME'} != {sub for sub in top if not sub.endswith('::RUNTIME')}:
            wrong.append(f'subs differ: {sorted(set(subs) ^ set(top))[:5]}')
        wrong += [f'{sub}: {top[sub]} instead of {subs[sub]}' for sub in set(subs) & set(top)
                  if sub != 'main::RUNTIME' and
                  (top[sub][0] != subs[sub][0] or not close(top[sub][1], subs[sub][1]) or
                   not close(top[sub][2], subs[sub][2]))]
        sites, own = {}, {}
        for sub, file, line, calls, incl, excl in oracle['callers']:
            sums = sites.setdefault((self.repair(sub, top), file, line), [0, 0.0, 0.0])
            sums[0], sums[1], sums[2] = sums[0] + calls, sums[1] + incl, sums[2] + excl
        for _, sub, file, line, calls, incl, excl in tables['edges']:
            if file or line:
                sums = own.setdefault((sub, file, line), [0, 0.0, 0.0])
                sums[0], sums[1], sums[2] = sums[0] + calls, sums[1] + incl / 1e9, sums[2] + excl / 1e9
        if set(sites) != set(own):
            wrong.append(f'call sites differ: {sorted(set(sites) ^ set(own))[:5]}')
        wrong += [f'{key}: {own[key]} instead of {sites[key]}' for key in set(sites) & set(own)
                  if own[key][0] != sites[key][0] or not close(own[key][1], sites[key][1]) or
                  not close(own[key][2], sites[key][2])]
        wrong += self.facts(path, oracle, top)
        wrong += [f'timeline {i}: {bad} of {n} events are wrong' for i, (n, bad) in enumerate(tables['timelines']) if bad]
        self.tap.ok(not wrong, f'{name}: as Devel::NYTProf reads it', '\n'.join(wrong[:10]))

    def facts(self, path, oracle, top):
        """Recursion, and from how many places and files subs are called, as Devel::NYTProf counts them."""
        want, mine, sites = {}, {}, {}
        for sub, file, line, *_ in oracle['callers']:
            sites.setdefault(self.repair(sub, top), set()).add((file, line))
        for sub, (depth, spent) in oracle.get('facts', {}).items():
            sub = self.repair(sub, top)
            places = sites.get(sub, set())
            want[sub] = [depth, round(spent * 1e7), len(places), len({file for file, _ in places})]
        for row in json.loads(run(self.polyprof, 'top', '--json', '-n', '0', path).stdout)['functions']:
            if 'recursion_depth' in row:
                mine[row['name']] = [row['recursion_depth'], round(row.get('recursive_total', {}).get('time', 0) / 100),
                                     row.get('places', 0), row.get('files', 0)]
        return [f'{sub}: {mine[sub]} instead of {want[sub]}' for sub in mine if sub in want and mine[sub] != want[sub]]

    def outside(self, path, statements, subs, top):
        """Whether the whole is the time of statements, and what no sub spent is spent outside of subs."""
        answer = json.loads(run(self.polyprof, 'top', '--json', '-n', '0', path).stdout)
        tree = json.loads(run(self.polyprof, 'tree', '--json', '-n', '0', '--min', '0', path).stdout)
        spent = sum(row[1] for name, row in subs.items())
        levels = {name: row for name, row in top.items() if name.endswith('::RUNTIME')}
        whole, rows = answer['total'] / 1e9, sum(row[1] for row in top.values())
        wrong = []
        if not close(whole, max(statements, spent)):
            wrong.append(f'the whole is {whole} instead of {statements} (subs: {spent})')
        if not close(whole, rows):
            wrong.append(f'rows add up to {rows} instead of {whole}')
        if not close(tree['total'] / 1e9, whole):
            wrong.append(f'the tree has {tree["total"] / 1e9} instead of {whole}')
        if statements and not close(sum(row[1] for row in levels.values()), max(0, statements - spent)):
            wrong.append(f'outside of subs: {levels} instead of {statements - spent}')
        if statements and not tree['estimated'] and not close(levels['main::RUNTIME'][2], whole):
            wrong.append(f'main::RUNTIME has {levels["main::RUNTIME"][2]} instead of {whole}')
        return wrong + [f'{name}: {row}' for name, row in levels.items() if row[0] or row[1] < 0]

    @staticmethod
    def repair(name, known):
        """A name that mixes encodings, as Perl::Data shows it, back to what was meant."""
        def segment(s):
            try:
                return s.encode('latin1').decode('utf-8')
            except UnicodeError:
                return s
        if name in known:
            return name
        return '::'.join(segment(s) for s in name.split('::'))

    def loads(self, path, name, prefixed):
        """a file we wrote goes through Perl's tools without complaint and has our sub totals"""
        tap, work = self.tap, tempfile.mkdtemp(dir=self.work)
        ours = {}
        for sub, sums in self.top(path).items():
            prefix = 'main' if sub.startswith('::') else '' if '::' in sub or not prefixed else 'main::'
            ours[prefix + sub] = sums
        theirs, said = self.perl(path)
        wrong = [] if theirs else [said]
        for sub, sums in ours.items() if theirs else ():
            if sub.endswith('::RUNTIME'):
                continue  # Perl's tools do not tell what runs outside of subs
            other = theirs['subs'].get(sub)
            if not other or other[0] != sums[0] or not close(other[1], sums[1]) or not close(other[2], sums[2]):
                wrong.append(f'{sub}: {other} instead of {sums}')
        tap.ok(theirs and not wrong and not said, f'{name}: Perl finds the same sub totals, no complaint',
               '\n'.join(wrong[:5]) + said)
        for tool, command in (('nytprofcsv', ('-f', path, '-o', 'csv')), ('nytprofhtml', ('-f', path, '-o', 'html')),
                              ('nytprofcg', ('-f', path, '-o', 'cg')), ('nytprofcalls', (path,)),
                              ('nytprofmerge', ('-o', 'merged', path))):
            done = run(tool, *command, cwd=work)
            said = '\n'.join(line for line in done.stderr.decode(errors='replace').splitlines()
                             if not line.startswith(('Reading', 'Processing', 'Writing', 'Extracting', 'Generating',
                                                     'Deep recursion',
                                                     'Unable to open \'/')) and '100%' not in line)
            tap.ok(done.returncode == 0 and not said.strip(), f'{name}: {tool} takes it', said)

    # ---- recording ----

    def record(self, options, name, program=os.path.join(HERE, 'program.pl')):
        out = os.path.join(self.work, name + '.out')
        run('perl', '-d:NYTProf', program, cwd=self.work, env=dict(os.environ, NYTPROF=f'file={out}:{options}'))
        return out if os.path.exists(out) else None


def installed():
    return shutil.which('nytprofhtml') and run('perl', '-MDevel::NYTProf::Data', '-MJSON::PP', '-e', '1').returncode == 0


def recorded(check, tap):
    if not installed():
        tap.skip('recording with Perl', 'libdevel-nytprof-perl is not installed')
        return
    files = []
    for name, options in (('plain', 'compress=0'), ('deflated', 'compress=6'), ('entries', 'calls=2'),
                          ('blocks', 'blocks=1'), ('no-calls', 'calls=0'), ('no-statements', 'stmts=0'),
                          ('no-subs', 'subs=0'), ('slowops', 'slowops=1:leave=0')):
        path = check.record(options, name)
        tap.ok(path, f'{name}: recorded')
        if path:
            files.append(path)
            oracle, said = check.perl(path)
            check.same(path, oracle, name)
            check.reencodes(path)
    for program in share(sorted(glob.glob(os.path.join(HERE, 'programs', '*.pl')))):
        for options in ('calls=1:compress=0', 'calls=2:blocks=1'):
            name = f'{os.path.basename(program)} with {options}'
            path = check.record(options, os.path.basename(program), program)
            tap.ok(path, f'{name}: recorded')
            if path:
                check.same(path, check.perl(path)[0], name)
                check.reencodes(path)
    merged = os.path.join(check.work, 'merged.nytprof')
    done = run(check.polyprof, 'convert', *files[:3], '--to', 'nytprof', '-o', merged)
    tap.ok(done.returncode == 0, 'three profiles merged', done.stderr)
    hits = sum(row[2] for path in files[:3] for row in check.tables(path)['lines'])
    tap.ok(sum(row[2] for row in check.perl(merged)[0]['lines']) == hits,
           f'merged: all {hits} statements are counted')
    check.loads(merged, 'merged', False)


def level_rows(check, paths, *options):
    """(name, file) -> [self, total] in ticks of code outside of subs, by rows and by nodes of the tree; and what is wrong."""
    answer = json.loads(run(check.polyprof, 'top', '--json', '-n', '0', *options, *paths).stdout)
    tree = json.loads(run(check.polyprof, 'tree', '--json', '-n', '0', '--min', '0', *options, *paths).stdout)
    rows, nodes, wrong = {}, {}, []

    def walk(node):
        if node['name'].endswith('::RUNTIME'):
            sums = nodes.setdefault((node['name'], node['file']), [0.0, 0.0])
            sums[0], sums[1] = sums[0] + node['self']['time'] / 100, sums[1] + node['total']['time'] / 100
        if node['self']['time'] < -1e-6:
            wrong.append(f'{node["name"]}: {node["self"]}')
        for child in node.get('children', ()):
            walk(child)
    walk(tree['root'])
    for row in answer['functions']:
        if row['name'].endswith('::RUNTIME'):
            rows[row['name'], row['file']] = [row['self']['time'] / 100, row['total']['time'] / 100]
        if row['self']['time'] < 0:
            wrong.append(f'{row["name"]}: {row["self"]}')
    own = sum(row['self']['time'] for row in answer['functions'])
    if abs(own - answer['total']) > 1e-6 * own or abs(tree['total'] - answer['total']) > 1e-6 * own:
        wrong.append(f'rows: {own}, the whole: {answer["total"]}, the tree: {tree["total"]}')
    wrong += [f'{key}: {rows[key]} in rows, {nodes.get(key)} in the tree' for key in rows
              if any(abs(a - b) > 1 for a, b in zip(rows[key], nodes.get(key, [-9, -9])))]
    return rows, wrong


def levels(check, tap):
    """Rows of files that run outside of subs: their lines without what is no Perl, and what they call."""
    if not installed():
        tap.skip('levels of files', 'libdevel-nytprof-perl is not installed')
        return
    program, sums, paths = os.path.join(HERE, 'programs', 'levels.pl'), {}, []
    for options in ('calls=1', 'calls=2', 'calls=0', 'slowops=0', 'slowops=1', 'findcaller=1', 'many'):
        os.environ['LEVEL_CALLS'] = '5000' if options == 'many' else '2'
        path = check.record(options.replace('many', 'calls=1'), 'levels-' + options.replace('=', ''), program)
        oracle = check.perl(path)[0]
        rows, wrong = level_rows(check, [path])
        for name, file, used in (('Slow::RUNTIME', 'slow.pl', 2), ('Inner::RUNTIME', 'inner.pl', 0)):
            # Nothing but "use" is a sub in these files, and main::RUNTIME makes all their calls.
            lines = sum(row[3] for row in oracle['lines'] if file in row[0] and row[1] != used)
            calls = [row for row in oracle['callers'] if file in row[1] and (row[2] != used or 'BEGIN@' in row[0])]
            inner = sum(row[5] for row in calls if 'CORE:' in row[0] or row[0].startswith('utf8::'))
            want = [(lines - inner) * 1e7, (lines - inner + sum(row[4] for row in calls)) * 1e7]
            own = next((row for key, row in rows.items() if key[0] == name and key[1].endswith(file)), None)
            if not own or any(abs(a - b) > 1 for a, b in zip(own, want)):
                wrong.append(f'{name}: {own} instead of {want}')
        if any(key[0] == 'Loaded::RUNTIME' for key in rows):
            wrong.append('a file that a sub loads has a row')
        if 'calls=0' not in options and not any(key[0] == 'Line::RUNTIME' for key in rows):
            wrong.append('a file that shares its line with a sub has no row')
        tap.ok(not wrong, f'levels of files, {options}', '\n'.join(wrong[:10]))
        if options in ('calls=1', 'calls=2'):
            paths.append(path)
            part, wrong = level_rows(check, [path], '--time', '0.001%..99.999%')
            wrong += [f'{key}: {part.get(key)} instead of {row}' for key, row in rows.items()
                      if any(abs(a - b) > max(b / 100, 100) for a, b in zip(part.get(key, [-1e9, -1e9]), row))]
            tap.ok(not wrong, f'levels of files, {options}, almost all of the time', '\n'.join(wrong[:10]))
            for key, row in rows.items():
                old = sums.setdefault(key, [0.0, 0.0])
                old[0], old[1] = old[0] + row[0], old[1] + row[1]
    run('nytprofmerge', '-o', os.path.join(check.work, 'levels-merged.out'), *paths)
    run(check.polyprof, 'convert', *paths, '--to', 'nytprof', '-o', os.path.join(check.work, 'levels-written.out'))
    for merged in ('merged', 'written'):
        rows, wrong = level_rows(check, [os.path.join(check.work, f'levels-{merged}.out')])
        wrong += [f'{key}: {rows.get(key)} instead of {row}' for key, row in sums.items()
                  if key[0] in ('Slow::RUNTIME', 'Inner::RUNTIME') and
                  any(abs(a - b) > 1 for a, b in zip(rows.get(key, [-1e9, -1e9]), row))]
        tap.ok(not wrong, f'levels of files, {merged}', '\n'.join(wrong[:10]))


def converted(check, tap, samples):
    if not installed():
        tap.skip('writing for Perl', 'libdevel-nytprof-perl is not installed')
        return
    for fmt, sample in (('folded', 'basic.folded'), ('pynytprof', 'typical.out'), ('nytprof', 'version-3.0.out'),
                        ('spx', None), ('callgrind', None), ('xdebug', None)):
        found = sorted(path for path in glob.glob(os.path.join(samples, fmt, 'good', sample or '*'))
                       if not path.endswith(('.txt', '.gz', '.zst')))
        out = os.path.join(check.work, fmt + '.nytprof')
        if not found:
            tap.skip(f'from {fmt}', 'no sample')
            continue
        done = run(check.polyprof, 'convert', found[0], '--to', 'nytprof', '-o', out)
        tap.ok(done.returncode == 0, f'from {fmt}: {os.path.basename(found[0])} is written', done.stderr)
        check.loads(out, f'from {fmt}', True)


def chunks(path, subs, edges, end=True):
    """A Pynytprof stream of edges: caller, callee, calls, ticks, sub ticks."""
    def chunk(letter, payload):
        return letter + struct.pack('<I', len(payload)) + payload
    with open(path, 'wb') as file:
        file.write(b'NYTProf 5 0\n# Generated by Pynytprof\n:basetime=1752400000\n:application=-e\n'
                   b':ticks_per_sec=10000000\n\n' + chunk(b'P', struct.pack('<QII', 1752400000123456, 7, 1)) +
                   chunk(b'S', b'') +
                   chunk(b'D', b''.join(struct.pack('<II', i, 0) + sub.encode() + b'\0' for i, sub in enumerate(subs))) +
                   chunk(b'C', b''.join(struct.pack('<IIIQQ', *edge) for edge in edges)) + (chunk(b'E', b'') if end else b''))
    return path


def own_times(check, tap):
    """Pynytprof's two times of an edge are both inclusive unless they differ; self and total in us."""
    for name, subs, edges, want in (
            ('a chain', 'main a b c', [(0, 1, 1, 100, 100), (1, 2, 1, 90, 90), (2, 3, 1, 80, 80)],
             {'main': [0, 0], 'a': [1, 10], 'b': [1, 9], 'c': [8, 8]}),
            ('a chain that states own times', 'main a b c', [(0, 1, 1, 100, 10), (1, 2, 1, 90, 10), (2, 3, 1, 80, 80)],
             {'main': [0, 0], 'a': [1, 10], 'b': [1, 9], 'c': [8, 8]}),
            ('recursion', 'main f g', [(0, 1, 1, 100, 100), (1, 1, 2, 170, 170), (1, 2, 3, 30, 30)],
             {'main': [0, 0], 'f': [7, 10], 'g': [3, 3]}),
            ('mutual recursion', 'main a b', [(0, 1, 1, 100, 100), (1, 2, 2, 170, 170), (2, 1, 1, 90, 90)],
             {'main': [0, 0], 'a': [2, 2], 'b': [8, 8]}),
            ('a cycle that nobody calls', 'main a b c', [(1, 2, 2, 170, 170), (2, 1, 1, 90, 90), (1, 3, 1, 40, 40)],
             {'a': [0, 4], 'b': [8, 8], 'c': [4, 4]})):
        path = chunks(os.path.join(check.work, 'own.out'), subs.split(), edges)
        tap.same({sub: [round(v * 1e6, 6) for v in sums[1:]] for sub, sums in check.top(path).items()}, want,
                 f'pynytprof, {name}')


def nothing_made_up(check, tap, samples):
    """What we write has no calls that nobody counted, outermost times, call sites, and what is incomplete stays so."""
    work = check.work
    for source in sorted(glob.glob(os.path.join(samples, 'cachegrind', 'good', '*'))):
        for target in ('nytprof', 'pynytprof'):
            out = os.path.join(work, 'made.' + target)
            done = run(check.polyprof, 'convert', source, '--to', target, '-o', out)
            called = [sub for sub, sums in check.top(out).items() if sums[0]] if done.returncode == 0 else []
            tap.ok(not called, f'{os.path.basename(source)} to {target}: no calls', called[:5])
    levels = [f"main;{';'.join('ab'[i % 2] for i in range(n))} 7" for n in range(1, 60)]
    with open(os.path.join(work, 'mutual.folded'), 'w') as file:
        print('\n'.join(levels), file=file)
    for target in ('nytprof', 'pynytprof'):
        out = os.path.join(work, 'mutual.' + target)
        run(check.polyprof, 'convert', file.name, '--to', target, '-o', out)
        totals = {sub.replace('main::', ''): round(sums[2] * 1e7) for sub, sums in check.top(out).items()}
        tap.same([totals['a'], totals['b']], [59 * 7, 58 * 7], f'mutual recursion to {target}: outermost times')
    with open(os.path.join(work, 'clash.folded'), 'w') as file:
        print('f 1\n::f 2\nmain::f 4\nf_ 8\nmain::f_ 16\n::f_ 32', file=file)
    out = os.path.join(work, 'clash.nytprof')
    run(check.polyprof, 'convert', file.name, '--to', 'nytprof', '-o', out)
    tap.same(sorted(round(sums[1] * 1e7) for sub, sums in check.top(out).items() if sub != 'main::RUNTIME'), [1, 2, 4, 8, 16, 32],
             'names that become one with a package stay apart')
    if installed():
        tap.same(check.perl(out)[1], '', 'and Perl finds none of them twice')
    out = os.path.join(work, 'sites.nytprof')
    done = run(check.polyprof, 'convert', os.path.join(samples, 'spx/good/05-closures-builtins.json'), '--to', 'nytprof',
               '-o', out)
    answer = json.loads(run(check.polyprof, 'callers', '--json', 'main::strlen', out).stdout)
    tap.ok([edge['site']['line'] for edge in answer['edges']] == [5] and b'stack-sites' not in done.stderr,
           'SPX 0.5 to nytprof keeps call sites', [answer, done.stderr])


def oracles(check, tap, corpus):
    if not corpus or not os.path.isdir(os.path.join(corpus, 'oracle')):
        tap.skip('oracles', 'the corpus is not here')
        return
    for path in share(sorted(glob.glob(os.path.join(corpus, 'perl', '*.out*')) + glob.glob(os.path.join(corpus, 'golden', '*.out')))):
        name = os.path.basename(path)
        oracle = next((file for file in (os.path.join(corpus, 'oracle', stem + '.json') for stem in (name, name[:-4]))
                       if os.path.exists(file)), None)
        if not oracle:
            continue
        with open(oracle) as file:
            raw = json.load(file)
        stream, raw = raw['stream'], raw['raw']
        files = {fid: row['name'] for fid, row in raw['files'].items()}
        lines = [[files[fid], int(line), hits, float(cost)] for fid, rows in raw.get('line_time', {}).items()
                 for line, (cost, hits) in rows.items()]
        flat = {'lines': lines, 'subs': {sub: [row['calls'], float(row['excl']), float(row['incl'])]
                                         for sub, row in raw['subs'].items()},
                'callers': [[sub, files[place.split(':')[0]], int(place.split(':')[1]), c['calls'], float(c['incl']),
                             float(c['excl'])] for sub, row in raw['subs'].items()
                            for place, c in (row.get('callers') or {}).items()]}
        check.records(path, stream['sha1'])
        if 'merged' not in name:  # nytprofmerge loses statement counts, and Devel::NYTProf with it
            check.same(path, flat, name)


def main():
    polyprof, dump, samples = sys.argv[1:4]
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        check = Nytprof(polyprof, dump, tap, work)
        with open(os.path.join(HERE, 'records.json')) as file:
            for name, sha1 in json.load(file).items():
                check.records(os.path.join(samples, 'nytprof', 'good', name), sha1)
        for path in sorted(glob.glob(os.path.join(samples, 'nytprof', 'good', '*.out'))):
            if 'version-' not in path and 'long-varints' not in path:
                check.reencodes(path)
        recorded(check, tap)
        levels(check, tap)
        converted(check, tap, samples)
        own_times(check, tap)
        nothing_made_up(check, tap, samples)
        oracles(check, tap, sys.argv[4] if len(sys.argv) > 4 else None)
    print(f'1..{tap.run}')
    return 1 if tap.failed else 0


sys.exit(main())
