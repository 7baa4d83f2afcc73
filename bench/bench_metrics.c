/* bench_metrics.c - what PROF_PROMETHEUS costs: the recording thread, and the writer thread that counts and writes.
 *
 * Each figure comes from processes of their own, as the variable is read once: they record for some seconds as fast as they
 * can. Floor and candidate take turns; the ratio is that of the fastest runs.
 */
#include "bench.h"

#include <prof/prof.h>

#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 5
#define SECONDS 3.0
#define PAIRS 100000u

struct run {
    double pair_ns, process_ns; /* of a push and pop; CPU time of the whole process, per pair */
};

static double cpu_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void record(struct run *run)
{
    double end = bench_now_ns() + SECONDS * 1e9, pairs = 0, least = 1e30;
    double process = cpu_ns(CLOCK_PROCESS_CPUTIME_ID), thread = cpu_ns(CLOCK_THREAD_CPUTIME_ID);
    while (bench_now_ns() < end) {
        double begin = bench_now_ns();
        for (unsigned i = 0; i < PAIRS; i++) {
            prof_range_push("forward pass, layer 012");
            prof_range_pop();
        }
        double each = (bench_now_ns() - begin) / PAIRS;
        least = each < least ? each : least;
        pairs += PAIRS;
        prof_step();
        usleep(10000); /* a ring of 64 MiB and the walk keep up */
    }
    process = cpu_ns(CLOCK_PROCESS_CPUTIME_ID) - process;
    thread = cpu_ns(CLOCK_THREAD_CPUTIME_ID) - thread;
    *run = (struct run){least, (process - thread) / pairs};
}

/* The child executes this program again: libprof reads its variables when it is loaded. */
static struct run run_once(const char *program, const char *metrics)
{
    struct run run = {1e30, 0};
    int ends[2];
    if (pipe(ends) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        setenv("PROF_PROMETHEUS", metrics, 1);
        setenv("PROF_START", "now", 1);
        setenv("PROF_FULL", "ring", 1);
        setenv("PROF_MAX_MB", "64", 1);
        setenv("PROF_TABLE", "0", 1);
        execl(program, program, "child", (char *)NULL);
        _exit(127);
    }
    close(ends[1]);
    if (read(ends[0], &run, sizeof run) != (ssize_t)sizeof run)
        abort();
    close(ends[0]);
    waitpid(child, NULL, 0);
    return run;
}

static void child(void)
{
    struct run run;
    record(&run);
    if (write(STDOUT_FILENO, &run, sizeof run) != (ssize_t)sizeof run)
        abort();
}

int main(int argc, char **argv)
{
    char directory[] = "/tmp/bench_metrics.XXXXXX", output[64];
    struct run without = {1e30, 1e30}, with = {1e30, 1e30};
    if (argc > 1) {
        child();
        return 0;
    }
    if (!mkdtemp(directory))
        abort();
    snprintf(output, sizeof output, "%s/run-%%p.prof", directory);
    setenv("PROF_OUTPUT", output, 1);
    for (int round = 0; round < ROUNDS; round++) {
        struct run one = run_once(argv[0], ""), other = run_once(argv[0], directory);
        without.pair_ns = one.pair_ns < without.pair_ns ? one.pair_ns : without.pair_ns;
        with.pair_ns = other.pair_ns < with.pair_ns ? other.pair_ns : with.pair_ns;
        without.process_ns =
            one.process_ns < without.process_ns ? one.process_ns : without.process_ns;
        with.process_ns = other.process_ns < with.process_ns ? other.process_ns : with.process_ns;
    }
    bench_print_header("without");
    bench_print("push and pop, the thread", (struct bench_result){without.pair_ns, with.pair_ns,
                                                                  with.pair_ns / without.pair_ns});
    bench_print("push and pop, libprof's threads",
                (struct bench_result){without.process_ns, with.process_ns,
                                      with.process_ns / without.process_ns});
    char remove[128];
    snprintf(remove, sizeof remove, "rm -rf %s", directory);
    return system(remove) != 0;
}
