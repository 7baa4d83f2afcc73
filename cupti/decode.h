/* decode.h - converts CUPTI's activity records to records of the trace file.
 *
 * Which fields a record has follows from its size (oracle.h). Records go into the log of the
 * calling thread, facts (device, context, stream) into META. What cannot be recorded is counted:
 * loss is data.
 */
#ifndef PROF_DECODE_H
#define PROF_DECODE_H

#include "oracle.h"

struct decode_result {
    uint64_t device_records; /* kernels, copies and sets that were recorded */
    uint64_t unreadable;     /* bytes at the end that could not be parsed */
};

/* Decodes `bytes` of records. The sizes of the oracle are used to walk; `next` (may be NULL) is
 * asked where a kind is unknown to it. Threads: any, each with its own buffer. */
struct decode_result decode_buffer(const struct oracle *oracle, oracle_next_record next,
                                   uint8_t *buffer, size_t bytes);

/* How many records of kernels, copies, sets and memory a buffer holds that must not be read
 * further. */
uint64_t decode_count_only(const struct oracle *oracle, const uint8_t *buffer, size_t bytes);

#endif
