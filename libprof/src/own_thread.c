#include "own_thread.h"

#include "atomic.h"
#include "process.h"
#include "recorder.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>

/* Threads of ours add themselves when they begin, and take themselves back before they end: so there
 * are never less of them than this says. */
static uint32_t own_thread_count;
static uint32_t own_thread_ending; /* exchange decides who ends the process */
static __thread bool own_thread_counted;

static pthread_key_t own_thread_key; /* its destructor notices the end of an adopted thread */
static pthread_once_t own_thread_key_once = PTHREAD_ONCE_INIT;
static bool own_thread_key_made;

static void own_thread_count_self(void)
{
    thread_mark_internal();
    own_thread_counted = true;
    fetch_add_seq_cst(&own_thread_count, 1u);
}

void own_thread_enter(const char *name)
{
    prctl(PR_SET_NAME, name);
    own_thread_count_self();
}

void own_thread_leave(void)
{
    fetch_add_seq_cst(&own_thread_count, (uint32_t)-1);
}

static void own_thread_adopted_ends(void *counted)
{
    (void)counted;
    own_thread_leave();
}

static void own_thread_make_key(void)
{
    own_thread_key_made = pthread_key_create(&own_thread_key, own_thread_adopted_ends) == 0;
}

void own_thread_adopt(void)
{
    if (own_thread_counted)
        return;
    thread_mark_internal();
    pthread_once(&own_thread_key_once, own_thread_make_key);
    if (own_thread_key_made && pthread_setspecific(own_thread_key, &own_thread_key) == 0)
        own_thread_count_self();
}

bool own_thread_no_other(void)
{
    return process_has_threads_left(load_seq_cst(&own_thread_count));
}

void own_thread_end_process(void)
{
    sigset_t none;
    if (exchange_acquire(&own_thread_ending, 1u))
        return;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL); /* exit handlers run here */
    exit(0);
}

void own_thread_fork_child(void)
{
    store_relaxed(&own_thread_count, 0u);
    store_relaxed(&own_thread_ending, 0u);
}
