# polyprof list

Three reports: one whole, one whose body is gone, one whose run was killed. And what is no report.

$ mkdir -p d/sub; printf '[events]\n0 1 0 0\n1 1 10 5\n1 0 30 5\n0 0 50000 7\n[functions]\n/app/a.php\nf\n' > body
$ printf '{"key": "k", "exec_ts": %s, "cli": %s, "cli_command_line": "%s", "http_request_uri": "%s", "http_method": "%s", "http_host": "%s", "wall_time_ms": %s, "call_count": 2, "enabled_metrics": ["wt", "zm"]}\n' 1794729896 1 'a.php --fast' n/a n/a n/a 50 > d/a.json
$ printf '{"key": "k", "exec_ts": %s, "cli": %s, "cli_command_line": "%s", "http_request_uri": "%s", "http_method": "%s", "http_host": "%s", "wall_time_ms": %s, "call_count": 2, "enabled_metrics": ["wt", "zm"]}\n' 1794729999 0 n/a '/cart?id=1' GET shop.test 2500000 > d/b.json
$ gzip -nc body > d/a.txt.gz; head -4 body > d/c.txt; touch -d @1700000000 d/c.txt
$ printf 'main;f 3\n' > d/d.folded; touch -d @1600000000 d/d.folded
$ echo nothing > d/notes.md; touch d/empty.txt d/.hidden

$ TZ=UTC polyprof list d
    when                    took  calls   size  format   state     what                     file
    2026-11-15 08:06:39   2.50 s      2  230 B  spx      partial   GET shop.test/cart?id=1  b.json
    2026-11-15 08:04:56  50.0 µs      2  303 B  spx 0.4  complete  a.php --fast             a.json
    2023-11-14 22:13:20                   35 B  spx 0.4  partial                            c.txt
    2020-09-13 12:26:40                    9 B  folded                                      d.folded
$ TZ=UTC polyprof d | head -2
    when                    took  calls   size  format   state     what                     file
    2026-11-15 08:06:39   2.50 s      2  230 B  spx      partial   GET shop.test/cart?id=1  b.json
$ polyprof list --json d
  {"profiles": [{"file": "d/b.json", "format": "spx", "time": 1794729999, "what": "GET shop.test/cart?id=1", "complete": false, "totals": {"wt": 2500000000}, "size": 230, "took": 2500000000, "calls": 2, "url": "GET shop.test/cart?id=1", "name": "b.json"}, {"file": "d/a.json", "format": "spx", "variant": "0.4", "time": 1794729896, "what": "a.php --fast", "complete": true, "totals": {"wt": 50000}, "size": 303, "took": 50000, "calls": 2, "command": "a.php --fast", "name": "a.json"}, {"file": "d/c.txt", "format": "spx", "variant": "0.4", "time": 1700000000, "what": "", "complete": false, "totals": {}, "size": 35, "name": "c.txt"}, {"file": "d/d.folded", "format": "folded", "time": 1600000000, "what": "", "totals": {}, "size": 9, "name": "d.folded"}]}
$ polyprof list --csv --sort cost d | cut -d, -f1,2,7,8
  time,wall,what,file
  1794729999,2500000000,GET shop.test/cart?id=1,d/b.json
  1794729896,50000,a.php --fast,d/a.json
  1700000000,,,d/c.txt
  1600000000,,,d/d.folded

What is shown can be chosen.

$ polyprof list --csv --match CART d | tail -n +2 | cut -d, -f8
  d/b.json
$ polyprof list --csv --match '*fast' d | tail -n +2 | cut -d, -f8
  d/a.json
$ polyprof list --csv --match 'c.t' d | tail -n +2 | cut -d, -f8
  d/c.txt
$ polyprof list --csv --since 1794729950 d | tail -n +2 | cut -d, -f8
  d/b.json
$ polyprof list --csv --over 1.5s d | tail -n +2 | cut -d, -f8
  d/b.json
$ polyprof list --csv --sort name -n 2 d | tail -n +2 | cut -d, -f8
  d/a.json
  d/b.json
$ polyprof list --csv d/a.json d/d.folded | tail -n +2 | cut -d, -f4,8
  303,d/a.json
  9,d/d.folded
$ cd d && polyprof list --csv -n 1 | tail -n +2 | cut -d, -f8
  ./b.json

$ polyprof list --over soon d
! polyprof: error: --over takes a time (200ms, 1.5s), not 'soon'
! Try `polyprof list --help`.
= 2
$ polyprof list --since never d
! polyprof: error: --since takes an age (30m, 2h, 7d), a date or Unix seconds, not 'never'
! Try `polyprof list --help`.
= 2
$ polyprof list nowhere
! polyprof: error: nowhere: No such file or directory
= 3
$ polyprof list d/sub
! polyprof: no profiles found; --recursive looks further down

Other profilers say less of themselves: the command, a sum, how long it took, and whether the end is there.

$ mkdir e; printf 'version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\ncmd: /app/index.php\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\nfl=(1) /app/index.php\nfn=(1) {main}\n1 300 4096\n\n' > e/cut.xdebug
$ cp e/cut.xdebug e/whole.xdebug; printf 'summary: 400 412000\n\n' >> e/whole.xdebug
$ printf '# callgrind format\nversion: 1\ncmd: ./a.out -v\npositions: line\nevents: Ir Dr\nsummary: 12 3\n\nfn=main\n1 12 3\n\ntotals: 12 3\n' > e/one.callgrind
$ (cat e/one.callgrind; sed -n '3,$p' e/one.callgrind) > e/two-parts.callgrind
$ printf 'desc: I1 cache: 1\ncmd: ./b\nevents: Ir\nfl=a.c\nfn=main\n1 5\n' > e/cut.cachegrind
$ printf 'NYTProf 5 0\n:basetime=1700000000\n:application=demo.pl\n' > e/nytprof.out
$ printf '{"type":"header","format":"spaa","version":"1.0","source_tool":"perf","frame_order":"leaf_to_root","events":[],"stack_id_mode":"local","source":{"tool":"perf","command":"wrk \\"x\\""}}\n' > e/a.spaa
$ printf '{"events": [], "file": "x"}\n' > e/other.json
$ touch -d @1600000000 e/*
$ TZ=UTC polyprof list --sort name e
    when                    took   size  format      state     what            file
    2020-09-13 12:26:40           183 B  spaa                  wrk "x"         a.spaa
    2020-09-13 12:26:40            57 B  cachegrind  partial   ./b             cut.cachegrind
    2020-09-13 12:26:40           175 B  xdebug      partial   /app/index.php  cut.xdebug
    2023-11-14 22:13:20            54 B  nytprof               demo.pl         nytprof.out
    2020-09-13 12:26:40    12 Ir  120 B  callgrind   complete  ./a.out -v      one.callgrind
    2020-09-13 12:26:40           210 B  callgrind   complete  ./a.out -v      two-parts.callgrind
    2020-09-13 12:26:40  4.00 µs  196 B  xdebug      complete  /app/index.php  whole.xdebug
$ polyprof list --json e/one.callgrind e/whole.xdebug
  {"profiles": [{"file": "e/one.callgrind", "format": "callgrind", "time": 1600000000, "what": "./a.out -v", "complete": true, "totals": {"Ir": 12}, "size": 120, "command": "./a.out -v", "name": "e/one.callgrind"}, {"file": "e/whole.xdebug", "format": "xdebug", "time": 1600000000, "what": "/app/index.php", "complete": true, "totals": {}, "size": 196, "took": 4000, "command": "/app/index.php", "name": "e/whole.xdebug"}]}

Names are those within the directory; of several directories, or with --recursive, with what leads to them.

$ TZ=UTC polyprof list d/ | awk '{print $NF}'
  file
  b.json
  a.json
  c.txt
  d.folded
$ mkdir -p d/sub/deep; cp -p e/one.callgrind d/sub/deep/; ln -s .. d/sub/loop; TZ=UTC polyprof list --recursive --sort name d | awk '{print $NF}'
  file
  a.json
  b.json
  c.txt
  d.folded
  sub/deep/one.callgrind
$ polyprof list --json --recursive d/sub
  {"profiles": [{"file": "d/sub/deep/one.callgrind", "format": "callgrind", "time": 1600000000, "what": "./a.out -v", "complete": true, "totals": {"Ir": 12}, "size": 120, "command": "./a.out -v", "name": "deep/one.callgrind"}]}
$ TZ=UTC polyprof list --sort name d/sub/deep e | awk '{print $NF}' | head -3
  file
  d/sub/deep/one.callgrind
  e/a.spaa

Runs of one URL or command: the slowest is compared with the median.

$ mkdir runs; i=0; for us in 5 7 9 100 6; do i=$((i + 1)); printf '{"exec_ts": 179472999%s, "host_name": "web1", "cli": 0, "http_request_uri": "/cart?id=%s", "http_method": "GET", "http_host": "shop.test", "wall_time_ms": %s, "enabled_metrics": ["wt", "zm"]}\n' $i $((i / 4)) $us > runs/r$i.json; sed "s/50000/${us}000/" body > runs/r$i.txt; done
$ for i in 6 7; do printf '{"exec_ts": 179472999%s, "cli": 1, "cli_command_line": "cron.php", "wall_time_ms": %s, "enabled_metrics": ["wt", "zm"]}\n' $i $i > runs/r$i.json; cp body runs/r$i.txt; done
$ polyprof list --by url runs
    runs   median      p95  slowest  url                      slowest in
       2  53.0 µs   100 µs   100 µs  GET shop.test/cart?id=1  r4.json
       3  7.00 µs  9.00 µs  9.00 µs  GET shop.test/cart?id=0  r3.json

  Next steps
    why it was slow: GET shop.test/cart?id=1  polyprof diff runs/r5.json runs/r4.json
    why it was slow: GET shop.test/cart?id=0  polyprof diff runs/r2.json runs/r3.json
! polyprof: 2 profiles name no URL
$ polyprof list --by path runs
    runs   median     p95  slowest  path                slowest in
       5  7.00 µs  100 µs   100 µs  GET shop.test/cart  r4.json

  Next steps
    why it was slow: GET shop.test/cart  polyprof diff runs/r2.json runs/r4.json
! polyprof: 2 profiles name no URL
$ polyprof list --by command --json runs
  {"by": "command", "groups": [{"command": "cron.php", "runs": 2, "metric": "wt", "median": 6500, "p95": 7000, "slowest": 7000, "median_file": "runs/r6.json", "slowest_file": "runs/r7.json"}]}
! polyprof: 5 profiles name no command
$ polyprof list --by command e
    runs   median      p95  slowest  command         slowest in
       2  4.00 µs  4.00 µs  4.00 µs  /app/index.php  whole.xdebug
       2    12 Ir    12 Ir    12 Ir  ./a.out -v      one.callgrind
       1                             ./b
       1                             demo.pl
       1                             wrk "x"
$ polyprof list --by url --csv -n 1 runs
  url,runs,metric,median,p95,slowest,median_file,slowest_file
  GET shop.test/cart?id=1,2,wt,53000,100000,100000,runs/r5.json,runs/r4.json
! polyprof: 2 profiles name no URL
$ polyprof list --by url --watch runs
! polyprof: error: --watch shows profiles one by one, so --by cannot be given
! Try `polyprof list --help`.
= 2

All profiles of a directory are one for every other command.

$ polyprof top runs
  wall time: 227 µs in 2 functions

      self  self%                 total  total%  calls  self memory in use  function
    227 µs  99.9%  ████████████  227 µs  100.0%      7                49 B  /app/a.php
    140 ns   0.1%                140 ns    0.1%      7                 0 B  f
! polyprof: runs: 7 profiles, merged
$ polyprof info --json runs 2> /dev/null | grep -o '"file": "[^"]*"'
  "file": "runs/r1.json"
  "file": "runs/r2.json"
  "file": "runs/r3.json"
  "file": "runs/r4.json"
  "file": "runs/r5.json"
  "file": "runs/r6.json"
  "file": "runs/r7.json"
$ polyprof diff runs d/a.json | head -2
  wall time, self: 32.4 µs before, 50.0 µs after (+54.2%, noise)
  7 runs against 1: changes within the variance between runs (Welch's t, 95% for all functions together) or below 0.1% of the whole are noise
! polyprof: runs: 7 profiles
$ polyprof tree d/sub
! polyprof: error: d/sub: no profiles found in it
= 3
$ polyprof top -q d | head -1
  wall time: 50.0 µs in 2 functions (the profile is incomplete)
! d/b.json: error: there is no body (.txt.gz, .txt.zst or .txt) of the same name beside it [spx-body-missing]
! polyprof: error: d/c.txt does not measure the same things as the files before it, so they cannot be merged: it counts column1 (count), column2 (count), the others wt (ns), zm (bytes)
! polyprof: error: d/d.folded does not measure the same things as the files before it, so they cannot be merged: it counts samples (samples), the others wt (ns), zm (bytes)

On a terminal there are not more rows than can be seen at once.

$ mkdir many; for i in $(seq 45); do cp d/d.folded many/$i.folded; done; touch -d @1600000000 many/*
$ TZ=UTC polyprof list many | wc -l
  46
$ TZ=UTC terminal 80 polyprof list --sort name --color never many | sed -n '1,2p;40,$p'
    when                 size  format  file
    2020-09-13 12:26:40   9 B  folded  1.folded
    2020-09-13 12:26:40   9 B  folded  44.folded
    2020-09-13 12:26:40   9 B  folded  45.folded

    ... and 5 more profiles (-n 0 shows all)

  Next steps
    what it costs  polyprof many/1.folded
    a flame graph  polyprof flame many/1.folded -o flame.svg

New ones are shown as they arrive.

$ (sleep 1; cp d/a.txt.gz runs/new.txt.gz; cp d/a.json runs/new.json; sleep 1.4) | (TZ=UTC timeout 3 polyprof list --watch --csv runs > seen; true); tail -n 1 seen | cut -d, -f 7-
  a.php --fast,runs/new.json
$ polyprof list --watch runs | head -1 | awk '{print $1}'
  when
$ polyprof list --watch -o x runs
! polyprof: error: --watch runs until it is interrupted, so it only writes to standard output
= 2

Columns that do not fit share what is to go.

$ mkdir narrow && for n in 1 2; do printf '{"exec_ts":1700000000,"cli":1,"cli_command_line":"app/console import --all number-%s","enabled_metrics":["wt"]}' $n > narrow/spx-full-20231114_221320-host-000$n.json; printf '[events]\n[functions]\n' | gzip -n > narrow/spx-full-20231114_221320-host-000$n.txt.gz; done; terminal 60 polyprof list --color never narrow
    when                 what               file
    2023-11-14 22:13:20  …/consol…number-1  spx-full-202….json
    2023-11-14 22:13:20  …/consol…number-2  spx-full-202….json

  Next steps
    what it costs
        polyprof narrow/spx-full-20231114_221320-host-0001.json
    a flame graph
        polyprof flame narrow/spx-full-20231114_221320-host-0001.json -o flame.svg
