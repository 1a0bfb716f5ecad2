# OTLP: attributes, times, originals, and both ways to pprof

$ polyprof top --by label:service.name bakery.otlp
  CPU time: 129 ns in 2 values

      self  self%                 total  total%  self samples  value
    114 ns  88.4%  ████████████  114 ns   88.4%             6  bakery
     15 ns  11.6%  █▋             15 ns   11.6%             0  shop

$ polyprof top --label thread.name=north -n 3 bakery.otlp
  CPU time: 12 ns in 4 functions

    self  self%                total  total%  self samples  function   place
    7 ns  58.3%  ████████████   7 ns   58.3%             0  copy_page
    5 ns  41.7%  ████████▋      5 ns   41.7%             0  bake       /bakery/oven.c:30
    0 ns   0.0%                12 ns  100.0%             0  main       /bakery/oven.c:10

    ... and 1 more function (-n 0 shows all)
! polyprof: the filters keep 9.3%, CPU time: 12 ns; shares below are of that

$ polyprof tree --root label:service.name -n 6 bakery.otlp
    total%   total   self  function
    100.0%  129 ns         (all)
     88.4%  114 ns         ├ bakery
     86.8%  112 ns  30 ns  │ ├ main (oven.c:10)
     63.6%   82 ns  20 ns  │ │ └ mix (oven.c:20)
     42.6%   55 ns  55 ns  │ │   ├ bake (oven.c:30)
      5.4%    7 ns   7 ns  │ │   └ copy_page
      1.6%    2 ns   2 ns  │ └ [no stack]
     11.6%   15 ns  15 ns  └ shop › main › mix › bake (oven.c:30)

$ polyprof top --time 0..25ms -m samples bakery.otlp
  3 samples in 4 functions

    self  self%                total  total%  self CPU time  function  place
       2  66.7%  ████████████      2   66.7%          20 ns  mix       /bakery/oven.c:20
       1  33.3%  ██████            3  100.0%          30 ns  main      /bakery/oven.c:10

    ... and 2 functions that cost nothing (--json lists them)
! polyprof: the filters keep 94.6%, CPU time: 122 ns; shares below are of that

$ polyprof tags bakery.otlp
      cost  cost%  key           value
    114 ns  88.4%  process.pid   7
    114 ns  88.4%  service.name  bakery
     15 ns  11.6%  service.name  shop
      7 ns   5.4%  size          128 By
      7 ns   5.4%  span_id       0001020304050607
     12 ns   9.3%  thread.id     71
     12 ns   9.3%  thread.name   north
      7 ns   5.4%  trace_id      000102030405060708090a0b0c0d0e0f

The original is read when that is wanted.

$ polyprof info inside.otlp
  inside.otlp
    format        otlp (OTLP profile (OpenTelemetry), variant protobuf)
    size          769 B
    facets        tree
    complete      yes
    metric        CPU time: 100 ns (cpu)
    holds         3 samples, 3 stacks, 3 functions
    meta          service.name = bakery
                  process.pid = 7
                  scope = kitchen
                  scope_version = 1
                  original_payload_format = pprof

$ polyprof info --option payload=use inside.otlp
  inside.otlp
    format        otlp (OTLP profile (OpenTelemetry))
    size          769 B
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

What is written in one form and in another is the same; pprof comes back as it was.

$ polyprof convert bakery.otlp -o short.otlp && polyprof convert bakery.otlp -o short.otlp.json && polyprof convert short.otlp.json --to otlp -o - | cmp - short.otlp

$ polyprof convert bakery.pb.gz --to otlp -o - | polyprof convert - --to pprof --option gzip=no -o - | polyprof top -
  11 samples in 6 functions

    self  self%                total  total%  self CPU time  function                  place
       4  36.4%  ████████████      4   36.4%          40 ns  [no stack]
       3  27.3%  █████████         6   54.5%          30 ns  bake                      /bakery/oven.c:10
       2  18.2%  ██████            3   27.3%          20 ns  mix                       /bakery/oven.c:20
       1   9.1%  ███               1    9.1%          10 ns  [[kernel.kallsyms]_text]  [kernel.kallsyms]_text
       1   9.1%  ███               1    9.1%          10 ns  mix_inner                 /bakery/oven.c:90
       0   0.0%                    7   63.6%           0 ns  main                      /bakery/oven.c

$ polyprof convert bakery.otlp --to pprof -o - | polyprof tags -
      cost  cost%  key           value
    114 ns  88.4%  process.pid   7
    114 ns  88.4%  service.name  bakery
     15 ns  11.6%  service.name  shop
      7 ns   5.4%  size          128 By
      7 ns   5.4%  span_id       0001020304050607
     12 ns   9.3%  thread.id     71
     12 ns   9.3%  thread.name   north
      7 ns   5.4%  trace_id      000102030405060708090a0b0c0d0e0f
! standard output: warning: not written: events in their order [loss-timeline]
! standard output: warning: not written: marks of kernel and user code (1) [loss-marks]
! standard output: warning: not written: metadata (3) [loss-metadata]

Samples of other formats that say when they happened have timestamps, and are as many when they are read again; those of several types are one.

$ printf 'app 7/8 [000] 1.000000: 10 cycles:\n\t1000 f+0x0 (/bin/app)\n\napp 7/8 [000] 1.250000: 20 cycles:\n\t1000 f+0x0 (/bin/app)\n\napp 7/8 [001] 2.000000: 30 cycles:\n\t2000 g+0x0 (/bin/app)\n\n' > timed.perf; polyprof convert -q timed.perf -o timed.otlp; polyprof check timed.otlp; polyprof convert -q --to spaa -o - timed.otlp | grep -c '"type":"sample"'; for t in 0%..20% 20%..50% 50%..100%; do polyprof top -q --csv --time $t timed.perf; polyprof top -q --csv --time $t timed.otlp; done
  timed.otlp: accept (otlp)
  3
  name,file,line,module,calls,self_period,total_period,self_samples,total_samples
  f,,,/bin/app,,10,10,1,1
  name,file,line,module,calls,self_period,total_period,self_samples,total_samples
  f,,,/bin/app,,10,10,1,1
  name,file,line,module,calls,self_period,total_period,self_samples,total_samples
  f,,,/bin/app,,20,20,1,1
  name,file,line,module,calls,self_period,total_period,self_samples,total_samples
  f,,,/bin/app,,20,20,1,1
  name,file,line,module,calls,self_period,total_period,self_samples,total_samples
  g,,,/bin/app,,30,30,1,1
  name,file,line,module,calls,self_period,total_period,self_samples,total_samples
  g,,,/bin/app,,30,30,1,1
$ polyprof convert -q timed.perf --to otlp --option json=yes -o - | grep -o '"values":[^}]*'
  "values":[{"intValue":"0"
  "values":["10","20"],"timestampsUnixNano":["1000000000","1250000000"]
  "values":["30"],"timestampsUnixNano":["2000000000"]
  "values":["1","1"],"timestampsUnixNano":["1000000000","1250000000"]
  "values":["1"],"timestampsUnixNano":["2000000000"]

A trace of calls is no list of samples.

$ printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":5,"dur":10,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":7,"dur":3,"name":"b"}]}' > calls.json; polyprof convert calls.json --to otlp -o calls.otlp 2>&1 | grep -o 'loss-timeline'; polyprof info --json -q calls.otlp | grep -o '"facets": [^]]*]'
  loss-timeline
  "facets": ["tree"]

A day beyond what pprof can tell in nanoseconds is reported, not wrapped.

$ printf '\012\032\022\030\022\026\012\004\010\001\020\002\022\005\010\001\042\001\005\031\000\366\211\012\001\020\240\240\022\051\012\000\022\000\032\000\042\000\052\000\052\003\143\160\165\052\002\156\163\052\001\146\062\000\072\000\022\004\032\002\010\001\032\002\010\003\072\003\012\001\001' > late.otlp; polyprof check late.otlp; for to in pprof otlp; do polyprof convert --hide zzz late.otlp --to $to -o late.$to; polyprof top -q --csv late.$to; done
  late.otlp: accept (otlp)
  name,file,line,module,calls,self_cpu,total_cpu
  f,,,,,5,5
  name,file,line,module,calls,self_cpu,total_cpu
  f,,,,,5,5
! polyprof: the filters keep 100.0%, CPU time: 5 ns; shares below are of that
! late.pprof: warning: not written: the day of the recording [loss-recorded]
! late.pprof: warning: not written: metadata (1) [loss-metadata]
! polyprof: the filters keep 100.0%, CPU time: 5 ns; shares below are of that
! late.otlp: warning: not written: the day of the recording [loss-recorded]

A length of 2^40 is refused at once; other signals are told by name.

$ polyprof check brace.otlp
  brace.otlp: accept (otlp)

$ polyprof check claims.otlp
  claims.otlp@0x0: error: a field exceeds its message [otlp-cut]
  claims.otlp: reject (otlp: 1 error)
= 1

$ echo '{"resourceSpans": []}' | polyprof info -
! -: error: no format recognises it; this is OpenTelemetry traces, not profiles: `polyprof formats` lists what can be read [io-unknown-format]
= 3
