/* trace.h - profdump as a library (libprofdump.so): opens traces, prints reports, exports other
 * formats.
 *
 *     const char *const paths[] = {"run.prof"};
 *     struct prof_trace *trace;
 *     if (prof_trace_open(paths, 1, NULL, &trace) != PROF_OK ||
 *         prof_trace_export(trace, "perfetto", "run.pftrace.zst") != PROF_OK ||
 *         prof_trace_table(trace, NULL, stdout) != PROF_OK)
 *         fprintf(stderr, "%s\n", prof_trace_error(trace));
 *     prof_trace_close(trace);
 *
 * Input formats, output formats and options are those of profdump(1), and the output is the same
 * byte for byte. Link with -lprofdump (pkg-config prof-trace, find_package(prof COMPONENTS trace)).
 * The recorder, libprof.so, is not needed.
 *
 * The library prints nothing on its own, never exits, and does not change errno, the locale or
 * signal handlers. Threads: any thread, but not signal handlers. Only one thread at a time may use
 * a trace; different traces may be used at the same time.
 */
#ifndef PROF_TRACE_H
#define PROF_TRACE_H

#include "arrow.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PROF_TRACE_API __attribute__((visibility("default")))

struct prof_trace;

/* How to read a trace. With all members zero except size_bytes: as profdump without options. */
struct prof_trace_options {
    size_t size_bytes; /* sizeof(struct prof_trace_options) */
    /* Keep only what began in [from_ns, to_ns), in nanoseconds since the epoch. 0: no bound on that
     * side. An empty result is not an error. With bounds, Chrome traces are rewritten instead of
     * copied. */
    int64_t from_ns, to_ns;
    /* More options of profdump, valid for all calls on this trace, terminated by NULL: "--partial",
     * "--source-time-scale=us", "--perf-map=jit.map". Long option names only, values after '='.
     * NULL: none. */
    const char *const *words;
    /* Called for each message that profdump would print on standard error: failures, damaged parts
     * of files, missing debug information. Runs on the calling thread; must not use the trace.
     * NULL: no callback, and only failures are kept, for prof_trace_error(). */
    void (*say)(void *user, const char *sentence);
    void *user;
};

/* How to print a table. With all members zero except size_bytes: as profdump without options. */
struct prof_table_options {
    size_t size_bytes;        /* sizeof(struct prof_table_options) */
    const char *format;       /* "text", "tsv", "csv", "json" or "markdown" */
    const char *sort;         /* column to sort by, such as "cuda_total" */
    const char *group_by;     /* what to group rows by, such as "name,shape" */
    const char *columns;      /* additional columns, such as "p50,p99" */
    int64_t rows;             /* maximum number of rows; 0: profdump's default */
    const char *const *words; /* more options of profdump, as in struct prof_trace_options */
};

/* Reads `count` inputs into one timeline: libprof traces, Chrome traces (such as Kineto's), nsys
 * and nvprof databases (SQLite), ExecuTorch files (prof buffers, ETDump), each optionally
 * compressed (.gz, .zst), and directories, of which all *.prof files are read. The type of a file
 * is detected by its content.
 *
 * options  may be NULL: the defaults.
 * trace    set to the new trace, which the caller closes; to NULL on failure.
 * Returns  PROF_OK; PROF_INVALID: wrong argument or option; PROF_FAILED: an input cannot be read.
 */
PROF_TRACE_API prof_status prof_trace_open(const char *const *paths, size_t count,
                                           const struct prof_trace_options *options,
                                           struct prof_trace **trace);

/* Writes the trace to a file: what `profdump -o PATH --to FORMAT` writes, or what `profdump REPORT`
 * prints.
 *
 * format   one of prof_trace_format() ("chrome", "perfetto", "sqlite", ...), or a report of
 *          prof_trace_report_name() ("explain", "stacks", ...), as text.
 * path     .gz or .zst at its end selects compression. An existing file is replaced once the new
 *          one is complete; on failure it is unchanged. "-", /dev/stdout and /dev/fd/N write to the
 *          process's own descriptors.
 * Returns  PROF_OK; PROF_INVALID: a wrong argument, an unknown format, or a path that is an input
 *          of the trace or a libprof trace; PROF_NOTHING: the trace has no data for this format
 *          ("etprof" without blocks), and nothing was written; PROF_FAILED: the file could not be
 *          written.
 *
 * Like profdump, "chrome" copies inputs that are Chrome traces unchanged. It reads these files a
 * second time.
 */
PROF_TRACE_API prof_status prof_trace_export(struct prof_trace *trace, const char *format,
                                             const char *path);

/* Prints the key averages, as profdump does without a command, and flushes the stream. `options`
 * may be NULL. Returns the same as prof_trace_export(). */
PROF_TRACE_API prof_status prof_trace_table(struct prof_trace *trace,
                                            const struct prof_table_options *options, FILE *stream);

/* Prints what `profdump REPORT` prints for the trace: "explain", "memory", "stacks",
 * "breakdown", "check" (with the option "--ledger", the account of launches) ...
 *
 * report   one of prof_trace_report_name().
 * Returns  the same as prof_trace_export(). PROF_FAILED also means that "check" found a broken
 *          invariant, or, with "--fail-on-loss", that records were or may have been lost; the
 *          report is complete in both cases.
 */
PROF_TRACE_API prof_status prof_trace_report(struct prof_trace *trace, const char *report,
                                             const struct prof_table_options *options,
                                             FILE *stream);

/* Runs one read-only SQL statement over the trace and prints the resulting rows, as `profdump
 * query` does. docs/query.md describes the tables.
 *
 * options  only `format` is used; JSON is an array with one object per row. May be NULL.
 * Returns  the same as prof_trace_export(). PROF_INVALID also means an invalid statement;
 *          PROF_FAILED also means that libprofdump.so was built without libsqlite3.
 */
PROF_TRACE_API prof_status prof_trace_query(struct prof_trace *trace, const char *sql,
                                            const struct prof_table_options *options, FILE *stream);

/* Exports a table of the trace through Arrow's C stream interface: see arrow.h. The caller releases
 * `stream`, which may be used after the trace is closed and on another thread. On failure it is
 * unchanged. */
PROF_TRACE_API prof_status prof_trace_arrow(struct prof_trace *trace, enum prof_arrow_table table,
                                            struct ArrowArrayStream *stream);

/* Traces as the rows of a dataset, which `profdump pack` writes: the tables that docs/ranks.md
 * describes. One thread at a time may use a dataset and its streams. */
struct prof_trace_dataset;

/* Returns PROF_OK, or PROF_FAILED: no memory; `dataset` is set to NULL then. */
PROF_TRACE_API prof_status prof_trace_dataset_create(struct prof_trace_dataset **dataset);

/* Adds a trace, which may be closed afterwards. Its processes are one rank each; those without one
 * get -1, -2 ... in order.
 *
 * file, identity  columns of the table `ranks`
 * summaries       not 0: rows come from what PROF_SUMMARY recorded; open such traces with
 *                 "--no-events"
 * Returns         PROF_OK; PROF_INVALID: wrong arguments, or no summaries; PROF_FAILED: no memory.
 *                 Nothing was added then, and prof_trace_error(trace) says why.
 */
PROF_TRACE_API prof_status prof_trace_dataset_add(struct prof_trace_dataset *dataset,
                                                  struct prof_trace *trace, const char *file,
                                                  const char *identity, int summaries);

/* Exports a table, such as "kernels", of all traces that were added, by rank. The caller releases
 * `stream`, which may be used after the dataset is destroyed; nothing may be added before it is
 * released. Returns PROF_OK; PROF_INVALID: there is no such table; PROF_FAILED: no memory. */
PROF_TRACE_API prof_status prof_trace_dataset_arrow(struct prof_trace_dataset *dataset,
                                                    const char *table,
                                                    struct ArrowArrayStream *stream);

/* Accepts NULL. */
PROF_TRACE_API void prof_trace_dataset_destroy(struct prof_trace_dataset *dataset);

/* Says why the last call on this trace failed: profdump's message without "profdump: ", or "" if
 * the call succeeded. Valid until the next call on the trace. With NULL: the error of this thread's
 * last prof_trace_open(). */
PROF_TRACE_API const char *prof_trace_error(const struct prof_trace *trace);

/* Closes the trace and frees its memory. Accepts NULL. */
PROF_TRACE_API void prof_trace_close(struct prof_trace *trace);

/* The available formats and reports, numbered from 0; NULL after the last. The strings are
 * constants. */
PROF_TRACE_API const char *prof_trace_format(size_t number);
PROF_TRACE_API const char *prof_trace_report_name(size_t number);

#ifdef __cplusplus
}
#endif
#endif
