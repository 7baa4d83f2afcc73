#!/usr/bin/env bash
# prof_start() and prof_stop() around CUDA work: what is launched outside is in no table, and the ledger says so.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda windows
export PROF_START=api
for layout in "${layouts[@]}"; do
    same "output" OK "$(SIM_CUPTI_LAYOUT=$layout simulate few-$layout.prof ./windows 3 2>&1)"
done
same "output" OK "$(simulate many.prof ./windows 200 2>&1)"
no_violations "starting and stopping"
expect_cuda few-*.prof -- "ops['work(float*, int)'] == 6 and ops['other()'] == 0 and count['inside'] == 3" \
    "count['outside'] == 0 and loss['launched'] == loss['recorded'] == 6 and calls['cudaLaunchKernel'] == 6" \
    "loss['lost_operations'] == 0 and process['closed'] and 0 < loss['out_of_window'] <= 9"
expect_cuda many.prof -- "ops['work(float*, int)'] == 400 and ops['other()'] == 0 and count['inside'] == 200" \
    "count['outside'] == 0 and loss['launched'] == 400 == loss['recorded'] + loss['lost_operations']" \
    "loss['recorded'] == 400 and process['closed'] and loss['out_of_window'] <= 600"

# Never started: nothing is left, nothing is said.
mkdir never && cd never
same "output when never started" OK "$(simulate never.prof ../windows 0 2>&1)"
same "files when never started" "" "$(ls)"
