/* memory_report.c - profdump memory: heaps, who owned them at their peaks, what was never freed,
 * ranges, pools, managed memory. In JSON, all amounts in bytes, all times in ns from the trace's
 * time 0:
 *
 *     heaps[]   pid, device (-1: none), kind, allocator (or null), allocations, frees,
 *               allocated_bytes, freed_bytes, live, live_bytes, peak_bytes, peak_ns,
 *               peak_owners[]: bytes, count, path[]
 *     leaks[]   bytes, count, heap (index), path[], first_ns, tid
 *     ranges[]  name, count, cpu{} and cuda{}: allocations, frees, allocated_bytes, freed_bytes,
 *               net_bytes, self_net_bytes, peak_bytes
 *     pools[]   pid, device, address, peak_bytes, peak_used_bytes, last_bytes, last_used_bytes,
 *               release_threshold, trims, destroyed
 *     managed   devices[], ranges[]: what moved and faulted
 *     unknown_frees, reused_addresses
 *     complete  false: something was lost while recording, memory perhaps among it
 */
#include "evidence.h"
#include "reports.h"

#include "fit.h"
#include "memory_use.h"
#include "report_cells.h"
#include "report_parts.h"
#include "run_facts.h"
#include "table.h"
#include "text.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define LABEL_COLUMNS 40u
#define PATH_COLUMNS 120u
#define PATH_DEPTH_MAX 256u
#define PEAK_OWNERS 5u

struct report {
    const struct timeline *timeline;
    struct memory_use use;
    struct table table;
    int64_t rows; /* of a list at most; -1 all */
};

static bool is_text(const struct report *report)
{
    return report->table.format == WRITE_TEXT;
}

static bool is_json(const struct report *report)
{
    return report->table.format == WRITE_JSON;
}

/* ---- cells ---- */

static void add_label(struct report *report, struct table *table, uint32_t heap)
{
    char label[MEMORY_LABEL_BYTES];
    memory_label(report->timeline, heap, label);
    table_string(table, label);
}

static void add_pid(struct report *report, uint32_t process)
{
    table_count(&report->table, report->timeline->processes.at[process].info.pid);
}

/* Two columns: the host is -1 in JSON and no device elsewhere. */
static void add_device(struct report *report, uint32_t device)
{
    table_int(&report->table, device == TL_NONE ? -1 : (int64_t)device);
    if (device == TL_NONE)
        table_none(&report->table);
    else
        table_count(&report->table, device);
}

#define DEVICE_COLUMNS(title)                            \
    {"device", .in = TABLE_IN_JSON},                     \
    {                                                    \
        "device", title, TABLE_BUT_JSON & ~TABLE_IN_TEXT \
    }

static void add_name(struct report *report, uint32_t name)
{
    if (name < report->timeline->names.count)
        table_text(&report->table, report->timeline->names.at[name]);
    else
        table_none(&report->table);
}

/* Outermost first. */
static void path_json(const struct report *report, const struct memory_sites *sites, uint32_t path,
                      struct json_out *out)
{
    const struct timeline *timeline = report->timeline;
    uint32_t chain[PATH_DEPTH_MAX], depth = 0;
    for (; path != TL_NONE && depth < PATH_DEPTH_MAX; path = sites->paths.at[path].parent)
        chain[depth++] = sites->paths.at[path].name;
    json_array_begin(out);
    while (depth-- > 0)
        json_text(out, chain[depth] < timeline->names.count ? timeline->names.at[chain[depth]]
                                                            : (struct text){"", 0});
    json_array_end(out);
}

static void add_path(struct report *report, struct table *table, const struct memory_sites *sites,
                     uint32_t path)
{
    char text[MEMORY_PATH_BYTES];
    struct json_out *out = is_json(report) ? table_json(table) : NULL;
    if (out) {
        path_json(report, sites, path, out);
        return;
    }
    memory_path_text(report->timeline, sites, path, text);
    table_string(table, text);
}

/* ---- lines for people ---- */

static void print_text(const struct report *report, const char *text, unsigned columns)
{
    char shown[SHOW_TEXT_BYTES(PATH_COLUMNS)];
    bool rest;
    show_text((struct text){text, strlen(text)}, columns, shown, &rest);
    fprintf(report->table.stream, "%s%s", shown, rest ? "..." : "");
}

static void print_label(const struct report *report, uint32_t heap)
{
    char label[MEMORY_LABEL_BYTES];
    memory_label(report->timeline, heap, label);
    print_text(report, label, LABEL_COLUMNS);
}

static void print_bytes(const struct report *report, const char *before, uint64_t bytes)
{
    char text[BYTES_TEXT_BYTES];
    bytes_text(bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, text);
    fprintf(report->table.stream, "%s%s", before, text);
}

static void print_site(const struct report *report, const struct memory_sites *sites, uint32_t i)
{
    const struct memory_site *site = &sites->sites.at[i];
    char amount[BYTES_TEXT_BYTES], path[MEMORY_PATH_BYTES];
    bytes_text((int64_t)site->bytes, amount);
    memory_path_text(report->timeline, sites, site->path, path);
    fprintf(report->table.stream, "  %12s  %8llu  ", amount, (unsigned long long)site->count);
    print_text(report, path, PATH_COLUMNS);
}

/* ---- heaps and their peaks ---- */

/* In JSON owners are in the row of their heap, else in a table; as text, in lines. */
static void add_site(struct report *report, struct table *table, const struct memory_sites *sites,
                     uint32_t i)
{
    const struct memory_site *site = &sites->sites.at[i];
    add_label(report, table, site->heap);
    table_bytes(table, site->bytes);
    table_count(table, site->count);
    add_path(report, table, sites, site->path);
}

static const struct table_column owner_columns[] = {{"memory", "Memory", TABLE_BUT_JSON},
                                                    {"bytes", "Bytes"},
                                                    {"allocations", "Allocations", .json = "count"},
                                                    {"path", "Owned by"},
                                                    {"after_ns", "At", TABLE_BUT_JSON},
                                                    {0}};

static void add_owners(struct report *report, struct table *table, const struct memory_sites *sites,
                       int64_t peak_ns)
{
    for (uint32_t i = 0; i < sites->sites.count && i < PEAK_OWNERS; i++) {
        table_row(table);
        add_site(report, table, sites, i);
        table_ns(table, peak_ns - report->timeline->origin_ns);
    }
}

static void print_peak(const struct report *report, uint32_t heap, const struct memory_sites *sites)
{
    const struct memory_heap_use *use = &report->use.heaps[heap];
    FILE *stream = report->table.stream;
    char when[TIME_TEXT_BYTES];
    time_text((double)(use->peak_ns - report->timeline->origin_ns), when);
    fprintf(stream, "\nPeak of ");
    print_label(report, heap);
    print_bytes(report, ": ", use->peak_bytes);
    fprintf(stream, " after %s, owned by\n", when);
    for (uint32_t i = 0; i < sites->sites.count && i < PEAK_OWNERS; i++) {
        print_site(report, sites, i);
        fputc('\n', stream);
    }
    if (sites->sites.count > PEAK_OWNERS)
        fprintf(stream, "  ... and %u more\n", sites->sites.count - PEAK_OWNERS);
}

/* Adds them to the table, which is NULL as text. False: no memory. */
static bool show_peak(struct report *report, uint32_t heap, struct table *table)
{
    const struct memory_heap_use *use = &report->use.heaps[heap];
    struct memory_sites sites;
    if (use->peak_event == TL_NONE)
        return true;
    if (!memory_sites_init(&sites, report->timeline, use->peak_event, heap))
        return false;
    if (table)
        add_owners(report, table, &sites, use->peak_ns);
    else
        print_peak(report, heap, &sites);
    memory_sites_fini(&sites);
    return true;
}

static bool nest_owners(struct report *report, uint32_t heap)
{
    struct json_out *out = is_json(report) ? table_json(&report->table) : NULL;
    if (!out)
        return true;
    struct table owners = table_in_json(out, NULL);
    table_begin(&owners, NULL, NULL, owner_columns);
    bool done = show_peak(report, heap, &owners);
    table_end(&owners);
    return done;
}

static bool add_heap(struct report *report, uint32_t i)
{
    const struct tl_heap *heap = &report->timeline->heaps.at[i];
    const struct memory_heap_use *use = &report->use.heaps[i];
    struct table *table = &report->table;
    table_row(table);
    add_label(report, table, i);
    add_pid(report, heap->process);
    table_int(table, heap->device == TL_NONE ? -1 : (int64_t)heap->device);
    add_name(report, heap->allocator ? TL_NONE : heap->name);
    add_name(report, heap->allocator ? heap->name : TL_NONE);
    table_count(table, use->allocations), table_count(table, use->frees);
    table_bytes(table, use->allocated_bytes), table_bytes(table, use->freed_bytes);
    table_count(table, use->live);
    table_bytes(table, use->live_bytes), table_bytes(table, use->peak_bytes);
    table_int(table, use->peak_ns);
    return nest_owners(report, i);
}

static bool add_heaps(struct report *report)
{
    static const struct table_column columns[] = {
        {"memory", "Memory", TABLE_BUT_JSON, .width = 32},
        {"pid", .in = TABLE_FOR_PROGRAMS},
        {"device", .in = TABLE_IN_JSON},
        {"kind", .in = TABLE_IN_JSON},
        {"allocator", .in = TABLE_IN_JSON},
        {"allocations", "Allocations", .rank = 1, .width = 12},
        {"frees", "Frees", .rank = 3, .width = 12},
        {"allocated_bytes", "Allocated", .rank = 2, .width = 12},
        {"freed_bytes", "Freed", .rank = 3, .width = 12},
        {"live", .in = TABLE_IN_JSON},
        {"live_bytes", "Live at end", .width = 12},
        {"peak_bytes", "Peak", .width = 12},
        {"peak_ns", .in = TABLE_IN_JSON},
        {"peak_owners", .in = TABLE_IN_JSON},
        {0}};
    bool done = true;
    report->table.most = report->table.format == WRITE_MARKDOWN ? report->rows : -1;
    table_begin(&report->table, "heaps", "Memory", columns);
    for (uint32_t i = 0; i < report->timeline->heaps.count && done; i++)
        done = add_heap(report, i);
    table_end(&report->table);
    return done;
}

static bool add_peaks(struct report *report)
{
    struct table *table = is_text(report) ? NULL : &report->table;
    bool done = true;
    if (table) {
        table->most = -1;
        table_begin(table, "peak_owners", "Who owned the peaks, the five largest of each",
                    owner_columns);
    }
    for (uint32_t i = 0; i < report->timeline->heaps.count && done; i++)
        done = show_peak(report, i, table);
    if (table)
        table_end(table);
    return done;
}

/* ---- what was never freed ---- */

/* A program that was killed, or still runs, might have freed more. */
static const char *leak_title(const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        if (!timeline->processes.at[i].info.closed)
            return "Not freed by the end of the trace";
    return "Never freed";
}

static void print_leak(const struct report *report, const struct memory_sites *sites, uint32_t i)
{
    const struct timeline *timeline = report->timeline;
    const struct memory_site *site = &sites->sites.at[i];
    const struct tl_memory *first = &timeline->memories.at[site->memory];
    FILE *stream = report->table.stream;
    char when[TIME_TEXT_BYTES];
    time_text((double)(first->start_ns - timeline->origin_ns), when);
    print_site(report, sites, i);
    fprintf(stream, "  [");
    print_label(report, site->heap);
    fprintf(stream, ", first after %s", when);
    if (first->thread != TL_NONE)
        fprintf(stream, " on thread %" PRIu64, timeline->threads.at[first->thread].tid);
    fprintf(stream, "]\n");
}

static void print_leaks(const struct report *report, const struct memory_sites *sites)
{
    FILE *stream = report->table.stream;
    fprintf(stream, "\n%s: ", leak_title(report->timeline));
    if (sites->count) {
        fprintf(stream, "%llu allocation%s", (unsigned long long)sites->count,
                sites->count == 1 ? "" : "s");
        print_bytes(report, ", ", sites->bytes);
    } else if (!sites->kept_bytes) {
        fputs("nothing", stream);
    }
    if (sites->kept_bytes) {
        print_bytes(report, sites->count ? ", in " : "", sites->kept_bytes);
        fputs(" that allocators keep", stream);
    }
    fputc('\n', stream);
    for (uint32_t i = 0; i < sites->sites.count && (report->rows < 0 || i < report->rows); i++)
        print_leak(report, sites, i);
    cell_rest(report->table.stream, sites->sites.count, report->rows);
}

static void add_leak(struct report *report, const struct memory_sites *sites, uint32_t i)
{
    const struct timeline *timeline = report->timeline;
    const struct tl_memory *first = &timeline->memories.at[sites->sites.at[i].memory];
    struct table *table = &report->table;
    if (!table_row(table))
        return;
    add_site(report, table, sites, i);
    table_count(table, sites->sites.at[i].heap);
    table_int(table, first->start_ns);
    table_ns(table, first->start_ns - timeline->origin_ns);
    if (first->thread == TL_NONE)
        table_absent(table);
    else
        table_count(table, timeline->threads.at[first->thread].tid);
}

static bool add_leaks(struct report *report)
{
    static const struct table_column columns[] = {{"memory", "Memory", TABLE_BUT_JSON},
                                                  {"bytes", "Bytes"},
                                                  {"allocations", "Allocations", .json = "count"},
                                                  {"path", "Allocated in"},
                                                  {"heap", .in = TABLE_IN_JSON},
                                                  {"first_ns", .in = TABLE_IN_JSON},
                                                  {"after_ns", "First after", TABLE_BUT_JSON},
                                                  {"tid", "Thread"},
                                                  {0}};
    struct memory_sites sites;
    if (!memory_sites_init(&sites, report->timeline, TL_NONE, TL_NONE))
        return false;
    if (is_text(report)) {
        print_leaks(report, &sites);
    } else {
        table_begin(&report->table, is_json(report) ? "leaks" : "not_freed",
                    "Not freed by the end of the trace", columns);
        for (uint32_t i = 0; i < sites.sites.count; i++)
            add_leak(report, &sites, i);
        table_end(&report->table);
    }
    memory_sites_fini(&sites);
    return true;
}

/* ---- pools ---- */

/* Before CUDA 11.6 CUPTI does not say what is used. */
static void print_used(const struct report *report, uint64_t bytes)
{
    if (bytes)
        print_bytes(report, ", of it used ", bytes);
}

static void print_pool(const struct report *report, const struct tl_pool *pool)
{
    FILE *stream = report->table.stream;
    fprintf(stream, "  0x%llx", (unsigned long long)pool->address);
    if (pool->device != TL_NONE)
        fprintf(stream, " on device %u", pool->device);
    print_bytes(report, ": reserved at most ", pool->peak_bytes);
    print_used(report, pool->peak_used_bytes);
    print_bytes(report, "; at last ", pool->last_bytes);
    print_used(report, pool->last_used_bytes);
    if (pool->trims)
        fprintf(stream, "; trimmed %u time%s", pool->trims, pool->trims == 1 ? "" : "s");
    fprintf(stream, "%s\n", pool->end_ns == INT64_MAX ? "" : "; destroyed");
}

static void print_pools(const struct report *report)
{
    uint32_t count = report->timeline->pools.count;
    if (count)
        fprintf(report->table.stream, "\nMemory pools:\n");
    for (uint32_t i = 0; i < count && (report->rows < 0 || i < report->rows); i++)
        print_pool(report, &report->timeline->pools.at[i]);
    cell_rest(report->table.stream, count, report->rows);
}

static void add_used(struct report *report, uint64_t bytes)
{
    if (bytes || is_json(report))
        table_bytes(&report->table, bytes);
    else
        table_unknown(&report->table);
}

static void add_pool(struct report *report, const struct tl_pool *pool)
{
    struct table *table = &report->table;
    char address[24];
    if (!table_row(table))
        return;
    snprintf(address, sizeof address, "0x%llx", (unsigned long long)pool->address);
    add_pid(report, pool->process);
    table_string(table, address);
    add_device(report, pool->device);
    table_count(table, pool->address);
    table_bytes(table, pool->peak_bytes), add_used(report, pool->peak_used_bytes);
    table_bytes(table, pool->last_bytes), add_used(report, pool->last_used_bytes);
    table_count(table, pool->release_threshold);
    table_count(table, pool->trims);
    table_bool(table, pool->end_ns != INT64_MAX);
}

static void add_pools(struct report *report)
{
    static const struct table_column columns[] = {{"pid", .in = TABLE_IN_JSON},
                                                  {"address", "Pool", TABLE_BUT_JSON},
                                                  DEVICE_COLUMNS("Device"),
                                                  {"address", .in = TABLE_IN_JSON},
                                                  {"peak_bytes", "Reserved at most"},
                                                  {"peak_used_bytes", "Used at most"},
                                                  {"last_bytes", "Reserved at last"},
                                                  {"last_used_bytes", "Used at last"},
                                                  {"release_threshold", .in = TABLE_IN_JSON},
                                                  {"trims", "Trims"},
                                                  {"destroyed", "Destroyed"},
                                                  {0}};
    if (is_text(report)) {
        print_pools(report);
        return;
    }
    table_begin(&report->table, "pools", "Memory pools", columns);
    for (uint32_t i = 0; i < report->timeline->pools.count; i++)
        add_pool(report, &report->timeline->pools.at[i]);
    table_end(&report->table);
}

/* ---- managed memory ---- */

#define MIGRATION_COLUMNS                                                                          \
    {"htod", .in = TABLE_IN_JSON}, {"htod_bytes", "HtoD", .width = 12},                            \
        {"dtoh", .in = TABLE_IN_JSON}, {"dtoh_bytes", "DtoH", .width = 12},                        \
        {"dtod", .in = TABLE_IN_JSON}, {"dtod_bytes", "DtoD", .rank = 2, .width = 12},             \
        {"moving_ns", "Moving", .width = 12},                                                      \
        {"gpu_faults", "GPU faults", .rank = 1, .width = 12},                                      \
        {"cpu_faults", "CPU faults", .rank = 1, .width = 12}, {"thrashings", .in = TABLE_IN_JSON}, \
        {"throttlings", .in = TABLE_IN_JSON}, {"remote_maps", .in = TABLE_IN_JSON},                \
    {                                                                                              \
        0                                                                                          \
    }

static void add_migration(struct table *table, const struct migration_amounts *amounts)
{
    table_count(table, amounts->htod), table_bytes(table, amounts->htod_bytes);
    table_count(table, amounts->dtoh), table_bytes(table, amounts->dtoh_bytes);
    table_count(table, amounts->dtod), table_bytes(table, amounts->dtod_bytes);
    table_ns(table, amounts->moving_ns);
    table_count(table, amounts->gpu_faults), table_count(table, amounts->cpu_faults);
    table_count(table, amounts->thrashings), table_count(table, amounts->throttlings);
    table_count(table, amounts->remote_maps);
}

/* As text, devices and ranges are one table, which names both. */
static void add_migration_device(struct report *report, const struct migration_row *row)
{
    char text[48] = "Host";
    if (row->device != TL_NONE)
        snprintf(text, sizeof text, "Device %u", row->device);
    if (!table_row(&report->table))
        return;
    table_string(&report->table, text);
    add_pid(report, row->process);
    add_device(report, row->device);
    add_migration(&report->table, &row->amounts);
}

static void add_migration_range(struct report *report, const struct migration_row *row)
{
    if (!table_row(&report->table))
        return;
    if (is_text(report) && row->name >= report->timeline->names.count)
        table_string(&report->table, "(outside of any range)");
    else
        add_name(report, row->name);
    for (unsigned i = 0; i < 3 && is_text(report); i++)
        table_none(&report->table); /* the columns of devices */
    add_migration(&report->table, &row->amounts);
}

static void add_both(struct report *report, const struct migrations *migrations)
{
    static const struct table_column of_devices[] = {
        {"name", "Managed memory", TABLE_IN_TEXT, .width = LABEL_COLUMNS},
        {"pid", .in = TABLE_IN_JSON},
        DEVICE_COLUMNS("Device (none: host)"),
        MIGRATION_COLUMNS};
    static const struct table_column of_ranges[] = {{"name", "Range"}, MIGRATION_COLUMNS};
    struct table *table = &report->table;
    table->most = report->table.format == WRITE_MARKDOWN ? report->rows : -1;
    table_begin(table, is_json(report) ? "devices" : "managed_devices", "Managed memory by device",
                of_devices);
    for (uint32_t i = 0; i < migrations->devices.count; i++)
        add_migration_device(report, &migrations->devices.at[i]);
    table->most = report->rows;
    if (is_text(report)) {
        table->rows = 0;
    } else {
        table_end(table);
        table_begin(table, is_json(report) ? "ranges" : "managed_ranges", "Managed memory by range",
                    of_ranges);
    }
    for (uint32_t i = 0; i < migrations->ranges.count; i++)
        add_migration_range(report, &migrations->ranges.at[i]);
    table_end(table);
}

static bool add_migrations(struct report *report)
{
    struct migrations migrations;
    struct json_out *out = report->table.json;
    if (is_text(report) && report->timeline->migrations.count == 0)
        return true;
    if (!migrations_init(&migrations, report->timeline))
        return false;
    if (is_text(report))
        fputc('\n', report->table.stream);
    if (is_json(report))
        json_newline(out), json_key(out, "managed"), json_object_begin(out);
    add_both(report, &migrations);
    if (is_json(report))
        json_object_end(out);
    if (is_text(report))
        cell_rest(report->table.stream, migrations.ranges.count, report->rows);
    migrations_fini(&migrations);
    return true;
}

/* ---- what is odd ---- */

struct anomalies {
    uint64_t unknown_frees, reused_addresses, from_calls;
    bool lost_anything;
};

static struct anomalies anomalies_of(const struct timeline *timeline)
{
    struct anomalies odd = {0};
    struct run_facts facts;
    run_facts_init(&facts, timeline);
    odd.lost_anything = facts.lost_anything;
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        odd.unknown_frees += timeline->processes.at[i].odd.unknown_frees;
        odd.reused_addresses += timeline->processes.at[i].odd.reused_addresses;
    }
    for (uint32_t i = 0; i < timeline->memories.count; i++)
        odd.from_calls += (timeline->memories.at[i].flags & TL_MEMORY_FROM_CALL) != 0;
    return odd;
}

static void print_notes(const struct report *report)
{
    struct anomalies odd = anomalies_of(report->timeline);
    FILE *stream = report->table.stream;
    if (odd.unknown_frees)
        fprintf(stream, "\nFreed, but not allocated in the trace: %llu\n",
                (unsigned long long)odd.unknown_frees);
    if (odd.reused_addresses)
        fprintf(stream, "\nAllocated again without a release in the trace: %llu\n",
                (unsigned long long)odd.reused_addresses);
    if (odd.lost_anything)
        fprintf(stream, "\nNot everything was recorded (profdump lists the losses): lost events "
                        "are not counted here\n");
    if (odd.from_calls)
        fprintf(stream, "\nCUPTI reported no allocations: derived from CUDA calls\n");
}

static void anomalies_json(const struct timeline *timeline, struct json_out *out)
{
    struct anomalies odd = anomalies_of(timeline);
    json_newline(out);
    json_key(out, "unknown_frees"), json_uint(out, odd.unknown_frees);
    json_key(out, "reused_addresses"), json_uint(out, odd.reused_addresses);
    json_key(out, "complete"), json_bool(out, !odd.lost_anything);
}

/* ---- the whole ---- */

static bool add_tables(struct table *table, void *user)
{
    struct report *report = user;
    (void)table; /* the report's */
    char lacking[EVIDENCE_BYTES];
    bool unknown = is_text(report) && evidence_missing(report->timeline, EVIDENCE_MEMORY, lacking);
    if (unknown)
        fprintf(report->table.stream, "%c%s.\n", lacking[0] - 'a' + 'A', lacking + 1);
    else if (!add_heaps(report) || (!is_json(report) && !add_peaks(report)))
        return false;
    report->table.most = report->rows;
    if ((!unknown && !add_leaks(report)) || !memory_ranges_report(&report->table, report->timeline))
        return false;
    add_pools(report);
    bool done = add_migrations(report);
    if (done && is_text(report))
        print_notes(report);
    if (is_json(report))
        anomalies_json(report->timeline, report->table.json);
    return done;
}

static struct report report_of(const struct timeline *timeline, int64_t rows,
                               enum write_format format)
{
    return (struct report){
        .timeline = timeline,
        .rows = rows,
        .table = {.format = format,
                  .frame = format == WRITE_TEXT ? TABLE_FIXED : TABLE_TITLED,
                  .limited = true,
                  .width = format == WRITE_TEXT ? LABEL_COLUMNS : 0},
    };
}

bool memory_json(struct json_out *out, const struct timeline *timeline, int64_t rows)
{
    struct report report = report_of(timeline, rows, WRITE_JSON);
    report.table.json = out;
    json_object_begin(out);
    bool done = memory_use_init(&report.use, timeline) && add_tables(&report.table, &report);
    json_object_end(out);
    memory_use_fini(&report.use);
    return done;
}

static bool print_all(const void *user, FILE *stream)
{
    struct report report = *(const struct report *)user;
    report.table.stream = stream;
    return table_write(&report.table, add_tables, &report);
}

bool write_memory(const struct timeline *timeline, const struct write_options *options,
                  enum write_format format, FILE *stream)
{
    struct report report = report_of(timeline, options->rows, format);
    bool is_text = format == WRITE_TEXT;
    report.table.table_width = options->table_width;
    report.table.unit = is_text ? TIME_AUTO : options->unit;
    if (is_text && timeline->heaps.count == 0 && timeline->pools.count == 0 &&
        timeline->migrations.count == 0) {
        char lacking[EVIDENCE_BYTES];
        if (evidence_missing(timeline, EVIDENCE_MEMORY, lacking))
            fprintf(stream, "%c%s.\n", lacking[0] - 'a' + 'A', lacking + 1);
        else
            fprintf(stream, "No memory was allocated while recording.\n");
        return !ferror(stream);
    }
    errno = ENOMEM;
    bool done = memory_use_init(&report.use, timeline) &&
                fit_written(print_all, &report, is_text ? options->table_width : 0, stream);
    memory_use_fini(&report.use);
    return done && !ferror(stream);
}
