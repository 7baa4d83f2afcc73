/* cmd_bench.c - profdump bench --range NAME FILE...: what one call of a range costs. */
#include "baseline.h"
#include "commands.h"
#include "inputs.h"
#include "options.h"
#include "profdump.h"
#include "reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Operations of one call that people see. */
#define ROWS_DEFAULT 40

static bool set_error(struct profdump_options *options, const char *text)
{
    const char *rest;
    double percent;
    bool good = options_decimal(text, &percent, &rest) && (!*rest || strcmp(rest, "%") == 0) &&
                percent > 0 && percent <= 1000;
    if (good)
        options->bench.max_relative_error = percent / 100;
    else
        complain("--max-relative-error: '%s' is not a percentage above 0", text);
    return good;
}

static bool agree(struct profdump_options *options)
{
    bool compares = options->bench_against || options->baseline;
    if (!options->bench.range)
        complain("bench: --range NAME is needed");
    else if (options->diff.gate && !compares)
        complain("--fail-if-slower: needs --against RANGE or --baseline NAME");
    return options->bench.range && (compares || !options->diff.gate);
}

static const struct option_entry bench_entries[] = {
    {TEXT("range", "NAME", bench.range, "measure the calls of this range")},
    {TEXT("against", "RANGE", bench_against, "compare with the calls of another range")},
    {TEXT("baseline", "NAME", baseline, "compare with the range in this baseline")},
    {CALL("fail-if-slower", "LIMIT", gate_limit_set,
          "exit with status 4 if it is slower by more than LIMIT (5% or 1.05x) and by more than "
          "noise, 5 if noise may explain that or is unknown")},
    {CALL("max-relative-error", "PERCENT", set_error,
          "give no numbers if the median is less certain than that (5)")},
    {FLAG("allow-varying", bench.allow_varying,
          "report calls by their sequence of operations, instead of refusing several")},
    {0},
};

static const struct option_entry *const options_of_bench[] = {
    bench_entries,  baseline_options, rows_options,   unit_options, width_options,
    window_options, input_options,    format_options, help_options, NULL};

static int out_of_memory(void)
{
    complain("bench: %s", strerror(ENOMEM));
    return EXIT_FAILURE;
}

/* ---- the verdict ---- */

/* As diff's gate does. */
static int judge(const struct profdump_options *options, const struct bench_comparison *comparison,
                 int status)
{
    const struct bootstrap_interval *ratio = &comparison->ratio;
    const char *against = options->bench_against ? options->bench_against : options->baseline;
    if (!options->diff.gate || status != EXIT_SUCCESS)
        return status;
    enum diff_gate_result result = diff_gate_judge(ratio, options->diff.gate_limit);
    if (result == DIFF_GATE_PASSED)
        return status;
    if (ratio->known)
        complain("--fail-if-slower: device time is %.3f times that of %s (95 %%: %.3f to %.3f)",
                 ratio->ratio, against, ratio->low, ratio->high);
    else
        complain("--fail-if-slower: cannot be judged: there is no interval");
    return result == DIFF_GATE_FAILED ? EXIT_FOUND : EXIT_INCONCLUSIVE;
}

static int print(const struct profdump_options *options, const struct timeline *timeline,
                 const struct bench_stats *stats, const struct bench_stats *other)
{
    struct bench_comparison comparison;
    struct write_bench_options write = {
        .with = options->bench_against ? options->bench_against : options->baseline,
        .format = options->format,
        .rows = options->rows_given ? options->write.rows : ROWS_DEFAULT,
        .name_width = options->write.name_width,
        .table_width = options->write.table_width,
        .unit = options->write.unit};
    if (other) {
        if (!bench_compare(&comparison, other, stats))
            return out_of_memory();
        write.comparison = &comparison;
    }
    int status = finish(options, timeline, write_bench(stats, &write, options->out));
    for (unsigned i = 0; other && i < other->reason_count; i++)
        complain("%s: %s", write.with, other->reasons[i]);
    if (status != EXIT_SUCCESS)
        return status;
    if (!stats->reason_count && !(other && other->reason_count))
        return other ? judge(options, &comparison, status) : status;
    for (unsigned i = 0; i < stats->reason_count && !write_format_is_for_people(options->format);
         i++)
        complain("%s", stats->reasons[i]);
    return EXIT_INCONCLUSIVE;
}

/* ---- what it is compared with ---- */

static int run_against(const struct profdump_options *options, const struct timeline *timeline,
                       const struct bench_stats *stats, const struct timeline *with)
{
    struct bench_options of = options->bench;
    struct bench_stats other;
    if (options->bench_against)
        of.range = options->bench_against;
    if (!bench_stats_init(&other, with, &of))
        return out_of_memory();
    int status = print(options, timeline, stats, &other);
    bench_stats_fini(&other);
    return status;
}

static int run_baseline(const struct profdump_options *options, const struct timeline *timeline,
                        const struct bench_stats *stats)
{
    struct profdump_options of = *options;
    char path[PATH_MAX], *inputs[2] = {path, NULL};
    int status = baseline_find(options, options->baseline, path);
    if (status != EXIT_SUCCESS)
        return status;
    of.inputs = inputs;
    of.input_count = 1;
    of.window = (struct window_options){0};
    struct timeline *with = inputs_load(&of);
    status = with ? run_against(options, timeline, stats, with) : EXIT_FAILURE;
    timeline_destroy(with);
    return status;
}

static int run(const struct profdump_options *options, const struct timeline *timeline)
{
    struct bench_stats stats;
    if (!bench_stats_init(&stats, timeline, &options->bench))
        return out_of_memory();
    int status = options->baseline        ? run_baseline(options, timeline, &stats)
                 : options->bench_against ? run_against(options, timeline, &stats, timeline)
                                          : print(options, timeline, &stats, NULL);
    bench_stats_fini(&stats);
    return status;
}

const struct command command_bench = {
    .word = "bench",
    .summary = "measure one call of a range, or refuse with the reason",
    .usage = "--range NAME [OPTION]... [FILE|DIRECTORY]...",
    .about = "Prints the device time of one call of a range, its operations and the gaps between "
             "them. Where the recording does not support numbers, it prints every reason instead "
             "and exits with status 5.",
    .examples = "bench --range step run.prof\n"
                "bench --range new --against old --fail-if-slower 5% run.prof",
    .question = QUESTION_TIME,
    .options = options_of_bench,
    .run = run,
    .agree = agree,
    .tables = true,
};
