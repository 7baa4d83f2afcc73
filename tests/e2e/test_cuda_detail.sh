#!/usr/bin/env bash
# PROF_GPU_DETAIL: every level has the kernels, copies and sets with the calls that launched them, and a ledger that adds up;
# what comes beside is what the level says.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda small
compile_cuda graphs
for level in minimal standard full; do
    for program in small graphs; do
        # Of all calls in ./small, this one launches nothing and waits for nothing.
        [[ $program == graphs ]] || export SIM_FAIL=cudaStreamCreate@1=2
        PROF_GPU_DETAIL=$level simulate $program-$level.prof ./$program >$program.txt 2>&1 || [[ $program == small ]]
        unset SIM_FAIL
        no_violations "$program, $level"
        expect_cuda $program-$level.prof -- "loss['launched'] == loss['recorded'] and sum(ops.values()) > 5" \
            "facts['mode'] == 'cupti'"
    done
done

# Operations of graphs that are never delivered are counted at every level; where this CUPTI does not tell how many there
# should be, the ledger says so. Either way, it does not pass as complete.
for level in minimal standard full; do
    PROF_GPU_DETAIL=$level SIM_HIDE_NODES_EVERY=7 simulate hidden-$level.prof ./graphs >hidden.txt 2>&1
    expect_cuda hidden-$level.prof -- "(loss['graph_nodes'], loss['unjudged']) in (((14 * 5 + 3 * 5 + 3 * 7) // 7, 0), (0, 20))"
    status=0
    "$PROF_BIN/profdump" --fail-on-loss hidden-$level.prof >table.txt || status=$?
    same "--fail-on-loss, $level" 3 $status
    ! grep 'nothing lost' table.txt || fail "$level: a false all-clear"
done
same "levels that count" 1 "$(for level in minimal standard full; do "$PROF_BIN/profdump" hidden-$level.prof |
    sed -n 's/^  \(graph_nodes\|unjudged\) .*/\1/p'; done | sort -u | wc -l)"

waits="[name for name in calls if 'Synchronize' in name]"
expect_cuda small-minimal.prof graphs-minimal.prof -- "not $waits and not any('alloc' in name.lower() for name in calls)" \
    "'PROF_GPU_DETAIL=minimal' in facts['mode_reason']"
expect_cuda small-standard.prof small-full.prof -- "$waits and 'PROF_GPU_DETAIL' not in facts['mode_reason']"
SIM_FAIL=cudaStreamCreate@1=2 simulate default.prof ./small >small.txt 2>&1 || true
for name in minimal standard full; do
    same "calls that failed, $name" "$([[ $name == full ]] && echo 1 || echo 0)" \
        "$("$PROF_BIN/profdump" small-$name.prof | grep -c 'cudaStreamCreate: cudaErrorMemoryAllocation (2) x 1')"
done
same "without the variable" "$("$PROF_BIN/profdump" --json small-standard.prof | grep -o '"name":"[^"]*"' | sort)" \
    "$("$PROF_BIN/profdump" --json default.prof | grep -o '"name":"[^"]*"' | sort)"
