# Output that cannot be written is never success

$ polyprof top app.folded > /dev/full
! standard output: error: cannot write: No space left on device [io-write-failed]
= 4

$ polyprof convert app.folded --to folded > /dev/full
! standard output: error: cannot write: No space left on device [io-write-failed]
= 4

$ polyprof --version > /dev/full
! standard output: error: cannot write: No space left on device [io-write-failed]
= 4

$ polyprof help >&-
! standard output: error: cannot write: Bad file descriptor [io-write-failed]
= 4

$ polyprof check --json app.folded >&-
! standard output: error: cannot write: Bad file descriptor [io-write-failed]
= 4

$ polyprof top -o /dev/full app.folded
! /dev/full: error: cannot write: No space left on device [io-write-failed]
= 4

A reader who goes away is told nothing.

$ { sleep 0.3; polyprof top app.folded; echo "exit $?" >&2; } | true
! exit 4

Standard error may be closed.

$ polyprof top missing.folded 2>&-
= 3

$ polyprof top - <&-
! -@0x0: error: reading failed: Bad file descriptor [io-read-failed]
= 3

A descriptor by name is used as it is held: what stood there stays.

$ cd $(mktemp -d); printf 'before\n' > log; polyprof convert --to folded $OLDPWD/app.folded -o /dev/stdout >> log; head -n 1 log; wc -l < log
  before
  12

$ cd $(mktemp -d); printf 'before\n' > log; polyprof convert --to folded $OLDPWD/app.folded -o /dev/fd/7 7>> log; head -n 1 log; wc -l < log
  before
  12

A file that may not grow is an output that cannot be written, and leaves nothing behind.

$ cd $(mktemp -d); (ulimit -f 1; polyprof flame $OLDPWD/app.folded -o out.svg); echo "exit $?"; ls -A
  exit 4
! out.svg: error: cannot write: File too large [io-write-failed]
