#!/usr/bin/env bash
# Signals reach the program once, and the shell sees how it ended.
. "$(dirname "$0")/common.sh"
make_tree

for name in SEGV KILL TERM ABRT INT HUP QUIT PIPE; do
    run sh -c "kill -$name \$\$"
    check "killed by $name" "$((128 + $(kill -l $name)))" "$status"
    check_has "said for $name" "the program was killed by signal $(kill -l $name)" "$err"
done
check "no core dump of profrun" "" "$(ls core* 2>/dev/null)"

# A program that counts what it gets; "ready" appears when its handlers stand.
cat >counter.sh <<'COUNTER'
trap 'echo INT >>got' INT
trap 'echo TERM >>got' TERM
trap 'echo HUP >>got' HUP
trap 'echo QUIT >>got' QUIT
trap 'echo USR1 >>got' USR1
trap 'echo USR2 >>got; exit 5' USR2
: >ready
while :; do sleep 0.05; done
COUNTER
start_counter() {
    rm -f got ready
    "$@" sh counter.sh 2>err.txt &
    pid=$!
    wait_until -e ready
}
child_of() {
    tr -d ' ' <"/proc/$1/task/$1/children"
}
# Sends to $pid and waits for the program's answer, so that no two signals of a kind merge.
send() {
    kill "-$1" "$pid"
    for _ in $(seq 12000); do
        grep -q "$1" got 2>/dev/null && return
        sleep 0.05
    done
    fail "$1 did not arrive"
}
# A background job of a script ignores INT and QUIT, and what is ignored stays so: env gives the defaults back.
start_counter env --default-signal=INT,QUIT "$PROFRUN"
for name in INT TERM HUP QUIT USR1 USR2; do
    send $name
done
wait "$pid"
check "the handler's exit status" 5 "$?"
check "each arrived once" "INT TERM HUP QUIT USR1 USR2" "$(tr '\n' ' ' <got | sed 's/ $//')"

start_counter "$PROFRUN"
kill -KILL "$(child_of "$pid")"
wait "$pid" 2>/dev/null
check "somebody kills the program" 137 "$?"

# Ctrl-C: the terminal sends to the whole group; with util-linux' script(1) there is a terminal here. Its shell must
# become profrun: one that stayed in the group would die of the signal and its status would be seen.
if SHELL=/bin/sh script -qec true /dev/null >/dev/null 2>&1; then
    cat >terminal.sh <<'TERMINAL'
trap 'echo INT >>terminal_got; [ $(grep -c INT terminal_got) -ge 2 ] && exit 6' INT
: >terminal_ready
while :; do sleep 0.05; done
TERMINAL
    {
        wait_until -e terminal_ready
        printf '\003'
        wait_until -s terminal_got
        sleep 0.5 # for a second one, which must not come
        cp terminal_got terminal_once
        printf '\003'
        sleep 0.5
    } | SHELL=/bin/sh timeout 600 script -qefc "exec '$PROFRUN' sh terminal.sh" /dev/null >terminal.txt 2>&1
    check "status through a terminal" 6 "$?"
    check "Ctrl-C arrives once" "INT" "$(cat terminal_once)"
fi

# Stop and continue: profrun alone is told, the program follows, and the other way round. A process group without
# a shell that controls it (a test run by a daemon) is never stopped by TSTP: nothing to see there.
can_stop() {
    sleep 5 &
    kill -TSTP $!
    sleep 0.2
    [ "$(awk '{print $3}' "/proc/$!/stat")" = T ]
    local answer=$?
    kill -KILL $!
    wait $! 2>/dev/null
    return $answer
}
if can_stop; then
    start_counter "$PROFRUN"
    child=$(child_of "$pid")
    state() {
        awk '{print $3}' "/proc/$1/stat" 2>/dev/null
    }
    wait_state() {
        for _ in $(seq 12000); do
            [ "$(state "$1")" = "$2" ] && return
            sleep 0.05
        done
        fail "$3" "state is $(state "$1"), wanted $2"
    }
    kill -TSTP "$pid"
    wait_state "$child" T "TSTP stops the program"
    wait_state "$pid" T "and profrun with it"
    kill -CONT "$pid"
    wait_state "$child" S "CONT continues the program"
    wait_state "$pid" S "and profrun"
    kill -STOP "$child"
    wait_state "$child" T "the program alone is stopped"
    sleep 0.3
    check "profrun does not follow what it was not told" no "$([ "$(state "$pid")" = T ] && echo yes || echo no)"
    kill -CONT "$child"
    kill -USR2 "$pid"
    wait "$pid"
    check "it ends well after all that" 5 "$?"
else
    echo "stop and continue: not tried, this process group cannot be stopped"
fi

out=$(nohup "$PROFRUN" sh -c 'kill -HUP $$; echo survived' 2>/dev/null </dev/null)
check "what nohup ignores stays ignored" "survived" "$out"
out=$( (trap '' CHLD; "$PROFRUN" sh -c 'exit 3'; echo $?) 2>/dev/null)
check "a caller that ignores SIGCHLD" 3 "$out"
run sh -c 'trap "" TERM; kill -TERM $PPID; sleep 0.2; exit 4'
check "a program that signals its parent does not get it back" 4 "$status"
"$PROFRUN" -o closed.prof sh -c 'exit 8' 2>&- >/dev/null
check "stderr closed" 8 "$?"
check "the session files are removed" "" "$(ls tmp)"
finish
