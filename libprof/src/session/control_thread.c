#include "control_thread.h"

#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "own_files.h"
#include "own_thread.h"
#include "process.h"
#include "requests.h"
#include "session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <time.h>
#include <unistd.h>

#define CONTROL_STACK_BYTES (256u << 10)
#define CONTROL_LOOK_MS 1000 /* for the end of a program whose main thread has left */
/* Most programs that inherit the environment end sooner: they never make a socket. */
#define CONTROL_SETTLE_MS 20
#define CONTROL_ENTRY_MS 200 /* the end waits for an entry that is being made */

/* The socket by which profdump ctl finds this process. */
enum control_entry {
    CONTROL_ENTRY_NONE,
    CONTROL_ENTRY_MAKING, /* by the thread */
    CONTROL_ENTRY_MADE,
    CONTROL_ENTRY_OVER, /* removed, and none is made any more */
};

static struct {
    uint64_t start_ns, stop_ns;      /* CLOCK_MONOTONIC; 0: not, or done. The thread's own */
    struct own_fd listener;          /* the thread's own */
    struct own_fd wake_in, wake_out; /* a pipe; the handler writes, the thread reads */
    uint64_t stop_wanted_ns;         /* control_thread_stop_after() stores, the thread takes */
    uint32_t stops;   /* how often it has stopped for that; the thread's own, others read */
    uint32_t signals; /* the handler adds, the thread takes */
    struct process_owner process; /* whose the thread is; a handler looks at it */
    uint32_t running;             /* the thread exists */
    uint32_t over;                /* it shall end */
    uint32_t entry; /* enum control_entry; made by the thread, removed by the thread that ends */
} control = {.listener = OWN_FD_NONE, .wake_in = OWN_FD_NONE, .wake_out = OWN_FD_NONE};

/* Whether there is a thread, or was. */
static bool control_is_own(void)
{
    return process_owner_is_us(&control.process);
}

static void control_wake(void)
{
    if (own_fd_is_ours(&control.wake_in)) {
        ssize_t ignored = write(control.wake_in.fd, "", 1);
        (void)ignored; /* full: the thread is awake */
    }
}

/* In the signal handler. In a child whose thread has not begun yet the byte would wake the
 * parent. */
static void control_signalled(void)
{
    fetch_add_relaxed(&control.signals, 1u);
    if (control_is_own())
        control_wake();
}

void control_thread_wake(void)
{
    if (control_is_own())
        control_wake();
}

static void control_install_signal(void)
{
    char bytes[256];
    struct session_status status;
    if (own_fd_is_ours(&control.wake_out))
        while (read(control.wake_out.fd, bytes, sizeof bytes) == sizeof bytes)
            ;
    if (exchange_acquire(&control.signals, 0u) % 2 == 0)
        return; /* an even number of switches changes nothing */
    session_describe(&status);
    session_switch(!status.on, PROF_CONTROL_SIGNAL);
}

static bool control_is_due(uint64_t *due_ns, uint64_t now)
{
    bool due = *due_ns && now >= *due_ns;
    if (due)
        *due_ns = 0;
    return due;
}

/* A thread that waits for it reads the file next. */
static void control_stop(void)
{
    if (session_switch(false, PROF_CONTROL_TIME))
        session_flush((unsigned)config_get()->exit_ms);
    store_release(&control.stops, control.stops + 1);
}

static void control_schedule_times(void)
{
    uint64_t now = clock_monotonic_ns(), wanted = exchange_acquire(&control.stop_wanted_ns, 0u);
    if (wanted)
        control.stop_ns = wanted;
    if (control_is_due(&control.start_ns, now))
        session_switch(true, PROF_CONTROL_TIME);
    if (control_is_due(&control.stop_ns, now))
        control_stop();
}

/* Rounded up, so that what it was for is due when the sleep is over. */
static int control_timeout_ms(void)
{
    uint64_t now = clock_monotonic_ns(), next = now + CONTROL_LOOK_MS * 1000000ull;
    if (control.start_ns && control.start_ns < next)
        next = control.start_ns;
    if (control.stop_ns && control.stop_ns < next)
        next = control.stop_ns;
    uint64_t due_ns = requests_due_ns(), end_ns = control_sessions_due_ns();
    if (due_ns < next)
        next = due_ns;
    if (end_ns < next)
        next = end_ns;
    return next <= now ? 0 : (int)((next - now + 999999) / 1000000);
}

/* A descriptor that is not ours any more is not waited for. */
static void control_wait(bool *command)
{
    struct pollfd waits[3] = {
        {.fd = own_fd_is_ours(&control.wake_out) ? control.wake_out.fd : -1, .events = POLLIN},
        {.fd = own_fd_is_ours(&control.listener) ? control.listener.fd : -1, .events = POLLIN},
        {.fd = dynolog_fd(), .events = POLLIN},
    };
    int ready = poll(waits, 3, control_timeout_ms());
    if (ready > 0 && waits[2].revents)
        dynolog_receive();
    *command = ready > 0 && (waits[1].revents & POLLIN) && own_fd_is_ours(&control.listener);
}

/* The writer looks where there is one. */
static bool control_is_last(void)
{
    static uint64_t looked_ns; /* looking costs 15 us */
    uint64_t now = clock_monotonic_ns();
    if (writer_runs() || now - looked_ns < CONTROL_LOOK_MS * 900000ull)
        return false;
    looked_ns = now;
    return own_thread_no_other();
}

static bool control_has_work(void)
{
    return config_get()->control || config_get()->signal || requests_wanted() || control.start_ns ||
           control.stop_ns || load_acquire(&control.stop_wanted_ns);
}

static bool control_entry_becomes(enum control_entry from, enum control_entry to)
{
    uint32_t expected = from;
    return cas_acq_rel(&control.entry, &expected, (uint32_t)to);
}

static void control_create_socket(void)
{
    poll(NULL, 0, CONTROL_SETTLE_MS);
    if (!control_entry_becomes(CONTROL_ENTRY_NONE, CONTROL_ENTRY_MAKING))
        return;
    control.listener = own_fd_adopt(control_socket_open());
    if (!control_entry_becomes(CONTROL_ENTRY_MAKING, CONTROL_ENTRY_MADE))
        control_socket_remove(); /* the end has not waited any longer */
}

static void *control_main(void *argument)
{
    (void)argument;
    own_thread_enter("prof-control");
    if (config_get()->control)
        control_create_socket();
    if (requests_wanted())
        requests_begin();
    bool last = false;
    while (control_has_work() && !load_acquire(&control.over) && !(last = control_is_last())) {
        bool command;
        control_install_signal();
        control_schedule_times();
        control_sessions_tick();
        requests_tick();
        control_wait(&command);
        if (command)
            control_socket_serve(control.listener.fd);
    }
    store_release(&control.running, 0u);
    own_fd_close(&control.listener);
    requests_finish();
    if (last)
        own_thread_end_process();
    own_thread_leave();
    return NULL;
}

static void control_open_pipe(void)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return;
    control.wake_out = own_fd_adopt(ends[0]);
    control.wake_in = own_fd_adopt(ends[1]);
}

static void control_begin(void)
{
    if (!control_has_work())
        return;
    control_open_pipe();
    store_release(&control.running, 1u);
    process_owner_set(&control.process);
    if (own_thread_create(CONTROL_STACK_BYTES, control_main, NULL) != 0)
        store_release(&control.running, 0u);
}

GUEST_PATH void control_thread_init(void)
{
    const struct config *config = config_get();
    uint64_t now = clock_monotonic_ns();
    if (CONFIG_MOMENT(config->start) == CONFIG_START_TIME && !*config->schedule)
        control.start_ns = now + CONFIG_AMOUNT(config->start) * 1000000u;
    if (CONFIG_MOMENT(config->stop) == CONFIG_STOP_TIME)
        control.stop_ns = now + CONFIG_AMOUNT(config->stop) * 1000000u;
    requests_init();
    control_begin();
    if (config->signal && control_thread_runs())
        control_signal_install((int)config->signal, control_signalled);
}

bool control_thread_stop_after(uint64_t ms)
{
    store_release(&control.stop_wanted_ns, clock_monotonic_ns() + ms * 1000000u);
    if (control_thread_runs())
        control_wake();
    else
        control_begin();
    return control_thread_runs();
}

void control_thread_await_entry(unsigned deadline_ms)
{
    uint64_t end_ns = clock_monotonic_ns() + deadline_ms * 1000000ull;
    while (config_get()->control && control_thread_runs() &&
           load_acquire(&control.entry) <= CONTROL_ENTRY_MAKING && clock_monotonic_ns() < end_ns)
        clock_pause(1000);
}

const uint32_t *control_thread_stops(void)
{
    return &control.stops;
}

/* The parent's pipe and socket are the parent's. */
GUEST_PATH void control_thread_fork_child(void)
{
    if (!load_relaxed(&control.process.pid))
        return; /* the parent had no thread: nor will its child */
    int saved_errno = errno;
    own_fd_close(&control.wake_in);
    own_fd_close(&control.wake_out);
    own_fd_close(&control.listener);
    requests_fork_child();
    store_relaxed(&control.signals, 0u);
    store_release(&control.running, 0u);
    store_relaxed(&control.entry, (uint32_t)CONTROL_ENTRY_NONE);
    control_begin();
    errno = saved_errno;
}

/* Not to be cancelled: the process ends, and most of this are cancellation points. */
static void control_remove_entry(void)
{
    int cancel_state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    uint64_t end_ns = clock_monotonic_ns() + CONTROL_ENTRY_MS * 1000000ull;
    while (load_acquire(&control.entry) == CONTROL_ENTRY_MAKING && clock_monotonic_ns() < end_ns)
        clock_pause(100);
    if (exchange_seq_cst(&control.entry, (uint32_t)CONTROL_ENTRY_OVER) == CONTROL_ENTRY_MADE)
        control_socket_remove();
    pthread_setcancelstate(cancel_state, NULL);
}

/* An entry that came after its process looked for it would stay for good. */
GUEST_PATH void control_thread_end(void)
{
    if (config_get()->control && control_is_own() &&
        !control_entry_becomes(CONTROL_ENTRY_NONE, CONTROL_ENTRY_OVER))
        control_remove_entry();
    if (control_is_own() && requests_wanted())
        dynolog_end();
}

void control_thread_leave(void)
{
    if (!control_is_own())
        return;
    control_thread_end();
    store_release(&control.over, 1u);
    control_wake();
    store_release(&control.process.pid, 0u);
}

void control_thread_return(void)
{
    own_fd_close(&control.wake_in);
    own_fd_close(&control.wake_out);
    store_relaxed(&control.over, 0u);
    store_relaxed(&control.entry, (uint32_t)CONTROL_ENTRY_NONE);
    control_begin();
}

bool control_thread_runs(void)
{
    return load_acquire(&control.running) && control_is_own();
}
