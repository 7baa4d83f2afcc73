#!/usr/bin/env bash
# Timing by CUDA events covers NVTX's ranges and steps as it does prof.h's; ranges that cross are counted, not timed wrongly.
. "$(dirname "$0")/cuda_common.sh"
. "$e2e_directory/nvtx_common.sh"

need_nvtx
compile_cuda timed_nvtx -D_GNU_SOURCE -I"$nvtx_include" -ldl

# A kernel takes 100 us: what a range contains can be told from its time.
export SIM_KERNEL_NS=100000
same "output" OK "$(PROF_GPU=events simulate timed.prof ./timed_nvtx 2>&1)"
no_violations "timing NVTX's ranges"
total="{n: r['cuda_total_ns'] for (k, n), r in rows.items()}"
expect_cuda timed.prof -- "facts['mode'] == 'events' and not ops and not calls" \
    "500000 <= ($total)['plain'] < 20e6 and 200000 <= ($total)['io:read'] < 20e6" \
    "100000 <= ($total)['counted'] <= ($total)['mixed'] < 20e6" \
    "200000 <= ($total)['around'] < 20e6 and 'over' not in {e['name'] for e in x('gpu_user_annotation')}" \
    "600000 <= ($total)['part'] < 20e6" \
    "[n * 100 <= x('gpu_user_annotation', f'ProfilerStep#{n}')[0]['dur'] for n in range(3)] == [True] * 3" \
    "600000 <= ($total)['ProfilerStep*'] < 20e6" \
    "loss['untimed'] == 1 and facts['timed_by_events'] == 2 + 2 + 1 + 4 + 3"

# Where recording is switched off and on between steps, each window times its own.
PROF_GPU=events PROF_SCHEDULE=wait=1,active=2,repeat=1 simulate scheduled.prof ./timed_nvtx >stdout.txt 2>&1 || fail "$(cat stdout.txt)"
same "output" OK "$(cat stdout.txt)"
expect_cuda scheduled.prof -- "loss['untimed'] == 0 and facts['timed_by_events'] == 2 + 1"
