#include "nvtx_wide.h"

#include "names.h"

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

void nvtx_wide_add(struct nvtx_wide *wide, uint32_t character)
{
    if (!wide->hash && wide->size + 4 < NVTX_WIDE_BYTES - NVTX_WIDE_HASH_BYTES) {
        wide->size += nvtx_wide_put(character, wide->utf8 + wide->size);
        return;
    }
    wide->hash = (wide->hash ^ character ^ UINT64_C(1) << 63) * NAMES_MIX_1;
    wide->hash ^= wide->hash >> 32;
    wide->hash += wide->hash == 0;
}

size_t nvtx_wide_end(struct nvtx_wide *wide)
{
    if (wide->hash) {
        names_put_hash(wide->utf8 + wide->size, wide->hash);
        wide->size += NVTX_WIDE_HASH_BYTES;
    }
    wide->utf8[wide->size] = '\0';
    return wide->size;
}

size_t nvtx_wide_to_utf8(const wchar_t *text, char utf8[NVTX_WIDE_BYTES])
{
    struct nvtx_wide wide = {.utf8 = utf8};
    while (*text)
        nvtx_wide_add(&wide, (uint32_t)*text++);
    return nvtx_wide_end(&wide);
}
