# Heap profiles

What heaptrack counts, in its order; all that was ever allocated comes first.

$ polyprof info oven.heaptrack
  oven.heaptrack
    format        heaptrack (heaptrack recording, variant interpreted)
    size          2.73 KiB
    producer      heaptrack 1.4.0
    time          93.0 ms
    facets        timeline, tree
    complete      yes
    metrics       bytes allocated: 117 KiB (alloc_bytes), primary, event malloc
                  allocations: 99 (alloc_count), event malloc
                  temporary: 82 (temporary_count), event malloc
                  live bytes: 23.7 KiB (live_bytes), event malloc
                  live allocations: 8 (live_count), event malloc
                  peak bytes: 104 KiB (peak_bytes), event malloc
    holds         324 events, 7 stacks, 21 functions
    meta          command = ./oven
                  page size = 4096
                  total memory = 25276518400
                  peak RSS = 4157440
                  peak at ms = 61
                  events
                     (esc)
                      name = malloc
                      kind = allocation
                      sampling
                        mode = event
                        primary_metric = alloc_bytes

$ polyprof top -n 3 oven.heaptrack
  bytes allocated: 117 KiB in 20 functions

        self  self%                   total  total%  self allocations  self temporary  self live bytes  self live allocations  function        place
    71.0 KiB  60.7%  ████████████  71.0 KiB   60.7%                 1               1              0 B                      0  0x7f16666a57b9  /srv/oven/libstdc++.so.6
    26.1 KiB  22.3%  ████▍         26.1 KiB   22.3%                96              81         3.83 KiB                      6  dough           /srv/oven/oven.c
    19.5 KiB  16.7%  ███▎          24.4 KiB   20.9%                 1               0         19.5 KiB                      1  bake            /srv/oven/oven.c

    ... and 17 more functions (-n 0 shows all)
    ... and 1 more metric (-m NAME,NAME shows it)
! polyprof: the cost of allocators is shown at their callers; --all-frames undoes it

Any of its metrics, by its name or by what it is called.

$ polyprof top -n 2 -m peak_bytes oven.heaptrack
  peak bytes: 104 KiB in 20 functions

        self  self%                   total  total%  self bytes allocated  self allocations  self temporary  self live bytes  function        place
    71.0 KiB  68.6%  ████████████  71.0 KiB   68.6%              71.0 KiB                 1               1              0 B  0x7f16666a57b9  /srv/oven/libstdc++.so.6
    19.5 KiB  18.9%  ███▎          19.5 KiB   18.9%              19.5 KiB                 1               0         19.5 KiB  bake            /srv/oven/oven.c

    ... and 17 more functions (-n 0 shows all)
    ... and 1 function that costs nothing (--json lists it)
    ... and 1 more metric (-m NAME,NAME shows it)
! polyprof: the cost of allocators is shown at their callers; --all-frames undoes it

$ polyprof top -n 2 -m temporary,live_bytes oven.heaptrack
  temporary: 82 in 20 functions

    self  self%                total  total%  self live bytes  function        place
      81  98.8%  ████████████     81   98.8%         3.83 KiB  dough           /srv/oven/oven.c
       1   1.2%  ▏                 1    1.2%              0 B  0x7f16666a57b9  /srv/oven/libstdc++.so.6

    ... and 18 more functions (-n 0 shows all)

$ polyprof flame -m live_bytes -o live.svg oven.heaptrack && grep -c 'bake' live.svg
  4
! polyprof: the cost of allocators is shown at their callers; --all-frames undoes it

A stretch of time has what was allocated there, and of what is live what was gained.

$ polyprof top -n 3 -m live_bytes --time 30ms.. oven.heaptrack
  live bytes: -47.3 KiB in 20 functions

        self     total  self bytes allocated  self allocations  self temporary  self live allocations  function      place
    19.5 KiB  19.5 KiB              19.5 KiB                 1               0                      1  bake          /srv/oven/oven.c
    3.83 KiB  3.83 KiB              21.8 KiB                56              41                      6  dough         /srv/oven/oven.c
       320 B     320 B                 320 B                 1               0                      1  allocate_dtv  ../elf/dl-tls.c

    ... and 16 more functions (-n 0 shows all)
    ... and 1 function that costs nothing (--json lists it)
    ... and 1 more metric (-m NAME,NAME shows it)
! polyprof: the filters keep 35.6%, bytes allocated: 41.7 KiB; shares below are of that
! polyprof: the cost of allocators is shown at their callers; --all-frames undoes it

Pictures and reports say it themselves: they travel without the notes.

$ polyprof flame -q -o - oven.heaptrack | grep -o 'the cost of alloc[^<]*'
  the cost of allocators is shown at their callers

$ polyprof graph -q --format dot oven.heaptrack | grep -o 'the cost of alloc[a-z ]*'
  the cost of allocators is shown at their callers

$ polyprof flame -q --all-frames -o - oven.heaptrack | grep -c 'allocators'
  0
= 1

One file may hold both sessions of a comparison.

$ polyprof flame -q -o - change.diff.folded | grep -c 'class="frame'
  6

An allocator that is asked about is not said to have no callers.

$ polyprof callers calloc oven.heaptrack
  calloc: 0 B in all, 0 B by itself

    --all-frames shows its callers
! polyprof: the cost of allocators is shown at their callers; --all-frames undoes it
! polyprof: this is an allocator; --all-frames shows its calls and cost

$ polyprof callers --all-frames calloc oven.heaptrack
  calloc: 320 B in all, 320 B by itself
  called by

    total%  total  function      called at
      0.3%  320 B  allocate_dtv  ../elf/dl-tls.c:401

# Leaks

$ polyprof leaks oven.heaptrack
  live bytes: 23.7 KiB in 4 stacks

    share      live  allocations   oldest   newest  allocated by
    82.5%  19.5 KiB            1  32.0 ms  32.0 ms  bake  /srv/oven/oven.c:12
                                                     bake  /srv/oven/oven.c:12
                                                     bake  /srv/oven/oven.c:12
                                                     bake  /srv/oven/oven.c:12
                                                     main  /srv/oven/oven.c:18
                                                     __libc_start_call_main  ../sysdeps/nptl/libc_start_call_main.h:58
                                                     __libc_start_main_impl  ../csu/libc-start.c:360
                                                     _start  /srv/oven/oven
    12.5%  2.95 KiB            3  60.0 ms  60.0 ms  dough  /srv/oven/oven.c:7
                                                     roll  /srv/oven/oven.c:8
                                                     shape  /srv/oven/oven.c:10
                                                     main  /srv/oven/oven.c:17
                                                     __libc_start_call_main  ../sysdeps/nptl/libc_start_call_main.h:58
                                                     __libc_start_main_impl  ../csu/libc-start.c:360
                                                     _start  /srv/oven/oven
     3.7%     900 B            3  32.0 ms  32.0 ms  dough  /srv/oven/oven.c:7
                                                     helper  /srv/oven/oven.c:13
                                                     start_thread  ./nptl/pthread_create.c:442
                                                     clone3  ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81
     1.3%     320 B            1  32.0 ms  32.0 ms  allocate_dtv  ../elf/dl-tls.c:401
                                                     __GI__dl_allocate_tls  ../elf/dl-tls.c:670
                                                     allocate_stack  ./nptl/allocatestack.c:423
                                                     __pthread_create_2_1  ./nptl/pthread_create.c:650
                                                     main  /srv/oven/oven.c:17
                                                     __libc_start_call_main  ../sysdeps/nptl/libc_start_call_main.h:58
                                                     __libc_start_main_impl  ../csu/libc-start.c:360
                                                     _start  /srv/oven/oven

$ polyprof leaks -n 1 --depth 2 oven.heaptrack
  live bytes: 23.7 KiB in 4 stacks

    share      live  allocations   oldest   newest  allocated by
    82.5%  19.5 KiB            1  32.0 ms  32.0 ms  bake  /srv/oven/oven.c:12
                                                     bake  /srv/oven/oven.c:12
                                                     bake  /srv/oven/oven.c:12
                                                     (5 more)

    ... and 3 more stacks (-n 0 shows all)

$ polyprof leaks -m live_count -n 1 --depth 0 oven.heaptrack
  live allocations: 8 in 4 stacks

    share      live  allocations   oldest   newest  allocated by
    37.5%  2.95 KiB            3  60.0 ms  60.0 ms  dough  /srv/oven/oven.c:7
                                                     (6 more)

    ... and 3 more stacks (-n 0 shows all)

$ polyprof leaks --focus shape oven.heaptrack
  live bytes: 2.95 KiB in 1 stack

     share      live  allocations  allocated by
    100.0%  2.95 KiB            3  dough  /srv/oven/oven.c:7
                                    roll  /srv/oven/oven.c:8
                                    shape  /srv/oven/oven.c:10
                                    main  /srv/oven/oven.c:17
                                    __libc_start_call_main  ../sysdeps/nptl/libc_start_call_main.h:58
                                    __libc_start_main_impl  ../csu/libc-start.c:360
                                    _start  /srv/oven/oven
! polyprof: the filters keep 10.1%, bytes allocated: 11.8 KiB; shares below are of that

$ polyprof leaks --time 30ms..50ms oven.heaptrack
  live bytes: 11.8 KiB in 1 stack

     share      live  allocations  allocated by
    100.0%  11.8 KiB           12  dough  /srv/oven/oven.c:7
                                    roll  /srv/oven/oven.c:8
                                    shape  /srv/oven/oven.c:10
                                    main  /srv/oven/oven.c:17
                                    __libc_start_call_main  ../sysdeps/nptl/libc_start_call_main.h:58
                                    __libc_start_main_impl  ../csu/libc-start.c:360
                                    _start  /srv/oven/oven
! polyprof: the filters keep 10.1%, bytes allocated: 11.8 KiB; shares below are of that

$ polyprof leaks --csv oven.heaptrack
  name,file,line,module,bytes,count,share,age_oldest,age_newest,stack
  bake,/srv/oven/oven.c,,/srv/oven/oven,20000,1,0.8249463784853984,32000000,32000000,_start;__libc_start_main_impl;__libc_start_call_main;main;bake;bake;bake;bake
  dough,/srv/oven/oven.c,,/srv/oven/oven,3024,3,0.12473189242699224,60000000,60000000,_start;__libc_start_main_impl;__libc_start_call_main;main;shape;roll;dough
  dough,/srv/oven/oven.c,,/srv/oven/oven,900,3,0.03712258703184293,32000000,32000000,clone3;start_thread;helper;dough
  allocate_dtv,../elf/dl-tls.c,,/srv/oven/ld-linux-x86-64.so.2,320,1,0.013199142055766375,32000000,32000000,_start;__libc_start_main_impl;__libc_start_call_main;main;__pthread_create_2_1;allocate_stack;__GI__dl_allocate_tls;allocate_dtv;calloc

$ polyprof leaks --json -n 1 oven.heaptrack
  {"format": "heaptrack", "complete": true, "metric": "live_bytes", "unit": "bytes", "total": 24244, "leaks": [{"name": "bake", "file": "/srv/oven/oven.c", "module": "/srv/oven/oven", "bytes": 20000, "count": 1, "share": 0.8249463784853984, "age": {"oldest": 32000000, "newest": 32000000}, "stack": [{"name": "bake", "file": "/srv/oven/oven.c", "line": 12, "module": "/srv/oven/oven"}, {"name": "bake", "file": "/srv/oven/oven.c", "line": 12, "module": "/srv/oven/oven"}, {"name": "bake", "file": "/srv/oven/oven.c", "line": 12, "module": "/srv/oven/oven"}, {"name": "bake", "file": "/srv/oven/oven.c", "line": 12, "module": "/srv/oven/oven"}, {"name": "main", "file": "/srv/oven/oven.c", "line": 18, "module": "/srv/oven/oven"}, {"name": "__libc_start_call_main", "file": "../sysdeps/nptl/libc_start_call_main.h", "line": 58, "module": "/srv/oven/libc.so.6"}, {"name": "__libc_start_main_impl", "file": "../csu/libc-start.c", "line": 360, "module": "/srv/oven/libc.so.6"}, {"name": "_start", "module": "/srv/oven/oven"}]}], "count": 4}

Through SPAA it stays the same.

$ polyprof convert oven.heaptrack --to spaa -o oven.spaa && polyprof leaks oven.spaa > spaa.txt && polyprof leaks oven.heaptrack | cmp - spaa.txt

$ polyprof leaks app.folded
! polyprof: error: this profile does not say what is still in use at the end; heaptrack, DHAT, gperftools and jemalloc record that
= 3

$ polyprof leaks -m alloc_bytes oven.heaptrack
! polyprof: error: 'alloc_bytes' does not say what is in use at the end; live_bytes and live_count do
! Try `polyprof leaks --help`.
= 2

# gperftools and jemalloc

$ printf 'heap profile: 3: 300 [5: 900] @ heap_v2/1024\n 2: 200 [4: 800] @ 0x10 0x20\n 1: 100 [1: 100] @ 0x30 0x20\n' > tc.heap

$ polyprof leaks tc.heap
  live bytes: 3.15 KiB in 2 stacks

    share      live  allocations  allocated by
    66.7%  2.10 KiB         21.5  0x10
                                   0x20
    33.3%  1.05 KiB         10.7  0x30
                                   0x20

$ polyprof top -m sampled_live_bytes tc.heap
  sampled live bytes: 300 B in 3 functions

     self  self%                total  total%  self bytes allocated  self allocations  self live bytes  self live allocations  function
    200 B  66.7%  ████████████  200 B   66.7%              4.40 KiB              22.5         2.10 KiB                   21.5  0x10
    100 B  33.3%  ██████        100 B   33.3%              1.05 KiB              10.7         1.05 KiB                   10.7  0x30
      0 B   0.0%                300 B  100.0%                   0 B                 0              0 B                      0  0x20

    ... and 3 more metrics (-m NAME,NAME shows them)

$ printf 'heap_v2/1\n  t*: 3: 300 [0: 0]\n  t0: 3: 300 [0: 0] baker\n@ 0x10 0x20\n  t*: 3: 300 [0: 0]\n  t0: 3: 300 [0: 0]\n' > je.heap

$ polyprof top --by thread je.heap
  live bytes: 300 B in 1 thread

     self   self%                total  total%  self live allocations  thread
    300 B  100.0%  ████████████  300 B  100.0%                      3  baker 0

$ polyprof diff -m live_bytes tc.heap je.heap
  live bytes, self: 3.15 KiB before, 300 B after (-90.7%, noise)
  samples: changes within 2 * sqrt(before + after) are noise

    no function changed
    ... and 2 functions within noise, 1 unchanged function (-n 0 shows all)

Go's first heap profiles name nothing in comments. Their numbers are not in columns, by which they are told from those of gperftools: one sample stands for more of what is small.

$ printf 'heap profile: 2: 1536 [4: 3072] @ heap/2048\n1: 512 [1: 512] @ 0x1000 0x2000\n1: 1024 [3: 2560] @ 0x1100 0x2000\n' > go.heap; polyprof info --json -q go.heap | grep -o '"name": "[al][a-z]*_[bc][a-z]*", "unit": "[a-z]*", "total": [0-9]*'; sed 's/^\([0-9]\)/     \1/' go.heap > tc.heap; polyprof info --json -q tc.heap | grep -o '"name": "[al][a-z]*_[bc][a-z]*", "unit": "[a-z]*", "total": [0-9]*'
  "name": "alloc_bytes", "unit": "bytes", "total": 5828
  "name": "alloc_count", "unit": "count", "total": 7
  "name": "live_bytes", "unit": "bytes", "total": 2921
  "name": "live_count", "unit": "count", "total": 4
  "name": "alloc_bytes", "unit": "bytes", "total": 4096
  "name": "alloc_count", "unit": "count", "total": 5
  "name": "live_bytes", "unit": "bytes", "total": 2048
  "name": "live_count", "unit": "count", "total": 3

Where Go samples each allocation (runtime.MemProfileRate = 1), numbers are what they are.

$ printf 'heap profile: 2: 24 [4: 40] @ heap/2\n1: 8 [1: 8] @ 0x1000 0x2000\n1: 16 [3: 32] @ 0x1100 0x2000\n' > each.heap; polyprof top --csv -q -m live_bytes,live_count,alloc_bytes,alloc_count each.heap; polyprof check -q each.heap
  name,file,line,module,calls,self_alloc_bytes,total_alloc_bytes,self_alloc_count,total_alloc_count,self_live_bytes,total_live_bytes,self_live_count,total_live_count
  0x1100,,,,,32,32,3,3,16,16,1,1
  0x1000,,,,,8,8,1,1,8,8,1,1
  0x2000,,,,,0,40,0,4,0,24,0,2

DHAT, Valgrind's --xtree-memory and V8 know what is in use at the end as well, and the summary offers to show it.

$ printf '{"dhatFileVersion":2,"mode":"heap","verb":"Allocated","bklt":true,"bkacc":false,"tu":"instrs","Mtu":"Minstr","cmd":"./oven","pid":7,"te":9,"tg":5,"pps":[{"tb":100,"tbk":2,"tl":8,"mb":60,"mbk":1,"gb":60,"gbk":1,"eb":40,"ebk":1,"fs":[1]},{"tb":9,"tbk":1,"tl":8,"mb":9,"mbk":1,"gb":9,"gbk":1,"eb":0,"ebk":0,"fs":[2]}],"ftbl":["[root]","0x1: main (a.c:3)","0x2: free_it (a.c:9)"]}' > leak.dhat.json; polyprof leaks leak.dhat.json
  bytes at the end: 40 B in 1 stack

     share  live  allocations  allocated by
    100.0%  40 B            1  main  a.c:3
$ polyprof leak.dhat.json | grep leaks
    memory in use at the end     polyprof leaks leak.dhat.json
$ printf 'version: 1\ncreator: xtree-1\npositions: line\nevent: curB : currently allocated Bytes\nevent: curBk : currently allocated Blocks\nevents: curB curBk\nfl=a.c\nfn=main\n3 40 1\n' > xtree.kcg; polyprof leaks -q xtree.kcg
  currently allocated Bytes: 40 B in 1 stack

     share  live  allocations  allocated by
    100.0%  40 B            1  main  a.c
$ printf '{"head":{"callFrame":{"functionName":"(root)","scriptId":"0","url":"","lineNumber":-1,"columnNumber":-1},"selfSize":0,"id":1,"children":[{"callFrame":{"functionName":"bake","scriptId":"1","url":"file:///oven.js","lineNumber":2,"columnNumber":0},"selfSize":512,"id":2,"children":[]}]},"samples":[]}' > oven.heapprofile; polyprof leaks oven.heapprofile
  live bytes: 512 B in 1 stack

     share   live  allocated by
    100.0%  512 B  bake  file:///oven.js:3

Where the first metric is 0 everywhere, another one is named; who asks for it knows.

$ printf 'version: 1\ncreator: xtree-1\npositions: line\nevent: curB : currently allocated Bytes\nevent: totB : total allocated Bytes\nevents: curB totB\nfl=a.c\nfn=main\n3 0 40\n' > freed.kcg; polyprof top freed.kcg; polyprof freed.kcg 2>&1 >/dev/null; polyprof top --csv -m curB freed.kcg
  currently allocated Bytes: 0 B in 1 function

    self  total  self total allocated Bytes  function  place
     0 B    0 B                        40 B  main      a.c
  polyprof: currently allocated Bytes is 0 everywhere; try -m totB
  name,file,line,module,calls,self_curB,total_curB,self_totB,total_totB
  main,a.c,,,,0,0,40,40
! polyprof: currently allocated Bytes is 0 everywhere; try -m totB
$ rm leak.dhat.json xtree.kcg oven.heapprofile freed.kcg
