/* record.h - one record of a chunk, checked, and the walk from one to the next. */
#ifndef PROF_RECORD_H
#define PROF_RECORD_H

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct record {
    const uint64_t *at; /* its header word in the file */
    uint64_t header;
    unsigned words; /* header included */
};

enum record_status {
    RECORD_EMPTY, /* never committed: skip one word */
    RECORD_GOOD,
    RECORD_TORN,    /* reserved, never committed: skip `words` */
    RECORD_UNKNOWN, /* a type of a later version: skip `words` */
    RECORD_BAD,     /* impossible: nothing behind it can be trusted */
};

/* Looks at the word `at`, of which `room` words remain in the chunk (at least 1). A live recorder
 * may be writing the file: the header is read once (acquire, partner of the recorder's commit). */
enum record_status record_read(const uint64_t *at, size_t room, struct record *record);

/* Copies the record, or as much of it as `size` takes; what the record does not cover becomes
 * zero. */
static inline void record_copy(const struct record *record, void *to, size_t size)
{
    size_t have = (size_t)record->words * 8;
    memset(to, 0, size);
    memcpy(to, record->at, have < size ? have : size);
}

static inline unsigned record_type(const struct record *record)
{
    return PROF_WORD_TYPE(record->header);
}

/* The text that follows `head_bytes` bytes of the record; false when the record is too short for
 * it. */
bool record_text(const struct record *record, size_t head_bytes, uint32_t bytes, const char **text);

#endif
