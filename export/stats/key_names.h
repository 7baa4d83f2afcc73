/* key_names.h - which names of a timeline count as the same name.
 *
 * Averages are indexed by a small number per name, so that no event is ever hashed. Equal names
 * have one index in a timeline already; on top of that every "ProfilerStep#7" is the key
 * "ProfilerStep*", as in torch.profiler, and whatever has no name is one key.
 */
#ifndef PROF_KEY_NAMES_H
#define PROF_KEY_NAMES_H

#include "timeline.h"

struct key_names {
    const struct timeline *timeline;
    uint32_t *key_of_name; /* by name index */
    uint32_t name_count;
    uint32_t key_step;    /* "ProfilerStep*" */
    uint32_t key_unnamed; /* what has no name */
    uint32_t key_count;   /* every key is below */
};

/* Returns false when memory is short; `keys` then needs no fini. The timeline must outlive `keys`.
 * */
bool key_names_init(struct key_names *keys, const struct timeline *timeline);
void key_names_fini(struct key_names *keys);

/* The text of a key: a name of the timeline, "ProfilerStep*" or "(unnamed)". */
struct text key_names_text(const struct key_names *keys, uint32_t key);

static inline uint32_t key_names_of(const struct key_names *keys, uint32_t name)
{
    return name < keys->name_count ? keys->key_of_name[name] : keys->key_unnamed;
}

#endif
