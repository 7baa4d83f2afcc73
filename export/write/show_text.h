/* show_text.h - text that may be shown on a terminal, whatever it holds.
 *
 * Controls of both sets, marks that reverse the reading direction and bytes that are not UTF-8 are
 * shown as \n, \x1b, \u202e ...: a name can neither drive a terminal nor disguise itself. A
 * backslash stays as it is.
 */
#ifndef PROF_SHOW_TEXT_H
#define PROF_SHOW_TEXT_H

#include "read.h"

/* Bytes that show_text() may need for a number of columns. */
#define SHOW_TEXT_BYTES(columns) ((columns)*4u + 12u)

/* Writes at most `columns` characters of the text into `to` (of SHOW_TEXT_BYTES(columns)),
 * NUL-terminated, and returns how many characters they are. `rest` gets whether something did not
 * fit. */
unsigned show_text(struct text text, unsigned columns, char *to, bool *rest);

/* The same, ending in "..." where something did not fit. */
unsigned show_text_cut(struct text text, unsigned columns, char *to);

/* The number of characters that show_text() would need, counted up to `limit`. */
unsigned show_text_width(struct text text, unsigned limit);

#endif
