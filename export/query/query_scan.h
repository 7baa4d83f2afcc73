/* query_scan.h - a walk over the items of a table that meet conditions: what a cursor of SQLite's
 * is, and what groups are made of. */
#ifndef PROF_QUERY_SCAN_H
#define PROF_QUERY_SCAN_H

#include "query_table.h"

#define KEPT_COLUMNS_MAX 16u

/* Keys between two numbers, both included. */
struct condition {
    const struct query_column *column;
    int64_t low, high;
};

/* Cells of a list that were read while it was sorted, when its items came in their own order: later
 * they lie too far apart to be read fast. */
struct kept_cells {
    int64_t *cells; /* column by column; NULL: none is kept */
    uint32_t rows, column_count;
    uint8_t columns[KEPT_COLUMNS_MAX]; /* their numbers */
    uint8_t places[QUERY_COLUMNS_MAX]; /* by column: 1 + place in columns[]; 0: it is not kept */
};

struct scan {
    sqlite3_vtab_cursor base;
    const struct query_table *table;
    const struct query_column *columns;
    const struct query_data *data;
    uint32_t at, end;      /* items, or places in the list */
    const uint32_t *items; /* NULL: they are spans */
    uint32_t *list;        /* the cursor's own */
    bool filtered;         /* by is_row or conditions */
    struct kept_cells kept;
    struct condition conditions[QUERY_TERMS_MAX];
    uint32_t condition_count;
    struct query_span *spans;
    uint32_t span_count, next_span;
};

/* What conditions and orders compare: a number, or the rank of a name. After query_scan_prepare().
 */
static inline int64_t scan_key(const struct query_data *data, const struct query_column *column,
                               uint32_t item)
{
    int64_t value = column->get(data, item);
    return column->type == QUERY_NAME && value != QUERY_NULL ? (int64_t)data->ranks[value] : value;
}

static inline uint32_t scan_item(const struct scan *scan)
{
    return scan->items ? scan->items[scan->at] : scan->at;
}

/* Builds what the column's keys and cells need. False: no memory. */
bool query_scan_prepare(struct query_data *data, const struct query_column *column);

/* From the place that it is at to the first item that passes; at the end, `at` is not below `end`.
 * The next is found after `at` was advanced by one. */
void query_scan_settle(struct scan *scan);

/* The number of a word of the column; QUERY_NULL: it has no such word. */
int64_t query_word_key(const struct query_column *column, struct text text);

#endif
