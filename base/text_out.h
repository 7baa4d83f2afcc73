/* text_out.h - bytes put together in memory, one segment after the other.
 *
 * The first failure is latched, and everything after it is dropped. Starts as all zeros.
 */
#ifndef PROF_TEXT_OUT_H
#define PROF_TEXT_OUT_H

#include "text.h"

#include <string.h>

struct text_out {
    char *bytes;
    size_t size, capacity;
    bool failed; /* no memory */
};

void text_out_fini(struct text_out *out);

/* Room for so many bytes more; NULL: no memory. */
char *text_out_grow(struct text_out *out, size_t size);

static inline char *text_out_room(struct text_out *out, size_t size)
{
    bool fits = out->capacity - out->size >= size && out->bytes;
    return fits ? out->bytes + out->size : text_out_grow(out, size);
}

static inline void text_out_bytes(struct text_out *out, const char *bytes, size_t size)
{
    char *to = text_out_room(out, size);
    if (!to)
        return;
    memcpy(to, bytes, size);
    out->size += size;
}

static inline void text_out_string(struct text_out *out, const char *string)
{
    text_out_bytes(out, string, strlen(string));
}

#endif
