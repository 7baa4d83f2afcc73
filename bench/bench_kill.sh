#!/usr/bin/env bash
# What kill -9 loses of a device that is never idle, on the simulated CUDA: a buffer of device records comes back when all
# operations in it have ended, so the loss depends on the time it spans. bench_kill.sh BUILD [CC]
set -euo pipefail

build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"${2:-cc}" -std=gnu17 -O1 -I"$source/libprof/include" "$source/tests/cuda/paced.c" -o "$work/paced" \
    -L"$build/lib/sim" -l:libcudart.so.13 -l:libcuda.so.1

number() { "$build/bin/profdump" --json "$work/run.prof" | sed -n "s/.*\"$1\":\([0-9]*\).*/\1/p" | head -n 1; }

printf '%12s %12s %10s %10s %12s\n' 'kernels/s' reached launched 'not there' 'that is'
for rate in 100 1000 10000 100000 1000000; do
    rm -f "$work/run.prof"
    reached=$(env LD_LIBRARY_PATH="$build/lib/sim" LD_PRELOAD="$build/lib/libprof.so" PROF_OUTPUT="$work/run.prof" PROF_MAX_MB=1024 \
        SIM_KERNEL_NS=$((1000000000 / rate)) "$work/paced" "$rate" 4 "${MS:-3000}" 2>/dev/null) || true
    launched=$(number launched)
    lost=$((launched - $(number recorded)))
    printf '%12d %12d %10d %10d %9d ms\n' $rate "$reached" "$launched" "$lost" $((lost * 1000 / reached))
done
