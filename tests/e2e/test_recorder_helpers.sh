#!/usr/bin/env bash
# libprof's own threads do not inherit what the program has made of the thread that happens to start them.
. "$(dirname "$0")/common.sh"

compile helpers -lm
status=0
bare=$(./helpers 0) || status=$?
same "bare" "0 0" "$bare $status"
same "threads" 1 "$(record run.prof ./helpers 1)"
same "threads of a child" 1 "$(record 'child%n.prof' ./helpers 1 child)"
same "more threads" 4 "$(PROF_CONTROL=1 PROF_HANG=60s PROF_SAMPLE=99 record more.prof ./helpers 4)"
expect run.prof 'count["different"] == 1 and count["range"] == 100000' 'not any(raw.loss)'
