/* augment_event.h - what augment looks at in an event of a Chrome trace, and where its two members go.
 *
 * Texts lie in the event, as they are written there; `bytes` NULL: there is no such member. Of members
 * that come several times, the last one counts, as it does for most readers.
 */
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
    bool has_args;                   /* there are some, maybe none that are an object */
};

/* `p` is at the brace. Returns as in json_text.h. */
const char *augment_event_read(struct augment_event *event, struct json_cursor *cursor,
                               const char *p);

/* Writes the event, which is `begin` to `end`, with these values of its args. An empty one: that
 * member stays as it is. */
void augment_event_write(struct json_out *out, const struct augment_event *event, const char *begin,
                         const char *end, struct text flop, struct text gigabytes);

#endif
