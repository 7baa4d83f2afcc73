#include "own_child.h"

#include "clock.h"

#include <errno.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN_CHILD_STACK_BYTES (256u << 10)

/* glibc's own name: ThreadSanitizer takes clone() for a fork, after which no thread may begin. */
extern int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
    __attribute__((weak));

pid_t own_child_run(int (*main)(void *argument), void *argument)
{
    uint8_t *stack = mmap(NULL, OWN_CHILD_STACK_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return -1;
    pid_t child = (__clone ? __clone : clone)(main, stack + OWN_CHILD_STACK_BYTES,
                                              CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, argument);
    munmap(stack, OWN_CHILD_STACK_BYTES);
    return child;
}

bool own_child_await(pid_t child, unsigned deadline_ms, int *status)
{
    uint64_t end_ns = clock_monotonic_ns() + deadline_ms * 1000000ull;
    pid_t ended;
    while ((ended = waitpid(child, status, __WALL | WNOHANG)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (clock_monotonic_ns() >= end_ns)
            return false;
        clock_pause(1000);
    }
    return true;
}

bool own_child_would_be_first(void)
{
    char own[64], of_children[64];
    ssize_t size = readlink("/proc/self/ns/pid", own, sizeof own);
    return size > 0 &&
           (readlink("/proc/self/ns/pid_for_children", of_children, sizeof of_children) != size ||
            memcmp(own, of_children, (size_t)size) != 0);
}
