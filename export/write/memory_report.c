/* memory_report.c - profdump memory: heaps, who owned them at their peaks, what was never freed,
 * ranges, pools, managed memory. */
#include "bytes_text.h"
#include "memory_label.h"
#include "memory_ranges.h"
#include "migrations.h"
#include "run_facts.h"
#include "show_text.h"
#include "time_text.h"
#include "write.h"

#include <errno.h>
#include <string.h>

#define LABEL_COLUMNS 40u
#define PATH_COLUMNS 120u
#define PEAK_OWNERS 5u

struct report {
    const struct timeline *timeline;
    FILE *stream;
    struct memory_use use;
    int64_t rows; /* of a list at most; -1 all */
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
    FILE *out = report->stream;
    fprintf(out, "%32s  %12s  %12s  %12s  %12s  %12s  %12s\n", "Memory", "Allocations", "Frees",
            "Allocated", "Freed", "Live at end", "Peak");
    for (uint32_t i = 0; i < report->timeline->heaps.count; i++) {
        const struct memory_heap_use *use = &report->use.heaps[i];
        print_label(report, i, 32);
        fprintf(out, "  %12llu  %12llu", (unsigned long long)use->allocations,
                (unsigned long long)use->frees);
        print_amount(report, (int64_t)use->allocated_bytes);
        print_amount(report, (int64_t)use->freed_bytes);
        print_amount(report, (int64_t)use->live_bytes);
        print_amount(report, (int64_t)use->peak_bytes);
        fputc('\n', out);
    }
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

static void print_range(const struct report *report, const struct memory_ranges *ranges,
                        const struct memory_range *row, enum memory_side side)
{
    char shown[SHOW_TEXT_BYTES(LABEL_COLUMNS)];
    bool rest;
    show_text(key_names_text(&ranges->keys, row->key), LABEL_COLUMNS, shown, &rest);
    fprintf(report->stream, "%40s  %8llu  %12llu", shown, (unsigned long long)row->count,
            (unsigned long long)row->total[side].allocations);
    print_amount(report, (int64_t)row->total[side].allocated_bytes);
    print_amount(report, (int64_t)row->total[side].freed_bytes);
    print_amount(report, memory_net(&row->total[side]));
    print_amount(report, memory_net(&row->self[side]));
    print_amount(report, (int64_t)row->peak_bytes[side]);
    fputc('\n', report->stream);
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
    fprintf(report->stream, "\n%40s  %8s  %12s  %12s  %12s  %12s  %12s  %12s\n",
            side == MEMORY_CUDA ? "Range, CUDA memory" : "Range, host memory and allocators",
            "Calls", "Allocations", "Allocated", "Freed", "Net", "Self net", "Peak in use");
    uint32_t shown = 0;
    for (uint32_t i = 0; i < ranges->count && is_shown(report, shown); i++)
        if (has_side(&ranges->rows[i], side)) {
            print_range(report, ranges, &ranges->rows[i], side);
            shown++;
        }
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

static void print_migration_row(const struct report *report, const struct migration_row *row)
{
    const struct migration_amounts *amounts = &row->amounts;
    char moving[TIME_TEXT_BYTES];
    time_text((double)amounts->moving_ns, moving);
    print_amount(report, (int64_t)amounts->htod_bytes);
    print_amount(report, (int64_t)amounts->dtoh_bytes);
    print_amount(report, (int64_t)amounts->dtod_bytes);
    fprintf(report->stream, "  %12s  %12llu  %12llu\n", moving,
            (unsigned long long)amounts->gpu_faults, (unsigned long long)amounts->cpu_faults);
}

static void print_migration_place(const struct report *report, const struct migration_row *row)
{
    char text[48] = "Host";
    if (row->device != TL_NONE)
        snprintf(text, sizeof text, "Device %u", row->device);
    fprintf(report->stream, "%40s", text);
    print_migration_row(report, row);
}

static void print_migration_range(const struct report *report, const struct migration_row *row)
{
    const struct timeline *timeline = report->timeline;
    const char *name = row->name < timeline->names.count ? timeline->names.at[row->name].bytes
                                                         : "(outside of any range)";
    print_text(report, name, LABEL_COLUMNS, 40);
    print_migration_row(report, row);
}

static bool print_migrations(const struct report *report)
{
    struct migrations migrations;
    if (report->timeline->migrations.count == 0)
        return true;
    if (!migrations_init(&migrations, report->timeline))
        return false;
    fprintf(report->stream, "\n%40s  %12s  %12s  %12s  %12s  %12s  %12s\n", "Managed memory",
            "HtoD", "DtoH", "DtoD", "Moving", "GPU faults", "CPU faults");
    for (uint32_t i = 0; i < migrations.devices.count; i++)
        print_migration_place(report, &migrations.devices.at[i]);
    for (uint32_t i = 0; i < migrations.ranges.count && is_shown(report, i); i++)
        print_migration_range(report, &migrations.ranges.at[i]);
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

static bool print_all(const struct report *report)
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

bool write_memory(const struct timeline *timeline, const struct write_options *options,
                  FILE *stream)
{
    struct report report = {.timeline = timeline, .stream = stream, .rows = options->rows};
    if (timeline->heaps.count == 0 && timeline->pools.count == 0 &&
        timeline->migrations.count == 0) {
        fprintf(stream, "No memory was allocated while recording.\n");
        return !ferror(stream);
    }
    bool printed = memory_use_init(&report.use, timeline) && print_all(&report);
    memory_use_fini(&report.use);
    if (!printed)
        errno = ENOMEM;
    return printed && !ferror(stream);
}
