#include "temporal_breakdown.h"

#include "array.h"
#include "kernel_class.h"
#include "operation_totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* "sgemm" and "scudnn" are cuBLAS' and cuDNN's words for single precision. */
static const char *const fp32_matrix[] = {"sgemm", "scudnn", NULL};

/* What kernels are called that use tensor cores: the shape of the instruction, or its kind. */
static const char *const tensor_cores[] = {
    "tensorop", "s884", "s1688", "s16816", "mma", "tf32", "bf16", NULL,
};

static bool holds_any(const char *bytes, size_t size, const char *const *parts)
{
    for (; *parts; parts++)
        if (kernel_class_holds(bytes, size, *parts))
            return true;
    return false;
}

uint8_t work_classes_read(struct text name)
{
    const size_t size = kernel_class_function(name.bytes, name.size);
    uint8_t traits = KERNEL_KNOWN;
    if (kernel_class_communicates(name.bytes, name.size))
        traits |= KERNEL_COMMUNICATES;
    if (kernel_class_holds(name.bytes, size, "elementwise_kernel"))
        traits |= KERNEL_ELEMENTWISE;
    if (holds_any(name.bytes, name.size, fp32_matrix) &&
        !holds_any(name.bytes, name.size, tensor_cores))
        traits |= KERNEL_FP32_MATRIX;
    return traits;
}

uint8_t work_classes_traits(const struct work_classes *classes, const struct tl_gpu *operation)
{
    if (operation->name >= classes->timeline->names.count)
        return KERNEL_KNOWN;
    uint8_t *traits = &classes->traits[operation->name];
    if (!*traits)
        *traits = work_classes_read(classes->timeline->names.at[operation->name]);
    return *traits;
}

const char *work_class_name(enum work_class class_of)
{
    static const char *const names[] = {"compute", "communication", "memory"};
    return names[class_of];
}

bool work_classes_init(struct work_classes *classes, const struct timeline *timeline)
{
    *classes = (struct work_classes){timeline, calloc((size_t)timeline->names.count + 1, 1)};
    return classes->traits != NULL;
}

void work_classes_fini(struct work_classes *classes)
{
    free(classes->traits);
    classes->traits = NULL;
}

/* One sweep over a device's operations in order of start. */

struct sweep {
    struct temporal_row *row;
    struct class_sweep classes;
    int64_t idle_ns; /* how long nothing has run now */
    int64_t long_gap_ns;
    struct finding_steps *steps;
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

static void add_chunk(struct sweep *sweep, uint32_t chunk, bool is_busy, int64_t from_ns,
                      int64_t to_ns)
{
    struct temporal_row *row = sweep->row;
    if (is_busy)
        row->chunk_busy_ns[chunk] += to_ns - from_ns;
    else
        finding_parts_add_time(sweep->steps, &row->chunk_idle[chunk], row->process, from_ns, to_ns,
                               (struct finding_amounts){.cost_ns = 1});
}

static void add_to_chunks(struct sweep *sweep, bool is_busy, int64_t from_ns, int64_t to_ns)
{
    const struct temporal_row *row = sweep->row;
    for (uint32_t chunk = chunk_of(row, from_ns); chunk < TEMPORAL_CHUNKS && from_ns < to_ns;
         chunk++) {
        int64_t start_ns, end_ns;
        temporal_chunk(row, chunk, &start_ns, &end_ns);
        if (end_ns > to_ns)
            end_ns = to_ns;
        if (end_ns <= from_ns)
            continue;
        add_chunk(sweep, chunk, is_busy, from_ns, end_ns);
        from_ns = end_ns;
    }
}

/* ---- sweep ---- */

static void end_gap(struct sweep *sweep)
{
    struct temporal_row *row = sweep->row;
    if (sweep->idle_ns > row->longest_gap_ns) {
        row->longest_gap_ns = sweep->idle_ns;
        row->longest_gap_at_ns = sweep->classes.now_ns - sweep->idle_ns;
    }
    if (sweep->idle_ns >= sweep->long_gap_ns) {
        row->long_gaps++;
        row->long_gaps_ns += sweep->idle_ns;
        int64_t from_ns = sweep->classes.now_ns - sweep->idle_ns;
        finding_parts_add(sweep->steps, &row->long_parts,
                          finding_steps_at(sweep->steps, row->process, from_ns),
                          (struct finding_amounts){.count = 1});
        finding_parts_add_time(sweep->steps, &row->long_parts, row->process, from_ns,
                               sweep->classes.now_ns, (struct finding_amounts){.cost_ns = 1});
    }
    sweep->idle_ns = 0;
}

static void add_exposed(struct sweep *sweep, unsigned running, int64_t to_ns)
{
    bool computes = running & 1u << WORK_COMPUTE, communicates = running & 1u << WORK_COMMUNICATION;
    if (computes != communicates)
        finding_parts_add_time(
            sweep->steps, &sweep->row->exposed, sweep->row->process, sweep->classes.now_ns, to_ns,
            (struct finding_amounts){.cost_ns = communicates, .most_ns = computes});
}

static void add_stretch(struct sweep *sweep, unsigned running, int64_t to_ns)
{
    int64_t length_ns = to_ns - sweep->classes.now_ns;
    if (length_ns <= 0)
        return;
    if (running) {
        if (sweep->idle_ns)
            end_gap(sweep);
    } else {
        sweep->idle_ns += length_ns;
    }
    if (running || sweep->steps)
        add_to_chunks(sweep, running, sweep->classes.now_ns, to_ns);
    add_exposed(sweep, running, to_ns);
    sweep->row->running_ns[running] += length_ns;
    sweep->classes.now_ns = to_ns;
}

static void advance(struct sweep *sweep, int64_t to_ns)
{
    while (sweep->classes.now_ns < to_ns) {
        int64_t end_ns = to_ns;
        unsigned running = class_sweep_running(&sweep->classes, &end_ns);
        add_stretch(sweep, running, end_ns);
    }
}

static void add_operation(struct sweep *sweep, const struct tl_gpu *operation,
                          enum work_class class_of)
{
    int64_t end_ns =
        operation->end_ns > operation->start_ns ? operation->end_ns : operation->start_ns;
    advance(sweep, operation->start_ns);
    class_sweep_add(&sweep->classes, class_of, end_ns);
    sweep->row->sum_ns[class_of] += end_ns - operation->start_ns;
    sweep->row->count[class_of]++;
    sweep->row->operations++;
    if (sweep->steps && class_of == WORK_COMMUNICATION)
        finding_parts_add(sweep->steps, &sweep->row->exposed,
                          finding_steps_at(sweep->steps, operation->process, operation->start_ns),
                          (struct finding_amounts){.count = 1});
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
                         struct temporal_row *row, int64_t long_gap_ns, struct finding_steps *steps)
{
    const struct tl_gpu *gpus = walk->timeline->gpus.at;
    struct sweep sweep = {.row = row, .long_gap_ns = long_gap_ns, .steps = steps};
    class_sweep_begin(&sweep.classes, row->first_ns);
    for (uint32_t next; (next = device_walk_next(walk)) != TL_NONE;)
        add_operation(&sweep, &gpus[next], work_class_of(classes, &gpus[next]));
    advance(&sweep, row->last_ns);
    if (sweep.idle_ns)
        end_gap(&sweep);
}

static uint32_t add_device(struct temporal_breakdown *breakdown, struct device_walk *walk,
                           const struct work_classes *classes, uint32_t first, int64_t long_gap_ns,
                           struct finding_steps *steps)
{
    const struct tl_stream *stream = &walk->timeline->streams.at[first];
    struct temporal_row row = {.process = stream->process, .device = stream->device};
    uint32_t end = device_walk_begin(walk, first);
    find_span(walk->timeline, first, end, &row);
    if (row.first_ns > row.last_ns)
        return end;
    find_window(walk->timeline, &row);
    sweep_device(walk, classes, &row, long_gap_ns, steps);
    breakdown->at[breakdown->count++] = row;
    return end;
}

bool temporal_breakdown_init(struct temporal_breakdown *breakdown, const struct timeline *timeline,
                             const struct work_classes *classes, int64_t long_gap_ns,
                             struct finding_steps *steps)
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
        i = add_device(breakdown, &walk, classes, i, long_gap_ns, steps);
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

/* ---- idle time of streams ---- */

static enum idle_cause idle_cause_of(const struct timeline *timeline,
                                     const struct tl_gpu *operation, int64_t free_since_ns,
                                     int64_t kernel_wait_ns)
{
    if (operation->slice == TL_NONE)
        return IDLE_UNKNOWN;
    if (timeline->slices.at[operation->slice].start_ns > free_since_ns)
        return IDLE_HOST_WAIT;
    return operation->start_ns - free_since_ns < kernel_wait_ns ? IDLE_KERNEL_WAIT : IDLE_OTHER;
}

static void add_idle_gap(struct idle_row *row, enum idle_cause cause, int64_t gap_ns)
{
    row->total_ns += gap_ns;
    row->cause_ns[cause] += gap_ns;
    row->count[cause]++;
    if (gap_ns > row->longest_ns[cause])
        row->longest_ns[cause] = gap_ns;
}

/* Returns how many operations the stream had. */
static uint64_t add_idle_stream(const struct timeline *timeline, struct idle_row *row,
                                int64_t kernel_wait_ns)
{
    const struct tl_stream *stream = &timeline->streams.at[row->stream];
    int64_t free_since_ns = 0;
    uint64_t operations = 0;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        if (!tl_is_work(operation))
            continue;
        if (operations > 0 && operation->start_ns > free_since_ns)
            add_idle_gap(row, idle_cause_of(timeline, operation, free_since_ns, kernel_wait_ns),
                         operation->start_ns - free_since_ns);
        if (operations++ == 0 || operation->end_ns > free_since_ns)
            free_since_ns = operation->end_ns;
    }
    return operations;
}

bool idle_breakdown_init(struct idle_breakdown *breakdown, const struct timeline *timeline,
                         int64_t kernel_wait_ns)
{
    *breakdown = (struct idle_breakdown){
        .at = malloc(((size_t)timeline->streams.count + 1) * sizeof *breakdown->at)};
    for (uint32_t i = 0; i < timeline->streams.count && breakdown->at; i++) {
        struct idle_row row = {.stream = i};
        if (add_idle_stream(timeline, &row, kernel_wait_ns) > 1)
            breakdown->at[breakdown->count++] = row;
    }
    return breakdown->at != NULL;
}

void idle_breakdown_fini(struct idle_breakdown *breakdown)
{
    free(breakdown->at);
    *breakdown = (struct idle_breakdown){0};
}

const char *idle_cause_name(enum idle_cause cause)
{
    static const char *const names[] = {"host wait", "kernel wait", "other", "unknown"};
    return names[cause];
}

/* ---- queue depth ---- */

struct series {
    struct queue_row *row;
    int64_t depth, full;
    int64_t first_ns, last_ns;
    double sum, area;
};

static void change_depth(struct series *series, int64_t time_ns, int64_t by)
{
    struct queue_row *row = series->row;
    if (row->changes++ == 0)
        series->first_ns = series->last_ns = time_ns;
    int64_t passed_ns = time_ns - series->last_ns;
    series->area += (double)series->depth * (double)passed_ns;
    row->full_ns += series->depth >= series->full ? passed_ns : 0;
    series->last_ns = time_ns;
    series->depth += by;
    series->sum += (double)series->depth;
    if (series->depth > row->most) {
        row->most = series->depth;
        row->most_at_ns = time_ns;
    }
    row->least = series->depth < row->least ? series->depth : row->least;
}

/* At the same time the launch comes first. */
static void follow_queue(struct series *series, const struct timeline *timeline,
                         const struct tl_stream *stream, const struct radix_item *launches,
                         size_t count)
{
    size_t launch = 0;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        if (!tl_is_work(operation) || !operation_call(timeline, operation))
            continue;
        for (; launch < count && radix_time(launches[launch].key) <= operation->start_ns; launch++)
            change_depth(series, radix_time(launches[launch].key), 1);
        change_depth(series, operation->start_ns, -1);
    }
    for (; launch < count; launch++)
        change_depth(series, radix_time(launches[launch].key), 1);
}

static size_t collect_launches(const struct timeline *timeline, const struct tl_stream *stream,
                               struct radix_item *launches)
{
    size_t count = 0;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        const struct tl_slice *call =
            tl_is_work(operation) ? operation_call(timeline, operation) : NULL;
        if (call)
            launches[count++] = (struct radix_item){radix_key(call->start_ns), i};
    }
    return count;
}

static void close_queue(const struct series *series)
{
    struct queue_row *row = series->row;
    row->span_ns = series->last_ns - series->first_ns;
    row->mean = series->sum / (double)row->changes;
    row->mean_in_time = row->span_ns > 0 ? series->area / (double)row->span_ns : (double)NAN;
}

static bool add_queue(struct queue_depth *depth, const struct timeline *timeline, uint32_t index,
                      uint32_t full)
{
    const struct tl_stream *stream = &timeline->streams.at[index];
    struct queue_row row = {.stream = index};
    struct series series = {.row = &row, .full = full};
    if (stream->gpu_count == 0)
        return true;
    struct radix_item *launches = malloc(stream->gpu_count * sizeof *launches);
    size_t count = launches ? collect_launches(timeline, stream, launches) : 0;
    bool sorted = launches && radix_sort(launches, count);
    if (sorted && count) {
        follow_queue(&series, timeline, stream, launches, count);
        close_queue(&series);
        depth->at[depth->count++] = row;
    }
    free(launches);
    return sorted;
}

bool queue_depth_init(struct queue_depth *depth, const struct timeline *timeline, uint32_t full)
{
    *depth = (struct queue_depth){
        .at = malloc(((size_t)timeline->streams.count + 1) * sizeof *depth->at)};
    bool done = depth->at != NULL;
    for (uint32_t i = 0; i < timeline->streams.count && done; i++)
        done = add_queue(depth, timeline, i, full);
    if (!done)
        queue_depth_fini(depth);
    return done;
}

void queue_depth_fini(struct queue_depth *depth)
{
    free(depth->at);
    *depth = (struct queue_depth){0};
}
