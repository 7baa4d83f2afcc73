#!/usr/bin/env bash
# Where CUPTI cannot be had, the program runs as without libprof; one line says why, and so do the file, the table, the
# JSON and the trace. Ranges are recorded all the same.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda small
bare ./small 5 >wanted.txt 2>&1 || wanted=$?
number=0

# one_run FILE WHAT: output and status are the program's own; at most one line on stderr, left in stderr.txt.
one_run() {
    local status=0
    simulate "$1" ./small 5 >stdout.txt 2>stderr.txt || status=$?
    same "$2: status" "$wanted" "$status"
    same "$2: stdout" "$(cat wanted.txt)" "$(cat stdout.txt)"
    (($(wc -l <stderr.txt) <= 1)) || fail "$2: says more than one line:"$'\n'"$(cat stderr.txt)"
    no_violations "$2"
}

ranges="count['setup'] == 1 and count['work'] == 1 and process['closed']"

# refused WHAT WORDS [EXPRESSION...]: only the CPU side is recorded; every output has WORDS in its reason.
refused() {
    local file=$((++number)).prof words=$2
    one_run $file "$1"
    same "$1: lines" 1 "$(wc -l <stderr.txt)"
    grep -q "^libprof: no GPU times: .*$words.*; PROF_GPU=events times ranges with CUDA events$" stderr.txt || fail "$1: $(cat stderr.txt)"
    "$PROF_BIN/profdump" $file >table.txt
    grep -q "^GPU mode:  unavailable, .*$words" table.txt || fail "$1: not in the table"$'\n'"$(cat table.txt)"
    expect_cuda $file -- "$ranges" "facts['mode'] == process['mode'] == 'unavailable' and '$words' in facts['mode_reason']" \
        "not ops and loss['unobserved'] == loss['launched']" \
        "facts['timed_by_events'] == 0 and not x('gpu_user_annotation')" "${@:3}"
}

# unavailable WHAT WORDS MODE: nobody times the device, and PROF_GPU=MODE has said so.
unavailable() {
    local file=$((++number)).prof words=$2
    PROF_GPU=$3 one_run $file "$1"
    "$PROF_BIN/profdump" $file >table.txt
    grep -q "^GPU mode:  unavailable, .*$words" table.txt || fail "$1: $(cat table.txt)"
    expect_cuda $file -- "$ranges" "facts['mode'] == 'unavailable' and facts['timed_by_events'] == 0 and not ops"
}

SIM_OTHER_SUBSCRIBER='Nsight Systems' refused "another tool" "another tool holds CUPTI: Nsight Systems" "facts['simulated']"
SIM_OTHER_SUBSCRIBER='the other' SIM_CUPTI_LAYOUT=11.8 refused "another tool, CUDA 11" "another tool holds CUPTI"
SIM_CUPTI_LAYOUT=13.3 SIM_OTHER_SUBSCRIBER='the first' refused "a tool of the v1 API" "another tool holds CUPTI: the first"
SIM_CUPTI_LAYOUT=13.3 SIM_V2_SUBSCRIBER=2 refused "a tool that lets nobody in" "another tool holds CUPTI: another tool"
SIM_CUPTI_LAYOUT=13.3 SIM_DRIVER_VERSION=13020 SIM_FAIL='cuptiActivityEnable=14' refused "a tool with the v2 subscriber API" \
    'v2 subscriber API'
SIM_CUPTI_LAYOUT=13.3 SIM_FAIL='cuptiActivityEnable_v2(10)=35,cuptiActivityEnable(10)=35' refused "kernels, in both forms: 35" "ERR_NVGPUCTRPERM"
SIM_FAIL='cuptiSubscribe=39' refused "subscribing: 39" "another tool holds CUPTI"
SIM_FAIL='cuptiSubscribe=35' refused "subscribing: 35" "NVreg_RestrictProfilingToAdminUsers=0"
SIM_FAIL='cuptiActivityEnable(10)=35' refused "kernels: 35" "ERR_NVGPUCTRPERM"
SIM_FAIL='cuptiSubscribe=999' refused "subscribing: 999" "no usable CUDA driver"
SIM_FAIL='cuptiSubscribe=15' SIM_CUPTI_LAYOUT=12.4 refused "subscribing: 15" "newer than the driver"
SIM_FAIL='cuptiSubscribe=33' refused "a virtual GPU" "does not support this virtual GPU"
SIM_FAIL='cuptiSubscribe=40' refused "a virtual GPU's hypervisor" "hypervisor does not permit"
SIM_FAIL='cuptiActivityEnable(10)=43' refused "a MIG partition" "does not support this MIG partition"
SIM_FAIL='cuptiSubscribe=7' refused "subscribing: 7" "refused to subscribe: error 7"
SIM_FAIL='cuptiActivityRegisterCallbacks=1' refused "registering" "refused to deliver records: error 1"
SIM_FAIL='cuptiActivityGetNextRecord=1' refused "sizes" "not compatible"
SIM_FAIL='cuptiActivityEnable=11' refused "no kind" "refused to record kernels: error 11"
SIM_FAIL='cuptiActivityEnable(10)=11' refused "kernels" "refused to record kernels: error 11"
SIM_FAIL='cuptiEnableCallback=1' refused "callbacks" "refused every callback"
PROF_CUPTI=/nonexistent/libcupti.so refused "a libcupti that is not there" "cannot load PROF_CUPTI=/nonexistent/libcupti.so"
PROF_CUPTI=$SIM_LIB/libcudart.so.13 refused "no libcupti at all" "as libcupti"
SIM_DRIVER_VERSION=12040 PROF_CUPTI=$SIM_LIB/libcupti.so.13 refused "an old driver" \
    "is of CUDA 13.0 and newer than the driver, which is for CUDA 12.4"

# Two libcupti in the process: both are named.
mkdir twice
cp "$SIM_LIB/libcupti.so.13" twice/
SIM_OTHER_SUBSCRIBER=first simulate twice.prof env LD_PRELOAD="$here/twice/libcupti.so.13 $lib" PROF_CUPTI="$SIM_LIB/libcupti.so.13" \
    ./small 5 >stdout.txt 2>stderr.txt || true
expect_cuda twice.prof -- "'another tool holds CUPTI: first' in facts['mode_reason']" \
    "'the process has loaded two libcupti' in facts['mode_reason']" "facts['mode_reason'].count('libcupti.so.13') == 2"

# What was asked for.
SIM_OTHER_SUBSCRIBER=first unavailable "CUPTI or nobody" "another tool holds CUPTI: first" cupti
same "CUPTI or nobody: lines" 1 "$(wc -l <stderr.txt)"
unavailable "nobody" "PROF_GPU=none" none
[[ ! -s stderr.txt ]] || fail "nobody: $(cat stderr.txt)"

# A stub for libcuda: cuInit fails, and says nothing to libprof.
mkdir -p cuda/stubs
cp "$SIM_LIB/libcuda.so.1" cuda/stubs/
kept=$SIM_LIB
SIM_LIB=$here/cuda/stubs:$SIM_LIB
wanted=0
SIM_NO_DRIVER=1 bare ./small 5 >wanted.txt 2>&1 || wanted=$?
SIM_NO_DRIVER=1 unavailable "a stub" "/cuda/stubs/libcuda.so.1 is the toolkit's stub" auto
SIM_LIB=$kept
wanted=0
bare ./small 5 >wanted.txt 2>&1 || wanted=$?

# Kinds that can be done without.
for kind in 1 2 8 9 17 22 37 38; do
    SIM_FAIL="cuptiActivityEnable($kind)=21" one_run without-$kind.prof "kind $kind refused"
    [[ ! -s stderr.txt ]] || fail "kind $kind refused: $(cat stderr.txt)"
done
expect_cuda without-1.prof -- "$ranges" "facts['mode'] == 'partial' and 'refused to record copies' in facts['mode_reason']" \
    "loss['launched'] == 8 and loss['recorded'] == 6 and loss['unobserved'] == 2"
expect_cuda without-2.prof -- "$ranges" "facts['mode'] == 'partial' and 'refused to record sets' in facts['mode_reason']" \
    "loss['launched'] == 8 and loss['recorded'] == 7 and loss['unobserved'] == 1"
expect_cuda without-22.prof -- "$ranges" "facts['mode'] == 'partial' and 'copies between devices' in facts['mode_reason']" \
    "loss['launched'] == loss['recorded'] == 8"
expect_cuda without-{8,9,17,37,38}.prof -- "$ranges" "facts['mode'] == 'cupti' and ops['work(float*, int)'] == 5" \
    "loss['launched'] == loss['recorded'] == 8"

# Every function of CUPTI, failing for good and failing once.
functions=$(nm -D --defined-only "$SIM_LIB/libcupti.so.13" | sed -n 's/.* T \(cupti[A-Za-z_0-9]*\).*/\1/p')
(($(wc -w <<<"$functions") >= 30)) || fail "the list of CUPTI's functions is too short: $functions"
for SIM_CUPTI_LAYOUT in 13.0 13.3; do
    export SIM_CUPTI_LAYOUT
    [[ $SIM_CUPTI_LAYOUT == 13.0 ]] || functions=$(grep -E '_v2|Version|StructSize|FlushAll|EnableCallback|ActivityEnable$' <<<"$functions")
    for name in $functions; do
        SIM_FAIL="$name=999" one_run "always-$SIM_CUPTI_LAYOUT-$name.prof" "$name of $SIM_CUPTI_LAYOUT fails"
        SIM_FAIL="$name@1=999" one_run "once-$SIM_CUPTI_LAYOUT-$name.prof" "$name of $SIM_CUPTI_LAYOUT fails once"
    done
done
unset SIM_CUPTI_LAYOUT
# What it cost is told by the mode or the ledger; the ranges are there.
for file in always-*.prof once-*.prof; do
    "$PROF_BIN/profdump" check "$file" >check.txt || fail "$file:"$'\n'"$(cat check.txt)"
done
expect_cuda always-*.prof once-*.prof -- "$ranges" "loss['launched'] in (0, 8)" \
    "facts['mode'] == 'unavailable' or facts['mode'] == 'partial' and loss['unobserved'] == 8 or loss['recorded'] == 8"

# What fails of the form that lets other tools in is done in the other form; the file says what it was.
for name in Subscribe ActivityEnable ActivityRegisterCallbacks ActivityGetNextRecord GetTimestamp; do
    expect_cuda always-13.3-cupti${name}_v2.prof -- "facts['mode'] == 'cupti' and loss['recorded'] == 8" \
        "'v1 subscriber API, which excludes other tools: ' in facts['mode_reason']"
done
expect_cuda always-13.3-cuptiActivityEnable.prof -- "facts['mode'] == 'cupti' and facts['mode_reason'] == 'CUPTI activity records, beside other tools'"

# No driver: the program fails, as it does without libprof.
export SIM_NO_DRIVER=1
for layout in 11.2 13.0 13.3; do
    export SIM_CUPTI_LAYOUT=$layout
    wanted=0
    bare ./small 5 >wanted.txt 2>&1 || wanted=$?
    one_run no_driver-$layout.prof "no driver"
done
expect_cuda no_driver-*.prof -- "$ranges" "not ops and facts['mode'] in ('none', 'unavailable')"
