/* fact_rows.c - tables of what is rather than happens: ranks, the ledger, peaks of memory,
 * texts. */
#include "memory_use.h"
#include "tables.h"

#include <stdlib.h>

/* ---- ranks ---- */

static struct text literal(const char *text)
{
    return (struct text){text, strlen(text)};
}

static struct text name_or_null(const struct timeline *timeline, uint32_t name)
{
    return name < timeline->names.count ? timeline->names.at[name] : (struct text){0};
}

/* The name of its first device. */
static struct text device_name(const struct timeline *timeline, uint32_t process)
{
    for (uint32_t i = 0; i < timeline->devices.count; i++)
        if (timeline->devices.at[i].process == process)
            return name_or_null(timeline, timeline->devices.at[i].name);
    return (struct text){0};
}

/* The end of its summaries. */
static int64_t summarized_until(const struct timeline *timeline, uint32_t process)
{
    uint64_t until_ns = 0;
    for (uint32_t i = 0; i < timeline->summaries.count; i++) {
        const struct tl_summary *summary = &timeline->summaries.at[i];
        if (summary->process == process && summary->kind == PROF_SUMMARY_ROUND &&
            summary->max_ns > until_ns)
            until_ns = summary->max_ns;
    }
    return (int64_t)until_ns;
}

static void put_span(struct row *row, const struct recording *recording, uint32_t process)
{
    const struct tl_process *of = &recording->timeline->processes.at[process];
    bool summed = recording->source.summaries;
    cell_64(row, since_epoch(recording, summed ? 0 : of->start_ns));
    cell_64(row,
            summed ? summarized_until(recording->timeline, process) : of->end_ns - of->start_ns);
}

static void put_rank(struct row *row, const struct recording *recording, uint32_t process)
{
    const struct timeline *timeline = recording->timeline;
    const struct tl_process_info *info = &timeline->processes.at[process].info;
    const struct unit *unit = unit_of_process(recording, process);
    cell_32(row, unit->rank);
    cell_8(row, unit->known);
    cell_text(row, info->host.size ? info->host : literal(""));
    cell_64(row, (int64_t)info->pid);
    cell_32_if(row, info->local_rank != -1, info->local_rank);
    cell_32_if(row, info->world_size != -1, info->world_size);
    cell_text(row, info->program.size ? info->program : (struct text){0});
    cell_text(row, device_name(timeline, process));
    put_span(row, recording, process);
    cell_8(row, info->closed);
    cell_text(row, info->format.size ? info->format : literal("libprof"));
    cell_text(row, literal(recording->file));
    cell_text(row, literal(recording->identity));
    cell_8_if(row, info->system_clock_known, info->system_clock_synchronized);
    cell_64_if(row, info->system_clock_known, info->system_clock_max_error_ns);
    cell_64(row, recording->id);
    cell_text(row, info->job.size ? info->job : (struct text){0});
    cell_64_if(row, info->process_start_ns != 0, (int64_t)info->process_start_ns);
}

bool add_ranks(struct walk *walk, struct rows *rows)
{
    struct row row;
    for (uint32_t i = 0; i < walk->recording->timeline->processes.count && rows_add(rows, &row);
         i++)
        put_rank(&row, walk->recording, i);
    return true;
}

/* ---- the ledger ---- */

struct account {
    uint64_t launched, recorded, lost;
};

static struct account account_of(const struct timeline *timeline, uint32_t process)
{
    struct account account = {0};
    for (uint32_t i = 0; i < timeline->ledger_rows.count; i++) {
        const struct tl_ledger_row *row = &timeline->ledger_rows.at[i];
        if (row->process != process)
            continue;
        account.launched += row->launched;
        account.recorded += row->recorded;
        account.lost += row->recycled;
        for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
            account.lost += row->lost[cause];
    }
    return account;
}

/* Launches were not counted, so an operation that is not lost counts as launched. */
static struct account account_of_summaries(const struct timeline *timeline, uint32_t process)
{
    static const uint8_t causes[] = {PROF_LOSS_CUPTI_DROPPED, PROF_LOSS_ZERO_TIME,
                                     PROF_LOSS_OUT_OF_WINDOW, PROF_LOSS_UNKNOWN_RECORD,
                                     PROF_LOSS_GPU_BUFFER,    PROF_LOSS_GRAPH_NODES};
    struct account account = {0};
    for (uint32_t i = 0; i < timeline->summaries.count; i++)
        if (timeline->summaries.at[i].process == process &&
            timeline->summaries.at[i].kind <= PROF_SUMMARY_GRAPH)
            account.recorded += timeline->summaries.at[i].count;
    for (size_t i = 0; i < sizeof causes; i++)
        account.lost += timeline->processes.at[process].loss[causes[i]];
    account.launched = account.recorded + account.lost;
    return account;
}

bool add_ledger(struct walk *walk, struct rows *rows)
{
    const struct timeline *timeline = walk->recording->timeline;
    struct row row;
    for (uint32_t i = 0; i < timeline->processes.count && rows_add(rows, &row); i++) {
        struct account account = walk->recording->source.summaries
                                     ? account_of_summaries(timeline, i)
                                     : account_of(timeline, i);
        cell_32(&row, unit_of_process(walk->recording, i)->rank);
        cell_64(&row, (int64_t)account.launched);
        cell_64(&row, (int64_t)account.recorded);
        cell_64(&row, (int64_t)account.lost);
        cell_64(&row, walk->recording->id);
    }
    return true;
}

/* ---- peaks of memory ---- */

static bool is_shown(const struct timeline *timeline, uint32_t slice)
{
    return slice_is_shown(timeline, &timeline->slices.at[slice]);
}

/* The name of the innermost range, not the step, around an allocation; TL_NONE: none. */
static uint32_t range_of_allocation(const struct timeline *timeline, uint32_t slice)
{
    while (slice != TL_NONE && timeline->slices.at[slice].kind != TL_RANGE &&
           is_shown(timeline, slice))
        slice = timeline->slices.at[slice].parent;
    if (slice == TL_NONE || !is_shown(timeline, slice))
        return TL_NONE;
    return slice_name(timeline, &timeline->slices.at[slice]);
}

static void put_peak(struct row *row, const struct recording *recording, const struct tl_heap *heap,
                     const struct memory_heap_use *use)
{
    const struct timeline *timeline = recording->timeline;
    struct unit *unit = unit_of_process(recording, heap->process);
    uint32_t memory = timeline->memory_events.at[use->peak_event].memory;
    uint32_t range = range_of_allocation(timeline, timeline->memories.at[memory].slice);
    cell_32(row, unit->rank);
    cell_step(row, step_at(unit, use->peak_ns));
    cell_32_if(row, heap->device != TL_NONE, (int32_t)heap->device);
    cell_text(row, name_or_null(timeline, heap->name));
    cell_64(row, (int64_t)use->peak_bytes);
    cell_64(row, since_epoch(recording, use->peak_ns));
    cell_64_if(row, range != TL_NONE, range == TL_NONE ? 0 : name_id(recording, range));
    cell_64(row, recording->id);
}

bool add_memory(struct walk *walk, struct rows *rows)
{
    const struct timeline *timeline = walk->recording->timeline;
    struct memory_use use;
    struct row row;
    if (!timeline->heaps.count)
        return true;
    rows->failed |= !memory_use_init(&use, timeline);
    if (rows->failed)
        return true;
    for (uint32_t i = 0; i < timeline->heaps.count; i++)
        if (use.heaps[i].peak_event != TL_NONE && rows_add(rows, &row))
            put_peak(&row, walk->recording, &timeline->heaps.at[i], &use.heaps[i]);
    memory_use_fini(&use);
    return true;
}

/* ---- texts ---- */

static void put_text(struct rows *rows, int64_t id, struct text text)
{
    struct row row;
    if (!rows_add(rows, &row))
        return;
    cell_64(&row, id);
    cell_text(&row, text.bytes ? text : literal(""));
}

static bool has_other_names(const struct recording *recording)
{
    const struct timeline *timeline = recording->timeline;
    for (uint32_t i = 0; recording->source.summaries && i < timeline->summaries.count; i++)
        if (timeline->summaries.at[i].name == TL_NONE &&
            timeline->summaries.at[i].kind < PROF_SUMMARY_ROUND)
            return true;
    return false;
}

bool add_names(struct walk *walk, struct rows *rows)
{
    const struct recording *recording = walk->recording;
    for (uint32_t i = 0; i <= recording->timeline->names.count && !rows->failed; i++)
        if (recording->names[i].used)
            put_text(rows, recording->names[i].id, name_text(recording, i));
    if (has_other_names(recording))
        put_text(rows, content_id(literal("(other)")), literal("(other)"));
    return true;
}

/* ---- call stacks: as text in the file, else as recorded ---- */

/* The text that an event has as its stack, of several the last; TL_NONE: none. */
static uint32_t stack_given(const struct recording *recording, struct tl_attrs attrs)
{
    uint32_t given = TL_NONE;
    for (uint32_t i = 0; i < attrs.count; i++)
        if (attrs.at[i].key == recording->stack_key && attrs.at[i].type == PROF_ATTR_STRING &&
            attrs.at[i].value < recording->timeline->names.count)
            given = (uint32_t)attrs.at[i].value;
    return given;
}

/* By number: names of the timeline, then its stacks. */
static void use_stack(const struct recording *recording, bool *used, struct tl_attrs attrs,
                      uint32_t stack)
{
    const struct timeline *timeline = recording->timeline;
    uint32_t given = recording->stack_key == TL_NONE ? TL_NONE : stack_given(recording, attrs);
    if (given != TL_NONE)
        used[given] = true;
    else if (stack < timeline->stacks.count)
        used[timeline->names.count + stack] = true;
}

static void use_stacks_of_slices(const struct recording *recording, bool *used)
{
    const struct timeline *timeline = recording->timeline;
    for (uint32_t i = 0; i < timeline->attrs.count && recording->stack_key != TL_NONE; i++) {
        uint32_t slice = timeline->attrs.at[i].slice;
        if (timeline->attrs.at[i].key == recording->stack_key && is_shown(timeline, slice))
            use_stack(recording, used, timeline_slice_attrs(timeline, slice), TL_NONE);
    }
    for (uint32_t i = 0; i < timeline->slice_stacks.count; i++) {
        const struct tl_stack_of *of = &timeline->slice_stacks.at[i];
        if (is_shown(timeline, of->owner))
            use_stack(recording, used, timeline_slice_attrs(timeline, of->owner), of->stack);
    }
}

static void use_stacks(const struct recording *recording, bool *used)
{
    const struct timeline *timeline = recording->timeline;
    use_stacks_of_slices(recording, used);
    for (uint32_t i = 0; i < timeline->asyncs.count; i++)
        use_stack(recording, used, timeline_async_attrs(timeline, i), stack_of_async(timeline, i));
    for (uint32_t i = 0; i < timeline->marks.count && recording->stack_key != TL_NONE; i++)
        use_stack(recording, used, timeline_mark_attrs(timeline, i), TL_NONE);
}

bool add_stacks(struct walk *walk, struct rows *rows)
{
    const struct recording *recording = walk->recording;
    const struct timeline *timeline = recording->timeline;
    uint32_t names = timeline->names.count, stacks = timeline->stacks.count;
    bool *used = calloc((size_t)names + stacks + 1, sizeof *used);
    rows->failed |= !used;
    if (!used)
        return true;
    use_stacks(recording, used);
    for (uint32_t i = 0; i < names; i++)
        if (used[i])
            put_text(rows, recording->names[i].id, timeline->names.at[i]);
    for (uint32_t i = 0; i < stacks && recording->source.stacks; i++)
        if (used[names + i])
            put_text(rows, content_id(literal(recording->source.stacks[i])),
                     literal(recording->source.stacks[i]));
    free(used);
    return true;
}
