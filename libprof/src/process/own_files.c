#include "own_files.h"

#include "atomic.h"
#include "clock.h"
#include "own_child.h"
#include "own_thread.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#define OWN_FILES_STACK_BYTES (256u << 10)

struct own_files_call {
    int (*job)(void *argument);
    void *argument;
    int result;
    uint32_t done;  /* stays 0 where it had memory of its own */
    uint32_t ended; /* the thread releases, its maker acquires */
};

/* In a job that has a copy of the descriptors; such a process has its caller's thread-local memory. */
static __thread bool own_files_apart __attribute__((tls_model("initial-exec")));

static int own_files_main(void *argument)
{
    struct own_files_call *call = argument;
    own_files_apart = true;
    call->result = call->job(call->argument);
    own_files_apart = false;
    store_release(&call->done, 1u);
    return 0;
}

static void own_files_call_apart(struct own_files_call *call)
{
    pid_t child = own_child_run(own_files_main, call);
    if (child > 0)
        waitpid(child, NULL, (int)__WCLONE);
}

static int own_files_nothing(void *unused)
{
    (void)unused;
    return 0;
}

/* Emulators make a vfork a fork: what such a process maps is its own. ThreadSanitizer takes the call for a fork of the
 * program's, after which it allows no thread. */
static bool own_files_share_memory(void)
{
    static uint32_t known; /* 1: so it is, 2: it is not; each who asks finds the same */
    if (own_thread_sanitized())
        return false;
    if (!load_relaxed(&known)) {
        struct own_files_call call = {.job = own_files_nothing};
        own_files_call_apart(&call);
        store_relaxed(&known, load_acquire(&call.done) ? 1u : 2u);
    }
    return load_relaxed(&known) == 1;
}

static void *own_files_thread(void *argument)
{
    struct own_files_call *call = argument;
    own_thread_enter("prof-files");
    if (unshare(CLONE_FILES) == 0)
        own_files_main(call);
    store_release(&call->ended, 1u);
    own_thread_leave();
    return NULL;
}

static void own_files_call_on_thread(struct own_files_call *call)
{
    if (own_thread_create(OWN_FILES_STACK_BYTES, own_files_thread, call) != 0)
        return;
    for (int attempt = 0; !load_acquire(&call->ended); attempt++)
        clock_wait(attempt);
}

int own_files_run(int (*job)(void *argument), void *argument)
{
    struct own_files_call call = {.job = job, .argument = argument, .result = EAGAIN};
    if (!own_child_would_be_first() && own_files_share_memory())
        own_files_call_apart(&call);
    else if (own_thread_sanitized() ||
             own_thread_one_other()) /* no thread can be had, or none is needed */
        return job(argument);
    else
        own_files_call_on_thread(&call);
    return call.result;
}

static int own_files_open_as(const char *path, int flags, unsigned mode)
{
    int fd = open(path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    if (fd >= 0 || errno != EMFILE || !own_files_apart)
        return fd;
    close(STDIN_FILENO);
    return open(path, flags | O_NOFOLLOW | O_CLOEXEC, mode);
}

int own_files_open(const char *path, int flags)
{
    return own_files_open_as(path, flags, 0600);
}

int own_files_create(const char *path, int flags, unsigned mode)
{
    return own_files_open_as(path, flags | O_CREAT, mode);
}
