/* crowd.c - 64 threads, each on all of 8 devices in turn, all at once, in the order that sets most of them apart: on
 * every device a stream and a range of its own, an allocation, a copy and ten launches. */
#include "cuda_test.h"

#include <prof/prof.h>

#include <pthread.h>

enum { THREADS = 64, DEVICES = 8, LAUNCHES = 10, BYTES = 4096 };

static pthread_barrier_t everybody;
static char host_bytes[BYTES];

static void use_device(int device)
{
    cudaStream_t stream;
    void *memory;
    cuda_check(cudaSetDevice(device), "cudaSetDevice");
    cuda_check(cudaStreamCreate(&stream), "cudaStreamCreate");
    cuda_check(cudaMalloc(&memory, BYTES), "cudaMalloc");
    cuda_check(cudaMemcpyAsync(memory, host_bytes, BYTES, cudaMemcpyHostToDevice, stream),
               "cudaMemcpyAsync");
    launch_work(LAUNCHES, stream);
    cuda_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    cuda_check(cudaFree(memory), "cudaFree");
    cuda_check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

static void *crowd(void *number)
{
    const int thread = (int)(intptr_t)number;
    char name[32];
    snprintf(name, sizeof name, "thread %d", thread);
    prof_thread_name(name);
    pthread_barrier_wait(&everybody);
    prof_range_push(name);
    for (int i = 0; i < DEVICES; i++) {
        const int device = (thread + i) % DEVICES;
        snprintf(name, sizeof name, "device %d", device);
        prof_range_push(name);
        use_device(device);
        prof_range_pop();
    }
    prof_range_pop();
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&everybody, NULL, THREADS);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, crowd, (void *)(intptr_t)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("OK");
    return 0;
}
