/* hang_lines.h - lines of the text that PROF_HANG wrote: a word, then fields name=value, with
 * strings in quotes. */
#ifndef PROF_HANG_LINES_H
#define PROF_HANG_LINES_H

#include "text.h"

#include <stdbool.h>

/* The first line of the last hang in `text`. */
const char *hang_lines_of_last(const char *text);

/* The first line, starting with `line` itself, that begins with `word` and a blank; NULL if there
 * is none. */
const char *hang_lines_find(const char *line, const char *word);

/* The line after this one; NULL: it is the last. */
const char *hang_lines_next(const char *line);

/* The value of a field of the line, without quotes; false: it has no such field. */
bool hang_line_field(const char *line, const char *name, struct text *value);

/* The same as a number, as strtoull() reads it; 0: there is none. */
uint64_t hang_line_number(const char *line, const char *name);

#endif
