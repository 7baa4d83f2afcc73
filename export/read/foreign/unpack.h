/* unpack.h - a decompressor as source.c sees one. */
#ifndef PROF_UNPACK_H
#define PROF_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left of the input and of the room for output; a step moves both on. */
struct unpack_io {
    const uint8_t *in;
    size_t in_bytes;
    uint8_t *out;
    size_t out_bytes;
};

enum unpack_result {
    UNPACK_MORE, /* wants more input or more room */
    UNPACK_END,  /* a member or frame is complete: another may follow */
    UNPACK_BAD,
};

struct unpacker {
    const char *name;    /* of the compression */
    const char *library; /* what Debian calls what it needs to be built */
    uint8_t magic[4];
    size_t magic_bytes;
    bool built; /* false: this program was built without it */
    /* NULL: no memory. */
    void *(*create)(void);
    enum unpack_result (*step)(void *state, struct unpack_io *io);
    void (*destroy)(void *state);
};

extern const struct unpacker unpack_gzip, unpack_zstd;

#endif
