#!/usr/bin/env bash
# The time of outputs is linear in the number of events, whatever the shape of the trace: each command has a limit of CPU time
# that a quadratic time would far exceed. `HOSTILE=1000000 ctest -R hostile` has larger traces.
# long: it writes a dozen large traces in every format
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

n=${HOSTILE:-200000}
limit=$((n / 20000 + 2)) # seconds of CPU time; most commands take n / 200,000
[[ -z ${SANITIZE:-} ]] || limit=$((limit * 10))
make="$BUILD_DIR/test/make_hostile"

# within SHAPE ARGUMENT...: profdump on the trace of that shape
within() {
    local shape=$1
    shift
    [[ -e $shape.prof ]] || { rm -f ./*.prof && "$make" "$shape" "$n" "$shape.prof"; }
    (ulimit -t "$limit" && exec "$PROF_BIN/profdump" "$@" "$shape.prof" >out.txt 2>&1) || {
        echo "$shape: profdump $* failed, or took more than $limit s of CPU time" && tail -3 out.txt && exit 1
    }
}

# What exports of timelines find around each slice and operation.
timelines=(export -o out.json -o out.pftrace -o out.sqlite -o out.arrow)
for shape in deep deep_backward deep_evaluation deep_collectives deep_calls; do
    within "$shape" "${timelines[@]}"
    within "$shape" export -o out.json --to tensorboard
    within "$shape" roofline --group-by op
    within "$shape" roofline --group-by range
    within "$shape" explain
done

# Lanes for slices that overlap.
for shape in waits_one_event migrations overheads timings; do
    within "$shape" export -o out.json -o out.pftrace
done

within windows stats
within notes diff notes.prof
within blocks executorch blocks
within same_time_deep "${timelines[@]}"
echo "$n events of each shape: at most $limit s of CPU time each"
