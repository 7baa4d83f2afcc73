#define _DEFAULT_SOURCE
#include "event_timing.h"

#include "atomic.h"
#include "clock.h"
#include "config.h"
#include "facts.h"
#include "recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* Ended slots that a push looks at when none is free: it then does the flusher's work. */
#define SWEEP_WHEN_DRY 256u

struct thread_ranges {
    struct event_slot *slots[EVENT_TIMING_DEPTH]; /* NULL: pushed, but not timed */
    uint32_t stacks[EVENT_TIMING_DEPTH];          /* RANGE_STACK of recorder.h */
    uint32_t depth;                               /* may exceed EVENT_TIMING_DEPTH */
    uint32_t epoch;
    bool busy; /* in one of the hooks: a signal handler that pushes now is not timed */
    struct event_place place; /* of the context looked up last */
    struct event_context *context;
    uint32_t generation;
};

/* Mapped by the first push of a thread: a library that is loaded late has little room for
 * thread-local storage, and few processes time ranges like this. */
static __thread struct thread_ranges *this_thread;

static bool active GUEST_DATA; /* event_timing_begin stores, _end and _fork_child take back */
static uint64_t last_token;    /* any thread adds */
static uint32_t dry_cursor;    /* where the next push without a slot goes on looking */

static void event_timing_lose(uint64_t count)
{
    loss_add(PROF_LOSS_UNTIMED, count);
}

static void *event_timing_timed_stream(void)
{
    bool per_thread = config_get()->event_stream == CONFIG_EVENT_STREAM_THREAD;
    return (void *)(uintptr_t)(per_thread ? ABI_CUDA_STREAM_PER_THREAD : ABI_CUDA_STREAM_LEGACY);
}

/* Calls that a capture of another thread forbids (making an event, asking for one) stay allowed in
 * between, and do not spoil that capture. */
struct relaxed {
    int mode;
    bool done;
};

static struct relaxed event_timing_relax(const struct driver_library *driver)
{
    struct relaxed relaxed = {.mode = ABI_CUDA_CAPTURE_MODE_RELAXED};
    relaxed.done = driver->cuThreadExchangeStreamCaptureMode(&relaxed.mode) == ABI_OK;
    return relaxed;
}

static void event_timing_restore(const struct driver_library *driver, struct relaxed relaxed)
{
    if (relaxed.done)
        driver->cuThreadExchangeStreamCaptureMode(&relaxed.mode);
}

/* ---- reading ---- */

static void event_timing_write_time(const struct event_slot *slot, int device,
                                    const struct event_interval *interval)
{
    unsigned words = sizeof(struct prof_rec_range_time) / 8;
    uint64_t *space = thread_reserve_late(PROF_REC_RANGE_TIME, words);
    if (!space)
        return;
    struct prof_rec_range_time *record = (struct prof_rec_range_time *)(void *)space;
    record->start_ns = interval->start_ns;
    record->end_ns = interval->end_ns;
    record->token = slot->token;
    record->stream = (uintptr_t)event_timing_timed_stream();
    record->device = (uint32_t)device;
    record->error_ns = interval->error_ns;
    thread_commit(space, PROF_REC_RANGE_TIME, words, slot->token & PROF_TICKS_MAX);
}

struct sweep {
    const struct driver_library *driver;
    unsigned read, waiting;
};

static int event_timing_read_slot(const struct sweep *sweep, const struct event_slot *slot)
{
    struct event_interval interval;
    struct event_context *context = event_slot_context(slot);
    if (!context)
        return -1;
    /* Nothing announces that the program destroys a context, and its events may not be asked then:
     * so this is asked just before each of them. */
    if (!event_place_is_alive(sweep->driver, &context->place)) {
        event_context_forget(context);
        return -1;
    }
    int result = sweep->driver->cuEventQuery(slot->end);
    if (result == ABI_OK)
        result =
            event_clock_read(&context->clock, sweep->driver, slot->start, slot->end, &interval);
    if (result == ABI_OK)
        event_timing_write_time(slot, context->device, &interval);
    return result;
}

static void event_timing_sweep_one(struct sweep *sweep, uint32_t index)
{
    struct event_slot *slot = event_slot_claim(index);
    if (!slot)
        return;
    int result = event_timing_read_slot(sweep, slot);
    if (result == ABI_CUDA_NOT_READY) {
        sweep->waiting++;
        event_slot_put_back(slot);
        return;
    }
    sweep->read++;
    if (result != ABI_OK)
        event_timing_lose(1);
    event_slot_release(slot);
}

/* All of them; returns how many are not done yet. */
static unsigned event_timing_sweep_all(const struct driver_library *driver)
{
    struct sweep sweep = {.driver = driver};
    struct relaxed relaxed = event_timing_relax(driver);
    for (uint32_t i = 0, used = event_slots_used(); i < used; i++)
        event_timing_sweep_one(&sweep, i);
    event_timing_restore(driver, relaxed);
    return sweep.waiting;
}

/* No slot is left: the pushing thread makes some by reading a few. */
static void event_timing_sweep_some(const struct driver_library *driver)
{
    struct sweep sweep = {.driver = driver};
    uint32_t used = event_slots_used();
    for (unsigned i = 0; i < SWEEP_WHEN_DRY && used && sweep.waiting == 0; i++)
        event_timing_sweep_one(&sweep, fetch_add_relaxed(&dry_cursor, 1u) % used);
}

/* ---- beginning and ending a range ---- */

static bool event_timing_is_known_place(const struct thread_ranges *thread,
                                        const struct event_place *place)
{
    return thread->context && thread->place.handle == place->handle &&
           thread->place.id == place->id &&
           load_relaxed(&thread->context->generation) == thread->generation;
}

/* The entry of the context that the thread works in; NULL: `*place` says whether there is one. */
static struct event_context *event_timing_enter_context(const struct driver_library *driver,
                                                        struct thread_ranges *thread,
                                                        const struct event_place *place)
{
    if (event_timing_is_known_place(thread, place))
        return thread->context;
    struct event_context *context = event_context_of(driver, place);
    thread->context = context;
    if (!context)
        return NULL;
    thread->place = *place;
    thread->generation = load_relaxed(&context->generation);
    return context;
}

/* A capture that the event would become part of, or spoil: on the legacy stream that is any capture
 * of a blocking stream of the context, and asking about it does no harm. */
static bool event_timing_is_capturing(const struct driver_library *driver)
{
    int status = ABI_CUDA_CAPTURE_NONE;
    return driver->cuStreamIsCapturing(event_timing_timed_stream(), &status) != ABI_OK ||
           status != ABI_CUDA_CAPTURE_NONE;
}

static struct event_slot *event_timing_acquire_slot(const struct driver_library *driver,
                                                    struct event_context *context)
{
    struct event_slot *slot = event_slot_acquire(driver, context);
    if (slot)
        return slot;
    event_timing_sweep_some(driver);
    return event_slot_acquire(driver, context);
}

static struct event_slot *event_timing_begin_in(const struct driver_library *driver,
                                                struct event_context *context)
{
    struct event_slot *slot =
        event_timing_is_capturing(driver) ? NULL : event_timing_acquire_slot(driver, context);
    if (slot && driver->cuEventRecord(slot->start, event_timing_timed_stream()) != ABI_OK) {
        event_slot_release(slot);
        slot = NULL;
    }
    if (slot)
        slot->token = fetch_add_relaxed(&last_token, (uint64_t)1) + 1;
    return slot;
}

static struct event_slot *event_timing_begin_range(struct thread_ranges *thread)
{
    const struct driver_library *driver = loader_driver();
    struct event_place place;
    if (!event_place_current(driver, &place))
        return NULL;
    struct relaxed relaxed = event_timing_relax(driver);
    struct event_context *context = event_timing_enter_context(driver, thread, &place);
    struct event_slot *slot = context ? event_timing_begin_in(driver, context) : NULL;
    event_timing_restore(driver, relaxed);
    if (!slot)
        event_timing_lose(1);
    return slot;
}

static bool event_timing_record_end(const struct driver_library *driver,
                                    const struct event_slot *slot)
{
    return !event_timing_is_capturing(driver) &&
           driver->cuEventRecord(slot->end, event_timing_timed_stream()) == ABI_OK;
}

/* The thread went on to another device: for a moment it goes back. */
static bool event_timing_record_end_in(const struct driver_library *driver,
                                       const struct event_slot *slot,
                                       const struct event_context *context)
{
    struct event_place now;
    if (event_place_current(driver, &now) && now.handle == context->place.handle)
        return now.id == context->place.id && event_timing_record_end(driver, slot);
    if (!event_place_is_alive(driver, &context->place) ||
        driver->cuCtxPushCurrent_v2(context->place.handle) != ABI_OK)
        return false;
    void *popped;
    bool done = event_timing_record_end(driver, slot);
    driver->cuCtxPopCurrent_v2(&popped);
    return done;
}

static void event_timing_end_range(struct event_slot *slot)
{
    const struct event_context *context = event_slot_context(slot);
    if (context && event_timing_record_end_in(loader_driver(), slot, context)) {
        event_slot_end(slot);
        return;
    }
    event_timing_lose(1);
    event_slot_release(slot);
}

/* ---- hooks of the recorder ---- */

static void event_timing_abandon_all(struct thread_ranges *thread)
{
    uint32_t known = thread->depth < EVENT_TIMING_DEPTH ? thread->depth : EVENT_TIMING_DEPTH;
    for (uint32_t i = 0; i < known; i++)
        if (thread->slots[i])
            event_slot_release(thread->slots[i]);
    thread->depth = 0;
}

static void event_timing_enter_epoch(struct thread_ranges *thread, uint32_t epoch)
{
    if (thread->epoch != epoch)
        event_timing_abandon_all(thread);
    thread->epoch = epoch;
}

static struct event_slot *event_timing_push_range(struct thread_ranges *thread, uint32_t stack)
{
    if (thread->depth >= EVENT_TIMING_DEPTH) {
        thread->depth++;
        event_timing_lose(1);
        return NULL;
    }
    struct event_slot *slot = event_timing_begin_range(thread);
    thread->slots[thread->depth] = slot;
    thread->stacks[thread->depth++] = stack;
    return slot;
}

/* NULL: no memory. A handler that pushes for the first time between the two looks leaves a page. */
static struct thread_ranges *event_timing_map_ranges(void)
{
    int kept_errno = errno;
    void *memory = mmap(NULL, sizeof(struct thread_ranges), PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED && this_thread)
        munmap(memory, sizeof(struct thread_ranges));
    else if (memory != MAP_FAILED)
        this_thread = memory;
    errno = kept_errno;
    return this_thread;
}

static uint64_t event_timing_on_push(uint32_t epoch, uint32_t stack)
{
    struct thread_ranges *thread = this_thread ? this_thread : event_timing_map_ranges();
    if (!thread || thread->busy) {
        event_timing_lose(1);
        return 0;
    }
    int kept_errno = errno;
    thread->busy = true;
    event_timing_enter_epoch(thread, epoch);
    const struct event_slot *slot = event_timing_push_range(thread, stack);
    uint64_t token = slot ? slot->token : 0;
    thread->busy = false;
    errno = kept_errno;
    return token;
}

static void event_timing_end_open(struct event_slot **slot)
{
    if (*slot)
        event_timing_end_range(*slot);
    *slot = NULL;
}

/* A range of another stack that goes on where one around it ends: its time would not nest. */
static void event_timing_abandon_open(struct event_slot **slot)
{
    if (!*slot)
        return;
    event_timing_lose(1);
    event_slot_release(*slot);
    *slot = NULL;
}

/* What lies above a range that ends: a step ends with the range in which it began, a range of
 * another stack stays open. */
static void event_timing_close_above(struct thread_ranges *thread, uint32_t place)
{
    uint32_t kept = place + 1;
    for (uint32_t i = kept; i < thread->depth; i++) {
        if (thread->stacks[i] == RANGE_STACK_STEPS) {
            event_timing_end_open(&thread->slots[i]);
            continue;
        }
        event_timing_abandon_open(&thread->slots[i]);
        thread->slots[kept] = thread->slots[i];
        thread->stacks[kept++] = thread->stacks[i];
    }
    thread->depth = kept;
}

static void event_timing_remove(struct thread_ranges *thread, uint32_t place)
{
    thread->depth--;
    size_t above = thread->depth - place;
    memmove(&thread->slots[place], &thread->slots[place + 1], above * sizeof thread->slots[0]);
    memmove(&thread->stacks[place], &thread->stacks[place + 1], above * sizeof thread->stacks[0]);
}

/* A step in which a range was opened that is still open lasts until that range ends: by then its
 * time is not needed any more. */
static void event_timing_end_place(struct thread_ranges *thread, uint32_t place)
{
    bool crossed = thread->stacks[place] == RANGE_STACK_STEPS && place + 1 < thread->depth;
    if (crossed) {
        event_timing_abandon_open(&thread->slots[place]);
    } else {
        event_timing_close_above(thread, place);
        event_timing_end_open(&thread->slots[place]);
    }
    event_timing_remove(thread, place);
}

/* What was pushed before ranges were timed is not on the stack: its pop finds nothing. */
static void event_timing_pop_range(struct thread_ranges *thread, uint32_t stack)
{
    if (thread->depth > EVENT_TIMING_DEPTH) {
        thread->depth--; /* taken for the innermost, which is not timed */
        return;
    }
    for (uint32_t i = thread->depth; i-- > 0;) {
        if (thread->stacks[i] == stack) {
            event_timing_end_place(thread, i);
            return;
        }
    }
}

static void event_timing_on_pop(uint32_t epoch, uint32_t stack)
{
    struct thread_ranges *thread = this_thread;
    if (!thread || thread->busy)
        return;
    int kept_errno = errno;
    thread->busy = true;
    event_timing_enter_epoch(thread, epoch);
    event_timing_pop_range(thread, stack);
    thread->busy = false;
    errno = kept_errno;
}

static void event_timing_on_thread_end(void)
{
    struct thread_ranges *thread = this_thread;
    if (!thread)
        return;
    event_timing_abandon_all(thread);
    this_thread = NULL;
    munmap(thread, sizeof *thread);
}

static const struct range_timer timer = {event_timing_on_push, event_timing_on_pop,
                                         event_timing_on_thread_end};

/* ---- life ---- */

static bool event_timing_driver_has_all(const struct driver_library *driver)
{
    return driver && driver->cuCtxGetCurrent && driver->cuCtxGetDevice &&
           driver->cuCtxPushCurrent_v2 && driver->cuCtxPopCurrent_v2 &&
           driver->cuThreadExchangeStreamCaptureMode && driver->cuStreamCreate &&
           driver->cuStreamIsCapturing && driver->cuEventCreate && driver->cuEventRecord &&
           driver->cuEventQuery && driver->cuEventElapsedTime;
}

bool event_timing_begin(void)
{
    if (!event_timing_driver_has_all(loader_driver()))
        return false;
    store_release(&active, true);
    recorder_time_ranges(&timer);
    return true;
}

static void event_timing_keep_clock(const struct driver_library *driver,
                                    struct event_context *context)
{
    void *popped;
    bool used = load_relaxed(&context->used) != 0;
    if (!used || (load_acquire(&context->clock.count) && !event_clock_is_due(&context->clock)))
        return;
    if (!event_place_is_alive(driver, &context->place)) {
        event_context_forget(context);
        return;
    }
    if (driver->cuCtxPushCurrent_v2(context->place.handle) != ABI_OK)
        return;
    store_relaxed(&context->used, 0u);
    event_clock_set(&context->clock, driver);
    driver->cuCtxPopCurrent_v2(&popped);
}

void event_timing_tick(void)
{
    const struct driver_library *driver = loader_driver();
    if (!load_acquire(&active))
        return;
    struct relaxed relaxed = event_timing_relax(driver);
    for (uint32_t i = 0; i < EVENT_CONTEXTS; i++) {
        struct event_context *context = event_context_at(i);
        if (context)
            event_timing_keep_clock(driver, context);
    }
    event_timing_restore(driver, relaxed);
    event_timing_sweep_all(driver);
}

void event_timing_drain(unsigned wait_ms)
{
    if (!load_acquire(&active))
        return;
    event_timing_tick();
    unsigned waiting = event_timing_sweep_all(loader_driver());
    for (; waiting && wait_ms; wait_ms--) {
        clock_pause(1000);
        waiting = event_timing_sweep_all(loader_driver());
    }
    event_timing_lose(waiting);
}

void event_timing_end(void)
{
    if (!load_acquire(&active))
        return;
    recorder_time_ranges(NULL);
    store_release(&active, false);
}

GUEST_PATH void event_timing_fork_child(void)
{
    store_release(&active, false);
    event_slots_reset();
    if (this_thread)
        memset(this_thread, 0, sizeof *this_thread);
}
