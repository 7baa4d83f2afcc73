#!/usr/bin/env bash
# profdump top on a terminal: its keys, and the terminal as it was afterwards.
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || skip "needs python3"

compile looping
LD_PRELOAD=$lib PROF_OUTPUT=run.prof ./looping &
pid=$!
has_forward() { [[ $(count_of forward run.prof) -gt 0 ]]; }
await "a forward pass" has_forward
python3 "$e2e_directory/top_keys.py" "$PROF_BIN/profdump" run.prof || { kill "$pid"; fail "keys"; }
kill "$pid"
wait "$pid" || true
