/* nsys_gpu.c - what devices did, and what happened to their memory, as rows of nsys's tables. */
#include "nsys_export.h"

static void put_place(struct nsys_export *nsys, struct database_row *row, const struct tl_gpu *gpu,
                      uint32_t context, uint32_t stream)
{
    row_int(row, gpu->start_ns);
    row_int(row, gpu->end_ns);
    row_int(row, gpu->device == TL_NONE ? -1 : (int64_t)gpu->device);
    row_int(row, context);
    row_int(row, stream == PROF_SYNC_NO_STREAM ? -1 : (int64_t)stream);
    bool ambiguous = (gpu->flags & TL_GPU_AMBIGUOUS) != 0;
    row_int(row, ambiguous ? -(int64_t)gpu->correlation : (int64_t)gpu->correlation);
    row_int(row, nsys->global_pids[gpu->process]);
}

static void put_graph(struct database_row *row, uint64_t node, uint32_t graph)
{
    if (node)
        row_int(row, (int64_t)node);
    else
        row_null(row);
    row_known(row, graph ? graph : TL_NONE);
}

/* "void ns::f<int>(float*)" is called "f": what stands before the first bracket, without what is before it.
 */
static struct text short_name(struct text name)
{
    size_t end = 0, begin = 0;
    while (end < name.size && name.bytes[end] != '<' && name.bytes[end] != '(')
        end++;
    for (size_t i = 0; i < end; i++)
        if (name.bytes[i] == ' ' || name.bytes[i] == ':')
            begin = i + 1;
    return begin < end ? (struct text){name.bytes + begin, end - begin} : name;
}

static int64_t short_name_id(struct nsys_export *nsys, uint32_t name)
{
    if (nsys->short_names[name] == TL_NONE) {
        struct text whole = nsys->timeline->names.at[name], part = short_name(whole);
        bool is_whole = part.size == whole.size;
        nsys->short_names[name] = is_whole ? name : (uint32_t)nsys->next_string++;
        if (!is_whole) {
            row_int(nsys->strings, nsys->short_names[name]);
            row_text(nsys->strings, part);
            row_write(nsys->strings);
        }
    }
    return nsys->short_names[name];
}

static int64_t since_base(const struct nsys_export *nsys, uint64_t realtime_ns)
{
    return (int64_t)(realtime_ns - nsys->timeline->base_realtime_ns);
}

static void put_kernel(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_kernel *kernel = &nsys->timeline->kernels.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_KERNELS];
    int64_t called = short_name_id(nsys, gpu->name);
    put_place(nsys, row, gpu, kernel->context, kernel->stream);
    row_int(row, gpu->name);
    row_int(row, called);
    row_known(row, kernel->name < nsys->timeline->names.count ? kernel->name : TL_NONE);
    row_int(row, kernel->launch_type);
    row_int(row, kernel->registers);
    row_int(row, kernel->grid_x);
    row_int(row, kernel->grid_y);
    row_int(row, kernel->grid_z);
    row_int(row, kernel->block_x);
    row_int(row, kernel->block_y);
    row_int(row, kernel->block_z);
    row_int(row, kernel->static_shared_memory);
    row_int(row, kernel->dynamic_shared_memory);
    row_int(row, kernel->local_memory);
    row_int(row, kernel->shared_memory_executed);
    put_graph(row, kernel->graph_node, kernel->graph);
    if (kernel->queued_ns)
        row_int(row, since_base(nsys, kernel->queued_ns));
    else
        row_null(row);
    if (kernel->submitted_ns)
        row_int(row, since_base(nsys, kernel->submitted_ns));
    else
        row_null(row);
    row_write(row);
}

/* nsys counts kinds of memory from 0 and calls what is unknown 7; CUPTI counts from 1. */
static int64_t memory_kind(uint8_t kind)
{
    return kind >= 1 && kind <= 7 ? kind - 1 : 7;
}

static void put_copy(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_memcpy *copy = &nsys->timeline->memcpys.at[gpu->detail];
    bool is_peer = copy->src_context || copy->dst_context;
    struct database_row *row = nsys->tables[NSYS_COPIES];
    put_place(nsys, row, gpu, copy->context, copy->stream);
    row_int(row, (int64_t)gpu->bytes);
    row_int(row, copy->copy_kind);
    row_int(row, memory_kind(copy->src_kind));
    row_int(row, memory_kind(copy->dst_kind));
    row_known(row, is_peer ? copy->src_device : TL_NONE);
    row_known(row, is_peer ? copy->src_context : TL_NONE);
    row_known(row, is_peer ? copy->dst_device : TL_NONE);
    row_known(row, is_peer ? copy->dst_context : TL_NONE);
    put_graph(row, copy->graph_node, copy->graph);
    row_int(row, copy->flags);
    row_write(row);
}

static void put_set(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_memset *set = &nsys->timeline->memsets.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_SETS];
    put_place(nsys, row, gpu, set->context, set->stream);
    row_int(row, set->value);
    row_int(row, (int64_t)gpu->bytes);
    if (set->graph_node)
        row_int(row, (int64_t)set->graph_node);
    else
        row_null(row);
    row_int(row, memory_kind(set->memory_kind));
    row_known(row, set->graph ? set->graph : TL_NONE);
    row_int(row, set->flags);
    row_write(row);
}

static void put_sync(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_sync *sync = &nsys->timeline->syncs.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_SYNCS];
    put_place(nsys, row, gpu, sync->context, sync->stream);
    row_int(row, sync->type);
    row_int(row, sync->event);
    row_write(row);
}

static void put_graph_run(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_graph_run *run = &nsys->timeline->graph_runs.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_GRAPHS];
    put_place(nsys, row, gpu, run->context, run->stream);
    row_int(row, run->graph);
    row_int(row, run->graph);
    row_write(row);
}

static void put_overhead(struct nsys_export *nsys, const struct tl_gpu *gpu)
{
    const struct tl_overhead *overhead = &nsys->timeline->overheads.at[gpu->detail];
    struct database_row *row = nsys->tables[NSYS_OVERHEADS];
    row_int(row, gpu->start_ns);
    row_int(row, gpu->end_ns);
    row_int(row, nsys->global_pids[gpu->process]);
    row_int(row, overhead->kind);
    row_int(row, overhead->object_kind);
    for (int i = 0; i < 3; i++)
        row_int(row, overhead->object[i]);
    row_known(row, gpu->name);
    row_write(row);
}

void nsys_on_gpu(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct tl_gpu *gpu = &nsys->timeline->gpus.at[index];
    switch (gpu->kind) {
    case TL_KERNEL:
        put_kernel(nsys, gpu);
        break;
    case TL_MEMCPY:
        put_copy(nsys, gpu);
        break;
    case TL_MEMSET:
        put_set(nsys, gpu);
        break;
    case TL_SYNC:
        put_sync(nsys, gpu);
        break;
    case TL_GRAPH_RUN:
        put_graph_run(nsys, gpu);
        break;
    default:
        put_overhead(nsys, gpu); /* nsys has no table that it would fit into */
    }
}

static void put_thread(struct nsys_export *nsys, struct database_row *row,
                       const struct tl_memory *memory, bool is_end)
{
    uint32_t thread = is_end ? memory->end_thread : memory->thread;
    if (thread == TL_NONE)
        row_null(row);
    else
        row_int(row, nsys_global_tid(nsys, thread));
}

/* Memory of the program's own allocators is none of CUDA's. */
static void put_allocation(struct nsys_export *nsys, const struct tl_memory_event *event)
{
    const struct tl_memory *memory = &nsys->timeline->memories.at[event->memory];
    struct database_row *row = nsys->tables[NSYS_ALLOCATIONS];
    row_int(row, event->time_ns);
    put_thread(nsys, row, memory, event->is_end);
    row_int(row, memory->heap);
    row_known(row, nsys->timeline->heaps.at[memory->heap].name);
    row_int(row, (int64_t)memory->address);
    row_int(row, (int64_t)memory->bytes);
    row_int(row, event->is_end ? 1 : 0);
    row_write(row);
}

void nsys_on_memory(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct timeline *timeline = nsys->timeline;
    const struct tl_memory_event *event = &timeline->memory_events.at[index];
    const struct tl_memory *memory = &timeline->memories.at[event->memory];
    const struct tl_heap *heap = &timeline->heaps.at[memory->heap];
    struct database_row *row = nsys->tables[NSYS_MEMORY];
    if (heap->allocator) {
        put_allocation(nsys, event);
        return;
    }
    row_int(row, event->time_ns);
    row_int(row, nsys->global_pids[heap->process]);
    row_known(row, heap->device);
    row_int(row, (int64_t)memory->address);
    row_int(row, (int64_t)memory->bytes);
    row_int(row, memory_kind(heap->kind));
    row_int(row, event->is_end ? 1 : 0);
    if (heap->name == TL_NONE)
        row_null(row);
    else
        row_text(row, timeline->names.at[heap->name]);
    put_thread(nsys, row, memory, event->is_end);
    row_write(row);
}

/* Managed memory that the driver moved: copies of kinds of their own. */
void nsys_on_migration(void *user, uint32_t index)
{
    struct nsys_export *nsys = user;
    const struct tl_migration *move = &nsys->timeline->migrations.at[index];
    struct database_row *row = nsys->tables[NSYS_COPIES];
    if (move->kind != 1 && move->kind != 2)
        return;
    row_int(row, move->start_ns);
    row_int(row, move->end_ns);
    row_int(row, move->kind == 1 ? (int32_t)move->target : (int32_t)move->source);
    row_int(row, 0);
    row_int(row, -1);
    row_null(row);
    row_int(row, nsys->global_pids[move->process]);
    row_int(row, (int64_t)move->value);
    row_int(row, move->kind == 1 ? 11 : 12);
    row_int(row, memory_kind(5)); /* managed */
    row_int(row, memory_kind(5));
    for (int column = 11; column < 18; column++)
        row_null(row);
    row_write(row);
}
