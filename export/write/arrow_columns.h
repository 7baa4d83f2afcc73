/* arrow_columns.h - which columns the tables have, and how a cell is read: the inside of arrow.c. */
#ifndef PROF_ARROW_COLUMNS_H
#define PROF_ARROW_COLUMNS_H

#include "arrow.h"

/* A cell goes to `to` as its column's type. False: it is null. */
typedef bool arrow_cell(const struct timeline *timeline, uint32_t index, void *to);

struct arrow_column {
    const char *name;
    const char *format; /* as Arrow writes types */
    uint8_t bytes;      /* of a value */
    bool nullable;
    bool is_name; /* an index into the dictionary: names[], then arrow_words[] */
    arrow_cell *cell;
};

struct arrow_rows {
    const struct arrow_column *columns;
    uint32_t column_count;
    /* Rows are those items of the timeline's array for which this holds. */
    bool (*is_row)(const struct timeline *timeline, uint32_t index);
    uint32_t (*item_count)(const struct timeline *timeline);
};

extern const struct arrow_rows arrow_tables[ARROW_TABLES];

/* Words that are in every dictionary behind the timeline's names. */
extern const char *const arrow_words[];
extern const uint32_t arrow_word_count;

#endif
