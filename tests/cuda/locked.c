/* locked WHAT [COUNT]: what a profiler's callbacks could wait for other threads in.
 *
 *     reset COUNT   5 work() in a range and a cudaDeviceReset(), again and again
 *     late COUNT    the same, with a second between
 *     switch COUNT  COUNT times prof_start() and prof_stop() on one thread, while another one launches and calls
 *                   cudaProfilerStart() and cudaProfilerStop()
 *     stop COUNT    COUNT times prof_start(), prof_stop() on one thread while another one resets the device
 */
#include "cuda_test.h"

#include <prof/prof.h>

#include <pthread.h>
#include <unistd.h>

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);

static int count;
static volatile int is_over;

static void reset_once(void)
{
    prof_range_push("before");
    launch_work(5, NULL);
    prof_range_pop();
    cuda_check(cudaDeviceReset(), "cudaDeviceReset");
}

static void late(void)
{
    prof_range_push("before");
    launch_work(5, NULL);
    prof_range_pop();
    sleep(1);
    cuda_check(cudaDeviceReset(), "cudaDeviceReset");
}

static void repeat(void (*what)(void))
{
    for (int i = 0; i < count; i++)
        what();
}

static void *launch_and_switch(void *unused)
{
    while (!is_over) {
        cudaProfilerStart();
        launch_work(1, NULL);
        cudaProfilerStop();
    }
    return unused;
}

static void *reset_meanwhile(void *unused)
{
    while (!is_over)
        reset_once();
    return unused;
}

static void start_and_stop(void *(*beside)(void *))
{
    pthread_t thread;
    launch_work(1, NULL);
    pthread_create(&thread, NULL, beside, NULL);
    for (int i = 0; i < count; i++) {
        prof_start();
        usleep(100);
        prof_stop();
    }
    is_over = 1;
    pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 2;
    count = atoi(argv[2]);
    if (strcmp(argv[1], "reset") == 0)
        repeat(reset_once);
    else if (strcmp(argv[1], "late") == 0)
        repeat(late);
    else
        start_and_stop(strcmp(argv[1], "switch") == 0 ? launch_and_switch : reset_meanwhile);
    puts("OK");
    return 0;
}
