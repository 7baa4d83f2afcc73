/* threads many|short|live|unbalanced|specific|cancelled: see the functions. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

static void ranges(const char *name, int times)
{
    for (int i = 0; i < times; i++) {
        prof_range_push(name);
        prof_range_pop();
    }
}

static pthread_t start(void *(*run)(void *), void *argument)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, argument) != 0)
        abort();
    return thread;
}

/* 64 threads of their own names at once, 10,000 ranges each under one name and as many under its
 * own. */
static void *one_of_many(void *argument)
{
    char name[16];
    snprintf(name, sizeof name, "worker %d", (int)(intptr_t)argument);
    if ((intptr_t)argument % 2)
        pthread_setname_np(pthread_self(), name);
    else
        prof_thread_name(name);
    for (int i = 0; i < 10000; i++) {
        PROF_RANGE("shared");
        ranges(name, 1);
    }
    return NULL;
}

static void many(void)
{
    pthread_t threads[64];
    for (intptr_t i = 0; i < 64; i++)
        threads[i] = start(one_of_many, (void *)i);
    for (int i = 0; i < 64; i++)
        pthread_join(threads[i], NULL);
}

/* 100,000 threads in sequence, two ranges each; prints by how many KiB memory grew after the first
 * 1,000. */
static void *short_one(void *unused)
{
    ranges("short", 2);
    return unused;
}

static long peak_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/* Memory that is not the trace file's: its pages count as ours as long as they are mapped. */
static long private_kib(void)
{
    char line[256];
    long kib = 0, value;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "RssAnon: %ld", &value) == 1)
            kib = value;
    if (file)
        fclose(file);
    return kib ? kib : peak_kib();
}

static void in_sequence(void)
{
    long before = 0;
    for (int i = 0; i < 100000; i++) {
        pthread_join(start(short_one, NULL), NULL);
        if (i == 1000)
            before = private_kib();
    }
    printf("%ld\n", private_kib() - before);
}

/* 1,000 threads at once, one range each. */
static pthread_barrier_t all_live;

static void *live_one(void *argument)
{
    char name[16];
    snprintf(name, sizeof name, "live %d", (int)(intptr_t)argument);
    pthread_setname_np(pthread_self(), name);
    ranges("live", 1);
    pthread_barrier_wait(&all_live);
    return NULL;
}

static void all_at_once(void)
{
    enum { THREADS = 1000 };
    pthread_t threads[THREADS];
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 128 << 10);
    pthread_barrier_init(&all_live, NULL, THREADS);
    for (intptr_t i = 0; i < THREADS; i++)
        if (pthread_create(&threads[i], &attributes, live_one, (void *)i) != 0)
            abort();
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

/* 10 threads that leave 2 ranges open, 10 that pop 3 times too often. */
static void *leaves_open(void *unused)
{
    prof_range_push("left open");
    ranges("inside", 5);
    prof_range_push("left open");
    return unused;
}

static void *pops_too_often(void *unused)
{
    prof_range_pop();
    ranges("inside", 5);
    prof_range_pop();
    prof_range_pop();
    return unused;
}

static void unbalanced(void)
{
    for (int i = 0; i < 10; i++) {
        pthread_join(start(leaves_open, NULL), NULL);
        pthread_join(start(pops_too_often, NULL), NULL);
    }
}

/* Records in a destructor of thread-specific data that runs in a later round than the library's
 * own. */
static pthread_key_t key;
static int rounds;

static void late_destructor(void *value)
{
    ranges("destructor", 1);
    if (++rounds < 3)
        pthread_setspecific(key, value);
}

static void *with_destructor(void *value)
{
    pthread_setspecific(key, value);
    ranges("body", 1);
    return NULL;
}

static void specific_data(void)
{
    pthread_key_create(&key, late_destructor);
    pthread_join(start(with_destructor, &key), NULL);
}

static void *cancelled(void *unused)
{
    for (;;) {
        ranges("until cancelled", 1);
        pthread_testcancel();
    }
    return unused;
}

static void cancellation(void)
{
    for (int i = 0; i < 50; i++) {
        pthread_t thread = start(cancelled, NULL);
        pthread_cancel(thread);
        pthread_join(thread, NULL);
    }
    ranges("after", 1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "many"))
        many();
    else if (!strcmp(what, "short"))
        in_sequence();
    else if (!strcmp(what, "live"))
        all_at_once();
    else if (!strcmp(what, "unbalanced"))
        unbalanced();
    else if (!strcmp(what, "specific"))
        specific_data();
    else if (!strcmp(what, "cancelled"))
        cancellation();
    else
        return 2;
    return 0;
}
