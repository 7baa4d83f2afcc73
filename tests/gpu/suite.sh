# suite.sh - what run.sh and day.sh share: programs are built, run under profrun and checked. Sourced, not run.
# shellcheck shell=bash
#
# suite_begin BUILD_DIR sets build, profrun, profdump, nvcc, work and runner. A check that fails prints a line and is
# counted in `failures`.

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
source_dir=${SOURCE_DIR:-$(cd "$here/../.." && pwd)}
SIM=${SIM:-0}
[ "$SIM" = 0 ] && SIM=

say() { printf '%s\n' "gpu: $*"; }
die() {
    printf '%s\n' "gpu: $*" >&2
    exit 1
}

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

# Ends the script unless there are a finished build, nvcc and a GPU.
suite_begin() { # BUILD_DIR
    build=$(cd "$1" 2>/dev/null && pwd) || die "there is no build directory $1"
    profrun=$build/bin/profrun
    profdump=$build/bin/profdump
    if [ ! -x "$profrun" ] || [ ! -x "$profdump" ]; then
        die "$build holds no finished build (bin/profrun, bin/profdump)"
    fi
    nvcc=$(find_nvcc)
    [ -n "$nvcc" ] || die "no nvcc: install the CUDA toolkit or set CUDA_NVCC"
    [ -n "$SIM" ] || has_gpu || die "no GPU here: this needs one (SIM=1 tries the script on the simulated CUDA)"
    work=$(mktemp -d) || die "no temporary directory"
    trap 'rm -rf "$work"' EXIT
    runner=("$profrun")
    if [ -n "$SIM" ]; then
        runner+=(--sim)
        export LD_LIBRARY_PATH=$build/lib/sim${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    fi
}

# ---- building ----------------------------------------------------------------------------------

# -arch=native came with CUDA 11.5; without it the default PTX is compiled at load time.
build_program() { # NAME OUTPUT CUDART
    [ "$work/$2" -nt "$here/$1.cu" ] && return
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
        -I"$source_dir/cupti" -I"$recorder/common" -I"$recorder/process" -I"$source_dir/libprof/include" \
        "$here/gpu_capture.c" "$recorder/process/loaded.c" "$recorder/process/worker.c" "$recorder/common/signals.c" \
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

median() { sort -n | awk '{ value[NR] = $1 } END { print value[int((NR + 1) / 2)] }'; }
