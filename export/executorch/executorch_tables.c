/* executorch_tables.c - what ExecuTorch's parser of prof buffers prints, from any blocks.
 *
 * It pairs the n-th events of all blocks of one name, whatever their order of events means, and
 * refuses blocks that differ. Durations are rounded to 4 decimals of a millisecond. Two of its
 * failures are not repeated: a block without events is a table without rows, and a block with fewer
 * iterations than the one before it has its own columns; all blocks' tax is printed, not the last
 * one's alone.
 */
#include "executorch.h"

#include "array.h"
#include "grid.h"
#include "json_out.h"
#include "maps.h"
#include "python_text.h"
#include "reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- blocks by name, in the order of their first appearance ---- */

struct group {
    uint32_t name;
    uint32_t first, count; /* into members[] */
};

struct printing {
    const struct timeline *timeline;
    enum time_scale source;
    bool raw; /* JSON includes ticks */
    TL_ARRAY(struct group) groups;
    uint32_t *members; /* blocks, by group */
};

/* The n-th block of its group. */
static const struct tl_block *member(const struct printing *printing, const struct group *group,
                                     uint32_t number)
{
    return &printing->timeline->blocks.at[printing->members[group->first + number]];
}

static void printing_fini(struct printing *printing)
{
    free(printing->groups.at);
    free(printing->members);
}

static bool count_groups(struct printing *printing, uint32_t *group_of)
{
    const struct timeline *timeline = printing->timeline;
    struct keymap known = {0};
    bool done = true;
    for (uint32_t i = 0; i < timeline->blocks.count && done; i++) {
        uint32_t name = timeline->blocks.at[i].name;
        uint32_t group = keymap_find(&known, name);
        if (group == KEYMAP_NONE) {
            group = printing->groups.count;
            struct group *added = ARRAY_ADD(&printing->groups);
            done = added && keymap_set(&known, name, group);
            if (added)
                *added = (struct group){.name = name};
        }
        if (done && group < printing->groups.count && printing->groups.at)
            printing->groups.at[group].count++;
        group_of[i] = group;
    }
    keymap_fini(&known);
    return done;
}

/* False: no memory. printing_fini() either way. */
static bool make_groups(struct printing *printing)
{
    uint32_t blocks = printing->timeline->blocks.count, next = 0;
    uint32_t *group_of = calloc((size_t)blocks + 1, sizeof *group_of);
    printing->members = calloc((size_t)blocks + 1, sizeof *printing->members);
    bool done = group_of && printing->members && count_groups(printing, group_of);
    for (uint32_t i = 0; i < printing->groups.count && done; i++) {
        printing->groups.at[i].first = next;
        next += printing->groups.at[i].count;
        printing->groups.at[i].count = 0;
    }
    for (uint32_t i = 0; i < blocks && done && printing->groups.at; i++) {
        struct group *group = &printing->groups.at[group_of[i]];
        printing->members[group->first + group->count++] = i;
    }
    free(group_of);
    return done;
}

/* ---- what differs ---- */

static const char *refusal_of(enum block_difference kind)
{
    switch (kind) {
    case BLOCK_SAME:
        return NULL;
    case BLOCK_EVENT_COUNT:
        return "Profiling blocks corresponding to the same name shouldn't be of different lengths.";
    case BLOCK_EVENT_NAME:
        return "Corresponding entries in different iterations of the profiling block do not match";
    case BLOCK_ALLOC_COUNT:
        return "Memory profiling blocks corresponding to the same name shouldn't be of different "
               "lengths.";
    case BLOCK_ALLOCATOR:
        return "Corresponding entries in different iterations of the memory profiling blocks do "
               "not have the same allocator id";
    case BLOCK_ALLOC_BYTES:
        break;
    }
    return "Corresponding entries in different iterations of the memory profiling blocks do not "
           "have the same allocation size.";
}

static const char *find_refusal(const struct printing *printing)
{
    for (uint32_t i = 0; i < printing->groups.count; i++) {
        const struct group *group = &printing->groups.at[i];
        for (uint32_t j = 1; j < group->count; j++) {
            uint32_t index;
            enum block_difference kind =
                block_compare(printing->timeline, member(printing, group, j - 1),
                              member(printing, group, j), &index);
            if (kind != BLOCK_SAME)
                return refusal_of(kind);
        }
    }
    return NULL;
}

/* ---- numbers ---- */

struct event_ticks {
    uint64_t start, end;
};

static struct event_ticks ticks_of(const struct printing *printing, const struct tl_block *block,
                                   uint32_t index)
{
    const struct timeline *timeline = printing->timeline;
    const struct tl_block_event *event = &timeline->block_events.at[block->first_event + index];
    if (event->source != TL_NONE)
        return (struct event_ticks){timeline->event_sources.at[event->source].start_ticks,
                                    timeline->event_sources.at[event->source].end_ticks};
    const struct tl_async *range = &timeline->asyncs.at[event->async];
    return (struct event_ticks){(uint64_t)range->start_ns, (uint64_t)range->end_ns};
}

static bool is_rounded(const struct printing *printing)
{
    return printing->source == TIME_SCALE_NS || printing->source == TIME_SCALE_US;
}

/* In milliseconds, or unscaled. */
static double scaled(const struct printing *printing, double ticks)
{
    if (!is_rounded(printing))
        return ticks;
    return python_round4(ticks / (printing->source == TIME_SCALE_NS ? 1e6 : 1e3));
}

static bool has_wrapped(const struct printing *printing, const struct tl_block *block,
                        uint32_t index)
{
    uint32_t source = printing->timeline->block_events.at[block->first_event + index].source;
    return source != TL_NONE &&
           printing->timeline->event_sources.at[source].flags & TL_EVENT_WRAPPED;
}

/* Unfinished events have negative durations. The parser knows no 32-bit counter; with --wrap32, one
 * that wrapped is corrected. */
static double duration_of(const struct printing *printing, const struct tl_block *block,
                          uint32_t index)
{
    struct event_ticks ticks = ticks_of(printing, block, index);
    if (has_wrapped(printing, block, index))
        ticks.end += UINT64_C(1) << 32;
    return scaled(printing, ticks.end < ticks.start ? -(double)(ticks.start - ticks.end)
                                                    : (double)(ticks.end - ticks.start));
}

static void number_text(const struct printing *printing, double value, char to[PYTHON_TEXT_BYTES])
{
    if (is_rounded(printing))
        python_float(value, to);
    else
        snprintf(to, PYTHON_TEXT_BYTES, "%.0f", value);
}

static void number_cell(const struct printing *printing, struct grid *grid, double value)
{
    char text[PYTHON_TEXT_BYTES];
    number_text(printing, value, text);
    grid_string(grid, text);
}

static void iteration_headers(struct grid *grid, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        grid_format(grid, "Iteration %u", i);
}

static struct text event_name(const struct printing *printing, const struct tl_block *block,
                              uint32_t index)
{
    const struct timeline *timeline = printing->timeline;
    uint32_t async = timeline->block_events.at[block->first_event + index].async;
    return timeline->names.at[timeline->asyncs.at[async].name];
}

static bool write_titled(const struct printing *printing, struct grid *grid, uint32_t name,
                         const char *suffix, FILE *stream)
{
    char title[512];
    struct grid shown;
    grid_init(&shown, 1);
    grid_text(&shown, printing->timeline->names.at[name]);
    snprintf(title, sizeof title, "%.400s%s", shown.failed ? "" : shown.cells[0].text, suffix);
    bool written = !shown.failed && grid_write(grid, GRID_PRETTY, title, stream);
    grid_fini(&shown);
    grid_fini(grid);
    return written;
}

/* ---- events ---- */

static bool write_profile(const struct printing *printing, const struct group *group, FILE *stream)
{
    const struct tl_block *first = member(printing, group, 0);
    struct grid grid;
    grid_init(&grid, 4 + group->count);
    grid_string(&grid, "Name"), grid_string(&grid, "Chain");
    grid_string(&grid, "Instr"), grid_string(&grid, "Frame");
    iteration_headers(&grid, group->count);
    for (uint32_t i = 0; i < first->event_count; i++) {
        const struct tl_block_event *event =
            &printing->timeline->block_events.at[first->first_event + i];
        grid_text(&grid, event_name(printing, first, i));
        grid_format(&grid, "%d", event->chain);
        grid_format(&grid, "%u", event->instruction);
        grid_string(&grid, "None");
        for (uint32_t j = 0; j < group->count; j++)
            number_cell(printing, &grid, duration_of(printing, member(printing, group, j), i));
    }
    return write_titled(printing, &grid, group->name, "", stream);
}

/* ---- framework tax ---- */

struct tax {
    double *execution, *kernels; /* by iteration */
    bool any_execution, any_kernel;
};

static bool holds(struct text text, const char *part)
{
    return memmem(text.bytes, text.size, part, strlen(part)) != NULL;
}

/* Compares lists as Python does: the first difference decides. */
static void keep_larger(const struct printing *printing, const struct group *group, uint32_t event,
                        struct tax *tax)
{
    bool larger = !tax->any_execution;
    for (uint32_t i = 0; i < group->count && !larger; i++) {
        double value = duration_of(printing, member(printing, group, i), event);
        if (value < tax->execution[i])
            return;
        larger = value > tax->execution[i];
    }
    tax->any_execution = true;
    for (uint32_t i = 0; i < group->count && larger; i++)
        tax->execution[i] = duration_of(printing, member(printing, group, i), event);
}

static bool find_tax(const struct printing *printing, const struct group *group, struct tax *tax)
{
    const struct tl_block *first = member(printing, group, 0);
    *tax = (struct tax){.execution = calloc((size_t)group->count + 1, sizeof(double)),
                        .kernels = calloc((size_t)group->count + 1, sizeof(double))};
    for (uint32_t i = 0; i < first->event_count && tax->execution && tax->kernels; i++) {
        struct text name = event_name(printing, first, i);
        if (holds(name, "Method::execute"))
            keep_larger(printing, group, i, tax);
        if (!holds(name, "native_call") && !holds(name, "delegate_execute"))
            continue;
        tax->any_kernel = true;
        for (uint32_t j = 0; j < group->count; j++)
            tax->kernels[j] += duration_of(printing, member(printing, group, j), i);
    }
    return tax->execution && tax->kernels;
}

static void tax_fini(struct tax *tax)
{
    free(tax->execution);
    free(tax->kernels);
}

static double share_of(const struct tax *tax, uint32_t iteration)
{
    double execution = tax->execution[iteration];
    return python_round4((execution - tax->kernels[iteration]) / execution) * 100;
}

static bool write_group_tax(const struct printing *printing, const struct group *group,
                            FILE *stream)
{
    char text[PYTHON_TEXT_BYTES];
    struct grid grid;
    struct tax tax;
    bool found = find_tax(printing, group, &tax), written = found;
    if (found && tax.any_execution && tax.any_kernel) {
        grid_init(&grid, 1 + group->count);
        grid_string(&grid, "");
        iteration_headers(&grid, group->count);
        grid_string(&grid, "Model execution time");
        for (uint32_t i = 0; i < group->count; i++)
            number_cell(printing, &grid, tax.execution[i]);
        grid_string(&grid, "Time spent in kernels and delegates");
        for (uint32_t i = 0; i < group->count; i++)
            number_cell(printing, &grid, tax.kernels[i]);
        grid_string(&grid, "Framework tax (%)");
        for (uint32_t i = 0; i < group->count; i++) {
            python_float(share_of(&tax, i), text);
            grid_string(&grid, text);
        }
        written = write_titled(printing, &grid, group->name, " framework tax calculations", stream);
    }
    tax_fini(&tax);
    return written;
}

/* ---- memory ---- */

struct total {
    uint32_t heap;
    uint64_t bytes;
};

/* By allocator, in the order of first use, of the first iteration: all are the same. */
static bool find_totals(const struct printing *printing, const struct tl_block *block,
                        struct total **totals, uint32_t *count)
{
    struct keymap known = {0};
    bool done = true;
    *count = 0;
    *totals = calloc((size_t)block->alloc_count + 1, sizeof **totals);
    for (uint32_t i = 0; i < block->alloc_count && *totals && done; i++) {
        const struct tl_block_alloc *alloc =
            &printing->timeline->block_allocs.at[block->first_alloc + i];
        uint32_t at = keymap_find(&known, alloc->heap);
        if (at == KEYMAP_NONE) {
            at = (*count)++;
            (*totals)[at] = (struct total){.heap = alloc->heap};
            done = keymap_set(&known, alloc->heap, at);
        }
        (*totals)[at].bytes += alloc->bytes;
    }
    keymap_fini(&known);
    return *totals && done;
}

static struct text heap_name(const struct printing *printing, uint32_t heap)
{
    return printing->timeline->names.at[printing->timeline->heaps.at[heap].name];
}

static bool write_group_memory(const struct printing *printing, const struct group *group,
                               FILE *stream)
{
    struct total *totals;
    uint32_t count;
    struct grid grid;
    bool found = find_totals(printing, member(printing, group, 0), &totals, &count);
    grid_init(&grid, 2);
    grid_string(&grid, "Allocator name");
    grid_string(&grid, "Total size of allocations done");
    for (uint32_t i = 0; i < count && found; i++) {
        grid_text(&grid, heap_name(printing, totals[i].heap));
        grid_format(&grid, "%llu", (unsigned long long)totals[i].bytes);
    }
    free(totals);
    return write_titled(printing, &grid, group->name, "", stream) && found;
}

/* ---- JSON ---- */

static const struct tl_block_event *event_at(const struct printing *printing,
                                             const struct tl_block *block, uint32_t index)
{
    return &printing->timeline->block_events.at[block->first_event + index];
}

static bool is_signed(const struct printing *printing, const struct tl_block *block, uint32_t index)
{
    return event_at(printing, block, index)->source == TL_NONE;
}

static bool has_ended(const struct printing *printing, const struct tl_block *block, uint32_t index)
{
    return !(printing->timeline->asyncs.at[event_at(printing, block, index)->async].flags &
             TL_UNCLOSED);
}

static void number_json(const struct printing *printing, struct json_out *out, double value)
{
    if (is_rounded(printing))
        json_double(out, value);
    else
        json_int(out, (int64_t)value);
}

static void name_key(const struct printing *printing, struct json_out *out, uint32_t name)
{
    json_text(out, printing->timeline->names.at[name]);
    json_colon(out);
}

static void ticks_json(const struct printing *printing, const struct group *group, uint32_t index,
                       struct json_out *out)
{
    json_key(out, "start_ticks"), json_array_begin(out);
    for (uint32_t i = 0; i < group->count; i++)
        blocks_raw_ticks(out, ticks_of(printing, member(printing, group, i), index).start,
                         is_signed(printing, member(printing, group, i), index));
    json_array_end(out);
    json_key(out, "end_ticks"), json_array_begin(out);
    for (uint32_t i = 0; i < group->count; i++) {
        const struct tl_block *block = member(printing, group, i);
        if (has_ended(printing, block, index))
            blocks_raw_ticks(out, ticks_of(printing, block, index).end,
                             is_signed(printing, block, index));
        else
            json_null(out);
    }
    json_array_end(out);
}

static void event_json(const struct printing *printing, const struct group *group, uint32_t index,
                       struct json_out *out)
{
    const struct tl_block *first = member(printing, group, 0);
    const struct tl_block_event *event =
        &printing->timeline->block_events.at[first->first_event + index];
    json_newline(out), json_object_begin(out);
    json_key(out, "name"), json_text(out, event_name(printing, first, index));
    json_key(out, "ts"), json_array_begin(out);
    for (uint32_t i = 0; i < group->count; i++)
        number_json(
            printing, out,
            scaled(printing, (double)ticks_of(printing, member(printing, group, i), index).start));
    json_array_end(out);
    json_key(out, "duration"), json_array_begin(out);
    for (uint32_t i = 0; i < group->count; i++)
        number_json(printing, out, duration_of(printing, member(printing, group, i), index));
    json_array_end(out);
    if (printing->raw)
        ticks_json(printing, group, index, out);
    json_key(out, "chain_idx"), json_int(out, event->chain);
    json_key(out, "instruction_idx"), json_uint(out, event->instruction);
    json_key(out, "stacktrace"), json_null(out);
    json_object_end(out);
}

static void numbers_json(const struct printing *printing, const double *values, uint32_t count,
                         struct json_out *out)
{
    json_array_begin(out);
    for (uint32_t i = 0; i < count; i++)
        number_json(printing, out, values[i]);
    json_array_end(out);
}

static bool tax_json(const struct printing *printing, const struct group *group,
                     struct json_out *out)
{
    struct tax tax;
    bool found = find_tax(printing, group, &tax);
    if (found && tax.any_execution && tax.any_kernel) {
        name_key(printing, out, group->name);
        json_object_begin(out);
        json_key(out, "exec_time"), numbers_json(printing, tax.execution, group->count, out);
        json_key(out, "kernel_and_delegate_time");
        numbers_json(printing, tax.kernels, group->count, out);
        json_key(out, "framework_tax"), json_array_begin(out);
        for (uint32_t i = 0; i < group->count; i++)
            json_double(out, share_of(&tax, i));
        json_array_end(out), json_object_end(out);
    }
    tax_fini(&tax);
    return found;
}

static bool memory_json_of(const struct printing *printing, const struct group *group,
                           struct json_out *out)
{
    struct total *totals;
    uint32_t count;
    bool found = find_totals(printing, member(printing, group, 0), &totals, &count);
    name_key(printing, out, group->name);
    json_array_begin(out);
    for (uint32_t i = 0; i < count && found; i++) {
        json_object_begin(out);
        json_key(out, "allocator_name"), json_text(out, heap_name(printing, totals[i].heap));
        json_key(out, "total_allocations_done"), json_uint(out, totals[i].bytes);
        json_object_end(out);
    }
    json_array_end(out);
    free(totals);
    return found;
}

static bool groups_json(const struct printing *printing, struct json_out *out)
{
    bool done = true;
    json_object_begin(out);
    json_key(out, "profile"), json_object_begin(out);
    for (uint32_t i = 0; i < printing->groups.count; i++) {
        const struct group *group = &printing->groups.at[i];
        name_key(printing, out, group->name);
        json_array_begin(out);
        for (uint32_t j = 0; j < member(printing, group, 0)->event_count; j++)
            event_json(printing, group, j, out);
        json_array_end(out);
    }
    json_object_end(out);
    json_key(out, "mem"), json_object_begin(out);
    for (uint32_t i = 0; i < printing->groups.count && done; i++)
        done = memory_json_of(printing, &printing->groups.at[i], out);
    json_object_end(out);
    json_key(out, "tax"), json_object_begin(out);
    for (uint32_t i = 0; i < printing->groups.count && done; i++)
        done = tax_json(printing, &printing->groups.at[i], out);
    json_object_end(out), json_object_end(out);
    out->comma = false, json_newline(out);
    return done;
}

static bool write_json_of(const struct printing *printing, FILE *stream)
{
    struct json_out out;
    bool done = json_out_init(&out, -1, stream) && groups_json(printing, &out);
    int error = json_out_fini(&out);
    if (error)
        errno = error;
    return done && error == 0;
}

/* ---- all of it ---- */

static bool write_groups(const struct printing *printing, enum executorch_part part, FILE *stream)
{
    bool written = true;
    for (uint32_t i = 0; i < printing->groups.count && written && part == EXECUTORCH_ALL; i++)
        written = write_profile(printing, &printing->groups.at[i], stream);
    for (uint32_t i = 0; i < printing->groups.count && written && part != EXECUTORCH_MEMORY; i++)
        written = write_group_tax(printing, &printing->groups.at[i], stream);
    for (uint32_t i = 0; i < printing->groups.count && written && part != EXECUTORCH_TAX; i++)
        written = write_group_memory(printing, &printing->groups.at[i], stream);
    return written;
}

bool executorch_tables(const struct timeline *timeline, const struct write_blocks_options *options,
                       enum executorch_part part, const char **refusal, FILE *stream)
{
    struct printing printing = {
        .timeline = timeline, .source = options->blocks.source, .raw = options->raw};
    bool written = make_groups(&printing);
    *refusal = written ? find_refusal(&printing) : NULL;
    if (!written)
        errno = ENOMEM;
    else if (!*refusal)
        written = options->format == WRITE_JSON ? write_json_of(&printing, stream)
                                                : write_groups(&printing, part, stream);
    printing_fini(&printing);
    return written;
}
