/* chrome_copy.h - what copies of Chrome traces have in common: members as they come, the file that is
 * written. */
#ifndef PROF_CHROME_COPY_H
#define PROF_CHROME_COPY_H

#include "json_out.h"
#include "out_file.h"

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
