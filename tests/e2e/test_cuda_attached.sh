#!/usr/bin/env bash
# A program that has used CUDA already loads the library: its kernels are recorded from then on, with the device, and the
# contexts and streams that were there before.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda attached
same "output" OK "$(PROF_OUTPUT=attached.prof bare ./attached "$lib" 2>stderr.txt)"
no_violations "attaching"
expect_cuda attached.prof -- "facts['mode'] == 'cupti'" "ops['work(float*, int)'] == 5" \
    "loss['launched'] == loss['recorded'] == 6" "sum(innermost(s) == 'attached' for s, f in arrows()) == 6" \
    "len(facts['devices']) == 1"

# Another tool has CUPTI by then.
same "output beside another tool" OK "$(SIM_OTHER_SUBSCRIBER=nsys PROF_OUTPUT=beside.prof bare ./attached "$lib" 2>stderr.txt)"
expect_cuda beside.prof -- "facts['mode'] != 'cupti' and 'another tool holds CUPTI' in facts['mode_reason']" \
    "count['attached'] == 1"
