/* profiled WHAT [COUNT]: CUDA work around whatever switches recording.
 *
 *     runtime       other(), then two cudaProfilerStart .. cudaProfilerStop with 2 and 3 work() in a range each, other()
 *     driver        the same with cuProfilerStart and cuProfilerStop
 *     thread        one thread starts and stops, another one launches meanwhile
 *     steps COUNT   COUNT steps of one work() each
 *     cycles COUNT  COUNT cycles of prof_start(), a range with one work(), prof_stop(); fails when memory grows after
 *                   the first tenth of them by more than 1 MiB
 *     quiet COUNT   a prof_start .. prof_stop with one work(), three seconds of nothing, COUNT times other()
 */
#include "cuda_test.h"

#include <prof/prof.h>

#include <pthread.h>
#include <unistd.h>

cudaError_t cudaProfilerStart(void);
cudaError_t cudaProfilerStop(void);
CUresult cuProfilerStart(void);
CUresult cuProfilerStop(void);

static void other(void)
{
    cuda_check(launch_shaped(&kernel_other, 1, 32, 0, NULL), "other");
}

static void profiled(int times, int (*start)(void), int (*stop)(void))
{
    start();
    prof_range_push("profiled");
    launch_work(times, NULL);
    prof_range_pop();
    stop();
    other();
}

static int calls(int (*start)(void), int (*stop)(void))
{
    other();
    profiled(2, start, stop);
    profiled(3, start, stop);
    return 0;
}

static volatile int stop, launched;

static void *launch_meanwhile(void *unused)
{
    while (!stop) {
        launch_work(1, NULL);
        launched++;
        usleep(20);
    }
    return unused;
}

static int thread(void)
{
    pthread_t launcher;
    pthread_create(&launcher, NULL, launch_meanwhile, NULL);
    while (launched < 10)
        usleep(100);
    for (int i = 0; i < 20; i++) {
        cudaProfilerStart();
        usleep(1000);
        cudaProfilerStop();
    }
    stop = 1;
    pthread_join(launcher, NULL);
    return 0;
}

static int steps(int count)
{
    for (int i = 0; i < count; i++) {
        prof_step();
        prof_range_push("step");
        launch_work(1, NULL);
        prof_range_pop();
    }
    return 0;
}

/* KiB of memory that is the process's own: pages of the file's mapping come and go with the file. */
static long own_memory(void)
{
    long value = 0;
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (sscanf(line, "RssAnon: %ld", &value) == 1)
            break;
    if (status)
        fclose(status);
    return value;
}

static int cycles(int count)
{
    long before = 0;
    for (int i = 0; i < count; i++) {
        if (i == count / 10)
            before = own_memory();
        prof_start();
        prof_range_push("cycle");
        launch_work(1, NULL);
        prof_range_pop();
        prof_stop();
        if (i % 50 == 0)
            cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    long after = own_memory();
    long buffers = 2 * 1024; /* CUPTI's, whose pages come with use */
    if (after > before + buffers + 1024)
        printf("memory grew from %ld to %ld KiB\n", before, after);
    return after > before + buffers + 1024;
}

static int quiet(int count)
{
    prof_start();
    launch_work(1, NULL);
    prof_stop();
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    sleep(3);
    for (int i = 0; i < count; i++)
        other();
    return 0;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    const int count = argc > 2 ? atoi(argv[2]) : 100;
    int status = !strcmp(what, "runtime")  ? calls(cudaProfilerStart, cudaProfilerStop)
                 : !strcmp(what, "driver") ? calls(cuProfilerStart, cuProfilerStop)
                 : !strcmp(what, "thread") ? thread()
                 : !strcmp(what, "steps")  ? steps(count)
                 : !strcmp(what, "cycles") ? cycles(count)
                 : !strcmp(what, "quiet")  ? quiet(count)
                                           : 99;
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    if (status == 0)
        puts("OK");
    return status;
}
