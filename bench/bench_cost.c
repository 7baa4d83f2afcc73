/* What libprof says that it costs, beside what a clock outside says: the same loops with recording off and on, in one
 * process. Pushes and pops first, then launches on the simulated CUDA, whose own launch is made to take no time.
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

/* Nanoseconds of one iteration, in the median round. */
static double median_ns(bench_loop loop, uint64_t iterations)
{
    double rounds[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        rounds[round] = bench_time(loop, NULL, iterations);
        cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    qsort(rounds, ROUNDS, sizeof *rounds, bench_compare);
    return rounds[ROUNDS / 2];
}

/* `argv`: the program, "run", and which loop. Prints what an iteration takes without and with
 * recording. */
static int run(char **argv)
{
    struct prof_options options;
    bool launches = strcmp(argv[2], "launches") == 0;
    bench_loop loop = launches ? loop_launch : loop_pairs;
    uint64_t iterations = launches ? LAUNCHES : PAIRS;
    prof_options_default(&options);
    options.output = FILE_NAME;
    prof_configure(&options);
    cuda_register_kernel(&kernel, "_Z6kernelv");
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    double off_ns = median_ns(loop, iterations);
    prof_start();
    double on_ns = median_ns(loop, iterations);
    prof_stop();
    printf("%f %f\n", off_ns, on_ns);
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
    double off_ns = 0, on_ns = 0;
    unlink(FILE_NAME);
    snprintf(command, sizeof command, "'%s' run %s", program, what);
    read_output(command, text, sizeof text);
    if (sscanf(text, "%lf %lf", &off_ns, &on_ns) != 2)
        exit(1);
    snprintf(bin, sizeof bin, "%s", program);
    *strrchr(bin, '/') = '\0';
    snprintf(command, sizeof command, "'%s/../bin/profdump' --json --rows 1 " FILE_NAME, bin);
    read_output(command, text, sizeof text);
    double stated_ns = number_after(text, "\"taken_ns\":");
    printf("%-10s %10.1f ns %10.1f ns %10.2f %% %10.2f %%\n", what, on_ns - off_ns,
           stated_ns / things, (on_ns - off_ns) * 100 / on_ns, number_after(text, "\"percent\":"));
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
    printf("%-10s %13s %13s %12s %12s\n", "", "outside, each", "stated, each", "outside", "stated");
    compare(program, "pairs", (double)ROUNDS * PAIRS);
    compare(program, "launches", (double)ROUNDS * LAUNCHES);
    return 0;
}
