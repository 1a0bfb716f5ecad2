# polyprof gate

$ printf 'main;a 1000\nmain;b 400\nmain;c 1\n' > old.folded
$ printf 'main;a 1300\nmain;b 404\nmain;c 2\nmain;d 90\n' > new.folded
$ polyprof gate old.folded new.folded --fail-if 'total > +5%'
  FAIL  total > +5%: 1,401 samples before, 1,796 samples after (+28.2%)
  samples: changes within 2 * sqrt(before + after) are noise
= 1

$ polyprof gate old.folded new.folded --fail-if 'total > +50%' --fail-if 'total(main) > 2000'
  pass  total > +50%: 1,401 samples before, 1,796 samples after (+28.2%)
  pass  total(main) > 2000
  samples: changes within 2 * sqrt(before + after) are noise

Noise never fails: b and c moved, but not more than chance moves them.

$ polyprof gate old.folded new.folded --fail-if 'self(/^[bc]$/) > +0%'
  pass  self(/^[bc]$/) > +0%
  samples: changes within 2 * sqrt(before + after) are noise

What is new exceeds every relative limit.

$ polyprof gate old.folded new.folded --fail-if 'self(*) > +5%'
  FAIL  self(*) > +5%
          a: 1,000 samples before, 1,300 samples after (+30.0%)
          d: 0 samples before, 90 samples after (new)
  samples: changes within 2 * sqrt(before + after) are noise
= 1

Values and shares after.

$ polyprof gate old.folded new.folded --fail-if 'self(a) > 50%' --fail-if 'self(/b/) >= 1k' --fail-if 'total < 1'
  FAIL  self(a) > 50%
          a: 1,000 samples before, 1,300 samples after (+30.0%)
  pass  self(/b/) >= 1k
  pass  total < 1: 1,401 samples before, 1,796 samples after (+28.2%)
  samples: changes within 2 * sqrt(before + after) are noise
= 1

$ polyprof gate tiny.json tiny.json --fail-if 'self(top) > 5us' --fail-if 'calls(leaf) > +10%' --fail-if 'calls(/leaf|branch/) > 2'
  one run each: record three or more (--before a1 a2 a3 --after b1 b2 b3)
  FAIL  self(top) > 5us
          top: 9.22 µs before, 9.22 µs after (+0.0%)
  pass  calls(leaf) > +10%
  FAIL  calls(/leaf|branch/) > 2
          branch: 3 calls before, 3 calls after (+0.0%)
          leaf: 6 calls before, 6 calls after (+0.0%)
  single runs: changes within 5% of the larger whole or of the function are noise
= 1

$ polyprof gate old.folded new.folded --fail-if 'self(a) > +5%' --format json
  {"passed": false, "metric": "samples", "unit": "samples", "normalized": false, "before": {"total": 1401, "metric": "samples"}, "after": {"total": 1796, "metric": "samples"}, "estimated": false, "status": "grew", "rule": "samples: changes within 2 * sqrt(before + after) are noise", "limits": [{"expr": "self(a) > +5%", "passed": false, "matched": 1, "functions": [{"name": "a", "before": {"self": 1000, "total": 1000}, "after": {"self": 1300, "total": 1300}, "delta": {"self": 300, "total": 300}, "change": {"self": 0.3, "total": 0.3}, "share": {"self": 0.010054860591146353, "total": 0.010054860591146353}, "status": "grew", "status_total": "grew"}]}]}
= 1

$ polyprof gate old.folded new.folded --fail-if 'self(a) > +5%' --fail-if 'total(main) < -5%' --format markdown
  ### polyprof gate: failed

  | limit | | function | values |
  |---|---|---|---|
  | `self(a) > +5%` | **fail** | `a` | 1,000 samples before, 1,300 samples after (+30.0%) |
  | `total(main) < -5%` | pass |  |  |

  samples: changes within 2 \* sqrt(before \+ after) are noise
= 1

$ polyprof gate old.folded new.folded --fail-if 'self(a) > +5%' --fail-if 'total(main) < -5%' --format junit
  <?xml version="1.0" encoding="UTF-8"?>
  <testsuite name="polyprof gate" tests="2" failures="1">
    <testcase classname="polyprof" name="self(a) &gt; +5%">
      <failure message="1 of 1 functions">a: 1,000 samples before, 1,300 samples after (+30.0%)
  </failure>
    </testcase>
    <testcase classname="polyprof" name="total(main) &lt; -5%"/>
  </testsuite>
= 1

Mistakes are told.

$ polyprof gate old.folded new.folded
! polyprof: error: give at least one limit with --fail-if
! Try `polyprof gate --help`.
= 2

$ polyprof gate old.folded new.folded --fail-if 'speed > 5'
! polyprof: error: --fail-if 'speed > 5': it must begin with total, self(F), total(F) or calls(F) (at character 1)
= 2

$ polyprof gate old.folded new.folded --fail-if 'self > 5'
! polyprof: error: --fail-if 'self > 5': self needs a function: self(NAME), self(/REGEX/) or self(*) (at character 6)
= 2

$ polyprof gate old.folded new.folded --fail-if 'self(a > 5'
! polyprof: error: --fail-if 'self(a > 5': a parenthesis is not closed (at character 6)
= 2

$ polyprof gate old.folded new.folded --fail-if 'self(/(/) > 5'
! polyprof: error: --fail-if 'self(/(/) > 5': missing closing parenthesis at character 2 of '(' (at character 6)
= 2

$ polyprof gate old.folded new.folded --fail-if 'self(a) 5'
! polyprof: error: --fail-if 'self(a) 5': one of > >= < <= must follow (at character 9)
= 2

$ polyprof gate old.folded new.folded --fail-if 'self(a) > much'
! polyprof: error: --fail-if 'self(a) > much': a number must follow, such as 5%, +10%, 2ms or 1000 (at character 11)
= 2

$ polyprof gate old.folded new.folded --fail-if 'self(a) > 5ms'
! polyprof: error: --fail-if 'self(a) > 5ms': 'ms' is not a unit of this metric (samples) (at character 12)
= 2

$ polyprof gate old.folded new.folded --fail-if 'calls(a) > +5%'
! polyprof: error: 'calls(a) > +5%': not both profiles know how often functions were called
= 3

$ polyprof gate old.folded new.folded --fail-if 'self(nosuch) > 5'
  pass  self(nosuch) > 5
  samples: changes within 2 * sqrt(before + after) are noise
! polyprof: 'self(nosuch) > 5': no function of that name in either profile

Names may hold anything: parentheses, blanks, operators, slashes; quotes around them are no part of them.

$ printf 'main;operator new(unsigned long) 100\nmain;a/(b)/c 100\nmain;x > y 100\nmain;f) 100\n' > odd.folded; sed 's/100/300/' odd.folded > odd2.folded

$ polyprof gate odd.folded odd2.folded --fail-if 'self(operator new(unsigned long)) > +5%' --fail-if 'self("x > y") > +5%' --fail-if 'self(x > y) > 250'
  FAIL  self(operator new(unsigned long)) > +5%
          operator new(unsigned long): 100 samples before, 300 samples after (+200.0%)
  FAIL  self("x > y") > +5%
          x > y: 100 samples before, 300 samples after (+200.0%)
  FAIL  self(x > y) > 250
          x > y: 100 samples before, 300 samples after (+200.0%)
  samples: changes within 2 * sqrt(before + after) are noise
= 1

$ polyprof gate odd.folded odd2.folded --fail-if 'self(/a\/\(b\)\/c/) > 250' --fail-if 'self(f)) > 250' --fail-if 'self(/^(main|f\))$/)>200'
  FAIL  self(/a\/\(b\)\/c/) > 250
          a/(b)/c: 100 samples before, 300 samples after (+200.0%)
  FAIL  self(f)) > 250
          f): 100 samples before, 300 samples after (+200.0%)
  FAIL  self(/^(main|f\))$/)>200
          f): 100 samples before, 300 samples after (+200.0%)
  samples: changes within 2 * sqrt(before + after) are noise
= 1

Units: times and bytes by the metric, counts by thousands.

$ polyprof gate closures.xt closures.xt --fail-if 'total > 0.0001s' --fail-if 'total > 114.95us' --fail-if 'total>1min' --fail-if 'total < 1ms' --fail-if 'total >= 114960'
  one run each: record three or more (--before a1 a2 a3 --after b1 b2 b3)
  FAIL  total > 0.0001s: 115 µs before, 115 µs after (+0.0%)
  FAIL  total > 114.95us: 115 µs before, 115 µs after (+0.0%)
  pass  total>1min: 115 µs before, 115 µs after (+0.0%)
  FAIL  total < 1ms: 115 µs before, 115 µs after (+0.0%)
  FAIL  total >= 114960: 115 µs before, 115 µs after (+0.0%)
  single runs: changes within 5% of the larger whole or of the function are noise
= 1

$ polyprof gate -m 'Memory_(bytes)' closures.xt closures.xt --fail-if 'total > 1.9KB' --fail-if 'total > 1.9KiB' --fail-if 'total >= 1976B' --fail-if 'total > 1MB'
  FAIL  total > 1.9KB: 1.93 KiB before, 1.93 KiB after (+0.0%)
  FAIL  total > 1.9KiB: 1.93 KiB before, 1.93 KiB after (+0.0%)
  FAIL  total >= 1976B: 1.93 KiB before, 1.93 KiB after (+0.0%)
  pass  total > 1MB: 1.93 KiB before, 1.93 KiB after (+0.0%)
  exact counts: every difference is real
= 1

What is wrong is said with its place.

$ polyprof gate odd.folded odd2.folded --fail-if 'total > +5% x'
! polyprof: error: --fail-if 'total > +5% x': '% x' is not a unit of this metric (samples) (at character 11)
= 2

$ polyprof gate odd.folded odd2.folded --fail-if 'total >'
! polyprof: error: --fail-if 'total >': a number must follow, such as 5%, +10%, 2ms or 1000 (at character 8)
= 2

$ polyprof gate odd.folded odd2.folded --fail-if 'self(/)/) > 3'
! polyprof: error: --fail-if 'self(/)/) > 3': unmatched closing parenthesis at character 1 of ')' (at character 6)
= 2

$ polyprof gate odd.folded odd2.folded --fail-if 'self() > 3'
! polyprof: error: --fail-if 'self() > 3': no function is named between the parentheses (at character 6)
= 2

For the annotations of a workflow, and for code scanning: places are relative to the current directory.

$ sed "s,a.c,$PWD/src/my file.c," cycle.callgrind > here.callgrind
$ polyprof gate here.callgrind here.callgrind --fail-if 'self(*) > 10%' --fail-if 'total >= 100' --fail-if 'self(zzz) > 1k' --format github
  ::error file=src/my file.c,title=self(*) > 10%25::even: 30 before, 30 after (+0.0%25)
  ::error file=src/my file.c,title=self(*) > 10%25::odd: 60 before, 60 after (+0.0%25)
  ::error title=total >= 100::total: 100 before, 100 after (+0.0%25)
= 1
$ polyprof gate here.callgrind here.callgrind --fail-if 'self(odd) > 10%' --fail-if 'total >= 100' --format sarif | sed 's/semanticVersion": "[^"]*/semanticVersion": "VERSION/'
  {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{"tool": {"driver": {"name": "polyprof", "semanticVersion": "VERSION", "rules": [{"id": "self(odd) > 10%", "shortDescription": {"text": "self(odd) > 10%"}, "fullDescription": {"text": "A limit of the own cost of functions: fails if self(odd) > 10%"}, "defaultConfiguration": {"level": "error"}}, {"id": "total >= 100", "shortDescription": {"text": "total >= 100"}, "fullDescription": {"text": "A limit of the whole: fails if total >= 100"}, "defaultConfiguration": {"level": "error"}}]}}, "results": [{"ruleId": "self(odd) > 10%", "ruleIndex": 0, "level": "error", "message": {"text": "odd: 60 before, 60 after (+0.0%)"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "src/my%20file.c"}}, "logicalLocations": [{"fullyQualifiedName": "odd", "kind": "function"}]}]}, {"ruleId": "total >= 100", "ruleIndex": 1, "level": "error", "message": {"text": "total: 100 before, 100 after (+0.0%)"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "here.callgrind"}}}]}]}]}
$ polyprof gate closures.xt closures.xt --fail-if 'self({main}) > 1us' --format sarif | sed 's/semanticVersion": "[^"]*/semanticVersion": "VERSION/'
  {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{"tool": {"driver": {"name": "polyprof", "semanticVersion": "VERSION", "rules": [{"id": "self({main}) > 1us", "shortDescription": {"text": "self({main}) > 1us"}, "fullDescription": {"text": "A limit of the own cost of functions: fails if self({main}) > 1us"}, "defaultConfiguration": {"level": "error"}}]}}, "results": [{"ruleId": "self({main}) > 1us", "ruleIndex": 0, "level": "error", "message": {"text": "{main}: 72.3 µs before, 72.3 µs after (+0.0%)"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "file:///srv/app/closures.php"}, "region": {"startLine": 1}}, "logicalLocations": [{"fullyQualifiedName": "{main}", "kind": "function"}]}]}]}]}
! polyprof: one run each: record three or more (--before a1 a2 a3 --after b1 b2 b3)
$ polyprof gate here.callgrind here.callgrind --fail-if 'total > +1%' --format github
  ::notice title=polyprof gate::the limit holds
$ polyprof gate here.callgrind here.callgrind --fail-if 'total > +1%' --format sarif -o x.xml
! polyprof: error: x.xml would be a misleading name for sarif output: use x.sarif
= 2
$ polyprof gate here.callgrind here.callgrind --fail-if 'total > +1%' --format sarif -o x.sarif && cat x.sarif | sed 's/semanticVersion": "[^"]*/semanticVersion": "VERSION/'
  {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [{"tool": {"driver": {"name": "polyprof", "semanticVersion": "VERSION", "rules": [{"id": "total > +1%", "shortDescription": {"text": "total > +1%"}, "fullDescription": {"text": "A limit of the whole: fails if total > +1%"}, "defaultConfiguration": {"level": "error"}}]}}, "results": []}]}
