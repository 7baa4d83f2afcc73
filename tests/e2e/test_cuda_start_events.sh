#!/usr/bin/env bash
# One bracketed operation of libprof's own per device: there, invisible, and never in the way of a capture.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda capture_first
compile_cuda small
run() { simulate "$@" >/dev/null || (($? == 3)); }

run on.prof ./small 5
PROF_START_EVENTS=0 run off.prof ./small 5
expect_cuda on.prof -- "[len(events) for events in starts.values()] == [1] and devices[0]['clock_error_ns'] == 0"
expect_cuda off.prof -- "not starts and devices[0]['clock_error_ns'] is None"
# What the program did is the same in both: cuda_expect.py looks for anything of libprof's own in either.
expect_cuda on.prof off.prof -- "sum(calls.values()) == sum([1, 1, 2, 5, 1, 1, 1])" \
    "ops['work(float*, int)'] == 5 and ops['Memset (Device)'] == 1 and sum(ops.values()) == 8"
for words in '' --chrome; do
    "$PROF_BIN/profdump" ${words:+$words -} on.prof >shown.txt
    ! grep -E 'cuEventRecord|cuMemsetD32|cuStreamCreate|cuEventQuery' shown.txt || fail "libprof's own calls are shown"
done

# A program that begins with a capture: its graph has what it captured and nothing else, its capture is not broken.
for devices in 1 2; do
    for layout in "${layouts[@]}"; do
        got=$(SIM_DEVICES=$devices SIM_CUPTI_LAYOUT=$layout simulate capture-$devices-$layout.prof ./capture_first 2>&1)
        same "capture, $devices devices, $layout" OK "$got"
    done
done
no_violations "start events"
# began and ended: ticks of the calls that begin and end the capture (cbids 315 and 319), from the file
expect_cuda capture-*.prof -- "loss['launched_graph'] == 3 * 3 and ops['work(float*, int)'] == 9 + 2 * (len(devices) - 1)" \
    "sorted(starts) == [device['id'] for device in devices]" \
    "[len(events) for events in starts.values()] == [1] * len(devices)" \
    "len([e for _, e in raw.events() if e.kind == 16 + 10 and e.words[0] >> 32 & 0xFFFF in (315, 319)]) == 2" \
    "not any(began.ticks < start.words[1] < ended.ticks for began, ended in [[e for _, e in raw.events() if e.kind == 16 + 10 and e.words[0] >> 32 & 0xFFFF in (315, 319)]] for events in starts.values() for start in events)"
