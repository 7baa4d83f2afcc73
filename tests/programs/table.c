/* table THREADS DESCRIPTORS: opens DESCRIPTORS files and begins THREADS threads that do nothing, and one that is given the
 * lowest free descriptor again and again. Then records 2,000,000 ranges "range", so that the file grows. Prints whether its
 * table of descriptors had the same size all the time, and whether it was always given the same one. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static int lowest, over, others;

/* FDSize: how many the table has room for. */
static long table_size(void)
{
    char line[256];
    long size = -1;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "FDSize: %ld", &size) == 1)
            break;
    if (file)
        fclose(file);
    return size;
}

static void *wait_for_ever(void *unused)
{
    pause();
    return unused;
}

static void *take_lowest(void *unused)
{
    while (!__atomic_load_n(&over, __ATOMIC_RELAXED)) {
        int fd = dup(STDIN_FILENO);
        others += fd != lowest;
        close(fd);
    }
    return unused;
}

static void begin(pthread_t *thread, void *(*run)(void *))
{
    if (pthread_create(thread, NULL, run, NULL) != 0)
        exit(2);
}

int main(int argc, char **argv)
{
    int threads = argc > 1 ? atoi(argv[1]) : 0, descriptors = argc > 2 ? atoi(argv[2]) : 0;
    rlim_t wanted = (rlim_t)descriptors + 100;
    struct rlimit limit;
    pthread_t thread;
    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < wanted) {
        limit.rlim_cur = wanted;
        limit.rlim_max = limit.rlim_max < wanted ? wanted : limit.rlim_max;
        if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
            return 77;
    }
    for (int i = 0; i < descriptors; i++)
        if (open("/dev/null", O_RDONLY) < 0)
            return 1;
    for (int i = 0; i < threads; i++)
        begin(&thread, wait_for_ever);
    long size = table_size();
    lowest = dup(STDIN_FILENO);
    close(lowest);
    begin(&thread, take_lowest);
    for (int i = 0; i < 2000000; i++) {
        prof_range_push("range");
        prof_range_pop();
    }
    __atomic_store_n(&over, 1, __ATOMIC_RELAXED);
    pthread_join(thread, NULL);
    if (table_size() != size)
        printf("the table had room for %ld, and has for %ld\n", size, table_size());
    if (others)
        printf("another descriptor than %d, %d times\n", lowest, others);
    puts("done");
    return 0;
}
