/* oracle.h - record sizes of the loaded libcupti.
 *
 * cuptiGetVersion() does not tell (three toolkits say 18 and mean two layouts), so the library
 * itself is asked: given a buffer that looks full of records of one kind, the distance between
 * two results of cuptiActivityGetNextRecord() is the size of that record. Works without driver,
 * context or subscriber.
 */
#ifndef PROF_ORACLE_H
#define PROF_ORACLE_H

#include "abi.h"

#include <stdbool.h>

/* cuptiActivityGetNextRecord. */
typedef int (*oracle_next_record)(uint8_t *buffer, size_t valid_bytes, void **record);

/* Bytes of a record by kind; 0 = the library does not know the kind. */
struct oracle {
    uint16_t size[ABI_KIND_COUNT];
};

/* Asks `next` about every kind. False when it knows none of those that make a profile (kernel,
 * copy, set). */
bool oracle_query(struct oracle *oracle, oracle_next_record next);

static inline uint32_t oracle_size(const struct oracle *oracle, uint32_t kind)
{
    return kind < ABI_KIND_COUNT ? oracle->size[kind] : 0;
}

#endif
