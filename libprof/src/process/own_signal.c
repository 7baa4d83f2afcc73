#include "own_signal.h"

#include "atomic.h"
#include "clock.h"
#include "number.h"
#include "process.h"
#include "recorder.h"
#include "signals.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define OWN_SIGNAL_TIMERS 2048u /* at a time: more than the sampler and the hang watch have */

typedef void (*own_signal_handler)(int number, siginfo_t *info, void *context);

/* What the kernel keeps: glibc's sigaction() refuses the number. `restorer` is glibc's, by which
 * debuggers know a signal's frame. */
struct own_signal_action {
    own_signal_handler handler;
    unsigned long flags;
    void (*restorer)(void);
    uint64_t mask;
};

struct own_signal_user {
    uintptr_t values;
    size_t bytes;
    void (*handle)(void *value,
                   const void *context); /* the user releases -> the handler acquires */
};

static struct own_signal_user own_signal_users[OWN_SIGNAL_USES];
static own_signal_handler
    own_signal_glibcs; /* released before ours is installed -> the handler acquires */

static struct {
    pthread_mutex_t lock; /* protects what follows; nothing nests inside */
    bool taken;           /* by the program; read without the lock, too */
    uint32_t process;     /* that sends signals; read without the lock, too */
    uint32_t used;        /* places */
} own_signal GUEST_DATA = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int own_signal_timers[OWN_SIGNAL_TIMERS]; /* the kernel's number + 1; 0: free; the lock's */

/* ---- the handler ---- */

static bool own_signal_take(void *value, const void *context)
{
    for (unsigned i = 0; i < OWN_SIGNAL_USES; i++) {
        const struct own_signal_user *user = &own_signal_users[i];
        void (*handle)(void *, const void *) = load_acquire(&user->handle);
        if (handle && (uintptr_t)value - user->values < user->bytes) {
            handle(value, context);
            return true;
        }
    }
    return false;
}

static void own_signal_handle(int number, siginfo_t *info, void *context)
{
    int saved_errno = errno;
    bool sent_by_us = info->si_code == SI_TIMER || info->si_code == SI_QUEUE;
    bool taken = sent_by_us && own_signal_take(info->si_value.sival_ptr, context);
    errno = saved_errno;
    if (!taken)
        load_acquire (&own_signal_glibcs)(number, info, context);
}

void own_signal_use(enum own_signal_use use, const void *values, size_t bytes,
                    void (*handle)(void *value, const void *context))
{
    struct own_signal_user *user = &own_signal_users[use];
    user->values = (uintptr_t)values;
    user->bytes = bytes;
    store_release(&user->handle, handle);
}

static bool own_signal_call(const struct own_signal_action *set, struct own_signal_action *get)
{
    return syscall(SYS_rt_sigaction, OWN_SIGNAL_NUMBER, set, get, sizeof set->mask) == 0;
}

/* glibc may install its handler again when the program starts a thread. */
bool own_signal_prepare(void)
{
    struct own_signal_action now = {0};
    own_signal_handler glibcs = load_relaxed(&own_signal_glibcs);
    if (load_relaxed(&own_signal.taken) || !own_signal_call(NULL, &now))
        return false;
    if (now.handler == own_signal_handle)
        return true;
    if (!(now.flags & SA_SIGINFO) || (glibcs && now.handler != glibcs))
        return false;
    store_release(&own_signal_glibcs, now.handler);
    now.handler = own_signal_handle;
    now.flags |= SA_RESTART | SA_ONSTACK;
    now.mask = UINT64_MAX;
    return own_signal_call(&now, NULL);
}

/* ---- timers ---- */

/* Signals wait: a handler of the program's may get here through own_signal_yield(). */
static void own_signal_lock(struct signals_saved *saved)
{
    signals_block(saved);
    pthread_mutex_lock(&own_signal.lock);
}

static void own_signal_unlock(const struct signals_saved *saved)
{
    pthread_mutex_unlock(&own_signal.lock);
    signals_restore(saved);
}

static int own_signal_timer_create(uint32_t tid, void *value, uint64_t period_ns, int *timer)
{
    struct sigevent event;
    const struct timespec period = {.tv_sec = (time_t)(period_ns / 1000000000u),
                                    .tv_nsec = (long)(period_ns % 1000000000u)};
    const struct itimerspec times = {period, period};
    memset(&event, 0, sizeof event);
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = OWN_SIGNAL_NUMBER;
    event.sigev_value.sival_ptr = value;
    event.sigev_notify_thread_id = (pid_t)tid;
    /* libc's function would allocate, and count the timer as one of the program's */
    if (syscall(SYS_timer_create, thread_clock(tid), &event, timer) != 0)
        return errno;
    if (syscall(SYS_timer_settime, *timer, 0, &times, NULL) == 0)
        return 0;
    int error = errno;
    syscall(SYS_timer_delete, *timer);
    return error;
}

/* With the lock held. */
static int own_signal_timer_add(uint32_t tid, void *value, uint64_t period_ns, int *place)
{
    uint32_t free = 0;
    int timer;
    while (free < own_signal.used && own_signal_timers[free])
        free++;
    if (own_signal.taken || free == OWN_SIGNAL_TIMERS)
        return EBUSY;
    int error = own_signal_timer_create(tid, value, period_ns, &timer);
    if (error)
        return error;
    if (free == own_signal.used)
        own_signal.used++;
    store_relaxed(&own_signal.process, (uint32_t)getpid());
    own_signal_timers[free] = timer + 1;
    *place = (int)free;
    return 0;
}

int own_signal_timer_begin(uint32_t tid, void *value, uint64_t period_ns, int *timer)
{
    struct signals_saved saved;
    own_signal_lock(&saved);
    int error = own_signal_timer_add(tid, value, period_ns, timer);
    own_signal_unlock(&saved);
    return error;
}

/* With the lock held. */
static void own_signal_timer_delete(uint32_t place)
{
    if (own_signal_timers[place])
        syscall(SYS_timer_delete, own_signal_timers[place] - 1);
    own_signal_timers[place] = 0;
}

void own_signal_timer_end(int timer)
{
    struct signals_saved saved;
    own_signal_lock(&saved);
    own_signal_timer_delete((uint32_t)timer);
    own_signal_unlock(&saved);
}

GUEST_PATH void own_signal_fork_child(void)
{
    process_free_lock(&own_signal.lock);
    if (own_signal.used)
        memset(own_signal_timers, 0, own_signal.used * sizeof *own_signal_timers);
    own_signal.used = 0;
    own_signal.process = 0;
}

/* ---- sending at once, and no more ---- */

bool own_signal_send(uint32_t tid, void *value)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    info.si_signo = OWN_SIGNAL_NUMBER;
    info.si_code = SI_QUEUE;
    info.si_pid = getpid();
    info.si_uid = getuid();
    info.si_value.sival_ptr = value;
    store_relaxed(&own_signal.process, (uint32_t)info.si_pid);
    return own_signal_prepare() &&
           syscall(SYS_rt_tgsigqueueinfo, info.si_pid, tid, OWN_SIGNAL_NUMBER, &info) == 0;
}

/* Ignoring a signal removes it wherever it is pending. In a child that shares memory with its
 * parent, dispositions are the child's own. */
void own_signal_yield(const void *action)
{
    struct signals_saved saved;
    const struct own_signal_action *set = action;
    struct own_signal_action ignore = {.handler = (own_signal_handler)(void *)SIG_IGN};
    if (load_relaxed(&own_signal.taken) || set->handler == own_signal_handle ||
        load_relaxed(&own_signal.process) != (uint32_t)getpid())
        return;
    own_signal_lock(&saved);
    store_relaxed(&own_signal.taken, true);
    for (uint32_t i = 0; i < own_signal.used; i++)
        own_signal_timer_delete(i);
    own_signal_call(&ignore, NULL);
    own_signal_unlock(&saved);
}

bool own_signal_is_blocked(const char *status)
{
    return number_of_field(status, "\nSigBlk:", 16) >> (OWN_SIGNAL_NUMBER - 1) & 1;
}
