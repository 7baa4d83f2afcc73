/* cmd_analyze.c - profdump analyze FILE...: what kernels achieved of what their device can do. */
#include "compat.h"
#include "profdump.h"

#include "peak_file.h"
#include "write_roofline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
    complain("there are no kernels in this recording");
    return EXIT_FAILURE;
}

/* All but the trace. `timeline` NULL: of the inputs, once the rest has been found good. */
static int analyze_with(const struct profdump_options *options, const struct timeline *timeline,
                        const struct peak_file *file)
{
    if (options->analyze.devices)
        return finish_answer(options, write_peaks(options->format, options->out));
    if (timeline)
        return analyze(options, timeline, file);
    struct timeline *loaded = inputs_load(options);
    int status = loaded ? analyze(options, loaded, file) : EXIT_FAILURE;
    timeline_destroy(loaded);
    return status;
}

/* The user's file comes first: what is wrong in it is said before anything is read or printed. */
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

int cmd_analyze_timeline(const struct profdump_options *options, const struct timeline *timeline)
{
    if (!options->compat)
        return analyze_by_rates(options, timeline);
    complain("analyze --compat: reads Chrome traces in its own way, not one that is open");
    return EXIT_USAGE;
}

int cmd_analyze(const struct profdump_options *options)
{
    return options->compat ? compat_analyze(options) : analyze_by_rates(options, NULL);
}
