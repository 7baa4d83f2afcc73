/* target.h - the program to run: where it is, whether the loader will let us into it, its
 * environment, and running it. */
#ifndef PROFRUN_TARGET_H
#define PROFRUN_TARGET_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum target_kind {
    TARGET_ORDINARY,   /* the loader will preload libprof */
    TARGET_STATIC,     /* no dynamic loader: nothing can be preloaded; its children can be */
    TARGET_PRIVILEGED, /* setuid, setgid or file capabilities: the loader ignores LD_PRELOAD */
    /* Another architecture, word size or libc: preloading would only print errors */
    TARGET_FOREIGN,
};

struct target {
    char *path;            /* what to execute; holds a slash; owned */
    bool text;             /* neither ELF nor #!: the kernel refuses it, sh runs it */
    enum target_kind kind; /* of the program, or of the interpreter of a script */
    char reason[256];      /* why nothing can be recorded; empty for TARGET_ORDINARY */
    const char *remedy;    /* what to do about it */
};

/* Finds `name` as execvp(3) would and looks at what it is. Returns 0, or the status to exit with,
 * having said why. target_fini() accepts what a failed call left. */
int target_init(struct target *target, const char *name);
void target_fini(struct target *target);

/* Becomes the program. Returns only on failure, with errno set. */
void target_execute(const struct target *target, char *const *argv);

/* ---- elfkind: what an ELF file's headers say about preloading a library into it ---- */

bool elfkind_is_elf(int file);

/* Why a library like ours cannot be loaded into the file ("is a 32-bit program", ...), a static
 * string; NULL if it can, or if it is not an ELF file. */
const char *elfkind_foreign(int file);

/* Whether the library at `path` is for another machine than this profrun. If so, sets the names of
 * both machines, static strings. */
bool elfkind_library_differs(const char *path, const char **machine, const char **own);

/* Whether it is an ELF file without a dynamic loader. */
bool elfkind_is_static(int file);

/* ---- preload.c: the environment that gets libprof.so into the program ---- */

struct preload {
    char *library; /* libprof.so, absolute; owned */
    char *sim; /* absolute path of the simulated CUDA's directory, or NULL without --sim; owned */
};

/* Finds the files beside profrun itself (or where PROF_LIBRARY says). Returns 0, or the status to
 * exit with, having said why: not found, for another machine, or a path that LD_PRELOAD cannot
 * express. Says which libraries of LD_PRELOAD the loader will refuse. preload_fini() accepts what
 * a failed call left. */
int preload_init(struct preload *preload, bool want_sim);
void preload_fini(struct preload *preload);

/* Changes this process' environment, which the program inherits. Existing LD_PRELOAD entries are
 * kept before ours, LD_LIBRARY_PATH entries after, CUDA_INJECTION64_PATH, NVTX_INJECTION64_PATH
 * and INTEL_LIBITTNOTIFY64 as they are. False: out of memory. preload_set_sim() comes first: its
 * libraries stand before libprof's. */
bool preload_set_library(const struct preload *preload);
bool preload_set_sim(const struct preload *preload, const char *layout);

/* ---- simfit.c: whether the program can run on the simulated CUDA ---- */

/* Returns 0, or prints why not and what to do, and returns a status to exit with. `path` is a
 * program; what it loads by itself later is not known here. */
int simfit_check(const char *path);

/* ---- child.c: the program as a child process ---- */

/* A shell cannot tell it from one started without profrun.
 *
 * Signals: the child stays in profrun's process group, so what the terminal sends (Ctrl-C, Ctrl-Z)
 * reaches it once, from the terminal. Signals sent to profrun alone are passed on. When Ctrl-Z
 * stops the child profrun stops too, and the shell sees the job stopped.
 */

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
