/* cmd_stacks.c - profdump stacks, folded: where CUDA was called from, and what that cost. */
#include "commands.h"
#include "options.h"
#include "profdump.h"
#include "slice_sums.h"
#include "stack_text.h"
#include "table.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool set_metric(struct profdump_options *options, const char *metric)
{
    if (write_metric_find(metric, &options->metric))
        return true;
    complain("--metric: '%s' is not one of self_cpu, self_cuda, count", metric);
    return false;
}

const struct option_entry stacks_options[] = {
    FLAG("folded", folded,
         "with stacks: a line per stack as flamegraph.pl reads it, weighted by\n"
         "nanoseconds of device time"),
    FLAG("stacks", by_function,
         "with folded: the functions that opened, made or launched each thing,\n"
         "instead of the ranges around it"),
    CALL("metric", "METRIC", set_metric,
         "with folded: self_cpu (default), self_cuda in nanoseconds, or count"),
    TEXT("perf-map", "PATH", perf_map,
         "where a JIT compiler named its code: a file, or a directory with\n"
         "perf-PID.map (default /tmp)"),
    FLAG("debuginfod", debuginfod, "ask the servers of DEBUGINFOD_URLS for debug information"),
    {0},
};

/* ---- as a table, in any format but text ---- */

#define STACK_WIDTH 400u

struct stack_sheet {
    const struct timeline *timeline;
    const struct stack_totals *totals;
    char **lines; /* by stack */
};

static void add_stack(struct table *table, const struct stack_sheet *of, uint32_t stack)
{
    const struct stack_total *total = &of->totals->at[stack];
    table_count(table, total->calls), table_count(table, total->ranges);
    table_ns(table, total->device_ns);
    table_share(table, total->device_ns, of->totals->device_ns);
    table_ns(table, total->cpu_ns);
    table_string(table, of->timeline->stacks.at[stack].cut ? "yes" : "no");
    table_string(table, of->lines[stack]);
}

static bool add_stacks(struct table *table, void *user)
{
    static const struct table_column columns[] = {
        {"calls", "Calls"},          {"ranges", "Ranges"},
        {"device_ns", "On devices"}, {"device_percent", "Share"},
        {"cpu_ns", "On the CPU"},    {"cut", "Cut at the limit"},
        {"stack", "Stack"},          {0}};
    const struct stack_sheet *of = user;
    table_begin(table, "stacks", "Call stacks", columns);
    for (uint32_t i = 0; i < of->totals->count; i++)
        if (table_row(table))
            add_stack(table, of, of->totals->order[i]);
    table_end(table);
    return !table->failed;
}

/* A row per call stack, the one that kept devices busy longest first; its functions innermost first, separated by
 * semicolons. */
static bool write_sheet(const struct profdump_options *options, const struct timeline *timeline,
                        struct symbols *symbols, const struct stack_totals *totals)
{
    struct stack_sheet of = {timeline, totals, stack_text_lines(symbols, timeline)};
    struct table table = {.format = options->format,
                          .stream = options->out,
                          .most = options->write.rows,
                          .width = STACK_WIDTH,
                          .unit = options->write.unit};
    errno = ENOMEM;
    bool done = of.lines && table_write(&table, add_stacks, &of);
    if (of.lines)
        stack_text_free(of.lines, timeline->stacks.count);
    return done;
}

/* ---- stacks ---- */

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static void print_stack(FILE *out, const struct timeline *timeline, struct symbols *symbols,
                        const struct stack_totals *totals, uint32_t place)
{
    uint32_t stack = totals->order[place];
    const struct stack_total *total = &totals->at[stack];
    char device[TIME_TEXT_BYTES], share[TIME_TEXT_BYTES], cpu[TIME_TEXT_BYTES];
    struct symbol_stack frames = symbols_stack(symbols, stack);
    time_text((double)total->device_ns, device);
    time_text_share(total->device_ns, totals->device_ns, share);
    time_text((double)total->cpu_ns, cpu);
    fprintf(out, "\nStack %u: %" PRIu64 " call%s, %s on the device", place + 1, total->calls,
            plural(total->calls), device);
    if (totals->device_ns > 0)
        fprintf(out, " (%s)", share);
    fprintf(out, ", %s on the CPU", cpu);
    if (total->ranges)
        fprintf(out, "; %" PRIu64 " range%s", total->ranges, plural(total->ranges));
    fputc('\n', out);
    stack_text_print(out, frames);
    if (timeline->stacks.at[stack].cut)
        fputs("    ... (deeper than the limit)\n", out);
}

static void print_head(FILE *out, const struct timeline *timeline)
{
    static const struct {
        const char *method, *words;
    } methods[] = {{"tables", "by unwind tables"},
                   {"frames", "by frame pointers"},
                   {"mixed", "by unwind tables and frame pointers"}};
    struct stack_facts facts;
    stack_facts_init(&facts, timeline);
    fprintf(out, "%" PRIu64 " call stack%s into %" PRIu64 " module%s", facts.stacks,
            plural(facts.stacks), facts.modules, plural(facts.modules));
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i].method, facts.method) == 0)
            fprintf(out, ", found %s", methods[i].words);
    fprintf(out, "; %" PRIu64 " cut at the limit", facts.cut);
    if (facts.untaken)
        fprintf(out, "; %" PRIu64 " could not be taken", facts.untaken);
    if (facts.missing)
        fprintf(out, "; %" PRIu64 " are not in the file", facts.missing);
    fputs(symbols_has_lines() ? "\n" : "; no source lines (profdump was built without libdw)\n",
          out);
}

static void print_all(const struct profdump_options *options, const struct timeline *timeline,
                      struct symbols *symbols, const struct stack_totals *totals)
{
    int64_t rows = options->write.rows;
    print_head(options->out, timeline);
    for (uint32_t i = 0; i < totals->count && (rows < 0 || i < rows); i++)
        print_stack(options->out, timeline, symbols, totals, i);
    if (rows >= 0 && totals->count > rows)
        fprintf(options->out, "\n%" PRId64 " of %u stacks\n", rows, totals->count);
}

/* Skips stacks without device time, which would have no width. */
static void print_folded(FILE *out, struct symbols *symbols, const struct stack_totals *totals)
{
    for (uint32_t i = 0; i < totals->count; i++) {
        uint32_t stack = totals->order[i];
        if (totals->at[stack].device_ns <= 0)
            continue;
        stack_text_folded(out, symbols_stack(symbols, stack));
        fprintf(out, " %" PRId64 "\n", totals->at[stack].device_ns);
    }
}

static int show(const struct profdump_options *options, const struct timeline *timeline,
                struct symbols *symbols)
{
    struct stack_totals totals;
    if (!stack_totals_init(&totals, timeline)) {
        complain("call stacks: %s", strerror(ENOMEM));
        return EXIT_FAILURE;
    }
    errno = 0;
    bool written = true;
    if (options->format != WRITE_TEXT)
        written = write_sheet(options, timeline, symbols, &totals);
    else if (options->folded)
        print_folded(options->out, symbols, &totals);
    else
        print_all(options, timeline, symbols, &totals);
    stack_totals_fini(&totals);
    stack_text_complain(symbols);
    return finish(options, timeline, written);
}

static int run_stacks(const struct profdump_options *options, const struct timeline *timeline)
{
    struct symbols *symbols = stack_text_symbols(options, timeline);
    int status = symbols ? show(options, timeline, symbols) : EXIT_FAILURE;
    stack_text_complain_of_none(timeline);
    symbols_destroy(symbols);
    return status;
}

const struct command command_stacks = {
    .word = "stacks",
    .usage = "stacks [OPTION]... [FILE|DIRECTORY]...",
    .help = "print the call stacks from which CUDA was called, the one that kept\n"
            "the device busy longest first",
    .run = run_stacks,
    .tables = true,
};

/* ---- folded: ranges, or the functions around them ---- */

static int fold(const struct profdump_options *options, const struct timeline *timeline,
                char **functions)
{
    return finish(
        options, timeline,
        write_folded(timeline, options->metric, (const char *const *)functions, options->out));
}

static int fold_functions(const struct profdump_options *options, const struct timeline *timeline,
                          struct symbols *symbols)
{
    char **functions = stack_text_all_folded(symbols, timeline);
    if (!functions) {
        complain("call stacks: %s", strerror(ENOMEM));
        return EXIT_FAILURE;
    }
    int status = fold(options, timeline, functions);
    stack_text_complain(symbols);
    stack_text_free(functions, timeline->stacks.count);
    return status;
}

static int run_folded(const struct profdump_options *options, const struct timeline *timeline)
{
    if (!options->by_function)
        return fold(options, timeline, NULL);
    struct symbols *symbols = stack_text_symbols(options, timeline);
    int status = symbols ? fold_functions(options, timeline, symbols) : EXIT_FAILURE;
    stack_text_complain_of_none(timeline);
    symbols_destroy(symbols);
    return status;
}

const struct command command_folded = {
    .word = "folded",
    .usage = "folded [--stacks] [--metric METRIC] [FILE|DIRECTORY]...",
    .help = "print the ranges, or with --stacks the functions around them, as folded\n"
            "stacks, as flamegraph.pl reads them",
    .run = run_folded,
};
