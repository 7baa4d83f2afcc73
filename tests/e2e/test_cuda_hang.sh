#!/usr/bin/env bash
# A libcupti whose flush never returns: the program runs on, tears its device down, ends as it would without libprof, and
# waits PROF_EXIT_MS for it at most; what came before is in the file, and what did not is accounted for.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda small
compile_cuda endings
compile_cuda locked

# hangs NAME COMMAND...: status and output are what they are without libprof; the limit is for what would never end.
export PROF_FLUSH_MS=50 PROF_EXIT_MS=500
hangs() {
    local name=$1 wanted got
    shift
    wanted=$(bare timeout 600 "$@" 2>&1; echo "status $?")
    got=$(simulate "$name.prof" timeout 600 "$@" 2>"$name.err"; echo "status $?")
    same "$name" "$(grep -v '^libprof' <<<"$wanted")" "$got"
}

for nth in 1 2 5; do
    SIM_FLUSH_HANG=$nth hangs "small-$nth" ./small 200
    SIM_FLUSH_HANG=$nth hangs "return-$nth" ./endings return
    expect_cuda "small-$nth.prof" -- "process['closed'] and loss['missing'] == 0" \
        "loss['launched'] == 203 == loss['recorded'] + loss['unobserved']"
done
# Before a context is destroyed it is flushed, on the program's thread: not where a flush was seen to hang.
SIM_FLUSH_HANG=1 hangs reset ./locked late 1
expect_cuda reset.prof -- "process['closed'] and loss['launched'] == 5 == loss['recorded'] + loss['unobserved']"

# the first is the last at the end of a short program
expect_cuda small-1.prof -- "facts['mode'] == 'partial' and 0 < loss['unobserved'] == 203 - loss['recorded']"
grep -q 'did not deliver' small-1.err || fail "nothing is said: $(cat small-1.err)"
no_violations "libprof with a flush that hangs"
