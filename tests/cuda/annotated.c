/* annotated.c - launches inside of NVTX ranges: in domains that cross, in a start/end range, between prof.h's; and PyTorch's
 * names, a forward operator and its backward pass on another thread. */
#include "cuda_test.h"

#include <nvtx3/nvToolsExt.h>
#include <prof/prof.h>

#include <pthread.h>

static void *backward(void *unused)
{
    nvtxNameOsThreadA((uint32_t)gettid(), "autograd");
    nvtxRangePushA("autograd::engine::evaluate_function: MmBackward0, seq = 12");
    nvtxRangePushA("MmBackward0, seq = 12");
    launch_work(2, NULL);
    nvtxRangePop();
    nvtxRangePop();
    return unused;
}

int main(void)
{
    pthread_t thread;
    cudaStream_t stream;
    nvtxDomainHandle_t io = nvtxDomainCreateA("io");
    nvtxEventAttributes_t read = {.version = NVTX_VERSION,
                                  .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                  .category = 3,
                                  .colorType = NVTX_COLOR_ARGB,
                                  .color = 0xff00ff00,
                                  .payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64,
                                  .payload.ullValue = UINT64_MAX,
                                  .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                  .message.ascii = "read"};
    nvtxDomainNameCategoryA(io, 3, "files");
    cuda_check(cudaStreamCreate(&stream), "cudaStreamCreate");

    nvtxRangePushA("outer");
    launch_work(1, stream);
    nvtxDomainRangePushEx(io, &read); /* crosses "outer" */
    launch_work(2, stream);
    nvtxRangePop();
    launch_work(3, stream);
    nvtxDomainRangePop(io);

    prof_range_push("own");
    const nvtxRangeId_t around = nvtxRangeStartA("around");
    nvtxRangePushA("within");
    launch_work(4, stream);
    nvtxRangePop();
    nvtxRangeEnd(around);
    prof_range_pop();

    nvtxRangePushA("aten::mm, seq = 12, op_id = 5, sizes = [[2, 3], [3, 4]]");
    launch_work(1, stream);
    nvtxRangePop();
    pthread_create(&thread, NULL, backward, NULL);
    pthread_join(thread, NULL);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    puts("OK");
    return 0;
}
