/* Tables and exports inside the recorded process, which reads its own file with profdump's reader. */
#define _GNU_SOURCE
#define PROF_IMPLEMENTATION
#include "report.h"

#include "arrow.h"
#include "config.h"
#include "fit.h"
#include "log.h"
#include "loss.h"
#include "prof/arrow.h"
#include "prof/block.h"
#include "prof/prof.h"
#include "session.h"
#include "signals.h"
#include "timeline_restrict.h"
#include "write.h"

#include <errno.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Reading this much takes about a second; more would be a surprise at the end of a program. */
#define REPORT_BYTES_MAX (256ll << 20)

static struct timeline *report_load(void)
{
    const char *path = session_path();
    struct read_error error;
    if (!*path)
        return NULL;
    struct timeline *timeline = timeline_load(&path, 1, true, &error);
    if (!timeline)
        log_line(LOG_ERROR, "%s", error.message);
    return timeline;
}

static bool report_is_small_enough(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size <= REPORT_BYTES_MAX;
}

static void report_print_table(void)
{
    struct timeline *timeline = report_load();
    if (!timeline)
        return;
    struct write_options options;
    write_options_default(&options);
    options.rows = (int64_t)config_get()->table_rows;
    options.table_width = fit_terminal_width(STDERR_FILENO);
    write_table(timeline, &options, stderr);
    timeline_destroy(timeline);
}

void report_at_exit(void)
{
    const char *path = session_path();
    if (!*path || !config_get()->table)
        return;
    if (report_is_small_enough(path))
        report_print_table();
    fprintf(stderr,
            "libprof: wrote %s; profdump %s shows it, profdump --chrome out.json %s draws it\n",
            path, path, path);
}

static int report_is_cuda(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size, (void)user;
    return info->dlpi_name &&
           (strstr(info->dlpi_name, "/libcudart.so") || strstr(info->dlpi_name, "/libcuda.so"));
}

static const char *report_why_nothing(void)
{
    struct session_status status;
    session_describe(&status);
    if (!status.windows)
        return "# off";
    if (loss_get(PROF_LOSS_IO))
        return "# failed";
    if (status.gpu_mode == PROF_GPU_UNAVAILABLE || status.gpu_mode == PROF_GPU_EVENTS)
        return "# refused";
    if (status.gpu_mode != PROF_GPU_NONE)
        return "# idle";
    return dl_iterate_phdr(report_is_cuda, NULL) ? "# cold" : NULL;
}

void report_nothing(void)
{
    bool asked = *config_get()->session_file && !*session_path();
    const char *why = asked ? report_why_nothing() : NULL;
    if (why)
        session_announce(why);
}

prof_status prof_table(FILE *stream)
{
    int saved_errno = errno;
    if (!stream)
        return PROF_INVALID;
    if (prof_flush() == PROF_NOTHING)
        return PROF_NOTHING;
    struct timeline *timeline = report_load();
    struct write_options options;
    write_options_default(&options);
    options.table_width = fit_terminal_width(fileno(stream));
    bool written = timeline && write_table(timeline, &options, stream);
    timeline_destroy(timeline);
    errno = saved_errno;
    return written ? PROF_OK : PROF_FAILED;
}

/* ---- files ---- */

/* One export of this process so far. */
typedef bool report_write(const struct timeline *timeline, const char *path,
                          struct write_error *error);

static bool report_write_etprof(const struct timeline *timeline, const char *path,
                                struct write_error *error)
{
    struct write_etprof_counts counts;
    return write_etprof(timeline, path, &counts, error);
}

/* Signals are blocked: the program must not get a SIGXFSZ or SIGPIPE that libprof's writing raised. */
static bool report_write_quietly(report_write *write, const struct timeline *timeline,
                                 const char *path, struct write_error *error)
{
    struct signals_saved saved;
    signals_block(&saved);
    bool written = write(timeline, path, error);
    signals_restore(&saved);
    return written;
}

static prof_status report_export(const char *path, report_write *write)
{
    int saved_errno = errno;
    if (!path || !*path)
        return PROF_INVALID;
    if (prof_flush() == PROF_NOTHING)
        return PROF_NOTHING;
    struct timeline *timeline = report_load();
    struct write_error error = {0};
    bool written = timeline && report_write_quietly(write, timeline, path, &error);
    timeline_destroy(timeline);
    if (error.code && error.code != ENODATA)
        log_line(LOG_ERROR, "%s", error.message);
    errno = saved_errno;
    if (written)
        return PROF_OK;
    return error.code == ENODATA ? PROF_NOTHING : PROF_FAILED;
}

prof_status prof_export_chrome(const char *path)
{
    return report_export(path, write_chrome);
}

prof_status prof_dump_etprof(const char *path)
{
    return report_export(path, report_write_etprof);
}

/* ---- tables in memory ---- */

_Static_assert((int)PROF_ARROW_EVENTS == ARROW_EVENTS &&
                   (int)PROF_ARROW_LAUNCHES == ARROW_LAUNCHES &&
                   (int)PROF_ARROW_KERNELS == ARROW_KERNELS &&
                   (int)PROF_ARROW_COUNTERS == ARROW_COUNTERS,
               "both sides count tables alike");

/* Nanoseconds since the epoch, [from, to). */
struct report_window {
    int64_t from_ns, to_ns;
};

/* Times are at most INT64_MAX apart: a base beyond it is a damaged file's. */
static bool report_restrict(struct timeline *timeline, const struct report_window *window)
{
    uint64_t base = timeline->base_realtime_ns;
    int64_t base_ns = base < INT64_MAX ? (int64_t)base : INT64_MAX;
    int64_t from_ns = window->from_ns > 0 ? window->from_ns : 0;
    int64_t to_ns = window->to_ns > 0 ? window->to_ns : 0;
    return timeline_restrict(timeline, from_ns - base_ns, to_ns - base_ns);
}

/* `window` NULL: all of it. */
static struct timeline *report_load_arrow(const char *path, const struct report_window *window)
{
    struct read_error error;
    struct timeline *timeline = path ? timeline_load(&path, 1, true, &error) : report_load();
    if (!timeline || !window || report_restrict(timeline, window))
        return timeline;
    timeline_destroy(timeline);
    return NULL;
}

static prof_status report_arrow(const char *path, enum prof_arrow_table table,
                                const struct report_window *window, struct ArrowArrayStream *stream)
{
    int saved_errno = errno;
    if (!stream || (unsigned)table >= ARROW_TABLES || (path && !*path))
        return PROF_INVALID;
    if (!path && prof_flush() == PROF_NOTHING)
        return PROF_NOTHING;
    struct timeline *timeline = report_load_arrow(path, window);
    bool filled =
        timeline && arrow_stream_init(stream, timeline, (enum arrow_table)table, timeline_destroy);
    if (!filled)
        timeline_destroy(timeline);
    errno = saved_errno;
    return filled ? PROF_OK : PROF_FAILED;
}

prof_status prof_arrow(const char *path, enum prof_arrow_table table,
                       struct ArrowArrayStream *stream)
{
    return report_arrow(path, table, NULL, stream);
}

prof_status prof_arrow_window(const char *path, enum prof_arrow_table table, int64_t from_ns,
                              int64_t to_ns, struct ArrowArrayStream *stream)
{
    const struct report_window window = {from_ns, to_ns};
    return from_ns < to_ns ? report_arrow(path, table, &window, stream) : PROF_INVALID;
}
