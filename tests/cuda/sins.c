/* sins.c - one mistake after the other, each in a range of its own, so that `profdump explain` has something to find:
 *
 *     copies       synchronous copies of pageable memory
 *     allocations  cudaMalloc and cudaFree in a loop
 *     waits        cudaDeviceSynchronize after every kernel
 *     tiny         many kernels that are shorter than their launches
 *     think        the CPU computes, and nothing is launched
 *     callback     a stream waits for a function of the host
 */
#include "cuda_test.h"

#include <prof/prof.h>
#include <time.h>

enum { TIMES = 40, BYTES = 1 << 20 };

static cudaStream_t stream;

static void work(void)
{
    launch_shaped(&kernel_work, 4, 64, 0, stream);
}

static void spend_ms(int ms)
{
    struct timespec begin, now;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    do {
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 < ms);
}

static void call_back(void *user)
{
    (void)user;
    spend_ms(30);
}

static void copy_and_wait(void)
{
    static char host[BYTES];
    void *array = NULL;
    cudaMalloc(&array, BYTES);
    prof_range_push("copies");
    for (int i = 0; i < TIMES; i++) {
        cudaMemcpy(array, host, BYTES, cudaMemcpyHostToDevice);
        work();
    }
    prof_range_pop();
    cudaFree(array);
}

static void allocate_in_a_loop(void)
{
    prof_range_push("allocations");
    for (int i = 0; i < 20 * TIMES; i++) {
        void *array = NULL;
        cudaMalloc(&array, 1 << 16);
        cudaMemsetAsync(array, 0, 1 << 16, stream);
        cudaFree(array);
    }
    prof_range_pop();
}

static void wait_in_a_loop(void)
{
    prof_range_push("waits");
    for (int i = 0; i < 20 * TIMES; i++) {
        work();
        cudaDeviceSynchronize();
    }
    prof_range_pop();
}

static void launch_tiny(void)
{
    prof_range_push("tiny");
    for (int i = 0; i < 100 * TIMES; i++) {
        work();
        cudaStreamQuery(stream);
    }
    prof_range_pop();
    cudaStreamSynchronize(stream);
}

static void think(void)
{
    prof_range_push("think");
    spend_ms(80);
    prof_range_pop();
    work();
}

static void wait_for_the_host(void)
{
    prof_range_push("callback");
    cudaLaunchHostFunc(stream, call_back, NULL);
    work();
    prof_range_pop();
    cudaStreamSynchronize(stream);
}

int main(void)
{
    cudaStreamCreate(&stream);
    work();
    copy_and_wait();
    allocate_in_a_loop();
    wait_in_a_loop();
    launch_tiny();
    think();
    wait_for_the_host();
    cudaDeviceSynchronize();
    puts("done");
    return 0;
}
