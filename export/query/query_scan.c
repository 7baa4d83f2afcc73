/* query_scan.c - the tables of query_table.h as virtual tables of SQLite.
 *
 * A scan visits spans of items, or a list of them, and lets those pass that meet its conditions.
 * SQLite checks every condition once more, so that a scan may let too much pass, never too little:
 *
 *     a = 1, a < 1 ...      becomes low <= key <= high. Texts are compared by rank: a number, too
 *     id                    cuts the spans
 *     time, by_span         skip spans and cut them by binary search
 *     a = ?, many times     as joins ask: an index of the column is made at the third time
 *     ORDER BY, GROUP BY    of numbers and names: the items are listed and sorted here, by radix,
 *                           which SQLite's own sorter, which compares whole rows, is several times
 *                           slower at
 */
#include "query_scan.h"

#include "array.h"

#include <stdlib.h>

#define LOOKUPS_WITHOUT_INDEX 2
#define COUNTED_KEYS_MAX (1u << 20)
#define KEPT_BYTES_MAX ((size_t)1 << 30)

/* Items with a key, in its order. */
struct scan_index {
    uint32_t *items; /* NULL: there is none yet */
    uint32_t count;
    uint32_t lookups; /* so far */
};

struct scan_table {
    sqlite3_vtab base;
    struct query_data *data;
    const struct query_table *table;
    struct scan_index *indexes; /* by column */
};

struct order {
    const struct query_column *column;
    bool descends;
};

/* ---- tables ---- */

static const char *declared_type(enum query_type type)
{
    return type == QUERY_INTEGER ? "INTEGER"
           : type == QUERY_REAL  ? "REAL"
           : type == QUERY_VALUE ? ""
                                 : "TEXT";
}

/* The declaration "CREATE TABLE x(id INTEGER, ...)"; sqlite3_free() it. NULL: no memory. */
static char *declaration_of(const struct query_table *table)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendf(out, "CREATE TABLE \"%w\"(", table->name);
    for (uint32_t i = 0; i < table->column_count; i++)
        sqlite3_str_appendf(out, "%s\"%w\" %s", i ? ", " : "", table->columns[i].name,
                            declared_type(table->columns[i].type));
    sqlite3_str_appendall(out, ")");
    return sqlite3_str_finish(out);
}

/* The argument with which a module is registered: its table. */
struct scan_module {
    struct query_data *data;
    const struct query_table *table;
};

static int scan_connect(sqlite3 *sqlite, void *user, int count, const char *const *words,
                        sqlite3_vtab **made, char **error)
{
    const struct scan_module *module = user;
    (void)count, (void)words, (void)error;
    char *declaration = declaration_of(module->table);
    struct scan_table *scan = calloc(1, sizeof *scan);
    module->data->declares = true;
    int result = scan && declaration ? sqlite3_declare_vtab(sqlite, declaration) : SQLITE_NOMEM;
    module->data->declares = false;
    sqlite3_free(declaration);
    if (result == SQLITE_OK && module->table->of_nsys && !query_data_shorten(module->data))
        result = SQLITE_NOMEM;
    if (result == SQLITE_OK) {
        scan->indexes = calloc(module->table->column_count, sizeof *scan->indexes);
        result = scan->indexes ? SQLITE_OK : SQLITE_NOMEM;
    }
    if (result != SQLITE_OK) {
        free(scan);
        return result;
    }
    scan->data = module->data;
    scan->table = module->table;
    *made = &scan->base;
    return SQLITE_OK;
}

static int scan_disconnect(sqlite3_vtab *base)
{
    struct scan_table *scan = (struct scan_table *)base;
    for (uint32_t i = 0; i < scan->table->column_count; i++)
        free(scan->indexes[i].items);
    free(scan->indexes);
    free(scan);
    return SQLITE_OK;
}

/* ---- conditions ---- */

/* Of a number that is not whole, what lies beside it: too much rather than too little. */
static int64_t below_real(double value)
{
    return value <= -9.2e18 ? INT64_MIN : (int64_t)(value > 9.2e18 ? 9.2e18 : value) - 1;
}

static int64_t above_real(double value)
{
    return value >= 9.2e18 ? INT64_MAX : (int64_t)(value < -9.2e18 ? -9.2e18 : value) + 1;
}

int64_t query_word_key(const struct query_column *column, struct text text)
{
    for (int64_t i = 0; column->words[i]; i++)
        if (text_is(text, column->words[i]))
            return i;
    return QUERY_NULL;
}

/* False: the scan cannot use the condition. */
static bool condition_init(struct condition *condition, const struct query_data *data, char compare,
                           sqlite3_value *value)
{
    const struct query_column *column = condition->column;
    int type = sqlite3_value_type(value);
    int64_t low = INT64_MIN, high = INT64_MAX;
    if (type == SQLITE_NULL) {
        low = INT64_MAX, high = INT64_MIN; /* never true */
    } else if (column->type == QUERY_INTEGER && type == SQLITE_INTEGER) {
        low = high = sqlite3_value_int64(value);
    } else if (column->type == QUERY_INTEGER && type == SQLITE_FLOAT) {
        low = below_real(sqlite3_value_double(value));
        high = above_real(sqlite3_value_double(value));
    } else if (column->type != QUERY_INTEGER && type == SQLITE_TEXT) {
        const char *bytes = (const char *)sqlite3_value_text(value);
        struct text text = {bytes, (size_t)sqlite3_value_bytes(value)};
        low =
            column->type == QUERY_NAME ? query_data_find(data, text) : query_word_key(column, text);
        high = low;
        if (low == QUERY_NULL)
            low = INT64_MAX, high = INT64_MIN;
    } else {
        return false;
    }
    condition->low = compare == '<' && type != SQLITE_NULL ? INT64_MIN : low;
    condition->high = compare == '>' && type != SQLITE_NULL ? INT64_MAX : high;
    return true;
}

static bool holds(const struct query_data *data, const struct condition *condition, uint32_t item)
{
    int64_t key = scan_key(data, condition->column, item);
    return condition->low <= key && key <= condition->high;
}

static bool passes(const struct scan *scan, uint32_t item)
{
    if (scan->table->is_row && !scan->table->is_row(scan->data, item))
        return false;
    for (uint32_t i = 0; i < scan->condition_count; i++)
        if (!holds(scan->data, &scan->conditions[i], item))
            return false;
    return true;
}

/* ---- spans ---- */

/* The first item of a span whose time is at least that. */
static uint32_t lower_bound(const struct scan *scan, struct query_span span, int64_t time_ns)
{
    query_get *time_of = scan->table->sorted_by;
    uint32_t low = span.first, high = span.end;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (time_of(scan->data, middle) < time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void cut_by_time(const struct scan *scan, const struct condition *condition,
                        struct query_span *span)
{
    if (condition->low != INT64_MIN)
        span->first = lower_bound(scan, *span, condition->low);
    if (condition->high != INT64_MAX)
        span->end = lower_bound(scan, *span, condition->high + 1);
}

static void cut_by_id(const struct condition *condition, struct query_span *span)
{
    if (condition->low > condition->high || condition->low >= span->end ||
        condition->high < span->first) {
        span->end = span->first;
        return;
    }
    if (condition->low > span->first)
        span->first = (uint32_t)condition->low;
    if (condition->high < (int64_t)span->end - 1)
        span->end = (uint32_t)condition->high + 1;
}

/* What of a span can meet the conditions. */
static struct query_span cut(const struct scan *scan, struct query_span span)
{
    for (uint32_t i = 0; i < scan->condition_count && span.first < span.end; i++) {
        const struct condition *condition = &scan->conditions[i];
        if (query_is_id(condition->column))
            cut_by_id(condition, &span);
        else if (!span.sorted)
            continue;
        else if (condition->column->by_span && !holds(scan->data, condition, span.first))
            span.end = span.first;
        else if (condition->column->get == scan->table->sorted_by)
            cut_by_time(scan, condition, &span);
    }
    return span;
}

static bool next_span(const struct scan *scan, uint32_t number, struct query_span *span)
{
    if (scan->table->span)
        return scan->table->span(scan->data, number, span);
    *span = (struct query_span){0, scan->table->count(scan->data), false};
    return number == 0;
}

/* Goes on to the next span in which there is something. */
static bool enter_span(struct scan *scan)
{
    struct query_span span;
    while (!scan->items && next_span(scan, scan->next_span, &span)) {
        scan->next_span++;
        span = cut(scan, span);
        scan->at = span.first;
        scan->end = span.end;
        if (span.first < span.end)
            return true;
    }
    return false;
}

void query_scan_settle(struct scan *scan)
{
    do {
        for (; scan->at < scan->end; scan->at++)
            if (!scan->filtered || passes(scan, scan_item(scan)))
                return;
    } while (enter_span(scan));
}

/* ---- sorted ---- */

/* The items that pass, in their order, as a list of the cursor's own. */
static bool make_list(struct scan *scan)
{
    struct {
        uint32_t *at;
        uint32_t count, capacity;
    } list = {0};
    bool room = ARRAY_ROOM(&list);
    for (; scan->at < scan->end && room; scan->at++, query_scan_settle(scan)) {
        list.at[list.count++] = scan_item(scan);
        room = ARRAY_ROOM(&list);
    }
    if (!room) {
        free(list.at);
        return false;
    }
    scan->items = scan->list = list.at;
    scan->at = 0;
    scan->end = list.count;
    scan->filtered = false;
    return true;
}

/* Without memory, none is kept, and cells are read one by one. */
static void keep_cells(struct scan *scan, uint64_t used)
{
    struct kept_cells *kept = &scan->kept;
    *kept = (struct kept_cells){.rows = scan->end};
    for (uint32_t i = 0; i < scan->table->column_count && i < QUERY_COLUMNS_MAX; i++) {
        if (!(used >> i & 1) || !query_has_key(&scan->columns[i]) ||
            kept->column_count == KEPT_COLUMNS_MAX)
            continue;
        kept->columns[kept->column_count++] = (uint8_t)i;
        kept->places[i] = (uint8_t)kept->column_count;
    }
    size_t bytes = (size_t)kept->column_count * kept->rows * sizeof *kept->cells;
    kept->cells = bytes && bytes <= KEPT_BYTES_MAX ? malloc(bytes) : NULL;
}

static inline void keep_row(const struct scan *scan, uint32_t item, uint32_t row)
{
    const struct kept_cells *kept = &scan->kept;
    for (uint32_t k = 0; k < kept->column_count; k++)
        kept->cells[(size_t)k * kept->rows + row] =
            scan->columns[kept->columns[k]].get(scan->data, item);
}

/* Keys that lie close together, as ranks of names do, are counted instead of sorted. */
static bool sort_counted(const struct scan *scan, struct order order, int64_t least, size_t keys)
{
    uint32_t *starts = calloc(keys + 1, sizeof *starts);
    uint32_t *from = malloc((scan->end + (size_t)1) * sizeof *from);
    bool ready = starts && from;
    if (ready)
        memcpy(from, scan->list, scan->end * sizeof *from);
    for (uint32_t i = 0; i < scan->end && ready; i++) {
        size_t key = (size_t)(scan_key(scan->data, order.column, from[i]) - least);
        starts[order.descends ? keys - key - 1 : key]++;
    }
    for (uint32_t i = 0, sum = 0; i < keys && ready; i++) {
        uint32_t count = starts[i];
        starts[i] = sum;
        sum += count;
    }
    for (uint32_t i = 0; i < scan->end && ready; i++) {
        size_t key = (size_t)(scan_key(scan->data, order.column, from[i]) - least);
        uint32_t row = starts[order.descends ? keys - key - 1 : key]++;
        scan->list[row] = from[i];
        if (scan->kept.cells)
            keep_row(scan, from[i], row);
    }
    free(starts);
    free(from);
    return ready;
}

static bool sort_keyed(const struct scan *scan, struct order order)
{
    struct radix_item *keyed = malloc((scan->end + (size_t)1) * sizeof *keyed);
    for (uint32_t i = 0; i < scan->end && keyed; i++) {
        uint64_t key = radix_key(scan_key(scan->data, order.column, scan->list[i]));
        keyed[i] = (struct radix_item){order.descends ? ~key : key, scan->list[i]};
    }
    bool sorted = keyed && radix_sort(keyed, scan->end);
    for (uint32_t i = 0; i < scan->end && sorted; i++)
        scan->list[i] = keyed[i].value;
    free(keyed);
    return sorted;
}

/* Keeps the order of equal keys. `used`: cells of these columns are read soon, if any. */
static bool sort_list(struct scan *scan, struct order order, uint64_t used)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t i = 0; i < scan->end; i++) {
        int64_t key = scan_key(scan->data, order.column, scan->list[i]);
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    uint64_t range = (uint64_t)most - (uint64_t)least;
    if (scan->end == 0 || range >= COUNTED_KEYS_MAX)
        return scan->end == 0 || sort_keyed(scan, order);
    if (used)
        keep_cells(scan, used);
    return sort_counted(scan, order, least, (size_t)range + 1);
}

static bool sort_by(struct scan *scan, const struct query_plan *plan)
{
    if (!make_list(scan))
        return false;
    for (int i = plan->order_count; i-- > 0;) {
        struct order order = {query_column_at(scan->table, plan->orders[i].column),
                              plan->orders[i].descends};
        if (!sort_list(scan, order, i == 0 ? plan->used : 0))
            return false;
    }
    return true;
}

/* ---- looked up ---- */

static bool index_make(struct scan *scan, struct scan_index *index,
                       const struct query_column *column)
{
    struct scan all = {.table = scan->table, .columns = scan->columns, .data = scan->data};
    all.filtered = scan->table->is_row != NULL;
    query_scan_settle(&all);
    if (!make_list(&all))
        return false;
    if (!sort_list(&all, (struct order){column, false}, 0)) {
        free(all.list);
        return false;
    }
    index->items = all.list;
    index->count = all.end;
    return true;
}

static uint32_t index_bound(const struct scan *scan, const struct scan_index *index,
                            const struct query_column *column, int64_t key)
{
    uint32_t low = 0, high = index->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (scan_key(scan->data, column, index->items[middle]) < key)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Visits the items with that key instead of all. False: no memory. */
static bool seek(struct scan_table *table, struct scan *scan, int number)
{
    struct scan_index *index = &table->indexes[number];
    const struct query_column *column = &scan->columns[number];
    const struct condition *condition = scan->conditions;
    while (condition < scan->conditions + scan->condition_count && condition->column != column)
        condition++;
    if (condition == scan->conditions + scan->condition_count ||
        index->lookups++ < LOOKUPS_WITHOUT_INDEX)
        return true;
    if (!index->items && !index_make(scan, index, column))
        return false;
    scan->items = index->items;
    if (condition->low > condition->high)
        return true; /* nothing can have it */
    scan->at = index_bound(scan, index, column, condition->low);
    scan->end = condition->high == INT64_MAX
                    ? index->count
                    : index_bound(scan, index, column, condition->high + 1);
    return true;
}

/* ---- SQLite's interface ---- */

static int scan_best(sqlite3_vtab *base, sqlite3_index_info *info)
{
    const struct scan_table *scan = (struct scan_table *)base;
    scan->data->order_count = info->nOrderBy;
    for (int i = 0; i < info->nOrderBy && i < QUERY_ORDERS_MAX; i++)
        scan->data->descends[i] = info->aOrderBy[i].desc;
    return query_plan_choose(scan->data, scan->table, info);
}

static int scan_open(sqlite3_vtab *base, sqlite3_vtab_cursor **made)
{
    const struct scan_table *table = (struct scan_table *)base;
    struct scan *scan = calloc(1, sizeof *scan);
    if (!scan)
        return SQLITE_NOMEM;
    scan->table = table->table;
    scan->columns = table->table->columns;
    scan->data = table->data;
    *made = &scan->base;
    return SQLITE_OK;
}

static int scan_close(sqlite3_vtab_cursor *base)
{
    struct scan *scan = (struct scan *)base;
    free(scan->list);
    free(scan->kept.cells);
    free(scan);
    return SQLITE_OK;
}

bool query_scan_prepare(struct query_data *data, const struct query_column *column)
{
    return (column->type != QUERY_NAME || query_data_rank(data)) &&
           (!column->sums || query_data_add_up(data));
}

/* Builds what does not exist before it is requested. */
static bool prepare_all(const struct scan_table *table, const struct query_plan *plan)
{
    bool ready = !query_plan_reads_sums(table->table, plan->used) || query_data_add_up(table->data);
    for (int i = 0; i < plan->term_count && ready; i++)
        ready =
            query_scan_prepare(table->data, query_column_at(table->table, plan->terms[i].column));
    for (int i = 0; i < plan->order_count && ready; i++)
        ready =
            query_scan_prepare(table->data, query_column_at(table->table, plan->orders[i].column));
    return ready;
}

static void read_conditions(struct scan *scan, const struct query_plan *plan,
                            sqlite3_value **values)
{
    scan->condition_count = 0;
    for (int i = 0; i < plan->term_count; i++) {
        struct condition *condition = &scan->conditions[scan->condition_count];
        condition->column = query_column_at(scan->table, plan->terms[i].column);
        scan->condition_count +=
            condition_init(condition, scan->data, plan->terms[i].compare, values[i]);
    }
}

static int scan_filter(sqlite3_vtab_cursor *base, int number, const char *text, int count,
                       sqlite3_value **values)
{
    struct scan *scan = (struct scan *)base;
    struct scan_table *table = (struct scan_table *)base->pVtab;
    struct query_plan plan;
    (void)number, (void)count;
    query_plan_read(text, &plan);
    if (!prepare_all(table, &plan))
        return SQLITE_NOMEM;
    free(scan->list);
    scan->list = NULL;
    scan->items = NULL;
    free(scan->kept.cells);
    scan->kept.cells = NULL;
    scan->at = scan->end = scan->next_span = 0;
    read_conditions(scan, &plan, values);
    scan->filtered = scan->table->is_row || scan->condition_count;
    if (plan.seek >= 0 && !seek(table, scan, plan.seek))
        return SQLITE_NOMEM;
    query_scan_settle(scan);
    return plan.order_count && !sort_by(scan, &plan) ? SQLITE_NOMEM : SQLITE_OK;
}

static int scan_next(sqlite3_vtab_cursor *base)
{
    struct scan *scan = (struct scan *)base;
    scan->at++;
    if (scan->filtered || scan->at >= scan->end)
        query_scan_settle(scan);
    return SQLITE_OK;
}

static int scan_eof(sqlite3_vtab_cursor *base)
{
    const struct scan *scan = (struct scan *)base;
    return scan->at >= scan->end;
}

static int scan_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *rowid)
{
    *rowid = scan_item((struct scan *)base);
    return SQLITE_OK;
}

static void put_text(sqlite3_context *context, struct text text)
{
    sqlite3_result_text64(context, text.bytes, text.size, SQLITE_STATIC, SQLITE_UTF8);
}

/* Any bytes. */
static void put_mended(sqlite3_context *context, struct text text)
{
    if (!text.bytes) /* not known */
        return;
    if (utf8_is_valid(text)) {
        put_text(context, text);
        return;
    }
    char *mended = sqlite3_malloc64(UTF8_MENDED_BYTES(text.size) + 1);
    if (mended)
        sqlite3_result_text64(context, mended, utf8_mend(text, mended), sqlite3_free, SQLITE_UTF8);
    else
        sqlite3_result_error_nomem(context);
}

static void put_real(sqlite3_context *context, int64_t bits)
{
    double real;
    memcpy(&real, &bits, sizeof real);
    sqlite3_result_double(context, real); /* of NaN SQLite makes null */
}

static void put_value(sqlite3_context *context, const struct query_data *data,
                      const struct tl_attr *attr)
{
    if (attr->type == PROF_ATTR_DOUBLE)
        put_real(context, (int64_t)attr->value);
    else if (attr->type != PROF_ATTR_STRING)
        sqlite3_result_int64(context, (int64_t)attr->value);
    else if (attr->value < data->timeline->names.count)
        put_text(context, data->texts[attr->value]);
}

static void put_cell(const struct scan *scan, const struct query_column *column,
                     sqlite3_context *context)
{
    uint32_t item = scan_item(scan);
    if (column->type == QUERY_TEXT) {
        put_mended(context, column->text(scan->data, item));
        return;
    }
    int64_t value = column->get(scan->data, item);
    if (column->type == QUERY_VALUE)
        put_value(context, scan->data, (const struct tl_attr *)(intptr_t)value);
    else if (column->type == QUERY_REAL)
        put_real(context, value);
    else if (value != QUERY_NULL)
        sqlite3_result_text(context, column->words[value], -1, SQLITE_STATIC);
}

static inline int64_t cell_at(const struct scan *scan, int number)
{
    const struct kept_cells *kept = &scan->kept;
    if (kept->cells && number < (int)QUERY_COLUMNS_MAX && kept->places[number])
        return kept->cells[(kept->places[number] - (size_t)1) * kept->rows + scan->at];
    return scan->columns[number].get(scan->data, scan_item(scan));
}

static int scan_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int number)
{
    const struct scan *scan = (struct scan *)base;
    const struct query_column *column = &scan->columns[number];
    if (!query_has_key(column)) {
        put_cell(scan, column, context);
        return SQLITE_OK;
    }
    int64_t value = cell_at(scan, number);
    if (value == QUERY_NULL)
        return SQLITE_OK;
    if (column->type == QUERY_INTEGER)
        sqlite3_result_int64(context, value);
    else
        put_text(context, scan->data->texts[value]);
    return SQLITE_OK;
}

static const sqlite3_module module = {
    .xConnect = scan_connect,
    .xBestIndex = scan_best,
    .xDisconnect = scan_disconnect,
    .xOpen = scan_open,
    .xClose = scan_close,
    .xFilter = scan_filter,
    .xNext = scan_next,
    .xEof = scan_eof,
    .xColumn = scan_column,
    .xRowid = scan_rowid,
};

int query_scan_register(sqlite3 *sqlite, struct query_data *data)
{
    int result = SQLITE_OK;
    for (const struct query_table *const *at = query_tables; *at && result == SQLITE_OK; at++) {
        struct scan_module *made = malloc(sizeof *made);
        if (!made)
            return SQLITE_NOMEM;
        *made = (struct scan_module){data, *at};
        result = sqlite3_create_module_v2(sqlite, (*at)->name, &module, made, free);
    }
    return result;
}
