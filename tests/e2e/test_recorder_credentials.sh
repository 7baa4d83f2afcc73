#!/usr/bin/env bash
# A program with one thread may change that thread's capabilities and then its user while it is recorded.
. "$(dirname "$0")/common.sh"

(($(id -u) == 0)) || skip "changing users takes root"
compile credentials
./credentials >stdout.txt 2>&1 || skip "no changing users here: $(cat stdout.txt)"
same "output" "user 65533" "$(record run.prof ./credentials 200000 2>&1)"
expect run.prof 'count["range"] == 400000' 'process["closed"]' 'not any(raw.loss)'
same "output, controlled" "user 65533" "$(PROF_CONTROL=1 record controlled.prof ./credentials 2>&1)"
