#!/usr/bin/env bash
# run.sh BUILD_DIR - the GPU suite: libprof against a real GPU and the real CUPTI.
#
# Builds the CUDA programs of this folder, runs each under profrun and compares what libprof
# recorded with what the program says it did. Then records replay fixtures and prints launches per
# second with and without libprof. Where there is PyTorch, trains a small network under libprof and
# under torch.profiler and compares what they saw, and what they and Triton's profiler cost. Needs
# bash, awk, a C compiler and nvcc; BUILD_DIR holds a finished build.
#
#   SIM=1           the same on the simulated CUDA: proves this script, not libprof on a GPU
#   FIXTURES=DIR    where fixtures go (default tests/data/cupti; under SIM=1: nowhere)
#   LAUNCHES=N      of the launch-rate program (default 200000)
#   TORCH=0, MANAGED=0  without PyTorch, without managed memory
#   TORCH_LAUNCHES=N  of PyTorch's (default 100000); PYTHON=PATH names the Python that has it
#
# Exit status: 0 all passed, 1 something failed or there is no GPU.
set -uo pipefail

# shellcheck source=tests/gpu/suite.sh
. "$(dirname "${BASH_SOURCE[0]}")/suite.sh"

[ $# = 1 ] || die "usage: run.sh BUILD_DIR"
suite_begin "$1"

# ---- fixtures ----------------------------------------------------------------------------------

record_fixture() { # PROGRAM FILE
    FIXTURE_OUT=$2 FIXTURE_LABEL=$1 CUDA_INJECTION64_PATH=$work/gpu_capture.so "$work/$1" \
        >/dev/null 2>"$work/capture.log"
    if [ -s "$2" ]; then
        say "fixture $2: $(wc -c <"$2") bytes"
    else
        fail "fixture $2: $(cat "$work/capture.log")"
    fi
}

# gpu_13_0: a real GPU, CUPTI of CUDA 13.0; sim_api18: simulated, CUPTI that calls itself API 18
fixture_label() {
    local cupti
    cupti=$(sed -n 's/.*"cupti":"[^"]*CUPTI \([^"]*\)".*/\1/p' "$work/gpu_kernels.json" | head -n 1)
    case $cupti in
    API*) cupti=api${cupti#API } ;;
    *) cupti=$(printf '%s' "$cupti" | cut -d. -f1,2 | tr . _) ;;
    esac
    printf '%s_%s' "${SIM:+sim}" "${cupti:-unknown}" | sed 's/^_/gpu_/'
}

record_fixtures() {
    local label program
    [ -n "${FIXTURES:-}" ] || [ -z "$SIM" ] || return
    mkdir -p "${FIXTURES:=$source_dir/tests/data/cupti}"
    label=$(fixture_label)
    for program in gpu_copies gpu_graphs gpu_streams; do
        record_fixture "$program" "$FIXTURES/${label}_${program#gpu_}.bin"
    done
}

# ---- the cost of a launch ----------------------------------------------------------------------

rate_of() { sed -n 's/^rate //p' "$1"; }

# Turn about, so that a machine that changes its speed does so for both.
measure_rate() {
    local launches=${LAUNCHES:-200000} plain=() profiled=()
    [ -n "$SIM" ] && launches=${LAUNCHES:-20000}
    for _ in 1 2 3 4 5; do
        "$work/gpu_rate" "$launches" >"$work/plain.out" || die "gpu_rate failed"
        "${runner[@]}" --force -o "$work/gpu_rate.prof" -- "$work/gpu_rate" "$launches" \
            >"$work/gpu_rate.out" 2>"$work/gpu_rate.err" || die "gpu_rate failed under profrun"
        plain+=("$(rate_of "$work/plain.out")")
        profiled+=("$(rate_of "$work/gpu_rate.out")")
    done
    check_trace gpu_rate
    local without with
    without=$(printf '%s\n' "${plain[@]}" | median)
    with=$(printf '%s\n' "${profiled[@]}" | median)
    awk -v without="$without" -v with="$with" 'BEGIN {
        printf "gpu: launches/s without libprof %.0f, with %.0f: ", without, with
        printf "%.2fx the time, %.0f ns more a launch\n", without / with, 1e9 / with - 1e9 / without }'
}

# shellcheck source=tests/gpu/torch.sh
. "$here/torch.sh"

# ---- the suite ---------------------------------------------------------------------------------

[ -n "$SIM" ] && say "on the simulated CUDA: this proves the script, not libprof on a GPU"
programs=(gpu_kernels gpu_copies gpu_streams gpu_graphs gpu_failures)
for program in "${programs[@]}" gpu_rate; do
    build_program "$program" "$program" shared
done
for program in "${programs[@]}"; do
    run_program "$program"
done
if [ -z "$SIM" ]; then # the simulated runtime is a shared library
    build_program gpu_kernels gpu_kernels_static static
    run_program gpu_kernels_static
fi
build_capture
record_fixtures
measure_rate
if [ -z "$SIM" ] && [ "${TORCH:-1}" = 1 ]; then # PyTorch brings a runtime of its own
    torch_suite
fi
if [ "${MANAGED:-1}" = 1 ]; then # last: managed memory has made devices hang
    build_program gpu_managed gpu_managed shared
    run_program gpu_managed
fi

[ "$failures" = 0 ] || die "$failures checks failed"
say "all passed"
