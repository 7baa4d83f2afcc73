/* augment_plan.h - which work the events of a Chrome trace get: that of the timeline's kernels.
 *
 * The trace is read as a timeline, and its kernels are given the work of their ranges there
 * (kernel_work.h), as in every report. An event is found again by its times, a kernel by its
 * correlation besides, a range by its name. Events that agree in all of it stand for each other.
 */
#ifndef PROF_AUGMENT_PLAN_H
#define PROF_AUGMENT_PLAN_H

#include "kineto_event.h"
#include "range_work.h"

/* What is given to an event; NaN: not known. */
struct augment_work {
    double flop, bytes;
};

/* Why kernels have no FLOPs, beside enum op_known. */
enum { AUGMENT_NO_RANGE = OP_NO_TYPE + 1, AUGMENT_NOT_FOUND, AUGMENT_REASONS };

struct augment_counts {
    uint64_t kernels, with_flop, with_bytes;
    uint64_t without[AUGMENT_REASONS];
};

/* Things that are found by a number, several by the same one: chains. */
struct augment_index {
    struct keymap first;
    uint32_t *things; /* what stands for the index's elements */
    uint32_t *next;   /* element, TL_NONE */
    uint32_t count;
};

struct augment_plan {
    const struct timeline *timeline;
    struct kernel_works works;
    struct range_works ranges;
    struct augment_index kernels, owners; /* of gpus, of slices whose work is given */
    struct augment_counts counts;
    int64_t zero_ns; /* of the trace: the timeline's 0 */
    bool has_zero;
    char *name; /* of an event, without escapes */
    size_t name_room;
    bool failed; /* no memory */
};

/* False: no memory; fini may be called anyway. The timeline is that of the trace alone. */
bool augment_plan_init(struct augment_plan *plan, const struct timeline *timeline);
void augment_plan_fini(struct augment_plan *plan);

/* Of the events of the trace, each once, in their order. */
struct augment_work augment_plan_work(struct augment_plan *plan, const struct kineto_event *event);

const char *augment_reason_text(unsigned reason);

#endif
