/* prometheus.c - what a run came to, in Prometheus' text format (version 0.0.4), for
 * node_exporter's textfile collector.
 *
 * Metrics and their labels are those of prof/prometheus.h, which the recorder writes while the
 * program runs. Beside them:
 *
 *     libprof_launched_operations{state}   the ledger of the run: launched, recorded ...
 *     libprof_range_calls_total, libprof_range_seconds_total, libprof_range_device_seconds_total
 *     {name}
 *                                          the RANGES_MAX ranges with the most time
 *
 * No kernel and no CUDA call is a label: there may be thousands. A series must be there once, or
 * readers refuse the whole directory: ranges whose names are the same once they are valid UTF-8 are
 * added up.
 */
#include "prof/prometheus.h"
#include "device_time.h"
#include "formats.h"
#include "json_out.h"
#include "key_averages.h"
#include "packed_out.h"
#include "report_cells.h"
#include "reports.h"
#include "run_facts.h"
#include "slice_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define RANGES_MAX 20u

enum value { VALUE_CALLS, VALUE_CPU, VALUE_DEVICE, VALUES };

/* A range under the label that it is written with. */
struct series {
    char *labels; /* name="..." */
    int64_t values[VALUES];
};

/* What was recorded of a process. */
struct counted {
    char *labels; /* host="...",pid="...",run="..." */
    struct prof_metrics_histogram steps;
    uint64_t launches;
    uint64_t operations[PROF_METRICS_KINDS];
    uint64_t copied_bytes[PROF_METRICS_DIRECTIONS];
    uint64_t collectives[PROF_METRICS_FUNCTIONS];
};

struct metrics {
    FILE *stream;
    const struct timeline *timeline;
    const struct write_prometheus_options *options;
    struct counted *processes;
    char *run_labels; /* what the processes have in common, with a comma */
};

/* Bytes from `at` on that stand as they are. */
static size_t plain_bytes(struct text text, size_t at)
{
    size_t count = 0;
    for (; at + count < text.size; count++) {
        char byte = text.bytes[at + count];
        if (byte < ' ' || byte > '~' || byte == '"' || byte == '\\')
            break;
    }
    return count;
}

/* The text between the quotes of a label's value; bytes that are not UTF-8, and NUL, become
 * U+FFFD. */
static void put_label_text(FILE *stream, struct text text)
{
    for (size_t at = 0; at < text.size;) {
        size_t plain = plain_bytes(text, at);
        fwrite(text.bytes + at, 1, plain, stream);
        at += plain;
        if (at == text.size)
            break;
        uint32_t character = 0;
        size_t size = utf8_decode(text.bytes + at, text.size - at, &character);
        if (character == '\n')
            fputs("\\n", stream);
        else if (character == '\\' || character == '"')
            fprintf(stream, "\\%c", (char)character);
        else if (size && character)
            fwrite(text.bytes + at, 1, size, stream);
        else
            fputs("\xef\xbf\xbd", stream);
        at += size ? size : 1;
    }
}

static void put_head(FILE *stream, const char *name, const char *type, const char *help)
{
    fprintf(stream, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* Nanoseconds as seconds: exact, and without the program's locale. */
static void put_seconds(FILE *stream, int64_t ns)
{
    uint64_t size = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    fprintf(stream, "%s%llu.%09llu\n", ns < 0 ? "-" : "", (unsigned long long)(size / 1000000000),
            (unsigned long long)(size % 1000000000));
}

static void put_count(FILE *stream, uint64_t count)
{
    fprintf(stream, "%llu\n", (unsigned long long)count);
}

/* ---- labels that each series has ---- */

static bool is_given(const struct write_prometheus_options *options, const char *name)
{
    size_t size = strlen(name);
    for (size_t i = 0; options && i < options->label_count; i++)
        if (strncmp(options->labels[i], name, size) == 0 && options->labels[i][size] == '=')
            return true;
    return false;
}

static void put_label(FILE *stream, const char *name, struct text value)
{
    fprintf(stream, "%s%s=\"", ftell(stream) > 0 ? "," : "", name);
    put_label_text(stream, value);
    fputc('"', stream);
}

static void put_number_label(FILE *stream, const char *name, uint64_t value)
{
    char text[32];
    int size = snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    put_label(stream, name, (struct text){text, (size_t)size});
}

/* A label that is given takes the place of ours. What is not known is left out. Of the run as a
 * whole, `run` is that of its first process, and what its processes need not have in common is left
 * out, too. */
static void put_process_labels(FILE *stream, const struct metrics *metrics, uint32_t process,
                               bool whole)
{
    const struct tl_process_info *info = &metrics->timeline->processes.at[process].info;
    const struct write_prometheus_options *options = metrics->options;
    if (!whole && info->host.size && !is_given(options, "host"))
        put_label(stream, "host", info->host);
    if (!whole && info->pid && !is_given(options, "pid"))
        put_number_label(stream, "pid", info->pid);
    if (!whole && info->rank >= 0 && !is_given(options, "rank"))
        put_number_label(stream, "rank", (uint64_t)info->rank);
    if (info->start_realtime_ns && !is_given(options, "run"))
        put_number_label(stream, "run", info->start_realtime_ns / 1000000);
    for (size_t i = 0; options && i < options->label_count; i++) {
        const char *equals = strchr(options->labels[i], '=');
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(equals - options->labels[i]), options->labels[i]);
        put_label(stream, name, (struct text){equals + 1, strlen(equals + 1)});
    }
}

/* Processes of other profilers' files may have nothing to distinguish them: the later ones are
 * numbered. */
static char *process_labels(const struct metrics *metrics, uint32_t process, bool numbered,
                            bool whole)
{
    char *labels = NULL;
    size_t size;
    FILE *stream = open_memstream(&labels, &size);
    if (!stream)
        return NULL;
    put_process_labels(stream, metrics, process, whole);
    if (numbered)
        put_number_label(stream, "process", process);
    if (whole && ftell(stream) > 0)
        fputc(',', stream);
    if (fclose(stream) == 0)
        return labels;
    free(labels);
    return NULL;
}

static bool label_processes(struct metrics *metrics)
{
    uint32_t count = metrics->timeline->processes.count;
    for (uint32_t i = 0; i < count; i++) {
        bool same = false;
        metrics->processes[i].labels = process_labels(metrics, i, false, false);
        for (uint32_t other = 0; other < i && metrics->processes[i].labels; other++)
            same |= strcmp(metrics->processes[i].labels, metrics->processes[other].labels) == 0;
        if (same) {
            free(metrics->processes[i].labels);
            metrics->processes[i].labels = process_labels(metrics, i, true, false);
        }
        if (!metrics->processes[i].labels)
            return false;
    }
    metrics->run_labels = count ? process_labels(metrics, 0, false, true) : strdup("");
    return metrics->run_labels != NULL;
}

/* ---- labels of the metrics themselves ---- */

#define METRIC_LABELS(symbol, name, type, who, labels, help) labels,

static bool has_word(const char *words, struct text word)
{
    for (size_t size; *words; words += size + strspn(words + size, ", ")) {
        size = strcspn(words, ", ");
        if (size == word.size && memcmp(words, word.bytes, size) == 0)
            return true;
    }
    return false;
}

bool write_prometheus_has_label(struct text name)
{
    static const char *const labels[] = {PROF_METRICS(METRIC_LABELS) "state, name, process"};
    for (size_t i = 0; i < sizeof labels / sizeof *labels; i++)
        if (has_word(labels[i], name))
            return true;
    return false;
}

/* ---- series ---- */

static const char *labels_of(const struct metrics *metrics, uint32_t process)
{
    const char *labels = metrics->processes[process].labels;
    return labels ? labels : "";
}

static void put_metric(const struct metrics *metrics, enum prof_metric metric)
{
    struct prof_metric_info info = prof_metric_describe(metric);
    put_head(metrics->stream, info.name, info.type, info.help);
}

/* Up to the value; a label of its own unless `label` is "". */
static void put_series(const struct metrics *metrics, uint32_t process, enum prof_metric metric,
                       const char *suffix, const char *label, const char *value)
{
    const char *labels = labels_of(metrics, process);
    fprintf(metrics->stream, "%s%s", prof_metric_describe(metric).name, suffix);
    if (*labels || *label)
        fprintf(metrics->stream, "{%s", labels);
    if (*label)
        fprintf(metrics->stream, "%s%s=\"%s\"", *labels ? "," : "", label, value);
    fputs(*labels || *label ? "} " : " ", metrics->stream);
}

static void put_counts(const struct metrics *metrics, enum prof_metric metric, const char *label,
                       const char *(*name)(unsigned), size_t offset, unsigned count, bool zeros)
{
    put_metric(metrics, metric);
    for (uint32_t process = 0; process < metrics->timeline->processes.count; process++) {
        const uint64_t *counts =
            (const void *)((const char *)&metrics->processes[process] + offset);
        for (unsigned i = 0; i < count; i++) {
            if (!counts[i] && !zeros)
                continue;
            put_series(metrics, process, metric, "", label, name ? name(i) : "");
            put_count(metrics->stream, counts[i]);
        }
    }
}

/* ---- counting ---- */

/* `ends`: as slice_ends_create() made them. */
static void count_slices(const struct metrics *metrics, const int64_t *ends)
{
    const struct timeline *timeline = metrics->timeline;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        struct counted *counted = &metrics->processes[timeline->threads.at[slice->thread].process];
        if (slice->flags & TL_CONTINUED)
            continue;
        if (slice->kind == TL_STEP) {
            prof_metrics_observe(&counted->steps, ends[i] - slice->start_ns);
        } else if (slice->kind == TL_API) {
            counted->launches +=
                slice->flags & (TL_LAUNCHES | TL_GRAPH) && !(slice->flags & TL_INTERNAL);
        } else if (slice->kind == TL_RANGE && slice->name < timeline->names.count) {
            struct text name = timeline->names.at[slice->name];
            unsigned function = prof_metrics_function_of(name.bytes, name.size);
            if (function < PROF_METRICS_FUNCTIONS)
                counted->collectives[function]++;
        }
    }
}

static void count_operations(const struct metrics *metrics)
{
    const struct timeline *timeline = metrics->timeline;
    static const uint8_t kinds[] = {[TL_KERNEL] = PROF_METRICS_KERNEL,
                                    [TL_MEMCPY] = PROF_METRICS_MEMCPY,
                                    [TL_MEMSET] = PROF_METRICS_MEMSET,
                                    [TL_GRAPH_RUN] = PROF_METRICS_GRAPH};
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        if (!tl_is_work(gpu))
            continue;
        struct counted *counted = &metrics->processes[gpu->process];
        counted->operations[kinds[gpu->kind]]++;
        if (gpu->kind != TL_MEMCPY)
            continue;
        unsigned copy_kind =
            gpu->detail < timeline->memcpys.count ? timeline->memcpys.at[gpu->detail].copy_kind : 0;
        counted->copied_bytes[prof_metrics_direction(copy_kind)] += gpu->bytes;
    }
}

/* ---- processes ---- */

static void put_info(const struct metrics *metrics)
{
    put_metric(metrics, PROF_METRIC_INFO);
    for (uint32_t i = 0; i < metrics->timeline->processes.count; i++) {
        const struct tl_process_info *info = &metrics->timeline->processes.at[i].info;
        const char *labels = metrics->processes[i].labels;
        fprintf(metrics->stream, "%s{%s%sprogram=\"", prof_metric_describe(PROF_METRIC_INFO).name,
                labels, *labels ? "," : "");
        put_label_text(metrics->stream, info->program);
        fputs("\",version=\"", metrics->stream);
        put_label_text(metrics->stream, info->library_version);
        fprintf(metrics->stream, "\",simulated=\"%s\"} 1\n", info->simulated ? "true" : "false");
    }
}

static void put_recorded(const struct metrics *metrics)
{
    put_metric(metrics, PROF_METRIC_RECORDED);
    for (uint32_t i = 0; i < metrics->timeline->processes.count; i++) {
        const struct tl_process *process = &metrics->timeline->processes.at[i];
        put_series(metrics, i, PROF_METRIC_RECORDED, "", "", "");
        put_seconds(metrics->stream, process->has_cost ? (int64_t)process->cost.recorded_ns
                                                       : process->end_ns - process->start_ns);
    }
}

static void put_histogram(const struct metrics *metrics, uint32_t process)
{
    const struct prof_metrics_histogram *steps = &metrics->processes[process].steps;
    uint64_t count = 0;
    for (unsigned i = 0; i < PROF_METRICS_BUCKETS; i++) {
        const char *limit;
        prof_metrics_bucket_ns(i, &limit);
        count += steps->buckets[i];
        put_series(metrics, process, PROF_METRIC_STEP_SECONDS, "_bucket", "le", limit);
        put_count(metrics->stream, count);
    }
    put_series(metrics, process, PROF_METRIC_STEP_SECONDS, "_sum", "", "");
    put_seconds(metrics->stream, (int64_t)steps->sum_ns);
    put_series(metrics, process, PROF_METRIC_STEP_SECONDS, "_count", "", "");
    put_count(metrics->stream, count);
}

static void put_steps(const struct metrics *metrics)
{
    put_counts(metrics, PROF_METRIC_STEPS, "", NULL, offsetof(struct counted, steps.count), 1,
               true);
    put_metric(metrics, PROF_METRIC_STEP_SECONDS);
    for (uint32_t i = 0; i < metrics->timeline->processes.count; i++)
        put_histogram(metrics, i);
}

static bool put_devices(const struct metrics *metrics)
{
    struct device_times times;
    if (!device_times_init(&times, metrics->timeline))
        return false;
    put_metric(metrics, PROF_METRIC_BUSY);
    for (uint32_t i = 0; i < times.count; i++) {
        char device[16];
        snprintf(device, sizeof device, "%u", times.at[i].device);
        put_series(metrics, times.at[i].process, PROF_METRIC_BUSY, "", "device", device);
        put_seconds(metrics->stream, times.at[i].busy_ns);
    }
    device_times_fini(&times);
    return true;
}

static void put_operations(const struct metrics *metrics)
{
    put_counts(metrics, PROF_METRIC_LAUNCHES, "", NULL, offsetof(struct counted, launches), 1,
               true);
    put_counts(metrics, PROF_METRIC_OPERATIONS, "kind", prof_metrics_kind,
               offsetof(struct counted, operations), PROF_METRICS_KINDS, true);
    put_counts(metrics, PROF_METRIC_COPIED, "direction", prof_metrics_direction_name,
               offsetof(struct counted, copied_bytes), PROF_METRICS_DIRECTIONS, false);
    put_counts(metrics, PROF_METRIC_COLLECTIVES, "function", prof_metrics_function,
               offsetof(struct counted, collectives), PROF_METRICS_FUNCTIONS, false);
}

/* How many heaps before it have the same labels: a program may give two allocators one name. */
static unsigned namesakes(const struct timeline *timeline, uint32_t number)
{
    const struct tl_heap *heap = &timeline->heaps.at[number];
    unsigned count = 0;
    for (uint32_t i = 0; i < number; i++) {
        const struct tl_heap *other = &timeline->heaps.at[i];
        count += other->process == heap->process && other->device == heap->device &&
                 other->name == heap->name;
    }
    return count;
}

static void put_heap(const struct metrics *metrics, enum prof_metric metric, uint32_t number,
                     uint64_t bytes)
{
    unsigned before = namesakes(metrics->timeline, number);
    const struct tl_heap *heap = &metrics->timeline->heaps.at[number];
    const char *labels = labels_of(metrics, heap->process);
    fprintf(metrics->stream, "%s{%s%s", prof_metric_describe(metric).name, labels,
            *labels ? "," : "");
    if (heap->device != TL_NONE)
        fprintf(metrics->stream, "device=\"%u\",", heap->device);
    fputs("memory=\"", metrics->stream);
    if (heap->name < metrics->timeline->names.count)
        put_label_text(metrics->stream, metrics->timeline->names.at[heap->name]);
    if (before)
        fprintf(metrics->stream, " (%u)", before + 1);
    fputs("\"} ", metrics->stream);
    put_count(metrics->stream, bytes);
}

static bool put_memory(const struct metrics *metrics)
{
    const struct timeline *timeline = metrics->timeline;
    struct memory_use use;
    if (timeline->heaps.count == 0)
        return true;
    if (!memory_use_init(&use, timeline))
        return false;
    put_metric(metrics, PROF_METRIC_MEMORY);
    for (uint32_t i = 0; i < timeline->heaps.count; i++)
        put_heap(metrics, PROF_METRIC_MEMORY, i, use.heaps[i].live_bytes);
    put_metric(metrics, PROF_METRIC_MEMORY_PEAK);
    for (uint32_t i = 0; i < timeline->heaps.count; i++)
        put_heap(metrics, PROF_METRIC_MEMORY_PEAK, i, use.heaps[i].peak_bytes);
    memory_use_fini(&use);
    return true;
}

static void put_losses(const struct metrics *metrics)
{
    put_metric(metrics, PROF_METRIC_LOST);
    for (uint32_t i = 0; i < metrics->timeline->processes.count; i++)
        for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++) {
            put_series(metrics, i, PROF_METRIC_LOST, "", "cause", run_facts_cause_name(cause));
            put_count(metrics->stream, metrics->timeline->processes.at[i].loss[cause]);
        }
}

static int64_t cost_of(const struct tl_cost *cost, enum run_cost_whose whose)
{
    uint64_t ns = 0;
    for (int part = 0; part < PROF_COST_COUNT; part++)
        if (run_cost_part_whose((enum prof_cost_part)part) == whose)
            ns += cost->parts[part].ns;
    return (int64_t)ns;
}

static void put_cost(const struct metrics *metrics)
{
    put_metric(metrics, PROF_METRIC_COST);
    for (uint32_t i = 0; i < metrics->timeline->processes.count; i++) {
        const struct tl_process *process = &metrics->timeline->processes.at[i];
        if (!process->has_cost)
            continue;
        put_series(metrics, i, PROF_METRIC_COST, "", "of", "program");
        put_seconds(metrics->stream, cost_of(&process->cost, RUN_COST_THREADS));
        put_series(metrics, i, PROF_METRIC_COST, "", "of", "libprof");
        put_seconds(metrics->stream, cost_of(&process->cost, RUN_COST_OWN));
    }
}

/* ---- the run ---- */

static void put_state(const struct metrics *metrics, const char *state, uint64_t count)
{
    fprintf(metrics->stream, "libprof_launched_operations{%sstate=\"%s\"} ", metrics->run_labels,
            state);
    put_count(metrics->stream, count);
}

static void put_ledger(const struct metrics *metrics)
{
    struct run_facts facts;
    run_facts_init(&facts, metrics->timeline);
    const struct tl_ledger *ledger = &facts.ledger;
    put_head(metrics->stream, "libprof_launched_operations", "gauge",
             "Operations of the whole run: launched = recorded + lost + undelivered + unobserved + "
             "missing; other states are separate.");
    put_state(metrics, "launched", ledger->launched);
    put_state(metrics, "recorded", ledger->recorded);
    put_state(metrics, "lost", ledger->lost_operations);
    put_state(metrics, "undelivered", ledger->undelivered);
    put_state(metrics, "unobserved", ledger->unobserved);
    put_state(metrics, "missing", ledger->missing);
    put_state(metrics, "orphaned", ledger->orphans);
    put_state(metrics, "ambiguous", ledger->ambiguous);
    put_state(metrics, "recorded_under_graphs", ledger->launched_graph);
}

static char *range_labels(const struct key_average *row)
{
    char *labels = NULL;
    size_t size;
    FILE *stream = open_memstream(&labels, &size);
    if (!stream)
        return NULL;
    put_label(stream, "name", row->name);
    if (fclose(stream) == 0)
        return labels;
    free(labels);
    return NULL;
}

static int compare_labels(const void *left, const void *right)
{
    return strcmp(((const struct series *)left)->labels, ((const struct series *)right)->labels);
}

static int compare_times(const void *left, const void *right)
{
    int64_t a = ((const struct series *)left)->values[VALUE_CPU];
    int64_t b = ((const struct series *)right)->values[VALUE_CPU];
    return a != b ? (a < b) - (a > b) : compare_labels(left, right);
}

static void free_series(struct series *series, uint32_t count)
{
    for (uint32_t i = 0; series && i < count; i++)
        free(series[i].labels);
    free(series);
}

/* The ranges among the rows; NULL: no memory. */
static struct series *make_series(const struct key_averages *averages, uint32_t *count)
{
    struct series *series = calloc(averages->count + (size_t)1, sizeof *series);
    *count = 0;
    for (uint32_t i = 0; series && i < averages->count; i++) {
        const struct key_average *row = &averages->rows[i];
        if (row->kind != KEY_RANGE)
            continue;
        series[*count] = (struct series){
            range_labels(row), {(int64_t)row->count, row->cpu_total_ns, row->cuda_total_ns}};
        if (!series[(*count)++].labels) {
            free_series(series, *count);
            return NULL;
        }
    }
    return series;
}

/* Adds up what has the same labels. Returns how many are left, by time. */
static uint32_t merge_series(struct series *series, uint32_t count)
{
    uint32_t kept = 0;
    if (count > 1)
        qsort(series, count, sizeof *series, compare_labels);
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || strcmp(series[kept - 1].labels, series[i].labels) != 0) {
            series[kept++] = series[i];
            continue;
        }
        for (unsigned value = 0; value < VALUES; value++)
            series[kept - 1].values[value] += series[i].values[value];
        free(series[i].labels);
    }
    if (kept > 1)
        qsort(series, kept, sizeof *series, compare_times);
    return kept;
}

/* If no device was recorded, the device time of ranges is unknown. */
static void put_table(const struct metrics *metrics, const struct series *series, uint32_t count,
                      bool has_device)
{
    static const char *const names[VALUES][2] = {
        {"libprof_range_calls_total", "How often a range was entered."},
        {"libprof_range_seconds_total", "CPU time of a range, with nested ranges and calls."},
        {"libprof_range_device_seconds_total",
         "Time of the device operations launched in a range."},
    };
    for (unsigned value = 0; value < (has_device ? VALUES : VALUE_DEVICE); value++) {
        put_head(metrics->stream, names[value][0], "counter", names[value][1]);
        for (uint32_t i = 0; i < count && i < RANGES_MAX; i++) {
            fprintf(metrics->stream, "%s{", names[value][0]);
            fputs(metrics->run_labels, metrics->stream);
            fprintf(metrics->stream, "%s} ", series[i].labels);
            if (value == VALUE_CALLS)
                put_count(metrics->stream, (uint64_t)series[i].values[value]);
            else
                put_seconds(metrics->stream, series[i].values[value]);
        }
    }
}

static bool put_ranges(const struct metrics *metrics)
{
    struct key_averages averages;
    uint32_t count;
    if (!key_averages_init(&averages, metrics->timeline))
        return false;
    struct series *series = make_series(&averages, &count);
    if (series) {
        count = merge_series(series, count);
        put_table(metrics, series, count, averages.has_device);
        free_series(series, count);
    }
    key_averages_fini(&averages);
    return series != NULL;
}

static bool put_all(struct metrics *metrics)
{
    int64_t *ends = label_processes(metrics) ? slice_ends_create(metrics->timeline) : NULL;
    if (!ends)
        return false;
    count_slices(metrics, ends);
    free(ends);
    count_operations(metrics);
    put_info(metrics);
    put_recorded(metrics);
    put_steps(metrics);
    bool complete = put_devices(metrics);
    put_operations(metrics);
    complete = complete && put_memory(metrics);
    put_losses(metrics);
    put_cost(metrics);
    put_ledger(metrics);
    return complete && put_ranges(metrics);
}

/* Returns 0 or an errno. */
static int write_stream(FILE *stream, const struct timeline *timeline,
                        const struct write_prometheus_options *options)
{
    uint32_t count = timeline->processes.count;
    struct metrics metrics = {stream, timeline, options,
                              calloc(count + (size_t)1, sizeof(struct counted)), NULL};
    errno = 0;
    bool complete = metrics.processes && put_all(&metrics);
    for (uint32_t i = 0; metrics.processes && i < count; i++)
        free(metrics.processes[i].labels);
    free(metrics.processes);
    free(metrics.run_labels);
    if (!complete)
        return ENOMEM;
    if (fflush(stream) == 0 && !ferror(stream))
        return 0;
    return errno ? errno : EIO;
}

static int write_plain(int fd, const struct timeline *timeline,
                       const struct write_prometheus_options *options)
{
    int own = dup(fd);
    FILE *stream = own < 0 ? NULL : fdopen(own, "w");
    if (!stream) {
        int code = errno;
        if (own >= 0)
            close(own);
        return code;
    }
    int code = write_stream(stream, timeline, options);
    if (fclose(stream) != 0 && !code)
        code = errno;
    return code;
}

bool write_prometheus(const struct timeline *timeline,
                      const struct write_prometheus_options *options, const char *path,
                      struct write_error *error)
{
    struct export_file file;
    if (!export_file_open(&file, path, packed_out_open, error))
        return false;
    int code = file.stream ? write_stream(file.stream, timeline, options)
                           : write_plain(file.file.fd, timeline, options);
    return export_file_close(&file, code, error);
}
