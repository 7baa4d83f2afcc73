#!/usr/bin/env bash
# The program's table of descriptors stays as it is: libprof's are in one of their own. A larger table would be waited for by the
# first event of a program with threads, and one of ours in it could be the one that the program expects to be given.
. "$(dirname "$0")/common.sh"

compile table
compile without
for program in "0 0" "4 0" "16 0" "0 10000" "4 10000"; do
    # shellcheck disable=SC2086
    ./table $program >bare.txt || continue
    same "bare output with $program" "done" "$(cat bare.txt)"
    # shellcheck disable=SC2086
    same "output with $program" "done" "$(record run.prof ./table $program)"
    expect run.prof 'count["range"] == 2000000' 'not any(raw.loss)' 'process["closed"]'
    rm run.prof
done

# Older kernels have no close_range(); containers may refuse the other way, too, and then the table is the program's. So it is
# where a table may have more than 4,096 descriptors.
if ./without close_range true; then
    same "output without close_range()" "done" "$(ulimit -n 1024 && PROF_OUTPUT=old.prof ./without close_range env LD_PRELOAD="$lib" ./table 4 0)"
    expect old.prof 'count["range"] == 2000000' 'not any(raw.loss)' 'process["closed"]'
    PROF_OUTPUT=none.prof ./without close_range,unshare env LD_PRELOAD="$lib" ./table 4 0 >none.txt
    ! found room <none.txt || fail "$(cat none.txt)"
    expect none.prof 'count["range"] == 2000000' 'not any(raw.loss)' 'process["closed"]'
fi
