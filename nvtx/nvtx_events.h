/* nvtx_events.h - event names: a name with the domain, category and colour that came with it, stated
 * once in the file and a number from then on. A name of the default domain that came with nothing
 * keeps its own number and needs no statement.
 */
#ifndef PROF_NVTX_EVENTS_H
#define PROF_NVTX_EVENTS_H

#include "nvtx_thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Never changes once it can be found. */
struct nvtx_event {
    uint32_t name; /* name id; 0 without a message */
    uint32_t domain;
    uint32_t category;
    uint32_t color; /* 0 where none was given */
    uint32_t flags; /* PROF_EVENT_NAME_* */
    uint32_t id;
    const struct nvtx_event *next; /* in its chain of the table */
};

/* What an event is looked up by: the first five fields. */
static inline bool nvtx_events_same(const struct nvtx_event *a, const struct nvtx_event *b)
{
    return a->name == b->name && a->domain == b->domain && a->category == b->category &&
           a->color == b->color && a->flags == b->flags;
}

static inline uint32_t nvtx_events_hash(const struct nvtx_event *key)
{
    uint32_t mixed = key->name * 0x9e3779b1u ^ key->domain * 0x85ebca6bu ^
                     key->category * 0xc2b2ae35u ^ key->color * 0x27d4eb2fu ^ key->flags;
    return mixed ^ mixed >> 15;
}

/* The calling thread's copy of the answer, or NULL. */
static inline const struct nvtx_event *nvtx_events_known(const struct nvtx_thread *thread,
                                                         const struct nvtx_event *key)
{
    const struct nvtx_event *known = thread->events[nvtx_events_hash(key) % NVTX_THREAD_EVENTS];
    return known && nvtx_events_same(known, key) ? known : NULL;
}

/* The event of the key, new or not; there is a file. Of more combinations than fit, the event of
 * the name and domain alone; NULL when not even that fits (each counted). `thread` may be NULL. Any
 * thread, lock-free. */
const struct nvtx_event *nvtx_events_learn(struct nvtx_thread *thread,
                                           const struct nvtx_event *key);

/* A new file was made: states every event again. */
void nvtx_events_restate(void);

#endif
