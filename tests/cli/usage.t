# Mistakes get a hint and exit 2

$ polyprof tpo app.folded
! polyprof: error: 'tpo' is neither a command nor a file; did you mean 'top'?
! Try `polyprof --help`.
= 2

$ polyprof frobnicate
! polyprof: error: 'frobnicate' is neither a command nor a file
! Try `polyprof --help`.
= 2

$ polyprof missing.folded
! missing.folded: error: cannot open: No such file or directory [io-open-failed]
= 3

$ polyprof top --jsn app.folded
! polyprof: error: unknown option '--jsn'; did you mean '--json'?
! Try `polyprof top --help`.
= 2

$ polyprof top -x app.folded
! polyprof: error: unknown option '-x'
! Try `polyprof top --help`.
= 2

$ polyprof top --sort=slef app.folded
! polyprof: error: --sort is one of self|total|calls|name|gained|flat|cum, not 'slef'; did you mean 'self'?
! Try `polyprof top --help`.
= 2

$ polyprof top -n many app.folded
! polyprof: error: --limit needs a whole number, not 'many'
! Try `polyprof top --help`.
= 2

$ polyprof top -n -5 app.folded
! polyprof: error: --limit needs a whole number, not '-5'
! Try `polyprof top --help`.
= 2

$ polyprof top -n
! polyprof: error: --limit needs a value (N)
! Try `polyprof top --help`.
= 2

$ polyprof top --json=yes app.folded
! polyprof: error: --json takes no value
! Try `polyprof top --help`.
= 2

$ polyprof top --from foldet app.folded
! polyprof: error: no format 'foldet' can be read; did you mean 'folded'?
= 2

$ polyprof top --option nothing app.folded
! polyprof: error: --option takes KEY=VALUE, not 'nothing'
! Try `polyprof top --help`.
= 2

$ polyprof top --option fractons=round app.folded
! polyprof: error: format folded has no option 'fractons'; did you mean 'fractions'?
= 2

$ polyprof top --color sometimes app.folded
! polyprof: error: --color is one of auto|always|never, not 'sometimes'
! Try `polyprof top --help`.
= 2

$ polyprof top ''
! polyprof: error: a file name is empty
! Try `polyprof top --help`.
= 2

$ polyprof help tpo
! polyprof: error: there is no command 'tpo'; did you mean 'top'?
= 2

$ polyprof formats foldd
! polyprof: error: there is no format 'foldd'; did you mean 'folded'?
= 2

$ polyprof explain folded-count-mising
! polyprof: error: there is no rule 'folded-count-mising'; did you mean 'folded-count-missing'?
= 2

$ polyprof completion tcsh
! polyprof: error: no completion for 'tcsh'; there is bash, zsh and fish
! Try `polyprof completion --help`.
= 2

No file and nobody who feeds us: how it is used.

$ polyprof
! Usage: polyprof FILE
!        polyprof COMMAND [OPTIONS] ...
!
! polyprof reads profiles from many profilers: it recognises the format, checks
! the file, answers questions about it and converts it.
!
! Commands
!   FILE          what the file is, its totals, its costliest functions and its
!                 hottest path
!   findings      what the numbers show on their own: facts with evidence
!   info          what a file is: format, metrics with totals, counts,
!                 completeness
!   check         validate files against the rules of their format
!   convert       write a profile in another format, losing nothing silently
!   top           functions by self or total cost
!   tree          the call tree from the top down, costliest parts first
!   callers       who calls a function, how often, and what that costs
!   callees       what a function calls, how often, and what that costs
!   show          one function: all of its metrics, its whole name
!   peek          who calls a function and what it calls, in one answer
!   traces        each stack with its own cost, costliest first
!   tags          what samples with each label cost, by key and value
!   lines         what each source line costs, or the annotated source
!   diff          what changed between two profiles, in any format
!   trend         when a function's share of the whole changed, over several
!                 profiles
!   gate          fails when a limit is exceeded: diff for continuous integration
!   merge         several profiles into one
!   symbolize     names and source lines for a profile that has addresses only
!   flame         a flame graph as an interactive SVG
!   graph         the call graph, as Graphviz draws it
!   report        one self-contained HTML file with every view
!   open          open the report in the browser
!   leaks         memory that is still in use at the end, by stack
!   record        run a command under the profiler that fits it
!   list          the profiles in a directory, newest first, from metadata alone
!   store         keep profiles of many runs in one place
!   mcp           serve questions to agents (Model Context Protocol)
!   serve         serve profiles to browsers, scripts and agents over HTTP
!   formats       the formats that can be read and written, and their options
!   explain       what a rule cited by a diagnostic means; without one, all rules
!   completion    a script that completes commands and options in a shell
!   help          how a command is used
!
! More
!   polyprof FILE --help     the options of the summary
!   polyprof COMMAND --help  the options of a command
!   polyprof --version       the version, the commit, the libraries
!   FILE may be - for standard input; .gz and .zst are unpacked.
= 2

$ polyprof top
! Usage: polyprof top [OPTIONS] FILE...
! Functions by self or total cost.
! Try `polyprof top --help`.
= 2

Words behind -- are files; options may stand before the command.

$ cp other.folded ./-x.folded; polyprof top -n 1 -- -x.folded
  142 samples in 7 functions

    self  self%                total  total%  function
     100  70.4%  ████████████    100   70.4%  PDO->query

    ... and 6 more functions (-n 0 shows all)

$ polyprof -n 1 --color never top other.folded
  142 samples in 7 functions

    self  self%                total  total%  function
     100  70.4%  ████████████    100   70.4%  PDO->query

    ... and 6 more functions (-n 0 shows all)

$ polyprof top -qn1 other.folded
  142 samples in 7 functions

    self  self%                total  total%  function
     100  70.4%  ████████████    100   70.4%  PDO->query

    ... and 6 more functions (-n 0 shows all)

A server names the directory that is not there.

$ polyprof serve no/such/directory
! polyprof: error: no/such/directory: no such file or directory
= 3
