/* sim_late.c - calls CUPTI and CUDA from an exit handler that runs after theirs: they return an
 * error and do not crash.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int (*flush_all)(uint32_t flag);
static int (*enable)(uint32_t kind);
static int (*synchronize)(void);

static void late(void)
{
    const int flushed = flush_all(1), synchronized = synchronize();
    if (flushed == 999 && synchronized == 4)
        return;
    fprintf(stderr, "late: flush gave %d, synchronize %d\n", flushed, synchronized);
    _exit(1);
}

int main(void)
{
    atexit(late);
    void *cupti = dlopen("libcupti.so.13", RTLD_NOW), *cudart = dlopen("libcudart.so.13", RTLD_NOW);
    if (!cupti || !cudart)
        return 2;
    *(void **)&flush_all = dlsym(cupti, "cuptiActivityFlushAll");
    *(void **)&enable = dlsym(cupti, "cuptiActivityEnable");
    *(void **)&synchronize = dlsym(cudart, "cudaDeviceSynchronize");
    return enable(10) || synchronize() || flush_all(0);
}
