#!/usr/bin/env python3
"""Builds polyprof in several ways and runs its tests and lints: see ./test."""
import concurrent.futures
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CPUS = len(os.sched_getaffinity(0))
# One lane more than processors: tests wait for browsers, pipes and disks now and then.
LANES = min(3, CPUS + 1)
JOBS = max(1, CPUS // LANES)
# A test must say the same of the same tree: without POLYPROF_FUZZ_SECONDS each fuzzer makes a fixed number of
# mutations from a fixed seed. With it they look for something new, and share that time.
FUZZ_SECONDS = int(os.environ.get('POLYPROF_FUZZ_SECONDS', '0'))
FUZZ_RUNS = 100
print_lock = threading.Lock()
log_numbers = itertools.count(1)


class Result:
    """What a step came to: counts, and the text of what failed."""

    def __init__(self, passed=0, failed=0, skipped=0, text=''):
        self.passed, self.failed, self.skipped, self.text = passed, failed, skipped, text

    def add(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.text += other.text


def run(command, **more):
    return subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors='replace', stdin=subprocess.DEVNULL, **more)


def tail(text, lines=60):
    kept = text.rstrip().splitlines()[-lines:]
    return '\n'.join(kept) + '\n'


def sources(*directories):
    tracked = run(['git', 'ls-files', '--cached', '--others', '--exclude-standard', *directories])
    if tracked.returncode == 0:
        names = tracked.stdout.split()
    else:
        names = [os.path.relpath(os.path.join(where, name), ROOT) for directory in directories
                 for where, _, files in os.walk(os.path.join(ROOT, directory)) for name in files]
    return sorted(name for name in names
                  if name.endswith(('.c', '.h')) and os.path.exists(os.path.join(ROOT, name)))


# ---- builds ---------------------------------------------------------------------------------

# Builds that look for faults are compiled quickly: little is optimised, and places are without variables.
BUILDS = {
    'release': [],
    # Sanitizers make gcc warn of null pointers that no path brings about; the release build has -Werror. What is undefined is an illegal
    # instruction, which no test takes for an answer: texts of what it was would double the program, and the time of a short run.
    # -Og runs as long as -O1 here, and takes a third less to compile; with threads it runs a fifth longer.
    'sanitize': ['-Ddebug=true', '-Doptimization=g', '-Dwerror=false', '-Db_sanitize=address,undefined',
                 '-Dc_args=-g1 -fno-sanitize-recover=undefined -fsanitize-undefined-trap-on-error'],
    'threads': ['-Ddebug=true', '-Doptimization=1', '-Dwerror=false', '-Db_sanitize=thread', '-Dc_args=-g1'],
    # Without what is optional: zlib unpacks, and there is no viewer. By another compiler, too.
    'zlib': ['-Doptimization=0', '-Disal=disabled', '-Dstore=disabled', '-Dviewer=disabled', '-Ddwarf=disabled', '-Dxz=disabled'],
    # A hundred mutations are made sooner than optimised code; those who let it run for longer want it quick.
    'fuzz': ['-Ddebug=true', f'-Doptimization={1 if FUZZ_SECONDS else 0}', '-Db_sanitize=address,undefined', '-Db_lundef=false',
             '-Dfuzzers=true',
             # Adding 0 to a null pointer is what clang alone complains of; gcc looks for the rest.
             '-Dc_args=-g1 -fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined -fno-sanitize=pointer-overflow'],
}
COMPILER = {'fuzz': 'clang', **({'zlib': 'clang'} if shutil.which('clang') else {})}
setup_locks = {name: threading.Lock() for name in BUILDS}


def build_dir(name):
    return os.path.join('build', name)


def fuzzers_of(directory):
    """What a build for fuzzing is for: the tests are run elsewhere."""
    known = json.loads(run(['meson', 'introspect', '--targets', directory]).stdout)
    return [os.path.relpath(target['filename'][0], os.path.join(ROOT, directory)) for target in known
            if target['name'].startswith('fuzz_') and target['type'] == 'executable']


def programs_of(suite):
    """What the tests of a suite run, as a function of the build directory."""
    def programs(directory):
        place = os.path.join(ROOT, directory) + os.sep
        known = json.loads(run(['meson', 'introspect', '--tests', directory]).stdout)
        words = {word for test in known if any(name.endswith(':' + suite) for name in test['suite']) for word in test['cmd']}
        return sorted(word.removeprefix(place) for word in words if word.startswith((place, 'src' + os.sep)))
    return programs


def build(name, targets=()):
    """Sets up (once) and builds; returns an error text or None."""
    directory = build_dir(name)
    with setup_locks[name]:
        if not os.path.exists(os.path.join(ROOT, directory, 'build.ninja')):
            shutil.rmtree(os.path.join(ROOT, directory), ignore_errors=True)
            done = run(['meson', 'setup', directory, *BUILDS[name]],
                       env={**os.environ, 'CC': COMPILER.get(name, os.environ.get('CC', 'cc'))})
            if done.returncode:
                return tail(done.stdout)
        done = run(['ninja', '-C', directory, '-j', str(JOBS), *(targets(directory) if callable(targets) else targets)])
    if not done.returncode:
        return None
    return tail(done.stdout[max(0, done.stdout.find('FAILED:')):])


# ---- meson tests ----------------------------------------------------------------------------

def count_tap(test):
    """Counts the lines of a test that spoke TAP; any other counts once."""
    lines = re.findall(r'^(ok|not ok) \d+(.*)$', test.get('stdout', ''), re.M)
    result = Result()
    for word, rest in lines:
        if word == 'not ok':
            result.failed += 1
        elif '# SKIP' in rest:
            result.skipped += 1
        else:
            result.passed += 1
    good = test['result'] in ('OK', 'EXPECTEDFAIL')
    if test['result'] == 'SKIP' and not lines:
        result.skipped += 1
    elif good and not lines:
        result.passed += 1
    elif not good and test['result'] != 'SKIP' and not result.failed:
        result.failed += 1
    if result.failed:
        said = test.get('stdout', '') + test.get('stderr', '')
        wrong = re.findall(r'^(?:not ok.*(?:\n#.*)*|.*(?:ERROR|SUMMARY|runtime error|does not hold).*)$', said, re.M)
        result.text = f"{test['name']} ({test['result']})\n" + tail('\n'.join(wrong) if wrong else said, 40)
    return result


def meson_test(name, arguments, targets=(), **environment):
    failed = build(name, targets)
    if failed:
        return Result(failed=1, text=failed)
    # Two steps may test one build at a time: each has a log of its own.
    log_name = f'testlog-{next(log_numbers)}'
    log = os.path.join(ROOT, build_dir(name), 'meson-logs', log_name + '.json')
    if os.path.exists(log):
        os.remove(log)
    done = run(['meson', 'test', '-C', build_dir(name), '--no-rebuild', '--num-processes', str(JOBS), '--logbase', log_name,
                '--timeout-multiplier', '5', *arguments],
               env={**os.environ, **environment, 'TSAN_OPTIONS': 'halt_on_error=1', 'PYTHONDONTWRITEBYTECODE': '1'})
    if not os.path.exists(log):
        return Result(failed=1, text=tail(done.stdout))
    result = Result()
    with open(log, errors='replace') as file:
        for line in file:
            result.add(count_tap(json.loads(line)))
    if done.returncode and not result.failed:
        result.add(Result(failed=1, text=tail(done.stdout)))
    return result


def without(*suites):
    return [word for suite in suites for word in ('--no-suite', suite)]


# What is replayed, and what lacks memory, is run under the sanitizers. The long suites are steps of their own, so that lanes end together.
LONG = ('matrix', 'browser', 'speed')


def step_release(names):
    return meson_test('release', names or without('replay', 'oom', *LONG))


def step_of(suite):
    return lambda _: meson_test('release', ['--suite', suite])


# Small programs free little: the last 16 MB of it are watched for use, and of who allocated six calls are kept. That is a sixth of the time.
ASAN = 'malloc_context_size=6:quarantine_size_mb=16:thread_local_quarantine_size_kb=64'


# What is repeated over many files for the sake of its answers (matrix) is not run once more for memory, and of long
# lists of cases each twelfth.
def step_sanitize(names):
    return meson_test('sanitize', names or without('source', 'samples', *LONG), POLYPROF_SHARE='12', ASAN_OPTIONS=ASAN)


# Who looks for leaks when a program ends takes a third of a short run: `samples`, which gives every file to every command, and all
# other suites do look; the cases of single formats, which ask the same of more files, do not.
def step_sanitize_cases(_):
    return meson_test('sanitize', ['--suite', 'samples'], POLYPROF_SHARE='12', ASAN_OPTIONS=ASAN + ':detect_leaks=0')


def step_threads(_):
    return meson_test('threads', ['--suite', 'threads'], programs_of('threads'), POLYPROF_SHARE='12')


# Another decoder of gzip, no viewer: what reads files of all kinds.
def step_zlib(_):
    return meson_test('zlib', ['--suite', 'unit', '--suite', 'reads'])


# ---- fuzzing --------------------------------------------------------------------------------

def fuzz_one(path, name, seconds):
    public = name.replace('_', '-')
    seeds = [directory for directory in (f'fuzz/corpus/{name}', f'tests/formats/{public}/good',
                                         f'tests/formats/{public}/bad')
             if os.path.isdir(os.path.join(ROOT, directory))]
    if name == 'any':
        seeds += [os.path.join('tests/formats', fmt, kind)
                  for fmt in sorted(os.listdir(os.path.join(ROOT, 'tests/formats')))
                  for kind in ('good', 'bad')
                  if os.path.isdir(os.path.join(ROOT, 'tests/formats', fmt, kind))]
    dictionary = f'fuzz/dict/{name}.dict'
    options = [f'-dict={dictionary}'] if os.path.exists(os.path.join(ROOT, dictionary)) else []
    # What comparisons are made, and where, is kept by address, which is another each time.
    fixed = [f'-runs={FUZZ_RUNS}', '-seed=1', '-use_cmp=0', '-entropic=0', '-max_total_time=60']
    options += [f'-max_total_time={seconds}'] if seconds else fixed
    with tempfile.TemporaryDirectory() as empty:
        # The first directory gets what is found.
        found = os.path.join(ROOT, build_dir('fuzz'), 'corpus', name) if seconds else empty
        os.makedirs(found, exist_ok=True)
        done = run([path, '-max_len=20000', '-timeout=20', '-rss_limit_mb=3000', '-print_final_stats=0',
                    '-verbosity=0', f'-artifact_prefix={build_dir("fuzz")}/found-{name}-', *options, found, *seeds],
                   env={**os.environ, 'POLYPROF_FUZZ_FORMAT': '' if name == 'any' else public})
    if done.returncode:
        return Result(failed=1, text=f'fuzz_{name}:\n' + tail(done.stdout))
    return Result(passed=1)


def step_fuzz(_):
    if not shutil.which('clang'):
        return Result(skipped=1, text='clang is not installed\n')
    with tempfile.TemporaryDirectory() as directory:
        probe = os.path.join(directory, 'probe.c')
        with open(probe, 'w') as file:
            file.write('int LLVMFuzzerTestOneInput(const unsigned char *p, unsigned long n) '
                       '{ return p && n ? 0 : 0; }\n')
        if run(['clang', '-fsanitize=fuzzer', probe, '-o', os.path.join(directory, 'probe')]).returncode:
            return Result(skipped=1, text='clang has no libFuzzer here\n')
    failed = build('fuzz', fuzzers_of)
    if failed:
        return Result(failed=1, text=failed)
    result = Result()
    directory = os.path.join(ROOT, build_dir('fuzz'), 'fuzz')
    with open(os.path.join(ROOT, 'meson.build')) as file:
        readers = re.findall(r"'(\w+)'", re.search(r'^formats = \[(.*?)\]', file.read(), re.S | re.M).group(1))
    programs = [name for name in sorted(os.listdir(directory)) if name.startswith('fuzz_')
                and os.access(os.path.join(directory, name), os.X_OK) and os.path.isfile(os.path.join(directory, name))]
    fuzzers = [(os.path.join(directory, program), name) for program in programs
               for name in (['any', *readers] if program == 'fuzz_read' else [program.removeprefix('fuzz_')])]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        seconds = FUZZ_SECONDS and max(1, FUZZ_SECONDS * JOBS // max(1, len(fuzzers)))
        for one in pool.map(lambda one: fuzz_one(*one, seconds), fuzzers):
            result.add(one)
    return result


# ---- lints ----------------------------------------------------------------------------------

def lint(tool, command_of, files, lines=60):
    """Runs a tool once per file; each file counts. Shows so many lines of each complaint."""
    if not shutil.which(tool):
        return Result(skipped=1, text=f'{tool} is not installed\n')
    result = Result()
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for done in pool.map(lambda file: run(command_of(file)), files):
            if done.returncode:
                result.add(Result(failed=1, text=''.join(done.stdout.splitlines(True)[:lines])))
            else:
                result.passed += 1
    return result


def step_format(_):
    files = sources('src', 'include', 'tests', 'fuzz', 'bench')
    # All at once where none is wrong.
    if shutil.which('clang-format') and not run(['clang-format', '--dry-run', '-Werror', *files]).returncode:
        return Result(passed=len(files))
    return lint('clang-format', lambda file: ['clang-format', '--dry-run', '-Werror', file], files, 1)


def step_tidy(_):
    failed = build('release', ['src/polyprof'])
    if failed:
        return Result(failed=1, text=failed)
    files = [name for name in sources('src') if name.endswith('.c')]
    files = [name for name in files if f'/{name}"' in compile_commands()]
    return lint('clang-tidy', lambda file: ['clang-tidy', '--quiet', '--warnings-as-errors=*', '-p',
                                            build_dir('release'), file], files)


def compile_commands():
    with open(os.path.join(ROOT, build_dir('release'), 'compile_commands.json')) as file:
        return file.read()


def step_web(_):
    if not os.path.exists(os.path.join(ROOT, 'web/node_modules/typescript')):
        return Result(skipped=1, text='typescript is not installed: npm ci in web/\n')
    done = run(['npm', '--prefix', 'web', 'run', '--silent', 'check'])
    return Result(failed=1, text=tail(done.stdout)) if done.returncode else Result(passed=1)


# The rooms that call nothing of the operating system, and what they must do without elsewhere.
PURE = ('base', 'text', 'model', 'symbols', 'formats', 'analysis', 'questions', 'output')
SYSTEM = ('src/base/sort_libc.c', 'src/symbols/dwarf_libdw.c', 'src/text/demangle_cxx.c', 'src/text/regex_pcre.c')


def step_wasm(_):
    """The pure rooms as WebAssembly: every file must at least compile there, without threads or PCRE2."""
    if not os.path.exists('/usr/include/wasm32-wasi/stdio.h'):
        return Result(skipped=1, text='wasi-libc is not installed\n')
    files = [name for name in sources(*(f'src/{room}' for room in PURE))
             if name.endswith('.c') and name not in SYSTEM]
    return lint('clang', lambda file: ['clang', '--target=wasm32-wasi', '-fsyntax-only', '-std=c11', '-Wall', '-Wextra',
                                       '-Wno-unused-parameter', '-Werror', '-D_GNU_SOURCE', '-D_PTHREAD_H=1',
                                       '-Iinclude', '-Isrc', file], files)


def step_cppcheck(_):
    # Its time grows faster than the number of files that it is given at once: a folder of files at a time.
    files = [name for name in sources('src') if name.endswith('.c')]
    folders = {folder: [name for name in files if os.path.dirname(name) == folder] for folder in sorted(set(map(os.path.dirname, files)))}
    return lint('cppcheck', lambda folder: [
        'cppcheck', '--quiet', '--error-exitcode=1', '--enable=warning,performance,portability', '--std=c11',
        '--inline-suppr', '--suppressions-list=tools/cppcheck.txt', '-D__GNUC__=12', '-D__SSE2__', '-Iinclude',
        '-Isrc', *folders[folder]], folders)


# ---- all together ---------------------------------------------------------------------------

# The longest first, so that the lanes end together.
STEPS = {'sanitize': step_sanitize, 'release': step_release, 'fuzz': step_fuzz, 'matrix': step_of('matrix'), 'browser': step_of('browser'),
         'sanitize_cases': step_sanitize_cases, 'threads': step_threads, 'speed': step_of('speed'), 'tidy': step_tidy, 'cppcheck': step_cppcheck,
         'zlib': step_zlib, 'wasm': step_wasm, 'web': step_web, 'format': step_format}


def run_step(name, arguments):
    start = time.monotonic()
    try:
        result = STEPS[name](arguments)
    except Exception as error:  # a broken step must not hide the others
        result = Result(failed=1, text=f'{type(error).__name__}: {error}\n')
    with print_lock:
        state = 'FAIL' if result.failed else 'ok' if result.passed else 'skip'
        print(f'{state:5}{name:15}{result.passed} passed, {result.failed} failed, {result.skipped} skipped'
              f'  ({time.monotonic() - start:.0f} s)', flush=True)
        if result.failed or not result.passed:
            print(''.join(f'      {line}\n' for line in result.text.splitlines()), end='', flush=True)
    return result


def suites():
    done = run(['meson', 'introspect', '--tests', build_dir('release')])
    return set(re.findall(r'"polyprof:(\w+)"', done.stdout))


def main():
    names = sys.argv[1:]
    steps = [name for name in STEPS if name in names]
    tests = [name for name in names if name not in STEPS]
    if not names:
        steps = list(STEPS)
    plan = [(name, []) for name in steps]
    if tests:
        failed = build('release')
        if failed:
            sys.exit(failed)
        known = suites()
        arguments = [word for name in tests for word in (('--suite', name) if name in known else (name,))]
        plan += [('release', arguments), ('sanitize', arguments)]
    total = Result()
    with concurrent.futures.ThreadPoolExecutor(LANES) as pool:
        for result in pool.map(lambda step: run_step(*step), plan):
            total.add(result)
    skipped = f', {total.skipped} skipped' if total.skipped else ''
    print(f'{total.passed} passed, {total.failed} failed{skipped}')
    return 1 if total.failed or not total.passed else 0


sys.exit(main())
