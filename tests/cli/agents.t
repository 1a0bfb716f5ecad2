# What scripts and agents rely on: errors as objects, limits that hold, functions that are told apart

An error under --json is an object on standard output, too, with the same exit code.

$ polyprof top --json missing.folded
  {"error": {"rule": "io-open-failed", "message": "cannot open: No such file or directory", "file": "missing.folded"}}
! missing.folded: error: cannot open: No such file or directory [io-open-failed]
= 3
$ polyprof tree --json mystery.bin
  {"error": {"rule": "io-unknown-format", "message": "no format recognises it; `polyprof formats` lists what can be read, and --from FORMAT forces one", "file": "mystery.bin"}}
! mystery.bin: error: no format recognises it; `polyprof formats` lists what can be read, and --from FORMAT forces one [io-unknown-format]
= 3
$ polyprof lines --json app.folded
  {"error": {"rule": "no-lines", "message": "this profile does not know what individual lines cost", "file": "app.folded"}}
! polyprof: error: this profile does not know what individual lines cost
= 3
$ polyprof callers --json htmlspecia1chars app.folded
  {"error": {"rule": "no-function", "message": "no function is named 'htmlspecia1chars'; the closest names", "file": "app.folded", "candidates": [{"name": "htmlspecialchars"}, {"name": "dispatch"}, {"name": "match"}, {"name": "session_start"}, {"name": "PDO->query"}, {"name": "Twig->render"}, {"name": "autoload"}, {"name": "include"}]}}
! polyprof: error: no function is named 'htmlspecia1chars'; the closest names:
!   htmlspecialchars
!   dispatch
!   match
!   session_start
!   PDO->query
!   Twig->render
!   autoload
!   include
= 2
$ polyprof top --json -m nosuch app.folded
  {"error": {"rule": "no-metric", "message": "no metric 'nosuch' in this profile; it has samples", "file": "app.folded"}}
! polyprof: error: no metric 'nosuch' in this profile; it has samples
= 2
$ polyprof top --json --no-such-option app.folded
  {"error": {"rule": "usage", "message": "unknown option '--no-such-option'", "file": null}}
! polyprof: error: unknown option '--no-such-option'
! Try `polyprof top --help`.
= 2
$ polyprof nosuch --json
  {"error": {"rule": "usage", "message": "'nosuch' is neither a command nor a file", "file": null}}
! polyprof: error: 'nosuch' is neither a command nor a file
! Try `polyprof --help`.
= 2
$ polyprof diff --json app.folded
  {"error": {"rule": "usage", "message": "name two files to compare; one alone must be a differential profile", "file": "app.folded"}}
! polyprof: error: name two files to compare; one alone must be a differential profile
! Try `polyprof diff --help`.
= 2
$ polyprof gate --format json app.folded missing.folded --fail-if 'total > 1'
  {"error": {"rule": "io-open-failed", "message": "cannot open: No such file or directory", "file": "missing.folded"}}
! missing.folded: error: cannot open: No such file or directory [io-open-failed]
= 3
$ polyprof list --json missing
  {"error": {"rule": "no-directory", "message": "missing: No such file or directory", "file": "missing"}}
! polyprof: error: missing: No such file or directory
= 3
$ polyprof top --json app.folded -o missing/top.json
  {"error": {"rule": "io-write-failed", "message": "cannot write: No such file or directory", "file": "missing/top.json"}}
! missing/top.json: error: cannot write: No such file or directory [io-write-failed]
= 4
$ polyprof top --json --strict bad.folded
  {"error": {"rule": "folded-count-invalid", "message": "a count is not a plain non-negative whole number", "file": "bad.folded"}}
! bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
! bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
! bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]
! polyprof: error: bad.folded is damaged, and --strict forbids using the rest
= 3
$ polyprof top --json < /dev/null
  {"error": {"rule": "usage", "message": "name a file", "file": null}}
! Usage: polyprof top [OPTIONS] FILE...
! Functions by self or total cost.
! Try `polyprof top --help`.
= 2

Functions of one name are never added up: who asks chooses.

$ printf 'events: Ir\nfl=src/one.c\nfn=handle\n10 100\nfl=src/two.c\nfn=handle\n20 50\nfl=lib/two.c\nfn=handle\n30 25\nfl=src/one.c\nfn=main\n1 1\ncfi=src/one.c\ncfn=handle\ncalls=2 10\n2 100\ncfi=src/two.c\ncfn=handle\ncalls=3 20\n3 50\ncfi=lib/two.c\ncfn=handle\ncalls=4 30\n4 25\n' > handles.callgrind
$ polyprof callers handle handles.callgrind
! polyprof: error: 'handle' may mean 3 functions; choose one by its place:
!   src/one.c:handle
!   src/two.c:handle
!   lib/two.c:handle
= 2
$ polyprof callers --json handle handles.callgrind
  {"error": {"rule": "several-functions", "message": "'handle' may mean 3 functions; choose one by its place", "file": "handles.callgrind", "candidates": [{"name": "handle", "place": "src/one.c"}, {"name": "handle", "place": "src/two.c"}, {"name": "handle", "place": "lib/two.c"}]}}
! polyprof: error: 'handle' may mean 3 functions; choose one by its place:
!   src/one.c:handle
!   src/two.c:handle
!   lib/two.c:handle
= 2
$ polyprof callers one.c:handle handles.callgrind
  handle: 100 in all, 100 by itself, 2 calls
  called by

    total%  total  calls  function  called at
     56.8%    100      2  main      src/one.c:2
$ polyprof callers src/two.c:handle handles.callgrind
  handle: 50 in all, 50 by itself, 3 calls
  called by

    total%  total  calls  function  called at
     28.4%     50      3  main      src/one.c:3
$ polyprof callers two.c:handle handles.callgrind
! polyprof: error: 'two.c:handle' may mean 2 functions; choose one by its place:
!   src/two.c:handle
!   lib/two.c:handle
= 2
$ polyprof callees /^handle/ handles.callgrind
! polyprof: error: '/^handle/' may mean 3 functions; choose one by its place:
!   src/one.c:handle
!   src/two.c:handle
!   lib/two.c:handle
= 2
$ polyprof handles.callgrind | grep 'callers'
    who calls the costliest      polyprof callers src/one.c:handle handles.callgrind

Closures of one file differ in their lines only.

$ polyprof callers '{closure}' closures.json
! polyprof: error: '{closure}' may mean 5 functions; give more of the name:
!   App\Utils\{closure}  (/srv/sample/spx/scripts/closures.php:3)
!   App\Utils\{closure}  (/srv/sample/spx/scripts/closures.php:4)
!   App\Utils\{closure}  (/srv/sample/spx/scripts/closures.php:8)
!   App\Utils\Filter::App\Utils\{closure}  (/srv/sample/spx/scripts/closures.php:6)
!   App\Utils\{closure}  (/srv/sample/spx/scripts/closures.php:11)
= 2

-n holds for every form of an answer.

$ polyprof tree --json -n 3 app.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 1047, "estimated": false, "root": {"name": "", "self": {"samples": 0}, "total": {"samples": 1047}, "children": [{"name": "main", "more": 2, "self": {"samples": 3}, "total": {"samples": 1047}, "children": [{"name": "router", "more": 2, "self": {"samples": 0}, "total": {"samples": 960}, "children": []}]}]}}
$ polyprof tree --json -n 1 app.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 1047, "estimated": false, "root": {"name": "", "more": 1, "self": {"samples": 0}, "total": {"samples": 1047}, "children": []}}
$ polyprof callers --json -n 1 fact recursion.folded
  {"metric": "samples", "unit": "samples", "estimated": false, "function": {"name": "fact", "self": {"samples": 6}, "total": {"samples": 10}}, "edges": [{"name": "main", "total": {"samples": 10}}], "count": 2}
$ polyprof callees --json -n 2 main app.folded
  {"metric": "samples", "unit": "samples", "estimated": false, "function": {"name": "main", "self": {"samples": 3}, "total": {"samples": 1047}}, "edges": [{"name": "router", "total": {"samples": 960}}, {"name": "autoload", "total": {"samples": 67}}], "count": 3}
$ polyprof callees --csv -n 1 main app.folded
  name,file,line,site_file,site_line,depth,calls,total_samples
  router,,,,,1,,960

Verdicts mirror: what is noise is measured by the larger of both totals.

$ cat > small.xhprof.json <<X
> {"main()":{"ct":1,"wt":1000},"main()==>a":{"ct":1,"wt":500},"main()==>b":{"ct":1,"wt":5}}
> X
$ cat > large.xhprof.json <<X
> {"main()":{"ct":1,"wt":3000},"main()==>a":{"ct":1,"wt":520},"main()==>b":{"ct":1,"wt":2000}}
> X
$ polyprof diff small.xhprof.json large.xhprof.json
  one run each: record three or more (--before a1 a2 a3 --after b1 b2 b3)
  wall time, self: 1.00 ms before, 3.00 ms after (+200.0%, grew)
  single runs: changes within 5% of the larger whole or of the function are noise

     before    after     delta     change  share±  calls  after  verdict  function
    5.00 µs  2.00 ms  +2.00 ms  +39900.0%   +66.2      1      1  grew     b

    ... and 2 functions within noise (-n 0 shows all)
$ polyprof diff large.xhprof.json small.xhprof.json
  one run each: record three or more (--before a1 a2 a3 --after b1 b2 b3)
  wall time, self: 3.00 ms before, 1.00 ms after (-66.7%, shrank)
  single runs: changes within 5% of the larger whole or of the function are noise

     before    after     delta  change  share±  calls  after  verdict  function
    2.00 ms  5.00 µs  -2.00 ms  -99.8%   -66.2      1      1  shrank   b

    ... and 2 functions within noise (-n 0 shows all)

Where one function grows, the others are not said to shrink when both are scaled to one size; where the whole program
grows, what stays behind is.

$ printf 'main;a 1000\nmain;b 1000\nmain;c 1000\nmain;d 1000\n' > even.folded
$ printf 'main;a 1000\nmain;b 1000\nmain;c 1000\nmain;d 3000\n' > grown.folded
$ printf 'main;a 4000\nmain;b 4000\nmain;c 4000\nmain;d 1000\n' > longer.folded
$ polyprof diff --normalize total even.folded grown.folded
  samples, self: 4,000 samples before, 4,000 samples after (+0.0%, same)
  after is scaled by 0.666667 to the same total; samples: changes within 2 * sqrt(before + after) are noise

    before  after   delta   change  share±  verdict  function
     1,000  2,000  +1,000  +100.0%   +25.0  grew     d

    ... and 3 functions within noise, 1 unchanged function (-n 0 shows all)
$ polyprof diff --normalize total grown.folded even.folded
  samples, self: 6,000 samples before, 6,000 samples after (+0.0%, same)
  after is scaled by 1.5 to the same total; samples: changes within 2 * sqrt(before + after) are noise

    before  after   delta  change  share±  verdict  function
     3,000  1,500  -1,500  -50.0%   -25.0  shrank   d

    ... and 3 functions within noise, 1 unchanged function (-n 0 shows all)
$ polyprof diff --normalize samples even.folded longer.folded
  samples, self: 4,000 samples before, 4,000 samples after (+0.0%, same)
  after is scaled by 0.307692 to the same samples; samples: changes within 2 * sqrt(before + after) are noise

    before  after  delta  change  share±  verdict  function
     1,000    308   -692  -69.2%   -17.3  shrank   d

    ... and 3 functions within noise, 1 unchanged function (-n 0 shows all)

Lines name their functions, and filters choose by these, wherever functions have a place.

$ polyprof lines --focus 'Early::deep|BEGIN@2' modules.out
       cost  cost%  hits  line                      function        source
     103 µs  68.5%     2  /tmp/demo/modules.pl:2    main::BEGIN@2   use Early;
    35.7 µs  23.8%     2  /tmp/demo/lib/Early.pm:2  Early::BEGIN@2  use strict;
    11.7 µs   7.8%    20  /tmp/demo/lib/Early.pm:5  Early::deep     sub deep { my $d = shift; return $d ? 1 + deep($d - 1) : 0 }
! polyprof: the filters keep 16.1%, time: 150 µs; shares below are of that
$ polyprof lines --focus RUNTIME -n 2 --json modules.out
  {"metric": "time", "unit": "ns", "lines": [{"file": "/tmp/demo/lib/Late.pm", "line": 3, "hits": 2001, "cost": {"time": 224600}, "function": {"name": "Late::RUNTIME", "file": "/tmp/demo/lib/Late.pm", "line": 1}}, {"file": "/tmp/demo/modules.pl", "line": 4, "hits": 1501, "cost": {"time": 165100}, "function": {"name": "main::RUNTIME", "file": "/tmp/demo/modules.pl", "line": 1}}], "count": 11}
! polyprof: the filters keep 62.1%, time: 581 µs; shares below are of that

What a tree leaves out can be opened.

$ polyprof tree -n 2 tiny.json
    total%    total     self  calls  function
    100.0%  79.6 µs                  (all)
    100.0%  79.6 µs  58.8 µs      1  └ /srv/sample/spx/scripts/tiny.php
     26.1%  20.7 µs  9.22 µs      1    └ top (tiny.php:4)
     14.5%  11.5 µs  4.14 µs      3      └ branch (tiny.php:3)
$ polyprof tree -n 2 hostile.folded | tail -3

  Next steps
    the 10 more below main  polyprof tree --min 0 --show-from '^main$' hostile.folded

Nothing that is hidden or reorders text reaches a terminal, and JSON means the same.

$ printf 'main;a\342\200\256b 3\nmain;z\342\200\213y\342\200\215 2\nmain;\363\240\201\201x 1\n' > hidden.folded
$ polyprof top --json hidden.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 6, "estimated": false, "functions": [{"name": "a\u202eb", "self": {"samples": 3}, "total": {"samples": 3}}, {"name": "z\u200by\u200d", "self": {"samples": 2}, "total": {"samples": 2}}, {"name": "\udb40\udc41x", "self": {"samples": 1}, "total": {"samples": 1}}, {"name": "main", "self": {"samples": 0}, "total": {"samples": 6}}], "count": 4}
$ polyprof tree --json hidden.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 6, "estimated": false, "root": {"name": "", "self": {"samples": 0}, "total": {"samples": 6}, "children": [{"name": "main", "self": {"samples": 0}, "total": {"samples": 6}, "children": [{"name": "a\u202eb", "self": {"samples": 3}, "total": {"samples": 3}, "children": []}, {"name": "z\u200by\u200d", "self": {"samples": 2}, "total": {"samples": 2}, "children": []}, {"name": "\udb40\udc41x", "self": {"samples": 1}, "total": {"samples": 1}, "children": []}]}]}}
$ polyprof callers --json 'zy' hidden.folded
  {"error": {"rule": "no-function", "message": "no function is named 'zy'; the closest names", "file": "hidden.folded", "candidates": [{"name": "main"}, {"name": "a\u202eb"}, {"name": "\udb40\udc41x"}, {"name": "z\u200by\u200d"}]}}
! polyprof: error: no function is named 'zy'; the closest names:
!   main
!   a\u{202e}b
!   \u{e0041}x
!   z\\u{200b}y\xe2\x80\x8d (esc)
= 2
$ polyprof callees --json -n 1 main hidden.folded
  {"metric": "samples", "unit": "samples", "estimated": false, "function": {"name": "main", "self": {"samples": 0}, "total": {"samples": 6}}, "edges": [{"name": "a\u202eb", "total": {"samples": 3}}], "count": 3}

Units of all metrics.

$ polyprof lines --json -n 0 whole.callgrind
  {"metric": "Ir", "unit": "count", "lines": [{"file": "a.c", "line": 3, "cost": {"Ir": 4}, "function": {"name": "work", "file": "a.c"}}, {"file": "a.c", "line": 1, "cost": {"Ir": 3}, "function": {"name": "main", "file": "a.c"}}], "count": 2}
$ polyprof callees --json -n 1 top tiny.json
  {"metric": "wt", "unit": "ns", "units": {"wt": "ns", "zm": "bytes"}, "estimated": false, "function": {"name": "top", "file": "/srv/sample/spx/scripts/tiny.php", "line": 4, "calls": 1, "self": {"wt": 9219, "zm": 0}, "total": {"wt": 20737, "zm": 0}, "gained": {"zm": 0}, "given_back": {"zm": 0}}, "edges": [{"name": "branch", "file": "/srv/sample/spx/scripts/tiny.php", "line": 3, "calls": 3, "site": {"file": "/srv/sample/spx/scripts/tiny.php", "line": 4}, "total": {"wt": 11518, "zm": 0}}], "count": 1}

Numbers in sentences have separators.

$ printf 'events: Ir\nfn=main\n1 100\ncfn=query\ncalls=4000 1\n2 90000\nfn=query\n9 90000\n' >callgrind.out.n; polyprof findings callgrind.out.n | grep times
     99.9%  each call of main calls query 4,000 times, 4,000 calls in all
