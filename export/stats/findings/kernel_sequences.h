/* kernel_sequences.h - which ranges have the device do the same things in the same order.
 *
 * Of the outermost ranges whose name holds a text, what each launched, itself and within, in the order
 * in which it was launched, is one sequence: the names of kernels, copies and sets. Ranges of one name
 * with equal sequences are one pattern. As HolisticTraceAnalysis' frequent kernel sequences, which
 * takes operations in the order in which they ran.
 */
#ifndef PROF_KERNEL_SEQUENCES_H
#define PROF_KERNEL_SEQUENCES_H

#include "key_names.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define KERNEL_SEQUENCE_LEAST 3u /* shorter ones are no patterns */

struct kernel_sequence {
    uint64_t hash;
    uint32_t example;  /* the first range of it */
    uint32_t key;      /* of its name */
    uint32_t length;   /* operations */
    uint32_t count;    /* ranges */
    int64_t device_ns; /* of the operations */
    int64_t range_ns;  /* of the ranges */
    int64_t call_ns;   /* of it, in the calls that launched */
};

struct kernel_sequences {
    struct kernel_sequence *at; /* most frequent first, then longest on the device */
    uint32_t count, capacity;
    uint32_t ranges; /* that were looked at, shorter ones too */
};

/* Ranges whose name holds `part`; NULL: steps. Linear. False: no memory; fini is not needed then. */
bool kernel_sequences_init(struct kernel_sequences *sequences, const struct timeline *timeline,
                           const struct key_names *keys, const char *part, uint32_t least);
void kernel_sequences_fini(struct kernel_sequences *sequences);

/* Names of its operations, at most `most`; returns how many were given. */
uint32_t kernel_sequence_names(const struct timeline *timeline,
                               const struct kernel_sequence *sequence, uint32_t *names,
                               uint32_t most);

#ifdef __cplusplus
}
#endif
#endif
