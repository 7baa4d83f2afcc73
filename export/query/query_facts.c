/* query_facts.c - what is rather than happens, and what happened to memory, as tables. */
#include "query_table.h"

#include "memory_use.h"
#include "run_facts.h"

static int64_t or_null(int64_t value, int64_t nothing)
{
    return value == nothing ? QUERY_NULL : value;
}

/* ---- processes ---- */

#define PROCESS_TEXT(function, member)                                        \
    static struct text function(const struct query_data *data, uint32_t item) \
    {                                                                         \
        struct text text = data->timeline->processes.at[item].info.member;    \
        return text.size ? text : (struct text){0};                           \
    }
PROCESS_TEXT(process_host, host)
PROCESS_TEXT(process_program, program)
PROCESS_TEXT(process_reason, gpu_reason)
PROCESS_TEXT(process_cupti, cupti)
PROCESS_TEXT(process_driver, driver)
PROCESS_TEXT(process_version, library_version)
PROCESS_TEXT(process_format, format)

static struct text process_mode(const struct query_data *data, uint32_t item)
{
    return query_literal(run_facts_mode_name(data->timeline->processes.at[item].info.gpu_mode));
}

static struct text process_file(const struct query_data *data, uint32_t item)
{
    const char *path = data->timeline->processes.at[item].path;
    return path ? query_literal(path) : (struct text){0};
}

QUERY_GET(process_global_pid, processes, data->global_ids.processes[item])
QUERY_GET(process_pid, processes, (int64_t)of->info.pid)
QUERY_GET(process_parent, processes, or_null((int64_t)of->info.parent_pid, 0))
QUERY_GET(process_rank, processes, or_null(of->info.rank, -1))
QUERY_GET(process_local_rank, processes, or_null(of->info.local_rank, -1))
QUERY_GET(process_world, processes, or_null(of->info.world_size, -1))
QUERY_GET(process_start, processes, of->start_ns)
QUERY_GET(process_end, processes, of->end_ns)
QUERY_GET(process_closed, processes, of->info.closed)
QUERY_GET(process_clock_synchronized, processes,
          of->info.system_clock_known ? of->info.system_clock_synchronized : QUERY_NULL)
QUERY_GET(process_clock_error, processes,
          of->info.system_clock_known ? of->info.system_clock_max_error_ns : QUERY_NULL)
QUERY_GET(process_simulated, processes, of->info.simulated)
QUERY_COUNT(process_count, processes)

static const struct query_column process_columns[] = {
    QUERY_ID(""),
    QUERY_INT("pid", "", "in its own namespace", process_pid),
    QUERY_INT("parent_pid", "", "", process_parent),
    QUERY_STRING("name", "file name of the executable", process_program),
    QUERY_STRING("host", "", process_host),
    QUERY_INT("rank", "", "in a parallel job", process_rank),
    QUERY_INT("local_rank", "", "", process_local_rank),
    QUERY_INT("world_size", "", "", process_world),
    QUERY_INT("start", "ns", "of what was recorded, since `base_utc_ns` of meta", process_start),
    QUERY_INT("end", "ns", "", process_end),
    QUERY_INT("closed", "", "0: it was killed, or still runs", process_closed),
    QUERY_INT("simulated", "", "1: it ran on the simulated CUDA", process_simulated),
    QUERY_STRING("gpu_mode", "who timed the device: cupti, events ...", process_mode),
    QUERY_STRING("gpu_reason", "why", process_reason),
    QUERY_STRING("cupti", "", process_cupti),
    QUERY_STRING("driver", "version of CUDA's driver", process_driver),
    QUERY_STRING("library_version", "of libprof", process_version),
    QUERY_STRING("format", "NULL: a recording of libprof; else what wrote the file",
                 process_format),
    QUERY_STRING("file", "", process_file),
    QUERY_INT("globalPid", "", "as in the tables of nsys", process_global_pid),
    QUERY_INT("clock_synchronized", "",
              "1: chrony, ntpd or PTP kept the host's clock; NULL unknown",
              process_clock_synchronized),
    QUERY_INT("clock_error", "ns", "the kernel's bound of that clock's error", process_clock_error),
};
const struct query_table query_processes = {
    .name = "processes",
    .meaning = "processes that were recorded",
    QUERY_COLUMNS(process_columns),
    .count = process_count,
};

/* ---- threads ---- */

QUERY_GET(thread_process, threads, of->process)
QUERY_GET(thread_pid, threads, query_pid(data, of->process))
QUERY_GET(thread_tid, threads, of->tid)
QUERY_GET(thread_name, threads, query_name(data, of->name))
QUERY_GET(thread_slices, threads, of->slice_count)
QUERY_GET(thread_internal, threads, of->internal)
QUERY_COUNT(thread_count, threads)

static const struct query_column thread_columns[] = {
    QUERY_ID(""),
    QUERY_INT("process", "", "processes.id", thread_process),
    QUERY_INT("pid", "", "", thread_pid),
    QUERY_INT("tid", "", "", thread_tid),
    QUERY_NAMED("name", "", thread_name),
    QUERY_INT("slices", "", "how many it has, hidden ones included", thread_slices),
    QUERY_INT("internal", "", "1: a thread of libprof or CUPTI", thread_internal),
};
const struct query_table query_threads = {
    .name = "threads",
    .meaning = "threads that were recorded",
    QUERY_COLUMNS(thread_columns),
    .count = thread_count,
};

/* ---- devices, streams ---- */

QUERY_GET(device_process, devices, of->process)
QUERY_GET(device_ordinal, devices, of->info.device)
QUERY_GET(device_name, devices, query_name(data, of->name))
QUERY_GET(device_given_name, devices, query_name(data, of->given_name))
QUERY_GET(device_memory, devices, or_null((int64_t)of->info.memory_bytes, 0))
QUERY_GET(device_bandwidth, devices, or_null((int64_t)of->info.memory_bandwidth, 0))
QUERY_GET(device_major, devices, of->info.compute_major)
QUERY_GET(device_minor, devices, of->info.compute_minor)
QUERY_GET(device_multiprocessors, devices, or_null(of->info.multiprocessors, 0))
QUERY_GET(device_clock, devices, or_null((int64_t)of->info.core_clock_khz * 1000, 0))
QUERY_GET(device_l2, devices, or_null(of->info.l2_bytes, 0))
QUERY_GET(device_error, devices, or_null(of->clock_error_ns, -1))
QUERY_COUNT(device_count, devices)

static const struct query_column device_columns[] = {
    QUERY_ID(""),
    QUERY_INT("process", "", "processes.id", device_process),
    QUERY_INT("device", "", "ordinal in its process", device_ordinal),
    QUERY_NAMED("name", "", device_name),
    QUERY_NAMED("given_name", "the program's name for it", device_given_name),
    QUERY_INT("memory", "bytes", "", device_memory),
    QUERY_INT("memory_bandwidth", "bytes/s", "", device_bandwidth),
    QUERY_INT("compute_major", "", "compute capability", device_major),
    QUERY_INT("compute_minor", "", "", device_minor),
    QUERY_INT("multiprocessors", "", "", device_multiprocessors),
    QUERY_INT("clock", "Hz", "", device_clock),
    QUERY_INT("l2", "bytes", "", device_l2),
    QUERY_INT("clock_error", "ns", "how far bracketed work lay outside of its bracket",
              device_error),
};
const struct query_table query_devices = {
    .name = "devices",
    .meaning = "devices, once for each process that used them",
    QUERY_COLUMNS(device_columns),
    .count = device_count,
};

QUERY_GET(stream_process, streams, of->process)
QUERY_GET(stream_device, streams, query_known(of->device))
QUERY_GET(stream_context, streams, of->context)
QUERY_GET(stream_number, streams, of->stream)
QUERY_GET(stream_priority, streams, or_null(of->priority, PROF_PRIORITY_UNKNOWN))
QUERY_GET(stream_name, streams, query_name(data, of->given_name))
QUERY_GET(stream_operations, streams, of->gpu_count)
QUERY_COUNT(stream_count, streams)

static const struct query_column stream_columns[] = {
    QUERY_ID(""),
    QUERY_INT("process", "", "processes.id", stream_process),
    QUERY_INT("device", "", "ordinal in its process", stream_device),
    QUERY_INT("context", "", "CUPTI's id", stream_context),
    QUERY_INT("stream", "", "CUPTI's id", stream_number),
    QUERY_INT("priority", "", "", stream_priority),
    QUERY_NAMED("name", "the program's name for it", stream_name),
    QUERY_INT("operations", "", "how many it has, hidden ones included", stream_operations),
};
const struct query_table query_streams = {
    .name = "streams",
    .meaning = "streams of devices",
    QUERY_COLUMNS(stream_columns),
    .count = stream_count,
};

/* ---- memory ---- */

static const struct tl_heap *heap_at(const struct query_data *data, uint32_t heap)
{
    return &data->timeline->heaps.at[heap];
}

static struct text heap_kind(const struct tl_heap *heap)
{
    return heap->allocator ? query_literal("allocator")
                           : query_literal(gpu_label_memory_kind(heap->kind));
}

static struct text memory_kind(const struct query_data *data, uint32_t item)
{
    return heap_kind(heap_at(data, data->timeline->memories.at[item].heap));
}

QUERY_GET(memory_start, memories, of->start_ns)
QUERY_GET(memory_end, memories, or_null(of->end_ns, TL_MEMORY_LIVE))
QUERY_GET(memory_duration, memories,
          of->end_ns == TL_MEMORY_LIVE ? QUERY_NULL : of->end_ns - of->start_ns)
QUERY_GET(memory_bytes, memories, of->bytes)
QUERY_GET(memory_address, memories, or_null((int64_t)of->address, 0))
QUERY_GET(memory_heap, memories, query_name(data, heap_at(data, of->heap)->name))
QUERY_GET(memory_process, memories, heap_at(data, of->heap)->process)
QUERY_GET(memory_pid, memories, query_pid(data, heap_at(data, of->heap)->process))
QUERY_GET(memory_device, memories, query_known(heap_at(data, of->heap)->device))
QUERY_GET(memory_slice, memories, query_known(of->slice))
QUERY_GET(memory_end_slice, memories, query_known(of->end_slice))
QUERY_GET(memory_thread, memories, query_known(of->thread))
QUERY_GET(memory_async, memories, (of->flags & TL_MEMORY_ASYNC) != 0)
QUERY_COUNT(memory_count, memories)

static const struct query_column memory_columns[] = {
    QUERY_ID("by process, then by start"),
    QUERY_NAMED("name", "where it is allocated: device, pinned, or the program's allocator",
                memory_heap),
    QUERY_STRING("kind", "Device, Pinned, Managed ..., or allocator: one of the program's own",
                 memory_kind),
    QUERY_INT("start", "ns", "allocated", memory_start),
    QUERY_INT("end", "ns", "freed; NULL: not in the trace", memory_end),
    QUERY_INT("duration", "ns", "end - start", memory_duration),
    QUERY_INT("bytes", "bytes", "", memory_bytes),
    QUERY_INT("address", "", "NULL: only the size is known", memory_address),
    QUERY_INT("process", "", "processes.id", memory_process),
    QUERY_INT("pid", "", "", memory_pid),
    QUERY_INT("device", "", "ordinal in its process", memory_device),
    QUERY_INT("slice", "", "slices.id of the innermost call or range that allocated it",
              memory_slice),
    QUERY_INT("end_slice", "", "slices.id of the one that freed it", memory_end_slice),
    QUERY_INT("thread", "", "threads.id", memory_thread),
    QUERY_INT("async", "", "1: stream-ordered", memory_async),
};
const struct query_table query_allocations = {
    .name = "allocations",
    .meaning = "memory, from allocation to release",
    QUERY_COLUMNS(memory_columns),
    .count = memory_count,
};

/* ---- heaps: memory in use, by kind ---- */

static struct text heaps_kind(const struct query_data *data, uint32_t item)
{
    return heap_kind(heap_at(data, item));
}

#define HEAP_USE (&data->memory.heaps[item])
QUERY_GET(heap_name, heaps, query_name(data, of->name))
QUERY_GET(heap_process, heaps, of->process)
QUERY_GET(heap_pid, heaps, query_pid(data, of->process))
QUERY_GET(heap_device, heaps, query_known(of->device))
QUERY_GET(heap_allocations, heaps, HEAP_USE->allocations)
QUERY_GET(heap_frees, heaps, HEAP_USE->frees)
QUERY_GET(heap_allocated, heaps, HEAP_USE->allocated_bytes)
QUERY_GET(heap_live, heaps, HEAP_USE->live_bytes)
QUERY_GET(heap_peak, heaps, HEAP_USE->peak_bytes)
QUERY_GET(heap_peak_time, heaps, HEAP_USE->peak_event == TL_NONE ? QUERY_NULL : HEAP_USE->peak_ns)
QUERY_GET(heap_peak_allocation, heaps,
          HEAP_USE->peak_event == TL_NONE
              ? QUERY_NULL
              : data->timeline->memory_events.at[HEAP_USE->peak_event].memory)
QUERY_COUNT(heap_count, heaps)

static const struct query_column heap_columns[] = {
    QUERY_ID("by process"),
    QUERY_NAMED("name", "device, pinned, or the program's allocator", heap_name),
    QUERY_STRING("kind", "as in allocations", heaps_kind),
    QUERY_INT("process", "", "processes.id", heap_process),
    QUERY_INT("pid", "", "", heap_pid),
    QUERY_INT("device", "", "ordinal in its process", heap_device),
    QUERY_INT("allocations", "", "", heap_allocations),
    QUERY_INT("frees", "", "", heap_frees),
    QUERY_INT("allocated", "bytes", "", heap_allocated),
    QUERY_INT("live", "bytes", "at the end", heap_live),
    QUERY_INT("peak", "bytes", "", heap_peak),
    QUERY_INT("peak_time", "ns", "", heap_peak_time),
    QUERY_INT("peak_allocation", "", "allocations.id of the one that made the peak",
              heap_peak_allocation),
};
const struct query_table query_heaps = {
    .name = "heaps",
    .meaning = "memory of one process, device and kind: amounts, and its peak",
    QUERY_COLUMNS(heap_columns),
    .count = heap_count,
};

static struct text migration_kind(const struct query_data *data, uint32_t item)
{
    return query_literal(migration_kind_name(data->timeline->migrations.at[item].kind));
}

QUERY_GET(migration_start, migrations, of->start_ns)
QUERY_GET(migration_end, migrations, of->end_ns)
QUERY_GET(migration_duration, migrations, of->end_ns - of->start_ns)
QUERY_GET(migration_value, migrations, of->value)
QUERY_GET(migration_address, migrations, of->address)
QUERY_GET(migration_process, migrations, of->process)
QUERY_GET(migration_source, migrations, query_known(of->source))
QUERY_GET(migration_target, migrations, query_known(of->target))
QUERY_GET(migration_gpu, migrations, query_known(of->gpu))
QUERY_GET(migration_slice, migrations, query_known(of->slice))
QUERY_COUNT(migration_count, migrations)

static const struct query_column migration_columns[] = {
    QUERY_ID(""),
    QUERY_STRING("kind", "migration, page fault, thrashing ...", migration_kind),
    QUERY_INT("start", "ns", "", migration_start),
    QUERY_INT("end", "ns", "", migration_end),
    QUERY_INT("duration", "ns", "end - start", migration_duration),
    QUERY_INT("value", "", "bytes, or page faults, by kind", migration_value),
    QUERY_INT("address", "", "", migration_address),
    QUERY_INT("process", "", "processes.id", migration_process),
    QUERY_INT("source", "", "device; NULL: the host", migration_source),
    QUERY_INT("target", "", "device; NULL: the host", migration_target),
    QUERY_INT("operation", "", "operations.id of the kernel that ran there at that moment",
              migration_gpu),
    QUERY_INT("slice", "", "slices.id of the call that launched it, or of what was open",
              migration_slice),
};
const struct query_table query_migrations = {
    .name = "migrations",
    .meaning = "what the driver did with managed memory",
    QUERY_COLUMNS(migration_columns),
    .count = migration_count,
};

/* ---- blocks ---- */

QUERY_GET(block_name, blocks, query_name(data, of->name))
QUERY_GET(block_start, blocks, of->start_ns)
QUERY_GET(block_process, blocks, of->process)
QUERY_GET(block_events, blocks, of->event_count)
QUERY_GET(block_allocs, blocks, of->alloc_count)
QUERY_COUNT(block_count, blocks)

static const struct query_column block_columns[] = {
    QUERY_ID("by process, then by start"),
    QUERY_NAMED("name", "blocks of one name are iterations of one block", block_name),
    QUERY_INT("start", "ns", "", block_start),
    QUERY_INT("process", "", "processes.id", block_process),
    QUERY_INT("events", "", "ranges that began in it", block_events),
    QUERY_INT("allocations", "", "made in it", block_allocs),
};
const struct query_table query_blocks = {
    .name = "blocks",
    .meaning = "profiling blocks (prof/block.h, ExecuTorch)",
    QUERY_COLUMNS(block_columns),
    .count = block_count,
};

/* ---- losses, the ledger ---- */

static uint32_t loss_count(const struct query_data *data)
{
    return data->timeline->processes.count * PROF_LOSS_COUNT;
}

static int64_t loss_process(const struct query_data *data, uint32_t item)
{
    (void)data;
    return item / PROF_LOSS_COUNT;
}

static int64_t loss_pid(const struct query_data *data, uint32_t item)
{
    return query_pid(data, item / PROF_LOSS_COUNT);
}

static int64_t loss_events(const struct query_data *data, uint32_t item)
{
    return (int64_t)data->timeline->processes.at[item / PROF_LOSS_COUNT]
        .loss[item % PROF_LOSS_COUNT];
}

static struct text loss_cause(const struct query_data *data, uint32_t item)
{
    (void)data;
    return query_literal(run_facts_cause_name((enum prof_loss_cause)(item % PROF_LOSS_COUNT)));
}

static struct text loss_meaning(const struct query_data *data, uint32_t item)
{
    (void)data;
    return query_literal(run_facts_cause_sentence((enum prof_loss_cause)(item % PROF_LOSS_COUNT)));
}

static bool is_loss(const struct query_data *data, uint32_t item)
{
    return loss_events(data, item) != 0;
}

static const struct query_column loss_columns[] = {
    QUERY_INT("process", "", "processes.id", loss_process),
    QUERY_INT("pid", "", "", loss_pid),
    QUERY_STRING("cause", "", loss_cause),
    QUERY_INT("count", "", "events that are not in the trace", loss_events),
    QUERY_STRING("meaning", "the cause as a sentence", loss_meaning),
};
const struct query_table query_losses = {
    .name = "losses",
    .meaning = "what was lost while recording, by process and cause; no rows: nothing was",
    QUERY_COLUMNS(loss_columns),
    .count = loss_count,
    .is_row = is_loss,
};

static const char *const ledger_kinds[] = {[TL_LEDGER_STREAM] = "stream",
                                           [TL_LEDGER_UNKNOWN] = "unknown stream",
                                           [TL_LEDGER_GRAPH] = "graph",
                                           [TL_LEDGER_GRAPH + 1] = NULL};

static int64_t lost_of(const struct tl_ledger_row *row)
{
    uint64_t sum = row->recycled;
    for (int i = 0; i < PROF_LOSS_COUNT; i++)
        sum += row->lost[i];
    return (int64_t)sum;
}

QUERY_GET(ledger_process, ledger_rows, of->process)
QUERY_GET(ledger_kind, ledger_rows, of->kind)
QUERY_GET(ledger_stream, ledger_rows, query_known(of->stream))
QUERY_GET(ledger_graph, ledger_rows, of->graph ? (int64_t)of->graph : QUERY_NULL)
QUERY_GET(ledger_launched, ledger_rows, of->launched)
QUERY_GET(ledger_recorded, ledger_rows, of->recorded)
QUERY_GET(ledger_lost, ledger_rows, lost_of(of))
QUERY_GET(ledger_undelivered, ledger_rows, of->undelivered)
QUERY_GET(ledger_unobserved, ledger_rows, of->unobserved)
QUERY_GET(ledger_missing, ledger_rows, of->missing)
QUERY_GET(ledger_orphans, ledger_rows, of->orphans)
QUERY_COUNT(ledger_count, ledger_rows)

static const struct query_column ledger_columns[] = {
    QUERY_INT("process", "", "processes.id", ledger_process),
    QUERY_WORDS("kind", "stream, graph, unknown stream", ledger_kind, ledger_kinds),
    QUERY_INT("stream_id", "", "streams.id", ledger_stream),
    QUERY_INT("graph", "", "CUPTI's id", ledger_graph),
    QUERY_INT("launched", "", "operations: recorded + lost + undelivered + unobserved + missing",
              ledger_launched),
    QUERY_INT("recorded", "", "", ledger_recorded),
    QUERY_INT("lost", "", "for a counted cause, or overwritten in the ring", ledger_lost),
    QUERY_INT("undelivered", "", "the process was killed, or still runs", ledger_undelivered),
    QUERY_INT("unobserved", "", "device work was not recorded at all", ledger_unobserved),
    QUERY_INT("missing", "", "no known cause: should be 0", ledger_missing),
    QUERY_INT("orphans", "", "recorded, but the launch is not in the trace", ledger_orphans),
};
const struct query_table query_ledger = {
    .name = "ledger",
    .meaning = "launched operations and their fate, by stream and graph",
    QUERY_COLUMNS(ledger_columns),
    .count = ledger_count,
};

/* ---- what the recorder summed up (PROF_SUMMARY) ---- */

#define SUMMARY_WORD(symbol, name, meaning) name,
static const char *const summary_kinds[] = {PROF_SUMMARY_KINDS(SUMMARY_WORD) NULL};
#undef SUMMARY_WORD

static int64_t step_or_null(uint64_t step)
{
    return step == PROF_SUMMARY_NO_STEP ? QUERY_NULL : (int64_t)step;
}

QUERY_GET(summary_process, summaries, of->process)
QUERY_GET(summary_step, summaries, step_or_null(of->step))
QUERY_GET(summary_kind, summaries, of->kind)
QUERY_GET(summary_name, summaries, query_name(data, of->name))
QUERY_GET(summary_events, summaries, (int64_t)of->count)
QUERY_GET(summary_sum, summaries, (int64_t)of->sum_ns)
QUERY_GET(summary_min, summaries, (int64_t)of->min_ns)
QUERY_GET(summary_max, summaries, (int64_t)of->max_ns)
QUERY_GET(summary_durations, summaries, query_name(data, of->durations))
QUERY_COUNT(summary_count, summaries)

static const struct query_column summary_columns[] = {
    QUERY_INT("process", "", "processes.id", summary_process),
    QUERY_INT("step", "", "NULL: outside of all steps", summary_step),
    QUERY_WORDS(
        "kind",
        "kernel, memcpy, memset, graph, range, call; round: min and max are the time "
        "that the rows before cover; unseen: count is chunks of a ring that were overwritten first",
        summary_kind, summary_kinds),
    QUERY_NAMED("name", "NULL of round and unseen", summary_name),
    QUERY_INT("count", "", "", summary_events),
    QUERY_INT("sum", "ns", "of durations", summary_sum),
    QUERY_INT("min", "ns", "", summary_min),
    QUERY_INT("max", "ns", "", summary_max),
    QUERY_NAMED("durations",
                "how many had which integer part of the base-2 logarithm: {17=3, 18=5}",
                summary_durations),
};
const struct query_table query_summary = {
    .name = "summary",
    .meaning = "durations by step and name as PROF_SUMMARY wrote them: rows of the same key add up",
    QUERY_COLUMNS(summary_columns),
    .count = summary_count,
};

QUERY_GET(summary_step_process, summary_steps, of->process)
QUERY_GET(summary_step_number, summary_steps, (int64_t)of->step)
QUERY_GET(summary_step_start, summary_steps, of->start_ns)
QUERY_GET(summary_step_duration, summary_steps, (int64_t)of->duration_ns)
QUERY_GET(summary_step_compute, summary_steps, (int64_t)of->compute_ns)
QUERY_GET(summary_step_overlapped, summary_steps, (int64_t)of->overlapped_ns)
QUERY_GET(summary_step_communication, summary_steps, (int64_t)of->communication_ns)
QUERY_GET(summary_step_copy, summary_steps, (int64_t)of->copy_ns)
QUERY_GET(summary_step_idle_host, summary_steps, (int64_t)of->idle_host_ns)
QUERY_GET(summary_step_idle_device, summary_steps, (int64_t)of->idle_device_ns)
QUERY_GET(summary_step_partly, summary_steps, of->partly)
QUERY_COUNT(summary_step_count, summary_steps)

static const struct query_column summary_step_columns[] = {
    QUERY_INT("process", "", "processes.id", summary_step_process),
    QUERY_INT("step", "", "its number", summary_step_number),
    QUERY_INT("start", "ns", "", summary_step_start),
    QUERY_INT("duration", "ns", "", summary_step_duration),
    QUERY_INT("compute", "ns", "kernels other than a communication library's ran",
              summary_step_compute),
    QUERY_INT("overlapped", "ns", "of compute: communication ran, too", summary_step_overlapped),
    QUERY_INT("communication", "ns", "no compute, but communication ran",
              summary_step_communication),
    QUERY_INT("copy", "ns", "only copies and sets ran", summary_step_copy),
    QUERY_INT("idle_host", "ns", "nothing ran, and the next operation was not launched yet",
              summary_step_idle_host),
    QUERY_INT("idle_device", "ns", "nothing ran, although it was", summary_step_idle_device),
    QUERY_INT("partly", "", "1: more operations than the recorder keeps, some are missing",
              summary_step_partly),
};
const struct query_table query_summary_steps = {
    .name = "summary_steps",
    .meaning = "what the device did in each step, as PROF_SUMMARY wrote it",
    QUERY_COLUMNS(summary_step_columns),
    .count = summary_step_count,
};

/* ---- when it was recorded ---- */

static struct text start_reason(const struct query_data *data, uint32_t item)
{
    uint8_t reason = data->timeline->windows.at[item].start_reason;
    return query_literal(run_facts_reason_name((enum prof_control_reason)reason));
}

QUERY_GET(window_process, windows, of->process)
QUERY_GET(window_start, windows, of->start_ns)
QUERY_GET(window_end, windows, or_null(of->end_ns, TL_NO_TIME))
QUERY_COUNT(window_count, windows)

static const struct query_column window_columns[] = {
    QUERY_INT("process", "", "processes.id", window_process),
    QUERY_INT("start", "ns", "", window_start),
    QUERY_INT("end", "ns", "NULL: it was not switched off", window_end),
    QUERY_STRING("reason", "what switched it on", start_reason),
};
const struct query_table query_recordings = {
    .name = "recordings",
    .meaning = "intervals of recording, if it was switched",
    QUERY_COLUMNS(window_columns),
    .count = window_count,
};

/* ---- names, and what is about all of it ---- */

QUERY_COUNT(string_count, names)

static const struct query_column string_columns[] = {
    QUERY_ID(""),
    QUERY_NAMED("value", "", query_id),
};
const struct query_table query_strings = {
    .name = "strings",
    .meaning = "every name once",
    QUERY_COLUMNS(string_columns),
    .count = string_count,
};

enum fact { FACT_BASE, FACT_FIRST, FACT_START, FACT_END, FACT_FILES, FACT_COUNT };

static const char *const fact_names[] = {
    [FACT_BASE] = "base_utc_ns", [FACT_FIRST] = "first_event_ns", [FACT_START] = "start_ns",
    [FACT_END] = "end_ns",       [FACT_FILES] = "files",          [FACT_COUNT] = NULL};

static uint32_t fact_count(const struct query_data *data)
{
    (void)data;
    return FACT_COUNT;
}

static int64_t fact_value(const struct query_data *data, uint32_t item)
{
    const struct timeline *timeline = data->timeline;
    const int64_t values[FACT_COUNT] = {
        [FACT_BASE] = (int64_t)timeline->base_realtime_ns,
        [FACT_FIRST] = timeline->origin_ns,
        [FACT_START] = timeline->start_ns,
        [FACT_END] = timeline->end_ns,
        [FACT_FILES] = timeline->file_count,
    };
    return values[item];
}

static const struct query_column fact_columns[] = {
    QUERY_WORDS(
        "name",
        "base_utc_ns: time 0 of all tables, since 1970 in UTC; first_event_ns: zero "
        "point of --window times; start_ns, end_ns: of everything; files: how many were read",
        query_id, fact_names),
    QUERY_INT("value", "", "", fact_value),
};
const struct query_table query_meta = {
    .name = "meta",
    .meaning = "numbers about the whole trace",
    QUERY_COLUMNS(fact_columns),
    .count = fact_count,
};
