#include "sample.h"

#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "hang.h"
#include "log.h"
#include "memory.h"
#include "number.h"
#include "own_signal.h"
#include "own_thread.h"
#include "sample_inside.h"
#include "sort.h"
#include "stacks.h"
#include "thread.h"
#include "worker.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SAMPLE_LOOK_NS 100000000u /* for threads that came or went */
#define SAMPLE_CHECK_NS \
    1000000000u /* a long wait is written; a timer that was refused is tried again */
#define SAMPLE_END_MS 200u
#define SAMPLE_LISTED_MAX 65536u /* threads, of which those without a place are counted */

/* The sampler's own, but for what is said. */
static struct {
    uint64_t looked_ns, checked_ns;    /* CLOCK_MONOTONIC */
    uint64_t tick_ticks;               /* of the tick before this one */
    uint32_t modules;                  /* modules_generation() that the unwinder knows */
    unsigned places;                   /* ever used */
    uint32_t tids[SAMPLE_THREADS_MAX]; /* by place, side by side: to be searched */
    unsigned left_out;                 /* threads without a place at the last look */
    bool said_left_out;
    unsigned long threads; /* as /proc counts them */
    bool signals;          /* may be sent */
    bool refused;          /* that a thread cannot be sampled was said */
    uint32_t off;          /* set by the budget; stored by the writer */
} sample;

static uint64_t sample_period_ns(void)
{
    return 1000000000u / config_get()->sample_hz;
}

/* ---- what is written ---- */

static void sample_write(const struct prof_rec_sample *what, const uint32_t *names)
{
    unsigned words = sizeof *what / 8 + (what->calls + 1) / 2;
    uint64_t *record = thread_reserve_late(PROF_REC_SAMPLE, words);
    if (!record)
        return;
    memcpy(record + 1, (const uint8_t *)what + 8, sizeof *what - 8);
    memcpy((uint8_t *)record + sizeof *what, names, what->calls * sizeof *names);
    thread_commit(record, PROF_REC_SAMPLE, words, thread_ticks(record));
}

/* How long a thread has waited for a processor: the second number of "schedstat". 0: the kernel
 * does not count. */
static uint64_t sample_queued_ns(uint32_t tid)
{
    char text[128];
    const char *at = text;
    if (!hang_read_task(tid, "schedstat", text, sizeof text))
        return 0;
    (void)number_next(&at, 10);
    return number_next(&at, 10);
}

static uint64_t sample_newly_queued_ns(struct sample_thread *thread)
{
    uint64_t before = thread->queued_ns, now = sample_queued_ns(thread->tid);
    if (now > before)
        thread->queued_ns = now;
    return now > before ? now - before : 0;
}

/* The number of a stack. Of the innermost frame it has the address after the instruction, as if
 * that were a call. */
static uint32_t sample_stack(const struct unwind_registers *registers,
                             const struct unwind_dump *dump)
{
    uint64_t addresses[STACKWALK_FRAMES_MAX];
    bool complete = false;
    unsigned count =
        dump ? unwind_dump_stack(registers, dump, addresses, STACKWALK_FRAMES_MAX, &complete)
             : unwind_stack(registers, addresses, STACKWALK_FRAMES_MAX, &complete);
    if (count)
        addresses[0]++;
    return count ? stacks_add(addresses, count, !complete) : 0;
}

static void sample_write_shot(struct sample_thread *thread, const struct sample_shot *shot)
{
    struct unwind_dump dump = {
        .start = shot->registers.value[UNWIND_SP], .size = shot->stack_bytes, .bytes = shot->stack};
    uint32_t names[SAMPLE_CALLS_MAX];
    uint64_t used_ns = shot->cpu_ns - thread->shot_ns;
    thread->shot_ns = shot->cpu_ns;
    struct prof_rec_sample what = {.ticks = shot->ticks,
                                   .weight_ns = used_ns,
                                   .queued_ns = sample_newly_queued_ns(thread),
                                   .tid = thread->tid,
                                   .state = PROF_SAMPLE_RUNS,
                                   .stack = sample_stack(&shot->registers, &dump),
                                   .calls =
                                       sample_python_names(shot->calls, shot->call_count, names)};
    sample_write(&what, names);
}

static void sample_read_shots(struct sample_thread *thread)
{
    struct sample_shot *shot = sample_shot_at(thread, thread->read);
    while (load_acquire(&shot->full)) {
        sample_write_shot(thread, shot);
        store_release(&shot->full, 0u);
        shot = sample_shot_at(thread, ++thread->read);
    }
}

/* ---- threads that wait ---- */

/* Where it waits, if it did not run while that was read. */
static void sample_find_wait(struct sample_thread *thread, uint64_t cpu_ns)
{
    struct unwind_registers registers;
    uint64_t calls[SAMPLE_CALLS_MAX], python = load_relaxed(&thread->python);
    if (hang_read_call(thread->tid, &registers, NULL) == HANG_CALL_UNKNOWN)
        return; /* it would run, if it had a processor */
    unsigned count = python ? sample_python_calls(python, calls, SAMPLE_CALLS_MAX) : 0;
    thread->wait_stack = sample_stack(&registers, NULL);
    thread->wait_calls = sample_python_names(calls, count, thread->wait_names);
    thread->waits = thread_clock_ns(thread->tid) == cpu_ns;
}

/* From when it was first seen to wait until the tick before this one. */
static void sample_write_wait(struct sample_thread *thread)
{
    double ns_per_tick = 1e9 / (double)clock_ticks_per_second();
    uint64_t ticks = sample.tick_ticks - thread->same_ticks;
    struct prof_rec_sample what = {.ticks = thread->same_ticks,
                                   .weight_ns = (uint64_t)((double)ticks * ns_per_tick),
                                   .queued_ns = sample_newly_queued_ns(thread),
                                   .tid = thread->tid,
                                   .state = PROF_SAMPLE_WAITS,
                                   .stack = thread->wait_stack,
                                   .calls = thread->wait_calls};
    sample_write(&what, thread->wait_names);
    thread->same_ticks = sample.tick_ticks;
}

/* A thread whose CPU time stands still waits: once over two ticks it is looked at where. */
static void sample_look_at(struct sample_thread *thread, bool check)
{
    uint64_t cpu_ns = thread_clock_ns(thread->tid);
    bool same = cpu_ns == thread->cpu_ns;
    if (thread->waits && (!same || check))
        sample_write_wait(thread);
    thread->cpu_ns = cpu_ns;
    thread->waits &= same;
    if (!same)
        thread->same_ticks = 0;
    else if (!thread->same_ticks)
        thread->same_ticks = sample.tick_ticks;
    else if (!thread->waits)
        sample_find_wait(thread, cpu_ns);
}

/* ---- threads that come and go ---- */

static unsigned sample_place_of(const struct sample_thread *thread)
{
    return (unsigned)(thread - sample_thread_at(0));
}

static struct sample_thread *sample_free_place(void)
{
    for (unsigned i = 0; i < sample.places; i++)
        if (!sample.tids[i])
            return sample_thread_at(i);
    return NULL;
}

/* Said once, of whichever comes first. */
static bool sample_must_say(void)
{
    bool said = sample.refused;
    sample.refused = true;
    return !said;
}

/* A thread that ends meanwhile has no clock any more. */
static void sample_arm(struct sample_thread *thread)
{
    int error = sample.signals ? sample_signal_arm(thread, sample_period_ns()) : 0;
    if (error && hang_is_thread(thread->tid) && sample_must_say())
        log_line(LOG_ERROR, "no timer for thread %u (%s): it is not sampled while it runs",
                 thread->tid, strerror(error));
}

/* False: every place is taken. */
static bool sample_add_thread(uint32_t tid)
{
    struct sample_thread *thread = sample_free_place();
    if (!thread && sample.places < SAMPLE_THREADS_MAX)
        thread = sample_thread_at(sample.places++);
    if (!thread)
        return false;
    for (uint32_t i = 0; i < SAMPLE_SHOTS; i++)
        store_relaxed(&sample_shot_at(thread, i)->full, 0u);
    *thread =
        (struct sample_thread){.shot_ns = thread_clock_ns(tid), .queued_ns = sample_queued_ns(tid)};
    sample.tids[sample_place_of(thread)] = tid;
    store_release(&thread->tid, tid);
    sample_arm(thread);
    return true;
}

static void sample_drop_thread(struct sample_thread *thread)
{
    if (thread->waits)
        sample_write_wait(thread);
    sample_read_shots(thread);
    sample_signal_disarm(thread);
    sample.tids[sample_place_of(thread)] = 0;
    store_release(&thread->tid, 0u);
}

/* The directory's link count has the number of threads. Reading it costs 2 us. */
static bool sample_has_other_threads(void)
{
    struct stat tasks;
    unsigned long before = sample.threads;
    sample.threads = stat("/proc/self/task", &tasks) == 0 ? (unsigned long)tasks.st_nlink : 0;
    return sample.threads != before;
}

#define SAMPLE_HAS_PLACE 0x80000000u /* no thread has so large a number */

static bool sample_tid_before(const void *a, const void *b)
{
    return *(const uint32_t *)a < *(const uint32_t *)b;
}

/* The kernel lists threads in the order in which they began, which is mostly that of their
 * numbers. */
static void sample_sort(uint32_t *tids, unsigned count)
{
    for (unsigned i = 1; i < count; i++)
        if (tids[i] < tids[i - 1]) {
            sort_heap(tids, count, sizeof *tids, sample_tid_before);
            return;
        }
}

/* Of the first number that is not smaller; those that have a place are marked. */
static unsigned sample_search(const uint32_t *tids, unsigned count, uint32_t tid)
{
    unsigned low = 0, high = count;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if ((tids[middle] & ~SAMPLE_HAS_PLACE) < tid)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Marks threads that have a place, and frees the places of those that are gone. One of ours may
 * have got a place before it was known. */
static void sample_keep_places(uint32_t *tids, unsigned count)
{
    for (unsigned i = 0; i < sample.places; i++) {
        struct sample_thread *thread = sample_thread_at(i);
        unsigned at = sample_search(tids, count, thread->tid);
        if (!thread->tid)
            continue;
        if (at == count || tids[at] != thread->tid || own_thread_is(thread->tid))
            sample_drop_thread(thread);
        else
            tids[at] |= SAMPLE_HAS_PLACE;
    }
}

/* Each thread once, those that take the place of others without one, too. */
static void sample_count_left_out(const uint32_t *tids, unsigned count)
{
    static uint32_t *place;
    uint32_t *before = MEMORY_ONCE(&place, SAMPLE_LISTED_MAX); /* those of the last look, sorted */
    unsigned fresh = 0;
    if (!before)
        return;
    for (unsigned i = 0; i < count; i++) {
        unsigned at = sample_search(before, sample.left_out, tids[i]);
        fresh += at == sample.left_out || before[at] != tids[i];
    }
    if (fresh && !sample.said_left_out)
        log_line(LOG_ERROR, "more than %u threads: the others are not sampled", SAMPLE_THREADS_MAX);
    sample.said_left_out |= fresh > 0;
    if (fresh)
        loss_add(PROF_LOSS_UNSAMPLED, fresh);
    memcpy(before, tids, count * sizeof *tids);
    sample.left_out = count;
}

static void sample_look_for_threads(void)
{
    static uint32_t *place;
    uint32_t *tids = MEMORY_ONCE(&place, SAMPLE_LISTED_MAX);
    unsigned count, left_out = 0;
    if (!tids)
        return;
    count = hang_list_threads(tids, SAMPLE_LISTED_MAX);
    sample_sort(tids, count);
    sample_keep_places(tids, count);
    for (unsigned i = 0; i < count; i++)
        if (!(tids[i] & SAMPLE_HAS_PLACE) && !own_thread_is(tids[i]) &&
            (left_out || !sample_add_thread(tids[i])))
            tids[left_out++] = tids[i];
    sample_count_left_out(tids, left_out);
}

static void sample_drop_all(void)
{
    unwind_lock();
    for (unsigned i = 0; i < sample.places; i++)
        if (sample_thread_at(i)->tid)
            sample_drop_thread(sample_thread_at(i));
    unwind_unlock();
}

/* ---- the sampler ---- */

static void sample_know_modules(void)
{
    uint32_t now = modules_generation();
    if (now == sample.modules)
        return;
    sample.modules = now;
    unwind_prepare();
    sample_python_find();
}

static void sample_count_cost(void)
{
    static __thread uint64_t counted_ns; /* a new thread may replace this one */
    uint64_t now_ns = cost_thread_ns();
    cost_add_ns(PROF_COST_SAMPLER, 1, now_ns - counted_ns);
    counted_ns = now_ns;
}

static bool sample_is_due(uint64_t *last_ns, uint64_t now_ns, uint64_t period_ns)
{
    bool due = now_ns - *last_ns >= period_ns;
    if (due)
        *last_ns = now_ns;
    return due;
}

static bool sample_is_wanted(void)
{
    return recorder_on() && !load_relaxed(&sample.off);
}

static void sample_look_at_signal(void)
{
    sample.signals = own_signal_prepare();
    if (sample.signals)
        return;
    for (unsigned i = 0; i < sample.places; i++)
        sample_signal_disarm(sample_thread_at(i));
    if (sample_must_say())
        log_line(LOG_ERROR, "the program has taken the signal that libprof sends: threads are not "
                            "sampled while they run");
}

static void sample_tick(uint64_t now_ns)
{
    bool look = sample_is_due(&sample.looked_ns, now_ns, SAMPLE_LOOK_NS);
    look |= sample_has_other_threads();
    bool check = sample_is_due(&sample.checked_ns, now_ns, SAMPLE_CHECK_NS);
    if (!thread_ready(&thread_self))
        return; /* without a log stacks have no numbers */
    sample_look_at_signal();
    sample_know_modules();
    sample_python_begin();
    if (look)
        sample_look_for_threads();
    for (unsigned i = 0; i < sample.places; i++) {
        struct sample_thread *thread = sample_thread_at(i);
        if (!thread->tid)
            continue;
        sample_read_shots(thread);
        sample_look_at(thread, check);
        if (check && !thread->armed)
            sample_arm(thread);
    }
    if (look)
        sample_count_cost();
}

static uint64_t sample_duties(void)
{
    uint64_t now_ns = clock_monotonic_ns();
    if (!sample_is_wanted()) {
        sample_drop_all();
        return SAMPLE_LOOK_NS;
    }
    unwind_lock();
    sample_tick(now_ns);
    unwind_unlock();
    sample.tick_ticks = clock_now();
    return sample_period_ns();
}

static void sample_end(void)
{
    sample_drop_all();
    sample_count_cost();
}

static struct worker sample_worker =
    WORKER_INIT(.name = "prof-sample", .stack_bytes = 512u << 10, .duties = sample_duties,
                .ends = sample_end, .parks = true);

static void sample_keep(bool on)
{
    store_relaxed(&sample.off, !on);
}

static void sample_begin(void)
{
    if (!config_get()->sample_hz)
        return;
    sample.modules = UINT32_MAX; /* unlike any */
    sample.tick_ticks = clock_now();
    int error = sample_signal_reserve() ? worker_begin(&sample_worker) : ENOMEM;
    if (error)
        log_line(LOG_ERROR, "cannot sample stacks (%s)", strerror(error));
    else
        recorder_throttleable(PROF_THROTTLE_SAMPLES, sample_keep);
}

static void sample_finish(void)
{
    worker_end(&sample_worker, SAMPLE_END_MS, true);
}

GUEST_PATH static void sample_fork_child(void)
{
    unwind_fork_child(); /* the hang watch unwinds, too */
    if (!config_get()->sample_hz)
        return; /* what is not written costs the child no page */
    sample_signal_fork_child(sample.places);
    memset(&sample, 0, sizeof sample);
    worker_fork_child(&sample_worker);
}

bool sample_runs(void)
{
    return worker_runs(&sample_worker);
}

const struct collector sample_collector = {
    .name = "sample",
    .file_created = sample_begin,
    .finish = sample_finish,
    .fork_child = sample_fork_child,
};
