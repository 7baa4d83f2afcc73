// Managed memory, a few megabytes of it, touched by both sides in turn.
#include "gpu_check.h"

__global__ void increment(int *data, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        data[i]++;
}

int main()
{
    const int count = 1 << 20, rounds = 10;
    int *data;
    CHECK(cudaMallocManaged(&data, count * sizeof *data));
    for (int i = 0; i < count; i++)
        data[i] = i;
    for (int i = 0; i < rounds; i++) {
        increment<<<count / 256, 256>>>(data, count);
        CHECK(cudaDeviceSynchronize());
        if (device_computes() && data[0] != i + 1) {
            fprintf(stderr, "the kernel did not run\n");
            return 1;
        }
    }
    CHECK(cudaFree(data));
    expect("kernel", rounds);
    expect("api:cudaMallocManaged", 1);
    expect("api:cudaDeviceSynchronize", rounds);
    return 0;
}
