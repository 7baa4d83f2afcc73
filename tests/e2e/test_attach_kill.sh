#!/usr/bin/env bash
# kill -9 of profrun --attach, at every stage and at random moments: the program goes on as if nothing had happened, and
# can be attached to again, also while what the last one started is at work.
# long: it kills profrun a hundred times
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/attach_common.sh"

compile attach_guest -lrt
for mode in busy malloc signals epoll futex4; do
    for stage in seized written stopped diverted running mapped filled detached; do # attach_test_point() in attach_ptrace.c
        begin ./attach_guest "$mode"
        for attempt in 1 2; do
            status=0
            PROFRUN_TEST_KILL=$stage "$PROF_BIN/profrun" --attach "$guest" -o "killed$attempt.prof" 2>attach.txt || status=$?
            if ((status == 126)); then
                attach # says why, and skips
            fi
            same "profrun killed when $stage" 137 "$status"
        done
        kill -0 "$guest" || fail "$mode: killed with profrun when $stage"
        attach -o again.prof
        end 7 ended
        rm -f ./*.prof
    done
done

# A thread that one borrowed is still within the code, because other programs have its processor, when the next ones come.
cpu=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
begin taskset -c "$cpu" chrt -i 0 ./attach_guest busy
taskset -c "$cpu" sh -c 'while :; do :; done' &
hog=$!
reached=0
for ((i = 0; i < 40; i++)); do # more often than the code finds room in new places
    status=0
    PROFRUN_TEST_KILL=detached "$PROF_BIN/profrun" --attach "$guest" -o "starved$i.prof" 2>attach.txt || status=$?
    kill -0 "$guest" || fail "killed by attach $i: $(cat attach.txt)"
    reached=$((reached + (status == 137)))
done
kill $hog
wait $hog || true
((reached >= 30)) || fail "only $reached of 40 came so far: $(cat attach.txt)"
attach
end 7 ended
rm -f ./*.prof

# Meanwhile, the loader's pointers are writable: what one sees of that, looking for them, holds no longer when its code runs.
compile attach_relro
begin ./attach_relro
PROFRUN_TEST_STOP=found "$PROF_BIN/profrun" --attach "$guest" -o relro.prof 2>attach.txt 9>&- &
attacher=$!
await "profrun to stop" grep -q "^State:.T" "/proc/$attacher/status"
echo >&9
await "read-only pointers" grep -q read-only out.txt
kill -CONT "$attacher"
status=0
wait "$attacher" || status=$?
same "status of profrun" 0 "$status"
end 7 $'read-only\nended'

# Meanwhile, the process executes another program: nothing that is known of the first one holds for it.
begin sh -c 'echo begun; read -r line; exec ./attach_guest sleep4'
PROFRUN_TEST_STOP=found "$PROF_BIN/profrun" --attach "$guest" -o exec.prof 2>attach.txt 9>&- &
attacher=$!
await "profrun to stop" grep -q "^State:.T" "/proc/$attacher/status"
echo >&9
await "another program" grep -q attach_guest "/proc/$guest/comm"
kill -CONT "$attacher"
status=0
wait "$attacher" || status=$?
found 'it has executed another program' <attach.txt || fail "attached to another program: $(cat attach.txt)"
same "status of profrun" 126 "$status"
end 7 $'begun\nended'

for mode in busy signals malloc4; do
    begin ./attach_guest "$mode"
    for ((i = 0; i < 20; i++)); do
        "$PROF_BIN/profrun" --attach "$guest" -o "random$i.prof" --for 10ms --no-table 2>/dev/null &
        attacher=$!
        sleep "0.0$((RANDOM % 40 + 10))"
        kill -9 "$attacher" 2>/dev/null || true
        wait "$attacher" || true
    done
    attach
    end 7 ended
    rm -f ./*.prof
done
