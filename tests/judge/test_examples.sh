#!/usr/bin/env bash
# Traces of libprof: the examples and programs with streams, devices, graphs, memory and ranges that cross. What profdump says of
# them is what the judge finds in the database and in the Chrome trace that profdump makes of them.
. "$(dirname "$0")/../e2e/cuda_common.sh"
: "${EXAMPLES_DIR:?}"

for name in demo demo_ranges; do
    "$CC" -std=gnu17 -O1 -I"$include" "$e2e_directory/../../examples/$name.c" -o $name -L"$SIM_LIB" -l:libcudart.so.13
    simulate $name.prof ./$name >/dev/null
done
simulate blocks.prof "$EXAMPLES_DIR/blocks" blocks.etprof >/dev/null
for name in streams devices graphs memory driver_api sins waits; do
    compile_cuda $name
    SIM_DEVICES=8 simulate $name.prof ./$name >$name.txt 2>&1
done
compile numbered
record numbered.prof ./numbered >/dev/null 2>&1

python3 "$e2e_directory/../judge/judge.py" --profdump "$PROF_BIN/profdump" ./*.prof
