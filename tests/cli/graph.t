# polyprof graph

$ polyprof graph cycle.callgrind
  digraph calls {
  \tgraph [label="cycle.callgrind\\nT \xc2\xb7 100" labelloc="t" fontsize="16" fontname="Helvetica,Arial,sans-serif" fontcolor="#1c1c22" bgcolor="#ffffff" pad="0.3" nodesep="0.25" ranksep="0.5"]; (esc)
  \tnode [shape="box" style="filled,rounded" color="#55555f" fontcolor="#1c1c22" fontname="Helvetica,Arial,sans-serif" margin="0.3,0.07"]; (esc)
  \tedge [fontsize="9" fontcolor="#3a3a44" fontname="Helvetica,Arial,sans-serif" arrowsize="0.7"]; (esc)
  \tn1 [function="zzz" file="a.c" self="10" total="100" label="zzz\\nself 10 (10.0%)\\ntotal 100 (100.0%)" tooltip="zzz\\nself 10 count (10.0%)\\ntotal 100 count (100.0%)" fillcolor="#b975d7" fontsize="13.8"]; (esc)
  \tn2 [function="odd" file="a.c" calls="2" self="60" total="60" label="odd\\nself 60 (60.0%)\\ntotal 60 (60.0%)" tooltip="odd\\nself 60 count (60.0%)\\ntotal 60 count (60.0%)\\n2 calls" fillcolor="#ba79d8" fontsize="19.3"]; (esc)
  \tn3 [function="even" file="a.c" calls="3" self="30" total="30" label="even\\nself 30 (30.0%)\\ntotal 30 (30.0%)" tooltip="even\\nself 30 count (30.0%)\\ntotal 30 count (30.0%)\\n3 calls" fillcolor="#bc7dd9" fontsize="16.6"]; (esc)
  \tn1 -> n3 [calls="1" total="30" label="\xc2\xa0\xc2\xa030.0%\xc2\xa0\xc2\xa0\\n\xc2\xa0\xc2\xa01\xc3\x97\xc2\xa0\xc2\xa0" tooltip="zzz \xe2\x86\x92 even\\ntotal 30 count (30.0%)\\n1 call" labeltooltip="zzz \xe2\x86\x92 even\\ntotal 30 count (30.0%)\\n1 call" penwidth="3.54" weight="30" color="#595959"]; (esc)
  \tn2 -> n3 [calls="2" total="0" label="\xc2\xa0\xc2\xa02\xc3\x97\xc2\xa0\xc2\xa0" tooltip="odd \xe2\x86\x92 even\\ntotal 0 count (0.0%)\\n2 calls" labeltooltip="odd \xe2\x86\x92 even\\ntotal 0 count (0.0%)\\n2 calls" penwidth="0.80" weight="1" color="#969696"]; (esc)
  \tn3 -> n2 [calls="2" total="0" label="\xc2\xa0\xc2\xa02\xc3\x97\xc2\xa0\xc2\xa0" tooltip="even \xe2\x86\x92 odd\\ntotal 0 count (0.0%)\\n2 calls" labeltooltip="even \xe2\x86\x92 odd\\ntotal 0 count (0.0%)\\n2 calls" penwidth="0.80" weight="1" color="#969696"]; (esc)
  }
$ polyprof graph tiny.json -o tiny.dot && grep -c function= tiny.dot
  4

Recursion has an arrow to itself; what is light is left out, and said.

$ polyprof graph recursion.folded --min 30 | grep -e '->' -e graph | cut -c 1-60
  digraph calls {
  \tgraph [label="recursion.folded\\nsamples \xc2\xb7 42 samples \xc2\xb7 9  (esc)
  \tn1 -> n6 [total="17" label="\xc2\xa0\xc2\xa040.5%\xc2\xa0\xc2\xa0" tooltip="main \xe2\x86 (esc)
  \tn1 -> n9 [total="15" label="\xc2\xa0\xc2\xa035.7%\xc2\xa0\xc2\xa0" tooltip="main \xe2\x86 (esc)
  \tn2 -> n3 [total="17" label="\xc2\xa0\xc2\xa040.5%\xc2\xa0\xc2\xa0" tooltip="a \xe2\x86\x92 b (esc)
  \tn3 -> n4 [total="17" label="\xc2\xa0\xc2\xa040.5%\xc2\xa0\xc2\xa0" tooltip="b \xe2\x86\x92 c (esc)
  \tn4 -> n5 [total="17" label="\xc2\xa0\xc2\xa040.5%\xc2\xa0\xc2\xa0" tooltip="c \xe2\x86\x92 d (esc)
  \tn5 -> n7 [total="17" label="\xc2\xa0\xc2\xa040.5%\xc2\xa0\xc2\xa0" tooltip="d \xe2\x86\x92 e (esc)
  \tn6 -> n2 [total="17" label="\xc2\xa0\xc2\xa040.5%\xc2\xa0\xc2\xa0" tooltip="deep \xe2\x86 (esc)
  \tn8 -> n9 [total="0" label="" tooltip="odd \xe2\x86\x92 even\\ntotal 0 (esc)
  \tn9 -> n8 [total="15" label="\xc2\xa0\xc2\xa035.7%\xc2\xa0\xc2\xa0" tooltip="even \xe2\x86 (esc)
! polyprof: 9 of 14 functions and 9 of 15 edges are drawn; --min 0 -n 0 draws all
$ polyprof graph recursion.folded -n 3 -o - | grep -o 'n[0-9]* \[function="[a-z]*"'
  n1 [function="main"
  n2 [function="a"
  n3 [function="b"
! polyprof: 3 of 14 functions and 1 of 15 edges are drawn; --min 0 -n 0 draws all
$ polyprof graph recursion.folded --min 0 -n 0 | grep -o 'n11 -> n11 .total="[0-9]*"'
  n11 -> n11 [total="0"

One function, its callers and callees.

$ polyprof graph recursion.folded --function g --depth 1 | grep -o 'function="[a-z]*"'
  function="e"
  function="g"
  function="h"
! polyprof: 3 of 14 functions and 2 of 15 edges are drawn; --min 0 -n 0 draws all
$ polyprof graph recursion.folded --function fact | grep -o 'function="[a-z]*"'
  function="main"
  function="fact"
  function="mul"
! polyprof: 3 of 14 functions and 3 of 15 edges are drawn; --min 0 -n 0 draws all
$ polyprof graph recursion.folded --depth 2 | grep -o 'function="[a-z]*"'
  function="main"
  function="deep"
  function="even"
  function="fact"
! polyprof: 4 of 14 functions and 4 of 15 edges are drawn; --min 0 -n 0 draws all
$ polyprof graph recursion.folded --focus '^g$' | grep -o 'function="[a-z]*"' | tr '\n' ' '
  function="g" function="a" function="b" function="c" function="d" function="deep" function="e" function="main" function="h"  (esc) (no-eol)
! polyprof: the filters keep 23.8%, 10 samples; shares below are of that
$ polyprof graph recursion.folded --function nosuch
! polyprof: error: no function is named 'nosuch'; the closest names:
!   c
!   fact
!   h
!   mul
!   odd
!   a
!   b
!   d
= 2
$ polyprof graph -m 'Memory_(bytes)' closures.xt --min 0 | grep -o 'function=".*total="[0-9]*' | head -2
  function="{main}" file="/srv/app/closures.php" line="1" calls="1" self="1040" total="1976
  function="App\\Utils\\Filter->bound" file="/srv/app/closures.php" line="6" calls="1" self="384" total="384
$ polyprof graph --by file closures.xt 2>&- | grep -o 'function=".*total="[0-9]*'
  function="/srv/app/closures.php" calls="25" self="98060" total="114960
  function="php:internal" calls="5" self="15090" total="17250
  function="/srv/app/closures.php(12) : eval()'d code" calls="2" self="1780" total="1780

Any name.

$ printf '{"main()":{"ct":1,"wt":9},"main()==>q\\"b\\\\s\\nn<script>&lt;\\u001b\\u0007":{"ct":2,"wt":5}}' > odd.xhprof.json
$ polyprof graph odd.xhprof.json | grep n2
  \tn2 [function="q\\"b\\\\s\\nn<script>&lt;\\\\x1b\\\\x07" calls="2" self="5000" total="5000" label="q\\"b\\\\s\\\\x0an<script>&amp;lt;\\\\x1b\\\\x07\\nself 5.00 \xc2\xb5s (55.6%)\\ntotal 5.00 \xc2\xb5s (55.6%)" tooltip="q\\"b\\\\s\\\\x0an<script>&amp;lt;\\\\x1b\\\\x07\\nself 5000 ns (55.6%)\\ntotal 5000 ns (55.6%)\\n2 calls" fillcolor="#da81a1" fontsize="18.9"]; (esc)
  \tn1 -> n2 [calls="2" total="5000" label="\xc2\xa0\xc2\xa055.6%\xc2\xa0\xc2\xa0\\n\xc2\xa0\xc2\xa02\xc3\x97\xc2\xa0\xc2\xa0" tooltip="main() \xe2\x86\x92 q\\"b\\\\s\\\\x0an<script>&amp;lt;\\\\x1b\\\\x07\\ntotal 5000 ns (55.6%)\\n2 calls" labeltooltip="main() \xe2\x86\x92 q\\"b\\\\s\\\\x0an<script>&amp;lt;\\\\x1b\\\\x07\\ntotal 5000 ns (55.6%)\\n2 calls" penwidth="4.53" weight="56" color="#444444"]; (esc)
$ (printf 'main;'; head -c 1000000 /dev/zero | tr '\0' 'x'; echo ' 3') > long.folded; polyprof graph long.folded | grep n2 | sed 's/xx*/X/g'
  \tn2 [function="main" self="0" total="3" label="main\\nself 0 (0.0%)\\ntotal 3 (100.0%)" tooltip="main\\nself 0 samples (0.0%)\\ntotal 3 samples (100.0%)" fillcolor="#acaeb9" fontsize="10.0"]; (esc)
  \tn2 -> n1 [total="3" label="\xc2\xa0\xc2\xa0100.0%\xc2\xa0\xc2\xa0" tooltip="main \xe2\x86\x92 X\xe2\x80\xa6X\\ntotal 3 samples (100.0%)" labeltooltip="main \xe2\x86\x92 X\xe2\x80\xa6X\\ntotal 3 samples (100.0%)" penwidth="5.80" weight="100" color="#282828"]; (esc)
$ printf 'main;_ZN3foo3barEi 5\n' > mangled.folded; polyprof graph mangled.folded | grep -o 'n1 .*(int)..self'; polyprof graph --demangle mangled.folded | grep -o 'n1 .function[^ ]*'
  n1 [function="_ZN3foo3barEi" self="5" total="5" label="foo::bar(int)\nself 5 (100.0%)\ntotal 5 (100.0%)" tooltip="foo::bar(int)\nself
  n1 [function="foo::bar(int)"

Nothing to draw, and nothing that could be drawn.

$ polyprof graph empty.folded | head -2 | cut -c 1-80
  digraph calls {
  \tgraph [label="empty.folded\\nsamples \xc2\xb7 0 samples \xc2\xb7 nothing to draw" labelloc=" (esc)
$ polyprof graph whole.cachegrind
! polyprof: error: this profile does not know which function called which
= 3
$ polyprof graph app.folded -o x.png
! polyprof: error: x.png would be a misleading name for svg output: use x.svg
= 2
$ polyprof graph app.folded --format dot -o x.svg
! polyprof: error: x.svg would be a misleading name for dot output: use x.dot
= 2
$ polyprof graph --json recursion.folded -n 2
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 42, "estimated": false, "functions": [{"name": "main", "self": {"samples": 0}, "total": {"samples": 42}}, {"name": "a", "self": {"samples": 0}, "total": {"samples": 17}}], "edges": []}
! polyprof: 2 of 14 functions and 0 of 15 edges are drawn; --min 0 -n 0 draws all

Graphviz lays it out, where it is installed.

$ mkdir none && ln -s "$(command -v polyprof)" none && PATH=none polyprof graph -q app.folded -o y.svg.gz; PATH=none polyprof graph -q app.folded --format svg; PATH=none polyprof graph app.folded -o x.svg; ls x.svg 2>&1 | tail -1
  ls: cannot access 'x.svg': No such file or directory
! polyprof: error: Graphviz draws SVG, and its program `dot` is not installed: install graphviz, or write the graph as text, -o y.dot
! polyprof: error: Graphviz draws SVG, and its program `dot` is not installed: install graphviz, or write the graph as text, --format dot
! polyprof: error: Graphviz draws SVG, and its program `dot` is not installed: install graphviz, or write the graph as text, -o x.dot
$ mkdir with && printf '#!/bin/sh\ncat > seen.dot\necho "<svg>$*</svg>"\n' > with/dot && chmod +x with/dot
$ PATH=with:$PATH polyprof graph app.folded -o x.svg && cat x.svg && polyprof graph app.folded 2>&- | cmp - seen.dot
  <svg>-Tsvg</svg>
$ PATH=with:$PATH polyprof graph app.folded --format svg
  <svg>-Tsvg</svg>
$ PATH=with:$PATH polyprof graph app.folded -o x.svg.gz && gzip -dc x.svg.gz; rm x.svg*
  <svg>-Tsvg</svg>

What it does wrong is told, and leaves nothing behind.

$ printf '#!/bin/sh\nprintf "Error: syntax\\033[31m\\nmore\\n" >&2\nexit 3\n' > with/dot; PATH=with:$PATH polyprof graph long.folded -o x.svg
! polyprof: error: Graphviz's dot failed with exit code 3: Error: syntax\x1b[31m
= 4
$ printf '#!/bin/sh\nkill -9 $$\n' > with/dot; PATH=with:$PATH polyprof graph long.folded -o x.svg
! polyprof: error: Graphviz's dot was ended by a signal
= 4
$ printf '#!/bin/sh\necho "<svg>"\n' > with/dot; PATH=with:$PATH polyprof graph long.folded -o x.svg
! polyprof: error: Graphviz's dot gave no picture
= 4
$ printf '#!/bin/sh\ncat\n' > with/dot; PATH=with:$PATH polyprof graph long.folded --max-output 10K -o x.svg
! x.svg: error: cannot write: it would be too large; --max-output SIZE allows more [io-write-failed]
= 4
$ printf '#!/bin/sh\nwhile :; do echo "<svg>"; done\n' > with/dot; PATH=with:$PATH polyprof graph long.folded --max-output 1M -o x.svg
! x.svg: error: cannot write: it would be too large; --max-output SIZE allows more [io-write-failed]
= 4
$ chmod -x with/dot; PATH=with:none polyprof graph app.folded -o x.svg
! polyprof: error: Graphviz's dot cannot be run: Permission denied
= 4
$ ls x.svg* 2>&1 | wc -l
  1

Libraries that most programs have are told apart by their colours.

$ printf 'app 1 [000] 1.0: 7 cycles:\n\t1000 %s (/lib/%s)\n\n' a libc.so.6 b libm.so.6 c ld-linux-x86-64.so.2 d libstdc++.so.6 > libraries.txt
$ polyprof graph -q libraries.txt -o - | python3 -c 'import colorsys, re, sys; h = sorted(colorsys.rgb_to_hls(*(int(c[i:i + 2], 16) / 255 for i in (0, 2, 4)))[0] * 360 for c in re.findall("fillcolor=.#(......)", sys.stdin.read())); print(len(h), min((b - a) % 360 for a, b in zip(h, h[1:] + h[:1])) > 9)'
  4 True
$ rm libraries.txt
