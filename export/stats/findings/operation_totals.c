/* operation_totals.c - see operation_totals.h. Operations are sorted by device, so a row is found by the
 * name alone while a device lasts. */
#include "operation_totals.h"

#include "array.h"

#include <math.h>
#include <stdlib.h>

struct adding {
    const struct timeline *timeline;
    const struct work_classes *classes;
    struct operation_totals *totals;
    uint32_t *row_of_name; /* 1 + row; 0, or a row below first_row: none of this device. The last
                              is of operations without a name */
    uint32_t first_row;    /* of the device */
};

const struct tl_slice *operation_call(const struct timeline *timeline,
                                      const struct tl_gpu *operation)
{
    if (operation->slice == TL_NONE)
        return NULL;
    const struct tl_slice *call = &timeline->slices.at[operation->slice];
    return call->kind == TL_API && !(call->flags & TL_GRAPH) ? call : NULL;
}

/* Pieces of other slices are looked at as long as they begin before the call has ended. */
int64_t operation_call_end_ns(const struct timeline *timeline, const struct tl_slice *call)
{
    uint32_t first = (uint32_t)(call - timeline->slices.at);
    int64_t end_ns = call->end_ns;
    for (uint32_t i = ARRAY_LOWER_BOUND(&timeline->pieces, struct tl_piece, slice, 0, first + 1);
         i < timeline->pieces.count; i++) {
        const struct tl_piece *piece = &timeline->pieces.at[i];
        const struct tl_slice *slice = &timeline->slices.at[piece->slice];
        if (slice->thread != call->thread || slice->start_ns > end_ns)
            break;
        if (piece->first == first)
            end_ns = slice->end_ns;
    }
    return end_ns;
}

int64_t operation_delay_ns(const struct timeline *timeline, const struct tl_gpu *operation,
                           const struct tl_slice *call)
{
    int64_t end_ns = operation_call_end_ns(timeline, call);
    return operation->start_ns > end_ns ? operation->start_ns - end_ns : 0;
}

double operation_total_rate(const struct operation_total *total)
{
    return total->timed_ns > 0 ? (double)total->timed_bytes / (double)total->timed_ns : (double)NAN;
}

static struct operation_total *row_of(struct adding *adding, const struct tl_gpu *operation)
{
    struct operation_totals *totals = adding->totals;
    uint32_t names = adding->timeline->names.count,
             name = operation->name < names ? operation->name : names;
    uint32_t row = adding->row_of_name[name];
    if (row > adding->first_row)
        return &totals->at[row - 1];
    struct operation_total *added = ARRAY_ADD(totals);
    if (!added)
        return NULL;
    adding->row_of_name[name] = totals->count;
    *added = (struct operation_total){.process = operation->process,
                                      .device = operation->device,
                                      .name = name < names ? name : TL_NONE,
                                      .class_of = work_class_of(adding->classes, operation),
                                      .min_ns = INT64_MAX,
                                      .stddev_ns = (double)NAN,
                                      .least_rate = (double)NAN,
                                      .most_rate = (double)NAN};
    return added;
}

static void add_duration(struct operation_total *row, int64_t duration_ns)
{
    double from_mean = (double)duration_ns - row->mean;
    row->count++;
    row->sum_ns += duration_ns;
    row->min_ns = duration_ns < row->min_ns ? duration_ns : row->min_ns;
    row->max_ns = duration_ns > row->max_ns ? duration_ns : row->max_ns;
    row->mean += from_mean / (double)row->count;
    row->squares += from_mean * ((double)duration_ns - row->mean);
}

static void add_bytes(struct operation_total *row, uint64_t bytes, int64_t duration_ns)
{
    row->bytes += bytes;
    if (duration_ns <= 0)
        return;
    double rate = (double)bytes / (double)duration_ns;
    row->timed_bytes += bytes;
    row->timed_ns += duration_ns;
    row->least_rate = rate < row->least_rate || isnan(row->least_rate) ? rate : row->least_rate;
    row->most_rate = rate > row->most_rate || isnan(row->most_rate) ? rate : row->most_rate;
}

static void add_launch(struct operation_total *row, const struct timeline *timeline,
                       const struct tl_gpu *operation, const struct tl_slice *call)
{
    row->launched++;
    row->call_ns += operation_call_end_ns(timeline, call) - call->start_ns;
    row->delay_ns += operation_delay_ns(timeline, operation, call);
}

static bool add_operation(struct adding *adding, const struct tl_gpu *operation)
{
    struct operation_total *row = row_of(adding, operation);
    const struct tl_slice *call = operation_call(adding->timeline, operation);
    int64_t duration_ns = operation->end_ns - operation->start_ns;
    if (!row)
        return false;
    add_duration(row, duration_ns > 0 ? duration_ns : 0);
    if (row->class_of == WORK_MEMORY)
        add_bytes(row, operation->bytes, duration_ns);
    if (call)
        add_launch(row, adding->timeline, operation, call);
    return true;
}

static bool add_all(struct adding *adding)
{
    const struct tl_gpu *before = NULL;
    for (uint32_t i = 0; i < adding->timeline->gpus.count; i++) {
        const struct tl_gpu *operation = &adding->timeline->gpus.at[i];
        if (!tl_is_work(operation))
            continue;
        if (before &&
            (before->process != operation->process || before->device != operation->device))
            adding->first_row = adding->totals->count;
        before = operation;
        if (!add_operation(adding, operation))
            return false;
    }
    return true;
}

static int in_order(const void *left, const void *right)
{
    const struct operation_total *a = left, *b = right;
    if (a->process != b->process)
        return a->process < b->process ? -1 : 1;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    if (a->class_of != b->class_of)
        return a->class_of < b->class_of ? -1 : 1;
    if (a->sum_ns != b->sum_ns)
        return a->sum_ns > b->sum_ns ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

static void finish(struct operation_totals *totals)
{
    for (uint32_t i = 0; i < totals->count; i++) {
        struct operation_total *row = &totals->at[i];
        if (row->count > 1)
            row->stddev_ns = sqrt(row->squares / (double)(row->count - 1));
    }
    if (totals->count)
        qsort(totals->at, totals->count, sizeof *totals->at, in_order);
}

bool operation_totals_init(struct operation_totals *totals, const struct timeline *timeline,
                           const struct work_classes *classes)
{
    struct adding adding = {.timeline = timeline, .classes = classes, .totals = totals};
    *totals = (struct operation_totals){0};
    adding.row_of_name = calloc((size_t)timeline->names.count + 1, sizeof *adding.row_of_name);
    bool done = adding.row_of_name && add_all(&adding);
    free(adding.row_of_name);
    if (done)
        finish(totals);
    else
        operation_totals_fini(totals);
    return done;
}

void operation_totals_fini(struct operation_totals *totals)
{
    free(totals->at);
    *totals = (struct operation_totals){0};
}
