# polyprof tree

The costliest branches in the order of the tree; chains share a line.

$ polyprof tree app.folded
    total%  total  self  function
    100.0%  1,047        (all)
    100.0%  1,047     3  └ main
     91.7%    960          ├ router
     89.4%    936          │ ├ dispatch › UserController->show
     57.3%    600          │ │ ├ UserRepository->find
     39.4%    412   412    │ │ │ ├ PDO->query
     18.0%    188   188    │ │ │ └ PDOStatement->fetch
     22.8%    239          │ │ ├ Twig->render
     19.5%    204    61    │ │ │ ├ Twig\Template->display
     13.7%    143   143    │ │ │ │ └ htmlspecialchars
      3.3%     35    35    │ │ │ └ Twig\Cache->load
      9.3%     97    97    │ │ └ UserRepository->hydrate
      2.3%     24    24    │ └ match
      6.4%     67     9    ├ autoload
      5.5%     58    58    │ └ include
      1.6%     17    17    └ session_start

$ polyprof tree -n 3 app.folded
    total%  total  self  function
    100.0%  1,047        (all)
    100.0%  1,047     3  └ main
     91.7%    960          ├ router
     89.4%    936          │ ├ dispatch
     89.4%    936          │ │ └ UserController->show
      2.3%     24    24    │ └ match
      8.0%     84          └ (2 more)

  Next steps
    the 2 more below main  polyprof tree --min 0 --show-from '^main$' app.folded

$ polyprof tree --min 20 app.folded
    total%  total  self  function
    100.0%  1,047        (all)
     89.4%    936        └ main › router › dispatch › UserController->show
     57.3%    600          ├ UserRepository->find
     39.4%    412   412    │ └ PDO->query
     22.8%    239          └ Twig->render

$ polyprof tree --depth 2 app.folded
    total%  total  self  function
    100.0%  1,047        (all)
    100.0%  1,047     3  └ main
     91.7%    960          ├ router
     91.7%    960          │ └ (2 more)
      6.4%     67     9    ├ autoload
      5.5%     58    58    │ └ include
      1.6%     17    17    └ session_start

  Next steps
    the 2 more below router  polyprof tree --min 0 --show-from '^router$' app.folded

Direct recursion is one line, mutual recursion stays as it is; long chains are shortened in their middle.

$ polyprof tree --min 0 recursion.folded
    total%  total  self  function
    100.0%     42        (all)
    100.0%     42        └ main
     40.5%     17          ├ deep › a › … 2 more … › d › e
     23.8%     10     9    │ ├ g
      2.4%      1     1    │ │ └ h
     16.7%      7     7    │ └ f
     35.7%     15     5    ├ even › odd
     23.8%     10    10    │ └ even › odd
     23.8%     10     6    └ fact (recursive)
      9.5%      4     4      └ mul

JSON is the tree as it is.

$ polyprof tree --json recursion.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 42, "estimated": false, "root": {"name": "", "self": {"samples": 0}, "total": {"samples": 42}, "children": [{"name": "main", "self": {"samples": 0}, "total": {"samples": 42}, "children": [{"name": "deep", "self": {"samples": 0}, "total": {"samples": 17}, "children": [{"name": "a", "self": {"samples": 0}, "total": {"samples": 17}, "children": [{"name": "b", "self": {"samples": 0}, "total": {"samples": 17}, "children": [{"name": "c", "self": {"samples": 0}, "total": {"samples": 17}, "children": [{"name": "d", "self": {"samples": 0}, "total": {"samples": 17}, "children": [{"name": "e", "self": {"samples": 0}, "total": {"samples": 17}, "children": [{"name": "g", "self": {"samples": 9}, "total": {"samples": 10}, "children": [{"name": "h", "self": {"samples": 1}, "total": {"samples": 1}, "children": []}]}, {"name": "f", "self": {"samples": 7}, "total": {"samples": 7}, "children": []}]}]}]}]}]}]}, {"name": "even", "self": {"samples": 0}, "total": {"samples": 15}, "children": [{"name": "odd", "self": {"samples": 5}, "total": {"samples": 15}, "children": [{"name": "even", "self": {"samples": 0}, "total": {"samples": 10}, "children": [{"name": "odd", "self": {"samples": 10}, "total": {"samples": 10}, "children": []}]}]}]}, {"name": "fact", "self": {"samples": 1}, "total": {"samples": 10}, "children": [{"name": "fact", "self": {"samples": 2}, "total": {"samples": 9}, "children": [{"name": "fact", "self": {"samples": 3}, "total": {"samples": 7}, "children": [{"name": "mul", "self": {"samples": 4}, "total": {"samples": 4}, "children": []}]}]}]}]}]}}

$ polyprof tree --json --depth 1 --min 50 app.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 1047, "estimated": false, "root": {"name": "", "self": {"samples": 0}, "total": {"samples": 1047}, "children": [{"name": "main", "self": {"samples": 3}, "total": {"samples": 1047}, "children": []}]}}

Calls where they are known, and the metric one asks for.

$ polyprof tree tiny.json
    total%    total     self  calls  function
    100.0%  79.6 µs                  (all)
    100.0%  79.6 µs  58.8 µs      1  └ /srv/sample/spx/scripts/tiny.php
     26.1%  20.7 µs  9.22 µs      1    └ top (tiny.php:4)
     14.5%  11.5 µs  4.14 µs      3      └ branch (tiny.php:3)
      9.3%  7.38 µs  7.38 µs      6        └ leaf (tiny.php:2)

$ polyprof tree -m zm tiny.json
    total%  gained  given back   net  net self  calls  function
    100.0%    32 B         0 B  32 B                   (all)
    100.0%    32 B         0 B  32 B      32 B      1  └ /srv/sample/spx/scripts/tiny.php

An empty profile has an empty tree; a call graph has none at all.

$ polyprof tree empty.folded
    total  function
        0  (all)

$ polyprof tree --json empty.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 0, "estimated": false, "root": {"name": "", "self": {"samples": 0}, "total": {"samples": 0}, "children": []}}

$ polyprof tree cycle.callgrind
    total%  total  self  function
    100.0%    100        (all)
    100.0%    100    10  └ zzz (a.c)
     90.0%     90    30    └ even (cycle 1) (a.c)
     60.0%     60    60      └ odd (cycle 1) (a.c)
! polyprof: this profile knows which function called which, but not whole stacks, so they are estimated: at least 10.0% of the cost is on stacks that are certain; 1 cycle of calls is taken as one

$ polyprof tree --min none app.folded
! polyprof: error: --min takes a percentage from 0 to 100, not 'none'
! Try `polyprof tree --help`.
= 2

$ polyprof tree --min 101 app.folded
! polyprof: error: --min takes a percentage from 0 to 100, not '101'
! Try `polyprof tree --help`.
= 2

Deep programs: callers that hand on all but a rest below `--min` share a line with their callee, crumbs are not listed, a rest of
one is named, and what is deep says so instead of moving to the right.

$ python3 -c "
> deep = [f'App\\\\Module{i}\\\\Class{i}::method{i}' for i in range(40)]
> for i in range(40): print(';'.join(deep[:i + 1]) + (f';crumb{i} 1' if i % 2 else ';side 40'))
> print(';'.join(deep) + ';hot 1000')
> print(';'.join(deep[:2]) + ';one 30')" > stairs.folded
$ polyprof tree stairs.folded
    total%  total   self  function
    100.0%  1,850         (all)
    100.0%  1,850         └ App\Module0\Class0::method0
     97.8%  1,810           ├ App\Module1\Class1::method1
     96.2%  1,779           │ ├ App\Module2\Class2::method2
     93.9%  1,738           │ │ ├ App\Module3\Class3::method3 › App\Module4\Class4::method4
     91.7%  1,697           │ │ │ ├ App\Module5\Class5::method5 › App\Module6\Class6::method6
     89.5%  1,656           │ │ │ │ ├ App\Module7\Class7::method7 › App\Module8\Class8::method8
     87.3%  1,615           │ │ │ │ │ ├ App\Module9\Class9::method9 › App\Module10\Class10::method10
     85.1%  1,574           │ │ │ │ │ │ ├ App\Module11\Class11::method11 › App\Module12\Class12::method12
     82.9%  1,533           │ │ │ │ │ │ │ ├ App\Module13\Class13::method13 › App\Module14\Class14::method14
     80.6%  1,492           │ │ │ │ │ │ │ │ ├ App\Module15\Class15::method15 › App\Module16\Class16::method16
     78.4%  1,451           │ │ │ │ │ │ │ │ │ ├ App\Module17\Class17::method17 › App\Module18\Class18::method18
     76.2%  1,410           │ │ │ │ │ │ │ │ │ │ ├ App\Module19\Class19::method19 › App\Module20\Class20::method20
     74.0%  1,369           │ │ │ │ │ │ │ │ │ │ │ ├ App\Module21\Class21::method21 › App\Module22\Class22::method22
     71.8%  1,328           │ │ │ │ │ │ │ │ │ │ │ │ ├ App\Module23\Class23::method23 › App\Module24\Class24::method24
     69.6%  1,287           │ │ │ │ │ │ │ │ │ │ │ │ │ ├ App\Module25\Class25::method25 › App\Module26\Class26::method26
     67.4%  1,246           │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├ App\Module27\Class27::method27 › App\Module28\Class28::method28
     65.1%  1,205           │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├ App\Module29\Class29::method29 › App\Module30\Class30::method30
     62.9%  1,164           │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├ App\Module31\Class31::method31 › App\Module32\Class32::method32
     60.7%  1,123           │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├ App\Module33\Class33::method33 › App\Module34\Class34::method34
     58.5%  1,082           │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├ App\Module35\Class35::method35 › App\Module36\Class36::method36
     56.3%  1,041           │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├ App\Module37\Class37::method37 › App\Module38\Class38::method38
     54.1%  1,000  1,000    │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ ├ App\Module39\Class39::method39 › hot
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ └ side
      2.2%     40     40    │ │ │ └ side
      2.2%     40     40    │ │ └ side
      1.7%     31           │ └ (2 more)
      2.2%     40     40    └ side

  Next steps
    the 2 more below App\Module1\Class1::method1  polyprof tree --min 0 --show-from '^App\\Module1\\Class1::method1$' stairs.folded
$ polyprof tree --min 3 stairs.folded
    total%  total   self  function
    100.0%  1,850         (all)
     97.8%  1,810         └ App\Module0\Class0::method0 › App\Module1\Class1::method1
     93.9%  1,738           └ App\Module2\Class2::method2 › App\Module3\Class3::method3 › App\Module4\Class4::method4
     89.5%  1,656             └ App\Module5\Class5::method5 › App\Module6\Class6::method6 › App\Module7\Class7::method7 › App\Module8\Class8::method8
     85.1%  1,574               └ App\Module9\Class9::method9 › App\Module10\Class10::method10 › App\Module11\Class11::method11 › App\Module12\Class12::method12
     80.6%  1,492                 └ App\Module13\Class13::method13 › App\Module14\Class14::method14 › App\Module15\Class15::method15 › App\Module16\Class16::method16
     76.2%  1,410                   └ App\Module17\Class17::method17 › App\Module18\Class18::method18 › App\Module19\Class19::method19 › App\Module20\Class20::method20
     71.8%  1,328                     └ App\Module21\Class21::method21 › App\Module22\Class22::method22 › App\Module23\Class23::method23 › App\Module24\Class24::method24
     67.4%  1,246                       └ App\Module25\Class25::method25 › App\Module26\Class26::method26 › App\Module27\Class27::method27 › App\Module28\Class28::method28
     62.9%  1,164                         └ App\Module29\Class29::method29 › App\Module30\Class30::method30 › App\Module31\Class31::method31 › App\Module32\Class32::method32
     58.5%  1,082                           └ App\Module33\Class33::method33 › App\Module34\Class34::method34 › App\Module35\Class35::method35 › App\Module36\Class36::method36
     54.1%  1,000  1,000                      └ App\Module37\Class37::method37 › App\Module38\Class38::method38 › App\Module39\Class39::method39 › hot
$ for w in 60 160; do terminal $w polyprof tree --color never --min 3 stairs.folded | tail -3; done
     62.9%  1,164                 ┊ [9] …\Class32::method32
     58.5%  1,082                 ┊ [10] …\Class36::method36
     54.1%  1,000  1,000          ┊ [11] hot
     62.9%  1,164                         └ App\Module29\Class29::method29 › … › App\Module31\Class31::method31 › App\Module32\Class32::method32
     58.5%  1,082                           └ App\Module33\Class33::method33 › … › App\Module35\Class35::method35 › App\Module36\Class36::method36
     54.1%  1,000  1,000                      └ App\Module37\Class37::method37 › App\Module38\Class38::method38 › App\Module39\Class39::method39 › hot
Columns go before rows overflow.

$ polyprof convert -q stairs.folded --to spx -o stairs.json; for w in 40 50 60 70; do terminal $w polyprof tree --color never --min 1 stairs.json | sed '/^$/,$d' > out; awk -v w=$w '{ gsub(/[\200-\277]/, "") } length($0) > w { print length($0) }' out; head -1 out; tail -1 out; done
    total%  function
      2.2%    └ side
    total%    total  function
      2.2%    40 ns    └ side
    total%    total     self  function
      2.2%    40 ns    40 ns    └ side
    total%    total     self  calls  function
      2.2%    40 ns    40 ns      1    └ side
$ terminal 80 polyprof tree --color never --min 1 stairs.folded
    total%  total   self  function
    100.0%  1,850         (all)
    100.0%  1,850         └ App\Module0\Class0::method0
     97.8%  1,810           ├ App\Module1\Class1::method1
     96.2%  1,779           │ ├ App\Module2\Class2::method2
     93.9%  1,738           │ │ ├ … › App\Module4\Class4::method4
     91.7%  1,697           │ │ │ ├ … › App\Module6\Class6::method6
     89.5%  1,656           │ │ │ │ ├ … › App\Module8\Class8::method8
     87.3%  1,615           │ │ │ │ │ ├ … › App\Module10\Class10::method10
     85.1%  1,574           │ │ │ │ │ │ ├ … › App\Module12\Class12::method12
     82.9%  1,533           │ │ │ │ │ │ │ ├ … › App\Module14\Class14::method14
     80.6%  1,492           │ │ │ │ │ │ │ ┊ [10] … › …\Module16\Class16::method16
     78.4%  1,451           │ │ │ │ │ │ │ ┊ [11] … › …\Module18\Class18::method18
     76.2%  1,410           │ │ │ │ │ │ │ ┊ [12] … › …\Module20\Class20::method20
     74.0%  1,369           │ │ │ │ │ │ │ ┊ [13] … › …\Module22\Class22::method22
     71.8%  1,328           │ │ │ │ │ │ │ ┊ [14] … › …\Module24\Class24::method24
     69.6%  1,287           │ │ │ │ │ │ │ ┊ [15] … › …\Module26\Class26::method26
     67.4%  1,246           │ │ │ │ │ │ │ ┊ [16] … › …\Module28\Class28::method28
     65.1%  1,205           │ │ │ │ │ │ │ ┊ [17] … › …\Module30\Class30::method30
     62.9%  1,164           │ │ │ │ │ │ │ ┊ [18] … › …\Module32\Class32::method32
     60.7%  1,123           │ │ │ │ │ │ │ ┊ [19] … › …\Module34\Class34::method34
     58.5%  1,082           │ │ │ │ │ │ │ ┊ [20] … › …\Module36\Class36::method36
     56.3%  1,041           │ │ │ │ │ │ │ ┊ [21] … › …\Module38\Class38::method38
     54.1%  1,000  1,000    │ │ │ │ │ │ │ ┊ [22] …\Class39::method39 › hot
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [22] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [21] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [20] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [19] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [18] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [17] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [16] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [15] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [14] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [13] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [12] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [11] side
      2.2%     40     40    │ │ │ │ │ │ │ ┊ [10] side
      2.2%     40     40    │ │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ │ └ side
      2.2%     40     40    │ │ │ │ └ side
      2.2%     40     40    │ │ │ └ side
      2.2%     40     40    │ │ └ side
      1.7%     31           │ └ (2 more)
      2.2%     40     40    └ side

  Next steps
    the 2 more below App\Module1\Class1::method1
        polyprof tree --min 0 --show-from '^App\\Module1\\Class1::method1$' stairs.folded
$ polyprof tree -n 3 stairs.folded
    total%  total  self  function
    100.0%  1,850        (all)
    100.0%  1,850        └ App\Module0\Class0::method0
     97.8%  1,810          ├ App\Module1\Class1::method1
     96.2%  1,779          │ ├ App\Module2\Class2::method2
     96.2%  1,779          │ │ └ (2 more)
      1.7%     31          │ └ (2 more)
      2.2%     40    40    └ side

  Next steps
    the 2 more below App\Module2\Class2::method2  polyprof tree --min 0 --show-from '^App\\Module2\\Class2::method2$' stairs.folded
$ polyprof tree --depth 2 stairs.folded
    total%  total  self  function
    100.0%  1,850        (all)
    100.0%  1,850        └ App\Module0\Class0::method0
     97.8%  1,810          ├ App\Module1\Class1::method1
     97.8%  1,810          │ └ (3 more)
      2.2%     40    40    └ side

  Next steps
    the 3 more below App\Module1\Class1::method1  polyprof tree --min 0 --show-from '^App\\Module1\\Class1::method1$' stairs.folded
$ polyprof tree --json stairs.folded | grep -c crumb39
  1
