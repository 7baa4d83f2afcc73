/* opens [LIBRARY]: loads LIBRARY, records a range "first", opens and closes a file ten times, and records 1,000,000 ranges
 * "range" in each of two threads. */
#include <prof/prof.h>

#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *record(void *unused)
{
    for (int i = 0; i < 1000000; i++) {
        prof_range_push("range");
        prof_range_pop();
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    if (argc > 1 && !dlopen(argv[1], RTLD_NOW))
        return 2;
    prof_range_push("first");
    prof_range_pop();
    for (int i = 0; i < 10; i++)
        close(open("/dev/null", O_RDONLY));
    if (pthread_create(&thread, NULL, record, NULL) != 0)
        return 1;
    record(NULL);
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
