/* reported malloc|deep|plain: ends so that the table at exit is hard to print; status 7.
 *
 *     malloc  exit() in a signal handler that interrupts a thread inside of malloc
 *     deep    100,000 ranges inside each other
 */
#include <prof/prof.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static void exit_now(int signal_number)
{
    (void)signal_number;
    exit(7);
}

static void allocate_until_signal(void)
{
    void *blocks[64] = {NULL};
    unsigned random = 1;
    signal(SIGALRM, exit_now);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_usec = 3000}, NULL);
    for (;;) {
        random = random * 1103515245u + 12345u;
        void **block = &blocks[random >> 16 & 63];
        free(*block);
        *block = malloc(random >> 20);
    }
}

int main(int argc, char **argv)
{
    prof_range_push("reported");
    prof_range_pop();
    if (argc > 1 && !strcmp(argv[1], "malloc"))
        allocate_until_signal();
    if (argc > 1 && !strcmp(argv[1], "deep"))
        for (int i = 0; i < 100000; i++)
            prof_range_push("deep");
    puts("output");
    return 7;
}
