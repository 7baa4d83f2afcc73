/* holds_loader.c - computes and records while another thread is in the initialization of a library, which never ends and keeps the
 * loader's lock; then stands still in a range. With LIBRARY, that library. The argument is its path.
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef LIBRARY

__attribute__((constructor)) static void initialize(void)
{
    *(volatile int *)dlsym(RTLD_DEFAULT, "initializes") = 1;
    for (;;)
        pause();
}

#else

volatile int initializes;
static volatile unsigned long sink;

static void *load(void *path)
{
    return dlopen(path, RTLD_NOW);
}

static void __attribute__((noinline)) compute_meanwhile(double s)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    double end = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + s;
    do {
        PROF_RANGE("meanwhile");
        for (int i = 0; i < 100000; i++)
            sink += (unsigned long)i ^ (sink >> 3);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < end);
}

int main(int count, char **arguments)
{
    pthread_t loader;
    if (count < 2 || pthread_create(&loader, NULL, load, arguments[1]) != 0)
        return 1;
    while (!initializes)
        usleep(1000);
    compute_meanwhile(0.6);
    prof_range_push("stuck");
    for (;;)
        pause();
}

#endif
