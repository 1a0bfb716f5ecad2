# polyprof FILE

$ polyprof app.folded
  app.folded: folded stacks
    1,047 samples, 16 functions, 11 stacks

  Costliest functions
    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query
     188  18.0%  █████▌          188   18.0%  PDOStatement->fetch
     143  13.7%  ████▏           143   13.7%  htmlspecialchars
      97   9.3%  ██▉              97    9.3%  UserRepository->hydrate
      61   5.8%  █▊              204   19.5%  Twig\Template->display
      58   5.5%  █▊               58    5.5%  include
      35   3.3%  █                35    3.3%  Twig\Cache->load
      24   2.3%  ▊                24    2.3%  match
      17   1.6%  ▌                17    1.6%  session_start
       9   0.9%  ▎                67    6.4%  autoload

    ... and 6 more functions (-n 0 shows all)

  Hottest path
    100.0%  main
     91.7%   router
     89.4%    dispatch
     89.4%     UserController->show
     57.3%      UserRepository->find
     39.4%       PDO->query

  Next steps
    functions by total cost      polyprof top --sort total app.folded
    the call tree, from the top  polyprof tree app.folded
    who calls the costliest      polyprof callers 'PDO->query' app.folded
    what else the file holds     polyprof info app.folded
    an interactive flame graph   polyprof flame app.folded -o flame.svg
    all views in one page        polyprof report app.folded -o report.html

$ polyprof change.diff.folded
  change.diff.folded: differential folded stacks
    before: 75 samples, after: 65 samples, 5 functions, 4 stacks

  Costliest functions
    self  self%                total  total%  self before  function
      31  47.7%  ████████████     43   66.2%           30  render
      22  33.8%  ████████▌        22   33.8%           40  parse
      12  18.5%  ████▋            12   18.5%            0  escape
       0   0.0%                   65  100.0%            0  main

    ... and 1 function that costs nothing (--json lists it)

  Hottest path
    100.0%  main
     66.2%   render

  Next steps
    functions by total cost      polyprof top --sort total change.diff.folded
    the call tree, from the top  polyprof tree change.diff.folded
    who calls the costliest      polyprof callers render change.diff.folded
    what else the file holds     polyprof info change.diff.folded
    an interactive flame graph   polyprof flame change.diff.folded -o flame.svg
    all views in one page        polyprof report change.diff.folded -o report.html

Runs of frames that cost the same are folded.

$ polyprof deep.folded
  deep.folded: folded stacks
    14 samples, 61 functions, 2 stacks

  Costliest functions
    self  self%                total  total%  function
      10  71.4%  ████████████     10   71.4%  f59
       4  28.6%  ████▊             4   28.6%  side
       0   0.0%                   14  100.0%  f0
       0   0.0%                   14  100.0%  f1
       0   0.0%                   14  100.0%  f10
       0   0.0%                   14  100.0%  f11
       0   0.0%                   14  100.0%  f12
       0   0.0%                   14  100.0%  f13
       0   0.0%                   14  100.0%  f14
       0   0.0%                   14  100.0%  f15

    ... and 51 more functions (-n 0 shows all)

  Hottest path
    100.0%  f0
             ... 18 frames without branches
    100.0%    f19
     71.4%     f20
                ... 38 frames without branches
     71.4%       f59

  Next steps
    functions by total cost      polyprof top --sort total deep.folded
    the call tree, from the top  polyprof tree deep.folded
    who calls the costliest      polyprof callers f59 deep.folded
    what else the file holds     polyprof info deep.folded
    an interactive flame graph   polyprof flame deep.folded -o flame.svg
    all views in one page        polyprof report deep.folded -o report.html

$ polyprof empty.folded
  empty.folded: folded stacks
    0 samples
    nothing was recorded: the profile is empty

  Next steps
    functions by total cost      polyprof top --sort total empty.folded
    the call tree, from the top  polyprof tree empty.folded
    what else the file holds     polyprof info empty.folded
    an interactive flame graph   polyprof flame empty.folded -o flame.svg
    all views in one page        polyprof report empty.folded -o report.html

Names with blanks are quoted in what to type.

$ cp app.folded "it's mine.folded" && polyprof -n 1 "it's mine.folded"
  it's mine.folded: folded stacks
    1,047 samples, 16 functions, 11 stacks

  Costliest functions
    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query

    ... and 15 more functions (-n 0 shows all)

  Hottest path
    100.0%  main
     91.7%   router
     89.4%    dispatch
     89.4%     UserController->show
     57.3%      UserRepository->find
     39.4%       PDO->query

  Next steps
    functions by total cost      polyprof top --sort total 'it'\''s mine.folded'
    the call tree, from the top  polyprof tree 'it'\''s mine.folded'
    who calls the costliest      polyprof callers 'PDO->query' 'it'\''s mine.folded'
    what else the file holds     polyprof info 'it'\''s mine.folded'
    an interactive flame graph   polyprof flame 'it'\''s mine.folded' -o flame.svg
    all views in one page        polyprof report 'it'\''s mine.folded' -o report.html

$ polyprof -n 1 app.folded other.folded
  app.folded and other.folded, merged: folded stacks
    1,189 samples, 17 functions, 12 stacks

  Costliest functions
    self  self%                total  total%  function
     512  43.1%  ████████████    512   43.1%  PDO->query

    ... and 16 more functions (-n 0 shows all)

  Hottest path
    100.0%  main
     89.2%   router
     87.1%    dispatch
     78.7%     UserController->show
     50.5%      UserRepository->find
     34.7%       PDO->query

  Next steps
    what changed between the two  polyprof diff app.folded other.folded
    functions by total cost       polyprof top --sort total app.folded other.folded
    the call tree, from the top   polyprof tree app.folded other.folded
    who calls the costliest       polyprof callers 'PDO->query' app.folded other.folded
    what else the file holds      polyprof info app.folded other.folded

$ polyprof --json -n 1 deep.folded | head -c 700
  {"file": "deep.folded", "format": "folded", "compression": [], "complete": true, "facets": ["tree"], "primary": "samples", "metrics": [{"name": "samples", "unit": "samples", "total": 14, "key": "samples"}], "counts": {"events": 0, "samples": 14, "stacks": 2, "functions": 61, "threads": 1, "edges": 0, "lines": 0}, "functions": [{"name": "f59", "self": {"samples": 10}, "total": {"samples": 10}}], "path_estimated": false, "path": [{"name": "f0", "total": 14}, {"name": "f1", "total": 14}, {"name": "f2", "total": 14}, {"name": "f3", "total": 14}, {"name": "f4", "total": 14}, {"name": "f5", "total": 14}, {"name": "f6", "total": 14}, {"name": "f7", "total": 14}, {"name": "f8", "total": 14}, {"name" (no-eol)

$ polyprof < other.folded
  standard input: folded stacks
    142 samples, 7 functions, 2 stacks

  Costliest functions
    self  self%                total  total%  function
     100  70.4%  ████████████    100   70.4%  PDO->query
      42  29.6%  █████            42   29.6%  include
       0   0.0%                  142  100.0%  main
       0   0.0%                  100   70.4%  UserController->list
       0   0.0%                  100   70.4%  dispatch
       0   0.0%                  100   70.4%  router
       0   0.0%                   42   29.6%  autoload

  Hottest path
    100.0%  main
     70.4%   router
     70.4%    dispatch
     70.4%     UserController->list
     70.4%      PDO->query

  Next steps
    functions by total cost      polyprof top --sort total -
    the call tree, from the top  polyprof tree -
    who calls the costliest      polyprof callers 'PDO->query' -
    what else the file holds     polyprof info -
    an interactive flame graph   polyprof flame - -o flame.svg
    all views in one page        polyprof report - -o report.html

The first line says what was profiled, as far as the file knows: an SPX request and command, NYTProf's application, Valgrind's and
Xdebug's commands, the commands of perf and SPAA, the URL of xhgui.

$ printf '[events]\n0 1 0 0\n1 1 10 5\n1 0 30 5\n0 0 50000 7\n[functions]\n/app/a.php\nf\n' > r.txt; cp r.txt c.txt
$ printf '{"exec_ts": 1794730094, "host_name": "web1", "process_pid": 77, "cli": 0, "cli_command_line": "x=1", "http_request_uri": "/web.php?x=1", "http_method": "GET", "http_host": "shop.test:8080", "enabled_metrics": ["wt", "zm"]}\n' > r.json
$ printf '{"exec_ts": 1794730094, "host_name": "web1", "process_pid": 77, "cli": 1, "cli_command_line": "a.php --fast", "http_request_uri": "n/a", "http_method": "n/a", "http_host": "n/a", "enabled_metrics": ["wt", "zm"]}\n' > c.json
$ TZ=UTC polyprof r.json | head -3
  GET /web.php?x=1 on web1 (shop.test:8080), 2026-11-15 08:08, 50.0 µs, 2 calls
    r.json: SPX full report (PHP) by php-spx
    wall time: 50.0 µs, memory in use: 7 B, 2 functions, 2 stacks
$ polyprof r.json | grep costliest
    what the costliest calls     polyprof callees /app/a.php r.json
$ TZ=UTC polyprof c.json | head -1
  a.php --fast (pid 77) on web1, 2026-11-15 08:08, 50.0 µs, 2 calls
$ TZ=UTC polyprof --json r.json | grep -o '"what": .*'  | cut -c1-60
  "what": "GET shop.test:8080/web.php?x=1", "host": "web1", "f
$ TZ=UTC polyprof info --json c.json | grep -o '"what": .*'
  "what": "a.php --fast", "host": "web1", "size": 284}
$ TZ=UTC polyprof dash_e.out | head -1
  -e, 2026-11-15 08:03, 166 µs, 13 statements, 6 calls
$ polyprof fib.xt | head -1
  /app/fib.php, 127 µs, 68 calls
$ polyprof steps.xt | head -1
  /srv/app/step.php, 11.2 µs, 2 calls
$ printf 'version: 1\ncreator: callgrind-3.19.0\npid: 15523\ncmd: ./a.out -v\npositions: line\nevents: Ir\n\nfn=main\n1 12\ncfn=f\ncalls=3 1\n2 5\n\nfn=f\n3 5\n\n' > a.callgrind; polyprof a.callgrind | head -1
  ./a.out -v (pid 15523), 3 calls
! a.callgrind: warning: part 1 has no totals: line [callgrind-no-totals]
$ printf 'desc: I1 cache: 1\ncmd: ./b\nevents: Ir\nfl=a.c\nfn=main\n1 5\nsummary: 5\n' > a.cachegrind; polyprof a.cachegrind | head -1
  ./b
$ printf '# captured on    : Sun Nov 15 08:29:12 2026\n# hostname : vm\n# cmdline : /usr/bin/perf record -g ./web \n#\nweb 1 [000] 10.5: 100 cpu-clock:pppH:\n\t0 f (x)\n\nweb 1 [000] 10.6: 100 cpu-clock:pppH:\n\t0 f (x)\n\n' > h.perf-script; polyprof h.perf-script | head -1
  ./web (/usr/bin/perf record) on vm, 2026-11-15 08:29, 100 ms
$ for c in 'perf record -F 99 -e cycles:u --call-graph dwarf,4096 -o x.data -- ./a -g b' '/opt/perf record -F99 --event=cycles sh -c ls' 'perf record -a -p 7'; do sed "s|cmdline : .*|cmdline : $c|" h.perf-script > o.perf-script; polyprof o.perf-script | head -1; done
  ./a -g b (perf record) on vm, 2026-11-15 08:29, 100 ms
  sh -c ls (/opt/perf record) on vm, 2026-11-15 08:29, 100 ms
  perf record -a -p 7 on vm, 2026-11-15 08:29, 100 ms
$ grep -v '^#' h.perf-script > n.perf-script; polyprof n.perf-script | head -1
  web, 100 ms
$ sed '4s/web 1/sh 2/' n.perf-script > two.perf-script; polyprof two.perf-script | head -1
  web and 1 other thread, 100 ms
$ printf 'web 7 10.5: 3 page-faults:\n\t0 f (x)\n\nweb 7 10.6: 100 cpu-clock:\n\t0 f (x)\n\n' > events.perf-script; polyprof events.perf-script | sed -n 3,5p
    cpu-clock time: 100 ns, cpu-clock samples: 1
    page-faults: 3 events, page-faults samples: 1
    1 function, 1 stack
$ printf 'web 7/7 [000] 10.5: 100 cpu-clock:\n\t0 f (x)\n\nsh 8/8 [000] 10.6: 100 cpu-clock:\n\t0 f (x)\n\n' > pids.perf-script; polyprof pids.perf-script | head -1
  web and 1 other command, 100 ms
$ printf '@[\n    vfs_read+0\n    main+5\n, web]: 1200\n@[\n    vfs_write+0\n    main+5\n, web]: 3\n' > one.bpftrace; polyprof one.bpftrace | head -3
  web
    one.bpftrace: bpftrace output
    count: 1,203, 3 functions, 2 stacks
$ printf '@calls[\n    vfs_read+0\n    main+5\n]: 1200\n@bytes[\n    vfs_write+0\n    main+5\n]: 31234567\n' > two.bpftrace; polyprof two.bpftrace | head -3
  two.bpftrace: bpftrace output
    @calls: 1,200
    @bytes: 31.2M
$ printf 'heap_v2/1\n  t*: 2: 30 [0: 0]\n  t0: 2: 30 [0: 0]\n  t5: 0: 0 [0: 0]\n@ 0x401100 0x7f0000001000\n  t*: 2: 30 [0: 0]\n  t0: 2: 30 [0: 0]\n\nMAPPED_LIBRARIES:\n00400000-00402000 r-xp 00000000 08:01 1 /srv/oven\n7f0000000000-7f0000009000 r-xp 00000000 08:01 2 /lib/libc.so.6\n' > je.heap; polyprof -q je.heap | head -3
  /srv/oven
    je.heap: jemalloc heap profile
    live bytes: 30 B, live allocations: 2, 2 functions, 1 stack

$ printf '{"type":"header","format":"spaa","version":"1.0","source_tool":"perf","frame_order":"leaf_to_root","events":[{"name":"cycles","kind":"hardware","sampling":{"mode":"period","primary_metric":"period"}}],"stack_id_mode":"local","source":{"tool":"perf","command":"wrk -c 4"}}\n' > a.spaa; polyprof a.spaa 2> /dev/null | head -1
  wrk -c 4
$ printf '{"type":"header","format":"spaa","version":"1.0","source_tool":"perf","frame_order":"leaf_to_root","events":[{"name":"cycles","kind":"hardware","sampling":{"mode":"period","primary_metric":"period"}}],"stack_id_mode":"local","source":{"tool":"perf","command":"wrk"},"time_range":{"start":1700000000000000000,"end":1700000000000000009,"unit":"ns"}}\n' > short.spaa; polyprof short.spaa 2> /dev/null | head -1
  wrk, 9 ns
$ printf '{"main()":{"ct":1,"wt":100,"mem.na":3,"mem.nf":2,"mem.aa":4096},"main()==>f":{"ct":2,"wt":60,"mem.na":1,"mem.nf":0,"mem.aa":64}}' > na.xhprof.json; polyprof na.xhprof.json | sed -n 2p
    wall time: 100 µs, memory allocations: 3, memory frees: 2, memory allocated: 4.00 KiB, 2 functions, 3 calls
$ printf '{"meta":{"url":"/cart?id=1","SERVER":{"REQUEST_METHOD":"POST","HTTP_HOST":"shop.test","SERVER_NAME":"web1"},"request_ts":{"sec":1794729896,"usec":0}},"profile":{"main()":{"ct":1,"wt":100},"main()==>f":{"ct":2,"wt":60}}}' > xhgui.json; TZ=UTC polyprof xhgui.json | head -1
  POST /cart?id=1 on web1 (shop.test), 2026-11-15 08:04, 100 µs, 3 calls

A hostile value is made harmless, and shortened.

$ printf '{"exec_ts": 1794730094, "host_name": "\\u001b]0;owned\\u0007", "cli": 0, "http_request_uri": "/%s\\n\\u001b[31m", "http_method": "GET", "enabled_metrics": ["wt", "zm"]}\n' $(printf 'a%.0s' $(seq 300)) > r.json; TZ=UTC polyprof r.json | head -1
  GET /aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x0a\x1b[31m on \x1b]0;owned\x07, 2026-11-15 08:08, 50.0 µs, 2 calls

Metrics of DHAT have names, too.

$ printf '{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":false,"tu":"instrs","Mtu":"Minstr","cmd":"./oven","pid":7,"te":9,"tg":5,"pps":[{"tb":100,"tbk":2,"tl":8,"mb":60,"mbk":1,"gb":60,"gbk":1,"eb":0,"ebk":0,"fs":[1]}],"ftbl":["[root]","0x1: main (a.c:3)"]}' > o.dhat.json; polyprof -q o.dhat.json | sed -n 1,3p
  ./oven (pid 7)
    o.dhat.json: DHAT heap profile (Valgrind, Rust)
    bytes allocated: 100 B, allocations: 2, bytes at the peak: 60 B, allocations at the peak: 1, bytes at the end: 0 B, allocations at the end: 0, most bytes at a time: 60 B, most allocations at a time: 1, 1 function, 1 stack

Lines that samples hit are no statements: nobody counted how often they ran.

$ printf '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"children":[2]},{"id":2,"callFrame":{"functionName":"bake","scriptId":"1","url":"file:///oven.js","lineNumber":0,"columnNumber":0},"hitCount":2,"positionTicks":[{"line":3,"ticks":2}]}],"startTime":0,"endTime":3000,"samples":[2,2],"timeDeltas":[1000,1000]}' > oven.cpuprofile
$ polyprof oven.cpuprofile | head -n 2
  oven.cpuprofile: V8 CPU profile (node, Chrome), 3.00 ms
    2 samples, time: 2.00 ms, 1 function, 1 stack
$ polyprof info oven.cpuprofile | grep statements
= 1
$ rm oven.cpuprofile

The first line has the span, whatever else is known; times as C prints them look like others.

$ printf '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"evented","name":"","unit":"seconds","startValue":0,"endValue":14,"events":[{"type":"O","frame":0,"at":0},{"type":"C","frame":0,"at":14}]}]}' > s.speedscope.json; polyprof s.speedscope.json | head -1
  s.speedscope.json: speedscope profile (py-spy, rbspy and others), 14.0 s
$ for when in 'Thu Nov 19 01:36:57 2015' 'Thu Nov  9 01:36:57 2015' 'Thu Nov 19 25:36:57 2015' 'Thu ovD 19 01:36:57 2015' '2015'; do printf "# captured on    : $when\n# cmdline : perf record ./a\na 1 1.0: 1 cycles:\n\t1 f (a)\n\n" | polyprof - | head -1; done
  ./a (perf record), 2015-11-19 01:36
  ./a (perf record), 2015-11-09 01:36
  ./a (perf record), Thu Nov 19 25:36:57 2015
  ./a (perf record), Thu ovD 19 01:36:57 2015
  ./a (perf record), 2015
