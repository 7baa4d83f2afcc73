/* arrow.c - batches of columns, each of which may outlive all others.
 *
 * A consumer may move a child out of its batch and release the batch, so every array owns its own buffers,
 * and the dictionary of names is counted: the stream, and every array that has it, hold it.
 */
#include "arrow.h"

#include "arrow_columns.h"
#include "utf8_text.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Every name once, as Arrow's large_string. */
struct names {
    _Atomic(uint32_t) holders;
    uint32_t count;
    int64_t *offsets; /* count + 1 */
    char *bytes;
};

struct stream {
    struct timeline *timeline;
    void (*done)(struct timeline *timeline);
    const struct arrow_rows *rows;
    struct names *names;
    uint32_t next;    /* item that comes next */
    uint32_t *chosen; /* items of the batch at hand */
};

/* ---- the dictionary ---- */

static struct names *names_hold(struct names *names)
{
    atomic_fetch_add_explicit(&names->holders, 1, memory_order_relaxed);
    return names;
}

static void names_release(struct names *names)
{
    if (!names || atomic_fetch_sub_explicit(&names->holders, 1, memory_order_acq_rel) != 1)
        return;
    free(names->offsets);
    free(names->bytes);
    free(names);
}

static struct text name_at(const struct timeline *timeline, uint32_t index)
{
    if (index < timeline->names.count)
        return timeline->names.at[index];
    const char *word = arrow_words[index - timeline->names.count];
    return (struct text){word, strlen(word)};
}

static size_t name_bytes(const struct timeline *timeline, uint32_t index)
{
    struct text name = name_at(timeline, index);
    return utf8_is_valid(name) ? name.size : UTF8_MENDED_BYTES(name.size);
}

static struct names *names_create(const struct timeline *timeline)
{
    struct names *names = calloc(1, sizeof *names);
    size_t size = 1;
    int64_t used = 0;
    if (!names)
        return NULL;
    names->holders = 1;
    names->count = timeline->names.count + arrow_word_count;
    for (uint32_t i = 0; i < names->count; i++)
        size += name_bytes(timeline, i);
    names->offsets = malloc((names->count + 1u) * sizeof *names->offsets);
    names->bytes = malloc(size);
    if (!names->offsets || !names->bytes) {
        names_release(names);
        return NULL;
    }
    for (uint32_t i = 0; i < names->count; i++) {
        names->offsets[i] = used;
        used += (int64_t)utf8_mend(name_at(timeline, i), names->bytes + used);
    }
    names->offsets[names->count] = used;
    return names;
}

/* ---- arrays ---- */

/* What an array owns; the array itself is its parent's or the consumer's. */
struct owned {
    const void *buffers[3];
    void *validity, *values; /* to be freed */
    struct names *names;
    struct ArrowArray **children; /* each allocated */
    int64_t child_count;
};

static void owned_free(struct owned *owned)
{
    if (!owned)
        return;
    for (int64_t i = 0; owned->children && i < owned->child_count; i++)
        free(owned->children[i]);
    free(owned->children);
    free(owned->validity);
    free(owned->values);
    names_release(owned->names);
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

static bool dictionary_init(struct ArrowArray *array, struct names *names)
{
    struct owned *owned = calloc(1, sizeof *owned);
    if (!owned)
        return false;
    owned->names = names_hold(names);
    owned->buffers[1] = names->offsets;
    owned->buffers[2] = names->bytes;
    *array = (struct ArrowArray){.length = names->count,
                                 .n_buffers = 3,
                                 .buffers = owned->buffers,
                                 .release = array_release,
                                 .private_data = owned};
    return true;
}

/* Fills in the values of a column, and a bit for each that is not null. */
static int64_t fill(const struct stream *stream, const struct arrow_column *column,
                    struct owned *owned, uint32_t rows)
{
    char *to = owned->values;
    uint8_t *bits = owned->validity;
    int64_t nulls = 0;
    for (uint32_t i = 0; i < rows; i++, to += column->bytes) {
        bool valid = column->cell(stream->timeline, stream->chosen[i], to);
        if (!valid)
            memset(to, 0, column->bytes);
        if (bits)
            bits[i / 8] |= (uint8_t)(valid << i % 8);
        nulls += !valid;
    }
    return nulls;
}

static bool column_init(const struct stream *stream, const struct arrow_column *column,
                        struct ArrowArray *array, uint32_t rows)
{
    struct owned *owned = calloc(1, sizeof *owned);
    *array = (struct ArrowArray){.length = rows, .n_buffers = 2, .release = array_release};
    array->private_data = owned;
    if (!owned)
        return false;
    owned->values = malloc((size_t)(rows ? rows : 1) * column->bytes);
    if (column->nullable)
        owned->validity = calloc(rows / 8 + 1, 1);
    if (!owned->values || (column->nullable && !owned->validity))
        return false;
    array->null_count = fill(stream, column, owned, rows);
    owned->buffers[0] = owned->validity;
    owned->buffers[1] = owned->values;
    array->buffers = owned->buffers;
    if (!column->is_name)
        return true;
    array->dictionary = calloc(1, sizeof *array->dictionary);
    return array->dictionary && dictionary_init(array->dictionary, stream->names);
}

static bool add_children(const struct stream *stream, struct ArrowArray *batch, struct owned *owned,
                         uint32_t rows)
{
    uint32_t count = stream->rows->column_count;
    owned->children = calloc(count, sizeof *owned->children);
    if (!owned->children)
        return false;
    owned->child_count = count;
    batch->children = owned->children;
    for (uint32_t i = 0; i < count; i++) {
        owned->children[i] = calloc(1, sizeof **owned->children);
        if (!owned->children[i])
            return false;
        batch->n_children = i + 1;
        if (!column_init(stream, &stream->rows->columns[i], owned->children[i], rows))
            return false;
    }
    return true;
}

static int batch_init(const struct stream *stream, struct ArrowArray *batch, uint32_t rows)
{
    struct owned *owned = calloc(1, sizeof *owned);
    struct ArrowArray made = {.length = rows, .n_buffers = 1, .release = array_release};
    made.private_data = owned;
    if (!owned)
        return ENOMEM;
    made.buffers = owned->buffers;
    if (!add_children(stream, &made, owned, rows)) {
        array_release(&made);
        return ENOMEM;
    }
    *batch = made;
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
    uint32_t rows = 0, end = stream->rows->item_count(stream->timeline), next = stream->next;
    for (; next < end && rows < ARROW_BATCH_ROWS; next++)
        if (stream->rows->is_row(stream->timeline, next))
            stream->chosen[rows++] = next;
    if (rows == 0) {
        out->release = NULL; /* the end */
        return 0;
    }
    int error = batch_init(stream, out, rows);
    if (!error)
        stream->next = next;
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
    names_release(stream->names);
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

bool arrow_stream_init(struct ArrowArrayStream *stream, struct timeline *timeline,
                       enum arrow_table table, void (*done)(struct timeline *timeline))
{
    struct stream *made = calloc(1, sizeof *made);
    if (made) {
        made->rows = &arrow_tables[table];
        made->timeline = timeline;
        made->done = done;
        made->names = names_create(timeline);
        made->chosen = malloc(ARROW_BATCH_ROWS * sizeof *made->chosen);
    }
    if (!made || !made->names || !made->chosen) {
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
