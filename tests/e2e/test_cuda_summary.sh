#!/usr/bin/env bash
# PROF_SUMMARY: what the recorder sums up while it records is what the events give, to the nanosecond; also in forked children,
# where recording is switched, where a ring has overwritten the events, and after kill -9.
# SIM_CUPTI_LAYOUT is chosen here.
. "$(dirname "${BASH_SOURCE[0]}")/cuda_common.sh"

compile_cuda summed
compile steps
export PROF_SUMMARY=1
exact() { python3 "$e2e_directory/summary_expect.py" "$PROF_BIN/profdump" "$@" || fail "summaries differ"; }
value() { "$PROF_BIN/profdump" query --format tsv "$1" "$2" | tail -n 1; }

# Threads, nesting, copies, sets and a graph, with each simulated CUPTI; a graph as a whole; a child with a file of its own.
for layout in "${layouts[@]}"; do
    SIM_CUPTI_LAYOUT=$layout simulate "summed-$layout.prof" ./summed 20 1000
    exact "summed-$layout.prof"
done
PROF_GRAPHS=graph simulate graph.prof ./summed 20
simulate 'family-%p.prof' ./summed 5 0 fork
exact graph.prof family-*.prof
same "files of the family" 2 "$(ls family-*.prof | wc -l)"

# Several rounds: their rows add up.
simulate rounds.prof ./summed 100 30000
exact rounds.prof
[[ $(value "SELECT count(*) > 1 FROM summary WHERE kind = 'round'" rounds.prof) == 1 ]] || fail "one round in three seconds"

# More rows in one round than the recorder keeps in memory.
PROF_SUMMARY=60 simulate many.prof ./summed 800
exact many.prof
[[ $(value "SELECT count(*) > 6144 FROM summary" many.prof) == 1 ]] || fail "too few rows for this test"

# Recording that is switched on and off.
PROF_START=step:10 PROF_STOP=step:40 record switched.prof ./steps run 100
exact switched.prof

# Off: nothing is in the file.
PROF_SUMMARY=0 simulate off.prof ./summed 5
same "rows without PROF_SUMMARY" 0 "$(value "SELECT count(*) FROM summary" off.prof)"

# A ring keeps the sums of what it overwrote, and says what it overwrote before it was summed up.
PROF_FULL=ring PROF_MAX_MB=4 record ring.prof ./steps run 100000
summed=$(value "SELECT sum(count) FROM summary WHERE kind = 'range'" ring.prof)
unseen=$(value "SELECT coalesce(sum(count), 0) FROM summary WHERE kind = 'unseen'" ring.prof)
left=$(value "SELECT count(*) FROM slices WHERE kind = 'range'" ring.prof)
((left < 200000)) || fail "the ring overwrote nothing"
((summed > left && (unseen > 0 ? summed < 200000 : summed == 200000))) || fail "ring: $summed ranges, $unseen chunks not seen"

# Facts without events.
same "summed up without events" "$(value "SELECT count(*), sum(sum) FROM summary" rounds.prof)" \
    "$("$PROF_BIN/profdump" query --no-events --format tsv "SELECT count(*), sum(sum) FROM summary" rounds.prof | tail -n 1)"
same "events" 0 "$("$PROF_BIN/profdump" query --no-events --format tsv "SELECT count(*) FROM slices" rounds.prof | tail -n 1)"

# Killed: what was written by then is there, and right.
(exec env LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT=killed.prof ./summed 100000 2000) &
has_summaries() {
    [[ -e killed.prof && $(value "SELECT count(*) FROM summary_steps" killed.prof 2>/dev/null) -gt 10 ]] &&
        [[ $(value "SELECT count(*) FROM summary WHERE kind = 'round'" killed.prof) -gt 1 ]]
}
await "summaries" has_summaries
kill -9 $!
wait $! || true
exact --killed killed.prof

no_violations "summaries"
