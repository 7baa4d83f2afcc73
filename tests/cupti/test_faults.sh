#!/usr/bin/env bash
# Every layout CUPTI ever used, and every fault the simulated CUDA can show: the program's result
# stays the same, the ledger adds up, no rule of CUDA or CUPTI is broken.
[ -d "$SIM_LIB" ] || { echo "the simulated CUDA was not built"; exit 77; }
[ -x "$EXAMPLES_DIR/demo" ] || { echo "the example programs were not built"; exit 77; }
[ -z "${SANITIZE:-}" ] || { echo "not with sanitizers: they would have to be preloaded"; exit 77; }

failures=0
fail() {
    echo "FAIL [$setting] $*"
    failures=$((failures + 1))
}

# Graphs, streams and events; no ranges of its own, so it leaves no file where CUPTI cannot be had.
program=demo
run_program() { # SETTING... : leaves run.prof and run.err
    setting=$*
    rm -f run.prof run.json violations
    env "$@" SIM_VIOLATIONS="$PWD/violations" "$BIN_DIR/profrun" --sim -o run.prof -- \
        "$EXAMPLES_DIR/$program" >run.out 2>run.err ||
        fail "the program failed: $(tail -n 2 run.err)"
    grep -qE '^(classified|trained)' run.out || fail "the program's output changed"
    [ ! -s violations ] || fail "rules broken: $(head -n 3 violations)"
}

run() { # SETTING... : leaves run.json, too
    run_program "$@"
    "$BIN_DIR/profdump" check run.prof >check.out 2>&1 || fail "$(cat check.out)"
    "$BIN_DIR/profdump" --json run.prof >run.json || fail "no JSON"
}

number() { sed -n "s/.*\"$1\":\(-\{0,1\}[0-9]*\).*/\1/p" run.json | head -n 1; }
expect() { # KEY VALUE
    [ "$(number "$1")" = "$2" ] || fail "$1 is $(number "$1"), not $2"
}
expect_some() { [ "$(number "$1")" -gt 0 ] || fail "$1 is $(number "$1")"; }
expect_mode() { grep -q "\"mode\":\"$1\"" run.json || fail "mode is not $1"; }
expect_reason() {
    grep -q "\"mode_reason\":\"[^\"]*$1" run.json || fail "the reason does not say: $1"
}
expect_complete() {
    expect_mode cupti
    expect missing 0
    expect orphans 0
    expect before_launch 0
    expect lost_device 0
    [ "$(number launched)" = "$(number recorded)" ] || fail "launched is not recorded"
}

for layout in 11.0 11.2 11.8 12.4 13.0 13.3; do
    run SIM_CUPTI_LAYOUT=$layout
    expect_complete
done
run SIM_REORDER=1
expect_complete
run SIM_DEVICES=3
expect_complete
run PROF_GPU_BUFFER_KB=64
expect_complete
run PROF_START_EVENTS=0
expect_complete

run SIM_DROP_EVERY=10
expect_some cupti_dropped
expect missing 0
run SIM_ZERO_EVERY=7
expect_some zero_time
expect missing 0

program=demo_ranges
run SIM_OTHER_SUBSCRIBER=Nsight
expect_mode unavailable
expect_reason "another tool holds CUPTI: Nsight"
[ "$(grep -c '^libprof:' run.err)" = 1 ] || fail "more or less than one line on stderr"
run SIM_FAIL=cuptiSubscribe=15
expect_mode unavailable
expect_reason "no usable CUDA driver"
run SIM_FAIL=cuptiActivityEnable=35
expect_mode unavailable
expect_reason "administrators"
run PROF_CUPTI=/nowhere/libcupti.so
expect_mode unavailable
expect_reason "cannot load PROF_CUPTI=/nowhere/libcupti.so"

run SIM_FAIL=cuptiEnableCallback=1
expect_mode unavailable
expect_reason "refused every callback"

# What CUPTI refuses here costs nothing that matters.
for call in cuptiActivitySetAttribute=1 cuptiGetCallbackName=1 \
    cuptiActivityGetNumDroppedRecords=15 cuThreadExchangeStreamCaptureMode=1; do
    run "SIM_FAIL=$call"
    expect_complete
done

# Nothing was handed over: the program does not notice, and the trace does not pretend.
run SIM_FAIL=cuptiActivityFlushAll=999
expect_mode partial
expect_reason "did not deliver"
expect_some unobserved
expect missing 0
"$BIN_DIR/profdump" --fail-on-loss run.prof >/dev/null 2>&1
[ $? = 3 ] || fail "--fail-on-loss sees no loss"

[ "$failures" = 0 ]
