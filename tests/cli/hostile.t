# Names are an attack: nothing of them reaches a terminal raw

$ polyprof top hostile.folded
  35 samples in 12 functions

    self  self%                total  total%  function
       8  22.9%  ████████████      8   22.9%  very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::end
       6  17.1%  █████████         6   17.1%  漢字の関数
       5  14.3%  ███████▌          5   14.3%  \x1b[31mred\x1b[0m
       4  11.4%  ██████            4   11.4%  caf\xe9
       3   8.6%  ████▌             3    8.6%  bell\x07
       2   5.7%  ███               2    5.7%  <script>alert(1)</script>
       2   5.7%  ███               2    5.7%  a,b"c"
       2   5.7%  ███               2    5.7%  \u{202e}gnp.exe
       1   2.9%  █▌                1    2.9%  =cmd|calc
       1   2.9%  █▌                1    2.9%  naïve
       1   2.9%  █▌                1    2.9%  tab\x09in name
       0   0.0%                   35  100.0%  main

$ polyprof top --json hostile.folded
  {"format": "folded", "complete": true, "metric": "samples", "unit": "samples", "total": 35, "estimated": false, "functions": [{"name": "very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::end", "self": {"samples": 8}, "total": {"samples": 8}}, {"name": "漢字の関数", "self": {"samples": 6}, "total": {"samples": 6}}, {"name": "\u001b[31mred\u001b[0m", "self": {"samples": 5}, "total": {"samples": 5}}, {"name": "caf�", "name_hex": "636166e9", "self": {"samples": 4}, "total": {"samples": 4}}, {"name": "bell\u0007", "self": {"samples": 3}, "total": {"samples": 3}}, {"name": "<script>alert(1)<\/script>", "self": {"samples": 2}, "total": {"samples": 2}}, {"name": "a,b\"c\"", "self": {"samples": 2}, "total": {"samples": 2}}, {"name": "\u202egnp.exe", "self": {"samples": 2}, "total": {"samples": 2}}, {"name": "=cmd|calc", "self": {"samples": 1}, "total": {"samples": 1}}, {"name": "naïve", "self": {"samples": 1}, "total": {"samples": 1}}, {"name": "tab\tin name", "self": {"samples": 1}, "total": {"samples": 1}}, {"name": "main", "self": {"samples": 0}, "total": {"samples": 35}}], "count": 12}

$ polyprof top --csv hostile.folded
  name,file,line,module,calls,self_samples,total_samples
  very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::end,,,,,8,8
  漢字の関数,,,,,6,6
  \x1b[31mred\x1b[0m,,,,,5,5 (esc)
  caf�,,,,,4,4
  bell\x07,,,,,3,3 (esc)
  <script>alert(1)</script>,,,,,2,2
  "a,b""c""",,,,,2,2
  \xe2\x80\xaegnp.exe,,,,,2,2 (esc)
  '=cmd|calc,,,,,1,1
  naïve,,,,,1,1
  tab\tin name,,,,,1,1 (esc)
  main,,,,,0,35

On a terminal long names are shortened in the middle, whatever their width.

$ terminal 60 polyprof top --color never hostile.folded
  35 samples in 12 functions

    self  self%  total  function
       8  22.9%      8  …very_long_name::very_long_name::end
       6  17.1%      6  漢字の関数
       5  14.3%      5  \x1b[31mred\x1b[0m
       4  11.4%      4  caf\xe9
       3   8.6%      3  bell\x07
       2   5.7%      2  <script>alert(1)</script>
       2   5.7%      2  a,b"c"
       2   5.7%      2  \u{202e}gnp.exe
       1   2.9%      1  =cmd|calc
       1   2.9%      1  naïve
       1   2.9%      1  tab\x09in name
       0   0.0%     35  main

CSV and converted stacks are tame on a terminal.

$ terminal 80 polyprof top --csv -n 4 hostile.folded
  name,file,line,module,calls,self_samples,total_samples
  very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::very_long_name::end,,,,,8,8
  漢字の関数,,,,,6,6
  \x1b[31mred\x1b[0m,,,,,5,5
  caf\xe9,,,,,4,4

$ terminal 80 polyprof convert hostile.folded --to folded | head -4
  main;\x1b[31mred\x1b[0m 5
  main;<script>alert(1)</script> 2
  main;=cmd|calc 1
  main;a,b"c" 2

File names too.

$ touch "$(printf 'x\033[31m.folded')"; polyprof check x*.folded | cat -v; rm -f x*.folded
  x\x1b[31m.folded: accept (folded)

$ polyprof top "$(printf 'no\033]0;title\007.folded')"
! no\x1b]0;title\x07.folded: error: cannot open: No such file or directory [io-open-failed]
= 3

# Many events times many functions take room only where something is: stacks are estimated of what has a cost.
$ awk 'BEGIN { printf "events:"; for (i = 0; i < 500; i++) printf " E%d", i; print ""; for (i = 0; i < 20000; i++) print "fn=f" i "\n1 1\ncfn=f" i + 1 "\ncalls=1 1\n1 1" }' > wide.callgrind; for verb in top tree flame lines; do polyprof $verb --max-memory 150M -q wide.callgrind > x; echo $?; done
  0
  0
  0
  0

A name that is all separators is shortened as fast as any other.

$ awk 'BEGIN { printf "m;"; for (i = 0; i < 200000; i++) printf "a::"; print "f 1" }' > colons.folded; timeout 60 terminal 80 polyprof top --color never colons.folded | grep -o 'a::f$'
  a::f
