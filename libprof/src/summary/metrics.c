/* metrics.c - the text of PROF_PROMETHEUS's file, in Prometheus' text format 0.0.4. No floating
 * point: the program may have set a locale. */
#include "metrics.h"

#include "annotate.h"
#include "chunks.h"
#include "clock.h"
#include "config.h"
#include "cost.h"
#include "log.h"
#include "process.h"
#include "summary_inside.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define METRICS_PERIOD_NS UINT64_C(30000000000)
#define METRICS_TEXT_BYTES (128u << 10)
#define METRICS_LABELS_BYTES 2048u

static struct {
    uint64_t due_ns; /* CLOCK_MONOTONIC */
    bool complained;
    struct metrics_text {
        size_t size;
        char bytes[METRICS_TEXT_BYTES];
        char labels[METRICS_LABELS_BYTES]; /* of each series */
    } * text;
} metrics;

bool metrics_on(void)
{
    return *config_get()->prometheus != '\0';
}

bool metrics_begin(void)
{
    void *memory = metrics.text;
    bool begun = process_memory(&memory, sizeof *metrics.text) && metrics_values_begin() &&
                 metrics_memory_begin();
    metrics.text = memory;
    metrics.due_ns = 0;
    metrics.complained = false;
    return begun;
}

/* ---- text ---- */

__attribute__((format(printf, 1, 2))) static void metrics_add(const char *format, ...)
{
    struct metrics_text *text = metrics.text;
    va_list arguments;
    va_start(arguments, format);
    int size =
        vsnprintf(text->bytes + text->size, sizeof text->bytes - text->size, format, arguments);
    va_end(arguments);
    if (size > 0 && (size_t)size < sizeof text->bytes - text->size)
        text->size += (size_t)size;
}

/* The value of a label. Bytes that might be no UTF-8 become question marks. */
static void metrics_quote(char *to, size_t size, const char *text)
{
    size_t at = 0;
    for (; *text && at + 3 < size; text++) {
        if (*text == '"' || *text == '\\')
            to[at++] = '\\';
        to[at++] = *text;
        if (*text < ' ' || *text > '~')
            to[at - 1] = '?';
    }
    to[at] = '\0';
}

static void metrics_set_labels(void)
{
    const struct prof_file_header *header = chunks_header();
    char host[600], rank[32] = "";
    metrics_quote(host, sizeof host, process_host());
    if (header->rank >= 0)
        snprintf(rank, sizeof rank, "rank=\"%d\",", header->rank);
    snprintf(metrics.text->labels, sizeof metrics.text->labels,
             "host=\"%s\",pid=\"%u\",%srun=\"%llu\"", host, header->pid, rank,
             (unsigned long long)(header->start_realtime_ns / 1000000));
}

static void metrics_head(enum prof_metric metric)
{
    struct prof_metric_info info = prof_metric_describe(metric);
    metrics_add("# HELP %s %s\n# TYPE %s %s\n", info.name, info.help, info.name, info.type);
}

/* Up to the value. `labels` of its own begin with a comma. */
static void metrics_series(enum prof_metric metric, const char *suffix, const char *labels)
{
    metrics_add("%s%s{%s%s} ", prof_metric_describe(metric).name, suffix, metrics.text->labels,
                labels);
}

/* With one label of its own, unless it is "". */
static void metrics_labelled(enum prof_metric metric, const char *label, const char *value)
{
    char labels[256] = "";
    if (*label)
        snprintf(labels, sizeof labels, ",%s=\"%s\"", label, value);
    metrics_series(metric, "", labels);
}

static void metrics_count(enum prof_metric metric, const char *label, const char *value,
                          uint64_t count)
{
    metrics_labelled(metric, label, value);
    metrics_add("%llu\n", (unsigned long long)count);
}

static void metrics_add_seconds(uint64_t ns)
{
    metrics_add("%llu.%09llu\n", (unsigned long long)(ns / 1000000000),
                (unsigned long long)(ns % 1000000000));
}

static void metrics_seconds(enum prof_metric metric, const char *label, const char *value,
                            uint64_t ns)
{
    metrics_labelled(metric, label, value);
    metrics_add_seconds(ns);
}

/* ---- metrics ---- */

static void metrics_add_info(bool running)
{
    const struct prof_file_header *header = chunks_header();
    char program[300], labels[METRICS_LABELS_BYTES];
    metrics_quote(program, sizeof program, process_program());
    snprintf(labels, sizeof labels, ",program=\"%s\",version=\"%s\",simulated=\"%s\"", program,
             PROF_VERSION_TEXT, header->flags & PROF_FILE_SIMULATED ? "true" : "false");
    metrics_head(PROF_METRIC_INFO);
    metrics_series(PROF_METRIC_INFO, "", labels);
    metrics_add("1\n");
    metrics_head(PROF_METRIC_RUNNING);
    metrics_count(PROF_METRIC_RUNNING, "", "", running);
    metrics_head(PROF_METRIC_WRITTEN);
    metrics_seconds(PROF_METRIC_WRITTEN, "", "", clock_gettime_ns(CLOCK_REALTIME));
}

/* When nothing can be recorded any more, the losses show progress. */
static uint64_t metrics_silent_ns(int64_t now_ns)
{
    struct metrics_values *values = metrics_counted();
    uint64_t losses = 0;
    for (int cause = 0; cause < PROF_LOSS_COUNT; cause++)
        losses += loss_get((enum prof_loss_cause)cause);
    if (!recorder_on() || losses != values->losses)
        metrics_progress(now_ns);
    values->losses = losses;
    return now_ns > values->progress_ns ? (uint64_t)(now_ns - values->progress_ns) : 0;
}

static void metrics_add_progress(int64_t now_ns, const struct cost_sums *sums)
{
    metrics_head(PROF_METRIC_RECORDING);
    metrics_count(PROF_METRIC_RECORDING, "", "", recorder_on());
    metrics_head(PROF_METRIC_SILENT);
    metrics_seconds(PROF_METRIC_SILENT, "", "", metrics_silent_ns(now_ns));
    metrics_head(PROF_METRIC_RECORDED);
    metrics_seconds(PROF_METRIC_RECORDED, "", "", sums->recorded_ns);
}

static void metrics_add_steps(const struct prof_metrics_histogram *steps)
{
    uint64_t count = 0;
    metrics_head(PROF_METRIC_STEPS);
    metrics_count(PROF_METRIC_STEPS, "", "", steps->count);
    metrics_head(PROF_METRIC_STEP_SECONDS);
    for (unsigned i = 0; i < PROF_METRICS_BUCKETS; i++) {
        const char *limit;
        char labels[32];
        prof_metrics_bucket_ns(i, &limit);
        snprintf(labels, sizeof labels, ",le=\"%s\"", limit);
        count += steps->buckets[i];
        metrics_series(PROF_METRIC_STEP_SECONDS, "_bucket", labels);
        metrics_add("%llu\n", (unsigned long long)count);
    }
    metrics_series(PROF_METRIC_STEP_SECONDS, "_sum", "");
    metrics_add_seconds(steps->sum_ns);
    metrics_series(PROF_METRIC_STEP_SECONDS, "_count", "");
    metrics_add("%llu\n", (unsigned long long)count);
}

static void metrics_add_step_parts(const uint64_t *ns)
{
    metrics_head(PROF_METRIC_STEP_PARTS);
    for (unsigned part = 0; part < PROF_METRICS_STEP_PARTS; part++)
        metrics_seconds(PROF_METRIC_STEP_PARTS, "part", prof_metrics_step_part(part), ns[part]);
}

static void metrics_add_devices(const struct metrics_values *values)
{
    metrics_head(PROF_METRIC_BUSY);
    for (unsigned device = 0; device < METRICS_DEVICES; device++) {
        char number[16];
        snprintf(number, sizeof number, "%u", device);
        if (values->was_used[device])
            metrics_seconds(PROF_METRIC_BUSY, "device", number, values->busy_ns[device]);
    }
    metrics_head(PROF_METRIC_LAUNCHES);
    metrics_count(PROF_METRIC_LAUNCHES, "", "", values->launches);
    metrics_head(PROF_METRIC_OPERATIONS);
    for (unsigned kind = 0; kind < PROF_METRICS_KINDS; kind++)
        metrics_count(PROF_METRIC_OPERATIONS, "kind", prof_metrics_kind(kind),
                      values->operations[kind]);
    metrics_head(PROF_METRIC_COPIED);
    for (unsigned i = 0; i < PROF_METRICS_DIRECTIONS; i++)
        if (values->copied_bytes[i])
            metrics_count(PROF_METRIC_COPIED, "direction", prof_metrics_direction_name(i),
                          values->copied_bytes[i]);
    metrics_head(PROF_METRIC_COLLECTIVES);
    for (unsigned i = 0; i < PROF_METRICS_FUNCTIONS; i++)
        if (values->collectives[i])
            metrics_count(PROF_METRIC_COLLECTIVES, "function", prof_metrics_function(i),
                          values->collectives[i]);
}

#define METRICS_LABELS 400u

/* Host memory is of no device; of an allocator's it is not known. */
static void metrics_heap_labels(const struct metrics_heap *heap, char *labels, size_t size)
{
    char name[300], device[32] = "";
    if (heap->allocator)
        metrics_quote(name, sizeof name, alloc_name(heap->allocator));
    else
        metrics_quote(name, sizeof name, prof_metrics_memory(heap->kind));
    if (!heap->allocator && !prof_metrics_memory_is_host(heap->kind))
        snprintf(device, sizeof device, "device=\"%u\",", heap->device);
    snprintf(labels, size, ",%smemory=\"%s\"", device, name);
}

/* A program may give two allocators one name: then the second is "name (2)". */
static void metrics_number_heap(const struct metrics_heap *heaps, uint32_t number, char *labels,
                                size_t size)
{
    char other[METRICS_LABELS];
    unsigned before = 0;
    for (uint32_t i = 0; i < number; i++) {
        metrics_heap_labels(&heaps[i], other, sizeof other);
        before += strcmp(other, labels) == 0;
    }
    size_t end = strlen(labels) - 1; /* the closing quote */
    if (before)
        snprintf(labels + end, size - end, " (%u)\"", before + 1);
}

static void metrics_add_heaps(enum prof_metric metric)
{
    uint32_t count;
    const struct metrics_heap *heaps = metrics_memory_heaps(&count);
    metrics_head(metric);
    for (uint32_t i = 0; i < count; i++) {
        char labels[METRICS_LABELS];
        metrics_heap_labels(&heaps[i], labels, sizeof labels);
        metrics_number_heap(heaps, i, labels, sizeof labels);
        metrics_series(metric, "", labels);
        metrics_add("%llu\n",
                    (unsigned long long)(metric == PROF_METRIC_MEMORY ? heaps[i].live_bytes
                                                                      : heaps[i].peak_bytes));
    }
}

static void metrics_add_losses(const struct metrics_values *values)
{
#define METRICS_LOSS(symbol, name, sentence) name,
    static const char *const causes[] = {PROF_LOSS_CAUSES(METRICS_LOSS)};
#undef METRICS_LOSS
    metrics_head(PROF_METRIC_LOST);
    for (int cause = 0; cause < PROF_LOSS_COUNT; cause++)
        metrics_count(PROF_METRIC_LOST, "cause", causes[cause],
                      loss_get((enum prof_loss_cause)cause));
    metrics_head(PROF_METRIC_UNSEEN);
    metrics_count(PROF_METRIC_UNSEEN, "", "", values->unseen);
}

static void metrics_make_text(int64_t now_ns, bool running)
{
    const struct metrics_values *values = metrics_counted();
    struct cost_sums sums;
    cost_sum(&sums);
    metrics.text->size = 0;
    metrics_set_labels();
    metrics_add_info(running);
    metrics_add_progress(now_ns, &sums);
    metrics_add_steps(&values->steps);
    metrics_add_step_parts(values->step_parts_ns);
    metrics_add_devices(values);
    if (metrics_memory_known()) {
        metrics_add_heaps(PROF_METRIC_MEMORY);
        metrics_add_heaps(PROF_METRIC_MEMORY_PEAK);
    }
    metrics_add_losses(values);
    metrics_head(PROF_METRIC_COST);
    metrics_seconds(PROF_METRIC_COST, "of", "program", sums.taken_ns);
    metrics_seconds(PROF_METRIC_COST, "of", "libprof", sums.own_ns);
}

/* ---- when ---- */

int metrics_write(int64_t now_ns, bool running)
{
    metrics_memory_until(running ? now_ns - SUMMARY_LAG_NS : SUMMARY_NEVER);
    metrics_make_text(now_ns, running);
    metrics.due_ns = clock_monotonic_ns() + METRICS_PERIOD_NS;
    int error = metrics_file_replace(metrics.text->bytes, metrics.text->size);
    if (error && !metrics.complained)
        log_line(LOG_ERROR, "cannot write metrics to %s: %s; libprof tries again every 30 s",
                 config_get()->prometheus, strerror(error));
    metrics.complained |= error != 0;
    return error;
}

void metrics_tick(int64_t now_ns)
{
    if (clock_monotonic_ns() >= metrics.due_ns)
        metrics_write(now_ns, true);
}
