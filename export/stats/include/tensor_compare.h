/* tensor_compare.h - how far logged values of two runs are apart.
 *
 * Values of an ETDump: numbers are in the dump, elements of tensors in a buffer beside it. The n-th
 * block of a name and input is compared with the n-th such block of the reference; in it, the n-th
 * value of the same instruction, chain, delegate, name and kind (computed by an operator, or output
 * of the run) with the n-th.
 *
 *     a reference, b run, both as doubles, NaN taken as 0
 *     MSE     mean (a - b)^2
 *     L1      sum |a - b|
 *     SNR     10 log10 (mean a^2 / mean (a - b)^2), in dB; infinite where nothing differs
 *     cosine  sum a b / (|a| |b|); NaN where one of them is all zeros
 */
#ifndef PROF_TENSOR_COMPARE_H
#define PROF_TENSOR_COMPARE_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One run: its timeline, and the buffer with its tensors, which may be NULL. */
struct compare_side {
    const struct timeline *timeline;
    const uint8_t *buffer;
    size_t size;
};

enum compare_problem {
    COMPARE_OK,
    COMPARE_MISSING,   /* the reference has no such value */
    COMPARE_KIND,      /* one is a tensor, the other a number; or lists of different lengths */
    COMPARE_SHAPE,     /* different sizes */
    COMPARE_TYPE,      /* elements of a type that has no numbers here */
    COMPARE_NO_BUFFER, /* the elements are in a buffer that was not given */
    COMPARE_OUTSIDE,   /* the elements lie outside of the buffer */
    COMPARE_TOO_MUCH,  /* all tensors so far were much larger than both buffers: a hostile file's */
};

/* As in "has no counterpart in the reference". */
const char *compare_problem_text(enum compare_problem problem);

struct compare_metrics {
    uint64_t elements;
    double mse, l1, snr, cosine;
};

struct compare_row {
    uint32_t block;     /* into timeline.blocks of the run */
    uint32_t iteration; /* which of its name and input, from 0 */
    uint32_t debug;     /* into debugs[] of the run */
    uint32_t part;      /* which tensor of a list */
    enum compare_problem problem;
    struct compare_metrics metrics;
};

struct compare_rows {
    TL_ARRAY(struct compare_row) rows; /* in the order of the run */
};

/* False: no memory. */
bool compare_rows_init(struct compare_rows *rows, const struct compare_side *reference,
                       const struct compare_side *run);
void compare_rows_fini(struct compare_rows *rows);

/* Bytes of an element of a type of PyTorch's ScalarType; 0: it has no numbers here. */
unsigned scalar_type_bytes(uint32_t type);
double scalar_value(uint32_t type, const uint8_t *at);

#ifdef __cplusplus
}
#endif
#endif
