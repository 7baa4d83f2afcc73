/* namepool.h - the timeline's texts: each distinct one stored once, NUL-terminated, with an
 * index. */
#ifndef PROF_NAMEPOOL_H
#define PROF_NAMEPOOL_H

#include "maps.h"
#include "timeline.h"

/* Owns the texts of one timeline. */
struct tl_storage {
    struct storage_block *blocks; /* newest first */
    size_t block_used;            /* bytes of the newest */
};

struct namepool {
    struct timeline *timeline;   /* its names[] and storage */
    struct namepool_slot *slots; /* open addressing over names[] */
    uint32_t slot_count;         /* a power of two */
    struct idmap demangled;      /* name index -> index of its demangled form */
};

bool namepool_init(struct namepool *pool, struct timeline *timeline);
/* Releases what is needed for interning; the texts stay with the timeline. */
void namepool_fini(struct namepool *pool);
void namepool_free_storage(struct tl_storage *storage);

/* Index of the text, or TL_NONE: no memory. */
uint32_t namepool_intern(struct namepool *pool, struct text text);
uint32_t namepool_format(struct namepool *pool, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Index of the demangled form of a name; the same index where there is none. TL_NONE: no memory. */
uint32_t namepool_demangled(struct namepool *pool, uint32_t name);

/* A copy that lives as long as the timeline. `bytes` is NULL: no memory. */
struct text namepool_copy(struct namepool *pool, struct text text);

#endif
