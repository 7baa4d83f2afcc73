/* ask.c - ask TRACE...: a report for a browser, the ten rows that kept the devices busy longest, and how long that was
 * by Arrow's table of kernels: what a tool of one's own can have of any trace that profdump reads. */
#include <prof/trace.h>

#include <inttypes.h>
#include <string.h>

static int failed(const struct prof_trace *trace)
{
    fprintf(stderr, "ask: %s\n", prof_trace_error(trace));
    return 1;
}

/* The column of this name; NULL: there is none. */
static const struct ArrowArray *column(const struct ArrowSchema *schema,
                                       const struct ArrowArray *batch, const char *name)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        if (strcmp(schema->children[i]->name, name) == 0)
            return batch->children[i];
    return NULL;
}

static int64_t sum(const struct ArrowArray *column)
{
    const int64_t *values = column->buffers[1];
    int64_t total = 0;
    for (int64_t i = 0; i < column->length; i++)
        total += values[column->offset + i];
    return total;
}

/* -1: no memory. */
static int64_t device_ns(struct ArrowArrayStream *stream, int64_t *operations)
{
    struct ArrowSchema schema;
    struct ArrowArray batch;
    int64_t total = 0;
    if (stream->get_schema(stream, &schema) != 0)
        return -1;
    while (total >= 0) {
        if (stream->get_next(stream, &batch) != 0) {
            total = -1;
            break;
        }
        if (!batch.release) /* the end */
            break;
        total += sum(column(&schema, &batch, "duration_ns"));
        *operations += batch.length;
        batch.release(&batch);
    }
    schema.release(&schema);
    return total;
}

static int ask(struct prof_trace *trace)
{
    const struct prof_table_options top = {
        .size_bytes = sizeof top, .sort = "self_cuda", .rows = 10};
    struct ArrowArrayStream stream;
    int64_t operations = 0;
    if (prof_trace_export(trace, "html", "ask.html") != PROF_OK ||
        prof_trace_table(trace, &top, stdout) != PROF_OK ||
        prof_trace_arrow(trace, PROF_ARROW_KERNELS, &stream) != PROF_OK)
        return failed(trace);
    int64_t total = device_ns(&stream, &operations);
    stream.release(&stream);
    printf("\n%" PRId64 " device operations, %" PRId64 " ns; the rest is in ask.html\n", operations,
           total);
    return 0;
}

int main(int argc, char **argv)
{
    struct prof_trace *trace;
    if (prof_trace_open((const char *const *)argv + 1, (size_t)(argc - 1), NULL, &trace) != PROF_OK)
        return failed(NULL);
    int status = ask(trace);
    prof_trace_close(trace);
    return status;
}
