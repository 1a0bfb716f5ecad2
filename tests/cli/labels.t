# Labels: what samples are of, beside their stacks

$ polyprof top --by label:comm switches.perf.data
  CPU time: 3.00 ms in 1 value

       self   self%                  total  total%  self samples  value
    3.00 ms  100.0%  ████████████  3.00 ms  100.0%            10  sl

$ polyprof top --label 'comm~^spin' -n 3 switches.perf.data
  CPU time: 0 ns in 0 functions
  (esc)
! polyprof: the filters leave nothing

$ polyprof top --label comm=nobody switches.perf.data
  CPU time: 0 ns in 0 functions
  (esc)
! polyprof: the filters leave nothing

$ polyprof top --by label:colour switches.perf.data
! polyprof: error: nothing in this profile has a label 'colour'; `polyprof tags` lists those there are
= 3

$ polyprof top --label comm switches.perf.data
! polyprof: error: --label: 'comm' chooses no label; write KEY=VALUE or KEY~RE
= 2

$ polyprof tree --root label:tid -n 8 switches.perf.data
    total%    total     self  function
    100.0%  3.00 ms           (all)
    100.0%  3.00 ms           └ 4142
     90.0%  2.70 ms  2.70 ms    ├ __libc_start_call_main › work (sl)
     10.0%   300 µs   300 µs    └ [unknown] › _dl_cache_libcmp (ld-linux-x86-64.so.2)

# Metadata of files answer, too, and tell them apart when they are merged
$ polyprof top --by label:host_name closures.json tiny.json
  wall time: 369 µs in 1 value

      self   self%                 total  total%  self memory in use  value
    369 µs  100.0%  ████████████  369 µs  100.0%            6.22 KiB  vm
! polyprof: 2 files, merged; what changed between them: polyprof diff closures.json tiny.json

$ polyprof top --label 'process_pid~.' --by label:key --csv closures.json tiny.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  spx-full-20261115_080711-vm-32074-1804289383,,,,,289559,289559,6336,6336,17032,10696
  spx-full-20261115_080456-vm-18810-1804289383,,,,,79572,79572,32,32,32,0
! polyprof: the filters keep 100.0%, wall time: 369 µs; shares below are of that
! polyprof: 2 files, merged; what changed between them: polyprof diff closures.json tiny.json

# As pprof calls it
$ polyprof top --granularity functions -n 3 app.folded
  1,047 samples in 16 names

    self  self%                total  total%  name
     412  39.4%  ████████████    412   39.4%  PDO->query
     188  18.0%  █████▌          188   18.0%  PDOStatement->fetch
     143  13.7%  ████▏           143   13.7%  htmlspecialchars

    ... and 13 more names (-n 0 shows all)
