#!/usr/bin/env bash
# Call stacks at ranges take nothing that the program counts on.
. "$(dirname "$0")/common.sh"

python3 -c 'import ctypes; ctypes.CDLL("libunwind.so.8")' 2>/dev/null || skip "libunwind.so.8 is missing (Debian: libunwind8)"
export PROF_STACKS=range PROF_STACK_METHOD=tables
# libunwind would keep a pipe among the program's descriptors, and read and write there after the program reused them.
compile lowest
same "lowest free descriptor" "the same" "$(record run.prof ./lowest)"
expect run.prof 'count["outer"] == count["inner"] == 1' 'not any(raw.loss)'
