# Help comes from the tables

$ polyprof --help
  Usage: polyprof FILE
         polyprof COMMAND [OPTIONS] ...

  polyprof reads profiles from many profilers: it recognises the format, checks
  the file, answers questions about it and converts it.

  Commands
    FILE          what the file is, its totals, its costliest functions and its
                  hottest path
    findings      what the numbers show on their own: facts with evidence
    info          what a file is: format, metrics with totals, counts,
                  completeness
    check         validate files against the rules of their format
    convert       write a profile in another format, losing nothing silently
    top           functions by self or total cost
    tree          the call tree from the top down, costliest parts first
    callers       who calls a function, how often, and what that costs
    callees       what a function calls, how often, and what that costs
    show          one function: all of its metrics, its whole name
    peek          who calls a function and what it calls, in one answer
    traces        each stack with its own cost, costliest first
    tags          what samples with each label cost, by key and value
    lines         what each source line costs, or the annotated source
    diff          what changed between two profiles, in any format
    trend         when a function's share of the whole changed, over several
                  profiles
    gate          fails when a limit is exceeded: diff for continuous integration
    merge         several profiles into one
    symbolize     names and source lines for a profile that has addresses only
    flame         a flame graph as an interactive SVG
    graph         the call graph, as Graphviz draws it
    report        one self-contained HTML file with every view
    open          open the report in the browser
    leaks         memory that is still in use at the end, by stack
    record        run a command under the profiler that fits it
    list          the profiles in a directory, newest first, from metadata alone
    store         keep profiles of many runs in one place
    mcp           serve questions to agents (Model Context Protocol)
    serve         serve profiles to browsers, scripts and agents over HTTP
    formats       the formats that can be read and written, and their options
    explain       what a rule cited by a diagnostic means; without one, all rules
    completion    a script that completes commands and options in a shell
    help          how a command is used

  More
    polyprof FILE --help     the options of the summary
    polyprof COMMAND --help  the options of a command
    polyprof --version       the version, the commit, the libraries
    FILE may be - for standard input; .gz and .zst are unpacked.

$ polyprof top --help
  Usage: polyprof top [OPTIONS] FILE...

  Functions by self or total cost.

  Self is a function's own cost; total includes everything it called, counted once
  for each outermost activation, so that recursion never shows more than 100%.
  Calls are shown if the profile knows them.

  Text shows 25 rows unless -n says otherwise; --json and --csv give all.

  Rows
    -m, --metric=NAME[,NAME]
                            the metric to show and sort by (default: the primary
                            one), and others to show next to it
        --sample-index=NAME|N
                            the same as --metric: a name, or a number counting
                            from 0
        --sort=self|total|calls|name|gained|flat|cum
                            the order of the rows (default: self); gained: for
                            metrics that fall; flat and cum: pprof's words for
                            self and total
    -n, --limit=N           show N rows (0 = all)
        --base=FILE         subtract this profile (`diff` compares, with verdicts,
                            and shows what is new)
        --by=function|file|module|line|thread|name|address|label:KEY
                            what the rows are (default: function); name: functions
                            of the same name are one row
        --granularity=default|functions|filefunctions|files|lines|addresses
                            the same in pprof's words: functions of the same name,
                            in the same file, and so on

  Filters
        --focus=RE          keep only stacks in which a function matches
        --ignore=RE         drop stacks in which a function matches
        --hide=RE           drop frames that match; what they cost goes to their
                            callers
        --show=RE           keep only frames that match
        --show-from=RE      cut stacks above their first match
        --collapse=RE       merge a match into a matching caller of the same name:
                            collapses recursion; module:RE collapses modules
        --event=NAME        keep only this event
        --thread=ID|NAME    keep only this thread
        --label=KEY=VALUE|KEY~RE
                            keep only samples with this label; may be repeated,
                            all must match
        --time=FROM..TO     keep only this range of time, such as 1.5s..2s or
                            ..20%
        --demangle          demangle C++, Rust and OCaml names in machine-readable
                            output too (text is demangled by default)
        --no-demangle       show names as they are in the file
        --all-frames        also show allocators in profiles of memory, idle
                            threads, and frames that the file says to drop
                            (pprof's drop_frames)
        --min=PCT           leave out anything below PCT percent of the whole
        --depth=N           go no deeper than N frames

  Budget
        --budget=N          answer in at most N tokens, 300 to 20000, and say how
                            to get the rest
        --page=N            skip the first N rows, as the previous answer says
        --handles           start rows with handles (f1, n1), which work wherever
                            a name does

  Output
        --json              print one JSON object, exact values
        --csv               print CSV with a header row, exact values
    -o, --output=FILE       write to FILE (`-` = standard output; .gz and .zst
                            compress)

  Input
        --from=FORMAT       read as this format instead of recognising it
        --option=KEY=VALUE  set an option of a format, as `polyprof formats NAME`
                            lists them; may be repeated
        --inline            show inlined functions, if debug information has them
        --source-map=FILE|DIR|auto
                            show the functions, files and lines that bundled
                            scripts were built from; may be repeated
    -j, --jobs=N            use N threads (default: one per processor)
        --variant=VARIANT   read as this variant of the format
        --strict            refuse damaged input instead of using the intact part
                            (exit 3)

  Store
        --where=EXPR        in a store: only profiles whose labels match:
                            'service=web and host~"^a"'
        --since=TIME        in a store: only what was recorded since then: an age
                            (90s 30m 1h 1d 2w), @SECONDS or 2026-11-15T20:00:00Z
        --until=TIME        in a store: only what was recorded before then
        --between=TIME..TIME
                            the same as --since and --until together
        --partial           in a store that lost rows: use what is left; the
                            answer says that it is incomplete
        --max-nodes=N       in a store whose servers do the sums: at most the N
                            costliest functions or stacks (0 = all)

  General
        --color=auto|always|never
                            colour: on a terminal, always or never (NO_COLOR is
                            respected)
        --names=fit|short|full
                            function names: shortened to fit, always short, or in
                            full (default: fit)
    -q, --quiet             print no warnings, notes or progress
    -v, --verbose           print every diagnostic and how long reading took
        --max-memory=SIZE   give up rather than use more memory (default: three
                            quarters of the machine's)
        --max-output=SIZE   give up rather than write more (default: 64 times the
                            input, at least 256M; 0 = no limit)
        --no-fsync          do not wait until a file is on disk: a power failure
                            may leave it empty
    -h, --help              print this help

  Examples
    polyprof top app.folded
        the 25 functions with the highest self cost
    polyprof top --sort total -n 50 app.folded
        the 50 with the highest total cost
    polyprof top --json -n 0 app.folded
        every function, every metric, exact, for a script
    polyprof top *.folded.gz
        several profiles, merged

$ polyprof help check
  Usage: polyprof check [OPTIONS] FILE...

  Validate files against the rules of their format.

  Each finding is printed as `file:line:column: severity: message [rule]`; binary
  files have `file@0xOFFSET` instead. A file with errors is rejected, one with
  warnings is accepted with a warning.

  Exit 0 when no file was rejected, 1 when one was (with --strict also for
  warnings), 3 when one could not be read or recognised.

  Budget
        --budget=N          answer in at most N tokens, 300 to 20000, and say how
                            to get the rest
        --page=N            skip the first N rows, as the previous answer says
        --handles           start rows with handles (f1, n1), which work wherever
                            a name does

  Output
        --json              print one JSON object, exact values
        --csv               print CSV with a header row, exact values
    -o, --output=FILE       write to FILE (`-` = standard output; .gz and .zst
                            compress)

  Input
        --from=FORMAT       read as this format instead of recognising it
        --option=KEY=VALUE  set an option of a format, as `polyprof formats NAME`
                            lists them; may be repeated
        --inline            show inlined functions, if debug information has them
        --source-map=FILE|DIR|auto
                            show the functions, files and lines that bundled
                            scripts were built from; may be repeated
    -j, --jobs=N            use N threads (default: one per processor)
        --variant=VARIANT   read as this variant of the format

  Store
        --where=EXPR        in a store: only profiles whose labels match:
                            'service=web and host~"^a"'
        --since=TIME        in a store: only what was recorded since then: an age
                            (90s 30m 1h 1d 2w), @SECONDS or 2026-11-15T20:00:00Z
        --until=TIME        in a store: only what was recorded before then
        --between=TIME..TIME
                            the same as --since and --until together
        --partial           in a store that lost rows: use what is left; the
                            answer says that it is incomplete
        --max-nodes=N       in a store whose servers do the sums: at most the N
                            costliest functions or stacks (0 = all)

  Verdict
        --strict            warnings count as findings (exit 1)

  General
        --color=auto|always|never
                            colour: on a terminal, always or never (NO_COLOR is
                            respected)
        --names=fit|short|full
                            function names: shortened to fit, always short, or in
                            full (default: fit)
    -q, --quiet             print no warnings, notes or progress
    -v, --verbose           print every diagnostic and how long reading took
        --max-memory=SIZE   give up rather than use more memory (default: three
                            quarters of the machine's)
        --max-output=SIZE   give up rather than write more (default: 64 times the
                            input, at least 256M; 0 = no limit)
        --no-fsync          do not wait until a file is on disk: a power failure
                            may leave it empty
    -h, --help              print this help

  Examples
    polyprof check app.folded
        every finding with its place and rule
    polyprof check --strict *.folded
        fail on warnings too, as a test should
    polyprof explain folded-count-missing
        what a rule means and how to fix it

$ polyprof convert -h
  Usage: polyprof convert [OPTIONS] FILE... -o OUT [--to FORMAT]

  Write a profile in another format, losing nothing silently.

  What the target format cannot hold is reported on standard error; with
  --lossless that is an error and nothing is written. OUT appears whole or not at
  all: a failure leaves an existing file as it was. Where OUT is a store
  (prof.ppdb), the files are added to it.

  Output
    -t, --to=FORMAT         the format to write (default: by the extension of OUT)
    -o, --output=OUT        the file to write (`-` or nothing = standard output;
                            .gz and .zst compress)
        --variant=VARIANT   the variant of the format to write
    -m, --metric=NAME       the metric to write, for formats that hold only one
        --lossless          write nothing rather than lose anything (exit 4)
        --budget=N          keep the heaviest stacks that fit into N tokens, for
                            agents (only for spaa)

  Rows
        --base=FILE         subtract this profile (`diff` compares, with verdicts,
                            and shows what is new)

  Filters
        --focus=RE          keep only stacks in which a function matches
        --ignore=RE         drop stacks in which a function matches
        --hide=RE           drop frames that match; what they cost goes to their
                            callers
        --show=RE           keep only frames that match
        --show-from=RE      cut stacks above their first match
        --collapse=RE       merge a match into a matching caller of the same name:
                            collapses recursion; module:RE collapses modules
        --event=NAME        keep only this event
        --thread=ID|NAME    keep only this thread
        --label=KEY=VALUE|KEY~RE
                            keep only samples with this label; may be repeated,
                            all must match
        --time=FROM..TO     keep only this range of time, such as 1.5s..2s or
                            ..20%
        --demangle          demangle C++, Rust and OCaml names in machine-readable
                            output too (text is demangled by default)
        --no-demangle       show names as they are in the file
        --all-frames        also show allocators in profiles of memory, idle
                            threads, and frames that the file says to drop
                            (pprof's drop_frames)
        --depth=N           go no deeper than N frames

  Input
        --from=FORMAT       read as this format instead of recognising it
        --option=KEY=VALUE  set an option of a format, as `polyprof formats NAME`
                            lists them; may be repeated
        --inline            show inlined functions, if debug information has them
        --source-map=FILE|DIR|auto
                            show the functions, files and lines that bundled
                            scripts were built from; may be repeated
    -j, --jobs=N            use N threads (default: one per processor)
        --strict            refuse damaged input instead of using the intact part
                            (exit 3)

  Store
        --where=EXPR        in a store: only profiles whose labels match:
                            'service=web and host~"^a"'
        --since=TIME        in a store: only what was recorded since then: an age
                            (90s 30m 1h 1d 2w), @SECONDS or 2026-11-15T20:00:00Z
        --until=TIME        in a store: only what was recorded before then
        --between=TIME..TIME
                            the same as --since and --until together
        --partial           in a store that lost rows: use what is left; the
                            answer says that it is incomplete
        --max-nodes=N       in a store whose servers do the sums: at most the N
                            costliest functions or stacks (0 = all)

  General
        --color=auto|always|never
                            colour: on a terminal, always or never (NO_COLOR is
                            respected)
        --names=fit|short|full
                            function names: shortened to fit, always short, or in
                            full (default: fit)
    -q, --quiet             print no warnings, notes or progress
    -v, --verbose           print every diagnostic and how long reading took
        --max-memory=SIZE   give up rather than use more memory (default: three
                            quarters of the machine's)
        --max-output=SIZE   give up rather than write more (default: 64 times the
                            input, at least 256M; 0 = no limit)
        --no-fsync          do not wait until a file is on disk: a power failure
                            may leave it empty
    -h, --help              print this help

  Examples
    polyprof convert app.folded.gz -o clean.folded
        merged, sorted, canonical: two such files compare with cmp
    polyprof convert a.folded b.folded -o all.folded.zst
        several profiles into one, compressed
    polyprof convert --to folded profile.out | less
        to standard output

$ polyprof info --help
  Usage: polyprof info [OPTIONS] FILE...

  What a file is: format, metrics with totals, counts, completeness.

  Several files are described one after the other; with --json as a list under
  "files".

  Recognition
        --why               print each format's bid for the file: the bits it
                            verified

  Budget
        --budget=N          answer in at most N tokens, 300 to 20000, and say how
                            to get the rest
        --page=N            skip the first N rows, as the previous answer says
        --handles           start rows with handles (f1, n1), which work wherever
                            a name does

  Output
        --json              print one JSON object, exact values
    -o, --output=FILE       write to FILE (`-` = standard output; .gz and .zst
                            compress)

  Input
        --from=FORMAT       read as this format instead of recognising it
        --option=KEY=VALUE  set an option of a format, as `polyprof formats NAME`
                            lists them; may be repeated
        --inline            show inlined functions, if debug information has them
        --source-map=FILE|DIR|auto
                            show the functions, files and lines that bundled
                            scripts were built from; may be repeated
    -j, --jobs=N            use N threads (default: one per processor)
        --variant=VARIANT   read as this variant of the format
        --strict            refuse damaged input instead of using the intact part
                            (exit 3)

  Store
        --where=EXPR        in a store: only profiles whose labels match:
                            'service=web and host~"^a"'
        --since=TIME        in a store: only what was recorded since then: an age
                            (90s 30m 1h 1d 2w), @SECONDS or 2026-11-15T20:00:00Z
        --until=TIME        in a store: only what was recorded before then
        --between=TIME..TIME
                            the same as --since and --until together
        --partial           in a store that lost rows: use what is left; the
                            answer says that it is incomplete
        --max-nodes=N       in a store whose servers do the sums: at most the N
                            costliest functions or stacks (0 = all)

  General
        --color=auto|always|never
                            colour: on a terminal, always or never (NO_COLOR is
                            respected)
        --names=fit|short|full
                            function names: shortened to fit, always short, or in
                            full (default: fit)
    -q, --quiet             print no warnings, notes or progress
    -v, --verbose           print every diagnostic and how long reading took
        --max-memory=SIZE   give up rather than use more memory (default: three
                            quarters of the machine's)
        --max-output=SIZE   give up rather than write more (default: 64 times the
                            input, at least 256M; 0 = no limit)
        --no-fsync          do not wait until a file is on disk: a power failure
                            may leave it empty
    -h, --help              print this help

  Examples
    polyprof info app.folded.gz
        format, compression, metrics, and how much there is of everything
    polyprof info --why mystery.out
        why it was (or was not) recognised
    polyprof info --json app.folded
        the same for a script

$ polyprof app.folded --help | head -4
  Usage: polyprof [OPTIONS] FILE...

  What the file is, its totals, its costliest functions and its hottest path.
  (esc)

$ polyprof --version | sed 's/:.*/:/'
  polyprof 0.1.0
  commit:
  features:

$ polyprof --version | grep -cE '^commit: ([0-9a-f]{12}|unknown)$|^features: zlib [0-9.]+, zstd [0-9.]+(, [^,]+)*$'
  2

$ polyprof --color never -V | head -1
  polyprof 0.1.0

$ polyprof top -o help.txt --help | head -1; ls help.txt
  Usage: polyprof top [OPTIONS] FILE...
! ls: cannot access 'help.txt': No such file or directory
= 2

$ polyprof --help > a; polyprof help > b; cmp a b

$ polyprof help --json help
  {"version": "0.1.0", "commands": [{"name": "help", "synopsis": "[COMMAND|agents]", "summary": "how a command is used", "details": "`polyprof help agents` is a short text with all that an agent needs.\n\nWith --json: commands, options and examples as data, for tools that build on polyprof.", "options": [{"group": "Output", "name": "json", "kind": "flag", "help": "print one JSON object, exact values"}, {"group": "Output", "name": "output", "letter": "o", "kind": "text", "value": "FILE", "help": "write to FILE (`-` = standard output; .gz and .zst compress)"}, {"group": "General", "name": "color", "kind": "choice", "value": "auto|always|never", "help": "colour: on a terminal, always or never (NO_COLOR is respected)"}, {"group": "General", "name": "names", "kind": "choice", "value": "fit|short|full", "help": "function names: shortened to fit, always short, or in full (default: fit)"}, {"group": "General", "name": "quiet", "letter": "q", "kind": "flag", "help": "print no warnings, notes or progress"}, {"group": "General", "name": "verbose", "letter": "v", "kind": "flag", "help": "print every diagnostic and how long reading took"}, {"group": "General", "name": "max-memory", "kind": "text", "value": "SIZE", "help": "give up rather than use more memory (default: three quarters of the machine's)"}, {"group": "General", "name": "max-output", "kind": "text", "value": "SIZE", "help": "give up rather than write more (default: 64 times the input, at least 256M; 0 = no limit)"}, {"group": "General", "name": "no-fsync", "kind": "flag", "help": "do not wait until a file is on disk: a power failure may leave it empty"}, {"group": "General", "name": "help", "letter": "h", "kind": "flag", "help": "print this help"}], "examples": []}]}

Every heading stands once.

$ for c in $(polyprof help | awk '/^  [a-z]+ /{ print $1 }' | sort -u); do polyprof help $c 2>/dev/null | grep -E '^[A-Z][a-z ]+$' | sort | uniq -d; done
