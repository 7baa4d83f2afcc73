#!/usr/bin/env bash
# HolisticTraceAnalysis reads what --chrome writes of the programs of the simulated CUDA: without an exception, without a
# warning, and its numbers are those of profdump breakdown of the recording, to the nanosecond.
# long: it fetches packages
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/nvtx_common.sh"
. "$(dirname "$0")/packages_common.sh"

examples=$e2e_directory/../../examples
fetch_hta

# read_by_hta NAME PART...
read_by_hta() {
    local name=$1
    simulate "$name.prof" "./$name" >/dev/null
    "$PROF_BIN/profdump" --chrome "$name.json" "$name.prof"
    python3 "$e2e_directory/hta_compare.py" "$PROF_BIN/profdump" "$here/$name.json" "$name.prof" "${@:2}" \
        >"$name.txt" 2>&1 || fail "$name"$'\n'"$(cat "$name.txt")"
}

for name in demo demo_ranges; do
    "$CC" -std=gnu17 -O1 -I"$include" "$examples/$name.c" -o "$name" -L"$SIM_LIB" -l:libcudart.so.13
done
for name in graphs memory streams; do
    compile_cuda $name
done
export PROF_UNIFIED_MEMORY=1
all=(temporal idle overlap kinds queue launches annotations)
read_by_hta demo temporal idle overlap kinds queue launches # it has no ranges
read_by_hta demo_ranges "${all[@]}"
read_by_hta memory "${all[@]}"
read_by_hta streams "${all[@]}"
# It knows no call that launches a graph, so it counts neither queues nor launches there.
read_by_hta graphs temporal idle overlap kinds annotations
need_nvtx
for name in annotated collectives; do
    compile_cuda $name -D_GNU_SOURCE -I"$nvtx_include" -ldl
    read_by_hta $name "${all[@]}"
done
