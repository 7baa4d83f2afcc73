#!/usr/bin/env bash
# Every report of profdump in every format is printed by the library, too, to the byte, with the same messages.
. "$(dirname "$0")/common.sh"

for report in "${reports[@]}"; do
    for trace in demo blocks memory graphs killed; do
        reported "$report" traces/$trace.prof
    done
    for format in text tsv csv json markdown xml; do
        reported "$report" --format=$format traces/demo.prof
    done
    reported "$report" --rows=2 traces/nvtx.prof
    reported "$report" --fail-on-loss traces/demo.prof
done
reported table --sort=cuda_total --group-by=name,thread --columns=p50,p99 traces/demo.prof
reported table --group-by=stack:2 traces/demo.prof
reported table --tree --depth=2 --time-unit=us traces/demo.prof
reported table --kind=kernels --name-width=20 --total traces/demo.prof
reported table --columns=memory --tree traces/demo.prof
reported breakdown --table=kernels traces/demo.prof
reported explain --rules traces/demo.prof
reported explain --rule=bogus traces/demo.prof
reported explain --limits=no_such_file traces/demo.prof
reported roofline --devices traces/demo.prof
reported roofline --device-rates=no_such_file traces/demo.prof
reported blocks --compat traces/blocks.prof
reported blocks --range=forward traces/demo.prof
reported check --ledger traces/demo.prof
reported check --ledger --format=json traces/killed.prof
reported stacks --folded traces/demo.prof
if record_stacks; then
    reported check --ledger traces/stacks.prof
    for report in table stacks explain; do
        reported "$report" traces/stacks.prof
    done
    reported table --group-by=stack:2 traces/stacks.prof
    grep -qw main got.out || fail "no function was found"
    reported stacks --format=csv traces/stacks.prof
    reported stacks --folded traces/stacks.prof
fi

# The example's rows are the table's, and Arrow's sum is that of the summary.
if [[ -x $EXAMPLES_DIR/ask ]]; then
    "$EXAMPLES_DIR/ask" traces/demo.prof >ask.txt
    "$BIN_DIR/profdump" --sort self_cuda --rows 10 traces/demo.prof | diff - <(head -n -2 ask.txt) || fail "the example's table"
    "$BIN_DIR/profdump" -o html --to html traces/demo.prof
    cmp html ask.html || fail "the example's page"
    ns=$("$BIN_DIR/profdump" --json traces/demo.prof | python3 -c '
import json, sys
rows = json.load(sys.stdin)["key_averages"]
print(sum(row["self_cuda_total_ns"] for row in rows if row["kind"] in ("kernel", "memcpy", "memset", "graph")))')
    tail -1 ask.txt | grep -q " $ns ns" || fail "the example's sum is not $ns: $(tail -1 ask.txt)"
    ! "$EXAMPLES_DIR/ask" no_such_file 2>ask.err || fail "the example reads what is not there"
    grep -q no_such_file ask.err || fail "the example does not say why"
fi
echo "$compared comparisons passed"

# Statements of SQL, right and wrong.
queried() {
    alike "" query "$@" -- query "$1" - "${@:2}"
}
queried "SELECT name, count(*), sum(duration) FROM kernels GROUP BY name" traces/demo.prof
for format in tsv csv json markdown; do
    queried "SELECT * FROM slices ORDER BY id" --format=$format traces/demo.prof
done
queried "DELETE FROM slices" traces/demo.prof
