/* event_slots.c - pairs of CUDA events for ranges in flight, per context: see event_timing.h. */
#include "atomic.h"
#include "event_timing.h"
#include "memory.h"
#include "recorder.h"

#include <string.h>

enum context_state { CONTEXT_FREE, CONTEXT_BUSY, CONTEXT_READY };
enum slot_state { SLOT_FREE, SLOT_OPEN, SLOT_ENDED, SLOT_READING };

static struct event_context contexts[EVENT_CONTEXTS];
static bool contexts_used GUEST_DATA;       /* an entry was ever claimed */
static struct event_slot *slots GUEST_DATA; /* memory_once(), before one is used */
static uint32_t slots_used
    GUEST_DATA; /* ever; may pass EVENT_SLOTS by the number of threads for a moment */
static struct free_list blanks GUEST_DATA; /* slots without a living context */

static void event_slots_push(struct free_list *list, struct event_slot *slot)
{
    free_list_push(list, (uint32_t)(slot - slots) + 1, &slot->next_free);
}

static struct event_slot *event_slots_pop(struct free_list *list)
{
    uint32_t number = slots ? free_list_pop(list, &slots->next_free, sizeof *slots) : 0;
    return number ? &slots[number - 1] : NULL;
}

/* ---- contexts ---- */

bool event_place_current(const struct driver_library *driver, struct event_place *place)
{
    *place = (struct event_place){0};
    if (driver->cuCtxGetCurrent(&place->handle) != ABI_OK || !place->handle)
        return false;
    return !driver->cuCtxGetId || driver->cuCtxGetId(place->handle, &place->id) == ABI_OK;
}

bool event_place_is_alive(const struct driver_library *driver, const struct event_place *place)
{
    unsigned long long id = 0;
    if (!driver->cuCtxGetId)
        return true;
    return driver->cuCtxGetId(place->handle, &id) == ABI_OK && id == place->id;
}

static bool event_slots_is_same(const struct event_place *a, const struct event_place *b)
{
    return a->handle == b->handle && a->id == b->id;
}

static struct event_context *event_slots_find(const struct event_place *place)
{
    for (uint32_t i = 0; i < EVENT_CONTEXTS; i++)
        if (load_acquire(&contexts[i].state) == CONTEXT_READY &&
            event_slots_is_same(&contexts[i].place, place))
            return &contexts[i];
    return NULL;
}

static struct event_context *event_slots_claim_entry(void)
{
    store_relaxed(&contexts_used, true);
    for (uint32_t i = 0; i < EVENT_CONTEXTS; i++) {
        uint32_t free = CONTEXT_FREE;
        if (cas_acq_rel(&contexts[i].state, &free, (uint32_t)CONTEXT_BUSY))
            return &contexts[i];
    }
    return NULL;
}

/* Entries of contexts that were destroyed since the last look. */
static void event_slots_forget_dead(const struct driver_library *driver)
{
    for (uint32_t i = 0; i < EVENT_CONTEXTS; i++) {
        struct event_context *context = event_context_at(i);
        if (context && !event_place_is_alive(driver, &context->place))
            event_context_forget(context);
    }
}

/* Two threads that are the first in a context at the same time make an entry each: that costs a
 * stream, and is right. */
static struct event_context *event_slots_create(const struct driver_library *driver,
                                                const struct event_place *place)
{
    struct event_context *context = event_slots_claim_entry();
    if (!context) {
        event_slots_forget_dead(driver);
        context = event_slots_claim_entry();
    }
    if (!context)
        return NULL;
    context->place = *place;
    context->used = 0;
    bool made = driver->cuCtxGetDevice(&context->device) == ABI_OK &&
                event_clock_init(&context->clock, driver);
    store_release(&context->state, (uint32_t)(made ? CONTEXT_READY : CONTEXT_FREE));
    return made ? context : NULL;
}

struct event_context *event_context_of(const struct driver_library *driver,
                                       const struct event_place *place)
{
    struct event_context *context = event_slots_find(place);
    return context ? context : event_slots_create(driver, place);
}

struct event_context *event_context_at(uint32_t index)
{
    return load_acquire(&contexts[index].state) == CONTEXT_READY ? &contexts[index] : NULL;
}

static void event_slots_blank(struct event_slot *slot)
{
    slot->start = slot->end = NULL;
    store_release(&slot->state, (uint32_t)SLOT_FREE);
    event_slots_push(&blanks, slot);
}

void event_context_forget(struct event_context *context)
{
    uint32_t ready = CONTEXT_READY;
    if (!cas_acq_rel(&context->state, &ready, (uint32_t)CONTEXT_BUSY))
        return;
    fetch_add_seq_cst(&context->generation, 1u);
    struct event_slot *slot;
    while ((slot = event_slots_pop(&context->free)))
        event_slots_blank(slot);
    store_release(&context->state, (uint32_t)CONTEXT_FREE);
}

/* ---- slots ---- */

static struct event_slot *event_slots_new_slot(void)
{
    struct event_slot *slot = event_slots_pop(&blanks);
    if (slot || !MEMORY_ONCE(&slots, EVENT_SLOTS))
        return slot;
    uint32_t index = fetch_add_relaxed(&slots_used, 1u);
    if (index < EVENT_SLOTS)
        return &slots[index];
    fetch_add_relaxed(&slots_used, (uint32_t)-1);
    return NULL;
}

/* One event without the other stays with the slot's blank: it dies with its context. */
static bool event_slots_create_events(const struct driver_library *driver, struct event_slot *slot)
{
    return driver->cuEventCreate(&slot->start, ABI_CUDA_EVENT_DEFAULT) == ABI_OK &&
           driver->cuEventCreate(&slot->end, ABI_CUDA_EVENT_DEFAULT) == ABI_OK;
}

static struct event_slot *event_slots_furnish_slot(const struct driver_library *driver,
                                                   struct event_context *context)
{
    struct event_slot *slot = event_slots_new_slot();
    if (!slot)
        return NULL;
    if (!event_slots_create_events(driver, slot)) {
        event_slots_blank(slot);
        return NULL;
    }
    slot->context = (uint32_t)(context - contexts);
    slot->generation = load_relaxed(&context->generation);
    return slot;
}

/* A slot given back while its context was being forgotten may have come to the list too late. */
static struct event_slot *event_slots_reuse_slot(struct event_context *context)
{
    struct event_slot *slot = event_slots_pop(&context->free);
    while (slot && slot->generation != load_relaxed(&context->generation)) {
        event_slots_blank(slot);
        slot = event_slots_pop(&context->free);
    }
    return slot;
}

struct event_slot *event_slot_acquire(const struct driver_library *driver,
                                      struct event_context *context)
{
    struct event_slot *slot = event_slots_reuse_slot(context);
    if (!slot)
        slot = event_slots_furnish_slot(driver, context);
    if (!slot)
        return NULL;
    store_relaxed(&context->used, 1u);
    store_release(&slot->state, (uint32_t)SLOT_OPEN);
    return slot;
}

void event_slot_end(struct event_slot *slot)
{
    store_release(&slot->state, (uint32_t)SLOT_ENDED);
}

struct event_slot *event_slot_claim(uint32_t index)
{
    uint32_t ended = SLOT_ENDED;
    if (load_relaxed(&slots[index].state) != SLOT_ENDED ||
        !cas_acq_rel(&slots[index].state, &ended, (uint32_t)SLOT_READING))
        return NULL;
    return &slots[index];
}

void event_slot_put_back(struct event_slot *slot)
{
    store_release(&slot->state, (uint32_t)SLOT_ENDED);
}

struct event_context *event_slot_context(const struct event_slot *slot)
{
    struct event_context *context = event_context_at(slot->context);
    return context && load_acquire(&context->generation) == slot->generation ? context : NULL;
}

void event_slot_release(struct event_slot *slot)
{
    struct event_context *context = event_slot_context(slot);
    if (!context) {
        event_slots_blank(slot);
        return;
    }
    store_release(&slot->state, (uint32_t)SLOT_FREE);
    event_slots_push(&context->free, slot);
}

uint32_t event_slots_used(void)
{
    uint32_t used = load_relaxed(&slots_used);
    return used < EVENT_SLOTS ? used : EVENT_SLOTS;
}

GUEST_PATH void event_slots_reset(void)
{
    if (slots)
        memset(slots, 0, event_slots_used() * sizeof *slots); /* the rest is untouched memory */
    if (contexts_used)
        memset(contexts, 0, sizeof contexts);
    contexts_used = false;
    slots_used = 0;
    blanks = (struct free_list){0};
}
