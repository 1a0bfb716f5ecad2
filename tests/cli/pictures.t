# Flame graphs and reports. What needs the viewer is in tests/browser.

$ polyprof flame app.folded -o app.svg && grep -c '<g class="frame' app.svg
  17
$ polyprof flame app.folded --min-width nothing -o no.svg
! polyprof: error: --min-width takes pixels (0.5) or percent (0.1%)
= 2
$ polyprof flame --flamechart tiny.json | grep -o '<title>[^<]*' | head -4
  <title>all (79,572 ns, 100.00%)
  <title>/srv/sample/spx/scripts/tiny.php (79,572 ns, 100.00%)
  <title>top (20,737 ns, 26.06%)
  <title>branch (11,432 ns, 14.37%)
$ polyprof flame --flamechart --time 10us..20us tiny.json | grep -o '<title>[^<]*' | head -4
  <title>all (10,000 ns, 100.00%)
  <title>/srv/sample/spx/scripts/tiny.php (10,000 ns, 100.00%)
  <title>top (3,026 ns, 30.26%)
! polyprof: the filters keep 12.6%, wall time: 10.0 µs; shares below are of that
$ polyprof flame --focus User --hide dispatch app.folded | grep -o '<title>[^<]*' | head -4
  <title>all (936 samples, 100.00%)
  <title>main (936 samples, 100.00%)
  <title>router (936 samples, 100.00%)
  <title>UserController-&gt;show (936 samples, 100.00%)
! polyprof: the filters keep 89.4%, 936 samples; shares below are of that

Time that is not known, or no more.

$ polyprof flame --flamechart app.folded -o no.svg
! polyprof: error: app.folded does not say when things happened
= 3
$ polyprof flame --flamechart --hide leaf tiny.json -o no.svg
! polyprof: the filters keep 100.0%, wall time: 79.6 µs; shares below are of that
! polyprof: error: tiny.json does not say when things happened once frames are taken out of its stacks
= 3
$ polyprof flame --flamechart app.folded other.folded -o no.svg
! polyprof: error: --flamechart draws one file: the times of several do not fit together
= 2
$ polyprof flame --flamechart --reverse tiny.json -o no.svg
! polyprof: error: --flamechart and --reverse cannot be used together
= 2
$ test -e no.svg
= 1

A report that is cut fills what it may take, also where all stacks weigh the same.

$ seq 1 60000 | awk '{ print "main;a" $1 % 977 ";b" $1 % 1013 ";c" $1 ";d" $1 * 7 % 60001 " 1" }' > even.folded && polyprof report -q --max-size 1M even.folded -o even.html
$ test $(stat -c %s even.html) -lt 1048576 && test $(stat -c %s even.html) -gt 900000 && rm even.html even.folded

$ polyprof report --max-size lots app.folded
! polyprof: error: --max-size takes a size such as 500K, 8M or 1G, not 'lots'
! Try `polyprof report --help`.
= 2
$ polyprof report </dev/null
! Usage: polyprof report [OPTIONS] FILE... -o OUT.html
! One self-contained HTML file with every view.
! Try `polyprof report --help`.
= 2
$ polyprof flame app.folded other.folded --normalize total | grep -o 'id="subtitle"[^<]*\|<title>all[^<]*'
  id="subtitle" class="subtitle" x="600.0" y="38">1,047 → 1,047 samples · after scaled by 7.373
  <title>all (1,047 samples, 100.00%)&#10;before 1,047, total +0, self +0
$ polyprof flame app.folded --normalize total -o no.svg
! polyprof: error: --normalize compares two profiles
= 2

Formats count time in steps of their own; pictures compare them all the same.

$ polyprof flame closures.xt closures.json | grep -o 'id="subtitle"[^<]*\|<title>all[^<]*'
  id="subtitle" class="subtitle" x="600.0" y="38">115 µs → 290 µs
  <title>all (289,559 ns, 100.00%)&#10;before 114,930, total +174,629, self +0

A profile without anything in it is an empty picture, whatever its format; one without stacks is none.

$ printf '# callgrind format\nevents: Ir\nsummary: 0\ntotals: 0\n' >none.cg; polyprof flame none.cg -o none.svg && grep -o '<title>[^<]*' none.svg
  <title>all (0 count, 100.00%)
$ printf '# callgrind format\n' >nothing.cg; polyprof flame -q nothing.cg -o none.svg && grep -o '<title>[^<]*' none.svg
! nothing.cg:1:1: error: the file ends without an events: line [callgrind-no-events]
= 3
$ polyprof flame -q nothing.cg none.cg -o no.svg
! nothing.cg:1:1: error: the file ends without an events: line [callgrind-no-events]
= 3
$ printf 'desc: x\ncmd: x\nevents: Ir\nfl=a.c\nfn=main\n1 5\nsummary: 5\n' >flat.cachegrind; polyprof flame flat.cachegrind -o no.svg
! polyprof: error: flat.cachegrind holds no stacks to draw; `polyprof report` shows what it has
= 3

Several threads are lanes on one axis of time; --thread chooses one.

$ for t in 100:1.0 101:1.2 100:1.4 101:1.6 100:1.8; do printf 'app 100/%s %s00000: 100000000 cpu-clock: \n\t1 work (a)\n\t2 main (a)\n\n' ${t%:*} ${t#*:}; done >threads.txt
$ polyprof flame --flamechart threads.txt | grep -o 'class="frame lane".*</title>' | sed 's/<[^<]*>/ /'
  class="frame lane" data-row="1"> app 100 (900,000,000 ns, 100.00%)</title>
  class="frame lane" data-row="4"> app 101 (500,000,000 ns, 55.56%)</title>
$ polyprof flame --flamechart --thread 101 -q threads.txt | grep -c 'class="frame lane"'
  0
= 1

# A name that says something else is no name for it, and nothing is written.
$ polyprof flame -o flame.png app.folded
! polyprof: error: flame.png would be a misleading name for svg output: use flame.svg
= 2
$ for name in x.svgz x.pprof x.speedscope in/x.json; do polyprof flame -o $name app.folded; done
! polyprof: error: x.svgz would be a misleading name for svg output: use x.svg
! polyprof: error: x.pprof would be a misleading name for svg output: use x.svg
! polyprof: error: x.speedscope would be a misleading name for svg output: use x.svg
! polyprof: error: in/x.json would be a misleading name for svg output: use in/x.svg
= 2
$ polyprof report -o x.xhtml app.folded
! polyprof: error: x.xhtml would be a misleading name for html output: use x.html
= 2
$ polyprof report -o report.txt app.folded
! polyprof: error: report.txt would be a misleading name for html output: use report.html
= 2
$ polyprof top --json -o top.csv app.folded
  {"error": {"rule": "usage", "message": "top.csv would be a misleading name for json output: use top.json", "file": "app.folded"}}
! polyprof: error: top.csv would be a misleading name for json output: use top.json
= 2
$ ls flame.png report.txt top.csv 2>/dev/null || echo none of them
  none of them

The axis of a chart has one unit and as many decimals as its steps need, whatever its length: no label twice.

$ for us in 7 90 1000 3700 61000 1000000 1100000 119000000 400000000 9000000000; do
>   printf 'app 1 [000] 1.000000: 1 cpu-clock:\n\t1 f (x)\n\napp 1 [000] %d.%06d: 1 cpu-clock:\n\t1 f (x)\n\n' $((1 + us / 1000000)) $((us % 1000000)) > span.txt
>   polyprof flame --flamechart -q span.txt -o - | grep -o '<g id="axis".*</g>' | sed 's/<[^>]*>/|/g; s/|||*/|/g'; done
  |0 µs|1 µs|2 µs|3 µs|4 µs|5 µs|6 µs|
  |0 µs|10 µs|20 µs|30 µs|40 µs|50 µs|60 µs|70 µs|80 µs|
  |0 ms|0.2 ms|0.4 ms|0.6 ms|0.8 ms|
  |0 ms|0.5 ms|1.0 ms|1.5 ms|2.0 ms|2.5 ms|3.0 ms|3.5 ms|
  |0 ms|10 ms|20 ms|30 ms|40 ms|50 ms|
  |0 s|0.2 s|0.4 s|0.6 s|0.8 s|
  |0 s|0.2 s|0.4 s|0.6 s|0.8 s|1.0 s|
  |0 s|20 s|40 s|60 s|80 s|100 s|
  |0 s|50 s|100 s|150 s|200 s|250 s|300 s|350 s|
  |0 s|1,000 s|2,000 s|3,000 s|4,000 s|5,000 s|6,000 s|7,000 s|8,000 s|
