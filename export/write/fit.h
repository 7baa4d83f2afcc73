/* fit.h - output that fits a terminal: how wide a table's names are, which of its columns there are, and
 * lines that are folded.
 *
 * Where the output goes to no terminal nothing is fitted: scripts see all columns, always alike.
 */
#ifndef PROF_FIT_H
#define PROF_FIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define FIT_TEXT_LEAST 20u /* characters of a name that still say something */

/* Characters in a line of the terminal, or what COLUMNS in the environment says of it. 0: the descriptor
 * is no terminal, or one that does not know. */
unsigned fit_terminal_width(int descriptor);

struct fit_column {
    const char *title;
    unsigned width; /* in: all that it needs; out: what it gets */
    unsigned least; /* a text may be cut to this; a number must not be: the same as `width` */
    unsigned
        rank; /* 0 always shown; else columns of the largest rank are left out first, together */
    bool left_out; /* out */
};

/* Fits columns with two blanks between them into `width`: cuts texts, the widest first, and leaves out
 * columns where that is not enough. */
void fit_columns(struct fit_column *columns, unsigned count, unsigned width);

/* Says what was left out, and how to see it; nothing if nothing was. */
void fit_note(const struct fit_column *columns, unsigned count, unsigned width, FILE *stream);

/* Writes lines, those that are longer than `width` folded at blanks. */
void fit_lines(const char *text, unsigned width, FILE *stream);

/* Folds what `write` writes; `width` 0: it writes to the stream itself. False: it failed, or no memory. */
bool fit_written(bool (*write)(const void *user, FILE *stream), const void *user, unsigned width,
                 FILE *stream);

#ifdef __cplusplus
}
#endif
#endif
