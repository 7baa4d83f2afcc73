/* paced RATE DEPTH MS: launches kernels at a rate per second for so long, with DEPTH of them always in flight: run with
 * SIM_KERNEL_NS = 1e9 / RATE. Prints the rate that it reached, and kills itself. */
#include "cuda_test.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void wait_until(double moment)
{
    const double left = moment - now();
    if (left > 1e-3)
        usleep((useconds_t)((left - 5e-4) * 1e6));
    while (now() < moment)
        continue;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    const double rate = atof(argv[1]), seconds = atof(argv[3]) / 1e3;
    long launched = 0;
    launch_work(atoi(argv[2]), NULL);
    const double begin = now();
    while (now() < begin + seconds) {
        wait_until(begin + (double)launched / rate);
        launch_work(1, NULL);
        launched++;
    }
    printf("%.0f\n", (double)launched / (now() - begin));
    fflush(stdout);
    kill(getpid(), SIGKILL);
    return 1;
}
