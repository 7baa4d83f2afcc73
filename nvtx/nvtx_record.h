/* nvtx_record.h - an event with everything that came along, as records in the calling thread's log.
 * The way of everything that the hot path in nvtx_ranges.c does not know already.
 */
#ifndef PROF_NVTX_RECORD_H
#define PROF_NVTX_RECORD_H

#include "labels.h"
#include "nvtx_abi.h"
#include "nvtx_abi_payload.h"

#include "prof/format.h"

#include <stddef.h>
#include <stdint.h>
#include <wchar.h>

/* The attributes as far as `size` covers them, the rest as if not given. NULL gives none
 * (counted). */
void nvtx_record_read(const struct nvtx_attributes *given, struct nvtx_attributes *full);

/* Records an event of `domain` (its number). `full` is what nvtx_record_read() made. The thread is
 * ready (thread_ready). Returns the id of a range that was begun, 0 when it could not be. */
uint64_t nvtx_record(enum labelled_kind kind, uint32_t domain, const struct nvtx_attributes *full);

/* Records a payload that is a number as an attribute of that target. Any other is counted as
 * lost. */
void nvtx_record_number(uint64_t target, const struct nvtx_attributes *full);

/* Attributes out of blobs, for the innermost open range of the thread (target ATTRS_OF_RANGE), its
 * latest mark or a range. */
void nvtx_record_blobs(uint32_t domain, uint64_t target, const struct nvtx_blob *blobs,
                       size_t count);

/* The name that text without terminator has; in labels.h's words, at most PROF_NAME_BYTES_MAX
 * + 1 bytes of it matter. */
struct nvtx_record_text {
    const char *text; /* NULL: none */
    size_t bytes;
};

/* The text of a message that is not an event's: a name for something. `wide` is room for a wide
 * one. */
struct nvtx_record_text nvtx_record_message(int32_t type, union nvtx_message message, char *wide);

/* ---- wide strings as UTF-8 ---- */

/* More than is kept of a name: one character, which shows that the name is longer, and a hash of
 * the characters that do not fit, on which the mark of the name depends (names_cut). */
#define NVTX_WIDE_HASH_BYTES 16u
#define NVTX_WIDE_BYTES (PROF_NAME_BYTES_MAX + 8u + NVTX_WIDE_HASH_BYTES)

/* Writes `text` with a terminator and returns the bytes without it. Never reads after the
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
