/* publish FILE: two threads record "pair 0" and "pair 1" for ever, and each publishes in the file,
 * which it shares with whoever kills it, how many pairs it has completed. */
#include <prof/prof.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define WORDS_BETWEEN 16 /* a cache line or more */

static uint64_t *published;

static void *record(void *argument)
{
    uintptr_t thread = (uintptr_t)argument;
    char name[16];
    snprintf(name, sizeof name, "pair %d", (int)thread);
    for (uint64_t done = 1;; done++) {
        prof_range_push(name);
        prof_range_pop();
        __atomic_store_n(&published[thread * WORDS_BETWEEN], done, __ATOMIC_RELEASE);
        for (volatile int pause = 0; pause < 400; pause++)
            ;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int fd = argc == 2 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;
    if (fd < 0 || ftruncate(fd, 4096) != 0)
        return 2;
    published = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_t thread;
    pthread_create(&thread, NULL, record, (void *)1);
    record(NULL);
    return 0;
}
