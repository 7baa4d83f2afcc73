#!/usr/bin/env bash
# What can be chosen of kernels' times: when they were queued and submitted, and times taken by the hardware; which of the
# two wins, what CUPTI does not support, and that no clock of our own is ever registered. Chooses SIM_CUPTI_LAYOUT itself.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda small
complete="facts['mode'] == 'cupti' and loss['launched'] == loss['recorded'] == 53"
kernels="[e['args'] for e in x('kernel')]"

# run FILE: one line on stderr, or none, in stderr.txt.
run() {
    simulate "$1" ./small 50 >/dev/null 2>stderr.txt || true # its status is its own
    (($(wc -l <stderr.txt) <= ${2:-1})) || fail "$1: $(cat stderr.txt)"
    no_violations "$1"
}
says() {
    grep -q "^libprof: $1" stderr.txt || fail "not said: $1"$'\n'"$(cat stderr.txt)"
}

for layout in "${layouts[@]}"; do
    export SIM_CUPTI_LAYOUT=$layout
    run plain-$layout.prof 0
    PROF_KERNEL_LATENCY=1 run latency-$layout.prof 0
done
expect_cuda plain-*.prof -- "$complete" "all(k['queued'] == 0 and 'submitted' not in k for k in $kernels)"
expect_cuda latency-*.prof -- "$complete" "len($kernels) == 50" \
    "all(0 < e['args']['queued'] <= e['args']['submitted'] <= e['ts'] for e in x('kernel'))"

export SIM_HARDWARE_TRACE=1
for layout in 13.0 13.3; do
    export SIM_CUPTI_LAYOUT=$layout
    PROF_HARDWARE_TRACE=1 run hardware-$layout.prof
    says 'PROF_HARDWARE_TRACE: before CUDA 13.4 device records are collected only when the program ends'
    PROF_HARDWARE_TRACE=1 PROF_KERNEL_LATENCY=1 run both-$layout.prof 2
    says 'PROF_KERNEL_LATENCY ignored'
    # What does not fit until the end is dropped and counted.
    SIM_HARDWARE_RECORDS=20 PROF_HARDWARE_TRACE=1 PROF_FLUSH_MS=1 run full-$layout.prof
done
expect_cuda hardware-*.prof both-*.prof -- "$complete" "all('channel' not in k and k['queued'] == 0 for k in $kernels)"
expect_cuda full-*.prof -- "loss['recorded'] == 23 and loss['cupti_dropped'] == 30"

# A device or a CUPTI that cannot.
for layout in 11.8 13.0 13.3; do
    SIM_CUPTI_LAYOUT=$layout SIM_HARDWARE_TRACE=0 PROF_HARDWARE_TRACE=1 run cannot-$layout.prof
    says 'PROF_HARDWARE_TRACE: CUPTI cannot enable kernel times from the device'
done
expect_cuda cannot-*.prof -- "$complete"
SIM_CUPTI_LAYOUT=13.0 SIM_FAIL=cuptiActivityEnableLatencyTimestamps=27 PROF_KERNEL_LATENCY=1 run refused.prof
says 'PROF_KERNEL_LATENCY: CUPTI does not report when kernels were queued: error 27'
expect_cuda refused.prof -- "$complete"
