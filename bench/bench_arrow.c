/* bench_arrow.c - the Arrow stream of events, and the file made of it, against a loop that fills the nine columns
 * that every event has from the same timeline.
 *
 *     bench_arrow [EVENTS] [DIRECTORY]
 *
 * The stream also has what must be added up, and attributes as JSON: two for each event here, so more than half of
 * what it writes is text. The loop is the floor.
 */
#include "arrow_stream.h"
#include "bench.h"
#include "bench_timeline.h"
#include "formats.h"

#include <unistd.h>

#define EVENTS_DEFAULT 1000000u
#define ROUNDS 7

static double time_floor(const struct timeline *timeline)
{
    uint32_t rows = ARROW_BATCH_ROWS;
    uint64_t *pid = malloc(rows * 8u), *tid = malloc(rows * 8u);
    uint32_t *kind = malloc(rows * 4u), *name = malloc(rows * 4u), *correlation = malloc(rows * 4u),
             *result = malloc(rows * 4u);
    int64_t *start = malloc(rows * 8u), *duration = malloc(rows * 8u);
    uint16_t *depth = malloc(rows * 2u);
    if (!pid || !tid || !kind || !name || !correlation || !result || !start || !duration || !depth)
        exit(1);
    double begin = bench_now_ns();
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        const struct tl_thread *thread = &timeline->threads.at[slice->thread];
        uint32_t row = i % rows;
        pid[row] = timeline->processes.at[thread->process].info.pid;
        tid[row] = thread->tid;
        kind[row] = slice->kind;
        name[row] = slice->name;
        start[row] = (int64_t)timeline->base_realtime_ns + slice->start_ns;
        duration[row] = slice->end_ns - slice->start_ns;
        depth[row] = slice->depth;
        correlation[row] = result[row] = 0;
        if (row + 1 == rows)
            __asm__ volatile("" ::: "memory");
    }
    double ns = bench_now_ns() - begin;
    __asm__ volatile(""
                     :
                     : "r"(pid), "r"(tid), "r"(kind), "r"(name), "r"(start), "r"(duration)
                     : "memory");
    free(pid), free(tid), free(kind), free(name), free(correlation), free(result);
    free(start), free(duration), free(depth);
    return ns;
}

static double time_stream(struct timeline *timeline)
{
    struct ArrowArrayStream stream;
    struct ArrowArray batch;
    double begin = bench_now_ns();
    if (!arrow_stream_init(&stream, timeline, ARROW_EVENTS, NULL))
        exit(1);
    while (stream.get_next(&stream, &batch) == 0 && batch.release)
        batch.release(&batch);
    stream.release(&stream);
    return bench_now_ns() - begin;
}

static double time_file(const struct timeline *timeline, const char *path)
{
    struct write_error error;
    unlink(path);
    double begin = bench_now_ns();
    if (!write_arrow_file(timeline, ARROW_EVENTS, NULL, path, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    return bench_now_ns() - begin;
}

static void compare(struct timeline *timeline, const char *what, const char *path)
{
    double best[3] = {1e30, 1e30, 1e30}, streams[ROUNDS], files[ROUNDS],
           events = timeline->slices.count;
    for (int round = 0; round < ROUNDS; round++) {
        double times[] = {time_floor(timeline), time_stream(timeline), time_file(timeline, path)};
        for (int i = 0; i < 3; i++)
            best[i] = times[i] < best[i] ? times[i] : best[i];
        streams[round] = times[1] / times[0];
        files[round] = times[2] / times[1];
    }
    qsort(streams, ROUNDS, sizeof *streams, bench_compare);
    qsort(files, ROUNDS, sizeof *files, bench_compare);
    printf("%s\n", what);
    report("  nine columns in a loop", best[0], events, 46 * events);
    report("  the stream", best[1], events, file_bytes(path));
    report("  the file", best[2], events, file_bytes(path));
    printf("  the stream takes %.1f times as long as the loop, the file %.2f times as long as the "
           "stream\n",
           streams[ROUNDS / 2], files[ROUNDS / 2]);
}

int main(int argc, char **argv)
{
    static struct timeline timeline; /* zeroed, and still reachable where this ends early */
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : EVENTS_DEFAULT;
    char path[4096];
    snprintf(path, sizeof path, "%s/bench.arrow", argc > 2 ? argv[2] : ".");
    if (count == 0 || !make_timeline(&timeline, count))
        return 1;
    compare(&timeline, "two attributes each", path);
    timeline.attrs.count = 0;
    compare(&timeline, "without attributes", path);
    unlink(path);
    free(timeline.slices.at);
    free(timeline.attrs.at);
    return 0;
}
