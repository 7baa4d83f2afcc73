#!/usr/bin/env bash
# CUPTI may hold a lock while it runs a callback (SIM_API_LOCK): a callback of ours that waited for another thread's call
# into CUPTI would wait for ever. Here that is PROF_EXIT_MS, ten minutes; timeout(1) ends it.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda locked
compile_cuda profiled
export SIM_API_LOCK=1 PROF_EXIT_MS=600000

# bounded FILE ARGUMENT...: what the program prints, as long as nothing waits.
bounded() {
    simulate "$1" timeout -k 5 "${BOUND:-300}" "${@:2}" 2>"$1.txt" || echo "failed with $?: $(head -c 400 "$1.txt")"
}

same "resetting the device" OK "$(bounded reset.prof ./locked reset 20)"
expect_cuda reset.prof -- "ops['work(float*, int)'] == loss['launched'] == loss['recorded'] == 100 and process['closed']"

# Recording begins at the program's call, not a wait later: all that was launched since is there.
for way in runtime driver; do
    same "the program's calls to its profiler, $way" OK "$(PROF_START=cuda bounded $way.prof ./profiled $way)"
    expect_cuda $way.prof -- "ops['work(float*, int)'] == loss['launched'] == loss['recorded'] == 5 and ops['other()'] == 0"
done
same "switching on two threads" OK "$(PROF_START=cuda bounded thread.prof ./profiled thread)"
same "a profiler's calls beside prof_start()" OK "$(PROF_START=cuda bounded switch.prof ./locked switch 300)"
same "resetting beside prof_stop()" OK "$(PROF_START=api PROF_FLUSH_MS=1 bounded stop.prof ./locked stop 300)"
no_violations "callbacks under a lock"
for file in thread switch stop; do
    "$PROF_BIN/profdump" check $file.prof >check.txt || fail "$file.prof: $(cat check.txt)"
done
