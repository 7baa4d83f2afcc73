/* cmd_stacks.c - profdump stacks, -o OUT.folded: where CUDA was called from, and what that cost. */
#include "commands.h"
#include "options.h"
#include "packed_out.h"
#include "profdump.h"
#include "slice_sums.h"
#include "stack_text.h"
#include "table.h"
#include "units.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct option_entry symbol_options[] = {
    {TEXT("perf-map", "PATH", perf_map, "read names of JIT code from a file or directory (/tmp)")},
    {FLAG("debuginfod", debuginfod, "fetch debug information from DEBUGINFOD_URLS")},
    {0},
};

static const struct option_entry stacks_options[] = {
    {FLAG("cpu", cpu_samples, "list what threads were doing: the stacks that PROF_SAMPLE sampled")},
    {FLAG("folded", folded,
          "print device time as folded stacks, for flamegraph.pl; with --cpu, CPU time")},
    {0},
};

static const struct option_entry *const options_of_stacks[] = {
    stacks_options, rows_options, unit_options, symbol_options, window_options, input_options,
    format_options, help_options, NULL};

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

static void add_sampled(struct table *table, const struct stack_sheet *of, uint32_t stack)
{
    const struct stack_total *total = &of->totals->at[stack];
    table_count(table, total->samples);
    table_ns(table, total->run_ns);
    table_share(table, total->run_ns, of->totals->run_ns);
    table_ns(table, total->wait_ns);
    table_string(table, of->timeline->stacks.at[stack].cut ? "yes" : "no");
    table_string(table, of->lines[stack]);
}

static bool add_all_sampled(struct table *table, void *user)
{
    static const struct table_column columns[] = {{"samples", "Samples"},
                                                  {"cpu_ns", "On the CPU"},
                                                  {"cpu_percent", "Share"},
                                                  {"wait_ns", "Waiting"},
                                                  {"cut", "Cut at the limit"},
                                                  {"stack", "Stack"},
                                                  {0}};
    const struct stack_sheet *of = user;
    table_begin(table, "samples", "Sampled call stacks", columns);
    for (uint32_t i = 0; i < of->totals->sampled_count; i++)
        if (table_row(table))
            add_sampled(table, of, of->totals->sampled[i]);
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
    bool done =
        of.lines && table_write(&table, options->cpu_samples ? add_all_sampled : add_stacks, &of);
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

/* What ends the line at the top. */
static const char *head_end(void)
{
    return symbols_has_lines() ? "\n" : "; no source lines (profdump was built without libdw)\n";
}

static void print_left_out(const struct profdump_options *options, uint32_t count)
{
    if (options->write.rows >= 0 && count > options->write.rows)
        fprintf(options->out, "\n%" PRId64 " of %u stacks\n", (int64_t)options->write.rows, count);
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
    fprintf(out, "%" PRIu64 " call stack%s", facts.stacks, plural(facts.stacks));
    if (facts.modules)
        fprintf(out, " into %" PRIu64 " module%s", facts.modules, plural(facts.modules));
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        if (strcmp(methods[i].method, facts.method) == 0)
            fprintf(out, ", found %s", methods[i].words);
    fprintf(out, "; %" PRIu64 " cut at the limit", facts.cut);
    if (facts.untaken)
        fprintf(out, "; %" PRIu64 " could not be taken", facts.untaken);
    if (facts.missing)
        fprintf(out, "; %" PRIu64 " are not in the file", facts.missing);
    fputs(head_end(), out);
}

static void print_all(const struct profdump_options *options, const struct timeline *timeline,
                      struct symbols *symbols, const struct stack_totals *totals)
{
    int64_t rows = options->write.rows;
    print_head(options->out, timeline);
    for (uint32_t i = 0; i < totals->count && (rows < 0 || i < rows); i++)
        print_stack(options->out, timeline, symbols, totals, i);
    print_left_out(options, totals->count);
}

/* Skips stacks without such time, which would have no width. */
static void print_folded(const struct profdump_options *options, struct symbols *symbols,
                         const struct stack_totals *totals)
{
    bool cpu = options->cpu_samples;
    uint32_t count = cpu ? totals->sampled_count : totals->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t stack = cpu ? totals->sampled[i] : totals->order[i];
        int64_t ns = cpu ? totals->at[stack].run_ns : totals->at[stack].device_ns;
        if (ns <= 0)
            continue;
        stack_text_folded(options->out, symbols_stack(symbols, stack));
        fprintf(options->out, " %" PRId64 "\n", ns);
    }
}

/* ---- samples of what threads were doing ---- */

static void print_sampled_stack(FILE *out, const struct timeline *timeline, struct symbols *symbols,
                                const struct stack_totals *totals, uint32_t place)
{
    uint32_t stack = totals->sampled[place];
    const struct stack_total *total = &totals->at[stack];
    char run[TIME_TEXT_BYTES], share[TIME_TEXT_BYTES], wait[TIME_TEXT_BYTES];
    time_text((double)total->run_ns, run);
    time_text_share(total->run_ns, totals->run_ns, share);
    time_text((double)total->wait_ns, wait);
    fprintf(out, "\nStack %u: %" PRIu64 " sample%s", place + 1, total->samples,
            plural(total->samples));
    if (total->run_ns)
        fprintf(out, ", %s on the CPU (%s)", run, share);
    if (total->wait_ns)
        fprintf(out, ", %s waiting", wait);
    fputc('\n', out);
    stack_text_print(out, symbols_stack(symbols, stack));
    if (timeline->stacks.at[stack].cut)
        fputs("    ... (the rest is not known)\n", out);
}

static void print_all_sampled(const struct profdump_options *options,
                              const struct timeline *timeline, struct symbols *symbols,
                              const struct stack_totals *totals)
{
    int64_t rows = options->write.rows;
    char run[TIME_TEXT_BYTES], wait[TIME_TEXT_BYTES];
    time_text((double)totals->run_ns, run);
    time_text((double)totals->wait_ns, wait);
    fprintf(options->out, "%u sample%s of %u stack%s: %s on the CPU, %s waiting%s",
            timeline->samples.count, plural(timeline->samples.count), totals->sampled_count,
            plural(totals->sampled_count), run, wait, head_end());
    for (uint32_t i = 0; i < totals->sampled_count && (rows < 0 || i < rows); i++)
        print_sampled_stack(options->out, timeline, symbols, totals, i);
    print_left_out(options, totals->sampled_count);
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
        print_folded(options, symbols, &totals);
    else if (options->cpu_samples)
        print_all_sampled(options, timeline, symbols, &totals);
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
    if (!options->cpu_samples)
        stack_text_complain_of_none(timeline);
    else if (timeline->samples.count == 0)
        complain("there are no samples in this recording; 'profrun --sample 99' records them");
    symbols_destroy(symbols);
    return status;
}

const struct command command_stacks = {
    .word = "stacks",
    .summary = "list the call stacks that launched work, by device time",
    .usage = "[OPTION]... [FILE|DIRECTORY]...",
    .about =
        "Prints the call stacks of CUDA calls, sorted by the device time that they launched, "
        "longest first. Record them with 'profrun --stacks'. With --cpu, prints where threads used "
        "CPU time and where they waited; record that with 'profrun --sample 99'.",
    .examples = "stacks --rows 5 run.prof\n"
                "stacks --folded run.prof | flamegraph.pl >run.svg\n"
                "stacks --cpu --folded run.prof | flamegraph.pl >cpu.svg",
    .question = QUESTION_TIME,
    .options = options_of_stacks,
    .run = run_stacks,
    .tables = true,
};

/* ---- folded: ranges, or the functions around them ---- */

/* The functions by stack, NULL where ranges are folded. False after having complained. */
static bool find_functions(const struct profdump_options *options, const struct timeline *timeline,
                           char ***functions)
{
    *functions = NULL;
    if (!options->by_function)
        return true;
    struct symbols *symbols = stack_text_symbols(options, timeline);
    if (symbols && !(*functions = stack_text_all_folded(symbols, timeline)))
        complain("call stacks: %s", strerror(ENOMEM));
    if (*functions)
        stack_text_complain(symbols);
    stack_text_complain_of_none(timeline);
    symbols_destroy(symbols);
    return *functions != NULL;
}

static bool fold(const struct profdump_options *options, const struct timeline *timeline,
                 char **functions, FILE *to)
{
    bool written = write_folded(timeline, options->metric, (const char *const *)functions, to);
    if (functions)
        stack_text_free(functions, timeline->stacks.count);
    return written;
}

static int run_folded(const struct profdump_options *options, const struct timeline *timeline)
{
    char **functions;
    if (!find_functions(options, timeline, &functions))
        return EXIT_FAILURE;
    return finish(options, timeline, fold(options, timeline, functions, options->out));
}

int cmd_folded(const struct profdump_options *options, const struct timeline *timeline,
               const char *path)
{
    char **functions;
    struct export_file file;
    struct write_error error;
    if (!export_file_open(&file, path, packed_out_open, &error))
        return finish_export(options, timeline, false, &error);
    bool found = find_functions(options, timeline, &functions);
    FILE *stream = export_file_stream(&file);
    errno = 0;
    int code = !found || !stream ? ENOMEM : 0;
    if (!code && !fold(options, timeline, functions, stream))
        code = errno ? errno : EIO;
    bool written = export_file_close(&file, code, &error);
    return found ? finish_export(options, timeline, written, &error) : EXIT_FAILURE;
}

static const struct option_entry *const options_of_folded[] = {
    folded_options, symbol_options, window_options, input_options, help_options, NULL};

const struct command command_folded = {
    .word = "folded",
    .now = "profdump -o - --to folded",
    .summary = "print ranges as folded stacks",
    .usage = "[--stacks] [--metric METRIC] [FILE|DIRECTORY]...",
    .about = "Prints ranges, or the functions around them, as flamegraph.pl reads them.",
    .options = options_of_folded,
    .run = run_folded,
};
