/* temporal_breakdown.c - one sweep over a device's operations in order of start. Between two starts the
 * set of running classes changes only where one of them ends, at most once for each. */
#include "temporal_breakdown.h"

#include "device_walk.h"

#include <stdlib.h>

struct sweep {
    struct temporal_row *row;
    int64_t now_ns;
    int64_t until_ns[WORK_CLASSES]; /* when the last operation of the class, so far, ends */
    int64_t idle_ns;                /* how long nothing has run now */
    int64_t long_gap_ns;
};

/* ---- chunks ---- */

void temporal_chunk(const struct temporal_row *row, uint32_t chunk, int64_t *start_ns,
                    int64_t *end_ns)
{
    /* Not span * chunk, which could overflow. */
    int64_t size_ns = temporal_span_ns(row) / TEMPORAL_CHUNKS,
            rest_ns = temporal_span_ns(row) % TEMPORAL_CHUNKS;
    *start_ns = row->first_ns + size_ns * chunk + rest_ns * chunk / TEMPORAL_CHUNKS;
    *end_ns = row->first_ns + size_ns * (chunk + 1) + rest_ns * (chunk + 1) / TEMPORAL_CHUNKS;
}

static uint32_t chunk_of(const struct temporal_row *row, int64_t time_ns)
{
    int64_t size_ns = temporal_span_ns(row) / TEMPORAL_CHUNKS, start_ns, end_ns;
    int64_t guess = size_ns ? (time_ns - row->first_ns) / size_ns : 0;
    uint32_t chunk = guess < TEMPORAL_CHUNKS ? (uint32_t)guess : TEMPORAL_CHUNKS - 1;
    for (; chunk > 0; chunk--) {
        temporal_chunk(row, chunk, &start_ns, &end_ns);
        if (start_ns <= time_ns)
            break;
    }
    return chunk;
}

static void add_to_chunks(struct temporal_row *row, int64_t from_ns, int64_t to_ns)
{
    for (uint32_t chunk = chunk_of(row, from_ns); chunk < TEMPORAL_CHUNKS && from_ns < to_ns;
         chunk++) {
        int64_t start_ns, end_ns;
        temporal_chunk(row, chunk, &start_ns, &end_ns);
        if (end_ns > to_ns)
            end_ns = to_ns;
        row->chunk_busy_ns[chunk] += end_ns > from_ns ? end_ns - from_ns : 0;
        from_ns = end_ns > from_ns ? end_ns : from_ns;
    }
}

/* ---- sweep ---- */

static void end_gap(struct sweep *sweep)
{
    struct temporal_row *row = sweep->row;
    if (sweep->idle_ns > row->longest_gap_ns) {
        row->longest_gap_ns = sweep->idle_ns;
        row->longest_gap_at_ns = sweep->now_ns - sweep->idle_ns;
    }
    if (sweep->idle_ns >= sweep->long_gap_ns) {
        row->long_gaps++;
        row->long_gaps_ns += sweep->idle_ns;
    }
    sweep->idle_ns = 0;
}

static void add_stretch(struct sweep *sweep, unsigned running, int64_t to_ns)
{
    int64_t length_ns = to_ns - sweep->now_ns;
    if (length_ns <= 0)
        return;
    if (running) {
        if (sweep->idle_ns)
            end_gap(sweep);
        add_to_chunks(sweep->row, sweep->now_ns, to_ns);
    } else {
        sweep->idle_ns += length_ns;
    }
    sweep->row->running_ns[running] += length_ns;
    sweep->now_ns = to_ns;
}

static void advance(struct sweep *sweep, int64_t to_ns)
{
    while (sweep->now_ns < to_ns) {
        unsigned running = 0;
        int64_t next_ns = to_ns;
        for (unsigned i = 0; i < WORK_CLASSES; i++) {
            if (sweep->until_ns[i] <= sweep->now_ns)
                continue;
            running |= 1u << i;
            next_ns = sweep->until_ns[i] < next_ns ? sweep->until_ns[i] : next_ns;
        }
        add_stretch(sweep, running, next_ns);
    }
}

static void add_operation(struct sweep *sweep, const struct tl_gpu *operation,
                          enum work_class class_of)
{
    int64_t end_ns =
        operation->end_ns > operation->start_ns ? operation->end_ns : operation->start_ns;
    advance(sweep, operation->start_ns);
    if (end_ns > sweep->until_ns[class_of])
        sweep->until_ns[class_of] = end_ns;
    sweep->row->sum_ns[class_of] += end_ns - operation->start_ns;
    sweep->row->count[class_of]++;
    sweep->row->operations++;
}

/* ---- rows ---- */

/* From the first operation's start to the last end, which needs a look at every operation, since
 * those of one stream may overlap in lanes. */
static void find_span(const struct timeline *timeline, uint32_t first, uint32_t end,
                      struct temporal_row *row)
{
    row->first_ns = INT64_MAX;
    row->last_ns = INT64_MIN;
    for (uint32_t i = first; i < end; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        for (uint32_t at = stream->first_gpu; at < stream->first_gpu + stream->gpu_count; at++) {
            const struct tl_gpu *operation = &timeline->gpus.at[at];
            if (!tl_is_work(operation))
                continue;
            if (operation->start_ns < row->first_ns)
                row->first_ns = operation->start_ns;
            if (operation->start_ns > row->last_ns)
                row->last_ns = operation->start_ns;
            if (operation->end_ns > row->last_ns)
                row->last_ns = operation->end_ns;
        }
    }
}

static void find_window(const struct timeline *timeline, struct temporal_row *row)
{
    const struct tl_process *process = &timeline->processes.at[row->process];
    row->window_ns = process->end_ns - process->start_ns;
    row->before_ns = row->first_ns - process->start_ns;
    row->after_ns = process->end_ns - row->last_ns;
}

static void sweep_device(struct device_walk *walk, const struct work_classes *classes,
                         struct temporal_row *row, int64_t long_gap_ns)
{
    const struct tl_gpu *gpus = walk->timeline->gpus.at;
    struct sweep sweep = {.row = row, .now_ns = row->first_ns, .long_gap_ns = long_gap_ns};
    for (unsigned i = 0; i < WORK_CLASSES; i++)
        sweep.until_ns[i] = row->first_ns;
    for (uint32_t next; (next = device_walk_next(walk)) != TL_NONE;)
        add_operation(&sweep, &gpus[next], work_class_of(classes, &gpus[next]));
    advance(&sweep, row->last_ns);
    if (sweep.idle_ns)
        end_gap(&sweep);
}

static uint32_t add_device(struct temporal_breakdown *breakdown, struct device_walk *walk,
                           const struct work_classes *classes, uint32_t first, int64_t long_gap_ns)
{
    const struct tl_stream *stream = &walk->timeline->streams.at[first];
    struct temporal_row row = {.process = stream->process, .device = stream->device};
    uint32_t end = device_walk_begin(walk, first);
    find_span(walk->timeline, first, end, &row);
    if (row.first_ns > row.last_ns)
        return end;
    find_window(walk->timeline, &row);
    sweep_device(walk, classes, &row, long_gap_ns);
    breakdown->at[breakdown->count++] = row;
    return end;
}

bool temporal_breakdown_init(struct temporal_breakdown *breakdown, const struct timeline *timeline,
                             const struct work_classes *classes, int64_t long_gap_ns)
{
    struct device_walk walk;
    *breakdown = (struct temporal_breakdown){
        .long_gap_ns = long_gap_ns,
        .at = malloc(((size_t)timeline->streams.count + 1) * sizeof *breakdown->at)};
    if (!breakdown->at || !device_walk_init(&walk, timeline)) {
        temporal_breakdown_fini(breakdown);
        return false;
    }
    for (uint32_t i = 0; i < timeline->streams.count;)
        i = add_device(breakdown, &walk, classes, i, long_gap_ns);
    device_walk_fini(&walk);
    return true;
}

void temporal_breakdown_fini(struct temporal_breakdown *breakdown)
{
    free(breakdown->at);
    *breakdown = (struct temporal_breakdown){0};
}

/* ---- questions ---- */

int64_t temporal_span_ns(const struct temporal_row *row)
{
    return row->last_ns - row->first_ns;
}

int64_t temporal_idle_ns(const struct temporal_row *row)
{
    return row->running_ns[0];
}

/* While all of `with` ran and none of `without`. */
static int64_t while_running(const struct temporal_row *row, unsigned with, unsigned without)
{
    int64_t sum_ns = 0;
    for (unsigned set = 0; set < TEMPORAL_SETS; set++)
        if ((set & with) == with && !(set & without))
            sum_ns += row->running_ns[set];
    return sum_ns;
}

int64_t temporal_part_ns(const struct temporal_row *row, enum work_class class_of)
{
    return while_running(row, 1u << class_of, (1u << class_of) - 1);
}

int64_t temporal_union_ns(const struct temporal_row *row, enum work_class class_of)
{
    return while_running(row, 1u << class_of, 0);
}

int64_t temporal_overlap_ns(const struct temporal_row *row, enum work_class one,
                            enum work_class other)
{
    return while_running(row, 1u << one | 1u << other, 0);
}
