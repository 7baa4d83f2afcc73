#include "query_groups.h"

#include "array.h"
#include "maps.h"

#include <stdlib.h>

/* Whole numbers up to here are exact as doubles. */
#define EXACT_MAX (UINT64_C(1) << 53)

/* Groups that every statement may have; others only if each has several rows. */
#define GROUPS_ALWAYS 1024u
#define ROWS_OF_A_GROUP 4u

/* ---- numbers for keys ---- */

struct numbers {
    struct idmap small;
    struct keymap others;
    uint32_t count;
};

static void numbers_fini(struct numbers *numbers)
{
    idmap_fini(&numbers->small);
    keymap_fini(&numbers->others);
}

/* Numbers are given from 0 on, in the order of the first look. TL_NONE: no memory. */
static inline uint32_t number_of(struct numbers *numbers, int64_t key)
{
    bool is_small = key >= 0 && key < IDMAP_DIRECT_MAX;
    uint32_t found = is_small ? idmap_find(&numbers->small, (uint32_t)key)
                              : keymap_find_id(&numbers->others, key);
    if (found != TL_NONE)
        return found;
    bool stored = is_small ? idmap_set(&numbers->small, (uint32_t)key, numbers->count)
                           : keymap_set_id(&numbers->others, key, numbers->count);
    return stored ? numbers->count++ : TL_NONE;
}

/* ---- adding up ---- */

struct adding {
    struct groups *groups;
    const struct query_data *data;
    struct numbers keys[GROUP_KEYS_MAX];
    struct numbers pairs[GROUP_KEYS_MAX]; /* of the numbers of the keys before, and of this one */
    uint64_t magnitude[GROUP_SUMS_MAX];   /* of all values together */
    uint32_t group_max;
};

static bool make_room(struct groups *groups)
{
    uint32_t more = groups->capacity ? groups->capacity * 2 : 64;
    const struct grouping *of = groups->of;
    int64_t *keys = realloc(groups->keys, (size_t)more * of->key_count * sizeof *keys + 1);
    groups->keys = keys ? keys : groups->keys;
    uint64_t *rows = realloc(groups->rows, (size_t)more * sizeof *rows);
    groups->rows = rows ? rows : groups->rows;
    struct group_sum *sums = realloc(groups->sums, (size_t)more * of->sum_count * sizeof *sums + 1);
    groups->sums = sums ? sums : groups->sums;
    if (!keys || !rows || !sums)
        return false;
    groups->capacity = more;
    return true;
}

/* A new group, with the keys of an item. */
static bool add_group(struct adding *adding, uint32_t item)
{
    struct groups *groups = adding->groups;
    const struct grouping *of = groups->of;
    if (groups->count == adding->group_max ||
        (groups->count == groups->capacity && !make_room(groups)))
        return false;
    for (uint32_t i = 0; i < of->key_count; i++)
        groups->keys[(size_t)groups->count * of->key_count + i] =
            scan_key(adding->data, of->keys[i], item);
    for (uint32_t i = 0; i < of->sum_count; i++)
        groups->sums[(size_t)groups->count * of->sum_count + i] =
            (struct group_sum){.min = INT64_MAX, .max = INT64_MIN};
    groups->rows[groups->count++] = 0;
    return true;
}

/* TL_NONE: no memory. */
static inline uint32_t group_of(struct adding *adding, uint32_t item)
{
    const struct grouping *of = adding->groups->of;
    uint32_t group = 0;
    for (uint32_t i = 0; i < of->key_count; i++) {
        uint32_t number = number_of(&adding->keys[i], scan_key(adding->data, of->keys[i], item));
        if (i && number != TL_NONE)
            number = number_of(&adding->pairs[i], (int64_t)((uint64_t)group << 32 | number));
        if (number == TL_NONE)
            return TL_NONE;
        group = number;
    }
    return group;
}

/* False: a sum is too large. */
static inline bool add_value(struct adding *adding, uint32_t group, uint32_t place, int64_t value)
{
    const struct grouping *of = adding->groups->of;
    struct group_sum *sum = &adding->groups->sums[(size_t)group * of->sum_count + place];
    if (value == QUERY_NULL)
        return true;
    sum->count++;
    sum->min = value < sum->min ? value : sum->min;
    sum->max = value > sum->max ? value : sum->max;
    if (!of->sums[place].is_summed)
        return true;
    uint64_t magnitude = value < 0 ? -(uint64_t)value : (uint64_t)value;
    adding->magnitude[place] += magnitude;
    if (magnitude > EXACT_MAX || adding->magnitude[place] > EXACT_MAX)
        return false;
    sum->sum += value;
    return true;
}

static bool add_rows(struct adding *adding, struct scan *scan)
{
    struct groups *groups = adding->groups;
    for (; scan->at < scan->end; scan->at++, query_scan_settle(scan)) {
        uint32_t item = scan_item(scan), group = group_of(adding, item);
        if (group == TL_NONE || (group == groups->count && !add_group(adding, item)))
            return false;
        groups->rows[group]++;
        for (uint32_t i = 0; i < groups->of->sum_count; i++) {
            const struct query_column *column = groups->of->sums[i].column;
            if (!add_value(adding, group, i, column->get(adding->data, item)))
                return false;
        }
    }
    return true;
}

/* ---- in order ---- */

struct ways {
    const struct groups *groups;
    const bool *descends;
};

static int compare_groups(const void *a, const void *b, void *user)
{
    const struct ways *ways = user;
    uint32_t count = ways->groups->of->key_count;
    const int64_t *left = &ways->groups->keys[(size_t) * (const uint32_t *)a * count];
    const int64_t *right = &ways->groups->keys[(size_t) * (const uint32_t *)b * count];
    for (uint32_t i = 0; i < count; i++)
        if (left[i] != right[i])
            return (left[i] < right[i]) == ways->descends[i] ? 1 : -1;
    return 0;
}

static bool put_in_order(struct groups *groups, const bool *descends)
{
    struct ways ways = {groups, descends};
    groups->order = malloc((groups->count + (size_t)1) * sizeof *groups->order);
    if (!groups->order)
        return false;
    for (uint32_t i = 0; i < groups->count; i++)
        groups->order[i] = i;
    qsort_r(groups->order, groups->count, sizeof *groups->order, compare_groups, &ways);
    return true;
}

/* ---- all ---- */

/* SQLite takes a text without bytes, which is the first of all, for NULL. */
static bool has_null_text(const struct query_data *data)
{
    return data->by_rank && data->timeline->names.count && !data->texts[data->by_rank[0]].bytes;
}

static bool prepare(const struct grouping *grouping, struct query_data *data)
{
    bool ready = true;
    for (uint32_t i = 0; i < grouping->key_count && ready; i++)
        ready = query_scan_prepare(data, grouping->keys[i]);
    for (uint32_t i = 0; i < grouping->sum_count && ready; i++)
        ready = query_scan_prepare(data, grouping->sums[i].column);
    for (uint32_t i = 0; i < grouping->condition_count && ready; i++)
        ready = query_scan_prepare(data, grouping->conditions[i].column);
    return ready && !has_null_text(data);
}

bool groups_init(struct groups *groups, const struct grouping *grouping, struct query_data *data,
                 const bool *descends)
{
    *groups = (struct groups){.of = grouping};
    if (!prepare(grouping, data))
        return false;
    struct scan scan = {.table = grouping->table,
                        .columns = grouping->table->columns,
                        .data = data,
                        .filtered = grouping->table->is_row || grouping->condition_count,
                        .condition_count = grouping->condition_count};
    memcpy(scan.conditions, grouping->conditions, sizeof scan.conditions);
    struct adding adding = {.groups = groups,
                            .data = data,
                            .group_max =
                                GROUPS_ALWAYS + grouping->table->count(data) / ROWS_OF_A_GROUP};
    bool added = grouping->key_count || add_group(&adding, 0);
    query_scan_settle(&scan);
    added = added && add_rows(&adding, &scan);
    for (uint32_t i = 0; i < grouping->key_count; i++) {
        numbers_fini(&adding.keys[i]);
        numbers_fini(&adding.pairs[i]);
    }
    return added && put_in_order(groups, descends);
}

void groups_fini(struct groups *groups)
{
    free(groups->keys);
    free(groups->rows);
    free(groups->sums);
    free(groups->order);
    *groups = (struct groups){0};
}

/* ---- as a table ---- */

static char *creation_of(const struct grouping *grouping)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendall(out, "CREATE TABLE " GROUPS_TABLE "(");
    for (uint32_t i = 0; i < grouping->key_count; i++)
        sqlite3_str_appendf(out, "%s\"%w\" %s", i ? ", " : "", grouping->keys[i]->name,
                            grouping->keys[i]->type == QUERY_NAME ? "TEXT" : "INTEGER");
    for (uint32_t i = 0; i < grouping->aggregate_count; i++)
        sqlite3_str_appendf(out, "%s\"%u\"", i || grouping->key_count ? ", " : "", i);
    sqlite3_str_appendall(out, ")");
    return sqlite3_str_finish(out);
}

static char *insertion_of(const struct grouping *grouping)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendall(out, "INSERT INTO " GROUPS_TABLE " VALUES(");
    for (uint32_t i = 0; i < grouping->key_count + grouping->aggregate_count; i++)
        sqlite3_str_appendall(out, i ? ", ?" : "?");
    sqlite3_str_appendall(out, ")");
    return sqlite3_str_finish(out);
}

static void bind_key(sqlite3_stmt *insert, int place, const struct query_data *data,
                     const struct query_column *column, int64_t key)
{
    if (key == QUERY_NULL) {
        sqlite3_bind_null(insert, place);
    } else if (column->type == QUERY_NAME) {
        struct text text = data->texts[data->by_rank[key]];
        sqlite3_bind_text64(insert, place, text.bytes, text.size, SQLITE_STATIC, SQLITE_UTF8);
    } else {
        sqlite3_bind_int64(insert, place, key);
    }
}

static void bind_aggregate(sqlite3_stmt *insert, int place, enum group_function function,
                           const struct group_sum *sum)
{
    if (function == GROUP_COUNT)
        sqlite3_bind_int64(insert, place, sum->count);
    else if (function == GROUP_TOTAL)
        sqlite3_bind_double(insert, place, (double)sum->sum);
    else if (!sum->count)
        sqlite3_bind_null(insert, place);
    else if (function == GROUP_AVG)
        sqlite3_bind_double(insert, place, (double)sum->sum / (double)sum->count);
    else
        sqlite3_bind_int64(insert, place,
                           function == GROUP_SUM   ? sum->sum
                           : function == GROUP_MIN ? sum->min
                                                   : sum->max);
}

static void bind_group(sqlite3_stmt *insert, const struct groups *groups,
                       const struct query_data *data, uint32_t group)
{
    const struct grouping *of = groups->of;
    int place = 1;
    for (uint32_t i = 0; i < of->key_count; i++)
        bind_key(insert, place++, data, of->keys[i],
                 groups->keys[(size_t)group * of->key_count + i]);
    for (uint32_t i = 0; i < of->aggregate_count; i++) {
        struct group_sum rows = {.count = (int64_t)groups->rows[group]};
        uint32_t sum = of->aggregates[i].sum;
        bind_aggregate(insert, place++, of->aggregates[i].function,
                       sum == TL_NONE ? &rows : &groups->sums[(size_t)group * of->sum_count + sum]);
    }
}

static int insert_all(const struct groups *groups, const struct query_data *data, sqlite3 *sqlite,
                      const char *sql)
{
    sqlite3_stmt *insert = NULL;
    int result = sqlite3_prepare_v2(sqlite, sql, -1, &insert, NULL);
    for (uint32_t i = 0; i < groups->count && result == SQLITE_OK; i++) {
        bind_group(insert, groups, data, groups->order[i]);
        result = sqlite3_step(insert) == SQLITE_DONE ? sqlite3_reset(insert) : SQLITE_NOMEM;
    }
    sqlite3_finalize(insert);
    return result;
}

int groups_store(const struct groups *groups, const struct query_data *data, sqlite3 *sqlite)
{
    char *creation = creation_of(groups->of), *insertion = insertion_of(groups->of);
    int result =
        creation && insertion ? sqlite3_exec(sqlite, "BEGIN", NULL, NULL, NULL) : SQLITE_NOMEM;
    if (result == SQLITE_OK) {
        result = sqlite3_exec(sqlite, creation, NULL, NULL, NULL);
        if (result == SQLITE_OK)
            result = insert_all(groups, data, sqlite, insertion);
        sqlite3_exec(sqlite, result == SQLITE_OK ? "COMMIT" : "ROLLBACK", NULL, NULL, NULL);
    }
    sqlite3_free(creation);
    sqlite3_free(insertion);
    return result;
}
