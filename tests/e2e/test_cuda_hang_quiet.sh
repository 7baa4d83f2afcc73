#!/usr/bin/env bash
# What CUDA programs have launched is not outstanding once they are done with it: while they do nothing more for longer than
# PROF_HANG, there is no alarm. One for an open range is none of this test's business: a loaded machine may take that long.
# SIM_CUPTI_LAYOUT is chosen here.
. "$(dirname "$0")/cuda_common.sh"

programs_that_end=(capture_first crowd devices driver_api "endings return" graphs "graphs early" "graphs switched" "graphs copies"
    "ledger 5" "locked late 1" memory sins "small 100" stacks streams summed timed waits windows)
compile lingers -shared -fPIC -ldl
for program in "${programs_that_end[@]}"; do
    [[ -e ${program%% *} ]] || compile_cuda "${program%% *}" -ldl
done

linger() {
    # shellcheck disable=SC2086 # arguments
    env SIM_CUPTI_LAYOUT="$1" LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib $here/lingers" LINGER_MS=3500 PROF_LOG=0 PROF_HANG=2s \
        PROF_OUTPUT="$here/$2 $1.prof" ./$2 >/dev/null 2>&1 || true
}

for layout in 11.0 13.0; do
    for program in "${programs_that_end[@]}"; do
        linger "$layout" "$program" &
    done
    wait
    for program in "${programs_that_end[@]}"; do
        text="$program $layout.prof.hang.txt"
        [[ -s "$program $layout.prof" ]] || fail "$program recorded nothing"
        [[ ! -e $text ]] || grep -q '^open ' "$text" || fail "$program: a false alarm: $(cat "$text")"
    done
done

# With the same variables there is one where there is a reason.
compile_cuda stuck
SIM_KERNEL_NS=3600000000000 LINGER_MS=0 PROF_LOG=0 PROF_HANG=2s LD_PRELOAD="$lib $here/lingers" PROF_OUTPUT=stuck.prof \
    LD_LIBRARY_PATH="$SIM_LIB" ./stuck kernel 2>/dev/null &
stuck=$!
await "an alarm" grep -qs '^end$' stuck.prof.hang.txt
kill -KILL $stuck
wait $stuck 2>/dev/null || true
! grep -q '^open ' stuck.prof.hang.txt && grep -q '^stream ' stuck.prof.hang.txt || fail "no alarm for an operation alone"
