/* first_hour.cu - what somebody profiles in their first hour: it decodes frames on the host, copies each to the device, blurs
 * it twice and waits. Arguments: number of frames, milliseconds that decoding one takes.
 *
 * Compiled by nvcc, or as C (with examples/cuda_by_hand.h) where there is none. */
#ifndef __CUDACC__
#include "cuda_by_hand.h"
#endif
#include <prof/prof.h>
#include <stdlib.h>
#include <time.h>

enum { PIXELS = 1 << 16, BYTES = PIXELS * sizeof(float), THREADS = 256 };

static float frame[PIXELS];

#ifdef __CUDACC__
__global__ void blur(float *to, const float *from)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = (from[i] + from[i > 0 ? i - 1 : 0]) / 2;
}

static void launch_blur(float *to, float *from)
{
    blur<<<PIXELS / THREADS, THREADS>>>(to, from);
}

static void register_kernels(void) {}
#else
static char blur; /* stands for the kernel on the host */

static void launch_blur(float *to, float *from)
{
    void *arguments[] = {&to, &from};
    cuda_check(cudaLaunchKernel(&blur, (dim3){PIXELS / THREADS, 1, 1}, (dim3){THREADS, 1, 1},
                                arguments, 0, NULL),
               "cudaLaunchKernel");
}

static void register_kernels(void)
{
    cuda_register_kernel(&blur, "_Z4blurPfPKf");
}
#endif

static void decode(long milliseconds)
{
    PROF_RANGE("decode");
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}

static void filter(float *to, float *from)
{
    PROF_RANGE("filter");
    cudaMemcpyAsync(from, frame, BYTES, cudaMemcpyHostToDevice, NULL);
    launch_blur(to, from);
    launch_blur(from, to);
    cudaDeviceSynchronize();
}

int main(int argc, char **argv)
{
    int frames = argc > 1 ? atoi(argv[1]) : 20;
    long milliseconds = argc > 2 ? atol(argv[2]) : 1;
    void *to, *from;
    register_kernels();
    if (cudaMalloc(&to, BYTES) != 0 || cudaMalloc(&from, BYTES) != 0)
        return 1;
    for (int i = 0; i < frames; i++) {
        prof_step();
        decode(milliseconds);
        filter((float *)to, (float *)from);
    }
    return cudaDeviceSynchronize() != 0;
}
