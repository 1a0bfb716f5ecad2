# Heap snapshots: a function is a class, and stacks are of who holds whom

$ polyprof top orders.heapsnapshot
  shallow size: 756 B in 4 classes

     self  self%                total  total%  self objects  class
    440 B  58.2%  ████████████  656 B   86.8%             1  Map
    144 B  19.0%  ███▉          216 B   28.6%             3  Order
    100 B  13.2%  ██▊           756 B  100.0%             1  global
     72 B   9.5%  ██             72 B    9.5%             3  (string)

$ polyprof tree orders.heapsnapshot
    total%  total   self  function
    100.0%  756 B         (all)
    100.0%  756 B  100 B  └ global
     86.8%  656 B  440 B    └ Map
     28.6%  216 B  144 B      └ Order
      9.5%   72 B   72 B        └ (string)

$ polyprof callers Order orders.heapsnapshot
  Order: 216 B in all, 144 B by itself
  held by

    total%  total  function
     28.6%  216 B  Map

$ polyprof callees Order orders.heapsnapshot
  Order: 216 B in all, 144 B by itself
  holds

    total%  total  function
      9.5%   72 B  (string)

$ polyprof findings orders.heapsnapshot
  orders.heapsnapshot: shallow size: 756 B, 4 findings, the weightiest first

     90.5%  held in 3 of the 4 classes
            polyprof top orders.heapsnapshot
     58.2%  Map itself costs 440 B
            polyprof callers f1 orders.heapsnapshot
     19.0%  Order itself costs 144 B
            polyprof callers f2 orders.heapsnapshot
     13.2%  global itself costs 100 B
            polyprof callers f3 orders.heapsnapshot

# Memory that is held has no stack that allocated it
$ polyprof leaks orders.heapsnapshot
! polyprof: error: a heap snapshot tells who holds memory, not who allocated it: `polyprof tree` shows that, and `polyprof diff BEFORE AFTER` what leaked
= 3

# What leaked: an array that is larger
$ sed 's/^,1,1,7,400,/,1,1,7,900,/' orders.heapsnapshot > after.heapsnapshot

$ polyprof diff orders.heapsnapshot after.heapsnapshot
  shallow size, self: 756 B before, 1.23 KiB after (+66.1%, grew)
  exact counts: every difference is real

    before  after   delta   change  share±  verdict  function
     440 B  940 B  +500 B  +113.6%   +16.6  grew     Map

    ... and 3 unchanged functions (-n 0 shows all)
