/* ledger_foreign.c - launches of other profilers' files, of which only the names of calls tell what
 * they launched. */
#include "ledger_rows.h"

#include "array.h"
#include "call_names.h"

#include <stdlib.h>

struct foreign {
    struct builder *builder;
    struct ledger_rows *rows;
    uint8_t *kinds;   /* by name: 1 + enum call_kind, 0 not looked up yet */
    bool has_records; /* of the device's operations */
    uint64_t
        loose; /* operations that are joined to no call: one of a call without any may be its */
    int64_t *captures; /* begin and end of each, in order; they do not overlap */
    uint32_t captured; /* how many */
    bool failed;       /* no memory */
};

static enum call_kind kind_of(struct foreign *foreign, const struct tl_slice *slice)
{
    uint8_t *kind = &foreign->kinds[slice->name];
    if (!*kind)
        *kind = 1 + (uint8_t)call_name_kind(foreign->builder->timeline->names.at[slice->name]);
    return (enum call_kind)(*kind - 1);
}

/* A time at which captures begin or end, on any thread: others may launch into a captured stream
 * too. */
struct capture_end {
    int64_t time_ns;
    int change;
};

static int by_time(const void *left, const void *right)
{
    const struct capture_end *a = left, *b = right;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    return b->change - a->change;
}

/* A capture whose end is not in the file goes on to the end of it. */
static void merge_captures(struct foreign *foreign, struct capture_end *ends, uint32_t count)
{
    int open = 0;
    if (!ends)
        return;
    qsort(ends, count, sizeof *ends, by_time);
    for (uint32_t i = 0; i < count; i++) {
        if (ends[i].change > 0 && open++ == 0)
            foreign->captures[2 * foreign->captured] = ends[i].time_ns;
        else if (ends[i].change < 0 && open && --open == 0)
            foreign->captures[2 * foreign->captured++ + 1] = ends[i].time_ns;
    }
    if (open)
        foreign->captures[2 * foreign->captured++ + 1] = INT64_MAX;
}

static bool find_captures(struct foreign *foreign)
{
    const struct builder *builder = foreign->builder;
    const struct timeline *timeline = builder->timeline;
    TL_ARRAY(struct capture_end) ends = {0};
    bool kept = true;
    for (uint32_t i = builder->first.slices; i < timeline->slices.count && kept; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        enum call_kind kind = slice->kind == TL_API ? kind_of(foreign, slice) : CALL_OTHER;
        if (kind != CALL_CAPTURE && kind != CALL_CAPTURE_END)
            continue;
        struct capture_end *end = ARRAY_ADD(&ends);
        kept = end != NULL;
        if (end)
            *end = kind == CALL_CAPTURE ? (struct capture_end){slice->start_ns, 1}
                                        : (struct capture_end){slice->end_ns, -1};
    }
    foreign->captures = malloc((ends.count + (size_t)1) * 2 * sizeof *foreign->captures);
    if (foreign->captures)
        merge_captures(foreign, ends.at, ends.count);
    free(ends.at);
    return kept && foreign->captures;
}

static bool is_captured(const struct foreign *foreign, int64_t time_ns)
{
    uint32_t first = 0;
    for (uint32_t end = foreign->captured; first < end;) {
        uint32_t middle = first + (end - first) / 2;
        if (foreign->captures[2 * middle + 1] < time_ns)
            first = middle + 1;
        else
            end = middle;
    }
    return first < foreign->captured && foreign->captures[2 * first] <= time_ns;
}

/* A call without a record of what it launched. */
static void count_without(struct foreign *foreign, uint32_t index, enum call_kind kind)
{
    struct timeline *timeline = foreign->builder->timeline;
    struct tl_slice *slice = &timeline->slices.at[index];
    if (is_captured(foreign, slice->start_ns)) {
        slice->flags |= TL_CAPTURED;
        timeline->ledger.captured++;
        return;
    }
    if (kind == CALL_COPY && foreign->has_records)
        return;
    if (foreign->loose) {
        foreign->loose--;
        return;
    }
    uint32_t row = ledger_rows_stream(foreign->rows, TL_NONE);
    struct tl_unrecorded *entry = ARRAY_ADD(&timeline->unrecorded);
    foreign->failed |= !entry;
    if (entry)
        *entry = (struct tl_unrecorded){index, row, 1, TL_UNRECORDED_UNOBSERVED};
    ledger_row(foreign->rows, row)->launched++;
    ledger_row(foreign->rows, row)->unobserved++;
}

static bool starts_one(const struct timeline *timeline, const struct tl_slice *slice,
                       enum call_kind kind)
{
    int32_t result = timeline->apis.at[slice->api].result;
    return (kind == CALL_LAUNCH || kind == CALL_COPY) &&
           (result == 0 || result == TL_RESULT_UNKNOWN);
}

/* A call of the runtime makes one of the driver, and files may have both: the outer one counts. */
static void count_launches(struct foreign *foreign)
{
    const struct builder *builder = foreign->builder;
    const struct timeline *timeline = builder->timeline;
    uint32_t outer = TL_NONE;
    enum call_kind outer_kind = CALL_OTHER;
    bool has_record = false;
    for (uint32_t i = builder->first.slices; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind != TL_API)
            continue;
        const struct tl_slice *around = outer == TL_NONE ? NULL : &timeline->slices.at[outer];
        enum call_kind kind = kind_of(foreign, slice);
        if (around && around->thread == slice->thread && slice->end_ns <= around->end_ns &&
            slice->parent != around->parent) {
            has_record |= slice->gpu_count > 0;
            continue;
        }
        if (outer != TL_NONE && !has_record)
            count_without(foreign, outer, outer_kind);
        outer = starts_one(timeline, slice, kind) ? i : TL_NONE;
        outer_kind = kind;
        has_record = slice->gpu_count > 0;
    }
    if (outer != TL_NONE && !has_record)
        count_without(foreign, outer, outer_kind);
}

bool ledger_foreign_count(struct builder *builder, struct ledger_rows *rows)
{
    const struct timeline *timeline = builder->timeline;
    if (!build_process(builder)->info.format.size)
        return true;
    struct foreign foreign = {
        .builder = builder, .rows = rows, .kinds = calloc(timeline->names.count + (size_t)1, 1)};
    for (uint32_t i = builder->first.gpus; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        foreign.has_records |= tl_is_work(gpu);
        foreign.loose += tl_is_work(gpu) &&
                         (gpu->slice == TL_NONE || timeline->slices.at[gpu->slice].kind != TL_API);
    }
    bool counted = foreign.kinds && find_captures(&foreign);
    if (counted)
        count_launches(&foreign);
    free(foreign.captures);
    free(foreign.kinds);
    return counted && !foreign.failed;
}
