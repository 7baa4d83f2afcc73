#!/usr/bin/env bash
# Once a thread has begun, recording known names takes no system call, no allocation and no lock.
. "$(dirname "$0")/common.sh"

compile pure -ldl

record seccomp.prof ./pure seccomp || [[ $? == 77 ]] || fail "a system call on the recording path"
expect seccomp.prof 'raw.clock_kind == 3 or count["literal"] == 11000' 'not any(raw.loss)'

record malloc.prof ./pure malloc || fail "see above"
expect malloc.prof 'count["literal"] == 11000' 'count["begun"] == 11000' 'count["event"] == 11000' \
    'count["mark"] == 11000' 'not any(raw.loss)'
