/* build_migrations.c - migrations of managed memory: whose doing a migration or a fault was.
 *
 * Its record names neither call nor stream. Where a kernel ran on the device at that moment, the
 * memory moved for it: its launch is meant. Otherwise (prefetching, faults of the CPU) it is the
 * slice that was open then and began last, of any thread.
 */
#include "build.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

/* A kernel that a reader left out. */
struct build_left_out {
    int64_t start_ns, end_ns;
    uint32_t device;
};

struct build_migrations {
    TL_ARRAY(struct build_left_out) left_out;
};

BUILD_PART(migrations, free(migrations->left_out.at))

void builder_append_migration(struct builder *builder, const struct migration *from)
{
    struct tl_migration *migration = ARRAY_ADD(&builder->timeline->migrations);
    if (!migration) {
        builder->failed = true;
        return;
    }
    *migration = (struct tl_migration){
        .start_ns = build_time(builder, from->start_ns),
        .end_ns = build_time(builder, from->end_ns),
        .address = from->address,
        .value = from->value,
        .process = builder->process,
        .kind = from->kind,
        .flags = from->flags,
        .source = from->source,
        .target = from->target,
        .gpu = TL_NONE,
        .slice = TL_NONE,
    };
    if (migration->end_ns < migration->start_ns)
        migration->end_ns = migration->start_ns;
}

static bool sort_migrations(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    uint32_t first = builder->first.migrations, count = timeline->migrations.count - first;
    struct radix_item *items = malloc((count + (size_t)1) * sizeof *items);
    struct tl_migration *sorted = malloc((count + (size_t)1) * sizeof *sorted);
    for (uint32_t i = 0; i < count && items; i++)
        items[i] = (struct radix_item){radix_key(timeline->migrations.at[first + i].start_ns), i};
    bool done = items && sorted && radix_sort(items, count);
    for (uint32_t i = 0; i < count && done; i++)
        sorted[i] = timeline->migrations.at[first + items[i].value];
    if (done && count)
        memcpy(&timeline->migrations.at[first], sorted, count * sizeof *sorted);
    free(items);
    free(sorted);
    return done;
}

/* The stream's operation that began last at `time_ns` or before; TL_NONE. */
static uint32_t last_of_stream(const struct timeline *timeline, const struct tl_stream *stream,
                               int64_t time_ns)
{
    uint32_t low = stream->first_gpu, high = stream->first_gpu + stream->gpu_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (timeline->gpus.at[middle].start_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low == stream->first_gpu ? TL_NONE : low - 1;
}

static bool touches(const struct tl_migration *migration, uint32_t device)
{
    return migration->source == device || migration->target == device;
}

void builder_note_left_out_kernel(struct builder *builder, uint32_t device, int64_t start_ns,
                                  int64_t end_ns)
{
    if (builder->failed)
        return;
    struct build_left_out *kernel = ARRAY_ADD(&builder->migrations->left_out);
    if (kernel)
        *kernel = (struct build_left_out){build_time(builder, start_ns),
                                          build_time(builder, end_ns), build_ordinal(device)};
    else
        builder->failed = true;
}

static int by_device_and_start(const void *left, const void *right)
{
    const struct build_left_out *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* In order; each ends when the last of its device up to it does. */
static void sort_left_out(struct builder *builder)
{
    struct build_migrations *migrations = builder->migrations;
    struct build_left_out *at = migrations->left_out.at;
    if (migrations->left_out.count)
        qsort(at, migrations->left_out.count, sizeof *at, by_device_and_start);
    for (uint32_t i = 1; i < migrations->left_out.count; i++)
        if (at[i].device == at[i - 1].device && at[i].end_ns < at[i - 1].end_ns)
            at[i].end_ns = at[i - 1].end_ns;
}

static bool device_ran_left_out(const struct builder *builder, uint32_t device, int64_t time_ns)
{
    const struct build_left_out *at = builder->migrations->left_out.at;
    uint32_t low = 0, high = builder->migrations->left_out.count;
    const struct build_left_out wanted = {time_ns, 0, device};
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (by_device_and_start(&at[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low && at[low - 1].device == device && at[low - 1].end_ns > time_ns;
}

/* For a kernel that a reader left out. */
static bool is_for_left_out(const struct builder *builder, const struct tl_migration *migration)
{
    return device_ran_left_out(builder, migration->source, migration->start_ns) ||
           device_ran_left_out(builder, migration->target, migration->start_ns);
}

static uint32_t find_kernel(const struct builder *builder, const struct tl_migration *migration)
{
    const struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.streams; i < timeline->streams.count; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        uint32_t op = touches(migration, stream->device)
                          ? last_of_stream(timeline, stream, migration->start_ns)
                          : TL_NONE;
        if (op != TL_NONE && timeline->gpus.at[op].kind == TL_KERNEL &&
            timeline->gpus.at[op].end_ns > migration->start_ns)
            return op;
    }
    return TL_NONE;
}

/* The thread's innermost slice at that moment; TL_NONE. */
static uint32_t open_slice(const struct timeline *timeline, const struct tl_thread *thread,
                           int64_t time_ns)
{
    uint32_t low = thread->first_slice, high = thread->first_slice + thread->slice_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (timeline->slices.at[middle].start_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t slice = low == thread->first_slice ? TL_NONE : low - 1;
    while (slice != TL_NONE && timeline->slices.at[slice].end_ns <= time_ns)
        slice = timeline->slices.at[slice].parent;
    return slice;
}

static uint32_t find_slice(const struct builder *builder, int64_t time_ns)
{
    const struct timeline *timeline = builder->timeline;
    uint32_t best = TL_NONE;
    for (uint32_t i = builder->first.threads; i < timeline->threads.count; i++) {
        uint32_t slice = open_slice(timeline, &timeline->threads.at[i], time_ns);
        if (slice == TL_NONE || timeline->slices.at[slice].flags & TL_INTERNAL)
            continue;
        if (best == TL_NONE ||
            timeline->slices.at[slice].start_ns > timeline->slices.at[best].start_ns)
            best = slice;
    }
    return best;
}

bool build_migrations(struct builder *builder)
{
    struct timeline *timeline = builder->timeline;
    if (!sort_migrations(builder))
        return false;
    sort_left_out(builder);
    for (uint32_t i = builder->first.migrations; i < timeline->migrations.count; i++) {
        struct tl_migration *migration = &timeline->migrations.at[i];
        migration->gpu = find_kernel(builder, migration);
        if (migration->gpu != TL_NONE)
            migration->slice = timeline->gpus.at[migration->gpu].slice;
        else if (!is_for_left_out(builder, migration))
            migration->slice = find_slice(builder, migration->start_ns);
    }
    return true;
}
