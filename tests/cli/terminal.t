# On a terminal: width respected, colours

$ terminal 40 polyprof --color never app.folded
  app.folded: folded stacks
    1,047 samples, 16 functions, 11 stacks

  Costliest functions
    self  self%  total  function
     412  39.4%    412  PDO->query
     188  18.0%    188  PDOStateme…->fetch
     143  13.7%    143  htmlspecialchars
      97   9.3%     97  UserRepo…->hydrate
      61   5.8%    204  …\Templa…->display
      58   5.5%     58  include
      35   3.3%     35  Twig\Cache->load
      24   2.3%     24  match
      17   1.6%     17  session_start
       9   0.9%     67  autoload

    ... and 6 more functions (-n 0 shows all)

  Hottest path
    100.0%  main
     91.7%   router
     89.4%    dispatch
     89.4%     UserController->show
     57.3%      UserRepository->find
     39.4%       PDO->query

  Next steps
    functions by total cost
        polyprof top --sort total app.folded
    the call tree, from the top
        polyprof tree app.folded
    who calls the costliest
        polyprof callers 'PDO->query' app.folded
    what else the file holds
        polyprof info app.folded
    an interactive flame graph
        polyprof flame app.folded -o flame.svg
    all views in one page
        polyprof report app.folded -o report.html

$ terminal 60 polyprof --color never app.folded
  app.folded: folded stacks
    1,047 samples, 16 functions, 11 stacks

  Costliest functions
    self  self%  total  total%  function
     412  39.4%    412   39.4%  PDO->query
     188  18.0%    188   18.0%  PDOStatement->fetch
     143  13.7%    143   13.7%  htmlspecialchars
      97   9.3%     97    9.3%  UserRepository->hydrate
      61   5.8%    204   19.5%  Twig\Template->display
      58   5.5%     58    5.5%  include
      35   3.3%     35    3.3%  Twig\Cache->load
      24   2.3%     24    2.3%  match
      17   1.6%     17    1.6%  session_start
       9   0.9%     67    6.4%  autoload

    ... and 6 more functions (-n 0 shows all)

  Hottest path
    100.0%  main
     91.7%   router
     89.4%    dispatch
     89.4%     UserController->show
     57.3%      UserRepository->find
     39.4%       PDO->query

  Next steps
    functions by total cost
        polyprof top --sort total app.folded
    the call tree, from the top  polyprof tree app.folded
    who calls the costliest
        polyprof callers 'PDO->query' app.folded
    what else the file holds     polyprof info app.folded
    an interactive flame graph
        polyprof flame app.folded -o flame.svg
    all views in one page
        polyprof report app.folded -o report.html

$ terminal 80 polyprof --color never app.folded
  app.folded: folded stacks
    1,047 samples, 16 functions, 11 stacks

  Costliest functions
    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query
     188  18.0%  █████▌          188   18.0%  PDOStatement->fetch
     143  13.7%  ████▏           143   13.7%  htmlspecialchars
      97   9.3%  ██▉              97    9.3%  UserRepository->hydrate
      61   5.8%  █▊              204   19.5%  Twig\Template->display
      58   5.5%  █▊               58    5.5%  include
      35   3.3%  █                35    3.3%  Twig\Cache->load
      24   2.3%  ▊                24    2.3%  match
      17   1.6%  ▌                17    1.6%  session_start
       9   0.9%  ▎                67    6.4%  autoload

    ... and 6 more functions (-n 0 shows all)

  Hottest path
    100.0%  main
     91.7%   router
     89.4%    dispatch
     89.4%     UserController->show
     57.3%      UserRepository->find
     39.4%       PDO->query

  Next steps
    functions by total cost      polyprof top --sort total app.folded
    the call tree, from the top  polyprof tree app.folded
    who calls the costliest      polyprof callers 'PDO->query' app.folded
    what else the file holds     polyprof info app.folded
    an interactive flame graph   polyprof flame app.folded -o flame.svg
    all views in one page        polyprof report app.folded -o report.html

$ terminal 200 polyprof --color never app.folded
  app.folded: folded stacks
    1,047 samples, 16 functions, 11 stacks

  Costliest functions
    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query
     188  18.0%  █████▌          188   18.0%  PDOStatement->fetch
     143  13.7%  ████▏           143   13.7%  htmlspecialchars
      97   9.3%  ██▉              97    9.3%  UserRepository->hydrate
      61   5.8%  █▊              204   19.5%  Twig\Template->display
      58   5.5%  █▊               58    5.5%  include
      35   3.3%  █                35    3.3%  Twig\Cache->load
      24   2.3%  ▊                24    2.3%  match
      17   1.6%  ▌                17    1.6%  session_start
       9   0.9%  ▎                67    6.4%  autoload

    ... and 6 more functions (-n 0 shows all)

  Hottest path
    100.0%  main
     91.7%   router
     89.4%    dispatch
     89.4%     UserController->show
     57.3%      UserRepository->find
     39.4%       PDO->query

  Next steps
    functions by total cost      polyprof top --sort total app.folded
    the call tree, from the top  polyprof tree app.folded
    who calls the costliest      polyprof callers 'PDO->query' app.folded
    what else the file holds     polyprof info app.folded
    an interactive flame graph   polyprof flame app.folded -o flame.svg
    all views in one page        polyprof report app.folded -o report.html

$ terminal 80 polyprof top -n 3 app.folded
  \x1b[1m1,047 samples\x1b[0m in 16 functions (esc)

    \x1b[2mself\x1b[0m  \x1b[2mself%\x1b[0m                \x1b[2mtotal\x1b[0m  \x1b[2mtotal%\x1b[0m  \x1b[2mfunction\x1b[0m (esc)
     412  \x1b[1;31m39.4%\x1b[0m  \x1b[36m\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\x1b[0m    412   \x1b[2m39.4%\x1b[0m  \x1b[1;31mPDO->query\x1b[0m (esc)
     188  \x1b[33m18.0%\x1b[0m  \x1b[36m\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c\x1b[0m          188   \x1b[2m18.0%\x1b[0m  \x1b[33mPDOStatement->fetch\x1b[0m (esc)
     143  \x1b[33m13.7%\x1b[0m  \x1b[36m\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8f\x1b[0m           143   \x1b[2m13.7%\x1b[0m  \x1b[33mhtmlspecialchars\x1b[0m (esc)

  \x1b[2m  ... and 13 more functions (-n 0 shows all) (esc)
  \x1b[0m (esc) (no-eol)

$ NO_COLOR=1 terminal 80 polyprof top -n 1 app.folded
  1,047 samples in 16 functions

    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query

    ... and 15 more functions (-n 0 shows all)

$ TERM=dumb terminal 80 polyprof top -n 1 app.folded
  1,047 samples in 16 functions

    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query

    ... and 15 more functions (-n 0 shows all)

$ polyprof top -n 2 --color always app.folded
  \x1b[1m1,047 samples\x1b[0m in 16 functions (esc)

    \x1b[2mself\x1b[0m  \x1b[2mself%\x1b[0m                \x1b[2mtotal\x1b[0m  \x1b[2mtotal%\x1b[0m  \x1b[2mfunction\x1b[0m (esc)
     412  \x1b[1;31m39.4%\x1b[0m  \x1b[36m\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\x1b[0m    412   \x1b[2m39.4%\x1b[0m  \x1b[1;31mPDO->query\x1b[0m (esc)
     188  \x1b[33m18.0%\x1b[0m  \x1b[36m\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x88\xe2\x96\x8c\x1b[0m          188   \x1b[2m18.0%\x1b[0m  \x1b[33mPDOStatement->fetch\x1b[0m (esc)

  \x1b[2m  ... and 14 more functions (-n 0 shows all) (esc)
  \x1b[0m (esc) (no-eol)

$ polyprof check --color=always bad.folded | head -2
  \x1b[1mbad.folded:2:11:\x1b[0m \x1b[1;31merror:\x1b[0m a count is not a plain non-negative whole number \x1b[2m[folded-count-invalid]\x1b[0m (esc)
  \x1b[1mbad.folded:3:1:\x1b[0m \x1b[1;31merror:\x1b[0m a line does not end in a space and a count \x1b[2m[folded-count-missing]\x1b[0m (esc)

$ COLUMNS=50 polyprof top -n 2 app.folded
  1,047 samples in 16 functions

    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query
     188  18.0%  █████▌          188   18.0%  PDOStatement->fetch

    ... and 14 more functions (-n 0 shows all)

A name of more than 60 columns that fits keeps the places of all rows in one column.

$ printf 'app 1 [000] 1.0: %d cycles:\n\t1000 %s (/bin/app)\n\n' 7 a_function_whose_name_is_longer_than_sixty_columns_of_any_terminal_here 5 short > long.txt
$ terminal 140 polyprof top --color never -q long.txt
  cycles: 12 events in 2 functions

    self  self%                total  total%  self samples  function                                                                 place
       7  58.3%  ████████████      7   58.3%             1  a_function_whose_name_is_longer_than_sixty_columns_of_any_terminal_here  /bin/app
       5  41.7%  ████████▋         5   41.7%             1  short                                                                    /bin/app
$ rm long.txt
