#include "labels.h"

#include "arena.h"
#include "atomic.h"
#include "names.h"
#include "recorder.h"

#define LABELS_CHAINS 4096u

/* A program that draws its colours at random must not fill the name table. */
#define LABELS_MAX (1u << 18)

static struct label *labels_chains[LABELS_CHAINS]; /* CAS -> load_acquire */
static uint32_t labels_count;                      /* whoever makes one */

static bool labels_is_plain(const struct label *key)
{
    return key->name && !key->domain && !key->category && !key->flags;
}

static void labels_state(const struct label *event)
{
    if (labels_is_plain(event))
        return;
    struct prof_rec_event_name head = {.id = event->id,
                                       .name = event->name,
                                       .domain = event->domain,
                                       .category = event->category,
                                       .color = event->color,
                                       .flags = event->flags};
    meta_append(PROF_REC_EVENT_NAME, &head, sizeof head, NULL, 0);
}

static const struct label *labels_find(const struct label *from, const struct label *key)
{
    while (from && !labels_same(from, key))
        from = from->next;
    return from;
}

/* Combinations beyond the limit are refused, but not a name's plainest form. */
static bool labels_may_add(const struct label *key)
{
    return fetch_add_relaxed(&labels_count, 1u) < LABELS_MAX || (!key->category && !key->flags);
}

static struct label *labels_new(const struct label *key)
{
    struct label *event = labels_may_add(key) ? arena_take(sizeof *event) : NULL;
    if (!event)
        return NULL;
    *event = *key;
    event->id = labels_is_plain(key) ? key->name : names_take_id();
    if (!event->id)
        return NULL;
    labels_state(event);
    return event;
}

static const struct label *labels_find_or_add(const struct label *key)
{
    struct label **chain = &labels_chains[labels_hash(key) % LABELS_CHAINS];
    struct label *first = load_acquire(chain), *fresh = NULL;
    for (;;) {
        const struct label *event = labels_find(first, key);
        if (event)
            return event;
        if (!fresh)
            fresh = labels_new(key);
        if (!fresh)
            return NULL;
        fresh->next = first;
        if (cas_acq_rel(chain, &first, fresh))
            return fresh;
    }
}

const struct label *labels_learn(struct label_thread *thread, const struct label *key)
{
    const struct label *event = labels_find_or_add(key);
    if (!event) {
        loss_add(PROF_LOSS_NAMES, 1);
        struct label plain = {.name = key->name, .domain = key->domain};
        event = labels_find_or_add(&plain);
    }
    if (event && thread)
        thread->labels[labels_hash(key) % LABEL_THREAD_LABELS] = event;
    return event;
}

void labels_restate(void)
{
    for (uint32_t chain = 0; chain < LABELS_CHAINS; chain++)
        for (const struct label *event = load_acquire(&labels_chains[chain]); event;
             event = event->next)
            labels_state(event);
}
