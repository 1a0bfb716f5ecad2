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
$ polyprof list --json d
  {"profiles": [{"file": "d/b.json", "format": "spx", "time": 1794729999, "what": "GET shop.test/cart?id=1", "complete": false, "totals": {"wt": 2500000000}, "size": 230, "calls": 2}, {"file": "d/a.json", "format": "spx", "variant": "0.4", "time": 1794729896, "what": "a.php --fast", "complete": true, "totals": {"wt": 50000}, "size": 303, "calls": 2}, {"file": "d/c.txt", "format": "spx", "variant": "0.4", "time": 1700000000, "what": "", "complete": false, "totals": {}, "size": 35}, {"file": "d/d.folded", "format": "folded", "time": 1600000000, "what": "", "totals": {}, "size": 9}]}
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
