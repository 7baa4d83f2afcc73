/* numbered N [THREADS [SIZE]]: each thread records N marks, the last 1,000 of which count down,
 * "1000" ... "1", the others "bulk", all in a range "whole". With SIZE, each name has that many
 * bytes and none comes twice. Prints the number of events. */
#include <prof/prof.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long marks, threads = 1, size;
static pthread_barrier_t all_are_there; /* each with its range open */

static void mark_sized(long thread, long i)
{
    char name[4097];
    memset(name, 'x', (size_t)size);
    name[size] = '\0';
    name[snprintf(name, 40, "%ld %ld ", thread, i)] = 'x';
    prof_mark(name);
}

static void *record(void *argument)
{
    long thread = (long)(intptr_t)argument;
    prof_range_push("whole");
    pthread_barrier_wait(&all_are_there);
    for (long i = 0; i < marks; i++) {
        char name[32];
        snprintf(name, sizeof name, "%ld", marks - i);
        if (size)
            mark_sized(thread, i);
        else
            prof_mark(marks - i <= 1000 ? name : "bulk");
    }
    prof_range_pop();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t others[64];
    marks = argc > 1 ? atol(argv[1]) : 1000;
    threads = argc > 2 ? atol(argv[2]) : 1;
    size = argc > 3 ? atol(argv[3]) : 0;
    pthread_barrier_init(&all_are_there, NULL, (unsigned)threads);
    for (long i = 1; i < threads; i++)
        pthread_create(&others[i], NULL, record, (void *)(intptr_t)i);
    record(NULL);
    for (long i = 1; i < threads; i++)
        pthread_join(others[i], NULL);
    printf("%ld\n", threads * (marks + 2));
    return 0;
}
