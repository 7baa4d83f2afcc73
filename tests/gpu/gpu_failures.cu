// Calls that fail: they are recorded with their error, and nothing is expected of the device.
#include "gpu_check.h"

__global__ void nothing() {}

int main()
{
    CHECK(cudaFree(nullptr));
    nothing<<<1, 1>>>();
    nothing<<<1, 4096>>>(); // too many threads: refused
    if (cudaGetLastError() == cudaSuccess) {
        fprintf(stderr, "a launch that is too large was accepted\n");
        return 1;
    }
    CHECK(cudaDeviceSynchronize());
    nothing<<<1, 1>>>();
    CHECK(cudaDeviceSynchronize());
    expect("kernel", 2);
    return 0;
}
