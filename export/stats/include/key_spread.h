/* key_spread.h - how the durations of a row's calls are spread, and the cold ones among them.
 *
 * Percentiles are exact: between the two durations around a rank they are interpolated linearly, as
 * numpy.percentile() does by default. For them every duration is kept once, with the number of its
 * row (12 bytes), sorted by row and then within each row, in place and in linear time.
 *
 * The cold call of a row is the first one that starts in each process: the one that loads a module,
 * compiles, or fills a cache. Of several that start at once it is the longest, which is around the
 * others where they nest. The others are warm.
 */
#ifndef PROF_KEY_SPREAD_H
#define PROF_KEY_SPREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KEY_PERCENTILES 4u
extern const unsigned key_percentile_ranks[KEY_PERCENTILES]; /* 10, 50, 90, 99 */

struct key_spread {
    uint64_t count; /* durations; marks have none */
    int64_t sum_ns, min_ns, max_ns;
    uint64_t cold_count; /* processes in which there was a call */
    int64_t cold_ns;     /* sum of the cold calls' durations */
    double stddev_ns;    /* of a sample: divided by count - 1; 0 of one, which has none */
    double percentile_ns[KEY_PERCENTILES];
};

/* What a row needs while it is added up: its earliest call in the current process. */
struct key_cold {
    int64_t start_ns, duration_ns;
    uint32_t process; /* plus 1; 0 no call yet */
};

/* Takes a call's duration. Calls of one process come one after the other, in any order. */
static inline void key_spread_add(struct key_spread *spread, struct key_cold *cold,
                                  uint32_t process, int64_t start_ns, int64_t duration_ns)
{
    if (!spread->count++)
        spread->min_ns = spread->max_ns = duration_ns;
    spread->min_ns = duration_ns < spread->min_ns ? duration_ns : spread->min_ns;
    spread->max_ns = duration_ns > spread->max_ns ? duration_ns : spread->max_ns;
    spread->sum_ns += duration_ns;
    bool known = cold->process == process + 1;
    if (known && (cold->start_ns < start_ns ||
                  (cold->start_ns == start_ns && cold->duration_ns >= duration_ns)))
        return;
    spread->cold_count += !known;
    spread->cold_ns += duration_ns - (known ? cold->duration_ns : 0);
    *cold = (struct key_cold){start_ns, duration_ns, process + 1};
}

/* 0 of nothing. */
double key_spread_mean(const struct key_spread *spread);
double key_spread_cold(const struct key_spread *spread); /* mean of the cold calls */
double key_spread_warm(const struct key_spread *spread); /* mean of the others */

/* The durations of all rows. */
struct key_samples {
    int64_t *ns;
    uint32_t *row;
    size_t count, capacity;
};

/* Room for so many; false: no memory. Memory that is not used is not touched. */
bool key_samples_init(struct key_samples *samples, size_t capacity);
void key_samples_fini(struct key_samples *samples);

/* Does nothing when there is no more room than was requested. */
static inline void key_samples_add(struct key_samples *samples, uint32_t row, int64_t ns)
{
    if (samples->count == samples->capacity)
        return;
    samples->row[samples->count] = row;
    samples->ns[samples->count++] = ns;
}

/* Groups the durations by row, sorts each row's and returns where each row begins, `rows` + 1
 * numbers to free(). NULL: no memory. */
size_t *key_samples_sort(struct key_samples *samples, uint32_t rows);

/* Of `count` durations in ascending order: standard deviation and percentiles. */
void key_spread_measure(struct key_spread *spread, const int64_t *sorted_ns, size_t count);

#ifdef __cplusplus
}
#endif
#endif
