#!/usr/bin/env bash
# Threads with a trace each write what one thread writes.
. "$(dirname "$0")/common.sh"

mkdir -p out/{0,1,2,3,4,5}
inputs=()
if record_stacks; then inputs+=(traces/stacks.prof); fi
"$test/ask_at_once" out "${inputs[@]}" traces/blocks.prof traces/nvtx.prof traces/graphs.prof traces/memory.prof || fail "a thread failed"
for failed in out/0/*.failed; do # a build without a library
    [[ -e $failed ]] || continue
    format=$(basename "$failed" .failed)
    ! "$BIN_DIR/profdump" -o try.gz --to "$format" traces/demo.prof 2>err.txt || fail "$format could be written by profdump"
done
for number in 1 2 3 4 5; do
    diff -r out/0 out/$number || fail "thread $number wrote something else"
done
[[ $(ls out/0 | wc -l) -gt 20 ]] || fail "not everything was written"
leftovers
echo "all passed"
