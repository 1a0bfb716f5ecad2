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
    2026-11-15 08:06:39   2.50 s      2  230 B  spx      partial   GET shop.test/cart?id=1  d/b.json
    2026-11-15 08:04:56  50.0 µs      2  303 B  spx 0.4  complete  a.php --fast             d/a.json
    2023-11-14 22:13:20                   35 B  spx 0.4  partial                            d/c.txt
    2020-09-13 12:26:40                    9 B  folded                                      d/d.folded
$ TZ=UTC polyprof d | head -2
    when                    took  calls   size  format   state     what                     file
    2026-11-15 08:06:39   2.50 s      2  230 B  spx      partial   GET shop.test/cart?id=1  d/b.json
$ polyprof list --json d
  {"profiles": [{"file": "d/b.json", "format": "spx", "time": 1794729999, "what": "GET shop.test/cart?id=1", "complete": false, "totals": {"wt": 2500000000}, "size": 230, "took": 2500000000, "calls": 2}, {"file": "d/a.json", "format": "spx", "variant": "0.4", "time": 1794729896, "what": "a.php --fast", "complete": true, "totals": {"wt": 50000}, "size": 303, "took": 50000, "calls": 2}, {"file": "d/c.txt", "format": "spx", "variant": "0.4", "time": 1700000000, "what": "", "complete": false, "totals": {}, "size": 35}, {"file": "d/d.folded", "format": "folded", "time": 1600000000, "what": "", "totals": {}, "size": 9}]}
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
! polyprof: no profiles found

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
    2020-09-13 12:26:40           183 B  spaa                  wrk "x"         e/a.spaa
    2020-09-13 12:26:40            57 B  cachegrind  partial   ./b             e/cut.cachegrind
    2020-09-13 12:26:40           175 B  xdebug      partial   /app/index.php  e/cut.xdebug
    2023-11-14 22:13:20            54 B  nytprof               demo.pl         e/nytprof.out
    2020-09-13 12:26:40    12 Ir  120 B  callgrind   complete  ./a.out -v      e/one.callgrind
    2020-09-13 12:26:40           210 B  callgrind   complete  ./a.out -v      e/two-parts.callgrind
    2020-09-13 12:26:40  4.00 µs  196 B  xdebug      complete  /app/index.php  e/whole.xdebug
$ polyprof list --json e/one.callgrind e/whole.xdebug
  {"profiles": [{"file": "e/one.callgrind", "format": "callgrind", "time": 1600000000, "what": "./a.out -v", "complete": true, "totals": {"Ir": 12}, "size": 120}, {"file": "e/whole.xdebug", "format": "xdebug", "time": 1600000000, "what": "/app/index.php", "complete": true, "totals": {}, "size": 196, "took": 4000}]}
