/* late.c - threads that use CUDA while they are being destroyed: 20 threads each launch once while alive, and once in
 * each of three rounds of a key's destructor, inside a range. */
#include "cuda_test.h"

#include <prof/prof.h>

#include <pthread.h>

enum { THREADS = 20, ROUNDS = 3 };

static pthread_key_t key;

static void launch_late(void *round)
{
    const intptr_t left = (intptr_t)round;
    prof_range_push("late");
    launch_work(1, NULL);
    prof_range_pop();
    if (left > 1)
        pthread_setspecific(key, (void *)(left - 1));
}

static void *launch_and_leave(void *unused)
{
    prof_range_push("alive");
    launch_work(1, NULL);
    prof_range_pop();
    pthread_setspecific(key, (void *)(intptr_t)ROUNDS);
    return unused;
}

int main(void)
{
    pthread_t threads[THREADS];
    pthread_key_create(&key, launch_late);
    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, launch_and_leave, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    puts("OK");
    return 0;
}
