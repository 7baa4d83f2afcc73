/* diff_totals.c - the noise of a sum: calls are drawn anew within each row, so a row of n calls with
 * variance v adds n times v to the variance of the whole (stratified bootstrap).
 */
#include "diff_totals.h"

#include <math.h>

/* Rows with too few calls tell no variance. When they have more than this share of the time, the noise
 * of the whole is not known. */
#define UNTOLD_SHARE 0.5

/* Calls that differ by more are said to. */
#define LENGTH_TOLERANCE 0.01

static bool is_device_work(const struct diff_entry *entry)
{
    return entry->by == DIFF_BY_KERNEL || entry->by == DIFF_BY_COPY;
}

static double variance_of(const struct diff_samples *samples)
{
    double mean = 0, sum = 0;
    for (size_t i = 0; i < samples->count; i++)
        mean += (double)samples->ns[i] / (double)samples->count;
    for (size_t i = 0; i < samples->count; i++)
        sum += ((double)samples->ns[i] - mean) * ((double)samples->ns[i] - mean);
    return sum / (double)samples->count;
}

static struct bootstrap_sum device_sum(const struct diff_side *side, size_t least, double divisor)
{
    double variance = 0, told_ns = 0, total_ns = (double)side->averages.self_cuda_total_ns;
    for (uint32_t i = 0; i < side->entries.count; i++) {
        const struct diff_entry *entry = &side->entries.at[i];
        if (!is_device_work(entry) || entry->time.count < least)
            continue;
        variance += (double)entry->time.count * variance_of(&entry->time);
        told_ns += (double)entry->total_ns;
    }
    bool told = total_ns > 0 && told_ns > UNTOLD_SHARE * total_ns;
    return (struct bootstrap_sum){total_ns / divisor, told ? sqrt(variance) / divisor : NAN};
}

static uint64_t device_calls(const struct diff_side *side)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < side->averages.count; i++)
        if (key_kind_is_device(side->averages.rows[i].kind))
            count += side->averages.rows[i].count;
    return count;
}

static void compare_devices(struct diff *diff)
{
    size_t least = bootstrap_least(diff->options.confidence);
    struct bootstrap_sum sums[2];
    for (unsigned side = 0; side < 2; side++) {
        sums[side] = device_sum(diff->sides[side], least, diff_divisor(diff, side));
        diff->device.value_ns[side] = sums[side].total;
        diff->device.samples[side] = device_calls(diff->sides[side]);
    }
    diff->device.known = sums[0].total > 0 && sums[1].total > 0;
    bootstrap_sums(&diff->bootstrap, &sums[0], &sums[1], &diff->device.ratio);
    diff->device.verdict = diff_verdict_of(&diff->device.ratio);
}

static bool compare_steps(struct diff *diff)
{
    struct bootstrap_set sets[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct diff_side *side = diff->sides[i];
        sets[i] = (struct bootstrap_set){side->step_ns, side->step_samples, side->tick_ns};
        diff->step.samples[i] = side->step_samples;
        diff->step.value_ns[i] = bootstrap_median(side->step_ns, side->step_samples);
    }
    diff->step.known = sets[0].count && sets[1].count;
    if (!bootstrap_medians(&diff->bootstrap, &sets[0], &sets[1], &diff->step.ratio))
        return false;
    diff->step.verdict = diff_verdict_of(&diff->step.ratio);
    return true;
}

static bool choose_per_step(const struct diff *diff)
{
    uint64_t left = diff->sides[0]->steps, right = diff->sides[1]->steps;
    if (!left || !right || diff->options.normalise == DIFF_TOTALS)
        return false;
    return diff->options.normalise == DIFF_PER_STEP || left != right;
}

/* Of rows that both sides have. */
static bool lengths_differ(const struct diff *diff)
{
    double calls[2] = {0, 0};
    for (unsigned by = 0; by < DIFF_BY_COUNT; by++)
        for (uint32_t i = 0; i < diff->tables[by].rows.count; i++) {
            const struct diff_row *row = &diff->tables[by].rows.at[i];
            for (unsigned side = 0; side < 2; side++)
                if (row->entry[0] != TL_NONE && row->entry[1] != TL_NONE)
                    calls[side] += (double)diff->sides[side]->entries.at[row->entry[side]].count;
        }
    return fabs(calls[1] - calls[0]) > LENGTH_TOLERANCE * calls[0];
}

bool diff_totals(struct diff *diff)
{
    diff->per_step = choose_per_step(diff);
    diff->lengths_differ = !diff->per_step && lengths_differ(diff);
    compare_devices(diff);
    return compare_steps(diff);
}
