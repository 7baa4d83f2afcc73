#!/usr/bin/env bash
# The first job of docs/slow_rank.md: one of four ranks is 200 ms slower in its backward pass, all have the same step times, and
# one command names the rank and the range. The second job, with PyTorch and gloo, is in python/test_pages.
. "$(dirname "$0")/fleet_common.sh"

mkdir job
make_job ranks=4 steps=20 fault=slow_backward victim=2 job
fleet pack job/*.prof -o job.dataset >packed.txt
fleet fleet job.dataset >said.txt
first=$(grep -m 1 '^- ' said.txt) || fail "nothing is found: $(cat said.txt)"
[[ $first == *"rank 2 "*"'backward'"*" 198 ms a step"* ]] || fail "neither the rank nor the range: $first"
fleet fleet --sql "SELECT max(ms) - min(ms) < 1 AND min(ms) > 200 AS same
                   FROM (SELECT median(duration_ns) / 1e6 AS ms FROM steps GROUP BY rank)" --format tsv job.dataset >steps.txt
found -ix true <steps.txt || fail "the step times of the ranks differ: $(cat steps.txt)"
