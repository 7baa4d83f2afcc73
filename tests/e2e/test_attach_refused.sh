#!/usr/bin/env bash
# profrun --attach where it cannot be: a sentence and an exit status, and the process is left alone.
. "$(dirname "$0")/common.sh"
. "$(dirname "$0")/attach_common.sh"

# refused STATUS TEXT [PROCESS]
refused() {
    local status=0 process=${3-${guest:-}}
    "$PROF_BIN/profrun" --attach "$process" -o refused.prof 2>attach.txt || status=$?
    found -F -- "$2" <attach.txt || fail "wanted: $2"$'\n'"got: $(cat attach.txt)"
    same "status: $2" "$1" "$status"
    [[ ! -e refused.prof ]] || fail "a file: $2"
}

# Not a process.
for wrong in 0 -1 x 12x "" 99999999999; do
    refused 2 "--attach needs the number of a process" "$wrong"
done
read -r last </proc/sys/kernel/pid_max
refused 127 "there is no such process" "$last"
for wrong in "--for x --attach 1" "--for 0s --attach 1" "--for 1s true" "--attach 1 true" "--attach 1 --sim" "--attach 1 --doctor"; do
    status=0
    # shellcheck disable=SC2086 # words
    "$PROF_BIN/profrun" $wrong 2>attach.txt || status=$?
    same "profrun $wrong" 2 "$status"
done
kernel=$(grep -l '^Kthread:	1' /proc/[0-9]*/status 2>/dev/null | head -n 1 | cut -d / -f 3 || true)
[[ -z $kernel ]] || refused 126 "it is a kernel thread" "$kernel"
# Its parent does not wait for it: it ends when that is sleep, as a shell would wait.
sh -c 'sh -c "until grep -q sleep /proc/\$PPID/comm; do sleep 0.05; done" & echo $! >zombie.txt; exec sleep 1000' &
parent=$!
await "a child" test -s zombie.txt
zombie=$(cat zombie.txt)
await "a zombie" grep -q '^State:	Z' "/proc/$zombie/status"
refused 127 "it has ended" "$zombie"
kill "$parent"
wait "$parent" || true

compile attach_guest -lrt
begin ./attach_guest sleep4
thread=$(ls "/proc/$guest/task" | tail -n 1)
refused 2 "it is a thread of process $guest" "$thread"
kill -STOP "$guest"
await "a stopped process" grep -q '^State:	T' "/proc/$guest/status"
refused 126 "it is stopped: continue it first"
kill -CONT "$guest"
if command -v strace >/dev/null; then
    strace -f -o /dev/null -p "$guest" &
    tracer=$!
    traces_or_ended() { grep -q "^TracerPid:	$tracer" "/proc/$guest/status" || ! kill -0 "$tracer" 2>/dev/null; }
    await "strace" traces_or_ended
    if kill -0 "$tracer" 2>/dev/null; then # else a container refused it
        refused 126 "process $tracer (strace) traces it already"
    fi
    kill "$tracer" 2>/dev/null || true
    wait "$tracer" || true
fi
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if [[ $(id -u) == 0 ]] && "${nobody[@]}" test -r "$lib"; then # the checkout may be in a folder of root's
    status=0
    chmod 755 "$here"
    "${nobody[@]}" "$PROF_BIN/profrun" --attach "$guest" -o /tmp/refused-%p.prof \
        2>attach.txt || status=$?
    if ((status == 126)) || ! found 'Permission denied' <attach.txt; then
        found -F "it belongs to user 0" <attach.txt || fail "another user: $(cat attach.txt)"
        same "status for another user" 126 "$status"
    fi
fi
end 7 ended

# What cannot load a library.
printf 'int main(void) { extern int puts(const char *), fflush(void *), getchar(void); puts("begun"); fflush(0); while (getchar() >= 0) {} puts("ended"); return 7; }' >plain.c
if "$CC" -static plain.c -o plain_static 2>/dev/null; then
    begin ./plain_static
    refused 126 "it is statically linked"
    end 7 ended
fi
if command -v musl-gcc >/dev/null && musl-gcc plain.c -o plain_musl; then
    begin ./plain_musl
    refused 126 "it uses musl as its libc"
    end 7 ended
fi
if "$CC" -m32 plain.c -o plain_32 2>/dev/null; then
    begin ./plain_32
    refused 126 "is a 32-bit program"
    end 7 ended
fi
if "$CC" -fsanitize=address plain.c -o plain_asan 2>/dev/null; then
    begin ./plain_asan
    refused 126 "it was built with a sanitizer"
    end 7 ended
fi

# A sandbox of its own: the filter allows everything, but that cannot be seen.
cat >sandboxed.c <<'PROGRAM'
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <sys/prctl.h>

int main(void)
{
    struct sock_filter allow = {.code = BPF_RET | BPF_K, .k = SECCOMP_RET_ALLOW};
    struct sock_fprog program = {1, &allow};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
        return 77;
    puts("begun");
    fflush(stdout);
    while (getchar() >= 0) {
    }
    puts("ended");
    return 7;
}
PROGRAM
"$CC" sandboxed.c -o sandboxed
begin ./sandboxed
refused 126 "it runs in a sandbox (seccomp)"
end 7 ended

# In a container that may not use ptrace. One that holds the target does not matter, whatever its filter refuses.
compile contained
begin ./attach_guest sleep4
status=0
./contained "$PROF_BIN/profrun" --attach "$guest" -o refused.prof 2>attach.txt || status=$?
same "status in a container" 126 "$status"
found 'this container may not use ptrace: start it with --cap-add SYS_PTRACE' <attach.txt || fail "in a container: $(cat attach.txt)"
[[ ! -e refused.prof ]] || fail "a file in spite of the refusal"
end 7 ended
if [[ $(id -u) == 0 ]] && unshare --pid --fork true 2>/dev/null; then
    begin unshare --pid --fork ./contained ./attach_guest sleep4
    outer=$guest
    # shellcheck disable=SC2034 # attach() takes it
    guest=$(pgrep -P "$outer")
    attach -o contained.prof --for 100ms --no-table
    guest=$outer
    end 7 ended
    "$PROF_BIN/profdump" check contained.prof >check.txt || fail "in a container: $(cat check.txt)"
fi

# Memory and threads that the kernel does not give.
"$CC" -pthread plain.c -o plain
begin bash -c 'ulimit -v 12000; exec ./plain'
status=0
"$PROF_BIN/profrun" --attach "$guest" -o refused.prof 2>attach.txt || status=$?
((status == 125 || status == 126)) || fail "without memory: status $status, $(cat attach.txt)"
end 7 ended

# A thread at the end of its stack is not borrowed: what is pushed there would hit the guard.
compile attach_edge
begin ./attach_edge
status_of "$PROF_BIN/profrun" -q --attach "$guest" --for 100ms -o edge.prof >status.txt
end 0 "ended"
