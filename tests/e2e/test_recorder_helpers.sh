#!/usr/bin/env bash
# libprof's own threads do not inherit what the program has made of the thread that happens to start them.
. "$(dirname "$0")/common.sh"

compile helpers -lm
status=0
bare=$(./helpers 0) || status=$?
same "bare" "0 0" "$bare $status"
same "threads" 2 "$(record run.prof ./helpers 2)"
same "threads of a child" 2 "$(record 'child%n.prof' ./helpers 2 child)"
for as in "nice -n 3" "chrt --batch 0" "chrt --idle 0"; do # theirs, and not the usual ones
    same "threads under $as" 2 "$(record other.prof $as ./helpers 2)"
done
same "more threads" 5 "$(PROF_CONTROL=1 PROF_HANG=60s PROF_SAMPLE=99 record more.prof ./helpers 5)"
expect run.prof 'count["different"] == 1 and count["range"] == 100000' 'not any(raw.loss)'
