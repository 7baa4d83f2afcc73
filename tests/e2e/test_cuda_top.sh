#!/usr/bin/env bash
# CUDA: profdump top says how busy each device is, and what runs on it.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda busy
SIM_KERNEL_NS=200000 LD_LIBRARY_PATH=$SIM_LIB LD_PRELOAD=$lib PROF_OUTPUT=run.prof ./busy 60000 >/dev/null &
pid=$!
shows_all() {
    "$PROF_BIN/profdump" top --once run.prof >top.txt 2>/dev/null &&
        found '^GPU 0 .*% busy.* [1-9][0-9]* operations' <top.txt &&
        found 'simulated CUDA' <top.txt && # said where it is
        found '^ *turn ' <top.txt
}
await "a device, its simulation and a range" shows_all
kill "$pid"
wait "$pid" || true
