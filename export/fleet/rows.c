/* rows.c - an array owns its buffers alone, so that a consumer may move a child out of its
 * batch. */
#include "rows.h"

#include <stdlib.h>

#define FIRST_ROOM 1024u

static size_t bytes_of(enum column_type type)
{
    static const size_t bytes[] = {[COLUMN_INTEGER] = 4, [COLUMN_BIGINT] = 8, [COLUMN_BOOLEAN] = 1,
                                   [COLUMN_VARCHAR] = 8, [COLUMN_WORD] = 1,   [COLUMN_MAP] = 4};
    return bytes[type];
}

static void cells_fini(struct cells *cells)
{
    free(cells->validity);
    free(cells->values);
    free(cells->keys);
    free(cells->counts);
    text_out_fini(&cells->text);
    *cells = (struct cells){0};
}

void rows_fini(struct rows *rows)
{
    for (unsigned i = 0; i < ROWS_COLUMNS; i++)
        cells_fini(&rows->cells[i]);
    rows->count = rows->room = 0;
}

/* One more value than rows: offsets have an end. */
static bool cells_grow(struct cells *cells, enum column_type type, uint32_t from, uint32_t room)
{
    size_t bytes = bytes_of(type);
    uint8_t *validity = realloc(cells->validity, room / 8);
    if (validity)
        cells->validity = validity;
    char *values = realloc(cells->values, (room + (size_t)1) * bytes);
    if (values)
        cells->values = values;
    if (!validity || !values)
        return false;
    memset(validity + from / 8, 0xff, (room - from) / 8);
    if (from == 0)
        memset(values, 0, bytes);
    return true;
}

bool rows_grow(struct rows *rows)
{
    uint32_t first = rows->first_room ? rows->first_room : FIRST_ROOM;
    uint32_t room = rows->room ? rows->room * 2 : first;
    for (uint32_t i = 0; i < rows->table->column_count && !rows->failed; i++)
        rows->failed = room < rows->room ||
                       !cells_grow(&rows->cells[i], rows->table->columns[i].type, rows->room, room);
    if (!rows->failed)
        rows->room = room;
    return !rows->failed;
}

/* ---- cells of varying size ---- */

void cell_text_piece(struct row *row, struct text text)
{
    char *to = text_out_room(&row->at->text, UTF8_MENDED_BYTES(text.size) + 1);
    if (to)
        row->at->text.size += utf8_mend(text, to);
}

void cell_text_end(struct row *row)
{
    ((int64_t *)row->at->values)[row->index + 1] = (int64_t)row->at->text.size;
    row->at++;
}

void cell_text(struct row *row, struct text text)
{
    if (text.bytes)
        cell_text_piece(row, text);
    else
        cell_mark_null(row);
    cell_text_end(row);
}

static bool pairs_grow(struct cells *cells)
{
    uint32_t room = cells->pair_room ? cells->pair_room * 2 : FIRST_ROOM;
    int32_t *keys = realloc(cells->keys, room * sizeof *keys);
    if (keys)
        cells->keys = keys;
    int64_t *counts = realloc(cells->counts, room * sizeof *counts);
    if (counts)
        cells->counts = counts;
    if (keys && counts)
        cells->pair_room = room;
    return keys && counts && room <= INT32_MAX;
}

bool cell_pair(struct row *row, int32_t key, int64_t count)
{
    struct cells *cells = row->at;
    if (cells->pairs == cells->pair_room && !pairs_grow(cells))
        return false;
    cells->keys[cells->pairs] = key;
    cells->counts[cells->pairs++] = count;
    return true;
}

void cell_map_end(struct row *row)
{
    ((int32_t *)row->at->values)[row->index + 1] = (int32_t)row->at->pairs;
    row->at++;
}

/* ---- arrays ---- */

/* What an array owns; the array itself is its parent's or the consumer's. */
struct owned {
    const void *buffers[3];
    void *to_free[3];
    struct ArrowArray *children[ROWS_COLUMNS];
    struct ArrowArray arrays[ROWS_COLUMNS], dictionary;
};

static void array_release(struct ArrowArray *array)
{
    struct owned *owned = array->private_data;
    for (int64_t i = 0; i < array->n_children; i++)
        if (array->children[i]->release)
            array->children[i]->release(array->children[i]);
    if (array->dictionary && array->dictionary->release)
        array->dictionary->release(array->dictionary);
    for (int i = 0; i < 3; i++)
        free(owned->to_free[i]);
    free(owned);
    array->release = NULL;
}

static struct owned *array_init(struct ArrowArray *array, int64_t length, int64_t buffers)
{
    struct owned *owned = calloc(1, sizeof *owned);
    if (owned)
        *array = (struct ArrowArray){.length = length,
                                     .n_buffers = buffers,
                                     .buffers = owned->buffers,
                                     .children = owned->children,
                                     .release = array_release,
                                     .private_data = owned};
    return owned;
}

/* Takes the buffer over. */
static void array_own(struct owned *owned, unsigned place, void *buffer)
{
    owned->buffers[place] = owned->to_free[place] = buffer;
}

static struct ArrowArray *array_add_child(struct ArrowArray *array, struct owned *owned)
{
    struct ArrowArray *child = &owned->arrays[array->n_children];
    owned->children[array->n_children] = child;
    return child;
}

/* Constants: nothing is to be freed. */
static bool init_dictionary(struct ArrowArray *array, struct owned *owned)
{
    static const char text[] = "computecommunicationcopyrangecallmemcpymemset";
    static const int32_t offsets[WORDS + 1] = {0, 7, 20, 24, 29, 33, 39, 45};
    struct owned *inside = array_init(&owned->dictionary, WORDS, 3);
    if (!inside)
        return false;
    inside->buffers[1] = offsets;
    inside->buffers[2] = text;
    array->dictionary = &owned->dictionary;
    return true;
}

static bool add_numbers(struct ArrowArray *array, struct owned *owned, int64_t length, void *values)
{
    struct owned *inside = array_init(array_add_child(array, owned), length, 2);
    if (!inside)
        return false;
    array->n_children++;
    array_own(inside, 1, values);
    return true;
}

/* A struct of keys and counts, one after the other for all rows. */
static bool init_pairs(struct ArrowArray *array, struct owned *owned, struct cells *cells)
{
    struct ArrowArray *pairs = array_add_child(array, owned);
    struct owned *inside = array_init(pairs, cells->pairs, 1);
    if (!inside)
        return false;
    array->n_children++;
    if (!add_numbers(pairs, inside, cells->pairs, cells->keys))
        return false;
    cells->keys = NULL;
    if (!add_numbers(pairs, inside, cells->pairs, cells->counts))
        return false;
    cells->counts = NULL;
    return true;
}

/* From a byte each to a bit each, in place. */
static void pack_bits(uint8_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i += 8) {
        unsigned group = 0;
        for (uint32_t j = i; j < i + 8 && j < count; j++)
            group |= (unsigned)(values[j] != 0) << j % 8;
        values[i / 8] = (uint8_t)group;
    }
}

static bool array_take(struct ArrowArray *array, struct cells *cells, enum column_type type,
                       uint32_t count)
{
    struct owned *owned = array_init(array, count, type == COLUMN_VARCHAR ? 3 : 2);
    if (!owned)
        return false;
    if (cells->nulls)
        array_own(owned, 0, cells->validity);
    else
        free(cells->validity);
    array->null_count = cells->nulls;
    if (type == COLUMN_BOOLEAN)
        pack_bits(cells->values, count);
    array_own(owned, 1, cells->values);
    array_own(owned, 2, cells->text.bytes);
    cells->validity = NULL;
    cells->values = NULL;
    cells->text = (struct text_out){0};
    return type == COLUMN_MAP    ? init_pairs(array, owned, cells)
           : type == COLUMN_WORD ? init_dictionary(array, owned)
                                 : true;
}

/* Consumers want an address even of nothing. */
static bool has_room(struct rows *rows)
{
    bool ready = !rows->failed;
    for (uint32_t i = 0; i < rows->table->column_count && ready; i++) {
        struct cells *cells = &rows->cells[i];
        enum column_type type = rows->table->columns[i].type;
        if (type == COLUMN_VARCHAR)
            ready = text_out_room(&cells->text, 1) && !cells->text.failed;
        if (type == COLUMN_MAP && !cells->pair_room)
            ready = pairs_grow(cells);
    }
    return ready;
}

bool rows_take(struct rows *rows, struct ArrowArray *out)
{
    struct ArrowArray made;
    rows->first_room = rows->room;
    struct owned *owned = has_room(rows) ? array_init(&made, rows->count, 1) : NULL;
    bool complete = owned != NULL;
    for (uint32_t i = 0; i < rows->table->column_count && complete; i++) {
        complete = array_take(array_add_child(&made, owned), &rows->cells[i],
                              rows->table->columns[i].type, rows->count);
        made.n_children += owned->arrays[i].release != NULL;
    }
    rows_fini(rows);
    if (complete)
        *out = made;
    else if (owned)
        array_release(&made);
    return complete;
}

/* ---- the schema ---- */

static void schema_release(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++) {
        if (schema->children[i]->release)
            schema->children[i]->release(schema->children[i]);
        free(schema->children[i]);
    }
    free(schema->children);
    if (schema->dictionary && schema->dictionary->release)
        schema->dictionary->release(schema->dictionary);
    free(schema->dictionary);
    schema->release = NULL;
}

static struct ArrowSchema *schema_add(struct ArrowSchema *schema, const char *name,
                                      const char *format, int64_t flags)
{
    struct ArrowSchema *child = calloc(1, sizeof *child);
    if (!child)
        return NULL;
    *child = (struct ArrowSchema){
        .format = format, .name = name, .flags = flags, .release = schema_release};
    schema->children[schema->n_children++] = child;
    return child;
}

static bool schema_room(struct ArrowSchema *schema, size_t children)
{
    schema->children = calloc(children, sizeof *schema->children);
    return schema->children != NULL;
}

static bool schema_of_map(struct ArrowSchema *map)
{
    struct ArrowSchema *pairs = schema_room(map, 1) ? schema_add(map, "entries", "+s", 0) : NULL;
    return pairs && schema_room(pairs, 2) && schema_add(pairs, "key", "i", 0) &&
           schema_add(pairs, "value", "l", ARROW_FLAG_NULLABLE);
}

static bool schema_of_words(struct ArrowSchema *schema)
{
    schema->dictionary = calloc(1, sizeof *schema->dictionary);
    if (schema->dictionary)
        *schema->dictionary =
            (struct ArrowSchema){.format = "u", .name = "", .release = schema_release};
    return schema->dictionary != NULL;
}

static bool add_column(struct ArrowSchema *schema, const struct column *column)
{
    static const char *const formats[] = {
        [COLUMN_INTEGER] = "i", [COLUMN_BIGINT] = "l", [COLUMN_BOOLEAN] = "b",
        [COLUMN_VARCHAR] = "U", [COLUMN_WORD] = "C",   [COLUMN_MAP] = "+m"};
    struct ArrowSchema *added =
        schema_add(schema, column->name, formats[column->type], ARROW_FLAG_NULLABLE);
    return added && (column->type == COLUMN_MAP    ? schema_of_map(added)
                     : column->type == COLUMN_WORD ? schema_of_words(added)
                                                   : true);
}

bool rows_schema(const struct rows_table *table, struct ArrowSchema *out)
{
    struct ArrowSchema made = {.format = "+s", .name = "", .release = schema_release};
    bool complete = schema_room(&made, table->column_count);
    for (uint32_t i = 0; i < table->column_count && complete; i++)
        complete = add_column(&made, &table->columns[i]);
    if (complete)
        *out = made;
    else
        schema_release(&made);
    return complete;
}
