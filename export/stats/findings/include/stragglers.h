/* stragglers.h - which process the others waited for in collectives.
 *
 * A collective ends everywhere at about the same time, so the process whose kernel is the shortest
 * came last, and what the kernels of others took longer they waited for it. That needs no common
 * clock, so it holds across hosts. (HolisticTraceAnalysis compares the starts of one kernel, and
 * does need one.)
 *
 * The n-th communication kernel of a name in one process belongs to the n-th in the others. A trace
 * does not say which processes take part, so where groups of processes have collectives of their
 * own, they are compared with each other, too; names that a process has more or fewer kernels of
 * than another are left out, and counted.
 */
#ifndef PROF_STRAGGLERS_H
#define PROF_STRAGGLERS_H

#include "temporal_breakdown.h"

#ifdef __cplusplus
extern "C" {
#endif

struct straggler {
    uint32_t process;
    uint64_t collectives; /* that were compared */
    uint64_t last;        /* it came last; among equals, none did */
    int64_t waited_ns;    /* it waited for others */
    int64_t caused_ns;    /* the longest that another waited for it, summed over the collectives */
    struct finding_parts
        parts; /* by step in which its kernel ran: count those, cost_ns and saved_ns caused_ns */
};

struct stragglers {
    struct straggler *at; /* processes whose collectives were compared; most caused first */
    uint32_t count;
    uint64_t compared; /* collectives */
    struct finding_steps *steps;
    uint64_t left_out; /* kernels of names that are not as many in each process */
};

/* n log n of the communication kernels. With fewer than two processes that have any, nothing is
 * compared. `steps` NULL: nothing by step. False: no memory; fini is not needed then. */
bool stragglers_init(struct stragglers *stragglers, const struct timeline *timeline,
                     const struct work_classes *classes, struct finding_steps *steps);
void stragglers_fini(struct stragglers *stragglers);

#ifdef __cplusplus
}
#endif
#endif
