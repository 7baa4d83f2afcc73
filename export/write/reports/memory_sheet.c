/* memory_sheet.c - profdump memory as tables: heaps, owners of their peaks, what was never freed, ranges,
 * pools, managed memory. */
#include "memory_label.h"
#include "memory_use.h"
#include "migrations.h"
#include "sheet.h"
#include "table_sheets.h"

#include <errno.h>

#define PEAK_OWNERS 5u

struct memory_sheet {
    struct sheet sheet;
    const struct timeline *timeline;
    struct memory_use use;
};

static void add_label(struct memory_sheet *of, uint32_t heap)
{
    char label[MEMORY_LABEL_BYTES];
    memory_label(of->timeline, heap, label);
    sheet_string(&of->sheet, label);
}

static void add_path(struct memory_sheet *of, const struct memory_sites *sites, uint32_t path)
{
    char text[MEMORY_PATH_BYTES];
    memory_path_text(of->timeline, sites, path, text);
    sheet_string(&of->sheet, text);
}

static void add_device(struct memory_sheet *of, uint32_t device)
{
    if (device == TL_NONE)
        sheet_none(&of->sheet); /* the host */
    else
        sheet_count(&of->sheet, device);
}

static void add_heaps(struct memory_sheet *of)
{
    static const struct sheet_column columns[] = {{"memory", "Memory"},
                                                  {"pid", "Pid"},
                                                  {"allocations", "Allocations"},
                                                  {"frees", "Frees"},
                                                  {"allocated_bytes", "Allocated"},
                                                  {"freed_bytes", "Freed"},
                                                  {"live_bytes", "Live at end"},
                                                  {"peak_bytes", "Peak"},
                                                  {0}};
    struct sheet *sheet = &of->sheet;
    sheet_begin(sheet, "heaps", "Memory", columns);
    for (uint32_t i = 0; i < of->timeline->heaps.count; i++) {
        const struct memory_heap_use *use = &of->use.heaps[i];
        uint32_t process = of->timeline->heaps.at[i].process;
        sheet_row(sheet);
        add_label(of, i);
        sheet_count(sheet, of->timeline->processes.at[process].info.pid);
        sheet_count(sheet, use->allocations), sheet_count(sheet, use->frees);
        sheet_bytes(sheet, use->allocated_bytes), sheet_bytes(sheet, use->freed_bytes);
        sheet_bytes(sheet, use->live_bytes), sheet_bytes(sheet, use->peak_bytes);
    }
    sheet_end(sheet);
}

static void add_site(struct memory_sheet *of, const struct memory_sites *sites, uint32_t i)
{
    const struct memory_site *site = &sites->sites.at[i];
    add_label(of, site->heap);
    sheet_bytes(&of->sheet, site->bytes);
    sheet_count(&of->sheet, site->count);
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
        sheet_row(&of->sheet);
        add_site(of, &sites, i);
        sheet_ns(&of->sheet, of->use.heaps[heap].peak_ns - of->timeline->origin_ns);
    }
    memory_sites_fini(&sites);
    return true;
}

static bool add_peaks(struct memory_sheet *of)
{
    static const struct sheet_column columns[] = {
        {"memory", "Memory"}, {"bytes", "Bytes"}, {"allocations", "Allocations"},
        {"path", "Owned by"}, {"after_ns", "At"}, {0}};
    bool done = true;
    sheet_begin(&of->sheet, "peak_owners", "Who owned the peaks, the five largest of each",
                columns);
    of->sheet.most = -1;
    for (uint32_t i = 0; i < of->timeline->heaps.count && done; i++)
        done = add_owners(of, i);
    sheet_end(&of->sheet);
    return done;
}

static bool add_leaks(struct memory_sheet *of)
{
    static const struct sheet_column columns[] = {{"memory", "Memory"},
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
    sheet_begin(&of->sheet, "not_freed", "Not freed by the end of the trace", columns);
    for (uint32_t i = 0; i < sites.sites.count; i++) {
        const struct tl_memory *first = &timeline->memories.at[sites.sites.at[i].memory];
        if (!sheet_row(&of->sheet))
            continue;
        add_site(of, &sites, i);
        sheet_ns(&of->sheet, first->start_ns - timeline->origin_ns);
        if (first->thread == TL_NONE)
            sheet_unknown(&of->sheet);
        else
            sheet_count(&of->sheet, timeline->threads.at[first->thread].tid);
    }
    sheet_end(&of->sheet);
    memory_sites_fini(&sites);
    return true;
}

static void add_range(struct memory_sheet *of, const struct memory_ranges *ranges,
                      const struct memory_range *row, enum memory_side side)
{
    const struct memory_amounts *total = &row->total[side], *self = &row->self[side];
    struct sheet *sheet = &of->sheet;
    if (!total->allocations && !total->frees && !self->allocations && !self->frees)
        return;
    if (!sheet_row(sheet))
        return;
    sheet_text(sheet, key_names_text(&ranges->keys, row->key));
    sheet_string(sheet, side == MEMORY_CUDA ? "cuda" : "host");
    sheet_count(sheet, row->count), sheet_count(sheet, total->allocations);
    sheet_bytes(sheet, total->allocated_bytes), sheet_bytes(sheet, total->freed_bytes);
    sheet_signed_bytes(sheet, memory_net(total)), sheet_signed_bytes(sheet, memory_net(self));
    sheet_bytes(sheet, row->peak_bytes[side]);
}

static bool add_ranges(struct memory_sheet *of)
{
    static const struct sheet_column columns[] = {{"name", "Range"},
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
    sheet_begin(&of->sheet, "ranges", "Ranges", columns);
    for (unsigned side = MEMORY_SIDES; side-- > 0;)
        for (uint32_t i = 0; i < ranges.count; i++)
            add_range(of, &ranges, &ranges.rows[i], (enum memory_side)side);
    sheet_end(&of->sheet);
    memory_ranges_fini(&ranges);
    return true;
}

/* Before CUDA 11.6 CUPTI does not say what is used. */
static void add_used(struct memory_sheet *of, uint64_t bytes)
{
    if (bytes)
        sheet_bytes(&of->sheet, bytes);
    else
        sheet_unknown(&of->sheet);
}

static void add_pools(struct memory_sheet *of)
{
    static const struct sheet_column columns[] = {{"address", "Pool"},
                                                  {"device", "Device"},
                                                  {"peak_bytes", "Reserved at most"},
                                                  {"peak_used_bytes", "Used at most"},
                                                  {"last_bytes", "Reserved at last"},
                                                  {"last_used_bytes", "Used at last"},
                                                  {"trims", "Trims"},
                                                  {"destroyed", "Destroyed"},
                                                  {0}};
    sheet_begin(&of->sheet, "pools", "Memory pools", columns);
    for (uint32_t i = 0; i < of->timeline->pools.count; i++) {
        const struct tl_pool *pool = &of->timeline->pools.at[i];
        char address[24];
        if (!sheet_row(&of->sheet))
            continue;
        snprintf(address, sizeof address, "0x%llx", (unsigned long long)pool->address);
        sheet_string(&of->sheet, address);
        add_device(of, pool->device);
        sheet_bytes(&of->sheet, pool->peak_bytes), add_used(of, pool->peak_used_bytes);
        sheet_bytes(&of->sheet, pool->last_bytes), add_used(of, pool->last_used_bytes);
        sheet_count(&of->sheet, pool->trims);
        sheet_string(&of->sheet, pool->end_ns == INT64_MAX ? "no" : "yes");
    }
    sheet_end(&of->sheet);
}

static void add_migration(struct memory_sheet *of, const struct migration_row *row)
{
    const struct migration_amounts *amounts = &row->amounts;
    struct sheet *sheet = &of->sheet;
    sheet_bytes(sheet, amounts->htod_bytes), sheet_bytes(sheet, amounts->dtoh_bytes);
    sheet_bytes(sheet, amounts->dtod_bytes), sheet_ns(sheet, amounts->moving_ns);
    sheet_count(sheet, amounts->gpu_faults), sheet_count(sheet, amounts->cpu_faults);
}

#define MIGRATION_COLUMNS                                                                    \
    {"htod_bytes", "HtoD"}, {"dtoh_bytes", "DtoH"}, {"dtod_bytes", "DtoD"},                  \
        {"moving_ns", "Moving"}, {"gpu_faults", "GPU faults"}, {"cpu_faults", "CPU faults"}, \
    {                                                                                        \
        0                                                                                    \
    }

static bool add_migrations(struct memory_sheet *of)
{
    static const struct sheet_column of_devices[] = {{"device", "Device (none: host)"},
                                                     MIGRATION_COLUMNS};
    static const struct sheet_column of_ranges[] = {{"name", "Range"}, MIGRATION_COLUMNS};
    const struct timeline *timeline = of->timeline;
    struct migrations migrations;
    if (!migrations_init(&migrations, timeline))
        return false;
    sheet_begin(&of->sheet, "managed_devices", "Managed memory by device", of_devices);
    for (uint32_t i = 0; i < migrations.devices.count; i++)
        if (sheet_row(&of->sheet)) {
            add_device(of, migrations.devices.at[i].device);
            add_migration(of, &migrations.devices.at[i]);
        }
    sheet_end(&of->sheet);
    sheet_begin(&of->sheet, "managed_ranges", "Managed memory by range", of_ranges);
    for (uint32_t i = 0; i < migrations.ranges.count; i++) {
        uint32_t name = migrations.ranges.at[i].name;
        if (!sheet_row(&of->sheet))
            continue;
        if (name < timeline->names.count)
            sheet_text(&of->sheet, timeline->names.at[name]);
        else
            sheet_none(&of->sheet);
        add_migration(of, &migrations.ranges.at[i]);
    }
    sheet_end(&of->sheet);
    migrations_fini(&migrations);
    return true;
}

static bool add_tables(struct sheet *sheet, void *user)
{
    struct memory_sheet *of = user;
    int64_t most = sheet->most;
    add_heaps(of);
    bool done = add_peaks(of);
    sheet->most = most;
    done = done && add_leaks(of) && add_ranges(of);
    if (done)
        add_pools(of);
    return done && add_migrations(of);
}

bool memory_sheet(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream)
{
    struct memory_sheet of = {
        .sheet = {.format = format, .stream = stream, .most = options->rows, .unit = options->unit},
        .timeline = timeline};
    errno = ENOMEM;
    bool done = memory_use_init(&of.use, timeline) && sheet_write(&of.sheet, add_tables, &of);
    memory_use_fini(&of.use);
    return done;
}
