/* launch_stats.h - what launching cost, for each device: of operations whose call is in the trace and
 * launched nothing else, so without those of graphs.
 *
 * As HolisticTraceAnalysis' launch statistics: calls that took long, starts that came late after the
 * call's end, operations shorter than the call that launched them. `starved` is not there: starts that
 * came late though the stream had nothing else to do since the call ended.
 */
#ifndef PROF_LAUNCH_STATS_H
#define PROF_LAUNCH_STATS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* HolisticTraceAnalysis' defaults. */
#define LAUNCH_SLOW_CALL_NS 50000
#define LAUNCH_LATE_START_NS 100000

struct launch_some {
    uint64_t count;
    int64_t excess_ns; /* beyond the limit; of `shorter`: what the calls took longer */
    uint32_t worst;    /* operation, into gpus[]; TL_NONE */
    int64_t worst_ns;
};

struct launch_row {
    uint32_t process;
    uint32_t device;                        /* ordinal in its process; TL_NONE unknown */
    uint64_t launched;                      /* operations that are looked at */
    uint64_t others;                        /* of graphs, or their call is not in the trace */
    int64_t call_ns, delay_ns, duration_ns; /* sums over those that are looked at */
    struct launch_some slow;                /* calls longer than `slow_call_ns` */
    struct launch_some late;                /* started later than `late_start_ns` after the call */
    struct launch_some starved;             /* of these, though the stream had been free as long */
    struct launch_some shorter;             /* took less time than the call */
};

struct launch_stats {
    struct launch_row *at; /* devices with operations */
    uint32_t count;
};

/* Linear. False: no memory; fini is not needed then. */
bool launch_stats_init(struct launch_stats *stats, const struct timeline *timeline,
                       int64_t slow_call_ns, int64_t late_start_ns);
void launch_stats_fini(struct launch_stats *stats);

#ifdef __cplusplus
}
#endif
#endif
