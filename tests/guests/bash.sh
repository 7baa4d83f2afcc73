# bash: subshells, pipes, traps, coprocesses, background jobs, descriptors
# packages: bash coreutils
# commands: bash
# set: quick

version() { bash --version | head -n 1; }

workload() {
    local number total=0 pids=()
    for number in {1..300}; do
        total=$((total + $(echo "$number")))
    done
    echo "total $total"
    seq 20000 | sort -rn | sed 's/7/seven/' | awk '{ n += length($0) } END { print n }'
    diff <(seq 10) <(seq 2 11)
    coproc { while read -r line; do echo "heard $line"; done; }
    echo one >&"${COPROC[1]}" && read -r line <&"${COPROC[0]}" && echo "$line"
    exec {COPROC[1]}>&-
    wait
    for number in {1..8}; do
        (exit "$number") &
        pids+=($!)
    done
    for number in "${pids[@]}"; do
        wait "$number"
        echo "status $?"
    done
    (trap 'echo trapped; exit 4' TERM; kill -TERM "$BASHPID"; sleep 60)
    echo "after the trap $?"
    (kill -KILL "$BASHPID")
    echo "killed $?"
    (ulimit -f 1 && trap '' XFSZ && seq 100000 >too_big) 2>/dev/null
    echo "file size limit $?"
    exec 9>nine && echo nine >&9 && exec 9>&-
    for number in {3..60}; do
        eval "exec $number>many.$number"
    done
    for number in {3..60}; do
        eval "echo $number >&$number; exec $number>&-"
    done
    cat many.* | sort -n | tail -n 1
    mkfifo pipe && { echo through >pipe & } && cat pipe && wait
    cat <<<"here" - </dev/null
    timeout 0.2 sleep 60
    echo "timeout $?"
    command_that_is_not_there 2>/dev/null
    echo "not there $?"
    (exec -a renamed bash -c 'echo "I am $0"; exit 7')
    echo "exec $?"
    set -m
    sleep 60 &
    kill -STOP $! && kill -KILL $!
    { # bash says that it was killed in whichever of these lines it hears of it
        while kill -0 $!; do sleep 0.01; done # else bash may still have it as stopped
        wait $!
    } 2>/dev/null
    echo "stopped and killed $?"
} 2>&1
