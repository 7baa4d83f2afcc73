# stress-ng: sets of stressors that touch processes, signals, memory, descriptors and sandboxes
# packages: stress-ng
# commands: stress-ng
# limit: 500

version() { stress-ng --version | cut -d' ' -f1-3 | tr -d ,; }

# What a stressor needs less than a second for here; each ends after so many operations.
stressors="affinity:200 atomic:50 bad-altstack:50 brk:2000 cap:200 chdir:500 clone:60 close:200 context:500 daemon:20
    dup:200 dynlib:50 env:20 epoll:50 eventfd:500 exec:60 exit-group:20 fault:500 fcntl:500 fd-race:0 file-ioctl:50
    fork:200 fp-error:50 full:200 futex:500 get:50 getdent:100 handle:0 inotify:20 itimer:100 kcmp:50 kill:500
    membarrier:50 memfd:10 mincore:50 mlock:20 mmap:5 mmapfork:2 mprotect:50 mq:500 mremap:20 msync:20 msyncmany:20
    nice:10 null:500 open:500 personality:10 pidfd:50 pipe:5000 pipeherd:200 poll:200 prctl:5 procfs:0 pthread:200
    ptrace:100 pty:2 reboot:20 resources:2 rlimit:100 rseq:1000 sched:200 schedpolicy:100 seccomp:20 secretmem:20
    sem:1000 set:50 shm:4 shm-sysv:2 sigabrt:50 sigchld:50 sigfd:500 sigfpe:200 sigio:100 signal:500 signest:20
    sigpending:200 sigpipe:50 sigq:500 sigrt:200 sigsegv:200 sigsuspend:200 sigtrap:200 sleep:20 sock:50 sockpair:500
    spawn:30 splice:200 stack:5 stackmmap:5 switch:500 sysfs:0 tee:50 timer:500 timerfd:100 udp:50 unshare:10 urandom:20
    userfaultfd:20 vfork:200 vforkmany:20 vm:20 vm-splice:100 wait:50 yield:500 zombie:50"

workload() {
    local entry name count status
    for entry in $stressors; do
        name=${entry%:*} count=${entry#*:}
        [ "$count" -gt 0 ] || continue
        stress-ng --temp-path "$GUEST_DATA" --"$name" 1 --"$name"-ops "$count" --timeout 60 --verify --quiet \
            >"$GUEST_DATA/log" 2>&1
        status=$?
        echo "$name $status"
        grep -E 'fail|error' "$GUEST_DATA/log" | sed -E 's/\[[0-9]+\]//' | head -n 2
    done
    rm -rf "$GUEST_DATA"/tmp-*
}
