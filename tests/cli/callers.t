# polyprof callers and callees

$ polyprof callers 'PDO->query' app.folded
  PDO->query: 412 in all, 412 by itself
  called by

    total%  total  function
     39.4%    412  UserRepository->find

$ polyprof callees main app.folded
  main: 1,047 in all, 3 by itself
  calls

    total%  total  function
     91.7%    960  router
      6.4%     67  autoload
      1.6%     17  session_start

The inverted tree.

$ polyprof callers --depth 9 htmlspecialchars app.folded
  htmlspecialchars: 143 in all, 143 by itself
  called by

    total%  total  function
     13.7%    143  Twig\Template->display
     13.7%    143    Twig->render
     13.7%    143      UserController->show
     13.7%    143        dispatch
     13.7%    143          router
     13.7%    143            main

$ polyprof callers --depth 3 --json htmlspecialchars app.folded
  {"metric": "samples", "unit": "samples", "estimated": false, "function": {"name": "htmlspecialchars", "self": {"samples": 143}, "total": {"samples": 143}}, "edges": [{"name": "Twig\\Template->display", "total": {"samples": 143}, "edges": [{"name": "Twig->render", "total": {"samples": 143}, "edges": [{"name": "UserController->show", "total": {"samples": 143}}]}]}], "count": 3}

$ polyprof callees --depth 2 --min 20 router app.folded
  router: 960 in all, 0 by itself
  calls

    total%  total  function
     89.4%    936  dispatch
     89.4%    936    UserController->show

Recursion: calls from inside cost nothing more, so the rows add up to the function's total.

$ polyprof callers fact recursion.folded
  fact: 10 in all, 6 by itself
  called by

    total%  total  function
     23.8%     10  main
      0.0%      0  fact (recursive)

$ polyprof callers odd recursion.folded
  odd: 15 in all, 15 by itself
  called by

    total%  total  function
     35.7%     15  even

$ polyprof callees odd recursion.folded
  odd: 15 in all, 15 by itself
  calls

    total%  total  function
      0.0%      0  even

Call sites, where they are known.

$ polyprof callers --csv leaf tiny.json
  name,file,line,site_file,site_line,depth,calls,total_wt,total_zm
  branch,/srv/sample/spx/scripts/tiny.php,3,/srv/sample/spx/scripts/tiny.php,3,1,6,7379,0

$ polyprof callees /tiny.php$/ tiny.json
  /srv/sample/spx/scripts/tiny.php: 79.6 µs in all, 58.8 µs by itself, 1 call
  calls

    total%    total  calls  function  called at
     26.1%  20.7 µs      1  top       /srv/sample/spx/scripts/tiny.php:5

A call graph: no row exceeds the function, and what a cycle counts again is in `stated`; cycles are named.

$ polyprof callers even cycle.callgrind
  even: 30 in all, 30 by itself, 3 calls
  called by

    total%  total  calls  function       called at
     30.0%     30      1  zzz            a.c:1
      0.0%      0      2  odd <cycle 1>  a.c:3

$ polyprof callees --json even cycle.callgrind
  {"metric": "T", "unit": "count", "estimated": false, "function": {"name": "even", "file": "a.c", "calls": 3, "self": {"T": 30}, "total": {"T": 30}, "cycle": 1}, "edges": [{"name": "odd", "file": "a.c", "calls": 2, "site": {"file": "a.c", "line": 2}, "total": {"T": 0}, "cycle": 1, "stated": {"T": 100}}], "count": 1}

$ polyprof top --json cycle.callgrind
  {"format": "callgrind", "complete": true, "metric": "T", "unit": "count", "total": 100, "estimated": false, "functions": [{"name": "odd", "file": "a.c", "calls": 2, "self": {"T": 60}, "total": {"T": 60}, "cycle": 1}, {"name": "even", "file": "a.c", "calls": 3, "self": {"T": 30}, "total": {"T": 30}, "cycle": 1}, {"name": "zzz", "file": "a.c", "self": {"T": 10}, "total": {"T": 100}}], "count": 3, "cycles": [{"cycle": 1, "members": 2, "self": {"T": 90}, "total": {"T": 90}}]}

$ polyprof callers --depth 2 even cycle.callgrind
  even: 90 in all, 30 by itself
  called by

    total%  total  function
     90.0%     90  zzz
! polyprof: this profile knows which function called which, but not whole stacks, so they are estimated: at least 10.0% of the cost is on stacks that are certain; 1 cycle of calls is taken as one

NYTProf's own records.

$ polyprof callers --json main::f dash_e.out
  {"metric": "time", "unit": "ns", "estimated": false, "function": {"name": "main::f", "file": "-e", "line": 1, "calls": 5, "self": {"time": 5000}, "total": {"time": 5000}, "recursion_depth": 0, "places": 1, "files": 1}, "edges": [{"name": "main::RUNTIME", "file": "-e", "line": 1, "calls": 5, "site": {"file": "-e", "line": 1}, "total": {"time": 5000}}], "count": 1}

Names: a part that is unique, FILE:NAME, a pattern; else what was meant perhaps.

$ polyprof callers htmlspec app.folded
  htmlspecialchars: 143 in all, 143 by itself
  called by

    total%  total  function
     13.7%    143  Twig\Template->display

$ polyprof callers a.c:odd cycle.callgrind
  odd: 60 in all, 60 by itself, 2 calls
  called by

    total%  total  calls  function            called at
     30.0%     30      2  even <cycle 1>      a.c:2
     30.0%     30         (within the cycle)

$ polyprof callers '/->(query|none)$/' app.folded
  PDO->query: 412 in all, 412 by itself
  called by

    total%  total  function
     39.4%    412  UserRepository->find

$ polyprof callers Twig app.folded
! polyprof: error: 'Twig' may mean 3 functions; give more of the name:
!   Twig->render
!   Twig\Template->display
!   Twig\Cache->load
= 2

$ polyprof callers autolaod app.folded
! polyprof: error: no function is named 'autolaod'; the closest names:
!   autoload
!   include
!   main
!   match
!   router
!   dispatch
!   PDO->query
!   Twig->render
= 2

$ polyprof callers '/(/' app.folded
! polyprof: error: missing closing parenthesis at character 2 of '('
= 2

$ polyprof callers
! polyprof: error: name a function and a file
! Try `polyprof callers --help`.
= 2

$ polyprof callees x empty.folded
! polyprof: error: no function is named 'x'
= 2

A function that filters leave nothing of has no callers.

$ polyprof callers --json --focus nothing main app.folded
  {"metric": "samples", "unit": "samples", "estimated": false, "function": {"name": "main"}, "edges": [], "count": 0}
! polyprof: the filters leave nothing

$ polyprof callees --focus nothing even cycle.callgrind
  even

    it calls nothing
! polyprof: this profile knows which function called which, but not whole stacks, so they are estimated: at least 10.0% of the cost is on stacks that are certain; 1 cycle of calls is taken as one
! polyprof: the filters leave nothing

Functions that call each other in turn: callers have the first activation on each stack, callees what lies below the last one:
$ printf 'main;even;odd;even;odd 4\nmain;odd;even 2\nmain;even 1\n' > turns.folded; polyprof peek even turns.folded; polyprof callees odd turns.folded; polyprof callers --depth 2 odd turns.folded
  even: 7 in all, 3 by itself
  called by

    total%  total  function
     71.4%      5  main
     28.6%      2  odd

  calls

    total%  total  function
     57.1%      4  odd
  odd: 6 in all, 4 by itself
  calls

    total%  total  function
     28.6%      2  even
  odd: 6 in all, 4 by itself
  called by

    total%  total  function
     57.1%      4  even
     57.1%      4    main
      0.0%      0    odd
     28.6%      2  main
