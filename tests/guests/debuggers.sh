# gdb and strace: breakpoints, threads, a child that is followed, an attach, a fault; system calls of a tree
# packages: gdb strace gcc util-linux
# commands: gdb strace gcc setpriv

version() { echo "gdb $(gdb --version | head -n 1 | grep -oE '[0-9.]+$'), strace $(strace --version | head -n 1 | grep -oE '[0-9.]+$')"; }

prepare() {
    cat >guest.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int counter;
static void *work(void *argument) { return argument; }
void step(int number) { counter += number; }
void in_child(void) { counter = 100; }

int main(int argc, char **argv)
{
    pthread_t thread;
    for (int i = 1; i <= 5; i++)
        step(i);
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    if (fork() == 0) {
        in_child();
        _exit(3);
    }
    int status;
    wait(&status);
    printf("counter %d, child %d\n", counter, WEXITSTATUS(status));
    fflush(stdout);
    if (argc > 1 && argv[1][0] == 's')
        *(volatile int *)16 = 1;
    if (argc > 1 && argv[1][0] == 'w')
        for (;;)
            pause();
    return 6;
}
C
    gcc -g -O0 -pthread guest.c -o guest
    cat >gdbinit <<'GDB'
set confirm off
set width 0
set print thread-events off
set print inferior-events off
set debuginfod enabled off
set startup-with-shell off
set style enabled off
GDB
}

debug() { timeout 120 gdb -nx -q -batch -x gdbinit "$@" 2>&1 | grep -vE "Couldn't get registers" | grep -vE '^\[|^Using host|warning|^Reading|^$' | sed -E 's/^Thread .* hit //; s/0x[0-9a-f]+/ADDRESS/g; s/(process|LWP|Thread) [0-9a-fx]+/\1 N/g'; }

workload() {
    local waiting
    debug -ex 'break step if number == 3' -ex run -ex 'print number' -ex backtrace -ex 'finish' -ex 'watch counter' -ex continue \
        -ex 'print counter' -ex 'delete' -ex continue ./guest
    debug -ex 'set follow-fork-mode child' -ex 'break in_child' -ex run -ex 'bt 1' -ex 'finish' -ex 'print counter' -ex continue ./guest
    debug -ex 'catch fork' -ex 'catch syscall exit_group' -ex run -ex 'continue' -ex 'continue' ./guest
    debug -ex run -ex 'bt 1' -ex 'print $_siginfo.si_signo' -ex kill --args ./guest segv
    ./guest wait >out &
    waiting=$!
    until [ -s out ]; do sleep 0.1; done
    debug -p "$waiting" -ex 'print counter' -ex 'set var counter = 7' -ex 'call step(5)' -ex 'print counter' -ex detach | grep -E '^\$'
    kill "$waiting"
    wait "$waiting"
    echo "status $?"
    strace -f -qq -e trace=execve -e signal=none -o "$GUEST_DATA/calls" sh -c 'ls /nothing; true | cat; /bin/true; exit 5' 2>&1
    echo "status $?"
    grep -c execve "$GUEST_DATA/calls"
    strace -f -e inject=mkdir:error=ENOSPC -e trace=mkdir -o "$GUEST_DATA/calls" mkdir made 2>&1
    echo "status $?"
    strace -o "$GUEST_DATA/calls" -e trace=none -e signal=all sh -c 'kill -USR1 $$' 2>/dev/null
    echo "status $?"
    grep -E '^(---|\+\+\+)' "$GUEST_DATA/calls" | sed -E 's/si_pid=[0-9]+, si_uid=[0-9]+/who/'
}
