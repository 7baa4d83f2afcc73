/* bench_load.c - reading, correlating and averaging a trace file: seconds and peak memory.
 *
 *     bench_load [EVENTS]
 *
 * The events are those of large_trace.h. Each size is measured in a process of its own, whose peak of
 * resident memory (VmHWM) is that of the work alone; pages of the trace file are part of it. The
 * goal: 10 million events in 2.5 s and 64 bytes each; loading and rooflines in twice the time of loading
 * and averages; loading and a window in 1.3 times the time of loading.
 */
#include "bench.h"
#include "key_averages.h"
#include "large_trace.h"
#include "read.h"
#include "roofline.h"
#include "timeline_restrict.h"

#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define EVENTS_DEFAULT 10000000u
#define ROUNDS 3

struct result {
    double seconds, load_seconds, spread_seconds, roofline_seconds;
    double half_seconds,
        all_seconds;    /* cut down to the middle half; and to a window that leaves everything */
    double cpu_seconds; /* of user and system: what other programs on the machine do not change */
    double peak_bytes;
    uint64_t ranges, calls, operations; /* as averaged */
};

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

/* What profdump roofline does beside loading. */
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

static double time_restrict(struct timeline *timeline, int64_t from_ns, int64_t to_ns)
{
    double start = bench_now_ns();
    if (!timeline_restrict(timeline, from_ns, to_ns))
        _exit(1);
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
    int64_t quarter_ns = (timeline->end_ns - timeline->start_ns) / 4;
    result.all_seconds = time_restrict(timeline, INT64_MIN, INT64_MAX);
    result.half_seconds =
        time_restrict(timeline, timeline->start_ns + quarter_ns, timeline->end_ns - quarter_ns);
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
        if (events && !large_trace_write(path, events, false, 0))
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
    printf("%*s  loading and a window of all of it: %.2f times loading; of half of it: %.2f\n", 16,
           "", 1 + best.all_seconds / best.load_seconds, 1 + best.half_seconds / best.load_seconds);
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
