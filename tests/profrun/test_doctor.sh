#!/usr/bin/env bash
# profrun --doctor: a line per check, what to do, and an exit status; also where there is no CUDA at all.
. "$(dirname "$0")/common.sh"
[ -z "${SANITIZE:-}" ] || skip "what is built with sanitizers cannot be preloaded"
[ -e "$SIM_LIB/libcuda.so.1" ] || skip "the simulated CUDA is not built"
export -n SIM_LIB # the simulation warns of variables that it does not know
unset LD_PRELOAD LD_LIBRARY_PATH CUDA_INJECTION64_PATH NVTX_INJECTION64_PATH INTEL_LIBITTNOTIFY64 CUDA_VISIBLE_DEVICES PROF_LIBRARY
PROFRUN=$BIN_DIR/profrun
export TMPDIR=$PWD/tmp
rm -rf ./*
mkdir tmp

# What depends on the machine: paths and numbers, and how the machine itself fares.
masked() {
    sed -E 's#/[^ ,:]*/#PATH/#g; s/[0-9]+/N/g' |
        sed -E 's/^(OK  |WARN) +(permission|partition|container|clock|disk|mapping|limits|memory|kernel) .*/any   \2/' |
        sed -E '/^(all checks passed|no check failed; .*)$/d'
}

line() {
    grep "^[A-Z]* *$1 " <<<"$out"
}

wanted="OK    driver      CUDA N.N, PATH/libcuda.so.N
OK    stubs       the library path contains no stub of libcuda
OK    cupti       CUPTI N.N.N, PATH/libcupti.so.N
OK    duplicates  no CUDA library occurs twice on LD_LIBRARY_PATH
OK    preloads    nothing else is preloaded
OK    injection   no other tool is injected into CUDA, NVTX or ITT
any   permission
any   partition
any   container
any   clock
any   disk
any   mapping
any   limits
any   memory
any   kernel
OK    secure      libprof is PATH/libprof.so
OK    trial       N kernels launched, all launches and kernels recorded; the device's clock is within N ns of the host's (Simulated GPU)"
run --doctor --sim
check "simulated: status" 0 "$status"
check "simulated" "$wanted" "$(masked <<<"$out")"
check "simulated: stderr" "" "$err"
check "nothing is left behind" "" "$(find tmp -mindepth 1; find . -name '*.prof')"

run --doctor --sim=12.4
check_has "an older CUPTI" "CUPTI API 22" "$(line cupti)"

PROF_HARDWARE_TRACE=1 run --doctor --sim=12.4
[ "$(uname -m)" = aarch64 ] && oldest="13.0 Update 1" || oldest=12.8
check_has "hardware times need a newer CUPTI" "PROF_HARDWARE_TRACE needs CUPTI of CUDA $oldest or later" "$(line cupti)"
PROF_HARDWARE_TRACE=1 run --doctor --sim=13.0
check_has "hardware times with one that can" "CUPTI 13.0.1" "$(line cupti)"

# Each problem, and its message.
trouble() { # GRADE CHECK WORDS STATUS
    run --doctor --sim
    check_has "$2: grade" "$1" "$(line "$2")"
    check_has "$2" "$3" "$(line "$2")"
    check "$2: status" "$4" "$status"
}
SIM_OTHER_SUBSCRIBER='Nsight Systems' trouble FAIL trial "neither kernels nor ranges have CUDA times: " 1
check_has "the holder is named" "another tool holds CUPTI: Nsight Systems" "$(line trial)"
SIM_FAIL=cuptiSubscribe=35 trouble FAIL trial "NVreg_RestrictProfilingToAdminUsers=0" 1
PROF_GPU=events trouble WARN trial "ranges have CUDA times, kernels have none: " 0
PROF_GPU=none trouble FAIL trial "neither kernels nor ranges have CUDA times" 1
SIM_DEVICES=0 trouble FAIL trial "the test program failed" 1
SIM_FAIL=cuLaunchKernel=700 trouble FAIL trial "cuLaunchKernel returned error 700" 1
SIM_DROP_EVERY=3 trouble FAIL trial "kernels were recorded" 1
SIM_CLOCK_SKEW_NS=500000 trouble WARN trial " ns of the host's" 0
SIM_CLOCK_SKEW_NS=5000000 trouble FAIL trial " ns of the host's" 1
SIM_DRIVER_VERSION=12040 PROF_CUPTI=$SIM_LIB/libcupti.so.13 trouble FAIL cupti "newer than the driver" 1
PROF_CUPTI=/nonexistent.so trouble WARN cupti "cannot load PROF_CUPTI=/nonexistent.so" 1 # and the trial has no times
CUDA_INJECTION64_PATH=/opt/nsys/libToolsInjection64.so trouble WARN injection "CUDA_INJECTION64_PATH=/opt/nsys" 0
check_has "another tool is called: the trial" "all launches and kernels recorded" "$(line trial)"
NVTX_INJECTION64_PATH=/opt/other.so trouble WARN injection "NVTX_INJECTION64_PATH=/opt/other.so" 0
INTEL_LIBITTNOTIFY64=/opt/vtune.so trouble WARN injection "INTEL_LIBITTNOTIFY64=/opt/vtune.so" 0
CUDA_INJECTION64_PATH=$BIN_DIR/../lib/libprof.so trouble OK injection "no other tool" 0
CUDA_VISIBLE_DEVICES=MIG-1234 trouble WARN partition "MIG partition" 0
CUDA_VISIBLE_DEVICES= trouble WARN partition "hides every GPU" 0

# By hand: its own directory of libraries.
mkdir -p cuda/stubs two
cp "$SIM_LIB/libcuda.so.1" cuda/stubs/
cp "$SIM_LIB/libcupti.so.13" two/
out=$(LD_LIBRARY_PATH=$PWD/cuda/stubs "$PROFRUN" --doctor 2>/dev/null)
check "a stub: status" 1 "$?"
check_has "a stub" "cuda/stubs/libcuda.so.1 is the toolkit's stub" "$(line stubs)"
out=$(LD_LIBRARY_PATH=$PWD/two:$SIM_LIB "$PROFRUN" --doctor 2>/dev/null)
check_has "two libcupti" "2 different libcupti.so are on LD_LIBRARY_PATH" "$(line duplicates)"
check_has "two libcupti: the first" "/two/libcupti.so.13" "$(line duplicates)"
echo 'int nothing;' >nothing.c
"$CC" -shared -fPIC -o libToolsInjectionProxy.so nothing.c
out=$(LD_PRELOAD=$PWD/libToolsInjectionProxy.so "$PROFRUN" --doctor 2>/dev/null)
check_has "another profiler preloaded" "looks like another profiler (ToolsInjection)" "$(line preloads)"

# The place for the trace.
run --doctor -o /nonexistent/x.prof
check_has "no such directory" "FAIL" "$(line disk)"
check "no such directory: status" 1 "$status"
out=$(ulimit -f 4096 && "$PROFRUN" --doctor 2>/dev/null)
check_has "files are limited" "ulimit -f" "$(line limits)"

# No driver, no GPU: said politely.
if [ ! -e /proc/driver/nvidia/version ]; then
    run --doctor
    check "without CUDA: status" 0 "$status"
    check_has "without CUDA" "no libcuda.so.1: ranges are recorded" "$(line driver)"
    check_has "without CUDA: trial" "no test kernel was launched" "$(line trial)"
fi

run --doctor true
check "a program beside --doctor" 2 "$status"
finish
