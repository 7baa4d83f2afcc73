/* build_ledger.c - launched = recorded + every way of not being recorded, by stream and graph, and
 * by call. */
#include "ledger_rows.h"

#include "array.h"

#include <stdlib.h>

/* A device record that came and could not be kept. */
struct build_lost {
    struct lost_record record;
    uint32_t correlation;
    uint32_t slice; /* the call that launched it, TL_NONE */
    uint32_t next;  /* of the same call, TL_NONE the last */
};

struct build_ledger {
    TL_ARRAY(struct build_lost) losts;
    TL_ARRAY(struct stream_loss) stream_losses;
};

BUILD_PART(ledger, free(ledger->losts.at), free(ledger->stream_losses.at))

/* ---- device records that came and could not be kept ---- */

void builder_append_lost(struct builder *builder, uint32_t correlation,
                         const struct lost_record *record)
{
    if (builder->failed)
        return;
    struct build_lost *lost = ARRAY_ADD(&builder->ledger->losts);
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
    struct stream_loss *loss = ARRAY_ADD(&builder->ledger->stream_losses);
    if (loss)
        *loss = *record;
    else
        builder->failed = true;
    build_stream(builder, record->of.context, record->of.stream, build_ordinal(record->of.device));
}

/* They have no time: of several calls with one id, the latest is taken. */
void build_ledger_join(struct builder *builder, const struct launch_index *index)
{
    for (uint32_t i = 0; i < builder->ledger->losts.count; i++) {
        struct build_lost *lost = &builder->ledger->losts.at[i];
        lost->slice = launch_index_find(index, lost->correlation, INT64_MAX);
    }
}

/* ---- the ledger ---- */

/* Of one process. Until they are explained, unrecorded[].place is a row. */
struct ledger_unrecorded {
    struct timeline *timeline;
    uint32_t first; /* into unrecorded[] */
    bool failed;    /* no memory */
};

/* A row knows how many of its operations which cause took, not which. They are dealt out in the
 * order of time, from what takes the earliest (enum tl_unrecorded_cause has that in front of all)
 * to what takes the latest (after all). */

static bool add(struct ledger_unrecorded *unrecorded, uint32_t slice, uint32_t place,
                uint32_t count, uint32_t cause)
{
    struct tl_unrecorded *entry = ARRAY_ADD(&unrecorded->timeline->unrecorded);
    if (entry)
        *entry = (struct tl_unrecorded){slice, place, count, cause};
    unrecorded->failed |= !entry;
    return entry != NULL;
}

/* `cause` TL_UNRECORDED_MISSING: to be found by row. */
static void add_unrecorded(struct ledger_unrecorded *unrecorded, uint32_t slice, uint32_t row,
                           uint64_t count, uint32_t cause)
{
    for (uint32_t part; count; count -= part) {
        part = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
        if (!add(unrecorded, slice, row, part, cause))
            return;
    }
}

/* What of each row is not dealt out yet. */
struct shares {
    struct ledger_unrecorded *unrecorded;
    const struct ledger_rows *rows;
    struct tl_ledger_row *left; /* by row, from rows->first on */
};

static uint64_t *share_of(const struct shares *shares, uint32_t row, uint32_t cause)
{
    return ledger_row_count(&shares->left[row - shares->rows->first], cause);
}

/* The causes in the order in which they are dealt out. */
static uint32_t nth_cause(uint32_t n)
{
    if (n == 0)
        return TL_UNRECORDED_RECYCLED;
    return n <= PROF_LOSS_COUNT ? n - 1 : n;
}

static uint32_t next_cause(const struct shares *shares, uint32_t row)
{
    for (uint32_t n = 0; n < TL_UNRECORDED_CAUSES; n++)
        if (*share_of(shares, row, nth_cause(n)))
            return nth_cause(n);
    return TL_UNRECORDED_MISSING;
}

/* The first cause that is left, as far as it goes; what goes beyond becomes another item. */
static bool deal(const struct shares *shares, uint32_t index)
{
    struct timeline *timeline = shares->unrecorded->timeline;
    for (;;) {
        struct tl_unrecorded *entry = &timeline->unrecorded.at[index];
        uint32_t row = entry->place, cause = next_cause(shares, row);
        uint64_t *share = share_of(shares, row, cause);
        uint32_t rest = *share && *share < entry->count ? entry->count - (uint32_t)*share : 0;
        entry->cause = cause;
        entry->count -= rest;
        *share -= *share < entry->count ? *share : entry->count;
        if (!rest)
            return true;
        index = timeline->unrecorded.count;
        if (!add(shares->unrecorded, entry->slice, row, rest, TL_UNRECORDED_MISSING))
            return false;
    }
}

/* Subtracts the records that arrived but could not be kept: their cause is known. */
static void subtract_explained(const struct shares *shares, const struct radix_item *order,
                               uint32_t count)
{
    const struct tl_unrecorded *unrecorded = shares->unrecorded->timeline->unrecorded.at;
    for (uint32_t i = 0; i < count; i++) {
        const struct tl_unrecorded *entry = &unrecorded[order[i].value];
        if (entry->cause != TL_UNRECORDED_MISSING)
            *share_of(shares, entry->place, entry->cause) -= entry->count;
    }
}

static bool deal_all(const struct shares *shares, const struct radix_item *order, uint32_t count)
{
    bool dealt = true;
    subtract_explained(shares, order, count);
    for (uint32_t i = 0; i < count && dealt; i++)
        if (shares->unrecorded->timeline->unrecorded.at[order[i].value].cause ==
            TL_UNRECORDED_MISSING)
            dealt = deal(shares, order[i].value);
    return dealt;
}

static struct radix_item *sort_by_time(const struct ledger_unrecorded *unrecorded, uint32_t count)
{
    const struct timeline *timeline = unrecorded->timeline;
    struct radix_item *order = malloc(count * sizeof *order);
    for (uint32_t i = 0; i < count && order; i++) {
        const struct tl_unrecorded *entry = &timeline->unrecorded.at[unrecorded->first + i];
        int64_t time_ns = timeline->slices.at[entry->slice].start_ns;
        order[i] = (struct radix_item){radix_key(time_ns), unrecorded->first + i};
    }
    if (order && radix_sort(order, count))
        return order;
    free(order);
    return NULL;
}

/* From rows to what they are of. */
static void place_all(const struct ledger_unrecorded *unrecorded)
{
    struct timeline *timeline = unrecorded->timeline;
    for (uint32_t i = unrecorded->first; i < timeline->unrecorded.count; i++) {
        struct tl_unrecorded *entry = &timeline->unrecorded.at[i];
        const struct tl_ledger_row *row = &timeline->ledger_rows.at[entry->place];
        entry->place = row->kind == TL_LEDGER_GRAPH ? row->graph : row->stream;
    }
}

static bool explain_unrecorded(struct ledger_unrecorded *unrecorded, const struct ledger_rows *rows,
                               uint32_t count)
{
    const struct timeline *timeline = unrecorded->timeline;
    uint32_t row_count = timeline->ledger_rows.count - rows->first;
    struct radix_item *order = sort_by_time(unrecorded, count);
    struct shares shares = {unrecorded, rows,
                            malloc((row_count + (size_t)1) * sizeof *shares.left)};
    bool done = order && shares.left;
    for (uint32_t i = 0; i < row_count && done; i++)
        shares.left[i] = timeline->ledger_rows.at[rows->first + i];
    done = done && deal_all(&shares, order, count);
    free(order);
    free(shares.left);
    return done;
}

/* Assigns each unrecorded operation a cause, once the rows have their causes. False: no memory. */
static bool name_causes(struct ledger_unrecorded *unrecorded, const struct ledger_rows *rows)
{
    uint32_t count = unrecorded->timeline->unrecorded.count - unrecorded->first;
    if (unrecorded->failed || (count && !explain_unrecorded(unrecorded, rows, count)))
        return false;
    place_all(unrecorded);
    return true;
}

/* Launched = recorded + every way of not being recorded, for each stream.
 *
 * What a call was to launch is compared with what devices recorded under it. Of what is not there,
 * a part came and could not be kept, and says so itself (LOST). The rest has no record of any kind;
 * it belongs to the stream of the call, and is explained by causes, in this order: the device side
 * was not recorded at all; losses that were counted of this stream; losses without a stream; chunks
 * that are not in the file any more; the process was killed, so that what CUPTI still held never
 * came. What then remains is missing without a reason: a bug.
 *
 * Where several streams lack records and several causes were counted without a stream, it is not
 * known which lost what: causes are used up in the order of `untold`, streams in theirs.
 *
 * Operations of graphs have rows of their own, and explanations alike. Where it is not known how
 * many a launch was to put on the device, only those whose records came are counted. What nothing
 * explains is not a bug there, but a cause of its own: GRAPH_NODES.
 */

/* Causes that take the record of an operation, the likeliest first. What is counted of the last two
 * need not have been an operation of the file's. */
static const enum prof_loss_cause untold[] = {
    PROF_LOSS_CUPTI_DROPPED, PROF_LOSS_GPU_BUFFER, PROF_LOSS_ZERO_TIME, PROF_LOSS_FULL,
    PROF_LOSS_LATE,          PROF_LOSS_IO,         PROF_LOSS_THREADS,   PROF_LOSS_NESTED,
    PROF_LOSS_TOO_BIG,       PROF_LOSS_CHILD,      PROF_LOSS_NAMES,
};
static const enum prof_loss_cause doubtful[] = {PROF_LOSS_UNKNOWN_RECORD, PROF_LOSS_OUT_OF_WINDOW};
#define COUNT(causes) (sizeof(causes) / sizeof *(causes))

struct ledger_work {
    struct builder *builder;
    struct ledger_rows rows;
    struct ledger_unrecorded unrecorded;
    struct keymap losts;            /* slice -> the first of its losts[] */
    uint64_t pool[PROF_LOSS_COUNT]; /* counted, and not used to explain anything so far */
};

static uint64_t subtract(uint64_t *from, uint64_t most)
{
    uint64_t taken = *from < most ? *from : most;
    *from -= taken;
    return taken;
}

/* ---- what came and could not be kept ---- */

static uint32_t row_of_lost(const struct ledger_work *work, const struct lost_record *lost)
{
    uint32_t stream =
        build_stream_find(work->builder, lost->context, lost->stream, build_ordinal(lost->device));
    return ledger_rows_stream(&work->rows, stream);
}

static void count_lost(struct ledger_work *work, uint32_t row, uint32_t slice, uint32_t cause)
{
    ledger_row(&work->rows, row)->launched++;
    ledger_row(&work->rows, row)->lost[cause]++;
    add_unrecorded(&work->unrecorded, slice, row, 1, cause);
}

/* A call's own go in front of those that are known already. */
static bool link_lost(struct ledger_work *work, uint32_t index)
{
    struct build_lost *lost = &work->builder->ledger->losts.at[index];
    lost->next = keymap_find(&work->losts, lost->slice);
    return keymap_set(&work->losts, lost->slice, index);
}

static bool sort_lost(struct ledger_work *work, uint32_t index)
{
    struct builder *builder = work->builder;
    const struct build_lost *lost = &builder->ledger->losts.at[index];
    subtract(&work->pool[lost->record.cause], 1);
    if (lost->slice == TL_NONE) {
        ledger_row(&work->rows, row_of_lost(work, &lost->record))->outside++;
        return true;
    }
    const struct tl_slice *slice = &builder->timeline->slices.at[lost->slice];
    if (slice->flags & TL_INTERNAL)
        return true;
    if (slice->flags & TL_GRAPH) {
        uint32_t row = ledger_rows_graph(&work->rows, lost->record.graph);
        if (row != TL_NONE)
            count_lost(work, row, lost->slice, lost->record.cause);
        return row != TL_NONE && link_lost(work, index);
    }
    uint32_t stream = build_stream_find(builder, lost->record.context, lost->record.stream,
                                        build_ordinal(lost->record.device));
    return link_lost(work, index) &&
           ledger_rows_learn(&work->rows, slice->thread,
                             builder->timeline->apis.at[slice->api].stream_handle, stream);
}

/* ---- what calls launched ---- */

static const struct tl_gpu *gpu_of(const struct timeline *timeline, const struct tl_slice *slice,
                                   uint32_t i)
{
    return &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
}

static bool count_graph(struct ledger_work *work, const struct tl_slice *slice)
{
    const struct timeline *timeline = work->builder->timeline;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *gpu = gpu_of(timeline, slice, i);
        uint64_t node;
        uint32_t graph = timeline_graph_of(timeline, gpu, &node);
        uint32_t row = tl_is_work(gpu) ? ledger_rows_graph(&work->rows, graph) : TL_NONE;
        if (row == TL_NONE && tl_is_work(gpu))
            return false;
        if (row == TL_NONE)
            continue;
        ledger_row(&work->rows, row)->launched++;
        ledger_row(&work->rows, row)->recorded++;
    }
    return true;
}

static uint64_t count_recorded(struct ledger_work *work, const struct tl_slice *slice)
{
    const struct timeline *timeline = work->builder->timeline;
    uint64_t count = 0;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *gpu = gpu_of(timeline, slice, i);
        if (!tl_is_work(gpu))
            continue;
        struct tl_ledger_row *row =
            ledger_row(&work->rows, ledger_rows_stream(&work->rows, gpu->stream));
        row->launched++;
        row->recorded++;
        count++;
    }
    return count;
}

/* Whether a missing operation of the launch would show. A failed call launches nothing, and a known
 * graph may have no operation of a device. */
static bool is_judged(const struct timeline *timeline, const struct tl_graph_launch *launch)
{
    const struct tl_graph *graph =
        launch->graph == TL_NONE ? NULL : &timeline->graphs.at[launch->graph];
    int32_t result = timeline->apis.at[timeline->slices.at[launch->slice].api].result;
    return launch->expected || (result && result != TL_RESULT_UNKNOWN) ||
           (graph && graph->known && !(graph->flags & PROF_GRAPH_VARIES) && !graph->kernels &&
            !graph->memsets);
}

/* Counts the operations that a launch should have at least and does not have. */
static bool count_graph_launch(struct ledger_work *work, const struct tl_graph_launch *launch)
{
    struct timeline *timeline = work->builder->timeline;
    uint32_t graph = launch->graph == TL_NONE ? 0 : timeline->graphs.at[launch->graph].id;
    uint64_t there = launch->recorded;
    timeline->ledger.unjudged += !is_judged(timeline, launch);
    for (uint32_t i = keymap_find(&work->losts, launch->slice); i != TL_NONE;
         i = work->builder->ledger->losts.at[i].next)
        there++;
    if (launch->expected <= there)
        return true;
    uint32_t row = ledger_rows_graph(&work->rows, graph);
    if (row == TL_NONE)
        return false;
    ledger_row(&work->rows, row)->launched += launch->expected - there;
    ledger_row(&work->rows, row)->missing += launch->expected - there;
    add_unrecorded(&work->unrecorded, launch->slice, row, launch->expected - there,
                   TL_UNRECORDED_MISSING);
    return true;
}

/* More losts than the call has operations left were not expected of it. */
static uint64_t count_losts(struct ledger_work *work, uint32_t slice, uint64_t most)
{
    uint64_t count = 0;
    for (uint32_t i = keymap_find(&work->losts, slice); i != TL_NONE;) {
        const struct build_lost *lost = &work->builder->ledger->losts.at[i];
        uint32_t row = row_of_lost(work, &lost->record);
        if (count < most)
            count_lost(work, row, slice, lost->record.cause);
        else
            ledger_row(&work->rows, row)->outside++;
        count += count < most;
        i = lost->next;
    }
    return count;
}

/* `missing` holds what is not explained so far. */
static void count_shortfall(struct ledger_work *work, uint32_t index, uint64_t count)
{
    const struct tl_slice *slice = &work->builder->timeline->slices.at[index];
    uint64_t handle = work->builder->timeline->apis.at[slice->api].stream_handle;
    uint32_t stream = ledger_rows_find(&work->rows, slice->thread, handle);
    uint32_t row = ledger_rows_stream(&work->rows, stream);
    ledger_row(&work->rows, row)->launched += count;
    ledger_row(&work->rows, row)->missing += count;
    add_unrecorded(&work->unrecorded, index, row, count, TL_UNRECORDED_MISSING);
}

static bool count_call(struct ledger_work *work, const struct build_launch *launch)
{
    const struct tl_slice *slice = &work->builder->timeline->slices.at[launch->slice];
    const struct tl_api *api = &work->builder->timeline->apis.at[slice->api];
    if (slice->flags & TL_INTERNAL)
        return true;
    if (slice->flags & TL_GRAPH)
        return count_graph(work, slice);
    uint64_t expected = slice->flags & TL_LAUNCHES && api->result == 0 ? api->operations : 0;
    uint64_t recorded = count_recorded(work, slice);
    if (recorded > expected && expected)
        build_process(work->builder)->odd.surplus_gpu += recorded - expected;
    uint64_t left = expected > recorded ? expected - recorded : 0;
    left -= count_losts(work, launch->slice, left);
    if (left)
        count_shortfall(work, launch->slice, left);
    return true;
}

/* Operations whose origin is a range: what launched them is not in the file, but all of them
 * are. */
static void count_origins(struct ledger_work *work)
{
    const struct timeline *timeline = work->builder->timeline;
    for (uint32_t i = work->builder->first.gpus; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->slice == TL_NONE || timeline->slices.at[gpu->slice].kind == TL_API ||
            !tl_is_work(gpu))
            continue;
        struct tl_ledger_row *row =
            ledger_row(&work->rows, ledger_rows_stream(&work->rows, gpu->stream));
        row->launched++;
        row->recorded++;
    }
}

static bool learn_handles(struct ledger_work *work)
{
    const struct timeline *timeline = work->builder->timeline;
    bool learnt = true;
    for (uint32_t i = work->builder->first.gpus; i < timeline->gpus.count && learnt; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (gpu->slice == TL_NONE || gpu->stream == TL_NONE || !tl_is_work(gpu))
            continue;
        const struct tl_slice *slice = &timeline->slices.at[gpu->slice];
        if (slice->kind == TL_API && !(slice->flags & (TL_GRAPH | TL_INTERNAL)))
            learnt = ledger_rows_learn(&work->rows, slice->thread,
                                       timeline->apis.at[slice->api].stream_handle, gpu->stream);
    }
    return learnt;
}

/* ---- why it is not there ---- */

static void explain_by(struct ledger_work *work, struct tl_ledger_row *row,
                       enum prof_loss_cause cause, uint64_t most)
{
    uint64_t available = work->pool[cause] < most ? work->pool[cause] : most;
    uint64_t taken = subtract(&row->missing, available);
    row->lost[cause] += taken;
    work->pool[cause] -= taken;
}

/* Of what was counted of a stream or graph, what explains nothing there was outside of the file;
 * but as long as there are launches of which the stream is not known, it may have been theirs. */
static bool explain_by_stream(struct ledger_work *work, const struct stream_loss *loss)
{
    enum prof_loss_cause cause = (enum prof_loss_cause)loss->of.cause;
    uint32_t stream = build_stream_find(work->builder, loss->of.context, loss->of.stream,
                                        build_ordinal(loss->of.device));
    uint32_t index = loss->of.graph ? ledger_rows_graph(&work->rows, loss->of.graph)
                                    : ledger_rows_stream(&work->rows, stream);
    if (index == TL_NONE)
        return false;
    struct tl_ledger_row *row = ledger_row(&work->rows, index);
    uint64_t before = row->missing;
    explain_by(work, row, cause, loss->count);
    if (loss->of.graph)
        subtract(&work->pool[cause], loss->count - (before - row->missing));
    uint64_t used = before - row->missing;
    if (!work->builder->has_window) /* else their launches may be among what was left out */
        row->outside += loss->count > used ? loss->count - used : 0;
    return true;
}

/* Chunks were recycled (ring mode), cut off or damaged, and device records with them. */
static bool has_missing_chunks(const struct tl_health *health)
{
    return health->missing_chunks || health->truncated || health->bad_records;
}

static void explain_row(struct ledger_work *work, struct tl_ledger_row *row)
{
    const struct tl_process *process = build_process(work->builder);
    for (size_t i = 0; i < COUNT(untold) && row->missing; i++)
        explain_by(work, row, untold[i], UINT64_MAX);
    if (has_missing_chunks(&process->health))
        row->recycled += subtract(&row->missing, UINT64_MAX);
    if (!process->info.closed)
        row->undelivered += subtract(&row->missing, UINT64_MAX);
    if (process->info.gpu_mode == PROF_GPU_PARTIAL)
        row->unobserved += subtract(&row->missing, UINT64_MAX);
    for (size_t i = 0; i < COUNT(doubtful) && row->missing; i++)
        explain_by(work, row, doubtful[i], UINT64_MAX);
    if (row->kind == TL_LEDGER_GRAPH)
        row->lost[PROF_LOSS_GRAPH_NODES] += subtract(&row->missing, UINT64_MAX);
}

static bool is_observed(const struct tl_process_info *process)
{
    return process->gpu_mode == PROF_GPU_CUPTI || process->gpu_mode == PROF_GPU_PARTIAL ||
           process->gpu_mode == PROF_GPU_OTHER;
}

static bool explain(struct ledger_work *work)
{
    struct builder *builder = work->builder;
    uint32_t end = builder->timeline->ledger_rows.count;
    if (!is_observed(&build_process(builder)->info))
        for (uint32_t i = work->rows.first; i < end; i++)
            ledger_row(&work->rows, i)->unobserved +=
                subtract(&ledger_row(&work->rows, i)->missing, UINT64_MAX);
    for (uint32_t i = 0; i < builder->ledger->stream_losses.count; i++)
        if (!explain_by_stream(work, &builder->ledger->stream_losses.at[i]))
            return false;
    for (uint32_t i = work->rows.first; i < builder->timeline->ledger_rows.count; i++)
        explain_row(work, ledger_row(&work->rows, i));
    return true;
}

/* ---- sums ---- */

static bool is_device_loss(enum prof_loss_cause cause)
{
    switch (cause) {
    case PROF_LOSS_CUPTI_DROPPED:
    case PROF_LOSS_ZERO_TIME:
    case PROF_LOSS_OUT_OF_WINDOW:
    case PROF_LOSS_UNKNOWN_RECORD:
    case PROF_LOSS_GPU_BUFFER:
    case PROF_LOSS_GRAPH_NODES:
        return true;
    default:
        return false;
    }
}

static void fill_pool(struct ledger_work *work)
{
    struct tl_ledger *ledger = &work->builder->timeline->ledger;
    const struct tl_process *process = build_process(work->builder);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++) {
        work->pool[cause] = process->loss[cause];
        *(is_device_loss((enum prof_loss_cause)cause) ? &ledger->lost_device
                                                      : &ledger->lost_host) += process->loss[cause];
    }
    work->pool[PROF_LOSS_ZERO_TIME] += process->odd.zero_time_gpu;
    ledger->lost_device += process->odd.zero_time_gpu;
}

static void count_flags(struct ledger_work *work)
{
    const struct builder *builder = work->builder;
    struct timeline *timeline = builder->timeline;
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        timeline->ledger.before_launch += (gpu->flags & TL_GPU_BEFORE_LAUNCH) != 0;
        if (!(gpu->flags & (TL_GPU_ORPHAN | TL_GPU_AMBIGUOUS)))
            continue;
        struct tl_ledger_row *row =
            ledger_row(&work->rows, ledger_rows_stream(&work->rows, gpu->stream));
        *(gpu->flags & TL_GPU_ORPHAN ? &row->orphans : &row->ambiguous) += 1;
    }
    for (uint32_t i = builder->first.threads; i < timeline->threads.count; i++) {
        timeline->ledger.unclosed += timeline->threads.at[i].unclosed;
        timeline->ledger.unopened += timeline->threads.at[i].unopened;
    }
}

/* Launches whose calls are not in the file, so that nothing else of them can be: their number alone
 * is known. */
static void count_lost_launches(struct ledger_work *work)
{
    uint64_t count = build_process(work->builder)->loss[PROF_LOSS_LAUNCHES];
    uint32_t row = ledger_rows_stream(&work->rows, TL_NONE);
    ledger_row(&work->rows, row)->launched += count;
    ledger_row(&work->rows, row)->lost[PROF_LOSS_LAUNCHES] += count;
    subtract(&work->pool[PROF_LOSS_LAUNCHES], count);
}

static bool fill_rows(struct ledger_work *work)
{
    struct builder *builder = work->builder;
    bool filled = learn_handles(work);
    for (uint32_t i = 0; i < builder->ledger->losts.count && filled; i++)
        filled = sort_lost(work, i);
    uint32_t launches;
    const struct build_launch *launch = build_launches(builder, &launches);
    for (uint32_t i = 0; i < launches && filled; i++)
        filled = count_call(work, &launch[i]);
    count_origins(work);
    filled = filled && ledger_foreign_count(builder, &work->rows);
    for (uint32_t i = builder->first.graph_launches;
         i < builder->timeline->graph_launches.count && filled; i++)
        filled = count_graph_launch(work, &builder->timeline->graph_launches.at[i]);
    return filled && explain(work) && name_causes(&work->unrecorded, &work->rows);
}

bool build_ledger(struct builder *builder)
{
    struct ledger_work work = {
        .builder = builder,
        .unrecorded = {.timeline = builder->timeline, .first = builder->first.unrecorded},
    };
    fill_pool(&work);
    bool filled = ledger_rows_begin(&work.rows, builder) && fill_rows(&work);
    if (filled) {
        count_flags(&work);
        count_lost_launches(&work);
    }
    for (uint32_t i = work.rows.first; i < builder->timeline->ledger_rows.count && filled; i++)
        ledger_rows_sum(builder->timeline, ledger_row(&work.rows, i));
    ledger_rows_end(&work.rows);
    keymap_fini(&work.losts);
    return filled;
}
