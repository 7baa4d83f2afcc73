/* table.c - the key-averaged table in torch.profiler's layout, its totals, and the ledger of
 * losses.
 *
 * Twelve columns' width, two spaces between, everything right-aligned, names cut at 55: what people
 * who come from torch.profiler, and the scripts they wrote for it, expect.
 */
#include "bytes_text.h"
#include "failed_text.h"
#include "memory_ranges.h"
#include "run_facts.h"
#include "show_text.h"
#include "time_text.h"
#include "write.h"

#include <errno.h>
#include <string.h>

#define NAME_WIDTH_MAX 55u
#define COLUMN_WIDTH 12
#define COLUMNS_CPU 5
#define COLUMNS_CUDA 4
#define COLUMNS_MEMORY 4
#define FAILED_SHOWN 8u /* "profdump ledger" has all */

struct table {
    FILE *stream;
    const struct key_averages *averages;
    const struct memory_ranges *memory; /* NULL: no columns of memory */
    unsigned name_width;
    bool color;
};

static const char *paint(const struct table *table, const char *code)
{
    return table->color ? code : "";
}

#define BOLD "\033[1m"
#define RED "\033[31m"
#define PLAIN "\033[0m"

static unsigned find_name_width(const struct key_averages *averages, int64_t rows)
{
    unsigned longest = 4; /* "Name" */
    for (uint32_t i = 0; i < averages->count && rows != 0; i++, rows--) {
        unsigned width = show_text_width(averages->rows[i].name, NAME_WIDTH_MAX);
        longest = width > longest ? width : longest;
    }
    return longest + 4 < NAME_WIDTH_MAX ? longest + 4 : NAME_WIDTH_MAX;
}

static void print_rule(const struct table *table)
{
    static const char dashes[] = "-------------------------------------------------------";
    int columns = COLUMNS_CPU + (table->averages->has_device ? COLUMNS_CUDA : 0) +
                  (table->memory ? COLUMNS_MEMORY : 0) + 1;
    fprintf(table->stream, "%.*s", (int)table->name_width, dashes);
    for (int i = 0; i < columns; i++)
        fprintf(table->stream, "  %.*s", COLUMN_WIDTH, dashes);
    fputc('\n', table->stream);
}

static void print_titles(const struct table *table, const char *const titles[], int count)
{
    for (int i = 0; i < count; i++)
        fprintf(table->stream, "  %*s", COLUMN_WIDTH, titles[i]);
}

static void print_header(const struct table *table)
{
    static const char *const cpu[COLUMNS_CPU] = {"Self CPU %", "Self CPU", "CPU total %",
                                                 "CPU total", "CPU time avg"};
    static const char *const cuda[COLUMNS_CUDA] = {"Self CUDA", "Self CUDA %", "CUDA total",
                                                   "CUDA time avg"};
    static const char *const memory[COLUMNS_MEMORY] = {"CPU Mem", "Self CPU Mem", "CUDA Mem",
                                                       "Self CUDA Mem"};
    static const char *const calls[] = {"# of Calls"};
    print_rule(table);
    fprintf(table->stream, "%s%*s", paint(table, BOLD), (int)table->name_width, "Name");
    print_titles(table, cpu, COLUMNS_CPU);
    print_titles(table, cuda, table->averages->has_device ? COLUMNS_CUDA : 0);
    print_titles(table, memory, table->memory ? COLUMNS_MEMORY : 0);
    print_titles(table, calls, 1);
    fprintf(table->stream, "%s\n", paint(table, PLAIN));
    print_rule(table);
}

/* Cut as torch.profiler does: a name that would come within three characters of the limit. */
static void print_name(const struct table *table, struct text name)
{
    char shown[SHOW_TEXT_BYTES(NAME_WIDTH_MAX)];
    bool rest;
    unsigned width = show_text(name, NAME_WIDTH_MAX - 3, shown, &rest);
    if (rest || width == NAME_WIDTH_MAX - 3) {
        width = show_text(name, NAME_WIDTH_MAX - 3, shown, &rest) + 3;
        memcpy(shown + strlen(shown), "...", 4);
    }
    fprintf(table->stream, "%*s%s",
            (int)(table->name_width > width ? table->name_width - width : 0), "", shown);
}

static void print_time(const struct table *table, double ns)
{
    char text[TIME_TEXT_BYTES];
    time_text(ns, text);
    fprintf(table->stream, "  %*s", COLUMN_WIDTH, text);
}

static void print_share(const struct table *table, int64_t part_ns, int64_t whole_ns)
{
    char text[TIME_TEXT_BYTES];
    time_text_share(part_ns, whole_ns, text);
    fprintf(table->stream, "  %*s", COLUMN_WIDTH, text);
}

static double average(int64_t total_ns, uint64_t count)
{
    return count ? (double)total_ns / (double)count : 0;
}

static void print_net(const struct table *table, const struct memory_amounts *amounts)
{
    char text[BYTES_TEXT_BYTES];
    bytes_text(memory_net(amounts), text);
    fprintf(table->stream, "  %*s", COLUMN_WIDTH, text);
}

/* Only ranges have memory: a call's is its range's. */
static void print_memory(const struct table *table, const struct key_average *row)
{
    static const struct memory_range none;
    const struct memory_range *range =
        row->kind == KEY_RANGE ? memory_ranges_find(table->memory, row->key) : NULL;
    if (!range)
        range = &none;
    for (int side = 0; side < MEMORY_SIDES; side++) {
        print_net(table, &range->total[side]);
        print_net(table, &range->self[side]);
    }
}

static void print_row(const struct table *table, const struct key_average *row)
{
    int64_t cpu_ns = table->averages->self_cpu_total_ns,
            cuda_ns = table->averages->self_cuda_total_ns;
    print_name(table, row->name);
    print_share(table, row->self_cpu_total_ns, cpu_ns);
    print_time(table, (double)row->self_cpu_total_ns);
    print_share(table, row->cpu_total_ns, cpu_ns);
    print_time(table, (double)row->cpu_total_ns);
    print_time(table, average(row->cpu_total_ns, row->count));
    if (table->averages->has_device) {
        print_time(table, (double)row->self_cuda_total_ns);
        print_share(table, row->self_cuda_total_ns, cuda_ns);
        print_time(table, (double)row->cuda_total_ns);
        print_time(table, average(row->cuda_total_ns, row->count));
    }
    if (table->memory)
        print_memory(table, row);
    fprintf(table->stream, "  %*llu\n", COLUMN_WIDTH, (unsigned long long)row->count);
}

static void print_rows(const struct table *table, int64_t rows)
{
    uint32_t count = table->averages->count;
    uint32_t shown = rows < 0 || rows > count ? count : (uint32_t)rows;
    for (uint32_t i = 0; i < shown; i++)
        print_row(table, &table->averages->rows[i]);
    print_rule(table);
    if (shown < count)
        fprintf(table->stream, "%u of %u rows\n", shown, count);
}

static void print_totals(const struct table *table)
{
    char text[TIME_TEXT_BYTES];
    time_text((double)table->averages->self_cpu_total_ns, text);
    fprintf(table->stream, "Self CPU time total: %s\n", text);
    if (!table->averages->has_device)
        return;
    time_text((double)table->averages->self_cuda_total_ns, text);
    fprintf(table->stream, "Self CUDA time total: %s\n", text);
    if (table->averages->has_timed)
        fprintf(table->stream, "CUDA time of ranges: stream time between two events, waiting "
                               "included\n");
    if (table->averages->cuda_outside_ns == 0)
        return;
    time_text((double)table->averages->cuda_outside_ns, text);
    fprintf(table->stream, "CUDA time launched outside of any range: %s\n", text);
}

static void print_mode(const struct table *table, const struct run_facts *facts)
{
    char shown[SHOW_TEXT_BYTES(440)];
    bool rest;
    show_text(facts->mode_reason, 440, shown, &rest);
    fprintf(table->stream, "GPU mode: %s%s%s%s\n", facts->mode, *shown ? ", " : "", shown,
            facts->simulated ? " (Simulated GPU: device times come from a model)" : "");
}

static void print_cause(const struct table *table, const char *name, uint64_t count,
                        const char *sentence)
{
    if (count)
        fprintf(table->stream, "  %-15s %10llu  %s\n", name, (unsigned long long)count, sentence);
}

static void print_term(const struct table *table, const char *name, uint64_t count)
{
    if (count)
        fprintf(table->stream, " + %s %llu", name, (unsigned long long)count);
}

/* launched = recorded + each way of not being recorded: adds up by construction of the timeline.
 * Losses that belong to no counted launch (inside graphs, before recording began) are in the list
 * below it. */
static void print_ledger(const struct table *table, const struct run_facts *facts)
{
    const struct tl_ledger *ledger = &facts->ledger;
    fprintf(table->stream, "%sLedger: launched %llu = recorded %llu",
            facts->lost_anything ? paint(table, RED) : "", (unsigned long long)ledger->launched,
            (unsigned long long)ledger->recorded);
    print_term(table, "lost", ledger->lost_operations);
    print_term(table, "undelivered", ledger->undelivered);
    print_term(table, "unobserved", ledger->unobserved);
    print_term(table, "missing", ledger->missing);
    if (ledger->launched_graph)
        fprintf(table->stream, ", and %llu in graphs", (unsigned long long)ledger->launched_graph);
    fprintf(table->stream, "; %s%s\n",
            facts->lost_anything ? "not everything was recorded:" : "nothing lost",
            facts->lost_anything ? paint(table, PLAIN) : "");
}

static void print_losses(const struct table *table, const struct run_facts *facts)
{
    struct run_trouble troubles[RUN_TROUBLES];
    run_facts_troubles(facts, troubles);
    print_ledger(table, facts);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        print_cause(table, run_facts_cause_name(cause), facts->loss[cause],
                    run_facts_cause_sentence(cause));
    for (unsigned i = 0; i < RUN_TROUBLES; i++)
        print_cause(table, troubles[i].name, troubles[i].count, troubles[i].sentence);
    if (facts->ring)
        fprintf(table->stream, "Ring mode: only the last part of the run was kept.\n");
}

void write_options_default(struct write_options *options)
{
    *options =
        (struct write_options){.size_bytes = sizeof *options, .sort = KEY_BY_DEFAULT, .rows = -1};
}

/* False: no memory. */
static bool print_table(const struct table *table, const struct timeline *timeline, int64_t rows)
{
    struct run_facts facts;
    run_facts_init(&facts, timeline);
    print_header(table);
    print_rows(table, rows);
    print_totals(table);
    print_mode(table, &facts);
    print_losses(table, &facts);
    return failed_text(table->stream, timeline, FAILED_SHOWN);
}

bool write_table(const struct timeline *timeline, const struct write_options *options, FILE *stream)
{
    struct key_averages averages;
    struct memory_ranges memory;
    bool ready = key_averages_init(&averages, timeline);
    if (ready && options->memory && !memory_ranges_init(&memory, timeline)) {
        key_averages_fini(&averages);
        ready = false;
    }
    if (!ready) {
        errno = ENOMEM;
        return false;
    }
    key_sort(&averages, options->sort);
    struct table table = {stream, &averages, options->memory ? &memory : NULL,
                          find_name_width(&averages, options->rows), options->color};
    bool printed = print_table(&table, timeline, options->rows);
    if (options->memory)
        memory_ranges_fini(&memory);
    key_averages_fini(&averages);
    if (!printed)
        errno = ENOMEM;
    return printed && !ferror(stream);
}
