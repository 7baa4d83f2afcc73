/* query_groups.h - statements that only group the rows of one table, without SQLite's loop over
 * rows, which takes ten times as long as the sums.
 *
 *     SELECT name, count(*), sum(duration) / 1e6 AS ms FROM kernels WHERE stream = 7
 *     GROUP BY name HAVING count(*) > 10 ORDER BY ms DESC LIMIT 10
 *
 * Groups are added up here and become rows of a table of SQLite's, and the statement becomes one
 * over that table, in which a column stands for each aggregate:
 *
 *     SELECT name, (+"0"), (+"1") / 1e6 AS ms FROM "groups of a statement"
 *     WHERE (+"0") > 10 ORDER BY ms DESC LIMIT 10
 *
 * So SQLite computes all that is not a sum, and orders and limits the rows. If any word of a
 * statement is unknown here, SQLite answers it.
 */
#ifndef PROF_QUERY_GROUPS_H
#define PROF_QUERY_GROUPS_H

#include "query_scan.h"

#include "text.h"

#define GROUP_KEYS_MAX QUERY_ORDERS_MAX
#define GROUP_SUMS_MAX 8u
#define GROUP_AGGREGATES_MAX 16u

enum group_function { GROUP_COUNT, GROUP_SUM, GROUP_TOTAL, GROUP_AVG, GROUP_MIN, GROUP_MAX };

/* What a statement asks for. */
struct grouping {
    const struct query_table *table;
    const struct query_column *keys[GROUP_KEYS_MAX];
    uint32_t key_count; /* 0: all rows are one group */
    struct {
        const struct query_column *column;
        bool is_summed; /* not only counted and compared */
    } sums[GROUP_SUMS_MAX];
    uint32_t sum_count;
    struct {
        enum group_function function;
        uint32_t sum; /* place in sums[]; TL_NONE: rows are counted */
    } aggregates[GROUP_AGGREGATES_MAX];
    uint32_t aggregate_count;
    struct condition conditions[QUERY_TERMS_MAX];
    uint32_t condition_count;
};

/* ---- query_recognize.c ---- */

#define GROUPS_TABLE "\"groups of a statement\""

/* Reads a statement that SQLite has accepted. `rewritten` gets the one over GROUPS_TABLE,
 * NUL-terminated. False: it is SQLite's alone, or no memory. */
bool grouping_read(struct grouping *grouping, struct query_data *data, struct text sql,
                   struct text_out *rewritten);

/* ---- query_groups.c ---- */

/* Of one column in one group, of the values that are known. */
struct group_sum {
    int64_t count, sum, min, max;
};

struct groups {
    const struct grouping *of;
    uint32_t count, capacity;
    int64_t *keys;          /* by group and key: names as ranks */
    uint64_t *rows;         /* by group */
    struct group_sum *sums; /* by group and place in sums[] */
    uint32_t *order;        /* groups in the order of their keys */
};

/* Adds up all groups. False: a sum may not be exact as a double, which versions of SQLite round
 * differently; or groups are hardly fewer than rows; or no memory. fini all the same. */
bool groups_init(struct groups *groups, const struct grouping *grouping, struct query_data *data,
                 const bool *descends);
void groups_fini(struct groups *groups);

/* Creates GROUPS_TABLE with a row for each group. Returns SQLite's result. */
int groups_store(const struct groups *groups, const struct query_data *data, sqlite3 *sqlite);

#endif
