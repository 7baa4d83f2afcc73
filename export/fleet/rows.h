/* rows.h - rows that are put together cell by cell, and the Arrow arrays that they become. */
#ifndef PROF_ROWS_H
#define PROF_ROWS_H

#include "array.h"
#include "device_time.h"
#include "prof/arrow_abi.h"
#include "text.h"

#include <stdbool.h>
#include <stdint.h>

#define ROWS_COLUMNS 24u

/* Types of the dataset, as dataset.def names them. */
enum column_type {
    COLUMN_INTEGER,
    COLUMN_BIGINT,
    COLUMN_BOOLEAN,
    COLUMN_VARCHAR,
    COLUMN_WORD,
    COLUMN_MAP
};

struct column {
    const char *name;
    enum column_type type;
};

struct rows_table {
    const struct column *columns;
    uint32_t column_count;
};

/* What a column has so far. Of texts and maps, `values` are offsets. */
struct cells {
    uint8_t *validity; /* a bit each */
    void *values;
    int64_t nulls;
    struct text_out text;
    int32_t *keys;
    int64_t *counts;
    uint32_t pairs, pair_room; /* of the map */
};

/* Zeroed but for `table` is empty. The first failure is latched: then cells go nowhere that
 * counts. */
struct rows {
    const struct rows_table *table;
    uint32_t count, room;
    uint32_t first_room; /* as the rows before needed */
    bool failed;         /* no memory */
    struct cells cells[ROWS_COLUMNS];
};

void rows_fini(struct rows *rows);

/* Moves the rows into `out`, as a struct array; `rows` is empty then. False: no memory. */
bool rows_take(struct rows *rows, struct ArrowArray *out);

bool rows_schema(const struct rows_table *table, struct ArrowSchema *out);

/* ---- a row: its cells are put one after the other, in the order of the columns ---- */

struct row {
    struct cells *at;
    uint32_t index;
};

bool rows_grow(struct rows *rows);

/* False: no memory. */
static inline bool rows_add(struct rows *rows, struct row *row)
{
    if (rows->count == rows->room && !rows_grow(rows))
        return false;
    *row = (struct row){rows->cells, rows->count++};
    return true;
}

static inline void cell_32(struct row *row, int32_t value)
{
    ((int32_t *)row->at++->values)[row->index] = value;
}

static inline void cell_64(struct row *row, int64_t value)
{
    ((int64_t *)row->at++->values)[row->index] = value;
}

/* Of booleans and words. */
static inline void cell_8(struct row *row, uint8_t value)
{
    ((uint8_t *)row->at++->values)[row->index] = value;
}

static inline void cell_mark_null(struct row *row)
{
    row->at->validity[row->index / 8] &= (uint8_t) ~(1u << row->index % 8);
    row->at->nulls++;
}

static inline void cell_8_if(struct row *row, bool known, uint8_t value)
{
    if (!known)
        cell_mark_null(row);
    cell_8(row, known ? value : 0);
}

static inline void cell_32_if(struct row *row, bool known, int32_t value)
{
    if (!known)
        cell_mark_null(row);
    cell_32(row, known ? value : 0);
}

static inline void cell_64_if(struct row *row, bool known, int64_t value)
{
    if (!known)
        cell_mark_null(row);
    cell_64(row, known ? value : 0);
}

/* `bytes` NULL: null. Several pieces of one text: cell_text_piece(), then cell_text_end(). */
void cell_text_piece(struct row *row, struct text text);
void cell_text_end(struct row *row);
void cell_text(struct row *row, struct text text);

/* Pairs of the row's map, then its end. False: no memory. */
bool cell_pair(struct row *row, int32_t key, int64_t count);
void cell_map_end(struct row *row);

/* What COLUMN_WORD can be; stands for the places in the dictionary. */
enum rows_word {
    WORD_COMPUTE = WORK_COMPUTE,
    WORD_COMMUNICATION = WORK_COMMUNICATION,
    WORD_COPY = WORK_MEMORY,
    WORD_RANGE,
    WORD_CALL,
    WORD_MEMCPY,
    WORD_MEMSET,
    WORDS
};

#endif
