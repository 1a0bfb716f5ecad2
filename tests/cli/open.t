# polyprof open

Without a display, or without a program to open it with, the path is printed.

$ export XDG_CACHE_HOME=$PWD/cache; unset DISPLAY WAYLAND_DISPLAY; polyprof open app.folded | sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/"
  ./cache/polyprof/app.folded-HASH.html
$ stat -c %a cache cache/polyprof; head -c 15 cache/polyprof/*.html
  700
  700
  <!DOCTYPE html> (no-eol)
$ cd cache && XDG_CACHE_HOME=$PWD polyprof open ../app.folded | sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/"; ls polyprof | wc -l
  ./polyprof/app.folded-HASH.html
  1
$ mkdir none && ln -s "$(command -v polyprof)" none; XDG_CACHE_HOME=relative DISPLAY=:0 PATH=none polyprof open --title T app.folded -q > path; grep -c "^$HOME/.cache/polyprof/app.folded-[0-9a-f]*.html$" path
  1

It is opened where there are both.

$ mkdir with && printf '#!/bin/sh\necho "$# $1" > seen; echo noise; echo noise >&2\n' > with/xdg-open && chmod +x with/xdg-open
$ export PATH=$PWD/with:$PATH XDG_CACHE_HOME=$PWD/cache; DISPLAY=:0 polyprof open app.folded 2>&1 | sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/"; sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/" seen
  polyprof: opened ./cache/polyprof/app.folded-HASH.html
  1 ./cache/polyprof/app.folded-HASH.html
$ export PATH=$PWD/with:$PATH XDG_CACHE_HOME=$PWD/cache; WAYLAND_DISPLAY=w polyprof open -q --focus a app.folded other.folded; cut -c 1-2 seen; ls cache/polyprof | wc -l
  1  (esc)
  2
$ PATH=$PWD/with:$PATH DISPLAY=:0 polyprof open app.folded -q -o 'my report.html' && sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/" seen
  1 ./my report.html
$ PATH=$PWD/with:$PATH XDG_CACHE_HOME=$PWD/cache DISPLAY=:0 polyprof open -q - < app.folded && sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/" seen | cut -c 1-24
  1 ./cache/polyprof/stdin
$ printf '#!/bin/sh\nexit 3\n' > with/xdg-open; PATH=$PWD/with:$PATH XDG_CACHE_HOME=$PWD/cache DISPLAY=:0 polyprof open app.folded | sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/"
  ./cache/polyprof/app.folded-HASH.html
! polyprof: xdg-open does not open it: open it yourself

Names are harmless, old reports go, and what is no report stays.

$ cp app.folded './-x $(y);.folded'; XDG_CACHE_HOME=$PWD/new polyprof open -- './-x $(y);.folded' | sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/"
  ./new/polyprof/_x___y__.folded-HASH.html
$ for i in $(seq 10 40); do touch -d "2020-01-01" new/polyprof/old-00000000000000$i.html; touch -d "1 hour ago" new/polyprof/new-00000000000000$i.html; done; touch new/polyprof/mine.html; XDG_CACHE_HOME=$PWD/new polyprof open app.folded >/dev/null; ls new/polyprof | cut -c 1-4 | sort | uniq -c
        1 _x__
        1 app.
        1 mine
       18 new-

What goes wrong is told.

$ XDG_CACHE_HOME=$PWD/new polyprof open nosuch.folded
! nosuch.folded: error: cannot open: No such file or directory [io-open-failed]
= 3
$ env -u HOME -u XDG_CACHE_HOME polyprof open app.folded
! polyprof: error: there is no cache directory: neither XDG_CACHE_HOME nor HOME is set; -o FILE says where to write the report
= 4
$ touch file; XDG_CACHE_HOME=$PWD/file polyprof open app.folded 2>&1 | sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/"
  polyprof: error: cannot keep reports in ./file/polyprof: Not a directory; -o FILE writes one elsewhere
$ mkdir linked && ln -s ../new/polyprof linked/polyprof; XDG_CACHE_HOME=$PWD/linked polyprof open app.folded 2>&1 | sed "s,$PWD,.,; s/-[0-9a-f]\{16\}/-HASH/"
  polyprof: error: cannot keep reports in ./linked/polyprof: Not a directory; -o FILE writes one elsewhere
$ polyprof open app.folded -o -
! polyprof: error: standard output cannot be opened; name a file with -o
! Try `polyprof open --help`.
= 2
$ polyprof open app.folded -o x.txt
! polyprof: error: x.txt would be a misleading name for html output: use x.html
= 2

Source files are part of a report as far as there is room.

$ mkdir src && (seq -f '// %20.0f' 1 20000) > src/a.c && polyprof report -q --source src cycle.callgrind -o whole.html && polyprof report --max-size 400K --source src cycle.callgrind -o cut.html 2>&1 | grep -v estimated; test $(stat -c %s cut.html) -lt 400000 && test $(stat -c %s whole.html) -gt $(stat -c %s cut.html)
  polyprof: left out to stay within --max-size: 1 source file
