#!/usr/bin/env bash
# day.sh [STEP...] - one day with a GPU: all that libprof has to show on a real one, step by step.
#
# Each step runs by itself under a time limit, and what fails does not stop the next. Without STEP all run:
#
#   facts     driver, CUPTI, clock source, profrun --doctor, sizes of CUPTI's records
#   smallest  one program at the lowest level: table, ledger, arrows, clock error
#   levels    five programs at each level alone, so that a crash names its cause
#   suite     run.sh without PyTorch and managed memory; replay fixtures
#   torch     PyTorch: the same steps under torch.profiler, what Proton and libprof cost
#   guests    gpu_guests.py: Python programs as users write them
#   endings   kill -9, SIGTERM, exit in threads, fork, 8 streams, a million tiny kernels
#   cost      launches per second, bare and at each level, in turns
#   bench     one function by the wall clock, CUDA events and libprof.bench(): docs/bench.md; examples/measure.cu
#   roofline  measured peaks against those that `profdump roofline` assumes
#   together  two processes on one GPU (with MPS=1 also through NVIDIA's MPS)
#   managed   managed memory, a few megabytes of it: last, since it has made devices hang
#
# Builds build-gpu first where BUILD_DIR names no finished build. Needs no network.
#
#   OUT=DIR      where results go (default build-gpu/day): results.tsv, log.txt, fixtures.tar.gz, traces.tar.gz,
#                each at most 16 MiB
#   SIM=1        on the simulated CUDA: proves this script, not libprof on a GPU
#   SCALE=N      percent of the usual number of launches (default 100, with SIM=1 2)
#   STEP_S=N     time limit of a step in seconds (default: its own)
#
# Exit status: 0 all passed, 1 something failed, 2 wrong usage.
# shellcheck disable=SC2154 # build, profrun, profdump, nvcc, work, runner, failures, here: of suite.sh

# shellcheck source=tests/gpu/suite.sh
. "$(dirname "${BASH_SOURCE[0]}")/suite.sh"

scale=${SCALE:-$([ -n "$SIM" ] && echo 2 || echo 100)}
scaled() { echo $(($1 * scale / 100)); }

# NAME:SECONDS
steps=(facts:60 smallest:60 levels:240 suite:240 torch:300 guests:420 endings:180 cost:240 bench:120 roofline:60 together:120 managed:60)

# ---- what a step writes ------------------------------------------------------------------------

item() { # NAME STATUS TEXT...
    local name=$1 status=$2
    shift 2
    printf '%s\t%s\t%s\t%s\n' "$STEP" "$name" "$status" "$*" >>"$day/results.tsv"
    say "$STEP: $name: $status: $*"
}

# One line of the counts and the clock error in a trace.
facts_of() { # TRACE
    local json=$work/facts.json key
    "$profdump" --json "$1" >"$json" 2>/dev/null || return
    for key in launched recorded missing orphans lost_device before_launch clock_error_ns; do
        printf '%s %s, ' "$key" "$(number_of "$json" "$key")"
    done
    printf '%s bytes' "$(wc -c <"$1")"
}

# Where a program crashes, if cuda-gdb is here.
stack_of_crash() { # NAME COMMAND...
    local name=$1
    shift
    command -v cuda-gdb >/dev/null || return
    timeout -k 5 60 cuda-gdb -batch -ex run -ex 'thread apply all backtrace' --args "$@" >"$day/logs/$name.stack" 2>&1
    tail -n 60 "$day/logs/$name.stack"
}

# Runs a command under profrun. The item is ok if the command succeeds and its trace is valid.
observe() { # NAME COMMAND...
    local name=$1 trace=$day/traces/$1.prof status
    shift
    timeout -k 5 "${OBSERVE_S:-60}" "${runner[@]}" --no-table --force -o "$trace" -- "$@" >"$day/logs/$name.out" 2>"$day/logs/$name.err"
    status=$?
    case $status in
    0) ;;
    77) item "$name" skipped "$(tail -n 1 "$day/logs/$name.out")" && return ;;
    124 | 137) item "$name" FAIL "did not end in ${OBSERVE_S:-60} s" && return ;;
    *)
        item "$name" FAIL "exit status $status: $(tail -n 2 "$day/logs/$name.err" | tr '\n' ' ')"
        [ "$status" -lt 128 ] || stack_of_crash "$name" "${runner[@]}" -q --force -o "$trace" -- "$@"
        return
        ;;
    esac
    if [ ! -e "$trace" ]; then # PyTorch without a GPU
        item "$name" "$([ -n "$SIM" ] && echo skipped || echo FAIL)" "nothing was recorded"
    elif "$profdump" check "$trace" >"$day/logs/$name.check" 2>&1; then
        item "$name" ok "$(facts_of "$trace")"
    else
        item "$name" FAIL "profdump check: $(head -n 1 "$day/logs/$name.check")"
    fi
}

# What the checks of run.sh count as failures becomes one item.
counted() { # NAME
    if [ "$failures" = 0 ]; then item "$1" ok "all checks passed"; else item "$1" FAIL "$failures checks failed, see the log"; fi
}

# ---- the steps ---------------------------------------------------------------------------------

# A program that prints the size of each record that the headers declare.
record_sizes() {
    local include
    for include in "$(dirname "$nvcc")/../include" "${CUDA_HOME:-}/include" /usr/local/cuda/include; do
        [ -e "$include/cupti_activity.h" ] && break
    done
    {
        printf '#include <cuda.h>\n#include <cupti.h>\n#include <stdio.h>\nint main(void)\n{\n'
        sed -n 's/^} *\(CUpti_Activity[A-Za-z]*[0-9]*\) *;.*/    printf("%zu \1\\n", sizeof(\1));/p' "$include/cupti_activity.h"
        printf '    return 0;\n}\n'
    } >"$work/sizes.c"
    "${CC:-cc}" -I"$include" "$work/sizes.c" -o "$work/sizes" && "$work/sizes"
}

step_facts() {
    nvidia-smi
    nvidia-smi -q | head -n 100
    uname -a
    lscpu | head -n 20
    "$nvcc" --version
    ls -l /dev/nvidia* /usr/lib/x86_64-linux-gnu/libcuda.so* /usr/local/cuda/lib64/libcupti* 2>&1
    "$python" -m pip list 2>/dev/null | grep -iE 'torch|triton|jax|cupy|numba|nvidia'
    item clocksource ok "$(cat /sys/devices/system/clocksource/clocksource0/current_clocksource 2>&1)"
    item driver ok "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null | head -n 1)"
    if record_sizes >"$day/logs/sizes.out" 2>&1; then
        item sizes ok "$(wc -l <"$day/logs/sizes.out") records"
        cat "$day/logs/sizes.out"
    else
        item sizes skipped "no headers of CUPTI: $(head -n 1 "$day/logs/sizes.out")"
    fi
    "$profrun" --doctor ${SIM:+--sim} 2>&1
    item doctor ok "exit status $?"
}

step_smallest() {
    build_program gpu_kernels gpu_kernels shared
    PROF_GPU_DETAIL=minimal PROF_START_EVENTS=0 observe smallest "$work/gpu_kernels"
    "$profdump" "$day/traces/smallest.prof"
    "$profdump" check --ledger "$day/traces/smallest.prof"
    cp "$day/traces/smallest.prof" "$work"
    grep -v 'expect api:' "$day/logs/smallest.out" >"$work/smallest.out" # this level records launches only
    check_trace smallest
    counted checks
}

level() { # NAME VARIABLE=VALUE...
    local name=$1 program
    shift
    for program in gpu_kernels gpu_copies gpu_streams gpu_graphs gpu_failures; do
        (export "${@?}" && observe "$name.${program#gpu_}" "$work/$program")
    done
}

step_levels() {
    local program base=(PROF_GPU_DETAIL=minimal PROF_START_EVENTS=0 PROF_MEMORY=0)
    for program in gpu_kernels gpu_copies gpu_streams gpu_graphs gpu_failures; do
        build_program "$program" "$program" shared
    done
    level minimal "${base[@]}"
    level start_events "${base[@]}" PROF_START_EVENTS=1
    level standard PROF_START_EVENTS=0 PROF_MEMORY=0
    level memory PROF_START_EVENTS=0
    level default PROF_LOG=1
    level graphs_whole PROF_GRAPHS=graph
    level full PROF_GPU_DETAIL=full
    level latency PROF_KERNEL_LATENCY=1
    level hardware PROF_HARDWARE_TRACE=1
    level stacks PROF_STACKS=launch
    level sample PROF_SAMPLE=99
    PROF_GPU=events observe cuda_events "$build/examples/demo_ranges"
}

step_suite() {
    FIXTURES=$day/fixtures MANAGED=0 TORCH=0 LAUNCHES=$(scaled 200000) SIM=${SIM:-0} bash "$here/run.sh" "$build"
    local status=$?
    if [ "$status" = 0 ]; then item suite ok "all passed"; else item suite FAIL "exit status $status, see the log"; fi
}

step_torch() {
    has_torch || { item torch skipped "no PyTorch that sees a GPU" && return; }
    TORCH_LAUNCHES=$(scaled 100000) torch_suite
    counted torch
}

# Records a part of itself: not under profrun.
guest_late() {
    local status
    PYTHONPATH=$source_dir/python_shim LIBPROF_LIBRARY=$build/lib/libprof.so LIBPROF_BIN=$build/bin \
        timeout -k 5 60 "$python" "$here/gpu_guests.py" late >"$day/logs/late.out" 2>&1
    status=$?
    cat "$day/logs/late.out"
    case $status in
    0) item late ok "$(grep '^late:' "$day/logs/late.out")" ;;
    77) item late skipped "$(tail -n 1 "$day/logs/late.out")" ;;
    *) item late FAIL "exit status $status: $(tail -n 1 "$day/logs/late.out")" ;;
    esac
}

step_guests() {
    local name
    guest_late
    for name in inside shapes graphs compile transformer products jax cupy numba; do
        [ -z "$SIM" ] || case $name in jax | cupy | numba)
            item "$name" skipped "needs a GPU"
            continue
            ;;
        esac
        observe "$name" "$python" "$here/gpu_guests.py" "$name"
    done
}

# What a program that is launching all the time leaves when it gets SIGNAL.
end_by() { # SIGNAL
    local trace=$day/traces/end_$1.prof out=$day/logs/end_$1.out pid chrome=$work/end.json
    "${runner[@]}" -q --force -o "$trace" -- "$work/gpu_endings" forever >"$out" 2>&1 &
    pid=$!
    until [ "$(grep -c launched "$out")" -gt 50 ] || ! kill -0 $pid 2>/dev/null; do sleep 0.02; done
    kill "-$1" $pid
    wait $pid 2>/dev/null
    if "$profdump" check "$trace" && "$profdump" --chrome "$chrome" "$trace"; then
        item "end_$1" ok "said $(tail -n 1 "$out"); $("$python" "$here/delivery.py" "$chrome" | tr '\n' ' ')"
    else
        item "end_$1" FAIL "the trace is not valid"
    fi
}

step_endings() {
    build_program gpu_endings gpu_endings shared
    local how
    for how in KILL TERM; do
        end_by $how
    done
    for how in threads exit fork; do
        observe "$how" "$work/gpu_endings" "$how"
    done
    OBSERVE_S=120 observe million "$work/gpu_endings" tiny "$(scaled 1000000)"
}

# Nsight Systems, where it is installed: its command, ready for a program.
find_nsys() {
    local found
    for found in "$(command -v nsys)" /opt/nvidia/nsight-*/*/*/target-linux-x64/nsys; do
        [ -x "$found" ] && printf '%s' "$found" && return
    done
}

# Nanoseconds of a launch under one of the recorders of step_cost.
launch_cost_of() { # RECORDER
    local launches
    launches=$(scaled 200000)
    local program=("$work/gpu_rate" "$launches") traced=("${runner[@]}" -q --force -o "$work/cost.prof" --)
    case $1 in
    bare) "${program[@]}" ;;
    nsys) "$(find_nsys)" profile -t cuda -f true -o "$work/nsys" "${program[@]}" ;;
    minimal) PROF_GPU_DETAIL=minimal "${traced[@]}" "${program[@]}" ;;
    standard) "${traced[@]}" "${program[@]}" ;;
    full) PROF_GPU_DETAIL=full "${traced[@]}" "${program[@]}" ;;
    latency) PROF_KERNEL_LATENCY=1 "${traced[@]}" "${program[@]}" ;;
    stacks) PROF_STACKS=launch "${traced[@]}" "${program[@]}" ;;
    budget) PROF_BUDGET=2% "${traced[@]}" "${program[@]}" ;;
    sample) PROF_SAMPLE=99 "${traced[@]}" "${program[@]}" ;;
    cuda_events) PROF_GPU=events "${traced[@]}" "${program[@]}" ;;
    esac 2>>"$day/logs/cost.err" | awk '$1 == "rate" { print 1e9 / $2 }'
}

step_cost() {
    build_program gpu_rate gpu_rate shared
    local recorders=(bare minimal standard full latency stacks budget sample cuda_events) each bare
    [ -n "$(find_nsys)" ] && recorders+=(nsys)
    for _ in 1 2 3 4 5; do
        for each in "${recorders[@]}"; do
            launch_cost_of "$each" >>"$work/cost.$each"
        done
    done
    bare=$(median <"$work/cost.bare")
    for each in "${recorders[@]}"; do
        [ -s "$work/cost.$each" ] || { item "$each" FAIL "no launch rate" && continue; }
        median <"$work/cost.$each" | awk -v bare="$bare" '{ printf "%.0f ns a launch, %.2fx, %.0f ns more\n", $1, $1 / bare, $1 - bare }' >"$work/line"
        item "$each" ok "$(cat "$work/line")"
    done
}

step_bench() {
    local line
    awk -v to="$work/" '/^```/ { file = $1 == "```python" ? to $2 : ""; next } file { print >file }' "$source_dir/docs/bench.md"
    export LIBPROF_LIBRARY=$build/lib/libprof.so.0 LIBPROF_BIN=$build/bin PYTHONPATH=$source_dir/python_shim
    if (cd "$work" && python3 timers.py && python3 measure.py) >"$day/logs/timers.out" 2>&1; then
        while read -r line; do item timers ok "$line"; done < <(head -n 5 "$day/logs/timers.out")
    else
        item timers FAIL "$(tail -n 1 "$day/logs/timers.out")"
    fi
    "$nvcc" -O2 -cudart shared -I"$source_dir/libprof/include" "$source_dir/examples/measure.cu" -o "$work/measure"
    item measure ok "$("${runner[@]}" -q --no-table -e PROF_START=api -o "$day/traces/measure.prof" -- "$work/measure" | head -n 1)"
}

step_roofline() {
    build_program gpu_peaks gpu_peaks shared
    observe peaks "$work/gpu_peaks"
    item measured ok "$(head -n 2 "$day/logs/peaks.out" | tr '\n' ' ')"
    "$profdump" roofline "$day/traces/peaks.prof"
    item assumed ok "$("$profdump" roofline "$day/traces/peaks.prof" | head -n 1)"
}

step_together() {
    build_program gpu_endings gpu_endings shared
    local launches
    launches=$(scaled 100000)
    if [ -n "${MPS:-}" ]; then
        export CUDA_MPS_PIPE_DIRECTORY=$work/mps CUDA_MPS_LOG_DIRECTORY=$day/logs
        mkdir -p "$work/mps" && nvidia-cuda-mps-control -d
    fi
    observe first "$work/gpu_endings" tiny "$launches" &
    observe second "$work/gpu_endings" tiny "$launches"
    wait $!
    [ -z "${MPS:-}" ] || echo quit | nvidia-cuda-mps-control
}

step_managed() {
    build_program gpu_managed gpu_managed shared
    observe managed "$work/gpu_managed"
    PROF_UNIFIED_MEMORY=1 observe migrations "$work/gpu_managed"
}

# ---- one step, in a process of its own -----------------------------------------------------------

# shellcheck source=tests/gpu/torch.sh
. "$here/torch.sh"

if [ "${1:-}" = --one ]; then
    STEP=$2
    suite_begin "$build"
    "step_$STEP"
    exit
fi

# ---- all of them ---------------------------------------------------------------------------------

make_build() {
    build=${BUILD_DIR:-$source_dir/build-gpu}
    [ -x "$build/bin/profrun" ] && return
    cmake -S "$source_dir" -B "$build" -DCMAKE_BUILD_TYPE=Release -DPROF_BUILD_TESTS=OFF -DPROF_BUILD_BENCH=OFF &&
        cmake --build "$build" -j "$(nproc)"
}

# Archives a folder without what would make the file larger than 16 MiB: the largest files go first.
archive() { # FOLDER
    local folder=$day/$1 file=$day/$1.tar.gz largest
    while tar -C "$day" -czf "$file" "$1" && [ "$(wc -c <"$file")" -gt $((16 << 20)) ]; do
        largest=$(find "$folder" -type f -printf '%s %p\n' | sort -n | tail -n 1)
        say "left out of $file: ${largest#* }"
        rm -f "${largest#* }"
    done
    rm -rf "$folder"
}

run_step() { # NAME SECONDS
    local status began=$SECONDS log=$day/logs/step_$1.log
    say "step $1"
    timeout -k 10 "${STEP_S:-$2}" bash "$here/day.sh" --one "$1" >"$log" 2>&1
    status=$?
    case $status in
    0) printf '%s\tstep\tok\t%d s\n' "$1" $((SECONDS - began)) ;;
    124 | 137) printf '%s\tstep\tFAIL\tended after %s s\n' "$1" "${STEP_S:-$2}" ;;
    *) printf '%s\tstep\tFAIL\texit status %d: %s\n' "$1" "$status" "$(tail -n 1 "$log")" ;;
    esac >>"$day/results.tsv"
}

wanted=" $* "
is_wanted() { [ -z "${wanted// /}" ] || [[ $wanted == *" $1 "* ]]; }
for each in "$@"; do
    [[ " ${steps[*]}" == *" $each:"* ]] || {
        say "there is no step $each"
        exit 2
    }
done

day=${OUT:-$source_dir/build-gpu/day}
mkdir -p "$day/logs" "$day/traces" "$day/fixtures" || die "no directory $day"
: >"$day/results.tsv"
make_build >"$day/logs/build.log" 2>&1 || die "the build failed: $(tail -n 5 "$day/logs/build.log")"
export day build
for each in "${steps[@]}"; do
    is_wanted "${each%:*}" && run_step "${each%:*}" "${each#*:}"
done
for each in "$day"/logs/*; do # the end of each
    printf '\n==== %s\n' "${each##*/}" && tail -c 200000 "$each"
done | head -c $((16 << 20)) >"$day/log.txt"
rm -rf "$day/logs"
archive traces
archive fixtures
column -t -s $'\t' "$day/results.tsv" 2>/dev/null || cat "$day/results.tsv"
! grep -q $'\tFAIL\t' "$day/results.tsv"
