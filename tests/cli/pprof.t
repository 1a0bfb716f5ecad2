# pprof: what it holds, what the file says to drop, and what others get wrong

$ polyprof bakery.pb.gz
  /bakery/bin/oven, 2023-11-14 22:13, 2.50 s
    bakery.pb.gz: pprof profile (Go and many others)
    11 samples, CPU time: 110 ns, 6 functions, 5 stacks

  Costliest functions
    self  self%                total  total%  self CPU time  function                  place
       4  36.4%  ████████████      4   36.4%          40 ns  [no stack]
       3  27.3%  █████████         6   54.5%          30 ns  bake                      /bakery/oven.c:10
       2  18.2%  ██████            3   27.3%          20 ns  mix                       /bakery/oven.c:20
       1   9.1%  ███               1    9.1%          10 ns  [[kernel.kallsyms]_text]  [kernel.kallsyms]_text
       1   9.1%  ███               1    9.1%          10 ns  mix_inner                 /bakery/oven.c:90
       0   0.0%                    7   63.6%           0 ns  main                      /bakery/oven.c

  Hottest path
     63.6%  main
     54.5%   bake

  Next steps
    functions by total cost      polyprof top --sort total bakery.pb.gz
    the call tree, from the top  polyprof tree bakery.pb.gz
    who calls the costliest      polyprof callers '[no stack]' bakery.pb.gz
    what else the file holds     polyprof info bakery.pb.gz
    an interactive flame graph   polyprof flame bakery.pb.gz -o flame.svg
    all views in one page        polyprof report bakery.pb.gz -o report.html

$ polyprof info bakery.pb.gz
  bakery.pb.gz
    format        pprof (pprof profile (Go and many others))
    compression   gzip
    size          399 B
    recorded      2023-11-14 22:13:20 UTC
    time          2.50 s
    facets        tree
    complete      yes
    metrics       11 samples, primary
                  CPU time: 110 ns (cpu)
    holds         5 samples, 5 stacks, 6 functions
    labels        size: 2 values, 0 9.1% · 4096 bytes 9.1%
                  tenant: 1 value, north 9.1%
    meta          time_nanos = 1700000000123456789
                  duration_nanos = 2500000000
                  period_type = cpu
                  period_unit = nanoseconds
                  period = 10
                  comments
                    a note
                  default_sample_type = samples
                  doc_url = http://bakery.example/

$ polyprof top --json -n 0 bakery.pb.gz
  {"format": "pprof", "complete": true, "metric": "samples", "unit": "count", "units": {"samples": "count", "cpu": "ns"}, "total": 11, "estimated": false, "functions": [{"name": "[no stack]", "self": {"samples": 4, "cpu": 40}, "total": {"samples": 4, "cpu": 40}}, {"name": "bake", "file": "/bakery/oven.c", "line": 10, "module": "/bakery/bin/oven", "self": {"samples": 3, "cpu": 30}, "total": {"samples": 6, "cpu": 60}}, {"name": "mix", "file": "/bakery/oven.c", "line": 20, "module": "/bakery/bin/oven", "self": {"samples": 2, "cpu": 20}, "total": {"samples": 3, "cpu": 30}}, {"name": "[[kernel.kallsyms]_text]", "module": "[kernel.kallsyms]_text", "self": {"samples": 1, "cpu": 10}, "total": {"samples": 1, "cpu": 10}}, {"name": "mix_inner", "file": "/bakery/oven.c", "line": 90, "module": "/bakery/bin/oven", "self": {"samples": 1, "cpu": 10}, "total": {"samples": 1, "cpu": 10}}, {"name": "main", "file": "/bakery/oven.c", "module": "/bakery/bin/oven", "self": {"samples": 0, "cpu": 0}, "total": {"samples": 7, "cpu": 70}}], "count": 6}

Frames that the file says to drop are dropped in answers, and kept by conversions.

$ polyprof top drop.pb; polyprof top --all-frames drop.pb; polyprof convert -q --to folded -o - drop.pb
  CPU time: 50 ns in 2 functions

     self   self%                total  total%  self samples  function  place
    50 ns  100.0%  ████████████  50 ns  100.0%             5  bake      /bakery/oven.c:10
     0 ns    0.0%                50 ns  100.0%             0  main      /bakery/oven.c
  CPU time: 50 ns in 3 functions

     self  self%                total  total%  self samples  function  place
    30 ns  60.0%  ████████████  50 ns  100.0%             3  bake      /bakery/oven.c:10
    20 ns  40.0%  ████████      20 ns   40.0%             2  mix       /bakery/oven.c:20
     0 ns   0.0%                50 ns  100.0%             0  main      /bakery/oven.c
  main;bake 30
  main;bake;mix 20

$ polyprof convert --to pprof -o kept.pb drop.pb; polyprof info kept.pb | grep frames
    meta          drop_frames = mi.*
                  keep_frames = mixer

Whoever writes it again keeps all of it; from other formats it comes with names, lines and units.

$ polyprof convert --lossless --to pprof -o again.pb.gz bakery.pb.gz; polyprof top --json -n 0 again.pb.gz
  {"format": "pprof", "complete": true, "metric": "samples", "unit": "count", "units": {"samples": "count", "cpu": "ns"}, "total": 11, "estimated": false, "functions": [{"name": "[no stack]", "self": {"samples": 4, "cpu": 40}, "total": {"samples": 4, "cpu": 40}}, {"name": "bake", "file": "/bakery/oven.c", "line": 10, "module": "/bakery/bin/oven", "self": {"samples": 3, "cpu": 30}, "total": {"samples": 6, "cpu": 60}}, {"name": "mix", "file": "/bakery/oven.c", "line": 20, "module": "/bakery/bin/oven", "self": {"samples": 2, "cpu": 20}, "total": {"samples": 3, "cpu": 30}}, {"name": "[[kernel.kallsyms]_text]", "module": "[kernel.kallsyms]_text", "self": {"samples": 1, "cpu": 10}, "total": {"samples": 1, "cpu": 10}}, {"name": "mix_inner", "file": "/bakery/oven.c", "line": 90, "module": "/bakery/bin/oven", "self": {"samples": 1, "cpu": 10}, "total": {"samples": 1, "cpu": 10}}, {"name": "main", "file": "/bakery/oven.c", "module": "/bakery/bin/oven", "self": {"samples": 0, "cpu": 0}, "total": {"samples": 7, "cpu": 70}}], "count": 6}

$ polyprof convert --to pprof -o made.pprof recursion.folded; polyprof check made.pprof; polyprof convert --to folded -o - made.pprof
  made.pprof: accept (pprof)
  main;deep;a;b;c;d;e;f 7
  main;deep;a;b;c;d;e;g 9
  main;deep;a;b;c;d;e;g;h 1
  main;even;odd 5
  main;even;odd;even;odd 10
  main;fact 1
  main;fact;fact 2
  main;fact;fact;fact 3
  main;fact;fact;fact;mul 4
! made.pprof: warning: made up: the number of samples [loss-samples]
! made.pprof: warning: samples is written in count [loss-units]
! standard output: warning: not written: the number of samples (9) [loss-samples]
! standard output: warning: samples is written in samples [loss-units]

$ polyprof convert --option gzip=no --to pprof -o - recursion.folded | head -c 12 | od -An -tx1
   0a 04 08 01 10 02 12 07 0a 02 01 02
! standard output: warning: made up: the number of samples [loss-samples]
! standard output: warning: samples is written in count [loss-units]

A sample that costs no time is there after merging with a file of another unit.

$ polyprof merge -q ms.pb bakery.pb --to pprof -o both.pb; polyprof top -m samples both.pb
  15 samples in 4 functions

    self  self%                total  total%  self CPU time  function  place
       6  40.0%  ████████████     10   66.7%        30.0 ms  bake      /bakery/oven.c:10
       5  33.3%  ██████████        5   33.3%           0 ns  rest      /bakery/bin/oven
       4  26.7%  ████████          4   26.7%        20.0 ms  mix       /bakery/oven.c:20
       0   0.0%                   15  100.0%           0 ns  main      /bakery/oven.c

Sums do not wrap.

$ polyprof top --json huge.pb; polyprof convert -q --to folded -o - huge.pb; polyprof convert --to pprof -q -o twice.pb huge.pb; polyprof tree huge.pb
  {"format": "pprof", "complete": true, "metric": "cpu", "unit": "ns", "units": {"samples": "count", "cpu": "ns"}, "total": 27670116110564327421, "estimated": false, "functions": [{"name": "bake", "file": "/bakery/oven.c", "line": 10, "module": "/bakery/bin/oven", "self": {"samples": 3, "cpu": 27670116110564327421}, "total": {"samples": 3, "cpu": 27670116110564327421}}, {"name": "main", "file": "/bakery/oven.c", "module": "/bakery/bin/oven", "self": {"samples": 0, "cpu": 0}, "total": {"samples": 3, "cpu": 27670116110564327421}}], "count": 2}
    total%             total              self  function
    100.0%  7686143 h 21 min                    (all)
    100.0%  7686143 h 21 min  7686143 h 21 min  └ main › bake (oven.c:10)
! polyprof: error: cannot write folded: a limit was reached

Labels, that of number 0 included.

$ polyprof top --by label:size bakery.pb.gz; polyprof top --label tenant=north bakery.pb.gz
  11 samples in 3 values

    self  self%                total  total%  self CPU time  value
       9  81.8%  ████████████      9   81.8%          90 ns  (no size)
       1   9.1%  █▍                1    9.1%          10 ns  0
       1   9.1%  █▍                1    9.1%          10 ns  4096 bytes
  1 sample in 3 functions

    self   self%                total  total%  self CPU time  function   place
       1  100.0%  ████████████      1  100.0%          10 ns  mix_inner  /bakery/oven.c:90
       0    0.0%                    1  100.0%           0 ns  main       /bakery/oven.c
       0    0.0%                    1  100.0%           0 ns  mix        /bakery/oven.c:20
! polyprof: the filters keep 9.1%, 1 sample; shares below are of that

What Go prints as text, with its names.

$ polyprof top goroutines.txt; polyprof convert -q --to pprof -o goroutines.pb goroutines.txt; polyprof convert -q --to folded -o - goroutines.pb
  goroutines: 7 in 3 functions

    self  self%                total  total%  function      place
       5  71.4%  ████████████      5   71.4%  bakery.knead  bakery/main.go
       2  28.6%  ████▊             2   28.6%  [no stack]
       0   0.0%                    5   71.4%  main.main     bakery/main.go
  [no stack] 2
  main.main;bakery.knead 5

A file of 1 KB that claims to have more than it can is refused at once.

$ polyprof check claims.pb; cat bakery.pb bakery.pb > two.pb; polyprof check two.pb
  claims.pb@0x2: warning: sample type 1 has no name [pprof-sample-type-name]
  claims.pb@0x8: warning: another sample type is also called  [pprof-sample-type-duplicate]
  claims.pb@0x8: warning: sample type 2 has no name [pprof-sample-type-name]
  claims.pb@0xc: error: a field exceeds its message [pprof-cut]
  claims.pb: error: there is no string table [pprof-string-table]
  claims.pb: reject (pprof: 2 errors, 3 warnings)
  two.pb@0xe: error: 2 values, and 4 sample types [pprof-value-count]
  two.pb@0x18: error: 2 values, and 4 sample types [pprof-value-count]
  two.pb@0x116: warning: another sample type is also called samples [pprof-sample-type-duplicate]
  two.pb@0x11c: warning: another sample type is also called cpu [pprof-sample-type-duplicate]
  two.pb@0x122: error: 2 values, and 4 sample types [pprof-value-count]
  two.pb@0x12c: error: 2 values, and 4 sample types [pprof-value-count]
  two.pb@0x137: error: two mappings have id 1 [pprof-mapping-id]
  two.pb@0x148: error: two locations have id 1 [pprof-location-id]
  two.pb@0x157: error: two locations have id 2 [pprof-location-id]
  two.pb@0x166: error: two locations have id 3 [pprof-location-id]
  two.pb@0x175: error: two functions have id 1 [pprof-function-id]
  two.pb@0x17d: error: two functions have id 2 [pprof-function-id]
  two.pb@0x187: error: two functions have id 3 [pprof-function-id]
  two.pb@0x191: warning: string 17 is also empty [pprof-string-empty]
  two.pb: reject (pprof: 11 errors, 3 warnings)
= 1

What may not lose anything is not written where the file is damaged, and to a pipe not a byte of it.

$ head -c 200 bakery.pb > cut.pb; polyprof convert -q --lossless cut.pb --to pprof -o again.pb; test -e again.pb || echo nothing
  nothing
! cut.pb@0x23: error: a mapping refers to string 10 of 9 [pprof-string-index]
! cut.pb@0x23: error: a mapping refers to string 9 of 9 [pprof-string-index]
! cut.pb@0xc0: error: a field exceeds its message [pprof-cut]
! polyprof: error: pprof cannot hold all of this profile, and --lossless forbids losing any of it
$ polyprof convert -q --lossless cut.pb --to pprof -o - | wc -c; polyprof convert --lossless bakery.pb --to pprof -o - | polyprof top -
  0
  CPU time: 50 ns in 3 functions

     self  self%                total  total%  self samples  function  place
    30 ns  60.0%  ████████████  50 ns  100.0%             3  bake      /bakery/oven.c:10
    20 ns  40.0%  ████████      20 ns   40.0%             2  mix       /bakery/oven.c:20
     0 ns   0.0%                50 ns  100.0%             0  main      /bakery/oven.c
! cut.pb@0x23: error: a mapping refers to string 10 of 9 [pprof-string-index]
! cut.pb@0x23: error: a mapping refers to string 9 of 9 [pprof-string-index]
! cut.pb@0xc0: error: a field exceeds its message [pprof-cut]
! polyprof: error: pprof cannot hold all of this profile, and --lossless forbids losing any of it

Labels that another format told are labels here; one without a text has no place.

$ polyprof convert -q bakery.pb.gz --label tenant=north --to pprof -o north.pb; polyprof tags north.pb
    cost   cost%  key     value
       1  100.0%  size    0
       1  100.0%  tenant  north
$ (echo '{"type":"header","format":"spaa","version":"1.0","source_tool":"perf","frame_order":"leaf_to_root","stack_id_mode":"local","events":[{"name":"e","kind":"timer","sampling":{"mode":"event","primary_metric":"period"}}]}'; echo '{"type":"dso","id":1,"name":"[kernel.kallsyms]","is_kernel":true}'; echo '{"type":"frame","id":1,"func":"f","dso":1,"kind":"kernel"}'; echo '{"type":"stack","id":1,"frames":[1],"context":{"event":"e","x_span":"a","x_none":""},"weights":[{"metric":"period","value":1}]}') > span.spaa; polyprof convert span.spaa --to pprof -o span.pb; polyprof tags span.pb
    cost   cost%  key     value
       1  100.0%  x_span  a
! span.pb: warning: made up: the number of samples [loss-samples]
! span.pb: warning: not written: marks of kernel and user code (2) [loss-marks]
! span.pb: warning: not written: labels (1) [loss-labels]
! span.pb: warning: not written: events of metrics (1) [loss-events]
! span.pb: warning: not written: metadata (9) [loss-metadata]

# Java's CPU profiles: words as gperftools writes them, with names behind them; big words in the other order, too; cut ones are used as far as they go
$ printf '\0\0\0\0\3\0\0\0\1\0\0\0\20\47\0\0\0\0\0\0\2\0\0\0\2\0\0\0\3\0\0\0\4\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0 0x00000003 GC\n 0x0000004 com.example.f (Source.java:14)\n' > java.prof; polyprof top --json java.prof; polyprof info java.prof | sed -n 2p
  {"format": "pprof", "complete": true, "metric": "cpu", "unit": "ns", "units": {"samples": "count", "cpu": "ns"}, "total": 20000000, "estimated": false, "functions": [{"name": "GC", "self": {"samples": 2, "cpu": 20000000}, "total": {"samples": 2, "cpu": 20000000}}, {"name": "com.example.f", "file": "Source.java", "self": {"samples": 0, "cpu": 0}, "total": {"samples": 2, "cpu": 20000000}}], "count": 2}
    format        pprof (pprof profile (Go and many others))
$ (printf '\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0\1\0\0\0\0\0\0\3\350\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\7') > cut.prof; polyprof top --csv cut.prof
  name,file,line,module,calls,self_samples,total_samples,self_cpu,total_cpu
  0x7,,,,,5,5,5000000,5000000
! cut.prof@0x40: error: the samples break off [pprof-legacy-line]

What speedscope and others get wrong: ids of more than 32 bits are not cut, code without a name and functions that were inlined stay on their
stacks, and the metric shown is the one that the file names, not the one at that place.

$ printf '\012\004\010\001\020\002\012\004\010\003\020\004\022\010\012\002\002\001\022\002\001\012\022\014\012\006\201\200\200\200\020\001\022\002\002\005\032\004\010\001\050\010\042\010\010\001\042\004\010\001\020\007\042\007\010\002\020\001\030\264\044\042\026\010\201\200\200\200\020\042\004\010\002\020\003\042\010\010\201\200\200\200\020\020\011\052\004\010\001\020\005\052\004\010\002\020\006\052\010\010\201\200\200\200\020\020\007\062\000\062\007samples\062\005count\062\003cpu\062\013nanoseconds\062\004main\062\006put\040in\062\005other\062\010\057bin\057appp\001' > peers.pb; polyprof traces peers.pb; polyprof check peers.pb
    self  self%  stack, from the leaf
       2  66.7%  put in ‹ other ‹ main
       1  33.3%  [app] ‹ main
  peers.pb: accept (pprof)

Stacks of pprof are carried by SPAA as a list, those without a cost too, by place and by function:
$ printf '\012\004\010\001\020\002\022\006\012\002\002\001\020\005\022\006\012\002\001\002\020\003\022\006\012\002\002\001\020\004\022\006\012\002\003\001\020\000\042\010\010\001\042\004\010\001\020\007\042\010\010\002\042\004\010\002\020\010\042\010\010\003\042\004\010\002\020\011\052\004\010\001\020\003\052\004\010\002\020\004\062\000\062\003cpu\062\002ns\062\001f\062\001g' > list.pb; polyprof convert -q --to spaa -o list.spaa list.pb; polyprof convert -q --to spaa --option frames=function -o funcs.spaa list.pb; grep -h 'listed\|_path\|"stack"' list.spaa funcs.spaa; for f in list.pb list.spaa funcs.spaa; do polyprof convert -q --option gzip=no --to pprof -o - $f | cksum; polyprof top --csv $f; polyprof convert -q --to folded -o - $f; polyprof check -q $f; done; sed 's/"x_polyprof_listed","n":\[0/"x_polyprof_listed","n":[9/' list.spaa > wrong.spaa; polyprof check wrong.spaa
  {"type":"header","format":"spaa","version":"1.0","source_tool":"polyprof","frame_order":"leaf_to_root","events":[{"name":"pprof","kind":"probe","sampling":{"mode":"event","primary_metric":"cpu"}}],"source":{"tool":"pprof"},"stack_id_mode":"content_addressable","x_polyprof":{"version":1,"format":"pprof","listed":true}}
  {"type":"stack","id":"0x2801c457ce7f0036","frames":[2,1],"context":{"event":"pprof"},"weights":[{"metric":"cpu","value":9,"unit":"ns"}],"exclusive":{"frame":2,"weights":[{"metric":"cpu","value":9,"unit":"ns"}]}}
  {"type":"stack","id":"0xf587dcef46d3fe56","frames":[1,2],"context":{"event":"pprof"},"weights":[{"metric":"cpu","value":3,"unit":"ns"}],"exclusive":{"frame":1,"weights":[{"metric":"cpu","value":3,"unit":"ns"}]}}
  {"type":"x_polyprof_path","n":[1,3]}
  {"type":"x_polyprof_listed","n":[0,9,1,3,-1,0]}
  {"type":"x_polyprof_listed_end","format":"pprof","stacks":2,"sum":"0x8a24b66ecfb0be9b"}
  {"type":"header","format":"spaa","version":"1.0","source_tool":"polyprof","frame_order":"leaf_to_root","events":[{"name":"pprof","kind":"probe","sampling":{"mode":"event","primary_metric":"cpu"}}],"source":{"tool":"pprof"},"stack_id_mode":"content_addressable","x_polyprof":{"version":1,"format":"pprof","listed":true}}
  {"type":"stack","id":"0x2801c457ce7f0036","frames":[2,1],"context":{"event":"pprof"},"weights":[{"metric":"cpu","value":9,"unit":"ns"}],"exclusive":{"frame":2,"weights":[{"metric":"cpu","value":9,"unit":"ns"}]}}
  {"type":"stack","id":"0xf587dcef46d3fe56","frames":[1,2],"context":{"event":"pprof"},"weights":[{"metric":"cpu","value":3,"unit":"ns"}],"exclusive":{"frame":1,"weights":[{"metric":"cpu","value":3,"unit":"ns"}]}}
  {"type":"x_polyprof_path","n":[1,2]}
  {"type":"x_polyprof_path","n":[2,1]}
  {"type":"x_polyprof_path","n":[1,3]}
  {"type":"x_polyprof_listed","n":[-1,9,-2,3,-3,0]}
  {"type":"x_polyprof_listed_end","format":"pprof","stacks":2,"sum":"0x8a24b66ecfb0be9b"}
  423873402 101
  name,file,line,module,calls,self_cpu,total_cpu
  g,,,,,9,12
  f,,,,,3,12
  f;g 9
  g;f 3
  423873402 101
  name,file,line,module,calls,self_cpu,total_cpu
  g,,,,,9,12
  f,,,,,3,12
  f;g 9
  g;f 3
  423873402 101
  name,file,line,module,calls,self_cpu,total_cpu
  g,,,,,9,12
  f,,,,,3,12
  f;g 9
  g;f 3
  wrong.spaa: warning: the x_polyprof records are not used: a table refers to something that is not there [spaa-carry-damaged]
  wrong.spaa: warn (spaa: 1 warning)

A stack record is told once, so that a small file cannot say a long stack very often:
$ printf '\012\004\010\001\020\002\022\006\012\002\002\001\020\005\022\006\012\002\001\002\020\003\042\010\010\001\042\004\010\001\020\007\042\010\010\002\042\004\010\002\020\010\052\004\010\001\020\003\052\004\010\002\020\004\062\000\062\003cpu\062\002ns\062\001f\062\001g' > list.pb; polyprof convert -q --to spaa -o list.spaa list.pb; grep listed\" list.spaa; sed 's/"x_polyprof_listed","n":\[0,5,1,3/"x_polyprof_listed","n":[0,5,0,3/' list.spaa > often.spaa; polyprof top --csv often.spaa
  {"type":"header","format":"spaa","version":"1.0","source_tool":"polyprof","frame_order":"leaf_to_root","events":[{"name":"pprof","kind":"probe","sampling":{"mode":"event","primary_metric":"cpu"}}],"source":{"tool":"pprof"},"stack_id_mode":"content_addressable","x_polyprof":{"version":1,"format":"pprof","listed":true}}
  {"type":"x_polyprof_listed","n":[0,5,1,3]}
  name,file,line,module,calls,self_cpu,total_cpu
  g,,,[unknown],,5,8
  f,,,[unknown],,3,8
! often.spaa: warning: the x_polyprof records are not used: a table refers to something that is not there [spaa-carry-damaged]
