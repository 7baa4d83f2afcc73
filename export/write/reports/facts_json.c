/* facts_json.c - profdump --json: the summary and the table for programs. Numbers are integers,
 * times nanoseconds.
 *
 *     {"libprof", "mode", "mode_reason", "simulated", "demangled", "duration_ns",
 *     "timed_by_events",
 *      "processes": [{pid, program, host, rank, children, windows, ...}],
 *      "devices": [{id, name, ...}],
 *      "nvtx": {counts, domains, categories},
 *      "key_averages": [{see report_parts.h}], "kernels": [the rows of kernels again],
 *      "total_average": {a row}, "device_time": [{see report_parts.h}], "loss": {...},
 *      "ledger": [...], "failed_calls": [...], see ledger_report.c,
 *      "cost", "throttled": see reports.h,
 *      "graphs": [see graphs_report.c], where there are any,
 *      "stacks": {count, modules, method, cut, untaken, missing}}, the last where there are any
 */
#include "reports.h"

#include "report_cells.h"
#include "report_parts.h"
#include "run_facts.h"
#include "slice_sums.h"

#include <errno.h>

/* ---- what recording cost, what NVTX brought ---- */

static void write_cost_part(struct json_out *out, const struct run_cost *cost,
                            enum prof_cost_part part)
{
    static const char *const of[] = {"threads", "begin", "own", "end"};
    json_object_begin(out);
    json_key(out, "name"), json_string(out, run_cost_part_name(part));
    json_key(out, "of"), json_string(out, of[run_cost_part_whose(part)]);
    json_key(out, "count"), json_uint(out, cost->parts[part].count);
    json_key(out, "ns"), json_uint(out, cost->parts[part].ns);
    json_key(out, "what"), json_string(out, run_cost_part_sentence(part));
    json_object_end(out);
}

static void write_cost(struct json_out *out, const struct run_cost *cost)
{
    json_key(out, "cost"), json_object_begin(out);
    json_key(out, "percent"), json_double(out, run_cost_percent(cost));
    json_key(out, "base_ns"), json_uint(out, cost->base_ns);
    json_key(out, "taken_ns"), json_uint(out, cost->taken_ns);
    json_key(out, "begin_ns"), json_uint(out, cost->begin_ns);
    json_key(out, "own_threads_ns"), json_uint(out, cost->own_ns);
    json_key(out, "end_ns"), json_uint(out, cost->end_ns);
    json_key(out, "launches"), json_uint(out, cost->launches);
    json_key(out, "ns_per_launch"), json_uint(out, cost->launch_ns);
    json_key(out, "budget_percent");
    if (cost->budget_ppm)
        json_double(out, cost->budget_ppm / 1e4);
    else
        json_null(out);
    json_key(out, "parts"), json_array_begin(out);
    for (int part = 0; part < PROF_COST_COUNT; part++)
        write_cost_part(out, cost, (enum prof_cost_part)part);
    json_array_end(out);
    json_object_end(out);
}

static void write_throttle(struct json_out *out, const struct timeline *timeline,
                           const struct tl_throttle *throttle)
{
    json_object_begin(out);
    json_key(out, "what"), json_string(out, run_cost_throttle_name(throttle));
    json_key(out, "recorded"), json_bool(out, throttle->on);
    json_key(out, "time_ns"), json_int(out, throttle->time_ns);
    json_key(out, "pid"), json_uint(out, timeline->processes.at[throttle->process].info.pid);
    json_key(out, "cost_percent"), json_double(out, throttle->cost_ppm / 1e4);
    json_key(out, "budget_percent"), json_double(out, throttle->budget_ppm / 1e4);
    json_object_end(out);
}

void cost_json(struct json_out *out, const struct timeline *timeline)
{
    struct run_cost cost;
    run_cost_init(&cost, timeline);
    if (cost.stated)
        write_cost(out, &cost);
    if (!cost.stated && !timeline->throttles.count)
        return;
    json_key(out, "shed"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->throttles.count; i++)
        write_throttle(out, timeline, &timeline->throttles.at[i]);
    json_array_end(out);
}

/* {"ranges", "marks", "begin_end_ranges",
 *                "domains": [{pid, name, ranges, marks, begin_end_ranges}],
 *                "categories": [{pid, domain, category, name, ranges, marks, begin_end_ranges}]}
 *
 * The default domain's name is null, and so is that of a category of which only the number is
 * known.
 */

static void write_counts(struct json_out *out, const struct nvtx_count *count)
{
    json_key(out, "ranges"), json_uint(out, count->ranges);
    json_key(out, "marks"), json_uint(out, count->marks);
    json_key(out, "begin_end_ranges"), json_uint(out, count->begin_ends);
}

static void write_name(struct json_out *out, const struct timeline *timeline, uint32_t name)
{
    if (name < timeline->names.count)
        json_text(out, timeline->names.at[name]);
    else
        json_null(out);
}

static uint64_t pid_of(const struct timeline *timeline, const struct tl_domain *domain)
{
    return timeline->processes.at[domain->process].info.pid;
}

static void write_domains(struct json_out *out, const struct timeline *timeline,
                          const struct nvtx_counts *counts)
{
    json_key(out, "domains"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->domains.count; i++) {
        const struct tl_domain *domain = &timeline->domains.at[i];
        json_newline(out);
        json_object_begin(out);
        json_key(out, "pid"), json_uint(out, pid_of(timeline, domain));
        json_key(out, "name"), write_name(out, timeline, domain->name);
        write_counts(out, &counts->domains[i]);
        json_object_end(out);
    }
    json_array_end(out);
}

static void write_categories(struct json_out *out, const struct timeline *timeline,
                             const struct nvtx_counts *counts)
{
    json_key(out, "categories"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->categories.count; i++) {
        const struct tl_category *category = &timeline->categories.at[i];
        const struct tl_domain *domain = &timeline->domains.at[category->domain];
        json_newline(out);
        json_object_begin(out);
        json_key(out, "pid"), json_uint(out, pid_of(timeline, domain));
        json_key(out, "domain"), write_name(out, timeline, domain->name);
        json_key(out, "category"), json_uint(out, category->number);
        json_key(out, "name"), write_name(out, timeline, category->name);
        write_counts(out, &counts->categories[i]);
        json_object_end(out);
    }
    json_array_end(out);
}

/* Member "nvtx" of an open object: counts, and lists of the domains and categories of all
 * processes. */
static void write_nvtx(struct json_out *out, const struct timeline *timeline,
                       const struct nvtx_counts *counts)
{
    json_key(out, "nvtx"), json_object_begin(out);
    write_counts(out, &counts->all);
    write_domains(out, timeline, counts);
    write_categories(out, timeline, counts);
    json_object_end(out);
}

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
static void write_child(struct json_out *out, const struct timeline *timeline,
                        const struct tl_child *child)
{
    static const char *const origins[] = {
        [PROF_CHILD_FORK] = "fork", [PROF_CHILD_SPAWN] = "spawn", [PROF_CHILD_EXEC] = "exec"};
    const char *file =
        child->recorded == TL_NONE ? "" : timeline->processes.at[child->recorded].path;
    json_object_begin(out);
    json_key(out, "pid"), json_uint(out, child->pid);
    json_key(out, "origin"), json_string(out, origins[child->origin]);
    json_key(out, "time_ns");
    if (child->time_ns == TL_NO_TIME)
        json_null(out);
    else
        json_int(out, child->time_ns);
    json_key(out, "file"), json_string(out, file);
    json_object_end(out);
}

static void write_children(struct json_out *out, const struct timeline *timeline, uint32_t process)
{
    json_key(out, "children"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->children.count; i++)
        if (timeline->children.at[i].process == process)
            write_child(out, timeline, &timeline->children.at[i]);
    json_array_end(out);
}

/* "end_ns" and "stop" are null where recording was not switched off. */
static void write_window(struct json_out *out, const struct tl_window *window)
{
    bool stopped = window->end_ns != TL_NO_TIME;
    json_object_begin(out);
    json_key(out, "epoch"), json_uint(out, window->epoch);
    json_key(out, "start_ns"), json_int(out, window->start_ns);
    json_key(out, "end_ns");
    if (stopped)
        json_int(out, window->end_ns);
    else
        json_null(out);
    json_key(out, "start");
    json_string(out, run_facts_reason_name((enum prof_control_reason)window->start_reason));
    json_key(out, "stop");
    if (stopped)
        json_string(out, run_facts_reason_name((enum prof_control_reason)window->stop_reason));
    else
        json_null(out);
    json_object_end(out);
}

static void write_windows(struct json_out *out, const struct timeline *timeline, uint32_t process)
{
    json_key(out, "windows"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->windows.count; i++)
        if (timeline->windows.at[i].process == process)
            write_window(out, &timeline->windows.at[i]);
    json_array_end(out);
}

/* Only files of others have any. */
static void write_warnings(struct json_out *out, const struct timeline *timeline, uint32_t process)
{
    if (timeline->warnings.count == 0)
        return;
    json_key(out, "warnings"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->warnings.count; i++) {
        const struct tl_warning *warning = &timeline->warnings.at[i];
        if (warning->process != process)
            continue;
        json_object_begin(out);
        json_key(out, "what"), json_text(out, timeline->names.at[warning->what]);
        json_key(out, "count"), json_uint(out, warning->count);
        json_object_end(out);
    }
    json_array_end(out);
}

static void write_notes(struct json_out *out, const struct timeline *timeline, uint32_t process)
{
    if (timeline->notes.count == 0)
        return;
    json_key(out, "notes"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->notes.count; i++)
        if (timeline->notes.at[i].process == process)
            json_text(out, timeline->names.at[timeline->notes.at[i].text]);
    json_array_end(out);
}

static void write_system_clock(struct json_out *out, const struct tl_process_info *info)
{
    if (!info->system_clock_known)
        return;
    json_key(out, "clock_synchronized"), json_bool(out, info->system_clock_synchronized);
    json_key(out, "clock_error_ns"), json_int(out, info->system_clock_max_error_ns);
    json_key(out, "clock_estimated_error_ns"), json_int(out, info->system_clock_estimated_error_ns);
}

static void write_process(struct json_out *out, const struct timeline *timeline, uint32_t index)
{
    const struct tl_process *process = &timeline->processes.at[index];
    const struct tl_process_info *info = &process->info;
    json_newline(out);
    json_object_begin(out);
    json_key(out, "pid"), json_uint(out, info->pid);
    json_key(out, "parent_pid"), json_uint(out, info->parent_pid);
    json_key(out, "program"), json_text(out, info->program);
    json_key(out, "host"), json_text(out, info->host);
    json_key(out, "file"), json_string(out, process->path ? process->path : "");
    json_key(out, "rank"), json_int(out, info->rank);
    json_key(out, "local_rank"), json_int(out, info->local_rank);
    json_key(out, "world_size"), json_int(out, info->world_size);
    json_key(out, "start_realtime_ns"), json_uint(out, info->start_realtime_ns);
    json_key(out, "duration_ns"), json_int(out, process->end_ns - process->start_ns);
    json_key(out, "closed"), json_bool(out, info->closed);
    json_key(out, "ring"), json_bool(out, info->ring);
    json_key(out, "simulated"), json_bool(out, info->simulated);
    json_key(out, "mode"), json_string(out, run_facts_mode_name(info->gpu_mode));
    json_key(out, "mode_reason"), json_text(out, info->gpu_reason);
    json_key(out, "cupti"), json_text(out, info->cupti);
    json_key(out, "driver"), json_text(out, info->driver);
    json_key(out, "libprof"), json_text(out, info->library_version);
    write_system_clock(out, info);
    if (info->format.size)
        json_key(out, "format"), json_text(out, info->format);
    write_children(out, timeline, index);
    write_windows(out, timeline, index);
    if (info->request.size)
        json_key(out, "request"), json_text(out, info->request);
    write_warnings(out, timeline, index);
    write_notes(out, timeline, index);
    json_object_end(out);
}

static void write_device(struct json_out *out, const struct timeline *timeline,
                         const struct tl_device *device)
{
    const struct tl_device_info *info = &device->info;
    json_newline(out);
    json_object_begin(out);
    json_key(out, "id"), json_uint(out, info->device);
    json_key(out, "pid"), json_uint(out, timeline->processes.at[device->process].info.pid);
    json_key(out, "name"), json_text(out, device_name(timeline, device));
    json_key(out, "simulated"),
        json_bool(out, timeline->processes.at[device->process].info.simulated);
    json_key(out, "memory_bytes"), json_uint(out, info->memory_bytes);
    json_key(out, "memory_bandwidth"), json_uint(out, info->memory_bandwidth);
    json_key(out, "compute_major"), json_uint(out, info->compute_major);
    json_key(out, "compute_minor"), json_uint(out, info->compute_minor);
    json_key(out, "multiprocessors"), json_uint(out, info->multiprocessors);
    json_key(out, "clock_error_ns"), json_int(out, device->clock_error_ns);
    json_object_end(out);
}

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
    json_newline(out), json_key(out, "processes"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        write_process(out, timeline, i);
    json_array_end(out);
    json_newline(out), json_key(out, "devices"), json_array_begin(out);
    for (uint32_t i = 0; i < timeline->devices.count; i++)
        write_device(out, timeline, &timeline->devices.at[i]);
    json_array_end(out);
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
    struct run_facts facts;
    run_facts_init(&facts, timeline);
    json_object_begin(out);
    facts_json_run(out, &facts);
    json_key(out, "demangled"), json_bool(out, timeline->demangled);
    json_key(out, "duration_ns"), json_int(out, timeline->end_ns - timeline->start_ns);
    write_part(out, timeline);
    json_key(out, "self_cpu_total_ns"), json_int(out, averages->self_cpu_total_ns);
    json_key(out, "self_cuda_total_ns"), json_int(out, averages->self_cuda_total_ns);
    json_key(out, "timed_by_events"), json_uint(out, timeline->timings.count);
    json_key(out, "cuda_outside_ranges_ns"), json_int(out, averages->cuda_outside_ns);
    facts_json_lists(out, timeline);
    json_newline(out), write_nvtx(out, timeline, nvtx);
    write_averages(out, timeline, averages, options);
    write_memory_member(out, timeline, options->rows);
    json_newline(out), facts_json_loss(out, &facts);
    if (!ledger_json(out, timeline))
        out->error = ENOMEM;
    write_graphs_member(out, timeline, options->rows);
    cost_json(out, timeline);
    write_stacks(out, timeline);
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
