#!/usr/bin/env bash
# CUDA: profdump top says how busy each device is, and what runs on it.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda busy
SIM_KERNEL_NS=200000 LD_LIBRARY_PATH=$SIM_LIB LD_PRELOAD=$lib PROF_OUTPUT=run.prof ./busy 60000 >/dev/null &
pid=$!
for ((i = 0; i < 100; i++)); do
    "$PROF_BIN/profdump" top --once run.prof >top.txt 2>/dev/null && found 'GPU 0 .*[1-9][0-9]* operations' <top.txt &&
        found 'simulated CUDA' <top.txt && break
    sleep 0.1
done
kill "$pid"
wait "$pid" || true
found '^GPU 0 .*% busy.* [1-9][0-9]* operations' <top.txt || fail "no device: $(cat top.txt)"
found 'simulated CUDA' <top.txt || fail "not said that it is simulated: $(cat top.txt)"
found '^ *turn ' <top.txt || fail "no range: $(cat top.txt)"
