/* attrs.h - facts about an event as ATTR records in the calling thread's log.
 */
#ifndef PROF_ATTRS_H
#define PROF_ATTRS_H

#include "prof/format.h"

#include <stddef.h>
#include <stdint.h>

/* What an attribute is about, as prof_rec_attr.target has it: */
#define ATTRS_OF_RANGE 0u /* the innermost open range of the thread */

/* One value, as decoded. */
struct attr_value {
    enum prof_attr_type type;
    uint64_t bits;    /* unless it is a string: the value as prof_rec_attr has it */
    const char *text; /* of a string; need not be terminated */
    size_t bytes;
};

struct name_cache;

/* Id of a text that is a value; 0: there have been too many (counted). */
uint32_t attrs_text(struct name_cache *names, const char *text, size_t bytes);

uint64_t attrs_double_bits(double value);

/* Writes one attribute; the thread is ready. */
void attrs_write(uint64_t target, const char *key, const struct attr_value *value);

#endif
