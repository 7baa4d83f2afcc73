/* single_thread.c - interposes calls that behave differently in a process with several threads.
 *
 * The kernel refuses a user namespace, by unshare() or setns(), to a process with several threads.
 * Capabilities change for the calling thread only; and libc, which changes the user of all threads,
 * aborts if one of them may and another may not. So if libprof's threads are the only others, they
 * end before such a call. Threads that start afterwards have the credentials of the thread that
 * started them.
 */
#include "entry.h"

#include "clock.h"
#include "control_thread.h"
#include "process.h"
#include "worker.h"

#include <dlfcn.h>
#include <errno.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sched.h>
#include <stddef.h>
#include <sys/prctl.h>

#define SINGLE_THREAD_WAIT_MS 500u

static struct {
    int (*unshare)(int);
    int (*setns)(int, int);
    int (*capset)(cap_user_header_t, cap_user_data_t);
} single_thread_real GUEST_DATA;

GUEST_PATH void single_thread_resolve(void)
{
    *(void **)&single_thread_real.unshare = dlsym(RTLD_NEXT, "unshare");
    *(void **)&single_thread_real.setns = dlsym(RTLD_NEXT, "setns");
    *(void **)&single_thread_real.capset = dlsym(RTLD_NEXT, "capset");
}

/* The control thread may have just begun, or not have ended yet. */
static bool single_thread_await(unsigned long threads, unsigned deadline_ms)
{
    uint64_t end_ns = clock_monotonic_ns() + deadline_ms * 1000000ull;
    while (process_threads() != threads) {
        if (clock_monotonic_ns() >= end_ns)
            return false;
        clock_pause(100);
    }
    return true;
}

/* CUPTI's threads cannot end and begin again. */
static bool single_thread_but_for_ours(void)
{
    workers_settle(SINGLE_THREAD_WAIT_MS);
    unsigned count = (process_is_own() ? workers_running() : 0) + (control_thread_runs() ? 1 : 0);
    return count && single_thread_await(1 + count, 10);
}

/* The calls are not cancellation points, but what is done here consists of some. */
struct single_thread single_thread_begin(void)
{
    struct single_thread ended = {false, false};
    int saved_errno = errno, cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (single_thread_but_for_ours()) {
        ended.parked = true;
        ended.controlled = control_thread_runs();
        if (ended.controlled)
            control_thread_leave();
        workers_park(SINGLE_THREAD_WAIT_MS);
        single_thread_await(1, SINGLE_THREAD_WAIT_MS);
    }
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
    return ended;
}

void single_thread_end(struct single_thread ended)
{
    int saved_errno = errno, cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (ended.parked)
        workers_resume();
    if (ended.controlled)
        control_thread_return();
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
}

bool single_thread_is_affected_by(int option)
{
    return option == PR_SET_KEEPCAPS || option == PR_SET_SECUREBITS || option == PR_CAPBSET_DROP ||
           option == PR_CAP_AMBIENT;
}

/* ---- what stands before libc's ---- */

/* A constructor that runs before ours may call them. */
static void single_thread_need(const void *function)
{
    if (!function)
        single_thread_resolve();
}

static int single_thread_missing(void)
{
    errno = ENOSYS;
    return -1;
}

static int single_thread_unshare(int flags)
{
    single_thread_need(*(void **)&single_thread_real.unshare);
    return single_thread_real.unshare ? single_thread_real.unshare(flags) : single_thread_missing();
}

static int single_thread_setns(int fd, int type)
{
    single_thread_need(*(void **)&single_thread_real.setns);
    return single_thread_real.setns ? single_thread_real.setns(fd, type) : single_thread_missing();
}

static bool single_thread_refused(int result)
{
    return result != 0 && errno == EINVAL;
}

INTERPOSED int unshare(int flags)
{
    int result = single_thread_unshare(flags);
    if (!single_thread_refused(result))
        return result;
    struct single_thread ended = single_thread_begin();
    if (ended.parked)
        result = single_thread_unshare(flags);
    single_thread_end(ended);
    return result;
}

INTERPOSED int setns(int fd, int type)
{
    int result = single_thread_setns(fd, type);
    if (!single_thread_refused(result))
        return result;
    struct single_thread ended = single_thread_begin();
    if (ended.parked)
        result = single_thread_setns(fd, type);
    single_thread_end(ended);
    return result;
}

INTERPOSED int capset(cap_user_header_t header, cap_user_data_t data)
{
    single_thread_need(*(void **)&single_thread_real.capset);
    if (!single_thread_real.capset)
        return single_thread_missing();
    struct single_thread ended = single_thread_begin();
    int result = single_thread_real.capset(header, data);
    single_thread_end(ended);
    return result;
}
