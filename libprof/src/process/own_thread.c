#include "own_thread.h"

#include "atomic.h"
#include "clock.h"
#include "process.h"
#include "recorder.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Threads of ours add themselves when they begin, and take themselves back before they end: so there
 * are never less of them than this says. */
static uint32_t own_thread_count;
static uint32_t own_thread_ending; /* exchange decides who ends the process */
static __thread bool own_thread_counted __attribute__((tls_model("initial-exec")));

/* Numbers of those that entered; 0: free. A thread takes a place, who waits for its end gives it back. */
#define OWN_THREAD_PLACES 8u
static uint32_t own_thread_tids[OWN_THREAD_PLACES];

static pthread_key_t own_thread_key; /* its destructor notices the end of an adopted thread */
static pthread_once_t own_thread_key_once = PTHREAD_ONCE_INIT;
static bool own_thread_has_key;

/* ThreadSanitizer ends a forked child that starts a thread where its parent had several: with one of ours, every
 * parent has. */
extern void __tsan_init(void) __attribute__((weak));

bool own_thread_sanitized(void)
{
    return __tsan_init != NULL;
}

/* AddressSanitizer allocates in each thread that begins, and does not make its allocator ready for a fork: a child
 * forked at that moment waits for the allocator's lock forever. So nobody can fork before a thread of ours has begun. */
extern void __asan_init(void) __attribute__((weak));

struct own_thread_start {
    void *(*main)(void *);
    void *argument;
    uint32_t begun; /* the thread releases, its maker acquires */
};

static void *own_thread_begin(void *argument)
{
    struct own_thread_start *start = argument;
    struct own_thread_start mine = *start;
    store_release(&start->begun, 1u);
    return mine.main(mine.argument);
}

static int own_thread_create_and_wait(pthread_t *thread, const pthread_attr_t *attributes,
                                      void *(*main)(void *), void *argument)
{
    struct own_thread_start start = {.main = main, .argument = argument};
    int error = pthread_create(thread, attributes, own_thread_begin, &start);
    while (!error && !load_acquire(&start.begun))
        sched_yield();
    return error;
}

int own_thread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*main)(void *),
                      void *argument)
{
    if (own_thread_sanitized())
        return ENOTSUP;
    if (__asan_init)
        return own_thread_create_and_wait(thread, attributes, main, argument);
    return pthread_create(thread, attributes, main, argument);
}

static void own_thread_count_self(void)
{
    thread_mark_internal();
    own_thread_counted = true;
    fetch_add_seq_cst(&own_thread_count, 1u);
}

static bool own_thread_has_ended(uint32_t tid)
{
    return syscall(SYS_tgkill, getpid(), tid, 0) != 0;
}

/* A writer that parks and comes back takes places again and again: those of threads that are gone. */
static void own_thread_remember(void)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    for (uint32_t i = 0; i < OWN_THREAD_PLACES; i++) {
        uint32_t before = load_relaxed(&own_thread_tids[i]);
        if ((!before || own_thread_has_ended(before)) &&
            cas_acq_rel(&own_thread_tids[i], &before, tid))
            return;
    }
}

void own_thread_enter(const char *name)
{
    own_thread_remember();
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

static void own_thread_create_key(void)
{
    own_thread_has_key = pthread_key_create(&own_thread_key, own_thread_adopted_ends) == 0;
}

void own_thread_adopt(void)
{
    if (own_thread_counted)
        return;
    thread_mark_internal();
    pthread_once(&own_thread_key_once, own_thread_create_key);
    if (own_thread_has_key && pthread_setspecific(own_thread_key, &own_thread_key) == 0)
        own_thread_count_self();
}

bool own_thread_no_other(void)
{
    return process_has_threads_left(load_seq_cst(&own_thread_count));
}

bool own_thread_one_other(void)
{
    return process_threads() == load_seq_cst(&own_thread_count) + 1;
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

bool own_thread_is(uint32_t tid)
{
    for (uint32_t i = 0; i < OWN_THREAD_PLACES; i++)
        if (load_acquire(&own_thread_tids[i]) == tid)
            return true;
    return false;
}

void own_thread_await_end(unsigned deadline_ms)
{
    uint64_t end_ns = clock_monotonic_ns() + deadline_ms * 1000000ull;
    for (uint32_t i = 0; i < OWN_THREAD_PLACES; i++) {
        uint32_t tid = load_acquire(&own_thread_tids[i]);
        while (tid && !own_thread_has_ended(tid) && clock_monotonic_ns() < end_ns)
            clock_pause(100);
    }
}

void own_thread_fork_child(void)
{
    memset(own_thread_tids, 0, sizeof own_thread_tids);
    store_relaxed(&own_thread_count, 0u);
    store_relaxed(&own_thread_ending, 0u);
}
