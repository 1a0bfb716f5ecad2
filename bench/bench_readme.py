"""The table of README.md: one machine, one run. Prints it as Markdown, with what was measured on."""
import os
import platform
import shutil

import bench as measuring
from bench_nytprof import MEGABYTES_A_ROUND, recorded

TITLE = 'The table of README.md'


def machine():
    with open('/proc/cpuinfo', encoding='utf-8') as file:
        model = next((line.split(':')[1].strip() for line in file if line.startswith('model name')), platform.machine())
    return f'{model}, {os.cpu_count()} cores'


def run(bench):
    size = bench.size(150)
    folded = bench.made(f'unique-{size:g}.folded', [bench.compiled('gen_folded.c'), str(size), '0'])
    bare, polyprof = bench.compiled('bare_tree.c'), bench.polyprof
    grind = bench.made('cachegrind.out.small-20', [bench.compiled('gen_xdebug.c'), '20'])
    perl = recorded(bench, 'readme.nytprof', 'compress=6', max(1, round(size / 3 / MEGABYTES_A_ROUND)))
    out = os.path.join(bench.directory, 'readme.out')
    rows = [
        (f'{os.path.getsize(folded) / 1e6:.0f} MB of folded stacks', [
            ('`polyprof top -j1`', [polyprof, 'top', '-j1', folded]),
            ('a bare tree builder in C without any checks', [bare, folded]),
            ('`polyprof flame`', [polyprof, 'flame', '-q', folded, '-o', out + '.svg']),
            ('`flamegraph.pl`', ['flamegraph.pl', folded]),
            ('`polyprof convert --to folded` (adds and sorts)', [polyprof, 'convert', folded, '--to', 'folded', '-o', '/dev/null']),
            ('`LC_ALL=C sort` (does not add)', ['env', 'LC_ALL=C', 'sort', folded]),
        ]),
        (f'{os.path.getsize(perl) / 1e6:.0f} MB of Devel::NYTProf', [
            ('`polyprof top`', [polyprof, 'top', perl]),
            ('`polyprof report`', [polyprof, 'report', '-q', perl, '-o', out + '.html']),
            ('`nytprofcalls`', ['nytprofcalls', perl]),
        ]),
        (f'{os.path.getsize(grind) / 1e6:.0f} MB of Xdebug', [
            ('`polyprof top`', [polyprof, 'top', grind]),
            ('`callgrind_annotate`', ['callgrind_annotate', '--threshold=100', grind]),
        ]),
    ]
    print(f'\n{machine()}; the best of {bench.repeat} runs each, one after the other\n')
    print('| | processor s | MB of memory |\n|---|---|---|')
    for title, commands in rows:
        print(f'| **{title}** | | |')
        for label, command in commands:
            if not shutil.which(command[0]):
                continue
            best = min((measuring.run_once(command) for _ in range(bench.repeat)), key=lambda r: r.cpu)
            print(f'| {label} | {best.cpu:.2f} | {best.memory:,.0f} |' + (' (failed)' if best.status else ''))
