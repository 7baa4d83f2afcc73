/* trace_ask.c - reports, exports and streams of an open trace, by profdump's own tables of commands
 * and formats. */
#include "cmd_arrow.h"
#include "commands.h"
#include "fit.h"
#include "inputs.h"
#include "options.h"
#include "packed_out.h"
#include "trace_open.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define KNOWN_BYTES 512u

/* ---- names ---- */

/* The name of a report; "stats" is "table" here. */
static const char *report_name(const struct command *command)
{
    return command == &command_stats ? "table" : command->word;
}

static const struct command *report_at(size_t number)
{
    for (size_t i = 0; commands[i]; i++)
        if (commands[i]->run && !commands[i]->exports && !commands[i]->compat && number-- == 0)
            return commands[i];
    return NULL;
}

const char *prof_trace_format(size_t number)
{
    return number < EXPORT_COUNT ? export_formats[number].option : NULL;
}

const char *prof_trace_report_name(size_t number)
{
    const struct command *command = report_at(number);
    return command ? report_name(command) : NULL;
}

static const struct command *report_find(const char *name)
{
    const struct command *command;
    for (size_t i = 0; (command = report_at(i)); i++)
        if (strcmp(report_name(command), name) == 0)
            return command;
    return NULL;
}

static enum export_kind format_find(const char *name)
{
    enum export_kind kind = 0;
    while (kind < EXPORT_COUNT && strcmp(export_formats[kind].option, name) != 0)
        kind++;
    return kind;
}

static void add_names(char known[KNOWN_BYTES], const char *(*name_at)(size_t number))
{
    const char *name;
    for (size_t i = 0; (name = name_at(i)); i++) {
        size_t used = strlen(known);
        snprintf(known + used, KNOWN_BYTES - used, "%s%s", used ? ", " : "", name);
    }
}

static prof_status unknown(const char *what, const char *name, bool formats)
{
    char known[KNOWN_BYTES] = "";
    if (formats)
        add_names(known, prof_trace_format);
    add_names(known, prof_trace_report_name);
    complain("there is no %s '%s'; known are %s", what, name, known);
    return PROF_INVALID;
}

/* ---- options ---- */

static bool put_number(struct profdump_options *options, const struct command *command,
                       const char *name, int64_t number)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)number);
    return options_put(options, command, name, text);
}

/* Copies as much as the caller's version of the structure has; the rest is zero. */
static bool copy_given(const struct prof_table_options *from, struct prof_table_options *to)
{
    size_t size = from ? from->size_bytes : sizeof *to;
    *to = (struct prof_table_options){.size_bytes = sizeof *to};
    if (from)
        memcpy(to, from, size < sizeof *to ? size : sizeof *to);
    if (size >= offsetof(struct prof_table_options, sort))
        return true;
    complain("options.size_bytes is not sizeof(options)");
    return false;
}

/* False after having complained. */
static bool put_given(struct profdump_options *options, const struct command *command,
                      const struct prof_table_options *from)
{
    struct prof_table_options given;
    return copy_given(from, &given) &&
           (!given.format || options_put(options, command, "format", given.format)) &&
           (!given.sort || options_put(options, command, "sort", given.sort)) &&
           (!given.group_by || options_put(options, command, "group-by", given.group_by)) &&
           (!given.columns || options_put(options, command, "columns", given.columns)) &&
           (!given.rows || put_number(options, command, "rows", given.rows)) &&
           opened_parse_words(options, command, given.words);
}

/* ---- what commands answer ---- */

static prof_status status_of(int status)
{
    if (status == EXIT_LOSS)
        complain("something was lost while recording");
    return status == EXIT_SUCCESS ? PROF_OK : status == EXIT_USAGE ? PROF_INVALID : PROF_FAILED;
}

/* The message for failures that profdump leaves silent: a closed pipe, and "check", whose report
 * explains it. */
static const char *otherwise(const struct profdump_options *options)
{
    return options->out && !ferror(options->out) ? "an invariant is broken: the report says which"
                                                 : "the reader of the output closed it";
}

/* Prints to options->out. */
static int print_report(const struct prof_trace *trace, struct profdump_options *options,
                        const struct command *command)
{
    return command_agrees(options, command) ? command->run(options, trace->held->timeline)
                                            : EXIT_USAGE;
}

static prof_status run_report(struct prof_trace *trace, const char *name,
                              const struct prof_table_options *given, FILE *stream)
{
    struct profdump_options options = trace->options;
    const struct command *command = report_find(name);
    struct call call;
    call_begin(&call, &trace->given, trace->sentence);
    options.out = stream;
    options.out_name = "output";
    options.write.table_width = fit_terminal_width(fileno(stream));
    prof_status status = PROF_INVALID;
    if (!command)
        unknown("report", name, false);
    else if (put_given(&options, command, given))
        status = status_of(print_report(trace, &options, command));
    return call_end(&call, status, otherwise(&options));
}

prof_status prof_trace_report(struct prof_trace *trace, const char *report,
                              const struct prof_table_options *options, FILE *stream)
{
    return trace && report && stream ? run_report(trace, report, options, stream) : PROF_INVALID;
}

prof_status prof_trace_table(struct prof_trace *trace, const struct prof_table_options *options,
                             FILE *stream)
{
    return prof_trace_report(trace, "table", options, stream);
}

prof_status prof_trace_query(struct prof_trace *trace, const char *sql,
                             const struct prof_table_options *given, FILE *stream)
{
    struct call call;
    if (!trace || !sql || !stream)
        return PROF_INVALID;
    struct profdump_options options = trace->options;
    prof_status status = PROF_INVALID;
    call_begin(&call, &trace->given, trace->sentence);
    options.out = stream;
    options.out_name = "output";
    options.write.table_width = fit_terminal_width(fileno(stream));
    if (put_given(&options, &command_query, given) && command_agrees(&options, &command_query))
        status = status_of(cmd_query_timeline(&options, trace->held->timeline, sql));
    return call_end(&call, status, otherwise(&options));
}

/* ---- files ---- */

/* True if the file is kept: also for a failed "check" and for --fail-on-loss. */
static bool is_complete(const struct call *call, const struct profdump_options *options, int status)
{
    return !ferror(options->out) &&
           (status == EXIT_SUCCESS || status == EXIT_LOSS || status == EXIT_FOUND ||
            status == EXIT_INCONCLUSIVE || (status == EXIT_FAILURE && !call->heard));
}

static prof_status export_report(const struct call *call, const struct prof_trace *trace,
                                 struct profdump_options *options, const struct command *command,
                                 const char *path)
{
    struct export_file file;
    struct write_error error, unused;
    if (!export_file_open(&file, path, packed_out_open, &error)) {
        complain("%s", error.message);
        return PROF_FAILED;
    }
    options->out = export_file_stream(&file);
    options->out_name = path;
    if (!options->out) {
        export_file_close(&file, errno, &error);
        complain("%s", error.message);
        return PROF_FAILED;
    }
    int status = print_report(trace, options, command);
    bool complete = is_complete(call, options, status);
    if (!complete)
        export_file_close(&file, ECANCELED, &unused);
    else if (!export_file_close(&file, 0, &error)) {
        complain("%s", error.message);
        status = EXIT_FAILURE;
    }
    options->out = NULL;
    return status_of(status);
}

static prof_status export_format(const struct prof_trace *trace, struct profdump_options *options,
                                 enum export_kind kind, const char *path)
{
    bool copied = false;
    int status = EXIT_SUCCESS;
    options->export_paths[kind] = path;
    if (!command_agrees(options, &command_show))
        return PROF_INVALID;
    if (kind == EXPORT_CHROME)
        status = cmd_chrome_copy(options, &copied);
    if (status == EXIT_SUCCESS && !copied)
        status = export_formats[kind].run(options, trace->held->timeline, path);
    return status == EXIT_FAILURE && errno == ENODATA ? PROF_NOTHING : status_of(status);
}

prof_status prof_trace_export(struct prof_trace *trace, const char *format, const char *path)
{
    struct call call;
    if (!trace || !format || !path)
        return PROF_INVALID;
    struct profdump_options options = trace->options;
    enum export_kind kind = format_find(format);
    const struct command *command = report_find(format);
    prof_status status = PROF_INVALID;
    call_begin(&call, &trace->given, trace->sentence);
    if (!*path)
        complain("%s: the name of the output is empty", format);
    else if (kind == EXPORT_COUNT && !command)
        status = unknown("format", format, true);
    else if (!output_agrees(&options, format, path))
        status = PROF_INVALID;
    else if (kind < EXPORT_COUNT)
        status = export_format(trace, &options, kind, path);
    else
        status = export_report(&call, trace, &options, command, path);
    return call_end(&call, status, otherwise(&options));
}

/* ---- Arrow: a stream that holds the timeline it is of ----
 *
 * The stream of export/write is inside one that counts as a holder of the timeline, so that the
 * trace may be closed first. */

_Static_assert((int)PROF_ARROW_EVENTS == ARROW_EVENTS &&
                   (int)PROF_ARROW_LAUNCHES == ARROW_LAUNCHES &&
                   (int)PROF_ARROW_KERNELS == ARROW_KERNELS &&
                   (int)PROF_ARROW_COUNTERS == ARROW_COUNTERS &&
                   (int)PROF_ARROW_FUNCTIONS == ARROW_FUNCTIONS,
               "both sides count tables alike");

struct holding_stream {
    struct ArrowArrayStream inner;
    struct held_timeline *held;
    struct arrow_facts facts; /* of events */
};

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
    struct ArrowArrayStream *inner = &((struct holding_stream *)self->private_data)->inner;
    return inner->get_schema(inner, out);
}

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
    struct ArrowArrayStream *inner = &((struct holding_stream *)self->private_data)->inner;
    return inner->get_next(inner, out);
}

static const char *get_last_error(struct ArrowArrayStream *self)
{
    struct ArrowArrayStream *inner = &((struct holding_stream *)self->private_data)->inner;
    return inner->get_last_error(inner);
}

static void release(struct ArrowArrayStream *self)
{
    struct holding_stream *stream = self->private_data;
    stream->inner.release(&stream->inner);
    held_timeline_release(stream->held);
    arrow_facts_fini(&stream->facts);
    free(stream);
    self->release = NULL;
}

/* NULL: no memory. */
static struct holding_stream *holding_stream_create(const struct prof_trace *trace,
                                                    enum arrow_table table)
{
    struct holding_stream *made = calloc(1, sizeof *made);
    struct timeline *timeline = trace->held->timeline;
    bool ready = made && (table != ARROW_EVENTS ||
                          arrow_facts_init(&made->facts, &trace->options, timeline));
    if (ready && arrow_stream_init_more(&made->inner, timeline, table, &made->facts.more, NULL))
        return made;
    if (made)
        arrow_facts_fini(&made->facts);
    free(made);
    return NULL;
}

static bool stream_init(struct ArrowArrayStream *stream, const struct prof_trace *trace,
                        enum arrow_table table)
{
    struct holding_stream *made = holding_stream_create(trace, table);
    if (!made)
        return false;
    made->held = trace->held;
    atomic_fetch_add_explicit(&made->held->holders, 1, memory_order_relaxed);
    *stream = (struct ArrowArrayStream){.get_schema = get_schema,
                                        .get_next = get_next,
                                        .get_last_error = get_last_error,
                                        .release = release,
                                        .private_data = made};
    return true;
}

prof_status prof_trace_arrow(struct prof_trace *trace, enum prof_arrow_table table,
                             struct ArrowArrayStream *stream)
{
    struct call call;
    if (!trace)
        return PROF_INVALID;
    call_begin(&call, &trace->given, trace->sentence);
    if (!stream || (unsigned)table >= ARROW_TABLES)
        return call_end(&call, PROF_INVALID, "prof_trace_arrow: no such table, or no stream");
    bool filled = stream_init(stream, trace, (enum arrow_table)table);
    return call_end(&call, filled ? PROF_OK : PROF_FAILED, "prof_trace_arrow: out of memory");
}
