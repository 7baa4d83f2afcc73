#!/usr/bin/env bash
# Coroutines have small stacks: no event needs more than 2 KiB of one, the first of a process and of a thread included.
. "$(dirname "$0")/common.sh"

compile stack_use -Wl,-z,now # when a function is bound late, the loader needs more than that

# Samples are so rare that no signal comes meanwhile: the kernel saves all registers on the stack then.
for setting in UNSET=1 PROF_STACKS=launch PROF_STACKS=range PROF_SAMPLE=1 PROF_HANG=1h PROF_SUMMARY=1 PROF_FULL=ring; do
    env "$setting" LD_PRELOAD="$lib" PROF_OUTPUT=%n.prof ./stack_use >use.txt
    (($(wc -l <use.txt) == 9)) || fail "$setting: $(cat use.txt)"
    while IFS=: read -r what bytes; do
        ((bytes <= 2048)) || fail "$setting: $what needs $bytes bytes of stack"
    done <use.txt
    rm -- *.prof
done
