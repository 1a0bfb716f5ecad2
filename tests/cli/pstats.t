# pstats: Python's cProfile

$ polyprof top -n 3 bakery.pstats
  time: 242 µs in 7 functions

       self  self%                 total  total%  calls  function                           place
     213 µs  88.2%  ████████████  213 µs   88.2%    536  knead                              bakery.py:1
    10.2 µs   4.2%  ▋             224 µs   92.4%     10  <genexpr>                          bakery.py:4
    7.18 µs   3.0%  ▍             231 µs   95.4%      2  <built-in method builtins.sorted>

    ... and 4 more functions (-n 0 shows all)
$ polyprof callers knead bakery.pstats
  knead: 213 µs in all, 213 µs by itself, 536 calls
  called by

    total%   total  calls  function
     88.2%  213 µs      8  <genexpr>
      0.0%    0 ns    528  knead (recursive)
$ polyprof tree -n 3 bakery.pstats
    total%   total     self  function
    100.0%  242 µs           (all)
     99.9%  242 µs  2.37 µs  └ <module> (bakery.py:1)
     98.9%  239 µs  2.11 µs    └ main (bakery.py:5)
     98.1%  237 µs  6.46 µs      └ bake (bakery.py:3)
     95.4%  231 µs  7.18 µs        └ <built-in method builtins.sorted>
! polyprof: this profile knows which function called which, but not whole stacks, so they are estimated: at least 100.0% of the cost is on stacks that are certain

Python reads what is written, and what is written of itself is the same to Python.

$ polyprof convert bakery.pstats --to pstats -o again.pstats && python3 -c 'import marshal; print(marshal.load(open("bakery.pstats", "rb")) == marshal.load(open("again.pstats", "rb")))'
  True
$ polyprof convert recursion.folded --to pstats -o stacks.pstats && python3 -c 'import pstats; s = pstats.Stats("stacks.pstats"); print(s.stats[("~", 0, "fact")], s.total_tt)'
  (0, 0, 6.0, 10.0, {('~', 0, 'fact'): (0, 0, 5.0, 9.0), ('~', 0, 'main'): (0, 0, 1.0, 10.0)}) 42.0
! stacks.pstats: warning: not written: whole stacks (18) [loss-stacks]
! stacks.pstats: warning: made up: counts of calls [loss-calls]
! stacks.pstats: warning: samples is written as time in ns [loss-units]
$ polyprof top -n 2 stacks.pstats
  time: 42.0 s in 14 functions

      self  self%                 total  total%  calls  function
    15.0 s  35.7%  ████████████  15.0 s   35.7%      0  odd
    9.00 s  21.4%  ███████▎      10.0 s   23.8%      0  g

    ... and 12 more functions (-n 0 shows all)

What breaks off is of no use. PHP's serialize() is the other form of XHProf.

$ printf '{(\003\000\000\000u\001\000\000\000au\000' > cut.pstats; polyprof check cut.pstats
  cut.pstats@0xd: error: it ends in the middle [pstats-marshal]
  cut.pstats: reject (pstats: 1 error)
= 1
$ polyprof convert -q run.xhprof.json --to xhprof --variant serialize -o - | head -c 100; echo
  a:40:{s:32:"App\Work\odd@1==>App\Work\even@2";a:5:{s:2:"ct";i:1;s:2:"wt";i:13;s:3:"cpu";i:13;s:2:"mu
$ polyprof convert -q run.xhprof.json --to xhprof --variant serialize -o run.xhprof; polyprof convert run.xhprof --to xhprof --variant json -o again.json && diff run.xhprof.json again.json && echo same
  same
