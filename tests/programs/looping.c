/* looping: steps of about 10 ms without end, each with a range "forward"; another thread waits in ranges "load". With an
 * argument, recording is on in the steps that the argument divides alone: it has windows. */
#include <prof/prof.h>

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static void *load(void *unused)
{
    for (;;) {
        prof_range_push("load");
        usleep(3000);
        prof_range_pop();
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int divisor = argc > 1 ? atoi(argv[1]) : 0;
    if (pthread_create(&thread, NULL, load, NULL) != 0)
        return 1;
    prof_range_push("training");
    for (int i = 0;; i++) {
        if (divisor && i % divisor == 0)
            i % (2 * divisor) == 0 ? prof_start() : prof_stop();
        prof_step();
        prof_range_push("forward");
        usleep(10000);
        prof_range_pop();
    }
}
