/* cmd_diff.c - profdump diff A B: two runs compared, both loaded and added up at the same time. */
#include "baseline.h"
#include "commands.h"
#include "compat.h"
#include "inputs.h"
#include "options.h"
#include "reports.h"
#include "write_html.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Of outputs there is the report. */
static bool agree(struct profdump_options *options)
{
    for (size_t i = 0; i < EXPORT_COUNT; i++)
        if (options->export_paths[i] && i != EXPORT_HTML) {
            complain("diff: writes HTML (-o out.html), not %s", options->export_paths[i]);
            return false;
        }
    return true;
}

static bool set_by(struct profdump_options *options, const char *name)
{
    enum diff_by by;
    options->by = name;
    if (!diff_by_find(name, &by))
        return false;
    options->diff.tables = 1u << by;
    return true;
}

static bool set_resamples(struct profdump_options *options, const char *text)
{
    const char *rest;
    double number;
    bool good = options_decimal(text, &number, &rest) && !*rest && number == floor(number) &&
                number >= BOOTSTRAP_RESAMPLES_MIN && number <= BOOTSTRAP_RESAMPLES_MAX;
    if (good)
        options->diff.resamples = (uint32_t)number;
    else
        complain("--resamples: '%s' is not a number of %u to %u", text, BOOTSTRAP_RESAMPLES_MIN,
                 BOOTSTRAP_RESAMPLES_MAX);
    return good;
}

static bool set_confidence(struct profdump_options *options, const char *text)
{
    const char *rest;
    double percent;
    bool good = options_decimal(text, &percent, &rest) && (!*rest || strcmp(rest, "%") == 0) &&
                percent >= 50 && percent <= 99.9;
    if (good)
        options->diff.confidence = percent / 100;
    else
        complain("--confidence: '%s' is not a percentage of 50 to 99.9", text);
    return good;
}

/* "5%" and "1.05x" mean the same; a number alone could mean either. */
bool gate_limit_set(struct profdump_options *options, const char *text)
{
    const char *rest;
    double number = 0;
    bool read = options_decimal(text, &number, &rest);
    options->diff.gate = read && ((strcmp(rest, "%") == 0 && number <= 1e6) ||
                                  (strcmp(rest, "x") == 0 && number >= 1 && number <= 1e4));
    if (options->diff.gate)
        options->diff.gate_limit = *rest == '%' ? number / 100 : number - 1;
    else
        complain("--fail-if-slower: '%s' is not a limit such as 5%% or 1.05x", text);
    return options->diff.gate;
}

static bool set_gate(struct profdump_options *options, const char *name)
{
    return diff_gate_find(name, &options->diff.gate_of);
}

/* The two names, "base" and "new" where none were given; `storage` holds what they point into, to
 * free(). False after having complained. */
static bool read_names(const struct profdump_options *options, const char *names[2], char **storage)
{
    *storage = strdup(options->diff_names ? options->diff_names : "base,new");
    char *comma = *storage ? strchr(*storage, ',') : NULL;
    if (!*storage) {
        complain("--names: %s", strerror(ENOMEM));
        return false;
    }
    if (!comma || strchr(comma + 1, ',') || comma == *storage || !comma[1]) {
        complain("--names: '%s' is not two names with a comma between them", *storage);
        return false;
    }
    *comma = '\0';
    names[0] = *storage;
    names[1] = comma + 1;
    if (strcmp(names[0], names[1]) != 0)
        return true;
    complain("--names: both are called '%s'", names[0]);
    return false;
}

static const struct option_entry diff_entries[] = {
    {TEXT("baseline", "NAME", baseline, "compare with this baseline, in place of A")},
    {TEXT("names", "A,B", diff_names, "name the two runs (base,new)")},
    {CALL("group-by", "WHAT", set_by, "print only this table, with all of its rows"),
     .values = "kernel op range path call copy"},
    {CHOICE("per-step", diff.normalise, DIFF_PER_STEP, "normalize calls and totals per step")},
    {CHOICE("totals", diff.normalise, DIFF_TOTALS, "do not normalize calls and totals per step")},
    {FLAG("no-match", diff_no_match, "match kernels by exact name only")},
    {CALL("confidence", "PERCENT", set_confidence, "set the confidence of intervals (95)")},
    {CALL("resamples", "N", set_resamples, "set the number of bootstrap resamples (1000)")},
    {CALL("fail-if-slower", "LIMIT", gate_limit_set,
          "exit with status 4 if B is slower by more than LIMIT (5% or 1.05x) and by more than "
          "noise, 5 if noise may explain that or is unknown")},
    {BITS("fail-on", "VERDICT", fail_on,
          "exit with status 4 for this verdict, whatever the size of the change; 5 if it is "
          "inconclusive or the runs are not comparable; VERDICT is one of"),
     .values = "any slower faster", .mistaken = "--judge"},
    {CALL("judge", "WHAT", set_gate,
          "give the verdict about WHAT (auto: steps, else wall time; host: wall time while no "
          "device is busy)"),
     .values = "auto steps wall device host kernel"},
    {0},
};

static const struct option_entry *const options_of_diff[] = {
    diff_entries,   baseline_options, report_options, rows_options, unit_options, width_options,
    window_options, input_options,    format_options, help_options, NULL};

#define ROWS_DEFAULT 20

struct job {
    struct input_load *load;
    struct diff_side side;
    uint32_t tables;
    bool measured;
    struct profdump_options options; /* with one input */
};

/* ---- two sides ---- */

static void *run_job(void *argument)
{
    struct job *job = argument;
    const struct timeline *timeline = input_load_run(job->load);
    if (timeline)
        job->measured = diff_side_init(&job->side, timeline, job->tables);
    return NULL;
}

/* Runs both jobs on this thread if no second one can be started. */
static void run_jobs(struct job jobs[2])
{
    pthread_t thread;
    bool threaded = pthread_create(&thread, NULL, run_job, &jobs[1]) == 0;
    run_job(&jobs[0]);
    if (threaded)
        pthread_join(thread, NULL);
    else
        run_job(&jobs[1]);
}

/* Reports the errors of both, in order. */
static bool jobs_are_good(const struct job jobs[2])
{
    bool good = true;
    for (unsigned i = 0; i < 2; i++) {
        bool loaded = input_load_tell(jobs[i].load);
        if (loaded && !jobs[i].measured)
            complain("diff: %s", strerror(ENOMEM));
        good &= loaded && jobs[i].measured;
    }
    return good;
}

static bool create_jobs(const struct profdump_options *options, struct job jobs[2])
{
    for (int i = 0; i < 2; i++) {
        jobs[i] = (struct job){.tables = options->diff.tables, .options = *options};
        jobs[i].options.inputs = options->inputs + i;
        jobs[i].options.input_count = 1;
        jobs[i].load = input_load_create(&jobs[i].options);
        if (!jobs[i].load)
            return false;
    }
    return true;
}

static void destroy_job(struct job *job)
{
    if (job->measured)
        diff_side_fini(&job->side);
    input_load_destroy(job->load);
}

/* ---- the diff ---- */

static struct write_diff_options write_options_of(const struct profdump_options *options,
                                                  const char *const names[2])
{
    enum write_format format = options->format;
    int64_t rows = write_format_is_for_people(format) && !options->by ? ROWS_DEFAULT : -1;
    return (struct write_diff_options){
        .names = {names[0], names[1]},
        .inputs = {options->inputs[0], options->inputs[1]},
        .format = format,
        .rows = options->rows_given ? options->write.rows : rows,
        .name_width = options->write.name_width,
        .table_width = options->write.table_width,
        .unit = options->write.unit,
        .color = options->write.color,
    };
}

/* A page replaces the text, but no format that was given explicitly. */
static bool prints(const struct profdump_options *options)
{
    return !options->export_paths[EXPORT_HTML] || options->format != WRITE_TEXT;
}

/* For --fail-on; its values are the same. */
static const char *finding_at(unsigned number)
{
    static const char *const names[] = {"any", "slower", "faster"};
    return number < sizeof names / sizeof *names ? names[number] : NULL;
}

static int finish_fail_on(const struct profdump_options *options, const struct diff *diff,
                          int status)
{
    static const uint64_t found[DIFF_OUTCOMES] = {
        [DIFF_RUN_SLOWER] = 1 | 2, [DIFF_RUN_FASTER] = 1 | 4};
    char unknown[80];
    bool is_known =
        diff->outcome != DIFF_RUN_INCONCLUSIVE && diff->outcome != DIFF_RUN_NOT_COMPARABLE;
    snprintf(unknown, sizeof unknown, "the verdict is %s", diff_outcome_name(diff->outcome));
    return finish_judged(options, status, finding_at, found[diff->outcome],
                         is_known ? NULL : unknown);
}

/* Formats for programs have no closing lines. */
static int end(const struct profdump_options *options, const struct diff *diff,
               const struct write_diff_options *write, bool written)
{
    enum diff_gate_result result = diff->gate.result;
    struct diff_gate_lines lines;
    int status = finish(options, diff->sides[0]->timeline, written);
    if (status == EXIT_SUCCESS)
        status = finish(options, diff->sides[1]->timeline, written);
    if (status == EXIT_FAILURE || result == DIFF_GATE_NONE)
        return finish_fail_on(options, diff, status);
    write_diff_gate(diff, write, &lines);
    if (!prints(options) || !write_format_is_for_people(options->format)) {
        complain("%s", lines.judged);
        complain("%s", lines.result);
    }
    if (result == DIFF_GATE_FAILED)
        status = EXIT_FOUND;
    else if (result == DIFF_GATE_INCONCLUSIVE && status == EXIT_SUCCESS)
        status = EXIT_INCONCLUSIVE;
    return finish_fail_on(options, diff, status);
}

static bool write_page(const struct profdump_options *options, const struct diff *diff,
                       const struct write_diff_options *write)
{
    struct write_error error;
    if (write_html_diff(diff, write, options->export_paths[EXPORT_HTML], &error))
        return true;
    if (error.code != EPIPE)
        complain("%s", error.message);
    return false;
}

static int show_diff(const struct profdump_options *options, const struct diff *diff,
                     const struct write_diff_options *write)
{
    if (options->export_paths[EXPORT_HTML] && !write_page(options, diff, write))
        return EXIT_FAILURE;
    return end(options, diff, write, !prints(options) || write_diff(diff, write, options->out));
}

static int print_diff(const struct profdump_options *options, const struct job jobs[2],
                      const char *const names[2])
{
    struct write_diff_options write = write_options_of(options, names);
    struct diff_options with = options->diff;
    struct diff diff;
    with.match = !options->diff_no_match;
    if (!diff_init(&diff, &jobs[0].side, &jobs[1].side, &with)) {
        complain("diff: %s", strerror(ENOMEM));
        return EXIT_FAILURE;
    }
    int status = show_diff(options, &diff, &write);
    diff_fini(&diff);
    return status;
}

/* --per-step cannot be done without. */
static bool jobs_have_steps(const struct job jobs[2])
{
    bool good = true;
    for (unsigned i = 0; i < 2; i++)
        if (jobs[i].options.diff.normalise == DIFF_PER_STEP && !jobs[i].side.steps) {
            complain("diff: --per-step: %s has no steps", jobs[i].options.inputs[0]);
            good = false;
        }
    return good;
}

static int run_diff(const struct profdump_options *options, const char *const names[2])
{
    struct job jobs[2] = {{0}};
    int status = EXIT_FAILURE;
    if (create_jobs(options, jobs)) {
        run_jobs(jobs);
        if (jobs_are_good(jobs) && jobs_have_steps(jobs))
            status = print_diff(options, jobs, names);
    }
    destroy_job(&jobs[0]);
    destroy_job(&jobs[1]);
    return status;
}

static int diff_inputs(const struct profdump_options *options)
{
    const char *names[2];
    char *storage = NULL;
    int status = EXIT_USAGE;
    if (options->input_count != 2)
        complain("diff: needs two inputs, each a file or a directory; %d given",
                 options->input_count);
    else if (read_names(options, names, &storage))
        status = options->compat ? compat_diff(options, options->diff_names ? names : NULL)
                                 : run_diff(options, names);
    free(storage);
    return status;
}

int cmd_diff(const struct profdump_options *options)
{
    struct profdump_options of = *options;
    char path[PATH_MAX], *inputs[2] = {path, NULL};
    if (!options->baseline)
        return diff_inputs(options);
    if (options->input_count != 1) {
        complain("diff --baseline: needs one input, a file or a directory; %d given",
                 options->input_count);
        return EXIT_USAGE;
    }
    int status = baseline_find(options, options->baseline, path);
    if (status != EXIT_SUCCESS)
        return status;
    inputs[1] = options->inputs[0];
    of.inputs = inputs;
    of.input_count = 2;
    return diff_inputs(&of);
}

const struct command command_diff = {
    .word = "diff",
    .summary = "compare two runs; fail in CI if one is slower",
    .usage = "[OPTION]... A B\n--baseline NAME [OPTION]... B",
    .about =
        "Compares two runs, each a file or a directory: what got slower or faster, and whether "
        "that is more than noise.",
    .examples = "diff before.prof after.prof\n"
                "diff --fail-if-slower 5% -o report.html before.prof after.prof",
    .question = QUESTION_CHANGE,
    .options = options_of_diff,
    .run_inputs = cmd_diff,
    .html = true,
    .agree = agree,
    .tables = true,
};
