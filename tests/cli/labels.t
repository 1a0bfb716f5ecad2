# Labels: what samples are of, beside their stacks

$ polyprof top --by label:comm --option symbols=no switches.perf.data
  CPU time: 3.00 ms in 1 value

       self   self%                  total  total%  self samples  value
    3.00 ms  100.0%  ████████████  3.00 ms  100.0%            10  sl

$ polyprof top --label 'comm~^spin' -n 3 --option symbols=no switches.perf.data
  CPU time: 0 ns in 0 functions
  (esc)
! polyprof: the filters leave nothing

$ polyprof top --label comm=nobody --option symbols=no switches.perf.data
  CPU time: 0 ns in 0 functions
  (esc)
! polyprof: the filters leave nothing

$ polyprof top --by label:colour --option symbols=no switches.perf.data
! polyprof: error: nothing in this profile has a label 'colour'; `polyprof tags` lists those there are
= 3

$ polyprof top --label comm --option symbols=no switches.perf.data
! polyprof: error: --label: 'comm' chooses no label; write KEY=VALUE or KEY~RE
= 2

$ polyprof tree --root label:tid -n 8 --option symbols=no switches.perf.data
    total%    total     self  function
    100.0%  3.00 ms           (all)
    100.0%  3.00 ms           └ 4142
     90.0%  2.70 ms             ├ 0x2724a (libc.so.6)
     80.0%  2.40 ms  2.40 ms    │ ├ 0x1146 (sl)
     10.0%   300 µs   300 µs    │ └ 0x1151 (sl)
     10.0%   300 µs   300 µs    └ 0x6d57 › 0x12cbe (ld-linux-x86-64.so.2)

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

$ polyprof top --sort cum --sample-index 1 -n 2 tiny.json
  memory in use: 32 B net, 32 B gained, 0 B given back in 4 functions

    gained  gained%  given back   net  net total  total%                calls  total wall time  function                          place
      32 B   100.0%         0 B  32 B       32 B  100.0%  ████████████      1          79.6 µs  /srv/sample/spx/scripts/tiny.php  /srv/sample/spx/scripts/tiny.php:1

    ... and 3 functions that cost nothing (--json lists them)

$ polyprof peek dispatch app.folded
  dispatch: 936 in all, 0 by itself
  called by

    total%  total  function
     89.4%    936  router

  calls

    total%  total  function
     89.4%    936  UserController->show

$ polyprof peek dispatch --csv app.folded
  side,name,file,line,site_file,site_line,depth,calls,total_samples
  caller,router,,,,,1,,936
  callee,UserController->show,,,,,1,,936

$ polyprof traces -n 2 app.folded
    self  self%  stack, from the leaf
     412  39.4%  PDO->query ‹ UserRepository->find ‹ UserController->show ‹ dispatch ‹ router ‹ main
     188  18.0%  PDOStatement->fetch ‹ UserRepository->find ‹ UserController->show ‹ dispatch ‹ router ‹ main

    ... and 9 more stacks (-n 0 shows all)

$ polyprof traces --json -n 1 app.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 1047, "estimated": false, "traces": [{"stack": ["main","router","dispatch","UserController->show","UserRepository->find","PDO->query"], "self": {"samples": 412}}], "count": 11}

$ polyprof traces --focus Twig --csv app.folded
  stack,labels,self_samples
  main;router;dispatch;UserController->show;Twig->render;Twig\Template->display;htmlspecialchars,,143
  main;router;dispatch;UserController->show;Twig->render;Twig\Template->display,,61
  main;router;dispatch;UserController->show;Twig->render;Twig\Cache->load,,35
! polyprof: the filters keep 22.8%, 239 samples; shares below are of that

$ polyprof tags --option symbols=no switches.perf.data
       cost   cost%  key      value
    3.00 ms  100.0%  event    cpu-clock
    3.00 ms  100.0%  pid      4142
    3.00 ms  100.0%  process  sl
    3.00 ms  100.0%  thread   sl
    3.00 ms  100.0%  tid      4142

$ polyprof tags --key thread --json --option symbols=no switches.perf.data
  {"format": "perf", "complete": true, "metric": "period", "unit": "ns", "total": 3000000, "tags": [{"key": "thread", "value": "sl", "cost": {"period": 3000000, "samples": 10}}], "count": 1}

$ polyprof top --base other.folded app.folded
  905 samples in 17 functions

    net  self%                net total  total%  function
    312  33.3%  ████████████        312   33.3%  PDO->query
    188  20.1%  ███████▎            188   20.1%  PDOStatement->fetch
    143  15.3%  █████▌              143   15.3%  htmlspecialchars
     97  10.4%  ███▊                 97   10.4%  UserRepository->hydrate
     61   6.5%  ██▍                 204   21.8%  Twig\Template->display
     35   3.7%  █▍                   35    3.7%  Twig\Cache->load
     24   2.6%  ▉                    24    2.6%  match
     17   1.8%  ▋                    17    1.8%  session_start
     16   1.7%  ▋                    16    1.7%  include
      9   1.0%  ▍                    25    2.7%  autoload
      3   0.3%  ▏                   905   96.7%  main
      0   0.0%                      936  100.0%  UserController->show
      0   0.0%                      860   91.9%  router
      0   0.0%                      836   89.3%  dispatch
      0   0.0%                      600   64.1%  UserRepository->find
      0   0.0%                      239   25.5%  Twig->render
      0   0.0%                     -100    0.0%  UserController->list

$ polyprof tree --base app.folded app.folded
    net  function
      0  (all)
      0  └ main › autoload › include

# Folded stacks have no room for labels, and that is said.
$ polyprof convert bakery.pb.gz --to folded -o x.folded 2>&1 | grep label
  x.folded: warning: not written: labels [loss-labels]

What another profile had is subtracted wherever stacks are shown or written: as the left side has it minus the base.

$ polyprof convert -q --base other.folded app.folded --to pprof -o less.pb; polyprof top --csv less.pb; polyprof top --csv --base other.folded app.folded
  name,file,line,module,calls,self_samples,total_samples,gained_samples,given_back_samples
  PDO->query,,,,,312,312,412,100
  PDOStatement->fetch,,,,,188,188,188,0
  htmlspecialchars,,,,,143,143,143,0
  UserRepository->hydrate,,,,,97,97,97,0
  Twig\Template->display,,,,,61,204,61,0
  Twig\Cache->load,,,,,35,35,35,0
  match,,,,,24,24,24,0
  session_start,,,,,17,17,17,0
  include,,,,,16,16,16,0
  autoload,,,,,9,25,9,0
  main,,,,,3,905,3,0
  Twig->render,,,,,0,239,0,0
  UserController->list,,,,,0,-100,0,0
  UserController->show,,,,,0,936,0,0
  UserRepository->find,,,,,0,600,0,0
  dispatch,,,,,0,836,0,0
  router,,,,,0,860,0,0
  name,file,line,module,calls,self_samples,total_samples
  PDO->query,,,,,312,312
  PDOStatement->fetch,,,,,188,188
  htmlspecialchars,,,,,143,143
  UserRepository->hydrate,,,,,97,97
  Twig\Template->display,,,,,61,204
  Twig\Cache->load,,,,,35,35
  match,,,,,24,24
  session_start,,,,,17,17
  include,,,,,16,16
  autoload,,,,,9,25
  main,,,,,3,905
  Twig->render,,,,,0,239
  UserController->list,,,,,0,-100
  UserController->show,,,,,0,936
  UserRepository->find,,,,,0,600
  dispatch,,,,,0,836
  router,,,,,0,860
$ polyprof flame -q --base other.folded app.folded -o less.svg; grep -c '<rect' less.svg; polyprof graph --base other.folded app.folded | head -1; polyprof report --base other.folded app.folded -o less.html; ls less.html
  19
  digraph calls {
  less.html
