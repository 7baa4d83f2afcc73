/* chrome_copy.h - copies of Chrome traces: one trace with its events rewritten, and what other copies need. */
#ifndef PROF_CHROME_COPY_H
#define PROF_CHROME_COPY_H

#include "json_out.h"
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

/* Writes the file with `write_all`, compressed if its name says so. If `write_all` returns false, nothing is kept;
 * the caller knows why. False: nothing was written, `error` says why unless the caller does. */
bool chrome_copy_write(const char *path, bool (*write_all)(void *user, struct json_out *out),
                       void *user, struct write_error *error);

#endif
