/* nvtx_attrs.h - facts about an event as ATTR records in the calling thread's log.
 */
#ifndef PROF_NVTX_ATTRS_H
#define PROF_NVTX_ATTRS_H

#include "prof/format.h"

#include <stddef.h>
#include <stdint.h>

/* What an attribute is about, as prof_rec_attr.target has it: */
#define NVTX_OF_RANGE 0u /* the innermost open range of the thread */

/* One value, as decoded. */
struct nvtx_value {
    enum prof_attr_type type;
    uint64_t bits;    /* unless it is a string: the value as prof_rec_attr has it */
    const char *text; /* of a string; need not be terminated */
    size_t bytes;
};

uint64_t nvtx_attrs_double_bits(double value);

/* Writes one attribute; the thread is ready. */
void nvtx_attrs_write(uint64_t target, const char *key, const struct nvtx_value *value);

#endif
