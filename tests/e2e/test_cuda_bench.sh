#!/usr/bin/env bash
# The functions of bench.h: the numbers are those of profdump bench and of the simulation's model; what is wrong is refused with
# its reason, and leaves the next benchmark right.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda measured
profdump=$PROF_BIN/profdump

# measured WAY [SIM_VARIABLE=...]: what the program prints, in WAY.txt; the recording is WAY.prof.
measured() {
    env "${@:2}" PROF_START=api LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT="$1.prof" ./measured "$1" >"$1.txt" 2>"$1.err" ||
        fail "measured $1: $(cat "$1.txt" "$1.err")"
}

# says WAY PATTERN [SIM_VARIABLE=...]: it is refused, with this reason.
says() {
    measured "$1" "${@:3}"
    found -E "^the recording does not support numbers: .*$2" <"$1.txt" || fail "$1: $(cat "$1.txt")"
}

# ---- numbers ----

for way in plainly warm rated prepared forks grouped early; do
    measured "$way"
    [[ ! -s $way.err ]] || fail "measured $way prints $(cat "$way.err")"
    options=()
    [[ $way != grouped ]] || options=(--allow-varying)
    "$profdump" bench --json --range "bench call" "${options[@]}" "$way.prof" >"$way.json"
done
python3 - <<'CHECK' || fail "see above"
import json, math

MASK = (1 << 64) - 1
def fnv(data, seed=0):
    hash = seed ^ 0xcbf29ce484222325
    for byte in data:
        hash = (hash ^ byte) * 0x100000001b3 & MASK
    return hash

def kernel_ns(name, blocks, threads):  # sim/README.md, "Timing model"
    named = fnv(name.encode())
    shaped = fnv(b"".join(n.to_bytes(4, "little") for n in (threads, 1, 1)), named)
    return 2000 + named % 6000 + (600 + shaped % 1400) * -(-blocks // (132 * min(2048 // threads, 32)))

WORK, OTHER = kernel_ns("_Z4workPfi", 8, 64), kernel_ns("_Z5otherv", 4, 128)
def equal(left, right):
    return right is None and math.isnan(left) or right is not None and math.isclose(left, right, rel_tol=1e-9, abs_tol=1e-9)

for way in "plainly", "warm", "rated", "prepared", "forks", "grouped", "early":
    lines = open(way + ".txt").read().split("\n")
    lines = lines[lines.index("OK") + 1:]
    got = {line.split(" ", 1)[0]: line.split(" ", 1)[1] for line in lines if line}
    answer = json.load(open(way + ".json"))
    assert not answer["reasons"], (way, answer["reasons"])
    group = answer["groups"][0]
    times = {row["measure"]: row for row in answer["times"] if row["sequence"] == 1}
    for measure, row in times.items():
        wanted = [row[key] for key in ("median_ns", "mean_ns", "p10_ns", "p90_ns", "min_ns", "max_ns", "low_ns", "high_ns", "relative_error_percent")]
        values = [float(value) for value in got[measure].split()]
        assert all(map(equal, values, wanted)), (way, measure, values, wanted)
    operations = [row for row in answer["operations"] if row["sequence"] == 1]
    printed = [line.split(" ", 1)[1].split("|") for line in lines if line.startswith("operation ")]
    assert len(printed) == len(operations) == 2, (way, printed)
    for of, row in zip(printed, operations):
        assert of[0] == row["name"] and [of[4], of[5]] == [row["grid"], row["block"]], (way, of, row)
        assert all(map(equal, map(float, of[1:4]), (row["time_ns"], row["share_percent"], row["gap_ns"]))), (way, of, row)
        assert [int(of[6]), int(of[7]), int(of[8])] == [row["registers"], row["shared_bytes"], row["occupancy_percent"]], (way, of, row)
    assert got["cache"] == answer["cache"] == ("warm" if way == "warm" else "cold"), (way, got["cache"])
    assert got["launch"] == "eager" and got["simulated"] == "1" and got["device_name"] == answer["devices"][0]["name"]
    assert int(got["sequence_calls"]) == group["calls"] and int(got["calls"]) == answer["calls"] == (7 if way == "early" else 8), way
    assert int(got["sequences"]) == (2 if way == "grouped" else 1) and got["kernels"] == "2" and got["copies"] == "0"
    assert [row["time_ns"] for row in operations] == [WORK, OTHER], (way, operations, WORK, OTHER)
    assert times["device_time"]["median_ns"] == times["device_time"]["max_ns"] == WORK + OTHER, (way, times)
    assert group["flop"] == (5e6 if way == "rated" else None), (way, group)
CHECK
found -x "prepared 11 of 11" <prepared.txt || fail "before_each: $(cat prepared.txt)"
found -x "child: next 0, end an argument is invalid" <forks.txt || fail "a forked child: $(cat forks.txt)"
no_violations "bench.h"

# ---- refusals ----

says varies '2 different sequences of operations: 6 calls one of 2 operations, 2 calls one of 2, first in call 7'
says nothing '1 of 8 calls launched nothing, the first is call 4'
says elsewhere '8 of 8 calls launched nothing in this process, the first is call 1; it started 1 other process, whose work is not counted'
says plainly 'no device record' SIM_DROP_EVERY=5
says plainly 'no device record' SIM_ZERO_EVERY=5
says plainly 'the GPU mode is unavailable: another tool holds CUPTI' SIM_OTHER_SUBSCRIBER=Rude
says plainly 'no memory for the [0-9]+ bytes that clear its L2 cache' SIM_FAIL=cuMemAlloc_v2=2
says plainly 'CUDA reported an error after call 3, warm-up included' SIM_FAIL=cuCtxSynchronize=700

# ---- wrong use ----

measured wrongly
same "wrong use" "next 0, end nothing has been recorded yet
warmup: an argument is invalid
name: an argument is invalid
error: an argument is invalid
size: an argument is invalid
no options: an argument is invalid
twice: recording has already begun: these options can no longer change
small result: an argument is invalid
recorded only: done" "$(cat wrongly.txt)"
same "without libprof" "begin: libprof is not loaded in this process" "$(bare ./measured plainly || true)"
