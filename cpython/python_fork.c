/* python_fork.c - see python_fork.h.
 *
 *     fork() is called   python_fork_before: the writer leaves
 *     fork() returns     python_fork_after: the interpreter shall call python_fork_over
 *     os.fork() counts   before the program's os.register_at_fork(after_in_parent=...) (3.12.1), or behind
 *                        it (3.13.0): Python code, which python_fork_over lets pass
 *     os.fork() returns  python_fork_over, at the caller's next bytecode: the writer is back
 *
 * It stays where it would not help or not come back: other threads are counted too, a fork of somebody
 * else's (without the GIL) counts nothing, and pending calls are the main thread's.
 */
#include "python_fork.h"

#include "clock.h"
#include "writer.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PYTHON_COUNTS_SINCE 0x030c0000ul /* 3.12, as Py_Version has it */

/* A writer that makes room in the file may be at it for that long. Then there will be a warning. */
#define PYTHON_FORK_WAIT_MS 100u

/* Calls from within the program's hooks: a moment of theirs, should the caller never go on. */
#define PYTHON_FORK_HOOK_CALLS 1000000u

static struct {
    int (*is_initialized)(void);
    int (*has_gil)(void);
    void *(*frame)(void); /* the one being executed */
    int (*add_pending_call)(int (*call)(void *), void *argument);
} python_c;

/* The fork in progress; guarded by the GIL. */
static struct {
    bool parked; /* the writer, for it */
    void *caller;
    unsigned hook_calls;
} python_fork;

/* As the interpreter counts them: what the kernel has not removed yet is one. 0: unknown. */
static unsigned long python_fork_threads(void)
{
    struct stat tasks;
    return stat("/proc/self/task", &tasks) == 0 ? (unsigned long)tasks.st_nlink - 2 : 0;
}

static bool python_fork_is_ours(void)
{
    return writer_runs() && python_c.is_initialized() && python_c.has_gil() &&
           syscall(SYS_gettid) == getpid() && python_fork_threads() == 2;
}

static void python_fork_wait(void)
{
    uint64_t end_ns = clock_monotonic_ns() + PYTHON_FORK_WAIT_MS * 1000000ull;
    while (python_fork_threads() != 1 && clock_monotonic_ns() < end_ns)
        sched_yield();
}

static void python_fork_before(void)
{
    int saved_errno = errno;
    python_fork.parked = python_fork_is_ours() && writer_park(PYTHON_FORK_WAIT_MS);
    if (python_fork.parked) {
        python_fork.caller = python_c.frame();
        python_fork.hook_calls = 0;
        python_fork_wait();
    }
    errno = saved_errno;
}

/* A full queue of pending calls: better a warning than no writer. */
static int python_fork_over(void *nothing)
{
    int saved_errno = errno;
    bool in_hook =
        python_c.frame() != python_fork.caller && python_fork.hook_calls++ < PYTHON_FORK_HOOK_CALLS;
    if (!in_hook || python_c.add_pending_call(python_fork_over, nothing) != 0)
        writer_resume();
    errno = saved_errno;
    return 0;
}

static void python_fork_after(void)
{
    int saved_errno = errno;
    if (python_fork.parked && python_c.add_pending_call(python_fork_over, NULL) != 0)
        writer_resume();
    errno = saved_errno;
}

void python_fork_init(void)
{
    const unsigned long *version = dlsym(RTLD_DEFAULT, "Py_Version"); /* since 3.11 */
    if (!version || *version < PYTHON_COUNTS_SINCE)
        return;
    *(void **)(&python_c.is_initialized) = dlsym(RTLD_DEFAULT, "Py_IsInitialized");
    *(void **)(&python_c.has_gil) = dlsym(RTLD_DEFAULT, "PyGILState_Check");
    *(void **)(&python_c.frame) = dlsym(RTLD_DEFAULT, "PyEval_GetFrame");
    *(void **)(&python_c.add_pending_call) = dlsym(RTLD_DEFAULT, "Py_AddPendingCall");
    if (python_c.is_initialized && python_c.has_gil && python_c.frame && python_c.add_pending_call)
        pthread_atfork(python_fork_before, python_fork_after, NULL);
}
