/* captured.h - which code captured an operation that ran as part of a CUDA graph. */
#ifndef PROF_CAPTURED_H
#define PROF_CAPTURED_H

#include "timeline.h"

#ifdef __cplusplus
extern "C" {
#endif

/* NULL: the operation was not part of a graph, or CUPTI did not say of which node. */
const struct tl_captured *captured_of(const struct timeline *timeline, uint32_t gpu);

/* NULL: the slice is no call that launched a graph. */
const struct tl_graph_launch *graph_launch_of(const struct timeline *timeline, uint32_t slice);

#ifdef __cplusplus
}
#endif
#endif
