"""What benchmarks share: making inputs, running programs, printing the table."""
import os
import shutil
import subprocess
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


class Result:
    def __init__(self, wall, cpu, memory, status):
        self.wall, self.cpu, self.memory, self.status = wall, cpu, memory, status


def run_once(command, stdin=None, limit=600):
    """Runs a program with its output thrown away; wall and processor seconds, peak memory in MB."""
    start = time.monotonic()
    child = subprocess.Popen(command, stdin=stdin or subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL, shell=isinstance(command, str))
    while True:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            break
        if time.monotonic() - start > limit:
            child.kill()
            _, status, usage = os.wait4(child.pid, 0)
            break
        time.sleep(0.002)
    child.returncode = 0
    return Result(time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, status)


class Bench:
    def __init__(self, build, size, repeat):
        self.build, self.wanted_size, self.repeat = build, size, repeat
        self.polyprof = os.path.join(build, 'src', 'polyprof')
        self.directory = os.environ.get('POLYPROF_BENCH') or os.path.join(tempfile.gettempdir(), 'polyprof-bench')
        os.makedirs(self.directory, exist_ok=True)
        if not os.access(self.polyprof, os.X_OK):
            raise SystemExit(f'{self.polyprof} is missing: build first, or say --build DIR')

    def size(self, default):
        return self.wanted_size or default

    def compiled(self, source, *flags):
        """A C program of this directory, built with optimisation."""
        program = os.path.join(self.directory, source[:-2])
        path = os.path.join(HERE, source)
        if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(path):
            subprocess.run(['cc', '-O3', '-o', program, path, *flags, '-lm'], check=True)
        return program

    def inside(self, name):
        """A program that is built with polyprof's own parts."""
        path = os.path.join('bench', name)
        subprocess.run(['ninja', '-C', self.build, path], check=True, stdout=subprocess.DEVNULL)
        return os.path.join(self.build, path)

    def made(self, name, command):
        """A file of that name, made once by a command that writes it to standard output."""
        path = os.path.join(self.directory, name)
        if not os.path.exists(path):
            with open(path + '.part', 'wb') as out:
                subprocess.run(command, stdout=out, check=True)
            os.rename(path + '.part', path)
        return path

    def best(self, command):
        """The best of a few runs."""
        return min((run_once(command) for _ in range(self.repeat)), key=lambda r: r.cpu)

    def table(self, question, rows, size=None, repeat=None):
        """
        Runs and prints one question. rows: (label, command) pairs, polyprof first; a command may be a
        list or a shell line, and is skipped when its first word is not on PATH. `size` in bytes gives
        MB per second of processor time. What changes its input runs once: repeat=1.
        """
        print(f'\n  {question}')
        print(f"    {'':34} {'wall s':>8} {'cpu s':>8} {'MB/s':>7} {'MB':>7} {'x cpu':>7}")
        first = None
        for label, command in rows:
            word = command[0] if isinstance(command, list) else command.split()[0]
            if not shutil.which(word):
                print(f'    {label:34} {"not on PATH":>8}')
                continue
            runs = [run_once(command)]
            # What takes long is not worth repeating: its noise is small.
            while runs[0].wall < 20 and len(runs) < (repeat or self.repeat):
                runs.append(run_once(command))
            best = min(runs, key=lambda r: r.cpu)
            first = first or best
            rate = f'{size / 1e6 / best.cpu:7.0f}' if size and best.cpu else f"{'':7}"
            failed = '' if best.status == 0 else '  (failed)'
            print(f'    {label:34} {min(r.wall for r in runs):8.2f} {best.cpu:8.2f} {rate} '
                  f'{best.memory:7.0f} {best.cpu / first.cpu:6.1f}x{failed}')
        return first
