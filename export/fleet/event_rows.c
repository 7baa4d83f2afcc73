/* event_rows.c - tables of events: what devices did, ranges and calls. */
#include "tables.h"

/* Whether there is room in the batch for what comes next of `count` items. */
static bool goes_on(const struct walk *walk, const struct rows *rows, uint32_t count)
{
    return walk->item < count && rows->count < FLEET_BATCH_ROWS && !rows->failed;
}

static bool is_done(const struct walk *walk, const struct rows *rows, uint32_t count)
{
    return walk->item == count || rows->failed;
}

/* ---- what devices did ---- */

static void put_name_if(struct row *row, const struct recording *recording, uint32_t name)
{
    cell_64_if(row, name != TL_NONE, name == TL_NONE ? 0 : name_id(recording, name));
}

/* The columns that kernels and copies begin with. */
static const struct tl_stream *put_operation(struct row *row, const struct recording *recording,
                                             const struct tl_gpu *gpu)
{
    const struct timeline *timeline = recording->timeline;
    const struct tl_stream *stream =
        gpu->stream == TL_NONE ? NULL : &timeline->streams.at[gpu->stream];
    cell_32(row, unit_of_process(recording, gpu->process)->rank);
    cell_step(row, step_of_operation(recording, gpu));
    cell_32_if(row, gpu->device != TL_NONE, (int32_t)gpu->device);
    cell_32_if(row, stream != NULL, stream ? (int32_t)stream->stream : 0);
    cell_64(row, since_epoch(recording, gpu->start_ns));
    cell_64(row, gpu->end_ns - gpu->start_ns);
    cell_64(row, name_id(recording, gpu->name));
    put_name_if(row, recording, tl_range_name(timeline, gpu->slice));
    return stream;
}

/* If the file names a range as the origin instead of a call, the time of the launch is unknown. */
static void put_queue(struct row *row, const struct recording *recording, const struct tl_gpu *gpu)
{
    const struct timeline *timeline = recording->timeline;
    const struct tl_slice *launch = gpu->slice == TL_NONE ? NULL : &timeline->slices.at[gpu->slice];
    bool known = launch && launch->kind == TL_API;
    int64_t queue_ns = known ? gpu->start_ns - recording->ends[gpu->slice] : 0;
    cell_64_if(row, known, queue_ns > 0 ? queue_ns : 0);
}

static void put_shape(struct row *row, const struct tl_kernel *kernel)
{
    static const struct tl_kernel nothing;
    const struct tl_kernel *of = kernel ? kernel : &nothing;
    cell_32_if(row, kernel, (int32_t)of->grid_x);
    cell_32_if(row, kernel, of->grid_y);
    cell_32_if(row, kernel, of->grid_z);
    cell_32_if(row, kernel, of->block_x);
    cell_32_if(row, kernel, of->block_y);
    cell_32_if(row, kernel, of->block_z);
    cell_32_if(row, kernel, of->registers);
    cell_32_if(row, kernel, (int32_t)(of->static_shared_memory + of->dynamic_shared_memory));
}

static void put_kernel(struct row *row, const struct recording *recording, const struct tl_gpu *gpu)
{
    const struct timeline *timeline = recording->timeline;
    uint64_t node;
    const struct tl_stream *stream = put_operation(row, recording, gpu);
    uint32_t graph = timeline_graph_of(timeline, gpu, &node);
    cell_8(row, (uint8_t)class_of(recording, gpu));
    cell_64(row, gpu->correlation);
    put_queue(row, recording, gpu);
    cell_64_if(row, graph != 0, graph);
    cell_8(row, gpu->kind == TL_GRAPH_RUN);
    cell_32_if(row, stream != NULL, stream ? (int32_t)stream->context : 0);
    put_shape(row, gpu->kind == TL_KERNEL ? &timeline->kernels.at[gpu->detail] : NULL);
    cell_64(row, recording->id);
}

static void put_copy(struct row *row, const struct recording *recording, const struct tl_gpu *gpu)
{
    const struct tl_stream *stream = put_operation(row, recording, gpu);
    cell_8(row, gpu->kind == TL_MEMCPY ? WORD_MEMCPY : WORD_MEMSET);
    cell_64(row, (int64_t)gpu->bytes);
    cell_64(row, gpu->correlation);
    cell_32_if(row, stream != NULL, stream ? (int32_t)stream->context : 0);
    cell_64(row, recording->id);
}

bool add_kernels(struct walk *walk, struct rows *rows)
{
    const struct timeline *timeline = walk->recording->timeline;
    for (; goes_on(walk, rows, timeline->gpus.count); walk->item++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[walk->item];
        struct row row;
        if (tl_is_work(gpu) && !is_copy(gpu) && rows_add(rows, &row))
            put_kernel(&row, walk->recording, gpu);
    }
    return is_done(walk, rows, timeline->gpus.count);
}

bool add_copies(struct walk *walk, struct rows *rows)
{
    const struct timeline *timeline = walk->recording->timeline;
    for (; goes_on(walk, rows, timeline->gpus.count); walk->item++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[walk->item];
        struct row row;
        if (tl_is_work(gpu) && is_copy(gpu) && rows_add(rows, &row))
            put_copy(&row, walk->recording, gpu);
    }
    return is_done(walk, rows, timeline->gpus.count);
}

/* ---- what threads did ---- */

/* The columns that ranges and calls begin with. */
static void put_event(struct row *row, const struct recording *recording, uint32_t thread,
                      uint32_t name, int64_t start_ns, int64_t end_ns)
{
    struct unit *unit = unit_of_thread(recording, thread);
    cell_32(row, unit->rank);
    cell_step(row, step_at(unit, start_ns));
    cell_64(row, (int64_t)recording->timeline->threads.at[thread].tid);
    cell_64(row, since_epoch(recording, start_ns));
    cell_64(row, end_ns - start_ns);
    cell_64(row, name_id(recording, name));
}

static void put_range(struct row *row, const struct recording *recording, uint32_t index,
                      const struct slice_sums *sums)
{
    const struct tl_slice *slice = &recording->timeline->slices.at[index];
    put_event(row, recording, slice->thread, slice_name(recording->timeline, slice),
              slice->start_ns, recording->ends[index]);
    cell_32(row, slice->depth);
    cell_64(row, sums->self_ns);
    cell_64(row, sums->device_ns);
    cell_8(row, false);
    cell_64(row, recording->id);
}

/* Begin/end ranges need not nest, so no time is their own. */
static void put_async(struct row *row, const struct recording *recording,
                      const struct tl_async *async)
{
    put_event(row, recording, async->thread,
              tl_shown_name(recording->timeline, async->name, async->label), async->start_ns,
              async->end_ns);
    cell_32(row, 0);
    cell_64_if(row, false, 0);
    cell_64_if(row, false, 0);
    cell_8(row, true);
    cell_64(row, recording->id);
}

static void put_call(struct row *row, const struct recording *recording, uint32_t index)
{
    const struct tl_slice *slice = &recording->timeline->slices.at[index];
    const struct tl_api *api = &recording->timeline->apis.at[slice->api];
    put_event(row, recording, slice->thread, slice->name, slice->start_ns, recording->ends[index]);
    cell_64(row, api->correlation);
    cell_32_if(row, api->result != TL_RESULT_UNKNOWN, api->result);
    cell_64(row, recording->id);
}

/* Items are slices, then begin/end ranges. */
bool add_ranges(struct walk *walk, struct rows *rows)
{
    const struct timeline *timeline = walk->recording->timeline;
    uint32_t slices = timeline->slices.count, count = slices + timeline->asyncs.count;
    struct row row;
    if (!walk->sums && slices) {
        walk->sums = slice_sums_create(timeline);
        if (walk->sums)
            slice_sums_join(walk->sums, timeline);
    }
    rows->failed |= slices && !walk->sums;
    for (; goes_on(walk, rows, slices); walk->item++) {
        const struct tl_slice *slice = &timeline->slices.at[walk->item];
        if (slice->kind == TL_RANGE && recording_counts(walk->recording, slice) &&
            rows_add(rows, &row))
            put_range(&row, walk->recording, walk->item, &walk->sums[walk->item]);
    }
    for (; walk->item >= slices && goes_on(walk, rows, count); walk->item++)
        if (rows_add(rows, &row))
            put_async(&row, walk->recording, &timeline->asyncs.at[walk->item - slices]);
    return is_done(walk, rows, count);
}

bool add_calls(struct walk *walk, struct rows *rows)
{
    const struct timeline *timeline = walk->recording->timeline;
    for (; goes_on(walk, rows, timeline->slices.count); walk->item++) {
        const struct tl_slice *slice = &timeline->slices.at[walk->item];
        struct row row;
        if (slice->kind == TL_API && recording_counts(walk->recording, slice) &&
            rows_add(rows, &row))
            put_call(&row, walk->recording, walk->item);
    }
    return is_done(walk, rows, timeline->slices.count);
}
