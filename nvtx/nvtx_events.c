#include "nvtx_events.h"

#include "atomic.h"
#include "names.h"
#include "nvtx_arena.h"
#include "recorder.h"

#define NVTX_EVENTS_CHAINS 4096u

/* A program that draws its colours at random must not fill the name table. */
#define NVTX_EVENTS_MAX (1u << 18)

static struct nvtx_event *nvtx_events_chains[NVTX_EVENTS_CHAINS]; /* CAS -> load_acquire */
static uint32_t nvtx_events_count;                                /* whoever makes one */

static bool nvtx_events_is_plain(const struct nvtx_event *key)
{
    return key->name && !key->domain && !key->category && !key->flags;
}

static void nvtx_events_state(const struct nvtx_event *event)
{
    if (nvtx_events_is_plain(event))
        return;
    struct prof_rec_event_name head = {.id = event->id,
                                       .name = event->name,
                                       .domain = event->domain,
                                       .category = event->category,
                                       .color = event->color,
                                       .flags = event->flags};
    meta_append(PROF_REC_EVENT_NAME, &head, sizeof head, NULL, 0);
}

static const struct nvtx_event *nvtx_events_find(const struct nvtx_event *from,
                                                 const struct nvtx_event *key)
{
    while (from && !nvtx_events_same(from, key))
        from = from->next;
    return from;
}

/* Combinations beyond the limit are refused, but not a name's plainest form. */
static bool nvtx_events_may_add(const struct nvtx_event *key)
{
    return fetch_add_relaxed(&nvtx_events_count, 1u) < NVTX_EVENTS_MAX ||
           (!key->category && !key->flags);
}

static struct nvtx_event *nvtx_events_new(const struct nvtx_event *key)
{
    struct nvtx_event *event = nvtx_events_may_add(key) ? nvtx_arena_take(sizeof *event) : NULL;
    if (!event)
        return NULL;
    *event = *key;
    event->id = nvtx_events_is_plain(key) ? key->name : names_take_id();
    if (!event->id)
        return NULL;
    nvtx_events_state(event);
    return event;
}

static const struct nvtx_event *nvtx_events_find_or_add(const struct nvtx_event *key)
{
    struct nvtx_event **chain = &nvtx_events_chains[nvtx_events_hash(key) % NVTX_EVENTS_CHAINS];
    struct nvtx_event *first = load_acquire(chain), *fresh = NULL;
    for (;;) {
        const struct nvtx_event *event = nvtx_events_find(first, key);
        if (event)
            return event;
        if (!fresh)
            fresh = nvtx_events_new(key);
        if (!fresh)
            return NULL;
        fresh->next = first;
        if (cas_acq_rel(chain, &first, fresh))
            return fresh;
    }
}

const struct nvtx_event *nvtx_events_learn(struct nvtx_thread *thread, const struct nvtx_event *key)
{
    const struct nvtx_event *event = nvtx_events_find_or_add(key);
    if (!event) {
        loss_add(PROF_LOSS_NAMES, 1);
        struct nvtx_event plain = {.name = key->name, .domain = key->domain};
        event = nvtx_events_find_or_add(&plain);
    }
    if (event && thread)
        thread->events[nvtx_events_hash(key) % NVTX_THREAD_EVENTS] = event;
    return event;
}

void nvtx_events_restate(void)
{
    for (uint32_t chain = 0; chain < NVTX_EVENTS_CHAINS; chain++)
        for (const struct nvtx_event *event = load_acquire(&nvtx_events_chains[chain]); event;
             event = event->next)
            nvtx_events_state(event);
}
