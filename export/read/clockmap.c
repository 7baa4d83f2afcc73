/* clockmap.c - ticks to nanoseconds: straight lines between clock samples; a device's clock across
 * its settings. */
#include "clockmap.h"

#include <stdlib.h>
#include <string.h>

/* Ticks to nanoseconds: straight lines between the samples. */

/* Shorter segments say too little about the clock's rate to be carried beyond their ends: 10 ms
 * with readings good to 50 ns would be 5 ppm off, the nominal rate is better. */
#define EDGE_SEGMENT_NS 10000000u

typedef unsigned __int128 wide;

static struct clock_scale clock_scale_make(uint64_t ns, uint64_t ticks)
{
    struct clock_scale rate = {1, 0};
    for (unsigned shift = 63; shift > 0; shift--) {
        wide scale = (((wide)ns << shift) + ticks / 2) / ticks;
        if (scale >> 63 == 0)
            return (struct clock_scale){(uint64_t)scale, shift};
    }
    return rate;
}

/* (distance * rate) in nanoseconds, saturating at CLOCKMAP_NS_MAX. */
static int64_t clock_scale_ns(struct clock_scale rate, uint64_t distance)
{
    wide half = rate.shift ? (wide)1 << (rate.shift - 1) : 0;
    wide ns = ((wide)distance * rate.scale + half) >> rate.shift;
    return ns > (wide)CLOCKMAP_NS_MAX ? CLOCKMAP_NS_MAX : (int64_t)ns;
}

static int64_t limited(int64_t ns)
{
    if (ns > CLOCKMAP_NS_MAX)
        return CLOCKMAP_NS_MAX;
    return ns < -CLOCKMAP_NS_MAX ? -CLOCKMAP_NS_MAX : ns;
}

void clockmap_init(struct clockmap *map, const struct prof_file_header *header)
{
    memset(map, 0, sizeof *map);
    map->start_ticks = header->start_ticks;
    map->start_monotonic_ns = header->start_monotonic_ns;
    map->start_realtime_ns = header->start_realtime_ns;
    map->ticks_per_second = header->ticks_per_second ? header->ticks_per_second : 1000000000;
}

void clockmap_fini(struct clockmap *map)
{
    free(map->samples);
    free(map->segments);
    free(map->real_ns);
    free(map->eras);
    memset(map, 0, sizeof *map);
}

bool clockmap_add(struct clockmap *map, const struct clock_sample *sample)
{
    if (map->count == map->capacity) {
        size_t capacity = map->capacity ? map->capacity * 2 : 16;
        struct clock_sample *samples = realloc(map->samples, capacity * sizeof *samples);
        if (!samples)
            return false;
        map->samples = samples;
        map->capacity = capacity;
    }
    map->samples[map->count++] = *sample;
    return true;
}

static int by_ticks(const void *left, const void *right)
{
    const struct clock_sample *a = left, *b = right;
    if (a->ticks != b->ticks)
        return a->ticks < b->ticks ? -1 : 1;
    return (a->monotonic_ns > b->monotonic_ns) - (a->monotonic_ns < b->monotonic_ns);
}

/* Both clocks only go forwards: a sample that says otherwise is damaged. */
static void drop_impossible(struct clockmap *map)
{
    size_t kept = 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct clock_sample *sample = &map->samples[i];
        bool advances = !kept || (sample->ticks > map->samples[kept - 1].ticks &&
                                  sample->monotonic_ns > map->samples[kept - 1].monotonic_ns);
        if (advances)
            map->samples[kept++] = *sample;
    }
    map->count = kept;
}

static struct clock_scale rate_between(const struct clock_sample *a, const struct clock_sample *b)
{
    return clock_scale_make(b->monotonic_ns - a->monotonic_ns, b->ticks - a->ticks);
}

/* The rate beyond the first or last sample, of which `a` and `b` are the outermost two. */
static struct clock_scale edge_rate(const struct clockmap *map, const struct clock_sample *a,
                                    const struct clock_sample *b)
{
    if (map->count > 1 && b->monotonic_ns - a->monotonic_ns >= EDGE_SEGMENT_NS)
        return rate_between(a, b);
    return clock_scale_make(1000000000, map->ticks_per_second);
}

/* How far a segment's own line goes, with a whole nanosecond to spare at the limit. */
static void limit_segment(struct clockmap *map, size_t i)
{
    struct clock_segment *segment = &map->segments[i];
    struct clock_scale rate = segment->rate;
    wide room = (wide)(CLOCKMAP_NS_MAX - (segment->ns > 0 ? segment->ns : 0));
    wide most = rate.scale && room ? ((room - 1) << rate.shift) / rate.scale : 0;
    uint64_t length = i + 1 < map->count ? map->segments[i + 1].ticks - segment->ticks : UINT64_MAX;
    segment->half = rate.shift ? UINT64_C(1) << (rate.shift - 1) : 0;
    segment->reach = most < length ? (uint64_t)most : length;
    if (segment->ns < 0 || segment->reach > UINT64_MAX - segment->ticks)
        segment->reach = 0; /* hostile files: nothing is worth a shortcut */
}

static void make_segments(struct clockmap *map)
{
    const struct clock_sample *at = map->samples;
    size_t last = map->count - 1;
    for (size_t i = 0; i <= last; i++) {
        struct clock_segment *segment = &map->segments[i];
        segment->ticks = at[i].ticks;
        segment->ns = limited((int64_t)(at[i].monotonic_ns - map->start_monotonic_ns));
        segment->rate = i < last ? rate_between(&at[i], &at[i + 1])
                                 : edge_rate(map, &at[last ? last - 1 : 0], &at[last]);
    }
    for (size_t i = 0; i <= last; i++)
        limit_segment(map, i);
    map->before = edge_rate(map, &at[0], &at[last ? 1 : 0]);
}

static void measure_error(struct clockmap *map)
{
    for (size_t i = 0; i < map->count; i++) {
        int64_t half = clock_scale_ns(map->segments[i].rate, map->samples[i].width_ticks / 2 +
                                                                 map->samples[i].width_ticks % 2);
        map->error_ns = half > map->error_ns ? half : map->error_ns;
    }
}

/* A device's CLOCK_REALTIME stamps to the timeline, across settings of that clock.
 *
 * CLOCK_REALTIME = CLOCK_MONOTONIC + an offset that only changes when the clock is set. Samples
 * with (nearly) one offset form an era. Inside an era a stamp is interpolated; the art is in
 * finding its era:
 *
 *     set forwards:  realtime  ---era 0---|      gap      |---era 1---    no stamp lies in the gap
 *     set back:      realtime  ---------era 0----------|
 *                                    |----------era 1---------     stamps between occur twice
 */

/* Only a hostile file has more; converting must not become quadratic. */
#define ERAS_MAX 256u

/* How far beyond the outermost samples a stamp may lie and still be at home there: samples come
 * once a second. */
#define EDGE_NS 2000000000

typedef __int128 signed_wide;

static int64_t narrowed(signed_wide ns)
{
    if (ns > CLOCKMAP_NS_MAX)
        return CLOCKMAP_NS_MAX;
    return ns < -CLOCKMAP_NS_MAX ? -CLOCKMAP_NS_MAX : (int64_t)ns;
}

static int64_t realtime_since_start(const struct clockmap *map, uint64_t realtime_ns)
{
    return narrowed((signed_wide)realtime_ns - (signed_wide)map->start_realtime_ns);
}

/* Two readings of one unchanged offset differ by the time it takes to read the clocks. Such a
 * difference is taken as none: it would stretch or squeeze device durations by a few nanoseconds a
 * second. */
static int64_t reading_error_ns(const struct clockmap *map, size_t i)
{
    return clock_scale_ns(map->segments[i].rate, map->samples[i].width_ticks) + 100;
}

static signed_wide magnitude(signed_wide value)
{
    return value < 0 ? -value : value;
}

static signed_wide offset_of(const struct clockmap *map, size_t i)
{
    return (signed_wide)map->real_ns[i] - map->segments[i].ns;
}

static bool era_continues(const struct clockmap *map, size_t i, signed_wide offset)
{
    return magnitude(offset - offset_of(map, i - 1)) < CLOCKMAP_STEP_NS &&
           map->segments[i].ns + offset > map->real_ns[i - 1];
}

/* Sets the realtime of sample i and says whether it goes on with the era of its predecessor. */
static bool place_sample(struct clockmap *map, size_t i)
{
    map->real_ns[i] = realtime_since_start(map, map->samples[i].realtime_ns);
    signed_wide offset = offset_of(map, i);
    if (i == 0 || !era_continues(map, i, offset))
        return false;
    signed_wide kept = offset_of(map, i - 1);
    if (magnitude(offset - kept) <= reading_error_ns(map, i) + reading_error_ns(map, i - 1))
        map->real_ns[i] = narrowed(map->segments[i].ns + kept);
    return true;
}

static void limit_era(const struct clockmap *map, struct clock_era *era)
{
    size_t first = era->first, last = era->last;
    int64_t before = first ? map->segments[first].ns - map->segments[first - 1].ns : EDGE_NS;
    int64_t after =
        last + 1 < map->count ? map->segments[last + 1].ns - map->segments[last].ns : EDGE_NS;
    era->low_ns = narrowed((signed_wide)map->real_ns[first] - before);
    era->high_ns = narrowed((signed_wide)map->real_ns[last] + after);
}

static bool build_eras(struct clockmap *map)
{
    map->eras = calloc(ERAS_MAX, sizeof *map->eras);
    if (!map->eras)
        return false;
    for (size_t i = 0; i < map->count; i++) {
        bool continues = place_sample(map, i);
        if (!i || (!continues && map->era_count < ERAS_MAX))
            map->eras[map->era_count++].first = i;
        map->eras[map->era_count - 1].last = i;
    }
    for (size_t i = 0; i < map->era_count; i++)
        limit_era(map, &map->eras[i]);
    return true;
}

bool clockmap_seal(struct clockmap *map)
{
    if (map->count)
        qsort(map->samples, map->count, sizeof *map->samples, by_ticks);
    drop_impossible(map);
    map->usable = map->count;
    struct clock_sample start = {map->start_ticks, map->start_monotonic_ns, map->start_realtime_ns,
                                 0};
    if (!map->count && !clockmap_add(map, &start))
        return false;
    map->segments = calloc(map->count, sizeof *map->segments);
    map->real_ns = calloc(map->count, sizeof *map->real_ns);
    if (!map->segments || !map->real_ns)
        return false;
    make_segments(map);
    measure_error(map);
    return build_eras(map);
}

static bool segment_holds(const struct clockmap *map, size_t i, uint64_t ticks)
{
    return ticks >= map->segments[i].ticks &&
           (i + 1 == map->count || ticks < map->segments[i + 1].ticks);
}

/* The last segment that begins at or before `ticks`, which is not ahead of the first. */
static size_t find_segment(const struct clockmap *map, uint64_t ticks)
{
    size_t low = 0, high = map->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->segments[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t clockmap_time_ns_slow(struct clockmap *map, uint64_t ticks)
{
    if (ticks < map->segments[0].ticks)
        return limited(map->segments[0].ns -
                       clock_scale_ns(map->before, map->segments[0].ticks - ticks));
    if (!segment_holds(map, map->cursor, ticks))
        map->cursor = find_segment(map, ticks);
    const struct clock_segment *segment = &map->segments[map->cursor];
    return limited(segment->ns + clock_scale_ns(segment->rate, ticks - segment->ticks));
}

/* The last sample of the era at or before `real`; its first one when there is none. */
static size_t find_sample(const struct clockmap *map, const struct clock_era *era, int64_t real)
{
    size_t low = era->first, high = era->last + 1;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->real_ns[middle] <= real)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A division of 128 bits takes longer than all the rest, and seconds do not need it. */
static int64_t in_proportion(int64_t distance, int64_t length, int64_t real_length)
{
    int64_t product;
    if (!__builtin_mul_overflow(distance, length, &product))
        return product / real_length;
    return narrowed((signed_wide)distance * length / real_length);
}

/* All times lie within +-CLOCKMAP_NS_MAX, so that no difference overflows. */
static int64_t convert_in_era(const struct clockmap *map, const struct clock_era *era, int64_t real)
{
    size_t i = find_sample(map, era, real);
    int64_t distance = real - map->real_ns[i];
    if (i < era->last && distance > 0) {
        int64_t real_length = map->real_ns[i + 1] - map->real_ns[i];
        int64_t length = map->segments[i + 1].ns - map->segments[i].ns;
        if (real_length > 0 && real_length != length)
            distance = in_proportion(distance, length, real_length);
    }
    return limited(map->segments[i].ns + distance);
}

static uint64_t distance_to_era(const struct clock_era *era, int64_t real)
{
    if (real < era->low_ns)
        return (uint64_t)(era->low_ns - real);
    return real > era->high_ns ? (uint64_t)(real - era->high_ns) : 0;
}

/* Several eras can hold the stamp: stamps come roughly in order, so the one that is nearest in time
 * to the stamp converted before is meant. */
static int64_t convert_in_nearest(const struct clockmap *map, int64_t real)
{
    uint64_t best_distance = UINT64_MAX;
    int64_t best_ns = 0;
    for (size_t i = 0; i < map->era_count; i++) {
        uint64_t distance = distance_to_era(&map->eras[i], real);
        if (distance > best_distance)
            continue;
        int64_t ns = convert_in_era(map, &map->eras[i], real);
        bool nearer = llabs(ns - map->device_ns) < llabs(best_ns - map->device_ns);
        if (distance < best_distance || nearer)
            best_ns = ns;
        best_distance = distance;
    }
    return best_ns;
}

int64_t clockmap_device_ns(struct clockmap *map, uint64_t realtime_ns)
{
    uint64_t since = realtime_ns - map->start_realtime_ns;
    int64_t real = since <= CLOCKMAP_NS_MAX && realtime_ns >= map->start_realtime_ns
                       ? (int64_t)since
                       : realtime_since_start(map, realtime_ns);
    map->device_ns = map->era_count == 1 ? convert_in_era(map, &map->eras[0], real)
                                         : convert_in_nearest(map, real);
    return map->device_ns;
}
