#!/usr/bin/env bash
# tests/gpu/day.sh on the simulated CUDA: every step runs to its end, and one that fails does not stop the next.
# long: it builds and runs all that a day with a GPU does
[ -n "${CUDA_NVCC:-}" ] || { echo "no nvcc"; exit 77; }
[ -d "$SIM_LIB" ] || { echo "the simulated CUDA was not built"; exit 77; }
[ -z "${SANITIZE:-}" ] || { echo "not with sanitizers: they would have to be preloaded"; exit 77; }
set -euo pipefail
export SIM=1 SCALE=1 OUT BUILD_DIR
OUT=$(mktemp -d)
trap 'rm -rf "$OUT"' EXIT
day() { bash "$SOURCE_DIR/tests/gpu/day.sh" "$@" >"$OUT/printed.txt" 2>&1; }
has() { # STEP ITEM STATUS
    awk -F '\t' -v step="$1" -v item="$2" -v status="$3" '$1 == step && $2 == item && $3 == status { found = 1 } END { exit !found }' \
        "$OUT/results.tsv" || { echo "FAILED: $1: $2 is not $3"; cat "$OUT/results.tsv"; exit 1; }
}

day || { echo "FAILED"; cat "$OUT/printed.txt"; exit 1; }
for step in facts smallest levels suite torch guests endings cost roofline together managed; do
    has $step step ok
done
has smallest checks ok
has endings end_KILL ok
for file in log.txt traces.tar.gz fixtures.tar.gz; do
    [ -s "$OUT/$file" ] || { echo "FAILED: no $file"; exit 1; }
done
(($(find "$OUT" -type f -size +16M | wc -l) == 0 && $(find "$OUT" -type f | wc -l) <= 8)) || { echo "FAILED: too much"; exit 1; }

# A step that does not end in time fails; the one after it runs.
if STEP_S=0.05 day smallest && has smallest step FAIL; then
    echo "FAILED: a step that was ended passed"
    exit 1
fi
has smallest step FAIL
if PROF_CUPTI=/nothing day smallest managed; then
    echo "FAILED: no CUPTI, and no check failed"
    exit 1
fi
has smallest checks FAIL
has managed step ok
