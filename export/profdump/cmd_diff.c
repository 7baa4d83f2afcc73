/* cmd_diff.c - profdump diff A B: two runs compared, both loaded and added up at the same time. */
#include "compat.h"
#include "diff_options.h"

#include "write_diff.h"
#include "write_html.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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

/* Where there is no second thread one does it all. */
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

/* Complains of both, in order. */
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
        .format = format,
        .rows = options->rows_given ? options->write.rows : rows,
        .name_width = options->write.name_width,
        .table_width = options->write.table_width,
        .unit = options->write.unit,
        .color = options->write.color,
    };
}

/* A page takes the place of the text, but not of another format that was asked for. */
static bool prints(const struct profdump_options *options)
{
    return !options->export_paths[EXPORT_HTML] || options->format != WRITE_TEXT;
}

/* Formats for programs have no last line. */
static int end(const struct profdump_options *options, const struct diff *diff, bool written)
{
    char line[DIFF_GATE_BYTES];
    int status = finish(options, diff->sides[0]->timeline, written);
    if (status == EXIT_SUCCESS)
        status = finish(options, diff->sides[1]->timeline, written);
    if (status == EXIT_FAILURE || diff->gate.result == DIFF_GATE_NONE)
        return status;
    write_diff_gate(diff, line);
    if (!prints(options) || !write_format_is_for_people(options->format))
        complain("%s", line);
    return diff->gate.result == DIFF_GATE_FAILED ? EXIT_SLOWER : status;
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
    return end(options, diff, !prints(options) || write_diff(diff, write, options->out));
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

static int run_diff(const struct profdump_options *options, const char *const names[2])
{
    struct job jobs[2] = {{0}};
    int status = EXIT_FAILURE;
    if (create_jobs(options, jobs)) {
        run_jobs(jobs);
        if (jobs_are_good(jobs))
            status = print_diff(options, jobs, names);
    }
    destroy_job(&jobs[0]);
    destroy_job(&jobs[1]);
    return status;
}

int cmd_diff(const struct profdump_options *options)
{
    const char *names[2];
    char *storage = NULL;
    int status = EXIT_USAGE;
    if (options->input_count != 2)
        complain("diff: needs two inputs, each a file or a directory; %d given",
                 options->input_count);
    else if (diff_options_names(options, names, &storage))
        status = options->compat ? compat_diff(options, options->diff_names ? names : NULL)
                                 : run_diff(options, names);
    free(storage);
    return status;
}
