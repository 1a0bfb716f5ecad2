# Output that cannot be written is never success

$ polyprof top app.folded > /dev/full
! polyprof: error: cannot write standard output: No space left on device
= 4

$ polyprof convert app.folded --to folded > /dev/full
! polyprof: error: cannot write standard output: No space left on device
= 4

$ polyprof --version > /dev/full
! polyprof: error: cannot write standard output: No space left on device
= 4

$ polyprof help >&-
! polyprof: error: cannot write standard output: Bad file descriptor
= 4

$ polyprof check --json app.folded >&-
! polyprof: error: cannot write standard output: Bad file descriptor
= 4

$ polyprof top -o /dev/full app.folded
! polyprof: error: cannot write /dev/full: No space left on device
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
