/* waits_timed.c - waits two seconds in sem_timedwait(), within a range, and prints how that ended. Built without unwind tables, so
 * that its stack cannot be unwound from outside.
 */
#include <prof/prof.h>

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

int main(void)
{
    sem_t semaphore;
    struct timespec end;
    sem_init(&semaphore, 0, 0);
    prof_range_push("wait");
    clock_gettime(CLOCK_REALTIME, &end);
    end.tv_sec += 2;
    int error = sem_timedwait(&semaphore, &end) == 0 ? 0 : errno;
    prof_range_pop();
    puts(strerror(error));
    return 0;
}
