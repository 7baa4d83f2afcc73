/* arrow_stream.c - batches of columns, each of which may outlive all others.
 *
 * A consumer may move a child out of its batch and release the batch, so every array owns its own
 * buffers, and the dictionary of names is counted: the stream, and every array that has it, hold
 * it.
 */
#include "arrow_stream.h"

#include "arrow_view.h"

#include <errno.h>
#include <stdlib.h>

static const struct arrow_rows *const tables[ARROW_TABLES] = {
    [ARROW_EVENTS] = &arrow_event_rows,       [ARROW_LAUNCHES] = &arrow_launch_rows,
    [ARROW_KERNELS] = &arrow_kernel_rows,     [ARROW_COUNTERS] = &arrow_counter_rows,
    [ARROW_FUNCTIONS] = &arrow_function_rows,
};

struct stream {
    struct timeline *timeline;
    void (*done)(struct timeline *timeline);
    const struct arrow_rows *rows;
    struct arrow_view view;
    struct arrow_names *names;
    uint32_t next;    /* item that comes next */
    uint32_t *chosen; /* items of the current batch */
};

/* A batch at hand. */
struct batch {
    const struct stream *stream;
    uint32_t rows;
};

/* ---- arrays ---- */

/* What an array owns; the array itself is its parent's or the consumer's. */
struct owned {
    const void *buffers[3];
    void *validity, *values, *texts; /* to be freed */
    struct arrow_names *names;
    struct ArrowArray **children; /* into arrays[] */
    struct ArrowArray *arrays;
};

static void owned_free(struct owned *owned)
{
    if (!owned)
        return;
    free(owned->children);
    free(owned->arrays);
    free(owned->validity);
    free(owned->values);
    free(owned->texts);
    arrow_names_release(owned->names);
    free(owned);
}

static void array_release(struct ArrowArray *array)
{
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i] && array->children[i]->release)
            array->children[i]->release(array->children[i]);
    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    free(array->dictionary);
    owned_free(array->private_data);
    array->release = NULL;
}

static bool dictionary_init(struct ArrowArray *array, struct arrow_names *names)
{
    struct owned *owned = calloc(1, sizeof *owned);
    if (!owned)
        return false;
    owned->names = arrow_names_hold(names);
    owned->buffers[1] = names->offsets;
    owned->buffers[2] = names->bytes;
    *array = (struct ArrowArray){.length = names->count,
                                 .n_buffers = 3,
                                 .buffers = owned->buffers,
                                 .release = array_release,
                                 .private_data = owned};
    return true;
}

/* From numbers of texts to places in the dictionary. */
static void place_names(const struct arrow_names *names, uint32_t *values, uint32_t rows)
{
    for (uint32_t i = 0; i < rows; i++)
        values[i] = names->places[values[i]];
}

/* Of texts. A batch that has enough of them ends there, so a table can have one such column. */
static bool fill_texts(struct batch *batch, const struct arrow_column *column, struct owned *owned,
                       int64_t *nulls)
{
    const struct stream *stream = batch->stream;
    struct text_out out = {0};
    int64_t *offsets = owned->values;
    uint8_t *bits = owned->validity;
    offsets[0] = 0;
    for (uint32_t i = 0; i < batch->rows; i++) {
        bool valid = column->cell(&stream->view, stream->chosen[i], &out);
        bits[i / 8] |= (uint8_t)(valid << i % 8);
        *nulls += !valid;
        offsets[i + 1] = (int64_t)out.size;
        if (out.size >= ARROW_BATCH_TEXT_BYTES)
            batch->rows = i + 1;
    }
    if (!out.bytes)
        text_out_room(&out, 1); /* consumers want an address even of nothing */
    owned->texts = out.bytes;
    return !out.failed;
}

static bool is_absent(const struct stream *stream, const struct arrow_column *column)
{
    return stream->rows->is_absent && stream->rows->is_absent(&stream->view, column->cell);
}

/* Columns that have nothing but nulls share these buffers: all is zero, also indexes of names,
 * since the first text has place 0. */
static void *zeros(void)
{
    static uint64_t nothing[ARROW_BATCH_ROWS + 1]; /* never written to: takes no memory */
    return nothing;
}

static bool values_init(struct batch *batch, const struct arrow_column *column, struct owned *owned,
                        struct ArrowArray *array)
{
    size_t bytes = column->bytes ? column->bytes : sizeof(int64_t);
    bool nullable = column->nullable || column->bytes == 0;
    owned->buffers[1] = owned->values = malloc((batch->rows + (size_t)1) * bytes);
    if (nullable)
        owned->buffers[0] = owned->validity = calloc(batch->rows / 8 + 1, 1);
    if (!owned->values || (nullable && !owned->validity))
        return false;
    if (column->bytes == 0 && !fill_texts(batch, column, owned, &array->null_count))
        return false;
    owned->buffers[2] = owned->texts;
    return true;
}

/* False: no memory. */
static bool column_init(struct batch *batch, const struct arrow_column *column,
                        struct ArrowArray *array)
{
    struct owned *owned = calloc(1, sizeof *owned);
    *array = (struct ArrowArray){.n_buffers = column->bytes ? 2 : 3, .release = array_release};
    array->private_data = owned;
    if (!owned)
        return false;
    array->buffers = owned->buffers;
    if (is_absent(batch->stream, column)) {
        array->null_count = batch->rows;
        owned->buffers[0] = owned->buffers[1] = owned->buffers[2] = zeros();
    } else if (!values_init(batch, column, owned, array)) {
        return false;
    }
    array->length = batch->rows;
    if (!column->is_name)
        return true;
    array->dictionary = calloc(1, sizeof *array->dictionary);
    return array->dictionary && dictionary_init(array->dictionary, batch->stream->names);
}

static void fill_tile(const struct batch *batch, const struct arrow_column *column,
                      struct ArrowArray *array, uint32_t first, uint32_t rows)
{
    const struct stream *stream = batch->stream;
    const struct owned *owned = array->private_data;
    char *to = (char *)owned->values + first * (size_t)column->bytes;
    uint8_t *bits = owned->validity ? (uint8_t *)owned->validity + first / 8 : NULL;
    uint32_t valid = column->fill(&stream->view, stream->chosen + first, rows, to, bits);
    array->null_count += rows - valid;
    if (column->is_name)
        place_names(stream->names, (uint32_t *)(void *)to, rows);
}

/* All columns of a few rows, then of the next: what they are read from stays in the nearest cache.
 * A multiple of 8. */
#define TILE_ROWS 512u

static void fill_values(const struct batch *batch, struct ArrowArray *arrays)
{
    const struct arrow_rows *rows = batch->stream->rows;
    for (uint32_t first = 0; first < batch->rows; first += TILE_ROWS) {
        uint32_t rest = batch->rows - first, count = rest < TILE_ROWS ? rest : TILE_ROWS;
        for (uint32_t i = 0; i < rows->column_count; i++)
            if (rows->columns[i].bytes && !is_absent(batch->stream, &rows->columns[i]))
                fill_tile(batch, &rows->columns[i], &arrays[i], first, count);
    }
}

static bool init_columns(struct batch *batch, struct ArrowArray *arrays, bool texts)
{
    const struct arrow_rows *rows = batch->stream->rows;
    for (uint32_t i = 0; i < rows->column_count; i++)
        if ((rows->columns[i].bytes == 0) == texts &&
            !column_init(batch, &rows->columns[i], &arrays[i]))
            return false;
    return true;
}

/* Texts, which decide where a batch ends, come first. */
static bool fill_children(struct batch *batch, struct ArrowArray *arrays)
{
    if (!init_columns(batch, arrays, true) || !init_columns(batch, arrays, false))
        return false;
    fill_values(batch, arrays);
    return true;
}

static bool add_children(struct batch *batch, struct ArrowArray *array, struct owned *owned)
{
    uint32_t count = batch->stream->rows->column_count;
    owned->children = calloc(count, sizeof *owned->children);
    owned->arrays = calloc(count, sizeof *owned->arrays);
    if (!owned->children || !owned->arrays)
        return false;
    for (uint32_t i = 0; i < count; i++)
        owned->children[i] = &owned->arrays[i];
    array->children = owned->children;
    array->n_children = count;
    return fill_children(batch, owned->arrays);
}

static int batch_init(struct batch *batch, struct ArrowArray *out)
{
    struct owned *owned = calloc(1, sizeof *owned);
    struct ArrowArray made = {.n_buffers = 1, .release = array_release};
    made.private_data = owned;
    if (!owned)
        return ENOMEM;
    made.buffers = owned->buffers;
    if (!add_children(batch, &made, owned)) {
        array_release(&made);
        return ENOMEM;
    }
    made.length = batch->rows;
    *out = made;
    return 0;
}

/* ---- the schema ---- */

static void schema_release(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i] && schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    if (schema->dictionary && schema->dictionary->release)
        schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
    free(schema->children);
    schema->release = NULL;
}

/* Formats and names are constants. */
static bool schema_of_column(struct ArrowSchema *schema, const struct arrow_column *column)
{
    *schema = (struct ArrowSchema){.format = column->format,
                                   .name = column->name,
                                   .flags = column->nullable ? ARROW_FLAG_NULLABLE : 0,
                                   .release = schema_release};
    if (!column->is_name)
        return true;
    schema->dictionary = calloc(1, sizeof *schema->dictionary);
    if (!schema->dictionary)
        return false;
    *schema->dictionary =
        (struct ArrowSchema){.format = "U", .name = "", .release = schema_release};
    return true;
}

static int get_schema(struct ArrowArrayStream *self, struct ArrowSchema *out)
{
    const struct arrow_rows *rows = ((struct stream *)self->private_data)->rows;
    struct ArrowSchema made = {.format = "+s", .name = "", .release = schema_release};
    made.children = calloc(rows->column_count, sizeof *made.children);
    bool complete = made.children != NULL;
    for (uint32_t i = 0; i < rows->column_count && complete; i++) {
        made.children[i] = calloc(1, sizeof **made.children);
        made.n_children = i + 1;
        complete = made.children[i] && schema_of_column(made.children[i], &rows->columns[i]);
    }
    if (!complete) {
        schema_release(&made);
        return ENOMEM;
    }
    *out = made;
    return 0;
}

/* ---- the stream ---- */

static int get_next(struct ArrowArrayStream *self, struct ArrowArray *out)
{
    struct stream *stream = self->private_data;
    uint32_t end = stream->rows->item_count(stream->timeline), next = stream->next;
    struct batch batch = {.stream = stream};
    for (; next < end && batch.rows < ARROW_BATCH_ROWS; next++)
        if (!stream->rows->is_row || stream->rows->is_row(&stream->view, next))
            stream->chosen[batch.rows++] = next;
    if (batch.rows == 0) {
        out->release = NULL; /* the end */
        return 0;
    }
    int error = batch_init(&batch, out);
    if (!error)
        stream->next = stream->chosen[batch.rows - 1] + 1;
    return error;
}

static const char *get_last_error(struct ArrowArrayStream *self)
{
    (void)self;
    return "out of memory";
}

static void stream_free(struct stream *stream)
{
    if (!stream)
        return;
    arrow_names_release(stream->names);
    arrow_view_fini(&stream->view);
    free(stream->chosen);
    free(stream);
}

static void stream_release(struct ArrowArrayStream *self)
{
    struct stream *stream = self->private_data;
    if (stream->done)
        stream->done(stream->timeline);
    stream_free(stream);
    self->release = NULL;
}

static bool prepare(struct stream *stream, enum arrow_table table, const struct arrow_more *more)
{
    if (!arrow_view_init(&stream->view, stream->timeline, table))
        return false;
    stream->view.flops = more ? more->flops : NULL;
    stream->names = arrow_names_create(&stream->view, table, more ? more->stacks : NULL);
    stream->chosen = malloc(ARROW_BATCH_ROWS * sizeof *stream->chosen);
    return stream->names && stream->chosen;
}

bool arrow_stream_init_more(struct ArrowArrayStream *stream, struct timeline *timeline,
                            enum arrow_table table, const struct arrow_more *more,
                            void (*done)(struct timeline *timeline))
{
    struct stream *made = calloc(1, sizeof *made);
    if (!made)
        return false;
    made->rows = tables[table];
    made->timeline = timeline;
    made->done = done;
    if (!prepare(made, table, more)) {
        stream_free(made);
        return false;
    }
    *stream = (struct ArrowArrayStream){.get_schema = get_schema,
                                        .get_next = get_next,
                                        .get_last_error = get_last_error,
                                        .release = stream_release,
                                        .private_data = made};
    return true;
}

bool arrow_stream_init(struct ArrowArrayStream *stream, struct timeline *timeline,
                       enum arrow_table table, void (*done)(struct timeline *timeline))
{
    return arrow_stream_init_more(stream, timeline, table, NULL, done);
}

const char *arrow_table_name(enum arrow_table table)
{
    static const char *const names[ARROW_TABLES] = {
        [ARROW_EVENTS] = "events",     [ARROW_LAUNCHES] = "launches",   [ARROW_KERNELS] = "kernels",
        [ARROW_COUNTERS] = "counters", [ARROW_FUNCTIONS] = "functions",
    };
    return names[table];
}
