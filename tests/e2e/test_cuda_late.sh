#!/usr/bin/env bash
# CUDA used by a thread's destructors, after the recorder has taken leave of the thread: it is recorded as any other.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda late
same "output" OK "$(simulate late.prof ./late 2>&1)"
no_violations "libprof with dying threads"
expect_cuda late.prof -- "ops['work(float*, int)'] == 80 and loss['launched'] == loss['recorded'] == 80" \
    "count['alive'] == 20 and count['late'] == 60 and loss['unclosed'] == loss['unopened'] == 0" \
    "sum(innermost(s) == 'late' for s, f in arrows()) == 60"
