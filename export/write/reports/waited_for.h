/* waited_for.h - which functions of the host devices waited for, from samples of the threads that
 * launched their work. */
#ifndef PROF_WAITED_FOR_H
#define PROF_WAITED_FOR_H

#include "findings.h"
#include "reports.h"

#define WAITED_FOR_MOST 5u

/* A function that was on the stack while a device idled. */
struct waited_for {
    uint32_t gap_device; /* into gaps->devices */
    uint32_t tid;        /* of the thread that was in it longest */
    uint32_t stack;      /* an example: the heaviest */
    int64_t run_ns;      /* CPU time in it, and in what it called */
    int64_t wait_ns;     /* of waits below it */
    int64_t queued_ns;   /* no processor for its thread, although it could have run there */
    int64_t sampled_ns;  /* of all samples in the device's idle time: what the two are a share of */
    char function[FINDINGS_FRAME_BYTES];
};

struct waited_list {
    TL_ARRAY(struct waited_for)
    functions; /* by device, largest first; each sample counts for one */
};

/* Empty where there are no samples or no symbols. False: no memory; fini is needed all the same. */
bool waited_for_init(struct waited_list *list, const struct findings *findings,
                     const struct findings_report_options *options);
void waited_for_fini(struct waited_list *list);

#endif
