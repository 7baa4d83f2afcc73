/* diff.c - see diff.h: rows are matched, measured, and put in order. */
#include "diff.h"

#include "diff_gate.h"
#include "diff_match.h"
#include "diff_totals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of calls that differ by less are the same number. */
#define CALLS_TOLERANCE 0.01

void diff_options_default(struct diff_options *options)
{
    *options = (struct diff_options){
        .size_bytes = sizeof *options,
        .tables = 1u << DIFF_BY_PATH | 1u << DIFF_BY_KERNEL,
        .resamples = 1000,
        .confidence = 0.95,
        .match = true,
    };
}

double diff_divisor(const struct diff *diff, unsigned side)
{
    return diff->per_step ? (double)diff->sides[side]->steps : 1;
}

enum diff_verdict diff_verdict_of(const struct bootstrap_interval *ratio)
{
    if (!ratio->known)
        return DIFF_UNKNOWN;
    return ratio->low > 1 ? DIFF_SLOWER : ratio->high < 1 ? DIFF_FASTER : DIFF_SAME;
}

/* ---- rows ---- */

static const struct diff_entry *entry_of(const struct diff *diff, const struct diff_row *row,
                                         unsigned side)
{
    uint32_t entry = row->entry[side];
    return entry == TL_NONE ? NULL : &diff->sides[side]->entries.at[entry];
}

/* What one side has of a measure. */
struct measured {
    struct diff_samples samples;
    double calls; /* that the total is of */
    double total_ns;
};

static struct measured measured_of(const struct diff_entry *entry, bool device)
{
    if (!entry || (device && !entry->device.count))
        return (struct measured){.total_ns = NAN};
    if (device)
        return (struct measured){entry->device, (double)entry->device.count,
                                 (double)entry->device_ns};
    return (struct measured){entry->time, (double)entry->count, (double)entry->total_ns};
}

static bool measure(struct diff *diff, const struct diff_row *row, bool device,
                    struct diff_measure *to)
{
    struct bootstrap_set sets[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct diff_entry *entry = entry_of(diff, row, i);
        struct measured from = measured_of(entry, device);
        bool on_device = device || (entry && key_kind_is_device(entry->kind));
        sets[i] = (struct bootstrap_set){from.samples.ns, from.samples.count,
                                         on_device ? diff->sides[i]->device_tick_ns
                                                   : diff->sides[i]->tick_ns};
        to->samples[i] = from.samples.count;
        to->total_ns[i] = from.total_ns / diff_divisor(diff, i);
        to->mean_ns[i] = from.calls > 0 ? from.total_ns / from.calls : NAN;
        to->median_ns[i] = bootstrap_median(from.samples.ns, from.samples.count);
    }
    if (!bootstrap_medians(&diff->bootstrap, &sets[0], &sets[1], &to->ratio))
        return false;
    to->verdict = diff_verdict_of(&to->ratio);
    return true;
}

static double or_nothing(double value)
{
    return isnan(value) ? 0 : value;
}

/* A row that is on one side only is new or gone; one whose calls are as long as before may have more
 * of them. */
static void refine_verdict(struct diff_row *row, struct diff_measure *measure)
{
    if (row->entry[0] == TL_NONE || row->entry[1] == TL_NONE) {
        measure->verdict = row->entry[0] == TL_NONE ? DIFF_NEW : DIFF_GONE;
        return;
    }
    bool as_long = measure->verdict == DIFF_SAME || measure->verdict == DIFF_UNKNOWN;
    if (as_long && fabs(row->count[1] - row->count[0]) > CALLS_TOLERANCE * row->count[0])
        measure->verdict = row->count[1] > row->count[0] ? DIFF_MORE_CALLS : DIFF_FEWER_CALLS;
}

static bool measure_row(struct diff *diff, struct diff_row *row)
{
    for (unsigned i = 0; i < 2; i++) {
        const struct diff_entry *entry = entry_of(diff, row, i);
        row->count[i] = entry ? (double)entry->count / diff_divisor(diff, i) : 0;
    }
    if (!measure(diff, row, false, &row->time) || !measure(diff, row, true, &row->device))
        return false;
    row->delta_ns = or_nothing(row->time.total_ns[1]) - or_nothing(row->time.total_ns[0]);
    row->device_delta_ns =
        or_nothing(row->device.total_ns[1]) - or_nothing(row->device.total_ns[0]);
    row->share = NAN;
    refine_verdict(row, &row->time);
    if (row->device.samples[0] || row->device.samples[1])
        refine_verdict(row, &row->device);
    return true;
}

/* ---- tables ---- */

/* Ranges lie in each other: their own time is what adds up. */
static double counted_ns(const struct diff *diff, const struct diff_row *row, unsigned side,
                         enum diff_by by)
{
    const struct diff_entry *entry = entry_of(diff, row, side);
    bool nested = by == DIFF_BY_PATH || by == DIFF_BY_RANGE;
    if (!entry)
        return 0;
    return (double)(nested ? entry->self_ns : entry->total_ns) / diff_divisor(diff, side);
}

static void find_shares(const struct diff *diff, struct diff_table *table)
{
    double moved_ns = 0;
    for (uint32_t i = 0; i < table->rows.count; i++) {
        const struct diff_row *row = &table->rows.at[i];
        double change_ns =
            counted_ns(diff, row, 1, table->by) - counted_ns(diff, row, 0, table->by);
        table->change_ns += change_ns;
        moved_ns += fabs(change_ns);
    }
    if (moved_ns == 0)
        return;
    double all_ns = copysign(moved_ns, table->change_ns);
    for (uint32_t i = 0; i < table->rows.count; i++)
        table->rows.at[i].share = table->rows.at[i].delta_ns / all_ns;
}

static double change_of(const struct diff_row *row)
{
    return fmax(fabs(row->delta_ns), fabs(row->device_delta_ns));
}

/* The largest change first; among equal ones the largest total, then the order they have. */
static int compare_rows(const void *left, const void *right)
{
    const struct diff_row *a = left, *b = right;
    double change_a = change_of(a), change_b = change_of(b);
    if (change_a != change_b)
        return change_a > change_b ? -1 : 1;
    double total_a = or_nothing(a->time.total_ns[0]), total_b = or_nothing(b->time.total_ns[0]);
    if (total_a != total_b)
        return total_a > total_b ? -1 : 1;
    if (a->entry[0] != b->entry[0])
        return a->entry[0] < b->entry[0] ? -1 : 1;
    return a->entry[1] < b->entry[1] ? -1 : a->entry[1] > b->entry[1];
}

static void count_rows(struct diff_table *table)
{
    for (uint32_t i = 0; i < table->rows.count; i++) {
        const struct diff_row *row = &table->rows.at[i];
        table->verdicts[row->time.verdict]++;
        table->renamed += row->match == DIFF_RENAMED;
        table->ambiguous += row->ambiguous;
    }
}

static bool has_common_row(const struct diff_table *table)
{
    for (uint32_t i = 0; i < table->rows.count; i++)
        if (table->rows.at[i].entry[0] != TL_NONE && table->rows.at[i].entry[1] != TL_NONE)
            return true;
    return false;
}

static void look_for_common_rows(struct diff *diff)
{
    bool any = false, common = false;
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++) {
        if (!(diff->options.tables & 1u << by))
            continue;
        any |= diff->tables[by].rows.count > 0;
        common |= has_common_row(&diff->tables[by]);
    }
    diff->nothing_in_common = any && !common;
}

static bool fill_table(struct diff *diff, struct diff_table *table)
{
    for (uint32_t i = 0; i < table->rows.count; i++)
        if (!measure_row(diff, &table->rows.at[i]))
            return false;
    find_shares(diff, table);
    if (table->rows.count > 1)
        qsort(table->rows.at, table->rows.count, sizeof *table->rows.at, compare_rows);
    count_rows(table);
    return true;
}

/* ---- a diff ---- */

static bool fill(struct diff *diff)
{
    if (!diff_match(diff) || !diff_totals(diff))
        return false;
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        if (!fill_table(diff, &diff->tables[by]))
            return false;
    look_for_common_rows(diff);
    diff_facts_init(&diff->facts, diff->sides[0]->timeline, diff->sides[1]->timeline);
    diff_gate(diff);
    return true;
}

bool diff_init(struct diff *diff, const struct diff_side *left, const struct diff_side *right,
               const struct diff_options *options)
{
    memset(diff, 0, sizeof *diff);
    diff->sides[0] = left;
    diff->sides[1] = right;
    diff->options = *options;
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        diff->tables[by].by = (enum diff_by)by;
    if (!bootstrap_init(&diff->bootstrap, options->resamples, options->confidence))
        return false;
    bool filled = fill(diff);
    if (!filled)
        diff_fini(diff);
    return filled;
}

void diff_fini(struct diff *diff)
{
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        free(diff->tables[by].rows.at);
    bootstrap_fini(&diff->bootstrap);
    memset(diff, 0, sizeof *diff);
}

const char *diff_verdict_name(enum diff_verdict verdict)
{
    static const char *const names[DIFF_VERDICTS] = {
        "unknown", "same", "slower", "faster", "more calls", "fewer calls", "new", "gone"};
    return names[verdict];
}

static const char *const by_names[DIFF_BY_COUNT] = {"path", "kernel", "range", "api", "copy"};

const char *diff_by_name(enum diff_by by)
{
    return by_names[by];
}

bool diff_by_find(const char *name, enum diff_by *by)
{
    if (strcmp(name, "op") == 0)
        name = by_names[DIFF_BY_RANGE];
    for (unsigned i = 0; i < DIFF_BY_COUNT; i++)
        if (strcmp(name, by_names[i]) == 0) {
            *by = (enum diff_by)i;
            return true;
        }
    return false;
}
