/* arrow_columns.h - which columns the tables have, and how a cell is read: the inside of arrow.c. */
#ifndef PROF_ARROW_COLUMNS_H
#define PROF_ARROW_COLUMNS_H

#include "arrow_view.h"
#include "text_out.h"

#include <string.h>

/* An item's cell goes to `to` as its column's type; of a column of texts to the end of a struct text_out.
 * False: it is null, and `to` was perhaps written to. */
typedef bool arrow_cell(const struct arrow_view *view, uint32_t item, void *to);

struct arrow_column {
    const char *name;
    const char *format; /* as Arrow writes types */
    uint8_t bytes;      /* of a value; 0: a text of its own */
    bool nullable;
    bool is_name; /* an index into the dictionary of arrow_names.h */
    arrow_cell *cell;
};

struct arrow_rows {
    const struct arrow_column *columns;
    uint32_t column_count;
    /* Rows are those items for which this holds. */
    bool (*is_row)(const struct arrow_view *view, uint32_t item);
    uint32_t (*item_count)(const struct timeline *timeline);
    /* Whether nothing in the timeline has a value of that column: it need not be asked row by row. NULL: unknown. */
    bool (*is_absent)(const struct arrow_view *view, arrow_cell *cell);
};

extern const struct arrow_rows arrow_event_rows, arrow_launch_rows, arrow_kernel_rows,
    arrow_counter_rows;

#define ARROW_COLUMN(name, format, bytes, nullable, is_name, cell) \
    {                                                              \
        name, format, bytes, nullable, is_name, cell               \
    }
#define ARROW_U16(name, cell) ARROW_COLUMN(name, "S", 2, false, false, cell)
#define ARROW_U32(name, cell) ARROW_COLUMN(name, "I", 4, false, false, cell)
#define ARROW_U32_NULL(name, cell) ARROW_COLUMN(name, "I", 4, true, false, cell)
#define ARROW_I32_NULL(name, cell) ARROW_COLUMN(name, "i", 4, true, false, cell)
#define ARROW_I64(name, cell) ARROW_COLUMN(name, "l", 8, false, false, cell)
#define ARROW_I64_NULL(name, cell) ARROW_COLUMN(name, "l", 8, true, false, cell)
#define ARROW_U64_NULL(name, cell) ARROW_COLUMN(name, "L", 8, true, false, cell)
#define ARROW_F64(name, cell) ARROW_COLUMN(name, "g", 8, false, false, cell)
#define ARROW_F64_NULL(name, cell) ARROW_COLUMN(name, "g", 8, true, false, cell)
#define ARROW_TIME(name, cell) ARROW_COLUMN(name, "tsn:UTC", 8, false, false, cell)
#define ARROW_NAME(name, cell) ARROW_COLUMN(name, "I", 4, false, true, cell)
#define ARROW_NAME_NULL(name, cell) ARROW_COLUMN(name, "I", 4, true, true, cell)
#define ARROW_TEXT_NULL(name, cell) ARROW_COLUMN(name, "U", 0, true, false, cell)

static inline bool arrow_put_16(void *to, uint16_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

static inline bool arrow_put_32(void *to, uint32_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

/* Null where nothing is known. */
static inline bool arrow_put_known(void *to, uint32_t value)
{
    return arrow_put_32(to, value) && value != TL_NONE;
}

static inline bool arrow_put_64(void *to, int64_t value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

static inline bool arrow_put_f64(void *to, double value)
{
    memcpy(to, &value, sizeof value);
    return true;
}

static inline bool arrow_put_word(const struct arrow_view *view, void *to, enum arrow_word word)
{
    return arrow_put_32(to, view->timeline->names.count + word);
}

/* A name that something must have. */
static inline bool arrow_put_name(const struct arrow_view *view, void *to, uint32_t name)
{
    return name < view->timeline->names.count ? arrow_put_32(to, name)
                                              : arrow_put_word(view, to, ARROW_UNNAMED);
}

static inline bool arrow_put_time(const struct arrow_view *view, void *to, int64_t time_ns)
{
    return arrow_put_64(to, (int64_t)view->timeline->base_realtime_ns + time_ns);
}

/* The row in ARROW_EVENTS of a slice, or of the innermost one around it that has a row. */
static inline bool arrow_put_event(const struct arrow_view *view, void *to, uint32_t slice)
{
    int64_t row = arrow_view_row_around(view, slice);
    return arrow_put_64(to, row) && row >= 0;
}

#endif
