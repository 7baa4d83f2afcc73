#!/usr/bin/env bash
# The TensorBoard plugin's parser reads what --chrome writes of the programs of the simulated CUDA: without an exception,
# without a warning, and kernels, operators, steps and changes of memory are those of the recording.
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/nvtx_common.sh"
. "$(dirname "$0")/packages_common.sh"

examples=$e2e_directory/../../examples
fetch_plugin

# read_by_plugin NAME
read_by_plugin() {
    simulate "$1.prof" "./$1" >/dev/null
    "$PROF_BIN/profdump" --chrome "$1.json" "$1.prof"
    python3 "$e2e_directory/plugin_compare.py" "$PROF_BIN/profdump" "$1.json" "$1.prof" >"$1.txt" 2>&1 ||
        fail "$1"$'\n'"$(cat "$1.txt")"
}

for name in demo demo_ranges; do
    "$CC" -std=gnu17 -O1 -I"$include" "$examples/$name.c" -o "$name" -L"$SIM_LIB" -l:libcudart.so.13
    read_by_plugin $name
done
for name in graphs memory streams; do
    compile_cuda $name
    read_by_plugin $name
done
need_nvtx
compile_cuda annotated -D_GNU_SOURCE -I"$nvtx_include" -ldl
read_by_plugin annotated
