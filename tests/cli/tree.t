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
     89.4%    936          │ │ └ (1 more)
      2.3%     24    24    │ └ (1 more)
      8.0%     84          └ (2 more)

$ polyprof tree --min 20 app.folded
    total%  total  self  function
    100.0%  1,047        (all)
    100.0%  1,047     3  └ main
     91.7%    960          ├ router
     89.4%    936          │ ├ dispatch › UserController->show
     57.3%    600          │ │ ├ UserRepository->find
     39.4%    412   412    │ │ │ ├ PDO->query
     18.0%    188   188    │ │ │ └ (1 more)
     22.8%    239          │ │ ├ Twig->render
     22.8%    239          │ │ │ └ (2 more)
      9.3%     97    97    │ │ └ (1 more)
      2.3%     24    24    │ └ (1 more)
      8.0%     84          └ (2 more)

$ polyprof tree --depth 2 app.folded
    total%  total  self  function
    100.0%  1,047        (all)
    100.0%  1,047     3  └ main
     91.7%    960          ├ router
     91.7%    960          │ └ (2 more)
      6.4%     67     9    ├ autoload
      5.5%     58    58    │ └ (1 more)
      1.6%     17    17    └ session_start

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
     26.1%  20.7 µs  9.22 µs      1    └ top
     14.5%  11.5 µs  4.14 µs      3      └ branch
      9.3%  7.38 µs  7.38 µs      6        └ leaf

$ polyprof tree -m zm tiny.json
    total%  total  self  calls  function
    100.0%   32 B               (all)
    100.0%   32 B  32 B      1  └ /srv/sample/spx/scripts/tiny.php
      0.0%    0 B            1    └ (1 more)

An empty profile has an empty tree; a call graph has none at all.

$ polyprof tree empty.folded
    total  function
        0  (all)

$ polyprof tree --json empty.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 0, "estimated": false, "root": {"name": "", "self": {"samples": 0}, "total": {"samples": 0}, "children": []}}

$ polyprof tree cycle.callgrind
    total%  total  self  function
    100.0%    100        (all)
    100.0%    100    10  └ zzz
     90.0%     90    30    └ even (cycle 1)
     60.0%     60    60      └ odd (cycle 1)
! polyprof: this profile knows who called whom, but not whole stacks, so they are estimated: at least 10.0% of the cost is on stacks that are certain; 1 cycle of calls is taken as one

$ polyprof tree --min none app.folded
! polyprof: error: --min takes a percentage from 0 to 100, not 'none'
! Try `polyprof tree --help`.
= 2

$ polyprof tree --min 101 app.folded
! polyprof: error: --min takes a percentage from 0 to 100, not '101'
! Try `polyprof tree --help`.
= 2
