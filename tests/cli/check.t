# polyprof check

$ polyprof check app.folded
  app.folded: accept (folded)

$ polyprof check bad.folded
  bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
  bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
  bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
  bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
  bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]
  bad.folded: reject (folded: 5 errors)
= 1

$ polyprof check --json bad.folded
  {"files": [{"file": "bad.folded", "format": "folded", "verdict": "reject", "diagnostics": [{"severity": "error", "rule": "folded-count-invalid", "line": 2, "column": 11, "offset": 20, "message": "a count is not a plain non-negative whole number"}, {"severity": "error", "rule": "folded-count-missing", "line": 3, "column": 1, "offset": 23, "message": "a line does not end in a space and a count"}, {"severity": "error", "rule": "folded-count-invalid", "line": 4, "column": 15, "offset": 47, "message": "a count is not a plain non-negative whole number"}, {"severity": "error", "rule": "folded-stack-missing", "line": 5, "column": 4, "offset": 54, "message": "a line has a count but no stack"}, {"severity": "error", "rule": "folded-count-too-large", "line": 6, "column": 11, "offset": 66, "message": "a count is larger than 18446744073709551615"}], "complete": false}]}
= 1

$ polyprof check --csv bad.folded app.folded
  file,line,column,offset,severity,rule,message
  bad.folded,2,11,20,error,folded-count-invalid,a count is not a plain non-negative whole number
  bad.folded,3,1,23,error,folded-count-missing,a line does not end in a space and a count
  bad.folded,4,15,47,error,folded-count-invalid,a count is not a plain non-negative whole number
  bad.folded,5,4,54,error,folded-stack-missing,a line has a count but no stack
  bad.folded,6,11,66,error,folded-count-too-large,a count is larger than 18446744073709551615
= 1

After 20 of a rule they are counted; -v prints all.

$ polyprof check many_bad.folded
  many_bad.folded:1:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:2:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:4:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:5:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:6:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:7:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:8:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:9:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:10:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:11:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:12:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:13:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:14:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:15:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:16:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:17:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:18:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:19:1: error: a line does not end in a space and a count [folded-count-missing]
  many_bad.folded:20:1: error: a line does not end in a space and a count [folded-count-missing]
  ... and 10 more [folded-count-missing]
  many_bad.folded: reject (folded: 30 errors)
= 1

$ polyprof check -v many_bad.folded 2>/dev/null | wc -l
  31

-q: errors only, and nothing about files that are fine.

$ polyprof check -q app.folded

Warnings are findings only under --strict.

$ printf '\377\376a\000 \0001\000\n\000\000\334 \0001\000\n\000' > half.folded; polyprof check half.folded
  half.folded@0x0: note: read as UTF-16, low byte first [folded-utf16]
  half.folded: warning: 1 broken character was replaced by U+FFFD [folded-utf16-damaged]
  half.folded: warn (folded: 1 warning, 1 note)

$ polyprof check --strict half.folded
  half.folded@0x0: note: read as UTF-16, low byte first [folded-utf16]
  half.folded: warning: 1 broken character was replaced by U+FFFD [folded-utf16-damaged]
  half.folded: warn (folded: 1 warning, 1 note)
= 1

Unreadable, unrecognised: exit 3, and JSON is printed all the same.

$ polyprof check --json missing.folded mystery.bin app.folded
  {"files": [{"file": "missing.folded", "verdict": "reject", "diagnostics": [{"severity": "error", "rule": "io-open-failed", "message": "cannot open: No such file or directory"}]}, {"file": "mystery.bin", "verdict": "reject", "diagnostics": [{"severity": "error", "rule": "io-unknown-format", "message": "no format recognises it; `polyprof formats` lists what can be read, and --from FORMAT forces one"}]}, {"file": "app.folded", "format": "folded", "verdict": "accept", "diagnostics": [], "complete": true}]}
= 3

$ mkdir inside; cp app.folded bad.folded inside; touch inside/empty; polyprof check -q inside
  inside/bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
  inside/bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
  inside/bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
  inside/bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
  inside/bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]
  inside/bad.folded: reject (folded: 5 errors)
= 1

$ polyprof check bad.folded missing.folded
  bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
  bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
  bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
  bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
  bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]
  bad.folded: reject (folded: 5 errors)
  missing.folded: error: cannot open: No such file or directory [io-open-failed]
  missing.folded: reject (1 error)
= 3

$ polyprof check -o verdict.json --json mystery.bin; cat verdict.json
  {"files": [{"file": "mystery.bin", "verdict": "reject", "diagnostics": [{"severity": "error", "rule": "io-unknown-format", "message": "no format recognises it; `polyprof formats` lists what can be read, and --from FORMAT forces one"}]}]}

Other commands use what is whole, and say so.

$ polyprof top --json bad.folded
  {"format": "folded", "complete": false, "metric": "samples", "unit": "samples", "total": 7, "estimated": false, "functions": [{"name": "ok", "self": {"samples": 5}, "total": {"samples": 5}}, {"name": "fine", "self": {"samples": 2}, "total": {"samples": 2}}, {"name": "main", "self": {"samples": 0}, "total": {"samples": 7}}], "count": 3}
! bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
! bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
! bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]

$ polyprof top -q --json bad.folded | grep -o '"complete": [a-z]*'
  "complete": false
! bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
! bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
! bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]

$ polyprof top --strict bad.folded
! bad.folded:2:11: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:3:1: error: a line does not end in a space and a count [folded-count-missing]
! bad.folded:4:15: error: a count is not a plain non-negative whole number [folded-count-invalid]
! bad.folded:5:4: error: a line has a count but no stack [folded-stack-missing]
! bad.folded:6:11: error: a count is larger than 18446744073709551615 [folded-count-too-large]
! polyprof: error: bad.folded is damaged, and --strict forbids using the rest
= 3
