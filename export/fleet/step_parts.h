/* step_parts.h - what the devices of a rank did in each step: its time is cut wherever something
 * begins or ends.
 *
 * Moments belong to the step that began last. Idle time lasts until the next operation; while that
 * was not launched yet, the host kept the device waiting.
 */
#ifndef PROF_STEP_PARTS_H
#define PROF_STEP_PARTS_H

#include "recording.h"

struct step_sums {
    int64_t compute_ns, overlapped_ns, communication_ns, copy_ns, idle_host_ns, idle_device_ns;
};

/* Time that the host kept the device waiting in a step, by the outermost range within it. */
struct step_idle {
    uint32_t sums; /* into unit.numbers: which step */
    uint32_t name; /* of the range; TL_NONE: in none */
    int64_t host_ns;
};

struct step_parts {
    struct step_sums *sums; /* by unit.numbers */
    TL_ARRAY(struct step_idle) idle;
};

/* Of one of recording.units, which keeps them. NULL: no memory. */
const struct step_parts *step_parts_of(struct recording *recording, uint32_t unit);
void step_parts_destroy(struct step_parts *parts); /* NULL is fine */

#endif
