#!/usr/bin/env bash
# PROF_SAMPLE and PROF_HANG interrupt threads, but the program receives no signal of libprof's, whatever it does to its signals,
# and no system call of its fails or is cut short.
. "$(dirname "$0")/common.sh"

compile all_signals
compile waits_in -O0
export PROF_LOG=0

used() {
    "$PROF_BIN/profdump" stacks --cpu --rows -1 --format csv "$1" >stacks.csv || fail "stacks --cpu $1"
    awk -F, -v name="$2" 'index($0, name) { sum += $0 ~ name } END { print sum + 0 }' stacks.csv
}

# ---- all signals, beside both; the hang watch asks the thread that computes and the one that waits for a mutex ----
modes=(reset handle ignore direct await unblock calls user cancel)
for mode in "${modes[@]}"; do
    status=0
    PROF_SAMPLE=997 PROF_HANG=100ms record_limit=600 record $mode.prof ./all_signals $mode >$mode.txt || status=$?
    same "status with $mode" 0 $status
    same "signals that arrived with $mode" 0 "$(cat $mode.txt)"
    "$PROF_BIN/profdump" check $mode.prof >check.txt || fail "check of $mode.prof: $(cat check.txt)"
done

# ---- samples go on, but where the program took the signal ----
for mode in "${modes[@]}"; do
    (($(used $mode.prof compute_before) > 0)) || fail "$mode: no samples before"
    [[ $mode == direct ]] || (($(used $mode.prof compute_after) > 0)) || fail "$mode: no samples after"
done
grep -q '^thread .*' reset.prof.hang.txt || fail "no hang was seen"
grep -q '^  .*/all_signals+0x' reset.prof.hang.txt || fail "no stack of the program: $(cat reset.prof.hang.txt)"
grep -q 'no-answer' handle.prof.hang.txt && fail "a thread did not answer: $(cat handle.prof.hang.txt)"
found 'libprof: the program has taken the signal' < <(PROF_LOG=1 PROF_SAMPLE=99 record said.prof ./all_signals direct 2>&1) ||
    fail "it is not said that samples end"

# ---- system calls beside the hang watch: each returns what it returns without libprof ----
calls=(read readv recv recvmsg recvmmsg write writev send sendmmsg sendfile splice poll select epoll_wait epoll_pwait2
    io_uring_enter nanosleep futex futex_waitv semtimedop sigtimedwait waitid)
for call in "${calls[@]}"; do
    ./waits_in $call >$call.bare 2>$call.waited &
    PROF_HANG=300ms record $call.prof ./waits_in $call >$call.watched &
done
wait
for call in "${calls[@]}"; do
    same "$call" "$(cat $call.bare)" "$(cat $call.watched)"
    # not permitted by a container, unknown to an older kernel, or done at once by another
    grep -qE 'not permitted|not implemented' $call.bare || [[ -s $call.waited ]] ||
        grep -q '^thread .* name="waits_in"' $call.prof.hang.txt || fail "$call: no hang was seen"
done
