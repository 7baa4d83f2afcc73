/* bench_load.c - a trace file read, correlated and averaged: seconds, and the memory it takes at
 * its most.
 *
 *     bench_load [EVENTS]
 *
 * Of the events half are ranges, a quarter launches and a quarter the kernels that they launched; a
 * range is pushed and popped, a launch enters and exits, and is one event all the same. Half of
 * the events are of a second thread. Each size is measured in a process of its own, whose peak of
 * resident memory (VmHWM) is that of the work alone; pages of the trace file are part of it. The
 * goal: 10 million events in 2.5 s and 64 bytes each; loading and rooflines in twice the time of loading
 * and averages.
 */
#include "bench.h"
#include "key_averages.h"
#include "roofline.h"
#include "trace_builder.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_DEFAULT 10000000u
#define ROUNDS 3
#define RANGE_NAMES 300u
#define KERNEL_NAMES 500u
#define DEPTH 8u
#define THREADS 2u

struct result {
    double seconds, load_seconds, spread_seconds, roofline_seconds;
    double cpu_seconds; /* of user and system: what other programs on the machine do not change */
    double peak_bytes;
    uint64_t ranges, calls, operations; /* as averaged */
};

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
    trace_builder_api_name(trace, PROF_API_RUNTIME, 211, "cudaLaunchKernel");
}

static void launch(struct trace_builder *trace, int64_t time_ns, uint32_t correlation)
{
    trace_builder_enter(trace, time_ns,
                        (struct prof_rec_api_enter){.correlation = correlation,
                                                    .cbid = 211,
                                                    .domain = PROF_API_RUNTIME,
                                                    .flags = PROF_API_LAUNCHES,
                                                    .operations = 1});
    trace_builder_exit(trace, time_ns + 3000, correlation, 0);
}

/* Two ranges with a launch in the second, eight ranges deep: `pairs` times. */
static void record_thread(struct trace_builder *trace, uint32_t thread, uint32_t pairs)
{
    int64_t now = 1000;
    for (uint32_t i = 0; i < pairs; i++, now += 10000) {
        trace_builder_push(trace, now, range_names[i * 7 % RANGE_NAMES]);
        trace_builder_push(trace, now + 100, range_names[i * 13 % RANGE_NAMES]);
        launch(trace, now + 200, i * THREADS + thread + 1);
        trace_builder_pop(trace, now + 4000);
        if (i % (DEPTH / 2) == DEPTH / 2 - 1 || i + 1 == pairs)
            for (uint32_t level = 0; level <= i % (DEPTH / 2); level++)
                trace_builder_pop(trace, now + 5000 + level);
    }
}

static void record_kernels(struct trace_builder *trace, uint32_t thread, uint32_t pairs)
{
    for (uint32_t i = 0; i < pairs; i++) {
        int64_t start = 5000 + (int64_t)i * 10000;
        struct prof_rec_kernel kernel = {.name = kernel_names[i % KERNEL_NAMES],
                                         .context = 1,
                                         .stream = 7 + thread,
                                         .grid_x = 132 + i % 4,
                                         .grid_y = 1,
                                         .grid_z = 1,
                                         .block_x = 256,
                                         .block_y = 1,
                                         .block_z = 1};
        trace_builder_kernel(trace, start, start + 8000 + i % 1000, i * THREADS + thread + 1,
                             kernel, false);
    }
}

static bool make_file(const char *path, uint32_t events)
{
    struct trace_builder *trace = trace_builder_create();
    uint32_t pairs = events / 4 / THREADS;
    name_all(trace);
    trace_builder_device(trace, 0, "bench");
    trace_builder_context(trace, 1, 0);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        trace_builder_thread(trace, thread + 1, 100 + thread, "worker", 0);
        trace_builder_log(trace, thread, thread + 1, 0);
        record_thread(trace, thread, pairs);
    }
    trace_builder_thread(trace, THREADS + 1, 200, "libprof", 1);
    for (uint32_t thread = 0; thread < THREADS; thread++) {
        trace_builder_log(trace, THREADS + thread, THREADS + 1, 0);
        record_kernels(trace, thread, pairs);
    }
    bool written = trace_builder_write(trace, path);
    trace_builder_destroy(trace);
    return written;
}

static double peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss * 1024;
}

/* The same with percentiles, cold and warm calls. */
static double time_spread(const struct timeline *timeline)
{
    struct key_averages averages;
    struct key_options options;
    key_options_default(&options);
    options.spread = true;
    double start = bench_now_ns();
    if (!key_averages_init_by(&averages, timeline, &options))
        _exit(1);
    key_averages_fini(&averages);
    return (bench_now_ns() - start) / 1e9;
}

/* What profdump analyze does beside loading. */
static double time_roofline(const struct timeline *timeline)
{
    struct roofline_options options = {.by = ROOFLINE_BY_KERNEL};
    struct kernel_works works;
    struct roofline roofline;
    double start = bench_now_ns();
    if (!kernel_works_init(&works, timeline) ||
        !roofline_init(&roofline, timeline, &works, &options))
        _exit(1);
    roofline_fini(&roofline);
    kernel_works_fini(&works);
    return (bench_now_ns() - start) / 1e9;
}

static double cpu_seconds(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6;
}

static struct result measure_once(const char *path)
{
    struct read_error error;
    struct key_averages averages;
    struct result result = {0};
    double before = peak_bytes(), cpu = cpu_seconds(), start = bench_now_ns();
    struct timeline *timeline = timeline_load(&path, 1, false, &error);
    result.load_seconds = (bench_now_ns() - start) / 1e9;
    if (!timeline || !key_averages_init(&averages, timeline)) {
        fprintf(stderr, "bench_load: %s\n", timeline ? "out of memory" : error.message);
        _exit(1);
    }
    result.seconds = (bench_now_ns() - start) / 1e9;
    result.cpu_seconds = cpu_seconds() - cpu;
    result.peak_bytes = peak_bytes() - before;
    result.spread_seconds = time_spread(timeline);
    result.roofline_seconds = time_roofline(timeline);
    for (uint32_t i = 0; i < averages.count; i++) {
        const struct key_average *row = &averages.rows[i];
        result.ranges += row->kind == KEY_RANGE ? row->count : 0;
        result.calls += row->kind == KEY_API ? row->count : 0;
        result.operations += key_kind_is_device(row->kind) ? row->count : 0;
    }
    return result;
}

/* In a process of its own. */
static bool in_child(const char *path, uint32_t events, struct result *result)
{
    int ends[2], status;
    if (pipe(ends) != 0)
        return false;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        struct result mine = {0};
        if (events && !make_file(path, events))
            _exit(1);
        if (!events)
            mine = measure_once(path);
        _exit(write(ends[1], &mine, sizeof mine) == sizeof mine ? 0 : 1);
    }
    close(ends[1]);
    bool got = read(ends[0], result, sizeof *result) == sizeof *result;
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child && status == 0 && got;
}

static void measure(const char *path, uint32_t events)
{
    struct result best = {.seconds = 1e30}, result;
    if (!in_child(path, events, &result))
        exit(1);
    for (int round = 0; round < ROUNDS; round++) {
        if (!in_child(path, 0, &result))
            exit(1);
        if (result.seconds < best.seconds)
            best = result;
    }
    unlink(path);
    uint64_t seen = best.ranges + best.calls + best.operations;
    printf("%9llu events  %7.3f s, %.3f of CPU  (%.3f averages, %.3f with percentiles; %.3f "
           "rooflines)  "
           "%6.1f ns and %6.1f bytes per event\n",
           (unsigned long long)seen, best.seconds, best.cpu_seconds,
           best.seconds - best.load_seconds, best.spread_seconds, best.roofline_seconds,
           best.seconds * 1e9 / (double)seen, best.peak_bytes / (double)seen);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVENTS_DEFAULT;
    snprintf(path, sizeof path, "%s/bench_load-%d.prof", folder ? folder : "/tmp", (int)getpid());
    for (uint32_t events = 100000; events < most; events *= 10)
        measure(path, events);
    measure(path, most);
    return 0;
}
