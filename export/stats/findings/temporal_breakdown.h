/* temporal_breakdown.h - what each device did with its time: every nanosecond once.
 *
 *     before + span + after                        = window (of the process: first to last event)
 *     idle + compute + communication + memory      = span   (from the first operation to the last)
 *
 * Where several kinds of work run at once, the time is compute, else communication, else memory; so
 * communication here is what no computing hid. running_ns[] keeps all combinations apart.
 * HolisticTraceAnalysis' temporal breakdown is the same with communication and memory in one
 * (non-compute), its kernel type breakdown is running_ns[], its communication-computation overlap is
 * temporal_overlap_ns() over the union.
 */
#ifndef PROF_TEMPORAL_BREAKDOWN_H
#define PROF_TEMPORAL_BREAKDOWN_H

#include "work_classes.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TEMPORAL_SETS (1u << WORK_CLASSES) /* bit 1 << enum work_class: it runs */
#define TEMPORAL_CHUNKS 30u                /* as nsys' gpu_time_util divides a device's time */

struct temporal_row {
    uint32_t process;
    uint32_t device; /* ordinal in its process; TL_NONE unknown */
    uint64_t operations;
    int64_t first_ns, last_ns;              /* span */
    int64_t before_ns, after_ns, window_ns; /* the process's, around it */
    int64_t running_ns[TEMPORAL_SETS];      /* [0] idle; their sum is the span */
    int64_t sum_ns[WORK_CLASSES];           /* durations added up, overlap or not */
    uint64_t count[WORK_CLASSES];
    uint64_t long_gaps; /* idle for at least `long_gap_ns` at a time */
    int64_t long_gaps_ns, longest_gap_ns, longest_gap_at_ns;
    int64_t chunk_busy_ns[TEMPORAL_CHUNKS]; /* of equal parts of the span */
};

struct temporal_breakdown {
    struct temporal_row *at; /* devices with operations, by process and ordinal */
    uint32_t count;
    int64_t long_gap_ns; /* as it was asked for */
};

/* Linear but for the merge of a device's streams. False: no memory; fini is not needed then. */
bool temporal_breakdown_init(struct temporal_breakdown *breakdown, const struct timeline *timeline,
                             const struct work_classes *classes, int64_t long_gap_ns);
void temporal_breakdown_fini(struct temporal_breakdown *breakdown);

int64_t temporal_span_ns(const struct temporal_row *row);
int64_t temporal_idle_ns(const struct temporal_row *row);

/* The class's part of the span: see above. */
int64_t temporal_part_ns(const struct temporal_row *row, enum work_class class_of);

/* While at least one operation of the class ran. */
int64_t temporal_union_ns(const struct temporal_row *row, enum work_class class_of);

/* While both ran. */
int64_t temporal_overlap_ns(const struct temporal_row *row, enum work_class one,
                            enum work_class other);

/* From when to when a chunk is. */
void temporal_chunk(const struct temporal_row *row, uint32_t chunk, int64_t *start_ns,
                    int64_t *end_ns);

#ifdef __cplusplus
}
#endif
#endif
