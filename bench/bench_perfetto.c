/* bench_perfetto.c - the Perfetto writer against the Chrome trace writer.
 *
 *     bench_perfetto [SLICES] [DIRECTORY]
 *     bench_perfetto --trace FILE [DIRECTORY]
 *
 * Both write the same events into a file that did not exist before, in turns: ranges with two integer
 * attributes and ranges without any, or what the trace holds. Goals: more events per second than the
 * Chrome trace, at most 0.35 of its bytes, at most 40 bytes per range without attributes.
 */
#include "bench.h"
#include "bench_timeline.h"
#include "formats.h"
#include "read.h"
#include "write.h"

#include <stdbool.h>
#include <unistd.h>

#define SLICES_DEFAULT 2000000u
#define ROUNDS 7

struct result {
    double chrome_ns, perfetto_ns; /* the best round's */
    double chrome_bytes, perfetto_bytes;
};

static double time_one(const struct timeline *timeline, bool perfetto, const char *path)
{
    struct write_error error;
    unlink(path);
    double start = bench_now_ns();
    bool written = perfetto ? write_perfetto(timeline, NULL, NULL, path, &error)
                            : write_chrome(timeline, NULL, NULL, path, &error);
    double ns = bench_now_ns() - start;
    if (written)
        return ns;
    fprintf(stderr, "%s\n", error.message);
    exit(1);
}

static struct result measure(const struct timeline *timeline, const char *directory)
{
    struct result best = {.chrome_ns = 1e30, .perfetto_ns = 1e30};
    char chrome_path[4096], perfetto_path[4096];
    snprintf(chrome_path, sizeof chrome_path, "%s/bench_perfetto.json", directory);
    snprintf(perfetto_path, sizeof perfetto_path, "%s/bench_perfetto.pftrace", directory);
    for (int round = 0; round < ROUNDS; round++) {
        double chrome_ns = time_one(timeline, false, chrome_path);
        double perfetto_ns = time_one(timeline, true, perfetto_path);
        best.chrome_ns = chrome_ns < best.chrome_ns ? chrome_ns : best.chrome_ns;
        best.perfetto_ns = perfetto_ns < best.perfetto_ns ? perfetto_ns : best.perfetto_ns;
    }
    best.chrome_bytes = file_bytes(chrome_path);
    best.perfetto_bytes = file_bytes(perfetto_path);
    unlink(chrome_path);
    unlink(perfetto_path);
    return best;
}

static void compare(const struct timeline *timeline, const char *what, const char *directory)
{
    double events = (double)timeline->slices.count + timeline->gpus.count;
    struct result result = measure(timeline, directory);
    printf("%s\n", what);
    report("  Chrome trace", result.chrome_ns, events, result.chrome_bytes);
    report("  Perfetto trace", result.perfetto_ns, events, result.perfetto_bytes);
    printf("  %.2f times the rate (goal: above 1), %.3f of the bytes (goal: 0.35)\n",
           result.chrome_ns / result.perfetto_ns, result.perfetto_bytes / result.chrome_bytes);
}

static int compare_ranges(uint32_t count, const char *directory)
{
    struct timeline timeline = {0};
    bool made = count > 0 && make_timeline(&timeline, count);
    if (made) {
        compare(&timeline, "ranges with two attributes", directory);
        timeline.attrs.count = 0;
        compare(&timeline, "ranges without attributes (goal: 40 bytes/event)", directory);
    }
    free(timeline.slices.at);
    free(timeline.attrs.at);
    return made ? 0 : 1;
}

static int compare_trace(const char *path, const char *directory)
{
    struct read_error error;
    struct timeline *timeline = timeline_load(&path, 1, false, &error);
    if (!timeline) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    compare(timeline, path, directory);
    timeline_destroy(timeline);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--trace") == 0)
        return compare_trace(argv[2], argc > 3 ? argv[3] : ".");
    return compare_ranges(argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : SLICES_DEFAULT,
                          argc > 2 ? argv[2] : ".");
}
