# stress-ng: sets of stressors that touch processes, signals, memory, descriptors and sandboxes
# packages: stress-ng
# commands: stress-ng
# differs: recording stacks control hang sample
# why: kcmp compares the semaphore undo lists of a parent and its child. A process that has ever had a second thread has such a list, so the two differ.
# limit: 500

version() { stress-ng --version | cut -d' ' -f1-3 | tr -d ,; }

# What a stressor needs less than a second for here; each ends after so many operations.
stressors="affinity:50 atomic:10 bad-altstack:20 brk:500 cap:50 clone:20 close:20 context:100 dup:50 dynlib:10 epoll:20
    eventfd:100 exec:20 exit-group:10 fault:100 fcntl:100 fork:50 futex:100 get:5 inotify:5 itimer:50 kcmp:20 kill:100
    membarrier:10 memfd:2 mlock:5 mmap:2 mprotect:10 mq:100 mremap:5 null:100 open:100 personality:5 pidfd:10 pipe:1000
    poll:50 prctl:2 pthread:50 ptrace:20 rlimit:20 rseq:100 seccomp:10 sem:100 shm:1 sigabrt:10 sigchld:10 sigfd:100
    sigfpe:50 sigio:20 signal:100 signest:5 sigpending:50 sigq:100 sigrt:50 sigsegv:50 sigsuspend:50 sigtrap:50 sock:10
    sockpair:100 spawn:10 splice:50 stack:2 switch:100 timer:100 timerfd:20 unshare:4 userfaultfd:5 vfork:50 vm:4
    wait:10 yield:100 zombie:10"

workload() {
    local entry name count status
    for entry in $stressors; do
        name=${entry%:*} count=${entry#*:}
        [ "$count" -gt 0 ] || continue
        stress-ng --temp-path "$GUEST_DATA" --"$name" 1 --"$name"-ops "$count" --timeout 20 --verify --quiet \
            >"$GUEST_DATA/log" 2>&1
        status=$?
        echo "$name $status"
        grep -E 'fail|error' "$GUEST_DATA/log" | sed -E 's/\[[0-9]+\]//' | head -n 2
    done
    rm -rf "$GUEST_DATA"/tmp-*
}
