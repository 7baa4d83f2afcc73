/* global_ids.h - processes and threads as nsys numbers them: a machine in bits 48 to 62, 24 bits of
 * a pid, 24 bits of a tid.
 *
 * Two processes with the same pid (of two machines, or two containers) are of two machines. Pids
 * and tids that do not fit get free numbers, counted down from the largest: no two of them are one.
 * The same holds for threads without a number.
 */
#ifndef PROF_GLOBAL_IDS_H
#define PROF_GLOBAL_IDS_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

#define GLOBAL_IDS_MAX UINT32_C(0xffffff) /* of a pid and a tid */

struct global_ids {
    int64_t *processes;       /* by process: its id, with the tid 0 */
    int64_t *threads;         /* by thread */
    uint32_t moved_processes; /* have another pid than their own */
    uint32_t moved_threads;   /* have another tid */
};

/* False: no memory. fini is needed all the same, and accepts a zeroed struct. */
bool global_ids_init(struct global_ids *ids, const struct timeline *timeline);
void global_ids_fini(struct global_ids *ids);

#ifdef __cplusplus
}
#endif
#endif
