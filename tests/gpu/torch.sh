# torch.sh - the part of the GPU suite that needs PyTorch: sourced by run.sh.
# shellcheck shell=bash disable=SC2154 # here, work, runner, profdump are of run.sh
#
# Backward kernels are launched by a thread of autograd's own, so "measured" on the main thread does not hold them:
# device work is compared in total, of runs of the same steps with and without the measured ones.

python=${PYTHON:-python3}

has_torch() {
    "$python" -c 'import sys, torch; sys.exit(not torch.cuda.is_available())' 2>/dev/null
}

has_proton() {
    "$python" -c 'import triton.profiler' 2>/dev/null
}

# The sum of a member over the kernels, copies and sets of profdump's JSON.
device_sum() { # JSON MEMBER
    "$python" - "$1" "$2" <<'PYTHON'
import json, sys

rows = json.load(open(sys.argv[1]))["key_averages"]
print(sum(row[sys.argv[2]] for row in rows if row["kind"] in ("kernel", "memcpy", "memset")))
PYTHON
}

# Runs the training under libprof; its JSON is $work/NAME.json.
train_under_libprof() { # NAME PROFILER STEPS
    if "${runner[@]}" --force -o "$work/$1.prof" -- "$python" "$here/gpu_torch.py" train "$2" "$3" \
        >"$work/$1.out" 2>"$work/$1.err"; then
        check_trace "$1"
    else
        fail "$1: PyTorch failed: $(tail -n 3 "$work/$1.err")"
    fi
}

check_libraries() { # NAME: cuBLAS and cuDNN are among the kernels, PyTorch's ranges among the rows
    grep -qiE '"name":"[^"]*(gemm|cutlass|cublas)[^"]*","kind":"kernel"' "$work/$1.json" ||
        fail "$1: no kernel of cuBLAS"
    grep -qiE '"name":"[^"]*(conv|cudnn|implicit|xmma)[^"]*","kind":"kernel"' "$work/$1.json" ||
        fail "$1: no kernel of cuDNN"
    grep -q '"name":"aten::conv2d","kind":"range"' "$work/$1.json" ||
        fail "$1: no range aten::conv2d: emit_nvtx was not heard"
}

within_percent() { # A B PERCENT
    awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { d = a > b ? a - b : b - a; exit !(b > 0 && d * 100 <= b * most) }'
}

# The same steps, seen by libprof and by torch.profiler. Set-up and warm-up are taken off by a run without steps.
compare_with_torch_profiler() {
    local steps=50 ours theirs operations their_operations
    train_under_libprof torch_none none 0
    train_under_libprof torch_steps none "$steps"
    "$python" "$here/gpu_torch.py" train torch "$steps" "$work/kineto.json" >"$work/kineto.out" 2>"$work/kineto.err" ||
        fail "torch.profiler: $(tail -n 3 "$work/kineto.err")"
    ours=$(($(device_sum "$work/torch_steps.json" cuda_total_ns) - $(device_sum "$work/torch_none.json" cuda_total_ns)))
    operations=$(($(device_sum "$work/torch_steps.json" count) - $(device_sum "$work/torch_none.json" count)))
    theirs=$(sed -n 's/^sum //p' "$work/kineto.out")
    their_operations=$(sed -n 's/^operations //p' "$work/kineto.out")
    say "$steps steps: $operations operations, $ours ns; torch.profiler: ${their_operations:-?}, ${theirs:-?} ns"
    [ "$operations" = "$their_operations" ] ||
        fail "torch: $operations operations, torch.profiler saw ${their_operations:-none}"
    within_percent "$ours" "${theirs:-0}" 1 || fail "torch: kernel times differ by more than 1 %"
}

launch_ns() { # OUTPUT_NAME PROFILER [RUNNER...]
    local name=$1 profiler=$2
    shift 2
    "$@" "$python" "$here/gpu_torch.py" rate "$profiler" "${TORCH_LAUNCHES:-100000}" >"$work/$name.out" \
        2>"$work/$name.err" || die "gpu_torch.py rate $profiler: $(tail -n 3 "$work/$name.err")"
    sed -n 's/^ns //p' "$work/$name.out"
}

# What each costs beyond none, turn about, the median of three.
compare_cost() {
    local -A rounds=()
    local each who=(none libprof torch) line
    has_proton && who+=(proton)
    for _ in 1 2 3; do
        for each in "${who[@]}"; do
            case $each in
            libprof) line=$(launch_ns rate_libprof none "${runner[@]}" --force -o "$work/rate_libprof.prof" --) ;;
            *) line=$(launch_ns "rate_$each" "$each") ;;
            esac
            rounds[$each]+="$line"$'\n'
        done
    done
    for each in "${who[@]}"; do
        printf '%s %s\n' "$each" "$(printf '%s' "${rounds[$each]}" | median)"
    done | awk '
        { ns[$1] = $2 }
        END {
            ours = ns["libprof"] - ns["none"]
            printf "gpu: a launch of PyTorch takes %.0f ns; libprof adds %.0f", ns["none"], ours
            for (each in ns)
                if (each != "none" && each != "libprof")
                    printf ", %s %.0f (libprof costs %.2f of that)", each, ns[each] - ns["none"],
                        ours / (ns[each] - ns["none"])
            print ""
        }'
}

torch_suite() {
    if ! has_torch; then
        say "no PyTorch that sees the GPU: its part is left out"
        return
    fi
    train_under_libprof torch_nvtx nvtx 20
    check_libraries torch_nvtx
    compare_with_torch_profiler
    "$profdump" --json "$work/kineto.json" >"$work/kineto_read.json" 2>"$work/kineto_read.log" ||
        fail "torch.profiler's own trace cannot be read: $(head -n 1 "$work/kineto_read.log")"
    compare_cost
}
