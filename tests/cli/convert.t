# polyprof convert

$ polyprof convert app.folded --to folded
  main 3
  main;autoload 9
  main;autoload;include 58
  main;router;dispatch;UserController->show;Twig->render;Twig\Cache->load 35
  main;router;dispatch;UserController->show;Twig->render;Twig\Template->display 61
  main;router;dispatch;UserController->show;Twig->render;Twig\Template->display;htmlspecialchars 143
  main;router;dispatch;UserController->show;UserRepository->find;PDO->query 412
  main;router;dispatch;UserController->show;UserRepository->find;PDOStatement->fetch 188
  main;router;dispatch;UserController->show;UserRepository->hydrate 97
  main;router;match 24
  main;session_start 17

$ polyprof convert app.folded other.folded -o all.folded && cat all.folded
  main 3
  main;autoload 9
  main;autoload;include 100
  main;router;dispatch;UserController->list;PDO->query 100
  main;router;dispatch;UserController->show;Twig->render;Twig\Cache->load 35
  main;router;dispatch;UserController->show;Twig->render;Twig\Template->display 61
  main;router;dispatch;UserController->show;Twig->render;Twig\Template->display;htmlspecialchars 143
  main;router;dispatch;UserController->show;UserRepository->find;PDO->query 412
  main;router;dispatch;UserController->show;UserRepository->find;PDOStatement->fetch 188
  main;router;dispatch;UserController->show;UserRepository->hydrate 97
  main;router;match 24
  main;session_start 17

The ending says the format, and whether to compress.

$ polyprof convert change.diff.folded -o c.diff.folded.gz && zcat c.diff.folded.gz
  main;gc 5 0
  main;parse 40 22
  main;render 30 31
  main;render;escape 0 12

An ending that says something else is refused, in whichever command; one that says nothing is not.

$ for to in x.svg x.html.gz x.csv x.png.zst; do polyprof convert app.folded --to folded -o $to; echo $?; done; polyprof merge app.folded other.folded --to spaa -o x.svg; ls x.* 2>&1
  2
  2
  2
  2
  ls: cannot access 'x.*': No such file or directory
! polyprof: error: x.svg would be a misleading name for folded output: use x.folded
! polyprof: error: x.html.gz would be a misleading name for folded output: use x.folded
! polyprof: error: x.csv would be a misleading name for folded output: use x.folded
! polyprof: error: x.png.zst would be a misleading name for folded output: use x.folded
! polyprof: error: x.svg would be a misleading name for spaa output: use x.spaa
= 2
$ for to in y.txt y.out y y.prof y.collapsed y.json y.xdebug y.spx y.pprof.gz y.massif y.trace.json y.XDEBUG.zst; do polyprof convert -q app.folded --to folded -o $to; echo $to $?; done; ls y y.*; rm y y.*
  y.txt 0
  y.out 0
  y 0
  y.prof 0
  y.collapsed 0
  y.json 2
  y.xdebug 2
  y.spx 2
  y.pprof.gz 2
  y.massif 2
  y.trace.json 2
  y.XDEBUG.zst 2
  y
  y.collapsed
  y.out
  y.prof
  y.txt
! polyprof: error: y.json would be a misleading name for folded output: use y.folded
! polyprof: error: y.xdebug is named like xdebug, so it would be misread if it held folded: use y.folded
! polyprof: error: y.spx is named like spx, so it would be misread if it held folded: use y.folded
! polyprof: error: y.pprof.gz is named like pprof, so it would be misread if it held folded: use y.folded
! polyprof: error: y.massif is named like massif, so it would be misread if it held folded: use y.folded
! polyprof: error: y.trace.json is named like trace-event, so it would be misread if it held folded: use y.folded
! polyprof: error: y.XDEBUG.zst is named like xdebug, so it would be misread if it held folded: use y.folded

What the bytes are decides about .json and .txt.

$ mkdir d; for to in $(polyprof formats --csv | awk -F, '/,yes,yes,/ { print $1 }'); do for name in z.json z.txt z.out; do polyprof convert -q other.folded --to $to -o d/$name 2>/dev/null; echo $name $?; done | paste -s -d ' ' - | sed "s/^/$to /"; done
  folded z.json 2 z.txt 0 z.out 0
  diff-folded z.json 2 z.txt 3 z.out 3
  nytprof z.json 2 z.txt 2 z.out 0
  pynytprof z.json 2 z.txt 2 z.out 0
  spx z.json 0 z.txt 0 z.out 0
  xdebug z.json 2 z.txt 0 z.out 0
  callgrind z.json 2 z.txt 0 z.out 0
  cachegrind z.json 2 z.txt 0 z.out 0
  spaa z.json 0 z.txt 0 z.out 0
  perf-script z.json 2 z.txt 0 z.out 0
  dtrace z.json 2 z.txt 0 z.out 0
  xhprof z.json 0 z.txt 0 z.out 0
  otlp z.json 0 z.txt 2 z.out 0
  pprof z.json 2 z.txt 2 z.out 0
  firefox z.json 0 z.txt 0 z.out 0
  pstats z.json 2 z.txt 2 z.out 0
  speedscope z.json 0 z.txt 0 z.out 0
  cpuprofile z.json 0 z.txt 0 z.out 0
  heapprofile z.json 0 z.txt 0 z.out 0
  trace-event z.json 0 z.txt 0 z.out 0
$ polyprof convert app.folded --to pprof -o d/z.json
! polyprof: error: d/z.json would be a misleading name for pprof output: use d/z.pprof
= 2
$ polyprof convert app.folded --to otlp --variant protobuf -o d/z.json
! polyprof: error: d/z.json would be a misleading name for otlp output: use d/z.otlp
= 2
$ polyprof convert app.folded --to otlp -q -o z.json && head -c 1 z.json
  { (no-eol)

$ polyprof convert app.folded --to folded -o x.diff.folded
! polyprof: error: x.diff.folded is named like diff-folded, so it would be misread if it held folded: use x.folded
= 2

$ polyprof convert change.diff.folded --to diff-folded -o x.folded
! polyprof: error: x.folded is named like folded, so it would be misread if it held diff-folded: use x.diff.folded
= 2
$ printf 'a;b 2\na 1\n' >y.folded; polyprof convert -q y.folded --to trace-event -o y.json && polyprof y.json
  y.json: trace events (Chrome, Perfetto, node, Hermes) by polyprof@0.1.0
    duration: 3.00 µs, 2 functions, 2 stacks, 2 calls

  Costliest functions
       self  self%                  total  total%  calls  function
    2.00 µs  66.7%  ████████████  2.00 µs   66.7%      1  b
    1.00 µs  33.3%  ██████        3.00 µs  100.0%      1  a

  Hottest path
    100.0%  a
     66.7%   b

  Next steps
    functions by total cost      polyprof top --sort total y.json
    the call tree, from the top  polyprof tree y.json
    who calls the costliest      polyprof callers b y.json
    what else the file holds     polyprof info y.json
    an interactive flame graph   polyprof flame y.json -o flame.svg
    all views in one page        polyprof report y.json -o report.html

$ polyprof convert other.folded --to folded -o x.bin && cat x.bin
  main;autoload;include 42
  main;router;dispatch;UserController->list;PDO->query 100

$ polyprof convert app.folded -o x.bin
! polyprof: error: name the format to write with --to, or by the extension of -o
! Try `polyprof convert --help`.
= 2

$ polyprof convert app.folded
! polyprof: error: name the format to write with --to, or by the extension of -o
! Try `polyprof convert --help`.
= 2

$ polyprof convert app.folded --to foldd
! polyprof: error: no format 'foldd' can be written; did you mean 'folded'?
= 2

$ polyprof convert app.folded --to folded --variant 7
! polyprof: error: format folded has no variant '7'
= 2

What the target cannot hold is said; --lossless makes it an error and writes nothing.

$ polyprof convert change.diff.folded -o plain.folded; cat plain.folded
  main;gc 0
  main;parse 22
  main;render 31
  main;render;escape 12
! plain.folded: warning: not written: metrics (before) [loss-metrics]
! plain.folded: warning: after is written as samples [loss-units]

$ rm plain.folded; polyprof convert --lossless change.diff.folded -o plain.folded; ls plain.folded
! plain.folded: warning: not written: metrics (before) [loss-metrics]
! plain.folded: warning: after is written as samples [loss-units]
! polyprof: error: folded cannot hold all of this profile, and --lossless forbids losing any of it
! ls: cannot access 'plain.folded': No such file or directory
= 2

$ polyprof convert --lossless change.diff.folded --to folded
! standard output: warning: not written: metrics (before) [loss-metrics]
! standard output: warning: after is written as samples [loss-units]
! polyprof: error: folded cannot hold all of this profile, and --lossless forbids losing any of it
= 4

$ polyprof convert -m before change.diff.folded --to folded 2>/dev/null
  main;gc 5
  main;parse 40
  main;render 30
  main;render;escape 0

$ polyprof convert -m nothing change.diff.folded --to folded
! polyprof: error: no metric 'nothing' in this profile; it has before, after
= 2

A failure leaves the old file as it was.

$ echo old > keep.folded; polyprof convert missing.folded -o keep.folded; cat keep.folded
  old
! missing.folded: error: cannot open: No such file or directory [io-open-failed]

$ polyprof convert --strict bad.folded -o keep.folded; cat keep.folded
  old
! bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
! bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
! bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]
! polyprof: error: bad.folded is damaged, and --strict forbids using the rest

$ polyprof convert app.folded -o nowhere/x.folded
! nowhere/x.folded: error: cannot write: No such file or directory [io-write-failed]
= 4

The output may be the input.

$ cp other.folded self.folded; polyprof convert self.folded -o self.folded && cat self.folded
  main;autoload;include 42
  main;router;dispatch;UserController->list;PDO->query 100

Damage under --strict: nothing is printed either.

$ polyprof convert -q --strict bad.folded --to folded
! bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
! bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
! bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]
! polyprof: error: bad.folded is damaged, and --strict forbids using the rest
= 3

The long way (from a pipe) and the short one give the same bytes.

$ polyprof convert app.folded --to folded > short; cat app.folded | polyprof convert - --from folded --to folded | cmp - short

Calls of one stack stay as many in an Xdebug file; what each of them cost is not known.

$ polyprof convert closures.json --to xdebug -o calls.xt; for f in closures.json calls.xt; do polyprof top --csv $f | grep -v '{' | cut -d, -f1,5 | sort > $f.calls; done; diff closures.json.calls calls.xt.calls && grep apply calls.xt.calls
  App\Utils\apply,4
! calls.xt: warning: made up: roots [loss-roots]
! calls.xt: warning: not written: steps up and down of metrics that fall (3) [loss-gains]
! calls.xt: warning: not written: events in their order [loss-timeline]
! calls.xt: warning: not written: start and end of the recording [loss-time]
! calls.xt: warning: not written: the day of the recording [loss-recorded]
! calls.xt: warning: made up: files of functions [loss-files]
! calls.xt: warning: not written: marks of built-in functions (8) [loss-built-in]
! calls.xt: warning: not written: functions told apart (3) [loss-homonyms]
! calls.xt: warning: not written: metadata (19) [loss-metadata]
! calls.xt: warning: wt is written as Time_(10ns), zm as Memory_(bytes) [loss-units]
! calls.xt: warning: changed to fit: values (45 rounded) [loss-values]
$ polyprof convert --lossless app.folded --to xdebug -o never.xt
! never.xt: warning: made up: counts of calls [loss-calls]
! never.xt: warning: made up: roots [loss-roots]
! never.xt: warning: made up: files of functions [loss-files]
! never.xt: warning: samples is written in count [loss-units]
! polyprof: error: xdebug cannot hold all of this profile, and --lossless forbids losing any of it
= 4

What SPAA carries of another format is the same when it is written again, packed or not.

$ for file in bakery.pb bakery.pb.gz bakery.otlp drop.pb app.folded memory.xt level.out pool.json oven.heaptrack whole.callgrind; do polyprof convert -q $file --to spaa -o once.spaa; polyprof convert -q once.spaa --to spaa -o twice.spaa; cmp once.spaa twice.spaa; done

An output that is full is the one thing that is said.

$ awk 'BEGIN { for (i = 0; i < 40000; i++) print "main;f" i " 1" }' > many.folded; polyprof convert many.folded --to folded --max-output 300K -o full.folded
! full.folded: error: cannot write: it would be too large; --max-output SIZE allows more [io-write-failed]
= 4
$ polyprof convert many.folded --to speedscope -o many.json -q; polyprof convert many.json --to folded --max-output 300K -o full.folded
! full.folded: error: cannot write: it would be too large; --max-output SIZE allows more [io-write-failed]
= 4

A CPU profile is known by its samples when they are so many that its nodes are out of sight, and nothing else stands before them.

$ printf '#!/bin/sh\nprintf "{%%s\\"samples\\":[" "$1"; yes 2, | head -40000 | tr -d "\\n"; printf "2],\\"nodes\\":[{\\"id\\":1,\\"callFrame\\":{\\"functionName\\":\\"(root)\\"},\\"children\\":[2]},{\\"id\\":2,\\"callFrame\\":{\\"functionName\\":\\"work\\"}}]}"\n' > v8; sh v8 | polyprof check -
  -:1:12: note: 0 hits are stated, 40001 samples are listed [cpuprofile-hits]
  -: accept (cpuprofile: 1 note)
$ sh v8 '"endTime":40000,' | polyprof check -
  -:1:28: note: 0 hits are stated, 40001 samples are listed [cpuprofile-hits]
  -: accept (cpuprofile: 1 note)
$ sh v8 '"data":[2],' | polyprof check -
  -:1:23: note: 0 hits are stated, 40001 samples are listed [cpuprofile-hits]
  -: accept (cpuprofile: 1 note)
$ printf '{"samples":[2],"endTime":1}' | polyprof check -
  -: error: no format recognises it; this is JSON, but not from a profiler that is known here: `polyprof formats` lists what can be read [io-unknown-format]
  -: reject (1 error)
= 3

Traces have 63 bits for their times.
$ printf 'a 9223372036854775808\n' | polyprof convert - --from folded --to trace-event -o far.trace.json
! far.trace.json: warning: the times exceed 63 bits, so no trace can hold them [loss-values]
! polyprof: error: cannot write trace-event: a limit was reached
= 4
$ test -e far.trace.json
= 1
