# Names: what tells one from another stays longest

$ printf '%s\n' 'main;std::vector<int, std::allocator<int> >::push_back(int const&) 10' 'main;std::vector<double, std::allocator<double> >::push_back(double const&) 20' 'main;std::_Rb_tree<int, std::pair<int const, Big>, std::less<int> >::_M_emplace_hint_unique<std::pair<int, Big> >(std::_Rb_tree_const_iterator<int>) 30' 'main;std::_Rb_tree<int, std::pair<int const, Small>, std::less<int> >::_M_emplace_hint_unique<std::pair<int, Small> >(std::_Rb_tree_const_iterator<int>) 25' 'main;Composer\Util\Http\CurlDownloader::tick 5' 'main;Composer\Repository\Http\CurlDownloader::tick 4' > cpp.folded

Two names of one table do not become the same where that can be avoided.

$ terminal 60 polyprof top --color never cpp.folded
  94 samples in 7 functions

    self  self%  total  function
      30  31.9%     30  …<…Big…>::_M_emplace_hint_unique<…>(…)
      25  26.6%     25  …<…Small…>::_M_emplace_hint_unique<…>
      20  21.3%     20  std::vector<…>::push_back(…)
      10  10.6%     10  std::vector<…>::push_back(int const&)
       5   5.3%      5  …\Util\Http\CurlDownloader::tick
       4   4.3%      4  …\Repository\Http\CurlDownloader::tick
       0   0.0%     94  main
$ terminal 80 polyprof top --color never cpp.folded
  94 samples in 7 functions

    self  self%  total  total%  function
      30  31.9%     30   31.9%  std::_Rb_tree<…Big…>::_M_emplace_hint_unique<…>(…)
      25  26.6%     25   26.6%  …<…Small…>::_M_emplace_hint_unique<…>(…)
      20  21.3%     20   21.3%  std::vector<…>::push_back(double const&)
      10  10.6%     10   10.6%  std::vector<…>::push_back(int const&)
       5   5.3%      5    5.3%  Composer\Util\Http\CurlDownloader::tick
       4   4.3%      4    4.3%  Composer\Repository\Http\CurlDownloader::tick
       0   0.0%     94  100.0%  main
$ terminal 100 polyprof top --color never cpp.folded
  94 samples in 7 functions

    self  self%                total  total%  function
      30  31.9%  ████████████     30   31.9%  std::_Rb_tree<…Big…>::_M_emplace_hint_unique<…>(…)
      25  26.6%  ██████████       25   26.6%  std::_Rb_tree<…Small…>::_M_emplace_hint_unique<…>(…)
      20  21.3%  ████████         20   21.3%  std::vector<…>::push_back(double const&)
      10  10.6%  ████             10   10.6%  std::vector<…>::push_back(int const&)
       5   5.3%  ██                5    5.3%  Composer\Util\Http\CurlDownloader::tick
       4   4.3%  █▋                4    4.3%  Composer\Repository\Http\CurlDownloader::tick
       0   0.0%                   94  100.0%  main
$ for w in 60 70 80; do terminal $w polyprof traces -n 3 --color never cpp.folded; done
    self  self%  stack, from the leaf
      30  31.9%  …<…Big…>::_M_emplace_hint_unique<…>(…) ‹ …
      25  26.6%  …<…Small…>::_M_emplace_hint_unique<…>(…) ‹ …
      20  21.3%  std::vector<…>::push_back(double const&) ‹ …

    ... and 3 more stacks (-n 0 shows all)
    self  self%  stack, from the leaf
      30  31.9%  std::_Rb_tree<…Big…>::_M_emplace_hint_unique<…>(…) ‹ …
      25  26.6%  …<…Small…>::_M_emplace_hint_unique<…>(…) ‹ …
      20  21.3%  std::vector<…>::push_back(double const&) ‹ main

    ... and 3 more stacks (-n 0 shows all)
    self  self%  stack, from the leaf
      30  31.9%  std::_Rb_tree<…Big…>::_M_emplace_hint_unique<…>(…) ‹ …
      25  26.6%  std::_Rb_tree<…Small…>::_M_emplace_hint_unique<…>(…) ‹ …
      20  21.3%  std::vector<…>::push_back(double const&) ‹ main

    ... and 3 more stacks (-n 0 shows all)
$ polyprof findings cpp.folded | grep itself
     31.9%  std::_Rb_tree<…>::_M_emplace_hint_unique<…>(…) itself costs 30 samples
     26.6%  std::_Rb_tree<…>::_M_emplace_hint_unique<…>(…) itself costs 25 samples
     21.3%  std::vector<…>::push_back(double const&) itself costs 20 samples
     10.6%  std::vector<…>::push_back(int const&) itself costs 10 samples
$ polyprof findings --json cpp.folded | grep -o '"name":"std::_Rb[^"]*"' | head -1
  "name":"std::_Rb_tree<int, std::pair<int const, Big>, std::less<int> >::_M_emplace_hint_unique<std::pair<int, Big> >(std::_Rb_tree_const_iterator<int>)"
$ printf 'm;apply<main::{lambda(int)#1}>(std::vector<int>) 3\nm;apply<main::{lambda(long)#1}>(std::vector<int>) 2\n' > lambdas.folded; polyprof top --csv lambdas.folded | head -1; polyprof top --names short lambdas.folded | grep -o apply.*
  name,file,line,module,calls,self_samples,total_samples
  apply<…int…>(std::vector<…>)
  apply<…long…>(std::vector<…>)
$ terminal 80 polyprof tree --color never cpp.folded
    total%  total  self  function
    100.0%     94        (all)
    100.0%     94        └ main
     31.9%     30    30    ├ std::_Rb_tree<…Big…>::_M_emplace_hint_unique<…>(…)
     26.6%     25    25    ├ std::_Rb_tree<…Small…>::_M_emplace_hint_unique<…>(…)
     21.3%     20    20    ├ std::vector<…>::push_back(double const&)
     10.6%     10    10    ├ std::vector<…>::push_back(int const&)
      5.3%      5     5    ├ Composer\Util\Http\CurlDownloader::tick
      4.3%      4     4    └ Composer\Repository\Http\CurlDownloader::tick
$ terminal 80 polyprof diff --color never cpp.folded app.folded | head -8
  samples, self: 94 samples before, 1,047 samples after (+1013.8%, grew)
  samples: changes within 2 * sqrt(before + after) are noise

    before  after  delta  change  verdict  function
              412   +412     new  new      PDO->query
              188   +188     new  new      PDOStatement->fetch
              143   +143     new  new      htmlspecialchars
               97    +97     new  new      UserRepository->hydrate

Elsewhere names are whole, unless they are to be short; and they can be whole anywhere.

$ polyprof top --csv cpp.folded | grep -c 'allocator<int>'
  1
$ polyprof top -n 2 cpp.folded
  94 samples in 7 functions

    self  self%                total  total%  function
      30  31.9%  ████████████     30   31.9%  std::_Rb_tree<int, std::pair<int const, Big>, std::less<int> >::_M_emplace_hint_unique<std::pair<int, Big> >(std::_Rb_tree_const_iterator<int>)
      25  26.6%  ██████████       25   26.6%  std::_Rb_tree<int, std::pair<int const, Small>, std::less<int> >::_M_emplace_hint_unique<std::pair<int, Small> >(std::_Rb_tree_const_iterator<int>)

    ... and 5 more functions (-n 0 shows all)
$ polyprof top --names short cpp.folded
  94 samples in 7 functions

    self  self%                total  total%  function
      30  31.9%  ████████████     30   31.9%  std::_Rb_tree<…Big…>::_M_emplace_hint_unique<…>(…)
      25  26.6%  ██████████       25   26.6%  std::_Rb_tree<…Small…>::_M_emplace_hint_unique<…>(…)
      20  21.3%  ████████         20   21.3%  std::vector<double, std::allocator<double> >::push_back(…)
      10  10.6%  ████             10   10.6%  std::vector<int, std::allocator<int> >::push_back(…)
       5   5.3%  ██                5    5.3%  Composer\Util\Http\CurlDownloader::tick
       4   4.3%  █▋                4    4.3%  Composer\Repository\Http\CurlDownloader::tick
       0   0.0%                   94  100.0%  main
$ polyprof tree --names short cpp.folded
    total%  total  self  function
    100.0%     94        (all)
    100.0%     94        └ main
     31.9%     30    30    ├ std::_Rb_tree<…Big…>::_M_emplace_hint_unique<…>(…)
     26.6%     25    25    ├ std::_Rb_tree<…Small…>::_M_emplace_hint_unique<…>(…)
     21.3%     20    20    ├ std::vector<double, std::allocator<double> >::push_back(…)
     10.6%     10    10    ├ std::vector<int, std::allocator<int> >::push_back(…)
      5.3%      5     5    ├ Composer\Util\Http\CurlDownloader::tick
      4.3%      4     4    └ Composer\Repository\Http\CurlDownloader::tick
$ terminal 60 polyprof top -n 1 --names full --color never cpp.folded
  94 samples in 7 functions

    self  self%  total  function
      30  31.9%     30  std::_Rb_tree<int, std::pair<int const, Big>, std::less<int> >::_M_emplace_hint_unique<std::pair<int, Big> >(std::_Rb_tree_const_iterator<int>)

    ... and 6 more functions (-n 0 shows all)
$ terminal 60 polyprof tree --names full --color never cpp.folded | sed -n 3p
    100.0%     94        └ main
$ polyprof top --names some cpp.folded
! polyprof: error: --names is one of fit|short|full, not 'some'
! Try `polyprof top --help`.
= 2

Places make room for names.

$ printf 'version: 1\nevents: Ir\n\nfl=/home/somebody/src/project/module/implementation/long_file_name.cpp\nfn=namespace_one::namespace_two::Class::method_with_a_name(int)\n1 12\nfn=short\n7 5\n\ntotals: 17\n' > places.callgrind
$ for w in 130 100 80 60; do terminal $w polyprof top --color never places.callgrind | tail -n +3; done
    self  self%                total  total%  function                                                      place
      12  70.6%  ████████████     12   70.6%  namespace_one::namespace_two::Class::method_with_a_name(int)  …/long_file_name.cpp
       5  29.4%  █████             5   29.4%  short                                                         …/long_file_name.cpp
    self  self%                total  total%  function
      12  70.6%  ████████████     12   70.6%  …namespace_two::Class::method_with_a_name(…)
       5  29.4%  █████             5   29.4%  short
    self  self%  total  total%  function
      12  70.6%     12   70.6%  …namespace_two::Class::method_with_a_name(…)
       5  29.4%      5   29.4%  short
    self  self%  total  function
      12  70.6%     12  …Class::method_with_a_name(…)
       5  29.4%      5  short

Pictures and reports.

$ for names in fit short full; do polyprof flame --names $names cpp.folded -o $names.svg && grep -oE '>[^<]*(vector|push_back)[^<]*</text' $names.svg; done
  >std::vector&lt;…&gt;::push_back(…)</text
  >…::push_back(…)</text
  >std::vector&lt;…&gt;::push_back(…)</text
  >…::push_back(…)</text
  >std::vector&lt;double, std::allocat…</text
  >std::vector&lt;int…</text
$ polyprof report --names full cpp.folded -o full.html && polyprof report --names short cpp.folded -o short.html

Outside of terminals names are not shortened, and what stands behind them is aligned.

$ printf 'fn=(1) short\n1 1\nfn=(2) a_name_that_is_longer_than_sixty_columns_but_not_so_long_that_it_would_be_absurd\n2 1\n' | sed '1i events: T\nfl=(1) x.c\n' > wide.callgrind; polyprof top wide.callgrind | tail -2
       1  50.0%  ████████████      1   50.0%  a_name_that_is_longer_than_sixty_columns_but_not_so_long_that_it_would_be_absurd  x.c
       1  50.0%  ████████████      1   50.0%  short                                                                             x.c
