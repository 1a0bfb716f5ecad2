#!/usr/bin/env python3
"""polyprof record: record.py POLYPROF RECORDING

With profilers that are scripts of ours, which do as they are told, and with the real ones where they are installed; those that
are not are skipped. RECORDING is a perf.data for ours to hand out. Speaks TAP.
"""
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import Tap  # noqa: E402 (needs the path above)

PERF = """#!/bin/sh
[ "$2" = -q ] && [ "$4" = cpu-clock ] && exit ${PROBE:-0}
while [ "$1" != -o ]; do shift; done
out=$2
while [ "$1" != -- ]; do shift; done
shift
"$@"
code=$?
[ -z "$NOTHING" ] && cp "$RECORDING" "$out"
exit $code
"""
VALGRIND = """#!/bin/sh
echo "callgrind ran $*" >&2
exit 0
"""
REAL = {
    'perf': (['sh', '-c', 'i=0; while [ $i -lt 3000 ]; do i=$((i+1)); done; exit 3'], 3, 'perf.data', '--from=perf'),
    'callgrind': (['true'], 0, 'callgrind.out', '--from=callgrind'),
    'nytprof': (['perl', 'x.pl'], 3, 'nytprof.out', '--from=nytprof'),
    'xdebug': (['php', 'x.php'], 0, 'cachegrind.out', '--from=xdebug'),
    'heaptrack': (['ls'], 0, 'heaptrack.zst', '--from=heaptrack'),
    'spx': (['php', 'x.php'], 0, 'spx-full.json', '--from=spx'),
}


class Bench:
    def __init__(self, polyprof, recording, work):
        self.polyprof, self.work = os.path.abspath(polyprof), work
        self.bin = os.path.join(work, 'bin')
        os.mkdir(self.bin)
        self.env = dict(os.environ, RECORDING=os.path.abspath(recording), PATH=self.bin + ':' + os.environ['PATH'])

    def program(self, name, text):
        path = os.path.join(self.bin, name)
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text)
        os.chmod(path, 0o755)

    def run(self, *words, text=None, **env):
        return subprocess.run([self.polyprof, 'record', *words], capture_output=True, timeout=120, cwd=self.work, input=text,
                              env=dict(self.env, **env))

    def rest(self):
        return [name for name in os.listdir(self.work) if name.startswith('.polyprof')]


def stubs(tap, bench):
    bench.program('perf', PERF)
    bench.program('valgrind', VALGRIND)
    done = bench.run('--', 'sh', '-c', 'cat; echo err >&2; exit 7', text=b'in')
    tap.ok(done.returncode == 7 and done.stdout == b'in', 'the command has its streams and its exit code')
    tap.ok(b'err' in done.stderr and b'samples' in done.stderr and b'perf recorded perf.data' in done.stderr, 'the summary is on standard error')
    tap.ok(os.path.exists(bench.work + '/perf.data') and not bench.rest(), 'the recording is there, and nothing else')
    bench.run('-q', '--', 'true')
    tap.ok(os.path.exists(bench.work + '/perf.data.old'), 'the one before is kept')
    done = bench.run('-o', 'x.data', '--', 'true', NOTHING='1')
    tap.ok(done.returncode == 4 and b'recorded nothing' in done.stderr and not os.path.exists(bench.work + '/x.data') and not bench.rest(),
           'nothing recorded: no file')
    done = bench.run('-o', 'none/x.data', '--', 'true')
    tap.ok(done.returncode == 4 and b'cannot be written' in done.stderr, 'no directory to write to')
    done = bench.run('--', 'sh', '-c', 'kill -TERM $$')
    tap.ok(done.returncode in (128 + 15, 143), 'a signal is 128 and its number')
    done = bench.run('--', 'true', PROBE='1')
    tap.ok(b'callgrind ran' in done.stderr, 'where perf may not record, callgrind does')
    done = bench.run('--with', 'perf', '--', 'true', PROBE='1')
    tap.ok(done.returncode == 4 and b'perf_event_paranoid' in done.stderr, 'or it is said why')
    done = bench.run('--', 'no-such-command')
    tap.ok(done.returncode == 127 and b'cannot run no-such-command' in done.stderr, 'no such command')
    done = bench.run('--with', 'nytprof', '--', 'true')
    tap.ok(done.returncode == 2 and b'Perl scripts' in done.stderr, 'a profiler that does not fit')
    tap.ok(bench.run('-o', '-', '--', 'true').returncode == 2 and bench.run().returncode == 2, 'wrong use')
    bench.program('python3', '#!/bin/sh\n[ "$1" = -c ] && exit ${OLD:-0}\necho "$PYTHONPERFSUPPORT $*"\n')
    with open(os.path.join(bench.work, 'x.py'), 'w', encoding='utf-8') as out:
        out.write('print(1)')
    done = bench.run('--', 'x.py', 'a')
    tap.ok(done.stdout == b'1 x.py a\n' and b'does not tell' not in done.stderr, 'Python tells perf its functions', done)
    done = bench.run('--', 'python3', 'x.py', OLD='1')
    tap.ok(b'this Python does not tell perf its functions' in done.stderr and done.returncode == 0, 'or it is said that it does not', done)
    os.remove(os.path.join(bench.bin, 'python3'))
    only = os.path.join(bench.work, 'only')
    os.mkdir(only)
    os.symlink(shutil.which('true'), only + '/true')
    done = bench.run('--with', 'perf', '--', 'true', PATH=only)
    tap.ok(done.returncode == 4 and b'linux-perf' in done.stderr, 'what to install')


def halves(tap, bench):
    """What breaks off is no recording: nothing appears, and what was there stays."""
    whole = bench.work + '/whole.data'
    shutil.copy(bench.env['RECORDING'], whole)
    with open(whole, 'rb') as got:
        raw = got.read()
    size = len(raw)
    unfinished = raw[:48] + bytes(8) + raw[56:]
    for name, content in (('cut', raw[:size * 2 // 3]), ('within its header', raw[:50]), ('not finished', unfinished), ('something else', b'x' * 99)):
        with open(bench.work + '/half.data', 'wb') as out:
            out.write(content)
        done = bench.run('-o', 'kept.data', '--', 'true')
        before = os.stat(bench.work + '/kept.data').st_ino
        done = bench.run('-o', 'kept.data', '--', 'true', RECORDING=bench.work + '/half.data')
        tap.ok(done.returncode == 4 and b'half a file' in done.stderr and os.stat(bench.work + '/kept.data').st_ino == before and not bench.rest(),
               f'a recording that is {name}: what was there stays', done)
        done = bench.run('-o', 'new.data', '--', 'sh', '-c', 'exit 5', RECORDING=bench.work + '/half.data')
        tap.ok(done.returncode == 5 and not os.path.exists(bench.work + '/new.data'), f'a recording that is {name}: nothing appears', done)
    done = bench.run('-o', 'bin', '--', 'echo', 'ran')
    tap.ok(done.returncode == 4 and b'Is a directory' in done.stderr and not done.stdout, 'a directory is no output, which is said before', done)


def killed(tap, bench):
    """Perl under its real profiler, ended by signals: whole, or nothing."""
    if subprocess.run(['perl', '-e', 'require Devel::NYTProf::Core'], capture_output=True, check=False).returncode:
        tap.skip('Perl that is killed', 'Devel::NYTProf is missing')
        return
    with open(os.path.join(bench.work, 'k.pl'), 'w', encoding='utf-8') as out:
        out.write('sub f { my $x = 0; $x += $_ for 1..500; $x } f() for 1..300; $| = 1; print "$$\n"; f() while 1;')
    for number, there in ((signal.SIGTERM, True), (signal.SIGKILL, False)):
        with subprocess.Popen([bench.polyprof, 'record', '-q', '-o', 'k.out', '--', 'perl', 'k.pl'], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, cwd=bench.work, env=bench.env) as child:
            os.kill(int(child.stdout.readline()), number)
            child.wait(timeout=60)
        path = bench.work + '/k.out'
        tap.ok(os.path.exists(path) == there and not bench.rest() and child.returncode != 0, f'Perl and signal {int(number)}', child.returncode)
        if there:
            done = subprocess.run([bench.polyprof, 'check', path], capture_output=True, timeout=60)
            tap.ok(b'accept' in done.stdout, 'what it leaves is whole', done)
            os.remove(path)


def signals(tap, bench):
    """What is sent to polyprof is sent on."""
    bench.program('perf', PERF.replace('"$@"\ncode=$?\n[ -z "$NOTHING" ] && cp "$RECORDING" "$out"', 'cp "$RECORDING" "$out"; exec "$@"'))
    with subprocess.Popen([bench.polyprof, 'record', '-q', '-o', 's.data', '--', 'sh', '-c', 'trap "exit 9" TERM; echo up; while :; do sleep 0.05; done'],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=bench.work, env=bench.env) as child:
        child.stdout.readline()
        child.send_signal(signal.SIGTERM)
        try:
            child.wait(timeout=20)
        except subprocess.TimeoutExpired:
            child.kill()
    tap.same((child.returncode, os.path.exists(bench.work + '/s.data'), bench.rest()), (9, True, []), 'signals reach the command')


def real(tap, bench, polyprof):
    for name in ('perf', 'valgrind'):
        os.remove(os.path.join(bench.bin, name))
    for name, text in (('x.pl', 'sub f { 1 } f() for 1..100; exit 3;'), ('x.php', '<?php function f() { return 1; } for ($i = 0; $i < 9; $i++) f();')):
        with open(os.path.join(bench.work, name), 'w', encoding='utf-8') as out:
            out.write(text)
    for name, (command, code, output, flag) in REAL.items():
        if not shutil.which(command[0]):
            tap.skip(f'recording with {name}', f'{command[0]} is missing')
            continue
        done = bench.run('--with', name, '--', *command)
        if done.returncode == 4 and (b'is not installed' in done.stderr or b'does not let' in done.stderr):
            tap.skip(f'recording with {name}', 'it is missing, or may not record')
            continue
        path = os.path.join(bench.work, output)
        info = subprocess.run([polyprof, 'info', '-q', flag, path], capture_output=True, timeout=60)
        tap.ok(done.returncode == code and info.returncode == 0 and not bench.rest(), f'recording with {name}', (done, info))


def main():
    polyprof, recording = os.path.abspath(sys.argv[1]), sys.argv[2]
    tap = Tap()
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(polyprof, recording, work)
        stubs(tap, bench)
        halves(tap, bench)
        signals(tap, bench)
        killed(tap, bench)
        real(tap, bench, polyprof)
    return tap.done()


sys.exit(main())
