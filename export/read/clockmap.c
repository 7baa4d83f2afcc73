/* clockmap.c - ticks to nanoseconds: straight lines between the samples. */
#include "clockmap.h"

#include <stdlib.h>
#include <string.h>

/* Shorter pieces say too little about the clock's rate to be carried beyond their ends: 10 ms with
 * readings good to 50 ns would be 5 ppm off, the nominal rate is better. */
#define EDGE_PIECE_NS 10000000u

typedef unsigned __int128 wide;

struct clock_scale clock_scale_make(uint64_t ns, uint64_t ticks)
{
    struct clock_scale rate = {1, 0};
    for (unsigned shift = 63; shift > 0; shift--) {
        wide scale = (((wide)ns << shift) + ticks / 2) / ticks;
        if (scale >> 63 == 0)
            return (struct clock_scale){(uint64_t)scale, shift};
    }
    return rate;
}

int64_t clock_scale_ns(struct clock_scale rate, uint64_t distance)
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
    free(map->pieces);
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
    if (map->count > 1 && b->monotonic_ns - a->monotonic_ns >= EDGE_PIECE_NS)
        return rate_between(a, b);
    return clock_scale_make(1000000000, map->ticks_per_second);
}

static void make_pieces(struct clockmap *map)
{
    const struct clock_sample *at = map->samples;
    size_t last = map->count - 1;
    for (size_t i = 0; i <= last; i++) {
        struct clock_piece *piece = &map->pieces[i];
        piece->ticks = at[i].ticks;
        piece->ns = limited((int64_t)(at[i].monotonic_ns - map->start_monotonic_ns));
        piece->rate = i < last ? rate_between(&at[i], &at[i + 1])
                               : edge_rate(map, &at[last ? last - 1 : 0], &at[last]);
    }
    map->before = edge_rate(map, &at[0], &at[last ? 1 : 0]);
}

static void measure_error(struct clockmap *map)
{
    for (size_t i = 0; i < map->count; i++) {
        int64_t half = clock_scale_ns(map->pieces[i].rate, map->samples[i].width_ticks / 2 +
                                                               map->samples[i].width_ticks % 2);
        map->error_ns = half > map->error_ns ? half : map->error_ns;
    }
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
    map->pieces = calloc(map->count, sizeof *map->pieces);
    map->real_ns = calloc(map->count, sizeof *map->real_ns);
    if (!map->pieces || !map->real_ns)
        return false;
    make_pieces(map);
    measure_error(map);
    return clockera_build(map);
}

static bool piece_holds(const struct clockmap *map, size_t i, uint64_t ticks)
{
    return ticks >= map->pieces[i].ticks &&
           (i + 1 == map->count || ticks < map->pieces[i + 1].ticks);
}

/* The last piece that begins at or before `ticks`, which is not ahead of the first. */
static size_t find_piece(const struct clockmap *map, uint64_t ticks)
{
    size_t low = 0, high = map->count;
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (map->pieces[middle].ticks <= ticks)
            low = middle;
        else
            high = middle;
    }
    return low;
}

int64_t clockmap_time_ns(struct clockmap *map, uint64_t ticks)
{
    if (ticks < map->pieces[0].ticks)
        return limited(map->pieces[0].ns -
                       clock_scale_ns(map->before, map->pieces[0].ticks - ticks));
    if (!piece_holds(map, map->cursor, ticks))
        map->cursor = find_piece(map, ticks);
    const struct clock_piece *piece = &map->pieces[map->cursor];
    return limited(piece->ns + clock_scale_ns(piece->rate, ticks - piece->ticks));
}
