#!/usr/bin/env bash
# profrun --attach and a program that waits in a system call: the call ends as it does without profrun, and no later. Where a
# stop would show, profrun waits for another moment, and there is none before the program ends.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/attach_common.sh"

compile attach_waits

# 3 s after its begin, of 4: what begins anew then ends too late.
watch() {
    local call=$1 guest status=0
    ./attach_waits "$call" >"$call.out" 2>&1 &
    guest=$!
    await "the begin of $call" grep -q begun "$call.out"
    sleep 3
    "$PROF_BIN/profrun" --attach "$guest" -q --for 100ms -o "$call.prof" 2>"$call.txt" || status=$?
    wait "$guest" || fail "$call: status $?"
    echo "$status" >"$call.status"
}

./attach_waits >calls.txt || true
while read -r call; do
    ./attach_waits "$call" >"$call.bare" 2>&1 &
    watch "$call" &
done <calls.txt
wait
if grep -qE 'may not use ptrace|ptrace_scope|does not allow ptrace' ./*.txt; then
    skip "$(cat poll.txt)"
fi
# A machine that is overloaded may be late by itself, but not each time.
while read -r call; do
    for _ in 1 2 3; do
        [[ $(cat "$call.out") != "$(cat "$call.bare")" ]] || break
        ./attach_waits "$call" >"$call.bare" 2>&1 &
        bare=$!
        watch "$call"
        wait "$bare"
    done
    same "$call" "$(cat "$call.bare")" "$(cat "$call.out")"
done <calls.txt

# Where nothing shows, profrun does not wait.
for call in recv_patient read_pipe read_event epoll_endless poll ppoll select nanosleep until futex pause child; do
    [[ $(cat "$call.status") == 0 ]] || fail "not attached to $call: $(cat "$call.txt")"
done
# Elsewhere it does.
for call in send write writev sendmsg sendmmsg sendfile splice connect recv recv_all ppoll_constant epoll semtimedop sigtimedwait; do
    [[ $(cat "$call.status") != 0 ]] || fail "attached to $call"
done
