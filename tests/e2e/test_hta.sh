#!/usr/bin/env bash
# HolisticTraceAnalysis beside profdump breakdown, on traces that are its own tests' and Kineto's: devices, idle streams, what
# ran at once, kernels by name, queues, launches. hta_compare.py says which differences are known. The package is fetched
# once into the build directory.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/packages_common.sh"

data=$e2e_directory/../../../shared/data
[[ -d $data/hta ]] || skip "there are no traces in $data"

fetch_hta

# compare TRACE PART...
compare() {
    local trace=$data/$1
    shift
    [[ -e $trace ]] || skip "there is no $trace"
    python3 "$e2e_directory/hta_compare.py" "$PROF_BIN/profdump" "$trace" "$@" >differences.txt 2>&1 ||
        fail "$trace"$'\n'"$(cat differences.txt)"
}

all=(temporal idle overlap kinds queue launches)
compare hta/trace_diff_control_control.json.gz "${all[@]}"
compare hta/execution_trace_benchmark_simple_add_trace.json.gz "${all[@]}"
compare kineto/resnet50_nw0.1623143089861.pt.trace.json.gz "${all[@]}"
# Waits for events count as computing there, where they are on a stream: 7 us of them, and a longer span.
compare hta/critical_path_alexnet_benchmark_result_2869224_1695835535_trace.json.gz idle overlap queue launches
# Times in nanoseconds, and calls of HIP, which its launch statistics do not know.
compare hta/amd_trace_mi250_minitoy_train_ROCm6_2_kineto.json.gz temporal overlap queue
