#!/usr/bin/env bash
# A second tool in the process that does not go away when CUPTI refuses it, as PyTorch's profiler: it takes the records for
# itself, disables kinds that libprof has enabled, and comes and goes. Nobody crashes or frees what is not his; it is said once
# what is missing, the ledger counts it, and libprof records again as soon as the other has gone.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda rude_tool -L"$SIM_LIB" -l:libcupti.so.13 -ldl
layouts=(11.2 11.8 12.4 13.0 13.3)

for layout in "${layouts[@]}"; do
    export SIM_CUPTI_LAYOUT=$layout
    for flush_ms in 1 100; do # at 1 it comes between everything
        name=steps-$layout-$flush_ms
        # A buffer that CUPTI asks for while the callbacks change goes to the other, who lets it be.
        out=$(PROF_FLUSH_MS=$flush_ms simulate "$name.prof" ./rude_tool 20 step 2>stderr.txt)
        [[ $out == "kernels 100 foreign "* ]] || fail "the tool's own kernels, $layout: $out $(head -3 stderr.txt)"
        same "lines about it" 1 "$(grep -c "^libprof: another tool in the process" stderr.txt)"
        expect_cuda "$name.prof" -- "facts['mode'] == 'partial' and 'another tool' in facts['mode_reason']" \
            "ops['other()'] == 63 and ops['work(float*, int)'] == 0" \
            "loss['launched'] == 163 and loss['recorded'] == 63 and loss['unobserved'] == 100"
    done
done

# Its clock is in force while it has the records: times of ours are not taken by it.
for layout in 11.8 12.4 13.0 13.3; do
    export SIM_CUPTI_LAYOUT=$layout
    out=$(PROF_FLUSH_MS=1 simulate "clock-$layout.prof" ./rude_tool 20 clock 2>stderr.txt)
    [[ $out == "kernels 100 foreign "*" untimely 0" ]] || fail "the tool's own times, $layout: $out"
    expect_cuda "clock-$layout.prof" -- "ops['other()'] == 63 and loss['before_launch'] == 0"
    "$PROF_BIN/profdump" check "clock-$layout.prof" >check.txt || fail "times of ours, $layout: $(cat check.txt)"
done

# It detaches CUPTI from the process at each end; some of what comes next is missing, too.
for layout in "${layouts[@]}"; do
    export SIM_CUPTI_LAYOUT=$layout
    for flush_ms in 1 100; do
        name=finalize-$layout-$flush_ms
        out=$(PROF_FLUSH_MS=$flush_ms simulate "$name.prof" ./rude_tool 20 finalize 2>stderr.txt)
        [[ $out == "kernels "* ]] || fail "the program with finalize: $out $(head -3 stderr.txt)"
        "$PROF_BIN/profdump" check "$name.prof" >check.txt || fail "$name: $(cat check.txt)"
    done
done

# Loaded late, libprof does not see what the other does, but has its records again with the next start.
SIM_CUPTI_LAYOUT=13.0 PROF_OUTPUT=late.prof bare ./rude_tool 5 step "$lib" >out.txt 2>stderr.txt
"$PROF_BIN/profdump" --json late.prof | grep -o '"name":"other()"[^}]*"count":18' >found.txt ||
    fail "not all that came after the other's steps: $("$PROF_BIN/profdump" late.prof)"
no_violations "libprof beside a rude tool"
