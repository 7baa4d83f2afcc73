/* quoted_names.h - every name of a timeline as a JSON string, escaped once, not once per event. */
#ifndef PROF_QUOTED_NAMES_H
#define PROF_QUOTED_NAMES_H

#include "json_out.h"
#include "text_pool.h"
#include "timeline.h"

struct quoted_name {
    const char *json; /* NULL: not made yet */
    size_t size;
};

struct quoted_names {
    const struct timeline *timeline;
    struct quoted_name *at; /* by name index */
    struct text_pool texts; /* what they point into */
};

/* Returns false when memory is short; fini is not needed then. */
bool quoted_names_init(struct quoted_names *names, const struct timeline *timeline);
void quoted_names_fini(struct quoted_names *names);

/* Escapes a name that was not yet requested; an empty one when memory is short or there is no such
 * name. */
struct quoted_name quoted_names_slow(struct quoted_names *names, uint32_t name);

static inline struct quoted_name quoted_names_get(struct quoted_names *names, uint32_t name)
{
    if (name < names->timeline->names.count && names->at[name].json)
        return names->at[name];
    return quoted_names_slow(names, name);
}

/* The name as a value. */
static inline void quoted_names_write(struct quoted_names *names, struct json_out *out,
                                      uint32_t name)
{
    struct quoted_name quoted = quoted_names_get(names, name);
    json_quoted(out, quoted.json, quoted.size);
}

#endif
