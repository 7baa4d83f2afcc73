/* trace.h - profdump as a library, libprofdump.so: traces are opened, asked and written in other formats.
 *
 *     const char *const paths[] = {"run.prof"};
 *     struct prof_trace *trace;
 *     if (prof_trace_open(paths, 1, NULL, &trace) != PROF_OK ||
 *         prof_trace_export(trace, "perfetto", "run.pftrace.zst") != PROF_OK ||
 *         prof_trace_table(trace, NULL, stdout) != PROF_OK)
 *         fprintf(stderr, "%s\n", prof_trace_error(trace));
 *     prof_trace_close(trace);
 *
 * What can be read, what is written and what the options are called is as profdump(1) has it, and what comes out is
 * the same to the byte. Link with -lprofdump (pkg-config prof-trace, find_package(prof COMPONENTS trace)); libprof.so,
 * the recorder, is not needed.
 *
 * The library prints nothing on its own, does not exit, and leaves errno, the locale and the program's signals as they
 * are. Threads: any, but not signal handlers; one trace is for one thread at a time, several traces for several.
 */
#ifndef PROF_TRACE_H
#define PROF_TRACE_H

#include "arrow.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PROF_TRACE_API __attribute__((visibility("default")))

struct prof_trace;

/* How a trace is read. All zero but size_bytes: as profdump does without options. */
struct prof_trace_options {
    size_t size_bytes; /* of this structure: sizeof */
    /* Only what began in [from_ns, to_ns), in nanoseconds since the epoch, as profdump's --from and --to cut it out;
     * 0: no bound on that side. An empty result is no error. With bounds, Chrome traces are rewritten, not copied. */
    int64_t from_ns, to_ns;
    /* Options of profdump that hold for everything the trace is asked, ended with NULL: "--partial",
     * "--source-time-scale=us", "--perf-map=jit.map". Long names in full, values behind '='. NULL: none. */
    const char *const *words;
    /* Called with each sentence that profdump would print on standard error, those of failures among them: files with
     * damaged parts, debug information that is missing. On the calling thread, before the function returns; it must not
     * use the trace. NULL: only failures are kept, for prof_trace_error(). */
    void (*say)(void *user, const char *sentence);
    void *user;
};

/* How tables are shown. All zero but size_bytes: as profdump does without options. NULL members are not given. */
struct prof_table_options {
    size_t size_bytes;
    const char *format;       /* "text", "tsv", "csv", "json", "markdown" */
    const char *sort;         /* a column, as "cuda_total" */
    const char *group_by;     /* what rows are told apart by, as "name,shape" */
    const char *columns;      /* more columns, as "p50,p99" */
    int64_t rows;             /* at most so many; 0: as many as profdump shows */
    const char *const *words; /* more options of profdump, as in struct prof_trace_options */
};

/* Reads `count` inputs into one timeline: traces of libprof, Chrome traces (Kineto's above all), files of nsys and
 * nvprof (SQLite), of ExecuTorch (prof buffers, ETDump), each also as .gz or .zst, or directories, whose *.prof files
 * are meant. Content tells what a file is.
 *
 * options  NULL: the default.
 * trace    the caller's to close; NULL on failure.
 * Returns  PROF_OK; PROF_INVALID: an argument or option; PROF_FAILED: an input cannot be read.
 */
PROF_TRACE_API prof_status prof_trace_open(const char *const *paths, size_t count,
                                           const struct prof_trace_options *options,
                                           struct prof_trace **trace);

/* Writes the trace into a file: what `profdump --FORMAT PATH` writes, or what `profdump REPORT` prints.
 *
 * format   one of prof_trace_format() ("chrome", "perfetto", "sqlite", ...), or a report of prof_trace_report_name()
 *          ("folded", "explain", ...), as text.
 * path     compressed by its ending, .gz or .zst. An existing file is replaced once the new one is complete; on failure it
 *          stays as it was. "-", /dev/stdout and /dev/fd/N are the process's own.
 * Returns  PROF_OK; PROF_INVALID: a wrong argument, an unknown format, or a path that is an input of the trace or a
 *          recording; PROF_NOTHING: the trace has nothing that this format is for ("etprof": no blocks), and nothing was
 *          written; PROF_FAILED: the file could not be written.
 *
 * As with profdump, "chrome" copies inputs that are Chrome traces as they are: these are read once more.
 */
PROF_TRACE_API prof_status prof_trace_export(struct prof_trace *trace, const char *format,
                                             const char *path);

/* Prints the key averages: what profdump prints without a command. `options` NULL: the default. The stream is
 * flushed. Returns as prof_trace_export(). */
PROF_TRACE_API prof_status prof_trace_table(struct prof_trace *trace,
                                            const struct prof_table_options *options, FILE *stream);

/* Prints what `profdump REPORT` prints of a trace: "explain", "memory", "ledger", "stacks", "breakdown" ...
 *
 * report   one of prof_trace_report_name().
 * Returns  as prof_trace_export(). Of "check", PROF_FAILED says, too, that an invariant is broken: the report is
 *          complete then. With "--fail-on-loss" PROF_FAILED says, too, that something was lost while recording.
 */
PROF_TRACE_API prof_status prof_trace_report(struct prof_trace *trace, const char *report,
                                             const struct prof_table_options *options,
                                             FILE *stream);

/* Prints the rows of one statement of SQL over the trace, as `profdump query` does: its manual page and docs/query.md
 * have the tables. The statement can only read.
 *
 * options  `format` alone counts; JSON is an array with an object for each row. NULL: the default.
 * Returns  as prof_trace_export(); PROF_INVALID also of a statement that is wrong. PROF_FAILED where libprofdump.so was
 *          built without libsqlite3.
 */
PROF_TRACE_API prof_status prof_trace_query(struct prof_trace *trace, const char *sql,
                                            const struct prof_table_options *options, FILE *stream);

/* The trace as a table in Arrow's C stream interface: see arrow.h. `stream` is the caller's to release, and may be
 * used after the trace was closed and on another thread. On failure it is not touched. */
PROF_TRACE_API prof_status prof_trace_arrow(struct prof_trace *trace, enum prof_arrow_table table,
                                            struct ArrowArrayStream *stream);

/* Why the last function failed that was given this trace: the sentence that profdump prints, without "profdump: ".
 * "" when it did not fail. Valid until the trace is used again. NULL: of the last prof_trace_open() on this thread.
 */
PROF_TRACE_API const char *prof_trace_error(const struct prof_trace *trace);

/* Gives the trace back. NULL is fine. */
PROF_TRACE_API void prof_trace_close(struct prof_trace *trace);

/* The names there are, by number from 0; NULL after the last. Constants. */
PROF_TRACE_API const char *prof_trace_format(size_t number);
PROF_TRACE_API const char *prof_trace_report_name(size_t number);

#ifdef __cplusplus
}
#endif
#endif
