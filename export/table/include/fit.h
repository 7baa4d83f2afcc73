/* fit.h - fits output to a terminal: cuts names, leaves out columns, folds lines, wraps paragraphs.
 *
 * Output to a file or a pipe is not fitted: scripts always get the same columns.
 */
#ifndef PROF_FIT_H
#define PROF_FIT_H

#include <stdbool.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FIT_TEXT_LEAST 20u /* characters of a name that are always shown */

/* The terminal's width in characters; COLUMNS in the environment overrides it. 0: the descriptor is
 * not a terminal, or its width is unknown. */
unsigned fit_terminal_width(int descriptor);

struct fit_column {
    const char *title;
    unsigned width; /* in: what it needs; out: what it gets */
    unsigned least; /* texts may be cut to this; for numbers, which may not, the same as `width` */
    unsigned rank;  /* 0: always shown; columns of the largest rank are left out first, together */
    bool left_out;  /* out */
};

/* Fits columns with two blanks between them into `width`: cuts texts, the widest first, and leaves
 * out columns where that is not enough. */
void fit_columns(struct fit_column *columns, unsigned count, unsigned width);

/* Cuts a text that is `columns` wide, and safe to show, to `width`, which is at least 3: what is
 * after its first two thirds gives way to "...", since names of kernels and paths often differ at
 * the end alone. `to` has room for the text and 4 bytes. */
void fit_text(const char *text, unsigned columns, unsigned width, char *to);

/* Of columns with two blanks between them, without those that are left out. */
unsigned fit_width(const struct fit_column *columns, unsigned count);

/* Says what was left out, and how to see it; nothing if nothing was. */
void fit_note(const struct fit_column *columns, unsigned count, unsigned width, FILE *stream);

/* Writes lines; folds those longer than `width` at blanks. */
void fit_lines(const char *text, unsigned width, FILE *stream);

/* Folds what `write` writes; `width` 0: it writes to the stream itself. False: it failed, or no
 * memory. */
bool fit_written(bool (*write)(const void *user, FILE *stream), const void *user, unsigned width,
                 FILE *stream);

#define WRAPPED_COLUMNS 100u

/* Writes the text, made safe to show, in lines of at most WRAPPED_COLUMNS, or of the terminal's
 * `width` (0 any), broken at blanks where there are any: the first after `first`, which is written
 * as it is, the others after as many blanks. Ends with a newline. */
void wrapped_text(FILE *stream, unsigned width, const char *first, const char *text);

#ifdef __cplusplus
}
#endif
#endif
