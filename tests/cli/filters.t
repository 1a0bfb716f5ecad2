# Filters, the same words in every command

$ polyprof top --focus Twig app.folded
  239 samples in 8 functions

    self  self%                total  total%  function
     143  59.8%  ████████████    143   59.8%  htmlspecialchars
      61  25.5%  █████▏          204   85.4%  Twig\Template->display
      35  14.6%  ██▉              35   14.6%  Twig\Cache->load
       0   0.0%                  239  100.0%  Twig->render
       0   0.0%                  239  100.0%  UserController->show
       0   0.0%                  239  100.0%  dispatch
       0   0.0%                  239  100.0%  main
       0   0.0%                  239  100.0%  router
! polyprof: the filters keep 22.8%, 239 samples; shares below are of that

$ polyprof top --ignore 'PDO|Twig' app.folded
  208 samples in 9 functions

    self  self%                total  total%  function
      97  46.6%  ████████████     97   46.6%  UserRepository->hydrate
      58  27.9%  ███████▏         58   27.9%  include
      24  11.5%  ███              24   11.5%  match
      17   8.2%  ██▏              17    8.2%  session_start
       9   4.3%  █▏               67   32.2%  autoload
       3   1.4%  ▍               208  100.0%  main
       0   0.0%                  121   58.2%  router
       0   0.0%                   97   46.6%  UserController->show
       0   0.0%                   97   46.6%  dispatch
! polyprof: the filters keep 19.9%, 208 samples; shares below are of that

$ polyprof convert --show-from 'Repository' --to folded app.folded
  UserRepository->find;PDO->query 412
  UserRepository->find;PDOStatement->fetch 188
  UserRepository->hydrate 97
! polyprof: the filters keep 66.6%, 697 samples; shares below are of that

$ polyprof convert --hide '^(main|router|dispatch)$' --to folded app.folded
  UserController->show;Twig->render;Twig\Cache->load 35
  UserController->show;Twig->render;Twig\Template->display 61
  UserController->show;Twig->render;Twig\Template->display;htmlspecialchars 143
  UserController->show;UserRepository->find;PDO->query 412
  UserController->show;UserRepository->find;PDOStatement->fetch 188
  UserController->show;UserRepository->hydrate 97
  autoload 9
  autoload;include 58
  match 24
  session_start 17
! polyprof: the filters keep 99.7%, 1,044 samples; shares below are of that

$ polyprof convert --show 'PDO|->show' --to folded app.folded
  UserController->show 336
  UserController->show;PDO->query 412
  UserController->show;PDOStatement->fetch 188
! polyprof: the filters keep 89.4%, 936 samples; shares below are of that

$ polyprof convert --depth 3 --to folded app.folded
  main 3
  main;autoload 9
  main;autoload;include 58
  main;router;dispatch 936
  main;router;match 24
  main;session_start 17
! polyprof: the filters keep 100.0%, 1,047 samples; shares below are of that

$ polyprof convert --focus find --ignore fetch --hide main --to folded app.folded
  router;dispatch;UserController->show;UserRepository->find;PDO->query 412
! polyprof: the filters keep 39.4%, 412 samples; shares below are of that

Several of a kind mean any of them; case matters unless the pattern says otherwise.

$ polyprof convert --focus '^match$' --focus session --to folded app.folded
  main;router;match 24
  main;session_start 17
! polyprof: the filters keep 3.9%, 41 samples; shares below are of that

$ polyprof convert --focus MATCH --to folded app.folded
! polyprof: the filters leave nothing

$ polyprof convert --focus '(?i)MATCH' --to folded app.folded
  main;router;match 24
! polyprof: the filters keep 2.3%, 24 samples; shares below are of that

By file.

$ polyprof top --show 'file:tiny' tiny.json
  wall time: 79.6 µs in 4 functions

       self  self%                  total  total%  calls  self memory in use  function                          place
    58.8 µs  73.9%  ████████████  79.6 µs  100.0%      1                32 B  /srv/sample/spx/scripts/tiny.php  /srv/sample/spx/scripts/tiny.php:1
    9.22 µs  11.6%  █▉            20.7 µs   26.1%      1                 0 B  top                               /srv/sample/spx/scripts/tiny.php:4
    7.38 µs   9.3%  █▌            7.38 µs    9.3%      6                 0 B  leaf                              /srv/sample/spx/scripts/tiny.php:2
    4.14 µs   5.2%  ▉             11.5 µs   14.5%      3                 0 B  branch                            /srv/sample/spx/scripts/tiny.php:3
! polyprof: the filters keep 100.0%, wall time: 79.6 µs; shares below are of that

Nothing left is an answer, too.

$ polyprof top --json --focus nosuch app.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 0, "estimated": false, "functions": [], "count": 0}
! polyprof: the filters leave nothing

$ polyprof tree --focus nosuch app.folded
    total  function
        0  (all)
! polyprof: the filters leave nothing

$ polyprof top --thread 99 app.folded
  0 samples in 0 functions
  (esc)
! polyprof: the filters leave nothing

By time.

$ polyprof top --time ..50% tiny.json
  wall time: 39.8 µs in 4 functions

       self  self%                  total  total%  calls  self memory in use  function                          place
    19.0 µs  47.9%  ████████████  39.8 µs  100.0%      1                 1 B  /srv/sample/spx/scripts/tiny.php  /srv/sample/spx/scripts/tiny.php:1
    9.22 µs  23.2%  █████▊        20.7 µs   52.1%      1                 0 B  top                               /srv/sample/spx/scripts/tiny.php:4
    7.38 µs  18.5%  ████▋         7.38 µs   18.5%      6                 0 B  leaf                              /srv/sample/spx/scripts/tiny.php:2
    4.14 µs  10.4%  ██▋           11.5 µs   28.9%      3                 0 B  branch                            /srv/sample/spx/scripts/tiny.php:3
! polyprof: the filters keep 50.0%, wall time: 39.8 µs; shares below are of that

$ polyprof top --time 0..1h tiny.json
  wall time: 79.6 µs in 4 functions

       self  self%                  total  total%  calls  self memory in use  function                          place
    58.8 µs  73.9%  ████████████  79.6 µs  100.0%      1                32 B  /srv/sample/spx/scripts/tiny.php  /srv/sample/spx/scripts/tiny.php:1
    9.22 µs  11.6%  █▉            20.7 µs   26.1%      1                 0 B  top                               /srv/sample/spx/scripts/tiny.php:4
    7.38 µs   9.3%  █▌            7.38 µs    9.3%      6                 0 B  leaf                              /srv/sample/spx/scripts/tiny.php:2
    4.14 µs   5.2%  ▉             11.5 µs   14.5%      3                 0 B  branch                            /srv/sample/spx/scripts/tiny.php:3
! polyprof: the filters keep 100.0%, wall time: 79.6 µs; shares below are of that

$ polyprof top --time 1ms..2ms app.folded
! polyprof: error: this profile does not record when things happened, so --time cannot be used
= 3

$ polyprof top --time yesterday tiny.json
! polyprof: error: --time: 'yesterday' is not a range of time; write FROM..TO with numbers in ns, us, ms, s, min, h or %, such as 1.5s..2s, ..20% or 300ms..
= 2

A range that ends before it begins is a mistake, not a range that holds nothing.

$ polyprof top --time 5ms..1ms tiny.json
! polyprof: error: --time: '5ms..1ms' ends before it begins; write FROM..TO with the earlier time first
= 2
$ polyprof top --time 60%..20% tiny.json
! polyprof: error: --time: '60%..20%' ends before it begins; write FROM..TO with the earlier time first
= 2
$ polyprof top --time 60%..1ns tiny.json
! polyprof: error: --time ends before it begins in this profile; write FROM..TO with the earlier time first
= 2
$ polyprof top --time 1ns..60% -q -n 1 tiny.json | head -1
  wall time: 47.7 µs in 4 functions

What cannot work says so.

$ polyprof top --focus '(' app.folded
! polyprof: error: --focus: missing closing parenthesis at character 2 of '('
= 2

$ polyprof top --focus even cycle.callgrind
  T: 90 in 3 functions (totals are estimates)

    self  self%                total  total%  function  place
      60  66.7%  ████████████     60   66.7%  odd       a.c
      30  33.3%  ██████           90  100.0%  even      a.c
       0   0.0%                   90  100.0%  zzz       a.c
! polyprof: this profile knows which function called which, but not whole stacks, so they are estimated: at least 10.0% of the cost is on stacks that are certain; 1 cycle of calls is taken as one
! polyprof: the filters keep 90.0%, T: 90; shares below are of that

$ python3 -c "print('main;' + 'a' * 200 + '!', 1)" > hard.folded; polyprof top --focus '(a+)+$' hard.folded
! polyprof: error: the pattern '(a+)+$' takes too many steps on a name of 201 bytes; write it more simply
= 2

Rows by something else.

$ polyprof top --by file tiny.json
  wall time: 79.6 µs in 1 file

       self   self%                  total  total%  calls  self memory in use  file
    79.6 µs  100.0%  ████████████  79.6 µs  100.0%     11                32 B  /srv/sample/spx/scripts/tiny.php

$ polyprof top --by module app.folded
! polyprof: error: this profile does not distinguish modules
= 3

$ polyprof top --min 15 app.folded
  1,047 samples in 9 functions

    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query
     188  18.0%  █████▌          188   18.0%  PDOStatement->fetch
      61   5.8%  █▊              204   19.5%  Twig\Template->display
       3   0.3%  ▏             1,047  100.0%  main
       0   0.0%                  960   91.7%  router
       0   0.0%                  936   89.4%  UserController->show
       0   0.0%                  936   89.4%  dispatch
       0   0.0%                  600   57.3%  UserRepository->find
       0   0.0%                  239   22.8%  Twig->render

$ polyprof --focus Twig -q app.folded
  app.folded: folded stacks
    239 samples, 8 functions, 3 stacks

  Costliest functions
    self  self%                total  total%  function
     143  59.8%  ████████████    143   59.8%  htmlspecialchars
      61  25.5%  █████▏          204   85.4%  Twig\Template->display
      35  14.6%  ██▉              35   14.6%  Twig\Cache->load
       0   0.0%                  239  100.0%  Twig->render
       0   0.0%                  239  100.0%  UserController->show
       0   0.0%                  239  100.0%  dispatch
       0   0.0%                  239  100.0%  main
       0   0.0%                  239  100.0%  router

  Hottest path
    100.0%  main
             ... 3 frames without branches
    100.0%    Twig->render
     85.4%     Twig\Template->display
     59.8%      htmlspecialchars

  Next steps
    functions by total cost      polyprof top --sort total app.folded
    the call tree, from the top  polyprof tree app.folded
    who calls the costliest      polyprof callers htmlspecialchars app.folded
    what else the file holds     polyprof info app.folded
    an interactive flame graph   polyprof flame app.folded -o flame.svg
    all views in one page        polyprof report app.folded -o report.html

Of a profile that knows costs per function, --event keeps those of the event; what is written has no measured totals of stacks
that are no longer whole.

$ polyprof top -q --csv --event 'Memory_(bytes)' closures.xt | head -3
  name,file,line,module,calls,self_Memory_(bytes),total_Memory_(bytes),gained_Memory_(bytes),given_back_Memory_(bytes)
  {main},/srv/app/closures.php,1,,1,1040,1976,1040,0
  App\Utils\Filter->bound,/srv/app/closures.php,6,,1,384,384,384,0

$ polyprof convert -q --focus . closures.xt --to xdebug -o again.xt; polyprof top -q --csv -n 3 again.xt
  name,file,line,module,calls,self_Time_(10ns),total_Time_(10ns),self_Memory_(bytes),total_Memory_(bytes),gained_Memory_(bytes),given_back_Memory_(bytes)
  {main},/srv/app/closures.php,1,,1,72350,114930,1040,2224,1040,0
  App\Utils\apply,/srv/app/closures.php,5,,4,14100,17870,0,32,0,0
  php::usort,php:internal,,,1,7320,8460,216,216,216,0

An event or a thread that is not there leaves nothing, and nothing can be shown, compared and written.

$ for c in 'lines --json' 'tree --json' 'diff --json cycle.callgrind' 'gate --fail-if total>+5% cycle.callgrind'; do polyprof $c -q --event none cycle.callgrind || echo failed; done
  {"metric": "T", "unit": "count", "lines": [], "count": 0}
  {"format": "callgrind", "complete": true, "metric": "T", "unit": "count", "total": 0, "estimated": false, "root": {"name": "", "self": {"T": 0}, "total": {"T": 0}, "children": []}}
  {"metric": "T", "unit": "count", "normalized": false, "before": {"total": 0, "metric": "T"}, "after": {"total": 0, "metric": "T"}, "estimated": false, "status": "same", "rule": "exact counts: every difference is real", "functions": [], "count": 0}
  pass  total>+5%: 0 before, 0 after
  exact counts: every difference is real
$ polyprof convert --thread 7 cycle.callgrind --to folded -o - | wc -l
  0
! polyprof: the filters leave nothing
! standard output: warning: not written: costs per line [loss-lines]
! standard output: warning: not written: metadata (2) [loss-metadata]
! standard output: warning: T is written as samples [loss-units]
$ polyprof flame --event none app.folded -o none.svg && grep -c 'class="frame"' none.svg
  1
! polyprof: the filters leave nothing; events: samples

# A trace does not say when it began: --time counts from its first event
$ printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"name":"a","ts":9000000000,"dur":1000000},{"ph":"X","pid":1,"tid":1,"name":"b","ts":9000500000,"dur":200000}]}' >late.trace.json && polyprof top --time 0ms..600ms late.trace.json
  duration: 600 ms in 2 functions

      self  self%                 total  total%  calls  function
    500 ms  83.3%  ████████████  600 ms  100.0%      1  a
    100 ms  16.7%  ██▍           100 ms   16.7%      1  b
! polyprof: the filters keep 60.0%, duration: 600 ms; shares below are of that

# A module is a library, or else what names begin with
$ polyprof tree --collapse 'module:^Twig$' --focus Twig app.folded
    total%  total  self  function
    100.0%    239        (all)
    100.0%    239    96  └ main › router › dispatch › UserController->show › Twig->render
     59.8%    143   143    └ htmlspecialchars
! polyprof: the filters keep 22.8%, 239 samples; shares below are of that
$ polyprof top --show 'module:^PDO$' app.folded
  412 samples in 1 function

    self   self%                total  total%  function
     412  100.0%  ████████████    412  100.0%  PDO->query
! polyprof: the filters keep 39.4%, 412 samples; shares below are of that
