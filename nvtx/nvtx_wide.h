/* nvtx_wide.h - converts wide strings to UTF-8. */
#ifndef PROF_NVTX_WIDE_H
#define PROF_NVTX_WIDE_H

#include "prof/format.h"

#include <stddef.h>
#include <wchar.h>

/* One character more than is kept of a name, so that a longer name is seen to be cut. */
#define NVTX_WIDE_BYTES (PROF_NAME_BYTES_MAX + 8u)

/* Writes `text` with a terminator and returns the bytes without it. Never reads behind the
 * terminator, nor much further than what fits. Each value that is not a character (a surrogate, too
 * large, negative) becomes U+FFFD. */
size_t nvtx_wide_to_utf8(const wchar_t *text, char utf8[NVTX_WIDE_BYTES]);

/* One character as 1 to 4 bytes; returns how many. */
size_t nvtx_wide_put(uint32_t character, char *utf8);

#endif
