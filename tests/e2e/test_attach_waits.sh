#!/usr/bin/env bash
# profrun --attach and a program that waits in a system call: the call ends as it does without profrun, and no later. Where a
# stop would show, profrun waits for another moment, and there is none before the program ends.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/attach_common.sh"

compile attach_waits
mkdir slow && (cd slow && compile attach_waits -DWAIT_S=16)

# Where nothing shows, profrun does not wait; elsewhere it does.
attached="recv_patient read_pipe read_event epoll_endless poll ppoll select nanosleep until futex pause child"
awaited="send write writev sendmsg sendmmsg sendfile splice connect recv recv_all ppoll_constant epoll semtimedop sigtimedwait"

# watch CALL PROGRAM SECONDS: so long after its begin. 3 of 4, or 8 of 16: what begins anew then ends too late.
watch() {
    local call=$1 guest status=0
    : >"$call.out"
    "$2" "$call" >"$call.out" 2>&1 &
    guest=$!
    await "the begin of $call" grep -q begun "$call.out"
    sleep "$3"
    "$PROF_BIN/profrun" --attach "$guest" -q --for 100ms -o "$call.prof" 2>"$call.txt" || status=$?
    wait "$guest" || fail "$call: status $?"
    echo "$status" >"$call.status"
}

./attach_waits >calls.txt || true
while read -r call; do
    ./attach_waits "$call" >"$call.bare" 2>&1 &
    watch "$call" ./attach_waits 3 &
done <calls.txt
wait
if grep -qE 'may not use ptrace|ptrace_scope|does not allow ptrace' ./*.txt; then
    skip "$(cat poll.txt)"
fi
# is_late CALL: an overloaded machine took longer than the call had left.
is_late() {
    [[ $(cat "$1.out") != "$(cat "$1.bare")" ]] || { [[ " $attached " == *" $1 "* ]] && grep -q 'ended in the meantime' "$1.txt"; }
}
while read -r call; do
    for _ in 1 2 3 4 5; do
        is_late "$call" || break
        slow/attach_waits "$call" >"$call.bare" 2>&1 &
        bare=$!
        watch "$call" slow/attach_waits 8
        wait "$bare"
    done
    same "$call" "$(cat "$call.bare")" "$(cat "$call.out")"
done <calls.txt

for call in $attached; do
    [[ $(cat "$call.status") == 0 ]] || fail "not attached to $call: $(cat "$call.txt")"
done
for call in $awaited; do
    [[ $(cat "$call.status") != 0 ]] || fail "attached to $call"
done
