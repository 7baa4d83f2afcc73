#!/usr/bin/env bash
# Trace requests of Dynolog's daemon, which a test host plays: who registers, aligned starts, iterations, recordings that
# are on already, a daemon that ends and comes back, children.
. "$(dirname "$0")/common.sh"

compile steps
"$CC" -shared -o libtorch_cpu.so -x c /dev/null
export TEST_BIN=$PROF_BIN TEST_LIB=$PROF_LIB
python3 "$e2e_directory/requests_met.py"
