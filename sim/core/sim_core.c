#include "sim_core.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "sim_config.h"
#include "sim_tools.h"

enum { FRESH, STARTING, READY, GONE };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;

static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER; /* held while state is STARTING */
static _Thread_local bool starting_here;                      /* this thread holds init_lock */
static atomic_int state = FRESH;
static atomic_int sticky = SIM_OK;
static atomic_bool forked; /* in a child of the process that initialised */

void sim_core_lock(void)
{
    pthread_mutex_lock(&lock);
}

void sim_core_unlock(void)
{
    pthread_mutex_unlock(&lock);
}

void sim_core_wait(void)
{
    pthread_cond_wait(&moved, &lock);
}

void sim_core_signal(void)
{
    pthread_cond_broadcast(&moved);
}

static void at_exit(void)
{
    atomic_store(&state, GONE);
}

static void in_child(void)
{
    atomic_store(&forked, true);
}

/* As the driver: the library is loaded and notified before any context exists; errors are
 * ignored. */
static void inject(void)
{
    const char *path = getenv("CUDA_INJECTION64_PATH");
    if (!path || !*path)
        return;
    void *library = dlopen(path, RTLD_NOW);
    void *symbol = library ? dlsym(library, "InitializeInjection") : NULL;
    if (symbol)
        ((int (*)(void))symbol)();
}

static void start(void)
{
    atomic_store(&state, STARTING);
    pthread_atfork(NULL, NULL, in_child);
    /* Registered now, not at load: the real driver is loaded at the first call, so handlers the
     * program registered before still run after this one. */
    atexit(at_exit);
    inject();
    atomic_store(&state, READY);
    sim_tools_resource(SIM_INIT_FINISHED, &(struct sim_resource){0});
}

int sim_core_usable(void)
{
    if (sim_config()->no_driver)
        return SIM_NO_DEVICE;
    return sim_config()->devices > 0 ? SIM_OK : SIM_NO_DEVICE;
}

int sim_core_init(void)
{
    const int usable = sim_core_usable();
    if (usable != SIM_OK)
        return usable;
    if (atomic_load(&state) >= READY || starting_here)
        return sim_core_state();
    pthread_mutex_lock(&init_lock);
    starting_here = true;
    if (atomic_load(&state) == FRESH)
        start();
    starting_here = false;
    pthread_mutex_unlock(&init_lock);
    return SIM_OK;
}

bool sim_core_is_forked(void)
{
    return atomic_load_explicit(&forked, memory_order_relaxed);
}

int sim_core_state(void)
{
    if (sim_core_is_forked())
        return SIM_NOT_INITIALIZED;
    switch (atomic_load(&state)) {
    case FRESH:
        return SIM_NOT_INITIALIZED;
    case GONE:
        return SIM_DEINITIALIZED;
    default:
        return SIM_OK;
    }
}

int sim_core_sticky(void)
{
    return atomic_load(&sticky);
}

void sim_core_corrupt(int result)
{
    atomic_store(&sticky, result);
}

void sim_core_recover(void)
{
    atomic_store(&sticky, SIM_OK);
}
