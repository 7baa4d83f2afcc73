/* arrow_file.c - a table as a file in Arrow's IPC format (Feather, version 2), made of the batches
 * of arrow_stream.h.
 *
 *     "ARROW1" 0 0
 *     schema, dictionary, record batch ...     each a message and its body
 *     ffffffff 00000000                        the end
 *     footer, its size, "ARROW1"               the schema again, and where dictionary and batches
 *                                              are
 *
 * A message is ffffffff, the size of its metadata, and these: a FlatBuffer. Then come the buffers
 * of its columns as they are in memory, each at a multiple of 64 bytes, of the file too, so that
 * readers can map it. Arrow's Schema.fbs, Message.fbs and File.fbs describe the tables of the
 * FlatBuffers: fields here are in their order. All columns of names share the dictionary with id 0.
 */
#include "array.h"
#include "arrow_stream.h"
#include "formats.h"
#include "out_behind.h"
#include "packed_out.h"
#include "text.h"

#include <errno.h>
#include <stdlib.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "buffers are written as they are");

#define ALIGNMENT 64u
#define VERSION 4u /* MetadataVersion.V5 */

enum header { HEADER_SCHEMA = 1, HEADER_DICTIONARY, HEADER_BATCH }; /* MessageHeader */
enum type { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_TIMESTAMP = 10, TYPE_TEXT = 20 /* LargeUtf8 */ };

/* ---- FlatBuffers, written from the front to the back ----
 *
 * What refers to something stands before it.
 *
 *     size_t table = flat_out_table(&out, (const uint8_t[]){4, 2}, 2);   // a reference and 16 bits
 *     flat_out_put(&out, flat_out_field(&out, table, 1), 7, 2);
 *     flat_out_point(&out, flat_out_field(&out, table, 0), flat_out_string(&out, text));
 *
 * Values are aligned to their width, counted from the buffer's first byte. The buffer begins with a
 * reference to its root table (flatbuffers.dev, "FlatBuffers internals"). After a failure all calls
 * do nothing, and `out.bytes.failed` is set. */

struct flat_out {
    struct text_out bytes;
};

/* Appends zeros; returns their place. */
static size_t add_zeros(struct flat_out *out, size_t size)
{
    size_t at = out->bytes.size;
    char *to = text_out_room(&out->bytes, size);
    if (!to)
        return 0;
    memset(to, 0, size);
    out->bytes.size += size;
    return at;
}

/* Until what comes `ahead` bytes after the end is aligned. */
static void align_end(struct flat_out *out, size_t ahead, size_t align)
{
    size_t over = (out->bytes.size + ahead) % align;
    if (over)
        add_zeros(out, align - over);
}

/* Begins a buffer: the place of its reference to the root. What was there before is forgotten. */
static size_t flat_out_begin(struct flat_out *out)
{
    out->bytes.size = 0;
    return add_zeros(out, 4);
}

/* Little endian. */
static void flat_out_put(struct flat_out *out, size_t at, uint64_t value, unsigned width)
{
    if (out->bytes.failed || at + width > out->bytes.size)
        return;
    for (unsigned i = 0; i < width; i++)
        out->bytes.bytes[at + i] = (char)(value >> 8 * i & 0xff);
}

static uint64_t get_16(const struct flat_out *out, size_t at)
{
    const unsigned char *bytes = (const unsigned char *)out->bytes.bytes + at;
    return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8;
}

/* A table whose fields have these widths; 0: the field is not there. All are 0. Returns its place.
 *
 * The vtable (its size, the table's, where each field is) stands right before its table, which
 * begins with the distance back to it. */
static size_t flat_out_table(struct flat_out *out, const uint8_t *widths, unsigned count)
{
    size_t vtable_bytes = 4 + 2 * (size_t)count, used = 4;
    align_end(out, vtable_bytes, 8);
    size_t vtable = add_zeros(out, vtable_bytes), table = add_zeros(out, 4);
    for (unsigned i = 0; i < count; i++) {
        if (!widths[i])
            continue;
        align_end(out, 0, widths[i]);
        used = add_zeros(out, widths[i]) - table;
        flat_out_put(out, vtable + 4 + 2 * (size_t)i, used, 2);
        used += widths[i];
    }
    flat_out_put(out, vtable, vtable_bytes, 2);
    flat_out_put(out, vtable + 2, used, 2);
    flat_out_put(out, table, table - vtable, 4);
    return table;
}

/* The place of a field that is there. */
static size_t flat_out_field(const struct flat_out *out, size_t table, unsigned field)
{
    if (out->bytes.failed)
        return 0;
    size_t vtable = table - (size_t)get_16(out, table);
    return table + (size_t)get_16(out, vtable + 4 + 2 * (size_t)field);
}

/* A reference to what stands further back. */
static void flat_out_point(struct flat_out *out, size_t at, size_t target)
{
    flat_out_put(out, at, target - at, 4);
}

/* NUL-terminated beside its size. */
static size_t flat_out_string(struct flat_out *out, const char *string)
{
    size_t size = strlen(string);
    align_end(out, 0, 4);
    size_t at = add_zeros(out, 4);
    flat_out_put(out, at, size, 4);
    text_out_bytes(&out->bytes, string, size + 1);
    return at;
}

/* Items of that size, all 0, aligned by 4 or 8. Returns the vector's place. */
static size_t flat_out_vector(struct flat_out *out, uint32_t count, size_t item_bytes,
                              unsigned align)
{
    align_end(out, 4, align < 4 ? 4 : align);
    size_t at = add_zeros(out, 4);
    add_zeros(out, count * item_bytes);
    flat_out_put(out, at, count, 4);
    return at;
}

static size_t flat_out_item(size_t vector, uint32_t index, size_t item_bytes)
{
    return vector + 4 + index * item_bytes;
}

/* Where a message is, for the footer. */
struct block {
    uint64_t at;
    uint64_t body_bytes;
    uint32_t head_bytes;
};

struct writer {
    struct export_file file;
    struct ArrowSchema schema;
    struct flat_out out;
    uint64_t at; /* bytes written */
    struct block dictionary;
    TL_ARRAY(struct block) batches;
    int error; /* errno */
};

static void put(struct writer *writer, const void *bytes, size_t size)
{
    if (!writer->error)
        writer->error = out_write(writer->file.file.fd, writer->file.stream, bytes, size);
    writer->at += size;
}

static uint64_t padded(uint64_t size)
{
    return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void put_padding(struct writer *writer, uint64_t size)
{
    static const char zeros[ALIGNMENT];
    put(writer, zeros, padded(size) - size);
}

/* ---- columns ---- */

/* How Arrow writes the types of our columns, and what they are. */
static const struct column_type {
    const char *format;
    uint8_t type, bits;
    bool is_signed;
} column_types[] = {
    {"S", TYPE_INT, 16, false}, {"I", TYPE_INT, 32, false},
    {"i", TYPE_INT, 32, true},  {"L", TYPE_INT, 64, false},
    {"l", TYPE_INT, 64, true},  {"g", TYPE_FLOAT, 64, true},
    {"U", TYPE_TEXT, 0, false}, {"tsn:UTC", TYPE_TIMESTAMP, 64, true},
};

static const struct column_type *type_of(const struct ArrowSchema *column)
{
    for (size_t i = 0; i < sizeof column_types / sizeof *column_types; i++)
        if (strcmp(column_types[i].format, column->format) == 0)
            return &column_types[i];
    return NULL;
}

/* The buffers of a column: which bits are valid (none where all are), then values, or offsets and
 * texts. */
struct column_buffers {
    const void *at[3];
    uint64_t bytes[3];
    unsigned count;
};

static struct column_buffers buffers_of(const struct column_type *type,
                                        const struct ArrowArray *array)
{
    struct column_buffers buffers = {.count = type->type == TYPE_TEXT ? 3 : 2};
    uint64_t rows = (uint64_t)array->length;
    for (unsigned i = 0; i < buffers.count; i++)
        buffers.at[i] = array->buffers[i];
    buffers.bytes[0] = array->null_count ? (rows + 7) / 8 : 0;
    if (type->type == TYPE_TEXT) {
        const int64_t *offsets = array->buffers[1];
        buffers.bytes[1] = (rows + 1) * sizeof *offsets;
        buffers.bytes[2] = (uint64_t)offsets[rows];
    } else {
        buffers.bytes[1] = rows * (type->bits / 8u);
    }
    return buffers;
}

/* ---- schema ---- */

static size_t make_int(struct flat_out *out, unsigned bits, bool is_signed)
{
    size_t table = flat_out_table(out, (const uint8_t[]){4, 1}, 2);
    flat_out_put(out, flat_out_field(out, table, 0), bits, 4);
    flat_out_put(out, flat_out_field(out, table, 1), is_signed, 1);
    return table;
}

static size_t make_timestamp(struct flat_out *out)
{
    size_t table = flat_out_table(out, (const uint8_t[]){2, 4}, 2);
    flat_out_put(out, flat_out_field(out, table, 0), 3, 2); /* TimeUnit.NANOSECOND */
    flat_out_point(out, flat_out_field(out, table, 1), flat_out_string(out, "UTC"));
    return table;
}

static size_t make_type(struct flat_out *out, const struct column_type *type)
{
    if (type->type == TYPE_INT)
        return make_int(out, type->bits, type->is_signed);
    if (type->type == TYPE_TIMESTAMP)
        return make_timestamp(out);
    size_t table = flat_out_table(out, (const uint8_t[]){2}, type->type == TYPE_FLOAT);
    if (type->type == TYPE_FLOAT)
        flat_out_put(out, flat_out_field(out, table, 0), 2, 2); /* Precision.DOUBLE */
    return table;
}

/* DictionaryEncoding: id 0. */
static size_t make_encoding(struct flat_out *out, const struct column_type *index)
{
    size_t table = flat_out_table(out, (const uint8_t[]){8, 4}, 2);
    flat_out_point(out, flat_out_field(out, table, 1),
                   make_int(out, index->bits, index->is_signed));
    return table;
}

static size_t make_field(struct flat_out *out, const struct ArrowSchema *column)
{
    const struct ArrowSchema *dictionary = column->dictionary;
    const struct column_type *type = type_of(dictionary ? dictionary : column);
    const uint8_t widths[] = {4, 1, 1, 4, dictionary ? 4 : 0, 4};
    size_t table = flat_out_table(out, widths, 6);
    flat_out_point(out, flat_out_field(out, table, 0), flat_out_string(out, column->name));
    flat_out_put(out, flat_out_field(out, table, 1), column->flags & ARROW_FLAG_NULLABLE ? 1 : 0,
                 1);
    flat_out_put(out, flat_out_field(out, table, 2), type->type, 1);
    flat_out_point(out, flat_out_field(out, table, 3), make_type(out, type));
    if (dictionary)
        flat_out_point(out, flat_out_field(out, table, 4), make_encoding(out, type_of(column)));
    flat_out_point(out, flat_out_field(out, table, 5), flat_out_vector(out, 0, 4, 4));
    return table;
}

static size_t make_schema(struct flat_out *out, const struct ArrowSchema *schema)
{
    size_t table = flat_out_table(out, (const uint8_t[]){2, 4}, 2); /* Endianness.Little is 0 */
    size_t fields = flat_out_vector(out, (uint32_t)schema->n_children, 4, 4);
    flat_out_point(out, flat_out_field(out, table, 1), fields);
    for (uint32_t i = 0; i < (uint32_t)schema->n_children; i++)
        flat_out_point(out, flat_out_item(fields, i, 4), make_field(out, schema->children[i]));
    return table;
}

/* ---- messages ---- */

/* Begins a message. Returns where its header is to be named. */
static size_t begin_message(struct writer *writer, enum header header, uint64_t body_bytes)
{
    struct flat_out *out = &writer->out;
    size_t root = flat_out_begin(out);
    size_t table = flat_out_table(out, (const uint8_t[]){2, 1, 4, 8}, 4);
    flat_out_point(out, root, table);
    flat_out_put(out, flat_out_field(out, table, 0), VERSION, 2);
    flat_out_put(out, flat_out_field(out, table, 1), header, 1);
    flat_out_put(out, flat_out_field(out, table, 3), body_bytes, 8);
    return flat_out_field(out, table, 2);
}

/* Writes it, so that its body begins at a multiple of the alignment. */
static struct block end_message(struct writer *writer, uint64_t body_bytes)
{
    struct text_out *bytes = &writer->out.bytes;
    uint64_t end = padded(writer->at + 8 + bytes->size);
    struct block block = {writer->at, body_bytes, (uint32_t)(end - writer->at)};
    uint32_t prefix[] = {UINT32_MAX, block.head_bytes - 8};
    if (bytes->failed)
        writer->error = writer->error ? writer->error : ENOMEM;
    put(writer, prefix, sizeof prefix);
    put(writer, bytes->bytes, bytes->size);
    put_padding(writer, writer->at);
    return block;
}

/* RecordBatch: where the buffers of each column will be in the body. Returns its table. */
static size_t make_batch(struct flat_out *out, uint64_t rows, const struct column_buffers *columns,
                         struct ArrowArray *const *arrays, uint32_t count)
{
    uint32_t buffer = 0, buffers = 0;
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++)
        buffers += columns[i].count;
    size_t table = flat_out_table(out, (const uint8_t[]){8, 4, 4}, 3);
    size_t node_items = flat_out_vector(out, count, 16, 8);
    size_t buffer_items = flat_out_vector(out, buffers, 16, 8);
    flat_out_put(out, flat_out_field(out, table, 0), rows, 8);
    flat_out_point(out, flat_out_field(out, table, 1), node_items);
    flat_out_point(out, flat_out_field(out, table, 2), buffer_items);
    for (uint32_t i = 0; i < count; i++) {
        size_t node = flat_out_item(node_items, i, 16);
        flat_out_put(out, node, (uint64_t)arrays[i]->length, 8);
        flat_out_put(out, node + 8, (uint64_t)arrays[i]->null_count, 8);
        for (unsigned k = 0; k < columns[i].count; k++, buffer++) {
            size_t item = flat_out_item(buffer_items, buffer, 16);
            flat_out_put(out, item, at, 8);
            flat_out_put(out, item + 8, columns[i].bytes[k], 8);
            at += padded(columns[i].bytes[k]);
        }
    }
    return table;
}

static uint64_t body_bytes(const struct column_buffers *columns, uint32_t count)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < columns[i].count; k++)
            bytes += padded(columns[i].bytes[k]);
    return bytes;
}

static void put_body(struct writer *writer, const struct column_buffers *columns, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < columns[i].count; k++) {
            if (columns[i].bytes[k])
                put(writer, columns[i].at[k], columns[i].bytes[k]);
            put_padding(writer, columns[i].bytes[k]);
        }
}

static void put_schema(struct writer *writer)
{
    size_t header = begin_message(writer, HEADER_SCHEMA, 0);
    flat_out_point(&writer->out, header, make_schema(&writer->out, &writer->schema));
    end_message(writer, 0);
}

/* Each batch has all of it; the file has it once. */
static void put_dictionary(struct writer *writer, struct ArrowArray *dictionary)
{
    static const struct ArrowSchema texts = {.format = "U"};
    struct flat_out *out = &writer->out;
    struct column_buffers column = buffers_of(type_of(&texts), dictionary);
    uint64_t bytes = body_bytes(&column, 1);
    size_t header = begin_message(writer, HEADER_DICTIONARY, bytes);
    size_t table = flat_out_table(out, (const uint8_t[]){8, 4}, 2); /* id 0 */
    flat_out_point(out, header, table);
    flat_out_point(out, flat_out_field(out, table, 1),
                   make_batch(out, (uint64_t)dictionary->length, &column, &dictionary, 1));
    writer->dictionary = end_message(writer, bytes);
    put_body(writer, &column, 1);
}

static void put_batch(struct writer *writer, const struct ArrowArray *batch)
{
    uint32_t count = (uint32_t)batch->n_children;
    struct column_buffers *columns = calloc(count, sizeof *columns);
    struct block *block = ARRAY_ADD(&writer->batches);
    if (!columns || !block) {
        writer->error = ENOMEM;
        free(columns);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        columns[i] = buffers_of(type_of(writer->schema.children[i]), batch->children[i]);
    uint64_t bytes = body_bytes(columns, count);
    size_t header = begin_message(writer, HEADER_BATCH, bytes);
    flat_out_point(
        &writer->out, header,
        make_batch(&writer->out, (uint64_t)batch->length, columns, batch->children, count));
    *block = end_message(writer, bytes);
    put_body(writer, columns, count);
    free(columns);
}

/* ---- the file ---- */

static void fill_block(struct flat_out *out, size_t at, const struct block *block)
{
    flat_out_put(out, at, block->at, 8);
    flat_out_put(out, at + 8, block->head_bytes, 4);
    flat_out_put(out, at + 16, block->body_bytes, 8);
}

static void put_footer(struct writer *writer)
{
    static const uint32_t end[] = {UINT32_MAX, 0};
    struct flat_out *out = &writer->out;
    put(writer, end, sizeof end);
    size_t root = flat_out_begin(out),
           table = flat_out_table(out, (const uint8_t[]){2, 4, 4, 4}, 4);
    flat_out_point(out, root, table);
    flat_out_put(out, flat_out_field(out, table, 0), VERSION, 2);
    flat_out_point(out, flat_out_field(out, table, 1), make_schema(out, &writer->schema));
    uint32_t dictionaries = writer->dictionary.head_bytes ? 1 : 0;
    size_t items = flat_out_vector(out, dictionaries, 24, 8);
    flat_out_point(out, flat_out_field(out, table, 2), items);
    if (dictionaries)
        fill_block(out, flat_out_item(items, 0, 24), &writer->dictionary);
    items = flat_out_vector(out, writer->batches.count, 24, 8);
    flat_out_point(out, flat_out_field(out, table, 3), items);
    for (uint32_t i = 0; i < writer->batches.count; i++)
        fill_block(out, flat_out_item(items, i, 24), &writer->batches.at[i]);
    if (out->bytes.failed)
        writer->error = writer->error ? writer->error : ENOMEM;
    put(writer, out->bytes.bytes, out->bytes.size);
    put(writer, &(uint32_t){(uint32_t)out->bytes.size}, 4);
    put(writer, "ARROW1", 6);
}

static struct ArrowArray *dictionary_of(const struct ArrowArray *batch)
{
    for (int64_t i = 0; i < batch->n_children; i++)
        if (batch->children[i]->dictionary)
            return batch->children[i]->dictionary;
    return NULL;
}

static void put_batches(struct writer *writer, struct ArrowArrayStream *stream)
{
    while (!writer->error) {
        struct ArrowArray batch;
        writer->error = stream->get_next(stream, &batch);
        if (writer->error || !batch.release)
            return;
        if (writer->batches.count == 0 && dictionary_of(&batch))
            put_dictionary(writer, dictionary_of(&batch));
        put_batch(writer, &batch);
        batch.release(&batch);
    }
}

/* Returns 0 or an errno. */
static int put_file(struct writer *writer, struct ArrowArrayStream *stream)
{
    writer->error = stream->get_schema(stream, &writer->schema);
    if (writer->error)
        return writer->error;
    put(writer, "ARROW1\0", 8);
    put_schema(writer);
    put_batches(writer, stream);
    put_footer(writer);
    writer->schema.release(&writer->schema);
    text_out_fini(&writer->out.bytes);
    free(writer->batches.at);
    return writer->error;
}

bool write_arrow_file(const struct timeline *timeline, enum arrow_table table,
                      const struct arrow_more *more, const char *path, struct write_error *error)
{
    struct writer writer = {0};
    struct ArrowArrayStream stream;
    if (!export_file_open(&writer.file, path, packed_out_open, error))
        return false;
    int failure = ENOMEM;
    if (arrow_stream_init_more(&stream, (struct timeline *)timeline, table, more, NULL)) {
        failure = put_file(&writer, &stream);
        stream.release(&stream);
    }
    return export_file_close(&writer.file, failure, error);
}
