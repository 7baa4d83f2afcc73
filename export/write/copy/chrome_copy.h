/* chrome_copy.h - copies of Chrome traces: one trace with its events rewritten, and what other copies need. */
#ifndef PROF_CHROME_COPY_H
#define PROF_CHROME_COPY_H

#include "json_out.h"
#include "kineto_file.h"
#include "out_file.h"

/* A copy of one trace. An array of events stays one. */
struct chrome_copy {
    const char *path;
    bool partial;
    void *user;
    /* Writes the event at `p`, and whatever is needed before it but a new line. Returns as in json_text.h. */
    const char *(*event)(void *user, struct json_out *out, struct json_cursor *cursor,
                         const char *p);
    const bool *no_memory; /* of the user: nothing is kept; NULL never */
};

/* False: the file is not there, `error` says why. */
bool chrome_copy_trace(const struct chrome_copy *copy, const char *to, struct write_error *error);

/* A piece of a member's value, as kineto_file.h tells them. */
void chrome_copy_piece(struct json_out *out, struct text key, struct text piece, bool first,
                       bool last);

/* Before a closing bracket: no comma. */
void chrome_copy_end_line(struct json_out *out);

/* Has the file written by `write_all`, packed if it is named so. `write_all` returns false when what
 * is copied could not be read, and then nothing is left; the caller knows why. False: the file is not
 * there, `error` says why unless that is the caller's. */
bool chrome_copy_write(const char *path, bool (*write_all)(void *user, struct json_out *out),
                       void *user, struct write_error *error);

#endif
