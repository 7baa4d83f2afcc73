/* ask_wrongly.c - ask_wrongly INPUT: calls of prof/trace.h with arguments that make no sense, on a good input. */
#include <prof/trace.h>

#include <stdlib.h>
#include <string.h>

static int failures;

#define EXPECT(condition)                                                           \
    do {                                                                            \
        if (!(condition)) {                                                         \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            failures++;                                                             \
        }                                                                           \
    } while (0)

static int says(const struct prof_trace *trace, const char *part)
{
    if (strstr(prof_trace_error(trace), part))
        return 1;
    fprintf(stderr, "the error is '%s', without '%s'\n", prof_trace_error(trace), part);
    return 0;
}

static void open_wrongly(const char *input)
{
    const char *const paths[] = {input}, *const nameless[] = {input, NULL}, *const empty[] = {""};
    const char *const unknown[] = {"--partial", "--bogus=1", NULL}, *const help[] = {"--help",
                                                                                     NULL};
    const char *const bare[] = {"--perf-map", NULL}, *const filled[] = {"--partial=yes", NULL};
    struct prof_trace_options options = {.size_bytes = sizeof options};
    struct prof_trace *trace = (struct prof_trace *)&options;
    EXPECT(prof_trace_open(paths, 0, NULL, &trace) == PROF_INVALID && !trace);
    EXPECT(says(NULL, "no inputs, or an empty input name"));
    EXPECT(prof_trace_open(NULL, 1, NULL, &trace) == PROF_INVALID);
    EXPECT(prof_trace_open(nameless, 2, NULL, &trace) == PROF_INVALID);
    EXPECT(prof_trace_open(empty, 1, NULL, &trace) == PROF_INVALID);
    EXPECT(prof_trace_open(paths, 1, NULL, NULL) == PROF_INVALID);
    EXPECT(says(NULL, "no place for the trace"));
    options.size_bytes = 0;
    EXPECT(prof_trace_open(paths, 1, &options, &trace) == PROF_INVALID && says(NULL, "size_bytes"));
    options = (struct prof_trace_options){.size_bytes = sizeof options, .from_ns = 2, .to_ns = 1};
    EXPECT(prof_trace_open(paths, 1, &options, &trace) == PROF_INVALID &&
           says(NULL, "does not end after its start"));
    options.from_ns = options.to_ns = 0;
    options.words = unknown;
    EXPECT(prof_trace_open(paths, 1, &options, &trace) == PROF_INVALID &&
           says(NULL, "no option '--bogus=1'"));
    options.words = help;
    EXPECT(prof_trace_open(paths, 1, &options, &trace) == PROF_INVALID && says(NULL, "--help"));
    options.words = bare;
    EXPECT(prof_trace_open(paths, 1, &options, &trace) == PROF_INVALID &&
           says(NULL, "--perf-map=PATH"));
    options.words = filled;
    EXPECT(prof_trace_open(paths, 1, &options, &trace) == PROF_INVALID &&
           says(NULL, "takes no value"));
}

/* A newer program's structure is longer, an older one's shorter. */
static void open_with_other_versions(const char *input)
{
    const char *const paths[] = {input};
    struct {
        struct prof_trace_options known;
        void *newer;
    } longer = {.known = {.size_bytes = sizeof longer}, .newer = &longer};
    struct prof_trace_options shorter = {.size_bytes = offsetof(struct prof_trace_options, words),
                                         .words = (const char *const *)8};
    struct prof_trace *trace;
    EXPECT(prof_trace_open(paths, 1, &longer.known, &trace) == PROF_OK);
    prof_trace_close(trace);
    EXPECT(prof_trace_open(paths, 1, &shorter, &trace) == PROF_OK);
    prof_trace_close(trace);
}

static void ask_of_nothing(const struct prof_trace *unused)
{
    struct ArrowArrayStream stream;
    (void)unused;
    EXPECT(prof_trace_export(NULL, "chrome", "x.json") == PROF_INVALID);
    EXPECT(prof_trace_report(NULL, "explain", NULL, stdout) == PROF_INVALID);
    EXPECT(prof_trace_table(NULL, NULL, stdout) == PROF_INVALID);
    EXPECT(prof_trace_arrow(NULL, PROF_ARROW_EVENTS, &stream) == PROF_INVALID);
    prof_trace_close(NULL);
}

static void ask_wrongly(struct prof_trace *trace)
{
    const char *const open_options[] = {"--chrome=x.json", NULL};
    struct prof_table_options options = {.size_bytes = sizeof options, .format = "xml"};
    struct ArrowArrayStream stream = {.private_data = &stream};
    EXPECT(prof_trace_export(trace, NULL, "x") == PROF_INVALID);
    EXPECT(prof_trace_export(trace, "chrome", NULL) == PROF_INVALID);
    EXPECT(prof_trace_export(trace, "chrome", "") == PROF_INVALID && says(trace, "is empty"));
    EXPECT(prof_trace_export(trace, "xml", "x") == PROF_INVALID);
    for (size_t i = 0; prof_trace_format(i); i++)
        EXPECT(says(trace, prof_trace_format(i)));
    EXPECT(prof_trace_report(trace, "expalin", NULL, stdout) == PROF_INVALID);
    for (size_t i = 0; prof_trace_report_name(i); i++)
        EXPECT(says(trace, prof_trace_report_name(i)));
    EXPECT(prof_trace_report(trace, "explain", NULL, NULL) == PROF_INVALID);
    EXPECT(prof_trace_query(trace, NULL, NULL, stdout) == PROF_INVALID);
    EXPECT(prof_trace_query(trace, "DELETE FROM slices", NULL, stdout) != PROF_OK &&
           *prof_trace_error(trace));
    EXPECT(prof_trace_table(trace, &options, stdout) == PROF_INVALID &&
           says(trace, "--format: 'xml'"));
    options = (struct prof_table_options){.size_bytes = sizeof options, .sort = "bogus"};
    EXPECT(prof_trace_table(trace, &options, stdout) == PROF_INVALID && says(trace, "--sort"));
    options = (struct prof_table_options){.size_bytes = sizeof options, .rows = -7};
    EXPECT(prof_trace_table(trace, &options, stdout) == PROF_INVALID && says(trace, "--rows"));
    options = (struct prof_table_options){.size_bytes = sizeof options, .words = open_options};
    EXPECT(prof_trace_table(trace, &options, stdout) == PROF_INVALID && says(trace, "--chrome"));
    options = (struct prof_table_options){0};
    EXPECT(prof_trace_table(trace, &options, stdout) == PROF_INVALID && says(trace, "size_bytes"));
    EXPECT(prof_trace_arrow(trace, (enum prof_arrow_table)99, &stream) == PROF_INVALID);
    EXPECT(stream.private_data == &stream);
    EXPECT(prof_trace_arrow(trace, PROF_ARROW_KERNELS, NULL) == PROF_INVALID &&
           says(trace, "table"));
    EXPECT(prof_trace_table(trace, NULL, fopen("/dev/full", "w")) == PROF_FAILED &&
           says(trace, "No space left"));
}

/* The stream is good when the trace is closed. */
static void outlive(struct prof_trace *trace)
{
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray batch;
    EXPECT(prof_trace_arrow(trace, PROF_ARROW_KERNELS, &stream) == PROF_OK &&
           !*prof_trace_error(trace));
    prof_trace_close(trace);
    EXPECT(stream.get_schema(&stream, &schema) == 0 && schema.n_children > 5);
    EXPECT(stream.get_next(&stream, &batch) == 0 && batch.release && batch.length > 0);
    stream.release(&stream);
    EXPECT(!stream.release);
    batch.release(&batch);
    schema.release(&schema);
}

int main(int argc, char **argv)
{
    const char *const paths[] = {argc > 1 ? argv[1] : ""};
    struct prof_trace *trace;
    open_wrongly(paths[0]);
    open_with_other_versions(paths[0]);
    ask_of_nothing(NULL);
    EXPECT(prof_trace_open(paths, 1, NULL, &trace) == PROF_OK && trace);
    if (!trace)
        return 1;
    ask_wrongly(trace);
    outlive(trace);
    return failures != 0;
}
