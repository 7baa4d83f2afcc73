/* query_functions.c - see query_functions.h. */
#include "query_functions.h"

#include "array.h"
#include "percentile.h"
#include "units.h"

#include <stdlib.h>

const struct query_function query_functions[] = {
    {"percentile(x, p)", "of a group, p from 0 to 100, interpolated as numpy.percentile does; NULL "
                         "values are left out"},
    {"median(x)", "percentile(x, 50)"},
    {"duration(ns)", "a time for people: 1234567 is \"1.235ms\""},
    {"bytes_text(n)", "an amount of memory for people: 1536 is \"1.50 KB\""},
    {0},
};

/* ---- percentiles ---- */

struct values {
    double *at;
    uint32_t count, capacity;
    double percent;
    bool begun, failed;
};

static void add_value(sqlite3_context *context, sqlite3_value *value, double percent)
{
    struct values *values = sqlite3_aggregate_context(context, sizeof *values);
    if (!values) {
        sqlite3_result_error_nomem(context);
        return;
    }
    if (values->begun && values->percent != percent)
        sqlite3_result_error(context, "percentile(): p must be the same for all rows", -1);
    values->begun = true;
    values->percent = percent;
    if (sqlite3_value_type(value) == SQLITE_NULL)
        return;
    double *added = ARRAY_ADD(values);
    if (added)
        *added = sqlite3_value_double(value);
    else
        values->failed = true;
}

static void percentile_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    double percent = sqlite3_value_double(values[1]);
    (void)count;
    if (sqlite3_value_numeric_type(values[1]) == SQLITE_NULL || !(percent >= 0 && percent <= 100))
        sqlite3_result_error(context, "percentile(): p is from 0 to 100", -1);
    else
        add_value(context, values[0], percent);
}

static void median_step(sqlite3_context *context, int count, sqlite3_value **values)
{
    (void)count;
    add_value(context, values[0], 50);
}

static void percentile_final(sqlite3_context *context)
{
    struct values *values = sqlite3_aggregate_context(context, 0);
    if (!values)
        return;
    if (values->failed) {
        sqlite3_result_error_nomem(context);
    } else if (values->count) {
        percentile_sort(values->at, values->count);
        sqlite3_result_double(context, percentile_of(values->at, values->count, values->percent));
    }
    free(values->at);
}

/* ---- for people ---- */

static void put_duration(sqlite3_context *context, int count, sqlite3_value **values)
{
    char text[TIME_TEXT_BYTES];
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    double ns = sqlite3_value_double(values[0]);
    text[0] = '-';
    time_text(ns < 0 ? -ns : ns, text + (ns < 0));
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

static void put_bytes(sqlite3_context *context, int count, sqlite3_value **values)
{
    char text[BYTES_TEXT_BYTES];
    (void)count;
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        return;
    bytes_text(sqlite3_value_int64(values[0]), text);
    sqlite3_result_text(context, text, -1, SQLITE_TRANSIENT);
}

/* ---- all ---- */

int query_functions_register(sqlite3 *sqlite)
{
    static const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int result = sqlite3_create_function_v2(sqlite, "percentile", 2, flags, NULL, NULL,
                                            percentile_step, percentile_final, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_function_v2(sqlite, "median", 1, flags, NULL, NULL, median_step,
                                            percentile_final, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_function_v2(sqlite, "duration", 1, flags, NULL, put_duration, NULL,
                                            NULL, NULL);
    if (result == SQLITE_OK)
        result = sqlite3_create_function_v2(sqlite, "bytes_text", 1, flags, NULL, put_bytes, NULL,
                                            NULL, NULL);
    return result;
}
