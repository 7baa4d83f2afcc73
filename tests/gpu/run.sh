#!/usr/bin/env bash
# run.sh [BUILD_DIR] - the GPU suite: libprof against a real GPU and the real CUPTI.
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
#   TORCH_LAUNCHES=N  of PyTorch's (default 100000); PYTHON=PATH names the Python that has it
#
# Exit status: 0 all passed, 1 something failed or there is no GPU.
set -uo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=${SOURCE_DIR:-$(cd "$here/../.." && pwd)}
SIM=${SIM:-0}
[ "$SIM" = 0 ] && SIM=

say() { printf '%s\n' "gpu: $*"; }
die() {
    printf '%s\n' "gpu: $*" >&2
    exit 1
}

# ---- what there is -----------------------------------------------------------------------------

if [ $# -gt 0 ]; then
    build=$1
elif [ -n "${BIN_DIR:-}" ]; then
    build=$(dirname "$BIN_DIR")
else
    die "usage: run.sh BUILD_DIR"
fi
build=$(cd "$build" 2>/dev/null && pwd) || die "there is no build directory $1"
profrun=$build/bin/profrun
profdump=$build/bin/profdump
if [ ! -x "$profrun" ] || [ ! -x "$profdump" ]; then
    die "$build holds no finished build (bin/profrun, bin/profdump)"
fi

find_nvcc() {
    local candidate
    for candidate in "${CUDA_NVCC:-}" "$(command -v nvcc)" /usr/local/cuda/bin/nvcc; do
        [ -x "$candidate" ] && printf '%s' "$candidate" && return
    done
}

has_gpu() {
    [ -e /dev/nvidiactl ] || [ -e /dev/dxg ] || [ -e /dev/nvhost-ctrl-gpu ] ||
        nvidia-smi -L 2>/dev/null | grep -q '^GPU'
}

nvcc=$(find_nvcc)
[ -n "$nvcc" ] || die "no nvcc: install the CUDA toolkit or set CUDA_NVCC"
[ -n "$SIM" ] || has_gpu ||
    die "no GPU here: this suite needs one (SIM=1 tries the script on the simulated CUDA)"

work=$(mktemp -d) || die "no temporary directory"
trap 'rm -rf "$work"' EXIT
runner=("$profrun")
if [ -n "$SIM" ]; then
    runner+=(--sim)
    export LD_LIBRARY_PATH=$build/lib/sim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
fi

# ---- building ----------------------------------------------------------------------------------

# -arch=native came with CUDA 11.5; without it the default PTX is compiled at load time.
build_program() { # NAME OUTPUT CUDART
    local flags=(-O2 -std=c++17 -cudart "$3" "$here/$1.cu" -o "$work/$2")
    [ -z "$SIM" ] && "$nvcc" -arch=native "${flags[@]}" >"$work/nvcc.log" 2>&1 && return
    "$nvcc" "${flags[@]}" >"$work/nvcc.log" 2>&1 || {
        cat "$work/nvcc.log" >&2
        die "nvcc cannot build $1.cu"
    }
}

build_capture() {
    local recorder=$source_dir/libprof/src
    "${CC:-cc}" -std=gnu17 -O2 -Wall -Werror -fPIC -shared -fvisibility=hidden -pthread -Wl,--no-undefined \
        -I"$source_dir/cupti" -I"$recorder/base" -I"$recorder/process" -I"$source_dir/libprof/include" \
        "$here/gpu_capture.c" "$recorder/process/worker.c" "$recorder/base/signals.c" \
        "$build/archive/libprof_cupti.a" -ldl -o "$work/gpu_capture.so" 2>"$work/cc.log" || {
        cat "$work/cc.log" >&2
        die "cannot build gpu_capture.c"
    }
}

# ---- checking ----------------------------------------------------------------------------------

failures=0
fail() {
    printf '%s\n' "FAIL $*"
    failures=$((failures + 1))
}

# The JSON has one entry a line. Sum of the counts of a kind, or of one CUDA function.
count_of() { # JSON WHAT
    awk -v what="$2" '
        /^"key_averages"/ { inside = 1 }
        /^"kernels"/ { inside = 0 }
        inside && match($0, /"count":[0-9]+/) {
            count = substr($0, RSTART + 8, RLENGTH - 8)
            if (what ~ /^api:/)
                good = index($0, "{\"name\":\"" substr(what, 5) "\",") == 1 && /"kind":"cuda_api"/
            else
                good = index($0, "\"kind\":\"" what "\"") > 0
            if (good)
                total += count
        }
        END { print total + 0 }' "$1"
}

number_of() { # JSON KEY
    sed -n "s/.*\"$2\":\(-\{0,1\}[0-9]*\).*/\1/p" "$1" | head -n 1
}

check_counts() { # NAME JSON OUTPUT
    local word what expected got
    while read -r word what expected; do
        [ "$word" = expect ] || continue
        got=$(count_of "$2" "$what")
        [ "$got" = "$expected" ] || fail "$1: $what: expected $expected, recorded $got"
    done <"$3"
}

check_ledger() { # NAME JSON
    local key value
    for key in missing undelivered unobserved orphans before_launch lost_operations lost_device \
        lost_host torn; do
        value=$(number_of "$2" "$key")
        [ "${value:-0}" = 0 ] || fail "$1: ledger: $key is $value"
    done
    [ "$(number_of "$2" launched)" = "$(number_of "$2" recorded)" ] ||
        fail "$1: ledger: launched $(number_of "$2" launched), recorded $(number_of "$2" recorded)"
}

# Every arrow begins and ends once.
check_arrows() { # NAME TRACE
    local chrome=$work/$1.chrome.json starts ends
    "$profdump" --chrome "$chrome" "$2" >/dev/null 2>&1 || fail "$1: profdump --chrome failed"
    starts=$(grep -o '"ph": *"s"' "$chrome" | wc -l)
    ends=$(grep -o '"ph": *"f"' "$chrome" | wc -l)
    if [ "$starts" != "$ends" ] || [ "$starts" = 0 ]; then
        fail "$1: $starts arrows begin, $ends end"
    fi
}

check_mode() { # NAME JSON
    local simulated=false
    [ -n "$SIM" ] && simulated=true
    grep -q '"mode":"cupti"' "$2" ||
        fail "$1: not recorded by CUPTI: $(grep -o '"mode_reason":"[^"]*"' "$2" | head -n 1)"
    grep -q "\"simulated\":$simulated" "$2" || fail "$1: simulated should be $simulated"
    grep -q '"closed":true' "$2" || fail "$1: the trace was not closed"
}

check_trace() { # NAME
    local trace=$work/$1.prof json=$work/$1.json before=$failures
    "$profdump" --json "$trace" >"$json" 2>"$work/dump.log" ||
        fail "$1: profdump --json: $(cat "$work/dump.log")"
    "$profdump" check "$trace" >"$work/check.log" 2>&1 || fail "$1: $(cat "$work/check.log")"
    check_mode "$1" "$json"
    check_counts "$1" "$json" "$work/$1.out"
    check_ledger "$1" "$json"
    check_arrows "$1" "$trace"
    [ "$failures" = "$before" ] &&
        say "ok   $1: $(number_of "$json" launched) launched," \
            "clock error $(number_of "$json" clock_error_ns) ns"
}

run_program() { # NAME
    if "${runner[@]}" -o "$work/$1.prof" -- "$work/$1" >"$work/$1.out" 2>"$work/$1.err"; then
        check_trace "$1"
    else
        fail "$1: the program failed: $(tail -n 3 "$work/$1.err")"
    fi
}

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
median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }

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
programs=(gpu_kernels gpu_copies gpu_streams gpu_graphs gpu_managed gpu_failures)
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
if [ -z "$SIM" ]; then # PyTorch brings a runtime of its own
    torch_suite
fi

[ "$failures" = 0 ] || die "$failures checks failed"
say "all passed"
