#include "text_out.h"

#include <stdlib.h>

#define FIRST_BYTES 4096u

void text_out_fini(struct text_out *out)
{
    free(out->bytes);
    *out = (struct text_out){0};
}

char *text_out_grow(struct text_out *out, size_t size)
{
    size_t capacity = out->capacity ? out->capacity : FIRST_BYTES;
    while (capacity - out->size < size && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    char *bytes = out->failed || capacity - out->size < size ? NULL : realloc(out->bytes, capacity);
    if (!bytes) {
        out->failed = true;
        return NULL;
    }
    out->bytes = bytes;
    out->capacity = capacity;
    return bytes + out->size;
}
