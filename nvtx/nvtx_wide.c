#include "nvtx_wide.h"

#define NVTX_WIDE_REPLACEMENT 0xfffdu

_Static_assert(sizeof(wchar_t) == 4, "NVTX's wide strings are UTF-32 where wchar_t has 4 bytes");

size_t nvtx_wide_put(uint32_t character, char *utf8)
{
    if (character > 0x10ffffu || (character >= 0xd800u && character < 0xe000u))
        character = NVTX_WIDE_REPLACEMENT;
    if (character < 0x80u) {
        utf8[0] = (char)character;
        return 1;
    }
    size_t bytes = character < 0x800u ? 2 : character < 0x10000u ? 3 : 4;
    static const unsigned lead[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t at = bytes - 1; at > 0; at--, character >>= 6)
        utf8[at] = (char)(0x80u | (character & 0x3fu));
    utf8[0] = (char)(lead[bytes] | character);
    return bytes;
}

size_t nvtx_wide_to_utf8(const wchar_t *text, char utf8[NVTX_WIDE_BYTES])
{
    size_t size = 0;
    while (*text && size + 4 < NVTX_WIDE_BYTES)
        size += nvtx_wide_put((uint32_t)*text++, utf8 + size);
    utf8[size] = '\0';
    return size;
}
