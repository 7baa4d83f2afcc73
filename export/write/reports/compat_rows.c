/* compat_rows.c - runs of kernels added up: see compat_report.h. */
#include "compat_report.h"

#include <stdlib.h>
#include <string.h>

static struct compat_row *row_of(struct compat_rows *rows, struct text name)
{
    uint32_t number = text_pool_number(&rows->names, name);
    if (number == 0)
        return NULL;
    if (number >= rows->capacity) {
        uint32_t capacity = rows->capacity ? rows->capacity * 2 : 64;
        struct compat_row *at = realloc(rows->at, capacity * sizeof *at);
        if (!at)
            return NULL;
        memset(at + rows->capacity, 0, (capacity - rows->capacity) * sizeof *at);
        rows->at = at;
        rows->capacity = capacity;
    }
    rows->at[number].name = rows->names.texts[number];
    return &rows->at[number];
}

/* One zero for both. */
static double plain(double value)
{
    return value == 0 ? 0 : value;
}

/* `*is_new`: no run of the row has these numbers. */
static bool note(struct compat_rows *rows, const struct compat_row *row,
                 const struct compat_sample *sample, bool *is_new)
{
    const double numbers[] = {(double)(row - rows->at),    plain(sample->flop_rate),
                              plain(sample->rate),         plain(sample->duration_us),
                              plain(sample->flop_percent), plain(sample->percent)};
    uint32_t before = rows->samples.count;
    uint32_t number =
        text_pool_number(&rows->samples, (struct text){(const char *)numbers, sizeof numbers});
    *is_new = rows->samples.count != before;
    return number != 0;
}

static void add(struct compat_row *row, const struct compat_sample *sample)
{
    struct compat_sample *sum = &row->sum;
    if (sample->flop_rate != 0) {
        sum->flop_rate += sample->flop_rate;
        sum->flop_percent += sample->flop_percent;
        row->flop_count++;
    }
    if (sample->rate != 0) {
        sum->rate += sample->rate;
        sum->percent += sample->percent;
        row->rate_count++;
    }
    sum->duration_us += sample->duration_us;
    row->count++;
}

bool compat_rows_add(struct compat_rows *rows, struct text name, const struct compat_sample *sample)
{
    struct compat_row *row = row_of(rows, name);
    bool is_new;
    if (!row || !note(rows, row, sample, &is_new))
        return false;
    if (is_new)
        add(row, sample);
    return true;
}

void compat_rows_fini(struct compat_rows *rows)
{
    text_pool_fini(&rows->names);
    text_pool_fini(&rows->samples);
    free(rows->at);
    *rows = (struct compat_rows){0};
}
