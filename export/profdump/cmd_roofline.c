/* cmd_roofline.c - profdump roofline FILE...: kernels, achieved against peak. */
#include "commands.h"
#include "compat.h"
#include "evidence.h"
#include "inputs.h"
#include "options.h"
#include "peak_rates.h"
#include "profdump.h"
#include "reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_TYPES                                                                            \
    "float64, float32, tf32, bfloat16, float16, float8, float6, float4, int8, int4 and their " \
    "other spellings"

static bool set_type(struct profdump_options *options, const char *name)
{
    options->analyze.type = op_type_find((struct text){name, strlen(name)});
    if (options->analyze.type != OP_TYPE_UNKNOWN)
        return true;
    complain("--type: '%s' is not a type; known are " KNOWN_TYPES, name);
    return false;
}

static bool set_by(struct profdump_options *options, const char *name)
{
    static const char *const names[] = {"kernel", "op", "range"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            options->analyze.by = (enum roofline_by)i;
            return true;
        }
    return false;
}

static bool set_name_limit(struct profdump_options *options, const char *text)
{
    unsigned long limit;
    bool good = options_number(text, 0, WRITE_NAME_WIDTH_MAX, &limit);
    if (good)
        options->name_limit = (unsigned)limit;
    else
        complain("--name-limit: '%s' is not a number of up to %u", text, WRITE_NAME_WIDTH_MAX);
    return good;
}

/* --group-by and --sort must name what there is. */
static bool agree(struct profdump_options *options)
{
    enum roofline_column column;
    if (!options->sort || roofline_column_find(options->sort, &column))
        return true;
    complain("--sort: there is no column '%s'; known are %s", options->sort,
             roofline_column_names());
    return false;
}

static const struct option_entry roofline_options[] = {
    {CALL("group-by", "WHAT", set_by, "print a row per kernel, operator or outermost range"),
     .values = "kernel op range"},
    {TEXT("sort", "COLUMN", sort, "sort rows by COLUMN, descending")},
    {TEXT("device-rates", "FILE", analyze.device_rates, "read peak rates of devices from FILE")},
    {FLAG("devices", analyze.devices, "print the known devices, their peak rates and sources")},
    {0},
};

static const struct option_entry type_options[] = {
    {CALL("type", "TYPE", set_type,
          "assume TYPE for kernels of unknown data type: float16, bf16, tf32 ...")},
    {0},
};

static const struct option_entry *const options_of_roofline[] = {
    roofline_options, type_options,   rows_options, width_options, window_options,
    input_options,    format_options, help_options, NULL};

static struct write_roofline_options write_options_of(const struct profdump_options *options)
{
    return (struct write_roofline_options){
        .format = options->format,
        .by = options->analyze.by,
        .rows = options->write.rows,
        .name_width = options->write.name_width,
        .table_width = options->write.table_width,
    };
}

static void sort_rows(const struct profdump_options *options, struct roofline *roofline)
{
    enum roofline_column column;
    if (options->sort && roofline_column_find(options->sort, &column))
        roofline_sort(roofline, column);
}

/* False: no memory. */
static bool make_roofline(const struct profdump_options *options, const struct timeline *timeline,
                          const struct peak_file *file, struct roofline *roofline)
{
    struct roofline_options how = {
        .by = options->analyze.by, .type = options->analyze.type, .file = file};
    struct kernel_works works;
    if (!kernel_works_init(&works, timeline))
        return false;
    bool made = roofline_init(roofline, timeline, &works, &how);
    kernel_works_fini(&works);
    return made;
}

static int analyze(const struct profdump_options *options, const struct timeline *timeline,
                   const struct peak_file *file)
{
    struct write_roofline_options how = write_options_of(options);
    struct roofline roofline;
    if (!make_roofline(options, timeline, file, &roofline)) {
        errno = ENOMEM;
        return finish(options, timeline, false);
    }
    sort_rows(options, &roofline);
    uint32_t devices = roofline.device_count;
    int status = finish(options, timeline, write_roofline(&roofline, &how, options->out));
    roofline_fini(&roofline);
    if (devices || status != EXIT_SUCCESS)
        return status;
    char lacking[EVIDENCE_BYTES];
    if (evidence_missing(timeline, EVIDENCE_DEVICE, lacking))
        complain("%s", lacking);
    else
        complain("there are no kernels in this recording");
    return EXIT_INCONCLUSIVE;
}

/* Everything but reading the user's file. `timeline` NULL: loads the inputs. */
static int analyze_with(const struct profdump_options *options, const struct timeline *timeline,
                        const struct peak_file *file)
{
    if (options->analyze.devices)
        return finish_answer(
            options, write_peaks(options->format, options->write.table_width, options->out));
    if (timeline)
        return analyze(options, timeline, file);
    struct timeline *loaded = inputs_load(options);
    int status = loaded ? analyze(options, loaded, file) : EXIT_FAILURE;
    timeline_destroy(loaded);
    return status;
}

/* Reads the user's file first, so that an error in it is reported before anything is loaded or
 * printed. */
static int analyze_by_rates(const struct profdump_options *options, const struct timeline *timeline)
{
    const char *path = options->analyze.device_rates;
    char error[PEAK_FILE_ERROR_BYTES];
    struct peak_file file = {0};
    if (path && !peak_file_read(&file, path, error)) {
        complain("%s", error);
        return EXIT_FAILURE;
    }
    int status = analyze_with(options, timeline, path ? &file : NULL);
    peak_file_fini(&file);
    return status;
}

static int run(const struct profdump_options *options)
{
    return analyze_by_rates(options, NULL);
}

const struct command command_roofline = {
    .word = "roofline",
    .summary = "compare kernels with the peak rates of their device",
    .usage = "[OPTION]... [FILE|DIRECTORY]...\n--devices",
    .about = "Prints the rates that kernels achieved against the peak of their device, and whether "
             "they are compute-bound or memory-bound.",
    .examples = "roofline --rows 20 trace.json.gz\n"
                "roofline --group-by op --device-rates my.ini run.prof",
    .question = QUESTION_TIME,
    .options = options_of_roofline,
    .run = analyze_by_rates,
    .run_inputs = run,
    .agree = agree,
    .tables = true,
};

static const struct option_entry pytorch_options[] = {
    {CALL("name-limit", "N", set_name_limit, "cut names of kernels to N characters (40)")},
    {FLAG("partial", partial, "read damaged files as far as possible")},
    {0},
};

static const struct option_entry *const options_of_pytorch[] = {type_options, pytorch_options,
                                                                help_options, NULL};

const struct command command_pytorch_roofline = {
    .family = "pytorch",
    .word = "roofline",
    .summary = "print the kernel table of a Chrome trace",
    .usage = "[OPTION]... TRACE",
    .about = "Prints the kernel table of PyTorch's own analysis for a Chrome trace. "
             "'profdump roofline' covers more devices and operators.",
    .examples = "pytorch roofline --type bf16 trace.json",
    .options = options_of_pytorch,
    .run_inputs = compat_analyze,
    .compat = true,
};

/* ---- pytorch diff: two of these tables ---- */

static const struct option_entry names_options[] = {
    {TEXT("names", "A,B", diff_names, "name the two traces")},
    {0},
};

static const struct option_entry *const options_of_pytorch_diff[] = {
    names_options, type_options, pytorch_options, help_options, NULL};

const struct command command_pytorch_diff = {
    .family = "pytorch",
    .word = "diff",
    .summary = "print the kernel tables of two Chrome traces side by side",
    .usage = "[OPTION]... A B",
    .about = "Prints the tables of PyTorch's own analysis for two Chrome traces. 'profdump "
             "diff' also tests differences against noise.",
    .examples = "pytorch diff --names old,new old.json new.json",
    .options = options_of_pytorch_diff,
    .run_inputs = cmd_diff,
    .compat = true,
};

/* ---- pytorch ---- */

static const struct option_entry *const options_of_family[] = {help_options, NULL};

const struct command command_pytorch = {
    .word = "pytorch",
    .summary = "analyze Chrome traces as PyTorch's tools do",
    .usage = "roofline|diff|combine|augment [OPTION]... FILE...",
    .about = "Does what PyTorch's own tools for Chrome traces do, with the same output.",
    .question = QUESTION_OTHER,
    .options = options_of_family,
};
