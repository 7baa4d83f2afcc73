#include "query_table.h"

#include <stdlib.h>

const struct query_column *query_column_at(const struct query_table *table, int number)
{
    static const struct query_column rowid = QUERY_ID("");
    return number < 0 ? &rowid : &table->columns[number];
}

static char compare_of(unsigned char operator)
{
    switch (operator) {
    case SQLITE_INDEX_CONSTRAINT_EQ:
        return '=';
    case SQLITE_INDEX_CONSTRAINT_GT:
    case SQLITE_INDEX_CONSTRAINT_GE:
        return '>';
    case SQLITE_INDEX_CONSTRAINT_LT:
    case SQLITE_INDEX_CONSTRAINT_LE:
        return '<';
    default:
        return 0;
    }
}

/* Texts are looked up only whole, and as they are written. */
static char term_compare(const struct query_table *table, sqlite3_index_info *info, int number)
{
    const struct sqlite3_index_constraint *term = &info->aConstraint[number];
    const struct query_column *column = query_column_at(table, term->iColumn);
    char compare = term->usable ? compare_of(term->op) : 0;
    if (!query_has_key(column) && column->type != QUERY_WORD)
        return 0;
    if (column->type == QUERY_INTEGER)
        return compare;
    bool binary = sqlite3_stricmp(sqlite3_vtab_collation(info, number), "BINARY") == 0;
    return compare == '=' && binary ? compare : 0;
}

/* How much of the rows a term leaves, for SQLite's choice of the order of joins. */
static double share_of(const struct query_column *column, char compare, double rows)
{
    if (compare != '=')
        return 0.3;
    if (query_is_id(column))
        return 1 / rows;
    if (column->by_span || column->type == QUERY_WORD)
        return 0.1;
    return column->type == QUERY_NAME ? 0.01 : 10 / rows;
}

static void plan_orders(const struct query_table *table, sqlite3_index_info *info,
                        sqlite3_str *plan)
{
    bool orderable = info->nOrderBy > 0 && info->nOrderBy <= QUERY_ORDERS_MAX;
    for (int i = 0; i < info->nOrderBy && orderable; i++)
        orderable = query_has_key(query_column_at(table, info->aOrderBy[i].iColumn));
    for (int i = 0; i < info->nOrderBy && orderable; i++)
        sqlite3_str_appendf(plan, "%c%d", info->aOrderBy[i].desc ? 'd' : 'a',
                            info->aOrderBy[i].iColumn);
    info->orderByConsumed = orderable;
}

/* Columns from the 64th on have a bit together. */
bool query_plan_reads_sums(const struct query_table *table, uint64_t used)
{
    bool sums = false;
    for (uint32_t i = 0; i < table->column_count; i++)
        sums |= table->columns[i].sums && used >> (i < 63 ? i : 63) & 1;
    return sums;
}

int query_plan_choose(const struct query_data *data, const struct query_table *table,
                      sqlite3_index_info *info)
{
    double items = table->count(data) + 1.0, rows = items, looked_at = items;
    sqlite3_str *plan = sqlite3_str_new(NULL);
    int terms = 0, seek = -1;
    for (int i = 0; i < info->nConstraint && terms < QUERY_TERMS_MAX; i++) {
        int number = info->aConstraint[i].iColumn;
        const struct query_column *column = query_column_at(table, number);
        char compare = term_compare(table, info, i);
        if (!compare)
            continue;
        double share = share_of(column, compare, items);
        rows *= share;
        if (query_is_id(column) || column->by_span || column->get == table->sorted_by)
            looked_at *= share;
        else if (compare == '=' && seek < 0 && query_has_key(column))
            seek = number;
        sqlite3_str_appendf(plan, "%c%d", compare, number);
        info->aConstraintUsage[i].argvIndex = ++terms;
    }
    if (seek >= 0)
        sqlite3_str_appendf(plan, "s%d", seek);
    sqlite3_str_appendf(plan, "u%llu", info->colUsed);
    plan_orders(table, info, plan);
    rows = rows < 1 ? 1 : rows;
    looked_at = seek >= 0 && looked_at > rows ? rows : looked_at;
    info->estimatedRows = (sqlite3_int64)rows;
    info->estimatedCost = 20 + looked_at + rows;
    info->idxStr = sqlite3_str_finish(plan);
    info->needToFreeIdxStr = 1;
    return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
}

void query_plan_read(const char *text, struct query_plan *plan)
{
    *plan = (struct query_plan){.seek = -1};
    while (*text) {
        char *end;
        char letter = *text;
        uint64_t number = strtoull(text + 1, &end, 10);
        int column = (int)(int64_t)number;
        text = end;
        if (letter == 's') {
            plan->seek = column;
        } else if (letter == 'u') {
            plan->used = number;
        } else if (letter == 'a' || letter == 'd') {
            plan->orders[plan->order_count].column = column;
            plan->orders[plan->order_count++].descends = letter == 'd';
        } else {
            plan->terms[plan->term_count].column = column;
            plan->terms[plan->term_count++].compare = letter;
        }
    }
}
