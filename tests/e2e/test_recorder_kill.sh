#!/usr/bin/env bash
# kill -9 at any instant loses no event that was completed.
. "$(dirname "$0")/common.sh"

compile publish
python3 "$e2e_directory/kill_at_random.py" "$PROF_BIN/profdump" "$lib" 220
