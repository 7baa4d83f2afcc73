/* diff_side.c - the averages' rows as entries: ranges one by one, others by name, whatever path
 * they are on. Then every duration is given to its entry and sorted there.
 */
#include "diff_side.h"

#include "array.h"
#include "maps.h"

#include <stdlib.h>
#include <string.h>

struct side_builder {
    struct diff_side *side;
    uint32_t tables;
    uint32_t *entry_of;    /* by row of the averages, TL_NONE: in no table */
    int64_t *most_ns;      /* by row that is an entry's first: the most that one path had of it */
    struct keymap by_name; /* kind and key -> entry */
};

static enum diff_by table_of(enum key_kind kind, uint32_t tables)
{
    switch (kind) {
    case KEY_RANGE:
        return tables & 1u << DIFF_BY_PATH ? DIFF_BY_PATH : DIFF_BY_RANGE;
    case KEY_API:
        return DIFF_BY_API;
    case KEY_KERNEL:
    case KEY_GRAPH:
        return DIFF_BY_KERNEL;
    case KEY_MEMCPY:
    case KEY_MEMSET:
        return DIFF_BY_COPY;
    default:
        return DIFF_BY_COUNT;
    }
}

/* Index of the entry that a row adds to; TL_NONE: no memory. */
static uint32_t find_entry(struct side_builder *builder, const struct key_average *row,
                           enum diff_by by)
{
    struct diff_side *side = builder->side;
    uint64_t key = (uint64_t)row->kind << 32 | row->key;
    uint32_t known = by == DIFF_BY_PATH ? KEYMAP_NONE : keymap_find(&builder->by_name, key);
    if (known != KEYMAP_NONE)
        return known;
    uint32_t index = side->entries.count;
    struct diff_entry *entry = ARRAY_ADD(&side->entries);
    if (!entry || (by != DIFF_BY_PATH && !keymap_set(&builder->by_name, key, index)))
        return TL_NONE;
    *entry = (struct diff_entry){.name = row->name, .by = by, .kind = row->kind, .path = TL_NONE};
    builder->most_ns[index] = -1;
    return index;
}

/* The ranges around a call; a range's own path. */
static uint32_t path_of(const struct diff_side *side, const struct key_average *row)
{
    uint32_t path = row->group.path;
    if (path == TL_NONE || row->kind == KEY_RANGE)
        return path;
    return side->averages.paths[path].parent;
}

static void add_row(struct side_builder *builder, const struct key_average *row, uint32_t index)
{
    struct diff_entry *entry = &builder->side->entries.at[index];
    bool on_device = key_kind_is_device(row->kind);
    int64_t total_ns = on_device ? row->cuda_total_ns : row->cpu_total_ns;
    entry->count += row->count;
    entry->total_ns += total_ns;
    entry->own_ns += row->kind == KEY_RANGE ? row->self_cpu_total_ns : total_ns;
    entry->device_ns += on_device ? 0 : row->cuda_total_ns;
    if (total_ns <= builder->most_ns[index])
        return;
    builder->most_ns[index] = total_ns;
    entry->path = path_of(builder->side, row);
}

static bool add_rows(struct side_builder *builder)
{
    const struct key_averages *averages = &builder->side->averages;
    for (uint32_t i = 0; i < averages->count; i++) {
        enum diff_by by = table_of(averages->rows[i].kind, builder->tables);
        builder->entry_of[i] = TL_NONE;
        if (by == DIFF_BY_COUNT || !(builder->tables & 1u << by))
            continue;
        builder->entry_of[i] = find_entry(builder, &averages->rows[i], by);
        if (builder->entry_of[i] == TL_NONE)
            return false;
        add_row(builder, &averages->rows[i], builder->entry_of[i]);
    }
    return true;
}

/* Paths show how ranges nest, so CUDA calls count as part of the range around them. Names do
 * not. */
static bool leave_out_inner_ranges(struct diff_side *side)
{
    const struct key_averages *averages = &side->averages;
    uint32_t *entry_at = malloc(((size_t)averages->path_count + 1) * sizeof *entry_at);
    for (uint32_t i = 0; i < averages->path_count && entry_at; i++)
        entry_at[i] = TL_NONE;
    for (uint32_t i = 0; i < side->entries.count && entry_at; i++) {
        struct diff_entry *entry = &side->entries.at[i];
        if (entry->by != DIFF_BY_PATH || entry->path == TL_NONE)
            continue;
        entry->own_ns = entry->total_ns;
        entry_at[entry->path] = i;
    }
    for (uint32_t i = 0; i < averages->path_count && entry_at; i++) {
        uint32_t around = averages->paths[i].parent;
        while (around != TL_NONE && entry_at[around] == TL_NONE)
            around = averages->paths[around].parent;
        if (around != TL_NONE && entry_at[i] != TL_NONE)
            side->entries.at[entry_at[around]].own_ns -= side->entries.at[entry_at[i]].total_ns;
    }
    free(entry_at);
    return entry_at != NULL;
}

/* ---- durations ---- */

/* From rows to entries; those of no table are dropped. */
static void move_samples(struct key_samples *samples, const uint32_t *entry_of)
{
    size_t kept = 0;
    for (size_t i = 0; i < samples->count; i++) {
        uint32_t entry = entry_of[samples->row[i]];
        if (entry == TL_NONE)
            continue;
        samples->row[kept] = entry;
        samples->ns[kept++] = samples->ns[i];
    }
    samples->count = kept;
}

/* Sorts what was moved and shows each entry its own, at `member` of it. False: no memory. */
static bool give_samples(struct diff_side *side, struct key_samples *samples,
                         const uint32_t *entry_of, size_t member)
{
    move_samples(samples, entry_of);
    size_t *starts = key_samples_sort(samples, side->entries.count);
    for (uint32_t i = 0; i < side->entries.count && starts; i++) {
        struct diff_samples of = {samples->ns + starts[i], starts[i + 1] - starts[i]};
        memcpy((char *)&side->entries.at[i] + member, &of, sizeof of);
    }
    free(starts);
    return starts != NULL;
}

/* ---- steps ---- */

static bool is_step(const struct key_average *row)
{
    return row->kind == KEY_RANGE && text_is(row->name, "ProfilerStep*");
}

/* Before durations are moved: entries may not have them. */
static bool collect_steps(struct diff_side *side)
{
    const struct key_averages *averages = &side->averages;
    struct key_samples found = {0};
    for (uint32_t i = 0; i < averages->count; i++)
        side->steps += is_step(&averages->rows[i]) ? averages->rows[i].count : 0;
    if (!key_samples_init(&found, side->steps))
        return false;
    for (size_t i = 0; i < averages->samples.count && side->steps; i++)
        if (is_step(&averages->rows[averages->samples.row[i]]))
            key_samples_add(&found, 0, averages->samples.ns[i]);
    size_t *starts = key_samples_sort(&found, 1);
    side->step_ns = found.ns;
    side->step_samples = found.count;
    found.ns = NULL;
    key_samples_fini(&found);
    free(starts);
    return starts != NULL;
}

/* ---- clocks ---- */

/* Fewer may be multiples by chance. */
#define TICK_SAMPLES 64u

/* Kineto's older files have whole microseconds, and devices count in 32 ns: what lies between two
 * of these is not a difference. Other steps would be guessed. */
static double find_tick(const struct key_averages *averages, bool on_device)
{
    static const int64_t ticks[] = {1000, 32};
    const struct key_samples *samples = &averages->samples;
    bool fits[] = {true, true};
    size_t seen = 0;
    for (size_t i = 0; i < samples->count && (fits[0] || fits[1]); i++) {
        if (key_kind_is_device(averages->rows[samples->row[i]].kind) != on_device)
            continue;
        for (unsigned k = 0; k < 2; k++)
            fits[k] &= samples->ns[i] % ticks[k] == 0;
        seen++;
    }
    if (seen < TICK_SAMPLES)
        return 1;
    return fits[0] ? (double)ticks[0] : fits[1] ? (double)ticks[1] : 1;
}

/* ---- a side ---- */

static bool build(struct side_builder *builder)
{
    struct diff_side *side = builder->side;
    size_t room = side->averages.count + (size_t)1;
    side->tick_ns = find_tick(&side->averages, false);
    side->device_tick_ns = find_tick(&side->averages, true);
    builder->entry_of = malloc(room * sizeof *builder->entry_of);
    builder->most_ns = malloc(room * sizeof *builder->most_ns);
    if (!builder->entry_of || !builder->most_ns || !collect_steps(side) || !diff_runs_init(side) ||
        !add_rows(builder) || !leave_out_inner_ranges(side))
        return false;
    return give_samples(side, &side->averages.samples, builder->entry_of,
                        offsetof(struct diff_entry, time)) &&
           give_samples(side, &side->averages.device_samples, builder->entry_of,
                        offsetof(struct diff_entry, device));
}

/* By path also for the sake of kernels, whose ranges help to find them again. */
static struct key_options options_for(uint32_t tables)
{
    struct key_options options;
    key_options_default(&options);
    options.samples = true;
    if (tables & (1u << DIFF_BY_PATH | 1u << DIFF_BY_KERNEL) && !(tables & 1u << DIFF_BY_RANGE))
        options.group_by |= KEY_BY_PATH;
    return options;
}

bool diff_side_init(struct diff_side *side, const struct timeline *timeline, uint32_t tables)
{
    /* all, whatever is printed: whether the runs can be compared does not depend on that */
    tables |= 1u << DIFF_BY_KERNEL | 1u << DIFF_BY_COPY | 1u << DIFF_BY_API;
    if (!(tables & 1u << DIFF_BY_RANGE))
        tables |= 1u << DIFF_BY_PATH;
    struct key_options options = options_for(tables);
    struct side_builder builder = {.side = side, .tables = tables};
    *side = (struct diff_side){.timeline = timeline};
    if (!key_averages_init_by(&side->averages, timeline, &options))
        return false;
    bool built = build(&builder);
    free(builder.entry_of);
    free(builder.most_ns);
    keymap_fini(&builder.by_name);
    if (!built) {
        diff_side_fini(side);
        return false;
    }
    return true;
}

void diff_side_fini(struct diff_side *side)
{
    key_averages_fini(&side->averages);
    free(side->entries.at);
    free(side->step_ns);
    free(side->wall_ns);
    free(side->host_ns);
    *side = (struct diff_side){0};
}
