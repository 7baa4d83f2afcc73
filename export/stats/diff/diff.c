/* diff.c - rows are matched, measured and sorted; totals; the gate; properties of the runs. */
#include "diff.h"

#include "run_facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- properties of the runs ----
 *
 * Each is a list of the distinct values of processes or devices. */

/* A list of texts with ", " between. What does not fit is cut, and the list ends with "...". */
struct fact_list {
    char *text;
    size_t size;
};

/* Whether the list has the text as an item. */
static bool has_item(const char *list, struct text item)
{
    for (const char *at = list; (at = strstr(at, item.bytes)); at += item.size) {
        bool begins = at == list || (at >= list + 2 && memcmp(at - 2, ", ", 2) == 0);
        char after = at[item.size];
        if (begins && (after == 0 || after == ','))
            return true;
    }
    return false;
}

static void add_text(struct fact_list *list, struct text item)
{
    char copy[DIFF_FACT_BYTES];
    int size = snprintf(copy, sizeof copy, "%.*s", (int)(item.size < 200 ? item.size : 200),
                        item.bytes ? item.bytes : "");
    if (size <= 0 || has_item(list->text, (struct text){copy, (size_t)size}))
        return;
    size_t used = strlen(list->text);
    bool fits = used + (size_t)size + 6 < list->size;
    snprintf(list->text + used, list->size - used, "%s%s", used ? ", " : "", fits ? copy : "...");
}

static void add_string(struct fact_list *list, const char *text)
{
    add_text(list, (struct text){text, strlen(text)});
}

static void add_number(struct fact_list *list, unsigned long long number)
{
    char text[24];
    snprintf(text, sizeof text, "%llu", number);
    add_string(list, text);
}

typedef void add_fact(struct fact_list *list, const struct tl_process_info *info);

static void add_program(struct fact_list *list, const struct tl_process_info *info)
{
    add_text(list, info->program);
}

static void add_host(struct fact_list *list, const struct tl_process_info *info)
{
    add_text(list, info->host);
}

static void add_format(struct fact_list *list, const struct tl_process_info *info)
{
    add_text(list, info->format.size ? info->format : (struct text){"libprof trace", 13});
}

static void add_version(struct fact_list *list, const struct tl_process_info *info)
{
    add_text(list, info->library_version);
}

static void add_driver(struct fact_list *list, const struct tl_process_info *info)
{
    add_text(list, info->driver);
}

static void add_cupti(struct fact_list *list, const struct tl_process_info *info)
{
    add_text(list, info->cupti);
}

static void add_mode(struct fact_list *list, const struct tl_process_info *info)
{
    add_string(list, run_facts_mode_name(info->gpu_mode));
}

static void add_world(struct fact_list *list, const struct tl_process_info *info)
{
    if (info->world_size > 0)
        add_number(list, (unsigned long long)info->world_size);
}

static void list_processes(const struct timeline *timeline, add_fact *add, struct fact_list *list)
{
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        add(list, &timeline->processes.at[i].info);
}

static void list_devices(const struct timeline *timeline, struct fact_list *list)
{
    for (uint32_t i = 0; i < timeline->devices.count; i++)
        if (timeline->devices.at[i].name < timeline->names.count)
            add_text(list, timeline->names.at[timeline->devices.at[i].name]);
}

static void list_device_count(const struct timeline *timeline, struct fact_list *list)
{
    add_number(list, timeline->devices.count);
}

static void list_process_count(const struct timeline *timeline, struct fact_list *list)
{
    add_number(list, timeline->processes.count);
}

static const struct {
    const char *name;
    add_fact *of_process;
    void (*of_timeline)(const struct timeline *timeline, struct fact_list *list);
} fact_sources[DIFF_FACTS] = {
    {"program", add_program, NULL},
    {"host", add_host, NULL},
    {"processes", NULL, list_process_count},
    {"world size", add_world, NULL},
    {"device", NULL, list_devices},
    {"devices", NULL, list_device_count},
    {"driver", add_driver, NULL},
    {"cupti", add_cupti, NULL},
    {"gpu mode", add_mode, NULL},
    {"recorded by", add_format, NULL},
    {"libprof", add_version, NULL},
};

static void diff_facts_init(struct diff_facts *facts, const struct timeline *left,
                            const struct timeline *right)
{
    memset(facts, 0, sizeof *facts);
    for (uint32_t i = 0; i < DIFF_FACTS; i++) {
        struct diff_fact *fact = &facts->at[i];
        fact->name = fact_sources[i].name;
        for (unsigned side = 0; side < 2; side++) {
            const struct timeline *timeline = side ? right : left;
            struct fact_list list = {fact->value[side], sizeof fact->value[side]};
            if (fact_sources[i].of_process)
                list_processes(timeline, fact_sources[i].of_process, &list);
            else
                fact_sources[i].of_timeline(timeline, &list);
        }
        fact->differs = strcmp(fact->value[0], fact->value[1]) != 0;
        facts->differing += fact->differs;
    }
}

/* Numbers of calls that differ by less are the same number. */
#define CALLS_TOLERANCE 0.01

/* What divides the side's counts and totals: its steps, its runs, or 1. */
static double diff_divisor(const struct diff *diff, unsigned side)
{
    const struct diff_side *of = diff->sides[side];
    return diff->per_step ? (double)of->steps : diff->per_run && of->runs ? (double)of->runs : 1;
}

enum diff_verdict diff_verdict_of(const struct bootstrap_interval *ratio)
{
    if (!ratio->known)
        return DIFF_UNKNOWN;
    if (ratio->low > 1 || ratio->high < 1)
        return ratio->low > 1 ? DIFF_SLOWER : DIFF_FASTER;
    bool is_narrow = ratio->high < DIFF_MATTERS && ratio->low > 1 / DIFF_MATTERS;
    return is_narrow ? DIFF_SAME : DIFF_UNCLEAR;
}

/* ---- totals ----
 *
 * The noise of a sum: calls are drawn anew within each row, so a row of n calls with
 * variance v adds n times v to the variance of the whole (stratified bootstrap).
 */

/* Rows with too few calls have no known variance. When they have more than this share of the time,
 * the noise of the whole is not known. */
#define UNTOLD_SHARE 0.5

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
    double variance = 0, measured_ns = 0, total_ns = (double)side->averages.self_cuda_total_ns;
    for (uint32_t i = 0; i < side->entries.count; i++) {
        const struct diff_entry *entry = &side->entries.at[i];
        if (!is_device_work(entry) || entry->time.count < least)
            continue;
        variance += (double)entry->time.count * variance_of(&entry->time);
        measured_ns += (double)entry->total_ns;
    }
    bool measured = total_ns > 0 && measured_ns > UNTOLD_SHARE * total_ns;
    return (struct bootstrap_sum){total_ns / divisor, measured ? sqrt(variance) / divisor : NAN};
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

/* Medians of host times. */
static bool compare_medians(struct diff *diff, const struct diff_samples of[2],
                            struct diff_total *to)
{
    struct bootstrap_set sets[2];
    for (unsigned i = 0; i < 2; i++) {
        sets[i] = (struct bootstrap_set){of[i].ns, of[i].count, diff->sides[i]->tick_ns};
        to->samples[i] = of[i].count;
        to->value_ns[i] = bootstrap_median(of[i].ns, of[i].count);
    }
    to->known = of[0].count && of[1].count;
    if (!bootstrap_medians(&diff->bootstrap, &sets[0], &sets[1], &to->ratio))
        return false;
    to->verdict = diff_verdict_of(&to->ratio);
    return true;
}

static bool compare_runs(struct diff *diff)
{
    struct diff_samples step[2], wall[2], host[2];
    for (unsigned i = 0; i < 2; i++) {
        const struct diff_side *side = diff->sides[i];
        step[i] = (struct diff_samples){side->step_ns, side->step_samples};
        wall[i] = (struct diff_samples){side->wall_ns, side->runs};
        host[i] = (struct diff_samples){side->host_ns, side->host_known ? side->runs : 0};
    }
    return compare_medians(diff, step, &diff->step) && compare_medians(diff, wall, &diff->wall) &&
           compare_medians(diff, host, &diff->host);
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
                    calls[side] += (double)diff->sides[side]->entries.at[row->entry[side]].count /
                                   diff_divisor(diff, side);
        }
    return fabs(calls[1] - calls[0]) > CALLS_TOLERANCE * calls[0];
}

/* Fills the totals, per_step, per_run and lengths_differ. False: no memory. */
static bool diff_totals(struct diff *diff)
{
    diff->per_step = choose_per_step(diff);
    diff->per_run = !diff->per_step && (diff->sides[0]->runs > 1 || diff->sides[1]->runs > 1);
    diff->lengths_differ = !diff->per_step && lengths_differ(diff);
    compare_devices(diff);
    return compare_runs(diff);
}

/* ---- the gate ---- */

/* Smaller kernels, by their share of the right run's device time, are not judged. */
#define KERNEL_SHARE 0.01

enum diff_gate_result diff_gate_judge(const struct bootstrap_interval *ratio, double limit)
{
    if (isnan(ratio->ratio))
        return DIFF_GATE_INCONCLUSIVE;
    if (!(ratio->ratio > 1 + limit))
        return DIFF_GATE_PASSED;
    switch (diff_verdict_of(ratio)) {
    case DIFF_SLOWER:
        return DIFF_GATE_FAILED;
    case DIFF_SAME:
        return DIFF_GATE_PASSED;
    default:
        return DIFF_GATE_INCONCLUSIVE;
    }
}

/* A kernel that both runs have and that takes long enough to be judged. */
static bool is_judged(const struct diff *diff, const struct diff_row *row)
{
    return !isnan(row->time.ratio.ratio) &&
           row->time.total_ns[1] >= KERNEL_SHARE * diff->device.value_ns[1];
}

/* The worst result decides, and of kernels with the same one the largest ratio. */
static void judge_kernels(struct diff *diff)
{
    const struct diff_table *table = &diff->tables[DIFF_BY_KERNEL];
    struct diff_gate *gate = &diff->gate;
    for (uint32_t i = 0; i < table->rows.count; i++) {
        const struct diff_row *row = &table->rows.at[i];
        const struct bootstrap_interval *ratio = &row->time.ratio;
        enum diff_gate_result result = diff_gate_judge(ratio, gate->limit);
        bool is_worse = !gate->table || result > gate->result ||
                        (result == gate->result && ratio->ratio > gate->ratio.ratio);
        if (!is_judged(diff, row) || !is_worse)
            continue;
        gate->result = result;
        gate->ratio = *ratio;
        gate->table = table;
        gate->row = i;
    }
}

const struct diff_total *diff_total_of(const struct diff *diff, enum diff_gate_of of)
{
    switch (of) {
    case DIFF_GATE_STEPS:
        return &diff->step;
    case DIFF_GATE_WALL:
        return &diff->wall;
    case DIFF_GATE_DEVICE:
        return &diff->device;
    case DIFF_GATE_HOST:
        return &diff->host;
    default:
        return NULL;
    }
}

static enum diff_outcome outcome_of(const struct bootstrap_interval *ratio)
{
    switch (diff_verdict_of(ratio)) {
    case DIFF_SLOWER:
        return DIFF_RUN_SLOWER;
    case DIFF_FASTER:
        return DIFF_RUN_FASTER;
    case DIFF_SAME:
        return DIFF_RUN_SAME;
    default:
        return DIFF_RUN_INCONCLUSIVE;
    }
}

static enum diff_outcome outcome_of_kernels(const struct diff *diff)
{
    const struct diff_table *table = &diff->tables[DIFF_BY_KERNEL];
    uint32_t counts[DIFF_OUTCOMES] = {0}, judged = 0;
    for (uint32_t i = 0; i < table->rows.count; i++)
        if (is_judged(diff, &table->rows.at[i])) {
            counts[outcome_of(&table->rows.at[i].time.ratio)]++;
            judged++;
        }
    return !judged                         ? DIFF_RUN_NOT_COMPARABLE
           : counts[DIFF_RUN_SLOWER]       ? DIFF_RUN_SLOWER
           : counts[DIFF_RUN_INCONCLUSIVE] ? DIFF_RUN_INCONCLUSIVE
           : counts[DIFF_RUN_FASTER]       ? DIFF_RUN_FASTER
                                           : DIFF_RUN_SAME;
}

/* Fills diff->gate and the outcome, after rows and totals. */
static void diff_gate(struct diff *diff)
{
    struct diff_gate *gate = &diff->gate;
    *gate = (struct diff_gate){.of = diff->options.gate_of,
                               .limit = diff->options.gate_limit,
                               .ratio = {NAN, NAN, NAN, false}};
    if (gate->of == DIFF_GATE_AUTO)
        gate->of = diff->step.known ? DIFF_GATE_STEPS : DIFF_GATE_WALL;
    const struct diff_total *total = diff_total_of(diff, gate->of);
    diff->outcome = diff->nothing_in_common || (total && !total->known) ? DIFF_RUN_NOT_COMPARABLE
                    : total                                             ? outcome_of(&total->ratio)
                                                                        : outcome_of_kernels(diff);
    if (!diff->options.gate)
        return;
    gate->result = DIFF_GATE_INCONCLUSIVE;
    if (!total) {
        judge_kernels(diff);
    } else if (total->known) {
        gate->ratio = total->ratio;
        gate->result = diff_gate_judge(&total->ratio, gate->limit);
    }
    if (diff->nothing_in_common)
        gate->result = DIFF_GATE_INCONCLUSIVE;
}

void diff_options_default(struct diff_options *options)
{
    *options = (struct diff_options){
        .size_bytes = sizeof *options,
        .tables =
            1u << DIFF_BY_PATH | 1u << DIFF_BY_KERNEL | 1u << DIFF_BY_API | 1u << DIFF_BY_COPY,
        .resamples = 1000,
        .confidence = 0.95,
        .match = true,
    };
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

/* A row that is on one side only is new or gone; one whose calls are not known to be longer or
 * shorter may have more of them. */
static void refine_verdict(struct diff_row *row, struct diff_measure *measure)
{
    if (row->entry[0] == TL_NONE || row->entry[1] == TL_NONE) {
        measure->verdict = row->entry[0] == TL_NONE ? DIFF_NEW : DIFF_GONE;
        return;
    }
    bool as_long = measure->verdict == DIFF_SAME || measure->verdict == DIFF_UNCLEAR ||
                   measure->verdict == DIFF_UNKNOWN;
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
static double own_ns(const struct diff *diff, const struct diff_row *row, unsigned side)
{
    const struct diff_entry *entry = entry_of(diff, row, side);
    return entry ? (double)entry->own_ns / diff_divisor(diff, side) : 0;
}

/* Times are whole nanoseconds: a smaller difference is a rounding error of a division. */
#define NOTHING_NS 0.5

static void find_shares(const struct diff *diff, struct diff_table *table)
{
    for (uint32_t i = 0; i < table->rows.count; i++) {
        const struct diff_row *row = &table->rows.at[i];
        double change_ns = own_ns(diff, row, 1) - own_ns(diff, row, 0);
        table->change_ns += change_ns;
        table->moved_ns += fabs(change_ns);
    }
    for (uint32_t i = 0; i < table->rows.count; i++)
        table->moved_ns = fmax(table->moved_ns, fabs(table->rows.at[i].delta_ns));
    if (table->moved_ns < NOTHING_NS)
        table->moved_ns = 0;
    for (uint32_t i = 0; i < table->rows.count && table->moved_ns > 0; i++)
        table->rows.at[i].share = fabs(table->rows.at[i].delta_ns) / table->moved_ns;
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

static bool fill_diff(struct diff *diff)
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
    bool filled = fill_diff(diff);
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
    static const char *const names[DIFF_VERDICTS] = {"too few",     "same",   "unclear",
                                                     "slower",      "faster", "more calls",
                                                     "fewer calls", "new",    "gone"};
    return names[verdict];
}

const char *diff_outcome_name(enum diff_outcome outcome)
{
    static const char *const names[DIFF_OUTCOMES] = {"faster", "slower", "same", "inconclusive",
                                                     "not comparable"};
    return names[outcome];
}

static const char *const by_names[DIFF_BY_COUNT] = {"path", "kernel", "range", "call", "copy"};

const char *diff_by_name(enum diff_by by)
{
    return by_names[by];
}

bool diff_by_find(const char *name, enum diff_by *by)
{
    if (strcmp(name, "op") == 0)
        name = by_names[DIFF_BY_RANGE];
    if (strcmp(name, "api") == 0)
        name = by_names[DIFF_BY_API];
    for (unsigned i = 0; i < DIFF_BY_COUNT; i++)
        if (strcmp(name, by_names[i]) == 0) {
            *by = (enum diff_by)i;
            return true;
        }
    return false;
}

static const char *const gate_names[DIFF_GATES] = {"auto",   "steps", "wall",
                                                   "device", "host",  "kernel"};

const char *diff_gate_name(enum diff_gate_of of)
{
    return gate_names[of];
}

bool diff_gate_find(const char *name, enum diff_gate_of *of)
{
    for (unsigned i = 0; i < DIFF_GATES; i++)
        if (strcmp(name, gate_names[i]) == 0) {
            *of = (enum diff_gate_of)i;
            return true;
        }
    return false;
}
