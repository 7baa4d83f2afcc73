#!/usr/bin/env bash
# launched = recorded + every cause, for each stream: with every fault of the simulated CUDA switched on at once, and
# compared with what the simulation itself has launched, dropped and blanked.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda ledger -Wl,--as-needed
export PROF_START_EVENTS=0 # libprof's own sets are in the simulation's books

# stress NAME MODE [SETTING...]: 24 rounds with these settings; NAME.prof, NAME.counts and NAME.txt agree as MODE says.
stress() {
    local name=$1 mode=$2
    shift 2
    env "$@" SIM_COUNTS="$here/$name.counts" LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT="$name.prof" \
        timeout 600 ./ledger 24 7 >"$name.txt" 2>"$name.err" || fail "$name: $? $(cat "$name.txt" "$name.err")"
    python3 "$e2e_directory/ledger_books.py" "$PROF_BIN/profdump" "$name.prof" "$name.counts" "$name.txt" "$mode"
    no_violations "$name"
}

export PROF_GPU_DETAIL=full # calls that only fail, too
failing='cudaMalloc@9=2,cudaLaunchKernel@101=9,cudaLaunchKernel@102=9,cudaMemcpyAsync@30=1,cudaEventRecord@7=400,cudaGraphLaunch@5=1,cudaFree@11=1'
faults=(SIM_DROP_EVERY=11 SIM_ZERO_EVERY=7 SIM_UNKNOWN_EVERY=13 SIM_REORDER=1 SIM_DEVICES=3 PROF_GPU_BUFFER_KB=64
    PROF_FLUSH_MS=20 SIM_FAIL="$failing")

stress calm exact
for layout in 11.2 11.8 12.4 13.0; do
    stress "faults-$layout" exact "${faults[@]}" SIM_CUPTI_LAYOUT=$layout
    "$PROF_BIN/profdump" --json "faults-$layout.prof" >facts.json
    for cause in cupti_dropped zero_time unknown_record; do
        grep -q "\"$cause\":[1-9]" facts.json || fail "faults-$layout: nothing was lost by $cause"
    done
done
# the same, and sets are not recorded at all
stress refused refused "${faults[@]}" SIM_FAIL="$failing,cuptiActivityEnable(2)=11"
grep -q '"unobserved":[1-9]' <("$PROF_BIN/profdump" --json refused.prof) || fail "refused: nothing is unobserved"

# The table's foot and the text say the same as the JSON.
"$PROF_BIN/profdump" check --ledger faults-13.0.prof >ledger.txt
for words in 'all streams' 'cupti_dropped' 'zero_time' '^Launched [0-9]* = recorded [0-9]* + cupti_dropped' \
    'Failed CUDA calls:' 'cudaLaunchKernel: cudaErrorInvalidConfiguration (9) x 2, first at .* in round' \
    'cudaEventRecord: cudaErrorInvalidResourceHandle (400) x 1'; do
    grep -q -- "$words" ledger.txt || fail "no \"$words\" in"$'\n'"$(cat ledger.txt)"
done
grep -q 'cudaMalloc: cudaErrorMemoryAllocation (2) x 1' <("$PROF_BIN/profdump" faults-13.0.prof) || fail "not under the table"

# kill -9 in the midst of it.
(exec env "${faults[@]}" SIM_COUNTS="$here/killed.counts" LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" \
    PROF_OUTPUT=killed.prof ./ledger 1000000 3 >killed.txt 2>&1) &
victim=$!
has_thousand() { "$PROF_BIN/profdump" --json killed.prof 2>/dev/null | found '"recorded":[0-9]\{4\}'; }
await "a thousand operations" has_thousand
kill -9 $victim
wait $victim 2>/dev/null || true
: >killed.txt
python3 "$e2e_directory/ledger_books.py" "$PROF_BIN/profdump" killed.prof killed.counts killed.txt killed
