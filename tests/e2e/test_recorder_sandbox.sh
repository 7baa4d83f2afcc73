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

# sandboxed ARGUMENT...: runs it bare, which must do well, then preloaded: the same output and status.
number=0
sandboxed() {
    local wanted status=0
    wanted=$(./sandboxed "$@" 2>&1) || status=$?
    ((status != 77)) || skip "no seccomp here: $wanted"
    same "bare status of $*" 5 "$status"
    number=$((number + 1))
    trace=$here/$number.prof status=0
    got=$(record "$trace" timeout 60 ./sandboxed "$@" 2>stderr.txt) || status=$?
    same "status of $* $(cat stderr.txt)" 5 "$status"
    same "output of $*" "$wanted" "$got"
}

for end in return _exit quick_exit; do
    for how in prctl syscall raw raw_errno; do
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
