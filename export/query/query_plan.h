/* query_plan.h - which conditions and orders of a statement a scan takes over from SQLite. */
#ifndef PROF_QUERY_PLAN_H
#define PROF_QUERY_PLAN_H

#include "query_table.h"

#define QUERY_TERMS_MAX 12
#define QUERY_ORDERS_MAX 6
#define QUERY_COLUMNS_MAX \
    63u /* of which SQLite says each whether it is read; the rest have one bit */

/* SQLite's rowid, column -1, is the item. */
const struct query_column *query_column_at(const struct query_table *table, int number);

static inline bool query_is_id(const struct query_column *column)
{
    return column->get == query_id && column->type == QUERY_INTEGER;
}

/* Whether the scan can compare and sort it. */
static inline bool query_has_key(const struct query_column *column)
{
    return column->type == QUERY_INTEGER || column->type == QUERY_NAME;
}

/* What xBestIndex tells xFilter, by a string. */
struct query_plan {
    struct {
        int column;
        char compare; /* '=' '<' '>', the latter also for "or equal" */
    } terms[QUERY_TERMS_MAX];
    int term_count;
    int seek; /* column whose index would serve, -1 none */
    struct {
        int column;
        bool descends;
    } orders[QUERY_ORDERS_MAX];
    int order_count;
    uint64_t used; /* a bit for each column that is read, the last for all that follow */
};

/* Answers xBestIndex. Returns SQLite's result. */
int query_plan_choose(const struct query_data *data, const struct query_table *table,
                      sqlite3_index_info *info);

/* What the string says that the choice made. */
void query_plan_read(const char *text, struct query_plan *plan);

/* Whether columns of sums are among those that are read. */
bool query_plan_reads_sums(const struct query_table *table, uint64_t used);

#endif
