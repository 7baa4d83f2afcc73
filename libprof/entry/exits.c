/* exits.c - interposes _exit, _Exit, exec* and daemon, which end a process image without exit
 * handlers.
 *
 * Python's os._exit and every multiprocessing worker call them. The functions here write what is
 * buffered to the file, then call libc's. quick_exit has its own handlers: ours runs last.
 *
 * They may be called where almost nothing is allowed (in a signal handler, between fork and exec),
 * so they take no lock of the host and allocate nothing: they wait, for a limited time, for the
 * writer thread to do the work.
 */
#include "entry.h"

#include "control_thread.h"
#include "glibc_only.h"
#include "process.h"
#include "session.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct {
    int (*execve)(const char *, char *const[], char *const[]);
    int (*execvpe)(const char *, char *const[], char *const[]);
    int (*fexecve)(int, char *const[], char *const[]);
    int (*execveat)(int, const char *, char *const[], char *const[], int); /* since glibc 2.34 */
    int (*daemon)(int, int);
    void (*exit)(int);
} exits_real GUEST_DATA;

GUEST_PATH void exits_resolve(void)
{
    exits_real.execve =
        (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execve");
    exits_real.execvpe =
        (int (*)(const char *, char *const[], char *const[]))dlsym(RTLD_NEXT, "execvpe");
    exits_real.fexecve = (int (*)(int, char *const[], char *const[]))dlsym(RTLD_NEXT, "fexecve");
    *(void **)&exits_real.execveat = dlsym(RTLD_NEXT, "execveat");
    *(void **)&exits_real.daemon = dlsym(RTLD_NEXT, "daemon");
    exits_real.exit = (void (*)(int))dlsym(RTLD_NEXT, "_exit");
}

/* exec* and _exit are not cancellation points. */
static void exits_suspend_file(void)
{
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (process_is_own())
        session_suspend();
    pthread_setcancelstate(cancel_state, NULL);
}

GUEST_PATH static void exits_suspend(void)
{
    if (!exits_real.execve)
        exits_resolve(); /* called by a constructor that runs before ours */
    starter_hold();
    if (session_has_file())
        exits_suspend_file();
}

GUEST_PATH static void exits_exec(void)
{
    exits_suspend();
    if (session_has_file() && !process_is_own())
        children_note_exec();
}

GUEST_PATH static int exits_exec_failed(int result)
{
    int saved_errno = errno, cancel_state;
    starter_release();
    if (!session_has_file())
        return result;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    if (process_is_own())
        session_resume();
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
    return result;
}

/* An exec keeps the number, under which the new program may want to be found. */
GUEST_PATH static void exits_end(void)
{
    exits_suspend();
    control_thread_end();
}

GUEST_PATH INTERPOSED __attribute__((noreturn)) void _exit(int status)
{
    exits_end();
    if (exits_real.exit)
        exits_real.exit(status);
    for (;;)
        syscall(SYS_exit_group, status);
}

INTERPOSED __attribute__((noreturn)) void _Exit(int status)
{
    _exit(status);
}

/* The program's handlers, registered later, have run: what they did is recorded. */
static void exits_at_quick_exit(void *unused)
{
    (void)unused;
    exits_end();
}

GUEST_PATH void exits_init(void)
{
    glibc_only_at_quick_exit(exits_at_quick_exit);
}

/* ---- daemon(): libc forks, and ends the parent by its own _exit ---- */

static __thread bool exits_in_daemon __attribute__((tls_model("initial-exec")));

void exits_fork_parent(void)
{
    if (exits_in_daemon)
        exits_end();
}

INTERPOSED int daemon(int keep_directory, int keep_files)
{
    if (!exits_real.daemon)
        exits_resolve();
    if (!exits_real.daemon) {
        errno = ENOSYS;
        return -1;
    }
    exits_in_daemon = true;
    int result = exits_real.daemon(keep_directory, keep_files);
    exits_in_daemon = false; /* in the child, or without one */
    if (result == 0)
        starter_forked();
    return result;
}

/* ---- exec* ---- */

GUEST_PATH INTERPOSED int execve(const char *path, char *const argv[], char *const envp[])
{
    exits_exec();
    return exits_exec_failed(exits_real.execve ? exits_real.execve(path, argv, envp)
                                               : (int)syscall(SYS_execve, path, argv, envp));
}

GUEST_PATH INTERPOSED int execv(const char *path, char *const argv[])
{
    return execve(path, argv, environ);
}

INTERPOSED int execvpe(const char *file, char *const argv[], char *const envp[])
{
    exits_exec();
    if (exits_real.execvpe)
        return exits_exec_failed(exits_real.execvpe(file, argv, envp));
    errno = ENOSYS;
    return exits_exec_failed(-1);
}

INTERPOSED int execvp(const char *file, char *const argv[])
{
    return execvpe(file, argv, environ);
}

INTERPOSED int fexecve(int fd, char *const argv[], char *const envp[])
{
    exits_exec();
    if (exits_real.fexecve)
        return exits_exec_failed(exits_real.fexecve(fd, argv, envp));
    errno = ENOSYS;
    return exits_exec_failed(-1);
}

INTERPOSED int execveat(int directory, const char *path, char *const argv[], char *const envp[],
                        int flags)
{
    exits_exec();
    return exits_exec_failed(exits_real.execveat
                                 ? exits_real.execveat(directory, path, argv, envp, flags)
                                 : (int)syscall(SYS_execveat, directory, path, argv, envp, flags));
}

/* ---- the variadic ones: (path, arg0, ..., NULL [, envp]) ---- */

static size_t exits_count(const char *first, va_list arguments)
{
    size_t count = 0;
    for (const char *argument = first; argument; argument = va_arg(arguments, const char *))
        count++;
    return count;
}

/* Fills argv[0..count] with the arguments and NULL; `arguments` then continues after the NULL. */
static void exits_collect(char **argv, const char *first, va_list arguments)
{
    const char *argument = first;
    while (argument) {
        *argv++ = (char *)(uintptr_t)argument;
        argument = va_arg(arguments, const char *);
    }
    *argv = NULL;
}

#define EXITS_ARGV(argv, first)                  \
    va_list counting, arguments;                 \
    va_start(counting, first);                   \
    size_t count = exits_count(first, counting); \
    va_end(counting);                            \
    char *argv[count + 1];                       \
    va_start(arguments, first);                  \
    exits_collect(argv, first, arguments)

GUEST_PATH INTERPOSED int execl(const char *path, const char *first, ...)
{
    EXITS_ARGV(argv, first);
    va_end(arguments);
    return execve(path, argv, environ);
}

INTERPOSED int execlp(const char *file, const char *first, ...)
{
    EXITS_ARGV(argv, first);
    va_end(arguments);
    return execvpe(file, argv, environ);
}

INTERPOSED int execle(const char *path, const char *first, ...)
{
    EXITS_ARGV(argv, first);
    char *const *envp = va_arg(arguments, char *const *);
    va_end(arguments);
    return execve(path, argv, envp);
}
