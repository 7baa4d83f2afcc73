#!/usr/bin/env bash
# In a sandbox a process is ended for a system call too many. One that records nothing makes none of ours when it
# forks, executes another program and ends.
. "$(dirname "$0")/common.sh"

case $(uname -m) in
x86_64) counter=(tsc) ;;
aarch64) counter=() ;;
*) skip "the filter knows x86-64 and aarch64" ;;
esac

compile sandboxed
compile nothing -static -nostdlib -ffreestanding
# no traces of crashes that are wanted
ulimit -c 0

# sandboxed ARGUMENT...: runs it bare, which must end with $ends, then preloaded: the same output and status.
number=0
ends=5
sandboxed() {
    local wanted status=0
    wanted=$(./sandboxed "$@" 2>&1) || status=$?
    ((status != 77)) || skip "no seccomp here: $wanted"
    same "bare status of $*" $ends "$status"
    number=$((number + 1))
    trace=$here/$number.prof status=0
    got=$(record "$trace" timeout 600 ./sandboxed "$@" 2>stderr.txt) || status=$?
    same "status of $* $(cat stderr.txt)" $ends "$status"
    same "output of $*" "$wanted" "$got"
}

for end in return _exit quick_exit; do
    for how in prctl syscall raw raw_errno trap raw_trap; do
        sandboxed $how fork vfork exec noexec $end
        [[ ! -e $trace ]] || fail "$how $end: a file without an event"
        same "stderr of $how $end" "" "$(cat stderr.txt)"
    done
done
sandboxed strict SYS_exit
for how in probe "${counter[@]}"; do
    sandboxed $how fork vfork exec noexec return
    [[ ! -e $trace ]] || fail "$how: a file without an event"
done

# One that records ends its recording where libc sees the sandbox begin: no system call of ours, no look at the
# processor's counter and no thread of ours follow. What came before is complete, the file says why.
ended=(
    'count == {"before": 1000}' 'process["closed"]' 'loss["sandbox"] == 1'
    'not [cause for cause, lost in loss.items() if lost and cause not in ("sandbox", "lost_host")]'
    '[window["stop"] for window in process["windows"]] == ["sandbox"]'
)
all=(push step fork forkpush vfork exec noexec)
for end in return _exit quick_exit; do
    for how in prctl syscall errno trap; do
        sandboxed records $how "${all[@]}" $end
        expect "$trace" "${ended[@]}"
        same "files of $how $end" "$trace" "$(ls "$here"/*.prof | grep "/$number[.-]")"
        found "the program enters a sandbox, which ends the recording in $trace" <stderr.txt || fail "$how says nothing"
    done
done
sandboxed records strict push SYS_exit
expect "$trace" "${ended[@]}"
for how in "${counter[@]}"; do
    sandboxed records $how "${all[@]}" return
    expect "$trace" "${ended[@]}"
done

# A question whether there are filters ends nothing.
sandboxed records probe push return
expect "$trace" 'count == {"before": 1000, "within": 1000}' 'process["closed"]' 'not any(loss.values())'

# One that recorded nothing until then does not begin.
for how in prctl syscall; do
    sandboxed $how "${all[@]}" return
    [[ ! -e $trace ]] || fail "$how: a file from within the sandbox"
    same "stderr of $how" "" "$(cat stderr.txt)"
done

# Nor does a thread of ours stay, where the main one is ended for what the program itself does.
ends=159
for how in thread "records thread"; do
    for control in 0 1; do
        # shellcheck disable=SC2086
        PROF_CONTROL=$control PROF_SIGNAL=USR2 sandboxed $how forbidden return
    done
done
ends=5
PROF_CONTROL=1 sandboxed prctl "${all[@]}" _exit
PROF_CONTROL=1 sandboxed records prctl "${all[@]}" return

PROF_STACKS=range sandboxed records prctl "${all[@]}" return
