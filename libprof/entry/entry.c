/* What the loader and CUDA call, and the life of the library in a stranger's process.
 *
 *   load            entry_load: read the configuration, switch recording on if preloaded. No
 *                   thread, no file, no CUDA: most processes that inherit LD_PRELOAD record
 *                   nothing and must not notice us.
 *   cuInit          InitializeInjection: collectors may touch CUPTI from here on.
 *   first event     the file, the writer thread (session.c); of each thread: its log (thread.c).
 *   fork            the child forgets everything and begins a file of its own at its first event.
 *   exec, _exit ... exits.c: what is buffered reaches the file first.
 *   exit            entry_exit: flush, close, print the table. It is a destructor, which runs
 *                   last, and an exit handler registered once CUPTI is loaded, which runs before
 *                   CUPTI's own destructors.
 *   kill -9         nothing runs, and nothing needs to: the file is readable at any moment.
 */
#include "entry.h"

#include "atomic.h"
#include "config.h"
#include "exits.h"
#include "report.h"
#include "session.h"
#include "stacks.h"
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
    &stacks_collector,
    &cupti_collector,
    NULL,
};

static bool entry_inert; /* set-user-id program, or another copy of the library is at work */
static bool entry_preloaded;
static bool entry_asked; /* for the injection, by entry_load: nobody else did */
static uint32_t entry_exited;

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

/* Twice where CUDA is used: as exit handler, then as destructor. The table is printed once. */
static void entry_exit(void)
{
    int saved_errno = errno;
    if (!entry_inert && exits_is_own_process() && !exchange_acquire(&entry_exited, 1u)) {
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
    errno = saved_errno;
}

static bool entry_start_now(void)
{
    return config_get()->start == CONFIG_START_NOW ||
           (config_get()->start == CONFIG_START_AUTO && entry_preloaded);
}

__attribute__((constructor)) static void entry_load(void)
{
    int saved_errno = errno;
    const char *own_path = entry_own_path();
    exits_resolve();
    entry_inert = getauxval(AT_SECURE) || entry_is_second_copy();
    if (!entry_inert) {
        config_load();
        entry_preloaded = entry_is_preloaded(own_path);
        exits_remember_process();
        stacks_init();
        pthread_atfork(NULL, NULL, entry_fork_child);
        session_init(entry_collectors, entry_start_now());
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
            session_start();
        }
        session_cuda_init();
        atexit(entry_exit);
    }
    errno = saved_errno;
    return 1;
}
