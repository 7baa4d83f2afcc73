#include "captured.h"

#include "array.h"

const struct tl_captured *captured_of(const struct timeline *timeline, uint32_t gpu)
{
    uint32_t low = ARRAY_LOWER_BOUND(&timeline->captured, struct tl_captured, gpu, 0, gpu);
    return low < timeline->captured.count && timeline->captured.at[low].gpu == gpu
               ? &timeline->captured.at[low]
               : NULL;
}

const struct tl_graph_launch *graph_launch_of(const struct timeline *timeline, uint32_t slice)
{
    uint32_t low =
        ARRAY_LOWER_BOUND(&timeline->graph_launches, struct tl_graph_launch, slice, 0, slice);
    return low < timeline->graph_launches.count && timeline->graph_launches.at[low].slice == slice
               ? &timeline->graph_launches.at[low]
               : NULL;
}
