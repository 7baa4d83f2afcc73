#!/usr/bin/env bash
# CUDA: cudaProfilerStart() and cudaProfilerStop() as switches, warm-up of a schedule, a thousand sessions in one process,
# and what is left of the cost after a stop.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda profiled

for calls in runtime driver; do
    for layout in "${layouts[@]}"; do
        same "output" OK "$(PROF_START=cuda SIM_CUPTI_LAYOUT=$layout simulate $calls-$layout.prof ./profiled $calls 2>&1)"
    done
done
expect_cuda runtime-*.prof driver-*.prof -- "ops['work(float*, int)'] == 5 and ops['other()'] == 0 and count['profiled'] == 2" \
    "loss['launched'] == loss['recorded'] == 5 and loss['lost_operations'] == 0 and process['closed']" \
    "[(w['start'], w['stop']) for w in process['windows']] == [('profiler', 'profiler')] * 2"
same "while a thread launches" OK "$(PROF_START=cuda simulate thread.prof ./profiled thread 2>&1)"
expect_cuda thread.prof -- "loss['launched'] == loss['recorded'] and loss['lost_operations'] == 0" \
    "ops['work(float*, int)'] > 0 and 0 < len(process['windows']) <= 20"

# Without PROF_START=cuda they are only calls of the program.
same "calls that switch nothing" OK "$(simulate only.prof ./profiled runtime 2>&1)"
expect_cuda only.prof -- "ops['other()'] == 3 and ops['work(float*, int)'] == 5 and len(process['windows']) == 1"

# Where CUPTI cannot be had nobody sees them: it is said, and nothing is recorded.
SIM_OTHER_SUBSCRIBER=1 PROF_START=cuda simulate blind.prof ./profiled runtime >blind.txt 2>&1
grep -q "libprof cannot see cudaProfilerStart()" blind.txt || fail "not said: $(cat blind.txt)"
[[ ! -e blind.prof ]] || fail "something was recorded all the same"

# A schedule: the kinds are on in the warm-up, so the first active step has all its kernels; nothing of the warm-up is
# kept, and the windows are whole.
same "a schedule" OK "$(PROF_SCHEDULE=skip_first=5,wait=3,warmup=2,active=3,repeat=2 simulate steps.prof ./profiled steps 40 2>&1)"
expect_cuda steps.prof -- "ops['work(float*, int)'] == 6 and count['step'] == 6 and count['ProfilerStep*'] == 6" \
    "loss['launched'] == loss['recorded'] == 6 and loss['lost_operations'] == 0" \
    "[(w['start'], w['stop']) for w in process['windows']] == [('schedule', 'schedule')] * 2"
# A schedule that ends in the warm-up.
same "only a warm-up" OK "$(PROF_SCHEDULE=warmup=5,active=5 PROF_STOP=step:3 simulate cold.prof ./profiled steps 40 2>&1)"
[[ ! -e cold.prof ]] || fail "a warm-up was recorded"

# A thousand sessions: the program looks at its own memory.
export PROF_START=api
same "memory over sessions" OK "$(simulate cycles.prof ./profiled cycles 1000 2>&1)"
expect_cuda cycles.prof -- "ops['work(float*, int)'] == 1000 and count['cycle'] == 1000" \
    "loss['launched'] == loss['recorded'] == 1000 and len(raw.data) < 2 << 20 and len(process['windows']) == 1000"

# After a stop the launches are not even looked at: two seconds later the callbacks are off, like the kinds.
same "quiet" OK "$(simulate quiet.prof ./profiled quiet 500 2>&1)"
expect_cuda quiet.prof -- "ops['work(float*, int)'] == 1 and ops['other()'] == 0 and loss['out_of_window'] == 0"
no_violations "control"
