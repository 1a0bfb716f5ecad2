#!/usr/bin/env python3
"""Stack dumps by thread, state and lock: dumps.py POLYPROF SAMPLES. Speaks TAP.

Threads that are blocked or wait are kept, with their state and their lock as labels; only threads of the JVM itself that wait for work are left out of
answers, and shown with --all-frames. A recording is checked against its lines, counted here in another way; a fresh one as well where there is a JDK.
"""
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
from tap import Tap  # noqa: E402 (needs the path above)

polyprof, samples = sys.argv[1:3]
tap = Tap()
folder = tempfile.TemporaryDirectory()

STUCK = '''Full thread dump OpenJDK 64-Bit Server VM (17 mixed mode):

"stuck" #13 prio=5 os_prio=0 cpu=1ms elapsed=2s tid=0x2 nid=0x2 waiting for monitor entry  [0x2]
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat B.take(B.java:7)
\t- waiting to lock <0x1> (a java.lang.Object)
\tat B.run(B.java:2)

'''
TO_FILE = '''4711
2026-11-19T22:47:24Z
21.0.1+12

#1 "main"
      java.base/java.lang.Thread.sleep0(Native Method)
      java.base/java.lang.Thread.sleep(Thread.java:509)
      app//shop.Main.main(Main.java:23)

#9 "Finalizer"
      java.base/java.lang.Object.wait0(Native Method)
      java.base/java.lang.ref.ReferenceQueue.remove(ReferenceQueue.java:155)
      java.base/java.lang.ref.Finalizer$FinalizerThread.run(Finalizer.java:173)

#29 "" virtual
      java.base/java.lang.VirtualThread.park(VirtualThread.java:582)
      app//shop.Cart.price(Cart.java:7)

'''
GO = '''goroutine 1 [running]:
main.work(0x1)
\t/src/main.go:12 +0x1d

goroutine 7 [chan receive, 5 minutes]:
main.wait(0x1)
\t/src/main.go:20 +0x1d

goroutine 8 [chan receive, locked to thread]:
main.wait(0x1)
\t/src/main.go:20 +0x1d
'''
PROGRAM = '''public class W {
  static final Object lock = new Object(), condition = new Object();
  static void hold() { synchronized (lock) { while (true) Thread.onSpinWait(); } }
  static void take() { synchronized (lock) { } }
  static void await() { synchronized (condition) { try { condition.wait(); } catch (Exception e) { } } }
  static void start(String name, Runnable r) { Thread t = new Thread(r, name); t.setDaemon(true); t.start(); }
  public static void main(String[] a) throws Exception {
    start("holder", W::hold);
    Thread.sleep(300);
    start("stuck-1", W::take); start("stuck-2", W::take); start("waiter", W::await);
    Thread.sleep(300);
    System.out.println("ready");
    System.out.flush();
    Thread.sleep(60000);
  }
}
'''
DEADLOCK = STUCK + '''Found one Java-level deadlock:
=============================
"stuck":
  waiting to lock monitor 0x3 (object 0x1, a java.lang.Object),
  which is held by "other"

Java stack information for the threads listed above:
===================================================
"stuck":
\tat B.take(B.java:7)
\t- waiting to lock <0x1> (a java.lang.Object)
\tat B.run(B.java:2)
"other":
\tat B.hold(B.java:9)

Found 1 deadlock.

'''
OWN = ('Reference Handler', 'Finalizer', 'Common-Cleaner', 'ForkJoinPool.commonPool-worker')


def run(*args):
    return subprocess.run([polyprof, *args], capture_output=True, timeout=60, check=False)


def keep(name, text):
    path = os.path.join(folder.name, name)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(text)
    return path


def totals(path, *options):
    answer = json.loads(run('top', '--json', '-n', '0', '--sort', 'total', *options, path).stdout)
    return {f['name']: f['total']['samples'] for f in answer['functions'] if f['total']['samples']}


def threads_of(text):
    """Name, state and lock of each thread with a stack."""
    for head, rest in re.findall(r'^"(.*)" (?:#|os_prio|prio).*\n((?:[ \t].*\n)*)', text, re.M):
        if '\tat ' in rest:
            lock = re.search(r'- (?:waiting to lock|waiting on|parking to wait for|waiting to re-lock in wait\(\))\s+<(0x[0-9a-f]+)> \(a (.*)\)', rest)
            yield head, re.search(r'Thread\.State: (\w+)', rest).group(1), lock and lock.group(2)


def recorded(path, name):
    with open(path, encoding='utf-8') as file:
        threads = list(threads_of(file.read()))
    own = [t for t in threads if t[0].startswith(OWN)]
    others = [t for t in threads if not t[0].startswith(OWN)]
    said = run('top', path).stderr.decode()
    tap.ok(f'{len(own)} idle threads of the JVM itself are left out (--all-frames shows them) [dump-idle]' in said, f'{name}: says what is left out', said)
    for key, at in (('state', 1), ('lock', 2)):
        for option, wanted in (([], others), (['--all-frames'], threads)):
            count = collections.Counter(t[at] or f'(no {key})' for t in wanted)
            tap.same(totals(path, '--by', f'label:{key}', *option), dict(count), f'{name}: threads by {key} {" ".join(option)}')
    numbers = collections.Counter(re.sub(r'[-# ]*\d+$', '', t[0]) for t in others)
    got = totals(path)
    tap.same({n: got.get(n) for n in numbers}, dict(numbers), f'{name}: each thread counts once, below its name without the number')
    for thread, state, _ in others:
        done = run('tree', '--json', '--thread', thread, '--label', f'state={state}', path)
        tap.ok(done.returncode == 0 and json.loads(done.stdout)['root']['total']['samples'] >= 1, f'{name}: {thread} shows where it is {state}', done)
    folded = run('convert', '-q', path, '--to', 'folded', '-o', '-').stdout.decode()
    tap.same(sum(int(line.split()[-1]) for line in folded.splitlines()), len(threads), f'{name}: a conversion leaves no thread out')


def made():
    path = keep('j.txt', STUCK)
    tap.ok('B.run › B.take' in run('tree', '--thread', 'stuck', path).stdout.decode(), 'a blocked thread shows its stack')
    tap.same(totals(path, '--label', 'state=BLOCKED', '--label', 'lock=java.lang.Object', '--label', 'lock_id=0x1').get('B.take'), 1, 'its state and its lock are labels')
    tap.same(totals(keep('three.txt', STUCK * 3)).get('B.take'), 3, 'dumps one after the other are one profile')
    path = keep('deadlock.txt', DEADLOCK * 2)
    tap.same((totals(path).get('B.take'), totals(path).get('B.hold'), totals(path, '--by', 'label:state')), (2, None, {'BLOCKED': 2}), 'stacks that a deadlock repeats count once')
    path = keep('file.txt', TO_FILE)
    tap.same(run('convert', '-q', path, '--to', 'folded', '-o', '-').stdout.decode().splitlines(),
             ['Finalizer;java.lang.ref.Finalizer$FinalizerThread.run;java.lang.ref.ReferenceQueue.remove;java.lang.Object.wait0;(idle) 1',
              'main;shop.Main.main;java.lang.Thread.sleep;java.lang.Thread.sleep0 1', 'shop.Cart.price;java.lang.VirtualThread.park 1'], 'what Thread.dump_to_file writes, virtual threads included')
    path = keep('go.txt', GO)
    tap.same(totals(path, '--by', 'label:state'), {'running': 1, 'chan receive': 2}, 'goroutines: the state is a label')
    tap.same(totals(path, '--label', 'state=chan receive'), {'main.wait': 2}, 'and a filter')
    plain = STUCK.replace('BLOCKED (on object monitor)', 'BLOCKED')
    tap.same(totals(keep('plain.txt', plain)), totals(keep('j.txt', STUCK)), 'states may say nothing more')


def raw():
    """Numbers of locations may be any: memory goes by the size of the file."""
    listed = ''.join(f'{i}000000: 0x1 M=1 f{i} /src/a.go:{i}:1 s=0\n' for i in range(1, 41))
    path = keep('sparse.txt', f'PeriodType: cpu nanoseconds\nPeriod: 10\nSamples:\nsamples/count\n          3: 40000000 1000000 7\nLocations\n{listed}Mappings\n')
    folded = run('convert', '-q', '--max-memory', '100M', path, '--to', 'folded', '-o', '-')
    tap.same(json.loads(run('check', '--json', path).stdout)['files'][0]['verdict'], 'reject', 'a location that is not listed is an error')
    tap.same(folded.stdout.decode(), '[unknown];f1;f40 3\n', 'go tool pprof -raw: numbers of locations far apart')


def fresh():
    tools = [shutil.which(tool) for tool in ('java', 'javac', 'jstack')]
    if not all(tools):
        tap.skip('a dump recorded fresh', 'there is no JDK')
        return
    keep('W.java', PROGRAM)
    subprocess.run([tools[1], '-d', folder.name, os.path.join(folder.name, 'W.java')], check=True, timeout=120)
    with subprocess.Popen([tools[0], '-cp', folder.name, 'W'], stdout=subprocess.PIPE) as program:
        try:
            program.stdout.readline()
            time.sleep(0.2)
            for options in ([], ['-l']):
                done = subprocess.run([tools[2], *options, str(program.pid)], capture_output=True, timeout=60, check=False)
                recorded(keep('fresh.txt', done.stdout.decode()), f'fresh {" ".join(options)}'.strip())
        finally:
            program.kill()


made()
raw()
recorded(os.path.join(samples, 'dump/good/threads.jstack.txt'), 'recorded')
fresh()
sys.exit(tap.done())
