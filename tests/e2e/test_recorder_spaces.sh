#!/usr/bin/env bash
# A program may enter namespaces while it is recorded: a user namespace is for processes with one thread, and the first
# process of a PID namespace is the program's.
. "$(dirname "$0")/common.sh"

compile spaces
tried=0
for space in user pid; do
    ./spaces $space >stdout.txt 2>&1 || continue
    tried=$((tried + 1))
    same "output of $space" "done" "$(record $space.prof ./spaces $space 200000 2>&1)"
    expect $space.prof 'count["range"] == 400000' 'process["closed"]' 'not any(raw.loss)'
    same "output of $space, controlled" "done" "$(PROF_CONTROL=1 record controlled.prof ./spaces $space 2>&1)"
    rm controlled.prof
done
((tried)) || skip "no namespaces here: $(cat stdout.txt)"

same "output of clone, controlled" "done" "$(PROF_CONTROL=1 record clone.prof ./spaces clone 2>&1)"

PROF_OUTPUT=/dev/null LD_PRELOAD=$lib ./spaces user >stdout.txt 2>stderr.txt || true
same "messages with /dev/null" "" "$(grep libprof stderr.txt || true)"
[[ -z $(find /dev -maxdepth 1 -name 'null-*') ]] || fail "a file beside /dev/null: $(ls /dev/null-*)"
