#!/usr/bin/env bash
# The TensorBoard plugin's parser reads what --chrome writes of the programs of the simulated CUDA: without an exception,
# without a warning, and kernels, operators, steps and changes of memory are those of the recording. What --to tensorboard
# writes fills its Operator, Kernel and Distributed views with the rows of profdump's table.
# long: it fetches packages
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
    [[ $1 == demo ]] || views_of_plugin "$1" "$1.prof" # it has no ranges
}

# views_of_plugin NAME TRACE
views_of_plugin() {
    "$PROF_BIN/profdump" -o "$1.pt.trace.json" --to tensorboard "$2"
    python3 "$e2e_directory/plugin_compare.py" --views "$PROF_BIN/profdump" "$1.pt.trace.json" "$2" >"$1.txt" 2>&1 ||
        fail "views of $1"$'\n'"$(cat "$1.txt")"
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
compile_cuda collectives -D_GNU_SOURCE -I"$nvtx_include" -ldl 2>/dev/null
for rank in 0 1; do
    RANK=$rank WORLD_SIZE=2 simulate "rank$rank.prof" ./collectives >/dev/null
    views_of_plugin "host_$rank" "rank$rank.prof"
done
python3 "$e2e_directory/plugin_compare.py" --distributed "$PROF_BIN/profdump" \
    host_0.pt.trace.json rank0.prof host_1.pt.trace.json rank1.prof >distributed.txt 2>&1 || fail "$(cat distributed.txt)"
resnet=$(echo "$e2e_directory"/../../../shared/data/kineto/resnet50*.json.gz)
[[ ! -e $resnet ]] ||
    python3 "$e2e_directory/plugin_compare.py" --copy "$PROF_BIN/profdump" "$resnet" >copy.txt 2>&1 || fail "$(cat copy.txt)"
