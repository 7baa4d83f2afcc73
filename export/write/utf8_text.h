/* utf8_text.h - any bytes as UTF-8, for readers that trust text to be that. */
#ifndef PROF_UTF8_TEXT_H
#define PROF_UTF8_TEXT_H

#include "read.h"

bool utf8_is_valid(struct text text);

/* Bytes that utf8_mend() may need. */
#define UTF8_MENDED_BYTES(size) ((size)*3)

/* Each byte that is no part of a character becomes U+FFFD, as in JSON. Returns the bytes written. */
size_t utf8_mend(struct text text, char *to);

#endif
