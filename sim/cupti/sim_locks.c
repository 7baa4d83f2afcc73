#include "sim_locks.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "sim_config.h"
#include "sim_fault.h"

static _Thread_local unsigned buffer_depth;
static _Thread_local unsigned api_depth; /* callbacks of this thread that hold the lock */
static pthread_mutex_t api_lock = PTHREAD_MUTEX_INITIALIZER; /* SIM_API_LOCK; the outermost */
static atomic_int flushing, disabling;

/* A sentence and the end, as the real library would hang or crash without one. */
__attribute__((format(printf, 1, 2))) static void stop(const char *format, ...)
{
    char sentence[240], line[256];
    va_list list;
    va_start(list, format);
    vsnprintf(sentence, sizeof sentence, format, list);
    va_end(list);
    sim_fault_violation("%s", sentence);
    const int length = snprintf(line, sizeof line, "sim: %s\n", sentence);
    if (write(STDERR_FILENO, line, (size_t)length) < 0)
        abort();
    abort();
}

void sim_locks_buffer_begin(void)
{
    buffer_depth++;
}

void sim_locks_buffer_end(void)
{
    buffer_depth--;
}

void sim_locks_api_begin(void)
{
    if (sim_config()->api_lock && api_depth++ == 0)
        pthread_mutex_lock(&api_lock);
}

void sim_locks_api_end(void)
{
    if (sim_config()->api_lock && --api_depth == 0)
        pthread_mutex_unlock(&api_lock);
}

void sim_locks_enter(const char *name)
{
    if (buffer_depth && !sim_config()->buffer_calls)
        stop("%s was called from a buffer callback, where CUPTI may deadlock", name);
    sim_locks_api_begin();
    sim_locks_api_end();
}

static bool overlap_is_fatal(void)
{
    return sim_config()->layout <= SIM_LAYOUT_13_0 && !sim_config()->flush_disable;
}

void sim_locks_flush_begin(void)
{
    atomic_fetch_add(&flushing, 1);
    if (overlap_is_fatal() && atomic_load(&disabling))
        stop("cuptiActivityFlushAll while another thread disables a kind: CUPTI crashes or hangs "
             "up to 13.0");
}

void sim_locks_flush_end(void)
{
    atomic_fetch_sub(&flushing, 1);
}

void sim_locks_disable_begin(void)
{
    atomic_fetch_add(&disabling, 1);
    if (overlap_is_fatal() && atomic_load(&flushing))
        stop(
            "cuptiActivityDisable while another thread flushes: CUPTI crashes or hangs up to 13.0");
}

void sim_locks_disable_end(void)
{
    atomic_fetch_sub(&disabling, 1);
}
