#!/usr/bin/env bash
# kill -9 while the device is never idle: CUPTI holds each buffer until all operations in it have ended. What is lost is
# bounded in time, not by a buffer of thousands of records.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda paced
for rate in 200 1000 5000; do
    SIM_KERNEL_NS=$((1000000000 / rate)) simulate "$rate.prof" ./paced "$rate" 4 3000 >"$rate.txt" 2>&1 && fail "not killed"
    # Two tenths of a second are promised of the three; half of what there is allows for a machine that is busy.
    expect_cuda "$rate.prof" -- "not process['closed'] and loss['launched'] > 100" \
        "loss['recorded'] > loss['launched'] / 2"
done
no_violations "a program that is killed"
