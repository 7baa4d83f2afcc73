/* What the loader and CUDA call, and the life of the library in a stranger's process.
 *
 *   load            entry_load: read the configuration, switch recording on if preloaded. No
 *                   thread (but where one is asked for: control_thread.h), no file, no CUDA: most
 *                   processes that inherit LD_PRELOAD record nothing and must not notice us.
 *   cuInit          InitializeInjection: collectors may touch CUPTI from here on.
 *   first event     the file, the writer thread (session.c); of each thread: its log (thread.c).
 *   fork            the child forgets everything and begins a file of its own at its first event.
 *   exec, _exit ... exits.c: what is buffered reaches the file first.
 *   exit            entry_detach: an exit handler registered once CUPTI is loaded, so that the
 *                   collectors finish before CUPTI's own destructors. entry_exit: a destructor,
 *                   which runs last: close, print the table.
 *   kill -9         nothing runs, and nothing needs to: the file is readable at any moment.
 */
#include "entry.h"

#include "children.h"
#include "config.h"
#include "control_thread.h"
#include "exits.h"
#include "report.h"
#include "session.h"
#include "triggers.h"
#include "writer.h"

#include "cupti.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#define ENTRY_REPORT_MS \
    10000u /* a table takes a second at most; longer means that somebody waits for us */

/* In the order in which they are called; independent of constructor order. */
static const struct collector *const entry_collectors[] = {
    &cupti_collector,
    &children_collector,
    NULL,
};

static bool entry_inert; /* set-user-id program, or another copy of the library is at work */
static bool entry_preloaded;
static bool entry_asked; /* for the injection, by entry_load: nobody else did */

static const char *entry_own_path(void)
{
    Dl_info info;
    return dladdr((void *)(uintptr_t)entry_own_path, &info) && info.dli_fname ? info.dli_fname : "";
}

/* The loader resolves a public symbol to the first copy in the process, which is the one that
 * works. */
static bool entry_is_second_copy(void)
{
    Dl_info first, own;
    void *symbol = dlsym(RTLD_DEFAULT, "prof_version");
    if (!symbol || !dladdr(symbol, &first) || !dladdr((void *)(uintptr_t)entry_own_path, &own))
        return false;
    return first.dli_fbase != own.dli_fbase;
}

static bool entry_is_preloaded(const char *own_path)
{
    const char *preload = getenv("LD_PRELOAD");
    const char *name = strrchr(own_path, '/');
    return preload && strstr(preload, name ? name + 1 : own_path);
}

/* libcuda reads the variable at cuInit and then calls InitializeInjection(). A value the user has
 * set is kept. */
static void entry_ask_for_injection(const char *own_path)
{
    if (!config_get()->cuda || *own_path != '/' || getenv("CUDA_INJECTION64_PATH"))
        return;
    setenv("CUDA_INJECTION64_PATH", own_path, 0);
    entry_asked = true;
}

/* Children inherit LD_PRELOAD, and the variable with it. Those of a program that is only linked
 * inherit nothing: they were not to be recorded. */
static void entry_forget_asking(void)
{
    if (entry_asked && !entry_preloaded)
        unsetenv("CUDA_INJECTION64_PATH");
}

static void entry_detach(void)
{
    int saved_errno = errno;
    if (exits_is_own_process())
        session_finish_collectors();
    errno = saved_errno;
}

static void entry_exit(void)
{
    int saved_errno = errno;
    if (!entry_inert && exits_is_own_process()) {
        control_thread_end();
        session_finish();
        if (entry_preloaded && !writer_run(report_at_exit, ENTRY_REPORT_MS))
            report_at_exit();
    }
    errno = saved_errno;
}

static void entry_fork_child(void)
{
    int saved_errno = errno;
    session_fork_child();
    exits_remember_process();
    triggers_fork_child();
    control_thread_fork_child();
    errno = saved_errno;
}

static bool entry_start_now(void)
{
    return !triggers_start() && (config_get()->start == CONFIG_START_NOW ||
                                 (config_get()->start == CONFIG_START_AUTO && entry_preloaded));
}

__attribute__((constructor)) static void entry_load(void)
{
    int saved_errno = errno;
    const char *own_path = entry_own_path();
    exits_resolve();
    children_resolve();
    entry_inert = getauxval(AT_SECURE) || entry_is_second_copy();
    if (!entry_inert) {
        config_load();
        entry_preloaded = entry_is_preloaded(own_path);
        exits_remember_process();
        pthread_atfork(NULL, NULL, entry_fork_child);
        triggers_init();
        session_init(entry_collectors, entry_start_now());
        control_thread_init();
        entry_ask_for_injection(own_path);
    }
    errno = saved_errno;
}

__attribute__((destructor)) static void entry_unload(void)
{
    entry_exit();
}

/* Called by libcuda inside cuInit, before any context exists. Returns 1: success. */
int InitializeInjection(void)
{
    int saved_errno = errno;
    if (!entry_inert && config_get()->cuda) {
        entry_forget_asking();
        if (!entry_preloaded && !entry_asked && config_get()->start == CONFIG_START_AUTO) {
            entry_preloaded = true; /* injected by the user: the same as preloaded */
            if (entry_start_now())
                session_switch(true, PROF_CONTROL_STARTUP);
        }
        session_cuda_init();
        atexit(entry_detach);
    }
    errno = saved_errno;
    return 1;
}
