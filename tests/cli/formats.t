# polyprof formats and explain

$ polyprof formats | tr -s ' ' | grep '^ [a-z-]*folded'
   folded folded stacks yes yes tree folded collapsed
   diff-folded differential folded stacks yes yes tree diff.folded

$ polyprof formats folded
  folded: folded stacks
    can be      read and written
    facets      tree
    extensions  folded collapsed

    --option fractions=reject|round|scale:N
        what to do with counts such as 20.5 (default reject)
    --option comments=keep|skip
        skip lines that start with '#' (Austin writes them; default keep)

$ polyprof formats --csv | grep -e ^name -e folded
  name,title,read,write,facets,extensions,variants
  folded,folded stacks,yes,yes,tree,folded collapsed,
  diff-folded,differential folded stacks,yes,yes,tree,diff.folded,

$ polyprof formats --json diff-folded
  {"formats": [{"name": "diff-folded", "title": "differential folded stacks", "read": true, "write": true, "facets": ["tree"], "extensions": ["diff.folded"], "variants": [], "options": [], "rules": ["diff-folded-guessed", "diff-folded-count-missing"]}]}

$ polyprof explain folded-count-missing
  folded-count-missing (error): a line does not end in a space and a count

    Each line is a stack, a space, and a count. This one ends in something else,
    so there is no telling what it weighs. The line is left out of all totals; the
    rest of the file is used. Often a line was cut off, or belongs to another
    format.

$ polyprof explain io-unknown-format folded-utf16
  io-unknown-format (error): no format recognises the input

    Every format was tried on the first 64 KiB, and none fits. `polyprof formats`
    lists what can be read; `polyprof info --why FILE` prints what each format
    made of it; --from names a format to use regardless.

  folded-utf16 (note): the file is UTF-16; it was read as such

    The file starts with a UTF-16 byte order mark, as files do that were
    redirected in PowerShell. It was decoded; converting it writes UTF-8.

$ polyprof explain | grep -A3 '^folded'
  folded
    rule                    severity  what is wrong
    folded-count-missing    error     a line does not end in a space and a count
    folded-count-invalid    error     a count is not a plain non-negative whole number

$ polyprof explain --json folded-utf16
  {"rules": [{"rule": "folded-utf16", "of": "folded", "severity": "note", "title": "the file is UTF-16; it was read as such", "explain": "The file starts with a UTF-16 byte order mark, as files do that were redirected in PowerShell. It was decoded; converting it writes UTF-8."}]}

Every rule can be explained.

$ polyprof explain --json | python3 -c 'import json,sys; print("\n".join(r["rule"] for r in json.load(sys.stdin)["rules"]))' | while read r; do polyprof explain "$r" > /dev/null || echo "$r"; done

# What nobody reads is named where it is known, with a way out.
$ printf 'hello world 12\nfoo bar 3\n' >notes.txt; polyprof notes.txt
! notes.txt: error: no format recognises it; this is plain text: if its lines are stacks of one frame each, `--from folded` reads it [io-unknown-format]
= 3
$ polyprof top --from folded notes.txt
  15 samples in 2 functions

    self  self%                total  total%  function
      12  80.0%  ████████████     12   80.0%  hello world
       3  20.0%  ███               3   20.0%  foo bar
$ : >nothing.prof; polyprof nothing.prof
! nothing.prof: error: no format recognises it; this is an empty file: the profiler wrote nothing, or has not finished [io-unknown-format]
= 3
$ printf 'PERFILE2\150\0\0\0' >perf.data; polyprof perf.data
! perf.data@0xc: error: the header is cut [perf-header]
= 3
$ printf '{"nodes": [{"id": 1, "callFrame": {}}]}' >node.cpuprofile; polyprof node.cpuprofile
  node.cpuprofile: V8 CPU profile (node, Chrome)
    0 samples, 1 function, 1 stack

  Costliest functions
    self  total  function
       0      0  (anonymous)

  Next steps
    functions by total cost      polyprof top --sort total node.cpuprofile
    the call tree, from the top  polyprof tree node.cpuprofile
    who calls the costliest      polyprof callers '(anonymous)' node.cpuprofile
    what else the file holds     polyprof info node.cpuprofile
    an interactive flame graph   polyprof flame node.cpuprofile -o flame.svg
    all views in one page        polyprof report node.cpuprofile -o report.html

$ for bytes in 'v8-version,11,3,244,8,0' 'TRACE START [2026-11-15 08:08:01]' 'gmon' 'FLR\0\0\2' 'SQLite format 3' 'PK\3\4' '\3757zXZ' 'BZh9' \
>     '\177ELF\2\1\1' '\0asm' '\317\372\355\376' 'JAVA PROFILE 1.0.2' 'Nettrace' '{"traceEvents":[]}' \
>     '{"a":1}' '<svg xmlns="x">' '#!/bin/sh'; do
>   printf "$bytes" > stranger; polyprof stranger 2>&1 | sed 's/.*recognises it; //'; done
  this is a V8 log (node --prof): `node --prof-process --preprocess` turns it into JSON [io-unknown-format]
  this is an Xdebug trace: xdebug.mode=profile records a profile [io-unknown-format]
  this is a gprof profile (gmon.out): `perf record` or callgrind tell you more [io-unknown-format]
  this is a Java Flight Recorder file (JFR): `polyprof formats` lists what can be read [io-unknown-format]
  this is an SQLite database: `polyprof formats` lists what can be read [io-unknown-format]
  stranger@0x0: error: this is zip, which polyprof does not unpack: unpack it first [io-unsupported-compression]
  this is compressed with xz: unpack it and try what is inside [io-unknown-format]
  stranger@0x0: error: this is bzip2, which polyprof does not unpack: unpack it first [io-unsupported-compression]
  this is a program or library (ELF): record a profile of it first [io-unknown-format]
  this is a WebAssembly module: record a profile of it first [io-unknown-format]
  this is a program or library (macOS): record a profile of it first [io-unknown-format]
  this is a Java heap dump (hprof): `polyprof formats` lists what can be read [io-unknown-format]
  this is a .NET trace (nettrace): `polyprof formats` lists what can be read [io-unknown-format]
  stranger: trace events (Chrome, Perfetto, node, Hermes)
    duration: 0 ns
    nothing was recorded: the profile is empty

  Next steps
    functions by total cost   polyprof top --sort total stranger
    what else the file holds  polyprof info stranger
  this is JSON, but not from a profiler that is known here: `polyprof formats` lists what can be read [io-unknown-format]
  this is a picture or page, not the profile it was made from: `polyprof formats` lists what can be read [io-unknown-format]
  this is a script: record a profile of it first [io-unknown-format]
$ printf x > in.txt; tar cf a.tar in.txt; polyprof a.tar
! a.tar: error: no format recognises it; this is a tar archive: unpack it and try what is inside [io-unknown-format]
= 3
