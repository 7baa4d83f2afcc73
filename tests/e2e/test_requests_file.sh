#!/usr/bin/env bash
# Trace requests by the file that KINETO_CONFIG names: when it changes, and only if nobody else can write to it.
. "$(dirname "$0")/common.sh"

compile steps
export TEST_BIN=$PROF_BIN TEST_LIB=$PROF_LIB
python3 "$e2e_directory/requests_file.py"
