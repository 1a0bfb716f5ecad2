# polyprof merge

$ polyprof merge app.folded app.folded other.folded -o all.folded && polyprof info --json all.folded app.folded other.folded | grep -o '"total": [0-9]*'
  "total": 2236
  "total": 1047
  "total": 142

Formats may differ where metrics mean the same: 10 ns steps and nanoseconds add up exactly.

$ polyprof merge tiny.json steps.xt --to folded -o -
  /srv/sample/spx/scripts/tiny.php 58835
  /srv/sample/spx/scripts/tiny.php;top 9219
  /srv/sample/spx/scripts/tiny.php;top;branch 4139
  /srv/sample/spx/scripts/tiny.php;top;branch;leaf 7379
  {main} 10000
  {main};leaf 1230
! polyprof: only 1 of 2 profiles has memory in use; its total is from that one alone
! polyprof: not all profiles hold individual calls; the merged one has only stacks
! standard output: warning: not written: call sites in stacks [loss-stack-sites]
! standard output: warning: not written: counts of calls (6) [loss-calls]
! standard output: warning: not written: events in their order [loss-timeline]
! standard output: warning: not written: files of functions (6) [loss-files]
! standard output: warning: not written: first lines of functions (6) [loss-first-lines]
! standard output: warning: not written: functions told apart (1) [loss-homonyms]
! standard output: warning: not written: metrics (zm) [loss-metrics]
! standard output: warning: wt is written as samples [loss-units]
$ polyprof top --json -q tiny.json steps.xt | grep -o '"total": [0-9]*,'
  "total": 90802,

What only some have is said.

$ polyprof top -n 1 tiny.json steps.xt
  wall time: 90.8 µs in 6 functions

       self  self%                  total  total%  calls  self memory in use  function                          place
    58.8 µs  64.8%  ████████████  79.6 µs   87.6%      1                32 B  /srv/sample/spx/scripts/tiny.php  /srv/sample/spx/scripts/tiny.php:1

    ... and 5 more functions (-n 0 shows all)
! polyprof: only 1 of 2 profiles has memory in use; its total is from that one alone
! polyprof: not all profiles hold individual calls; the merged one has only stacks
! polyprof: 2 files, merged; what changed between them: polyprof diff tiny.json steps.xt

What has nothing in common is refused, with what both have.

$ polyprof merge app.folded tiny.json -o never.folded; ls never.folded
! polyprof: error: tiny.json does not measure the same things as the files before it, so they cannot be merged: it counts wt (ns), zm (bytes), the others samples (samples)
! polyprof: nothing was written; with --skip such files are left out
! ls: cannot access 'never.folded': No such file or directory
= 2

$ polyprof merge cycle.callgrind app.folded --to folded
! polyprof: error: app.folded does not measure the same things as the files before it, so they cannot be merged: it counts samples (samples), the others T (count)
! polyprof: nothing was written; with --skip such files are left out
= 3

An empty profile is like everything.

$ polyprof merge empty.folded tiny.json empty.folded --to folded -o - -q
  /srv/sample/spx/scripts/tiny.php 58835
  /srv/sample/spx/scripts/tiny.php;top 9219
  /srv/sample/spx/scripts/tiny.php;top;branch 4139
  /srv/sample/spx/scripts/tiny.php;top;branch;leaf 7379

$ polyprof merge app.folded
! polyprof: error: name the format to write with --to, or by the extension of -o
! Try `polyprof merge --help`.
= 2

$ polyprof merge
! Usage: polyprof merge [OPTIONS] FILE... -o OUT [--to FORMAT]
! Several profiles into one.
! Try `polyprof merge --help`.
= 2

A file that is not readable stops a merge, unless it is to be left out.

$ echo kept > week.folded; polyprof merge app.folded mystery.bin tiny.json other.folded -o week.folded; cat week.folded
  kept
! mystery.bin: error: no format recognises it; `polyprof formats` lists what can be read, and --from FORMAT forces one [io-unknown-format]
! polyprof: nothing was written; with --skip such files are left out
$ polyprof merge --skip app.folded mystery.bin tiny.json other.folded -o week.folded && polyprof top --json -n 1 week.folded | grep -o '"total": [0-9]*,'
  "total": 1189,
! mystery.bin: error: no format recognises it; `polyprof formats` lists what can be read, and --from FORMAT forces one [io-unknown-format]
! polyprof: error: tiny.json does not measure the same things as the files before it, so they cannot be merged: it counts wt (ns), zm (bytes), the others samples (samples)
! polyprof: 2 of 4 files were left out
! week.folded: warning: not written: that the profile is incomplete [loss-incomplete]
$ polyprof merge --skip app.folded gone.folded -o week.spaa; polyprof info --json week.spaa | grep -o '"complete": [a-z]*'
  "complete": false
! gone.folded: error: cannot open: No such file or directory [io-open-failed]
! polyprof: 1 of 2 files was left out
$ polyprof merge --skip mystery.bin gone.folded -o never.folded
! mystery.bin: error: no format recognises it; `polyprof formats` lists what can be read, and --from FORMAT forces one [io-unknown-format]
! gone.folded: error: cannot open: No such file or directory [io-open-failed]
! polyprof: error: none of the files could be merged
= 3

Metrics that some of the profiles lack are told together, however many they are.

$ mkdir some; cp tiny.json tiny.txt.zst pool.json pool.txt some; printf '{"exec_ts": 1, "enabled_metrics": ["wt", "zm", "ct", "it", "zo", "zmac", "zmab", "zgr", "zgb", "io"]}\n' > some/many.json; printf '[events]\n0 1 0 0 0 0 0 0 0 0 0 0\n0 0 9 1 1 1 1 1 1 1 1 1\n[functions]\nf\n' > some/many.txt
$ polyprof top -n 1 some
  wall time: 79.8 µs in 9 functions

       self  self%                  total  total%  calls  self memory in use  self CPU time  self idle time  self live objects  function                          place
    58.8 µs  73.7%  ████████████  79.6 µs   99.7%      1                32 B           0 ns            0 ns                  0  /srv/sample/spx/scripts/tiny.php  /srv/sample/spx/scripts/tiny.php:1

    ... and 8 more functions (-n 0 shows all)
    ... and 5 more metrics (-m NAME,NAME shows them)
! polyprof: some: 3 profiles, merged
! polyprof: only 1 of 3 profiles has CPU time, idle time, live objects, memory allocations, memory allocated, GC runs and 2 more; their totals are from that one alone
