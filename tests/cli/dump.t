# stack dumps

gdb: each stack counts once, names are without arguments.

$ printf 'Thread 1 (process 9):\n#0  std::map<int, std::string>::at (this=0x1, k=3) at map.h:1\n#1  0x0000000000401136 in operator new (sz=8) at new.cc:3\n#2  ns::(anonymous namespace)::f<int> () from /lib/x.so\n#3  0x0000000000401100 in ?? ()\n\nThread 1 (process 9):\n#0  <signal handler called>\n#1  main () at m.c:7\n' >bt.txt; polyprof convert bt.txt --to folded -o -; polyprof info bt.txt | sed -n 2p
  ??;ns::(anonymous namespace)::f<int>;operator new;std::map<int, std::string>::at 1
  main;<signal handler called> 1
    format        dump (stack dumps (gdb, jstack, Go, sample, pmcstat, VTune), variant gdb)
! standard output: warning: not written: files of functions (3) [loss-files]
! standard output: warning: not written: modules of functions (1) [loss-modules]
! standard output: warning: not written: lines within functions (3) [loss-places]

Why a thread waits: ten dumps of a program, one after the other, in which `checkout` wants a lock that `refresher` holds while it reads a file. Threads have
names and numbers.

$ polyprof top --by thread waits.gdb.txt.gz
  30 samples in 3 threads

    self  self%                total  total%  thread
      10  33.3%  ████████████     10   33.3%  checkout 30484
      10  33.3%  ████████████     10   33.3%  refresher 30483
      10  33.3%  ████████████     10   33.3%  waits 30481
$ polyprof tree --thread checkout waits.gdb.txt.gz
    total%  total  self  function
    100.0%     10        (all)
    100.0%     10        └ clone3 › start_thread › checkout (waits.c)
     50.0%      5     5    ├ price_cart (waits.c)
     50.0%      5     5    └ reserve_item › ___pthread_mutex_lock › lll_mutex_lock_optimized › __GI___lll_lock_wait › futex_wait (futex-internal.h)
! polyprof: the filters keep 33.3%, 10 samples; shares below are of that
$ polyprof tree --thread refresher waits.gdb.txt.gz
    total%  total  self  function
    100.0%     10        (all)
    100.0%     10        └ clone3 › start_thread › refresher (waits.c)
     70.0%      7     7    ├ refresh_stock › read_stock_file › __GI___nanosleep › __GI___clock_nanosleep (clock_nanosleep.c)
     30.0%      3     3    └ __GI___nanosleep › __GI___clock_nanosleep (clock_nanosleep.c)
! polyprof: the filters keep 33.3%, 10 samples; shares below are of that
$ polyprof callers ___pthread_mutex_lock waits.gdb.txt.gz
  ___pthread_mutex_lock: 5 in all, 0 by itself
  called by

    total%  total  function      called at
     16.7%      5  reserve_item  waits.c:33
$ printf 'Thread 4 (Thread 0x7 (LWP 12) "a "b") c"):\n#0  f () at m.c:7\n\nThread 3 (Thread 0x8 (LWP 13)):\n#0  f () at m.c:7\n\nThread 2 (Thread 0x9 (LWP -4) ""):\n#0  f () at m.c:8\n\nThread 1 (LWP 99999999999999999999) "x:\n#0  g () at m.c:9\n' >odd.txt; polyprof top --by thread odd.txt; polyprof top --thread 13 odd.txt
  4 samples in 3 threads

    self  self%                total  total%  thread
       2  50.0%  ████████████      2   50.0%  (unknown thread)
       1  25.0%  ██████            1   25.0%  a "b") c 12
       1  25.0%  ██████            1   25.0%  thread 13
  1 sample in 1 function

    self   self%                total  total%  function  place
       1  100.0%  ████████████      1  100.0%  f         m.c
! polyprof: the filters keep 25.0%, 1 sample; shares below are of that

Where only processes have names, those are the threads.

$ printf '@waits[\n    lock+1\n    main+2\n, checkout]: 30\n@waits[\n    nap+1\n    main+2\n, refresher]: 12\n' >w.bpftrace; polyprof top --by thread w.bpftrace; polyprof tree --thread checkout w.bpftrace; polyprof top --thread none w.bpftrace
  @waits: 42 in 2 threads

    self  self%                total  total%  thread
      30  71.4%  ████████████     30   71.4%  checkout
      12  28.6%  ████▊            12   28.6%  refresher
    total%  total  self  function
    100.0%     30        (all)
    100.0%     30    30  └ main › lock
  @waits: 0 in 0 functions
  (esc)
! polyprof: the filters keep 71.4%, @waits: 30; shares below are of that
! polyprof: the filters leave nothing; threads: checkout, refresher

Java: threads, below their names without numbers.

$ printf 'Full thread dump OpenJDK:\n\n"w-12" #2 prio=5\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.mix(B.java:12)\n\t- locked <0x1> (a java.lang.Object)\n\tat a.B.run(B.java:9)\n\n"w-13" #3 prio=5\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.mix(B.java:13)\n\tat a.B.run(B.java:9)\n\n"s" #4\n   java.lang.Thread.State: TIMED_WAITING (sleeping)\n\tat java.lang.Thread.sleep(Native Method)\n' >j.txt; polyprof convert j.txt --to folded -o -
  s;java.lang.Thread.sleep 1
  w;a.B.run;a.B.mix 2
! standard output: warning: not written: files of functions (2) [loss-files]
! standard output: warning: not written: lines within functions (3) [loss-places]
! standard output: warning: not written: processes and threads (3) [loss-threads]
! standard output: warning: not written: labels [loss-labels]

Go: goroutines, and raw profiles.

$ printf 'goroutine 1 [running]:\nmain.work(0x1, {0x2, 0x3})\n\t/src/main.go:12 +0x1d\nmain.main()\n\t/src/main.go:30 +0x2\n\ngoroutine 7 [select, 2 minutes]:\nnet/http.(*conn).serve(0xc0)\n\t/go/server.go:5 +0x1\ncreated by net/http.(*Server).Serve in goroutine 1\n\t/go/server.go:9 +0x3\n' >go.txt; polyprof convert go.txt --to folded -o -
  main.main;main.work 1
  net/http.(*Server).Serve;net/http.(*conn).serve 1
! standard output: warning: not written: files of functions (4) [loss-files]
! standard output: warning: not written: lines within functions (4) [loss-places]
! standard output: warning: not written: labels [loss-labels]
$ printf 'PeriodType: cpu nanoseconds\nPeriod: 10\nSamples:\nsamples/count cpu/nanoseconds\n          1   10: 1 2 \n          2   20: 3 2 \nLocations\n     1: 0x58b265 scanblock :0 s=0\n     2: 0x599530 M=1 GC /src/gc.go:7 s=0\n     3: 0x58a999 a b :0 s=0\nMappings\n1: 0x400000/0x800000/0x0 /bin/app\n' >raw.txt; polyprof convert raw.txt --to folded -o -
  GC;a b 20
  GC;scanblock 10
! standard output: warning: not written: files of functions (1) [loss-files]
! standard output: warning: not written: lines within functions (1) [loss-places]
! standard output: warning: not written: metrics (samples) [loss-metrics]
! standard output: warning: cpu is written as samples [loss-units]
$ printf 'PeriodType: space bytes\nPeriod: 512\nSamples:\nalloc_objects/count alloc_space/bytes[dflt] inuse_space/bytes\n          2       4096    0: 1 2 \n                bytes:[2048]\n          1         512    -512: 2 \nLocations\n     1: 0x58b265 M=1 [F] inner /src/a.go:3:1 s=0\n             outer /src/a.go:9:2 s=0\n     2: 0x599530 M=1 main.main /src/a.go:20:2 s=0\nMappings\n1: 0x400000/0x800000/0x0 /bin/app\n' >heap.txt; polyprof top --csv heap.txt
  name,file,line,module,calls,self_alloc_objects,total_alloc_objects,self_alloc_space,total_alloc_space,self_inuse_space,total_inuse_space,gained_inuse_space,given_back_inuse_space
  inner,/src/a.go,,,,2,2,4096,4096,0,0,0,0
  main.main,/src/a.go,,,,1,3,512,4608,-512,-512,0,512
  outer,/src/a.go,,,,0,2,0,4096,0,0,0,0

Trees: what is left of a count is the function's own.

$ printf 'Analysis of sampling app (pid 9) every 1 millisecond\n\nCall graph:\n    10 Thread_100   DispatchQueue_1: com.apple.main-thread  (serial)\n    + 10 main  (in app) + 30  [0x104]\n    +   ! 7 foo  (in app) + 3  [0x105]\n    +   ! : 4 bar  (in lib) + 3  [0x106]\n    +   2 baz  (in app) + 3  [0x107]\n\nTotal number in stack:\n        10       main  (in app) + 0  [0x1]\n' >sample.txt; polyprof convert sample.txt --to folded -o -
  Thread_100;main 1
  Thread_100;main;baz 2
  Thread_100;main;foo 3
  Thread_100;main;foo;bar 4
! standard output: warning: not written: modules of functions (4) [loss-modules]
$ printf '50.00%%  [10]       f @ /k\n 60.00%%  [6]         g\n  50.00%%  [3]          h\n' >pmc.txt; polyprof convert pmc.txt --to folded -o -; polyprof top --csv pmc.txt | cut -d, -f 1,4,6,7
  f 4
  g;f 3
  h;g;f 3
  name,module,self_samples,total_samples
  f,/k,10,10
  g,/k,0,6
  h,/k,0,3
! standard output: warning: not written: modules of functions (3) [loss-modules]
$ printf 'war:Column filter is ON.\nFunction Stack,CPU Time:Self,Module\nTotal,0,\n main,0.5,app\n  "ns::f<int, int>",1.25,app\n  g,,app\n' >vtune.csv; polyprof convert vtune.csv --to folded -o -
  main 500000
  main;ns::f<int, int> 1250000
! standard output: warning: not written: modules of functions (2) [loss-modules]
! standard output: warning: self is written as samples [loss-units]

Damage is told.

$ printf '60.00%%  [6]       f @ /k\n 50.00%%  [30]        g\n' >bad.txt; polyprof check --variant pmcstat bad.txt
  bad.txt:2:1: error: 6 is less than the 30 on it [dump-count]
  bad.txt: reject (dump: 1 error)
= 1
$ polyprof info --variant gdb j.txt | sed -n 2,3p
    format        dump (stack dumps (gdb, jstack, Go, sample, pmcstat, VTune), variant gdb)
    size          363 B
