# Sums past 64 bits: said with what and where, never wrapped

Equal stacks of a file: the line that is too much is left out.

$ printf 'a;b 18446744073709551615\na;b 1\na;c 7\n' > same.folded; polyprof top --json same.folded | grep -o '"total": [0-9]*,'; polyprof check same.folded
  "total": 18446744073709551622,
  same.folded:2:1: error: the count of this stack would exceed 18446744073709551615 [folded-sum-too-large]
  same.folded: reject (folded: 1 error)
! same.folded:2:1: error: the count of this stack would exceed 18446744073709551615 [folded-sum-too-large]
= 1

So it is when it comes from a pipe.

$ cat same.folded | polyprof top --json - | grep -o '"total": [0-9]*,'; printf 'a;b 1\na;b 18446744073709551615\n' | polyprof top --csv -
  "total": 18446744073709551622,
  name,file,line,module,calls,self_samples,total_samples
  b,,,,,1,1
  a,,,,,0,1
! -:2:1: error: the count of this stack would exceed 18446744073709551615 [folded-sum-too-large]
! -:2:1: error: the count of this stack would exceed 18446744073709551615 [folded-sum-too-large]

Totals are wider than counts, of several files, too; what a filter puts together is a count again.

$ printf 'a;b 18446744073709551615\na;c 18446744073709551615\n' > two.folded; polyprof top --json two.folded | grep -o '"total": [0-9]*,'
  "total": 36893488147419103230,
$ polyprof top --hide 'b|c' two.folded
! polyprof: error: the sum of samples of a exceeds 64 bits
= 3

Profiles whose cells have a sign hold such sums, with filters as without.

$ printf 'a;b 9223372036854775807\na;c;b 9223372036854775807\na;c 3\n' > three.folded; polyprof convert -q three.folded -o three.pb.gz; polyprof top --csv --by name --hide c three.pb.gz; polyprof tree --hide c three.pb.gz
  name,file,line,module,calls,self_samples,total_samples
  b,,,,,18446744073709551614,18446744073709551614
  a,,,,,3,18446744073709551617
    total%  total   self  function
    100.0%  18.4E         (all)
    100.0%  18.4E  18.4E  └ a › b
! polyprof: the filters keep 100.0%, 18.4E samples; shares below are of that
! polyprof: the filters keep 100.0%, 18.4E samples; shares below are of that
$ polyprof convert -q --hide c three.pb.gz -o hidden.pb.gz; polyprof convert -q --hide c three.pb.gz -o hidden.otlp; polyprof top --csv hidden.pb.gz; polyprof top --csv hidden.otlp
  name,file,line,module,calls,self_samples,total_samples
  b,,,,,18446744073709551614,18446744073709551614
  a,,,,,3,18446744073709551617
  name,file,line,module,calls,self_samples,total_samples
  b,,,,,18446744073709551614,18446744073709551614
  a,,,,,3,18446744073709551617
$ polyprof tree --depth 1 two.folded
    total%  total  function
    100.0%  36.9E  (all)
    100.0%  36.9E  └ a
    100.0%  36.9E    └ (2 more)

  Next steps
    the 2 more below a  polyprof tree --min 0 --show-from '^a$' two.folded
$ polyprof top --json two.folded two.folded | grep -o '"total": [0-9]*,'
  "total": 73786976294838206460,
! polyprof: 2 files, merged; what changed between them: polyprof diff two.folded two.folded
$ polyprof merge two.folded two.folded -o all.folded; ls all.folded
! all.folded: warning: the values of one stack exceed 18446744073709551615, which no count can hold [loss-values]
! polyprof: error: cannot write folded: a limit was reached
! ls: cannot access 'all.folded': No such file or directory
= 2

Other formats.

$ printf 'events: Ir\n\nfn=f\n1 18446744073709551615\n1 1\ncfn=g\ncalls=9223372036854775807 1\n1 5\ncfn=g\ncalls=1 1\n1 18446744073709551615\n\nfn=g\n1 9\n' > f.callgrind; polyprof check f.callgrind
  f.callgrind:5:1: error: a sum of Ir of f exceeds 64 bits with this [callgrind-sum-too-large]
  f.callgrind:11:1: error: a sum of Ir of f exceeds 64 bits with this [callgrind-sum-too-large]
  f.callgrind: reject (callgrind: 2 errors)
= 1
$ printf 'events: Ir\n\nfn=f\n1 1\ncfn=g\ncalls=9223372036854775807 1\n1 5\n2 1\ncfn=g\ncalls=9223372036854775807 1\n2 5\n3 1\ncfn=g\ncalls=9223372036854775807 1\n3 5\n\nfn=g\n1 9\n' > g.callgrind; polyprof top --json g.callgrind | grep -o '"g", "calls": [0-9]*'
  "g", "calls": 18446744073709551615
! polyprof: the calls of 1 function are 2^64-1 or more, and shown as that
$ printf 'version: 1\ncreator: xdebug 3.2.0 (PHP 8.2.0)\ncmd: x.php\npart: 1\npositions: line\n\nevents: Time_(10ns) Memory_(bytes)\n\nfl=(1) php:internal\nfn=(1) php::strlen\n3 9223372036854775807 0\n\nfl=(2) /x.php\nfn=(2) {main}\n1 9223372036854775807 0\ncfl=(1)\ncfn=(1)\ncalls=1 0 0\n3 9223372036854775807 0\n\nsummary: 1 0\n' > x.xt; polyprof check x.xt
  x.xt:14:1: error: a sum of Time_(10ns) exceeds 63 bits with this [callgrind-sum-too-large]
  x.xt: reject (xdebug: 1 error)
= 1

What a target cannot hold is not written at all.

$ polyprof convert two.folded --to xdebug -o x.xdebug
! x.xdebug: warning: the values add up to more than 63 bits, so no file can hold them [loss-values]
! polyprof: error: cannot write xdebug: a limit was reached
= 4
$ polyprof convert two.folded --to xdebug -o x.xdebug; ls x.xdebug
! x.xdebug: warning: the values add up to more than 63 bits, so no file can hold them [loss-values]
! polyprof: error: cannot write xdebug: a limit was reached
! ls: cannot access 'x.xdebug': No such file or directory
= 2
$ polyprof convert two.folded --to spx -o two.json; ls two.json
! two.json: warning: the values exceed 64 bits, so no report can hold them [loss-values]
! polyprof: error: cannot write spx: a limit was reached
! ls: cannot access 'two.json': No such file or directory
= 2

Calls that do not fit are told.

$ printf '# callgrind format\nversion: 1\ncreator: hand\nevents: Ir\n\nfl=a.c\nfn=main\n1 10\ncfn=f\ncalls=9223372036854775807 2\n1 5\ncfn=f\ncalls=9223372036854775807 2\n2 5\ncfn=f\ncalls=9223372036854775807 2\n3 5\n\nfn=f\n2 15\n\ntotals: 25\n' >calls.callgrind; polyprof top calls.callgrind
  instructions: 25 in 2 functions

    self  self%                total  total%  calls  function  place
      15  60.0%  ████████████     15   60.0%  18.4E  f         a.c
      10  40.0%  ████████         25  100.0%         main      a.c
! polyprof: the calls of 1 function are 2^64-1 or more, and shown as that
$ polyprof top --json calls.callgrind | grep -o '"calls": [0-9]*'
  "calls": 18446744073709551615
! polyprof: the calls of 1 function are 2^64-1 or more, and shown as that

Of callgrind files every command says the same: of one place the line that is too much is left out, of several they add up.

$ printf 'events: Ir\n\nfn=f\n1 18446744073709551615\n1 1\n\nfn=g\n1 9\n' > place.callgrind; polyprof top --json place.callgrind
  {"format": "cachegrind", "complete": false, "metric": "Ir", "unit": "count", "total": 18446744073709551624, "estimated": false, "functions": [{"name": "f", "self": {"Ir": 18446744073709551615}, "total": {"Ir": 18446744073709551615}}, {"name": "g", "self": {"Ir": 9}, "total": {"Ir": 9}}], "count": 2}
! place.callgrind:5:1: error: a sum of Ir of f exceeds 64 bits with this [callgrind-sum-too-large]
$ polyprof lines --json place.callgrind
  {"metric": "Ir", "unit": "count", "lines": [{"line": 1, "cost": {"Ir": 18446744073709551615}, "function": {"name": "f"}}, {"line": 1, "cost": {"Ir": 9}, "function": {"name": "g"}}], "count": 2}
! place.callgrind:5:1: error: a sum of Ir of f exceeds 64 bits with this [callgrind-sum-too-large]
$ polyprof info --json place.callgrind | grep -o '"complete": [a-z]*\|"total": [0-9]*'
  "complete": false
  "total": 18446744073709551624
! place.callgrind:5:1: error: a sum of Ir of f exceeds 64 bits with this [callgrind-sum-too-large]
$ polyprof check place.callgrind
  place.callgrind:5:1: error: a sum of Ir of f exceeds 64 bits with this [callgrind-sum-too-large]
  place.callgrind: reject (cachegrind: 1 error)
= 1
$ printf 'events: Ir\n\nfn=f\n1 18446744073709551615\n2 1\n\nfn=g\n1 9\n' > places.callgrind; polyprof top --csv places.callgrind; polyprof lines --csv places.callgrind; polyprof check places.callgrind
  name,file,line,module,calls,self_Ir,total_Ir
  f,,,,,18446744073709551616,18446744073709551616
  g,,,,,9,9
  file,line,hits,cost_Ir,function
  ,1,,18446744073709551615,f
  ,1,,9,g
  ,2,,1,f
  places.callgrind: accept (cachegrind)
$ printf 'events: Ir\n\nfn=f\n1 1\ncfn=g\ncalls=1 1\n1 18446744073709551615\ncfn=g\ncalls=1 1\n1 5\n\nfn=g\n1 9\n' > site.callgrind; polyprof top --csv site.callgrind; polyprof callers g --json site.callgrind
  name,file,line,module,calls,self_Ir,total_Ir
  g,,,,2,9,9
  f,,,,,1,18446744073709551616
  {"metric": "Ir", "unit": "count", "estimated": false, "function": {"name": "g", "calls": 2, "self": {"Ir": 9}, "total": {"Ir": 9}}, "edges": [{"name": "f", "calls": 2, "site": {"line": 1}, "total": {"Ir": 9}, "stated": {"Ir": 18446744073709551615}}], "count": 1}
! site.callgrind:10:1: error: a sum of Ir of f exceeds 64 bits with this [callgrind-sum-too-large]
! site.callgrind:10:1: error: a sum of Ir of f exceeds 64 bits with this [callgrind-sum-too-large]

What moves cannot be read again: it is said where functions are added up.

$ cat place.callgrind | polyprof top --csv -
  name,file,line,module,calls,self_Ir,total_Ir
  f,,,,,18446744073709551616,18446744073709551616
  g,,,,,9,9
! -:5:1: error: a sum of Ir of f exceeds 64 bits with this [callgrind-sum-too-large]

Files that are fine each and whose sum cannot be written: nothing is.

$ printf 'events: Ir\nfl=a\nfn=f\n1 18446744073709551615\n' > most.callgrind; polyprof merge most.callgrind most.callgrind -o sum.callgrind
! polyprof: error: cannot merge most.callgrind: the sum of Ir of f exceeds 64 bits
= 4
$ test -e sum.callgrind || echo none; polyprof top -q most.callgrind most.callgrind
  none
! polyprof: error: cannot merge most.callgrind: the sum of Ir of f exceeds 64 bits
= 3
