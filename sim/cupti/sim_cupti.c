#include "sim_cupti.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim_config.h"
#include "sim_core.h"
#include "sim_fault.h"
#include "sim_layout.h"
#include "sim_locks.h"

static atomic_bool gone;
static pthread_once_t used_once = PTHREAD_ONCE_INIT;
static atomic_bool forked; /* in a child of a process that had used CUPTI */

static void at_exit(void)
{
    atomic_store(&gone, true);
}

/* The real library registers its static destructors as it is loaded: what the program registers
 * afterwards with atexit runs before them. */
__attribute__((constructor)) static void on_load(void)
{
    atexit(at_exit);
    sim_activity_install();
}

bool sim_cupti_is_gone(void)
{
    return atomic_load(&gone);
}

int sim_cupti_no_driver(void)
{
    return sim_config()->layout >= SIM_LAYOUT_13_0 ? SIM_CUPTI_UNKNOWN : SIM_CUPTI_NOT_INITIALIZED;
}

static void complain(void)
{
    static const char line[] = "sim: CUPTI called in a forked child\n";
    if (write(STDERR_FILENO, line, sizeof line - 1) < 0)
        return;
}

/* The worker thread does not exist in a child, and the real library waits for it forever. */
static int refuse_child(const char *name)
{
    sim_fault_violation("%s called in a forked child", name);
    complain();
    while (sim_config()->fork_hang)
        pause();
    return SIM_CUPTI_UNKNOWN;
}

int sim_cupti_enter_plain(const char *name, uint64_t argument)
{
    int code = SIM_CUPTI_OK;
    return sim_fault_check(name, argument, &code) ? code : SIM_CUPTI_OK;
}

static void in_child(void)
{
    atomic_store(&forked, true);
}

static void on_first_use(void)
{
    pthread_atfork(NULL, NULL, in_child);
}

int sim_cupti_enter(const char *name, uint64_t argument)
{
    if (atomic_load(&forked))
        return refuse_child(name);
    pthread_once(&used_once, on_first_use);
    sim_locks_enter(name);
    const int fault = sim_cupti_enter_plain(name, argument);
    if (fault != SIM_CUPTI_OK)
        return fault;
    if (sim_cupti_is_gone() || sim_core_usable() != SIM_OK)
        return sim_cupti_no_driver();
    if (sim_layout_is_newer_than_driver())
        return SIM_CUPTI_NOT_INITIALIZED;
    return SIM_CUPTI_OK;
}
