#!/usr/bin/env bash
# Every format that profdump writes is written by the library, too, to the byte, with the same messages.
. "$(dirname "$0")/common.sh"

for trace in demo blocks memory graphs nvtx hostile lossy killed failing cpu; do
    for format in "${formats[@]}"; do
        exported "$format" "" traces/$trace.prof
    done
done
for format in "${formats[@]}"; do
    exported "$format" .gz traces/demo.prof
    exported "$format" .zst traces/demo.prof
    exported "$format" "" traces/rank0.prof traces/rank1.prof # merged
    exported "$format" "" traces/diff                         # a directory
    exported "$format" "" traces/run.etdp
done
if record_stacks; then
    for format in "${formats[@]}"; do
        exported "$format" "" traces/stacks.prof
    done
fi
exported svg "" --width=500 traces/demo.prof
alike "" --chrome - traces/demo.prof -- export chrome - traces/demo.prof

# Reports into files are what is printed.
for report in table explain stacks check; do
    word=$report
    [[ $report != table ]] || word=
    "$BIN_DIR/profdump" $word traces/demo.prof >wanted
    "$test/ask_trace" export "$report" got traces/demo.prof
    cmp wanted got || fail "$report in a file is not what is printed"
done
if "$test/ask_trace" export explain got.gz traces/demo.prof 2>err.txt; then
    "$BIN_DIR/profdump" explain traces/demo.prof | cmp - <(gzip -dc got.gz) || fail "explain.gz is not what is printed"
else
    grep -q 'got.gz: cannot write' err.txt || fail "explain.gz cannot be written: $(cat err.txt)"
fi

if [[ -x $test/make_databases ]]; then
    mkdir databases
    "$test/make_databases" databases
    for database in databases/*; do
        exported chrome "" "$database"
        exported pprof "" "$database"
    done
fi
leftovers
echo "$compared comparisons passed"
