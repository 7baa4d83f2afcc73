/* fractions.c - chooses the user's locale for the process and for its thread, records fractions, and stands still in a range until
 * its hang is written.
 */
#define _GNU_SOURCE
#include <prof/prof.h>

#include <locale.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){0, ms * 1000000}, NULL);
}

int main(void)
{
    if (!setlocale(LC_ALL, ""))
        return 1;
    uselocale(newlocale(LC_ALL_MASK, "", (locale_t)0));
    printf("%.1f\n", 0.5);
    prof_counter("load", 0.25);
    prof_range_push("stuck");
    prof_attr_double("weight", 2.75);
    for (int i = 0; i < 3000 && access("f.prof.hang.txt", F_OK) != 0; i++)
        pause_ms(10);
    prof_range_pop();
    for (int i = 0; i < 100; i++) { /* for the watch to see that */
        PROF_RANGE("goes on");
        pause_ms(10);
    }
    return 0;
}
