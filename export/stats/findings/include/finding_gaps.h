/* finding_gaps.h - why devices idled, and whose time that was.
 *
 *     busy + idle by cause = window          of each device, to the nanosecond
 *
 * busy and window are those of device_time.h. A gap is a stretch in which no stream of a device had
 * anything to do. It is explained by the thread that ended it, with the call L that launched the
 * next operation:
 *
 *     device   ====|                 gap                  |=====
 *     thread   -- range A ----- cudaX --- range B --|- L -|
 *                  |<------- what it did then ----->|<-1->|<-2->|
 *
 * Before L, each segment has the cause that the innermost range or call has in which it passed.
 * 1, in L: launching, or copying. 2, after L: the launch is under way for as long as launches take,
 * then it waits for something. Where launching is more of a gap than the host's own code, that code
 * belongs to it: it is what is between launches. While the thread was in no range, what the thread
 * did that launched the operation before counts (a backward pass has a thread of its own).
 */
#ifndef PROF_FINDING_GAPS_H
#define PROF_FINDING_GAPS_H

#include "finding_owners.h"
#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

enum gap_cause {
    GAP_SHORT,         /* less than least_gap_ns: what a device needs from one to the next */
    GAP_LAUNCH,        /* launching is what took the time */
    GAP_CPU,           /* the host's own code, in a range or outside of all */
    GAP_SYNC,          /* in a call that waits for a device */
    GAP_COPY,          /* in a copy that waits, or that stages pageable memory */
    GAP_ALLOCATE,      /* in a call that allocates or frees */
    GAP_OTHER_CALL,    /* in another CUDA call */
    GAP_HOST_FUNCTION, /* a stream waited for a function of the host */
    GAP_QUEUED,  /* launched long since: waited for an event, another device, a graph's host */
    GAP_START,   /* before the device's first operation */
    GAP_END,     /* after its last */
    GAP_OFF,     /* recording was off */
    GAP_UNKNOWN, /* the launch is not in the trace */
    GAP_CAUSES
};

/* A gap that is not short and lies between two operations. */
struct finding_gap {
    int64_t start_ns, end_ns;
    uint32_t next;    /* the operation that ended it, into gpus[] */
    uint32_t blocker; /* the call that the launching thread was in at its start and that waits for
                         devices or may: waits, copies, allocations; TL_NONE */
    uint32_t device;  /* into devices */
    uint8_t cause;    /* what most of it was: enum gap_cause */
};

struct gap_device {
    uint32_t process;
    uint32_t device; /* ordinal, TL_NONE unknown */
    uint64_t operations;
    int64_t window_ns, busy_ns;
    int64_t idle_ns[GAP_CAUSES];
    struct finding_parts idle_parts[GAP_CAUSES]; /* by step: cost_ns */
};

struct finding_gaps {
    TL_ARRAY(struct finding_gap) gaps;   /* by device, then time */
    TL_ARRAY(struct gap_device) devices; /* those with operations, by process and ordinal */
    /* Whose time it was, by process, device and path; counted by segment. Not gathered. */
    struct finding_owners owners[GAP_CAUSES];
    int64_t *bounds; /* by process: see finding_gaps_bound() */
};

/* Linear in slices and operations, but for a heap of a device's streams. False: no memory; fini is
 * not needed then. */
bool finding_gaps_init(struct finding_gaps *gaps, const struct finding_context *context);
void finding_gaps_fini(struct finding_gaps *gaps);

/* "cpu-bound"; "the CPU was busy with something else". */
const char *gap_cause_name(enum gap_cause cause);
const char *gap_cause_words(enum gap_cause cause, enum tl_device_api api);

int64_t gap_device_idle(const struct gap_device *device);

/* The most that a process can gain by anything that leaves its devices' work as it is: the idle
 * time of the one that idled least. Its window when it has no devices. */
int64_t finding_gaps_bound(const struct finding_gaps *gaps, uint32_t process);

/* Of each finding, the idle time of devices that it is about, by cause: zeroed by the caller.
 * Findings of several rules share idle time; those of one rule do not. What a rule about idle time
 * costs is the sum of its causes here. False: no memory. */
struct finding_idle {
    int64_t ns[GAP_CAUSES];
    struct finding_parts parts[GAP_CAUSES]; /* by step: cost_ns */
};
bool findings_idle(const struct findings *findings, struct finding_idle *idle);

#ifdef __cplusplus
}
#endif
#endif
