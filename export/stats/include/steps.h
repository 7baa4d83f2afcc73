/* steps.h - the steps of each process, in order of time.
 *
 * A step is one of the program's, so those of the first thread that has any count; what other
 * threads and devices do meanwhile belongs to it.
 */
#ifndef PROF_STEPS_H
#define PROF_STEPS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

struct step {
    int64_t start_ns, end_ns;
    uint32_t name;  /* into names[] */
    uint32_t slice; /* its first segment */
};

struct steps {
    TL_ARRAY(struct step) at; /* by process, then start */
    uint32_t *first;          /* by process: its first step; one more at the end */
};

/* Linear in slices, but for sorting. False: no memory; fini is not needed then. */
bool steps_init(struct steps *steps, const struct timeline *timeline);
void steps_fini(struct steps *steps);

/* The step of a process at a time, TL_NONE: none. Its end is not part of it. */
uint32_t steps_find(const struct steps *steps, uint32_t process, int64_t time_ns);

/* The first step of the process that begins later than that; first[process + 1]: none does. */
uint32_t steps_first_after(const struct steps *steps, uint32_t process, int64_t time_ns);

#ifdef __cplusplus
}
#endif
#endif
