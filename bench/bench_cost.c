/* bench_cost.c - compares the overhead that libprof reports with one measured from outside: the
 * same loops with recording off and on, alternating, in one process. The statement agrees where it
 * lies within what the middle half of the rounds took. Pushes and pops first, then launches on the
 * simulated CUDA, whose own launch is made to take no time.
 *
 * Outside there is more than libprof can see: what CUPTI (here the simulated one) does before it calls back and when it
 * writes records, what the caches lose, and what the threads of libprof take away where there are fewer processors than
 * threads at work.
 */
#include "bench.h"

#include "../examples/cuda_by_hand.h"

#include <prof/prof.h>

#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 40
#define PAIRS 100000u
#define LAUNCHES 20000u
#define FILE_NAME "bench_cost.prof"

static char kernel;

/* Some hundred nanoseconds: nobody pushes without doing something in between, and the memory that
 * the log fills has to come from somewhere. */
static void work(void)
{
    uint64_t value = 1;
    for (int i = 0; i < 200; i++) {
        value = value * 3 + 1;
        __asm__ volatile("" : "+r"(value));
    }
}

static void loop_pairs(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++) {
        PROF_RANGE("forward pass of layer 12");
        work();
    }
}

static void loop_launch(void *user, uint64_t iterations)
{
    (void)user;
    for (uint64_t i = 0; i < iterations; i++)
        cuda_check(cudaLaunchKernel(&kernel, (dim3){1, 1, 1}, (dim3){32, 1, 1}, NULL, 0, NULL),
                   "cudaLaunchKernel");
}

static double round_ns(bench_loop loop, uint64_t iterations)
{
    double ns = bench_time(loop, NULL, iterations);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    return ns;
}

/* `argv`: the program, "run", and which loop. Rounds with recording off and on take turns, since machines drift
 * between speeds. Prints what an iteration takes without recording, and what recording adds: the median of the
 * rounds, and the quarters below and above which rounds are. */
static int run(char **argv)
{
    struct prof_options options;
    bool launches = strcmp(argv[2], "launches") == 0;
    bench_loop loop = launches ? loop_launch : loop_pairs;
    uint64_t iterations = launches ? LAUNCHES : PAIRS;
    double off[ROUNDS], added[ROUNDS];
    prof_options_default(&options);
    options.output = FILE_NAME;
    prof_configure(&options);
    cuda_register_kernel(&kernel, "_Z6kernelv");
    round_ns(loop, iterations);
    for (int round = 0; round < ROUNDS; round++) {
        off[round] = round_ns(loop, iterations);
        prof_start();
        added[round] = round_ns(loop, iterations) - off[round];
        prof_stop();
    }
    qsort(off, ROUNDS, sizeof *off, bench_compare);
    qsort(added, ROUNDS, sizeof *added, bench_compare);
    printf("%f %f %f %f\n", off[ROUNDS / 2], added[ROUNDS / 2], added[ROUNDS / 4],
           added[ROUNDS * 3 / 4]);
    return 0;
}

static double number_after(const char *text, const char *key)
{
    const char *at = strstr(text, key);
    return at ? atof(at + strlen(key)) : 0;
}

/* The output of a command, cut at `bytes`. */
static void read_output(const char *command, char *text, size_t bytes)
{
    FILE *stream = popen(command, "r");
    size_t size = stream ? fread(text, 1, bytes - 1, stream) : 0;
    text[size] = '\0';
    if (stream) {
        while (fgetc(stream) != EOF)
            ;
        pclose(stream);
    }
}

static void compare(const char *program, const char *what, double things)
{
    static char text[1 << 20];
    char command[4400], bin[4096];
    double off_ns = 0, added_ns = 0, low_ns = 0, high_ns = 0;
    unlink(FILE_NAME);
    snprintf(command, sizeof command, "'%s' run %s", program, what);
    read_output(command, text, sizeof text);
    if (sscanf(text, "%lf %lf %lf %lf", &off_ns, &added_ns, &low_ns, &high_ns) != 4)
        exit(1);
    snprintf(bin, sizeof bin, "%s", program);
    *strrchr(bin, '/') = '\0';
    snprintf(command, sizeof command, "'%s/../bin/profdump' --json --rows 1 " FILE_NAME, bin);
    read_output(command, text, sizeof text);
    double stated_ns = number_after(text, "\"taken_ns\":");
    if (number_after(text, "\"taken_ns\":") <= 0) {
        fprintf(stderr, "bench_cost: nothing of %s was recorded\n", what);
        exit(1);
    }
    double each_ns = stated_ns / things;
    printf("%-10s %7.1f ns (%6.1f to %6.1f) %7.1f ns %8.2f %% %8.2f %%  %s\n", what, added_ns,
           low_ns, high_ns, each_ns, added_ns * 100 / (off_ns + added_ns),
           number_after(text, "\"percent\":"),
           each_ns < low_ns    ? "less than outside"
           : each_ns > high_ns ? "more than outside"
                               : "agrees");
    unlink(FILE_NAME);
}

int main(int argc, char **argv)
{
    char program[4096];
    if (argc > 2 && strcmp(argv[1], "run") == 0)
        return run(argv);
    setenv("SIM_LAUNCH_NS", "0", 1);
    setenv("SIM_KERNEL_NS", "1", 1);
    setenv("PROF_START", "api", 1);
    setenv("PROF_TABLE", "0", 1);
    ssize_t size = readlink("/proc/self/exe", program, sizeof program - 1);
    if (size <= 0)
        return 1;
    program[size] = '\0';
    printf("%-10s %30s %10s %10s %10s\n", "", "outside, each (half of rounds)", "stated", "outside",
           "stated");
    compare(program, "pairs", (double)ROUNDS * PAIRS);
    compare(program, "launches", (double)ROUNDS * LAUNCHES);
    return 0;
}
