/* A process may enter a user namespace, by unshare() or setns(), only while it has one thread. Where it
 * would have one but for ours, these end for that moment and begin anew.
 */
#include "refusals.h"

#include "clock.h"
#include "control_thread.h"
#include "process.h"
#include "writer.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REFUSALS_PUBLIC __attribute__((visibility("default")))
#define REFUSALS_WAIT_MS 500u

static struct {
    int (*unshare)(int);
    int (*setns)(int, int);
} refusals_real;

void refusals_resolve(void)
{
    *(void **)&refusals_real.unshare = dlsym(RTLD_NEXT, "unshare");
    *(void **)&refusals_real.setns = dlsym(RTLD_NEXT, "setns");
}

struct refusals_call {
    bool is_setns;
    int first, second;
};

static int refusals_make(const struct refusals_call *call)
{
    if (!refusals_real.unshare)
        refusals_resolve(); /* called by a constructor that runs before ours */
    if (call->is_setns && refusals_real.setns)
        return refusals_real.setns(call->first, call->second);
    if (!call->is_setns && refusals_real.unshare)
        return refusals_real.unshare(call->first);
    errno = ENOSYS;
    return -1;
}

/* Who has just begun, or ended, may not be counted, or still be. */
static bool refusals_await(unsigned long threads, unsigned deadline_ms)
{
    struct timespec moment = {.tv_nsec = 100000};
    uint64_t end_ns = clock_monotonic_ns() + deadline_ms * 1000000ull;
    while (process_threads() != threads) {
        if (clock_monotonic_ns() >= end_ns)
            return false;
        syscall(SYS_nanosleep, &moment, NULL); /* nanosleep() is a cancellation point */
    }
    return true;
}

/* Whether there are just those that can end for a while: CUPTI's cannot. */
static bool refusals_are_ours(void)
{
    unsigned count = (writer_runs() ? 1u : 0u) + (control_thread_runs() ? 1u : 0u);
    return count && refusals_await(1 + count, 10);
}

static int refusals_try(const struct refusals_call *call)
{
    int result = refusals_make(call), saved_errno = errno;
    if (result == 0 || errno != EINVAL || !refusals_are_ours()) {
        errno = saved_errno;
        return result;
    }
    bool controlled = control_thread_runs();
    if (controlled)
        control_thread_leave();
    writer_park(REFUSALS_WAIT_MS);
    refusals_await(1, REFUSALS_WAIT_MS);
    result = refusals_make(call);
    saved_errno = errno;
    writer_resume();
    if (controlled)
        control_thread_return();
    errno = saved_errno;
    return result;
}

REFUSALS_PUBLIC int unshare(int flags)
{
    struct refusals_call call = {.first = flags};
    return refusals_try(&call);
}

REFUSALS_PUBLIC int setns(int fd, int type)
{
    struct refusals_call call = {.is_setns = true, .first = fd, .second = type};
    return refusals_try(&call);
}
