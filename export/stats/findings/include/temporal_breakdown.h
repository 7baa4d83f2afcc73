/* temporal_breakdown.h - what devices and streams did over time: classes of work, busy and idle
 * time, launch queues.
 *
 * An operation computes, communicates or moves memory.
 *  * Copies and sets move memory. A kernel communicates if its name says so (kernel_class.h); all
 *  others compute. That
 * is wider than HolisticTraceAnalysis, which takes names that begin with "nccl" and hold "Kernel".
 * A graph that was recorded as a whole computes.
 *
 * Each name is classified once, on first use.
 */
#ifndef PROF_TEMPORAL_BREAKDOWN_H
#define PROF_TEMPORAL_BREAKDOWN_H

#include "device_time.h"
#include "finding_steps.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Traits that a kernel's name reveals. */
#define KERNEL_KNOWN 1u /* the name was classified */
#define KERNEL_COMMUNICATES 2u
#define KERNEL_FP32_MATRIX 4u /* multiplies or convolves in FP32, not on tensor cores */
#define KERNEL_ELEMENTWISE 8u /* one of PyTorch's element-wise kernels */

struct work_classes {
    const struct timeline *timeline;
    uint8_t *traits; /* KERNEL_*, by name */
};

/* False: no memory; fini is not needed then. */
bool work_classes_init(struct work_classes *classes, const struct timeline *timeline);
void work_classes_fini(struct work_classes *classes);

/* KERNEL_* of a name, not looked up. */
uint8_t work_classes_read(struct text name);

/* KERNEL_* of an operation that is a kernel; KERNEL_KNOWN alone of one without a name. */
uint8_t work_classes_traits(const struct work_classes *classes, const struct tl_gpu *operation);

static inline enum work_class work_class_of(const struct work_classes *classes,
                                            const struct tl_gpu *operation)
{
    if (operation->kind == TL_MEMCPY || operation->kind == TL_MEMSET)
        return WORK_MEMORY;
    if (operation->kind != TL_KERNEL)
        return WORK_COMPUTE;
    return work_classes_traits(classes, operation) & KERNEL_COMMUNICATES ? WORK_COMMUNICATION
                                                                         : WORK_COMPUTE;
}

/* "compute", "communication", "memory" */
const char *work_class_name(enum work_class class_of);

/* ---- what each device did with its time: every nanosecond once ----
 *
 *     before + span + after                        = window (of the process: first to last event)
 *     idle + compute + communication + memory      = span   (from the first operation to the last)
 *
 * Where several kinds of work run at once, the time is compute, else communication, else memory; so
 * communication here is what no computing hid. running_ns[] keeps all combinations apart.
 * HolisticTraceAnalysis' temporal breakdown is the same with communication and memory in one
 * (non-compute), its kernel type breakdown is running_ns[], its communication-computation overlap
 * is temporal_overlap_ns() over the union.
 */

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
    /* By step: communication that no computing hid, with computing alone as most_ns; idle time of
     * long gaps and of chunks. */
    struct finding_parts exposed, long_parts, chunk_idle[TEMPORAL_CHUNKS];
};

struct temporal_breakdown {
    struct temporal_row *at; /* devices with operations, by process and ordinal */
    uint32_t count;
    int64_t long_gap_ns; /* as it was requested */
};

/* Linear but for the merge of a device's streams. `steps` NULL: nothing by step. False: no memory;
 * fini is not needed then. */
bool temporal_breakdown_init(struct temporal_breakdown *breakdown, const struct timeline *timeline,
                             const struct work_classes *classes, int64_t long_gap_ns,
                             struct finding_steps *steps);
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

/* ---- idle time of streams ----
 *
 * Why each stream had nothing to do between two of its operations.
 *
 *     host wait     the next operation was launched after the one before had ended
 *     kernel wait   it was there already, and came after less than `kernel_wait_ns`
 *     other         it was there already, and waited longer: for another stream, or the device
 *     unknown       the call that launched it is not in the trace
 *
 * The sum of the four is the time between operations of the stream. As HolisticTraceAnalysis' idle
 * time breakdown but for two things: it has no "unknown" (those are "other" or "kernel wait"
 * there), and where operations of a stream overlap it subtracts the overlap from the sum.
 */

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

/* ---- queue depth ----
 *
 * How many operations were launched to each stream and had not started.
 *
 * The depth rises when the call that launches begins and falls when the operation starts, as in
 * HolisticTraceAnalysis' queue length. Operations of graphs, and those whose call is not in the
 * trace, are left out: the trace does not show when they entered the queue.
 */

/* Queue capacity: the next launch waits. */
#define QUEUE_DEPTH_FULL 1024u

struct queue_row {
    uint32_t stream;     /* into streams[] */
    uint64_t changes;    /* two for each operation */
    int64_t most, least; /* least is below 0 where clocks disagree */
    double mean;         /* over the changes, as HolisticTraceAnalysis has it */
    double mean_in_time; /* weighted by how long it lasted; NaN: the changes are at one time */
    int64_t most_at_ns;
    int64_t span_ns; /* from the first change to the last */
    int64_t full_ns; /* of it, at `full` or more */
};

struct queue_depth {
    struct queue_row *at; /* streams with such operations */
    uint32_t count;
};

/* A sort of the calls of each stream, linear as a rule. False: no memory; fini is not needed
 * then. */
bool queue_depth_init(struct queue_depth *depth, const struct timeline *timeline, uint32_t full);
void queue_depth_fini(struct queue_depth *depth);

#ifdef __cplusplus
}
#endif
#endif
