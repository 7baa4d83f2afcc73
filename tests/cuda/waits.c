/* waits.c - waits for events that are recorded again between: a wait is for the recording before it, not for a later one. */
#include "cuda_test.h"

int main(void)
{
    cudaStream_t from, to;
    cudaEvent_t again, once;
    cuda_check(cudaStreamCreate(&from), "cudaStreamCreate");
    cuda_check(cudaStreamCreate(&to), "cudaStreamCreate");
    cuda_check(cudaEventCreate(&again), "cudaEventCreate");
    cuda_check(cudaEventCreate(&once), "cudaEventCreate");
    for (int i = 0; i < 2; i++) {
        launch_work(1, from);
        cuda_check(cudaEventRecord(again, from), "cudaEventRecord");
        cuda_check(cudaStreamWaitEvent(to, again, 0), "cudaStreamWaitEvent");
        launch_work(1, to);
    }
    cuda_check(cudaEventRecord(once, to), "cudaEventRecord");
    cuda_check(cudaEventRecord(again, to), "cudaEventRecord");
    cuda_check(cudaEventSynchronize(once), "cudaEventSynchronize");
    cuda_check(cudaEventSynchronize(again), "cudaEventSynchronize");
    cuda_check(cudaStreamSynchronize(from), "cudaStreamSynchronize");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    puts("OK");
    return 0;
}
