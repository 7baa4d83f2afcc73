/* prometheus.c - what a run came to, in Prometheus' text format (version 0.0.4), for node_exporter's
 * textfile collector: gauges, since a file is about one run that is over.
 *
 *     libprof_info{version, mode, simulated}       1
 *     libprof_run_seconds
 *     libprof_calls, _cpu_seconds, _self_cpu_seconds, _device_seconds, _self_device_seconds
 *                    {kind, name}                  the rows of the table
 *     libprof_process{process, pid, rank, program, host}   1; the other metrics have its number
 *     libprof_device_busy_seconds, _window_seconds, _busy_ratio {process, device}
 *     libprof_operations{state}                    the ledger: launched, recorded ...
 *     libprof_lost{cause}                          every cause
 *     libprof_memory_peak_bytes, _live_bytes {process, number, heap}
 *
 * A series must be there once, or readers refuse the whole file: rows whose names are the same once they
 * are valid UTF-8 are added up.
 */
#include "device_time.h"
#include "formats.h"
#include "json_out.h"
#include "key_averages.h"
#include "packed_out.h"
#include "report_cells.h"
#include "reports.h"
#include "run_facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum value { VALUE_CALLS, VALUE_CPU, VALUE_SELF_CPU, VALUE_DEVICE, VALUE_SELF_DEVICE, VALUES };

/* A row of the table under the labels it is written with. */
struct series {
    char *labels; /* kind="range",name="..." */
    int64_t values[VALUES];
    unsigned has; /* bit 1 << enum value: what its kind can have */
};

/* The text between the quotes of a label's value; bytes that are no UTF-8, and NUL, become U+FFFD. */
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

static void put_head(FILE *stream, const char *name, const char *help)
{
    fprintf(stream, "# HELP libprof_%s %s\n# TYPE libprof_%s gauge\n", name, help, name);
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

/* ---- rows of the table ---- */

static char *labels_of(const struct key_average *row)
{
    static const char *const kinds[KEY_KINDS] = {
        [KEY_RANGE] = "range",   [KEY_API] = "call",      [KEY_MARK] = "mark",
        [KEY_KERNEL] = "kernel", [KEY_MEMCPY] = "memcpy", [KEY_MEMSET] = "memset",
        [KEY_GRAPH] = "graph"};
    char *labels = NULL;
    size_t size;
    FILE *stream = open_memstream(&labels, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "kind=\"%s\",name=\"", kinds[row->kind]);
    put_label_text(stream, row->name);
    fputc('"', stream);
    if (fclose(stream) == 0)
        return labels;
    free(labels);
    return NULL;
}

/* A kernel has no CPU time, a mark no time at all; and where nothing of a device was recorded, nobody
 * knows what a range's device time is. */
static unsigned values_of(const struct key_averages *averages, const struct key_average *row)
{
    const unsigned cpu = 1u << VALUE_CPU | 1u << VALUE_SELF_CPU;
    const unsigned device = 1u << VALUE_DEVICE | 1u << VALUE_SELF_DEVICE;
    unsigned has = 1u << VALUE_CALLS;
    if (row->kind == KEY_RANGE || row->kind == KEY_API)
        has |= cpu;
    if (row->kind >= KEY_KERNEL || (row->kind == KEY_RANGE && averages->has_device))
        has |= device;
    return has;
}

static int compare_series(const void *left, const void *right)
{
    return strcmp(((const struct series *)left)->labels, ((const struct series *)right)->labels);
}

static void free_series(struct series *series, uint32_t count)
{
    for (uint32_t i = 0; series && i < count; i++)
        free(series[i].labels);
    free(series);
}

/* NULL: no memory. */
static struct series *make_series(const struct key_averages *averages)
{
    struct series *series = calloc(averages->count + (size_t)1, sizeof *series);
    for (uint32_t i = 0; series && i < averages->count; i++) {
        const struct key_average *row = &averages->rows[i];
        series[i] = (struct series){
            .labels = labels_of(row),
            .has = values_of(averages, row),
            .values = {(int64_t)row->count, row->cpu_total_ns, row->self_cpu_total_ns,
                       row->cuda_total_ns, row->self_cuda_total_ns},
        };
        if (!series[i].labels) {
            free_series(series, i);
            return NULL;
        }
    }
    return series;
}

/* Sorts, and adds up what has the same labels. Returns how many are left. */
static uint32_t merge_series(struct series *series, uint32_t count)
{
    uint32_t kept = 0;
    if (count > 1)
        qsort(series, count, sizeof *series, compare_series);
    for (uint32_t i = 0; i < count; i++) {
        if (kept == 0 || strcmp(series[kept - 1].labels, series[i].labels) != 0) {
            series[kept++] = series[i];
            continue;
        }
        for (unsigned value = 0; value < VALUES; value++)
            series[kept - 1].values[value] += series[i].values[value];
        free(series[i].labels);
    }
    return kept;
}

static void put_table(FILE *stream, const struct series *series, uint32_t count)
{
    static const char *const names[VALUES][2] = {
        {"calls", "How often a range was entered, a call made, an operation run."},
        {"cpu_seconds", "Time on the CPU, with what is inside."},
        {"self_cpu_seconds", "Time on the CPU, without what is inside."},
        {"device_seconds", "Time of the device operations launched within."},
        {"self_device_seconds", "Time of the device operations whose innermost range it is."},
    };
    for (unsigned value = 0; value < VALUES; value++) {
        put_head(stream, names[value][0], names[value][1]);
        for (uint32_t i = 0; i < count; i++) {
            if (!(series[i].has & 1u << value))
                continue;
            fprintf(stream, "libprof_%s{", names[value][0]);
            fputs(series[i].labels, stream);
            fputs("} ", stream);
            if (value == VALUE_CALLS)
                put_count(stream, (uint64_t)series[i].values[value]);
            else
                put_seconds(stream, series[i].values[value]);
        }
    }
}

static bool put_rows(FILE *stream, const struct timeline *timeline)
{
    struct key_averages averages;
    if (!key_averages_init(&averages, timeline))
        return false;
    struct series *series = make_series(&averages);
    if (series) {
        uint32_t count = merge_series(series, averages.count);
        put_table(stream, series, count);
        free_series(series, count);
    }
    key_averages_fini(&averages);
    return series != NULL;
}

/* ---- devices, ledger, memory ---- */

static void put_device(FILE *stream, const char *name, uint32_t number,
                       const struct device_time *time)
{
    fprintf(stream, "libprof_device_%s{process=\"%u\",device=\"%u\"} ", name, number, time->device);
}

static bool put_devices(FILE *stream, const struct timeline *timeline)
{
    struct device_times times;
    if (!device_times_init(&times, timeline))
        return false;
    put_head(stream, "device_busy_seconds", "Time in which the device did something.");
    for (uint32_t i = 0; i < times.count; i++) {
        put_device(stream, "busy_seconds", times.at[i].process, &times.at[i]);
        put_seconds(stream, times.at[i].busy_ns);
    }
    put_head(stream, "device_window_seconds", "From the first event of the process to its last.");
    for (uint32_t i = 0; i < times.count; i++) {
        put_device(stream, "window_seconds", times.at[i].process, &times.at[i]);
        put_seconds(stream, times.at[i].window_ns);
    }
    put_head(stream, "device_busy_ratio", "Share of the window in which the device did something.");
    for (uint32_t i = 0; i < times.count; i++) {
        if (times.at[i].window_ns <= 0)
            continue;
        double ratio = (double)times.at[i].busy_ns / (double)times.at[i].window_ns;
        put_device(stream, "busy_ratio", times.at[i].process, &times.at[i]);
        put_seconds(stream, (int64_t)(ratio * 1e9 + 0.5));
    }
    device_times_fini(&times);
    return true;
}

static void put_state(FILE *stream, const char *state, uint64_t count)
{
    fprintf(stream, "libprof_operations{state=\"%s\"} ", state);
    put_count(stream, count);
}

static void put_ledger(FILE *stream, const struct run_facts *facts)
{
    const struct tl_ledger *ledger = &facts->ledger;
    put_head(
        stream, "operations",
        "launched = recorded + lost + undelivered + unobserved + missing; the rest beside it.");
    put_state(stream, "launched", ledger->launched);
    put_state(stream, "recorded", ledger->recorded);
    put_state(stream, "lost", ledger->lost_operations);
    put_state(stream, "undelivered", ledger->undelivered);
    put_state(stream, "unobserved", ledger->unobserved);
    put_state(stream, "missing", ledger->missing);
    put_state(stream, "orphaned", ledger->orphans);
    put_state(stream, "ambiguous", ledger->ambiguous);
    put_state(stream, "recorded_under_graphs", ledger->launched_graph);
    put_head(stream, "lost", "What was not recorded, by cause.");
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++) {
        fprintf(stream, "libprof_lost{cause=\"%s\"} ", run_facts_cause_name(cause));
        put_count(stream, facts->loss[cause]);
    }
}

static void put_heap(FILE *stream, const struct timeline *timeline, const char *name, uint32_t heap,
                     uint64_t bytes)
{
    char label[MEMORY_LABEL_BYTES];
    memory_label(timeline, heap, label);
    fprintf(stream, "libprof_memory_%s{process=\"%u\",number=\"%u\",heap=\"", name,
            timeline->heaps.at[heap].process, heap);
    put_label_text(stream, (struct text){label, strlen(label)});
    fputs("\"} ", stream);
    put_count(stream, bytes);
}

static bool put_memory(FILE *stream, const struct timeline *timeline)
{
    struct memory_use use;
    if (timeline->heaps.count == 0)
        return true;
    if (!memory_use_init(&use, timeline))
        return false;
    put_head(stream, "memory_peak_bytes", "Most bytes of a heap in use at once.");
    for (uint32_t i = 0; i < timeline->heaps.count; i++)
        put_heap(stream, timeline, "peak_bytes", i, use.heaps[i].peak_bytes);
    put_head(stream, "memory_live_bytes", "Bytes of a heap in use at the end.");
    for (uint32_t i = 0; i < timeline->heaps.count; i++)
        put_heap(stream, timeline, "live_bytes", i, use.heaps[i].live_bytes);
    memory_use_fini(&use);
    return true;
}

static void put_processes(FILE *stream, const struct timeline *timeline)
{
    put_head(stream, "process", "The processes that others name by number; always 1.");
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        const struct tl_process_info *info = &timeline->processes.at[i].info;
        fprintf(stream, "libprof_process{process=\"%u\",pid=\"%u\",rank=\"%d\",program=\"", i,
                info->pid, info->rank);
        put_label_text(stream, info->program);
        fputs("\",host=\"", stream);
        put_label_text(stream, info->host);
        fputs("\"} 1\n", stream);
    }
}

static bool put_all(FILE *stream, const struct timeline *timeline)
{
    struct run_facts facts;
    run_facts_init(&facts, timeline);
    put_head(stream, "info", "Who recorded it and who timed the device; always 1.");
    fprintf(stream, "libprof_info{version=\"%s\",mode=\"%s\",simulated=\"%s\"} 1\n", PROF_VERSION,
            facts.mode, facts.simulated ? "true" : "false");
    put_head(stream, "run_seconds", "From the first event to the last.");
    fputs("libprof_run_seconds ", stream);
    put_seconds(stream, timeline->end_ns - timeline->start_ns);
    put_processes(stream, timeline);
    put_ledger(stream, &facts);
    return put_devices(stream, timeline) && put_memory(stream, timeline) &&
           put_rows(stream, timeline);
}

/* Returns 0 or an errno. */
static int write_stream(FILE *stream, const struct timeline *timeline)
{
    errno = 0;
    if (!put_all(stream, timeline))
        return ENOMEM;
    if (fflush(stream) == 0 && !ferror(stream))
        return 0;
    return errno ? errno : EIO;
}

static int write_plain(int fd, const struct timeline *timeline)
{
    int own = dup(fd);
    FILE *stream = own < 0 ? NULL : fdopen(own, "w");
    if (!stream) {
        int code = errno;
        if (own >= 0)
            close(own);
        return code;
    }
    int code = write_stream(stream, timeline);
    if (fclose(stream) != 0 && !code)
        code = errno;
    return code;
}

bool write_prometheus(const struct timeline *timeline, const char *path, struct write_error *error)
{
    struct export_file file;
    if (!export_file_open(&file, path, packed_out_open, error))
        return false;
    int code =
        file.stream ? write_stream(file.stream, timeline) : write_plain(file.file.fd, timeline);
    return export_file_close(&file, code, error);
}
