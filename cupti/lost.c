/* lost.c - device records that cannot be stored, per stream: see facts.h. */
#include "abi_records.h"
#include "atomic.h"
#include "facts.h"
#include "memory.h"
#include "recorder.h"

/* More streams than that in one buffer are written in parts: a library that is loaded late has
 * little room for thread-local storage. */
#define SUM_COUNT 4u

static __thread struct prof_rec_stream_loss sums[SUM_COUNT];
static __thread uint32_t sum_count;

void lost_zero_time(const struct lost_operation *operation)
{
    unsigned words = sizeof(struct prof_rec_lost) / 8;
    loss_add(PROF_LOSS_ZERO_TIME, 1);
    uint64_t *space = thread_reserve_late(PROF_REC_LOST, words);
    if (!space)
        return;
    struct prof_rec_lost *lost = (struct prof_rec_lost *)(void *)space;
    lost->context = operation->context;
    lost->stream = operation->stream;
    lost->graph = operation->graph;
    lost->device = abi_narrow16(operation->device);
    lost->cause = PROF_LOSS_ZERO_TIME;
    thread_commit(space, PROF_REC_LOST, words, operation->correlation);
}

static struct prof_rec_stream_loss *lost_find_sum(const struct lost_operation *operation)
{
    for (uint32_t i = sum_count; i-- > 0;)
        if (sums[i].context == operation->context && sums[i].stream == operation->stream &&
            sums[i].graph == operation->graph)
            return &sums[i];
    if (sum_count == SUM_COUNT)
        lost_flush();
    struct prof_rec_stream_loss *sum = &sums[sum_count++];
    *sum = (struct prof_rec_stream_loss){
        .context = operation->context,
        .stream = operation->stream,
        .graph = operation->graph,
        .device = abi_narrow16(operation->device),
        .cause = PROF_LOSS_OUT_OF_WINDOW,
    };
    return sum;
}

void lost_out_of_window(const struct lost_operation *operation)
{
    loss_add(PROF_LOSS_OUT_OF_WINDOW, 1);
    lost_find_sum(operation)->count++;
}

void lost_flush(void)
{
    for (uint32_t i = 0; i < sum_count; i++)
        meta_append(PROF_REC_STREAM_LOSS, &sums[i], sizeof sums[i], NULL, 0);
    sum_count = 0;
}

/* ---- which launches were made while recording was off ---- */

/* The last times that recording was off. A program that starts and stops around every step may go
 * through hundreds before the first record comes. */
#define WINDOW_COUNT 4096u

/* Ids grow from window to window, but for threads that were in a call while recording was
 * switched: so many windows that end before an id settle that no earlier one holds it. */
#define WINDOWS_SETTLING 16u

struct window {
    uint32_t low;  /* complement of the lowest id, so that 0 is empty and both ends only grow */
    uint32_t high; /* highest id; 0 = no launch was seen */
};

static struct window *windows;  /* memory_once(); ends grow by compare-and-swap */
static uint32_t current;        /* lost_window_end moves it; index modulo WINDOW_COUNT */
static bool any;                /* set by the first note: most runs have none */
static bool is_open GUEST_DATA; /* set by a note, cleared by the one lost_window_end that counts */

static void lost_raise_to(uint32_t *end, uint32_t value)
{
    uint32_t seen = load_relaxed(end);
    while (seen < value && !cas_acq_rel(end, &seen, value))
        continue;
}

void lost_window_note(uint32_t correlation)
{
    if (!MEMORY_ONCE(&windows, WINDOW_COUNT))
        return;
    struct window *window = &windows[load_acquire(&current) % WINDOW_COUNT];
    lost_raise_to(&window->low, ~correlation);
    lost_raise_to(&window->high, correlation);
    store_relaxed(&any, true);
    store_relaxed(&is_open, true);
}

bool lost_window_is_open(void)
{
    return load_relaxed(&is_open);
}

GUEST_PATH void lost_window_end(void)
{
    if (!load_relaxed(&is_open) || !exchange_acquire(&is_open, false))
        return;
    uint32_t index = load_relaxed(&current);
    struct window *next = &windows[(index + 1) % WINDOW_COUNT];
    store_relaxed(&next->low, 0);
    store_relaxed(&next->high, 0);
    store_release(&current, index + 1);
}

/* From the newest on: most records are young. */
bool lost_was_off(uint32_t correlation)
{
    if (!load_relaxed(&any))
        return false;
    uint32_t newest = load_acquire(&current), ended_before = 0;
    for (uint32_t i = 0; i < WINDOW_COUNT && i <= newest; i++) {
        const struct window *window = &windows[(newest - i) % WINDOW_COUNT];
        uint32_t high = load_relaxed(&window->high);
        if (high && correlation <= high && correlation >= ~load_relaxed(&window->low))
            return true;
        ended_before += high && high < correlation;
        if (ended_before == WINDOWS_SETTLING)
            return false;
    }
    return false;
}
