#!/usr/bin/env bash
# The clocks of host and device: what is wrong with them is found by `profdump check`, what is right passes.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda small
run() { simulate "$@" >/dev/null || (($? == 3)); }

run right.prof ./small 50
expect_cuda right.prof -- "devices[0]['clock_error_ns'] == 0 and loss['before_launch'] == 0"

# The device's clock is off by more than any error bar: the bracketed operation shows by how much.
SIM_CLOCK_SKEW_NS=-5000000000 run behind.prof ./small 50
SIM_CLOCK_SKEW_NS=-300000000 run a_little_behind.prof ./small 50
SIM_CLOCK_SKEW_NS=5000000000 run ahead.prof ./small 50
expect_cuda --finding causality behind.prof a_little_behind.prof -- "loss['before_launch'] == 53"
expect_cuda --finding clock-proof behind.prof ahead.prof -- "abs(devices[0]['clock_error_ns'] - 5e9) < 1e9"
expect_cuda --finding clock-proof a_little_behind.prof -- "0 < devices[0]['clock_error_ns'] <= 300000000"

# Without the proof there is no error bar: a skew is an error of causality.
SIM_CLOCK_SKEW_NS=-5000000000 PROF_START_EVENTS=0 run unproven.prof ./small 50
expect_cuda --finding causality unproven.prof -- "loss['before_launch'] == 53 and devices[0]['clock_error_ns'] is None" \
    "sum(ops.values()) == 53"

# A small skew and a drift, as real machines have them.
SIM_CLOCK_SKEW_NS=-1000 run small.prof ./small 50
SIM_CLOCK_DRIFT_PPM=100 run drift.prof ./small 50
expect_cuda small.prof drift.prof -- "loss['before_launch'] == 0 and ops['work(float*, int)'] == 50"
no_violations "libprof with skewed clocks"
