# XHProf: calls are all it knows

$ polyprof top -n 3 run.xhprof.json
  wall time: 1.46 ms in 40 functions

      self  self%                  total  total%  calls  self CPU time  self memory in use  self peak memory  function
    554 µs  38.1%  ████████████   812 µs   55.8%    337         523 µs               128 B               0 B  App\Work\{closure}
    258 µs  17.7%  █████▋         258 µs   17.7%    337         246 µs               128 B               0 B  strcmp
    230 µs  15.8%  █████         1.04 ms   71.6%      1         272 µs               128 B               0 B  usort

    ... and 37 more functions (-n 0 shows all)

Levels of recursion come out of stacks; a root that calls everything is made up.

$ polyprof convert recursion.folded --to xhprof -o -
  {"main()==>main":{"ct":1,"wt":42},"main==>fact":{"ct":1,"wt":10},"fact==>fact@1":{"ct":1,"wt":9},"fact@1==>fact@2":{"ct":1,"wt":7},"fact@2==>mul":{"ct":1,"wt":4},"main==>even":{"ct":1,"wt":15},"even==>odd":{"ct":1,"wt":15},"odd==>even@1":{"ct":1,"wt":10},"even@1==>odd@1":{"ct":1,"wt":10},"main==>deep":{"ct":1,"wt":17},"deep==>a":{"ct":1,"wt":17},"a==>b":{"ct":1,"wt":17},"b==>c":{"ct":1,"wt":17},"c==>d":{"ct":1,"wt":17},"d==>e":{"ct":1,"wt":17},"e==>f":{"ct":1,"wt":7},"e==>g":{"ct":1,"wt":10},"g==>h":{"ct":1,"wt":1},"main()":{"ct":1,"wt":42}}
! standard output: warning: not written: whole stacks (18) [loss-stacks]
! standard output: warning: made up: counts of calls [loss-calls]
! standard output: warning: not written: functions that call themselves (4) [loss-recursion]
! standard output: warning: made up: roots [loss-roots]
! standard output: warning: samples is written as wt in ns [loss-units]

An incomplete profile gets no main(), by which it is known again; one that is complete stays so.

$ polyprof convert -q bad.folded --to xhprof -o - | head -c 60; echo; polyprof convert -q bad.folded --to xhprof -o cut.json; polyprof check cut.json
  {"main":{"ct":1,"wt":7},"main==>ok":{"ct":1,"wt":5},"main==>
  cut.json: warning: there is no main() [xhprof-main]
  cut.json: warn (xhprof: 1 warning)
! bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
! bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
! bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]
! bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
! bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
! bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]

What it writes of itself is the same.

$ polyprof convert run.xhprof.json --to xhprof -o again.json && diff run.xhprof.json again.json && echo same
  same

Names that hold the separator, numbers beyond 64 bits.

$ printf 'a===>b;c 7\n' | polyprof convert - --from folded --to xhprof -o -
  {"main()==>a=>b":{"ct":1,"wt":7},"a=>b==>c":{"ct":1,"wt":7},"main()":{"ct":1,"wt":7}}
! standard output: warning: not written: whole stacks (2) [loss-stacks]
! standard output: warning: made up: counts of calls [loss-calls]
! standard output: warning: made up: roots [loss-roots]
! standard output: warning: samples is written as wt in ns [loss-units]
! standard output: warning: changed to fit: names (1) [loss-names]
$ printf 'a 18446744073709551615\n' | polyprof convert - --from folded --to xhprof -o -
! standard output: warning: values exceed 64 bits [loss-values]
! polyprof: error: cannot write xhprof: a limit was reached
= 4

Own costs are differences that end at 0 in Pynytprof's files and not here: merged by the costs of functions, in any order.

$ polyprof convert -q run.xhprof.json -m cpu --to pynytprof -o run.out 2>/dev/null; polyprof top -q -n 2 -m cpu run.xhprof.json run.out; polyprof top -q -n 2 -m time run.out run.xhprof.json
  CPU time: 2.91 ms in 40 functions

       self  self%                  total  total%  calls  self wall time  self memory in use  self peak memory  function
    1.05 ms  36.0%  ████████████  1.54 ms   52.9%    674          554 µs               128 B               0 B  App\Work\{closure}
     544 µs  18.7%  ██████▎       2.08 ms   71.6%      2          230 µs               128 B               0 B  usort

    ... and 38 more functions (-n 0 shows all)
  time: 2.91 ms in 40 functions

       self  self%                  total  total%  calls  self wall time  self memory in use  self peak memory  function
    1.05 ms  36.0%  ████████████  1.54 ms   52.9%    674          554 µs               128 B               0 B  App\Work\{closure}
     544 µs  18.7%  ██████▎       2.08 ms   71.6%      2          230 µs               128 B               0 B  usort

    ... and 38 more functions (-n 0 shows all)

Callers, callees and the estimated tree.

$ polyprof callers 'App\Work\even@3' run.xhprof.json
  App\Work\even@3: 11.0 µs in all, 2.00 µs by itself, 1 call
  called by

    total%    total  calls  function
      0.8%  11.0 µs      1  App\Work\odd@2
$ polyprof tree -n 4 run.xhprof.json
    total%    total     self  function
    100.0%  1.46 ms           (all)
     99.6%  1.45 ms  18.0 µs  └ App\Work\main
     78.8%  1.15 ms  51.0 µs    ├ App\Work\words
     71.6%  1.04 ms   230 µs    │ ├ usort
     55.8%   812 µs   554 µs    │ │ └ App\Work\{closure}
     17.7%   258 µs   258 µs    │ │   └ strcmp
      3.6%  53.0 µs  53.0 µs    │ └ md5
     19.6%   285 µs             └ (10 more)

  Next steps
    the 10 more below App\Work\main  polyprof tree --min 0 --show-from '^App\\Work\\main$' run.xhprof.json
! polyprof: this profile knows which function called which, but not whole stacks, so they are estimated: at least 99.6% of the cost is on stacks that are certain

Levels of recursion stand in the names, so functions that call each other are no cycle, and a function costs what those who call it say.
$ printf '{"main()":{"ct":1,"wt":100},"main()==>f":{"ct":1,"wt":90},"f==>f@1":{"ct":1,"wt":40},"f@1==>g":{"ct":1,"wt":20},"g==>f@2":{"ct":1,"wt":10},"f==>g":{"ct":1,"wt":30},"g==>f@1":{"ct":1,"wt":20},"f@1==>g@1":{"ct":1,"wt":5}}' >turns.xhprof.json
$ polyprof top turns.xhprof.json
  wall time: 100 µs in 6 functions

       self  self%                  total  total%  calls  function
    35.0 µs  35.0%  ████████████  60.0 µs   60.0%      2  f@1
    20.0 µs  20.0%  ██████▉       90.0 µs   90.0%      1  f
    20.0 µs  20.0%  ██████▉       50.0 µs   50.0%      2  g
    10.0 µs  10.0%  ███▍          10.0 µs   10.0%      1  f@2
    10.0 µs  10.0%  ███▍           100 µs  100.0%      1  main()
    5.00 µs   5.0%  █▊            5.00 µs    5.0%      1  g@1
$ polyprof convert turns.xhprof.json -o turns.spaa && polyprof top -n 3 turns.spaa
  wall time: 100 µs in 6 functions

       self  self%                  total  total%  calls  function
    35.0 µs  35.0%  ████████████  60.0 µs   60.0%      2  f@1
    20.0 µs  20.0%  ██████▉       90.0 µs   90.0%      1  f
    20.0 µs  20.0%  ██████▉       50.0 µs   50.0%      2  g

    ... and 3 more functions (-n 0 shows all)
