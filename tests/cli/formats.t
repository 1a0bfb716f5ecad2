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
$ printf '\377\376h\0e\0l\0l\0o\0 \0001\0002\0\n\0f\0o\0o\0 \0003\0\n\0' >wide.txt; polyprof wide.txt; mkdir notes && mv wide.txt notes && polyprof list notes; polyprof top -q --csv --from folded notes/wide.txt
  name,file,line,module,calls,self_samples,total_samples
  hello,,,,,12,12
  foo,,,,,3,3
! wide.txt: error: no format recognises it; this is plain text in UTF-16: if its lines are stacks of one frame each, `--from folded` reads it [io-unknown-format]
! polyprof: no profiles found; --recursive looks further down
$ printf '\376\377\0a\0;\1\7\0 \0003\0\n' >wide.txt; polyprof top -q --csv wide.txt
  name,file,line,module,calls,self_samples,total_samples
  ć,,,,,3,3
  a,,,,,0,3
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
    0 samples
    nothing was recorded: the profile is empty

  Next steps
    functions by total cost   polyprof top --sort total node.cpuprofile
    what else the file holds  polyprof info node.cpuprofile

$ for bytes in 'v8-version,11,3,244,8,0' 'TRACE START [2026-11-15 08:08:01]' 'gmon' 'FLR\0\0\2' 'SQLite format 3' 'PK\3\4' '\3757zXZ' 'BZh9' \
>     '\177ELF\2\1\1' '\0asm' '\317\372\355\376' 'JAVA PROFILE 1.0.2' 'Nettrace' '{"traceEvents":[]}' \
>     '{"a":1}' '<svg xmlns="x">' '#!/bin/sh' '{"code": [{"name": "node", "type": "SHARED_LIB"}' '<HTML><body>' ' \n<!DOCTYPE html>' '<?xml version="1.0"?><a/>' \
>     '<?xml version="1.0"?><svg>' ' \n ' '\357\273\277' '\377\330\377\340\0\020JFIF' 'GIF89a' '{\332\1a\351\1\0\0\0000' '\324\303\262\241\2\0'; do
>   printf "$bytes" > stranger; polyprof stranger 2>&1 | sed 's/.*recognises it; //'; done
  this is a V8 log (node --prof): `node --cpu-prof` records a profile that can be read [io-unknown-format]
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
  this is a picture (SVG), not the profile it was made from: `polyprof formats` lists what can be read [io-unknown-format]
  this is a script: record a profile of it first [io-unknown-format]
  this is a V8 log as `node --prof-process --preprocess` writes it: `node --cpu-prof` records a profile that can be read [io-unknown-format]
  this is a web page, not the profile it was made from: `polyprof formats` lists what can be read [io-unknown-format]
  this is a web page, not the profile it was made from: `polyprof formats` lists what can be read [io-unknown-format]
  this is XML, but not from a profiler that is known here: `polyprof formats` lists what can be read [io-unknown-format]
  this is a picture (SVG), not the profile it was made from: `polyprof formats` lists what can be read [io-unknown-format]
  this is an empty file, blanks aside: the profiler wrote nothing, or has not finished [io-unknown-format]
  this is an empty file, blanks aside: the profiler wrote nothing, or has not finished [io-unknown-format]
  this is a picture (JPEG): `polyprof formats` lists what can be read [io-unknown-format]
  this is a picture (GIF): `polyprof formats` lists what can be read [io-unknown-format]
  `polyprof formats` lists what can be read, and --from FORMAT forces one [io-unknown-format]
  `polyprof formats` lists what can be read, and --from FORMAT forces one [io-unknown-format]
$ printf x | gzip | head -c 8 > cut.gz; polyprof cut.gz; polyprof check cut.gz
  cut.gz@0x0: error: the gzip stream ends too early, after 8 bytes that hold 0 decoded ones [io-gzip-truncated]
  cut.gz: reject (1 error)
! cut.gz@0x0: error: the gzip stream ends too early, after 8 bytes that hold 0 decoded ones [io-gzip-truncated]
= 3
$ printf x > in.txt; tar cf a.tar in.txt; polyprof a.tar
! a.tar: error: no format recognises it; this is a tar archive: unpack it and try what is inside [io-unknown-format]
= 3

One is one.

$ printf '{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a"}]},"profiles":[{"type":"evented","name":"x","unit":"seconds","startValue":0,"endValue":2,"events":[{"type":"O","frame":0,"at":0}]}]}' | polyprof check - | head -1
  -:1:226: warning: 1 frame is open at the end [speedscope-open]
$ printf '{"traceEvents":[{"ph":"B","pid":1,"tid":1,"ts":1,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"b"},{"ph":"i","pid":1,"tid":1,"ts":1,"name":"m"}]}' | polyprof check - | grep -v verdict
  -:1:17: warning: 1 slice is open at the end [trace-event-open]
  -:1:115: note: 1 event is no slice (markers: 1) [trace-event-skipped]
  -: warn (trace-event: 1 warning, 1 note)
$ printf '{"traceEvents":[{"ph":"E","pid":1,"tid":1,"ts":1,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"b"}]}' | polyprof check - | head -1
  -:1:17: warning: 1 end has no beginning [trace-event-end]
$ printf '{"main()":{"ct":1,"wt":10},"main()==>f":{"ct":1,"wt":50}}' > less.xhprof; polyprof flame less.xhprof -o - 2>&1 >/dev/null | grep negative
  polyprof: 1 frame has a negative cost of its own, which has no width
