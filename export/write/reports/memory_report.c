/* memory_report.c - profdump memory: heaps, who owned them at their peaks, what was never freed,
 * ranges, pools, managed memory. */
#include "fit.h"
#include "memory_label.h"
#include "memory_use.h"
#include "migrations.h"
#include "run_facts.h"
#include "text.h"
#include "units.h"
#include "write_report.h"

#include <errno.h>
#include <string.h>

#define LABEL_COLUMNS 40u
#define PATH_COLUMNS 120u
#define PEAK_OWNERS 5u

struct report {
    const struct timeline *timeline;
    FILE *stream;
    struct memory_use use;
    int64_t rows;   /* of a list at most; -1 all */
    unsigned width; /* of the terminal; 0 any */
};

struct shown_bytes {
    char text[BYTES_TEXT_BYTES];
};

static const char *bytes_of(uint64_t bytes, struct shown_bytes *to)
{
    bytes_text(bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes, to->text);
    return to->text;
}

static void print_amount(const struct report *report, int64_t bytes)
{
    char text[BYTES_TEXT_BYTES];
    bytes_text(bytes, text);
    fprintf(report->stream, "  %12s", text);
}

static void add_bytes(struct fit_table *table, int64_t bytes)
{
    char text[BYTES_TEXT_BYTES];
    bytes_text(bytes, text);
    fit_table_cell(table, text);
}

static void add_label(struct fit_table *table, struct text text)
{
    char shown[SHOW_TEXT_BYTES(LABEL_COLUMNS) + 3];
    bool rest;
    show_text(text, LABEL_COLUMNS, shown, &rest);
    fit_table_cell(table, rest ? strcat(shown, "...") : shown);
}

/* Numbers are 12 wide in a file, and the first are left out first. */
static struct fit_table begin_table(const struct report *report, const char *title, unsigned width,
                                    const char *const *titles, const uint8_t *ranks, unsigned count)
{
    struct fit_table table = {.stream = report->stream, .width = report->width};
    fit_table_column(&table, title, width, 0);
    for (unsigned i = 0; i < count; i++)
        fit_table_column(&table, titles[i], strcmp(titles[i], "Calls") == 0 ? 8 : 12, ranks[i]);
    fit_table_begin(&table);
    return table;
}

static void print_text(const struct report *report, const char *text, unsigned columns, int width)
{
    char shown[SHOW_TEXT_BYTES(PATH_COLUMNS)];
    bool rest;
    show_text((struct text){text, strlen(text)}, columns, shown, &rest);
    fprintf(report->stream, "%*s%s", width, shown, rest ? "..." : "");
}

static void print_label(const struct report *report, uint32_t heap, int width)
{
    char label[MEMORY_LABEL_BYTES];
    memory_label(report->timeline, heap, label);
    print_text(report, label, LABEL_COLUMNS, width);
}

static void print_path(const struct report *report, const struct memory_sites *sites, uint32_t path)
{
    char text[MEMORY_PATH_BYTES];
    memory_path_text(report->timeline, sites, path, text);
    print_text(report, text, PATH_COLUMNS, 0);
}

static bool is_shown(const struct report *report, uint32_t index)
{
    return report->rows < 0 || index < report->rows;
}

static void print_hidden(const struct report *report, uint32_t count)
{
    if (report->rows >= 0 && count > report->rows)
        fprintf(report->stream, "  ... and %u more\n", (unsigned)(count - report->rows));
}

/* ---- heaps and their peaks ---- */

static void print_heaps(const struct report *report)
{
    static const char *const titles[] = {"Allocations", "Frees",       "Allocated",
                                         "Freed",       "Live at end", "Peak"};
    static const uint8_t ranks[] = {1, 3, 2, 3, 0, 0};
    struct fit_table table = begin_table(report, "Memory", 32, titles, ranks, 6);
    for (uint32_t i = 0; i < report->timeline->heaps.count; i++) {
        const struct memory_heap_use *use = &report->use.heaps[i];
        char label[MEMORY_LABEL_BYTES];
        memory_label(report->timeline, i, label);
        add_label(&table, (struct text){label, strlen(label)});
        fit_table_count(&table, use->allocations), fit_table_count(&table, use->frees);
        add_bytes(&table, (int64_t)use->allocated_bytes);
        add_bytes(&table, (int64_t)use->freed_bytes);
        add_bytes(&table, (int64_t)use->live_bytes);
        add_bytes(&table, (int64_t)use->peak_bytes);
    }
    fit_table_end(&table);
}

static void print_site(const struct report *report, const struct memory_sites *sites, uint32_t i)
{
    const struct memory_site *site = &sites->sites.at[i];
    print_amount(report, (int64_t)site->bytes);
    fprintf(report->stream, "  %8llu  ", (unsigned long long)site->count);
    print_path(report, sites, site->path);
}

static bool print_peak(const struct report *report, uint32_t heap)
{
    const struct memory_heap_use *use = &report->use.heaps[heap];
    struct memory_sites sites;
    struct shown_bytes bytes;
    char when[TIME_TEXT_BYTES];
    if (use->peak_event == TL_NONE)
        return true;
    if (!memory_sites_init(&sites, report->timeline, use->peak_event, heap))
        return false;
    time_text((double)(use->peak_ns - report->timeline->origin_ns), when);
    fprintf(report->stream, "\nPeak of ");
    print_label(report, heap, 0);
    fprintf(report->stream, ": %s after %s, owned by\n", bytes_of(use->peak_bytes, &bytes), when);
    for (uint32_t i = 0; i < sites.sites.count && i < PEAK_OWNERS; i++) {
        print_site(report, &sites, i);
        fputc('\n', report->stream);
    }
    if (sites.sites.count > PEAK_OWNERS)
        fprintf(report->stream, "  ... and %u more\n", sites.sites.count - PEAK_OWNERS);
    memory_sites_fini(&sites);
    return true;
}

/* ---- what was never freed ---- */

static void print_leak(const struct report *report, const struct memory_sites *sites, uint32_t i)
{
    const struct timeline *timeline = report->timeline;
    const struct memory_site *site = &sites->sites.at[i];
    const struct tl_memory *first = &timeline->memories.at[site->memory];
    char when[TIME_TEXT_BYTES];
    time_text((double)(first->start_ns - timeline->origin_ns), when);
    print_site(report, sites, i);
    fprintf(report->stream, "  [");
    print_label(report, site->heap, 0);
    fprintf(report->stream, ", first after %s", when);
    if (first->thread != TL_NONE)
        fprintf(report->stream, " on thread %u", timeline->threads.at[first->thread].tid);
    fprintf(report->stream, "]\n");
}

/* A program that was killed, or still runs, might have freed more. */
static const char *leak_title(const struct timeline *timeline)
{
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        if (!timeline->processes.at[i].info.closed)
            return "Not freed by the end of the trace";
    return "Never freed";
}

static bool print_leaks(const struct report *report)
{
    const char *title = leak_title(report->timeline);
    struct memory_sites sites;
    struct shown_bytes bytes;
    if (!memory_sites_init(&sites, report->timeline, TL_NONE, TL_NONE))
        return false;
    if (sites.count == 0)
        fprintf(report->stream, "\n%s: nothing\n", title);
    else
        fprintf(report->stream, "\n%s: %llu allocation%s, %s\n", title,
                (unsigned long long)sites.count, sites.count == 1 ? "" : "s",
                bytes_of(sites.bytes, &bytes));
    for (uint32_t i = 0; i < sites.sites.count && is_shown(report, i); i++)
        print_leak(report, &sites, i);
    print_hidden(report, sites.sites.count);
    memory_sites_fini(&sites);
    return true;
}

/* ---- ranges ---- */

static void add_range(struct fit_table *table, const struct memory_ranges *ranges,
                      const struct memory_range *row, enum memory_side side)
{
    char shown[SHOW_TEXT_BYTES(LABEL_COLUMNS)];
    bool rest;
    show_text(key_names_text(&ranges->keys, row->key), LABEL_COLUMNS, shown, &rest);
    fit_table_cell(table, shown);
    fit_table_count(table, row->count), fit_table_count(table, row->total[side].allocations);
    add_bytes(table, (int64_t)row->total[side].allocated_bytes);
    add_bytes(table, (int64_t)row->total[side].freed_bytes);
    add_bytes(table, memory_net(&row->total[side]));
    add_bytes(table, memory_net(&row->self[side]));
    add_bytes(table, (int64_t)row->peak_bytes[side]);
}

static bool has_side(const struct memory_range *row, enum memory_side side)
{
    return row->total[side].allocations || row->total[side].frees || row->self[side].allocations ||
           row->self[side].frees;
}

static void print_side(const struct report *report, const struct memory_ranges *ranges,
                       enum memory_side side)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < ranges->count; i++)
        count += has_side(&ranges->rows[i], side);
    if (count == 0)
        return;
    static const char *const titles[] = {"Calls", "Allocations", "Allocated",  "Freed",
                                         "Net",   "Self net",    "Peak in use"};
    static const uint8_t ranks[] = {1, 2, 1, 3, 0, 0, 0};
    const char *title =
        side == MEMORY_CUDA ? "Range, CUDA memory" : "Range, host memory and allocators";
    fputc('\n', report->stream);
    struct fit_table table = begin_table(report, title, 40, titles, ranks, 7);
    uint32_t shown = 0;
    for (uint32_t i = 0; i < ranges->count && is_shown(report, shown); i++)
        if (has_side(&ranges->rows[i], side)) {
            add_range(&table, ranges, &ranges->rows[i], side);
            shown++;
        }
    fit_table_end(&table);
    print_hidden(report, count);
}

static bool print_ranges(const struct report *report)
{
    struct memory_ranges ranges;
    if (!memory_ranges_init(&ranges, report->timeline))
        return false;
    print_side(report, &ranges, MEMORY_CUDA);
    print_side(report, &ranges, MEMORY_CPU);
    memory_ranges_fini(&ranges);
    return true;
}

/* ---- pools ---- */

/* Before CUDA 11.6 CUPTI does not say what is used. */
static void print_used(const struct report *report, uint64_t bytes)
{
    struct shown_bytes text;
    if (bytes)
        fprintf(report->stream, ", of it used %s", bytes_of(bytes, &text));
}

static void print_pool(const struct report *report, const struct tl_pool *pool)
{
    struct shown_bytes bytes;
    fprintf(report->stream, "  0x%llx", (unsigned long long)pool->address);
    if (pool->device != TL_NONE)
        fprintf(report->stream, " on device %u", pool->device);
    fprintf(report->stream, ": reserved at most %s", bytes_of(pool->peak_bytes, &bytes));
    print_used(report, pool->peak_used_bytes);
    fprintf(report->stream, "; at last %s", bytes_of(pool->last_bytes, &bytes));
    print_used(report, pool->last_used_bytes);
    if (pool->trims)
        fprintf(report->stream, "; trimmed %u time%s", pool->trims, pool->trims == 1 ? "" : "s");
    fprintf(report->stream, "%s\n", pool->end_ns == INT64_MAX ? "" : "; destroyed");
}

static void print_pools(const struct report *report)
{
    if (report->timeline->pools.count)
        fprintf(report->stream, "\nMemory pools:\n");
    for (uint32_t i = 0; i < report->timeline->pools.count && is_shown(report, i); i++)
        print_pool(report, &report->timeline->pools.at[i]);
    print_hidden(report, report->timeline->pools.count);
}

/* ---- managed memory ---- */

static void add_migration(struct fit_table *table, struct text place,
                          const struct migration_row *row)
{
    const struct migration_amounts *amounts = &row->amounts;
    char moving[TIME_TEXT_BYTES];
    time_text((double)amounts->moving_ns, moving);
    add_label(table, place);
    add_bytes(table, (int64_t)amounts->htod_bytes);
    add_bytes(table, (int64_t)amounts->dtoh_bytes);
    add_bytes(table, (int64_t)amounts->dtod_bytes);
    fit_table_cell(table, moving);
    fit_table_count(table, amounts->gpu_faults), fit_table_count(table, amounts->cpu_faults);
}

static void add_migration_device(struct fit_table *table, const struct migration_row *row)
{
    char text[48] = "Host";
    if (row->device != TL_NONE)
        snprintf(text, sizeof text, "Device %u", row->device);
    add_migration(table, (struct text){text, strlen(text)}, row);
}

static void add_migration_range(const struct report *report, struct fit_table *table,
                                const struct migration_row *row)
{
    static const char outside[] = "(outside of any range)";
    const struct timeline *timeline = report->timeline;
    bool known = row->name < timeline->names.count;
    add_migration(
        table, known ? timeline->names.at[row->name] : (struct text){outside, sizeof outside - 1},
        row);
}

static bool print_migrations(const struct report *report)
{
    struct migrations migrations;
    if (report->timeline->migrations.count == 0)
        return true;
    if (!migrations_init(&migrations, report->timeline))
        return false;
    static const char *const titles[] = {"HtoD",   "DtoH",       "DtoD",
                                         "Moving", "GPU faults", "CPU faults"};
    static const uint8_t ranks[] = {0, 0, 2, 0, 1, 1};
    fputc('\n', report->stream);
    struct fit_table table = begin_table(report, "Managed memory", 40, titles, ranks, 6);
    for (uint32_t i = 0; i < migrations.devices.count; i++)
        add_migration_device(&table, &migrations.devices.at[i]);
    for (uint32_t i = 0; i < migrations.ranges.count && is_shown(report, i); i++)
        add_migration_range(report, &table, &migrations.ranges.at[i]);
    fit_table_end(&table);
    print_hidden(report, migrations.ranges.count);
    migrations_fini(&migrations);
    return true;
}

/* ---- the whole ---- */

static void print_notes(const struct report *report)
{
    const struct timeline *timeline = report->timeline;
    struct run_facts facts;
    run_facts_init(&facts, timeline);
    uint64_t unknown = 0, reused = 0, from_calls = 0;
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        unknown += timeline->processes.at[i].odd.unknown_frees;
        reused += timeline->processes.at[i].odd.reused_addresses;
    }
    for (uint32_t i = 0; i < timeline->memories.count; i++)
        from_calls += (timeline->memories.at[i].flags & TL_MEMORY_FROM_CALL) != 0;
    if (unknown)
        fprintf(report->stream, "\nReleased, but not allocated in the trace: %llu\n",
                (unsigned long long)unknown);
    if (reused)
        fprintf(report->stream, "\nAllocated again without a release in the trace: %llu\n",
                (unsigned long long)reused);
    if (facts.lost_anything)
        fprintf(report->stream, "\nNot everything was recorded (profdump says what): what was lost "
                                "is in no number here\n");
    if (from_calls)
        fprintf(report->stream, "\nCUPTI did not tell of memory: read from the CUDA calls\n");
}

static bool print_tables(const struct report *report)
{
    print_heaps(report);
    for (uint32_t i = 0; i < report->timeline->heaps.count; i++)
        if (!print_peak(report, i))
            return false;
    if (!print_leaks(report) || !print_ranges(report))
        return false;
    print_pools(report);
    if (!print_migrations(report))
        return false;
    print_notes(report);
    return true;
}

static bool print_all(const void *user, FILE *stream)
{
    struct report report = *(const struct report *)user;
    report.stream = stream;
    return print_tables(&report);
}

bool write_memory(const struct timeline *timeline, const struct write_options *options,
                  FILE *stream)
{
    struct report report = {
        .timeline = timeline, .rows = options->rows, .width = options->table_width};
    if (timeline->heaps.count == 0 && timeline->pools.count == 0 &&
        timeline->migrations.count == 0) {
        fprintf(stream, "No memory was allocated while recording.\n");
        return !ferror(stream);
    }
    bool printed = memory_use_init(&report.use, timeline) &&
                   fit_written(print_all, &report, report.width, stream);
    memory_use_fini(&report.use);
    if (!printed)
        errno = ENOMEM;
    return printed && !ferror(stream);
}
