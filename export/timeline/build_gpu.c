/* build_gpu.c - what devices did: one tl_gpu each, and the details that many share; losses;
 * waits. */
#include "array.h"
#include "build.h"

#include <stdlib.h>
#include <string.h>

/* An event recorded in a stream. */
struct build_cuda_event {
    uint32_t context, event, correlation, stream;
};

struct build_gpu {
    struct keymap details;             /* see build_detail() */
    uint32_t copy_names[16 * 16 * 16]; /* by kinds: 1 + into names[]; 0 not made yet */
    uint32_t memset_names[16];
    TL_ARRAY(struct build_cuda_event) cuda_events;
};

BUILD_PART(gpu, keymap_fini(&gpu->details), free(gpu->cuda_events.at))

/* Details are whole words. `kind` keeps the tables apart. */
static uint64_t detail_hash(const void *detail, size_t bytes, enum tl_gpu_kind kind)
{
    uint64_t hash = (uint64_t)kind + 1;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)detail + i, sizeof word);
        hash = (hash ^ word) * 0x9fb21c651e98df25u;
        hash ^= hash >> 32;
    }
    return hash;
}

/* One table of details, whatever its items are. */
struct details {
    void *at; /* address of the array's pointer */
    uint32_t *count, *capacity;
    size_t item_bytes;
};

#define DETAILS(array)                                                     \
    (struct details)                                                       \
    {                                                                      \
        &(array).at, &(array).count, &(array).capacity, sizeof *(array).at \
    }

static struct details details_of(struct timeline *timeline, enum tl_gpu_kind kind)
{
    switch (kind) {
    case TL_KERNEL:
        return DETAILS(timeline->kernels);
    case TL_MEMCPY:
        return DETAILS(timeline->memcpys);
    case TL_MEMSET:
        return DETAILS(timeline->memsets);
    case TL_GRAPH_RUN:
        return DETAILS(timeline->graph_runs);
    case TL_SYNC:
        return DETAILS(timeline->syncs);
    case TL_OVERHEAD:
        break;
    }
    return DETAILS(timeline->overheads);
}

static uint8_t *details_item(const struct details *table, uint32_t index)
{
    uint8_t *items;
    memcpy(&items, table->at, sizeof items);
    return items + (size_t)index * table->item_bytes;
}

/* Two that hash alike are distinguished; then the newer one gets an entry of its own. */
uint32_t build_detail(struct builder *builder, struct keymap *known, enum tl_gpu_kind kind,
                      const void *detail)
{
    struct details table = details_of(builder->timeline, kind);
    uint64_t hash = detail_hash(detail, table.item_bytes, kind);
    uint32_t index = keymap_find(known, hash);
    if (index != KEYMAP_NONE && memcmp(details_item(&table, index), detail, table.item_bytes) == 0)
        return index;
    if (*table.count == *table.capacity &&
        !array_grow(table.at, table.capacity, table.item_bytes)) {
        builder->failed = true;
        return TL_NONE;
    }
    index = (*table.count)++;
    memcpy(details_item(&table, index), detail, table.item_bytes);
    builder->failed |= !keymap_set(known, hash, index);
    return index;
}

/* CUpti_ActivityObjectKind: the first of three numbers is the device's. */
static bool names_a_device(uint32_t object_kind)
{
    return object_kind >= 3 && object_kind <= 5;
}

#define OF_STREAM(detail, bytes_)                                                       \
    (struct build_operation)                                                            \
    {                                                                                   \
        bytes_, (detail).context, (detail).stream, build_ordinal((detail).device), true \
    }

struct build_operation build_operation(const struct timeline *timeline, enum tl_gpu_kind kind,
                                       uint32_t detail)
{
    switch (kind) {
    case TL_KERNEL:
        return OF_STREAM(timeline->kernels.at[detail], 0);
    case TL_MEMCPY:
        return OF_STREAM(timeline->memcpys.at[detail], timeline->memcpys.at[detail].bytes);
    case TL_MEMSET:
        return OF_STREAM(timeline->memsets.at[detail], timeline->memsets.at[detail].bytes);
    case TL_GRAPH_RUN:
        return OF_STREAM(timeline->graph_runs.at[detail], 0);
    case TL_SYNC: {
        const struct tl_sync *sync = &timeline->syncs.at[detail];
        return (struct build_operation){0, sync->context, sync->stream, TL_NONE,
                                        sync->stream != PROF_SYNC_NO_STREAM};
    }
    case TL_OVERHEAD:
        break;
    }
    const struct tl_overhead *overhead = &timeline->overheads.at[detail];
    bool known = names_a_device(overhead->object_kind);
    return (struct build_operation){.device = known ? overhead->object[0] : TL_NONE};
}

static uint32_t named(struct builder *builder, uint32_t name)
{
    builder->failed |= name == TL_NONE;
    return name;
}

static uint32_t copy_name(struct builder *builder, const struct tl_memcpy *copy)
{
    bool usual = copy->copy_kind < 16 && copy->src_kind < 16 && copy->dst_kind < 16;
    unsigned kinds = copy->copy_kind * 256u + copy->src_kind * 16u + copy->dst_kind;
    uint32_t *known = &builder->gpu->copy_names[usual ? kinds : 0];
    if (usual && *known)
        return *known - 1;
    uint32_t name = text_pool_format(
        &builder->timeline->names, "Memcpy %s (%s -> %s)", gpu_label_copy_kind(copy->copy_kind),
        gpu_label_memory_kind(copy->src_kind), gpu_label_memory_kind(copy->dst_kind));
    if (usual)
        *known = name + 1;
    return named(builder, name);
}

static uint32_t memset_name(struct builder *builder, uint8_t kind)
{
    bool usual = kind < 16;
    uint32_t *known = &builder->gpu->memset_names[usual ? kind : 0];
    if (usual && *known)
        return *known - 1;
    uint32_t name =
        text_pool_format(&builder->timeline->names, "Memset (%s)", gpu_label_memory_kind(kind));
    if (usual)
        *known = name + 1;
    return named(builder, name);
}

uint32_t build_operation_name(struct builder *builder, enum prof_summary_kind kind, uint32_t key)
{
    struct tl_memcpy copy = {.copy_kind = (uint8_t)key,
                             .src_kind = (uint8_t)(key >> 8),
                             .dst_kind = (uint8_t)(key >> 16)};
    if (kind == PROF_SUMMARY_MEMCPY)
        return copy_name(builder, &copy);
    if (kind == PROF_SUMMARY_MEMSET)
        return memset_name(builder, (uint8_t)key);
    return named(builder, text_pool_format(&builder->timeline->names, "CUDA graph %u", key));
}

/* The name of operations of its kind. */
static uint32_t derive_name(struct builder *builder, enum tl_gpu_kind kind, uint32_t detail)
{
    struct timeline *timeline = builder->timeline;
    struct text_pool *names = &timeline->names;
    switch (kind) {
    case TL_KERNEL:
        return build_demangled(builder, timeline->kernels.at[detail].name);
    case TL_MEMCPY:
        return copy_name(builder, &timeline->memcpys.at[detail]);
    case TL_MEMSET:
        return memset_name(builder, timeline->memsets.at[detail].memory_kind);
    case TL_GRAPH_RUN:
        return text_pool_format(names, "CUDA graph %u", timeline->graph_runs.at[detail].graph);
    case TL_SYNC:
        return text_pool_format(names, "%s", gpu_label_sync(timeline->syncs.at[detail].type));
    case TL_OVERHEAD:
        break;
    }
    return text_pool_format(names, "%s", gpu_label_overhead(timeline->overheads.at[detail].kind));
}

void build_gpu_append(struct builder *builder, struct tl_gpu gpu, uint32_t name)
{
    struct build_operation of = build_operation(builder->timeline, gpu.kind, gpu.detail);
    gpu.start_ns = build_time(builder, gpu.start_ns);
    gpu.end_ns = build_time(builder, gpu.end_ns);
    if (gpu.end_ns < gpu.start_ns) {
        build_process(builder)->odd.backward_gpu++;
        gpu.end_ns = gpu.start_ns;
    }
    gpu.bytes = of.bytes;
    gpu.name = derive_name(builder, gpu.kind, gpu.detail);
    builder->failed |= gpu.name == TL_NONE;
    if (name)
        gpu.name = build_name(builder, name);
    gpu.stream = of.has_stream ? build_stream(builder, of.context, of.stream, gpu.device) : TL_NONE;
    gpu.process = builder->process;
    struct tl_gpu *added = builder->failed ? NULL : ARRAY_ADD(&builder->timeline->gpus);
    if (added)
        *added = gpu;
    else
        builder->failed = true;
}

static void append_gpu(struct builder *builder, const struct gpu_op *op, enum tl_gpu_kind kind,
                       const void *detail)
{
    uint32_t index =
        builder->failed ? TL_NONE : build_detail(builder, &builder->gpu->details, kind, detail);
    if (index == TL_NONE)
        return;
    struct build_operation of = build_operation(builder->timeline, kind, index);
    build_gpu_append(
        builder,
        (struct tl_gpu){
            .start_ns = op->start_ns,
            .end_ns = op->end_ns,
            .slice = TL_NONE, /* until build_join() finds a call */
            .correlation = op->correlation,
            .kind = (uint8_t)kind,
            .detail = index,
            .device = kind == TL_SYNC ? build_context_device(builder, of.context) : of.device,
        },
        0);
}

void builder_append_kernel(struct builder *builder, const struct gpu_op *op,
                           const struct tl_kernel *kernel)
{
    if (builder->failed)
        return;
    struct tl_kernel detail = *kernel;
    detail.name = build_name(builder, detail.name);
    append_gpu(builder, op, TL_KERNEL, &detail);
}

void builder_append_memcpy(struct builder *builder, const struct gpu_op *op,
                           const struct tl_memcpy *copy)
{
    append_gpu(builder, op, TL_MEMCPY, copy);
}

void builder_append_memset(struct builder *builder, const struct gpu_op *op,
                           const struct tl_memset *set)
{
    append_gpu(builder, op, TL_MEMSET, set);
}

void builder_append_graph_run(struct builder *builder, const struct gpu_op *op,
                              const struct tl_graph_run *run)
{
    append_gpu(builder, op, TL_GRAPH_RUN, run);
}

void builder_append_sync(struct builder *builder, const struct gpu_op *op,
                         const struct tl_sync *sync)
{
    append_gpu(builder, op, TL_SYNC, sync);
}

void builder_append_overhead(struct builder *builder, const struct gpu_op *op,
                             const struct tl_overhead *overhead)
{
    append_gpu(builder, op, TL_OVERHEAD, overhead);
}

void builder_append_untimed(struct builder *builder)
{
    if (!builder->failed)
        build_process(builder)->odd.zero_time_gpu++;
}

/* What waits for events were for.
 *
 * An event is recorded again and again. A wait is for what was recorded last when it was called
 * for, not when it took place, and CUPTI's record of it names only the event. Correlation ids are
 * given to a process's calls in their order, so it is the last recording with a smaller one.
 */

enum { WAITS_EVENT_SYNC = 1, WAITS_STREAM_WAIT = 2 }; /* CUpti_ActivitySynchronizationType */

void builder_append_cuda_event(struct builder *builder, uint32_t correlation,
                               const struct cuda_event *event)
{
    if (builder->failed)
        return;
    struct build_cuda_event *kept = ARRAY_ADD(&builder->gpu->cuda_events);
    if (kept)
        *kept = (struct build_cuda_event){event->context, event->event, correlation, event->stream};
    else
        builder->failed = true;
}

static int in_order(const struct build_cuda_event *a, const struct build_cuda_event *b)
{
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    if (a->event != b->event)
        return a->event < b->event ? -1 : 1;
    return (a->correlation > b->correlation) - (a->correlation < b->correlation);
}

static int compare(const void *left, const void *right)
{
    return in_order(left, right);
}

/* The last that is before `wanted`, of the same event; NULL none. */
static const struct build_cuda_event *find_before(const struct builder *builder,
                                                  const struct build_cuda_event *wanted)
{
    uint32_t low = 0, high = builder->gpu->cuda_events.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (in_order(&builder->gpu->cuda_events.at[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct build_cuda_event *found = low ? &builder->gpu->cuda_events.at[low - 1] : NULL;
    return found && found->context == wanted->context && found->event == wanted->event ? found
                                                                                       : NULL;
}

static bool add_wait(struct builder *builder, uint32_t gpu)
{
    const struct timeline *timeline = builder->timeline;
    const struct tl_gpu *op = &timeline->gpus.at[gpu];
    const struct tl_sync *sync = &timeline->syncs.at[op->detail];
    if (sync->type != WAITS_EVENT_SYNC && sync->type != WAITS_STREAM_WAIT)
        return true;
    const struct build_cuda_event *event = find_before(
        builder, &(struct build_cuda_event){sync->context, sync->event, op->correlation, 0});
    if (!event)
        return true;
    struct tl_wait *wait = ARRAY_ADD(&builder->timeline->waits);
    if (wait)
        *wait = (struct tl_wait){gpu, event->correlation, event->stream};
    return wait != NULL;
}

bool build_waits(struct builder *builder)
{
    const struct timeline *timeline = builder->timeline;
    if (builder->gpu->cuda_events.count == 0)
        return true;
    qsort(builder->gpu->cuda_events.at, builder->gpu->cuda_events.count,
          sizeof *builder->gpu->cuda_events.at, compare);
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++)
        if (timeline->gpus.at[i].kind == TL_SYNC && !add_wait(builder, i))
            return false;
    return true;
}
