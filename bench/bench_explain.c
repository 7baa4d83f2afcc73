/* bench_explain.c - profdump explain against the table of the same file, each a process of its own.
 *
 *     bench_explain [EVENTS]
 *
 * Of the events a third are ranges, a third launches and a third the kernels that they launched. The
 * device waits for every launch, a hundredth of them behind a wait: each kernel has a gap to explain,
 * which is the most work there can be. The goal: at most twice the table.
 */
#include "bench.h"
#include "trace_builder.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_DEFAULT 10000000u
#define ROUNDS 5
#define RANGE_NAMES 300u
#define KERNEL_NAMES 50u
#define WAIT_EVERY 100u
#define STEP_NS 10000
#define PATH_BYTES 4096

static uint32_t range_names[RANGE_NAMES], kernel_names[KERNEL_NAMES];

static void name_all(struct trace_builder *trace)
{
    char text[64];
    for (uint32_t i = 0; i < RANGE_NAMES; i++) {
        snprintf(text, sizeof text, "range %u", i);
        range_names[i] = trace_builder_name(trace, text);
    }
    for (uint32_t i = 0; i < KERNEL_NAMES; i++) {
        snprintf(text, sizeof text, "_Z6kernelILi%uEEvPf", i);
        kernel_names[i] = trace_builder_name(trace, text);
    }
    trace_builder_api_name(trace, PROF_API_RUNTIME, 165, "cudaDeviceSynchronize");
    trace_builder_api_name(trace, PROF_API_RUNTIME, 211, "cudaLaunchKernel");
}

static void call(struct trace_builder *trace, int64_t start_ns, int64_t end_ns,
                 struct prof_rec_api_enter enter)
{
    enter.domain = PROF_API_RUNTIME;
    trace_builder_enter(trace, start_ns, enter);
    trace_builder_exit(trace, end_ns, enter.correlation, 0);
}

static void record_calls(struct trace_builder *trace, uint32_t launches)
{
    for (uint32_t i = 0; i < launches; i++) {
        int64_t now = STEP_NS + (int64_t)i * STEP_NS;
        trace_builder_push(trace, now, range_names[i * 7 % RANGE_NAMES]);
        if (i % WAIT_EVERY == 0)
            call(trace, now + 100, now + 900,
                 (struct prof_rec_api_enter){.correlation = launches + i + 1, .cbid = 165});
        call(trace, now + 1000, now + 3000,
             (struct prof_rec_api_enter){
                 .correlation = i + 1, .cbid = 211, .flags = PROF_API_LAUNCHES, .operations = 1});
        trace_builder_pop(trace, now + 4000);
    }
}

static void record_kernels(struct trace_builder *trace, uint32_t launches)
{
    for (uint32_t i = 0; i < launches; i++) {
        int64_t start = STEP_NS + (int64_t)i * STEP_NS + 5000;
        struct prof_rec_kernel kernel = {.name = kernel_names[i % KERNEL_NAMES],
                                         .context = 1,
                                         .stream = 7,
                                         .grid_x = 132 + i % 4,
                                         .grid_y = 1,
                                         .grid_z = 1,
                                         .block_x = 256,
                                         .block_y = 1,
                                         .block_z = 1};
        trace_builder_kernel(trace, start, start + 2000 + i % 1000, i + 1, kernel, false);
    }
}

static bool make_file(const char *path, uint32_t events)
{
    struct trace_builder *trace = trace_builder_create();
    name_all(trace);
    trace_builder_device(trace, 0, "bench");
    trace_builder_context(trace, 1, 0);
    trace_builder_thread(trace, 1, 100, "main", 0);
    trace_builder_log(trace, 0, 1, 0);
    record_calls(trace, events / 3);
    trace_builder_thread(trace, 2, 200, "libprof", 1);
    trace_builder_log(trace, 1, 2, 0);
    record_kernels(trace, events / 3);
    bool written = trace_builder_write(trace, path);
    trace_builder_destroy(trace);
    return written;
}

/* profdump of the same build. */
static const char *profdump(void)
{
    static char path[PATH_BYTES];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - sizeof "/bin/profdump");
    for (int i = 0; i < 2 && size > 0; i++)
        while (size > 0 && path[--size] != '/')
            ;
    memcpy(path + (size > 0 ? size : 0), "/bin/profdump", sizeof "/bin/profdump");
    return path;
}

/* Seconds that the command took; what it prints goes nowhere. */
static double run(char *const *words)
{
    double start = bench_now_ns();
    int status;
    pid_t child = fork();
    if (child == 0) {
        int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nowhere, STDOUT_FILENO);
        execv(profdump(), words);
        _exit(127);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
        fprintf(stderr, "bench_explain: %s failed\n", profdump());
        exit(1);
    }
    return (bench_now_ns() - start) / 1e9;
}

static void measure(char *path, uint32_t events)
{
    char program[] = "profdump", explain[] = "explain";
    char *table_words[] = {program, path, NULL}, *explain_words[] = {program, explain, path, NULL};
    double ratios[ROUNDS], table_s = 1e30, explain_s = 1e30;
    if (!make_file(path, events))
        exit(1);
    for (int round = 0; round < ROUNDS; round++) {
        double table = run(table_words), explained = run(explain_words);
        ratios[round] = explained / table;
        table_s = table < table_s ? table : table_s;
        explain_s = explained < explain_s ? explained : explain_s;
    }
    unlink(path);
    qsort(ratios, ROUNDS, sizeof *ratios, bench_compare);
    printf("%9u events  table %7.3f s, explain %7.3f s  %5.2fx\n", events, table_s, explain_s,
           ratios[ROUNDS / 2]);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char path[PATH_BYTES];
    uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVENTS_DEFAULT;
    snprintf(path, sizeof path, "%s/bench_explain-%d.prof", folder ? folder : "/tmp",
             (int)getpid());
    measure(path, most / 10);
    measure(path, most);
    return 0;
}
