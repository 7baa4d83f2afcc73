/* streams.c - four threads with nested ranges, each on two streams of its own and one that all share, three steps each. */
#include "cuda_test.h"

#include <prof/prof.h>

#include <pthread.h>

enum { THREADS = 4, STEPS = 3, LAUNCHES = 4, BYTES = 4096 };

static pthread_barrier_t everybody;
static cudaStream_t shared;
static char host_bytes[BYTES];

static void step(cudaStream_t *own, void *memory)
{
    prof_range_push("outer");
    cuda_check(cudaMemcpyAsync(memory, host_bytes, BYTES, cudaMemcpyHostToDevice, own[0]),
               "cudaMemcpyAsync");
    prof_range_push("inner");
    launch_work(LAUNCHES, own[0]);
    launch_work(LAUNCHES, own[1]);
    pthread_barrier_wait(&everybody);
    launch_work(LAUNCHES, shared);
    prof_range_pop();
    prof_range_push("nothing on a device");
    prof_range_pop();
    pthread_barrier_wait(&everybody);
    launch_work(1, shared);
    prof_range_pop();
    cuda_check(cudaStreamSynchronize(own[0]), "cudaStreamSynchronize");
}

static void *work_on(void *number)
{
    cudaStream_t own[2];
    void *memory;
    (void)number;
    cuda_check(cudaStreamCreate(&own[0]), "cudaStreamCreate");
    cuda_check(cudaStreamCreate(&own[1]), "cudaStreamCreate");
    cuda_check(cudaMalloc(&memory, BYTES), "cudaMalloc");
    for (int i = 0; i < STEPS; i++)
        step(own, memory);
    cuda_check(cudaFree(memory), "cudaFree");
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_barrier_init(&everybody, NULL, THREADS);
    cuda_check(cudaStreamCreate(&shared), "cudaStreamCreate");
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, work_on, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    puts("OK");
    return 0;
}
