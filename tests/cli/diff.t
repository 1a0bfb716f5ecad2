# polyprof diff

$ printf 'main;a 100\nmain;tower;t1 50\nmain;tower;t2 60\nmain;b 7\nmain;c 0\n' > before.folded
$ printf 'main;a 200\nmain;b 7\nmain;c 1\nmain;fresh 40\n' > after.folded
$ polyprof diff before.folded after.folded
  samples, self: 217 samples before, 248 samples after (+14.3%, noise)
  samples: changes within 2 * sqrt(before + after) are noise

    before  after  delta   change  share±  verdict  function
       100    200   +100  +100.0%   +34.6  grew     a
        60           -60     gone   -27.6  gone     t2
        50           -50     gone   -23.0  gone     t1
               40    +40      new   +16.1  new      fresh
         0             0     gone    +0.0  gone     tower

    ... and 1 function within noise, 2 unchanged functions (-n 0 shows all)

A vanished tower is gone with its whole cost; a doubled function is +100 %; 0 against 1 sample is noise.

$ polyprof diff -n 0 --sort total before.folded after.folded
  samples, totals: 217 samples before, 248 samples after (+14.3%, noise)
  samples: changes within 2 * sqrt(before + after) are noise

    before  after  delta   change  share±  verdict  function
       110          -110     gone   -50.7  gone     tower
       100    200   +100  +100.0%   +34.6  grew     a
        60           -60     gone   -27.6  gone     t2
        50           -50     gone   -23.0  gone     t1
               40    +40      new   +16.1  new      fresh
       217    248    +31   +14.3%    +0.0  noise    main
         0      1     +1             +0.4  noise    c
         7      7      0    +0.0%    -0.4  same     b

$ polyprof diff --json -n 2 before.folded after.folded
  {"metric": "samples", "unit": "samples", "normalized": false, "before": {"total": 217, "metric": "samples"}, "after": {"total": 248, "metric": "samples"}, "estimated": false, "status": "noise", "rule": "samples: changes within 2 * sqrt(before + after) are noise", "functions": [{"name": "a", "before": {"self": 100, "total": 100}, "after": {"self": 200, "total": 200}, "delta": {"self": 100, "total": 100}, "change": {"self": 1, "total": 1}, "share": {"self": 0.34562211981566815, "total": 0.34562211981566815}, "status": "grew", "status_total": "grew"}, {"name": "t2", "before": {"self": 60, "total": 60}, "after": {"self": 0, "total": 0}, "delta": {"self": -60, "total": -60}, "change": {"self": -1, "total": -1}, "share": {"self": -0.2764976958525346, "total": -0.2764976958525346}, "status": "gone", "status_total": "gone"}], "count": 8}

$ polyprof diff --csv --sort name before.folded after.folded
  name,file,line,self_before,self_after,self_delta,total_before,total_after,total_delta,calls_before,calls_after,status,status_total
  a,,,100,200,100,100,200,100,,,grew,grew
  b,,,7,7,0,7,7,0,,,same,same
  c,,,0,1,1,0,1,1,,,noise,noise
  fresh,,,0,40,40,0,40,40,,,new,new
  main,,,0,0,0,217,248,31,,,same,noise
  t1,,,50,0,-50,50,0,-50,,,gone,gone
  t2,,,60,0,-60,60,0,-60,,,gone,gone
  tower,,,0,0,0,110,0,-110,,,gone,gone

Swapping both mirrors every number.

$ polyprof diff --csv --sort name after.folded before.folded
  name,file,line,self_before,self_after,self_delta,total_before,total_after,total_delta,calls_before,calls_after,status,status_total
  a,,,200,100,-100,200,100,-100,,,shrank,shrank
  b,,,7,7,0,7,7,0,,,same,same
  c,,,1,0,-1,1,0,-1,,,noise,noise
  fresh,,,40,0,-40,40,0,-40,,,gone,gone
  main,,,0,0,0,248,217,-31,,,same,noise
  t1,,,0,50,50,0,50,50,,,new,new
  t2,,,0,60,60,0,60,60,,,new,new
  tower,,,0,0,0,0,110,110,,,new,new

$ polyprof diff --tree before.folded after.folded
  samples, totals: 217 samples before, 248 samples after (+14.3%, noise)
  samples: changes within 2 * sqrt(before + after) are noise

    before  after  delta   change  function
       217    248    +31   +14.3%  (all)
       217    248    +31   +14.3%  └ main
       110      0   -110     gone    ├ tower
        60      0    -60     gone    │ ├ t2
        50      0    -50     gone    │ └ t1
       100    200   +100  +100.0%    ├ a
         0     40    +40      new    └ fresh

$ polyprof diff --tree --json --depth 1 before.folded after.folded
  {"metric": "samples", "unit": "samples", "normalized": false, "before": {"total": 217, "metric": "samples"}, "after": {"total": 248, "metric": "samples"}, "estimated": false, "status": "noise", "rule": "samples: changes within 2 * sqrt(before + after) are noise", "root": {"name": "", "before": {"self": 0, "total": 217}, "after": {"self": 0, "total": 248}, "children": [{"name": "main", "before": {"self": 0, "total": 217}, "after": {"self": 0, "total": 248}, "children": []}]}}

$ polyprof diff before.folded after.folded -o change2.diff.folded && cat change2.diff.folded && polyprof diff change2.diff.folded -n 1
  main;a 100 200
  main;b 7 7
  main;c 0 1
  main;fresh 0 40
  main;tower;t1 50 0
  main;tower;t2 60 0
  before, self: 217 samples before, 248 samples after (+14.3%, noise)
  samples: changes within 2 * sqrt(before + after) are noise

    before  after  delta   change  share±  verdict  function
       100    200   +100  +100.0%   +34.6  grew     a

    ... and 4 more changes, 1 function within noise, 2 unchanged functions (-n 0 shows all)

One program sampled at 1 kHz and at 100 Hz, normalised: no change. An unchanged function does not turn red because another shrank.

$ printf 'main;x 5000\nmain;y 3000\nmain;z 2000\n' > khz.folded; printf 'main;x 502\nmain;y 297\nmain;z 201\n' > hz.folded
$ polyprof diff --normalize samples khz.folded hz.folded
  samples, self: 10,000 samples before, 10,000 samples after (+0.0%, same)
  after is scaled by 10 to the same samples; samples: changes within 2 * sqrt(before + after) are noise

    no function changed
    ... and 3 functions within noise, 1 unchanged function (-n 0 shows all)

$ polyprof diff --normalize total --json khz.folded hz.folded | grep -o '"normalized".*"scale": [0-9.]*'
  "normalized": "total", "scale": 10

$ printf 'main;x 5000\nmain;y 3000\nmain;z 100\n' > shrunk.folded; polyprof diff khz.folded shrunk.folded
  samples, self: 10,000 samples before, 8,100 samples after (-19.0%, shrank)
  samples: changes within 2 * sqrt(before + after) are noise

    before  after   delta  change  share±  verdict  function
     2,000    100  -1,900  -95.0%   -18.8  shrank   z

    ... and 3 unchanged functions (-n 0 shows all)

Repeated runs have their own variance.

$ for i in 1 2 3 4; do printf "main;f $((1000 + i * 7))\nmain;g $((500 + i))\n" > r$i.folded; printf "main;f $((1003 + i * 6))\nmain;g $((600 - i))\n" > s$i.folded; done
$ polyprof diff --before r1.folded r2.folded r3.folded r4.folded --after s1.folded s2.folded s3.folded s4.folded -n 0
  samples, self: 1,520 samples before, 1,616 samples after (+6.3%, grew)
  4 runs against 4: changes within the variance between runs (Welch's t, 95% for all functions together) or below 0.1% of the whole are noise

    before  after  delta  change  share±  verdict  function
       502    598    +95  +18.9%    +3.9  grew     g
     1,018  1,018  +0.50   +0.0%    -3.9  noise    f
         0      0      0            +0.0  same     main

One program recorded by SPX and by Xdebug: closures meet by their place, builtins by their name.

$ polyprof diff -q --csv --sort name closures.json closures.xt | cut -d, -f1,10-13
  name,calls_before,calls_after,status,status_total
  ::php_request_shutdown,1,0,noise,noise
  ::zend_compile_file,1,0,gone,gone
  ::zend_compile_string,1,0,noise,noise
  App\Utils\Base->run,1,1,noise,noise
  App\Utils\Base::kind,1,1,noise,noise
  App\Utils\Child->run,1,1,noise,noise
  App\Utils\Filter->App\Utils\{closure:/srv/app/closures.php:6-6},1,1,noise,noise
  App\Utils\Filter->__invoke,5,5,noise,noise
  App\Utils\Filter->bound,1,1,noise,noise
  App\Utils\Filter->tag,1,1,noise,noise
  App\Utils\apply,4,4,noise,noise
  App\Utils\usort_wrapper,1,1,noise,noise
  App\Utils\{closure:/srv/app/closures.php:11-11},3,3,noise,noise
  App\Utils\{closure:/srv/app/closures.php:3-3},1,1,noise,noise
  App\Utils\{closure:/srv/app/closures.php:4-4},1,1,noise,noise
  App\Utils\{closure:/srv/app/closures.php:8-8},2,2,noise,noise
  eval,1,1,noise,noise
  from_eval,1,1,noise,noise
  php::array_filter,1,1,noise,noise
  php::array_map,1,1,noise,noise
  php::implode,1,1,noise,noise
  php::strlen,1,1,noise,noise
  php::usort,1,1,noise,noise
  {anonymous-class:/srv/app/closures.php:13-13}->hello,1,1,noise,noise
  {main},1,1,noise,noise

Exact counts need no test.

$ sed 's/^2 30/2 31/' cycle.callgrind > cycle2.callgrind; polyprof diff cycle.callgrind cycle2.callgrind
  T, self: 100 before, 101 after (+1.0%, grew)
  exact counts: every difference is real

    before  after  delta  change  share±  calls  after  verdict  function  place
        30     31     +1   +3.3%    +0.7      3      3  grew     even      a.c

    ... and 2 unchanged functions (-n 0 shows all)

Recursion marks and offsets are no names of their own.

$ printf 'main;fib;fib;fib 30\n' > plain.folded; printf "main;fib'2;fib'3 20\nmain+0x10;fib+0x2a 10\n" > marks.folded; polyprof diff -n 0 plain.folded marks.folded
  samples, self: 30 samples before, 30 samples after (+0.0%, same)
  samples: changes within 2 * sqrt(before + after) are noise

    before  after  delta  change  share±  verdict  function
        30     30      0   +0.0%    +0.0  same     fib'2
         0      0      0            +0.0  same     main

What cannot be compared is refused, with what both have.

$ polyprof diff before.folded closures.json
! polyprof: error: the profiles have no metric of the same meaning and unit: before has samples (samples, samples); after has wt (ns, wall time), zm (bytes, bytes); -m A=B --normalize total compares the shares of two
= 3

$ polyprof report before.folded closures.json -o never.html
! polyprof: error: the profiles have no metric of the same meaning and unit: before has samples (samples, samples); after has wt (ns, wall time), zm (bytes, bytes)
= 3

$ polyprof diff -m zm closures.json closures.xt -n 2
  memory in use, self: 6.19 KiB before, 1.93 KiB after (-68.8%, shrank)
  exact counts: every difference is real

       before      delta  change  share±  calls  verdict  function
     13.1 KiB  -13.1 KiB    gone   -78.5      1  gone     ::zend_compile_file
    -8.34 KiB  +8.34 KiB    gone    +0.0      1  gone     ::php_request_shutdown

    ... and 4 more changes, 19 unchanged functions (-n 0 shows all)

$ polyprof diff -m nosuch closures.json closures.xt
! polyprof: error: 'nosuch' is not a metric that both profiles have: before has wt (ns, wall time), zm (bytes, bytes); after has Time_(10ns) (ns, wall time), Memory_(bytes) (bytes, bytes)
= 2

$ polyprof diff --normalize time before.folded after.folded
! polyprof: error: not both profiles say how long they took
= 3

$ polyprof diff before.folded
! polyprof: error: name two files to compare; one alone must be a differential profile
! Try `polyprof diff --help`.
= 2

$ polyprof diff --noise much before.folded after.folded
! polyprof: error: --noise takes a percentage, not 'much'
! Try `polyprof diff --help`.
= 2

$ polyprof diff --focus tower before.folded after.folded
  samples, self: 110 samples before, 0 samples after (-100.0%, shrank)
  samples: changes within 2 * sqrt(before + after) are noise

    before  delta  change  share±  verdict  function
        60    -60    gone   -54.5  gone     t2
        50    -50    gone   -45.5  gone     t1
         0      0    gone    +0.0  gone     main
         0      0    gone    +0.0  gone     tower
! polyprof: the filters keep 50.7%, 110 samples; shares below are of that
! polyprof: the filters leave nothing

$ polyprof diff empty.folded empty.folded
  samples, self: 0 samples before, 0 samples after
  samples: changes within 2 * sqrt(before + after) are noise

    no function changed

For a comment on a change.

$ printf 'main;a 1000\nmain;b|x 400\nmain;c`x` 1\n' > md1.folded; printf 'main;a 1300\nmain;b|x 404\nmain;c`x` 200\nmain;d 90\n' > md2.folded
$ polyprof diff --format markdown md1.folded md2.folded
  **samples, self: 1,401 samples before, 1,994 samples after (+42.3%, grew)**

  samples: changes within 2 \* sqrt(before \+ after) are noise

  | function | before | after | delta | change | verdict |
  |---|---:|---:|---:|---:|---|
  | `a` | 1,000 | 1,300 | +300 | +30.0% | grew |
  | `` c`x` `` | 1 | 200 | +199 | +19900.0% | grew |
  | `d` |  | 90 | +90 | new | new |

    ... and 1 function within noise, 1 unchanged function (\-n 0 shows all)
$ polyprof diff --format markdown -n 1 md1.folded md2.folded | tail -3
  | `a` | 1,000 | 1,300 | +300 | +30.0% | grew |

    ... and 2 more changes, 1 function within noise, 1 unchanged function (\-n 0 shows all)
$ polyprof diff --format markdown md1.folded md2.folded -n 0 -o x.md && tail -5 x.md
  | `a` | 1,000 | 1,300 | +300 | +30.0% | grew |
  | `` c`x` `` | 1 | 200 | +199 | +19900.0% | grew |
  | `d` |  | 90 | +90 | new | new |
  | `b\|x` | 400 | 404 | +4 | +1.0% | noise |
  | `main` | 0 | 0 | 0 |  | same |
$ polyprof diff --format json md1.folded md2.folded | head -c 60
  {"metric": "samples", "unit": "samples", "normalized": false (no-eol)
$ polyprof diff --format csv md1.folded md2.folded -n 1
  name,file,line,self_before,self_after,self_delta,total_before,total_after,total_delta,calls_before,calls_after,status,status_total
  a,,,1000,1300,300,1000,1300,300,,,grew,grew
$ polyprof diff --format csv --json md1.folded md2.folded
  {"error": {"rule": "usage", "message": "--format csv and --json cannot be used together", "file": null}}
! polyprof: error: --format csv and --json cannot be used together
! Try `polyprof diff --help`.
= 2
$ polyprof diff --format markdown md1.folded md2.folded -o x.csv
! polyprof: error: x.csv would be a misleading name for md output: use x.md
= 2

What Xdebug measured stays the whole where its closures meet one that is not told apart: 104, not the sum 102 of what each took itself.

$ printf 'version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: /x.php\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\nfl=(1) /x.php\nfn=(1) {closure:/x.php:3-3}\n3 5 0\n\nfl=(1)\nfn=(2) {closure:/x.php:4-4}\n4 6 0\n\nfl=(1)\nfn=(3) f\n2 10 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n3 6 0\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n3 6 0\n\nfl=(1)\nfn=(4) {main}\n1 81 0\ncfl=(1)\ncfn=(3)\ncalls=1 0 0\n5 23 0\n\nsummary: 104 0\n' > closures.xt
$ sed 's/(2) {closure:[^}]*}/(1)/; s/{closure:[^}]*}/{closure}/; s/fn=(2)/fn=(1)/' closures.xt > closure.xt
$ polyprof top --json closures.xt | grep -o '"total": [0-9]*,'
  "total": 1040,
$ polyprof diff --json closures.xt closure.xt | grep -o '"[a-z]*": {"total": [0-9]*, "m'
  "before": {"total": 1040, "m
  "after": {"total": 1040, "m

Totals that Xdebug measured stay as they are where functions are taken for one, those of all others, too.

$ printf 'version: 1\ncreator: xdebug 2.9.8 (PHP 7.4.3)\ncmd: /x.php\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\nfl=(1) /x.php\nfn=(1) {closure:/x.php:3-3}\n3 60 0\n\nfl=(1)\nfn=(2) {closure:/x.php:4-4}\n4 50 0\n\nfl=(1)\nfn=(3) a\n2 90 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n3 61 0\ncfl=(1)\ncfn=(2)\ncalls=1 0 0\n4 52 0\n\nfl=(1)\nfn=(4) {main}\n\nsummary: 320 0\n\n1 100 0\ncfl=(1)\ncfn=(3)\ncalls=1 0 0\n9 210 0\n' > apart.xt; sed 's/{closure:[^}]*}/{closure}/' apart.xt > united.xt; polyprof diff -q --csv apart.xt united.xt | cut -d, -f1,4-9; polyprof top -q --csv apart.xt | cut -d, -f1,6,7; polyprof top -q --csv --by file apart.xt | cut -d, -f1,6,7
  name,self_before,self_after,self_delta,total_before,total_after,total_delta
  a,900,900,0,2100,2100,0
  {closure},1100,1100,0,1130,1130,0
  {main},1000,1000,0,3100,3100,0
  name,self_Time_(10ns),total_Time_(10ns)
  {main},1000,3100
  a,900,2100
  {closure:/x.php:3-3},600,610
  {closure:/x.php:4-4},500,520
  name,self_Time_(10ns),total_Time_(10ns)
  /x.php,3000,3100

Trends in a table for people, in rows for scripts.

$ for i in 1 2 3 4 5 6 7 8; do awk -v i=$i 'BEGIN { print "main;App\\Json::parse", (i > 4 ? 4000 : 1000); print "main;render", 6000 }' > deploy-$i.folded; done; polyprof trend deploy-*.folded; polyprof trend deploy-[1-4].folded; polyprof trend deploy-[1-4].folded deploy-1.folded deploy-2.folded; polyprof trend --json deploy-*.folded; polyprof trend --json deploy-[4-8].folded
  samples in 8 files: 1 step of a function's share

     before    after   points  from             function
      14.3%    40.0%    +25.7  deploy-5.folded  App\Json::parse
  samples in 4 files: too few runs to tell a change from noise: 3 profiles before it and 3 after it are needed
  samples in 6 files: no function changed by more than noise
  {"tool":"trend","files":8,"metric":"samples","count":1,"columns":["name","at","index","before_pct","after_pct","z"],"rows":[["App\\Json::parse","deploy-5.folded",4,14.29,40,5.92]]}
  {"tool":"trend","files":5,"metric":"samples","count":0,"too_few":true,"columns":["name","at","index","before_pct","after_pct","z"],"rows":[]}
$ polyprof convert -q deploy-1.folded --to spx -o one.json; polyprof convert -q deploy-5.folded --to spx -o five.json; polyprof trend one.json one.json one.json five.json five.json five.json | head -1
  wall time in 6 files: 1 step of a function's share

Only parameters may be missing in one of two names: brackets elsewhere are part of it, and other parameters are another function.

$ printf 'main;http.(*conn).serve 500\nmain;x 100\n' > conn.folded; printf 'main;http.(*Transport).dial 500\nmain;x 100\n' > dial.folded; polyprof diff conn.folded dial.folded
  samples, self: 600 samples before, 600 samples after (+0.0%, same)
  samples: changes within 2 * sqrt(before + after) are noise

    before  after  delta  change  share±  verdict  function
              500   +500     new   +83.3  new      http.(*Transport).dial
       500          -500    gone   -83.3  gone     http.(*conn).serve

    ... and 2 unchanged functions (-n 0 shows all)

$ printf 'main;a::f(int) 500\n' > int.folded; printf 'main;a::f(long) 500\n' > long.folded; printf 'main;a::f 500\n' > plain.folded; polyprof diff int.folded long.folded; polyprof diff int.folded plain.folded
  samples, self: 500 samples before, 500 samples after (+0.0%, same)
  samples: changes within 2 * sqrt(before + after) are noise

    before  after  delta  change  share±  verdict  function
       500          -500    gone  -100.0  gone     a::f(int)
              500   +500     new  +100.0  new      a::f(long)

    ... and 1 unchanged function (-n 0 shows all)
  samples, self: 500 samples before, 500 samples after (+0.0%, same)
  samples: changes within 2 * sqrt(before + after) are noise

    no function changed
    ... and 2 unchanged functions (-n 0 shows all)

$ printf 'main;{closure:A::b():12} 500\nmain;{closure:C::d():12} 400\n' > closures.folded; printf 'main;{closure:A::b():12} 500\n' > closure.folded; polyprof diff closures.folded closure.folded
  samples, self: 900 samples before, 500 samples after (-44.4%, shrank)
  samples: changes within 2 * sqrt(before + after) are noise

    before  delta  change  share±  verdict  function
       400   -400    gone   -44.4  gone     {closure:C::d():12}

    ... and 2 unchanged functions (-n 0 shows all)
