/* attach_threads - starts and ends threads that allocate until standard input ends: an allocator's data of each thread comes and
 * goes. With attach_allocator.c preloaded, that checks every thread. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREADS = 4, BLOCKS = 200 };

static volatile bool ended;

/* In a program that is not position-independent, the addresses of these are jumps in the program itself, for the loader,
 * too. */
static void *(*volatile allocate)(size_t);
static void (*volatile release)(void *);

static void *work(void *number)
{
    char *blocks[BLOCKS];
    for (int i = 0; i < BLOCKS; i++) {
        blocks[i] = allocate(16 + (size_t)i * 7);
        memset(blocks[i], i, 16);
    }
    for (int i = 0; i < BLOCKS; i++) {
        if (blocks[i][15] != (char)i)
            abort();
        release(blocks[i]);
    }
    usleep(2000);
    return number;
}

static void *make_threads(void *unused)
{
    while (!ended) {
        pthread_t threads[THREADS];
        char numbers[THREADS];
        for (size_t i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, work, &numbers[i]) != 0)
                abort();
        for (size_t i = 0; i < THREADS; i++) {
            void *result;
            if (pthread_join(threads[i], &result) != 0 || result != &numbers[i])
                abort();
        }
    }
    return unused;
}

int main(void)
{
    pthread_t maker;
    char byte;
    allocate = malloc;
    release = free;
    if (pthread_create(&maker, NULL, make_threads, NULL) != 0)
        return 1;
    puts("begun");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    ended = true;
    pthread_join(maker, NULL);
    puts("ended");
    return 7;
}
