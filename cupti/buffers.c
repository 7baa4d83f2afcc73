/* buffers.c - the buffers into which CUPTI writes activity records: see activity.h. */
#define _GNU_SOURCE
#include "abi.h"
#include "activity.h"
#include "atomic.h"
#include "memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* One buffer per thread that launches, and those on their way back. */
#define SLOT_COUNT 1024u
#define PAGE_BYTES 4096u
#define BYTES_MIN 65536u
#define GIVEN_MIN 8192u     /* some dozens of records */
#define TAKES_TO_DOUBLE 16u /* between two calls of buffers_fit(): a burst */
#define DOUBLINGS_MAX 16u
#define LAST_RESORT_BYTES 65536u

/* EMPTY --map--> HELD --give back--> FREE --take--> HELD. MAPPING: one thread is filling the slot
 * in. */
enum slot_state { SLOT_EMPTY, SLOT_MAPPING, SLOT_FREE, SLOT_HELD };

struct slot {
    uint32_t state;  /* enum slot_state, moved by compare-and-swap */
    uint8_t *memory; /* set in MAPPING, before the state is released; never changes afterwards */
    /* Of buffer_bytes, to CUPTI; stored by the thread that makes it HELD, before it is handed
     * out. */
    size_t given;
    size_t present; /* bytes known to be populated; owned by the buffer's holder */
};

static struct slot *slots;              /* memory_once() */
static uint32_t slots_used;             /* slots from here on are EMPTY; grows only */
static size_t buffer_bytes = BYTES_MIN; /* mapped for each; buffers_init stores */
static size_t given_bytes = GIVEN_MIN;  /* of that, what CUPTI gets next; buffers_fit stores */

static uint8_t *last_resort; /* memory_once(), LAST_RESORT_BYTES */
static uint32_t last_resort_holders;
static uint32_t takes; /* since buffers_fit() */

static size_t buffers_round_to_pages(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

void buffers_init(size_t bytes)
{
    size_t rounded = buffers_round_to_pages(bytes);
    buffer_bytes = rounded < BYTES_MIN ? BYTES_MIN : rounded;
    MEMORY_ONCE(&last_resort, LAST_RESORT_BYTES); /* later there may be none */
}

void buffers_fit(size_t bytes)
{
    size_t rounded = buffers_round_to_pages(bytes);
    if (rounded < GIVEN_MIN)
        rounded = GIVEN_MIN;
    store_relaxed(&given_bytes, rounded < buffer_bytes ? rounded : buffer_bytes);
    store_relaxed(&takes, 0);
}

static void buffers_note_used(uint32_t index)
{
    uint32_t seen = load_relaxed(&slots_used);
    while (seen <= index && !cas_acq_rel(&slots_used, &seen, index + 1))
        continue;
}

static struct slot *buffers_acquire_free(void)
{
    for (uint32_t i = 0, count = load_acquire(&slots_used); i < count; i++) {
        uint32_t free_state = SLOT_FREE;
        if (load_relaxed(&slots[i].state) == SLOT_FREE &&
            cas_acq_rel(&slots[i].state, &free_state, (uint32_t)SLOT_HELD))
            return &slots[i];
    }
    return NULL;
}

static uint8_t *buffers_map(void)
{
    void *memory =
        mmap(NULL, buffer_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Fills an empty slot; it ends in `state`, with the pages of its first `present` bytes. NULL when
 * there is no memory or no slot. */
static struct slot *buffers_add(enum slot_state state, size_t present)
{
    bool room = MEMORY_ONCE(&slots, SLOT_COUNT) != NULL;
    for (uint32_t i = 0; room && i < SLOT_COUNT; i++) {
        uint32_t empty = SLOT_EMPTY;
        if (load_relaxed(&slots[i].state) != SLOT_EMPTY ||
            !cas_acq_rel(&slots[i].state, &empty, (uint32_t)SLOT_MAPPING))
            continue;
        uint8_t *memory = buffers_map();
        slots[i].memory = memory;
        slots[i].present = memory ? present : 0;
        for (size_t at = 0; memory && at < present; at += PAGE_BYTES)
            *(volatile uint8_t *)(memory + at) = 0;
        store_release(&slots[i].state, memory ? (uint32_t)state : (uint32_t)SLOT_EMPTY);
        buffers_note_used(i);
        return memory ? &slots[i] : NULL;
    }
    return NULL;
}

/* Zeroed only while nobody else holds it: CUPTI counts on zeroes, and may be writing. NULL: no
 * memory; CUPTI drops the records and counts them. */
static uint8_t *buffers_acquire_last_resort(size_t *bytes)
{
    if (MEMORY_ONCE(&last_resort, LAST_RESORT_BYTES) &&
        fetch_add_seq_cst(&last_resort_holders, 1) == 0)
        memset(last_resort, 0, LAST_RESORT_BYTES);
    *bytes = last_resort ? LAST_RESORT_BYTES : 0;
    return last_resort;
}

/* A burst is over before its rate is known: it must not use up the slots. */
static size_t buffers_next_bytes(void)
{
    uint32_t doublings = fetch_add_relaxed(&takes, 1u) / TAKES_TO_DOUBLE;
    return load_relaxed(&given_bytes) << (doublings < DOUBLINGS_MAX ? doublings : DOUBLINGS_MAX);
}

uint8_t *buffers_acquire(size_t *bytes)
{
    struct slot *slot = buffers_acquire_free();
    if (!slot)
        slot = buffers_add(SLOT_HELD, 0);
    if (!slot)
        return buffers_acquire_last_resort(bytes);
    size_t given = buffers_next_bytes();
    store_relaxed(&slot->given, given < buffer_bytes ? given : buffer_bytes);
    *bytes = slot->given;
    return slot->memory;
}

static struct slot *buffers_find(const uint8_t *buffer)
{
    for (uint32_t i = 0, count = load_acquire(&slots_used); i < count; i++)
        if (load_acquire(&slots[i].state) == SLOT_HELD && slots[i].memory == buffer)
            return &slots[i];
    return NULL;
}

/* CUPTI may have written after what it calls valid, and is promised zeroes in all of the buffer.
 * Pages that were never used need no memory: dropping them makes them zero, too. */
static void buffers_zero(struct slot *slot, size_t used)
{
    size_t present = buffers_round_to_pages(used < slot->given ? used : slot->given);
    if (present < slot->present)
        present = slot->present;
    uint8_t *rest = slot->memory + present;
    if (present < buffer_bytes && madvise(rest, buffer_bytes - present, MADV_DONTNEED) != 0)
        present = buffer_bytes; /* the program locks its memory */
    memset(slot->memory, 0, present);
    slot->present = present;
}

void buffers_release(uint8_t *buffer, size_t used)
{
    if (buffers_is_last_resort(buffer)) {
        fetch_add_seq_cst(&last_resort_holders, (uint32_t)-1);
        return;
    }
    struct slot *slot = buffers_find(buffer);
    if (!slot)
        return;
    int kept_errno = errno;
    buffers_zero(slot, used);
    errno = kept_errno;
    store_release(&slot->state, (uint32_t)SLOT_FREE);
}

bool buffers_is_last_resort(const uint8_t *buffer)
{
    return buffer == last_resort;
}

size_t buffers_bytes(const uint8_t *buffer)
{
    if (buffers_is_last_resort(buffer))
        return LAST_RESORT_BYTES;
    const struct slot *slot = buffers_find(buffer);
    return slot ? load_relaxed(&slot->given) : 0;
}

static unsigned buffers_count_free(void)
{
    unsigned count = 0;
    for (uint32_t i = 0, used = load_acquire(&slots_used); i < used; i++)
        count += load_relaxed(&slots[i].state) == SLOT_FREE;
    return count;
}

void buffers_prepare(unsigned count)
{
    for (unsigned have = buffers_count_free(); have < count; have++)
        if (!buffers_add(SLOT_FREE, load_relaxed(&given_bytes)))
            return;
}
