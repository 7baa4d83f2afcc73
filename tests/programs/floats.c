/* floats: floating-point exceptions raise SIGFPE, in this thread and another one, while ranges, counters and attributes are
 * recorded and the recording ends. Prints flags that this set. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <fenv.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void record(int rounds)
{
    for (int i = 0; i < rounds; i++) {
        prof_range_push("range");
        prof_attr_double("third", 0.1);
        prof_attr_int("whole", i);
        prof_range_pop();
        prof_counter("counter", 0.1);
        prof_mark("mark");
    }
}

static void *record_too(void *unused)
{
    for (int i = 0; i < 100; i++) {
        record(100);
        usleep(2000);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    feclearexcept(FE_ALL_EXCEPT);
    record(200000);
    if (fetestexcept(FE_ALL_EXCEPT))
        printf("flags %x\n", (unsigned)fetestexcept(FE_ALL_EXCEPT));
    feenableexcept(FE_ALL_EXCEPT);
    pthread_create(&thread, NULL, record_too, NULL);
    record(200000);
    pthread_join(thread, NULL);
    prof_stop();
    prof_start();
    record(10);
    prof_flush();
    puts("done");
    return 0;
}
