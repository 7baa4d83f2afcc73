/* event_slots.h - pairs of CUDA events for ranges in flight, per context.
 *
 *     FREE --event_slot_acquire--> OPEN --event_slot_end--> ENDED --event_slot_claim--> READING
 *       ^                        |                         ^                            |
 *       '----event_slot_release-----'                         '---event_slot_put_back------'
 *       '-------------------------event_slot_release---------------------------------------'
 *
 * A slot's two events are made once and reused for as long as their context lives. Nothing waits
 * and nothing is allocated; there are EVENT_SLOTS ranges in flight at most.
 */
#ifndef PROF_EVENT_SLOTS_H
#define PROF_EVENT_SLOTS_H

#include "event_clock.h"
#include "memory.h"

#define EVENT_SLOTS 8192u
#define EVENT_CONTEXTS 64u

/* Which life of which context: a handle comes again, an id does not (where the driver has ids). */
struct event_place {
    void *handle;
    unsigned long long id;
};

struct event_context {
    uint32_t state;      /* enum in event_slots.c, moved by compare-and-swap */
    uint32_t generation; /* goes up when the entry is freed; its slots of before are void */
    struct event_place place;
    int device;
    uint32_t used;         /* a range was timed since the last look; any thread stores 1 */
    struct free_list free; /* slots whose events are of this life of the context */
    struct event_clock clock;
};

struct event_slot {
    uint32_t state;      /* see above; moved by release and compare-and-swap */
    uint32_t next_free;  /* memory.h */
    uint32_t context;    /* index */
    uint32_t generation; /* of the context when the events were made */
    uint64_t token;
    void *start, *end; /* NULL: none were made in this context yet */
};

/* The context that is current on the calling thread. False: there is none. */
bool event_place_current(const struct driver_library *driver, struct event_place *place);

/* Whether the context still exists. True also where the driver is too old to tell. */
bool event_place_is_alive(const struct driver_library *driver, const struct event_place *place);

/* The entry of the context that is current on the calling thread; made if need be, with its clock,
 * which can take EVENT_CLOCK_WAIT_MS. NULL: no room, or CUDA refused. */
struct event_context *event_context_of(const struct driver_library *driver,
                                       const struct event_place *place);

/* Entry `index` if it is in use, else NULL. */
struct event_context *event_context_at(uint32_t index);

/* The context was destroyed: its events with it. */
void event_context_forget(struct event_context *context);

/* An OPEN slot of the context, which is current; NULL: none is left, or CUDA refused. */
struct event_slot *event_slot_acquire(const struct driver_library *driver,
                                      struct event_context *context);
void event_slot_end(struct event_slot *slot);
struct event_slot *event_slot_claim(uint32_t index);
void event_slot_put_back(struct event_slot *slot);
void event_slot_release(struct event_slot *slot);

/* The context of the slot's events; NULL when it was destroyed. */
struct event_context *event_slot_context(const struct event_slot *slot);

/* Slots ever used: valid arguments of event_slot_claim(). */
uint32_t event_slots_used(void);

/* In a forked child: nothing was ever there. */
void event_slots_reset(void);

#endif
