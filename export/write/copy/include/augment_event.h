/* augment_event.h - reads what augment needs of a Chrome trace event, and inserts its two members. Texts point into
 * the event; `bytes` NULL: there is no such member. If members repeat, the last one counts, as for most readers. */
#ifndef PROF_AUGMENT_EVENT_H
#define PROF_AUGMENT_EVENT_H

#include "json_out.h"
#include "json_text.h"

struct augment_event {
    struct text name, category, duration;
    struct text args; /* an object, from its brace to behind the one that closes */
    struct text external_id, device;
    struct text dims, types, values; /* of an operator's inputs */
    struct text flop, gigabytes;     /* "kernel_flop", "kernel_num_gb" */
    bool has_args;                   /* there are args, object or not */
};

/* `p` is at the brace. Returns as in json_text.h. */
const char *augment_event_read(struct augment_event *event, struct json_cursor *cursor,
                               const char *p);

/* Writes the event between `begin` and `end` with these values in its args. An empty value leaves that member alone. */
void augment_event_write(struct json_out *out, const struct augment_event *event, const char *begin,
                         const char *end, struct text flop, struct text gigabytes);

#endif
