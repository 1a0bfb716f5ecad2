# Mangled names: people read what they stand for, scripts get both

$ cat mangled.folded
  main;_ZN4core3fmt5write17h0123456789abcdefE 100
  main;_ZN4core3fmt5write17h0123456789abcdefE;_RNvCs1234_7mycrate3foo 70
  main;camlStdlib__List__map_1234 30
$ polyprof top mangled.folded
  200 samples in 4 functions

    self  self%                total  total%  function
     100  50.0%  ████████████    170   85.0%  core::fmt::write
      70  35.0%  ████████▍        70   35.0%  mycrate::foo
      30  15.0%  ███▋             30   15.0%  Stdlib.List.map_1234
       0   0.0%                  200  100.0%  main
$ polyprof top --json mangled.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 200, "estimated": false, "functions": [{"name": "_ZN4core3fmt5write17h0123456789abcdefE", "demangled": "core::fmt::write", "self": {"samples": 100}, "total": {"samples": 170}}, {"name": "_RNvCs1234_7mycrate3foo", "demangled": "mycrate::foo", "self": {"samples": 70}, "total": {"samples": 70}}, {"name": "camlStdlib__List__map_1234", "demangled": "Stdlib.List.map_1234", "self": {"samples": 30}, "total": {"samples": 30}}, {"name": "main", "self": {"samples": 0}, "total": {"samples": 200}}], "count": 4}
$ polyprof top --json --demangle mangled.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 200, "estimated": false, "functions": [{"name": "core::fmt::write", "mangled": "_ZN4core3fmt5write17h0123456789abcdefE", "self": {"samples": 100}, "total": {"samples": 170}}, {"name": "mycrate::foo", "mangled": "_RNvCs1234_7mycrate3foo", "self": {"samples": 70}, "total": {"samples": 70}}, {"name": "Stdlib.List.map_1234", "mangled": "camlStdlib__List__map_1234", "self": {"samples": 30}, "total": {"samples": 30}}, {"name": "main", "self": {"samples": 0}, "total": {"samples": 200}}], "count": 4}
$ polyprof top --csv mangled.folded
  name,file,line,module,calls,self_samples,total_samples
  _ZN4core3fmt5write17h0123456789abcdefE,,,,,100,170
  _RNvCs1234_7mycrate3foo,,,,,70,70
  camlStdlib__List__map_1234,,,,,30,30
  main,,,,,0,200
$ polyprof top --csv --demangle mangled.folded
  name,file,line,module,calls,self_samples,total_samples
  core::fmt::write,,,,,100,170
  mycrate::foo,,,,,70,70
  Stdlib.List.map_1234,,,,,30,30
  main,,,,,0,200
$ polyprof top --no-demangle mangled.folded
  200 samples in 4 functions

    self  self%                total  total%  function
     100  50.0%  ████████████    170   85.0%  _ZN4core3fmt5write17h0123456789abcdefE
      70  35.0%  ████████▍        70   35.0%  _RNvCs1234_7mycrate3foo
      30  15.0%  ███▋             30   15.0%  camlStdlib__List__map_1234
       0   0.0%                  200  100.0%  main
$ polyprof top --demangle --no-demangle mangled.folded
! polyprof: error: --demangle and --no-demangle cannot be used together
! Try `polyprof top --help`.
= 2

Either name will do to ask for a function, in filters and in limits.

$ polyprof callers mycrate::foo mangled.folded
  mycrate::foo: 70 in all, 70 by itself
  called by

    total%  total  function
     35.0%     70  core::fmt::write
$ polyprof callers _RNvCs1234_7mycrate3foo --json mangled.folded
  {"metric": "samples", "unit": "samples", "estimated": false, "function": {"name": "_RNvCs1234_7mycrate3foo", "demangled": "mycrate::foo", "self": {"samples": 70}, "total": {"samples": 70}}, "edges": [{"name": "_ZN4core3fmt5write17h0123456789abcdefE", "demangled": "core::fmt::write", "total": {"samples": 70}}], "count": 1}
$ polyprof callees core::fmt --csv mangled.folded
  name,file,line,site_file,site_line,depth,calls,total_samples
  _RNvCs1234_7mycrate3foo,,,,,1,,70
$ polyprof callers '/map_[0-9]+$/' mangled.folded
  Stdlib.List.map_1234: 30 in all, 30 by itself
  called by

    total%  total  function
     15.0%     30  main
$ polyprof tree --focus '^mycrate::' mangled.folded
    total%  total  self  function
    100.0%     70        (all)
    100.0%     70    70  └ main › core::fmt::write › mycrate::foo
! polyprof: the filters keep 35.0%, 70 samples; shares below are of that
$ polyprof top --json --focus '^_RNv' -n 1 mangled.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 70, "estimated": false, "functions": [{"name": "_RNvCs1234_7mycrate3foo", "demangled": "mycrate::foo", "self": {"samples": 70}, "total": {"samples": 70}}], "count": 3}
! polyprof: the filters keep 35.0%, 70 samples; shares below are of that
$ polyprof gate other.folded mangled.folded --fail-if 'self(mycrate::foo) > 50'
  FAIL  self(mycrate::foo) > 50
          mycrate::foo: 0 samples before, 70 samples after (new)
  samples: changes within 2 * sqrt(before + after) are noise
= 1
$ polyprof gate other.folded mangled.folded --json --fail-if 'self(mycrate::foo) > 50'
  {"passed": false, "metric": "samples", "unit": "samples", "normalized": false, "before": {"total": 142, "metric": "samples"}, "after": {"total": 200, "metric": "samples"}, "estimated": false, "status": "grew", "rule": "samples: changes within 2 * sqrt(before + after) are noise", "limits": [{"expr": "self(mycrate::foo) > 50", "passed": false, "matched": 1, "functions": [{"name": "mycrate::foo", "mangled": "_RNvCs1234_7mycrate3foo", "before": {"self": 0, "total": 0}, "after": {"self": 70, "total": 70}, "delta": {"self": 70, "total": 70}, "change": {"self": null, "total": null}, "share": {"self": 0.35, "total": 0.35}, "status": "new", "status_total": "new"}]}]}
= 1

Files are written with their own names unless told otherwise; the titles of pictures are for scripts, too.

$ polyprof convert mangled.folded --to folded -o -
  main;_ZN4core3fmt5write17h0123456789abcdefE 100
  main;_ZN4core3fmt5write17h0123456789abcdefE;_RNvCs1234_7mycrate3foo 70
  main;camlStdlib__List__map_1234 30
$ polyprof convert mangled.folded --demangle --to folded -o -
  main;Stdlib.List.map_1234 30
  main;core::fmt::write 100
  main;core::fmt::write;mycrate::foo 70
$ polyprof flame mangled.folded -o - | grep -o '<title>[^<]*(70 [^<]*</title>\|>mycrate[^<]*<'
  >mycrate<
  <title>_RNvCs1234_7mycrate3foo (70 samples, 35.00%)</title>
  >mycrate::foo<
$ polyprof flame --demangle mangled.folded -o - | grep -o '<title>[^<]*(70 [^<]*</title>\|>mycrate[^<]*<'
  >mycrate<
  <title>mycrate::foo (70 samples, 35.00%)</title>
  >mycrate::foo<
$ polyprof flame --no-demangle mangled.folded -o - | grep -c mycrate::foo
  0
= 1
