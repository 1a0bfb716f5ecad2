# Callgrind, cachegrind and Xdebug: what is written keeps what the profile knows

fib calls itself at lines 6 and 8 and is called at 11: all ways lead there.

$ cp fib.xt fib.xdebug; for to in xdebug spaa callgrind; do polyprof convert fib.xdebug --to $to -o out.$to 2>&1 | grep -i site; done; polyprof convert out.spaa --to xdebug -o again.xdebug 2>&1 | grep -i site; polyprof convert out.spaa --to callgrind -o again.callgrind 2>&1 | grep -i site; cmp out.xdebug again.xdebug && cmp out.callgrind again.callgrind
$ for f in fib.xdebug out.xdebug; do polyprof callers fib $f --csv; done
  name,file,line,site_file,site_line,depth,calls,total_Time_(10ns),total_Memory_(bytes)
  {main},/app/fib.php,1,/app/fib.php,11,1,1,52250,0
  fib,/app/fib.php,3,/app/fib.php,6,1,33,0,0
  fib,/app/fib.php,3,/app/fib.php,8,1,33,0,0
  name,file,line,site_file,site_line,depth,calls,total_Time_(10ns),total_Memory_(bytes)
  {main},/app/fib.php,1,/app/fib.php,11,1,1,52250,0
  fib,/app/fib.php,3,/app/fib.php,6,1,33,0,0
  fib,/app/fib.php,3,/app/fib.php,8,1,33,0,0
$ polyprof callers "fib'2" out.callgrind --csv; polyprof callers fib out.callgrind --csv
  name,file,line,site_file,site_line,depth,calls,total_Time_(10ns),total_Memory_(bytes)
  fib,/app/fib.php,,/app/fib.php,6,1,1,33610,0
  fib,/app/fib.php,,/app/fib.php,8,1,1,15570,0
  fib'2,/app/fib.php,,/app/fib.php,6,1,32,0,0
  fib'2,/app/fib.php,,/app/fib.php,8,1,32,0,0
  name,file,line,site_file,site_line,depth,calls,total_Time_(10ns),total_Memory_(bytes)
  {main},/app/fib.php,,/app/fib.php,11,1,1,52250,0

A call that costs more than all functions by themselves is no part of the whole, so no share is shown of it.

$ printf '# callgrind format\nevents: T\nfl=a.c\nfn=main\n10 7\ncfn=lost\ncalls=4 10\n11 9\ncfn=more\ncalls=1 1\n12 3\nfn=more\n1 3\n' >over.callgrind; polyprof top over.callgrind; polyprof callees main over.callgrind; polyprof graph over.callgrind -o - | grep -o 'label="[^"]*%[^"]*"'
  T: 10 in 3 functions

    self  self%                total  total%  calls  function  place
       7  70.0%  ████████████     19                 main      a.c
       3  30.0%  █████▏            3   30.0%      1  more      a.c

    ... and 1 function that costs nothing (--json lists it)
  main: 19 in all, 7 by itself
  calls

    total%  total  calls  function        called at
     90.0%      9         (unattributed)
     30.0%      3      1  more            a.c:12
      0.0%      0      4  lost            a.c:11
  label="main\nself 7 (70.0%)\ntotal 19"
  label="more\nself 3 (30.0%)\ntotal 3 (30.0%)"
  label="\xc2\xa0\xc2\xa030.0%\xc2\xa0\xc2\xa0\\n\xc2\xa0\xc2\xa01\xc3\x97\xc2\xa0\xc2\xa0" (esc)
! polyprof: 2 of 3 functions and 1 of 2 edges are drawn; --min 0 -n 0 draws all

A site that nobody knows is line 0; one that a stack knows is written.

$ printf 'main;f;g 5\nmain;g 2\n' > plain.folded; polyprof convert plain.folded --to xdebug -q -o plain.xdebug; polyprof callers g --csv plain.xdebug; polyprof convert plain.folded --to callgrind -q -o plain.callgrind; grep -A1 ^calls plain.callgrind
  name,file,line,site_file,site_line,depth,calls,total_samples
  f,php:internal,,,,1,1,5
  main,php:internal,,,,1,1,2
  calls=1 0
  0 5
  --
  calls=1 0
  0 2
  --
  calls=1 0
  0 5
$ polyprof convert closures.json --to xdebug -q -o sites.xdebug; polyprof callers --csv 'App\Utils\apply' closures.json; polyprof callers --csv 'App\Utils\apply' sites.xdebug
  name,file,line,site_file,site_line,depth,calls,total_wt,total_zm
  /srv/sample/spx/scripts/closures.php,/srv/sample/spx/scripts/closures.php,1,/srv/sample/spx/scripts/closures.php,7,1,4,9536,0
  name,file,line,site_file,site_line,depth,calls,total_Time_(10ns),total_Memory_(bytes)
  /srv/sample/spx/scripts/closures.php,/srv/sample/spx/scripts/closures.php,1,/srv/sample/spx/scripts/closures.php,7,1,4,9540,0

What is incomplete stays so, by way of SPAA, too; where that cannot be said it is a loss.

$ head -c 1200 fib.xt > cut.xdebug; sed '/^totals/d' whole.callgrind > cut.callgrind; head -3 whole.cachegrind > cut.cachegrind
$ for from in xdebug callgrind cachegrind; do polyprof convert -q cut.$from --to spaa -o cut-$from.spaa; for to in xdebug callgrind cachegrind; do for source in cut.$from cut-$from.spaa; do polyprof convert $source --to $to -o to.$to 2>&1 | grep -c loss-incomplete; polyprof info --json to.$to 2>/dev/null | grep -o '"complete": [a-z]*'; done; done; done | paste -d ' ' - - | sort | uniq -c
       11 0 "complete": false
        7 1 "complete": true
$ polyprof convert --lossless -q cut.xdebug --to cachegrind -o lost.cachegrind
! polyprof: error: cachegrind cannot hold all of this profile, and --lossless forbids losing any of it
= 4
$ polyprof convert -q cut.xdebug --to xdebug -o cut2.xdebug; grep -c '{main}\|summary' cut2.xdebug
  0
= 1
$ polyprof convert fib.xt --to xdebug -q -o - | grep summary; polyprof convert plain.folded --to xdebug -o plain2.xdebug
  summary: 8327 32
! plain2.xdebug: warning: made up: counts of calls [loss-calls]
! plain2.xdebug: warning: made up: roots [loss-roots]
! plain2.xdebug: warning: made up: files of functions [loss-files]
! plain2.xdebug: warning: samples is written in count [loss-units]

A file that was cut in its header is not complete.

$ printf '# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\nevents: Ir\nsummary: 41\n\n' > header.callgrind; polyprof info --json header.callgrind | grep -o '"complete": [a-z]*'
  "complete": false
! header.callgrind: warning: part 1 has no totals: line [callgrind-no-totals]
$ printf 'cmd: ./x\nevents: Ir\n' > header.cachegrind; polyprof info --json header.cachegrind | grep -o '"complete": [a-z]*'
  "complete": false
! header.cachegrind: warning: the file ends without a summary: line [cachegrind-no-summary]

A function that calls itself is one in a cachegrind file.

$ polyprof convert fib.xt --to cachegrind -q -o fib.cachegrind; grep ^fn fib.cachegrind
  fn=fib
  fn={main}

Xdebug 2 is written as it was, and by way of SPAA; anything when asked.

$ polyprof convert second.xt --to spaa -q -o second.spaa; for f in second.xt second.spaa; do polyprof convert $f --to xdebug -o - 2>/dev/null | sed -n 's/^creator: \|^events: //p'; done; polyprof convert fib.xt --to xdebug --variant 2 -q -o fib2.xdebug; polyprof info --json fib2.xdebug | grep -o '"metrics": .*}\]'; polyprof convert second.xt --to xdebug --variant 3 -q -o - | grep ^events
  xdebug 2.9.8 (polyprof)
  Time Memory
  xdebug 2.9.8 (polyprof)
  Time Memory
  "metrics": [{"name": "Time", "unit": "ns", "total": 83000, "key": "Time", "title": "time"}, {"name": "Memory", "unit": "bytes", "total": 32, "key": "Memory", "title": "memory", "falls": true}]
  events: Time_(10ns) Memory_(bytes)
$ polyprof convert fib.xt --to xdebug --variant 4 -o x.xdebug
! polyprof: error: format xdebug has no variant '4'; it has 2 3
= 2

Names that look like ids are carried by ids.

$ printf '(3);(4) x;(12)f 5\n(3) 2\n' > ids.folded; for to in xdebug callgrind; do polyprof convert ids.folded --to $to -o ids.$to 2>&1 | grep 'names ('; polyprof top --csv ids.$to | cut -d, -f1 | sort; done
  (12)f
  (3)
  (4) x
  name
  {main}
  (12)f
  (3)
  (4) x
  name

Costs have 64 bits.

$ polyprof top --json unsigned.callgrind | grep -o '"total": [0-9]*, "est'; for to in callgrind cachegrind spaa; do polyprof convert -q unsigned.callgrind --to $to -o u.$to; polyprof top --json u.$to | grep -o '"total": [0-9]*, "est'; done; polyprof convert unsigned.callgrind -q --to xdebug -o u.xdebug
  "total": 18446744073709551615, "est
  "total": 18446744073709551615, "est
  "total": 18446744073709551615, "est
  "total": 18446744073709551615, "est
! polyprof: error: cannot write xdebug: a limit was reached
= 4

A sum that is cut is known to be: one event, several, the last of them, nothing of it; what lacks only the end of its last line is whole.

$ for end in 'totals: 12 340' 'totals: 12 34' 'totals: 12 ' 'totals: 12' 'totals: ' 'totals:' '1 0 0'; do printf 'version: 1\ncreator: callgrind-3.19.0\nevents: Ir Dr\nsummary: 12 340\n\nfn=main\n1 12 300\n2 0 40\n'"$end" > cut.callgrind; polyprof info --json -q cut.callgrind | grep -o '"complete": [a-z]*'; done
  "complete": true
  "complete": false
  "complete": false
  "complete": false
  "complete": false
  "complete": false
  "complete": false
$ for end in '12 340' '12 34' '12 ' ''; do printf 'desc: I1\ncmd: x\nevents: Ir Dr\nfl=a.c\nfn=main\n1 12 300\n2 0 40\nsummary: '"$end" > cut.cachegrind; polyprof info --json -q cut.cachegrind | grep -o '"complete": [a-z]*'; done
  "complete": true
  "complete": false
  "complete": false
  "complete": false
$ printf 'version: 1\ncreator: other\nevents: Ir\nsummary: 30\n\nfn=main\n1 12\n2 1' > cut.callgrind; polyprof check cut.callgrind
  cut.callgrind:8:1: warning: the last line is not ended [callgrind-cut]
  cut.callgrind: warn (callgrind: 1 warning)

So is the end of Pynytprof's chunks; a letter alone is one.

$ polyprof convert -q app.folded --to pynytprof -o whole.out 2>/dev/null; for n in 0 1 3 4 5; do head -c -$n whole.out > cut.out; polyprof info --json -q cut.out | grep -o '"complete": [a-z]*'; done; head -c -3 whole.out > cut.out; polyprof check cut.out
  "complete": true
  "complete": false
  "complete": false
  "complete": true
  "complete": false
  cut.out@0x481: warning: the terminator is cut [pynytprof-end-missing]
  cut.out: warn (pynytprof: 1 warning)

Calls beyond what NYTProf can count in two million records are told, not written for ever.

$ printf 'version: 1\ncreator: callgrind-3.19.0\nevents: Ir\n\nfn=main\n1 1\ncfn=f\ncalls=9223372036854775807 1\n1 5\nfn=f\n1 5\ntotals: 6\n' > calls.callgrind; timeout 60 polyprof convert calls.callgrind --to nytprof -o calls.out 2>&1 | grep calls; polyprof top -q --json calls.out | grep -o '"total": [0-9]*, "est'
  calls.out: warning: not written: counts of calls (1) [loss-calls]
  calls.out: warning: made up: roots [loss-roots]
  calls.out: warning: made up: start and end of the recording [loss-time]
  calls.out: warning: made up: source text [loss-sources]
  calls.out: warning: made up: files of functions [loss-files]
  calls.out: warning: made up: first lines of functions [loss-first-lines]
  calls.out: warning: made up: last lines of functions [loss-last-lines]
  calls.out: warning: Ir is written as time in ns [loss-units]
  calls.out: warning: changed to fit: names (2) [loss-names]
  "total": 600, "est

Counts of calls have 64 bits, too.

$ printf 'version: 1\ncreator: callgrind-3.19.0\nevents: Ir\n\nfn=main\n1 1\ncfn=f\ncalls=9223372036854775808 1\n1 5\n2 1\ncfn=g\ncalls=18446744073709551615 1\n2 5\nfn=f\n1 5\nfn=g\n1 5\ntotals: 12\n' > many.callgrind; polyprof check many.callgrind; for to in callgrind spaa; do polyprof convert -q many.callgrind --to $to -o many2.$to && polyprof top --csv many2.$to | cut -d, -f1,5; done; polyprof convert -q many2.spaa --to callgrind -o - | grep calls=; polyprof convert -q many.callgrind --to xhprof -o many.xhprof
  many.callgrind: accept (callgrind)
  name,calls
  f,9223372036854775808
  g,18446744073709551615
  main,
  name,calls
  f,9223372036854775808
  g,18446744073709551615
  main,
  calls=9223372036854775808 1
  calls=18446744073709551615 1
! polyprof: the calls of 1 function are 2^64-1 or more, and shown as that
! polyprof: the calls of 1 function are 2^64-1 or more, and shown as that
! polyprof: error: cannot write xhprof: a limit was reached
= 4
$ sed 's/=9223372036854775808/=18446744073709551616/' many.callgrind | polyprof check -
  -:8:7: error: the number of calls is not a number [callgrind-bad-calls]
  -: reject (callgrind: 1 error)
= 1

Of many events only what is not 0 takes room: rows end with the last of them, and xhprof's leave the others out.

$ awk 'BEGIN { n = 300; printf "version: 1\ncreator: callgrind-3.19.0\nevents:"; for (i = 0; i < n; i++) printf " E%d", i; print "\n"; for (f = 0; f < n; f++) { printf "fn=f%d\n%d", f, f + 1; for (i = 0; i < f; i++) printf " 0"; print " 7"; if (f) { printf "cfn=f%d\ncalls=1 1\n%d 1\n", f - 1, f + 1 } } }' > wide.callgrind; polyprof convert -q wide.callgrind --to spaa -o wide.spaa; polyprof convert -q wide.spaa --to callgrind -o wide2.callgrind; grep -A3 'f[12]$' wide2.callgrind | head -12; for to in callgrind spaa xhprof; do polyprof convert -q wide.callgrind --to $to -o w.$to; polyprof top -q -n 0 --json -m E7 w.$to | grep -o '"total": [0-9]*, "est'; polyprof info --json -q w.$to | grep -o '"name": "[Ew][t0-9]*"' | wc -l; done; grep -o '"f3==>f2":{[^}]*}' w.xhprof
  fn=(2) f1
  2 0 7
  cfn=(1)
  calls=1 1
  --
  fn=(3) f2
  3 0 0 7
  cfn=(2)
  calls=1 1
  "total": 7, "est
  300
  "total": 7, "est
  300
  "total": 7, "est
  300
  "f3==>f2":{"ct":1,"wt":1}

So it is where events come with later parts, and files of different events are merged.

$ awk 'BEGIN { print "version: 1\ncreator: other"; for (p = 0; p < 17; p++) printf "part: %d\nevents: E%d F%d\n\nfn=f%d\n1 7 8\ncfn=g\ncalls=1 1\n1 1\nfn=g\n1 2\n", p + 1, p, p, p }' > parts.callgrind; polyprof top -n 0 --json -m F16 parts.callgrind | grep -o '"total": [0-9]*, "est'; polyprof top -n 0 --json -m E3 parts.callgrind wide.callgrind | grep -o '"total": [0-9]*, "est'
  "total": 8, "est
  "total": 16, "est
! wide.callgrind: warning: part 1 has no totals: line [callgrind-no-totals]
! polyprof: only 1 of 2 profiles has F0, F1, F2, F3, F4, F5 and 294 more; their totals are from that one alone
! polyprof: 2 files, merged; what changed between them: polyprof diff parts.callgrind wide.callgrind

A name may tell the unit of another file: the event is named after the unit that its costs are written in.

$ for to in speedscope pprof; do polyprof convert -q fib.xt --to $to -o ten.$to; for end in callgrind cachegrind; do polyprof convert -q ten.$to --to $end -o ten.$end; grep ^events: ten.$end; polyprof top --json ten.$end -m Time | grep -o '"total": [0-9]*, "est'; done; done; polyprof top --json fib.xt | grep -o '"total": [0-9]*, "est'
  events: Time_(ns) Memory_(bytes)
  "total": 83220, "est
  events: Time_(ns) Memory_(bytes)
  "total": 83220, "est
  events: Memory_(bytes) Time_(ns)
  "total": 83220, "est
  events: Memory_(bytes) Time_(ns)
  "total": 83220, "est
  "total": 83270, "est
