/* bench_chrome.c - the Chrome trace writer against a writer that does nothing but integers and
 * memcpy.
 *
 *     bench_chrome [SLICES] [DIRECTORY]
 *
 * Both write the same events (a range with two integer arguments, about 150 bytes) from the same
 * timeline into a file that did not exist before, in turns. The plain writer knows its one kind of
 * event and its names need no escaping: it is the floor. Goal: at least 60 % of its rate.
 */
#include "bench.h"
#include "bench_timeline.h"
#include "exporter.h"
#include "write.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define SLICES_DEFAULT 2000000u
#define ROUNDS 7
#define BUFFER_BYTES (1u << 20)

/* The floor. Its own digits: it must not get better or worse with the writer that it judges. */

static char plain_buffer[BUFFER_BYTES];
static char plain_pairs[200];

static char *put(char *p, const char *bytes, size_t size)
{
    memcpy(p, bytes, size);
    return p + size;
}

#define PUT(p, literal) put(p, literal, sizeof(literal) - 1)

static char *put_number(char *p, uint64_t value)
{
    char digits[20], *at = digits + sizeof digits;
    for (; value >= 100; value /= 100) {
        at -= 2;
        memcpy(at, plain_pairs + value % 100 * 2, 2);
    }
    at -= 2;
    memcpy(at, plain_pairs + value * 2, 2);
    at += value < 10;
    return put(p, at, (size_t)(digits + sizeof digits - at));
}

static char *put_microseconds(char *p, uint64_t ns)
{
    unsigned fraction = (unsigned)(ns % 1000);
    p = put_number(p, ns / 1000);
    *p++ = '.';
    *p++ = (char)('0' + fraction / 100);
    return put(p, plain_pairs + fraction % 100 * 2, 2);
}

static char *put_event(char *p, const struct timeline *timeline, uint32_t index)
{
    const struct tl_slice *slice = &timeline->slices.at[index];
    p = PUT(p, "{\"ph\":\"X\",\"cat\":\"user_annotation\",\"name\":\"");
    p = put(p, names[slice->name].bytes, names[slice->name].size);
    p = PUT(p, "\",\"pid\":");
    p = put_number(p, one_process.info.pid);
    p = PUT(p, ",\"tid\":");
    p = put_number(p, one_thread.tid);
    p = PUT(p, ",\"ts\":");
    p = put_microseconds(p, (uint64_t)slice->start_ns);
    p = PUT(p, ",\"dur\":");
    p = put_microseconds(p, (uint64_t)(slice->end_ns - slice->start_ns));
    p = PUT(p, ",\"args\":{\"flops\":");
    p = put_number(p, timeline->attrs.at[2 * index].value);
    p = PUT(p, ",\"bytes\":");
    p = put_number(p, timeline->attrs.at[2 * index + 1].value);
    return PUT(p, "}},\n");
}

static bool flush_plain(int fd, char **p)
{
    size_t size = (size_t)(*p - plain_buffer);
    *p = plain_buffer;
    return write(fd, plain_buffer, size) == (ssize_t)size;
}

static bool write_plain(const struct timeline *timeline, const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    char *p = PUT(plain_buffer, "{\"traceEvents\":[\n");
    bool written = fd >= 0;
    for (uint32_t i = 0; i < timeline->slices.count && written; i++) {
        p = put_event(p, timeline, i);
        if (p > plain_buffer + BUFFER_BYTES - 512)
            written = flush_plain(fd, &p);
    }
    p = PUT(p, "{}]}\n");
    written = written && flush_plain(fd, &p);
    return close(fd) == 0 && written;
}

static double time_plain(const struct timeline *timeline, const char *path)
{
    unlink(path);
    double start = bench_now_ns();
    if (!write_plain(timeline, path))
        exit(1);
    return bench_now_ns() - start;
}

static double time_chrome(const struct timeline *timeline, const char *path, bool behind)
{
    struct write_chrome_more more = {.behind = behind};
    struct write_error error;
    unlink(path);
    double start = bench_now_ns();
    if (!write_chrome(timeline, NULL, &more, path, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    return bench_now_ns() - start;
}

static void compare(const struct timeline *timeline, const char *where, const char *plain_path,
                    const char *chrome_path)
{
    double plain_best = 1e30, chrome_best = 1e30, two_best = 1e30;
    double ratios[ROUNDS], two_ratios[ROUNDS];
    for (int round = 0; round < ROUNDS; round++) {
        double plain_ns = time_plain(timeline, plain_path);
        double chrome_ns = time_chrome(timeline, chrome_path, false);
        double two_ns = time_chrome(timeline, chrome_path, true);
        ratios[round] = plain_ns / chrome_ns;
        two_ratios[round] = plain_ns / two_ns;
        two_best = two_ns < two_best ? two_ns : two_best;
        plain_best = plain_ns < plain_best ? plain_ns : plain_best;
        chrome_best = chrome_ns < chrome_best ? chrome_ns : chrome_best;
    }
    qsort(ratios, ROUNDS, sizeof *ratios, bench_compare);
    qsort(two_ratios, ROUNDS, sizeof *two_ratios, bench_compare);
    printf("%s\n", where);
    report("  plain itoa and memcpy", plain_best, timeline->slices.count, file_bytes(plain_path));
    report("  Chrome trace writer", chrome_best, timeline->slices.count, file_bytes(chrome_path));
    report("  the same on two threads", two_best, timeline->slices.count, file_bytes(chrome_path));
    printf("  %.0f %% of the plain writer's rate (goal: 60 %%), %.0f %% on two threads\n",
           100 * ratios[ROUNDS / 2], 100 * two_ratios[ROUNDS / 2]);
}

static void count_slice(void *user, uint32_t index, const struct tl_attr *attrs,
                        uint32_t attr_count)
{
    (void)index, (void)attrs;
    *(uint64_t *)user += attr_count;
}

static void time_walk(const struct timeline *timeline)
{
    static const struct exporter counter = {.name = "count", .slice = count_slice};
    uint64_t attrs = 0;
    double start = bench_now_ns();
    exporter_walk(&counter, &attrs, timeline);
    printf("the walk alone: %.1f ns per event\n",
           (bench_now_ns() - start) / timeline->slices.count);
}

int main(int argc, char **argv)
{
    struct timeline timeline;
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : SLICES_DEFAULT;
    const char *directory = argc > 2 ? argv[2] : ".";
    char plain_path[4096], chrome_path[4096];
    for (unsigned i = 0; i < 100; i++)
        plain_pairs[2 * i] = (char)('0' + i / 10), plain_pairs[2 * i + 1] = (char)('0' + i % 10);
    snprintf(plain_path, sizeof plain_path, "%s/bench_plain.json", directory);
    snprintf(chrome_path, sizeof chrome_path, "%s/bench_chrome.json", directory);
    if (count == 0 || !make_timeline(&timeline, count))
        return 1;
    compare(&timeline, "into a fresh file", plain_path, chrome_path);
    unlink(plain_path);
    unlink(chrome_path);
    time_walk(&timeline);
    free(timeline.slices.at);
    free(timeline.attrs.at);
    return 0;
}
