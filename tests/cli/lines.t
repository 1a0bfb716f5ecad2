# polyprof lines

$ polyprof lines dash_e.out
       cost   cost%  hits  line  function  source
    20.9 µs  100.0%    13  -e:1  main::f   sub f { $_[0]*2 } my $s=0; fo… { $s += f($i) } print "$s\n";

$ polyprof lines --json dash_e.out
  {"metric": "time", "unit": "ns", "lines": [{"file": "-e", "line": 1, "hits": 13, "cost": {"time": 20900}, "function": {"name": "main::f", "file": "-e", "line": 1}}], "count": 1}

$ polyprof lines --csv -n 2 cycle.callgrind
  file,line,hits,cost_T,function
  a.c,3,,60,odd
  a.c,2,,30,even

$ polyprof lines --sort name cycle.callgrind
    cost  cost%  line   function
      10  10.0%  a.c:1  zzz
      30  30.0%  a.c:2  even
      60  60.0%  a.c:3  odd

$ polyprof lines --min 50 cycle.callgrind
    cost  cost%  line   function
      60  60.0%  a.c:3  odd

Filters choose functions here.

$ polyprof lines --focus '^odd$' cycle.callgrind
    cost   cost%  line   function
      60  100.0%  a.c:3  odd
! polyprof: the filters keep 60.0%, T: 60; shares below are of that

$ polyprof lines --hide even cycle.callgrind
    cost  cost%  line   function
      60  85.7%  a.c:3  odd
      10  14.3%  a.c:1  zzz
! polyprof: the filters keep 70.0%, T: 70; shares below are of that

The annotated source, from a directory.

$ mkdir -p src/deep && printf 'int zzz() { even(); }\nint even() { odd(); }\nint odd() { even(); }\n\nint unused;\n' > src/deep/a.c
$ polyprof lines --source src/deep cycle.callgrind
  a.c  100.0%
     10.0%          10       1 int zzz() { even(); }
                               # 1 call to even: 30
                               # even: 3 calls, 30 in total, 30 itself
                               #   1 call from zzz at line 1: 30
                               #   2 calls from odd at line 3: 0
     30.0%          30       2 int even() { odd(); }
                               # 2 calls to odd: 30
                               # odd: 2 calls, 60 in total, 60 itself
                               #   2 calls from even at line 2: 30
     60.0%          60       3 int odd() { even(); }
                               # 2 calls to even: 0
                             4  (esc)
                             5 int unused;

$ polyprof lines --source nowhere cycle.callgrind
! polyprof: nowhere is not a directory, so no source can be found in it
! polyprof: the source of 1 file is not known

$ polyprof lines --annotate dash_e.out
  -e  100.0%
                                          # main::f: 5 calls, 5.00 µs in total, 5.00 µs itself
                                          #   5 calls from main::RUNTIME at line 1: 5.00 µs
    100.0%     20.9 µs         13       1 sub f { $_[0]*2 } my $s=0; for my $i (1..5) { $s += f($i) } print "$s\n";
                                          # 5 calls to main::f: 5.00 µs
                                          # 1 call to main::CORE:print: 2.30 µs

Callers of the functions that begin at a line stand above it, calls below; --min shows what is near costly lines only.

$ mkdir big && (seq 1 40; printf 'int f;\n') | sed 's,^\([0-9]*\)$,// \1,' > big/a.c && polyprof lines --source big --min 50 cycle.callgrind
  a.c  100.0%
     10.0%          10       1 // 1
                               # 1 call to even: 30
                               # even: 3 calls, 30 in total, 30 itself
                               #   1 call from zzz at line 1: 30
                               #   2 calls from odd at line 3: 0
     30.0%          30       2 // 2
                               # 2 calls to odd: 30
                               # odd: 2 calls, 60 in total, 60 itself
                               #   2 calls from even at line 2: 30
     60.0%          60       3 // 3
                               # 2 calls to even: 0
                             4 // 4
                             5 // 5
                             6 // 6
$ polyprof lines --source big --json cycle.callgrind | grep -o '"files": .*"line": 3, .*"line": 4,'
  "files": [{"file": "a.c", "lines": [{"line": 1, "text": "// 1", "cost": {"T": 10}, "functions": [{"name": "zzz", "file": "a.c", "self": {"T": 10}, "total": {"T": 100}, "callers": []}], "calls": [{"name": "even", "file": "a.c", "calls": 1, "total": {"T": 30}}]}, {"line": 2, "text": "// 2", "cost": {"T": 30}, "functions": [{"name": "even", "file": "a.c", "calls": 3, "self": {"T": 30}, "total": {"T": 30}, "callers": [{"name": "zzz", "file": "a.c", "calls": 1, "site": {"file": "a.c", "line": 1}, "total": {"T": 30}}, {"name": "odd", "file": "a.c", "calls": 2, "site": {"file": "a.c", "line": 3}, "total": {"T": 0}}]}], "calls": [{"name": "odd", "file": "a.c", "calls": 2, "total": {"T": 30}}]}, {"line": 3, "text": "// 3", "cost": {"T": 60}, "functions": [{"name": "odd", "file": "a.c", "calls": 2, "self": {"T": 60}, "total": {"T": 60}, "callers": [{"name": "even", "file": "a.c", "calls": 2, "site": {"file": "a.c", "line": 2}, "total": {"T": 30}}]}], "calls": [{"name": "even", "file": "a.c", "calls": 2, "total": {"T": 0}}]}, {"line": 4,

Any source: what it holds is shown as it is, and a file that has changed is told.

$ mkdir odd && printf 'a\0b\033[31m\r\n\tif (x)\r\n\377 end' > odd/a.c && polyprof lines --source odd cycle.callgrind
  a.c  100.0%
     10.0%          10       1 a\x00b\x1b[31m
                               # 1 call to even: 30
                               # even: 3 calls, 30 in total, 30 itself
                               #   1 call from zzz at line 1: 30
                               #   2 calls from odd at line 3: 0
     30.0%          30       2     if (x)
                               # 2 calls to odd: 30
                               # odd: 2 calls, 60 in total, 60 itself
                               #   2 calls from even at line 2: 30
     60.0%          60       3 \xff end
                               # 2 calls to even: 0
$ printf 'one' > odd/a.c && polyprof lines --source odd cycle.callgrind
  a.c  100.0%
     10.0%          10       1 one
                               # 1 call to even: 30
                               # even: 3 calls, 30 in total, 30 itself
                               #   1 call from zzz at line 1: 30
                               #   2 calls from odd at line 3: 0
     30.0%          30       2 (there is no such line)
                               # 2 calls to odd: 30
                               # odd: 2 calls, 60 in total, 60 itself
                               #   2 calls from even at line 2: 30
     60.0%          60       3 (there is no such line)
                               # 2 calls to even: 0
! polyprof: a.c has 1 line, but the profile names line 3: it may have changed
$ : > odd/a.c && polyprof lines --source odd cycle.callgrind
  a.c  100.0%
     10.0%          10       1 (there is no such line)
                               # 1 call to even: 30
                               # even: 3 calls, 30 in total, 30 itself
                               #   1 call from zzz at line 1: 30
                               #   2 calls from odd at line 3: 0
     30.0%          30       2 (there is no such line)
                               # 2 calls to odd: 30
                               # odd: 2 calls, 60 in total, 60 itself
                               #   2 calls from even at line 2: 30
     60.0%          60       3 (there is no such line)
                               # 2 calls to even: 0
! polyprof: a.c has 0 lines, but the profile names line 3: it may have changed
$ (head -c 100000 /dev/zero | tr '\0' 'x') > odd/a.c && polyprof lines --source odd cycle.callgrind 2>&1 | head -1; polyprof lines --source odd -q cycle.callgrind | sed -n 2p | cut -c 20-60,420-460
  polyprof: a.c has 1 line, but the profile names line 3: it may have changed
  0       1 xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx (100000 bytes)

Nothing outside of the directory is read: links that stay within it are followed, others are not.

$ mkdir out in && mv src/deep/a.c out/a.c && ln -s ../out/a.c in/a.c && polyprof lines --source in cycle.callgrind
! polyprof: the source of 1 file is not known
$ ln -sf $PWD/out/a.c in/a.c && polyprof lines --source in cycle.callgrind
! polyprof: the source of 1 file is not known
$ rm in/a.c && ln -s ../out in/deep && sed 's,a.c,deep/a.c,' cycle.callgrind > deep.callgrind && polyprof lines --source in deep.callgrind
! polyprof: the source of 1 file is not known
$ rm in/deep && mkdir in/real && cp out/a.c in/real/b.c && ln -s real/../real/b.c in/a.c && polyprof lines --source in cycle.callgrind
  a.c  100.0%
     10.0%          10       1 int zzz() { even(); }
                               # 1 call to even: 30
                               # even: 3 calls, 30 in total, 30 itself
                               #   1 call from zzz at line 1: 30
                               #   2 calls from odd at line 3: 0
     30.0%          30       2 int even() { odd(); }
                               # 2 calls to odd: 30
                               # odd: 2 calls, 60 in total, 60 itself
                               #   2 calls from even at line 2: 30
     60.0%          60       3 int odd() { even(); }
                               # 2 calls to even: 0
                             4  (esc)
                             5 int unused;
$ ln -s in link && sed 's,a.c,/build/x/../real/b.c,' cycle.callgrind > far.callgrind && polyprof lines --source link far.callgrind
  /build/x/../real/b.c  100.0%
     10.0%          10       1 int zzz() { even(); }
                               # 1 call to even: 30
                               # even: 3 calls, 30 in total, 30 itself
                               #   1 call from zzz at line 1: 30
                               #   2 calls from odd at line 3: 0
     30.0%          30       2 int even() { odd(); }
                               # 2 calls to odd: 30
                               # odd: 2 calls, 60 in total, 60 itself
                               #   2 calls from even at line 2: 30
     60.0%          60       3 int odd() { even(); }
                               # 2 calls to even: 0
                             4  (esc)
                             5 int unused;
$ ln -sf a.c in/a.c && polyprof lines --source in cycle.callgrind
! polyprof: the source of 1 file is not known
$ rm in/a.c && mkfifo in/a.c && polyprof lines --source in cycle.callgrind
! polyprof: the source of 1 file is not known

The same through a link in the middle of a path, a chain of links, a loop, `..` and whole paths; a directory that was named by a link is one that was named.

$ mkdir -p room/kept/sub room/away && echo inside > room/kept/sub/in.c && echo outside > room/away/out.c && ln -s ../away room/kept/dir && ln -s dir room/kept/chain && ln -s sub/../../away room/kept/odd && ln -s $PWD/room/away room/kept/whole && ln -s ../../away/out.c room/kept/sub/up.c && ln -s round room/kept/round && ln -s sub room/kept/good && ln -s kept room/named
$ for f in dir/out.c chain/out.c odd/out.c whole/out.c sub/up.c sub/../dir/out.c round/out.c ../away/out.c sub/../../away/out.c good/../../away/out.c $PWD/room/away/out.c $PWD/room/kept/dir/out.c $PWD/room/kept/../away/out.c /etc/../$PWD/room/away/out.c good/in.c sub//./in.c dir/../sub/in.c $PWD/room/kept/good/in.c; do for d in kept named; do printf 'version: 1\nevents: Ir\nfl=%s\nfn=f\n1 10\n' $f | polyprof lines -q --from callgrind --source room/$d - | grep -oE 'inside|outside' | sed "s,^,$d $f: ,"; done; done | sed "s,$PWD,PWD,"
  kept good/in.c: inside
  named good/in.c: inside
  kept sub//./in.c: inside
  named sub//./in.c: inside
  kept dir/../sub/in.c: inside
  named dir/../sub/in.c: inside
  kept PWD/room/kept/good/in.c: inside
  named PWD/room/kept/good/in.c: inside

Auto: where the profile says, if that is beneath the current directory or beside the profile, and nothing hidden.

$ cp out/a.c a.c && polyprof lines --source auto cycle.callgrind
  a.c  100.0%
     10.0%          10       1 int zzz() { even(); }
                               # 1 call to even: 30
                               # even: 3 calls, 30 in total, 30 itself
                               #   1 call from zzz at line 1: 30
                               #   2 calls from odd at line 3: 0
     30.0%          30       2 int even() { odd(); }
                               # 2 calls to odd: 30
                               # odd: 2 calls, 60 in total, 60 itself
                               #   2 calls from even at line 2: 30
     60.0%          60       3 int odd() { even(); }
                               # 2 calls to even: 0
                             4  (esc)
                             5 int unused;
$ sed "s,a.c,$PWD/out/a.c," cycle.callgrind > in/abs.callgrind && polyprof lines --source auto in/abs.callgrind | head -1 | sed "s,$PWD,.,"
  ./out/a.c  100.0%
$ (cd in && polyprof lines --source auto abs.callgrind)
! polyprof: the source of 1 file is not known
$ (cd in && polyprof lines --source auto ../cycle.callgrind) | head -1
  a.c  100.0%
$ (cd / && polyprof lines --source auto $OLDPWD/in/abs.callgrind)
! polyprof: the source of 1 file is not known
$ mkdir .secret && cp out/a.c .secret && sed 's,a.c,.secret/a.c,' cycle.callgrind > secret.callgrind && polyprof lines --source auto secret.callgrind
! polyprof: the source of 1 file is not known
$ polyprof lines --source . secret.callgrind | head -1
  .secret/a.c  100.0%

Files may be named by their addresses, with escapes. V8 knows samples of lines, not time: then samples are shown.

$ mkdir 'two words' && cp out/a.c 'two words/a.js' && printf '{"nodes":[{"id":1,"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"hitCount":0,"children":[2]},{"id":2,"callFrame":{"functionName":"zzz","scriptId":"1","url":"file://%s/two%%20words/a.js","lineNumber":0,"columnNumber":4},"hitCount":3,"positionTicks":[{"line":1,"ticks":2},{"line":3,"ticks":1}]}],"startTime":0,"endTime":3000,"samples":[2,2,2],"timeDeltas":[0,1000,1000]}' "$PWD" > v8.cpuprofile
$ polyprof lines v8.cpuprofile | sed "s,$PWD,.," | tr -s " "
   cost cost% hits line function
   2 66.7% 2 file://./two%20words/a.js:1 zzz
   1 33.3% 1 file://./two%20words/a.js:3 zzz
$ polyprof lines --json v8.cpuprofile | sed "s,$PWD,.,g"
  {"metric": "samples", "unit": "samples", "units": {"samples": "samples", "time": "ns"}, "lines": [{"file": "file://./two%20words/a.js", "line": 1, "hits": 2, "cost": {"samples": 2, "time": 0}, "function": {"name": "zzz", "file": "file://./two%20words/a.js", "line": 1}}, {"file": "file://./two%20words/a.js", "line": 3, "hits": 1, "cost": {"samples": 1, "time": 0}, "function": {"name": "zzz", "file": "file://./two%20words/a.js", "line": 1}}], "count": 2}
$ polyprof lines -m time -n 1 v8.cpuprofile | sed "s,$PWD,.," | tr -s " "
   cost cost% hits line function
   0 ns 0.0% 2 file://./two%20words/a.js:1 zzz

   ... and 1 more line (-n 0 shows all)
$ polyprof lines --source auto v8.cpuprofile | sed "s,$PWD,.,"
  file://./two%20words/a.js  100.0%
     66.7%           2          2       1 int zzz() { even(); }
                                        2 int even() { odd(); }
     33.3%           1          1       3 int odd() { even(); }
                                        4  (esc)
                                        5 int unused;
$ polyprof lines --source 'two words' v8.cpuprofile | head -1 | sed "s,$PWD,.,"
  file://./two%20words/a.js  100.0%
$ sed 's,file://,file://elsewhere,' v8.cpuprofile > far.cpuprofile && polyprof lines --source auto far.cpuprofile
! polyprof: the source of 1 file is not known

Paths that lead upwards are not looked for.

$ sed 's,a.c,../../deep/a.c,' cycle.callgrind > up.callgrind && polyprof lines --source out up.callgrind
! polyprof: the source of 1 file is not known

Folded stacks know no lines.

$ polyprof lines app.folded
! polyprof: error: this profile does not know what individual lines cost
= 3

$ polyprof top --by line cycle.callgrind
  T: 100 in 3 lines

    self  self%                total  total%  line
      60  60.0%  ████████████     60   60.0%  a.c:3
      30  30.0%  ██████           30   30.0%  a.c:2
      10  10.0%  ██               10   10.0%  a.c:1

Costs may be negative (cg_diff writes such files): they are shown like others, and --min looks at their size.

$ printf 'events: Ir\nfl=a.c\nfn=f\n1 100\n2 -40\n3 -1\n' > minus.cachegrind; polyprof lines --json --from cachegrind minus.cachegrind
  {"metric": "Ir", "unit": "count", "lines": [{"file": "a.c", "line": 1, "cost": {"Ir": 100}, "function": {"name": "f", "file": "a.c"}}, {"file": "a.c", "line": 3, "cost": {"Ir": -1}, "function": {"name": "f", "file": "a.c"}}, {"file": "a.c", "line": 2, "cost": {"Ir": -40}, "function": {"name": "f", "file": "a.c"}}], "count": 3}

$ polyprof lines --json --min 10 --from cachegrind minus.cachegrind
  {"metric": "Ir", "unit": "count", "lines": [{"file": "a.c", "line": 1, "cost": {"Ir": 100}, "function": {"name": "f", "file": "a.c"}}, {"file": "a.c", "line": 2, "cost": {"Ir": -40}, "function": {"name": "f", "file": "a.c"}}], "count": 2}

$ polyprof top --json --min 10 --from cachegrind minus.cachegrind
  {"format": "cachegrind", "complete": true, "metric": "Ir", "unit": "count", "total": 59, "estimated": false, "functions": [{"name": "f", "file": "a.c", "self": {"Ir": 59}, "total": {"Ir": 59}}], "count": 1}

What filters leave nothing of is an empty listing.

$ polyprof lines --focus nothing cycle.callgrind
! polyprof: the filters leave nothing

$ polyprof lines --json --focus nothing dash_e.out
  {"metric": "time", "unit": "ns", "lines": [], "count": 0}
! polyprof: the filters leave nothing

$ polyprof lines --focus nothing app.folded
! polyprof: the filters leave nothing

Costs of an unknown file have no line in common: each function has its own row. The cost of a whole file belongs to no function.

$ printf 'creator: x\nevents: Ir\nfl=a.c\nfn=f\n1 10\nfl=???\nfn=g\n0 30\nfn=h\n0 20\n3 5\nfl=b.c\nfn=k\n0 4\nfn=l\n0 3\n' > unknown.callgrind; polyprof lines unknown.callgrind; polyprof lines --csv unknown.callgrind; polyprof lines --json unknown.callgrind; polyprof top --by line unknown.callgrind
    cost  cost%  line   function
      30  41.7%  ???    g
      20  27.8%  ???    h
      10  13.9%  a.c:1  f
       7   9.7%  b.c
       5   6.9%  ???:3  h
  file,line,hits,cost_Ir,function
  ???,,,30,g
  ???,,,20,h
  a.c,1,,10,f
  b.c,,,7,
  ???,3,,5,h
  {"metric": "Ir", "unit": "count", "lines": [{"file": "???", "line": 0, "cost": {"Ir": 30}, "function": {"name": "g", "file": "???"}}, {"file": "???", "line": 0, "cost": {"Ir": 20}, "function": {"name": "h", "file": "???"}}, {"file": "a.c", "line": 1, "cost": {"Ir": 10}, "function": {"name": "f", "file": "a.c"}}, {"file": "b.c", "line": 0, "cost": {"Ir": 7}}, {"file": "???", "line": 3, "cost": {"Ir": 5}, "function": {"name": "h", "file": "???"}}], "count": 5}
  instructions: 72 in 5 lines

    self  self%                total  total%  line
      30  41.7%  ████████████     30   41.7%  g (???)
      20  27.8%  ████████         20   27.8%  h (???)
      10  13.9%  ████             10   13.9%  a.c:1
       7   9.7%  ██▊               7    9.7%  b.c
       5   6.9%  ██                5    6.9%  h (???:3)
