#!/usr/bin/env bash
# The functions of libc that libprof stands before return, store and change what libc's do, in a process that records
# nothing and in one that records.
. "$(dirname "$0")/common.sh"

compile contracts -ldl
"$CC" -static -nostdlib "$programs/nothing.c" -o quick
echo 'int nothing;' >empty.c && "$CC" -shared -fPIC empty.c -o empty.so
mkdir denied plain
echo 'exit $1' | tee script plain/script denied/script >denied/contracts
chmod +x script plain/script

# lines COMMAND...: what it and its children print, to the end, and how it ends where it fails.
lines() { { "$@" 2>&1 || echo "status $?"; } | cat; }

for name in $(./contracts groups); do
    lines timeout -s KILL 300 ./contracts $name >bare.txt
    found -v '^status' <bare.txt || fail "$name does not run: $(cat bare.txt)"
    lines record idle.prof timeout -s KILL 300 ./contracts $name >idle.txt
    diff bare.txt idle.txt || fail "$name: while nothing is recorded (>) it is not as without the library (<)"
    [[ ! -e idle.prof ]] || fail "$name: there is a file, but nothing was recorded"
    # Where there are threads, libc itself may not fork in a handler that interrupted malloc().
    [[ $name != handlers ]] || continue
    lines record recording.prof timeout -s KILL 300 ./contracts $name record >recording.txt
    diff bare.txt recording.txt || fail "$name: while it records (>) it is not as without the library (<)"
    expect recording.prof 'count["contract"] == 1' 'process["closed"]'
    rm recording.prof
done
