/* html_bytes.h - numbers as bytes for a page: columns of variable length, deflated where zlib is
 * there, in base64. */
#ifndef PROF_HTML_BYTES_H
#define PROF_HTML_BYTES_H

#include "json_out.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed is empty. The first failure is latched; what follows is dropped. */
struct html_bytes {
    uint8_t *at;
    size_t count, capacity;
    bool failed;
};

void html_bytes_fini(struct html_bytes *bytes);

/* Seven bits in each byte, the lowest first; the high bit says that more follow. */
void html_bytes_uint(struct html_bytes *bytes, uint64_t value);
/* 0, -1, 1, -2 ... as 0, 1, 2, 3 ... */
void html_bytes_int(struct html_bytes *bytes, int64_t value);
/* Its size, then at most `most` bytes of it; not cut within a character. */
void html_bytes_text(struct html_bytes *bytes, struct text text, size_t most);
void html_bytes_append(struct html_bytes *bytes, const struct html_bytes *more);

/* Members "packing" ("deflate" or "none") and "data" (base64). False: no memory. */
bool html_bytes_write(struct json_out *out, const struct html_bytes *bytes);

#ifdef __cplusplus
}
#endif
#endif
