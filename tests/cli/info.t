# polyprof info

$ polyprof info app.folded
  app.folded
    format        folded (folded stacks)
    size          580 B
    facets        tree
    complete      yes
    metric        1,047 samples
    holds         11 stacks, 16 functions

$ polyprof info change.diff.folded
  change.diff.folded
    format        diff-folded (differential folded stacks)
    size          71 B
    facets        tree
    complete      yes
    metrics       before: 75 samples
                  after: 65 samples, primary
    holds         4 stacks, 5 functions

$ polyprof info --json app.folded
  {"file": "app.folded", "format": "folded", "compression": [], "complete": true, "facets": ["tree"], "primary": "samples", "metrics": [{"name": "samples", "unit": "samples", "total": 1047, "key": "samples"}], "counts": {"events": 0, "samples": 1047, "stacks": 11, "functions": 16, "threads": 1, "edges": 0, "lines": 0}, "meta": {}, "diagnostics": [], "size": 580}

$ gzip -nk app.folded && polyprof info app.folded.gz | grep -v size
  app.folded.gz
    format        folded (folded stacks)
    compression   gzip
    facets        tree
    complete      yes
    metric        1,047 samples
    holds         11 stacks, 16 functions

$ polyprof convert app.folded -o x.folded.zst && gzip < x.folded.zst | polyprof info --json - | python3 -c 'import json,sys; print(json.load(sys.stdin)["compression"])'
  ['gzip', 'zstd']

Why it was recognised, or not.

$ polyprof info --why change.diff.folded | grep -o '[a-z-]*folded: .*'
  diff-folded: 8 bits, chosen
  folded: 1 bit

$ polyprof info --why mystery.bin | grep -o '[a-z-]*folded: .*'
  diff-folded: 0 bits
  folded: 0 bits
! mystery.bin: error: no format recognises it; `polyprof formats` lists what can be read, and --from FORMAT forces one [io-unknown-format]

$ polyprof info --json --why app.folded | grep -o '"bids.*bits": 20}'
  "bids": [{"format": "folded", "bits": 20}

Several files one after the other.

$ polyprof info app.folded missing.folded other.folded
  app.folded
    format        folded (folded stacks)
    size          580 B
    facets        tree
    complete      yes
    metric        1,047 samples
    holds         11 stacks, 16 functions

  other.folded
    format        folded (folded stacks)
    size          82 B
    facets        tree
    complete      yes
    metric        142 samples
    holds         2 stacks, 7 functions
! missing.folded: error: cannot open: No such file or directory [io-open-failed]
= 3

$ polyprof info --json app.folded other.folded | python3 -c 'import json,sys; print([f["file"] for f in json.load(sys.stdin)["files"]])'
  ['app.folded', 'other.folded']

A cut container: what is whole is used and said to be partial.

$ head -c 200 app.folded.gz > cut.folded.gz; polyprof info --json cut.folded.gz | grep -o '"complete": [a-z]*'
  "complete": false
! cut.folded.gz@0x216: error: the gzip stream ends too early, after 200 bytes that hold 534 decoded ones [io-gzip-truncated]

$ polyprof info --strict cut.folded.gz
! cut.folded.gz@0x216: error: the gzip stream ends too early, after 200 bytes that hold 534 decoded ones [io-gzip-truncated]
! polyprof: error: cut.folded.gz is damaged, and --strict forbids using the rest
= 3

Among several files, one that cannot be read has its entry, too.

$ polyprof info --json app.folded missing.folded mystery.bin 2> /dev/null | python3 -c 'import json,sys; print([(f["file"], f["complete"], [d["rule"] for d in f["diagnostics"]]) for f in json.load(sys.stdin)["files"]])'
  [('app.folded', True, []), ('missing.folded', False, ['io-open-failed']), ('mystery.bin', False, ['io-unknown-format'])]

What a browser tells about itself is cut for people, not in JSON.
$ { printf '{"traceEvents":[{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}],"otherData":{"k0":0'; for i in $(seq 1 80); do printf ',"k%d":%d' $i $i; done; printf '}}'; } >told.trace.json
$ polyprof info told.trace.json | tail -3
                    k57 = 57
                    k58 = 58
                  ... and 22 more lines (--json has all)
$ polyprof info --json told.trace.json | grep -o '"k80": 80'
  "k80": 80
