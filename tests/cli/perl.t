# Profiles of Perl programs

Code outside of subs is a row, main::RUNTIME, and rows add up to what all statements took.

$ polyprof top level.out -n 5
  time: 410 µs in 10 functions

       self  self%                  total  total%  calls  places  files  function          place
     380 µs  92.8%  ████████████   410 µs  100.0%      0                 main::RUNTIME     /tmp/demo/level.pl:1
    13.3 µs   3.2%  ▍             16.0 µs    3.9%      1       1      1  main::BEGIN@3     /tmp/demo/level.pl:3
    10.1 µs   2.5%  ▍             10.1 µs    2.5%      1       1      1  main::CORE:print  /tmp/demo/level.pl
    3.60 µs   0.9%  ▏             3.60 µs    0.9%      1       1      1  main::half        /tmp/demo/level.pl:6
    2.70 µs   0.7%  ▏             2.70 µs    0.7%      1       1      1  strict::import    /usr/lib/x86_64-linux-gnu/perl-base/strict.pm:60

    ... and 5 functions that cost nothing (--json lists them)

$ polyprof top --json level.out | python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["total"], sum(f["self"]["time"] for f in a["functions"])); print(a["functions"][0])'
  410100 410100
  {'name': 'main::RUNTIME', 'file': '/tmp/demo/level.pl', 'line': 1, 'calls': 0, 'self': {'time': 380400}, 'total': {'time': 410100}}

$ polyprof lines --json -n 0 level.out | python3 -c 'import json, sys; print(sum(l["cost"]["time"] for l in json.load(sys.stdin)["lines"]))'
  410100

$ polyprof tree level.out
    total%    total     self  calls  function
    100.0%   410 µs                  (all)
    100.0%   410 µs   380 µs      0  └ main::RUNTIME (level.pl:1)
      3.9%  16.0 µs  13.3 µs      1    ├ main::BEGIN@3 (level.pl:3)
      0.7%  2.70 µs  2.70 µs      1    │ └ strict::import (strict.pm:60)
      2.5%  10.1 µs  10.1 µs      1    ├ main::CORE:print
      0.9%  3.60 µs  3.60 µs      1    └ main::half (level.pl:6)

A file that is loaded while the program runs has a row of its own; one that "use" loads is part of what its BEGIN block took.

$ polyprof top modules.out -n 6
  time: 935 µs in 16 functions

       self  self%                  total  total%  calls  places  files  function                   place
     487 µs  52.0%  ████████████   935 µs  100.0%      0                 main::RUNTIME              /tmp/demo/modules.pl:1
     233 µs  24.9%  █████▊         236 µs   25.3%      0                 Late::RUNTIME              /tmp/demo/lib/Late.pm:1
     174 µs  18.6%  ████▎          180 µs   19.3%      1       1      1  main::BEGIN@2              /tmp/demo/modules.pl:2
    11.5 µs   1.2%  ▎             11.5 µs    1.2%     10       2      2  Early::deep (recursion 5)  /tmp/demo/lib/Early.pm:5
    11.2 µs   1.2%  ▎             13.0 µs    1.4%      1       1      1  main::BEGIN@1              /tmp/demo/modules.pl:1
    5.50 µs   0.6%  ▏             5.90 µs    0.6%      1       1      1  Early::BEGIN@2             /tmp/demo/lib/Early.pm:2

    ... and 5 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (--json lists them)

$ polyprof tree modules.out --min 0 --depth 2
    total%    total     self  calls  function
    100.0%   935 µs                  (all)
    100.0%   935 µs   487 µs      0  └ main::RUNTIME (modules.pl:1)
     25.3%   236 µs   233 µs      0    ├ Late::RUNTIME (Late.pm:1)
      0.4%  3.30 µs  3.30 µs      1    │ └ Late::more (Late.pm:4)
     19.3%   180 µs   174 µs      1    ├ main::BEGIN@2 (modules.pl:2)
      0.7%  6.10 µs                    │ └ (2 more)
      1.4%  13.0 µs  11.2 µs      1    ├ main::BEGIN@1 (modules.pl:1)
      0.2%  1.80 µs  1.80 µs      1    │ └ strict::import (strict.pm:60)
      1.2%  11.5 µs  11.5 µs     10    ├ Early::deep (recursive) (Early.pm:5)
      0.5%  4.60 µs  4.60 µs      1    ├ main::CORE:print
      0.3%  2.80 µs  2.80 µs      1    ├ main::made ((eval 1)[modules.pl:6]:1)
     <0.1%   400 ns   400 ns      1    └ Late::more (Late.pm:4)

  Next steps
    the 2 more below main::BEGIN@2  polyprof tree --min 0 --show-from '^main::BEGIN@2$' modules.out

$ polyprof top --json -n 0 modules.out | python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["total"], sum(f["self"]["time"] for f in a["functions"])); print([f["name"] for f in a["functions"] if f["name"].endswith("RUNTIME")])'
  935300 935300
  ['main::RUNTIME', 'Late::RUNTIME']

It is the same in any part of the time, and in other formats.

$ polyprof top -q --time 0%..100% modules.out -n 3
  time: 935 µs in 16 functions

      self  self%                 total  total%  calls  places  files  function       place
    487 µs  52.0%  ████████████  935 µs  100.0%      0                 main::RUNTIME  /tmp/demo/modules.pl:1
    233 µs  24.9%  █████▊        236 µs   25.3%      0                 Late::RUNTIME  /tmp/demo/lib/Late.pm:1
    174 µs  18.6%  ████▎         180 µs   19.3%      1       1      1  main::BEGIN@2  /tmp/demo/modules.pl:2

    ... and 8 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (--json lists them)

$ for to in folded json callgrind xdebug spaa pynytprof; do polyprof convert -q modules.out --to $(echo $to | sed s,json,spx,) -o m.$to 2>/dev/null; polyprof top -q --json m.$to 2>/dev/null | python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["format"], a["total"], a["functions"][0]["name"])'; done
  folded 9353 main::RUNTIME
  spx 935300 main::RUNTIME
  callgrind 935300 main::RUNTIME
  xdebug 935300 main::RUNTIME
  spaa 935300 main::RUNTIME
  pynytprof 935300 main::RUNTIME

Percentages are of what the timeline covers: the profiler's own time is not on it.

$ for part in 0%..50% 50%..100%; do polyprof top -q --time $part modules.out | head -1; done
  time: 468 µs in 7 functions
  time: 468 µs in 5 functions

Written as NYTProf it is counted once, from SPAA, from calls alone and merged with itself.

$ printf 'events: time\nfl=a.pl\nfn=main::even\n2 30\ncfn=main::odd\ncalls=4 3\n2 50\nfn=main::odd\n3 20\ncfn=main::even\ncalls=3 2\n3 40\nfn=main::RUNTIME\n1 10\ncfn=main::even\ncalls=1 2\n4 50\n' > cycle.callgrind; polyprof convert -q cycle.callgrind --to nytprof -o cycle.out; polyprof callers main::RUNTIME cycle.out
  main::RUNTIME: 2.67 µs in all, 1.00 µs by itself, 0 calls

    nothing calls it

$ polyprof convert -q m.spaa --to nytprof -o again.out && polyprof top -q -n 2 again.out
  time: 935 µs in 16 functions

      self  self%                 total  total%  calls  function       place
    487 µs  52.0%  ████████████  935 µs  100.0%      0  main::RUNTIME  /tmp/demo/modules.pl:1
    233 µs  24.9%  █████▊        236 µs   25.3%      0  Late::RUNTIME  /tmp/demo/lib/Late.pm:1

    ... and 9 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (--json lists them)

$ polyprof merge -q modules.out modules.out -o twice.nytprof 2>/dev/null; polyprof top -q -n 2 twice.nytprof
  time: 1.87 ms in 16 functions

      self  self%                  total  total%  calls  function       place
    973 µs  52.0%  ████████████  1.87 ms  100.0%      0  main::RUNTIME  /tmp/demo/modules.pl:1
    466 µs  24.9%  █████▊         472 µs   25.3%      0  Late::RUNTIME  /tmp/demo/lib/Late.pm:1

    ... and 9 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (--json lists them)

Xsubs and opcodes have no statements: their time is part of the line that calls them. What a file's own level calls stands under it, and is
not its self time. A sub that the levels of several files call is under each, with the calls that this one makes.

$ polyprof top levels.out -n 5
  time: 15.7 ms in 19 functions

       self  self%                  total  total%  calls  places  files  function              place
    5.47 ms  34.8%  ████████████  5.47 ms   34.8%      1       1      1  Inner::CORE:sselect
    4.20 ms  26.8%  █████████▎    4.20 ms   26.8%      1       1      1  Slow::CORE:sselect    /tmp/demo/levels/slow.pl
    2.47 ms  15.7%  █████▍        2.47 ms   15.7%      1       1      1  utf8::upgrade (xsub)
    1.76 ms  11.2%  ███▉          15.7 ms  100.0%      0                 main::RUNTIME         /tmp/demo/levels.pl:1
    1.63 ms  10.4%  ███▋          8.37 ms   53.3%      0                 Slow::RUNTIME         /tmp/demo/levels/slow.pl:1

    ... and 9 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (--json lists them)

$ polyprof tree levels.out --min 0
    total%    total     self  calls  function
    100.0%  15.7 ms                  (all)
    100.0%  15.7 ms  1.76 ms      0  └ main::RUNTIME (levels.pl:1)
     53.3%  8.37 ms  1.63 ms      0    ├ Slow::RUNTIME (slow.pl:1)
     26.8%  4.20 ms  4.20 ms      1    │ ├ Slow::CORE:sselect
     15.7%  2.47 ms  2.47 ms      1    │ ├ utf8::upgrade
      0.4%  56.4 µs  35.0 µs      2    │ ├ main::half (levels.pl:4)
      0.1%  21.4 µs  21.4 µs      2    │ │ └ main::third (levels.pl:5)
      0.1%  8.20 µs  7.50 µs      1    │ ├ Slow::BEGIN@2 (slow.pl:2)
     <0.1%   700 ns   700 ns      1    │ │ └ strict::import (strict.pm:60)
     <0.1%  4.40 µs  4.40 µs      1    │ └ main::third (levels.pl:5)
     35.2%  5.53 ms  51.7 µs      0    ├ Inner::RUNTIME (inner.pl:1)
     34.8%  5.47 ms  5.47 ms      1    │ ├ Inner::CORE:sselect
      0.1%  13.1 µs  7.30 µs      1    │ └ main::half (levels.pl:4)
     <0.1%  5.80 µs  5.80 µs      1    │   └ main::third (levels.pl:5)
      0.1%  18.3 µs  17.7 µs      0    ├ Line::RUNTIME (line.pl:1)
     <0.1%   600 ns   600 ns      1    │ └ Line::quick (line.pl:1)
      0.1%  16.3 µs  10.7 µs      2    ├ main::half (levels.pl:4)
     <0.1%  5.60 µs  5.60 µs      2    │ └ main::third (levels.pl:5)
      0.1%  11.8 µs  10.1 µs      1    ├ main::BEGIN@1 (levels.pl:1)
     <0.1%  1.70 µs  1.70 µs      1    │ └ strict::import (strict.pm:60)
     <0.1%  2.80 µs  2.80 µs      1    └ main::CORE:print

$ polyprof lines -n 0 --json levels.out | python3 -c 'import json, sys; a = json.load(sys.stdin)["lines"]; print(sum(l["cost"]["time"] for l in a), sum(l["cost"]["time"] for l in a if "slow.pl" in l["file"] and l["line"] != 2))'
  15707400 8302700

$ polyprof top -n 0 --json levels.out | python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["total"], sum(f["self"]["time"] for f in a["functions"])); print(sum(f["self"]["time"] for f in a["functions"] if f["name"] in ("Slow::RUNTIME", "Slow::CORE:sselect", "utf8::upgrade")))'
  15707400 15707400.0
  8302700

$ polyprof callees Slow::RUNTIME levels.out
  Slow::RUNTIME: 8.37 ms in all, 1.63 ms by itself, 0 calls
  calls

    total%    total  calls  function            called at
     26.8%  4.20 ms      1  Slow::CORE:sselect  /tmp/demo/levels/slow.pl:5
     15.7%  2.47 ms      1  utf8::upgrade       /tmp/demo/levels/slow.pl:7
      0.2%  38.0 µs      1  main::half          /tmp/demo/levels/slow.pl:8
      0.1%  18.4 µs      1  main::half          /tmp/demo/levels/slow.pl:11
      0.1%  8.20 µs      1  Slow::BEGIN@2       /tmp/demo/levels/slow.pl:2
     <0.1%  4.40 µs      1  main::third         (eval 1)[./levels/slow.pl:9]:1

$ polyprof callers main::half levels.out
  main::half: 85.8 µs in all, 53.0 µs by itself, 5 calls from 5 places in 3 files
  called by

    total%    total  calls  function        called at
      0.2%  38.0 µs      1  Slow::RUNTIME   /tmp/demo/levels/slow.pl:8
      0.1%  18.4 µs      1  Slow::RUNTIME   /tmp/demo/levels/slow.pl:11
      0.1%  13.1 µs      1  Inner::RUNTIME  /tmp/demo/levels/inner.pl:4
      0.1%  10.1 µs      1  main::RUNTIME   /tmp/demo/levels.pl:6
     <0.1%  6.20 µs      1  main::RUNTIME   /tmp/demo/levels.pl:8

$ polyprof callers main::BEGIN@1 levels.out
  main::BEGIN@1: 11.8 µs in all, 10.1 µs by itself, 1 call from 1 place in 1 file
  called by

    total%    total  calls  function       called at
      0.1%  11.8 µs      1  main::RUNTIME  /tmp/demo/levels.pl:1

$ polyprof callees main::RUNTIME levels.out -n 4
  main::RUNTIME: 15.7 ms in all, 1.76 ms by itself, 0 calls
  calls

    total%    total  calls  function        called at
     53.3%  8.37 ms      0  Slow::RUNTIME
     35.2%  5.53 ms      0  Inner::RUNTIME
      0.1%  18.3 µs      0  Line::RUNTIME
      0.1%  11.8 µs      1  main::BEGIN@1   /tmp/demo/levels.pl:1

    ... and 3 more (-n 0 shows all)

It is so in any part of the time, in a file that was merged, and in one that was written anew.

$ polyprof tree levels.out --time 0.01%..99.99% -q
    total%    total     self  calls  function
    100.0%  15.7 ms                  (all)
    100.0%  15.7 ms  1.76 ms      0  └ main::RUNTIME (levels.pl:1)
     53.3%  8.37 ms  1.63 ms      0    ├ Slow::RUNTIME (slow.pl:1)
     26.8%  4.20 ms  4.20 ms      1    │ ├ Slow::CORE:sselect
     15.7%  2.47 ms  2.47 ms      1    │ └ utf8::upgrade
     34.8%  5.47 ms  5.47 ms      1    └ Inner::RUNTIME › Inner::CORE:sselect

$ polyprof tree -q levels-merged.out 2>/dev/null
    total%    total     self  calls  function
    100.0%  31.7 ms                  (all)
    100.0%  31.7 ms  3.52 ms      0  └ main::RUNTIME (levels.pl:1)
     64.4%  20.4 ms  3.15 ms      0    ├ Slow::RUNTIME (slow.pl:1)
     38.9%  12.4 ms  12.4 ms      2    │ ├ Slow::CORE:sselect
     15.1%  4.79 ms  4.79 ms      2    │ └ utf8::upgrade
     23.8%  7.55 ms  7.55 ms      2    └ Inner::RUNTIME › Inner::CORE:sselect

$ polyprof merge -q levels.out levels.out -o levels.nytprof 2>/dev/null; polyprof tree -q levels.nytprof --depth 3; polyprof callers -q main::half levels.nytprof
    total%    total     self  calls  function
    100.0%  31.4 ms                  (all)
    100.0%  31.4 ms  3.55 ms      0  └ main::RUNTIME (levels.pl:1)
     53.3%  16.7 ms  3.27 ms      0    ├ Slow::RUNTIME (slow.pl:1)
     26.8%  8.41 ms  8.41 ms      2    │ ├ Slow::CORE:sselect
     15.7%  4.93 ms  4.93 ms      2    │ └ utf8::upgrade
     34.8%  10.9 ms  10.9 ms      2    └ Inner::RUNTIME › Inner::CORE:sselect
  main::half: 172 µs in all, 106 µs by itself, 10 calls from 5 places in 3 files
  called by

    total%    total  calls  function        called at
      0.2%  76.0 µs      2  Slow::RUNTIME   /tmp/demo/levels/slow.pl:8
      0.1%  36.8 µs      2  Slow::RUNTIME   /tmp/demo/levels/slow.pl:11
      0.1%  26.2 µs      2  Inner::RUNTIME  /tmp/demo/levels/inner.pl:4
      0.1%  20.2 µs      2  main::RUNTIME   /tmp/demo/levels.pl:6
     <0.1%  12.4 µs      2  main::RUNTIME   /tmp/demo/levels.pl:8

$ polyprof convert -q levels.out --to folded -o - | grep -E 'half|sselect'
  main::RUNTIME;Inner::RUNTIME;Inner::CORE:sselect 54662
  main::RUNTIME;Inner::RUNTIME;main::half 73
  main::RUNTIME;Inner::RUNTIME;main::half;main::third 58
  main::RUNTIME;Slow::RUNTIME;Slow::CORE:sselect 42031
  main::RUNTIME;Slow::RUNTIME;main::half 350
  main::RUNTIME;Slow::RUNTIME;main::half;main::third 214
  main::RUNTIME;main::half 107
  main::RUNTIME;main::half;main::third 56

Where no returns are kept there are no stacks, but the same rows; main::RUNTIME has all of the time.

$ polyprof top levels-calls0.out -n 6
  time: 18.6 ms in 18 functions

       self  self%                  total  total%  calls  places  files  function              place
    8.43 ms  45.4%  ████████████  8.43 ms   45.4%      1       1      1  Inner::CORE:sselect
    4.23 ms  22.8%  ██████        4.23 ms   22.8%      1       1      1  Slow::CORE:sselect    /tmp/demo/levels/slow.pl
    2.32 ms  12.5%  ███▎          2.32 ms   12.5%      1       1      1  utf8::upgrade (xsub)
    1.76 ms   9.5%  ██▌           18.6 ms  100.0%      0                 main::RUNTIME         /tmp/demo/levels.pl:1
    1.68 ms   9.0%  ██▍           8.30 ms   44.7%      0                 Slow::RUNTIME         /tmp/demo/levels/slow.pl:1
    53.8 µs   0.3%  ▏             85.0 µs    0.5%      5       5      3  main::half            /tmp/demo/levels.pl:4

    ... and 7 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (--json lists them)

$ polyprof tree -q levels-calls0.out
    total%    total     self  function
    100.0%  18.6 ms           (all)
    100.0%  18.6 ms  1.76 ms  └ main::RUNTIME (levels.pl:1)
     45.4%  8.43 ms  8.43 ms    ├ Inner::RUNTIME › Inner::CORE:sselect
     44.7%  8.30 ms  1.68 ms    └ Slow::RUNTIME (slow.pl:1)
     22.8%  4.23 ms  4.23 ms      ├ Slow::CORE:sselect
     12.5%  2.32 ms  2.32 ms      └ utf8::upgrade

What Perl people look for: how deep a sub recurses and what that took, from how many places and files it is called, what is no Perl.

$ polyprof callers deep modules.out
  Early::deep: 11.5 µs in all, 11.5 µs by itself, 10 calls from 2 places in 2 files, 5 levels of recursion (20.0 µs)
  called by

    total%    total  calls  function                 called at
      1.2%  11.5 µs      2  main::RUNTIME            /tmp/demo/modules.pl:3
      0.0%     0 ns      8  Early::deep (recursive)  /tmp/demo/lib/Early.pm:5

$ polyprof callers CORE:print modules.out
  main::CORE:print: 4.60 µs in all, 4.60 µs by itself, 1 call from 1 place in 1 file, an opcode
  called by

    total%    total  calls  function       called at
      0.5%  4.60 µs      1  main::RUNTIME  /tmp/demo/modules.pl:8

$ polyprof top --json -n 0 modules.out | python3 -c 'import json, sys; keys = ("recursion_depth", "recursive_total", "places", "files", "kind"); [print(f["name"], {k: f[k] for k in keys if k in f}) for f in json.load(sys.stdin)["functions"] if f["calls"] > 1 or "kind" in f or "RUNTIME" in f["name"]]'
  main::RUNTIME {}
  Late::RUNTIME {}
  Early::deep {'recursion_depth': 5, 'recursive_total': {'time': 19999.999999999996}, 'places': 2, 'files': 2}
  main::CORE:print {'recursion_depth': 0, 'places': 1, 'files': 1, 'kind': 'opcode'}
  Late::more {'recursion_depth': 0, 'places': 2, 'files': 2}
  strict::import {'recursion_depth': 0, 'places': 2, 'files': 2}
  main::__ANON__ {'recursion_depth': 0, 'places': 1, 'files': 1, 'kind': 'xsub'}

$ polyprof top --json -n 4 again.out | python3 -c 'import json, sys; print(json.load(sys.stdin)["functions"][3])'
  {'name': 'Early::deep', 'file': '/tmp/demo/lib/Early.pm', 'line': 5, 'calls': 10, 'self': {'time': 11500}, 'total': {'time': 11500}, 'recursion_depth': 5, 'recursive_total': {'time': 19999.999999999996}, 'places': 2, 'files': 2}

How long it was recorded, what of that was the profiler's, and how many statements each file executed; functions are counted as in top.

$ polyprof info modules.out | grep -E '^  (time|holds|statements)'
    time          82.7 ms, of which the program took 935 µs and the profiler itself 7.52 ms
    holds         20 events, 18 stacks, 16 functions, 12 edges, 19 lines
    statements    5,344 in 4 files

$ polyprof info --json modules.out | python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["counts"]["functions"], a["time"], a["overhead"], a["statements"]); [print(f) for f in a["files"]]'
  16 {'start': 0, 'end': 82664013, 'unit': 'ns'} 7515500 5344
  {'file': '/tmp/demo/modules.pl', 'statements': 1510, 'cost': 450600}
  {'file': '/tmp/demo/lib/Early.pm', 'statements': 1025, 'cost': 153800}
  {'file': '/tmp/demo/lib/Late.pm', 'statements': 2006, 'cost': 241100}
  {'file': '(eval 1)[modules.pl:6]', 'statements': 803, 'cost': 89800}

The size of a report is that of both its files.

$ polyprof info closures.json | grep size; polyprof info --json closures.json closures.txt.zst | python3 -c 'import json, sys; print([f["size"] for f in json.load(sys.stdin)["files"]])'; cat closures.json closures.txt.zst | wc -c
    size          1.23 KiB
  [1263, 1263]
  1263

Nobody calls code outside of subs: what comes next is whom it calls, and the lines.

$ polyprof level.out | grep costliest
    what the costliest calls     polyprof callees main::RUNTIME level.out

$ polyprof callers main::RUNTIME level.out
  main::RUNTIME: 410 µs in all, 380 µs by itself, 0 calls

    nothing calls it

A sub whose total Perl counts twice, of closures that call each other, stays as it is when all of the time is asked for.

$ polyprof top -q -n 2 closures.out; for time in 0%..100% 0%.. ..100% 0ms..10s; do polyprof top -q -n 0 --json --time $time closures.out | cmp - <(polyprof top -q -n 0 --json closures.out); done
  time: 93.1 µs in 4 functions

       self  self%                  total  total%  calls  places  files  function                       place
    41.8 µs  44.9%  ████████████   142 µs             12       2      1  main::__ANON__[closures.pl:4]  /home/demo/closures.pl:4
    36.7 µs  39.4%  ██████████▌   36.7 µs   39.4%     12       2      1  main::make (recursion 5)       /home/demo/closures.pl:1

    ... and 1 more function (-n 0 shows all)
    ... and 1 function that costs nothing (--json lists it)
