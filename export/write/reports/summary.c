/* summary.c - the run in a few lines above the table: who, where, how long, on what, and how it
 * ended. */
#include "fit.h"
#include "report_cells.h"
#include "reports.h"
#include "run_facts.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <string.h>

#define WINDOWS_SHOWN 8u

struct shown_text {
    char bytes[SHOW_TEXT_BYTES(200)];
};

static const char *shown(struct text text, const char *instead, struct shown_text *to)
{
    bool rest;
    show_text(text, 200, to->bytes, &rest);
    return *to->bytes ? to->bytes : instead;
}

static const char *ending(const struct tl_process_info *info)
{
    return info->closed ? "normally" : "without closing the trace: killed, or still running";
}

static void print_process(const struct tl_process *process, FILE *stream)
{
    const struct tl_process_info *info = &process->info;
    struct shown_text program, host, version;
    char duration[TIME_TEXT_BYTES];
    int64_t ns = process->end_ns - process->start_ns;
    time_text((double)(ns > 0 ? ns : 0), duration);
    fprintf(stream, "Program:   %s, pid %u on %s", shown(info->program, "(unknown)", &program),
            info->pid, shown(info->host, "(unknown host)", &host));
    if (info->rank >= 0 && info->world_size > 0)
        fprintf(stream, ", rank %d of %d", info->rank, info->world_size);
    else if (info->rank >= 0)
        fprintf(stream, ", rank %d", info->rank);
    if (info->format.size) {
        fprintf(stream, "\nRecorded:  %s, read from %s\n", duration,
                shown(info->format, "", &version));
        return;
    }
    fprintf(stream, "\nRecorded:  %s by libprof %s; ended %s\n", duration,
            shown(info->library_version, "(unknown version)", &version), ending(info));
}

static struct text device_name(const struct timeline *timeline, const struct tl_device *device)
{
    if (device->name < timeline->names.count)
        return timeline->names.at[device->name];
    return (struct text){"", 0};
}

static uint32_t count_devices(const struct timeline *timeline, uint32_t process)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < timeline->devices.count; i++)
        count += timeline->devices.at[i].process == process;
    return count;
}

/* The simulated device may call itself so: once is enough. */
static const char *simulated_note(const struct tl_process_info *info, const char *name)
{
    return info->simulated && !strstr(name, "Simulated GPU") ? " (Simulated GPU)" : "";
}

static void print_devices(const struct timeline *timeline, uint32_t process, FILE *stream)
{
    const struct tl_process_info *info = &timeline->processes.at[process].info;
    for (uint32_t i = 0; i < timeline->devices.count; i++) {
        const struct tl_device *device = &timeline->devices.at[i];
        struct shown_text text;
        if (device->process != process)
            continue;
        const char *name = shown(device_name(timeline, device), "(unnamed)", &text);
        fprintf(stream, "Device %u:  %s%s\n", device->info.device, name,
                simulated_note(info, name));
    }
    if (info->simulated && count_devices(timeline, process) == 0)
        fprintf(stream, "Device:    Simulated GPU\n");
}

static void print_children(const struct timeline *timeline, uint32_t process, FILE *stream)
{
    uint32_t made = 0, here = 0;
    for (uint32_t i = 0; i < timeline->children.count; i++) {
        const struct tl_child *child = &timeline->children.at[i];
        made += child->process == process;
        here += child->process == process && child->recorded != TL_NONE;
    }
    if (made)
        fprintf(stream, "Children:  %u made, %u of them in these files\n", made, here);
}

/* The usual: on from the beginning to the end. */
static bool is_plain_window(const struct tl_window *window)
{
    return window->end_ns == TL_NO_TIME && (window->start_reason == PROF_CONTROL_STARTUP ||
                                            window->start_reason == PROF_CONTROL_UNKNOWN);
}

static void print_window(const struct timeline *timeline, const struct tl_window *window,
                         FILE *stream)
{
    const struct tl_process *process = &timeline->processes.at[window->process];
    bool stopped = window->end_ns != TL_NO_TIME;
    int64_t end_ns = stopped ? window->end_ns : process->end_ns;
    char at[TIME_TEXT_BYTES], duration[TIME_TEXT_BYTES];
    time_text((double)(window->start_ns - process->start_ns), at);
    time_text((double)(end_ns > window->start_ns ? end_ns - window->start_ns : 0), duration);
    fprintf(stream, "           at %s for %s, on by %s, ", at, duration,
            run_facts_reason_name((enum prof_control_reason)window->start_reason));
    if (stopped)
        fprintf(stream, "off by %s\n",
                run_facts_reason_name((enum prof_control_reason)window->stop_reason));
    else
        fputs("to the end\n", stream);
}

static void print_windows(const struct timeline *timeline, uint32_t process, FILE *stream)
{
    uint32_t count = 0, plain = 0, shown = 0;
    for (uint32_t i = 0; i < timeline->windows.count; i++) {
        count += timeline->windows.at[i].process == process;
        plain +=
            timeline->windows.at[i].process == process && is_plain_window(&timeline->windows.at[i]);
    }
    if (count == plain && count <= 1)
        return;
    fprintf(stream, "Windows:   recording was on %u time%s\n", count, count == 1 ? "" : "s");
    for (uint32_t i = 0; i < timeline->windows.count && shown < WINDOWS_SHOWN; i++)
        if (timeline->windows.at[i].process == process) {
            print_window(timeline, &timeline->windows.at[i], stream);
            shown++;
        }
    if (shown < count)
        fprintf(stream, "           and %u more\n", count - shown);
}

static void print_mode(const struct tl_process_info *info, FILE *stream)
{
    struct shown_text reason, cupti, driver;
    fprintf(stream, "GPU mode:  %s", run_facts_mode_name(info->gpu_mode));
    if (info->gpu_reason.size)
        fprintf(stream, ", %s", shown(info->gpu_reason, "", &reason));
    if (info->cupti.size)
        fprintf(stream, "; %s", shown(info->cupti, "", &cupti));
    if (info->driver.size)
        fprintf(stream, "; driver %s", shown(info->driver, "", &driver));
    fputc('\n', stream);
}

static void count_threads(const struct timeline *timeline, uint32_t *threads)
{
    *threads = 0;
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        *threads += !timeline->threads.at[i].internal;
}

struct call_counts {
    uint32_t ranges, nvtx, calls; /* nvtx: of the ranges */
};

static struct call_counts count_calls(const struct timeline *timeline)
{
    struct call_counts counts = {.ranges = timeline->asyncs.count};
    for (uint32_t i = 0; i < timeline->asyncs.count; i++)
        counts.nvtx += timeline->asyncs.at[i].label != TL_NONE;
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->flags & (TL_INTERNAL | TL_CONTINUED))
            continue;
        counts.calls += slice->kind == TL_API;
        counts.ranges += slice->kind != TL_API;
        counts.nvtx += tl_slice_label(slice) != TL_NONE;
    }
    return counts;
}

static uint32_t count_operations(const struct timeline *timeline)
{
    uint32_t operations = 0;
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        operations += tl_is_work(&timeline->gpus.at[i]);
    return operations;
}

/* Of a part of the recording. */
static void print_part(const struct timeline *timeline, FILE *stream)
{
    char from[TIME_TEXT_BYTES], to[TIME_TEXT_BYTES];
    if (!timeline->restricted)
        return;
    time_text((double)(timeline->shown_from_ns - timeline->origin_ns), from);
    time_text((double)(timeline->shown_to_ns - timeline->origin_ns), to);
    fprintf(stream,
            "Shown:     what began from %s to %s of the recording; what was lost is told of all of "
            "it\n",
            from, to);
}

static void print_counts(const struct timeline *timeline, FILE *stream)
{
    uint32_t threads;
    count_threads(timeline, &threads);
    struct call_counts counts = count_calls(timeline);
    fprintf(stream, "Events:    %u ranges", counts.ranges);
    if (counts.nvtx)
        fprintf(stream, " (%u of them NVTX or ITT)", counts.nvtx);
    fprintf(stream,
            ", %u marks, %u counter values, %u CUDA calls, %u device operations on %u thread%s\n",
            timeline->marks.count, timeline->counters.count, counts.calls,
            count_operations(timeline), threads, threads == 1 ? "" : "s");
}

#define HEAPS_SHOWN 4u

/* The larger peak comes first; of equal ones the heap that was seen first. */
static bool shown_before(const struct memory_use *use, uint32_t a, uint32_t b)
{
    uint64_t peak_a = use->heaps[a].peak_bytes, peak_b = use->heaps[b].peak_bytes;
    return peak_a != peak_b ? peak_a > peak_b : a < b;
}

/* TL_NONE before the first and after the last of `count` heaps. */
static uint32_t next_heap(const struct memory_use *use, uint32_t count, uint32_t heap)
{
    uint32_t next = TL_NONE;
    for (uint32_t i = 0; i < count; i++)
        if ((heap == TL_NONE || shown_before(use, heap, i)) &&
            (next == TL_NONE || shown_before(use, i, next)))
            next = i;
    return next;
}

static void print_peak(const struct timeline *timeline, const struct memory_use *use, uint32_t heap,
                       FILE *stream)
{
    char label[MEMORY_LABEL_BYTES], peak[BYTES_TEXT_BYTES];
    struct shown_text text;
    memory_label(timeline, heap, label);
    bytes_text((int64_t)use->heaps[heap].peak_bytes, peak);
    fprintf(stream, "%s of %s", peak, shown((struct text){label, strlen(label)}, "", &text));
}

static void print_peaks(const struct timeline *timeline, const struct memory_use *use, FILE *stream)
{
    uint32_t count = timeline->heaps.count, heap = TL_NONE;
    for (uint32_t i = 0; i < count && i < HEAPS_SHOWN; i++) {
        heap = next_heap(use, count, heap);
        fprintf(stream, "%s", i ? ", " : "");
        print_peak(timeline, use, heap, stream);
    }
    fprintf(stream, "%s", count > HEAPS_SHOWN ? " ..." : "");
}

static void print_never_freed(const struct memory_sites *sites, FILE *stream)
{
    char bytes[BYTES_TEXT_BYTES];
    bytes_text((int64_t)sites->bytes, bytes);
    if (sites->count)
        fprintf(stream, "; never freed: %llu allocation%s, %s", (unsigned long long)sites->count,
                sites->count == 1 ? "" : "s", bytes);
}

/* The largest peaks, and what was never freed. False: no memory. */
static bool print_memory(const struct timeline *timeline, FILE *stream)
{
    struct memory_use use;
    struct memory_sites sites;
    if (timeline->memories.count == 0)
        return true;
    if (!memory_use_init(&use, timeline))
        return false;
    bool known = memory_sites_init(&sites, timeline, TL_NONE, TL_NONE);
    fprintf(stream, "Memory:    peak ");
    print_peaks(timeline, &use, stream);
    if (known)
        print_never_freed(&sites, stream);
    fprintf(stream, " (profdump memory)\n");
    if (known)
        memory_sites_fini(&sites);
    memory_use_fini(&use);
    return known;
}

static bool print_summary(const void *user, FILE *stream)
{
    const struct timeline *timeline = user;
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        print_process(&timeline->processes.at[i], stream);
        print_children(timeline, i, stream);
        print_windows(timeline, i, stream);
        print_mode(&timeline->processes.at[i].info, stream);
        print_devices(timeline, i, stream);
    }
    print_part(timeline, stream);
    print_counts(timeline, stream);
    if (!print_memory(timeline, stream))
        return false;
    fputc('\n', stream);
    return true;
}

bool write_summary(const struct timeline *timeline, const struct write_options *options,
                   FILE *stream)
{
    unsigned width = options ? options->table_width : 0;
    bool written = fit_written(print_summary, timeline, width, stream);
    if (!written)
        errno = ENOMEM;
    return written && !ferror(stream);
}
