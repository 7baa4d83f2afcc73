/* reported malloc|deep|many|child|plain: ends so that the table at exit is hard to print; status 7.
 *
 *     malloc  exit() in a signal handler that interrupts a thread inside of malloc
 *     deep    100,000 ranges inside each other
 *     many    5,000,000 ranges, which are 80 MB
 *     child   prints "child" if anybody's end raises SIGCHLD, and what prof_table() returns
 */
#include <prof/prof.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

static void exit_now(int signal_number)
{
    (void)signal_number;
    exit(7);
}

static void see_child(int signal_number)
{
    static const char text[] = "child\n";
    (void)signal_number;
    if (write(STDOUT_FILENO, text, sizeof text - 1) < 0)
        abort();
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
    if (argc > 1 && !strcmp(argv[1], "many"))
        for (int i = 0; i < 5000000; i++) {
            prof_range_push("many");
            prof_range_pop();
        }
    if (argc > 1 && !strcmp(argv[1], "child")) {
        signal(SIGCHLD, see_child);
        printf("%s\n", prof_status_text(prof_table(stdout)));
    }
    puts("output");
    return 7;
}
