// gpu_check.h - what the programs of the GPU suite share: error checks, and saying what they did.
//
// A program prints lines "expect WHAT COUNT", which run.sh compares with what libprof recorded:
//     kernel, memcpy, memset   operations of that kind, graph nodes included
//     api:NAME                 calls of a CUDA function
#ifndef GPU_CHECK_H
#define GPU_CHECK_H

#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                       \
    do {                                                                  \
        cudaError_t error = (call);                                       \
        if (error != cudaSuccess) {                                       \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                    cudaGetErrorString(error));                           \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

static void expect(const char *what, long count)
{
    printf("expect %s %ld\n", what, count);
}

// Whether the device computes: under a simulated CUDA kernels are timed, not run.
static bool device_computes()
{
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    return properties.name[0] != 'S';
}

#endif
