#!/usr/bin/env bash
# Trace requests that cannot be met or must not be obeyed: contradictions, hostile paths, answers that are damaged, too
# long, or not the daemon's. The program notices nothing.
. "$(dirname "$0")/common.sh"

compile steps
export TEST_BIN=$PROF_BIN TEST_LIB=$PROF_LIB
python3 "$e2e_directory/requests_refused.py"
