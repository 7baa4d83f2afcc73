#!/usr/bin/env bash
# The same of traces of others: PyTorch's, nvprof's, and mixed with our own.
. "$(dirname "$0")/common.sh"

kineto=$data/kineto/resnet50_nw0.1623143089861.pt.trace.json.gz
[[ -e $kineto ]] || skip "there is no shared data"

for format in "${formats[@]}"; do
    exported "$format" "" "$kineto"
done
exported chrome .gz "$kineto" traces/demo.prof
exported perfetto "" "$kineto" traces/demo.prof
for report in "${reports[@]}"; do
    reported "$report" "$kineto"
done
reported roofline --format=json "$kineto"
reported explain --format=json "$kineto"
if command -v unzip >/dev/null; then
    unzip -q "$data/nvprof/bench_ortmodule_nn_gpu.sql.zip"
    nvprof=$(find . -name '*.sql')
    exported chrome "" "$nvprof"
    exported sqlite "" "$nvprof"
    reported table "$nvprof"
fi
leftovers
echo "$compared comparisons passed"
