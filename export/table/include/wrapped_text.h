/* wrapped_text.h - paragraphs that fit a terminal, of text that is made safe to show. */
#ifndef PROF_WRAPPED_TEXT_H
#define PROF_WRAPPED_TEXT_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

#define WRAPPED_COLUMNS 100u

/* Writes the text in lines of at most WRAPPED_COLUMNS, or of the terminal's `width` (0 any), broken
 * at blanks where there are any: the first behind `first`, which is written as it is, the others
 * behind as many blanks. Ends with a newline. */
void wrapped_text(FILE *stream, unsigned width, const char *first, const char *text);

#ifdef __cplusplus
}
#endif
#endif
