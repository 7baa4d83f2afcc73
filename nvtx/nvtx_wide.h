/* nvtx_wide.h - converts wide strings to UTF-8. */
#ifndef PROF_NVTX_WIDE_H
#define PROF_NVTX_WIDE_H

#include "prof/format.h"

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* More than is kept of a name: one character, which shows that the name is longer, and a hash of
 * the characters that do not fit, on which the mark of the name depends (names_cut). */
#define NVTX_WIDE_HASH_BYTES 16u
#define NVTX_WIDE_BYTES (PROF_NAME_BYTES_MAX + 8u + NVTX_WIDE_HASH_BYTES)

/* Writes `text` with a terminator and returns the bytes without it. Never reads behind the
 * terminator. Each value that is not a character (a surrogate, too large, negative) becomes
 * U+FFFD. */
size_t nvtx_wide_to_utf8(const wchar_t *text, char utf8[NVTX_WIDE_BYTES]);

/* One character as 1 to 4 bytes; returns how many. */
size_t nvtx_wide_put(uint32_t character, char *utf8);

/* UTF-8 under construction. At first zero, except for `utf8`, which has room for
 * NVTX_WIDE_BYTES. */
struct nvtx_wide {
    char *utf8;
    size_t size;
    uint64_t hash; /* of the characters that had no room, 0: all had */
};

void nvtx_wide_add(struct nvtx_wide *wide, uint32_t character);

/* Ends it with a terminator. Returns the bytes without it. */
size_t nvtx_wide_end(struct nvtx_wide *wide);

#endif
