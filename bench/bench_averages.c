/* bench_averages.c - key averages: events added up per second, and that the cost per event does not
 * grow.
 *
 *     bench_averages [SLICES]
 *
 * Half of the slices are ranges, half are launches of one kernel each: three things happen per
 * pair. The floor reads every slice and every operation once and adds up their durations.
 */
#include "bench.h"
#include "key_averages.h"

#include <stdbool.h>
#include <string.h>

#define SLICES_DEFAULT 10000000u
#define ROUNDS 5
#define NAMES 1000u

static struct text names[NAMES];
static struct tl_process process;
static struct tl_thread thread;
static struct tl_stream stream;

/* Each range holds a launch; eight ranges make a chain of depth eight. */
static void fill_slice(struct timeline *timeline, uint32_t i)
{
    uint32_t level = i / 2 % 8;
    bool is_api = i % 2;
    int64_t start_ns = (int64_t)i * 100;
    timeline->slices.at[i] = (struct tl_slice){
        .start_ns = start_ns,
        .end_ns = is_api ? start_ns + 50 : start_ns + (8 - level) * 200 - level * 4,
        .name = is_api ? NAMES - 1 : i / 2 * 7 % 300,
        .parent = is_api  ? i - 1
                  : level ? i - 2
                          : TL_NONE,
        .kind = is_api ? TL_API : TL_RANGE,
        .api = TL_NONE,
        .gpu_first = i / 2,
        .gpu_count = is_api,
    };
}

static bool make_timeline(struct timeline *timeline, uint32_t count)
{
    static char texts[NAMES][16];
    for (unsigned i = 0; i < NAMES; i++)
        names[i] =
            (struct text){texts[i], (size_t)snprintf(texts[i], sizeof texts[i], "name%u", i)};
    uint32_t gpus = count / 2;
    *timeline = (struct timeline){0};
    timeline->names.at = names, timeline->names.count = NAMES;
    timeline->processes.at = &process, timeline->processes.count = 1;
    timeline->threads.at = &thread, timeline->threads.count = 1;
    timeline->streams.at = &stream, timeline->streams.count = 1;
    timeline->slices.at = malloc(count * sizeof *timeline->slices.at),
    timeline->slices.count = count;
    timeline->gpus.at = calloc(gpus, sizeof *timeline->gpus.at), timeline->gpus.count = gpus;
    timeline->gpu_by_slice.at = malloc(gpus * sizeof(uint32_t)),
    timeline->gpu_by_slice.count = gpus;
    if (!timeline->slices.at || !timeline->gpus.at || !timeline->gpu_by_slice.at)
        return false;
    for (uint32_t i = 0; i < count; i++)
        fill_slice(timeline, i);
    for (uint32_t i = 0; i < gpus; i++) {
        timeline->gpus.at[i] = (struct tl_gpu){.start_ns = i * (int64_t)200,
                                               .end_ns = i * (int64_t)200 + 90,
                                               .name = 300 + i % 500,
                                               .slice = 2 * i + 1,
                                               .kind = TL_KERNEL};
        timeline->gpu_by_slice.at[i] = i;
    }
    return true;
}

static void free_timeline(struct timeline *timeline)
{
    free(timeline->slices.at);
    free(timeline->gpus.at);
    free(timeline->gpu_by_slice.at);
}

static double time_floor(const struct timeline *timeline)
{
    volatile int64_t sink;
    int64_t sum = 0;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < timeline->slices.count; i++)
        sum += timeline->slices.at[i].end_ns - timeline->slices.at[i].start_ns;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        sum += timeline->gpus.at[i].end_ns - timeline->gpus.at[i].start_ns;
    sink = sum;
    (void)sink;
    return bench_now_ns() - start;
}

static double time_averages(const struct timeline *timeline)
{
    struct key_averages averages;
    double start = bench_now_ns();
    if (!key_averages_init(&averages, timeline))
        exit(1);
    double ns = bench_now_ns() - start;
    key_averages_fini(&averages);
    return ns;
}

static void measure(uint32_t count)
{
    struct timeline timeline;
    double floor = 1e30, best = 1e30;
    if (!make_timeline(&timeline, count))
        exit(1);
    for (int round = 0; round < ROUNDS; round++) {
        double floor_ns = time_floor(&timeline), ns = time_averages(&timeline);
        floor = floor_ns < floor ? floor_ns : floor;
        best = ns < best ? ns : best;
    }
    double events = count + count / 2.0;
    printf("%10.0f events  %6.1f M events/s  %6.1f ns per event  %5.1fx reading them once\n",
           events, events / best * 1e3, best / events, best / floor);
    free_timeline(&timeline);
}

int main(int argc, char **argv)
{
    uint32_t most = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : SLICES_DEFAULT;
    for (uint32_t count = 100000; count < most; count *= 10)
        measure(count);
    measure(most & ~1u);
    return 0;
}
