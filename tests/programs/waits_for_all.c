/* waits_for_all: has one child; a thread waits for any, cloned ones included, while 4,000,000 ranges "range" are recorded.
 * Prints how many children there were. */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static void *wait_for_any(void *seen)
{
    int *count = seen, status;
    while (waitpid(-1, &status, __WALL) > 0 || errno == EINTR)
        ++*count;
    return NULL;
}

int main(void)
{
    int seen = 0, ends[2];
    char byte;
    pthread_t waiter;
    if (pipe(ends) != 0)
        return 1;
    pid_t child = fork();
    if (child == 0) {
        close(ends[1]);
        _exit(read(ends[0], &byte, 1) != 0);
    }
    if (child < 0 || pthread_create(&waiter, NULL, wait_for_any, &seen) != 0)
        return 1;
    for (int i = 0; i < 4000000; i++) {
        prof_range_push("range");
        prof_range_pop();
    }
    close(ends[1]);
    pthread_join(waiter, NULL);
    printf("%d\n", seen);
    return 0;
}
