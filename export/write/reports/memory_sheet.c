/* memory_sheet.c - profdump memory as tables: heaps, owners of their peaks, what was never freed, ranges,
 * pools, managed memory. */
#include "memory_label.h"
#include "memory_use.h"
#include "migrations.h"
#include "table.h"
#include "table_sheets.h"

#include <errno.h>

#define PEAK_OWNERS 5u

struct memory_sheet {
    struct table table;
    const struct timeline *timeline;
    struct memory_use use;
};

static void add_label(struct memory_sheet *of, uint32_t heap)
{
    char label[MEMORY_LABEL_BYTES];
    memory_label(of->timeline, heap, label);
    table_string(&of->table, label);
}

static void add_path(struct memory_sheet *of, const struct memory_sites *sites, uint32_t path)
{
    char text[MEMORY_PATH_BYTES];
    memory_path_text(of->timeline, sites, path, text);
    table_string(&of->table, text);
}

static void add_device(struct memory_sheet *of, uint32_t device)
{
    if (device == TL_NONE)
        table_none(&of->table); /* the host */
    else
        table_count(&of->table, device);
}

static void add_heaps(struct memory_sheet *of)
{
    static const struct table_column columns[] = {{"memory", "Memory"},
                                                  {"pid", "Pid"},
                                                  {"allocations", "Allocations"},
                                                  {"frees", "Frees"},
                                                  {"allocated_bytes", "Allocated"},
                                                  {"freed_bytes", "Freed"},
                                                  {"live_bytes", "Live at end"},
                                                  {"peak_bytes", "Peak"},
                                                  {0}};
    struct table *table = &of->table;
    table_begin(table, "heaps", "Memory", columns);
    for (uint32_t i = 0; i < of->timeline->heaps.count; i++) {
        const struct memory_heap_use *use = &of->use.heaps[i];
        uint32_t process = of->timeline->heaps.at[i].process;
        table_row(table);
        add_label(of, i);
        table_count(table, of->timeline->processes.at[process].info.pid);
        table_count(table, use->allocations), table_count(table, use->frees);
        table_bytes(table, use->allocated_bytes), table_bytes(table, use->freed_bytes);
        table_bytes(table, use->live_bytes), table_bytes(table, use->peak_bytes);
    }
    table_end(table);
}

static void add_site(struct memory_sheet *of, const struct memory_sites *sites, uint32_t i)
{
    const struct memory_site *site = &sites->sites.at[i];
    add_label(of, site->heap);
    table_bytes(&of->table, site->bytes);
    table_count(&of->table, site->count);
    add_path(of, sites, site->path);
}

static bool add_owners(struct memory_sheet *of, uint32_t heap)
{
    struct memory_sites sites;
    if (of->use.heaps[heap].peak_event == TL_NONE)
        return true;
    if (!memory_sites_init(&sites, of->timeline, of->use.heaps[heap].peak_event, heap))
        return false;
    for (uint32_t i = 0; i < sites.sites.count && i < PEAK_OWNERS; i++) {
        table_row(&of->table);
        add_site(of, &sites, i);
        table_ns(&of->table, of->use.heaps[heap].peak_ns - of->timeline->origin_ns);
    }
    memory_sites_fini(&sites);
    return true;
}

static bool add_peaks(struct memory_sheet *of)
{
    static const struct table_column columns[] = {
        {"memory", "Memory"}, {"bytes", "Bytes"}, {"allocations", "Allocations"},
        {"path", "Owned by"}, {"after_ns", "At"}, {0}};
    bool done = true;
    table_begin(&of->table, "peak_owners", "Who owned the peaks, the five largest of each",
                columns);
    of->table.most = -1;
    for (uint32_t i = 0; i < of->timeline->heaps.count && done; i++)
        done = add_owners(of, i);
    table_end(&of->table);
    return done;
}

static bool add_leaks(struct memory_sheet *of)
{
    static const struct table_column columns[] = {{"memory", "Memory"},
                                                  {"bytes", "Bytes"},
                                                  {"allocations", "Allocations"},
                                                  {"path", "Allocated in"},
                                                  {"after_ns", "First after"},
                                                  {"tid", "Thread"},
                                                  {0}};
    const struct timeline *timeline = of->timeline;
    struct memory_sites sites;
    if (!memory_sites_init(&sites, timeline, TL_NONE, TL_NONE))
        return false;
    table_begin(&of->table, "not_freed", "Not freed by the end of the trace", columns);
    for (uint32_t i = 0; i < sites.sites.count; i++) {
        const struct tl_memory *first = &timeline->memories.at[sites.sites.at[i].memory];
        if (!table_row(&of->table))
            continue;
        add_site(of, &sites, i);
        table_ns(&of->table, first->start_ns - timeline->origin_ns);
        if (first->thread == TL_NONE)
            table_unknown(&of->table);
        else
            table_count(&of->table, timeline->threads.at[first->thread].tid);
    }
    table_end(&of->table);
    memory_sites_fini(&sites);
    return true;
}

static void add_range(struct memory_sheet *of, const struct memory_ranges *ranges,
                      const struct memory_range *row, enum memory_side side)
{
    const struct memory_amounts *total = &row->total[side], *self = &row->self[side];
    struct table *table = &of->table;
    if (!total->allocations && !total->frees && !self->allocations && !self->frees)
        return;
    if (!table_row(table))
        return;
    table_text(table, key_names_text(&ranges->keys, row->key));
    table_string(table, side == MEMORY_CUDA ? "cuda" : "host");
    table_count(table, row->count), table_count(table, total->allocations);
    table_bytes(table, total->allocated_bytes), table_bytes(table, total->freed_bytes);
    table_signed_bytes(table, memory_net(total)), table_signed_bytes(table, memory_net(self));
    table_bytes(table, row->peak_bytes[side]);
}

static bool add_ranges(struct memory_sheet *of)
{
    static const struct table_column columns[] = {{"name", "Range"},
                                                  {"side", "Memory"},
                                                  {"count", "Calls"},
                                                  {"allocations", "Allocations"},
                                                  {"allocated_bytes", "Allocated"},
                                                  {"freed_bytes", "Freed"},
                                                  {"net_bytes", "Net"},
                                                  {"self_net_bytes", "Self net"},
                                                  {"peak_bytes", "Peak in use"},
                                                  {0}};
    struct memory_ranges ranges;
    if (!memory_ranges_init(&ranges, of->timeline))
        return false;
    table_begin(&of->table, "ranges", "Ranges", columns);
    for (unsigned side = MEMORY_SIDES; side-- > 0;)
        for (uint32_t i = 0; i < ranges.count; i++)
            add_range(of, &ranges, &ranges.rows[i], (enum memory_side)side);
    table_end(&of->table);
    memory_ranges_fini(&ranges);
    return true;
}

/* Before CUDA 11.6 CUPTI does not say what is used. */
static void add_used(struct memory_sheet *of, uint64_t bytes)
{
    if (bytes)
        table_bytes(&of->table, bytes);
    else
        table_unknown(&of->table);
}

static void add_pools(struct memory_sheet *of)
{
    static const struct table_column columns[] = {{"address", "Pool"},
                                                  {"device", "Device"},
                                                  {"peak_bytes", "Reserved at most"},
                                                  {"peak_used_bytes", "Used at most"},
                                                  {"last_bytes", "Reserved at last"},
                                                  {"last_used_bytes", "Used at last"},
                                                  {"trims", "Trims"},
                                                  {"destroyed", "Destroyed"},
                                                  {0}};
    table_begin(&of->table, "pools", "Memory pools", columns);
    for (uint32_t i = 0; i < of->timeline->pools.count; i++) {
        const struct tl_pool *pool = &of->timeline->pools.at[i];
        char address[24];
        if (!table_row(&of->table))
            continue;
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)pool->address);
        table_string(&of->table, address);
        add_device(of, pool->device);
        table_bytes(&of->table, pool->peak_bytes), add_used(of, pool->peak_used_bytes);
        table_bytes(&of->table, pool->last_bytes), add_used(of, pool->last_used_bytes);
        table_count(&of->table, pool->trims);
        table_string(&of->table, pool->end_ns == INT64_MAX ? "no" : "yes");
    }
    table_end(&of->table);
}

static void add_migration(struct memory_sheet *of, const struct migration_row *row)
{
    const struct migration_amounts *amounts = &row->amounts;
    struct table *table = &of->table;
    table_bytes(table, amounts->htod_bytes), table_bytes(table, amounts->dtoh_bytes);
    table_bytes(table, amounts->dtod_bytes), table_ns(table, amounts->moving_ns);
    table_count(table, amounts->gpu_faults), table_count(table, amounts->cpu_faults);
}

#define MIGRATION_COLUMNS                                                                    \
    {"htod_bytes", "HtoD"}, {"dtoh_bytes", "DtoH"}, {"dtod_bytes", "DtoD"},                  \
        {"moving_ns", "Moving"}, {"gpu_faults", "GPU faults"}, {"cpu_faults", "CPU faults"}, \
    {                                                                                        \
        0                                                                                    \
    }

static bool add_migrations(struct memory_sheet *of)
{
    static const struct table_column of_devices[] = {{"device", "Device (none: host)"},
                                                     MIGRATION_COLUMNS};
    static const struct table_column of_ranges[] = {{"name", "Range"}, MIGRATION_COLUMNS};
    const struct timeline *timeline = of->timeline;
    struct migrations migrations;
    if (!migrations_init(&migrations, timeline))
        return false;
    table_begin(&of->table, "managed_devices", "Managed memory by device", of_devices);
    for (uint32_t i = 0; i < migrations.devices.count; i++)
        if (table_row(&of->table)) {
            add_device(of, migrations.devices.at[i].device);
            add_migration(of, &migrations.devices.at[i]);
        }
    table_end(&of->table);
    table_begin(&of->table, "managed_ranges", "Managed memory by range", of_ranges);
    for (uint32_t i = 0; i < migrations.ranges.count; i++) {
        uint32_t name = migrations.ranges.at[i].name;
        if (!table_row(&of->table))
            continue;
        if (name < timeline->names.count)
            table_text(&of->table, timeline->names.at[name]);
        else
            table_none(&of->table);
        add_migration(of, &migrations.ranges.at[i]);
    }
    table_end(&of->table);
    migrations_fini(&migrations);
    return true;
}

static bool add_tables(struct table *table, void *user)
{
    struct memory_sheet *of = user;
    int64_t most = table->most;
    add_heaps(of);
    bool done = add_peaks(of);
    table->most = most;
    done = done && add_leaks(of) && add_ranges(of);
    if (done)
        add_pools(of);
    return done && add_migrations(of);
}

bool memory_sheet(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream)
{
    struct memory_sheet of = {
        .table = {.format = format, .stream = stream, .most = options->rows, .unit = options->unit},
        .timeline = timeline};
    errno = ENOMEM;
    bool done = memory_use_init(&of.use, timeline) && table_write(&of.table, add_tables, &of);
    memory_use_fini(&of.use);
    return done;
}
