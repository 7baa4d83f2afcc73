/* build_gpu.c - what devices did: one tl_gpu each, and the details that many share; losses;
 * waits. */
#include "build_unordered.h"
#include "timeline.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What devices did: one tl_gpu each, and the details that many of them share. */

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * 0x9fb21c651e98df25u;
    return hash ^ hash >> 32;
}

/* Details are whole words. `kind` keeps the four tables apart. */
static uint64_t detail_hash(const void *detail, size_t bytes, enum tl_gpu_kind kind)
{
    uint64_t hash = (uint64_t)kind + 1;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t word;
        memcpy(&word, (const uint8_t *)detail + i, sizeof word);
        hash = mix(hash, word);
    }
    return hash;
}

/* One table of details, whatever its items are. */
struct details {
    void *at; /* address of the array's pointer */
    uint32_t *count, *capacity;
    size_t item_bytes;
    enum tl_gpu_kind kind;
};

#define DETAILS(array, kind_)                                                     \
    (struct details)                                                              \
    {                                                                             \
        &(array).at, &(array).count, &(array).capacity, sizeof *(array).at, kind_ \
    }

static uint8_t *details_item(const struct details *table, uint32_t index)
{
    uint8_t *items;
    memcpy(&items, table->at, sizeof items);
    return items + (size_t)index * table->item_bytes;
}

/* Index of the detail. Two that hash alike are distinguished; then the newer one gets an entry of
 * its own. */
static uint32_t share_detail(struct builder *builder, struct details table, const void *detail)
{
    uint64_t hash = detail_hash(detail, table.item_bytes, table.kind);
    uint32_t known = keymap_find(&builder->details, hash);
    if (known != KEYMAP_NONE && memcmp(details_item(&table, known), detail, table.item_bytes) == 0)
        return known;
    if (*table.count == *table.capacity &&
        !array_grow(table.at, table.capacity, table.item_bytes)) {
        builder->failed = true;
        return TL_NONE;
    }
    uint32_t index = (*table.count)++;
    memcpy(details_item(&table, index), detail, table.item_bytes);
    builder->failed |= !keymap_set(&builder->details, hash, index);
    return index;
}

struct build_gpu_place build_gpu_place(const struct timeline *timeline, const struct tl_gpu *gpu)
{
    uint32_t at = gpu->detail;
    switch ((enum tl_gpu_kind)gpu->kind) {
    case TL_KERNEL:
        return (struct build_gpu_place){timeline->kernels.at[at].context,
                                        timeline->kernels.at[at].stream, true};
    case TL_MEMCPY:
        return (struct build_gpu_place){timeline->memcpys.at[at].context,
                                        timeline->memcpys.at[at].stream, true};
    case TL_MEMSET:
        return (struct build_gpu_place){timeline->memsets.at[at].context,
                                        timeline->memsets.at[at].stream, true};
    case TL_GRAPH_RUN:
        return (struct build_gpu_place){timeline->graph_runs.at[at].context,
                                        timeline->graph_runs.at[at].stream, true};
    case TL_SYNC:
        return (struct build_gpu_place){timeline->syncs.at[at].context,
                                        timeline->syncs.at[at].stream,
                                        timeline->syncs.at[at].stream != PROF_SYNC_NO_STREAM};
    case TL_OVERHEAD:
        break;
    }
    return (struct build_gpu_place){0};
}

static uint32_t named(struct builder *builder, uint32_t name)
{
    builder->failed |= name == TL_NONE;
    return name;
}

static uint32_t copy_name(struct builder *builder, const struct tl_memcpy *copy)
{
    bool usual = copy->copy_kind < 16 && copy->src_kind < 16 && copy->dst_kind < 16;
    uint32_t *known =
        &builder
             ->copy_names[usual ? copy->copy_kind * 256 + copy->src_kind * 16 + copy->dst_kind : 0];
    if (usual && *known != TL_NONE)
        return *known;
    uint32_t name = text_pool_format(
        &builder->timeline->names, "Memcpy %s (%s -> %s)", gpu_label_copy_kind(copy->copy_kind),
        gpu_label_memory_kind(copy->src_kind), gpu_label_memory_kind(copy->dst_kind));
    if (usual)
        *known = name;
    return named(builder, name);
}

static uint32_t memset_name(struct builder *builder, uint8_t kind)
{
    bool usual = kind < 16;
    if (usual && builder->memset_names[kind] != TL_NONE)
        return builder->memset_names[kind];
    uint32_t name =
        text_pool_format(&builder->timeline->names, "Memset (%s)", gpu_label_memory_kind(kind));
    if (usual)
        builder->memset_names[kind] = name;
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
static uint32_t derive_name(struct builder *builder, const struct tl_gpu *gpu)
{
    struct timeline *timeline = builder->timeline;
    struct text_pool *names = &timeline->names;
    switch ((enum tl_gpu_kind)gpu->kind) {
    case TL_KERNEL:
        return build_demangled(builder, timeline->kernels.at[gpu->detail].name);
    case TL_MEMCPY:
        return copy_name(builder, &timeline->memcpys.at[gpu->detail]);
    case TL_MEMSET:
        return memset_name(builder, timeline->memsets.at[gpu->detail].memory_kind);
    case TL_GRAPH_RUN:
        return text_pool_format(names, "CUDA graph %u", timeline->graph_runs.at[gpu->detail].graph);
    case TL_SYNC:
        return text_pool_format(names, "%s", gpu_label_sync(timeline->syncs.at[gpu->detail].type));
    case TL_OVERHEAD:
        break;
    }
    return text_pool_format(names, "%s",
                            gpu_label_overhead(timeline->overheads.at[gpu->detail].kind));
}

void build_gpu_describe(struct builder *builder, struct tl_gpu *gpu, uint32_t name)
{
    struct build_gpu_place place = build_gpu_place(builder->timeline, gpu);
    gpu->name = derive_name(builder, gpu);
    builder->failed |= gpu->name == TL_NONE;
    if (name)
        gpu->name = build_name(builder, name);
    gpu->stream = place.has_stream ? build_stream(builder, place.context, place.stream, gpu->device)
                                   : TL_NONE;
}

/* An operation of the current process. */
static void add_gpu(struct builder *builder, const struct gpu_op *op, struct tl_gpu gpu)
{
    gpu.start_ns = build_time(builder, op->start_ns);
    gpu.end_ns = build_time(builder, op->end_ns);
    if (gpu.end_ns < gpu.start_ns) {
        build_process(builder)->odd.backward_gpu++;
        gpu.end_ns = gpu.start_ns;
    }
    build_gpu_describe(builder, &gpu, op->name);
    gpu.correlation = op->correlation;
    gpu.slice = TL_NONE; /* until build_join() finds a call */
    gpu.process = builder->process;
    struct tl_gpu *added = builder->failed ? NULL : ARRAY_ADD(&builder->timeline->gpus);
    if (added)
        *added = gpu;
    else
        builder->failed = true;
}

static void append_gpu(struct builder *builder, const struct gpu_op *op, struct tl_gpu gpu)
{
    if (builder->failed)
        return;
    if (builder->gathers)
        unordered_append_gpu(builder, op, gpu);
    else
        add_gpu(builder, op, gpu);
}

void builder_append_kernel(struct builder *builder, const struct gpu_op *op,
                           const struct tl_kernel *kernel)
{
    if (builder->failed)
        return;
    struct tl_kernel detail = *kernel;
    struct tl_gpu gpu = {.kind = TL_KERNEL, .device = build_ordinal(detail.device)};
    if (!builder->gathers)
        detail.name = build_name(builder, detail.name);
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->kernels, TL_KERNEL), &detail);
    append_gpu(builder, op, gpu);
}

void builder_append_memcpy(struct builder *builder, const struct gpu_op *op,
                           const struct tl_memcpy *copy)
{
    if (builder->failed)
        return;
    struct tl_gpu gpu = {
        .kind = TL_MEMCPY, .device = build_ordinal(copy->device), .bytes = copy->bytes};
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->memcpys, TL_MEMCPY), copy);
    append_gpu(builder, op, gpu);
}

void builder_append_memset(struct builder *builder, const struct gpu_op *op,
                           const struct tl_memset *set)
{
    if (builder->failed)
        return;
    struct tl_gpu gpu = {
        .kind = TL_MEMSET, .device = build_ordinal(set->device), .bytes = set->bytes};
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->memsets, TL_MEMSET), set);
    append_gpu(builder, op, gpu);
}

void builder_append_graph_run(struct builder *builder, const struct gpu_op *op,
                              const struct tl_graph_run *run)
{
    if (builder->failed)
        return;
    struct tl_gpu gpu = {.kind = TL_GRAPH_RUN, .device = build_ordinal(run->device)};
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->graph_runs, TL_GRAPH_RUN), run);
    append_gpu(builder, op, gpu);
}

void builder_append_sync(struct builder *builder, const struct gpu_op *op,
                         const struct tl_sync *sync, const uint32_t *device)
{
    if (builder->failed)
        return;
    struct tl_gpu gpu = {.kind = TL_SYNC};
    gpu.device =
        device ? build_ordinal(*device) : idmap_find(&builder->context_device, sync->context);
    gpu.lane = builder->gathers && device; /* else contexts may come later */
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->syncs, TL_SYNC), sync);
    append_gpu(builder, op, gpu);
}

/* CUpti_ActivityObjectKind: the first of three numbers is the device's. */
static bool names_a_device(uint32_t object_kind)
{
    return object_kind >= 3 && object_kind <= 5;
}

void builder_append_overhead(struct builder *builder, const struct gpu_op *op,
                             const struct tl_overhead *overhead)
{
    if (builder->failed)
        return;
    struct tl_gpu gpu = {.kind = TL_OVERHEAD, .device = TL_NONE};
    if (names_a_device(overhead->object_kind))
        gpu.device = overhead->object[0];
    gpu.detail =
        share_detail(builder, DETAILS(builder->timeline->overheads, TL_OVERHEAD), overhead);
    append_gpu(builder, op, gpu);
}

void builder_append_untimed(struct builder *builder)
{
    if (!builder->failed)
        build_process(builder)->odd.zero_time_gpu++;
}

void builder_append_start_event(struct builder *builder, uint32_t device, uint32_t correlation,
                                int64_t before_ns, int64_t after_ns)
{
    struct build_bracket *bracket = ARRAY_ADD(&builder->brackets);
    if (bracket)
        *bracket = (struct build_bracket){build_time(builder, before_ns),
                                          build_time(builder, after_ns), device, correlation};
    else
        builder->failed = true;
}

/* Device records that came and could not be kept, and whose they were. */

void builder_append_lost(struct builder *builder, uint32_t correlation,
                         const struct lost_record *record)
{
    if (builder->failed)
        return;
    struct build_lost *lost = ARRAY_ADD(&builder->losts);
    if (lost)
        *lost = (struct build_lost){*record, correlation, TL_NONE, TL_NONE};
    else
        builder->failed = true;
    build_stream(builder, record->context, record->stream, build_ordinal(record->device));
}

void builder_add_stream_loss(struct builder *builder, const struct stream_loss *record)
{
    if (builder->failed)
        return;
    struct stream_loss *loss = ARRAY_ADD(&builder->stream_losses);
    if (loss)
        *loss = *record;
    else
        builder->failed = true;
    build_stream(builder, record->of.context, record->of.stream, build_ordinal(record->of.device));
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
    struct build_cuda_event *kept = ARRAY_ADD(&builder->cuda_events);
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
    uint32_t low = 0, high = builder->cuda_events.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (in_order(&builder->cuda_events.at[middle], wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct build_cuda_event *found = low ? &builder->cuda_events.at[low - 1] : NULL;
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
    if (builder->cuda_events.count == 0)
        return true;
    qsort(builder->cuda_events.at, builder->cuda_events.count, sizeof *builder->cuda_events.at,
          compare);
    for (uint32_t i = builder->first.gpu; i < timeline->gpus.count; i++)
        if (timeline->gpus.at[i].kind == TL_SYNC && !add_wait(builder, i))
            return false;
    return true;
}
