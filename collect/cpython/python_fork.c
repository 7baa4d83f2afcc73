/* python_fork.c - see python_calls.h.
 *
 *     fork() is called   python_fork_before() ends the threads of the writer, the hang watch and
 *                        the sampler
 *     fork() returns     python_fork_after() queues python_fork_done() as a pending call
 *     os.fork() counts   the threads: before the program's os.register_at_fork(after_in_parent=...)
 *                        hooks (3.12.1) or after them (3.13.0); within hooks python_fork_done()
 *                        only queues itself again
 *     os.fork() returns  python_fork_done() resumes them, at the caller's next bytecode
 *
 * They keep running if there are other threads, since Python warns anyway; in a fork without the
 * GIL, which is not os.fork(); and in a fork on a thread other than the main one, which runs
 * pending calls.
 */
#include "python_calls.h"

#include "glibc_only.h"
#include "process.h"
#include "worker.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PYTHON_COUNTS_SINCE 0x030c0000ul /* 3.12, as Py_Version has it */

/* How long to wait for each worker: it may be extending the file, or waiting for a CPU. After that,
 * Python warns. */
#define PYTHON_FORK_WAIT_MS 1000u

/* How often python_fork_done() queues itself again within hooks, in case the caller never goes
 * on. */
#define PYTHON_FORK_HOOK_CALLS 1000000u

static struct {
    int (*is_initialized)(void);
    int (*has_gil)(void);
    void *(*frame)(void); /* the one being executed */
    int (*add_pending_call)(int (*call)(void *), void *argument);
} python_c;

/* The fork in progress; guarded by the GIL. */
static struct {
    bool parked; /* one of our threads is, for this fork */
    void *caller;
    unsigned hook_calls;
} python_fork;

static bool python_fork_is_ours(void)
{
    if (!python_c.is_initialized() || !python_c.has_gil() || syscall(SYS_gettid) != getpid())
        return false;
    workers_settle(PYTHON_FORK_WAIT_MS);
    unsigned ours = workers_running();
    return ours && process_threads() == 1 + ours;
}

static void python_fork_before(void)
{
    int saved_errno = errno;
    python_fork.parked = python_fork_is_ours() && workers_park(PYTHON_FORK_WAIT_MS);
    if (python_fork.parked) {
        python_fork.caller = python_c.frame();
        python_fork.hook_calls = 0;
        workers_settle(PYTHON_FORK_WAIT_MS);
    }
    errno = saved_errno;
}

/* Resumes them early if the queue of pending calls is full: better a warning than no threads. */
static int python_fork_done(void *nothing)
{
    int saved_errno = errno;
    bool in_hook =
        python_c.frame() != python_fork.caller && python_fork.hook_calls++ < PYTHON_FORK_HOOK_CALLS;
    if (!in_hook || python_c.add_pending_call(python_fork_done, nothing) != 0)
        workers_resume();
    errno = saved_errno;
    return 0;
}

static void python_fork_after(void)
{
    int saved_errno = errno;
    if (python_fork.parked && python_c.add_pending_call(python_fork_done, NULL) != 0)
        workers_resume();
    errno = saved_errno;
}

GUEST_PATH void python_fork_init(void)
{
    const unsigned long *version = dlsym(RTLD_DEFAULT, "Py_Version"); /* since 3.11 */
    if (!version || *version < PYTHON_COUNTS_SINCE)
        return;
    *(void **)(&python_c.is_initialized) = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    *(void **)(&python_c.has_gil) = dlsym(RTLD_DEFAULT, "PyGILState_Check");
    *(void **)(&python_c.frame) = dlsym(RTLD_DEFAULT, "PyEval_GetFrame");
    *(void **)(&python_c.add_pending_call) = dlsym(RTLD_DEFAULT, "Py_AddPendingCall");
    if (python_c.is_initialized && python_c.has_gil && python_c.frame && python_c.add_pending_call)
        glibc_only_atfork(python_fork_before, python_fork_after, NULL);
}
