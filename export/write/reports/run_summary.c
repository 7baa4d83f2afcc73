/* run_summary.c - the run in a few lines above the table: who, where, how long, on what, and how it
 * ended; under it, totals, the accounts of devices, and what was lost. */
#include "device_api.h"
#include "device_time.h"
#include "failed_calls.h"
#include "fit.h"
#include "overruns.h"
#include "process_name.h"
#include "report_cells.h"
#include "report_parts.h"
#include "run_facts.h"
#include "text.h"
#include "units.h"

#include <errno.h>
#include <string.h>

#define WINDOWS_SHOWN 8u
#define DEVICES_SHOWN 8u
#define FAILED_SHOWN 8u        /* "profdump check --ledger" has all */
#define LAUNCHES_TO_TELL 1000u /* of fewer, the first ones, which cost more, decide */
#define RED "\033[31m"
#define PLAIN "\033[0m"

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

struct shown_text {
    char bytes[SHOW_TEXT_BYTES(200)];
};

static const char *shown(struct text text, const char *instead, struct shown_text *to)
{
    bool rest;
    show_text(text, 200, to->bytes, &rest);
    return *to->bytes ? to->bytes : instead;
}

static const char *completeness(const struct tl_process_info *info)
{
    return info->closed ? "complete" : "not closed: killed, or still running";
}

static void print_process(const struct timeline *timeline, uint32_t index, FILE *stream)
{
    const struct tl_process *process = &timeline->processes.at[index];
    const struct tl_process_info *info = &process->info;
    struct shown_text program, host, version;
    char duration[TIME_TEXT_BYTES];
    int64_t ns = process->end_ns - process->start_ns;
    time_text((double)(ns > 0 ? ns : 0), duration);
    fprintf(stream, "Program:   %s, %s on %s", shown(info->program, "(unknown)", &program),
            process_full_name(timeline, index).text, shown(info->host, "(unknown host)", &host));
    if (info->rank >= 0 && info->world_size > 0)
        fprintf(stream, ", world size %d", info->world_size);
    if (info->format.size) {
        fprintf(stream, "\nRecorded:  %s, read from %s\n", duration,
                shown(info->format, "", &version));
        return;
    }
    fprintf(stream, "\nRecorded:  %s by libprof %s; %s\n", duration,
            shown(info->library_version, "(unknown version)", &version), completeness(info));
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
    fprintf(stream, "Windows:   recording was on %u time%s\n", count, plural(count));
    for (uint32_t i = 0; i < timeline->windows.count && shown < WINDOWS_SHOWN; i++)
        if (timeline->windows.at[i].process == process) {
            print_window(timeline, &timeline->windows.at[i], stream);
            shown++;
        }
    if (shown < count)
        fprintf(stream, "           and %u more\n", count - shown);
}

static void print_request(const struct tl_process_info *info, FILE *stream)
{
    struct shown_text request;
    if (info->request.size)
        fprintf(stream, "Request:   %s\n", shown(info->request, "", &request));
}

/* What the recorder says of the recording. */
static void print_notes(const struct timeline *timeline, uint32_t process, FILE *stream)
{
    struct shown_text text;
    for (uint32_t i = 0; i < timeline->notes.count; i++)
        if (timeline->notes.at[i].process == process)
            fprintf(stream, "Note:      %s\n",
                    shown(timeline->names.at[timeline->notes.at[i].text], "", &text));
}

static void print_mode(const struct timeline *timeline, const struct tl_process_info *info,
                       FILE *stream)
{
    struct shown_text reason, cupti, driver;
    struct run_facts facts;
    run_facts_init(&facts, timeline);
    fprintf(stream, "GPU mode:  %s", run_facts_mode_name(info->gpu_mode));
    if (info->gpu_reason.size)
        fprintf(stream, ", %s", shown(info->gpu_reason, "", &reason));
    if (info->cupti.size)
        fprintf(stream, "; %s", shown(info->cupti, "", &cupti));
    if (info->driver.size)
        fprintf(stream, "; driver %s", shown(info->driver, "", &driver));
    fputs(facts.simulated ? "; simulated: device times come from a model\n" : "\n", stream);
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
            "Shown:     what began from %s to %s of the recording; losses are those of the whole "
            "recording\n",
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
            ", %u marks, %u counter values, %u %s calls, %u device operations on %u thread%s",
            timeline->marks.count, timeline->counters.count, counts.calls,
            device_api_name(device_api_of(timeline)), count_operations(timeline), threads,
            plural(threads));
    if (timeline->samples.count)
        fprintf(stream, "; %u sample%s ('profdump stacks --cpu' shows them)",
                timeline->samples.count, plural(timeline->samples.count));
    fputc('\n', stream);
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
    char bytes[BYTES_TEXT_BYTES], kept[BYTES_TEXT_BYTES];
    bytes_text((int64_t)sites->bytes, bytes);
    bytes_text((int64_t)sites->kept_bytes, kept);
    if (sites->count)
        fprintf(stream, "; never freed: %llu allocation%s, %s", (unsigned long long)sites->count,
                plural(sites->count), bytes);
    if (sites->kept_bytes)
        fprintf(stream, "%s%s that allocators keep",
                sites->count ? ", in " : "; never freed: ", kept);
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
        print_process(timeline, i, stream);
        print_children(timeline, i, stream);
        print_windows(timeline, i, stream);
        print_request(&timeline->processes.at[i].info, stream);
        print_notes(timeline, i, stream);
        print_mode(timeline, &timeline->processes.at[i].info, stream);
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

/* ---- the accounts of each device: see device_time.h ---- */

static void print_busy(const struct device_time *time, FILE *stream)
{
    char share[TIME_TEXT_BYTES], window[TIME_TEXT_BYTES];
    time_text_share(time->busy_ns, time->window_ns, share);
    time_text((double)time->window_ns, window);
    fprintf(stream, ": busy %s of %s\n", share, window);
}

/* Its terms add up. */
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

static void print_overruns(const struct timeline *timeline, FILE *stream)
{
    struct overruns overruns;
    char text[OVERRUNS_TEXT_BYTES];
    overruns_find(timeline, &overruns);
    if (!overruns.count)
        return;
    overruns_text(timeline, &overruns, text);
    fprintf(stream, "Wrong durations: %s\n", text);
}

static bool print_accounts(const struct timeline *timeline, bool verbose, FILE *stream)
{
    void (*print)(const struct device_time *, FILE *) = verbose ? print_account : print_busy;
    struct device_times times;
    if (!device_times_init(&times, timeline))
        return false;
    for (uint32_t i = 0; i < times.count && i < DEVICES_SHOWN; i++) {
        const struct device_time *time = &times.at[i];
        fprintf(stream, "Device %u", time->device);
        if (timeline->processes.count > 1)
            fprintf(stream, " of %s", process_full_name(timeline, time->process).text);
        print(time, stream);
    }
    if (times.count > 1) {
        fprintf(stream, "%u devices", times.count);
        print(&times.total, stream);
    }
    device_times_fini(&times);
    print_overruns(timeline, stream);
    return true;
}

struct statement {
    FILE *stream;
    const struct timeline *timeline;
    const struct key_averages *averages;
    bool color, verbose, headed;
    enum time_unit unit; /* of the totals */
};

static const char *paint(const struct statement *statement, const char *code)
{
    return statement->color ? code : "";
}

static void print_totals(const struct statement *statement)
{
    char text[TIME_TEXT_BYTES];
    time_text_in((double)statement->averages->self_cpu_total_ns, statement->unit, text);
    fprintf(statement->stream, "Self CPU time total: %s\n", text);
    if (!statement->averages->has_device)
        return;
    const char *api = device_api_name(device_api_of(statement->timeline));
    time_text_in((double)statement->averages->self_cuda_total_ns, statement->unit, text);
    fprintf(statement->stream, "Self %s time total: %s\n", api, text);
    if (statement->averages->has_timed)
        fprintf(statement->stream,
                "%s time of ranges: stream time between two events, waiting "
                "included\n",
                api);
    if (statement->averages->cuda_outside_ns == 0)
        return;
    time_text((double)statement->averages->cuda_outside_ns, text);
    fprintf(statement->stream, "%s time launched outside of any range: %s\n", api, text);
}

static void print_gpu_mode(const struct statement *statement, const struct run_facts *facts)
{
    char shown[SHOW_TEXT_BYTES(440)];
    bool rest;
    show_text(facts->mode_reason, 440, shown, &rest);
    fprintf(statement->stream, "GPU mode: %s%s%s%s\n", facts->mode, *shown ? ", " : "", shown,
            facts->simulated ? " (Simulated GPU: device times come from a model)" : "");
}

static void print_cause(const struct statement *statement, const char *name, uint64_t count,
                        const char *sentence)
{
    if (count)
        fprintf(statement->stream, "  %-15s %10llu  %s\n", name, (unsigned long long)count,
                sentence);
}

static void print_term(const struct statement *statement, const char *name, uint64_t count)
{
    if (count)
        fprintf(statement->stream, " + %s %llu", name, (unsigned long long)count);
}

/* launched = recorded + each way of not being recorded: adds up by construction of the timeline.
 * Losses that belong to no counted launch (inside graphs, before recording began) are in the list
 * below it. */
static void print_ledger(const struct statement *statement, const struct run_facts *facts)
{
    const struct tl_ledger *ledger = &facts->ledger;
    if (!statement->verbose && !facts->lost_anything && ledger->recorded == ledger->launched) {
        fprintf(statement->stream, "Ledger: %s\n", facts->verdict);
        return;
    }
    fprintf(statement->stream, "%sLedger: launched %llu = recorded %llu",
            facts->lost_anything ? paint(statement, RED) : "", (unsigned long long)ledger->launched,
            (unsigned long long)ledger->recorded);
    print_term(statement, "lost", ledger->lost_operations);
    print_term(statement, "undelivered", ledger->undelivered);
    print_term(statement, "unobserved", ledger->unobserved);
    print_term(statement, "missing", ledger->missing);
    if (ledger->launched_graph)
        fprintf(statement->stream, ", and %llu in graphs",
                (unsigned long long)ledger->launched_graph);
    if (ledger->captured)
        fprintf(statement->stream, ", and %llu captured", (unsigned long long)ledger->captured);
    fprintf(statement->stream, "; %s%s\n", facts->verdict,
            facts->lost_anything ? paint(statement, PLAIN) : "");
}

static void print_losses(const struct statement *statement, const struct run_facts *facts)
{
    struct run_trouble troubles[RUN_TROUBLES];
    run_facts_troubles(facts, troubles);
    print_ledger(statement, facts);
    for (unsigned cause = 0; cause < PROF_LOSS_COUNT; cause++)
        print_cause(statement, run_facts_cause_name(cause), facts->loss[cause],
                    run_facts_cause_sentence(cause));
    for (unsigned i = 0; i < RUN_TROUBLES; i++)
        print_cause(statement, troubles[i].name, troubles[i].count, troubles[i].sentence);
    if (facts->ring)
        fprintf(statement->stream, "Ring mode: only the last part of the run was kept.\n");
}

static void print_throttle(const struct statement *statement, const struct timeline *timeline,
                           const struct tl_throttle *throttle)
{
    const struct tl_process *process = &timeline->processes.at[throttle->process];
    char at[TIME_TEXT_BYTES], cost[TIME_TEXT_BYTES], budget[TIME_TEXT_BYTES];
    time_text_number((double)(throttle->time_ns - process->start_ns) / 1e9, 3, at);
    time_text_number(throttle->cost_ppm / 1e4, 2, cost);
    time_text_number(throttle->budget_ppm / 1e4, 2, budget);
    fprintf(statement->stream, "  at %s s %s: %s (%s %% of wall, the budget is %s %%)", at,
            throttle->on ? "recorded again" : "not recorded any more",
            run_cost_throttle_sentence(throttle), cost, budget);
    if (timeline->processes.count > 1)
        fprintf(statement->stream, ", %s", process_full_name(timeline, throttle->process).text);
    fputc('\n', statement->stream);
}

static void percent_text(double percent, char text[TIME_TEXT_BYTES])
{
    time_text_number(percent, percent < 0.1 ? 3 : 1, text);
}

static void print_cost(const struct statement *statement, const struct timeline *timeline)
{
    struct run_cost cost;
    char own[TIME_TEXT_BYTES], begin[TIME_TEXT_BYTES];
    char share[TIME_TEXT_BYTES], own_share[TIME_TEXT_BYTES];
    run_cost_init(&cost, timeline);
    if (!cost.stated)
        return;
    time_text((double)cost.own_ns, own);
    time_text((double)cost.begin_ns, begin);
    percent_text(run_cost_percent(&cost), share);
    percent_text(run_cost_own_percent(&cost), own_share);
    fprintf(statement->stream, "libprof cost %s %% of wall + %s %% in background threads", share,
            own_share);
    if (cost.launches >= LAUNCHES_TO_TELL)
        fprintf(statement->stream, ", %llu ns per launch (CUPTI's own cost not included)",
                (unsigned long long)cost.launch_ns);
    else if (cost.launches)
        fprintf(statement->stream,
                " (CUPTI's own cost not included; %llu launch%s too few to tell the cost of one)",
                (unsigned long long)cost.launches, cost.launches == 1 ? " is" : "es are");
    fprintf(statement->stream, "; start-up %s; background threads %s\n", begin, own);
    for (uint32_t i = 0; i < timeline->throttles.count; i++)
        print_throttle(statement, timeline, &timeline->throttles.at[i]);
}

static bool print_statement(const struct statement *statement)
{
    struct run_facts facts;
    run_facts_init(&facts, statement->timeline);
    bool printed = print_accounts(statement->timeline, statement->verbose, statement->stream);
    if (!statement->headed)
        print_gpu_mode(statement, &facts);
    print_losses(statement, &facts);
    printed = failed_calls_text(statement->stream, statement->timeline, FAILED_SHOWN) && printed;
    print_cost(statement, statement->timeline);
    return printed;
}

static bool write_foot(const void *user, FILE *stream)
{
    struct statement statement = *(const struct statement *)user;
    statement.stream = stream;
    print_totals(&statement);
    return print_statement(&statement);
}

bool write_statement(const struct timeline *timeline, FILE *stream)
{
    struct statement statement = {.stream = stream, .timeline = timeline, .verbose = true};
    bool printed = print_statement(&statement);
    if (!printed)
        errno = ENOMEM;
    return printed && !ferror(stream);
}

bool averages_foot(const struct timeline *timeline, const struct key_averages *averages,
                   const struct write_options *options, FILE *stream)
{
    const struct statement statement = {.stream = stream,
                                        .timeline = timeline,
                                        .averages = averages,
                                        .color = options->color,
                                        .verbose = options->verbose,
                                        .headed = options->headed,
                                        .unit = options->unit};
    bool written = fit_written(write_foot, &statement, options->table_width, stream);
    if (!written)
        errno = ENOMEM;
    return written && !ferror(stream);
}
