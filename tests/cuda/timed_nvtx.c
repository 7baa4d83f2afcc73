/* timed_nvtx.c - what is timed by CUDA events beside prof.h's ranges: NVTX ranges, of domains that cross too, and steps.
 *
 * What each part does is counted in test_cuda_events_nvtx.sh: change both. Prints OK.
 */
#include "cuda_test.h"

#include <nvtx3/nvToolsExt.h>
#include <prof/prof.h>

static nvtxEventAttributes_t message(const char *text)
{
    return (nvtxEventAttributes_t){.version = NVTX_VERSION,
                                   .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                   .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                   .message.ascii = text};
}

/* plain holds 3 + 2 kernels, read 2, mixed 1. */
static void nested(nvtxDomainHandle_t io)
{
    nvtxEventAttributes_t read = message("read");
    nvtxRangePushA("plain");
    launch_work(3, NULL);
    nvtxDomainRangePushEx(io, &read);
    launch_work(2, NULL);
    nvtxDomainRangePop(io);
    nvtxRangePop();
    prof_range_push("mixed");
    prof_range_push_int("counted", "turn", 1);
    launch_work(1, NULL);
    prof_range_pop();
    prof_range_pop();
}

/* "around" holds 2 kernels and is timed; "over" goes on where it ends and is not. */
static void crossing(nvtxDomainHandle_t io)
{
    nvtxEventAttributes_t over = message("over");
    nvtxRangePushA("around");
    launch_work(1, NULL);
    nvtxDomainRangePushEx(io, &over);
    launch_work(1, NULL);
    nvtxRangePop();
    launch_work(1, NULL);
    nvtxDomainRangePop(io);
}

/* Steps 0 to 3 hold a range of as many kernels; the last one has no end. */
static void steps(void)
{
    for (int i = 0; i < 4; i++) {
        prof_step();
        nvtxRangePushA("part");
        launch_work(i, NULL);
        nvtxRangePop();
    }
}

int main(void)
{
    cuda_check(cudaFree(NULL), "context");
    nvtxDomainHandle_t io = nvtxDomainCreateA("io");
    nested(io);
    crossing(io);
    steps();
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    puts("OK");
    return 0;
}
