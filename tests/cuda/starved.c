/* starved.c - a device that waits for the host: three times as long for slow_decode() as for augment(), which use the CPU, or
 * for read_disk(), which sleeps ("starved disk"). */
#include "cuda_test.h"

#include <prof/prof.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

static double cpu_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

#define USES_CPU(function, key)                              \
    static void __attribute__((noinline)) function(double s) \
    {                                                        \
        for (double end = cpu_s() + s; cpu_s() < end;)       \
            for (unsigned long i = 0; i < 100000; i++)       \
                sink += (i + (key)) ^ (sink >> 3);           \
    }
USES_CPU(slow_decode, 1)
USES_CPU(augment, 2)

static void __attribute__((noinline)) read_disk(void)
{
    usleep(100000);
    __asm__ volatile("" ::: "memory");
}

int main(int argc, char **argv)
{
    const int disk = argc > 1 && *argv[1] == 'd';
    void *array = NULL;
    cudaMalloc(&array, 4096);
    for (int i = 0; i < 20; i++) {
        prof_step();
        if (disk) {
            read_disk();
        } else {
            slow_decode(0.075);
            augment(0.025);
        }
        launch_shaped(&kernel_work, 4, 64, 0, NULL);
        cudaMemsetAsync(array, 0, 4096, NULL);
        cudaDeviceSynchronize();
    }
    cudaFree(array);
    return 0;
}
