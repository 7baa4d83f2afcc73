#!/usr/bin/env bash
# profdump top on a terminal: its keys, and the terminal as it was afterwards.
. "$(dirname "$0")/common.sh"
command -v python3 >/dev/null || skip "needs python3"

compile looping
LD_PRELOAD=$lib PROF_OUTPUT=run.prof ./looping &
pid=$!
for ((i = 0; i < 100; i++)); do
    [[ -e run.prof ]] && "$PROF_BIN/profdump" run.prof 2>/dev/null | found forward && break
    sleep 0.1
done
python3 "$e2e_directory/top_keys.py" "$PROF_BIN/profdump" run.prof || { kill "$pid"; fail "keys"; }
kill "$pid"
wait "$pid" || true
