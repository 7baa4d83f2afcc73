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
#include "envelope.h"
#include "evidence.h"
#include "reports.h"

#include "fit.h"
#include "memory_use.h"
#include "report_cells.h"
#include "report_parts.h"
#include "run_facts.h"
#include "table.h"
#include "text.h"
#include "units.h"

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

static void label_cell(struct table *table, const struct report *report, uint32_t heap)
{
    char label[MEMORY_LABEL_BYTES];
    memory_label(report->timeline, heap, label);
    table_string(table, label);
}

/* The host is -1 in JSON and no device elsewhere. */
#define DEVICE_COLUMNS(X, device, title)                                                         \
    X(table_int(table, device == TL_NONE ? -1 : (int64_t)device), "device", .in = TABLE_IN_JSON) \
    X(cell_index(table, device), "device", title, TABLE_BUT_JSON & ~TABLE_IN_TEXT)

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

static void site_path_cell(struct table *table, const struct report *report,
                           const struct memory_sites *sites, uint32_t path)
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

#define SITE_COLUMNS(X, where)                                                        \
    X(label_cell(table, report, site->heap), "memory", "Memory", TABLE_BUT_JSON)      \
    X(table_bytes(table, site->bytes), "bytes", "Bytes")                              \
    X(table_count(table, site->count), "allocations", "Allocations", .json = "count") \
    X(site_path_cell(table, report, sites, site->path), "path", where)
#define SINCE_ORIGIN(ns) ((ns)-report->timeline->origin_ns)

/* In JSON owners are in the row of their heap, else in a table; as text, in lines. */
#define OWNER_COLUMNS(X)        \
    SITE_COLUMNS(X, "Owned by") \
    X(table_ns(table, SINCE_ORIGIN(peak_ns)), "after_ns", "At", TABLE_BUT_JSON)
TABLE_ROW(owner, OWNER_COLUMNS, const struct report *report, const struct memory_sites *sites,
          const struct memory_site *site, int64_t peak_ns)

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
    for (uint32_t i = 0; table && i < sites.sites.count && i < PEAK_OWNERS; i++)
        owner_row(table, report, &sites, &sites.sites.at[i], use->peak_ns);
    if (!table)
        print_peak(report, heap, &sites);
    memory_sites_fini(&sites);
    return true;
}

static void nest_owners(struct table *table, struct report *report, uint32_t heap)
{
    struct json_out *out = table_json(table);
    if (!out)
        return;
    struct table owners = table_in_json(out, NULL);
    table_begin(&owners, NULL, NULL, owner_columns);
    table->failed |= !show_peak(report, heap, &owners);
    table_end(&owners);
}

#define HEAP_COLUMNS(X)                                                                           \
    X(label_cell(table, report, number), "memory", "Memory", TABLE_BUT_JSON, .width = 32)         \
    X(cell_pid(table, report->timeline, heap->process), "pid", .in = TABLE_FOR_PROGRAMS)          \
    X(table_int(table, heap->device == TL_NONE ? -1 : (int64_t)heap->device), "device",           \
      .in = TABLE_IN_JSON)                                                                        \
    X(cell_name(table, report->timeline, heap->allocator ? TL_NONE : heap->name), "kind",         \
      .in = TABLE_IN_JSON)                                                                        \
    X(cell_name(table, report->timeline, heap->allocator ? heap->name : TL_NONE), "allocator",    \
      .in = TABLE_IN_JSON)                                                                        \
    X(table_count(table, use->allocations), "allocations", "Allocations", .rank = 1, .width = 12) \
    X(table_count(table, use->frees), "frees", "Frees", .rank = 3, .width = 12)                   \
    X(table_bytes(table, use->allocated_bytes), "allocated_bytes", "Allocated", .rank = 2,        \
      .width = 12)                                                                                \
    X(table_bytes(table, use->freed_bytes), "freed_bytes", "Freed", .rank = 3, .width = 12)       \
    X(table_count(table, use->live), "live", .in = TABLE_IN_JSON)                                 \
    X(table_bytes(table, use->live_bytes), "live_bytes", "Live at end", .width = 12)              \
    X(table_bytes(table, use->peak_bytes), "peak_bytes", "Peak", .width = 12)                     \
    X(table_int(table, use->peak_ns), "peak_ns", .in = TABLE_IN_JSON)                             \
    X(nest_owners(table, report, number), "peak_owners", .in = TABLE_IN_JSON)
TABLE_ROW(heap, HEAP_COLUMNS, struct report *report, uint32_t number, const struct tl_heap *heap,
          const struct memory_heap_use *use)

static bool add_heaps(struct report *report)
{
    report->table.most = report->table.format == WRITE_MARKDOWN ? report->rows : -1;
    table_begin(&report->table, "heaps", "Memory", heap_columns);
    for (uint32_t i = 0; i < report->timeline->heaps.count; i++)
        heap_row(&report->table, report, i, &report->timeline->heaps.at[i], &report->use.heaps[i]);
    table_end(&report->table);
    return !report->table.failed;
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
                plural(sites->count));
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

#define LEAK_COLUMNS(X)                                                                          \
    SITE_COLUMNS(X, "Allocated in")                                                              \
    X(table_count(table, site->heap), "heap", .in = TABLE_IN_JSON)                               \
    X(table_int(table, first->start_ns), "first_ns", .in = TABLE_IN_JSON)                        \
    X(table_ns(table, SINCE_ORIGIN(first->start_ns)), "after_ns", "First after", TABLE_BUT_JSON) \
    X(first->thread == TL_NONE                                                                   \
          ? table_absent(table)                                                                  \
          : table_count(table, report->timeline->threads.at[first->thread].tid),                 \
      "tid", "Thread")
TABLE_ROW(leak, LEAK_COLUMNS, const struct report *report, const struct memory_sites *sites,
          const struct memory_site *site, const struct tl_memory *first)

static bool add_leaks(struct report *report)
{
    struct memory_sites sites;
    if (!memory_sites_init(&sites, report->timeline, TL_NONE, TL_NONE))
        return false;
    if (is_text(report)) {
        print_leaks(report, &sites);
    } else {
        table_begin(&report->table, is_json(report) ? "leaks" : "not_freed",
                    "Not freed by the end of the trace", leak_columns);
        for (uint32_t i = 0; i < sites.sites.count; i++)
            leak_row(&report->table, report, &sites, &sites.sites.at[i],
                     &report->timeline->memories.at[sites.sites.at[i].memory]);
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
        fprintf(stream, "; trimmed %u time%s", pool->trims, plural(pool->trims));
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

static void used_cell(struct table *table, uint64_t bytes)
{
    if (bytes || table->format == WRITE_JSON)
        table_bytes(table, bytes);
    else
        table_unknown(table);
}

#define POOL_COLUMNS(X)                                                                      \
    X(cell_pid(table, report->timeline, pool->process), "pid", .in = TABLE_IN_JSON)          \
    X(table_format(table, "0x%llx", (unsigned long long)pool->address), "address", "Pool",   \
      TABLE_BUT_JSON)                                                                        \
    DEVICE_COLUMNS(X, pool->device, "Device")                                                \
    X(table_count(table, pool->address), "address", .in = TABLE_IN_JSON)                     \
    X(table_bytes(table, pool->peak_bytes), "peak_bytes", "Reserved at most")                \
    X(used_cell(table, pool->peak_used_bytes), "peak_used_bytes", "Used at most")            \
    X(table_bytes(table, pool->last_bytes), "last_bytes", "Reserved at last")                \
    X(used_cell(table, pool->last_used_bytes), "last_used_bytes", "Used at last")            \
    X(table_count(table, pool->release_threshold), "release_threshold", .in = TABLE_IN_JSON) \
    X(table_count(table, pool->trims), "trims", "Trims")                                     \
    X(table_bool(table, pool->end_ns != INT64_MAX), "destroyed", "Destroyed")
TABLE_ROW(pool, POOL_COLUMNS, const struct report *report, const struct tl_pool *pool)

static void add_pools(struct report *report)
{
    if (is_text(report)) {
        print_pools(report);
        return;
    }
    table_begin(&report->table, "pools", "Memory pools", pool_columns);
    for (uint32_t i = 0; i < report->timeline->pools.count; i++)
        pool_row(&report->table, report, &report->timeline->pools.at[i]);
    table_end(&report->table);
}

/* ---- managed memory ---- */

#define MIGRATION_COLUMNS(X)                                                                     \
    X(table_count(table, row->amounts.htod), "htod", .in = TABLE_IN_JSON)                        \
    X(table_bytes(table, row->amounts.htod_bytes), "htod_bytes", "HtoD", .width = 12)            \
    X(table_count(table, row->amounts.dtoh), "dtoh", .in = TABLE_IN_JSON)                        \
    X(table_bytes(table, row->amounts.dtoh_bytes), "dtoh_bytes", "DtoH", .width = 12)            \
    X(table_count(table, row->amounts.dtod), "dtod", .in = TABLE_IN_JSON)                        \
    X(table_bytes(table, row->amounts.dtod_bytes), "dtod_bytes", "DtoD", .rank = 2, .width = 12) \
    X(table_ns(table, row->amounts.moving_ns), "moving_ns", "Moving", .width = 12)               \
    X(table_count(table, row->amounts.gpu_faults), "gpu_faults", "GPU faults", .rank = 1,        \
      .width = 12)                                                                               \
    X(table_count(table, row->amounts.cpu_faults), "cpu_faults", "CPU faults", .rank = 1,        \
      .width = 12)                                                                               \
    X(table_count(table, row->amounts.thrashings), "thrashings", .in = TABLE_IN_JSON)            \
    X(table_count(table, row->amounts.throttlings), "throttlings", .in = TABLE_IN_JSON)          \
    X(table_count(table, row->amounts.remote_maps), "remote_maps", .in = TABLE_IN_JSON)

/* As text, devices and ranges are one table, which names both. */
static void managed_cell(struct table *table, const struct report *report,
                         const struct migration_row *row, bool is_range)
{
    if (is_range && row->name < report->timeline->names.count)
        table_text(table, report->timeline->names.at[row->name]);
    else if (is_range)
        table_string(table, "(outside of any range)");
    else if (row->device == TL_NONE)
        table_string(table, "Host");
    else
        table_format(table, "Device %u", row->device);
}

#define MANAGED_DEVICE_COLUMNS(X)                                                          \
    X(managed_cell(table, report, row, is_range), "name", "Managed memory", TABLE_IN_TEXT, \
      .width = LABEL_COLUMNS)                                                              \
    X(cell_pid(table, report->timeline, row->process), "pid", .in = TABLE_IN_JSON)         \
    DEVICE_COLUMNS(X, row->device, "Device (none: host)") MIGRATION_COLUMNS(X)
TABLE_ROW(managed_device, MANAGED_DEVICE_COLUMNS, const struct report *report,
          const struct migration_row *row, bool is_range)

#define MANAGED_RANGE_COLUMNS(X) \
    X(cell_name(table, report->timeline, row->name), "name", "Range") MIGRATION_COLUMNS(X)
TABLE_ROW(managed_range, MANAGED_RANGE_COLUMNS, const struct report *report,
          const struct migration_row *row)

static void add_both(struct report *report, const struct migrations *migrations)
{
    struct table *table = &report->table;
    table->most = report->table.format == WRITE_MARKDOWN ? report->rows : -1;
    table_begin(table, is_json(report) ? "devices" : "managed_devices", "Managed memory by device",
                managed_device_columns);
    for (uint32_t i = 0; i < migrations->devices.count; i++)
        managed_device_row(table, report, &migrations->devices.at[i], false);
    table->most = report->rows;
    if (is_text(report)) {
        table->rows = 0;
    } else {
        table_end(table);
        table_begin(table, is_json(report) ? "ranges" : "managed_ranges", "Managed memory by range",
                    managed_range_columns);
    }
    for (uint32_t i = 0; i < migrations->ranges.count; i++)
        if (is_text(report))
            managed_device_row(table, report, &migrations->ranges.at[i], true);
        else
            managed_range_row(table, report, &migrations->ranges.at[i]);
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

static bool add_all(struct table *table, void *user)
{
    struct report *report = user;
    if (!table->json)
        return add_tables(table, user);
    bool done = envelope_begin_report(table->json, "memory", report->timeline, EVIDENCE_MEMORY) &&
                add_tables(table, user);
    envelope_end(table->json, "memory");
    return done;
}

static bool print_all(const void *user, FILE *stream)
{
    struct report report = *(const struct report *)user;
    report.table.stream = stream;
    return table_write(&report.table, add_all, &report);
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
