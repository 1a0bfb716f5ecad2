"""Reports: making them, and what a browser takes to open one of a million nodes and to answer."""
import os
import shutil
import subprocess

TITLE = 'Reports'
HERE = os.path.dirname(os.path.abspath(__file__))


def run(bench):
    size = bench.size(40)
    stacks = bench.made(f'report-{size:g}.folded', [bench.compiled('gen_folded.c'), str(size), '1'])
    html = stacks + '.html'
    bench.table(f'A report of {os.path.getsize(stacks) / 1e6:.0f} MB of folded stacks', [
        ('polyprof report', [bench.polyprof, 'report', '-q', '--max-size', '0', stacks, '-o', html]),
        ('polyprof flame', [bench.polyprof, 'flame', '-q', stacks, '-o', stacks + '.svg']),
        ('inferno-flamegraph', ['inferno-flamegraph', stacks]),
        ('flamegraph.pl', ['flamegraph.pl', stacks]),
    ], os.path.getsize(stacks))
    if not shutil.which('node'):
        print('no node: the browser is not measured')
        return
    print(subprocess.run(['node', os.path.join(HERE, 'browser.mjs'), html], capture_output=True, text=True).stdout)
