/* cmd_stacks.c - profdump stacks, -o OUT.folded: where CUDA was called from, and what that cost. */
#include "commands.h"
#include "envelope.h"
#include "evidence.h"
#include "formats.h"
#include "options.h"
#include "packed_out.h"
#include "profdump.h"
#include "slice_sums.h"
#include "stack_functions.h"
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

static bool set_flame(struct profdump_options *options, const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot || strcmp(dot, ".svg") != 0)
        return complain("-o %s: 'profdump stacks' draws flame graphs as SVG: end OUT in .svg",
                        path),
               false;
    options->flame = path;
    return true;
}

static const struct option_entry stacks_options[] = {
    {FLAG("cpu", cpu_samples, "list what threads were doing: the stacks that PROF_SAMPLE sampled")},
    {FLAG("functions", functions,
          "list functions instead of stacks: their own time, and with what they call")},
    {TEXT("sort", "COLUMN", sort, "sort functions by COLUMN: self or total"),
     .values = "self total"},
    {CALL("o", "OUT", set_flame, NULL)},
    {CALL("output", "OUT", set_flame,
          "draw what --folded prints as a flame graph; end OUT in .svg")},
    {FLAG("folded", folded,
          "print device time as folded stacks, for flamegraph.pl; with --cpu, CPU time")},
    {0},
};

static const struct option_entry *const options_of_stacks[] = {
    stacks_options, rows_options, unit_options, symbol_options, window_options, input_options,
    format_options, help_options, NULL};

/* Only functions can be sorted, and they are no flame graph. */
static bool agree(struct profdump_options *options)
{
    const char *sort = options->sort;
    if (sort && strcmp(sort, "self") != 0 && strcmp(sort, "total") != 0)
        return complain("--sort: there is no column '%s'; known are self, total", sort), false;
    if (sort && !options->functions)
        return complain("stacks: --sort is for --functions"), false;
    if (options->functions && (options->folded || options->flame))
        return complain("stacks: --functions and %s: choose one",
                        options->folded ? "--folded" : "-o"),
               false;
    return true;
}

struct listing {
    const struct profdump_options *options;
    const struct timeline *timeline;
    struct symbols *symbols;
    struct stack_groups groups;
    struct stack_totals totals; /* by group */
};

/* Why there is nothing to list; NULL: there is. */
static const char *find_lacking(const struct listing *listing, char to[EVIDENCE_BYTES])
{
    enum evidence_report report =
        listing->options->cpu_samples ? EVIDENCE_SAMPLES : EVIDENCE_STACKS;
    return evidence_missing(listing->timeline, report, to) ? to : NULL;
}

/* ---- which stacks are one ----
 *
 * Stacks differ in addresses: a loop is sampled at each of its instructions. Stacks of the same
 * text are one. Samples are grouped by functions, because few are at one line; launches from two
 * lines stay two stacks. */

static struct text call_of(const struct listing *listing, const struct tl_stack *stack)
{
    return symbols_call(listing->symbols, (uint32_t)(stack - listing->timeline->stacks.at));
}

static void write_frames(FILE *stream, const struct tl_stack *stack, struct symbol_stack frames,
                         bool lines)
{
    fputs(stack->cut ? "cut" : "", stream);
    for (uint32_t i = 0; i < frames.count; i++) {
        const struct symbol_frame *frame = &frames.at[i];
        bool has_line = lines || frame->python; /* of the def: tells functions of one name apart */
        fprintf(stream, "\n%s\t%s\t%s\t%" PRIu32 "\t%" PRIx64 "\t%d",
                frame->function ? frame->function : "", frame->module ? frame->module : "",
                frame->file ? frame->file : "", has_line ? frame->line : 0,
                frame->function ? 0 : frame->offset, frame->inlined);
    }
}

static void write_call(FILE *stream, const struct tl_stack *stack, struct symbol_stack frames,
                       const void *user)
{
    struct text call = call_of(user, stack);
    fwrite(call.bytes, 1, call.size, stream);
    write_frames(stream, stack, frames, true);
}

static void write_sampled(FILE *stream, const struct tl_stack *stack, struct symbol_stack frames,
                          const void *user)
{
    (void)user;
    write_frames(stream, stack, frames, false);
}

static void write_folded_line(FILE *stream, const struct tl_stack *stack,
                              struct symbol_stack frames, const void *user)
{
    const struct listing *listing = user;
    struct text call = call_of(listing, stack);
    stack_text_folded(stream, frames);
    if (call.size && !listing->options->cpu_samples)
        fprintf(stream, ";%.*s", (int)call.size, call.bytes);
}

/* The call that the stacks of a group were taken at. */
static struct text call_of_group(const struct listing *listing, uint32_t group)
{
    return symbols_call(listing->symbols, listing->groups.stacks[listing->groups.first[group]]);
}

/* The frames of a group, without lines where its stacks differ in them. at: to free(), NULL: no
 * memory. */
static struct symbol_stack common_frames(const struct listing *listing, uint32_t group)
{
    const struct stack_groups *groups = &listing->groups;
    struct symbol_frame *common = NULL;
    uint32_t count = 0;
    for (uint32_t i = groups->first[group]; i < groups->first[group + 1]; i++) {
        struct symbol_stack frames = symbols_stack(listing->symbols, groups->stacks[i]);
        if (!common) {
            common = malloc((frames.count + (size_t)1) * sizeof *common);
            if (!common)
                break;
            count = frames.count;
            if (count)
                memcpy(common, frames.at, count * sizeof *common);
        }
        for (uint32_t j = 0; j < count && j < frames.count; j++)
            if (common[j].line != frames.at[j].line)
                common[j].line = 0;
    }
    return (struct symbol_stack){common, count};
}

static bool is_cut(const struct listing *listing, uint32_t group)
{
    return listing->timeline->stacks.at[listing->groups.stacks[listing->groups.first[group]]].cut;
}

/* ---- as a table, in any format but text ---- */

#define STACK_WIDTH 400u

struct stack_sheet {
    const struct listing *listing;
    char **lines; /* by group */
};

#define STACK_COLUMNS(X)                                                                     \
    X(table_count(table, total->calls), "calls", "Calls")                                    \
    X(table_count(table, total->ranges), "ranges", "Ranges")                                 \
    X(call.size ? table_text(table, call) : table_none(table), "call", "Call")               \
    X(table_ns(table, total->device_ns), "device_ns", "On devices")                          \
    X(table_share(table, total->device_ns, of->listing->totals.device_ns), "device_percent", \
      "Share")                                                                               \
    X(table_ns(table, total->cpu_ns), "cpu_ns", "On the CPU")                                \
    FRAMES_COLUMNS(X)
#define SAMPLED_COLUMNS(X)                                                                   \
    X(table_count(table, total->samples), "samples", "Samples")                              \
    X(table_ns(table, total->run_ns), "cpu_ns", "On the CPU")                                \
    X(table_share(table, total->run_ns, of->listing->totals.run_ns), "cpu_percent", "Share") \
    X(table_ns(table, total->wait_ns), "wait_ns", "Waiting")                                 \
    FRAMES_COLUMNS(X)
#define FRAMES_COLUMNS(X)                                                                        \
    X(table_string(table, is_cut(of->listing, group) ? "yes" : "no"), "cut", "Cut at the limit") \
    X(table_string(table, of->lines[group]), "stack", "Stack")
TABLE_ROW(stack, STACK_COLUMNS, const struct stack_sheet *of, uint32_t group,
          const struct stack_total *total, struct text call)
TABLE_ROW(sampled, SAMPLED_COLUMNS, const struct stack_sheet *of, uint32_t group,
          const struct stack_total *total)

static bool add_stacks(struct table *table, void *user)
{
    const struct stack_sheet *of = user;
    const struct stack_totals *totals = &of->listing->totals;
    char lacking[EVIDENCE_BYTES];
    const struct envelope envelope = {.command = "stacks",
                                      .timelines = {of->listing->timeline},
                                      .abstained = find_lacking(of->listing, lacking)};
    if (table->json && !envelope_begin(table->json, &envelope))
        return false;
    table_begin(table, "stacks", "Call stacks", stack_columns);
    for (uint32_t i = 0; i < totals->count; i++) {
        uint32_t group = totals->order[i];
        stack_row(table, of, group, &totals->at[group], call_of_group(of->listing, group));
    }
    table_end(table);
    if (table->json)
        envelope_end(table->json, envelope.command);
    return !table->failed;
}

static bool add_all_sampled(struct table *table, void *user)
{
    const struct stack_sheet *of = user;
    const struct stack_totals *totals = &of->listing->totals;
    char lacking[EVIDENCE_BYTES];
    const struct envelope envelope = {.command = "stacks_cpu",
                                      .timelines = {of->listing->timeline},
                                      .abstained = find_lacking(of->listing, lacking)};
    if (table->json && !envelope_begin(table->json, &envelope))
        return false;
    table_begin(table, "samples", "Sampled call stacks", sampled_columns);
    for (uint32_t i = 0; i < totals->sampled_count; i++)
        sampled_row(table, of, totals->sampled[i], &totals->at[totals->sampled[i]]);
    table_end(table);
    if (table->json)
        envelope_end(table->json, envelope.command);
    return !table->failed;
}

/* A row per call stack, the one that kept devices busy longest first; its functions innermost
 * first, separated by semicolons. */
static bool write_sheet(const struct listing *listing)
{
    const struct profdump_options *options = listing->options;
    uint32_t count = listing->groups.count;
    struct stack_sheet of = {listing, calloc(count + (size_t)1, sizeof *of.lines)};
    struct table table = {.format = options->format,
                          .stream = options->out,
                          .most = options->write.rows,
                          .width = STACK_WIDTH,
                          .unit = options->write.unit};
    bool done = of.lines != NULL;
    for (uint32_t i = 0; i < count && done; i++) {
        struct symbol_stack frames = common_frames(listing, i);
        of.lines[i] = frames.at ? stack_text_line(frames) : NULL;
        free((void *)frames.at);
        done = of.lines[i] != NULL;
    }
    errno = ENOMEM;
    done = done && table_write(&table, options->cpu_samples ? add_all_sampled : add_stacks, &of);
    stack_text_free(of.lines, count);
    return done;
}

/* ---- stacks ---- */

static void print_frames(const struct listing *listing, uint32_t group, const char *rest)
{
    struct symbol_stack frames = common_frames(listing, group);
    stack_text_print(listing->options->out, frames);
    free((void *)frames.at);
    if (is_cut(listing, group))
        fprintf(listing->options->out, "    ... (%s)\n", rest);
}

static void print_stack(const struct listing *listing, uint32_t place)
{
    FILE *out = listing->options->out;
    const struct stack_totals *totals = &listing->totals;
    const struct stack_total *total = &totals->at[totals->order[place]];
    char device[TIME_TEXT_BYTES], share[TIME_TEXT_BYTES], cpu[TIME_TEXT_BYTES];
    time_text((double)total->device_ns, device);
    time_text_share(total->device_ns, totals->device_ns, share);
    time_text((double)total->cpu_ns, cpu);
    struct text call = call_of_group(listing, totals->order[place]);
    fprintf(out, "\nStack %u: %" PRIu64 " call%s%s%.*s, %s on the device", place + 1, total->calls,
            plural(total->calls), call.size ? " of " : "", (int)call.size, call.bytes, device);
    if (totals->device_ns > 0)
        fprintf(out, " (%s)", share);
    fprintf(out, ", %s on the CPU", cpu);
    if (total->ranges)
        fprintf(out, "; %" PRIu64 " range%s", total->ranges, plural(total->ranges));
    fputc('\n', out);
    print_frames(listing, totals->order[place], "deeper than the limit");
}

static void end_head(const struct listing *listing)
{
    FILE *out = listing->options->out;
    const char *program = symbols_without_lines(listing->symbols);
    if (!symbols_has_lines())
        fputs("; no source lines (profdump was built without libdw)", out);
    else if (program)
        fprintf(out, "\n%s has no debug information: compile with -g for source lines", program);
    fputc('\n', out);
}

static void print_left_out(const struct profdump_options *options, uint32_t count)
{
    if (options->write.rows >= 0 && count > options->write.rows)
        fprintf(options->out, "\n%" PRId64 " of %u stacks\n", (int64_t)options->write.rows, count);
}

static void print_head(const struct listing *listing, uint32_t stacks)
{
    static const struct {
        const char *method, *words;
    } methods[] = {{"tables", "by unwind tables"},
                   {"frames", "by frame pointers"},
                   {"mixed", "by unwind tables and frame pointers"}};
    FILE *out = listing->options->out;
    struct stack_facts facts;
    stack_facts_init(&facts, listing->timeline);
    fprintf(out, "%u call stack%s", stacks, plural(stacks));
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
    end_head(listing);
}

static void print_all(const struct listing *listing)
{
    int64_t rows = listing->options->write.rows;
    uint32_t count = listing->totals.count;
    print_head(listing, count);
    for (uint32_t i = 0; i < count && (rows < 0 || i < rows); i++)
        print_stack(listing, i);
    print_left_out(listing->options, count);
}

/* Skips stacks without such time, which would have no width. */
static void print_folded(const struct listing *listing)
{
    bool cpu = listing->options->cpu_samples;
    const struct stack_totals *totals = &listing->totals;
    uint32_t count = cpu ? totals->sampled_count : totals->count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = cpu ? totals->sampled[i] : totals->order[i];
        int64_t ns = cpu ? totals->at[group].run_ns : totals->at[group].device_ns;
        if (ns > 0)
            fprintf(listing->options->out, "%s %" PRId64 "\n", listing->groups.texts[group], ns);
    }
}

/* Of the same lines. */
static int draw_flame(const struct listing *listing)
{
    bool cpu = listing->options->cpu_samples, whole = true;
    const struct stack_totals *totals = &listing->totals;
    uint32_t count = cpu ? totals->sampled_count : totals->count, made = 0;
    struct write_flame_line *lines = calloc(count + (size_t)1, sizeof *lines);
    char **paths = calloc(count + (size_t)1, sizeof *paths);
    struct write_error error = {.code = ENOMEM, .message = "call stacks: out of memory"};
    for (uint32_t i = 0; i < count && lines && paths && whole; i++) {
        uint32_t group = cpu ? totals->sampled[i] : totals->order[i];
        int64_t ns = cpu ? totals->at[group].run_ns : totals->at[group].device_ns;
        if (ns <= 0)
            continue;
        whole = asprintf(&paths[made], "%s;", listing->groups.texts[group]) >= 0;
        lines[made] = (struct write_flame_line){paths[made], ns};
        made += whole;
    }
    if (!made && lines && paths && whole) {
        complain("-o %s: no call stack has %s time: nothing to draw", listing->options->flame,
                 cpu ? "CPU" : "device");
        free(lines);
        free(paths);
        return EXIT_FAILURE;
    }
    bool written = lines && paths && whole &&
                   write_flame_svg(lines, made, cpu ? "CPU time" : "Device time",
                                   listing->options->flame, &error);
    stack_text_free(paths, made);
    free(lines);
    return finish_export(listing->options, listing->timeline, written, &error);
}

/* ---- samples of what threads were doing ---- */

static void print_sampled_stack(const struct listing *listing, uint32_t place)
{
    FILE *out = listing->options->out;
    const struct stack_totals *totals = &listing->totals;
    const struct stack_total *total = &totals->at[totals->sampled[place]];
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
    print_frames(listing, totals->sampled[place], "the rest is not known");
}

static void print_all_sampled(const struct listing *listing)
{
    const struct stack_totals *totals = &listing->totals;
    int64_t rows = listing->options->write.rows;
    uint32_t samples = listing->timeline->samples.count, count = totals->sampled_count;
    char run[TIME_TEXT_BYTES], wait[TIME_TEXT_BYTES];
    time_text((double)totals->run_ns, run);
    time_text((double)totals->wait_ns, wait);
    fprintf(listing->options->out, "%u sample%s of %u stack%s: %s on the CPU, %s waiting", samples,
            plural(samples), count, plural(count), run, wait);
    end_head(listing);
    for (uint32_t i = 0; i < count && (rows < 0 || i < rows); i++)
        print_sampled_stack(listing, i);
    print_left_out(listing->options, count);
}

static bool write_functions(const struct listing *listing)
{
    char lacking[EVIDENCE_BYTES];
    const struct stack_functions_of of = {listing->options, listing->timeline,
                                          listing->symbols, &listing->totals,
                                          &listing->groups, find_lacking(listing, lacking)};
    return stack_functions_write(&of);
}

static bool print_listing(const struct listing *listing)
{
    const struct profdump_options *options = listing->options;
    errno = 0;
    if (options->functions)
        return write_functions(listing);
    if (options->format != WRITE_TEXT)
        return write_sheet(listing);
    if (options->folded)
        print_folded(listing);
    else if (options->cpu_samples)
        print_all_sampled(listing);
    else
        print_all(listing);
    return true;
}

static int show(struct listing *listing)
{
    const struct profdump_options *options = listing->options;
    bool is_folded = options->flame || (options->format == WRITE_TEXT && options->folded);
    if (!stack_groups_init(&listing->groups, listing->symbols, listing->timeline,
                           is_folded              ? write_folded_line
                           : options->cpu_samples ? write_sampled
                                                  : write_call,
                           listing) ||
        !stack_totals_init(&listing->totals, listing->timeline, listing->groups.group_of,
                           listing->groups.count)) {
        complain("call stacks: %s", strerror(ENOMEM));
        stack_groups_fini(&listing->groups);
        return EXIT_FAILURE;
    }
    int status = options->flame ? draw_flame(listing)
                                : finish(options, listing->timeline, print_listing(listing));
    stack_totals_fini(&listing->totals);
    stack_groups_fini(&listing->groups);
    stack_text_complain(listing->symbols);
    return status;
}

static int run_stacks(const struct profdump_options *options, const struct timeline *timeline)
{
    struct listing listing = {.options = options, .timeline = timeline};
    char lacking[EVIDENCE_BYTES];
    listing.symbols = stack_text_symbols(options, timeline);
    int status = listing.symbols ? show(&listing) : EXIT_FAILURE;
    if (find_lacking(&listing, lacking)) {
        complain("%s", lacking);
        if (!options->cpu_samples && timeline->samples.count)
            complain("there are samples: 'profdump stacks --cpu' lists them");
    }
    symbols_destroy(listing.symbols);
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
                "stacks --cpu --functions --rows 20 run.prof\n"
                "stacks -o run.svg run.prof\n"
                "stacks --cpu -o cpu.svg run.prof\n"
                "stacks --folded run.prof | flamegraph.pl >run.svg",
    .question = QUESTION_TIME,
    .options = options_of_stacks,
    .run = run_stacks,
    .agree = agree,
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
