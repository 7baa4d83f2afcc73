/* bench_sample.c - cost of PROF_SAMPLE=99: CPU time of the whole process, libprof's threads included, for the same work of 64
 * threads, with samples and without.
 *
 * As a worker: bench_sample work, which reads counts and answers nanoseconds of CPU time.
 */
#define _GNU_SOURCE
#include "bench.h"
#include "bench_worker.h"

#include <prof/prof.h>

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define THREADS 64
#define DEPTH 20
#define ROUNDS 9
#define WORK 1000u /* of some 8 us, for each thread: half a second of CPU time */

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
        bench_check(pthread_create(&thread, NULL, run, &results[i * 16]) == 0, "thread");
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

static struct bench_worker start(const char *rate, const char *trace)
{
    setenv("PROF_OUTPUT", trace, 1);
    setenv("PROF_TABLE", "0", 1);
    setenv("PROF_SAMPLE", rate, 1);
    return bench_worker_start((char *[]){"/proc/self/exe", "work", NULL}, environ);
}

static double ask(const struct bench_worker *worker)
{
    fprintf(worker->to, "%u\n", WORK);
    return bench_worker_answer(worker) / WORK / THREADS;
}

int main(int count, char **arguments)
{
    const char *directory = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    static const char *const rates[] = {"0", "99"};
    struct bench_turns turns = {.rounds = 0};
    struct bench_worker workers[2];
    char trace[2][512];
    if (count > 1 && strcmp(arguments[1], "work") == 0)
        return work();
    for (int i = 0; i < 2; i++) {
        snprintf(trace[i], sizeof trace[i], "%s/bench_sample.%d.%s.prof", directory, (int)getpid(),
                 rates[i]);
        workers[i] = start(rates[i], trace[i]);
        ask(&workers[i]);
    }
    for (int round = 0; round < ROUNDS; round++) {
        double without_ns = ask(&workers[0]);
        bench_turn(&turns, without_ns, ask(&workers[1]));
    }
    for (int i = 0; i < 2; i++) {
        bench_worker_end(&workers[i]);
        unlink(trace[i]);
    }
    bench_print_header("without");
    bench_print("64 threads beside PROF_SAMPLE=99", bench_turns_end(&turns));
    return 0;
}
