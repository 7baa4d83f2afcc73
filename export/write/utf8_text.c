/* utf8_text.c - see utf8_text.h. */
#include "utf8_text.h"

#include "json_escape.h"

#include <string.h>

bool utf8_is_valid(struct text text)
{
    uint32_t character;
    for (size_t at = 0, size; at < text.size; at += size)
        if (!(size = utf8_decode(text.bytes + at, text.size - at, &character)))
            return false;
    return true;
}

size_t utf8_mend(struct text text, char *to)
{
    size_t used = 0, size;
    uint32_t character;
    for (size_t at = 0; at < text.size; at += size ? size : 1) {
        size = utf8_decode(text.bytes + at, text.size - at, &character);
        memcpy(to + used, size ? text.bytes + at : "\xef\xbf\xbd", size ? size : 3);
        used += size ? size : 3;
    }
    return used;
}
