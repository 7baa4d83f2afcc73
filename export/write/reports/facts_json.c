/* facts_json.c - profdump --json: the summary and the table for programs, see members/stats.txt.
 * Numbers are integers, times nanoseconds. */
#include "reports.h"

#include "demangle.h"
#include "envelope.h"
#include "report_cells.h"
#include "report_parts.h"
#include "run_facts.h"
#include "slice_sums.h"

#include <errno.h>
#include <math.h>

/* Begins the array that is the next cell; table_end(). */
static struct table begin_list(struct table *table, const struct table_column *columns)
{
    struct table begun = table_in_json(table_json(table), NULL);
    table_begin(&begun, NULL, NULL, columns);
    return begun;
}

/* The same, with its rows in one line. */
static struct table begin_list_in_line(struct table *table, const struct table_column *columns)
{
    struct table in_line = begin_list(table, columns);
    in_line.rows_in_line = true;
    return in_line;
}

/* ---- what recording cost, what NVTX brought ---- */

#define PART_COLUMNS(X)                                            \
    X(table_string(table, run_cost_part_name(part)), "name")       \
    X(table_string(table, whose[run_cost_part_whose(part)]), "of") \
    X(table_count(table, cost->parts[part].count), "count")        \
    X(table_count(table, cost->parts[part].ns), "ns")              \
    X(table_string(table, run_cost_part_sentence(part)), "what")
static const char *const whose[] = {"threads", "begin", "own", "end"};
TABLE_ROW(part, PART_COLUMNS, const struct run_cost *cost, enum prof_cost_part part)

static void parts_cell(struct table *table, const struct run_cost *cost)
{
    struct table parts = begin_list_in_line(table, part_columns);
    for (int part = 0; part < PROF_COST_COUNT; part++)
        part_row(&parts, cost, (enum prof_cost_part)part);
    table_end(&parts);
}

#define COST_COLUMNS(X)                                                             \
    X(table_number(table, run_cost_percent(cost)), "percent")                       \
    X(table_number(table, run_cost_own_percent(cost)), "own_threads_percent")       \
    X(table_count(table, cost->base_ns), "base_ns")                                 \
    X(table_count(table, cost->taken_ns), "taken_ns")                               \
    X(table_count(table, cost->begin_ns), "begin_ns")                               \
    X(table_count(table, cost->own_ns), "own_threads_ns")                           \
    X(table_count(table, cost->end_ns), "end_ns")                                   \
    X(table_count(table, cost->launches), "launches")                               \
    X(table_count(table, cost->launch_ns), "ns_per_launch")                         \
    X(table_number(table, cost->budget_ppm ? cost->budget_ppm / 1e4 : (double)NAN), \
      "budget_percent")                                                             \
    X(parts_cell(table, cost), "parts")
TABLE_ROW(cost, COST_COLUMNS, const struct run_cost *cost)

#define THROTTLE_COLUMNS(X)                                          \
    X(table_string(table, run_cost_throttle_name(throttle)), "what") \
    X(table_bool(table, throttle->on), "recorded")                   \
    X(table_int(table, throttle->time_ns), "time_ns")                \
    X(cell_pid(table, timeline, throttle->process), "pid")           \
    X(table_number(table, throttle->cost_ppm / 1e4), "cost_percent") \
    X(table_number(table, throttle->budget_ppm / 1e4), "budget_percent")
TABLE_ROW(throttle, THROTTLE_COLUMNS, const struct timeline *timeline,
          const struct tl_throttle *throttle)

void cost_json(struct json_out *out, const struct timeline *timeline)
{
    struct table object = table_in_json(out, cost_columns),
                 shed = table_in_json(out, throttle_columns);
    struct run_cost cost;
    run_cost_init(&cost, timeline);
    if (cost.stated) {
        json_key(out, "cost"), cost_row(&object, &cost);
        json_object_end(out);
    }
    if (!cost.stated && !timeline->throttles.count)
        return;
    table_begin(&shed, "shed", NULL, throttle_columns);
    for (uint32_t i = 0; i < timeline->throttles.count; i++)
        throttle_row(&shed, timeline, &timeline->throttles.at[i]);
    table_end(&shed);
}

/* {"ranges", "marks", "begin_end_ranges",
 *                "domains": [{pid, name, ranges, marks, begin_end_ranges}],
 *                "categories": [{pid, domain, category, name, ranges, marks, begin_end_ranges}]}
 *
 * of all processes. The default domain's name is null, and so is that of a category of which only
 * the number is known.
 */

#define COUNT_COLUMNS(X, counts)                     \
    X(table_count(table, (counts).ranges), "ranges") \
    X(table_count(table, (counts).marks), "marks")   \
    X(table_count(table, (counts).begin_ends), "begin_end_ranges")

#define DOMAIN_COLUMNS(X)                                                \
    X(cell_pid(table, timeline, timeline->domains.at[i].process), "pid") \
    X(cell_name(table, timeline, timeline->domains.at[i].name), "name")  \
    COUNT_COLUMNS(X, counts->domains[i])
TABLE_ROW(domain, DOMAIN_COLUMNS, const struct timeline *timeline, const struct nvtx_counts *counts,
          uint32_t i)

static void domains_cell(struct table *table, const struct timeline *timeline,
                         const struct nvtx_counts *counts)
{
    struct table domains = begin_list(table, domain_columns);
    for (uint32_t i = 0; i < timeline->domains.count; i++)
        domain_row(&domains, timeline, counts, i);
    table_end(&domains);
}

#define CATEGORY_COLUMNS(X)                                                              \
    X(cell_pid(table, timeline, timeline->domains.at[category->domain].process), "pid")  \
    X(cell_name(table, timeline, timeline->domains.at[category->domain].name), "domain") \
    X(table_count(table, category->number), "category")                                  \
    X(cell_name(table, timeline, category->name), "name")                                \
    COUNT_COLUMNS(X, *count)
TABLE_ROW(category, CATEGORY_COLUMNS, const struct timeline *timeline,
          const struct tl_category *category, const struct nvtx_count *count)

static void categories_cell(struct table *table, const struct timeline *timeline,
                            const struct nvtx_counts *counts)
{
    struct table categories = begin_list(table, category_columns);
    for (uint32_t i = 0; i < timeline->categories.count; i++)
        category_row(&categories, timeline, &timeline->categories.at[i], &counts->categories[i]);
    table_end(&categories);
}

#define NVTX_COLUMNS(X)                                 \
    COUNT_COLUMNS(X, counts->all)                       \
    X(domains_cell(table, timeline, counts), "domains") \
    X(categories_cell(table, timeline, counts), "categories")
TABLE_ROW(nvtx, NVTX_COLUMNS, const struct timeline *timeline, const struct nvtx_counts *counts)

/* ---- the run ---- */

/* Keys that are not literals: names of causes, all plain words. */
static void write_count(struct json_out *out, const char *name, uint64_t count)
{
    char key[80];
    int size = snprintf(key, sizeof key, "\"%s\":", name);
    json_out_literal(out, key, (size_t)size, false);
    json_uint(out, count);
}

void facts_json_run(struct json_out *out, const struct run_facts *facts)
{
    json_key(out, "libprof"), json_constant(out, PROF_VERSION);
    json_key(out, "mode"), json_string(out, facts->mode);
    json_key(out, "mode_reason"), json_text(out, facts->mode_reason);
    json_key(out, "simulated"), json_bool(out, facts->simulated);
}

void facts_json_loss(struct json_out *out, const struct run_facts *facts)
{
    struct run_trouble troubles[RUN_TROUBLES];
    run_facts_troubles(facts, troubles);
    json_key(out, "loss");
    json_object_begin(out);
    write_count(out, "launched", facts->ledger.launched);
    write_count(out, "launched_graph", facts->ledger.launched_graph);
    write_count(out, "recorded", facts->ledger.recorded);
    write_count(out, "lost_operations", facts->ledger.lost_operations);
    write_count(out, "lost_device", facts->ledger.lost_device);
    write_count(out, "lost_host", facts->ledger.lost_host);
    for (unsigned i = 0; i < RUN_TROUBLES; i++)
        write_count(out, troubles[i].name, troubles[i].count);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        write_count(out, run_facts_cause_name(cause), facts->loss[cause]);
    json_object_end(out);
}

/* "file" is empty where the child's file is not among those given, "time_ns" null where it was made
 * before the recording began. */
#define CHILD_COLUMNS(X)                                                                          \
    X(table_count(table, child->pid), "pid")                                                      \
    X(table_string(table, origins[child->origin]), "origin")                                      \
    X(child->time_ns == TL_NO_TIME ? table_none(table) : table_int(table, child->time_ns),        \
      "time_ns")                                                                                  \
    X(table_string(                                                                               \
          table, child->recorded == TL_NONE ? "" : timeline->processes.at[child->recorded].path), \
      "file")
static const char *const origins[] = {
    [PROF_CHILD_FORK] = "fork", [PROF_CHILD_SPAWN] = "spawn", [PROF_CHILD_EXEC] = "exec"};
TABLE_ROW(child, CHILD_COLUMNS, const struct timeline *timeline, const struct tl_child *child)

static void children_cell(struct table *table, const struct timeline *timeline, uint32_t process)
{
    struct table children = begin_list_in_line(table, child_columns);
    for (uint32_t i = 0; i < timeline->children.count; i++)
        if (timeline->children.at[i].process == process)
            child_row(&children, timeline, &timeline->children.at[i]);
    table_end(&children);
}

/* "end_ns" and "stop" are null where recording was not switched off. */
#define WINDOW_COLUMNS(X)                                                                          \
    X(table_count(table, window->epoch), "epoch")                                                  \
    X(table_int(table, window->start_ns), "start_ns")                                              \
    X(stopped ? table_int(table, window->end_ns) : table_none(table), "end_ns")                    \
    X(table_string(table, run_facts_reason_name((enum prof_control_reason)window->start_reason)),  \
      "start")                                                                                     \
    X(stopped ? table_string(table,                                                                \
                             run_facts_reason_name((enum prof_control_reason)window->stop_reason)) \
              : table_none(table),                                                                 \
      "stop")
TABLE_ROW(window, WINDOW_COLUMNS, const struct tl_window *window, bool stopped)

static void windows_cell(struct table *table, const struct timeline *timeline, uint32_t process)
{
    struct table windows = begin_list_in_line(table, window_columns);
    for (uint32_t i = 0; i < timeline->windows.count; i++) {
        const struct tl_window *window = &timeline->windows.at[i];
        if (window->process == process)
            window_row(&windows, window, window->end_ns != TL_NO_TIME);
    }
    table_end(&windows);
}

#define WARNING_COLUMNS(X)                                          \
    X(table_text(table, timeline->names.at[warning->what]), "what") \
    X(table_count(table, warning->count), "count")
TABLE_ROW(warning, WARNING_COLUMNS, const struct timeline *timeline,
          const struct tl_warning *warning)

static void warnings_cell(struct table *table, const struct timeline *timeline, uint32_t process)
{
    struct table warnings = begin_list_in_line(table, warning_columns);
    for (uint32_t i = 0; i < timeline->warnings.count; i++)
        if (timeline->warnings.at[i].process == process)
            warning_row(&warnings, timeline, &timeline->warnings.at[i]);
    table_end(&warnings);
}

static void notes_cell(struct table *table, const struct timeline *timeline, uint32_t process)
{
    struct json_out *out = table_json(table);
    json_array_begin(out);
    for (uint32_t i = 0; i < timeline->notes.count; i++)
        if (timeline->notes.at[i].process == process)
            json_text(out, timeline->names.at[timeline->notes.at[i].text]);
    json_array_end(out);
}

/* A number of the recorder's, which writes -1 for what it does not know. */
static void number_cell(struct table *table, int64_t number)
{
    if (number < 0)
        table_unknown(table);
    else
        table_int(table, number);
}

/* Only files of others have warnings and notes. */
#define IF_KNOWN(known, cell) (known) ? cell : table_absent(table)
#define PROCESS_FACTS(X)                                                                           \
    X(table_count(table, info->pid), "pid")                                                        \
    X(table_count(table, info->parent_pid), "parent_pid")                                          \
    X(table_text(table, info->program), "program")                                                 \
    X(table_text(table, info->host), "host")                                                       \
    X(table_string(table, process->path ? process->path : ""), "file")                             \
    X(number_cell(table, info->rank), "rank")                                                      \
    X(number_cell(table, info->local_rank), "local_rank")                                          \
    X(number_cell(table, info->world_size), "world_size")                                          \
    X(table_count(table, info->start_realtime_ns), "start_realtime_ns")                            \
    X(table_int(table, process->end_ns - process->start_ns), "duration_ns")                        \
    X(table_bool(table, info->closed), "closed")                                                   \
    X(table_bool(table, info->ring), "ring")                                                       \
    X(table_bool(table, info->simulated), "simulated")                                             \
    X(table_string(table, run_facts_mode_name(info->gpu_mode)), "mode")                            \
    X(table_text(table, info->gpu_reason), "mode_reason")                                          \
    X(table_text(table, info->cupti), "cupti")                                                     \
    X(table_text(table, info->driver), "driver")                                                   \
    X(table_text(table, info->library_version), "libprof")                                         \
    X(IF_KNOWN(info->system_clock_known, table_bool(table, info->system_clock_synchronized)),      \
      "clock_synchronized")                                                                        \
    X(IF_KNOWN(info->system_clock_known, table_int(table, info->system_clock_max_error_ns)),       \
      "clock_error_ns")                                                                            \
    X(IF_KNOWN(info->system_clock_known, table_int(table, info->system_clock_estimated_error_ns)), \
      "clock_estimated_error_ns")                                                                  \
    X(IF_KNOWN(info->format.size, table_text(table, info->format)), "format")                      \
    X(children_cell(table, timeline, index), "children")                                           \
    X(windows_cell(table, timeline, index), "windows")                                             \
    X(IF_KNOWN(info->request.size, table_text(table, info->request)), "request")                   \
    X(IF_KNOWN(timeline->warnings.count, warnings_cell(table, timeline, index)), "warnings")       \
    X(IF_KNOWN(timeline->notes.count, notes_cell(table, timeline, index)), "notes")
TABLE_ROW(process, PROCESS_FACTS, const struct timeline *timeline, uint32_t index,
          const struct tl_process *process, const struct tl_process_info *info)

#define DEVICE_COLUMNS(X)                                                                     \
    X(table_count(table, info->device), "id")                                                 \
    X(cell_pid(table, timeline, device->process), "pid")                                      \
    X(table_text(table, device_name(timeline, device)), "name")                               \
    X(table_bool(table, timeline->processes.at[device->process].info.simulated), "simulated") \
    X(table_count(table, info->memory_bytes), "memory_bytes")                                 \
    X(table_count(table, info->memory_bandwidth), "memory_bandwidth")                         \
    X(table_count(table, info->compute_major), "compute_major")                               \
    X(table_count(table, info->compute_minor), "compute_minor")                               \
    X(table_count(table, info->multiprocessors), "multiprocessors")                           \
    X(number_cell(table, device->clock_error_ns), "clock_error_ns")
TABLE_ROW(device, DEVICE_COLUMNS, const struct timeline *timeline, const struct tl_device *device,
          const struct tl_device_info *info)

static void write_averages(struct json_out *out, const struct timeline *timeline,
                           const struct key_averages *averages, const struct write_options *options)
{
    struct group_texts texts = {timeline, averages, &options->stacks, false};
    struct key_average total = key_averages_total(averages);
    json_newline(out), json_key(out, "key_averages");
    averages_json_rows(out, &texts, false, options->rows);
    json_newline(out), json_key(out, "kernels");
    averages_json_rows(out, &texts, true, options->rows);
    json_newline(out), json_key(out, "total_average"), averages_json_total(out, &total);
    if (!averages_json_devices(out, timeline))
        out->error = ENOMEM;
}

void facts_json_lists(struct json_out *out, const struct timeline *timeline)
{
    struct table table = table_in_json(out, NULL);
    json_newline(out), table_begin(&table, "processes", NULL, process_columns);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        process_row(&table, timeline, i, &timeline->processes.at[i],
                    &timeline->processes.at[i].info);
    table_end(&table);
    json_newline(out), table_begin(&table, "devices", NULL, device_columns);
    for (uint32_t i = 0; i < timeline->devices.count; i++)
        device_row(&table, timeline, &timeline->devices.at[i], &timeline->devices.at[i].info);
    table_end(&table);
}

static void write_memory_member(struct json_out *out, const struct timeline *timeline, int64_t rows)
{
    if (timeline->heaps.count == 0 && timeline->pools.count == 0 && timeline->migrations.count == 0)
        return;
    json_newline(out), json_key(out, "memory");
    if (!memory_json(out, timeline, rows))
        out->error = ENOMEM;
}

static void write_graphs_member(struct json_out *out, const struct timeline *timeline, int64_t rows)
{
    if (timeline->graphs.count == 0 && timeline->graph_launches.count == 0)
        return;
    json_newline(out), json_key(out, "graphs");
    if (!graphs_json(out, timeline, rows))
        out->error = ENOMEM;
}

static void write_stacks(struct json_out *out, const struct timeline *timeline)
{
    struct stack_facts facts;
    stack_facts_init(&facts, timeline);
    if (facts.stacks == 0 && facts.untaken == 0 && facts.missing == 0)
        return;
    json_newline(out), json_key(out, "stacks"), json_object_begin(out);
    json_key(out, "count"), json_uint(out, facts.stacks);
    json_key(out, "modules"), json_uint(out, facts.modules);
    json_key(out, "method"), json_string(out, facts.method);
    json_key(out, "cut"), json_uint(out, facts.cut);
    json_key(out, "untaken"), json_uint(out, facts.untaken);
    json_key(out, "missing"), json_uint(out, facts.missing);
    json_object_end(out);
}

/* Of a part of the recording. As --window takes it, after an "@". */
static void write_part(struct json_out *out, const struct timeline *timeline)
{
    if (!timeline->restricted)
        return;
    json_key(out, "window"), json_object_begin(out);
    json_key(out, "from_realtime_ns");
    json_uint(out, timeline->base_realtime_ns + (uint64_t)timeline->shown_from_ns);
    json_key(out, "to_realtime_ns");
    json_uint(out, timeline->base_realtime_ns + (uint64_t)timeline->shown_to_ns);
    json_object_end(out);
}

static void write_facts(struct json_out *out, const struct timeline *timeline,
                        const struct key_averages *averages, const struct nvtx_counts *nvtx,
                        const struct write_options *options)
{
    struct table object = table_in_json(out, nvtx_columns);
    const struct envelope envelope = {.command = "stats", .timelines = {timeline}};
    struct run_facts facts;
    run_facts_init(&facts, timeline);
    json_object_begin(out);
    if (!envelope_begin(out, &envelope))
        return;
    json_key(out, "demangled"), json_bool(out, demangle_available());
    json_key(out, "duration_ns"), json_int(out, timeline->end_ns - timeline->start_ns);
    write_part(out, timeline);
    json_key(out, "self_cpu_total_ns"), json_int(out, averages->self_cpu_total_ns);
    json_key(out, "self_cuda_total_ns"), json_int(out, averages->self_cuda_total_ns);
    json_key(out, "timed_by_events"), json_uint(out, timeline->timings.count);
    json_key(out, "cuda_outside_ranges_ns"), json_int(out, averages->cuda_outside_ns);
    if (timeline->frames.count)
        json_key(out, "python_calls"), json_uint(out, timeline->frames.count);
    facts_json_lists(out, timeline);
    json_newline(out), json_key(out, "nvtx"), nvtx_row(&object, timeline, nvtx);
    json_object_end(out);
    write_averages(out, timeline, averages, options);
    write_memory_member(out, timeline, options->rows);
    json_newline(out), facts_json_loss(out, &facts);
    if (!ledger_json(out, timeline))
        out->error = ENOMEM;
    write_graphs_member(out, timeline, options->rows);
    cost_json(out, timeline);
    write_stacks(out, timeline);
    envelope_end(out, "stats");
    json_object_end(out);
    out->comma = false;
    json_newline(out);
}

bool write_json(const struct timeline *timeline, const struct write_options *options, FILE *stream)
{
    struct key_averages averages;
    struct nvtx_counts nvtx;
    struct json_out out;
    if (!nvtx_counts_init(&nvtx, timeline)) {
        errno = ENOMEM;
        return false;
    }
    if (!averages_rows_select(&averages, timeline, options, true)) {
        nvtx_counts_fini(&nvtx);
        errno = ENOMEM;
        return false;
    }
    if (json_out_init(&out, -1, stream))
        write_facts(&out, timeline, &averages, &nvtx, options);
    key_averages_fini(&averages);
    nvtx_counts_fini(&nvtx);
    errno = json_out_fini(&out);
    return errno == 0;
}
