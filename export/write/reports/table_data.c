/* table_data.c - from options to rows. */
#include "table_data.h"

#include "memory_use.h"

bool table_data_shows(enum write_table table, enum key_kind kind)
{
    switch (table) {
    case WRITE_TABLE_KERNELS:
        return kind == KEY_KERNEL;
    case WRITE_TABLE_MEMCPY:
        return kind == KEY_MEMCPY;
    case WRITE_TABLE_MEMSET:
        return kind == KEY_MEMSET;
    case WRITE_TABLE_API:
        return kind == KEY_API;
    case WRITE_TABLE_PROJECTED:
        return kind == KEY_RANGE;
    case WRITE_TABLE_ALL:
        break;
    }
    return true;
}

static bool is_shown(const struct write_options *options, const struct key_average *row)
{
    if (options->table == WRITE_TABLE_PROJECTED && row->projected_count == 0)
        return false;
    return table_data_shows(options->table, row->kind);
}

static void keep_shown(struct key_averages *averages, const struct write_options *options)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < averages->count; i++)
        if (is_shown(options, &averages->rows[i]))
            averages->rows[kept++] = averages->rows[i];
    averages->count = kept;
}

/* Only ranges have memory: a call's is its range's. */
static void take_memory(struct key_averages *averages, const struct memory_ranges *memory)
{
    for (uint32_t i = 0; i < averages->count; i++) {
        struct key_average *row = &averages->rows[i];
        const struct memory_range *range =
            row->kind == KEY_RANGE ? memory_ranges_find(memory, row->key) : NULL;
        for (int side = 0; range && side < MEMORY_SIDES; side++) {
            row->memory_bytes[2 * side] = memory_net(&range->total[side]);
            row->memory_bytes[2 * side + 1] = memory_net(&range->self[side]);
        }
    }
}

/* Memory is known by name only. */
static bool add_memory(struct key_averages *averages, const struct timeline *timeline,
                       const struct write_options *options)
{
    struct memory_ranges memory;
    bool wanted = options->memory ||
                  (options->sort >= KEY_BY_CPU_MEMORY && options->sort <= KEY_BY_SELF_CUDA_MEMORY);
    if (!wanted || options->group_by != KEY_BY_KEY)
        return true;
    if (!memory_ranges_init(&memory, timeline))
        return false;
    take_memory(averages, &memory);
    memory_ranges_fini(&memory);
    return true;
}

/* Tables of one kind show how durations are spread. */
static bool wants_spread(const struct write_options *options)
{
    bool wanted = key_column_needs_spread(options->sort) ||
                  (options->table != WRITE_TABLE_ALL && options->table != WRITE_TABLE_PROJECTED);
    for (unsigned column = 0; column < KEY_COLUMNS; column++)
        if (options->columns >> column & 1)
            wanted |= key_column_needs_spread((enum key_column)column);
    return wanted;
}

enum key_column table_data_sort(const struct write_options *options, bool has_device)
{
    if (options->sort != KEY_BY_DEFAULT)
        return options->sort;
    if (options->table == WRITE_TABLE_ALL)
        return has_device ? KEY_BY_CUDA_TOTAL : KEY_BY_CPU_TOTAL;
    if (options->table == WRITE_TABLE_API)
        return KEY_BY_SELF_CPU;
    return options->table == WRITE_TABLE_PROJECTED ? KEY_BY_PROJECTED : KEY_BY_CUDA_TOTAL;
}

bool table_data_init(struct key_averages *averages, const struct timeline *timeline,
                     const struct write_options *options, bool spread)
{
    struct key_options wanted;
    key_options_default(&wanted);
    wanted.group_by = options->group_by;
    wanted.stack_groups = options->stacks.groups;
    wanted.top_level = options->top_level;
    wanted.spread = spread || wants_spread(options);
    if (!key_averages_init_by(averages, timeline, &wanted))
        return false;
    keep_shown(averages, options);
    if (!add_memory(averages, timeline, options)) {
        key_averages_fini(averages);
        return false;
    }
    key_sort(averages, table_data_sort(options, averages->has_device));
    return true;
}
