# Metrics: people read names, scripts get keys

A report of SPX with more metrics than there are columns.

$ printf '[events]\n0 1 0 0 0 0 0 0 0\n1 1 10 9 1 512 1 512 0\n1 0 30 19 11 512 1 512 0\n0 0 50 29 21 512 1 512 0\n[functions]\n/app/a.php\nf\n' > r.txt
$ printf '{"key": "k", "exec_ts": 1794729896, "cli": 1, "cli_command_line": "a.php", "wall_time_ms": 0, "call_count": 2, "enabled_metrics": ["wt", "ct", "it", "zm", "zmac", "zmab", "zgr"]}\n' > r.json
$ polyprof top r.json
  wall time: 50 ns in 2 functions

     self  self%                total  total%  calls  self CPU time  self idle time  self memory in use  self memory allocations  function
    30 ns  60.0%  ████████████  50 ns  100.0%      1          19 ns           11 ns               512 B                        1  /app/a.php
    20 ns  40.0%  ████████      20 ns   40.0%      1          10 ns           10 ns                 0 B                        0  f

    ... and 2 more metrics (-m NAME,NAME shows them)
$ polyprof top -m zm,wt,'GC runs' r.json
  memory in use: 512 B net, 512 B gained, 0 B given back in 2 functions

    gained  gained%                given back    net  net total  total%  calls  self wall time  self GC runs  function
     512 B   100.0%  ████████████         0 B  512 B      512 B  100.0%      1           30 ns             0  /app/a.php
       0 B     0.0%                       0 B    0 B        0 B    0.0%      1           20 ns             0  f
$ polyprof top -m cpu-time --sort total r.json
  CPU time: 29 ns in 2 functions

     self  self%  total  total%                calls  total wall time  total idle time  total memory in use  total memory allocations  function
    19 ns  65.5%  29 ns  100.0%  ████████████      1            50 ns            21 ns                512 B                         1  /app/a.php
    10 ns  34.5%  10 ns   34.5%  ████▏             1            20 ns            10 ns                  0 B                         0  f

    ... and 2 more metrics (-m NAME,NAME shows them)
$ polyprof info r.json | grep -A7 metrics
    metrics       wall time: 50 ns (wt), primary
                  CPU time: 29 ns (ct)
                  idle time: 21 ns (it)
                  memory in use: 512 B (zm)
                  memory allocations: 1 (zmac)
                  memory allocated: 512 B (zmab)
                  GC runs: 0 (zgr)
    holds         4 events, 2 stacks, 2 functions
  --
                  enabled_metrics
                    wt
                    ct
                    it
                    zm
                    zmac
                    zmab
                    zgr
$ polyprof top --json -m 'Wall time' r.json | cut -c1-90
  {"format": "spx", "complete": true, "metric": "wt", "unit": "ns", "units": {"wt": "ns", "c
$ polyprof top -m wt,nope r.json
! polyprof: error: no metric 'nope' in this profile; it has wt (wall time), ct (CPU time), it (idle time), zm (memory in use), zmac (memory allocations), zmab (memory allocated), zgr (GC runs)
= 2
$ polyprof tree -m 'memory allocated' r.json
    total%  total   self  calls  function
    100.0%  512 B                (all)
    100.0%  512 B  512 B      1  └ /app/a.php

Valgrind's events, Xdebug's columns, XHProf's keys, perf's events.

$ polyprof top whole.callgrind | head -3
  instructions: 7 in 2 functions

    self  self%                total  total%  calls  function  place
$ polyprof top -m instructions whole.callgrind | head -1
  instructions: 7 in 2 functions
$ polyprof top fib.xt | head -1
  time: 83.3 µs in 2 functions
$ polyprof info fib.xt | grep -A1 metrics
    metrics       time: 83.3 µs (Time_(10ns)), primary
                  memory: 32 B (Memory_(bytes))
$ polyprof info run.xhprof.json | grep -A4 metric
    metrics       wall time: 1.46 ms (wt), primary
                  CPU time: 1.45 ms (cpu)
                  memory in use: 11.5 KiB (mu)
                  peak memory: 0 B (pmu)
    holds         40 functions, 40 edges
$ printf 'a 1 [000] 10.5: 100 cpu-clock:pppH:\n\t0 f (x)\n\na 1 [000] 10.6: 100 cpu-clock:pppH:\n\t0 f (x)\n\n' > one.perf-script; polyprof top one.perf-script; polyprof one.perf-script | sed -n 3p
  CPU time: 200 ns in 1 function

      self   self%                 total  total%  self samples  function  place
    200 ns  100.0%  ████████████  200 ns  100.0%             2  f         x
    CPU time: 200 ns, 2 samples, 1 function, 1 stack

One is one.

$ printf 'main;f 1\n' > one.folded; polyprof top one.folded
  1 sample in 2 functions

    self   self%                total  total%  function
       1  100.0%  ████████████      1  100.0%  f
       0    0.0%                    1  100.0%  main
$ polyprof info one.folded | grep metric
    metric        1 sample

Time is preferred to cycles, cycles to instructions, those to other events: in one file and in several, whatever their order.

$ printf 'app 1 [000] 1.0: 7 instructions:\n\t1000 g (/bin/app)\n\napp 1 [000] 1.1: 5 cycles:\n\t1000 f (/bin/app)\n\n' > work.txt
$ printf 'app 1 [000] 1.0: 7 page-faults:\n\t1000 g (/bin/app)\n\napp 1 [000] 1.1: 5 cpu-clock:\n\t1000 f (/bin/app)\n\n' > clock.txt
$ printf 'app 1 [000] 1.0: 7 branches:\n\t1000 g (/bin/app)\n\napp 1 [000] 1.1: 5 instructions:\n\t1000 f (/bin/app)\n\n' > branches.txt
$ for files in work.txt clock.txt branches.txt 'work.txt clock.txt' 'clock.txt work.txt' 'branches.txt work.txt' 'work.txt branches.txt' \
>     'branches.txt clock.txt work.txt' 'work.txt branches.txt clock.txt' 'clock.txt work.txt branches.txt'; do
>   echo "$files: $(polyprof top -q --json $files | grep -o '"metric": "[^"]*"')"; done
  work.txt: "metric": "cycles/period"
  clock.txt: "metric": "cpu-clock/period"
  branches.txt: "metric": "instructions/period"
  work.txt clock.txt: "metric": "cpu-clock/period"
  clock.txt work.txt: "metric": "cpu-clock/period"
  branches.txt work.txt: "metric": "cycles/period"
  work.txt branches.txt: "metric": "cycles/period"
  branches.txt clock.txt work.txt: "metric": "cpu-clock/period"
  work.txt branches.txt clock.txt: "metric": "cpu-clock/period"
  clock.txt work.txt branches.txt: "metric": "cpu-clock/period"

Folded stacks of cycles and instructions are of those that come first in the file, as other collapsers have it; `-m` chooses.

$ polyprof convert -q --to folded -o - work.txt
  g 7
$ polyprof convert -q --to folded -m cycles/period -o - work.txt
  f 5
$ polyprof convert -q --to folded -o - clock.txt
  f 5

Where a recording knows its period, time comes before samples, in gperftools' profiles too; folded stacks have samples, as google-pprof's have.

$ python3 -c 'import struct, sys; sys.stdout.buffer.write(struct.pack("<17Q", 0, 3, 0, 2000, 0, 5, 3, 0x1010, 0x1020, 0x1030, 7, 2, 0x1040, 0x1030, 0, 1, 0))' > cpu.prof
$ polyprof info --json cpu.prof | grep -o '"primary": "[^"]*"'
  "primary": "cpu_time_ns"
$ polyprof top -q cpu.prof
  CPU time: 24.0 ms in 4 functions

       self  self%                  total  total%  self samples  function
    14.0 ms  58.3%  ████████████  14.0 ms   58.3%             7  0x1040
    10.0 ms  41.7%  ████████▋     10.0 ms   41.7%             5  0x1010
       0 ns   0.0%                24.0 ms  100.0%             0  0x1030
       0 ns   0.0%                10.0 ms   41.7%             0  0x1020
$ polyprof convert -q cpu.prof --to folded -o -
  0x1030;0x1020;0x1010 5
  0x1030;0x1040 7
$ polyprof convert -q -m cpu_time_ns cpu.prof --to folded -o -
  0x1030;0x1020;0x1010 10000
  0x1030;0x1040 14000
$ rm cpu.prof
