/* cupti.h - the collector for CUDA.
 *
 *     COLD --cuda_init--> LIVE ----------finish--> CLOSED
 *       |        '------> PASSIVE (CUPTI cannot be had; the reason is in the file)
 *       '--fork_child---------------------------> INERT, from any state
 *
 * A process that never initialises CUDA stays COLD: CUPTI up to 12.4 starts a thread on its
 * first call, so it is not touched before.
 */
#ifndef PROF_CUPTI_H
#define PROF_CUPTI_H

#include "recorder.h"

extern const struct collector cupti_collector;

#endif
