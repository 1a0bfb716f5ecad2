#!/usr/bin/env python3
"""What goes wrong outside: faults.py POLYPROF SHIM SAMPLES

Full disks, errors of close(), signals, files that change, limits of memory and output, profiles that lack what is asked. Speaks TAP.
"""
import errno
import glob
import gzip
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile

polyprof, shim, samples = (os.path.abspath(path) for path in sys.argv[1:4])
# A build without the viewer says so, and writes no report.
REPORTS = b'without its viewer' not in subprocess.run([polyprof, 'report', '-o', os.devnull, os.devnull], capture_output=True).stderr
number = failed = 0
EXIT_INPUT, EXIT_OUTPUT = 3, 4


def ok(passed, what, detail=''):
    global number, failed
    number += 1
    failed += not passed
    print(f"{'ok' if passed else 'not ok'} {number} - {what}" + ('' if passed else f'\n# {detail!r}'[:500]), flush=True)


def run(*words, shimmed=None, limits=(), **more):
    environment = dict(os.environ)
    if shimmed is not None:
        environment.update(LD_PRELOAD=shim, SHIM=','.join(shimmed))

    def prepare():
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        for what, most in limits:
            resource.setrlimit(what, (most, most))
    return subprocess.run([polyprof, *words], capture_output=True, stdin=subprocess.DEVNULL, env=environment, preexec_fn=prepare,
                          timeout=300, **more)


def content(path):
    with open(path, 'rb') as file:
        return file.read()


def log_of(path):
    calls = content(path).decode().split() if os.path.exists(path) else []
    if calls:
        os.unlink(path)
    return calls


def whole_or_nothing():
    """A failing call leaves the old file as it was, nothing beside it, and exit 4; a signal the same."""
    for name, count in (('in.folded', 60000), ('small.folded', 6000)):
        with open(name, 'w') as file:
            file.writelines(f'main;function_number_{i} {i + 1}\n' for i in range(count))
    new = {'out.spaa': run('convert', 'small.folded', '--to', 'spaa', '-o', '-').stdout}
    for shimmed in (['log=calls'], ['log=calls', 'no-tmpfile']):
        for old in (b'the old file', None):
            for option in ([], ['--no-fsync']):
                def prepare():
                    for name in os.listdir('to'):
                        os.unlink(f'to/{name}')
                    if old is not None:
                        with open('to/out.spaa', 'wb') as file:
                            file.write(old)

                def convert(*words):
                    prepare()
                    return run('convert', 'small.folded', '-o', 'to/out.spaa', *option, shimmed=[*shimmed, *words])

                done = convert()
                calls = log_of('calls')
                what = f"{'with' if old else 'without'} an old file, {' '.join([*shimmed[1:], *option]) or 'as usual'}"
                ok(done.returncode == 0 and content('to/out.spaa') == new['out.spaa'] and ('fsync' in calls) == (not option) and
                   calls.count('write') > 2, f'{what}: written, and synced only if that is wanted', (calls, done.stderr))
                for call in sorted(set(calls) & {'write', 'fsync', 'close', 'rename', 'linkat'}):
                    # The second fsync is that of the directory, the second close the end of all.
                    for n in range(1, 2 if call in ('fsync', 'close') else calls.count(call) + 1):
                        done = convert(f'fail={call}:{n}:{errno.EDQUOT if call == "close" else errno.ENOSPC}')
                        log_of('calls')
                        left = {name: content(f'to/{name}') for name in os.listdir('to')}
                        ok(done.returncode == EXIT_OUTPUT and left == ({'out.spaa': old} if old else {}) and
                           b'io-write-failed' in done.stderr, f'{what}: {call} {n} fails', (done.returncode, done.stderr, list(left)))
                for call in ['open', *sorted(set(calls) & {'write', 'fsync', 'rename', 'linkat'})]:
                    done = convert(f'stop={call}:1')
                    log_of('calls')
                    left = {name: content(f'to/{name}') for name in os.listdir('to')}
                    ok(done.returncode == -signal.SIGINT and left in ({'out.spaa': old} if old else {}, new),
                       f'{what}: Ctrl-C behind {call}', (done.returncode, list(left)))


def two_files():
    """SPX is two files: both or none."""
    for call in ('write', 'close', 'fsync', 'linkat', 'rename'):
        for name in os.listdir('to'):
            os.unlink(f'to/{name}')
        done = run('convert', 'in.folded', '--to', 'spx', '-o', 'to/x.json', shimmed=['no-tmpfile', f'fail={call}:1:{errno.ENOSPC}'])
        ok((done.returncode, os.listdir('to')) == (EXIT_OUTPUT, []) or call == 'linkat', f'two files: {call} fails',
           (done.returncode, done.stderr, os.listdir('to')))
    for call in ('open', 'write'):
        for n in (1, 2):
            done = run('convert', 'in.folded', '--to', 'spx', '-o', 'to/x.json', shimmed=['no-tmpfile', f'stop={call}:{n}'])
            ok((done.returncode, os.listdir('to')) == (-signal.SIGINT, []), f'two files: Ctrl-C behind {call} {n}', os.listdir('to'))


def full():
    """Files that may not grow, devices that are full, descriptors that others hold."""
    for words in (['convert', 'in.folded', '--to', 'spaa'], ['top', '--json', 'in.folded'], ['flame', 'in.folded'], ['report', 'in.folded']):
        if words[0] == 'report' and not REPORTS:
            continue
        done = run(*words, '-o', '/dev/full')
        ok(done.returncode == EXIT_OUTPUT and b'No space' in done.stderr, f'{words[0]}: the device is full', done.stderr)
        done = run(*words, '-o', 'to/limited', limits=[(resource.RLIMIT_FSIZE, 4096)])
        ok(done.returncode == EXIT_OUTPUT and b'File too large' in done.stderr and not os.listdir('to'),
           f'{words[0]}: a file that may not grow', (done.returncode, done.stderr, os.listdir('to')))
    with open('log', 'w') as file:
        file.write('before\n')
    for name in ('/dev/stdout', '/dev/fd/1', '/proc/self/fd/1', '-'):
        with open('log', 'a') as file:
            subprocess.run([polyprof, 'convert', '--to', 'folded', f'{samples}/folded/good/webshop.folded', '-o', name], stdout=file,
                           check=True)
    text = content('log')
    ok(text.startswith(b'before\n') and text.count(b'\n') % 4 == 1 and len(text) > 100, 'appending to a descriptor keeps what is there')


def lacking():
    """A profile that knows lines only has no tree: exit 3, never a picture of nothing."""
    seen = 0
    for path in sorted(glob.glob(f'{samples}/*/good/*')):
        done = run('info', '--json', path) if os.path.isfile(path) else None
        try:
            info = json.loads(done.stdout) if done else {}
        except ValueError:
            continue
        if info.get('facets') != ['lines'] or not any(metric['total'] for metric in info['metrics']):
            continue
        seen += 1
        for words in (['tree'], ['tree', '--json'], ['flame'], ['flame', '--reverse'], ['flame', '--merge', path], ['flame', path],
                      ['diff', '--tree', path]):
            done = run(*words, path, '-o', 'to/x')
            ok(done.returncode == EXIT_INPUT and not os.listdir('to'), f'{os.path.basename(path)} knows lines only: {" ".join(words[:2])}'[:90],
               (done.returncode, done.stdout, done.stderr))
    ok(seen > 2, f'{seen} profiles know lines only')


def memory():
    """One limit for reading, asking and writing, whatever the command."""
    for words in (['in.folded'], ['top'], ['tree', '--json'], ['info'], ['check'], ['callers', 'main'], ['diff', 'in.folded'],
                  ['flame', '-o', 'to/x'], ['report', '-o', 'to/x'], ['merge', 'in.folded', '--to', 'folded'], ['convert', '--to', 'nytprof']):
        if words[0] == 'report' and not REPORTS:
            continue
        reached = set()
        for size in ('1', '300K', '2M', '8M', '16M', '24M', '64M', '1G'):
            done = run(*words, *([] if words == ['in.folded'] else ['in.folded']), '-j2', '--max-memory', size)
            reached.add(done.returncode)
            told = b'--max-memory' in done.stderr and b'of memory' in done.stderr
            if (done.returncode, told) not in ((0, False), (EXIT_INPUT, True), (EXIT_OUTPUT, True)):
                ok(False, f"{' '.join(words)}: --max-memory {size}", (done.returncode, done.stderr))
        ok(0 in reached and EXIT_INPUT in reached, f"{' '.join(words)} within a limit of memory: fine, or told and exit 3", reached)
    # A dense table: events by functions, all of which cost something.
    with open('callgrind.out.dense', 'w') as file:
        file.write('# callgrind format\nevents: ' + ' '.join(f'E{i}' for i in range(500)) + '\nfl=a\n')
        file.writelines(f'fn=f{i}\n1{" 1" * 500}\n' for i in range(3000))
    done = run('convert', 'callgrind.out.dense', '--to', 'spaa', '-o', 'to/x', '--max-memory', '10M', limits=[(resource.RLIMIT_DATA, 200 << 20)])
    ok(done.returncode == EXIT_INPUT and b'--max-memory' in done.stderr, 'what is dense is on the account too', (done.returncode, done.stderr))
    # A sparse one, of calls too: stacks are estimated of what is there.
    with open('callgrind.out.sparse', 'w') as file:
        file.write('# callgrind format\nevents: ' + ' '.join(f'E{i}' for i in range(500)) + '\nfl=a\n')
        file.writelines(f'fn=f{i}\n1{" 0" * (i % 500)} 7\nfn=main\ncfn=f{i}\ncalls=1 1\n1{" 0" * (i % 500)} 7\n' for i in range(3000))
    for words in (['tree'], ['flame', '-o', 'to/x.svg'], ['convert', '--to', 'folded', '-o', 'to/x.folded'], ['top', '--by', 'file']):
        done = run(*words, 'callgrind.out.sparse', '--max-memory', '16M')
        ok(done.returncode == 0, f"500 events that few functions have: {' '.join(words)} in 16 MB", (done.returncode, done.stderr))


def allocations():
    """Without memory an answer is an error or the same: never a part of it."""
    for name, counts in (('a.folded', (1, 2)), ('b.folded', (3, 9))):
        with open(name, 'w') as file:
            file.write(f'main;f {counts[0]}\nmain;g {counts[1]}\n')
    for words in (['diff', '--json', 'a.folded', 'b.folded'], ['diff', 'a.folded', 'b.folded'], ['top', '--json', 'a.folded'],
                  ['gate', '--json', 'a.folded', 'b.folded', '--fail-if', 'total > +900%'], ['tree', 'a.folded'],
                  ['callers', '--json', 'f', 'a.folded']):
        whole = run(*words, '-j1', shimmed=['allocs=count'])
        count, wrong = int(content('count')), []
        for n in range(1, count + 1):
            done = run(*words, '-j1', shimmed=[f'alloc={n}'])
            if done.returncode == 0 and (done.stdout, done.stderr) != (whole.stdout, whole.stderr) or done.returncode not in (0, 2, 3, 4):
                wrong.append((n, done.returncode, done.stdout[-200:], done.stderr))
        ok(whole.returncode == 0 and count > 50 and not wrong, f"{' '.join(words)}: each of {count} allocations fails", wrong[:2])


def output():
    """Few bytes of input do not fill a disk: pictures are cut and say so, conversions are refused with a hint."""
    for name in os.listdir('to'):
        os.unlink(f'to/{name}')
    with gzip.open('deep.folded.gz', 'wb') as file:
        file.write(b'a;' * 400000 + b'a 7\n')
    with open('open.folded', 'w') as file:
        file.writelines(';'.join(f'f{k}' for k in range(i + 1)) + ' 1\n' for i in range(3000))
    with open('deep.txt', 'w') as file:
        file.write('[events]\n' + ''.join(f'{i % 3} 1 {i}\n' for i in range(3000)) +
                   ''.join(f'{i % 3} 0 {6000 - i}\n' for i in reversed(range(3000))) + '[functions]\na\nb\nc\n')
    for words, whole, most in ((['deep.folded.gz'], 7, 40 << 20), (['--reverse', '--min-width', '0.1', 'open.folded'], 3000, 40 << 20),
                               (['--reverse', '--min-width', '0.1', 'open.folded', 'open.folded'], 3000, 40 << 20), (['open.folded'], 3000, 2 << 20),
                               (['--reverse', '--min-width', '0.1', 'open.folded', '--max-output', '2M'], 3000, 2 << 20),
                               (['--flamechart', 'deep.txt', '--max-output', '300K'], None, 300 << 10)):
        done = run('flame', *words, '-o', 'to/x.svg')
        size = os.path.getsize('to/x.svg') if done.returncode == 0 else 0
        text = content('to/x.svg').decode() if size else ''
        told = b'--max-output' in done.stderr
        ok(0 < size <= most and told == (words != ['open.folded']) and (not whole or f'({whole:,}' in text) and
           (not told or not whole or ' more) (' in text), f"flame {' '.join(words)}: {size >> 10} KiB, and what was cut is told", (size, done.stderr))
        if size:
            os.unlink('to/x.svg')
    done = run('flame', '--reverse', '--min-width', '0.1', 'open.folded', '--max-output', '100K', '-o', 'to/x.svg')
    ok(done.returncode == EXIT_OUTPUT and b'--max-output' in done.stderr and not os.listdir('to'), 'flame: no room for one level', done.stderr)
    with open('cachegrind.out.deep', 'w') as file:
        file.write('version: 1\ncreator: xdebug 3.2.0\ncmd: a\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\n')
        file.writelines(f'fl=a\nfn=f{i}\n1 5 0\n' + (f'cfl=a\ncfn=f{i - 1}\ncalls=1 0 0\n1 5 0\n\n' if i else '\n') for i in range(3000))
    for target in ('dtrace', 'otlp', 'perf-script', 'speedscope'):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = run('convert', 'cachegrind.out.deep', '--to', target, '-o', 'to/x', '--max-output', '200K')
        spent = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        ok(done.returncode == EXIT_OUTPUT and not os.listdir('to') and spent < 1.5, f'{target}: ends soon where there is no room', (done.returncode, spent))
    for target in ('spaa', 'folded'):
        done = run('convert', 'cachegrind.out.deep', '--to', target, '-o', 'to/x', '--max-output', '4M')
        ok(done.returncode == EXIT_OUTPUT and b'--max-output' in done.stderr and not os.listdir('to'), f'{target}: too much is refused with a hint',
           (done.returncode, done.stderr))
        done = run('convert', 'cachegrind.out.deep', '--to', target, '--max-output', '4M')
        ok(done.returncode == EXIT_OUTPUT and len(done.stdout) <= 4 << 20, f'{target}: on standard output, too', len(done.stdout))
        done = run('convert', 'cachegrind.out.deep', '--to', target, '-o', 'to/x', '--max-output', '0')
        ok(done.returncode == 0 and os.path.getsize('to/x') > 4 << 20, f'{target}: unless all of it is wanted', done.stderr)
        os.unlink('to/x')


def main():
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        os.mkdir('to')
        whole_or_nothing()
        two_files()
        full()
        lacking()
        memory()
        output()
        allocations()
    print(f'1..{number}')
    return 1 if failed else 0


sys.exit(main())
