/* child.h - the program as a child process that a shell cannot tell from one started without
 * profrun.
 *
 * Signals: the child stays in profrun's process group, so what the terminal sends (Ctrl-C, Ctrl-Z)
 * reaches it once, from the terminal. Signals sent to profrun alone are passed on. When Ctrl-Z
 * stops the child profrun stops too, and the shell sees the job stopped.
 */
#ifndef PROFRUN_CHILD_H
#define PROFRUN_CHILD_H

#include <signal.h>
#include <sys/types.h>

struct child {
    pid_t pid;
    sigset_t old_mask;            /* of profrun when it was started; the program gets it back */
    struct sigaction old_sigchld; /* likewise; profrun itself needs the default to wait */
    struct sigaction old_sigpipe; /* likewise; profrun's reports must not end it */
};

/* Starts a child that calls become(context), which sets up its environment and executes the
 * program; it returns only when that failed, with errno set. Returns 0, or the errno of the fork or
 * of become(). */
int child_start(struct child *child, void (*become)(void *context), void *context);

/* Passes signals on until the child ends. Returns its wait(2) status. */
int child_wait(struct child *child);

/* Ends this process as `status` says the child ended: same exit status, or same signal without a
 * second core dump. */
_Noreturn void child_imitate(int status);

#endif
