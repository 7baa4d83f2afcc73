#!/usr/bin/env bash
# CUDA calls that fail, fail in the same way when recorded; the trace says with what code, and what failed was not
# launched.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda small
number=0

# fails RULE EXPRESSION...: the program that calls fail in by RULE (SIM_FAIL) says the same with and without libprof.
fails() {
    local rule=$1 file=$((++number)).prof
    export SIM_FAIL=$rule
    bare ./small 20 >wanted.txt 2>&1 || echo "status $?" >>wanted.txt
    simulate $file ./small 20 >got.txt 2>&1 || echo "status $?" >>got.txt
    unset SIM_FAIL
    grep -q ': [1-9]' wanted.txt || fail "$rule: nothing failed"
    same "$rule" "$(cat wanted.txt)" "$(cat got.txt)"
    no_violations "$rule"
    expect_cuda $file -- "facts['mode'] == 'cupti' and process['closed']" "${@:2}"
}

kernel='work(float*, int)'
failed="[e for e in x('cuda_runtime') if e['args'].get('result', 0) != 0]"

fails 'cudaLaunchKernel@5=9' \
    "ops['$kernel'] == 19 and loss['launched'] == loss['recorded'] == 22 and calls['cudaLaunchKernel'] == 20" \
    "[(e['name'], e['args']['result']) for e in $failed] == [('cudaLaunchKernel', 9)]" \
    "not any(s['args'].get('result') for s, f in arrows())"
fails 'cuLaunchKernel@3=701' "ops['$kernel'] == 19 and loss['launched'] == loss['recorded'] == 22" \
    "len($failed) == 1 and $failed[0]['args']['result'] == 701"
fails 'cudaMalloc=2' "calls['cudaMalloc'] == 1 and ops['$kernel'] == 20" \
    "'cudaMalloc' in [e['name'] for e in $failed if e['args']['result'] == 2]" \
    "loss['launched'] == loss['recorded']"
fails 'cudaMemcpyAsync=1,cudaMemsetAsync=1' "ops['$kernel'] == 20 == sum(ops.values()) == loss['launched']" \
    "sorted(e['name'] for e in $failed) == ['cudaMemcpyAsync', 'cudaMemcpyAsync', 'cudaMemsetAsync']"
fails 'cudaStreamCreate=2' "ops['$kernel'] == 20" # goes on with the default stream
fails 'cudaStreamSynchronize=999' "ops['$kernel'] == 20" "[e['args']['result'] for e in $failed] == [999]"
# A failure that destroys the context: nothing works from then on.
fails 'cudaLaunchKernel@6=700' "ops['$kernel'] == 5 and calls['cudaLaunchKernel'] == 20" \
    "{e['args']['result'] for e in $failed} == {700} and len($failed) >= 15"
# No device, no memory, no context.
SIM_DEVICE_MEM_MB=1 fails 'cudaMalloc@1=2' "calls['cudaMalloc'] == 1"
fails 'cudaLaunchKernel=98' "sum(ops.values()) == loss['launched'] == 3 and calls['cudaLaunchKernel'] == 20"
