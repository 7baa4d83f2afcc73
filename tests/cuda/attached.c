/* attached.c LIBRARY - uses CUDA for a while, then loads LIBRARY and records: what a program does that decides late. */
#include "cuda_test.h"

#include <dlfcn.h>

static void call(void *library, const char *name)
{
    int (*function)(void) = (int (*)(void))dlsym(library, name);
    if (!function || function() != 0) {
        printf("%s failed\n", name);
        exit(1);
    }
}

int main(int argc, char **argv)
{
    cudaStream_t stream = NULL;
    void *memory = NULL;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking),
               "cudaStreamCreateWithFlags");
    cuda_check(cudaMalloc(&memory, 1 << 20), "cudaMalloc");
    launch_work(2, stream);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW) : NULL;
    void (*push)(const char *) =
        library ? (void (*)(const char *))dlsym(library, "prof_range_push") : NULL;
    void (*pop)(void) = library ? (void (*)(void))dlsym(library, "prof_range_pop") : NULL;
    if (!push || !pop)
        return 2;
    call(library, "prof_start");
    push("attached");
    launch_work(5, stream);
    cuda_check(cudaMemsetAsync(memory, 0, 1 << 20, stream), "cudaMemsetAsync");
    pop();
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    call(library, "prof_stop");
    puts("OK");
    return 0;
}
