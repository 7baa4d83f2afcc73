/* chrome_head.c - the top-level members of a Chrome trace, in Kineto's order.
 *
 * distributedInfo stands near the top, on a line of its own, with a space after "rank":, and is
 * always there: HolisticTraceAnalysis finds the rank with a pattern, line by line, and refuses or
 * mislabels a trace without it.
 */
#include "chrome.h"

#include "chrome_rows.h"
#include "json_text.h"
#include "reports.h"
#include "run_facts.h"
#include "write.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void write_device(struct chrome *chrome, const struct tl_device *device)
{
    struct json_out *out = &chrome->out;
    const struct tl_device_info *info = &device->info;
    json_newline(out);
    json_object_begin(out);
    json_key(out, "id"), json_uint(out, info->device);
    json_key(out, "name"), quoted_names_write(&chrome->names, out, device->name);
    json_key(out, "totalGlobalMem"), json_uint(out, info->memory_bytes);
    json_key(out, "computeMajor"), json_uint(out, info->compute_major);
    json_key(out, "computeMinor"), json_uint(out, info->compute_minor);
    json_key(out, "maxThreadsPerBlock"), json_uint(out, info->max_threads_per_block);
    json_key(out, "maxThreadsPerMultiprocessor"),
        json_uint(out, info->max_threads_per_multiprocessor);
    json_key(out, "regsPerBlock"), json_uint(out, info->registers_per_block);
    json_key(out, "warpSize"), json_uint(out, info->threads_per_warp);
    json_key(out, "sharedMemPerBlock"), json_uint(out, info->shared_memory_per_block);
    json_key(out, "numSms"), json_uint(out, info->multiprocessors);
    json_key(out, "regsPerMultiprocessor"), json_uint(out, info->registers_per_multiprocessor);
    json_key(out, "sharedMemPerMultiprocessor"),
        json_uint(out, info->shared_memory_per_multiprocessor);
    json_object_end(out);
}

/* Ranks on one host see the same devices: each is listed once. */
static bool is_listed(const struct timeline *timeline, uint32_t index)
{
    const struct tl_device *device = &timeline->devices.at[index];
    for (uint32_t i = 0; i < device->process; i++) {
        const struct tl_device *other = timeline_device_of(timeline, i, device->info.device);
        if (other && memcmp(other->info.uuid, device->info.uuid, sizeof other->info.uuid) == 0)
            return true;
    }
    return false;
}

static void write_devices(struct chrome *chrome)
{
    json_newline(&chrome->out);
    json_key(&chrome->out, "deviceProperties");
    json_array_begin(&chrome->out);
    for (uint32_t i = 0; i < chrome->timeline->devices.count; i++)
        if (!is_listed(chrome->timeline, i))
            write_device(chrome, &chrome->timeline->devices.at[i]);
    json_array_end(&chrome->out);
}

/* Copies a member unchanged to a line of its own. */
static void write_member(void *user, const struct json_string *key, struct text value)
{
    struct chrome *chrome = user;
    struct json_out *out = &chrome->out;
    chrome->stated_distributed |= json_string_is(key, "distributedInfo");
    json_newline(out);
    json_quoted(out, key->bytes - 1, (size_t)key->size + 2);
    json_colon(out);
    json_out_bytes(out, " ", 1); /* some readers search for `"rank": 0` */
    json_quoted(out, value.bytes, value.size);
}

/* Writes the members of an object; its braces may be missing. False: no memory. */
static bool write_members(struct chrome *chrome, struct text members, bool has_braces)
{
    char *bytes = malloc(members.size + JSON_PAD_BYTES + 2), *p = bytes;
    if (!bytes)
        return false;
    if (!has_braces)
        *p++ = '{';
    memcpy(p, members.bytes, members.size);
    p += members.size;
    if (!has_braces)
        *p++ = '}';
    memset(p, '"', JSON_PAD_BYTES);
    struct json_cursor cursor = {.end = p};
    json_each_member(&cursor, json_space(bytes), write_member, chrome);
    free(bytes);
    return true;
}

/* Members from the Chrome trace that was read, then the caller's. */
static bool write_metadata(struct chrome *chrome)
{
    const struct timeline *timeline = chrome->timeline;
    struct text read =
        timeline->processes.count ? timeline->processes.at[0].info.members : (struct text){0};
    struct text given = chrome->more ? chrome->more->metadata : (struct text){0};
    return (!read.size || write_members(chrome, read, false)) &&
           (!given.size || write_members(chrome, given, true));
}

static void write_distributed(struct chrome *chrome)
{
    struct json_out *out = &chrome->out;
    const struct timeline *timeline = chrome->timeline;
    const struct tl_process_info *info =
        timeline->processes.count ? &timeline->processes.at[0].info : NULL;
    json_newline(out);
    json_key_spaced(out, "distributedInfo");
    json_object_begin(out);
    json_key_spaced(out, "rank"), json_int(out, info && info->rank > 0 ? info->rank : 0);
    if (info && info->world_size > 0)
        json_key_spaced(out, "world_size"), json_int(out, info->world_size);
    json_object_end(out);
}

/* A row of the trace, and the process or device that it is of. */
static void write_pid(struct json_out *out, uint64_t pid, uint64_t own)
{
    char name[24];
    snprintf(name, sizeof name, "%" PRIu64, pid);
    json_string(out, name), json_colon(out), json_uint(out, own);
}

static void write_process(struct chrome *chrome, uint32_t index)
{
    struct json_out *out = &chrome->out;
    const struct tl_process_info *info = &chrome->timeline->processes.at[index].info;
    json_newline(out), json_object_begin(out);
    if (info->rank >= 0)
        json_key(out, "rank"), json_int(out, info->rank);
    if (info->world_size >= 0)
        json_key(out, "world_size"), json_int(out, info->world_size);
    json_key(out, "host_name"), json_text(out, info->host);
    if (info->clock.size)
        json_key(out, "clock"), json_text(out, info->clock);
    json_key(out, "pids"), json_object_begin(out);
    write_pid(out, chrome->rows.pids[index], info->pid);
    for (uint32_t i = chrome_rows_first_gpu(&chrome->rows, index); i != TL_NONE;
         i = chrome->rows.gpus[i].next)
        write_pid(out, chrome->rows.gpus[i].pid, chrome->rows.gpus[i].ordinal);
    json_object_end(out), json_object_end(out);
}

/* The process of each device pid. Operations without a launch have no other reference to it. */
static void write_processes(struct chrome *chrome)
{
    const struct timeline *timeline = chrome->timeline;
    if (!timeline->processes.count ||
        (timeline->processes.count == 1 &&
         (!timeline->processes.at[0].info.pid ||
          chrome->rows.pids[0] == timeline->processes.at[0].info.pid)))
        return;
    json_newline(&chrome->out), json_key(&chrome->out, "traceProcesses");
    json_array_begin(&chrome->out);
    for (uint32_t i = 0; i < chrome->timeline->processes.count; i++)
        write_process(chrome, i);
    json_array_end(&chrome->out);
}

static void write_run(struct chrome *chrome)
{
    struct json_out *out = &chrome->out;
    json_newline(out);
    json_key(out, "libprof");
    json_object_begin(out);
    facts_json_run(out, &chrome->facts);
    facts_json_loss(out, &chrome->facts);
    cost_json(out, chrome->timeline);
    json_object_end(out);
}

/* What is not recorded from here on: a line across its process. */
static void write_throttle(struct chrome *chrome, const struct tl_throttle *throttle)
{
    struct json_out *out = &chrome->out;
    const struct tl_process *process = &chrome->timeline->processes.at[throttle->process];
    if (!process->thread_count)
        return;
    json_newline(out);
    json_object_begin(out);
    json_members(out, "\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"p\"");
    char name[80];
    snprintf(name, sizeof name, "libprof: %s %s", run_cost_throttle_name(throttle),
             throttle->on ? "recorded again" : "not recorded any more");
    json_key(out, "name"), json_string(out, name);
    chrome_row_write(&chrome->rows.threads[process->first_thread], out);
    json_key(out, "ts"), json_microseconds(out, chrome_time(chrome, throttle->time_ns));
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "cost %"), json_double(out, throttle->cost_ppm / 1e4);
    json_key(out, "budget %"), json_double(out, throttle->budget_ppm / 1e4);
    json_object_end(out), json_object_end(out);
}

void chrome_head_write(struct chrome *chrome)
{
    struct json_out *out = &chrome->out;
    const struct timeline *timeline = chrome->timeline;
    json_object_begin(out);
    json_newline(out), json_key(out, "schemaVersion"), json_uint(out, 1);
    write_devices(chrome);
    if (!write_metadata(chrome))
        out->error = ENOMEM;
    if (!chrome->stated_distributed)
        write_distributed(chrome);
    if (timeline->processes.count)
        json_newline(out), json_key(out, "host_name"),
            json_text(out, timeline->processes.at[0].info.host);
    write_processes(chrome);
    write_run(chrome);
    json_newline(out), json_key(out, "displayTimeUnit"), json_constant(out, "ns");
    json_newline(out), json_key(out, "baseTimeNanoseconds");
    uint64_t shift_ns = (uint64_t)chrome->shift_ns, base_ns = timeline->base_realtime_ns;
    json_uint(out, base_ns > shift_ns ? base_ns - shift_ns : 0);
    json_newline(out), json_key(out, "traceEvents"), json_array_begin(out);
    chrome_labels_write(&chrome->rows, out);
    for (uint32_t i = 0; i < timeline->throttles.count; i++)
        write_throttle(chrome, &timeline->throttles.at[i]);
}

/* Kineto's last event. */
static void write_window_end(struct chrome *chrome)
{
    struct json_out *out = &chrome->out;
    json_newline(out), json_object_begin(out);
    json_members(out, "\"ph\":\"i\",\"s\":\"g\",\"name\":\"Record Window End\"");
    json_members(out, "\"pid\":\"\",\"tid\":\"\"");
    json_key(out, "ts"), json_microseconds(out, chrome_time(chrome, chrome->timeline->end_ns));
    json_object_end(out);
}

void chrome_head_finish(struct chrome *chrome)
{
    struct json_out *out = &chrome->out;
    if (chrome->operators.bits)
        write_window_end(chrome);
    if (chrome->more && chrome->more->events)
        chrome->more->events(chrome->more->user, out);
    json_array_end(out);
    if (chrome->more && chrome->more->members)
        chrome->more->members(chrome->more->user, out);
    if (chrome->skipped_counters)
        json_newline(out), json_key(out, "skippedCounters"),
            json_uint(out, chrome->skipped_counters);
    json_newline(out), json_key(out, "traceName"), json_string(out, chrome->trace_name);
    json_object_end(out);
    out->comma = false;
    json_newline(out);
}
