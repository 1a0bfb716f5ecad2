# Answers under a budget, and handles that are the same in every process

$ polyprof top --json --budget 300 app.folded | sed "s/stamp[\": =]*[0-9a-f]*/STAMP/"
  {"tool":"top","file":"app.folded","format":"folded","STAMP","complete":true,"metric":"samples","unit":"samples","total":1047,"sort":"self","count":16,"columns":["id","pct","self","total","calls","name","place"],"rows":[["f1",39.35,412,412,null,"PDO->query",""],["f2",17.96,188,188,null,"PDOStatement->fetch",""],["f3",13.66,143,143,null,"htmlspecialchars",""],["f4",9.26,97,97,null,"UserRepository->hydrate",""],["f5",5.83,61,204,null,"Twig\\Template->display",""],["f6",5.54,58,58,null,"include",""]],"cut":{"rows":10,"pct":8.4,"next":{"page":"6"}}}
$ polyprof top --json --budget 300 --page 4 app.folded | sed "s/stamp[\": =]*[0-9a-f]*/STAMP/"
  {"tool":"top","file":"app.folded","format":"folded","STAMP","complete":true,"metric":"samples","unit":"samples","total":1047,"sort":"self","count":16,"columns":["id","pct","self","total","calls","name","place"],"rows":[["f5",5.83,61,204,null,"Twig\\Template->display",""],["f6",5.54,58,58,null,"include",""],["f7",3.34,35,35,null,"Twig\\Cache->load",""],["f8",2.29,24,24,null,"match",""],["f9",1.62,17,17,null,"session_start",""],["f10",0.86,9,67,null,"autoload",""],["f11",0.29,3,1047,null,"main",""]],"cut":{"rows":5,"pct":0,"next":{"page":"11"}}}
$ polyprof tree --json --budget 500 app.folded | sed "s/stamp[\": =]*[0-9a-f]*/STAMP/"
  {"tool":"tree","file":"app.folded","format":"folded","STAMP","complete":true,"metric":"samples","unit":"samples","total":1047,"count":17,"columns":["id","f","depth","skip","pct","total","self","calls","name"],"rows":[["n1",null,0,0,100,1047,0,null,"(all)"],["n2","f11",1,0,100,1047,3,null,"main"],["n5","f13",2,2,89.4,936,0,null,"UserController->show"],["n6","f14",3,0,57.31,600,0,null,"UserRepository->find"],["n7","f1",4,0,39.35,412,412,null,"PDO->query"],["n8","f2",4,0,17.96,188,188,null,"PDOStatement->fetch"],["n9","f12",3,0,22.83,239,0,null,"Twig->render"],["n10","f5",4,0,19.48,204,61,null,"Twig\\Template->display"],["n11","f3",5,0,13.66,143,143,null,"htmlspecialchars"],["n9+",null,4,0,3.34,35,null,null,"1 more"],["n13","f4",3,0,9.26,97,97,null,"UserRepository->hydrate"],["n2+",null,2,0,10.32,108,null,null,"3 more"]],"cut":{"rows":5,"pct":13.66,"next":{"node":"n2","page":"1.13.0"}}}
$ polyprof tree --json --budget 300 --node n3 app.folded | sed "s/stamp[\": =]*[0-9a-f]*/STAMP/"
  {"tool":"tree","file":"app.folded","format":"folded","STAMP","complete":true,"metric":"samples","unit":"samples","total":1047,"count":12,"columns":["id","f","depth","skip","pct","total","self","calls","name"],"rows":[["n3","f16",0,0,91.69,960,0,null,"router"],["n5","f13",1,1,89.4,936,0,null,"UserController->show"],["n5+",null,2,0,89.4,936,null,null,"3 more"],["n3+",null,1,0,2.29,24,null,null,"1 more"]],"cut":{"rows":9,"pct":91.69,"next":{"node":"n5","page":"3.5.0"}}}
$ polyprof callers f1 --json --budget 400 app.folded | sed "s/stamp[\": =]*[0-9a-f]*/STAMP/"
  {"tool":"callers","file":"app.folded","format":"folded","STAMP","complete":true,"metric":"samples","unit":"samples","total":1047,"function":{"id":"f1","name":"PDO->query","place":"","calls":null,"self":412,"total":412},"count":1,"columns":["id","pct","total","calls","name","site"],"rows":[["f14",39.35,412,null,"UserRepository->find",null]]}
$ polyprof callees f2 --budget 400 app.folded | sed "s/stamp[\": =]*[0-9a-f]*/STAMP/"
  callees: file app.folded, format folded, STAMP, complete yes, metric samples, unit samples, total 1047, function {id f2, name PDOStatement->fetch, place -, calls -, self 188, total 188}, count 0
  id  pct  total  calls  name  site
$ polyprof diff --budget 300 app.folded webshop-next.folded | sed "s/stamp[\": =]*[0-9a-f]*/STAMP/g" | head -4
  diff: metric samples, unit samples, before {file app.folded, STAMP, total 1047}, after {file webshop-next.folded, STAMP, total 6388}, status grew, rule sampled, count 57
  before_id  after_id  status  delta  before  after  calls_before  calls_after  name  place
  -  f1  new  1184  -  1184  -  -  utf8_fold_case  -
  -  f2  new  619  -  619  -  -  bn_mul_mont  -
$ polyprof show f1 app.folded | sed "s/stamp[\": =]*[0-9a-f]*/STAMP/"
  PDO->query
    handle  f1
    self    412 samples
    total   412 samples
$ polyprof top --handles -n 3 app.folded
  1,047 samples in 16 functions

    id  self  self%                total  total%  function
    f1   412  39.4%  ████████████    412   39.4%  PDO->query
    f2   188  18.0%  █████▌          188   18.0%  PDOStatement->fetch
    f3   143  13.7%  ████▏           143   13.7%  htmlspecialchars

    ... and 13 more functions (-n 0 shows all)
$ polyprof tree --handles -n 5 app.folded
    id   total%  total  self  function
    n1   100.0%  1,047        (all)
    n2   100.0%  1,047     3  └ main
    n3    91.7%    960          ├ router
    n5    89.4%    936          │ ├ dispatch › UserController->show
    n6    57.3%    600          │ │ ├ UserRepository->find
    n7    39.4%    412   412    │ │ │ ├ PDO->query
    n8    18.0%    188   188    │ │ │ └ PDOStatement->fetch
          32.1%    336          │ │ └ (2 more)
    n14    2.3%     24    24    │ └ match
           8.0%     84          └ (2 more)

  Next steps
    the 2 more below UserController->show  polyprof tree --min 0 --show-from '^UserController->show$' app.folded
$ polyprof callers --handles f1 app.folded
  PDO->query: 412 in all, 412 by itself
  called by

    id   total%  total  function
    f14   39.4%    412  UserRepository->find

People get sentences, and commands that they can type.

$ polyprof findings app.folded
  app.folded: 1,047 samples, 6 findings, the weightiest first

     80.2%  spent in 4 of the 16 functions
            polyprof top app.folded
     57.3%  input and output: 600 samples in PDO->query, PDOStatement->fetch
            polyprof callers f1 app.folded
     39.4%  on one path, 6 calls deep: … › router › dispatch › UserController->show › UserRepository->find › PDO->query
            polyprof tree --node n7 app.folded
     39.4%  PDO->query itself costs 412 samples
            polyprof callers f1 app.folded
     18.0%  PDOStatement->fetch itself costs 188 samples
            polyprof callers f2 app.folded
     13.7%  htmlspecialchars itself costs 143 samples
            polyprof callers f3 app.folded
$ printf 'a;b 63051\na;c 36949\n' | polyprof findings - | grep -m1 'b itself'
     63.1%  b itself costs 63,051 samples
$ polyprof findings -m Memory memory.xt
  memory.xt: memory: 260 KiB, 6 findings, the weightiest first

     81.3%  php::str_repeat is costly in time and in memory (90.1 % and 81.3 %)
            polyprof callers f1 -m Memory memory.xt
     81.3%  spent in one of the 6 functions
            polyprof top -m Memory memory.xt
     81.3%  php::str_repeat itself gained 1.11 MiB in 3 calls
            polyprof callers f1 -m Memory memory.xt
     81.3%  functions gained 1.36 MiB, but the total is 260 KiB: the rest was given back
     70.4%  on one path, 3 calls deep: {main} › alloc › php::str_repeat
            polyprof tree --node n4 -m Memory memory.xt
     18.7%  php::range itself gained 260 KiB in 1 call
            polyprof callers f5 -m Memory memory.xt
$ polyprof findings run.xhprof.json | tail -2
            polyprof callers f3 run.xhprof.json
            whole stacks were not recorded: any that are shown are estimates
$ polyprof findings webshop-next.folded --before app.folded | grep -A1 -m2 'new\|gone'
     18.5%  utf8_fold_case is new: 1,184 samples
            polyprof callers f1 webshop-next.folded
  --
      9.7%  bn_mul_mont is new: 619 samples
            polyprof callers f2 webshop-next.folded
$ polyprof show f1 memory.xt
  php::str_repeat
    place   php:internal
    handle  f1
    calls   3
    self    time: 592 µs
    total   time: 592 µs
    self    memory: 1.11 MiB
    total   memory: 1.11 MiB

What cannot be answered is one object, too.

$ polyprof callers --json --budget 400 f999 app.folded
  {"tool":"callers","error":"there is no handle f999: f1 to f16 are the functions of this file"}
! polyprof: error: there is no handle f999: f1 to f16 are the functions of this file
= 2
$ polyprof tree --json --budget 400 --node n999 app.folded
  {"tool":"tree","error":"there is no node n999: n1 is the root, `tree` lists the others"}
! polyprof: error: there is no node n999: n1 is the root, `tree` lists the others
= 2
$ polyprof top --json --budget 400 -m cycles app.folded
  {"tool":"top","error":"no such metric; `info` lists those there are"}
! polyprof: error: no metric 'cycles' in this profile; it has samples
= 2
$ polyprof top --json --budget 10 app.folded
  {"tool":"top","error":"budget takes 300 to 20000 tokens"}
! polyprof: error: --budget takes 300 to 20000 tokens
! Try `polyprof top --help`.
= 2
$ polyprof top --json --budget 400 missing.folded
  {"tool":"top","error":"cannot open: No such file or directory"}
! missing.folded: error: cannot open: No such file or directory [io-open-failed]
= 3

Threads have handles, also where two processes number them alike.

$ printf '[{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"Main A"}},{"ph":"M","name":"thread_name","pid":2,"tid":1,"args":{"name":"Main B"}},{"ph":"X","name":"alpha","pid":1,"tid":1,"ts":0,"dur":10},{"ph":"X","name":"beta","pid":2,"tid":1,"ts":0,"dur":20}]' >two.trace.json; polyprof top --by thread --json --budget 400 two.trace.json | grep -o '"rows.*'
  "rows":[["t2",66.67,20000,20000,null,"Main B 1",""],["t1",33.33,10000,10000,null,"Main A 1",""]]}
$ polyprof top --thread t1 --json --budget 400 two.trace.json | grep -o '"rows.*'
  "rows":[["f2",100,10000,10000,1,"alpha",""]]}
! polyprof: the filters keep 33.3%, duration: 10.0 µs; shares below are of that
$ polyprof top --thread t2 --csv two.trace.json
  name,file,line,module,calls,self_dur,total_dur
  beta,,,,1,20000,20000
! polyprof: the filters keep 66.7%, duration: 20.0 µs; shares below are of that
$ polyprof top --by thread --thread t2 --json --budget 400 two.trace.json | grep -o '"rows.*'
  "rows":[["t2",100,20000,20000,null,"Main B 1",""]]}
! polyprof: the filters keep 66.7%, duration: 20.0 µs; shares below are of that
$ polyprof top --thread t9 --json --budget 400 two.trace.json
  {"tool":"top","error":"thread: there is no thread t9: t1 to t2 are those of this file"}
! polyprof: error: --thread: there is no thread t9: t1 to t2 are those of this file
= 2
$ polyprof top --thread t0 two.trace.json
! polyprof: error: --thread: there is no thread t0: t1 to t2 are those of this file
= 2
$ polyprof top --thread nobody --json --budget 400 two.trace.json
  {"tool":"top","error":"there is no such thread; `top` by thread lists those there are"}
! polyprof: error: there is no such thread; `top` by thread lists those there are
= 2
$ polyprof top --thread t2 --json --budget 400 app.folded
  {"tool":"top","error":"thread: there is no thread t2: this file has one, t1"}
! polyprof: error: --thread: there is no thread t2: this file has one, t1
= 2

Functions of one name in several modules change each for itself.

$ for n in 1 2 3 4 5 6; do printf 'events: Ir\nob=a.so\nfl=x.c\nfn=handle\n1 %s\nob=b.so\nfl=x.c\nfn=(2) handle\n1 %s\n' $((n < 4 ? 900 : 100)) $((n < 4 ? 100 : 900)) >turn$n.callgrind; done; polyprof trend --json turn1.callgrind turn2.callgrind turn3.callgrind turn4.callgrind
  {"tool":"trend","files":4,"metric":"Ir","count":0,"too_few":true,"columns":["name","at","index","before_pct","after_pct","z"],"rows":[]}

What has no stacks is one node, and what has no functions no handles.

$ printf '' >none.folded; polyprof tree --json --budget 400 none.folded | grep -o '"count.*'
  "count":1,"columns":["id","f","depth","skip","pct","total","self","calls","name"],"rows":[["n1",null,0,0,null,0,0,null,"(all)"]]}
$ polyprof callers f1 --json --budget 400 none.folded
  {"tool":"callers","error":"there is no handle f1: this file has no functions"}
! polyprof: error: there is no handle f1: this file has no functions
= 2
$ polyprof findings none.folded
  none.folded: 0 samples, 2 findings, the weightiest first

            no functions are known
            few samples (0): small differences are chance
