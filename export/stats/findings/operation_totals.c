#include "operation_totals.h"

#include "array.h"
#include "maps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Operations are sorted by device, so the name alone finds a row within a device. */
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
    for (uint32_t i =
             ARRAY_LOWER_BOUND(&timeline->segments, struct tl_segment, slice, 0, first + 1);
         i < timeline->segments.count; i++) {
        const struct tl_segment *segment = &timeline->segments.at[i];
        const struct tl_slice *slice = &timeline->slices.at[segment->slice];
        if (slice->thread != call->thread || slice->start_ns > end_ns)
            break;
        if (segment->first == first)
            end_ns = slice->end_ns;
    }
    return end_ns;
}

/* From the end of the call to the start; 0 where it started before. */
static int64_t operation_delay_ns(const struct timeline *timeline, const struct tl_gpu *operation,
                                  const struct tl_slice *call)
{
    int64_t end_ns = operation_call_end_ns(timeline, call);
    return operation->start_ns > end_ns ? operation->start_ns - end_ns : 0;
}

#define PAGEABLE 1u /* tl_memcpy.src_kind, dst_kind */

bool operation_is_pageable_copy(const struct timeline *timeline, const struct tl_gpu *operation)
{
    if (operation->kind != TL_MEMCPY || operation->detail >= timeline->memcpys.count)
        return false;
    const struct tl_memcpy *copy = &timeline->memcpys.at[operation->detail];
    return copy->src_kind == PAGEABLE || copy->dst_kind == PAGEABLE;
}

double operation_total_rate(const struct operation_total *total)
{
    return total->timed_ns > 0 ? (double)total->timed_bytes / (double)total->timed_ns : (double)NAN;
}

static struct operation_total *total_of(struct adding *adding, const struct tl_gpu *operation)
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
    struct operation_total *row = total_of(adding, operation);
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

static bool add_operations(struct adding *adding)
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

static int by_device(const void *left, const void *right)
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

static void finish_totals(struct operation_totals *totals)
{
    for (uint32_t i = 0; i < totals->count; i++) {
        struct operation_total *row = &totals->at[i];
        if (row->count > 1)
            row->stddev_ns = sqrt(row->squares / (double)(row->count - 1));
    }
    if (totals->count)
        qsort(totals->at, totals->count, sizeof *totals->at, by_device);
}

bool operation_totals_init(struct operation_totals *totals, const struct timeline *timeline,
                           const struct work_classes *classes)
{
    struct adding adding = {.timeline = timeline, .classes = classes, .totals = totals};
    *totals = (struct operation_totals){0};
    adding.row_of_name = calloc((size_t)timeline->names.count + 1, sizeof *adding.row_of_name);
    bool done = adding.row_of_name && add_operations(&adding);
    free(adding.row_of_name);
    if (done)
        finish_totals(totals);
    else
        operation_totals_fini(totals);
    return done;
}

void operation_totals_fini(struct operation_totals *totals)
{
    free(totals->at);
    *totals = (struct operation_totals){0};
}

/* ---- launches ---- */

struct limits {
    int64_t slow_call_ns, late_start_ns;
    struct finding_steps *steps;
};

static void add_launch_some(struct launch_some *some, uint32_t operation, int64_t ns,
                            int64_t limit_ns)
{
    if (ns <= limit_ns)
        return;
    some->count++;
    some->excess_ns += ns - limit_ns;
    if (ns > some->worst_ns) {
        some->worst_ns = ns;
        some->worst = operation;
    }
}

/* `free_since_ns`: when what came before on the stream had ended. */
static void add_launched(struct launch_row *row, const struct timeline *timeline, uint32_t index,
                         int64_t free_since_ns, const struct limits *limits)
{
    const struct tl_gpu *operation = &timeline->gpus.at[index];
    const struct tl_slice *call = operation_call(timeline, operation);
    if (!call) {
        row->others++;
        return;
    }
    int64_t call_ns = operation_call_end_ns(timeline, call) - call->start_ns;
    int64_t delay_ns = operation_delay_ns(timeline, operation, call);
    int64_t duration_ns =
        operation->end_ns > operation->start_ns ? operation->end_ns - operation->start_ns : 0;
    int64_t starved_ns = operation->start_ns - free_since_ns;
    row->launched++;
    row->call_ns += call_ns;
    row->delay_ns += delay_ns;
    row->duration_ns += duration_ns;
    add_launch_some(&row->slow, index, call_ns, limits->slow_call_ns);
    add_launch_some(&row->late, index, delay_ns, limits->late_start_ns);
    add_launch_some(&row->starved, index, starved_ns < delay_ns ? starved_ns : delay_ns,
                    limits->late_start_ns);
    add_launch_some(&row->shorter, index, call_ns - duration_ns, 0);
    int64_t excess_ns = (starved_ns < delay_ns ? starved_ns : delay_ns) - limits->late_start_ns;
    if (limits->steps && excess_ns > 0)
        finding_parts_add(limits->steps, &row->starved.parts,
                          finding_steps_at(limits->steps, operation->process, call->start_ns),
                          (struct finding_amounts){.count = 1, .cost_ns = excess_ns});
}

static void add_launched_stream(struct launch_row *row, const struct timeline *timeline,
                                const struct tl_stream *stream, const struct limits *limits)
{
    int64_t free_since_ns = timeline->start_ns;
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++) {
        const struct tl_gpu *operation = &timeline->gpus.at[i];
        if (!tl_is_work(operation))
            continue;
        add_launched(row, timeline, i, free_since_ns, limits);
        if (operation->end_ns > free_since_ns)
            free_since_ns = operation->end_ns;
    }
}

static struct launch_row *launch_row_of(struct launch_stats *stats, const struct tl_stream *stream)
{
    struct launch_row *last = stats->count ? &stats->at[stats->count - 1] : NULL;
    if (last && last->process == stream->process && last->device == stream->device)
        return last;
    struct launch_some none = {.worst = TL_NONE};
    stats->at[stats->count] = (struct launch_row){.process = stream->process,
                                                  .device = stream->device,
                                                  .slow = none,
                                                  .late = none,
                                                  .starved = none,
                                                  .shorter = none};
    return &stats->at[stats->count++];
}

bool launch_stats_init(struct launch_stats *stats, const struct timeline *timeline,
                       int64_t slow_call_ns, int64_t late_start_ns, struct finding_steps *steps)
{
    const struct limits limits = {slow_call_ns, late_start_ns, steps};
    *stats = (struct launch_stats){
        .at = malloc(((size_t)timeline->streams.count + 1) * sizeof *stats->at)};
    for (uint32_t i = 0; i < timeline->streams.count && stats->at; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        if (stream->gpu_count)
            add_launched_stream(launch_row_of(stats, stream), timeline, stream, &limits);
    }
    return stats->at != NULL;
}

void launch_stats_fini(struct launch_stats *stats)
{
    free(stats->at);
    *stats = (struct launch_stats){0};
}

/* A range's slices lie together, and so does what they launched. */

struct search {
    const struct timeline *timeline;
    const struct key_names *keys;
    bool *wanted; /* by name; NULL: steps */
    uint32_t least;
    struct keymap known; /* hash -> sequence */
    struct kernel_sequences *sequences;
    struct finding_steps *steps;
};

/* FNV-1a over the four bytes. */
static uint64_t mix_hash(uint64_t hash, uint32_t number)
{
    for (unsigned i = 0; i < 4; i++, number >>= 8)
        hash = (hash ^ (number & 255)) * UINT64_C(0x100000001b3);
    return hash;
}

static void add_sequence_part(const struct timeline *timeline, const struct tl_slice *slice,
                              struct kernel_sequence *sequence)
{
    uint32_t before = sequence->length;
    for (uint32_t i = 0; i < slice->gpu_count; i++) {
        const struct tl_gpu *operation =
            &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + i]];
        if (!tl_is_work(operation))
            continue;
        sequence->hash = mix_hash(sequence->hash, operation->name);
        sequence->device_ns += operation->end_ns - operation->start_ns;
        sequence->length++;
    }
    if (sequence->length > before && slice->kind == TL_API)
        sequence->call_ns += operation_call_end_ns(timeline, slice) - slice->start_ns;
}

/* Where the slices within `root` end. */
static uint32_t end_of_range(const struct timeline *timeline, uint32_t root)
{
    const struct tl_slice *slices = timeline->slices.at;
    uint32_t i = root + 1;
    while (i < timeline->slices.count && slices[i].thread == slices[root].thread &&
           slices[i].depth > slices[root].depth)
        i++;
    return i;
}

static bool add_sequence(struct search *search, const struct kernel_sequence *found)
{
    struct kernel_sequences *sequences = search->sequences;
    uint32_t known = keymap_find(&search->known, found->hash);
    if (known == KEYMAP_NONE) {
        struct kernel_sequence *added = ARRAY_ADD(sequences);
        if (!added)
            return false;
        *added = *found;
        return keymap_set(&search->known, found->hash, sequences->count - 1);
    }
    sequences->at[known].count++;
    sequences->at[known].device_ns += found->device_ns;
    sequences->at[known].range_ns += found->range_ns;
    sequences->at[known].call_ns += found->call_ns;
    finding_parts_join(search->steps, &sequences->at[known].parts, &found->parts);
    return true;
}

static bool add_range(struct search *search, uint32_t root, uint32_t end)
{
    const struct tl_slice *slice = &search->timeline->slices.at[root];
    struct kernel_sequence found = {.hash = UINT64_C(0xcbf29ce484222325),
                                    .example = root,
                                    .key = key_names_of(search->keys, slice->name),
                                    .count = 1,
                                    .range_ns = slice->end_ns - slice->start_ns};
    found.hash = mix_hash(found.hash, found.key);
    for (uint32_t i = root; i < end; i++)
        add_sequence_part(search->timeline, &search->timeline->slices.at[i], &found);
    search->sequences->ranges++;
    uint32_t process = search->timeline->threads.at[slice->thread].process;
    finding_parts_add(search->steps, &found.parts,
                      finding_steps_at(search->steps, process, slice->start_ns),
                      (struct finding_amounts){.count = 1, .cost_ns = found.call_ns});
    return found.length < search->least || add_sequence(search, &found);
}

static bool is_wanted(const struct search *search, const struct tl_slice *slice)
{
    if (slice->kind == TL_API || slice->flags & TL_INTERNAL)
        return false;
    if (!search->wanted)
        return key_names_of(search->keys, slice->name) == search->keys->key_step;
    return slice->name < search->timeline->names.count && search->wanted[slice->name];
}

static bool find_ranges(struct search *search)
{
    const struct timeline *timeline = search->timeline;
    for (uint32_t i = 0; i < timeline->slices.count;) {
        if (!is_wanted(search, &timeline->slices.at[i])) {
            i++;
            continue;
        }
        uint32_t end = end_of_range(timeline, i);
        if (!add_range(search, i, end))
            return false;
        i = end;
    }
    return true;
}

static int most_frequent_first(const void *left, const void *right)
{
    const struct kernel_sequence *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    if (a->device_ns != b->device_ns)
        return a->device_ns > b->device_ns ? -1 : 1;
    return (a->example > b->example) - (a->example < b->example);
}

static bool *names_with(const struct timeline *timeline, const char *part)
{
    bool *wanted = calloc((size_t)timeline->names.count + 1, sizeof *wanted);
    for (uint32_t i = 0; i < timeline->names.count && wanted; i++)
        wanted[i] = memmem(timeline->names.at[i].bytes, timeline->names.at[i].size, part,
                           strlen(part)) != NULL;
    return wanted;
}

bool kernel_sequences_init(struct kernel_sequences *sequences, const struct timeline *timeline,
                           const struct key_names *keys, const char *part, uint32_t least,
                           struct finding_steps *steps)
{
    struct search search = {timeline, keys, NULL, least, {0}, sequences, steps};
    *sequences = (struct kernel_sequences){0};
    if (part && !(search.wanted = names_with(timeline, part)))
        return false;
    bool done = find_ranges(&search);
    free(search.wanted);
    keymap_fini(&search.known);
    if (!done)
        kernel_sequences_fini(sequences);
    else if (sequences->count)
        qsort(sequences->at, sequences->count, sizeof *sequences->at, most_frequent_first);
    return done;
}

void kernel_sequences_fini(struct kernel_sequences *sequences)
{
    free(sequences->at);
    *sequences = (struct kernel_sequences){0};
}

uint32_t kernel_sequence_names(const struct timeline *timeline,
                               const struct kernel_sequence *sequence, uint32_t *names,
                               uint32_t most)
{
    uint32_t end = end_of_range(timeline, sequence->example), count = 0;
    for (uint32_t i = sequence->example; i < end; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        for (uint32_t k = 0; k < slice->gpu_count && count < most; k++) {
            const struct tl_gpu *operation =
                &timeline->gpus.at[timeline->gpu_by_slice.at[slice->gpu_first + k]];
            if (tl_is_work(operation))
                names[count++] = operation->name;
        }
    }
    return count;
}
