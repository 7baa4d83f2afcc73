#!/usr/bin/env bash
# PROF_BUDGET: what costs too much is left out in order, stamped, and every kernel keeps its arrow; a generous budget leaves
# nothing out; what recording cost is stated, also where the program was killed.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda busy
export SIM_KERNEL_NS=100000

# 0.01 %: less than any call costs. Steps of a tenth of a second: three above the budget, two to settle. Nodes of graphs
# are the last to go, where this CUPTI has records of whole graphs and the program is slow enough.
busy() {
    local file=$1
    shift
    simulate "$file" "$@" >stdout.txt 2>stderr.txt
}

sheds="[(s['what'], s['recorded']) for s in facts['shed']]"
PROF_BUDGET=0.01% PROF_STACKS=launch busy shed.prof ./busy 1800 40 || fail "$(cat stderr.txt)"
no_violations "shedding"
expect_cuda shed.prof -- "$sheds[:2] == [('stacks', False), ('calls', False)] and $sheds[2:] in ([], [('nodes', False)])" \
    "facts['cost']['budget_percent'] == 0.01 and facts['cost']['percent'] > 0.01" \
    "sum(p['ns'] for p in facts['cost']['parts'] if p['of'] == 'own') == facts['cost']['own_threads_ns'] > 0 < facts['cost']['own_threads_percent']" \
    "loss['launched'] == loss['recorded'] == $(cat stdout.txt) and loss['missing'] == loss['orphans'] == 0" \
    "len(arrows('ac2g')) == $(cat stdout.txt)" \
    "calls['cudaLaunchKernel'] == count['turn'] == $(cat stdout.txt) > calls['cudaStreamSynchronize'] > 0" \
    "max(e['ts'] for e in x('cuda_runtime', 'cudaStreamSynchronize')) < facts['shed'][1]['time_ns'] / 1e3 + 50000" \
    "[e['name'] for e in trace.all if e['name'].startswith('libprof: ')][:2] == ['libprof: stacks not recorded any more', 'libprof: calls not recorded any more']" \
    "trace.head['libprof']['shed'] == facts['shed'] and trace.head['libprof']['cost']['parts']"
"$PROF_BIN/profdump" shed.prof >table.txt
per_launch=', [0-9]+ ns per launch \(CUPTI.s own cost not included\)'
few=' \(CUPTI.s own cost not included; [0-9]+ launches are too few to tell the cost of one\)' # on a slow machine
grep -Eq "^libprof cost [0-9.]+ % of wall \\+ [0-9.]+ % in background threads($per_launch|$few); start-up [0-9.]+[mu]?s; background threads [0-9.]+[mu]?s\$" table.txt || fail "no cost: $(tail -5 table.txt)"
grep -Eq 'not recorded any more: call stacks \(' table.txt || fail "no stamp: $(tail -5 table.txt)"
"$PROF_BIN/profdump" check shed.prof | found '^note  *shed ' || fail "check is silent about it"
"$PROF_BIN/profdump" --fail-on-loss shed.prof >/dev/null || fail "what the user chose counts as a loss"

PROF_BUDGET=100% PROF_STACKS=launch busy generous.prof ./busy 800 40 || fail "$(cat stderr.txt)"
expect_cuda generous.prof -- "$sheds == []" "facts['cost']['budget_percent'] == 100" \
    "calls['cudaStreamSynchronize'] == calls['cudaLaunchKernel']"

# Without a budget the cost is stated all the same. Launches are counted up to the last timed callback: one of 95 at most.
busy free.prof ./busy 500 || fail "$(cat stderr.txt)"
expect_cuda free.prof -- "$sheds == [] and facts['cost']['budget_percent'] is None" \
    "loss['launched'] - 95 < facts['cost']['launches'] <= loss['launched']" \
    "{p['name']: p['count'] for p in facts['cost']['parts']}['events'] == 2 * $(cat stdout.txt)" \
    "sum(p['ns'] for p in facts['cost']['parts'] if p['of'] == 'threads') == facts['cost']['taken_ns']"

# Killed: stated a sixteenth of the time before, at most.
export PROF_BUDGET=0.01%
(exec env LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT=killed.prof PROF_STACKS=launch ./busy 20000 40) >stdout.txt 2>&1 &
pid=$!
sheds_calls() { "$PROF_BIN/profdump" --json killed.prof 2>/dev/null | found '"what":"calls","recorded":false'; }
await "calls to be shed" sheds_calls
kill -9 "$pid"
wait "$pid" 2>/dev/null || true
unset PROF_BUDGET
"$PROF_BIN/profdump" check killed.prof >check.txt || fail "killed: $(cat check.txt)"
"$PROF_BIN/profdump" --json killed.prof | python3 -c "
import json, sys
facts = json.load(sys.stdin)
assert [s['what'] for s in facts['shed']][:2] == ['stacks', 'calls'], facts['shed']
assert facts['cost']['percent'] > 0.01 and facts['cost']['launches'] > 0, facts['cost']
" || fail "killed: no cost"

# Wrong values are named and have no effect.
for wrong in lots 0% 101% -1% 2%% 1.5.5 %; do
    PROF_BUDGET=$wrong busy wrong.prof ./busy 1 || fail "$wrong: $(cat stderr.txt)"
    grep -qF "PROF_BUDGET=$wrong ignored: expected percent 0.01%..100%" stderr.txt || fail "$wrong: $(head -3 stderr.txt)"
    rm -f wrong.prof
done
