/* stacks.c - the table of stacks. The record of a stack that points into a library that was closed
 * is forgotten, so that the same addresses get a new number when they mean something else.
 */
#include "stacks.h"

#include "atomic.h"
#include "clock.h"
#include "cost.h"
#include "glibc_only.h"
#include "intern.h"
#include "log.h"
#include "meta.h"
#include "modules.h"
#include "own_thread.h"
#include "signals.h"
#include "thread.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define STACKS_FORK_WAITS 100 /* of a millisecond each */

uint32_t stacks_mode;

static uint32_t stacks_choice; /* PROF_STACKS where it can be had; constant */

/* Records are the file's, of struct prof_rec_stack_frames; a stack's number is its id. */
static struct intern_table stacks_table = {
    .slots = {1u << 10, 1u << 14, 1u << 19},
    .numbers_max = (1u << 18) - 1,
};

static struct {
    struct stacks_thread *threads; /* threads push by CAS when they begin; never shrinks */
    uint32_t depth;                /* frames kept; constant */
    uint32_t tables; /* libunwind may be called; cleared in a child that inherits its locks */
    uint32_t frames; /* frame pointers may be followed; constant */
    uint32_t paused; /* forks in progress: stacks_before_fork() -> walking threads */
    bool looks;      /* for modules that come and go: stacks are recorded, or samples; constant */
    bool walked;     /* during the latest fork: another thread was in libunwind all the time */
    uint32_t unsettled; /* a stack was added whose modules could not be looked for */
} stacks;

/* What a walk found. */
struct stacks_found {
    uint32_t count;
    uint32_t method; /* enum prof_stack_method */
    uint32_t flags;  /* PROF_STACK_CUT */
    uint32_t hash;
    uint64_t addresses[STACKWALK_FRAMES_MAX + 1];
};

/* ---- walking ---- */

/* An address in the stack that is in use. */
static uintptr_t stacks_here(void)
{
    return (uintptr_t)__builtin_frame_address(0);
}

/* For functions that are not ours and take what they need. */
static bool stacks_has_room(const struct stacks_thread *self)
{
    uintptr_t here = stacks_here();
    return stackwalk_is_own(&self->own, here) && here - self->own.low >= STACKWALK_ROOM_BYTES;
}

/* Not on a stack whose end is unknown or near, nor while this thread's libunwind was interrupted in
 * the middle, nor across a fork: the child would inherit its locks. The pause counts where it is
 * looked at second; the first look spares the forking thread the sight of those who turn back. */
static bool stacks_tables_begin(struct stacks_thread *self)
{
    if (!load_relaxed(&stacks.tables) || load_relaxed(&stacks.paused) || !stacks_has_room(self) ||
        exchange_seq_cst(&self->walking, 1u))
        return false;
    if (!load_seq_cst(&stacks.paused))
        return true;
    store_release(&self->walking, 0u);
    return false;
}

static void stacks_walk(struct stacks_thread *self, struct stacks_origin origin,
                        struct stacks_found *found)
{
    unsigned limit = stacks.depth + 1;
    found->count = 0;
    if (stacks_tables_begin(self)) {
        found->method = PROF_STACK_UNWIND_TABLES;
        found->count = stackwalk_tables(origin, found->addresses, limit);
        store_release(&self->walking, 0u);
    }
    if (found->count == 0 && stacks.frames) {
        found->method = PROF_STACK_FRAME_POINTERS;
        found->count = stackwalk_frames(&self->own, stacks_here(), origin, found->addresses, limit);
    }
    found->flags = found->count > stacks.depth ? PROF_STACK_CUT : 0;
    if (found->flags)
        found->count = stacks.depth;
}

static uint32_t stacks_hash(const struct stacks_found *found)
{
    uint64_t hash = found->count;
    for (uint32_t i = 0; i < found->count; i++) {
        hash = (hash ^ found->addresses[i]) * NAMES_MIX_1;
        hash ^= hash >> 32;
    }
    return (uint32_t)hash;
}

/* ---- the table ---- */

static const uint64_t *stacks_addresses(const struct prof_rec_stack_frames *record)
{
    return (const uint64_t *)(const void *)(record + 1);
}

static const struct prof_rec_stack_frames *stacks_record(uint32_t id)
{
    return intern_record(&stacks_table, id);
}

static bool stacks_equal(const void *known, const void *content)
{
    const struct prof_rec_stack_frames *record = known;
    const struct stacks_found *found = content;
    return record && record->frames == found->count && record->flags == found->flags &&
           record->method == found->method &&
           memcmp(stacks_addresses(record), found->addresses,
                  found->count * sizeof found->addresses[0]) == 0;
}

static void stacks_forget(uint64_t start, uint64_t end)
{
    for (uint32_t id = 1, count = intern_count(&stacks_table); id <= count; id++) {
        const struct prof_rec_stack_frames *record = stacks_record(id);
        for (uint32_t i = 0; record && i < record->frames; i++) {
            if (stacks_addresses(record)[i] - start >= end - start)
                continue;
            intern_set(&stacks_table, id, NULL);
            break;
        }
    }
}

/* Modules come before the stack that points into them, unless another thread is looking or this
 * stack has no room for it: then the writer thread emits them a moment later. */
static void stacks_emit_modules(const struct stacks_found *found)
{
    bool looked = stacks_has_room(&thread_self.slot->stacks) && modules_scan(stacks_forget);
    for (uint32_t i = 0; i < found->count; i++)
        modules_emit(found->addresses[i]);
    if (!looked)
        store_release(&stacks.unsettled, 1u);
}

static const void *stacks_create(uint32_t id, const void *content)
{
    const struct stacks_found *found = content;
    stacks_emit_modules(found);
    struct prof_rec_stack_frames head = {
        .id = id,
        .frames = found->count,
        .method = found->method,
        .flags = found->flags,
        .ticks = clock_read(),
    };
    return meta_try_append(PROF_REC_STACK_FRAMES, &head, sizeof head,
                           (const char *)found->addresses,
                           found->count * sizeof found->addresses[0]);
}

static uint32_t stacks_intern(struct stacks_thread *self, const struct stacks_found *found)
{
    const struct prof_rec_stack_frames **recent = &self->recent[found->hash % STACKS_RECENT];
    const struct prof_rec_stack_frames *known = load_relaxed(recent);
    if (stacks_equal(known, found) && stacks_record(known->id) == known)
        return known->id;
    uint32_t id = intern(&stacks_table, found->hash, found, stacks_equal, stacks_create);
    if (id)
        store_relaxed(recent, stacks_record(id));
    else
        loss_add(PROF_LOSS_NAMES, 1);
    return id;
}

/* libunwind looks whether memory can be read by write(2), and modules are found by open(2):
 * cancellation points, which pushes are not. */
uint32_t stacks_capture(struct stacks_origin origin)
{
    struct thread_slot *slot = thread_self.slot;
    struct stacks_found found;
    int saved_errno = errno, cancel_state;
    if (!slot)
        return 0;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
    stacks_walk(&slot->stacks, origin, &found);
    uint32_t id = 0;
    if (found.count) {
        found.hash = stacks_hash(&found);
        id = stacks_intern(&slot->stacks, &found);
    }
    pthread_setcancelstate(cancel_state, NULL);
    errno = saved_errno;
    return id;
}

uint32_t stacks_add(const uint64_t *addresses, uint32_t count, bool cut)
{
    struct thread_slot *slot = thread_self.slot;
    struct stacks_found found = {
        .count = count, .method = PROF_STACK_UNWIND_TABLES, .flags = cut ? PROF_STACK_CUT : 0};
    if (!slot)
        return 0;
    if (!slot->stacks.own.high)
        slot->stacks.own = stackwalk_own_bounds();
    memcpy(found.addresses, addresses, count * sizeof *addresses);
    found.hash = stacks_hash(&found);
    return stacks_intern(&slot->stacks, &found);
}

void stacks_write(struct stacks_origin origin)
{
    struct cost_sampler *sampler = thread_self.slot ? &thread_self.slot->stacks.cost : NULL;
    uint64_t began = sampler ? cost_begin(sampler) : 0;
    uint32_t id = stacks_capture(origin);
    if (began)
        cost_end(sampler, PROF_COST_STACKS, began);
    uint64_t *record = thread_reserve(PROF_REC_STACK, 2);
    if (!record)
        return;
    record[1] = id;
    thread_commit(record, PROF_REC_STACK, 2, thread_ticks(record));
}

/* ---- fork ---- */

static bool stacks_others_walk(void)
{
    const struct stacks_thread *self = thread_self.slot ? &thread_self.slot->stacks : NULL;
    for (const struct stacks_thread *each = load_acquire(&stacks.threads); each; each = each->next)
        if (each != self && load_acquire(&each->walking))
            return true;
    return false;
}

/* The forking thread waits until no other is in libunwind or in the loader on our behalf. Seeing
 * none once is enough: a thread that begins now finds the pause and turns back. */
static void stacks_before_fork(void)
{
    int saved_errno = errno;
    fetch_add_seq_cst(&stacks.paused, 1u);
    stacks.walked = stacks_others_walk();
    for (int i = 0; i < STACKS_FORK_WAITS && stacks.walked; i++) {
        clock_pause(1000);
        stacks.walked = stacks_others_walk();
    }
    modules_suspend();
    errno = saved_errno;
}

static void stacks_after_fork(void)
{
    modules_resume(false);
    fetch_add_seq_cst(&stacks.paused, (uint32_t)-1);
}

/* A lock that another thread held is held forever here. */
static void stacks_fork_child(void)
{
    modules_resume(true);
    store_release(&stacks.paused, 0u);
    if (!intern_count(&stacks_table) || recorder_leaving())
        return;
    modules_forget_emitted();
    intern_clear(&stacks_table);
    stacks.threads = NULL;
    if (stacks.walked)
        store_relaxed(&stacks.tables, 0u);
    store_release(&stacks.paused, 0u);
}

/* ---- life ---- */

static void stacks_set_recorded(bool on)
{
    store_release(&stacks_mode, on ? stacks_choice : (uint32_t)CONFIG_STACKS_OFF);
}

void stacks_init(void)
{
    const struct config *config = config_get();
    bool wanted = config->stacks != CONFIG_STACKS_OFF || config->sample_hz;
    if (!wanted || !STACKWALK_SUPPORTED || !modules_init())
        return;
    glibc_only_atfork(stacks_before_fork, stacks_after_fork, stacks_fork_child);
    stacks.looks = true;
    if (config->stacks == CONFIG_STACKS_OFF)
        return;
    stacks.depth = (uint32_t)config->stack_depth;
    stacks.frames = config->stack_method != CONFIG_STACK_METHOD_TABLES;
    /* libunwind takes locks when a thread has ended already, as ThreadSanitizer sees it, which
     * crashes */
    stacks.tables = config->stack_method != CONFIG_STACK_METHOD_FRAMES && !own_thread_sanitized() &&
                    stackwalk_open_tables();
    stacks_choice = (uint32_t)config->stacks;
    store_release(&stacks_mode, stacks_choice);
    recorder_throttleable(PROF_THROTTLE_STACKS, stacks_set_recorded);
}

bool stacks_chosen(void)
{
    return stacks_choice != CONFIG_STACKS_OFF;
}

bool stacks_at_ranges_chosen(void)
{
    return stacks_choice == CONFIG_STACKS_RANGE;
}

static void stacks_list(struct stacks_thread *self)
{
    if (self->listed)
        return;
    self->listed = true;
    self->next = load_acquire(&stacks.threads);
    while (!cas_acq_rel(&stacks.threads, &self->next, self))
        ;
}

static void stacks_thread_prepare(void *argument)
{
    struct stacks_thread *self = argument;
    self->own = stackwalk_own_bounds();
    if (stacks_tables_begin(self)) {
        stackwalk_warm_tables();
        store_release(&self->walking, 0u);
    }
}

void stacks_thread_begin(struct stacks_thread *self)
{
    stacks_list(self);
    big_stack_run(stacks_thread_prepare, self);
}

static void stacks_file_created(void)
{
    if (stacks_chosen() && !stacks.tables && !stacks.frames)
        log_line(LOG_ERROR,
                 "PROF_STACK_METHOD=tables needs libunwind.so.8: call stacks are not recorded");
}

/* Modules that could not be looked for when a stack was added. */
static void stacks_apply_mode(void)
{
    for (uint32_t id = 1, count = intern_count(&stacks_table); id <= count; id++) {
        const struct prof_rec_stack_frames *record = stacks_record(id);
        for (uint32_t i = 0; record && i < record->frames; i++)
            modules_emit(stacks_addresses(record)[i]);
    }
}

static void stacks_tick(void)
{
    if (!stacks.looks || !modules_scan(stacks_forget))
        return;
    if (exchange_acquire(&stacks.unsettled, 0u))
        stacks_apply_mode();
}

const struct collector stacks_collector = {
    .name = "stacks",
    .file_created = stacks_file_created,
    .tick = stacks_tick,
    .finish = stacks_tick,
};
