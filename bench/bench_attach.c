/* bench_attach.c - cost of profrun --attach, on the simulated CUDA: how long a thread of the target is stopped, and a launch
 * afterwards. The floor is the same program, preloaded.
 *
 * As a worker: bench_attach launch, which reads counts and answers nanoseconds of each launch. It includes nothing of libprof.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "bench_worker.h"

#include "../examples/cuda_by_hand.h"

#define LAUNCHES 5000u
#define TARGETS 25

static char kernel;

static int launch(void)
{
    unsigned count;
    cuda_register_kernel(&kernel, "_Z4workPfi");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    while (scanf("%u", &count) == 1) {
        double start = bench_now_ns();
        for (unsigned i = 0; i < count; i++)
            cuda_check(cudaLaunchKernel(&kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, NULL, 0, NULL),
                       "cudaLaunchKernel");
        double each_ns = (bench_now_ns() - start) / (count ? count : 1);
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
        printf("%.3f\n", each_ns);
        fflush(stdout);
    }
    return 0;
}

/* ---- the measurements ---- */

static char self[512], trace[3][512];

static double ask(const struct bench_worker *worker, unsigned launches)
{
    fprintf(worker->to, "%u\n", launches);
    return bench_worker_answer(worker);
}

static struct bench_worker start(bool preloaded, const char *output)
{
    char library[600];
    snprintf(library, sizeof library, "%.*s/../lib/libprof.so", (int)(strrchr(self, '/') - self),
             self);
    unlink(output);
    if (preloaded)
        setenv("LD_PRELOAD", library, 1);
    setenv("PROF_OUTPUT", output, 1);
    struct bench_worker worker = bench_worker_start((char *[]){self, "launch", NULL}, environ);
    unsetenv("LD_PRELOAD");
    ask(&worker, 0); /* it has come to its loop */
    return worker;
}

/* How long a thread was stopped, as profrun says. `seconds` NULL: it records until it ends. */
static double attach_ms(const struct bench_worker *worker, const char *output, const char *seconds)
{
    char command[2048], line[1024];
    double ms = -1;
    snprintf(command, sizeof command,
             "'%.*s/../bin/profrun' --attach %d --no-table -o '%s' %s%s 2>&1",
             (int)(strrchr(self, '/') - self), self, (int)worker->pid, output,
             seconds ? "--for " : "", seconds ? seconds : "");
    FILE *profrun = popen(command, "r");
    bench_check(profrun != NULL, "profrun");
    while (fgets(line, sizeof line, profrun)) {
        const char *at = strstr(line, "was stopped for ");
        if (at)
            ms = strtod(at + strlen("was stopped for "), NULL);
        else if (strstr(line, "cannot attach"))
            fputs(line, stdout);
    }
    if (pclose(profrun) != 0 || ms < 0) {
        printf("profrun --attach is refused here: nothing to measure\n");
        exit(0);
    }
    return ms;
}

static void measure_stops(void)
{
    double ms[TARGETS];
    for (int i = 0; i < TARGETS; i++) {
        struct bench_worker worker = start(false, trace[1]);
        ms[i] = attach_ms(&worker, trace[1], NULL);
        bench_worker_end(&worker);
    }
    qsort(ms, TARGETS, sizeof *ms, bench_compare);
    printf("%-44s %8.3f ms median, %.3f ms most of %d processes\n", "a thread is stopped for",
           ms[TARGETS / 2], ms[TARGETS - 1], TARGETS);
}

static struct bench_result compare(const struct bench_worker *floor,
                                   const struct bench_worker *candidate)
{
    struct bench_turns turns = {.rounds = 0};
    ask(floor, LAUNCHES);
    ask(candidate, LAUNCHES);
    for (int round = 0; round < BENCH_ROUNDS; round++) {
        double floor_ns = ask(floor, LAUNCHES);
        bench_turn(&turns, floor_ns, ask(candidate, LAUNCHES));
    }
    return bench_turns_end(&turns);
}

/* `released`: libprof has stopped recording there, and its callbacks are off. */
static void measure_launches(void)
{
    struct bench_worker bare = start(false, trace[0]), preloaded = start(true, trace[0]),
                        attached = start(false, trace[1]), released = start(false, trace[2]);
    attach_ms(&attached, trace[1], NULL);
    attach_ms(&released, trace[2], "1s");
    sleep(4);
    bench_print_header("preloaded");
    bench_print("launch after profrun --attach, recording", compare(&preloaded, &attached));
    bench_print_header("bare");
    bench_print("launch after profrun --attach --for 1s", compare(&bare, &released));
    bench_worker_end(&bare);
    bench_worker_end(&preloaded);
    bench_worker_end(&attached);
    bench_worker_end(&released);
}

int main(int argc, char **argv)
{
    const char *directory = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    if (argc > 1 && strcmp(argv[1], "launch") == 0)
        return launch();
    bench_check(readlink("/proc/self/exe", self, sizeof self - 1) > 0, "/proc/self/exe");
    for (int i = 0; i < 3; i++)
        snprintf(trace[i], sizeof trace[i], "%s/bench_attach.%d.prof", directory, i);
    setenv("SIM_LAUNCH_NS", "0", 1);
    setenv("SIM_KERNEL_NS", "1", 1);
    setenv("PROF_TABLE", "0", 1);
    setenv("PROF_LOG", "0", 1);
    measure_stops();
    measure_launches();
    for (int i = 0; i < 3; i++)
        unlink(trace[i]);
    return 0;
}
