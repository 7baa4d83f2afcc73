/* clockmap.h - from a recorder's ticks, and from a device's CLOCK_REALTIME, to nanoseconds of one
 * timeline.
 *
 * The timeline advances as CLOCK_MONOTONIC does and is 0 at the instant the file was made. Samples,
 * each one instant on the three clocks (ticks, monotonic, realtime), are added in any order and
 * sealed; then times are converted. Results lie within +-CLOCKMAP_NS_MAX whatever the samples hold,
 * so that differences never overflow.
 */
#ifndef PROF_CLOCKMAP_H
#define PROF_CLOCKMAP_H

#include "prof/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CLOCKMAP_NS_MAX (INT64_C(1) << 61)

/* Two neighbouring samples whose (realtime - monotonic) differ by this much: the clock was set in
 * between. */
#define CLOCKMAP_STEP_NS 1000000

struct clock_sample {
    uint64_t ticks, monotonic_ns, realtime_ns, width_ticks;
};

/* ns = (distance * scale) >> shift: exact to half a nanosecond for any distance in ticks. */
struct clock_scale {
    uint64_t scale;
    unsigned shift;
};

/* From one sample to the next. */
struct clock_segment {
    uint64_t ticks;
    int64_t ns;
    struct clock_scale rate;
    uint64_t half;  /* what rounds a product */
    uint64_t reach; /* shorter distances are of this segment, and within all limits */
};

/* The samples between two settings of CLOCK_REALTIME. */
struct clock_era {
    size_t first, last;      /* samples */
    int64_t low_ns, high_ns; /* realtime that can fall into this era, since the file's start */
};

struct clockmap {
    struct clock_sample *samples;
    size_t count, capacity;
    uint64_t start_ticks, start_monotonic_ns, start_realtime_ns; /* of the file's header */
    uint64_t ticks_per_second;
    struct clock_segment *segments; /* one per sample, sorted by ticks */
    int64_t *real_ns;          /* per sample: realtime since the start, reading jitter removed */
    struct clock_scale before; /* rate ahead of the first sample */
    size_t cursor; /* segment used last: neighbours in the file are neighbours in time */
    struct clock_era *eras;
    size_t era_count;
    int64_t device_ns; /* converted last; selects between two eras that a stamp can mean */
    size_t usable;     /* samples that came from CLOCK records */
    int64_t error_ns;  /* largest half-width of a sample */
};

void clockmap_init(struct clockmap *map, const struct prof_file_header *header);
void clockmap_fini(struct clockmap *map);

/* False: no memory. */
bool clockmap_add(struct clockmap *map, const struct clock_sample *sample);
bool clockmap_seal(struct clockmap *map);

int64_t clockmap_time_ns_slow(struct clockmap *map, uint64_t ticks);

/* Time of a tick reading. Monotonic in `ticks`. */
static inline int64_t clockmap_time_ns(struct clockmap *map, uint64_t ticks)
{
    const struct clock_segment *segment = &map->segments[map->cursor];
    uint64_t distance = ticks - segment->ticks; /* huge where it is before */
    if (distance >= segment->reach)
        return clockmap_time_ns_slow(map, ticks);
    unsigned __int128 ns = (unsigned __int128)distance * segment->rate.scale + segment->half;
    return segment->ns + (int64_t)(ns >> segment->rate.shift);
}

/* Time of a CLOCK_REALTIME stamp. Within one era differences are kept to the nanosecond. Where the
 * clock was set back, so that a stamp occurs twice, the reading nearest to the one converted before
 * is taken. */
int64_t clockmap_device_ns(struct clockmap *map, uint64_t realtime_ns);

#ifdef __cplusplus
}
#endif
#endif
