"""The JSON family and the small formats: the costliest functions of each, beside what a bare scan of the bytes takes.

The bare scan (bare_scan.c) finds quotes and line breaks and does nothing with them; `x scan` is how many times that the
program takes in the same run, which a busy machine changes less than seconds. Styles of gen_web.c show whether a file that is laid
out in another way, or has its tables at the end, is slower. Of Python's own profiles pstats.Stats itself is run.
"""
import os

TITLE = 'JSON profiles and small formats'
# What is made, in which styles, and the MB a second that top is to reach on two shared cores; None = nothing is said.
KINDS = [
    ('speedscope', ('', 'b', 'o', 'w'), 500), ('speedscope-evented', ('', 'b', 'o', 'f'), 500),
    ('trace-x', ('', 'b', 'o', 'd', 'f', 't', 'w'), 350), ('trace-be', ('', 'b', 'o', 'd'), 350), ('trace-chunks', ('', 'b'), 350),
    ('cpuprofile', ('', 'b', 'w'), 400), ('heapprofile', ('',), None),
    ('firefox', ('', 'b', 'o', 'w'), 500), ('firefox47', ('', 'o'), 500), ('gecko', ('', 'b'), None),
    ('xhprof', ('', 'b', 'o'), 500), ('xhprof-serialized', ('',), None), ('stackprof', ('', 'b', 'o'), 500),
    ('pstats2', ('',), 200), ('pstats4', ('',), 200), ('austin1', ('',), 400), ('austin2', ('',), 400), ('austin4', ('',), 400),
    ('mojo', ('',), 200), ('pyinstrument', ('',), None), ('dhat', ('',), None), ('massif', ('',), None),
]
STATS = 'import pstats, sys; pstats.Stats(sys.argv[1]).get_stats_profile()'


def run(bench):
    size = bench.size(50)
    generator, scan = bench.compiled('gen_web.c'), bench.compiled('bare_scan.c')
    print(f"\n    {'':22} {'MB':>6} {'cpu s':>7} {'MB/s':>6} {'wanted':>6} {'x scan':>7} {'memory':>7}   check MB/s")
    for kind, styles, wanted in KINDS:
        for style in styles:
            path = bench.made(f'{kind}-{style or "plain"}-{size:g}', [generator, kind, str(size), style])
            megabytes = os.path.getsize(path) / 1e6
            bare = bench.best([scan, path])
            top = bench.best([bench.polyprof, 'top', '-j1', path])
            check = bench.best([bench.polyprof, 'check', '-j1', path])
            print(f"    {kind + (' ' + style if style else ''):22} {megabytes:6.0f} {top.cpu:7.2f} {megabytes / top.cpu:6.0f} "
                  f"{wanted or '':>6} {top.cpu / max(bare.cpu, 0.001):6.1f}x {top.memory:7.0f} {megabytes / check.cpu:12.0f}")
            if kind == 'pstats4':
                other = bench.best(['python3', '-c', STATS, path])
                print(f"    {'  pstats.Stats':22} {megabytes:6.0f} {other.cpu:7.2f} {megabytes / other.cpu:6.0f} "
                      f"{'':>6} {other.cpu / max(bare.cpu, 0.001):6.1f}x {other.memory:7.0f}")
            # Many kinds of 500 MB do not fit most disks.
            os.remove(path)
