#include "own_thread.h"

#include "arch.h"
#include "atomic.h"
#include "clock.h"
#include "glibc_only.h"
#include "process.h"
#include "recorder.h"
#include "signals.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Threads of ours add themselves when they begin, and take themselves back before they end: so
 * there are never less of them than this says. */
static uint32_t own_thread_count GUEST_DATA;
static uint32_t own_thread_ending
    GUEST_DATA; /* the exchange decides which thread ends the process */
static __thread bool own_thread_counted __attribute__((tls_model("initial-exec")));

/* Numbers of those that entered; 0: free. A thread takes a place, who waits for its end gives it
 * back. */
#define OWN_THREAD_PLACES 12u
static uint32_t own_thread_tids[OWN_THREAD_PLACES] GUEST_DATA;
/* By place: the CPU time with which its thread left, 0 while it has not; the thread's own. */
static uint64_t own_thread_left_ns[OWN_THREAD_PLACES] GUEST_DATA;
static uint64_t own_thread_before_ns
    GUEST_DATA; /* of threads that had these places before; any adds */
static __thread uint32_t own_thread_place __attribute__((tls_model("initial-exec"))); /* + 1 */

#define OWN_THREAD_SLACK_NS 50000 /* the kernel's default */

static pthread_key_t own_thread_key; /* its destructor notices the end of an adopted thread */
static pthread_once_t own_thread_key_once = PTHREAD_ONCE_INIT;
static bool own_thread_has_key;

/* ThreadSanitizer ends a forked child that starts a thread where its parent had several: with one
 * of ours, every parent has. */
extern void __tsan_init(void) __attribute__((weak));

bool own_thread_sanitized(void)
{
    return __tsan_init != NULL;
}

/* AddressSanitizer allocates in each thread that begins, and does not make its allocator ready for
 * a fork: a child forked at that moment waits for the allocator's lock forever. So nobody can fork
 * before a thread of ours has begun. */
extern void __asan_init(void) __attribute__((weak));

/* ---- what they may use ---- */

/* A hardened service may be killed for setting any of this: so nothing is set that is right
 * already. */
static struct {
    cpu_set_t processors;
    bool knows_processors;
    int niceness;
    int class;        /* SCHED_OTHER for a real-time program */
    size_t tls_bytes; /* of thread-local variables, which glibc takes from a thread's stack */
} own_thread_process GUEST_DATA;

GUEST_PATH static int own_thread_add_tls(struct dl_phdr_info *object, size_t bytes, void *unused)
{
    (void)bytes, (void)unused;
    for (unsigned i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_TLS)
            own_thread_process.tls_bytes +=
                object->dlpi_phdr[i].p_memsz + object->dlpi_phdr[i].p_align;
    return 0;
}

/* The main thread's: it may not be that one which loads us. */
GUEST_PATH void own_thread_remember_process(void)
{
    pid_t process = getpid();
    dl_iterate_phdr(own_thread_add_tls, NULL);
    own_thread_process.knows_processors =
        sched_getaffinity(process, sizeof own_thread_process.processors,
                          &own_thread_process.processors) == 0;
    own_thread_process.niceness = getpriority(PRIO_PROCESS, (id_t)process);
    const int class = sched_getscheduler(process) & ~SCHED_RESET_ON_FORK;
    own_thread_process.class = class == SCHED_BATCH || class == SCHED_IDLE ? class : SCHED_OTHER;
}

static bool own_thread_has_other_processors(void)
{
    cpu_set_t now;
    return own_thread_process.knows_processors && sched_getaffinity(0, sizeof now, &now) == 0 &&
           !CPU_EQUAL(&now, &own_thread_process.processors);
}

static bool own_thread_has_other_class(void)
{
    return (sched_getscheduler(0) & ~SCHED_RESET_ON_FORK) != own_thread_process.class;
}

/* Before it runs: on the processor of a real-time thread that does not sleep it would never come to
 * do so itself. */
static void own_thread_choose(pthread_attr_t *attributes)
{
    const struct sched_param none = {0};
    if (own_thread_has_other_class()) {
        pthread_attr_setinheritsched(attributes, PTHREAD_EXPLICIT_SCHED);
        pthread_attr_setschedpolicy(attributes, SCHED_OTHER); /* it refuses batch and idle */
        pthread_attr_setschedparam(attributes, &none);
    }
    if (own_thread_has_other_processors())
        pthread_attr_setaffinity_np(attributes, sizeof own_thread_process.processors,
                                    &own_thread_process.processors);
}

/* What the kernel refuses stays as it is. */
static void own_thread_settle(void)
{
    const struct sched_param none = {0};
    if (own_thread_has_other_class())
        sched_setscheduler(0, own_thread_process.class, &none);
    if (own_thread_has_other_processors())
        sched_setaffinity(0, sizeof own_thread_process.processors, &own_thread_process.processors);
    if (getpriority(PRIO_PROCESS, 0) != own_thread_process.niceness)
        setpriority(PRIO_PROCESS, 0, own_thread_process.niceness);
    if (prctl(PR_GET_TIMERSLACK) != OWN_THREAD_SLACK_NS)
        prctl(PR_SET_TIMERSLACK, (unsigned long)OWN_THREAD_SLACK_NS);
}

/* ---- the beginning ---- */

/* Threads that were made and have not entered yet: pthread_create() stores them before they run. */
#define OWN_THREAD_NEW 4u
static pthread_t own_thread_new[OWN_THREAD_NEW] GUEST_DATA;
static uint32_t own_thread_made; /* so far: the next one's place */

bool own_thread_is_new(void)
{
    for (uint32_t i = 0; i < OWN_THREAD_NEW; i++)
        if (load_acquire(&own_thread_new[i]) == pthread_self())
            return true;
    return false;
}

static void own_thread_forget_new(pthread_t thread)
{
    for (uint32_t i = 0; i < OWN_THREAD_NEW; i++) {
        pthread_t found = thread;
        cas_acq_rel(&own_thread_new[i], &found, (pthread_t)0);
    }
}

static int own_thread_create_as(const pthread_attr_t *attributes, void *(*main)(void *),
                                void *argument)
{
    pthread_t *place = &own_thread_new[fetch_add_relaxed(&own_thread_made, 1u) % OWN_THREAD_NEW];
    int error = pthread_create(place, attributes, main, argument);
    if (error)
        store_relaxed(place, (pthread_t)0);
    for (int attempt = 0; !error && __asan_init && load_acquire(place); attempt++)
        clock_wait(attempt);
    return error;
}

static int own_thread_try(size_t stack_bytes, bool choose, void *(*main)(void *), void *argument)
{
    pthread_attr_t attributes;
    struct signals_saved saved;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack_bytes + own_thread_process.tls_bytes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (choose)
        own_thread_choose(&attributes);
    signals_block(&saved); /* the thread inherits the mask */
    int error = own_thread_create_as(&attributes, main, argument);
    signals_restore(&saved);
    pthread_attr_destroy(&attributes);
    return error;
}

/* Where the class and the processors are not to be had, those of the calling thread have to do. */
int own_thread_create(size_t stack_bytes, void *(*main)(void *), void *argument)
{
    if (own_thread_sanitized())
        return ENOTSUP;
    int error = own_thread_try(stack_bytes, true, main, argument);
    return error == EPERM || error == EINVAL ? own_thread_try(stack_bytes, false, main, argument)
                                             : error;
}

static void own_thread_count_self(void)
{
    own_thread_counted = true;
    fetch_add_seq_cst(&own_thread_count, 1u);
}

static bool own_thread_has_ended(uint32_t tid)
{
    return syscall(SYS_tgkill, getpid(), tid, 0) != 0;
}

/* A writer that parks and comes back takes places again and again: those of threads that are
 * gone. */
static void own_thread_remember(void)
{
    uint32_t tid = (uint32_t)syscall(SYS_gettid);
    for (uint32_t i = 0; i < OWN_THREAD_PLACES; i++) {
        uint32_t before = load_relaxed(&own_thread_tids[i]);
        if ((!before || own_thread_has_ended(before)) &&
            cas_acq_rel(&own_thread_tids[i], &before, tid)) {
            fetch_add_relaxed(&own_thread_before_ns, exchange_acquire(&own_thread_left_ns[i], 0u));
            own_thread_place = i + 1;
            return;
        }
    }
}

void own_thread_enter(const char *name)
{
    arch_float_reset();
    thread_mark_silent();
    own_thread_count_self();
    own_thread_forget_new(pthread_self());
    own_thread_remember();
    own_thread_settle();
    prctl(PR_SET_NAME, name);
    thread_mark_internal();
}

void own_thread_leave(void)
{
    thread_mark_silent(); /* as before it entered */
    if (own_thread_place)
        store_release(&own_thread_left_ns[own_thread_place - 1],
                      clock_gettime_ns(CLOCK_THREAD_CPUTIME_ID));
    fetch_add_seq_cst(&own_thread_count, (uint32_t)-1);
}

bool own_thread_has_entered(void)
{
    return own_thread_place != 0;
}

uint64_t own_thread_cpu_ns(void)
{
    uint64_t ns = load_relaxed(&own_thread_before_ns);
    for (uint32_t i = 0; i < OWN_THREAD_PLACES; i++) {
        uint32_t tid = load_acquire(&own_thread_tids[i]);
        uint64_t left_ns = load_acquire(&own_thread_left_ns[i]);
        ns += left_ns || !tid ? left_ns : thread_clock_ns(tid);
    }
    return ns;
}

uint64_t own_thread_program_cpu_ns(void)
{
    uint64_t own_ns = own_thread_cpu_ns(); /* first: it must not be the larger */
    return clock_gettime_ns(CLOCK_PROCESS_CPUTIME_ID) - own_ns;
}

static void own_thread_adopted_ends(void *counted)
{
    (void)counted;
    fetch_add_seq_cst(&own_thread_count, (uint32_t)-1);
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
    return process_threads() == load_seq_cst(&own_thread_count) + 1 && process_main_has_left();
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

/* Threads that CUPTI made are in the count, but not in the arrays: while there are any, a change
 * can be missed. */
bool own_thread_changes(void)
{
    uint32_t exist = 0, count = load_seq_cst(&own_thread_count);
    for (uint32_t i = 0; i < OWN_THREAD_NEW; i++)
        exist += load_acquire(&own_thread_new[i]) != (pthread_t)0;
    for (uint32_t i = 0; i < OWN_THREAD_PLACES; i++) {
        uint32_t tid = load_acquire(&own_thread_tids[i]);
        exist += tid && !own_thread_has_ended(tid);
    }
    return exist > count;
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

GUEST_PATH void own_thread_fork_child(void)
{
    memset(own_thread_tids, 0, sizeof own_thread_tids);
    memset(own_thread_new, 0, sizeof own_thread_new);
    memset(own_thread_left_ns, 0, sizeof own_thread_left_ns);
    own_thread_before_ns = 0;
    store_relaxed(&own_thread_count, 0u);
    store_relaxed(&own_thread_ending, 0u);
}

/* ---- a process of ours ---- */

#define OWN_CHILD_STACK_BYTES (256u << 10)

/* glibc's own name: ThreadSanitizer takes clone() for a fork, after which no thread may begin. */
extern int __clone(int (*run)(void *), void *stack, int flags, void *argument, ...)
    __attribute__((weak));

pid_t own_child_run(int (*main)(void *argument), void *argument)
{
    uint8_t *stack = mmap(NULL, OWN_CHILD_STACK_BYTES, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED)
        return -1;
    pid_t child = (__clone ? __clone : clone)(main, stack + OWN_CHILD_STACK_BYTES,
                                              CLONE_VM | CLONE_VFORK | CLONE_UNTRACED, argument);
    munmap(stack, OWN_CHILD_STACK_BYTES);
    return child;
}

bool own_child_await(pid_t child, unsigned deadline_ms, int *status)
{
    uint64_t end_ns = clock_monotonic_ns() + deadline_ms * 1000000ull;
    pid_t ended;
    while ((ended = waitpid(child, status, __WALL | WNOHANG)) == 0 ||
           (ended < 0 && errno == EINTR)) {
        if (clock_monotonic_ns() >= end_ns)
            return false;
        clock_pause(1000);
    }
    return true;
}

bool own_child_would_be_first(void)
{
    char own[64], of_children[64];
    ssize_t size = readlink("/proc/self/ns/pid", own, sizeof own);
    return size > 0 &&
           (readlink("/proc/self/ns/pid_for_children", of_children, sizeof of_children) != size ||
            memcmp(own, of_children, (size_t)size) != 0);
}
