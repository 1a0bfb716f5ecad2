"""SPAA files of a long recording: checking them, and their costliest functions.

The Python checker that goes with the conformance corpus is run when its path (SPAA_CHECK) is given, the
reference validator when its path (SPAA_VALIDATE) is. jq answers the same question as `top` about leaves.
"""
import os
import shutil

TITLE = 'SPAA'
LEAVES = ('[inputs|select(.type=="stack")|{k:(.frames[0]|tostring),v:.weights[1].value}]'
          '|reduce .[] as $s ({}; .[$s.k]+=$s.v)|to_entries|sort_by(-.value)|.[:10]')


def run(bench):
    size = bench.size(500)
    path = bench.made(f'made-{size:.0f}.spaa', [bench.compiled('gen_spaa.c'), str(size)])
    polyprof = bench.polyprof
    checker, validator = os.environ.get('SPAA_CHECK'), os.environ.get('SPAA_VALIDATE')
    rows = [('polyprof check -j1', [polyprof, 'check', '-j1', path]), ('polyprof check', [polyprof, 'check', path])]
    if shutil.which('jq'):
        rows.append(('jq empty (parses only)', ['jq', 'empty', path]))
    if checker:
        rows.append(('spaa_check.py', ['python3', checker, '-q', path]))
    if validator:
        rows.append(('reference validator', [validator, path]))
    bytes_ = os.path.getsize(path)
    best = bench.table(f'Is a file of {bytes_ / 1e6:.0f} MB right?', rows, bytes_)
    print(f'    {bytes_ / 1e6 / best.cpu:.0f} MB per second of processor time')
    rows = [('polyprof top -j1', [polyprof, 'top', '-j1', path]), ('polyprof top', [polyprof, 'top', path])]
    if shutil.which('jq'):
        rows.append(('jq (leaves only)', ['jq', '-n', LEAVES, path]))
    best = bench.table('The costliest functions', rows, bytes_)
    print(f'    {bytes_ / 1e6 / best.cpu:.0f} MB per second of processor time')
