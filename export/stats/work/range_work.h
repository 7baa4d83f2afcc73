/* range_work.h - the work of every range by itself: what the program said of it, else its operator's
 * formula. Which of nested ranges counts is kernel_work.h's.
 *
 * Equal names, sizes, types and values mean equal work, and they are indexes into timeline.names: so
 * what a thousand calls have in common is computed once.
 */
#ifndef PROF_RANGE_WORK_H
#define PROF_RANGE_WORK_H

#include "array.h"
#include "kernel_work.h"
#include "maps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct range_work {
    struct op_work work;
    uint8_t source;   /* enum kernel_work_source */
    uint8_t rank;     /* enum op_class; OP_UNCLASSED: nothing is known of it but why */
    bool is_total;    /* the program's number for everything in the range */
    bool is_computed; /* some kernels of such a range are there for others, as for a layout */
};

struct range_works {
    uint32_t *of_slice; /* into all[], TL_NONE: nothing is said of the range */
    TL_ARRAY(struct range_work) all;
    /* below: range_work.c's */
    const struct timeline *timeline;
    uint8_t *roles;      /* by name: what an attribute of that name says */
    uint8_t *classes;    /* by name: enum op_class, or CLASS_UNSEEN */
    struct keymap ops;   /* (name, sizes) -> number of the pair */
    struct keymap texts; /* (types, values) -> number of the pair */
    struct keymap known; /* (number, number) -> into all[] */
    struct op_inputs inputs;
};

/* One pass over the attributes. False: no memory; fini is not needed then. */
bool range_works_init(struct range_works *works, const struct timeline *timeline);
void range_works_fini(struct range_works *works);

/* Why nothing is known of a kernel of this slice: OP_NO_SHAPES in an operator with a formula whose
 * inputs were not recorded ... */
struct op_work range_works_reason(struct range_works *works, uint32_t slice);

#ifdef __cplusplus
}
#endif
#endif
