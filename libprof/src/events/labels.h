/* labels.h - event names: a name with the domain, category and colour that came with it, stated
 * once in the file and a number from then on. A name of the default domain that came with nothing
 * keeps its own number and needs no statement. In a forked child's file, a label is stated when it
 * is first used there.
 */
#ifndef PROF_LABELS_H
#define PROF_LABELS_H

#include "label_thread.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Never changes once it can be found, but for the process that the id is kept for. */
struct label {
    uint32_t name; /* name id; 0 without a message */
    uint32_t domain;
    uint32_t category;
    uint32_t color; /* 0 where none was given */
    uint32_t flags; /* PROF_EVENT_NAME_* */
    uint64_t id;    /* names_keep(); stale in a forked child until labels_intern() */
};

/* What an event is looked up by: the first five fields. */
static inline bool labels_same(const struct label *a, const struct label *b)
{
    return a->name == b->name && a->domain == b->domain && a->category == b->category &&
           a->color == b->color && a->flags == b->flags;
}

static inline uint32_t labels_hash(const struct label *key)
{
    uint32_t mixed = key->name * 0x9e3779b1u ^ key->domain * 0x85ebca6bu ^
                     key->category * 0xc2b2ae35u ^ key->color * 0x27d4eb2fu ^ key->flags;
    return mixed ^ mixed >> 15;
}

/* The calling thread's copy of the answer, or NULL. Its id may be stale. */
static inline const struct label *labels_lookup(const struct label_thread *thread,
                                                const struct label *key)
{
    const struct label *known = thread->labels[labels_hash(key) % LABEL_THREAD_LABELS];
    return known && labels_same(known, key) ? known : NULL;
}

/* The event of the key, new or not; there is a file. Of more combinations than fit, the event of
 * the name and domain alone; NULL when not even that fits (each counted). `thread` may be NULL. Any
 * thread, lock-free. */
const struct label *labels_intern(struct label_thread *thread, const struct label *key);

/* States every event in this process's file, after its name. */
void labels_state_all(void);

#endif
