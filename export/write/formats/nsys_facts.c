/* nsys_facts.c - what does not happen but is: names, processes, threads, devices, and what was lost. */
#include "nsys_export.h"
#include "nsys_schema.h"
#include "run_facts.h"

#include <inttypes.h>
#include <stdio.h>

static void write_strings(struct nsys_export *nsys)
{
    for (uint32_t i = 0; i < nsys->timeline->names.count; i++) {
        row_int(nsys->strings, i);
        row_text(nsys->strings, nsys->timeline->names.at[i]);
        row_write(nsys->strings);
    }
}

static void write_processes(struct nsys_export *nsys)
{
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO PROCESSES VALUES(?,?,?)");
    struct database_row *host = database_prepare(
        nsys->database, "INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES(?,'OSInfo','Hostname',1,?)");
    for (uint32_t i = 0; i < nsys->timeline->processes.count; i++) {
        const struct read_process *info = &nsys->timeline->processes.at[i].info;
        row_int(row, nsys->global_pids[i]);
        row_int(row, info->pid);
        row_text(row, info->program);
        row_write(row);
        row_int(host, nsys->global_pids[i] >> 48);
        row_text(host, info->host);
        row_write(host);
    }
}

static void write_threads(struct nsys_export *nsys)
{
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO ThreadNames VALUES(?,20,?)");
    for (uint32_t i = 0; i < nsys->timeline->threads.count; i++) {
        const struct tl_thread *thread = &nsys->timeline->threads.at[i];
        if (thread->name == TL_NONE || thread->internal)
            continue;
        row_int(row, thread->name);
        row_int(row, nsys_global_tid(nsys, i));
        row_write(row);
    }
}

static void uuid_text(const uint8_t uuid[16], char to[48])
{
    int used = snprintf(to, 48, "GPU-");
    for (int i = 0; i < 16; i++)
        used += snprintf(to + used, 48 - (size_t)used, "%s%02x",
                         i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
}

static void write_device(struct nsys_export *nsys, struct database_row *row,
                         const struct tl_device *device)
{
    const struct prof_rec_device *info = &device->info;
    char uuid[48];
    uuid_text(info->uuid, uuid);
    row_int(row, nsys->global_pids[device->process] >> 48);
    row_int(row, info->device);
    if (device->name == TL_NONE)
        row_null(row);
    else
        row_text(row, nsys->timeline->names.at[device->name]);
    row_int(row, info->l2_bytes);
    row_int(row, (int64_t)info->memory_bytes);
    row_int(row, (int64_t)info->memory_bandwidth);
    row_int(row, (int64_t)info->core_clock_khz * 1000);
    row_int(row, info->multiprocessors);
    row_string(row, uuid);
    row_int(row, info->registers_per_block);
    row_int(row, info->shared_memory_per_block);
    row_int(row, info->shared_memory_per_multiprocessor);
    row_int(row, info->registers_per_multiprocessor);
    row_int(row, info->threads_per_warp);
    row_int(row, info->max_warps_per_multiprocessor);
    row_int(row, info->max_blocks_per_multiprocessor);
    row_int(row, info->max_threads_per_block);
    row_int(row, info->compute_major);
    row_int(row, info->compute_minor);
    row_write(row);
}

static bool is_first_of_ordinal(const struct timeline *timeline, uint32_t index)
{
    const struct tl_device *device = &timeline->devices.at[index];
    for (uint32_t i = 0; i < device->process; i++)
        if (timeline_device_of(timeline, i, device->info.device))
            return false;
    return true;
}

/* nsys has a device once, however many processes use it. */
static void write_devices(struct nsys_export *nsys)
{
    struct database_row *row = database_prepare(
        nsys->database,
        "INSERT INTO TARGET_INFO_GPU(vmId, id, name, l2CacheSize, totalMemory, memoryBandwidth, "
        "clockRate, smCount, uuid, maxRegistersPerBlock, maxShmemPerBlock, maxShmemPerSm, "
        "maxRegistersPerSm, threadsPerWarp, maxWarpsPerSm, maxBlocksPerSm, maxThreadsPerBlock, "
        "computeMajor, computeMinor) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)");
    for (uint32_t i = 0; i < nsys->timeline->devices.count; i++)
        if (is_first_of_ordinal(nsys->timeline, i))
            write_device(nsys, row, &nsys->timeline->devices.at[i]);
}

static bool is_same_context(const struct tl_stream *a, const struct tl_stream *b)
{
    return a->process == b->process && a->device == b->device && a->context == b->context;
}

/* Streams are sorted by process, device and context. */
static void write_streams(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    struct database_row *context = database_prepare(
        nsys->database,
        "INSERT INTO TARGET_INFO_CUDA_CONTEXT_INFO VALUES(NULL,0,?,?,?,?,NULL,NULL)");
    struct database_row *row = database_prepare(
        nsys->database, "INSERT INTO TARGET_INFO_CUDA_STREAM VALUES(?,0,?,?,?,?,NULL)");
    for (uint32_t i = 0; i < timeline->streams.count; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        int64_t machine = nsys->global_pids[stream->process] >> 48;
        uint32_t pid = timeline->processes.at[stream->process].info.pid;
        if (stream->device != TL_NONE && (i == 0 || !is_same_context(stream, stream - 1))) {
            row_int(context, machine);
            row_int(context, pid);
            row_int(context, stream->device);
            row_int(context, stream->context);
            row_write(context);
        }
        row_int(row, stream->stream);
        row_int(row, machine);
        row_int(row, pid);
        row_int(row, stream->context);
        if (stream->priority == PROF_PRIORITY_UNKNOWN)
            row_null(row);
        else
            row_int(row, stream->priority);
        row_write(row);
    }
}

static void write_named(struct nsys_export *nsys, enum nsys_event_type type, uint32_t process,
                        uint32_t domain, uint32_t category, uint32_t name)
{
    struct database_row *row = nsys->tables[NSYS_NVTX];
    row_int(row, nsys->timeline->start_ns);
    row_null(row);
    row_int(row, type);
    row_null(row);
    if (type == NSYS_CATEGORY)
        row_int(row, category);
    else
        row_null(row);
    row_null(row);
    row_int(row, nsys->global_pids[process]);
    row_null(row);
    row_int(row, name);
    row_int(row, domain);
    row_write(row);
}

/* After everything that happened, so that rows are numbered as they were written. */
static void write_domains(struct nsys_export *nsys)
{
    const struct timeline *timeline = nsys->timeline;
    for (uint32_t i = 0; i < timeline->domains.count; i++) {
        const struct tl_domain *domain = &timeline->domains.at[i];
        if (domain->name != TL_NONE)
            write_named(nsys, NSYS_DOMAIN, domain->process, domain->number, 0, domain->name);
    }
    for (uint32_t i = 0; i < timeline->categories.count; i++) {
        const struct tl_category *category = &timeline->categories.at[i];
        const struct tl_domain *domain = &timeline->domains.at[category->domain];
        if (category->name != TL_NONE)
            write_named(nsys, NSYS_CATEGORY, domain->process, domain->number, category->number,
                        category->name);
    }
}

static void write_count(struct database_row *row, const char *name, uint64_t count)
{
    row_string(row, name);
    row_int(row, (int64_t)count);
    row_write(row);
}

static void write_ledger(struct nsys_export *nsys)
{
    const struct tl_ledger *ledger = &nsys->timeline->ledger;
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO PROF_LEDGER VALUES(?,?)");
    write_count(row, "launched", ledger->launched);
    write_count(row, "recorded", ledger->recorded);
    write_count(row, "lost_operations", ledger->lost_operations);
    write_count(row, "undelivered", ledger->undelivered);
    write_count(row, "unobserved", ledger->unobserved);
    write_count(row, "missing", ledger->missing);
    write_count(row, "orphans", ledger->orphans);
    write_count(row, "ambiguous", ledger->ambiguous);
    write_count(row, "graph_expected", ledger->graph_expected);
    write_count(row, "launched_graph", ledger->launched_graph);
}

static void write_meta(struct nsys_export *nsys)
{
    struct run_facts facts;
    struct database_row *row =
        database_prepare(nsys->database, "INSERT INTO META_DATA_EXPORT VALUES(?,?)");
    struct database_row *start = database_prepare(
        nsys->database, "INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES(?,"
                        "strftime('%Y-%m-%dT%H:%M:%SZ', ? / 1000000000, 'unixepoch'),NULL)");
    run_facts_init(&facts, nsys->timeline);
    row_string(row, "EXPORTER"), row_string(row, "libprof"), row_write(row);
    row_string(row, "GPU_MODE"), row_string(row, facts.mode), row_write(row);
    row_string(row, "SIMULATED"), row_string(row, facts.simulated ? "yes" : "no"), row_write(row);
    row_string(row, "LOST_ANYTHING"), row_string(row, facts.lost_anything ? "yes" : "no");
    row_write(row);
    row_int(start, (int64_t)nsys->timeline->base_realtime_ns);
    row_int(start, (int64_t)nsys->timeline->base_realtime_ns);
    row_write(start);
}

void nsys_facts_write(struct nsys_export *nsys)
{
    write_strings(nsys);
    write_meta(nsys);
    write_processes(nsys);
    write_threads(nsys);
    write_devices(nsys);
    write_streams(nsys);
    write_domains(nsys);
    write_ledger(nsys);
}
