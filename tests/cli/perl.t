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

    ... and 5 functions that cost nothing (-n 0 shows them)

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
     233 µs  24.9%  █████▊         233 µs   24.9%      0                 Late::RUNTIME              /tmp/demo/lib/Late.pm:1
     174 µs  18.6%  ████▎          180 µs   19.3%      1       1      1  main::BEGIN@2              /tmp/demo/modules.pl:2
    11.5 µs   1.2%  ▎             11.5 µs    1.2%     10       2      2  Early::deep (recursion 5)  /tmp/demo/lib/Early.pm:5
    11.2 µs   1.2%  ▎             13.0 µs    1.4%      1       1      1  main::BEGIN@1              /tmp/demo/modules.pl:1
    5.50 µs   0.6%  ▏             5.90 µs    0.6%      1       1      1  Early::BEGIN@2             /tmp/demo/lib/Early.pm:2

    ... and 5 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (-n 0 shows them)

$ polyprof tree modules.out --min 0 --depth 2
    total%    total     self  calls  function
    100.0%   935 µs                  (all)
    100.0%   935 µs   487 µs      0  └ main::RUNTIME (modules.pl:1)
     24.9%   233 µs   233 µs      0    ├ Late::RUNTIME (Late.pm:1)
     19.3%   180 µs   174 µs      1    ├ main::BEGIN@2 (modules.pl:2)
      0.7%  6.10 µs                    │ └ (2 more)
      1.4%  13.0 µs  11.2 µs      1    ├ main::BEGIN@1 (modules.pl:1)
      0.2%  1.80 µs  1.80 µs      1    │ └ strict::import (strict.pm:60)
      1.2%  11.5 µs  11.5 µs     10    ├ Early::deep (recursive) (Early.pm:5)
      0.5%  4.60 µs  4.60 µs      1    ├ main::CORE:print
      0.4%  3.70 µs  3.70 µs      2    ├ Late::more (Late.pm:4)
      0.3%  2.80 µs  2.80 µs      1    └ main::made ((eval 1)[modules.pl:6]:1)

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
    233 µs  24.9%  █████▊        233 µs   24.9%      0                 Late::RUNTIME  /tmp/demo/lib/Late.pm:1
    174 µs  18.6%  ████▎         180 µs   19.3%      1       1      1  main::BEGIN@2  /tmp/demo/modules.pl:2

    ... and 8 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (-n 0 shows them)

$ for to in folded json callgrind xdebug spaa pynytprof; do polyprof convert -q modules.out --to $(echo $to | sed s,json,spx,) -o m.$to 2>/dev/null; polyprof top -q --json m.$to 2>/dev/null | python3 -c 'import json, sys; a = json.load(sys.stdin); print(a["format"], a["total"], a["functions"][0]["name"])'; done
  folded 9353 main::RUNTIME
  spx 935300 main::RUNTIME
  callgrind 935300 main::RUNTIME
  xdebug 935300 main::RUNTIME
  spaa 935300 main::RUNTIME
  pynytprof 935300 main::RUNTIME

Written as NYTProf it is counted once, from SPAA and merged with itself.

$ polyprof convert -q m.spaa --to nytprof -o again.out && polyprof top -q -n 2 again.out
  time: 935 µs in 16 functions

      self  self%                 total  total%  calls  function       place
    487 µs  52.0%  ████████████  935 µs  100.0%      0  main::RUNTIME  /tmp/demo/modules.pl:1
    233 µs  24.9%  █████▊        233 µs   24.9%      0  Late::RUNTIME  /tmp/demo/lib/Late.pm:1

    ... and 9 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (-n 0 shows them)

$ polyprof merge -q modules.out modules.out -o twice.nytprof 2>/dev/null; polyprof top -q -n 2 twice.nytprof
  time: 1.87 ms in 16 functions

      self  self%                  total  total%  calls  function       place
    973 µs  52.0%  ████████████  1.87 ms  100.0%      0  main::RUNTIME  /tmp/demo/modules.pl:1
    466 µs  24.9%  █████▊         466 µs   24.9%      0  Late::RUNTIME  /tmp/demo/lib/Late.pm:1

    ... and 9 more functions (-n 0 shows all)
    ... and 5 functions that cost nothing (-n 0 shows them)

What Perl people look for: how deep a sub recurses and what that took, from how many places and files it is called, what is no Perl.

$ polyprof callers deep modules.out
  Early::deep: 11.5 µs in all, 11.5 µs by itself, 10 calls from 2 places in 2 files, 5 levels of recursion (20.0 µs)
  called by

    total%    total  calls  function                 called at
      1.2%  11.5 µs      2  main::RUNTIME            /tmp/demo/modules.pl:3
               0 ns      8  Early::deep (recursive)  /tmp/demo/lib/Early.pm:5

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
    holds         20 events, 17 stacks, 16 functions, 12 edges, 19 lines
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
    ... and 1 function that costs nothing (-n 0 shows it)
