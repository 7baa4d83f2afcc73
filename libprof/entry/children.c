/* children.c - interposes fork, posix_spawn and posix_spawnp, to record the ids of child processes.
 *
 * Children that libc creates internally (system, popen, forkpty) are not seen here. Like all
 * others, they have files of their own, which name their parent.
 *
 * A vfork child cannot be recorded when it is created, because a function that calls vfork must not
 * return in both processes. It is recorded when it calls exec.
 *
 * While there is no file, only fork() remembers its children, in the process that loaded the
 * library: posix_spawn() is libc's own then, and a forked child does not know without a system call
 * that it is one.
 */
#include "entry.h"

#include "atomic.h"
#include "clock.h"
#include "process.h"
#include "session.h"
#include "thread.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Children made before there is a file to name them in. More are not remembered: a launcher that
 * makes them records nothing itself. */
#define CHILDREN_EARLY 256u

typedef int (*children_spawn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
                              const posix_spawnattr_t *, char *const[], char *const[]);

static struct {
    pid_t (*fork)(void);
    children_spawn posix_spawn, posix_spawnp;
} children_real GUEST_DATA;

/* The child of an idle program goes on with its parent's, which are not stated then: the generation
 * is another one. */
static uint32_t children_early_generation GUEST_DATA; /* process_generation() of who made them */
static bool children_early_any GUEST_DATA;            /* ever stored into what follows */
/* In one page: an idle program's fork copies each that it writes to. */
static struct {
    uint32_t count; /* incremented by each thread that makes a child; may exceed the array */
    struct {
        uint32_t pid,
            origin; /* the thread that makes the child releases the first -> children_emit_early */
    } made[CHILDREN_EARLY];
} children_early __attribute__((aligned(4096)));

static uint32_t children_last_exec; /* pid: exec is called once per directory of a search path */

GUEST_PATH void children_resolve(void)
{
    children_real.fork = (pid_t(*)(void))dlsym(RTLD_NEXT, "fork");
    children_real.posix_spawn = (children_spawn)dlsym(RTLD_NEXT, "posix_spawn");
    children_real.posix_spawnp = (children_spawn)dlsym(RTLD_NEXT, "posix_spawnp");
}

GUEST_PATH static void children_remember(const struct prof_rec_child *child)
{
    if (load_relaxed(&children_early.count) >= CHILDREN_EARLY)
        return; /* without a write, as above */
    if (!load_relaxed(&children_early_any))
        store_relaxed(&children_early_any, true);
    uint32_t place = fetch_add_relaxed(&children_early.count, 1u);
    if (place >= CHILDREN_EARLY)
        return;
    store_relaxed(&children_early.made[place].origin, child->origin);
    store_release(&children_early.made[place].pid, child->pid);
}

GUEST_PATH static void children_note(pid_t pid, enum prof_child_origin origin)
{
    struct prof_rec_child child = {.pid = (uint32_t)pid, .origin = origin};
    if (!session_has_file() && thread_process_is_ours())
        children_remember(&child);
    if (session_has_file()) { /* by now: then it may be stated twice, which readers take for once */
        int saved_errno = errno; /* not before: an idle program's page of it would be copied */
        child.ticks = clock_read();
        meta_append(PROF_REC_CHILD, &child, sizeof child, NULL, 0);
        errno = saved_errno;
    }
}

GUEST_PATH void children_note_exec(void)
{
    uint32_t pid = (uint32_t)getpid();
    if (thread_process_is_ours() && exchange_acquire(&children_last_exec, pid) != pid)
        children_note((pid_t)pid, PROF_CHILD_EXEC);
}

/* Ticks of 0: before the file began. */
static void children_emit_early(void)
{
    if (load_relaxed(&children_early_generation) != process_generation())
        return;
    for (uint32_t i = 0; i < CHILDREN_EARLY; i++) {
        struct prof_rec_child child = {.pid = load_acquire(&children_early.made[i].pid),
                                       .origin = load_relaxed(&children_early.made[i].origin)};
        if (child.pid)
            meta_append(PROF_REC_CHILD, &child, sizeof child, NULL, 0);
    }
}

GUEST_PATH INTERPOSED pid_t fork(void)
{
    if (!children_real.fork)
        children_resolve();
    if (!children_real.fork) {
        errno = ENOSYS;
        return -1;
    }
    pid_t pid = children_real.fork();
    if (pid > 0)
        children_note(pid, PROF_CHILD_FORK);
    else if (pid == 0)
        starter_forked();
    return pid;
}

/* libc stores the child's id while signals are blocked, so no handler of the calling thread runs
 * without it. We must know the id, and may not read it where libc has stored it: other threads and
 * handlers may have changed or freed that by then. So signals are blocked here, too, and the child
 * gets the mask that it would have had. Those that a fault raises stay: the kernel ends a process
 * that blocks one. */
static int children_spawned(children_spawn spawn, pid_t *pid, const char *path,
                            const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const argv[],
                            char *const envp[])
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};
    pid_t child;
    short flags = 0;
    sigset_t all, mask;
    posix_spawnattr_t own;
    sigfillset(&all);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &mask);
    if (attributes)
        own = *attributes;
    else
        posix_spawnattr_init(&own);
    posix_spawnattr_getflags(&own, &flags);
    if (!(flags & POSIX_SPAWN_SETSIGMASK)) {
        posix_spawnattr_setsigmask(&own, &mask);
        posix_spawnattr_setflags(&own, (short)(flags | POSIX_SPAWN_SETSIGMASK));
    }
    int error = spawn(&child, path, actions, &own, argv, envp);
    if (!error && pid)
        *pid = child;
    if (!error)
        children_note(child, PROF_CHILD_SPAWN);
    pthread_sigmask(SIG_SETMASK, &mask, NULL);
    return error;
}

/* While there is no file, the call is libc's own. */
static inline __attribute__((always_inline)) int
children_spawn_by(children_spawn spawn, pid_t *pid, const char *path,
                  const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                  char *const argv[], char *const envp[])
{
    if (!spawn)
        return ENOSYS;
    if (!session_has_file())
        return spawn(pid, path, actions, attributes, argv, envp);
    return children_spawned(spawn, pid, path, actions, attributes, argv, envp);
}

INTERPOSED int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const argv[],
                           char *const envp[])
{
    if (!children_real.posix_spawn)
        children_resolve();
    return children_spawn_by(children_real.posix_spawn, pid, path, actions, attributes, argv, envp);
}

INTERPOSED int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                            const posix_spawnattr_t *attributes, char *const argv[],
                            char *const envp[])
{
    if (!children_real.posix_spawnp)
        children_resolve();
    return children_spawn_by(children_real.posix_spawnp, pid, file, actions, attributes, argv,
                             envp);
}

/* The parent's are its own to name. */
GUEST_PATH static void children_fork_child(void)
{
    if (children_early_any)
        memset(&children_early, 0, sizeof children_early);
    children_early_any = false;
    children_early_generation = process_generation();
}

const struct collector children_collector = {
    .name = "children",
    .file_created = children_emit_early,
    .fork_child = children_fork_child,
};
