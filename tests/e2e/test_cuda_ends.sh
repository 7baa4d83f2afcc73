#!/usr/bin/env bash
# However a program that uses CUDA ends: its status is its own, and what its device did is in the file.
. "$(dirname "$0")/cuda_common.sh"

compile_cuda endings
export PROF_FLUSH_MS=50

# ends_as HOW: status and output are what they are without the library; the file is HOW.prof.
ends_as() {
    local wanted got
    wanted=$(status_of bare timeout -s KILL 60 ./endings "$1" 2>&1)
    got=$(status_of simulate "$1.prof" timeout -s KILL 60 ./endings "$1" 2>&1)
    same "status of $1" "$wanted" "$got"
    [[ $got != 137 ]] || fail "$1 hangs"
}

status_of() {
    local status=0
    "$@" || status=$?
    echo "$status"
}

all="ops['work(float*, int)'] >= 50 and count['before'] == 1 and rows['range', 'before']['count'] == 1"
for how in return thread _exit quick_exit; do
    ends_as $how
done
expect_cuda thread.prof _exit.prof quick_exit.prof -- "$all" "process['closed'] and loss['launched'] == loss['recorded'] == 50"
# the last three kernels may still run: then they have no times, which is counted
expect_cuda return.prof -- "$all" "process['closed'] and loss['launched'] == 53 == loss['recorded'] + loss['zero_time']"

# Both threads run exit handlers: the process ends under neither of them.
for ((times = 0; times < 6; times++)); do
    rm -f two_threads.prof
    ends_as two_threads
    expect_cuda two_threads.prof -- "$all" "loss['launched'] == loss['recorded'] == 50"
done

# Threads of ours and of CUPTI's do not keep it alive.
ends_as main_leaves
expect_cuda main_leaves.prof -- "process['closed'] and count['before'] == count['last'] == 1"

ends_as unsynchronised
expect_cuda unsynchronised.prof -- "process['closed'] and loss['launched'] == 53 == loss['recorded'] + loss['zero_time']"

# CUPTI is let go of before its destructors; what the program records after that is recorded.
ends_as handler
expect_cuda handler.prof -- "$all" "process['closed'] and count['at exit'] == 1 and loss['unclosed'] == 1" \
    "loss['launched'] == 53 == loss['recorded'] + loss['zero_time']"

ends_as exec_fails
expect_cuda exec_fails.prof -- "$all" "process['closed'] and loss['launched'] == 53 == loss['recorded'] + loss['zero_time']"

# exec: the old image's file is whole, the new image has one of its own.
mkdir image && cd image
cp ../endings .
ends_as exec
cd ..
same "files of exec" 2 "$(find image -name '*.prof' | wc -l)"
expect_cuda image/exec.prof -- "$all" "process['closed'] and loss['launched'] == loss['recorded'] == 50"
expect_cuda image/exec-*.prof -- "$all" "process['closed'] and loss['launched'] == 53 == loss['recorded'] + loss['zero_time']"

# Nothing of ours runs: of the kernels, what came in the last flush period may be missing, and that is said.
ends_as abort
expect_cuda abort.prof -- "not process['closed'] and loss['launched'] == 50 and count['before'] == 1" \
    "loss['undelivered'] == 50 - loss['recorded']"

# begin FILE HOW: the program in the background, $victim
begin() {
    (exec env LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT="$1" ./endings "$2" >"$2.txt" 2>&1) &
    victim=$!
}

kill_it() {
    kill -9 $victim
    wait $victim 2>/dev/null || true
}

# recorded FILE: how many operations of devices are in it so far
recorded() {
    "$PROF_BIN/profdump" --json "$1" 2>/dev/null | sed -n 's|.*"recorded":\([0-9]*\).*|\1|p' | head -n 1 | grep . || echo 0
}

# kill -9 after a flush period: everything is there.
begin stay.prof stay
has_all() { [[ -s stay.txt && $(recorded stay.prof) == 50 ]]; }
await "all operations" has_all
kill_it
expect_cuda stay.prof -- "$all" "not process['closed'] and loss['launched'] == loss['recorded'] == 50"

# kill -9 while it launches: the file opens, and the ledger adds up.
begin launch.prof launch
has_many() { (($(recorded launch.prof) > 500)); }
await "500 operations" has_many
kill_it
expect_cuda launch.prof -- "not process['closed'] and loss['recorded'] > 500" \
    "loss['launched'] == loss['recorded'] + loss['undelivered']"

# Kernels of 10 s, 53 of them, one after the other: the program does not wait for them, and libprof makes it wait PROF_EXIT_MS at most.
export SIM_KERNEL_NS=10000000000 PROF_EXIT_MS=300
mkdir long && cd long
cp ../endings .
ends_as unsynchronised
cd ..
unset SIM_KERNEL_NS PROF_EXIT_MS
expect_cuda long/unsynchronised.prof -- "process['closed'] and loss['launched'] == 53" \
    "loss['recorded'] == 0 and loss['lost_operations'] == 53"
no_violations "libprof at the end of programs"
