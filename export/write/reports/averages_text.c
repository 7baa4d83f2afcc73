/* averages_text.c - the key-averaged table in torch.profiler's layout, its totals, and the ledger of
 * losses.
 */
#include "averages.h"
#include "device_time.h"
#include "failed_calls.h"
#include "fit.h"
#include "reports.h"
#include "run_facts.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <string.h>

#define DEVICES_SHOWN 8u
#define FAILED_SHOWN 8u /* "profdump ledger" has all */

/* ---- the accounts of each device: see device_time.h ---- */

static void print_account(const struct device_time *time, FILE *stream)
{
    const int64_t terms[] = {time->sum_ns,  time->busy_ns, time->overlap_ns,
                             time->busy_ns, time->idle_ns, time->window_ns};
    char texts[6][TIME_TEXT_BYTES];
    enum time_unit unit =
        time_text_unit((double)(time->sum_ns > time->window_ns ? time->sum_ns : time->window_ns));
    for (unsigned i = 0; i < 6; i++)
        time_text_exact(terms[i], unit, texts[i]);
    fprintf(stream, ": self device time %s = busy %s + overlap %s; busy %s + idle %s = window %s\n",
            texts[0], texts[1], texts[2], texts[3], texts[4], texts[5]);
}

static bool print_accounts(const struct timeline *timeline, FILE *stream)
{
    struct device_times times;
    if (!device_times_init(&times, timeline))
        return false;
    for (uint32_t i = 0; i < times.count && i < DEVICES_SHOWN; i++) {
        const struct device_time *time = &times.at[i];
        fprintf(stream, "Device %u", time->device);
        if (timeline->processes.count > 1)
            fprintf(stream, " of pid %u", timeline->processes.at[time->process].info.pid);
        print_account(time, stream);
    }
    if (times.count > 1) {
        fprintf(stream, "%u devices", times.count);
        print_account(&times.total, stream);
    }
    device_times_fini(&times);
    return true;
}

struct table {
    FILE *stream;
    const struct timeline *timeline;
    const struct key_averages *averages;
    bool color;
    unsigned width; /* of the terminal; 0 any */
};

static const char *paint(const struct table *table, const char *code)
{
    return table->color ? code : "";
}

#define RED "\033[31m"
#define PLAIN "\033[0m"

static void print_totals(const struct table *table)
{
    char text[TIME_TEXT_BYTES];
    time_text((double)table->averages->self_cpu_total_ns, text);
    fprintf(table->stream, "Self CPU time total: %s\n", text);
    if (!table->averages->has_device)
        return;
    time_text((double)table->averages->self_cuda_total_ns, text);
    fprintf(table->stream, "Self CUDA time total: %s\n", text);
    if (table->averages->has_timed)
        fprintf(table->stream, "CUDA time of ranges: stream time between two events, waiting "
                               "included\n");
    if (table->averages->cuda_outside_ns == 0)
        return;
    time_text((double)table->averages->cuda_outside_ns, text);
    fprintf(table->stream, "CUDA time launched outside of any range: %s\n", text);
}

static void print_mode(const struct table *table, const struct run_facts *facts)
{
    char shown[SHOW_TEXT_BYTES(440)];
    bool rest;
    show_text(facts->mode_reason, 440, shown, &rest);
    fprintf(table->stream, "GPU mode: %s%s%s%s\n", facts->mode, *shown ? ", " : "", shown,
            facts->simulated ? " (Simulated GPU: device times come from a model)" : "");
}

static void print_cause(const struct table *table, const char *name, uint64_t count,
                        const char *sentence)
{
    if (count)
        fprintf(table->stream, "  %-15s %10llu  %s\n", name, (unsigned long long)count, sentence);
}

static void print_term(const struct table *table, const char *name, uint64_t count)
{
    if (count)
        fprintf(table->stream, " + %s %llu", name, (unsigned long long)count);
}

/* launched = recorded + each way of not being recorded: adds up by construction of the timeline.
 * Losses that belong to no counted launch (inside graphs, before recording began) are in the list
 * below it. */
static void print_ledger(const struct table *table, const struct run_facts *facts)
{
    const struct tl_ledger *ledger = &facts->ledger;
    fprintf(table->stream, "%sLedger: launched %llu = recorded %llu",
            facts->lost_anything ? paint(table, RED) : "", (unsigned long long)ledger->launched,
            (unsigned long long)ledger->recorded);
    print_term(table, "lost", ledger->lost_operations);
    print_term(table, "undelivered", ledger->undelivered);
    print_term(table, "unobserved", ledger->unobserved);
    print_term(table, "missing", ledger->missing);
    if (ledger->launched_graph)
        fprintf(table->stream, ", and %llu in graphs", (unsigned long long)ledger->launched_graph);
    fprintf(table->stream, "; %s%s\n",
            facts->lost_anything ? "not everything was recorded:" : "nothing lost",
            facts->lost_anything ? paint(table, PLAIN) : "");
}

static void print_losses(const struct table *table, const struct run_facts *facts)
{
    struct run_trouble troubles[RUN_TROUBLES];
    run_facts_troubles(facts, troubles);
    print_ledger(table, facts);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        print_cause(table, run_facts_cause_name(cause), facts->loss[cause],
                    run_facts_cause_sentence(cause));
    for (unsigned i = 0; i < RUN_TROUBLES; i++)
        print_cause(table, troubles[i].name, troubles[i].count, troubles[i].sentence);
    if (facts->ring)
        fprintf(table->stream, "Ring mode: only the last part of the run was kept.\n");
}

static void print_throttle(const struct table *table, const struct timeline *timeline,
                           const struct tl_throttle *throttle)
{
    const struct tl_process *process = &timeline->processes.at[throttle->process];
    char at[TIME_TEXT_BYTES], cost[TIME_TEXT_BYTES], budget[TIME_TEXT_BYTES];
    time_text_number((double)(throttle->time_ns - process->start_ns) / 1e9, 3, at);
    time_text_number(throttle->cost_ppm / 1e4, 2, cost);
    time_text_number(throttle->budget_ppm / 1e4, 2, budget);
    fprintf(table->stream, "  at %s s %s: %s (%s %% of wall, the budget is %s %%)", at,
            throttle->on ? "recorded again" : "not recorded any more",
            run_cost_throttle_sentence(throttle), cost, budget);
    if (timeline->processes.count > 1)
        fprintf(table->stream, ", process %u", process->info.pid);
    fputc('\n', table->stream);
}

static void print_cost(const struct table *table, const struct timeline *timeline)
{
    struct run_cost cost;
    char own[TIME_TEXT_BYTES], begin[TIME_TEXT_BYTES], share[TIME_TEXT_BYTES];
    run_cost_init(&cost, timeline);
    if (!cost.stated)
        return;
    time_text((double)cost.own_ns, own);
    time_text((double)cost.begin_ns, begin);
    double percent = run_cost_percent(&cost);
    time_text_number(percent, percent < 0.1 ? 3 : 1, share);
    fprintf(table->stream, "libprof cost %s %% of wall", share);
    if (cost.launches)
        fprintf(table->stream, ", %llu ns per launch (CUPTI's own cost not included)",
                (unsigned long long)cost.launch_ns);
    fprintf(table->stream, "; start-up %s; background threads %s\n", begin, own);
    for (uint32_t i = 0; i < timeline->throttles.count; i++)
        print_throttle(table, timeline, &timeline->throttles.at[i]);
}

void write_options_default(struct write_options *options)
{
    *options = (struct write_options){.size_bytes = sizeof *options,
                                      .sort = KEY_BY_DEFAULT,
                                      .rows = -1,
                                      .group_by = KEY_BY_KEY,
                                      .depth = UINT32_MAX,
                                      .name_width = WRITE_NAME_WIDTH,
                                      .name_least = FIT_TEXT_LEAST};
}

static bool print_statement(const struct table *table)
{
    struct run_facts facts;
    run_facts_init(&facts, table->timeline);
    bool printed = print_accounts(table->timeline, table->stream);
    print_mode(table, &facts);
    print_losses(table, &facts);
    printed = failed_calls_text(table->stream, table->timeline, FAILED_SHOWN) && printed;
    print_cost(table, table->timeline);
    return printed;
}

static bool write_foot(const void *user, FILE *stream)
{
    struct table table = *(const struct table *)user;
    table.stream = stream;
    print_totals(&table);
    return print_statement(&table);
}

/* What stands under every table. */
static bool print_foot(const struct table *table)
{
    return fit_written(write_foot, table, table->width, table->stream);
}

bool write_statement(const struct timeline *timeline, FILE *stream)
{
    struct table table = {.stream = stream, .timeline = timeline};
    bool printed = print_statement(&table);
    if (!printed)
        errno = ENOMEM;
    return printed && !ferror(stream);
}

static bool print_table(const struct table *table, const struct write_options *options)
{
    struct averages_rows rows;
    if (!averages_rows_init(&rows, table->timeline, table->averages, options, table->stream))
        return false;
    averages_rows_print(&rows);
    averages_rows_fini(&rows);
    return print_foot(table);
}

static bool print_tree(const struct table *table, const struct write_options *options)
{
    return averages_tree_print(table->averages, options, table->stream) && print_foot(table);
}

/* Makes the averages and prints what shows them. */
static bool with_averages(const struct timeline *timeline, const struct write_options *options,
                          FILE *stream,
                          bool (*print)(const struct table *, const struct write_options *))
{
    struct key_averages averages;
    bool printed = false;
    if (averages_rows_select(&averages, timeline, options, false)) {
        struct table table = {stream, timeline, &averages, options->color, options->table_width};
        printed = print(&table, options);
        key_averages_fini(&averages);
    }
    if (!printed)
        errno = ENOMEM;
    return printed && !ferror(stream);
}

bool write_table(const struct timeline *timeline, const struct write_options *options, FILE *stream)
{
    return with_averages(timeline, options, stream, print_table);
}

struct write_options write_options_of_tree(const struct write_options *options)
{
    struct write_options by_path = *options;
    by_path.group_by = KEY_BY_KEY | KEY_BY_PATH;
    by_path.table = WRITE_TABLE_ALL;
    by_path.top_level = by_path.memory = false;
    return by_path;
}

bool write_tree(const struct timeline *timeline, const struct write_options *options, FILE *stream)
{
    struct write_options by_path = write_options_of_tree(options);
    return with_averages(timeline, &by_path, stream, print_tree);
}
