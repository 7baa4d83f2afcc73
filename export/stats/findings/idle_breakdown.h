/* idle_breakdown.h - why each stream had nothing to do between two of its operations.
 *
 *     host wait     the next operation was launched after the one before had ended
 *     kernel wait   it was there already, and came after less than `kernel_wait_ns`
 *     other         it was there already, and waited longer: for another stream, or the device
 *     unknown       the call that launched it is not in the trace
 *
 * The sum of the four is the time between operations of the stream. As HolisticTraceAnalysis' idle time
 * breakdown but for two things: it has no "unknown" (those are "other" or "kernel wait" there), and
 * where operations of a stream overlap it subtracts the overlap from the sum.
 */
#ifndef PROF_IDLE_BREAKDOWN_H
#define PROF_IDLE_BREAKDOWN_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* HolisticTraceAnalysis says 30 ns, and compares with times in microseconds. */
#define IDLE_KERNEL_WAIT_NS 30000

enum idle_cause { IDLE_HOST_WAIT, IDLE_KERNEL_WAIT, IDLE_OTHER, IDLE_UNKNOWN, IDLE_CAUSES };

struct idle_row {
    uint32_t stream; /* into streams[] */
    int64_t total_ns;
    int64_t cause_ns[IDLE_CAUSES];
    uint64_t count[IDLE_CAUSES]; /* gaps that are longer than nothing */
    int64_t longest_ns[IDLE_CAUSES];
};

struct idle_breakdown {
    struct idle_row *at; /* streams with two operations or more */
    uint32_t count;
};

/* Linear. False: no memory; fini is not needed then. */
bool idle_breakdown_init(struct idle_breakdown *breakdown, const struct timeline *timeline,
                         int64_t kernel_wait_ns);
void idle_breakdown_fini(struct idle_breakdown *breakdown);

/* "host wait" */
const char *idle_cause_name(enum idle_cause cause);

#ifdef __cplusplus
}
#endif
#endif
