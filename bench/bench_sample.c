/* bench_sample.c - cost of PROF_SAMPLE=99: CPU time of the whole process, libprof's threads included, for the same work of 64
 * threads, with samples and without.
 *
 * As a worker: bench_sample work, which reads counts and answers nanoseconds of CPU time.
 */
#define _GNU_SOURCE
#include "bench.h"

#include <prof/prof.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 64
#define DEPTH 20
#define ROUNDS 9
#define WORK 1000u /* of some 8 us, for each thread: half a second of CPU time */

static void check(bool good, const char *what)
{
    if (good)
        return;
    perror(what);
    exit(1);
}

/* ---- the worker ---- */

static pthread_barrier_t begin, done;
static unsigned amount;
static unsigned long results[THREADS * 16];

__attribute__((noinline)) static unsigned long compute(unsigned depth, unsigned long seed)
{
    if (depth)
        seed = compute(depth - 1, seed) + 1;
    else
        for (unsigned i = 0; i < 10000; i++)
            seed += i ^ (seed >> 3);
    __asm__ volatile("" : "+r"(seed));
    return seed;
}

static void *run(void *argument)
{
    unsigned long *result = argument;
    prof_range_push("worker");
    for (;;) {
        pthread_barrier_wait(&begin);
        for (unsigned i = 0; i < amount; i++)
            *result = compute(DEPTH, *result);
        pthread_barrier_wait(&done);
    }
    return NULL;
}

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static int work(void)
{
    pthread_t thread;
    prof_start();
    pthread_barrier_init(&begin, NULL, THREADS + 1);
    pthread_barrier_init(&done, NULL, THREADS + 1);
    for (int i = 0; i < THREADS; i++)
        check(pthread_create(&thread, NULL, run, &results[i * 16]) == 0, "thread");
    while (scanf("%u", &amount) == 1) {
        double start = cpu_ns();
        pthread_barrier_wait(&begin);
        pthread_barrier_wait(&done);
        printf("%.0f\n", cpu_ns() - start);
        fflush(stdout);
    }
    _exit(0); /* the threads never end */
}

/* ---- the measurement ---- */

struct worker {
    FILE *to, *from;
    pid_t pid;
};

static struct worker start(const char *self, const char *rate, const char *trace)
{
    int to[2], from[2];
    check(pipe2(to, O_CLOEXEC) == 0 && pipe2(from, O_CLOEXEC) == 0, "pipe");
    struct worker worker = {.pid = fork()};
    check(worker.pid >= 0, "fork");
    if (worker.pid == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        setenv("PROF_OUTPUT", trace, 1);
        setenv("PROF_TABLE", "0", 1);
        setenv("PROF_SAMPLE", rate, 1);
        execl(self, self, "work", (char *)NULL);
        _exit(1);
    }
    close(to[0]);
    close(from[1]);
    worker.to = fdopen(to[1], "w");
    worker.from = fdopen(from[0], "r");
    return worker;
}

static double ask(struct worker *worker)
{
    double answer = 0;
    fprintf(worker->to, "%u\n", WORK);
    fflush(worker->to);
    check(fscanf(worker->from, "%lf", &answer) == 1, "the worker's answer");
    return answer / WORK / THREADS;
}

int main(int count, char **arguments)
{
    const char *directory = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    static const char *const rates[] = {"0", "99"};
    struct bench_result result = {1e30, 1e30, 0};
    struct worker workers[2];
    double ratios[ROUNDS];
    char trace[2][512];
    if (count > 1 && strcmp(arguments[1], "work") == 0)
        return work();
    for (int i = 0; i < 2; i++) {
        snprintf(trace[i], sizeof trace[i], "%s/bench_sample.%d.%s.prof", directory, (int)getpid(),
                 rates[i]);
        workers[i] = start("/proc/self/exe", rates[i], trace[i]);
        ask(&workers[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double without = ask(&workers[0]), with = ask(&workers[1]);
        ratios[round] = with / without;
        result.floor_ns = without < result.floor_ns ? without : result.floor_ns;
        result.candidate_ns = with < result.candidate_ns ? with : result.candidate_ns;
    }
    qsort(ratios, ROUNDS, sizeof *ratios, bench_compare);
    result.ratio = ratios[ROUNDS / 2];
    for (int i = 0; i < 2; i++) {
        fclose(workers[i].to);
        fclose(workers[i].from);
        waitpid(workers[i].pid, NULL, 0);
        unlink(trace[i]);
    }
    bench_print_header("without");
    bench_print("64 threads beside PROF_SAMPLE=99", result);
    return 0;
}
