/* build_streams.c - streams and devices sorted, operations by stream and time, overlapping ones
 * side by side. */
#include "array.h"
#include "build.h"

#include <stdlib.h>
#include <string.h>

/* Streams are found by two keys: by all of (device, context, stream), the first two of which
 * `places` numbers, and by (context, stream), which finds the first stream of that pair whatever
 * its device is. */
struct build_streams {
    struct keymap places;   /* device << 32 | context -> its number, in order of appearance */
    struct keymap by_place; /* place << 32 | stream -> streams[] */
    struct keymap by_pair;  /* context << 32 | stream -> the first of streams[] */
};

BUILD_PART(streams, keymap_fini(&streams->places), keymap_fini(&streams->by_place),
           keymap_fini(&streams->by_pair))

/* The process's streams and devices in order, and its device operations by
 * them. */

static uint64_t pair_key(uint32_t context, uint32_t stream)
{
    return (uint64_t)context << 32 | stream;
}

/* Number of the context on the device, which may be new. */
static uint32_t place_of(struct builder *builder, uint32_t device, uint32_t context)
{
    uint64_t key = (uint64_t)device << 32 | context;
    uint32_t place = keymap_find(&builder->streams->places, key);
    if (place != KEYMAP_NONE)
        return place;
    place = builder->streams->places.count;
    builder->failed |= !keymap_set(&builder->streams->places, key, place);
    return place;
}

static bool note_stream(struct builder *builder, uint32_t index)
{
    const struct tl_stream *stream = &builder->timeline->streams.at[index];
    uint64_t pair = pair_key(stream->context, stream->stream);
    uint64_t place = place_of(builder, stream->device, stream->context);
    return keymap_set(&builder->streams->by_place, place << 32 | stream->stream, index) &&
           (keymap_find(&builder->streams->by_pair, pair) != KEYMAP_NONE ||
            keymap_set(&builder->streams->by_pair, pair, index));
}

static uint32_t add_stream(struct builder *builder, uint32_t context, uint32_t stream,
                           uint32_t device)
{
    struct tl_stream *added = ARRAY_ADD(&builder->timeline->streams);
    uint32_t index = builder->timeline->streams.count - 1;
    if (added)
        *added = (struct tl_stream){
            .process = builder->process,
            .device = device,
            .context = context,
            .stream = stream,
            .priority = PROF_PRIORITY_UNKNOWN,
            .lanes = 1,
            .given_name = TL_NONE,
        };
    if (added && note_stream(builder, index))
        return index;
    builder->failed = true;
    return TL_NONE;
}

uint32_t build_stream_find(struct builder *builder, uint32_t context, uint32_t stream,
                           uint32_t device)
{
    if (device == TL_NONE)
        return keymap_find(&builder->streams->by_pair, pair_key(context, stream));
    uint64_t place = place_of(builder, device, context);
    return keymap_find(&builder->streams->by_place, place << 32 | stream);
}

/* A stream that was announced without its device, and is now seen at work on one. */
static uint32_t settle_stream(struct builder *builder, uint32_t context, uint32_t stream,
                              uint32_t device)
{
    uint32_t index = build_stream_find(builder, context, stream, TL_NONE);
    if (index == TL_NONE || builder->timeline->streams.at[index].device != TL_NONE)
        return TL_NONE;
    builder->timeline->streams.at[index].device = device;
    builder->failed |= !note_stream(builder, index);
    return index;
}

uint32_t build_stream(struct builder *builder, uint32_t context, uint32_t stream, uint32_t device)
{
    uint32_t of_context = build_context_device(builder, context);
    if (device == TL_NONE)
        device = of_context;
    uint32_t index = build_stream_find(builder, context, stream, device);
    if (index == TL_NONE && device != TL_NONE)
        index = settle_stream(builder, context, stream, device);
    return index == TL_NONE ? add_stream(builder, context, stream, device) : index;
}

/* A device that has operations but no description gets an entry with only its ordinal. */
static void describe_devices(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.streams; i < timeline->streams.count; i++) {
        uint32_t ordinal = timeline->streams.at[i].device;
        if (ordinal == TL_NONE || build_device_find(builder, ordinal))
            continue;
        if (!build_device_add(builder, ordinal))
            return;
    }
}

static int by_device(const void *left, const void *right)
{
    const struct tl_device *a = left, *b = right;
    return (a->info.device > b->info.device) - (a->info.device < b->info.device);
}

/* A stream's place in the table as it was, beside what the table is sorted by. */
struct stream_order {
    struct tl_stream stream;
    uint32_t was;
};

static int by_place(const void *left, const void *right)
{
    const struct tl_stream *a = &((const struct stream_order *)left)->stream;
    const struct tl_stream *b = &((const struct stream_order *)right)->stream;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    return (a->stream > b->stream) - (a->stream < b->stream);
}

static void move_gpus(struct builder *builder, const uint32_t *place)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++) {
        struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->stream == TL_NONE)
            continue;
        gpu->stream = place[gpu->stream - builder->first.streams] + builder->first.streams;
        if (gpu->device == TL_NONE)
            gpu->device = timeline->streams.at[gpu->stream].device;
    }
}

static void place_streams(struct builder *builder, struct stream_order *order, uint32_t *place,
                          uint32_t count)
{
    struct tl_stream *streams = builder->timeline->streams.at + builder->first.streams;
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct stream_order){streams[i], i};
    qsort(order, count, sizeof *order, by_place);
    for (uint32_t i = 0; i < count; i++) {
        streams[i] = order[i].stream;
        place[order[i].was] = i;
    }
}

/* Updates the indexes in the tables of streams. */
static bool find_again(struct builder *builder, uint32_t count)
{
    bool stored = true;
    keymap_fini(&builder->streams->by_pair);
    for (uint32_t i = builder->first.streams; i < builder->first.streams + count && stored; i++)
        stored = note_stream(builder, i);
    return stored;
}

bool build_streams(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    describe_devices(builder);
    uint32_t devices = timeline->devices.count - builder->first.devices;
    uint32_t count = timeline->streams.count - builder->first.streams;
    if (devices > 1)
        qsort(timeline->devices.at + builder->first.devices, devices, sizeof *timeline->devices.at,
              by_device);
    if (!build_devices_find_again(builder))
        return false;
    if (count == 0)
        return true;
    struct stream_order *order = calloc(count, sizeof *order);
    uint32_t *place = calloc(count, sizeof *place);
    bool placed = order && place;
    if (placed) {
        place_streams(builder, order, place, count);
        move_gpus(builder, place);
        placed = find_again(builder, count);
    }
    free(order);
    free(place);
    return placed;
}

/* Groups: one per stream of the process, in order; what belongs to no stream comes last. */
static uint32_t group_of(const struct builder *builder, const struct tl_gpu *gpu, uint32_t groups)
{
    return gpu->stream == TL_NONE ? groups - 1 : gpu->stream - builder->first.streams;
}

/* Puts gpus[i] where gpus[from[i]] was to go: new[i] = old[from[i]], without a second copy. `from`
 * is used up. */
static void gather(struct tl_gpu *gpus, uint32_t *from, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct tl_gpu first = gpus[i];
        uint32_t at = i;
        for (uint32_t source; (source = from[at]) != i; at = source) {
            gpus[at] = gpus[source];
            from[at] = at;
        }
        gpus[at] = first;
        from[at] = at;
    }
}

/* Operations stream by stream, in order within one; `ends` gets where each group ends. */
static void group_gpus(struct builder *builder, struct tl_gpu *gpus, uint32_t *from, uint32_t count,
                       uint32_t *ends, uint32_t groups)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < count; i++)
        ends[group_of(builder, &gpus[i], groups)]++;
    for (uint32_t group = 0; group < groups; group++) {
        uint32_t first = end;
        end += ends[group];
        ends[group] = first;
    }
    for (uint32_t i = 0; i < count; i++)
        from[ends[group_of(builder, &gpus[i], groups)]++] = i;
    gather(gpus, from, count);
}

static bool starts_in_order(const struct tl_gpu *gpus, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++)
        if (gpus[i].start_ns < gpus[i - 1].start_ns)
            return false;
    return true;
}

/* CUPTI delivers a stream's operations as they end, so they are in order already unless they
 * overlap. */
static bool sort_stream(struct tl_gpu *gpus, uint32_t *from, uint32_t count)
{
    if (starts_in_order(gpus, count))
        return true;
    struct radix_item *items = malloc(count * sizeof *items);
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){radix_key(gpus[i].start_ns), i};
    bool sorted = items && radix_sort(items, count);
    for (uint32_t i = 0; i < count && sorted; i++)
        from[i] = items[i].value;
    free(items);
    if (sorted)
        gather(gpus, from, count);
    return sorted;
}

static bool sort_gpus(struct builder *builder, struct tl_gpu *gpus, uint32_t count, uint32_t groups)
{
    uint32_t *from = calloc(count, sizeof *from), *ends = calloc(groups, sizeof *ends);
    bool sorted = from && ends;
    if (sorted)
        group_gpus(builder, gpus, from, count, ends, groups);
    for (uint32_t group = 0, first = 0; group < groups && sorted; first = ends[group++])
        sorted = sort_stream(gpus + first, from, ends[group] - first);
    free(from);
    free(ends);
    return sorted;
}

static void count_streams(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++) {
        uint32_t index = timeline->gpus.at[i].stream;
        if (index != TL_NONE && timeline->streams.at[index].gpu_count++ == 0)
            timeline->streams.at[index].first_gpu = i;
    }
}

bool build_gpus_sort(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t count = timeline->gpus.count - builder->first.gpus;
    if (count == 0)
        return true;
    bool sorted = sort_gpus(builder, timeline->gpus.at + builder->first.gpus, count,
                            timeline->streams.count - builder->first.streams + 1);
    count_streams(builder);
    return sorted;
}

/* Operations of one stream that overlap are put side by side.
 *
 * Kernels of a graph, and kernels launched to begin before their predecessor ended, overlap within
 * one stream. Viewers draw a row as a stack, so each goes to the first lane that is free when it
 * starts. Waits of the host for a stream are not work of the stream and stay on lane 0.
 */

/* Devices run 128 kernels at once; a damaged file must not cost quadratic time. */
#define LANES_MAX 1024

static uint16_t free_lane(int64_t *ends, uint16_t *lanes, int64_t start_ns)
{
    for (uint16_t lane = 0; lane < *lanes; lane++)
        if (ends[lane] <= start_ns)
            return lane;
    if (*lanes < LANES_MAX)
        return (*lanes)++;
    return LANES_MAX - 1;
}

static void fill_stream(struct tl_stream *stream, struct tl_gpu *gpus)
{
    int64_t ends[LANES_MAX];
    uint16_t lanes = 0;
    for (uint32_t i = 0; i < stream->gpu_count; i++) {
        struct tl_gpu *gpu = &gpus[i];
        if (gpu->kind == TL_SYNC)
            continue;
        gpu->lane = free_lane(ends, &lanes, gpu->start_ns);
        ends[gpu->lane] = gpu->end_ns;
    }
    stream->lanes = lanes ? lanes : 1;
}

bool build_lanes(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.streams; i < timeline->streams.count; i++)
        if (timeline->streams.at[i].gpu_count)
            fill_stream(&timeline->streams.at[i],
                        timeline->gpus.at + timeline->streams.at[i].first_gpu);
    return true;
}
