/* kineto_slice.c - see kineto_slice.h. */
#include "kineto_slice.h"

#include "kineto_gpu.h"

static bool is_graph_launch(struct text name)
{
    return kineto_begins(name, "cudaGraphLaunch") || kineto_begins(name, "cuGraphLaunch") ||
           kineto_begins(name, "hipGraphLaunch");
}

void kineto_slice_classify(const struct kineto_event *event, struct text name,
                           struct read_slice *slice)
{
    bool driver = event->category == KINETO_DRIVER_CALL;
    slice->result = READ_RESULT_UNKNOWN;
    if (event->category == KINETO_RUNTIME_CALL || driver) {
        int64_t correlation = kineto_number(&event->args, KINETO_CORRELATION, 0);
        slice->kind = READ_SLICE_API;
        slice->correlation =
            correlation > 0 && correlation <= UINT32_MAX ? (uint32_t)correlation : 0;
        slice->flags = (uint8_t)((slice->correlation ? READ_SLICE_LAUNCHES : 0) |
                                 (driver ? READ_SLICE_DRIVER : 0) |
                                 (is_graph_launch(name) ? READ_SLICE_GRAPH : 0));
    } else {
        slice->kind =
            kineto_begins(name, "ProfilerStep#") ? READ_SLICE_STEP : (uint8_t)READ_SLICE_RANGE;
        slice->correlation = kineto_external_id(&event->args);
    }
}
