#include "labels.h"

#include "arena.h"
#include "intern.h"
#include "names.h"
#include "recorder.h"
#include "registry.h"
#include "summary.h"

/* A program that draws its colours at random must not fill the name table. */
#define LABELS_MAX (1u << 18)

/* Records are labels; their numbers in the table are not their ids. */
static struct intern_table labels = {
    .slots = {1u << 12, 1u << 16, 1u << 21},
    .numbers_max = 1u << 21,
};

static bool labels_is_plain(const struct label *key)
{
    return key->name && !key->domain && !key->category && !key->flags;
}

static void labels_emit(const struct label *event)
{
    if (labels_is_plain(event))
        return;
    registry_state(event->domain, event->category);
    struct prof_rec_event_name head = {.id = (uint32_t)event->id,
                                       .name = event->name,
                                       .domain = event->domain,
                                       .category = event->category,
                                       .color = event->color,
                                       .flags = event->flags};
    meta_append(PROF_REC_EVENT_NAME, &head, sizeof head, NULL, 0);
    summary_label((uint32_t)event->id, event->domain, event->name);
}

static bool labels_equal(const void *record, const void *content)
{
    return record && labels_same(record, content);
}

static const void *labels_create(uint32_t number, const void *content)
{
    (void)number;
    const struct label *key = content;
    struct label *event = arena_alloc_uncounted(sizeof *event);
    if (!event)
        return NULL;
    *event = *key;
    event->id = names_keep(labels_is_plain(key) ? key->name : names_allocate_id());
    if (!event->id)
        return NULL;
    labels_emit(event);
    return event;
}

/* Combinations beyond the limit are refused, but not a name's plainest form. */
static bool labels_may_add(const struct label *key)
{
    return intern_count(&labels) < LABELS_MAX || (!key->category && !key->flags);
}

/* In this process's file. Its name was stated before: it is the key's. */
static void labels_state(struct label *event)
{
    uint64_t again = names_keep((uint32_t)event->id);
    if (names_is_good(event->id))
        return;
    labels_emit(event);
    store_relaxed(&event->id, again);
}

void labels_state_all(void)
{
    for (uint32_t number = 1, count = intern_count(&labels); number <= count; number++) {
        struct label *event = (struct label *)(uintptr_t)intern_record(&labels, number);
        if (event)
            labels_state(event);
    }
}

static const struct label *labels_find_or_add(const struct label *key)
{
    uint32_t hash = labels_hash(key), number = intern_find(&labels, hash, key, labels_equal);
    if (!number && labels_may_add(key))
        number = intern(&labels, hash, key, labels_equal, labels_create);
    struct label *event = (struct label *)(uintptr_t)intern_record(&labels, number);
    if (event)
        labels_state(event);
    return event;
}

const struct label *labels_intern(struct label_thread *thread, const struct label *key)
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
