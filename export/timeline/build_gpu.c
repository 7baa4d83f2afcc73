/* build_gpu.c - what devices did: one tl_gpu each, and the details that many of them share. */
#include "build.h"
#include "gpu_labels.h"

#include <stddef.h>
#include <string.h>

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

/* Index of the detail. Two that hash alike are told apart; then the newer one gets an entry of its
 * own. */
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

/* Until build_join() finds a call. */
static uint32_t origin_of(const struct builder *builder, uint32_t number)
{
    uint32_t told = builder->timeline->slices.count - builder->first.slice;
    return number && number <= told ? builder->first.slice + number - 1 : TL_NONE;
}

static void add_gpu(struct builder *builder, const struct read_gpu *from, struct tl_gpu gpu)
{
    gpu.start_ns = build_time(builder, from->start_ns);
    gpu.end_ns = build_time(builder, from->end_ns);
    if (gpu.end_ns < gpu.start_ns) {
        build_process(builder)->odd.backward_gpu++;
        gpu.end_ns = gpu.start_ns;
    }
    if (from->name)
        gpu.name = build_name(builder, from->name);
    gpu.slice = origin_of(builder, from->origin);
    if (from->ambiguous && gpu.kind <= TL_GRAPH_RUN)
        gpu.flags |= TL_GPU_AMBIGUOUS;
    gpu.correlation = from->correlation;
    gpu.process = builder->process;
    struct tl_gpu *added = builder->failed ? NULL : ARRAY_ADD(&builder->timeline->gpus);
    if (added)
        *added = gpu;
    else
        builder->failed = true;
}

static uint32_t named(struct builder *builder, uint32_t name)
{
    builder->failed |= name == TL_NONE;
    return name;
}

static void take_kernel(struct builder *builder, const struct read_gpu *from)
{
    struct tl_kernel detail = from->kernel;
    struct tl_gpu gpu = {.kind = TL_KERNEL, .device = build_ordinal(detail.device)};
    gpu.name = build_kernel_name(builder, detail.name);
    gpu.stream = build_stream(builder, detail.context, detail.stream, gpu.device);
    detail.name = build_name(builder, detail.name);
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->kernels, TL_KERNEL), &detail);
    add_gpu(builder, from, gpu);
}

static uint32_t copy_name(struct builder *builder, const struct tl_memcpy *copy)
{
    bool usual = copy->copy_kind < 16 && copy->src_kind < 16 && copy->dst_kind < 16;
    uint32_t *known =
        &builder
             ->copy_names[usual ? copy->copy_kind * 256 + copy->src_kind * 16 + copy->dst_kind : 0];
    if (usual && *known != TL_NONE)
        return *known;
    uint32_t name = namepool_format(
        &builder->pool, "Memcpy %s (%s -> %s)", gpu_label_copy_kind(copy->copy_kind),
        gpu_label_memory_kind(copy->src_kind), gpu_label_memory_kind(copy->dst_kind));
    if (usual)
        *known = name;
    return named(builder, name);
}

static void take_memcpy(struct builder *builder, const struct read_gpu *from)
{
    const struct tl_memcpy *detail = &from->memcpy;
    struct tl_gpu gpu = {
        .kind = TL_MEMCPY, .device = build_ordinal(detail->device), .bytes = detail->bytes};
    gpu.name = copy_name(builder, detail);
    gpu.stream = build_stream(builder, detail->context, detail->stream, gpu.device);
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->memcpys, TL_MEMCPY), detail);
    add_gpu(builder, from, gpu);
}

static uint32_t memset_name(struct builder *builder, uint8_t kind)
{
    bool usual = kind < 16;
    if (usual && builder->memset_names[kind] != TL_NONE)
        return builder->memset_names[kind];
    uint32_t name = namepool_format(&builder->pool, "Memset (%s)", gpu_label_memory_kind(kind));
    if (usual)
        builder->memset_names[kind] = name;
    return named(builder, name);
}

static void take_memset(struct builder *builder, const struct read_gpu *from)
{
    const struct tl_memset *detail = &from->memset;
    struct tl_gpu gpu = {
        .kind = TL_MEMSET, .device = build_ordinal(detail->device), .bytes = detail->bytes};
    gpu.name = memset_name(builder, detail->memory_kind);
    gpu.stream = build_stream(builder, detail->context, detail->stream, gpu.device);
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->memsets, TL_MEMSET), detail);
    add_gpu(builder, from, gpu);
}

static void take_graph_run(struct builder *builder, const struct read_gpu *from)
{
    const struct tl_graph_run *detail = &from->graph;
    struct tl_gpu gpu = {.kind = TL_GRAPH_RUN, .device = build_ordinal(detail->device)};
    gpu.name = named(builder, namepool_format(&builder->pool, "CUDA graph %u", detail->graph));
    gpu.stream = build_stream(builder, detail->context, detail->stream, gpu.device);
    gpu.detail =
        share_detail(builder, DETAILS(builder->timeline->graph_runs, TL_GRAPH_RUN), detail);
    add_gpu(builder, from, gpu);
}

static void take_sync(struct builder *builder, const struct read_gpu *from)
{
    const struct tl_sync *detail = &from->sync;
    struct tl_gpu gpu = {.kind = TL_SYNC, .stream = TL_NONE};
    gpu.device = from->wait_device ? build_ordinal(from->wait_device - 1)
                                   : idmap_find(&builder->context_device, detail->context);
    gpu.name = named(builder, namepool_format(&builder->pool, "%s", gpu_label_sync(detail->type)));
    if (detail->stream != PROF_SYNC_NO_STREAM)
        gpu.stream = build_stream(builder, detail->context, detail->stream, gpu.device);
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->syncs, TL_SYNC), detail);
    add_gpu(builder, from, gpu);
}

/* CUpti_ActivityObjectKind: the first of three numbers is the device's. */
static bool names_a_device(uint32_t object_kind)
{
    return object_kind >= 3 && object_kind <= 5;
}

static void take_overhead(struct builder *builder, const struct read_gpu *from)
{
    const struct tl_overhead *detail = &from->overhead;
    struct tl_gpu gpu = {.kind = TL_OVERHEAD, .stream = TL_NONE, .device = TL_NONE};
    if (names_a_device(detail->object_kind))
        gpu.device = detail->object[0];
    gpu.name =
        named(builder, namepool_format(&builder->pool, "%s", gpu_label_overhead(detail->kind)));
    gpu.detail = share_detail(builder, DETAILS(builder->timeline->overheads, TL_OVERHEAD), detail);
    add_gpu(builder, from, gpu);
}

void timeline_append_untimed(struct builder *builder)
{
    if (!builder->failed)
        build_process(builder)->odd.zero_time_gpu++;
}

void timeline_append_gpu(struct builder *builder, const struct read_gpu *gpu)
{
    if (builder->failed)
        return;
    switch (gpu->kind) {
    case READ_GPU_KERNEL:
        take_kernel(builder, gpu);
        break;
    case READ_GPU_MEMCPY:
        take_memcpy(builder, gpu);
        break;
    case READ_GPU_MEMSET:
        take_memset(builder, gpu);
        break;
    case READ_GPU_SYNC:
        take_sync(builder, gpu);
        break;
    case READ_GPU_OVERHEAD:
        take_overhead(builder, gpu);
        break;
    case READ_GPU_GRAPH:
        take_graph_run(builder, gpu);
        break;
    }
}

void timeline_append_start_event(struct builder *builder, uint32_t device, uint32_t correlation,
                                 int64_t before_ns, int64_t after_ns)
{
    struct build_bracket *bracket = ARRAY_ADD(&builder->brackets);
    if (bracket)
        *bracket = (struct build_bracket){build_time(builder, before_ns),
                                          build_time(builder, after_ns), device, correlation};
    else
        builder->failed = true;
}
