/* key_columns.c - see key_columns.h: its table as numbers and names, and sorting by it. */
#define _GNU_SOURCE
#include "key_columns.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(KEY_COLUMNS <= 32, "write_options.columns has a bit for each");

static double ratio(int64_t sum, uint64_t count)
{
    return count ? (double)sum / (double)count : 0;
}

static bool has_bytes(const struct key_average *row, bool is_total)
{
    return is_total || row->kind == KEY_MEMCPY || row->kind == KEY_MEMSET;
}

double key_column_value(const struct key_average *row, enum key_column column)
{
#define X(id, group, name, title, key, form, rank, known, value, ...) \
    case KEY_BY_##id:                                                 \
        return value;
    switch (column) {
        KEY_COLUMN_TABLE(X)
        KEY_SHARE_TABLE(X)
    case KEY_BY_DEFAULT:
    case KEY_COLUMNS_AND_SHARES:
        break;
    }
#undef X
    return 0;
}

bool key_column_known(const struct key_average *row, enum key_column column, bool is_total)
{
#define X(id, group, name, title, key, form, rank, known, ...) column == KEY_BY_##id ? (known):
    return KEY_COLUMN_TABLE(X) KEY_SHARE_TABLE(X) false;
#undef X
}

const struct key_column_info key_columns[KEY_COLUMNS_AND_SHARES] = {
    [KEY_BY_DEFAULT] = {.also = {"time", "total", "total_time", "duration"}}, /* not a column */
#define X(id, group, name, title, key, form, rank, known, value, ...) \
    [KEY_BY_##id] = {name, title, key, KEY_FORM_##form, KEY_GROUP_##group, rank, {__VA_ARGS__}},
    KEY_COLUMN_TABLE(X) KEY_SHARE_TABLE(X)
#undef X
};

/* Whether `typed` is the name, in any case, with blanks or dashes instead of underscores. */
static bool is_called(const char *typed, const char *name)
{
    for (; *typed && *name; typed++, name++) {
        char letter = *typed == ' ' || *typed == '-' ? '_' : text_lower(*typed);
        if (letter != *name)
            return false;
    }
    return *typed == *name;
}

bool key_column_find(const char *name, enum key_column *column)
{
    for (*column = KEY_BY_DEFAULT; *column < KEY_COLUMNS; (*column)++) {
        const struct key_column_info *info = &key_columns[*column];
        if (*column && (is_called(name, info->name) || is_called(name, info->key)))
            return true;
        for (size_t i = 0; i < KEY_NAMES_MAX && info->also[i]; i++)
            if (*info->also[i] && is_called(name, info->also[i]))
                return true;
    }
    return false;
}

/* ---- sorting ---- */

static int by_number(double a, double b)
{
    return a < b ? 1 : a > b ? -1 : 0;
}

/* The last tie: there are no two rows of one name, kind and group. */
static int by_group(const struct key_group *a, const struct key_group *b)
{
    const uint32_t left[] = {a->process, a->rank,  a->thread, a->device, a->stream,
                             a->shape,   a->stack, a->path,   a->step};
    const uint32_t right[] = {b->process, b->rank,  b->thread, b->device, b->stream,
                              b->shape,   b->stack, b->path,   b->step};
    for (size_t i = 0; i < sizeof left / sizeof left[0]; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

static int by_everything(const struct key_average *a, const struct key_average *b)
{
    int order = by_number((double)a->cuda_total_ns, (double)b->cuda_total_ns);
    if (!order)
        order = by_number((double)a->cpu_total_ns, (double)b->cpu_total_ns);
    if (!order)
        order = text_compare(a->name, b->name);
    if (!order)
        order = (int)a->kind - (int)b->kind;
    return order ? order : by_group(&a->group, &b->group);
}

static int compare(const void *left, const void *right, void *user)
{
    const struct key_average *a = left, *b = right;
    enum key_column column = *(const enum key_column *)user;
    int order = column == KEY_BY_NAME
                    ? text_compare(a->name, b->name)
                    : by_number(key_column_value(a, column), key_column_value(b, column));
    return order ? order : by_everything(a, b);
}

void key_sort(struct key_averages *averages, enum key_column column)
{
    if (column == KEY_BY_DEFAULT)
        column = averages->has_device ? KEY_BY_CUDA_TOTAL : KEY_BY_CPU_TOTAL;
    if (averages->count > 1)
        qsort_r(averages->rows, averages->count, sizeof *averages->rows, compare, &column);
}
