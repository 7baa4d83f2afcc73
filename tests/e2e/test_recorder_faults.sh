#!/usr/bin/env bash
# Whichever system call of the recorder fails: the program does not notice, and the ledger adds up. A part of the
# combinations; `./dev soak faults` tries all.
. "$(dirname "$0")/common.sh"

[[ $(uname -m) == x86_64 ]] || skip "the tracer knows the registers of x86-64 only"
compile faults
status=0
CC=$CC python3 "$e2e_directory/faults.py" "$PROF_BIN/profdump" "$lib" "${FAULTS:-short}" || status=$?
exit $status
