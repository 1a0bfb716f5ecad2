# polyprof top

The costliest functions first, aligned, with their share of the whole.

$ polyprof top app.folded
  1,047 samples in 16 functions

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
       3   0.3%  ▏             1,047  100.0%  main
       0   0.0%                  960   91.7%  router
       0   0.0%                  936   89.4%  UserController->show
       0   0.0%                  936   89.4%  dispatch
       0   0.0%                  600   57.3%  UserRepository->find
       0   0.0%                  239   22.8%  Twig->render

$ polyprof top --sort total -n 3 app.folded
  1,047 samples in 16 functions

    self  self%  total  total%                function
       3   0.3%  1,047  100.0%  ████████████  main
       0   0.0%    960   91.7%  ███████████   router
       0   0.0%    936   89.4%  ██████████▊   UserController->show

    ... and 13 more functions (-n 0 shows all)

$ polyprof top --sort name -n 2 app.folded
  1,047 samples in 16 functions

    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query
     188  18.0%  █████▌          188   18.0%  PDOStatement->fetch

    ... and 14 more functions (-n 0 shows all)

-n 0 shows all; -n may be attached, and options may follow the file.

$ polyprof top app.folded -n2
  1,047 samples in 16 functions

    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query
     188  18.0%  █████▌          188   18.0%  PDOStatement->fetch

    ... and 14 more functions (-n 0 shows all)

JSON: every metric, exact; all rows unless -n says otherwise.

$ polyprof top --json -n 2 app.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 1047, "estimated": false, "functions": [{"name": "PDO->query", "self": {"samples": 412}, "total": {"samples": 412}}, {"name": "PDOStatement->fetch", "self": {"samples": 188}, "total": {"samples": 188}}], "count": 16}

$ polyprof top --json app.folded | python3 -c 'import json,sys; d=json.load(sys.stdin); print(len(d["functions"]), d["count"])'
  16 16

CSV has one header row.

$ polyprof top --csv -n 3 app.folded
  name,file,line,module,calls,self_samples,total_samples
  PDO->query,,,,,412,412
  PDOStatement->fetch,,,,,188,188
  htmlspecialchars,,,,,143,143

$ polyprof top --csv --json app.folded
  {"error": {"rule": "usage", "message": "--json and --csv cannot be used together", "file": null}}
! polyprof: error: --json and --csv cannot be used together
! Try `polyprof top --help`.
= 2

Several files are merged first. Standard input is - or, when something is piped in, nothing.

$ polyprof top -n 3 app.folded other.folded
  1,189 samples in 17 functions

    self  self%                total  total%  function
     512  43.1%  ████████████    512   43.1%  PDO->query
     188  15.8%  ████▍           188   15.8%  PDOStatement->fetch
     143  12.0%  ███▍            143   12.0%  htmlspecialchars

    ... and 14 more functions (-n 0 shows all)
! polyprof: 2 files, merged; what changed between them: polyprof diff app.folded other.folded

$ polyprof top -n 1 - < other.folded
  142 samples in 7 functions

    self  self%                total  total%  function
     100  70.4%  ████████████    100   70.4%  PDO->query

    ... and 6 more functions (-n 0 shows all)

$ cat other.folded | polyprof top -n 1
  142 samples in 7 functions

    self  self%                total  total%  function
     100  70.4%  ████████████    100   70.4%  PDO->query

    ... and 6 more functions (-n 0 shows all)

$ polyprof top - - < other.folded
! polyprof: error: standard input (-) can be read only once
! Try `polyprof top --help`.
= 2

Files that count different things cannot be merged.

$ polyprof top app.folded change.diff.folded
! polyprof: error: change.diff.folded does not measure the same things as the files before it, so they cannot be merged: it counts before (samples), after (samples), the others samples (samples)
= 3

A differential file has two metrics; -m chooses, the other is shown beside it.

$ polyprof top change.diff.folded
  after: 65 samples in 5 functions

    self  self%                total  total%  self before  function
      31  47.7%  ████████████     43   66.2%           30  render
      22  33.8%  ████████▌        22   33.8%           40  parse
      12  18.5%  ████▋            12   18.5%            0  escape
       0   0.0%                   65  100.0%            0  main

    ... and 1 function that costs nothing (--json lists it)

$ polyprof top -m before change.diff.folded
  before: 75 samples in 5 functions

    self  self%                total  total%  self after  function
      40  53.3%  ████████████     40   53.3%          22  parse
      30  40.0%  █████████        30   40.0%          31  render
       5   6.7%  █▌                5    6.7%           0  gc
       0   0.0%                   75  100.0%           0  main

    ... and 1 function that costs nothing (--json lists it)

$ polyprof top -m befor change.diff.folded
! polyprof: error: no metric 'befor' in this profile; it has before, after; did you mean 'before'?
= 2

$ polyprof top -m wt change.diff.folded
! polyprof: error: no metric 'wt' in this profile; it has before, after
= 2

$ polyprof top --json -n 1 change.diff.folded
  {"format": "diff-folded", "complete": true, "metric": "after", "unit": "samples", "units": {"before": "samples", "after": "samples"}, "total": 65, "estimated": false, "functions": [{"name": "render", "self": {"before": 30, "after": 31}, "total": {"before": 30, "after": 43}}], "count": 5}

Folded stacks do not know calls.

$ polyprof top --sort calls app.folded
! polyprof: error: this profile does not know how often functions were called
= 3

An empty profile is an empty listing.

$ polyprof top empty.folded
  0 samples in 0 functions
  (esc)

$ polyprof top --json empty.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 0, "estimated": false, "functions": [], "count": 0}

The output goes to a file whole or not at all.

$ polyprof top -n 1 -o out.txt app.folded && cat out.txt
  1,047 samples in 16 functions

    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query

    ... and 15 more functions (-n 0 shows all)

$ polyprof top --json -o out.txt missing.folded; cat out.txt
  {"error": {"rule": "io-open-failed", "message": "cannot open: No such file or directory", "file": "missing.folded"}}
  1,047 samples in 16 functions

    self  self%                total  total%  function
     412  39.4%  ████████████    412   39.4%  PDO->query

    ... and 15 more functions (-n 0 shows all)
! missing.folded: error: cannot open: No such file or directory [io-open-failed]

$ polyprof top --csv -n 1 -o out.csv.gz app.folded && zcat out.csv.gz
  name,file,line,module,calls,self_samples,total_samples
  PDO->query,,,,,412,412

The number of threads changes nothing.

$ polyprof top -j1 --json app.folded > 1; polyprof top -j2 --json app.folded > 2; cmp 1 2
