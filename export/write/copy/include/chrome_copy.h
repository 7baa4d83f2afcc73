/* chrome_copy.h - copies of Chrome traces: one trace with its events rewritten, and what other
 * copies need. */
#ifndef PROF_CHROME_COPY_H
#define PROF_CHROME_COPY_H

#include "json_out.h"
#include "json_text.h"
#include "kineto_file.h"
#include "out_file.h"

/* Copies one trace. An array of events stays one. */
struct chrome_copy {
    const char *path;
    bool partial;
    void *user;
    /* Writes the event at `p` on a new line. Returns as in json_text.h. */
    const char *(*event)(void *user, struct json_out *out, struct json_cursor *cursor,
                         const char *p);
    const bool *no_memory; /* set by `event`: discards the copy; NULL: never */
};

/* False: nothing was written, `error` says why. */
bool chrome_copy_trace(const struct chrome_copy *copy, const char *to, struct write_error *error);

/* Copies a segment of a member's value, as kineto_file.h passes it. */
void chrome_copy_part(struct json_out *out, struct text key, struct text segment, bool first,
                      bool last);

/* Ends the line before a closing bracket, without a comma. */
void chrome_copy_end_line(struct json_out *out);

/* Writes the file with `write_all`, compressed if its name says so. If `write_all` returns false,
 * nothing is kept; the caller knows why. False: nothing was written, `error` says why unless the
 * caller does. */
bool chrome_copy_write(const char *path, bool (*write_all)(void *user, struct json_out *out),
                       void *user, struct write_error *error);

/* What augment needs of an event. Texts point into the event; `bytes` NULL: there is no such
 * member. If members repeat, the last one counts, as for most readers. */
struct augment_event {
    struct text name, category, duration;
    struct text args; /* an object, from its brace to after the one that closes */
    struct text external_id, device;
    struct text dims, types, values; /* of an operator's inputs */
    struct text flop, gigabytes;     /* "kernel_flop", "kernel_num_gb" */
    bool has_args;                   /* there are args, object or not */
};

/* `p` is at the brace. Returns as in json_text.h. */
const char *augment_event_read(struct augment_event *event, struct json_cursor *cursor,
                               const char *p);

/* Writes the event between `begin` and `end` with these values in its args. An empty value leaves
 * that member alone. */
void augment_event_write(struct json_out *out, const struct augment_event *event, const char *begin,
                         const char *end, struct text flop, struct text gigabytes);

#endif
