# SPX reports: the pair of files

$ printf '[events]\n0 1 0 0\n1 1 10 5\n1 0 30 5\n0 0 50 -6.9999\n[functions]\n/app/a.php\nf\n' > body
$ printf '{"key": "k", "exec_ts": 1794729896, "cli": 1, "cli_command_line": "a.php", "wall_time_ms": 0, "called_function_count": 2, "call_count": 2, "recorded_call_count": 2, "enabled_metrics": ["wt", "zm"], "mine": {"a": [1, "x"], "b": null}}\n' > r.json
$ gzip -nc body > r.txt.gz

Either file will do.

$ polyprof top --json r.json
  {"format": "spx", "complete": true, "metric": "wt", "unit": "ns", "units": {"wt": "ns", "zm": "bytes"}, "total": 50, "estimated": false, "functions": [{"name": "/app/a.php", "calls": 1, "self": {"wt": 30, "zm": -7}, "total": {"wt": 50, "zm": -7}, "gained": {"zm": 5}, "given_back": {"zm": 12}}, {"name": "f", "calls": 1, "self": {"wt": 20, "zm": 0}, "total": {"wt": 20, "zm": 0}, "gained": {"zm": 0}, "given_back": {"zm": 0}}], "count": 2}
$ polyprof top --json r.json > one; polyprof top --json r.txt.gz | cmp - one

The body alone, also through a pipe; the metadata alone.

$ cp body alone.txt; polyprof top --json alone.txt
  {"format": "spx", "complete": true, "metric": "column1", "unit": "count", "units": {"column1": "count", "column2": "count"}, "total": 50, "estimated": false, "functions": [{"name": "/app/a.php", "calls": 1, "self": {"column1": 30, "column2": -7}, "total": {"column1": 50, "column2": -7}, "gained": {"column2": 5}, "given_back": {"column2": 12}}, {"name": "f", "calls": 1, "self": {"column1": 20, "column2": 0}, "total": {"column1": 20, "column2": 0}, "gained": {"column2": 0}, "given_back": {"column2": 0}}], "count": 2}
! alone.txt: warning: there is no .json of the same name beside it; the metrics have no names [spx-metadata-missing]
$ polyprof top --csv 2> /dev/null < body
  name,file,line,module,calls,self_column1,total_column1,self_column2,total_column2,gained_column2,given_back_column2
  /app/a.php,,,,1,30,50,-7,-7,5,12
  f,,,,1,20,20,0,0,0,0
$ cp r.json without.json; polyprof top without.json
! without.json: error: there is no body (.txt.gz, .txt.zst or .txt) of the same name beside it [spx-body-missing]
= 3

Both layouts, there and back.

$ polyprof convert r.json --to spx --variant 0.5 -o five.json && zstd -dcq five.txt.zst
  [events]
  |0|a0|a0
  |1|10|5
  -1|20|
  -0|20|-12
  [functions]
  :0:/app/a.php
  :0:f
! five.json: note: written: five.json and five.txt.zst [spx-write-pair]
$ polyprof convert five.txt.zst --to spx --variant 0.4 -o four.txt.gz && zcat four.txt.gz
  [events]
  0 1 0 0
  1 1 10 5
  1 0 30 5
  0 0 50 -7
  [functions]
  /app/a.php
  f
! four.txt.gz: note: written: four.json and four.txt.gz [spx-write-pair]
$ cat four.json
  {
    "key": "four",
    "exec_ts": 1794729896,
    "host_name": "n\/a",
    "process_pid": 0,
    "process_tid": 0,
    "process_pwd": "n\/a",
    "cli": 1,
    "cli_command_line": "a.php",
    "http_request_uri": "n\/a",
    "http_method": "n\/a",
    "http_host": "n\/a",
    "custom_metadata_str": null,
    "wall_time_ms": 0,
    "peak_memory_usage": 5,
    "called_function_count": 2,
    "call_count": 2,
    "recorded_call_count": 2,
    "enabled_metrics": [
      "wt"
      ,"zm"
    ],
    "mine": {"a": [1, "x"], "b": null}
  }
$ polyprof convert r.json --to spx --variant 0.6 -o six.json
! polyprof: error: format spx has no variant '0.6'; it has 0.4 0.5
= 2

A tree without order is laid out as one walk.

$ polyprof convert app.folded --to spx -o walk.json
! walk.json: note: written: walk.json and walk.txt.zst [spx-write-pair]
! walk.json: warning: made up: counts of calls [loss-calls]
! walk.json: warning: made up: events in their order [loss-timeline]
! walk.json: warning: made up: start and end of the recording [loss-time]
! walk.json: warning: samples is written as wt in ns [loss-units]
$ polyprof convert app.folded --to folded -o - > one; polyprof convert walk.json --to folded -o - 2> /dev/null | grep -v ' 0$' | cmp - one
$ polyprof convert app.folded --to spx -o nothing.json --lossless; ls nothing.*
! nothing.json: warning: made up: counts of calls [loss-calls]
! nothing.json: warning: made up: events in their order [loss-timeline]
! nothing.json: warning: made up: start and end of the recording [loss-time]
! nothing.json: warning: samples is written as wt in ns [loss-units]
! polyprof: error: spx cannot hold all of this profile, and --lossless forbids losing any of it
! ls: cannot access 'nothing.*': No such file or directory
= 2

Call sites that another format knows of calls go to the stacks that make them; what cannot is told.

$ printf 'version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.35)\ncmd: a.php\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\nfl=(1) a.php\nfn=(1) fib\n3 5 0\n\nfl=(1)\nfn=(1)\n3 7 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n6 5 0\n\nfl=(1)\nfn=(2) twice\n8 2 0\n\nfl=(1)\nfn=(2)\n8 3 0\n\nfl=(1)\nfn=(3) {main}\n\n1 20 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n11 12 0\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n12 2 0\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n13 3 0\n\nsummary: 37 0\n' > sites.xdebug
$ polyprof convert sites.xdebug --to spx --variant 0.5 -o sites.json 2>&1 | grep loss-sites; zstd -dcq sites.txt.zst
  sites.json: warning: not written: call sites (2) [loss-sites]
  [events]
  |0|a0|a0
  |1|200|
  -1|50|
  |1||
  -1||
  b|2||
  6|2|70|
  -2|50|
  -2||
  -0||
  [functions]
  a.php:1:{main}
  a.php:8:twice
  a.php:3:fib
$ polyprof callers fib --csv sites.json
  name,file,line,site_file,site_line,depth,calls,total_wt,total_zm
  {main},a.php,1,a.php,11,1,1,120,0
  fib,a.php,3,a.php,6,1,1,0,0
$ polyprof convert sites.xdebug --to spx -o sites4.json 2>&1 | grep loss-sites
  sites4.json: warning: not written: call sites (2) [loss-sites]

A name that ends in .spx stands for the two files, whatever it is made of; what was not counted is not made up.

$ polyprof convert modules.out -o pair.spx
! pair.spx: note: written: pair.json and pair.txt.zst [spx-write-pair]
! pair.spx: warning: not written: costs per caller and callee (14) [loss-pairs]
! pair.spx: warning: not written: call sites (2) [loss-sites]
! pair.spx: warning: made up: counts of calls [loss-calls]
! pair.spx: warning: not written: start and end of the recording [loss-time]
! pair.spx: warning: not written: costs per line (19) [loss-lines]
! pair.spx: warning: not written: counts of lines (19) [loss-hits]
! pair.spx: warning: not written: source text (22) [loss-sources]
! pair.spx: warning: not written: last lines of functions (9) [loss-last-lines]
! pair.spx: warning: not written: marks of built-in functions (2) [loss-built-in]
! pair.spx: warning: not written: functions that were never called (5) [loss-uncalled]
! pair.spx: warning: not written: processes and threads (1) [loss-threads]
! pair.spx: warning: not written: metadata (27) [loss-metadata]
! pair.spx: warning: time is written as wt [loss-units]

$ ls pair*; polyprof info pair.json | grep -E 'format|metric|complete'
  pair.json
  pair.txt.zst
    format        spx (SPX full report (PHP), variant 0.5)
    complete      yes
    metric        wall time: 935 µs (wt)
                  enabled_metrics

$ polyprof top pair.txt.zst -n 2; polyprof top pair.spx
  wall time: 935 µs in 11 functions

      self  self%                 total  total%  calls  function       place
    487 µs  52.0%  ████████████  935 µs  100.0%      1  main::RUNTIME  /tmp/demo/modules.pl:1
    233 µs  24.9%  █████▊        236 µs   25.3%      1  Late::RUNTIME  /tmp/demo/lib/Late.pm:1

    ... and 9 more functions (-n 0 shows all)
! pair.spx: error: cannot open: No such file or directory; the report of that name is pair.json [io-open-failed]
= 3

$ polyprof merge -q app.folded other.folded -o both.spx; ls both*; polyprof top both.json -n 1
  both.json
  both.txt.zst
  wall time: 1.19 µs in 17 functions

      self  self%                 total  total%  calls  function
    512 ns  43.1%  ████████████  512 ns   43.1%      2  PDO->query

    ... and 16 more functions (-n 0 shows all)

$ polyprof convert -q dash_e.out --to spx -o plain; ls plain*; polyprof top -q plain.json -n 1; polyprof top -q plain -n 1
  plain
  plain.json
  wall time: 20.9 µs in 3 functions

       self  self%                  total  total%  calls  function       place
    13.6 µs  65.1%  ████████████  20.9 µs  100.0%      1  main::RUNTIME  -e:1

    ... and 2 more functions (-n 0 shows all)
  wall time: 20.9 µs in 3 functions

       self  self%                  total  total%  calls  function       place
    13.6 µs  65.1%  ████████████  20.9 µs  100.0%      1  main::RUNTIME  -e:1

    ... and 2 more functions (-n 0 shows all)

$ polyprof convert -q dash_e.out --to spx -o four.txt.gz && zcat four.txt.gz | head -2
  [events]
  0 1 0

A body that a former recording left behind is not read: the metadata tell which one has their events.

$ cp r.json again.json; cp r.txt.gz again.txt.gz; printf '[events]\n0 1 0 0\n0 0 5 0\n[functions]\nold\n' > again.txt; polyprof top --csv again.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  /app/a.php,,,,1,30,50,-7,-7,5,12
  f,,,,1,20,20,0,0,0,0
! again.json: warning: there is another body, again.txt, which is not read: the one with .txt.gz has the events that the metadata count [spx-body-several]
$ gzip -nc again.txt > again.txt.gz; cp body again.txt; polyprof top --csv again.json
  name,file,line,module,calls,self_wt,total_wt,self_zm,total_zm,gained_zm,given_back_zm
  /app/a.php,,,,1,30,50,-7,-7,5,12
  f,,,,1,20,20,0,0,0,0
! again.json: warning: there is another body, again.txt.gz, which is not read: the one with .txt has the events that the metadata count [spx-body-several]
