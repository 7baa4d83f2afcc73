#!/usr/bin/env bash
# Sessions of profdump ctl: each has its own level of detail and its own end; the most detailed one counts, and what was recorded
# before a session is recorded after it. SIM_CUPTI_LAYOUT is chosen here.
. "$(dirname "$0")/cuda_common.sh"

cat >turns.c <<'C' # launches and waits until it is killed
#include "cuda_test.h"

#include <prof/prof.h>
#include <unistd.h>

int main(void)
{
    cuda_check(cudaFree(NULL), "context");
    puts("begun");
    fflush(stdout);
    for (;;) {
        prof_range_push("turn");
        launch_work(1, NULL);
        cuda_check(cudaStreamSynchronize(NULL), "cudaStreamSynchronize");
        prof_range_pop();
        usleep(1000);
    }
}
C
"$CC" -std=gnu17 -I"$include" -I"$cuda_programs" turns.c -o turns -L"$SIM_LIB" -l:libcudart.so.13 -l:libcuda.so.1
export XDG_RUNTIME_DIR=$here/run PROF_CONTROL=1 PROF_START=api
mkdir -m 700 run

ctl() { "$PROF_BIN/profdump" ctl "$@"; }
begin() { # FILE: $pid is the program's
    env LD_LIBRARY_PATH="$SIM_LIB" LD_PRELOAD="$lib" PROF_OUTPUT="$1" ./turns >turns.txt &
    pid=$!
    await "the socket" test -S "run/libprof/$pid.sock"
    await "the program" test -s turns.txt
}
end() {
    kill "$pid"
    wait "$pid" 2>/dev/null || true
}
count() { "$PROF_BIN/profdump" query --format tsv "SELECT count(*) FROM slices WHERE $2" "$1" 2>/dev/null | tail -n 1; }
has() { [[ $(count "$1" "$2") -gt $3 ]]; } # FILE CONDITION COUNT
sessions() { ctl "$pid" status | sed -n 's/^session: *//p' | sed 's/ends in [0-9.]* s/ends/'; }
ends() { [[ $(sessions) == "$1" ]]; }
wait_call="name LIKE 'cudaStreamSynchronize%'" launch_call="name LIKE 'cudaLaunchKernel%'"

for layout in 11.8 13.0; do
    export SIM_CUPTI_LAYOUT=$layout
    file=sessions-$layout.prof

    # A session without an end records little; one within it records all, for a time.
    begin "$file"
    same "a first session" "session 1" "$(ctl "$pid" start --detail minimal)"
    await "launches" has "$file" "$launch_call" 20
    same "waits at detail minimal" 0 "$(count "$file" "$wait_call")"
    same "a second session" "session 2" "$(ctl "$pid" start --for 500ms --detail full)"
    await "waits" has "$file" "$wait_call" 20
    await "the end of the second session" ends "1, detail minimal"
    after="$launch_call AND start > (SELECT max(start) FROM slices WHERE $wait_call)"
    await "launches without waits" has "$file" "$after" 100
    ctl "$pid" stop 1
    same "sessions afterwards" "" "$(sessions)"
    ctl "$pid" status | found 'recording:  off, by ctl; was on 1 time so far' || fail "status: $(ctl "$pid" status)"

    # Two that overlap: recording ends with the later one, whichever began first. Then one that a stop ends.
    ctl "$pid" start --for 300ms --detail full >session.txt
    ctl "$pid" start --for 86400s >session.txt
    same "sessions that overlap" $'3, ends, detail full\n4, ends' "$(sessions)"
    await "the end of the third session" ends "4, ends"
    ctl "$pid" status | found 'recording:  on, by ctl; was on 2 times so far' || fail "status: $(ctl "$pid" status)"
    ctl "$pid" stop
    same "sessions after a stop" "" "$(sessions)"

    # A start without options during a session: recording stays on after it.
    ctl "$pid" start --for 200ms >session.txt
    ctl "$pid" start
    await "the end of the fifth session" ends 6
    ctl "$pid" status | found 'recording:  on' || fail "a session has ended another start"
    status=0
    ctl "$pid" start 2>refused.txt || status=$?
    same "a second start" "1 profdump: process $pid: it is already recording" "$status $(cat refused.txt)"
    ctl "$pid" stop 5 2>refused.txt && fail "session 5 ends twice"
    same "a session that has ended" "profdump: process $pid: there is no session 5" "$(cat refused.txt)"
    ctl "$pid" stop 6
    ctl "$pid" stop 2>refused.txt && fail "recording is still on"

    # Beyond what fits.
    for number in {7..22}; do
        same "session $number" "session $number" "$(ctl "$pid" start --for 1000s)"
    done
    ctl "$pid" start --for 1s 2>refused.txt && fail "a 17th session"
    found 'it has 16 sessions' <refused.txt || fail "the 17th session: $(cat refused.txt)"
    end
    "$PROF_BIN/profdump" check "$file" >check.txt || fail "$file: $(cat check.txt)"
    no_violations "sessions, CUPTI $layout"
done

# What the program records itself, at PROF_GPU_DETAIL, is never reduced.
PROF_START=now begin own.prof
ctl "$pid" start --for 100ms --detail minimal >session.txt
await "the end of the session" ends ""
await "waits" has own.prof "$wait_call" 50
ctl "$pid" status | found 'recording:  on, by start-up; was on 1 time so far' || fail "status: $(ctl "$pid" status)"
end

for wrong in "start --for" "start --for x" "start --for 0s" "start --detail" "start --detail most" "stop --for 1s" "stop x" "status --detail full"; do
    # shellcheck disable=SC2086
    same "ctl $wrong" 2 "$(status_of "$PROF_BIN/profdump" ctl "$pid" $wrong)"
done
