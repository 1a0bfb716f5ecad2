# What perf script prints

$ printf 'web (1) x %d [%03d]  2256.%06d:    1003009 cpu-clock: \n\t            129b fib+0x14 (/bin/web)\n\t            162e main+0x20 (/bin/web)\n\n' 71 0 100 71 1 200 72 0 300 > perf.txt
$ printf 'io:0 73 [000]  2256.000400:          1 page-faults: \n\tffffffff81000130 do_fault+0x2 ([kernel.kallsyms])\n\t            1700 read_all(int, char*) const+0x5 (/bin/web (deleted))\n\n' >> perf.txt

$ polyprof info perf.txt
  perf.txt
    format        perf-script (perf script text)
    size          577 B
    producer      perf
    time          300 µs
    facets        timeline, tree
    complete      yes
    metrics       cpu-clock time: 3.01 ms (cpu-clock/period), primary
                  cpu-clock samples: 3 (cpu-clock/samples)
                  page-faults: 1 event (page-faults/period)
                  page-faults samples: 1 (page-faults/samples)
    holds         4 samples, 2 stacks, 4 functions, 3 threads
    labels        event: 2 values, cpu-clock 100.0% · page-faults 0.0%
                  thread: 2 values, web (1) x 100.0% · io:0 0.0%
                  tid: 3 values, 71 66.7% · 72 33.3% · 73 0.0%
    meta          events
                     (esc)
                      name = cpu-clock
                      kind = software
                      sampling
                        mode = period
                        primary_metric = period
                     (esc)
                      name = page-faults
                      kind = software
                      sampling
                        mode = period
                        primary_metric = period

Functions; the offset is not part of the name.

$ polyprof top --json perf.txt
  {"format": "perf-script", "complete": true, "metric": "cpu-clock/period", "unit": "ns", "units": {"cpu-clock/period": "ns", "cpu-clock/samples": "samples", "page-faults/period": "events", "page-faults/samples": "samples"}, "total": 3009027, "estimated": false, "functions": [{"name": "fib", "module": "/bin/web", "self": {"cpu-clock/period": 3009027, "cpu-clock/samples": 3, "page-faults/period": 0, "page-faults/samples": 0}, "total": {"cpu-clock/period": 3009027, "cpu-clock/samples": 3, "page-faults/period": 0, "page-faults/samples": 0}}, {"name": "do_fault", "module": "[kernel.kallsyms]", "self": {"cpu-clock/period": 0, "cpu-clock/samples": 0, "page-faults/period": 1, "page-faults/samples": 1}, "total": {"cpu-clock/period": 0, "cpu-clock/samples": 0, "page-faults/period": 1, "page-faults/samples": 1}}, {"name": "main", "module": "/bin/web", "self": {"cpu-clock/period": 0, "cpu-clock/samples": 0, "page-faults/period": 0, "page-faults/samples": 0}, "total": {"cpu-clock/period": 3009027, "cpu-clock/samples": 3, "page-faults/period": 0, "page-faults/samples": 0}}, {"name": "read_all(int, char*) const", "module": "/bin/web (deleted)", "self": {"cpu-clock/period": 0, "cpu-clock/samples": 0, "page-faults/period": 0, "page-faults/samples": 0}, "total": {"cpu-clock/period": 0, "cpu-clock/samples": 0, "page-faults/period": 1, "page-faults/samples": 1}}], "count": 4}

Events and threads are kept apart, by name or id; times choose.

$ polyprof top --event page-faults perf.txt
  page-faults: 1 event in 2 functions

    self   self%                total  total%  self samples  function                    place
       1  100.0%  ████████████      1  100.0%             1  do_fault                    [kernel.kallsyms]
       0    0.0%                    1  100.0%             0  read_all(int, char*) const  /bin/web (deleted)
! polyprof: the filters keep 100.0%, page-faults: 1 event; shares below are of that
$ polyprof top --thread 'web (1) x' --csv perf.txt
  name,file,line,module,calls,self_cpu-clock/period,total_cpu-clock/period,self_cpu-clock/samples,total_cpu-clock/samples,self_page-faults/period,total_page-faults/period,self_page-faults/samples,total_page-faults/samples
  fib,,,/bin/web,,3009027,3009027,3,3,0,0,0,0
  main,,,/bin/web,,0,3009027,0,3,0,0,0,0
! polyprof: the filters keep 100.0%, cpu-clock time: 3.01 ms; shares below are of that
$ polyprof top --thread 72 --csv perf.txt
  name,file,line,module,calls,self_cpu-clock/period,total_cpu-clock/period,self_cpu-clock/samples,total_cpu-clock/samples,self_page-faults/period,total_page-faults/period,self_page-faults/samples,total_page-faults/samples
  fib,,,/bin/web,,1003009,1003009,1,1,0,0,0,0
  main,,,/bin/web,,0,1003009,0,1,0,0,0,0
! polyprof: the filters keep 33.3%, cpu-clock time: 1.00 ms; shares below are of that
$ polyprof top --time ..50% --csv perf.txt
  name,file,line,module,calls,self_cpu-clock/period,total_cpu-clock/period,self_cpu-clock/samples,total_cpu-clock/samples,self_page-faults/period,total_page-faults/period,self_page-faults/samples,total_page-faults/samples
  fib,,,/bin/web,,2006018,2006018,2,2,0,0,0,0
  main,,,/bin/web,,0,2006018,0,2,0,0,0,0
! polyprof: the filters keep 66.7%, cpu-clock time: 2.01 ms; shares below are of that

As folded stacks: one event, with or without a root for each thread.

$ polyprof convert -q --to folded -o - perf.txt
  main;fib 3009027
$ polyprof convert -q --to folded -o - --option root=comm perf.txt
  web (1) x;main;fib 3009027
$ polyprof convert -q --to folded -o - --option root=tid -m samples perf.txt
  web (1) x-?/71;main;fib 2
  web (1) x-?/72;main;fib 1
$ polyprof convert -q --to folded -o - -m page-faults/samples perf.txt
  read_all(int, char*) const;do_fault 1
$ polyprof convert -q --to folded -o - --option root=x perf.txt
! polyprof: error: perf.txt: the arguments make no sense
= 2

It is read only.

$ polyprof formats perf-script
  perf-script: perf script text
    can be      read and written
    facets      timeline tree
    extensions  perf perf-script

    --option root=none|comm|pid|tid
        put each thread's name in front of its stacks, as stackcollapse-perf.pl
        does (default none)
    --option srcline=yes|no
        write source lines, as perf script -F +srcline does (default no)
$ polyprof convert --to perf-script -o out.txt perf.txt
! out.txt: warning: not written: metadata (8) [loss-metadata]

Damage is told with its place; the rest is used.

$ printf 'lost line without any meaning whatsoever, and longer than a name could be\n' >> perf.txt
$ printf 'web 71 [000]  2256.000500:    1003009 cpu-clock: \n\t            129b fib+0x14 (/bin/we' >> perf.txt
$ polyprof check perf.txt
  perf.txt:17:1: error: a line is neither a header nor a frame of a sample [perf-script-line]
  perf.txt:19:1: error: the file ends in the middle of a sample [perf-script-cut]
  perf.txt: reject (perf-script: 2 errors)
= 1
$ polyprof top --csv perf.txt
  name,file,line,module,calls,self_cpu-clock/period,total_cpu-clock/period,self_cpu-clock/samples,total_cpu-clock/samples,self_page-faults/period,total_page-faults/period,self_page-faults/samples,total_page-faults/samples
  fib,,,/bin/web,,3009027,3009027,3,3,0,0,0,0
  do_fault,,,[kernel.kallsyms],,0,0,0,0,1,1,1,1
  main,,,/bin/web,,0,3009027,0,3,0,0,0,0
  "read_all(int, char*) const",,,/bin/web (deleted),,0,0,0,0,0,1,0,1
! perf.txt:17:1: error: a line is neither a header nor a frame of a sample [perf-script-line]
! perf.txt:19:1: error: the file ends in the middle of a sample [perf-script-cut]

Recordings of different events keep them apart, in any order.

$ printf 'web 7 1.5:  4000000 cpu-clock: \n\t 129b fib+0x14 (/bin/web)\n\t 162e main+0x20 (/bin/web)\n\n' > clock.txt
$ printf 'web 7 1.7:  3 page-faults: \n\t 129b fib+0x14 (/bin/web)\n\n' > faults.txt
$ polyprof top --csv -q clock.txt faults.txt
  name,file,line,module,calls,self_cpu-clock/period,total_cpu-clock/period,self_cpu-clock/samples,total_cpu-clock/samples,self_page-faults/period,total_page-faults/period,self_page-faults/samples,total_page-faults/samples
  fib,,,/bin/web,,4000000,4000000,1,1,3,3,1,1
  main,,,/bin/web,,0,4000000,0,1,0,0,0,0
$ polyprof top --csv -q faults.txt clock.txt | cut -d, -f 1-6
  name,file,line,module,calls,self_page-faults/period
  fib,,,/bin/web,,3
  main,,,/bin/web,,0
$ polyprof top -n 1 clock.txt faults.txt
  cpu-clock time: 4.00 ms in 2 functions

       self   self%                  total  total%  self cpu-clock samples  self page-faults  self page-faults samples  function  place
    4.00 ms  100.0%  ████████████  4.00 ms  100.0%                       1                 3                         1  fib       /bin/web

    ... and 1 more function (-n 0 shows all)
! polyprof: only 1 of 2 profiles has cpu-clock time, cpu-clock samples, page-faults, page-faults samples; their totals are from that one alone
! polyprof: 2 files, merged; what changed between them: polyprof diff clock.txt faults.txt

Of several events time and cycles come first, wherever they stand; functions that they never met are not listed.

$ printf 'app 1/1 1.000000: 1 page-faults:\n\t10 touch (a)\n\t20 main (a)\n\n' >two.txt; for t in 1.001 1.002 1.050; do printf 'app 1/1 %s000: 1000000 cpu-clock:\n\t11 work (a)\n\t20 main (a)\n\n' $t; done >>two.txt

$ polyprof top two.txt
  cpu-clock time: 3.00 ms in 3 functions

       self   self%                  total  total%  self page-faults  self page-faults samples  self cpu-clock samples  function  place
    3.00 ms  100.0%  ████████████  3.00 ms  100.0%                 0                         0                       3  work      a
       0 ns    0.0%                3.00 ms  100.0%                 0                         0                       0  main      a

    ... and 1 function that costs nothing (--json lists it)

$ polyprof top --json two.txt | grep -o '"name": "touch"'
  "name": "touch"

$ polyprof info --json two.txt | grep -o '"primary": "[^"]*"'
  "primary": "cpu-clock/period"

$ sed 's/cpu-clock/cycles/' two.txt >cycles.txt; polyprof info --json cycles.txt | grep -o '"primary": "[^"]*"'
  "primary": "cycles/period"

A sample covers its period: where the thread slept, nothing is drawn.

$ grep -v page two.txt | tail -n +4 >clocks.txt; polyprof flame --flamechart clocks.txt -o - | grep -o '<title>[^<]*</title>'
  <title>all (50,000,000 ns, 100.00%)</title>
  <title>main (2,000,000 ns, 4.00%)</title>
  <title>work (2,000,000 ns, 4.00%)</title>
  <title>main (1,000,000 ns, 2.00%)</title>
  <title>work (1,000,000 ns, 2.00%)</title>

It ends where its thread leaves the processor: the text of --show-switch-events, and recordings with them.

$ printf 'app 1 1.000000: 5000000 cpu-clock:\n\t11 work (a)\n\napp 1 1.002000: PERF_RECORD_SWITCH OUT preempt\napp 1 1.006000: PERF_RECORD_SWITCH IN\napp 1 1.008000: 5000000 cpu-clock:\n\t12 rest (a)\n\napp 2 1.009000: 5000000 cpu-clock:\n\t13 other (a)\n\napp 1 1.009500: PERF_RECORD_SWITCH_CPU_WIDE OUT          next pid/tid:     0/0\napp 1 1.020000: 5000000 cpu-clock:\n\t11 work (a)\n\n' >switch.txt

$ polyprof flame --flamechart switch.txt -o - | grep -o '<title>[^<]*</title>'
  <title>all (25,000,000 ns, 100.00%)</title>
  <title>app 1 (25,000,000 ns, 100.00%)</title>
  <title>work (2,000,000 ns, 8.00%)</title>
  <title>rest (1,500,000 ns, 6.00%)</title>
  <title>work (5,000,000 ns, 20.00%)</title>
  <title>app 2 (5,000,000 ns, 20.00%)</title>
  <title>other (5,000,000 ns, 20.00%)</title>

$ printf 'app 100 [000] 10.000000: 2000000 cpu-clock:\n\t403000 work+0x0 (/app)\n\napp 100 [000] 10.002000: 2000000 cpu-clock:\n\t403000 work+0x0 (/app)\n\napp 100 [000] 14.700000: 2000000 cpu-clock:\n\t404000 sorty+0x0 (/app)\n\n' > late.txt; polyprof flame --flamechart late.txt -o - | grep -o '<title>[^<]*</title>'; sed 's/2000000 cpu-clock/1 cycles/' late.txt > late2.txt; polyprof flame --flamechart late2.txt -o - | grep -o '<title>all[^<]*</title>'
  <title>all (4,702,000,000 ns, 100.00%)</title>
  <title>work (4,000,000 ns, 0.09%)</title>
  <title>sorty (2,000,000 ns, 0.04%)</title>
  <title>all (4,702,000,000 ns, 100.00%)</title>
$ polyprof convert switch.txt -o switch.spaa && polyprof flame --flamechart switch.spaa -o - | grep -o '<title>work[^<]*</title>'
  <title>work (2,000,000 ns, 8.00%)</title>
  <title>work (5,000,000 ns, 20.00%)</title>

$ polyprof flame -q --flamechart --option symbols=no switches.perf.data -o - | grep -o "<title>0x2724a[^<]*</title>"
  <title>0x2724a (803,112 ns, 1.87%)</title>
  <title>0x2724a (822,592 ns, 1.92%)</title>
  <title>0x2724a (597,643 ns, 1.40%)</title>

Branches keep their order within each sample on their way through SPAA, even when that is written again: the line of their pair, flags, cycles.

$ polyprof convert -q --option symbols=no branches.perf.data -o branches.spaa && polyprof convert -q branches.spaa --to spaa -o - | tr -d '\\' | grep -o '{"event":"[^"]*","tid":[^{}]*}' | head -n 3
  {"event":"cpu-clock","tid":100,"time_ns":1000,"branches":[[2,"P",1],[1,"M",2],[0,"P",3]]}
  {"event":"cpu-clock","tid":100,"time_ns":1010,"branches":[[16,"P",1],[15,"M",2],[9,"P",3]]}
  {"event":"cpu-clock","tid":101,"time_ns":1020,"branches":[[2,"P",1],[1,"M",2],[0,"P",3]]}
$ tr -d '\\' < branches.spaa | grep -o '{"event":"[^"]*","from":{"dso":"[^"]*","ip":"[^"]*"},"to":{[^}]*},"taken":[^}]*}' | head -n 2
  {"event":"cpu-clock","from":{"dso":"/srv/app/bin/app","ip":"0x10fb"},"to":{"dso":"/srv/app/bin/app","ip":"0x1103"},"taken":3,"predicted":3,"cycles":9}
  {"event":"cpu-clock","from":{"dso":"/srv/app/bin/app","ip":"0x110b"},"to":{"dso":"/srv/app/bin/app","ip":"0x1113"},"taken":3,"mispredicted":3,"cycles":6}
$ rm branches.spaa

Whatever has stacks can be written as perf script prints it: samples where they are known, else sums.

$ polyprof convert switch.txt -o s.spaa && polyprof convert s.spaa --to perf-script -o back.txt && cat back.txt
  # event : name = cpu-clock, samples, type = 1, size = 136
  app 1     1.000000000:    5000000 cpu-clock:  (esc)
  \t              11 work (a) (esc)

  app 1     1.002000000: PERF_RECORD_SWITCH OUT
  app 1     1.008000000:    5000000 cpu-clock:  (esc)
  \t              12 rest (a) (esc)

  app 2     1.009000000:    5000000 cpu-clock:  (esc)
  \t              13 other (a) (esc)

  app 1     1.009500000: PERF_RECORD_SWITCH OUT
  app 1     1.020000000:    5000000 cpu-clock:  (esc)
  \t              11 work (a) (esc)
  (esc)
! back.txt: warning: not written: metadata (4) [loss-metadata]

$ polyprof convert -q app.folded --to perf-script -o app.perf && head -4 app.perf && polyprof convert -q app.perf --to folded -o app2.folded && polyprof convert app.folded --to folded -o - | cmp - app2.folded && polyprof info --json app.perf | grep -o '"metrics": [^]]*'
  # event : name = samples, sums, event = no, unit = samples, metric = samples
  all 0     0.000000000:          3 samples:  (esc)
  \t               0 main ([unknown]) (esc)

  "metrics": [{"name": "samples", "unit": "samples", "total": 1047, "key": "samples"}

$ polyprof convert recursion.folded --to perf-script -o - | grep -c 'all 0     0.000000000:'
  9
! standard output: warning: made up: processes and threads [loss-threads]

What was recorded is what people know it by, not how perf was told to.

$ printf '# ========\n# captured on    : Sun Nov 15 08:08:14 2026\n# hostname : vm\n# cmdline : /usr/bin/perf record -g -o /tmp/x/perf.data -- ./a.out --fast -- x\n# ========\n#\na.out 7 [000] 1.000001:  1000 cpu-clock: \n\t  129b fib+0x14 (/bin/a.out)\n\n' > said.txt
$ polyprof said.txt | head -1
  ./a.out --fast -- x (/usr/bin/perf record) on vm, 2026-11-15 08:08
$ polyprof list --json said.txt | grep -o '"what": "[^"]*"'
  "what": "./a.out --fast -- x"
$ sed 's/ -- .*//' said.txt > unsaid.txt
$ polyprof unsaid.txt | head -1
  /usr/bin/perf record -g -o /tmp/x/perf.data on vm, 2026-11-15 08:08

A text that is cut within a record that is no sample is not complete.

$ printf 'perf-exec 7 [000] 0.000000: PERF_RECORD_COMM: perf-exec:7/7\na 7 [000] 1.000000: 250000 cpu-clock:\n\t1234 f+0x10 (/bin/a)\n\na 7 [000] 1.500000: PERF_RECORD_EX' > cut.txt; polyprof info --json cut.txt | grep -o '"complete": [a-z]*'
  "complete": false
! cut.txt: warning: the last record has no newline: the file may be cut [perf-script-end]

Threads and events that could have been meant are named once each.

$ polyprof top -n 1 --thread nobody branches.perf.data 2>&1 | grep leave
  polyprof: the filters leave nothing; threads: app, wrk (1) x, child, :301
$ polyprof top -n 1 --event nothing branches.perf.data 2>&1 | grep leave
  polyprof: the filters leave nothing; events: cpu-clock, page-faults
