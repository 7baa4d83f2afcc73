/* stuck.c - stuck HOW: sets and copies in two streams, then waits for ever without a range or a CUDA call:
 *
 *     kernel     for a kernel in the second stream, which a range launched that has a collective's attributes
 *     nothing    for nothing: everything has ended
 *     failed     for nothing: the last launch failed (SIM_FAIL)
 *
 * SIM_KERNEL_NS says how long a kernel takes.
 */
#include "cuda_test.h"

#include <prof/prof.h>

#include <unistd.h>

int main(int argc, char **argv)
{
    static char host[4096];
    const char *how = argc > 1 ? argv[1] : "";
    cudaStream_t streams[2];
    void *array = NULL;
    cuda_check(cudaMalloc(&array, sizeof host), "cudaMalloc");
    for (int i = 0; i < 2; i++)
        cuda_check(cudaStreamCreate(&streams[i]), "cudaStreamCreate");
    prof_range_push("prepare");
    for (int i = 0; i < 3; i++)
        cuda_check(cudaMemsetAsync(array, 0, sizeof host, streams[i % 2]), "cudaMemsetAsync");
    cuda_check(cudaMemcpyAsync(array, host, sizeof host, cudaMemcpyHostToDevice, streams[1]),
               "cudaMemcpyAsync");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    prof_range_pop();
    usleep(300000); /* what has ended is delivered before what does not end shares its buffer */
    prof_range_push("ncclAllReduce");
    prof_attr_int("NCCL communicator ID", 0xabcdef);
    prof_attr_int("Message size [bytes]", 4096);
    if (strcmp(how, "kernel") == 0)
        launch_shaped(&kernel_work, 4, 64, 0, streams[1]);
    if (strcmp(how, "failed") == 0)
        cudaMemsetAsync(array, 0, sizeof host, streams[0]);
    prof_range_pop();
    for (;;)
        pause();
}
