/* clockera.c - a device's CLOCK_REALTIME stamps to the timeline, across settings of that clock.
 *
 * CLOCK_REALTIME = CLOCK_MONOTONIC + an offset that only changes when somebody sets the clock.
 * Samples with (nearly) one offset form an era. Inside an era a stamp is interpolated; the art is
 * in finding its era:
 *
 *     set forwards:  realtime  ---era 0---|      gap      |---era 1---    no stamp lies in the gap
 *     set back:      realtime  ---------era 0----------|
 *                                    |----------era 1---------     stamps between occur twice
 */
#include "clockmap.h"

#include <stdlib.h>

/* Only a hostile file has more; converting must not become quadratic. */
#define ERAS_MAX 256u

/* How far beyond the outermost samples a stamp may lie and still be at home there: samples come
 * once a second. */
#define EDGE_NS 2000000000

typedef __int128 wide;

static int64_t narrowed(wide ns)
{
    if (ns > CLOCKMAP_NS_MAX)
        return CLOCKMAP_NS_MAX;
    return ns < -CLOCKMAP_NS_MAX ? -CLOCKMAP_NS_MAX : (int64_t)ns;
}

static int64_t realtime_since_start(const struct clockmap *map, uint64_t realtime_ns)
{
    return narrowed((wide)realtime_ns - (wide)map->start_realtime_ns);
}

/* Two readings of one unchanged offset differ by the time it takes to read the clocks. Such a
 * difference is taken as none: it would stretch or squeeze device durations by a few nanoseconds a
 * second. */
static int64_t reading_error_ns(const struct clockmap *map, size_t i)
{
    return clock_scale_ns(map->pieces[i].rate, map->samples[i].width_ticks) + 100;
}

static wide magnitude(wide value)
{
    return value < 0 ? -value : value;
}

static wide offset_of(const struct clockmap *map, size_t i)
{
    return (wide)map->real_ns[i] - map->pieces[i].ns;
}

static bool era_continues(const struct clockmap *map, size_t i, wide offset)
{
    return magnitude(offset - offset_of(map, i - 1)) < CLOCKMAP_STEP_NS &&
           map->pieces[i].ns + offset > map->real_ns[i - 1];
}

/* Sets the realtime of sample i and says whether it goes on with the era of its predecessor. */
static bool place_sample(struct clockmap *map, size_t i)
{
    map->real_ns[i] = realtime_since_start(map, map->samples[i].realtime_ns);
    wide offset = offset_of(map, i);
    if (i == 0 || !era_continues(map, i, offset))
        return false;
    wide kept = offset_of(map, i - 1);
    if (magnitude(offset - kept) <= reading_error_ns(map, i) + reading_error_ns(map, i - 1))
        map->real_ns[i] = narrowed(map->pieces[i].ns + kept);
    return true;
}

static void limit_era(const struct clockmap *map, struct clock_era *era)
{
    size_t first = era->first, last = era->last;
    int64_t before = first ? map->pieces[first].ns - map->pieces[first - 1].ns : EDGE_NS;
    int64_t after =
        last + 1 < map->count ? map->pieces[last + 1].ns - map->pieces[last].ns : EDGE_NS;
    era->low_ns = narrowed((wide)map->real_ns[first] - before);
    era->high_ns = narrowed((wide)map->real_ns[last] + after);
}

bool clockera_build(struct clockmap *map)
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

static int64_t convert_in_era(const struct clockmap *map, const struct clock_era *era, int64_t real)
{
    size_t i = find_sample(map, era, real);
    wide distance = (wide)real - map->real_ns[i];
    if (i < era->last && distance > 0) {
        wide real_length = (wide)map->real_ns[i + 1] - map->real_ns[i];
        wide length = (wide)map->pieces[i + 1].ns - map->pieces[i].ns;
        if (real_length > 0 && real_length != length)
            distance = distance * length / real_length;
    }
    return narrowed(map->pieces[i].ns + distance);
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
    int64_t real = realtime_since_start(map, realtime_ns);
    map->device_ns = map->era_count == 1 ? convert_in_era(map, &map->eras[0], real)
                                         : convert_in_nearest(map, real);
    return map->device_ns;
}
