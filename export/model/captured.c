#include "captured.h"

const struct tl_captured *captured_of(const struct timeline *timeline, uint32_t gpu)
{
    uint32_t low = 0, high = timeline->captured.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (timeline->captured.at[middle].gpu < gpu)
            low = middle + 1;
        else
            high = middle;
    }
    return low < timeline->captured.count && timeline->captured.at[low].gpu == gpu
               ? &timeline->captured.at[low]
               : NULL;
}

const struct tl_graph_launch *graph_launch_of(const struct timeline *timeline, uint32_t slice)
{
    uint32_t low = 0, high = timeline->graph_launches.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (timeline->graph_launches.at[middle].slice < slice)
            low = middle + 1;
        else
            high = middle;
    }
    return low < timeline->graph_launches.count && timeline->graph_launches.at[low].slice == slice
               ? &timeline->graph_launches.at[low]
               : NULL;
}
