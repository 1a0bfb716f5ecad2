# Metrics that fall

Memory that is given back is told apart from memory that was gained. Shares are of what was gained: none exceeds 100 %.

$ polyprof top -m zm pool.json
  memory in use: 0 B net, 15.9 KiB gained, 15.9 KiB given back in 4 functions

      gained  gained%                given back        net  net total  total%  calls  self wall time  function
    15.6 KiB    98.2%  ████████████         0 B   15.6 KiB   15.6 KiB   98.2%      2           80 ns  fill
       200 B     1.2%  ▏               1.27 KiB  -1.07 KiB        0 B  100.0%      1           65 ns  /app/pool.php
         0 B     0.0%                  6.84 KiB  -6.84 KiB  -6.84 KiB    0.0%      1           15 ns  release
       100 B     0.6%  ▏               7.81 KiB  -7.71 KiB   7.91 KiB   98.8%      2           40 ns  build

$ polyprof top -m zm --sort gained --csv pool.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  fill,,,,2,80,80,16000,16000,16000,0
  /app/pool.php,,,,1,65,200,-1100,0,200,1300
  build,,,,2,40,120,-7900,8100,100,8000
  release,,,,1,15,15,-7000,-7000,0,7000

$ polyprof top --json -n 1 -m zm pool.json
  {"format": "spx", "complete": true, "metric": "zm", "unit": "bytes", "units": {"wt": "ns", "zm": "bytes"}, "total": 0, "gained": 16300, "given_back": 16300, "estimated": false, "functions": [{"name": "fill", "calls": 2, "self": {"wt": 80, "zm": 16000}, "total": {"wt": 80, "zm": 16000}, "gained": {"zm": 16000}, "given_back": {"zm": 0}}], "count": 4}

$ polyprof info --json pool.json | grep -o '"metrics": [^]]*]'
  "metrics": [{"name": "wt", "unit": "ns", "total": 200, "key": "wt", "title": "wall time"}, {"name": "zm", "unit": "bytes", "total": 0, "key": "zm", "title": "memory in use", "falls": true}]

$ polyprof tree -m zm pool.json
    total%    gained  given back       net   net self  calls  function
    100.0%  15.9 KiB    15.9 KiB       0 B                    (all)
    100.0%  15.9 KiB    15.9 KiB       0 B  -1.07 KiB      1  └ /app/pool.php
     98.8%  15.7 KiB    7.81 KiB  7.91 KiB  -7.71 KiB      2    └ build
     98.2%  15.6 KiB         0 B  15.6 KiB   15.6 KiB      2      └ fill

$ polyprof tree --json -m zm --depth 1 pool.json
  {"format": "spx", "complete": true, "metric": "zm", "unit": "bytes", "units": {"wt": "ns", "zm": "bytes"}, "total": 0, "estimated": false, "root": {"name": "", "self": {"wt": 0, "zm": 0}, "total": {"wt": 200, "zm": 0}, "gained": {"zm": 0}, "given_back": {"zm": 0}, "children": [{"name": "/app/pool.php", "calls": 1, "self": {"wt": 65, "zm": -1100}, "total": {"wt": 200, "zm": 0}, "gained": {"zm": 200}, "given_back": {"zm": 1300}, "children": []}]}}

$ polyprof callers -m zm fill pool.json
  fill: 15.6 KiB in all, 15.6 KiB by itself, 2 calls
  called by

    total%    gained  given back       net  calls  function
     98.2%  15.6 KiB         0 B  15.6 KiB      2  build

$ polyprof -m zm pool.json | sed -n '/Costliest/,/^$/p;/Hottest/,$p' | head -11
  Costliest functions
      gained  gained%                given back        net  net total  total%  calls  self wall time  function
    15.6 KiB    98.2%  ████████████         0 B   15.6 KiB   15.6 KiB   98.2%      2           80 ns  fill
       200 B     1.2%  ▏               1.27 KiB  -1.07 KiB        0 B  100.0%      1           65 ns  /app/pool.php
         0 B     0.0%                  6.84 KiB  -6.84 KiB  -6.84 KiB    0.0%      1           15 ns  release
       100 B     0.6%  ▏               7.81 KiB  -7.71 KiB   7.91 KiB   98.8%      2           40 ns  build

  Hottest path
    100.0%  /app/pool.php
     98.8%   build
     98.2%    fill

$ polyprof flame -m zm pool.json -o - | grep -o '<title>[^<]*</title>'
  <title>all (16,300 bytes, 100.00%)</title>
  <title>/app/pool.php (16,300 bytes, 100.00%)</title>
  <title>build (16,100 bytes, 98.77%)</title>
  <title>fill (16,000 bytes, 98.16%)</title>

Part of the time, a filter, a group and two files: each has its own gains.

$ polyprof top -m zm --time 0..80ns --csv -q pool.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  fill,,,,1,40,40,8000,8000,8000,0
  /app/pool.php,,,,1,20,80,200,8200,200,0
  build,,,,1,20,60,0,8000,0,0

$ polyprof top -m zm --focus release --csv -q pool.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  /app/pool.php,,,,1,0,15,0,-7000,0,0
  release,,,,1,15,15,-7000,-7000,0,7000

$ polyprof top -m Memory --by file --csv memory.xt
  name,file,line,module,calls,self_Time,total_Time,self_Memory,total_Memory,gained_Memory,given_back_Memory
  php:internal,,,,4,597000,597000,1425464,1425464,1425464,0
  /srv/sample/callgrind/src/php/memory.php,,,,7,56000,657000,-1159136,266328,32,1159168

$ polyprof top -m zm --csv -n 1 pool.json pool.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  fill,,,,4,160,160,32000,32000,32000,0
! polyprof: 2 files, merged; what changed between them: polyprof diff pool.json pool.json

Xdebug records the memory of each call.

$ polyprof top -m Memory memory.xt
  memory: 260 KiB net, 1.36 MiB gained, 1.11 MiB given back in 6 functions

      gained  gained%                given back        net  net total  total%  calls  self time  function         place
    1.11 MiB    81.3%  ████████████         0 B   1.11 MiB   1.11 MiB   81.3%      3     592 µs  php::str_repeat  php:internal
     260 KiB    18.7%  ██▊                  0 B    260 KiB    260 KiB   18.7%      1    5.00 µs  php::range       php:internal
        32 B    <0.1%                       0 B       32 B    260 KiB  100.0%      1    27.0 µs  {main}           /srv/sample/callgrind/src/php/memory.php:1
         0 B     0.0%                       0 B        0 B   1.11 MiB   81.3%      3    21.0 µs  alloc            /srv/sample/callgrind/src/php/memory.php:2
         0 B     0.0%                  52.0 KiB  -52.0 KiB        0 B   10.9%      1    7.00 µs  churn            /srv/sample/callgrind/src/php/memory.php:4
         0 B     0.0%                  1.05 MiB  -1.05 MiB  -1.05 MiB    0.0%      2    1.00 µs  freeit           /srv/sample/callgrind/src/php/memory.php:3

$ polyprof tree -m Memory memory.xt
    total%    gained  given back      net  net self  calls  function
    100.0%  1.36 MiB    1.11 MiB  260 KiB                   (all)
    100.0%  1.36 MiB    1.11 MiB  260 KiB      32 B      1  └ {main} (memory.php:1)
     70.4%   980 KiB         0 B  980 KiB   980 KiB      1    ├ alloc › php::str_repeat
     18.7%   260 KiB         0 B  260 KiB   260 KiB      1    ├ php::range
     10.9%   152 KiB         0 B  152 KiB   152 KiB      2    └ churn › alloc › php::str_repeat

Xdebug 3.2 writes no self cost below 0: what a function gave back is only in what its calls came to.

$ cat > clamped.xt <<X
> version: 1
> creator: xdebug 3.2.0 (PHP 8.2.0)
> cmd: /app/a.php
> part: 1
> positions: line
> 
> events: Time_(10ns) Memory_(bytes)
> 
> fl=(1) php:internal
> fn=(1) php::str_repeat
> 2 10 4096
> 
> fl=(2) /app/a.php
> fn=(2) churn
> 4 20 0
> cfl=(1)
> cfn=(1)
> calls=1 0 0
> 2 10 4096
> 
> fl=(1)
> fn=(3) php::range
> 5 10 1024
> 
> fl=(2)
> fn=(4) {main}
> 1 30 0
> cfl=(2)
> cfn=(2)
> calls=1 0 0
> 4 30 0
> cfl=(1)
> cfn=(3)
> calls=1 0 0
> 5 10 1024
> 
> summary: 70 5120
> 
> X
$ polyprof top -m 'Memory_(bytes)' clamped.xt
  memory: 1.00 KiB net, 5.00 KiB gained, 4.00 KiB given back (4.00 KiB of it by no function itself) in 4 functions

      gained  gained%                given back       net  net total  total%  calls  self time  function         place
    4.00 KiB    80.0%  ████████████         0 B  4.00 KiB   4.00 KiB   80.0%      1     100 ns  php::str_repeat  php:internal
    1.00 KiB    20.0%  ███                  0 B  1.00 KiB   1.00 KiB   20.0%      1     100 ns  php::range       php:internal
         0 B     0.0%                       0 B       0 B   1.00 KiB  100.0%      1     300 ns  {main}           /app/a.php:1
         0 B     0.0%                       0 B       0 B        0 B   80.0%      1     200 ns  churn            /app/a.php:4
$ polyprof tree -m 'Memory_(bytes)' clamped.xt
    total%    gained  given back       net  net self  calls  function
    100.0%  5.00 KiB    4.00 KiB  1.00 KiB                   (all)
    100.0%  5.00 KiB    4.00 KiB  1.00 KiB                1  └ {main} (a.php:1)
     80.0%  4.00 KiB         0 B  4.00 KiB  4.00 KiB      1    ├ churn › php::str_repeat
     20.0%  1.00 KiB         0 B  1.00 KiB  1.00 KiB      1    └ php::range
$ polyprof tree -m 'Memory_(bytes)' --json --depth 1 clamped.xt
  {"format": "xdebug", "complete": true, "metric": "Memory_(bytes)", "unit": "bytes", "units": {"Time_(10ns)": "ns", "Memory_(bytes)": "bytes"}, "total": 1024, "estimated": false, "root": {"name": "", "self": {"Time_(10ns)": 0, "Memory_(bytes)": 0}, "total": {"Time_(10ns)": 700, "Memory_(bytes)": 1024}, "gained": {"Memory_(bytes)": 0}, "given_back": {"Memory_(bytes)": 0}, "children": [{"name": "{main}", "file": "/app/a.php", "line": 1, "calls": 1, "self": {"Time_(10ns)": 300, "Memory_(bytes)": 0}, "total": {"Time_(10ns)": 700, "Memory_(bytes)": 1024}, "gained": {"Memory_(bytes)": 0}, "given_back": {"Memory_(bytes)": 0}, "children": []}]}}

$ polyprof callers -m Memory alloc memory.xt
  alloc: 1.11 MiB in all, 0 B by itself, 3 calls
  called by

    total%   gained  given back      net  calls  function  called at
     70.4%  980 KiB         0 B  980 KiB      1  {main}    /srv/sample/callgrind/src/php/memory.php:5
     10.9%  152 KiB         0 B  152 KiB      2  churn     /srv/sample/callgrind/src/php/memory.php:4

$ polyprof top -m Memory --focus churn --csv -q memory.xt
  name,file,line,module,calls,self_Time,total_Time,self_Memory,total_Memory,gained_Memory,given_back_Memory
  php::str_repeat,php:internal,,,2,78000,78000,155648,155648,155648,0
  alloc,/srv/sample/callgrind/src/php/memory.php,2,,2,7000,85000,0,155648,0,0
  {main},/srv/sample/callgrind/src/php/memory.php,1,,1,0,93000,0,0,0,0
  churn,/srv/sample/callgrind/src/php/memory.php,4,,1,7000,93000,-53248,0,0,53248
  freeit,/srv/sample/callgrind/src/php/memory.php,3,,1,1000,1000,-102400,-102400,0,102400

Stacks, graphs, limits and series of files are of what was gained, too.

$ polyprof traces -m zm pool.json
      gained  gained%  given back        net  stack, from the leaf
    15.6 KiB    98.2%         0 B   15.6 KiB  fill ‹ build ‹ /app/pool.php
       200 B     1.2%    1.27 KiB  -1.07 KiB  /app/pool.php
         0 B     0.0%    6.84 KiB  -6.84 KiB  release ‹ /app/pool.php
       100 B     0.6%    7.81 KiB  -7.71 KiB  build ‹ /app/pool.php
$ polyprof traces --json -n 1 -m zm pool.json
  {"format": "spx", "complete": true, "metric": "zm", "unit": "bytes", "total": 0, "estimated": false, "traces": [{"stack": ["/app/pool.php","build","fill"], "self": {"wt": 80, "zm": 16000}, "gained": {"zm": 16000}, "given_back": {"zm": 0}}], "count": 4}
$ polyprof traces --csv -n 2 -m zm pool.json
  stack,labels,self_wt,self_zm,gained_zm,given_back_zm
  /app/pool.php;build;fill,,80,16000,16000,0
  /app/pool.php,,65,-1100,200,1300
$ polyprof graph -m zm pool.json | grep -o '^.n[1-4].*label="[^"]*"'
  \tn1 [function="/app/pool.php" calls="1" self="-1100" total="0" gained="200" given_back="1300" label="/app/pool.php\\nself -1.07 KiB (1.2% of all gained)\\ntotal 0 B (100.0% of all gained)" (esc)
  \tn2 [function="build" calls="2" self="-7900" total="8100" gained="100" given_back="8000" label="build\\nself -7.71 KiB (0.6% of all gained)\\ntotal 7.91 KiB (98.8% of all gained)" (esc)
  \tn3 [function="fill" calls="2" self="16000" total="16000" gained="16000" given_back="0" label="fill\\nself 15.6 KiB (98.2% of all gained)\\ntotal 15.6 KiB (98.2% of all gained)" (esc)
  \tn4 [function="release" calls="1" self="-7000" total="-7000" gained="0" given_back="7000" label="release\\nself -6.84 KiB (0.0% of all gained)\\ntotal -6.84 KiB (0.0% of all gained)" (esc)
  \tn1 -> n2 [calls="2" total="8100" label="\xc2\xa0\xc2\xa098.8%\xc2\xa0\xc2\xa0\\n\xc2\xa0\xc2\xa02\xc3\x97\xc2\xa0\xc2\xa0" (esc)
  \tn1 -> n4 [calls="1" total="-7000" label="\xc2\xa0\xc2\xa01\xc3\x97\xc2\xa0\xc2\xa0" (esc)
  \tn2 -> n3 [calls="2" total="16000" label="\xc2\xa0\xc2\xa098.2%\xc2\xa0\xc2\xa0\\n\xc2\xa0\xc2\xa02\xc3\x97\xc2\xa0\xc2\xa0" (esc)
$ polyprof graph --json -m zm pool.json | grep -o '"functions": .*"edges"'
  "functions": [{"name": "/app/pool.php", "calls": 1, "self": {"zm": -1100}, "total": {"zm": 0}, "gained": {"zm": 200}, "given_back": {"zm": 1300}}, {"name": "build", "calls": 2, "self": {"zm": -7900}, "total": {"zm": 8100}, "gained": {"zm": 100}, "given_back": {"zm": 8000}}, {"name": "fill", "calls": 2, "self": {"zm": 16000}, "total": {"zm": 16000}, "gained": {"zm": 16000}, "given_back": {"zm": 0}}, {"name": "release", "calls": 1, "self": {"zm": -7000}, "total": {"zm": -7000}, "gained": {"zm": 0}, "given_back": {"zm": 7000}}], "edges"
$ polyprof gate pool.json pool.json -m zm --fail-if 'self(build) > 1%' --fail-if 'total(build) > 50%'
  pass  self(build) > 1%
  FAIL  total(build) > 50%
          build: 7.91 KiB before, 7.91 KiB after (+0.0%)
  exact counts: every difference is real
= 1
$ polyprof flame -m zm pool.json pool.json -o - | grep -o '<title>all[^<]*'
  <title>all (16,300 bytes, 100.00%)&#10;before 16,300, total +0, self +0
$ polyprof -m zm pool.json | sed -n '/^Next/,$p'
  Next steps
    functions by total cost      polyprof top -m zm --sort total pool.json
    the call tree, from the top  polyprof tree -m zm pool.json
    who calls the costliest      polyprof callers -m zm fill pool.json
    what else the file holds     polyprof info pool.json
    an interactive flame graph   polyprof flame -m zm pool.json -o flame.svg
    all views in one page        polyprof report -m zm pool.json -o report.html
$ polyprof -m zm,wt pool.json | sed -n '/^Next/,$p' | head -3
  Next steps
    functions by total cost      polyprof top -m zm --sort total pool.json
    the call tree, from the top  polyprof tree -m zm pool.json
$ polyprof flame --flamechart -m zm pool.json -o - | grep -o '<title>all[^<]*'
  <title>all (200 ns, 100.00%)
! polyprof: a flame chart is drawn by time, so memory in use gives no frame its width; `flame` without --flamechart draws it, `report` shows its curve over time
$ polyprof flame --flamechart -m wt pool.json -o - | grep -o '<title>all[^<]*'
  <title>all (200 ns, 100.00%)
$ polyprof flame --flamechart -m nix pool.json -o -
! polyprof: error: no metric 'nix' in this profile; it has wt (wall time), zm (memory in use)
= 2

Comparisons and conversions are of what is left; the share of a difference is of what was gained.

$ polyprof diff -m zm --json -n 1 pool.json pool.json
  {"metric": "zm", "unit": "bytes", "normalized": false, "before": {"total": 0, "metric": "zm"}, "after": {"total": 0, "metric": "zm"}, "estimated": false, "status": "same", "rule": "exact counts: every difference is real", "functions": [{"name": "/app/pool.php", "before": {"self": -1100, "total": 0, "gained": 200, "given_back": 1300, "calls": 1}, "after": {"self": -1100, "total": 0, "gained": 200, "given_back": 1300, "calls": 1}, "delta": {"self": 0, "total": 0}, "change": {"self": 0, "total": null}, "share": {"self": 0, "total": 0}, "status": "same", "status_total": "same"}], "count": 4}

$ polyprof convert -m zm pool.json --to folded -o -
  /app/pool.php 0
  /app/pool.php;build 0
  /app/pool.php;build;fill 16000
  /app/pool.php;release 0
! standard output: warning: not written: counts of calls (4) [loss-calls]
! standard output: warning: not written: steps up and down of metrics that fall (2) [loss-gains]
! standard output: warning: not written: events in their order [loss-timeline]
! standard output: warning: not written: start and end of the recording [loss-time]
! standard output: warning: not written: the day of the recording [loss-recorded]
! standard output: warning: not written: metadata (18) [loss-metadata]
! standard output: warning: not written: metrics (wt) [loss-metrics]
! standard output: warning: zm is written as samples [loss-units]
! standard output: warning: changed to fit: values (3 negative ones written as 0) [loss-values]

Where a file holds no steps, what was gained is not known, and not made up; shares are of what is left of those that have some.

$ polyprof top -m mu --json -n 1 run.xhprof.json
  {"format": "xhprof", "complete": true, "metric": "mu", "unit": "bytes", "units": {"wt": "ns", "cpu": "ns", "mu": "bytes", "pmu": "bytes"}, "total": 11728, "estimated": false, "functions": [{"name": "md5", "calls": 60, "self": {"wt": 53000, "cpu": 53000, "mu": 3968, "pmu": 0}, "total": {"wt": 53000, "cpu": 53000, "mu": 3968, "pmu": 0}}], "count": 40}
$ polyprof top -m mu -n 2 run.xhprof.json
  memory in use: 11.5 KiB in 40 functions

         net  self%                net total  total%  calls  self wall time  self CPU time  self peak memory  function
    3.88 KiB  32.8%  ████████████   3.88 KiB   32.8%     60         53.0 µs        53.0 µs               0 B  md5
    1.46 KiB  12.4%  ████▌          5.71 KiB   48.3%      1         51.0 µs        52.0 µs               0 B  App\Work\words

    ... and 38 more functions (-n 0 shows all)
$ polyprof tree -m mu --json --depth 1 run.xhprof.json
  {"format": "xhprof", "complete": true, "metric": "mu", "unit": "bytes", "units": {"wt": "ns", "cpu": "ns", "mu": "bytes", "pmu": "bytes"}, "total": 11728, "estimated": true, "root": {"name": "", "self": {"wt": 0, "cpu": 0, "mu": 0, "pmu": 0}, "total": {"wt": 1455000, "cpu": 1454000, "mu": 11728, "pmu": 0}, "children": [{"name": "App\\Work\\main", "self": {"wt": 18000, "cpu": 20000, "mu": -376, "pmu": 0}, "total": {"wt": 1449000, "cpu": 1450000, "mu": 11504, "pmu": 0}, "children": []}, {"name": "tideways_xhprof_disable", "self": {"wt": 1000, "cpu": 1000, "mu": 128, "pmu": 0}, "total": {"wt": 1000, "cpu": 1000, "mu": 128, "pmu": 0}, "children": []}, {"name": "main()", "self": {"wt": 5000, "cpu": 3000, "mu": 96, "pmu": 0}, "total": {"wt": 5000, "cpu": 3000, "mu": 96, "pmu": 0}, "children": []}]}}
! polyprof: this profile knows which function called which, but not whole stacks, so they are estimated: at least 94.0% of the cost is on stacks that are certain

In trees nobody has less than those that they call.

$ printf '{"main()==>f":{"ct":1,"wt":10,"mu":5000},"main()==>g":{"ct":1,"wt":20,"mu":-4500},"main()":{"ct":1,"wt":40,"mu":1000}}' > x.xhprof
$ polyprof tree -q -m mu x.xhprof
    total%       net  net self  function
    100.0%   1,000 B            (all)
    100.0%   1,000 B     500 B  └ main()
     90.9%  4.88 KiB  4.88 KiB    └ f
$ polyprof -q -m mu x.xhprof | sed -n '/^Hottest/,+2p'
  Hottest path (estimated from single calls)
    100.0%  main()
     90.9%   f
$ polyprof flame -q -m mu x.xhprof -o - | grep -o '<title>[^<]*'
  <title>all (5,500 bytes, 100.00%)
  <title>main() (5,500 bytes, 100.00%)
  <title>f (5,000 bytes, 90.91%)
$ polyprof graph -q -m mu x.xhprof | grep -o '^.n[1-4].*label="[^"]*"'
  \tn1 [function="f" calls="1" self="5000" total="5000" label="f\\nself 4.88 KiB (90.9% of all gained)\\ntotal 4.88 KiB (90.9% of all gained)" (esc)
  \tn2 [function="g" calls="1" self="-4500" total="-4500" label="g\\nself -4.39 KiB (0.0% of all gained)\\ntotal -4.39 KiB (0.0% of all gained)" (esc)
  \tn3 [function="main()" calls="1" self="500" total="1000" label="main()\\nself 500 B (9.1% of all gained)\\ntotal 1,000 B (18.2% of all gained)" (esc)
  \tn3 -> n1 [calls="1" total="5000" label="\xc2\xa0\xc2\xa090.9%\xc2\xa0\xc2\xa0\\n\xc2\xa0\xc2\xa01\xc3\x97\xc2\xa0\xc2\xa0" (esc)
  \tn3 -> n2 [calls="1" total="-4500" label="\xc2\xa0\xc2\xa01\xc3\x97\xc2\xa0\xc2\xa0" (esc)
$ polyprof traces -q -m mu x.xhprof
          net  self%  stack, from the leaf
     4.88 KiB  90.9%  f ‹ main()
        500 B   9.1%  main()
    -4.39 KiB   0.0%  g ‹ main()
$ rm x.xhprof

What a call of Xdebug's gained is what was gained below it, also where all of it was given back on return.

$ cat > tmp.xt <<X
> version: 1
> creator: xdebug 3.2.0 (PHP 8.2.0)
> cmd: /app/t.php
> part: 1
> positions: line
> 
> events: Time_(10ns) Memory_(bytes)
> 
> fl=(1) php:internal
> fn=(1) php::str_repeat
> 2 10 4000
> 
> fl=(2) /app/t.php
> fn=(2) tmp
> 2 5 0
> cfl=(1)
> cfn=(1)
> calls=1 0 0
> 2 10 4000
> 
> fl=(2)
> fn=(3) {main}
> 1 5 1000
> cfl=(2)
> cfn=(2)
> calls=1 0 0
> 3 15 0
> 
> summary: 20 1000
> X
$ polyprof callers -m 'Memory_(bytes)' tmp tmp.xt
  tmp: 0 B in all, 0 B by itself, 1 call
  called by

    total%    gained  given back  net  calls  function  called at
     80.0%  3.91 KiB    3.91 KiB  0 B      1  {main}    /app/t.php:3
$ polyprof top -m 'Memory_(bytes)' tmp.xt | head -1
  memory: 1,000 B net, 4.88 KiB gained, 3.91 KiB given back (3.91 KiB of it by no function itself) in 3 functions
$ polyprof graph -q -m 'Memory_(bytes)' tmp.xt | grep -o '^.n[1-4] -> .* label="[^"]*"'
  \tn1 -> n3 [calls="1" total="0" label="\xc2\xa0\xc2\xa080.0%\xc2\xa0\xc2\xa0\\n\xc2\xa0\xc2\xa01\xc3\x97\xc2\xa0\xc2\xa0" (esc)
  \tn3 -> n2 [calls="1" total="4000" label="\xc2\xa0\xc2\xa080.0%\xc2\xa0\xc2\xa0\\n\xc2\xa0\xc2\xa01\xc3\x97\xc2\xa0\xc2\xa0" (esc)
$ rm tmp.xt

SPAA carries the steps; other formats lose them, and say so.

$ cat > two.xt <<X
> version: 1
> creator: xdebug 3.2.0 (PHP 8.2.0)
> cmd: /app/a.php
> part: 1
> positions: line
> 
> events: Time_(10ns) Memory_(bytes)
> 
> fl=(1) /app/a.php
> fn=(1) f
> 2 10 100
> 
> fl=(1)
> fn=(1)
> 2 10 -40
> 
> fl=(1)
> fn=(2) {main}
> 1 5 7
> cfl=(1)
> cfn=(1)
> calls=1 0 0
> 3 10 100
> cfl=(1)
> cfn=(1)
> calls=1 0 0
> 4 10 -40
> 
> summary: 25 67
> X
$ polyprof convert two.xt -o two.spaa && polyprof top --csv -m 'Memory_(bytes)' two.spaa
  name,file,line,module,calls,self_Time_(10ns),total_Time_(10ns),self_Memory_(bytes),total_Memory_(bytes),gained_Memory_(bytes),given_back_Memory_(bytes)
  f,/app/a.php,2,,2,200,200,60,60,100,40
  {main},/app/a.php,1,,1,50,250,7,67,7,0
$ polyprof convert pool.json -o pool.spaa && polyprof top --csv -m zm pool.spaa
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  fill,,,,2,80,80,16000,16000,16000,0
  /app/pool.php,,,,1,65,200,-1100,0,200,1300
  release,,,,1,15,15,-7000,-7000,0,7000
  build,,,,2,40,120,-7900,8100,100,8000
$ polyprof convert two.spaa --to xdebug -o again.xt
! again.xt: warning: not written: steps up and down of metrics that fall (1) [loss-gains]
! again.xt: warning: not written: metadata (8) [loss-metadata]
$ polyprof convert --lossless two.xt --to xdebug -o again.xt
! again.xt: warning: not written: steps up and down of metrics that fall (1) [loss-gains]
! again.xt: warning: not written: metadata (8) [loss-metadata]
! polyprof: error: xdebug cannot hold all of this profile, and --lossless forbids losing any of it
= 4
$ polyprof convert pool.spaa -o again.json --to spx && polyprof top --csv -m zm again.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  fill,,,,2,80,80,16000,16000,16000,0
  /app/pool.php,,,,1,65,200,-1100,0,200,1300
  release,,,,1,15,15,-7000,-7000,0,7000
  build,,,,2,40,120,-7900,8100,100,8000
! again.json: note: written: again.json and again.txt.gz [spx-write-pair]
$ polyprof convert -q two.xt --to spx -o two.json && polyprof top --csv -m zm two.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  f,/app/a.php,2,,2,200,200,60,60,60,0
  {main},/app/a.php,1,,1,50,250,7,67,7,0

What cg_diff writes has costs below 0: shares are of those above it.

$ printf 'desc: Files compared:   a; b\ncmd:  ./a; ./b\nevents: Ir\nfl=a.c\nfn=grew\n0 300\nfn=shrank\n0 -200\nsummary: 100\n' > cgdiff.out; polyprof top cgdiff.out
  instructions: 100 in 2 functions

     net   self%                net total  total%  function  place
     300  100.0%  ████████████        300  100.0%  grew      a.c
    -200    0.0%                     -200    0.0%  shrank    a.c
$ polyprof info --json cgdiff.out | grep -o '"metrics": [^]]*]'
  "metrics": [{"name": "Ir", "unit": "count", "total": 100, "key": "Ir", "title": "instructions", "falls": true}]
$ rm cgdiff.out

--min keeps what was given back in large pieces, too.

$ polyprof top -m zm --min 40 --csv -q pool.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  fill,,,,2,80,80,16000,16000,16000,0
  /app/pool.php,,,,1,65,200,-1100,0,200,1300
  release,,,,1,15,15,-7000,-7000,0,7000
  build,,,,2,40,120,-7900,8100,100,8000
