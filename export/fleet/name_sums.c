#include "name_sums.h"

#include <stdlib.h>

/* NULL: no memory. */
static struct summary_row *row_of(struct summary *summary, uint32_t place, uint8_t kind,
                                  uint32_t name)
{
    uint64_t key = (uint64_t)place << 32 | name;
    uint32_t at = keymap_find(&summary->places[kind], key);
    if (at != KEYMAP_NONE)
        return &summary->rows.at[at];
    struct summary_row *added = ARRAY_ADD(&summary->rows);
    if (!added || !keymap_set(&summary->places[kind], key, summary->rows.count - 1)) {
        summary->failed = true;
        return NULL;
    }
    *added = (struct summary_row){
        .min_ns = INT64_MAX, .name = name, .place = place, .first = TL_NONE, .kind = kind};
    return added;
}

static void add_to_bucket(struct summary *summary, struct summary_row *row, unsigned log2,
                          int64_t count)
{
    uint32_t at = row->first;
    while (at != TL_NONE && summary->buckets.at[at].log2 != log2)
        at = summary->buckets.at[at].next;
    if (at == TL_NONE) {
        struct summary_bucket *added = ARRAY_ADD(&summary->buckets);
        summary->failed |= !added;
        if (!added)
            return;
        *added = (struct summary_bucket){0, row->first, (uint8_t)log2};
        at = row->first = summary->buckets.count - 1;
    }
    summary->buckets.at[at].count += count;
}

/* ---- of events ---- */

static void add_duration(struct summary *summary, const struct step *step, enum rows_word kind,
                         uint32_t name, int64_t ns)
{
    struct summary_row *row = row_of(summary, step ? step->sums : TL_NONE, (uint8_t)kind, name);
    if (!row)
        return;
    row->count++;
    row->sum_ns += ns;
    row->min_ns = ns < row->min_ns ? ns : row->min_ns;
    row->max_ns = ns > row->max_ns || row->count == 1 ? ns : row->max_ns;
    add_to_bucket(summary, row, ns > 0 ? 63u - (unsigned)__builtin_clzll((uint64_t)ns) : 0, 1);
}

static void add_operations(struct summary *summary, const struct recording *recording,
                           const struct unit *unit)
{
    const struct timeline *timeline = recording->timeline;
    for (uint32_t i = 0; i < timeline->gpus.count && !summary->failed; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (tl_is_work(gpu) && unit_of_process(recording, gpu->process) == unit)
            add_duration(summary, step_of_operation(recording, gpu),
                         (enum rows_word)class_of(recording, gpu), name_place(recording, gpu->name),
                         gpu->end_ns - gpu->start_ns);
    }
}

static void add_slices(struct summary *summary, const struct recording *recording,
                       struct unit *unit)
{
    const struct timeline *timeline = recording->timeline;
    for (uint32_t i = 0; i < timeline->slices.count && !summary->failed; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind != TL_STEP && recording_counts(recording, slice) &&
            unit_of_thread(recording, slice->thread) == unit)
            add_duration(summary, step_at(unit, slice->start_ns),
                         slice->kind == TL_RANGE ? WORD_RANGE : WORD_CALL,
                         name_place(recording, slice_name(timeline, slice)),
                         recording->ends[i] - slice->start_ns);
    }
}

/* ---- of what was recorded ---- */

static enum rows_word kind_of(const struct recording *recording, const struct tl_summary *from)
{
    if (from->kind == PROF_SUMMARY_RANGE || from->kind == PROF_SUMMARY_CALL)
        return from->kind == PROF_SUMMARY_RANGE ? WORD_RANGE : WORD_CALL;
    if (from->kind == PROF_SUMMARY_MEMCPY || from->kind == PROF_SUMMARY_MEMSET)
        return WORD_COPY;
    bool named = from->name != TL_NONE;
    return named && recording->names[name_place(recording, from->name)].communicates
               ? WORD_COMMUNICATION
               : WORD_COMPUTE;
}

/* "{17=3, 18=5}" */
static void add_recorded_buckets(struct summary *summary, struct summary_row *row, struct text text)
{
    const char *at = text.bytes, *end = at + text.size;
    while (at < end && !summary->failed) {
        uint64_t numbers[2] = {0};
        for (int i = 0; i < 2; i++) {
            while (at < end && (*at < '0' || *at > '9'))
                at++;
            for (; at < end && *at >= '0' && *at <= '9'; at++)
                numbers[i] = numbers[i] * 10 + (uint64_t)(*at - '0');
        }
        if (numbers[1] && numbers[0] < SUMMARY_BUCKETS)
            add_to_bucket(summary, row, (unsigned)numbers[0], (int64_t)numbers[1]);
    }
}

static void add_recorded(struct summary *summary, const struct recording *recording,
                         const struct tl_summary *from)
{
    bool in_step = from->step <= INT32_MAX;
    struct summary_row *row =
        row_of(summary, in_step ? (uint32_t)from->step : TL_NONE, (uint8_t)kind_of(recording, from),
               from->name == TL_NONE ? TL_NONE : name_place(recording, from->name));
    if (!row)
        return;
    row->count += (int64_t)from->count;
    row->sum_ns += (int64_t)from->sum_ns;
    row->min_ns = (int64_t)from->min_ns < row->min_ns ? (int64_t)from->min_ns : row->min_ns;
    row->max_ns = (int64_t)from->max_ns > row->max_ns ? (int64_t)from->max_ns : row->max_ns;
    if (from->durations < recording->timeline->names.count)
        add_recorded_buckets(summary, row, recording->timeline->names.at[from->durations]);
}

static void add_all_recorded(struct summary *summary, const struct recording *recording,
                             uint32_t unit)
{
    const struct timeline *timeline = recording->timeline;
    for (uint32_t i = 0; i < timeline->summaries.count && !summary->failed; i++) {
        const struct tl_summary *from = &timeline->summaries.at[i];
        if (from->kind < PROF_SUMMARY_ROUND && recording->unit_of[from->process] == unit)
            add_recorded(summary, recording, from);
    }
}

/* ---- all of it ---- */

/* By step, kind and name: rows of one step lie together, and a file of them is small. */
static int compare_rows(const void *left, const void *right)
{
    const struct summary_row *a = left, *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->name > b->name) - (a->name < b->name);
}

bool summary_init(struct summary *summary, const struct recording *recording, uint32_t unit)
{
    *summary = (struct summary){0};
    if (recording->source.summaries) {
        add_all_recorded(summary, recording, unit);
    } else {
        add_operations(summary, recording, &recording->units.at[unit]);
        add_slices(summary, recording, &recording->units.at[unit]);
    }
    if (summary->rows.count)
        qsort(summary->rows.at, summary->rows.count, sizeof *summary->rows.at, compare_rows);
    return !summary->failed;
}

void summary_fini(struct summary *summary)
{
    for (unsigned i = 0; i < SUMMARY_KINDS; i++)
        keymap_fini(&summary->places[i]);
    free(summary->rows.at);
    free(summary->buckets.at);
    *summary = (struct summary){0};
}

void summary_counts(const struct summary *summary, const struct summary_row *row,
                    int64_t counts[SUMMARY_BUCKETS])
{
    memset(counts, 0, SUMMARY_BUCKETS * sizeof *counts);
    for (uint32_t at = row->first; at != TL_NONE; at = summary->buckets.at[at].next)
        counts[summary->buckets.at[at].log2] = summary->buckets.at[at].count;
}
