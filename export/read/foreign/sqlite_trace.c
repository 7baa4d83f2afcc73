/* sqlite_trace.c - see sqlite_trace.h. */
#include "sqlite_trace.h"

#include <stdio.h>
#include <stdlib.h>

void sqlite_trace_fini(struct sqlite_trace *trace)
{
    keymap_fini(&trace->string_places);
    keymap_fini(&trace->processes);
    keymap_fini(&trace->threads);
    idmap_fini(&trace->callers);
    free(trace->strings.at);
}

void sqlite_trace_end(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    trace->strange += rows->strange;
    sqlite_rows_end(rows);
}

void sqlite_trace_warn(struct sqlite_trace *trace)
{
    struct event_store *store = trace->store;
    event_store_warn(store, "write-ahead logs beside the file: what is in them is not read",
                     trace->file->logged);
    event_store_warn(store, "damaged tables: read up to the damage", trace->file->damaged);
    event_store_warn(store, "rows without a time that can be: left out", trace->untimed);
    event_store_warn(store, "references to strings that are not in the file", trace->unnamed);
    event_store_warn(store, "values of a type that their column does not have: left out",
                     trace->strange);
    event_store_warn(store, "rows of too many processes: left out", trace->too_many);
    event_store_warn(store, "correlation ids that no CUDA has: taken as none", trace->uncorrelated);
}

static void keep(struct sqlite_trace *trace, struct keymap *map, int64_t id, uint32_t number)
{
    if (!keymap_set_id(map, id, number))
        sqlite_file_fail_memory(trace->file);
}

void sqlite_trace_strings(struct sqlite_trace *trace, const char *table, const char *id,
                          const char *value)
{
    const char *const columns[] = {id, value};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, table, columns, 2);
    while (sqlite_rows_next(&rows)) {
        int64_t number;
        struct sqlite_string *string = NULL;
        if (sqlite_rows_take(&rows, 0, &number))
            string = ARRAY_ADD(&trace->strings);
        if (!string)
            continue;
        *string = (struct sqlite_string){
            .text = event_store_keep(trace->store, sqlite_rows_text(&rows, 1))};
        keep(trace, &trace->string_places, number, trace->strings.count - 1);
    }
    sqlite_trace_end(trace, &rows);
}

struct sqlite_string *sqlite_trace_string(struct sqlite_trace *trace, int64_t id)
{
    uint32_t place = keymap_find_id(&trace->string_places, id);
    return place == KEYMAP_NONE ? NULL : &trace->strings.at[place];
}

uint32_t sqlite_trace_name(struct sqlite_trace *trace, int64_t id)
{
    struct sqlite_string *string = sqlite_trace_string(trace, id);
    if (!string) {
        char missing[64];
        int size = snprintf(missing, sizeof missing, "(string %lld is missing)", (long long)id);
        trace->unnamed++;
        return event_store_name(trace->store, (struct text){missing, (size_t)size});
    }
    if (!string->name)
        string->name = event_store_name(trace->store, string->text);
    return string->name;
}

uint32_t sqlite_trace_process(struct sqlite_trace *trace, int64_t id, uint32_t pid)
{
    uint32_t process = keymap_find_id(&trace->processes, id);
    if (process != KEYMAP_NONE)
        return process;
    if (trace->processes.count == SQLITE_PROCESSES_MAX) {
        trace->too_many++;
        return SQLITE_NO_PROCESS;
    }
    process = event_store_process(trace->store);
    if (event_store_failed(trace->store))
        return SQLITE_NO_PROCESS;
    event_store_process_at(trace->store, process)->pid = pid;
    keep(trace, &trace->processes, id, process);
    return process;
}

uint32_t sqlite_trace_thread(struct sqlite_trace *trace, uint32_t process, int64_t id, uint32_t tid)
{
    if (process == SQLITE_NO_PROCESS)
        return 0;
    uint32_t thread = keymap_find_id(&trace->threads, id);
    if (thread != KEYMAP_NONE)
        return thread;
    thread = event_store_thread(trace->store, process, tid);
    if (thread)
        keep(trace, &trace->threads, id, thread);
    return thread;
}

static bool can_be(int64_t time_ns)
{
    return time_ns > -SQLITE_TIME_MAX_NS && time_ns < SQLITE_TIME_MAX_NS;
}

bool sqlite_trace_time(struct sqlite_trace *trace, struct sqlite_rows *rows, int column,
                       int64_t *time_ns)
{
    bool timed = sqlite_rows_take(rows, column, time_ns) && can_be(*time_ns);
    trace->untimed += !timed;
    return timed;
}

bool sqlite_trace_times(struct sqlite_trace *trace, struct sqlite_rows *rows, int64_t *start_ns,
                        int64_t *end_ns, bool *open)
{
    bool started = sqlite_rows_take(rows, 0, start_ns) && can_be(*start_ns);
    *open = !sqlite_rows_take(rows, 1, end_ns);
    if (*open)
        *end_ns = *start_ns;
    bool timed = started && can_be(*end_ns);
    trace->untimed += !timed;
    return timed;
}

uint32_t sqlite_trace_correlation(struct sqlite_trace *trace, int64_t id)
{
    bool usual = id >= 0 && id <= UINT32_MAX;
    trace->uncorrelated += !usual;
    return usual ? (uint32_t)id : 0;
}

void sqlite_trace_call(struct sqlite_trace *trace, const struct sqlite_call *call)
{
    struct read_slice slice = {
        .start_ns = call->start_ns,
        .end_ns = call->end_ns,
        .thread = call->thread,
        .name = call->name,
        .correlation = call->correlation,
        .result = call->result,
        .kind = READ_SLICE_API,
        .flags = call->flags,
    };
    event_store_slice(trace->store, &slice);
    if (call->correlation && !idmap_set(&trace->callers, call->correlation, call->process))
        sqlite_file_fail_memory(trace->file);
}

void sqlite_trace_device(struct sqlite_rows *rows, struct prof_rec_device *device)
{
    device->compute_major = sqlite_rows_uint32(rows, 4);
    device->compute_minor = sqlite_rows_uint32(rows, 5);
    device->multiprocessors = sqlite_rows_uint32(rows, 6);
    device->l2_bytes = sqlite_rows_uint32(rows, 8);
    device->threads_per_warp = sqlite_rows_uint32(rows, 9);
    device->max_threads_per_block = sqlite_rows_uint32(rows, 10);
    device->max_blocks_per_multiprocessor = sqlite_rows_uint32(rows, 11);
    device->max_warps_per_multiprocessor = sqlite_rows_uint32(rows, 12);
    device->registers_per_block = sqlite_rows_uint32(rows, 13);
    device->registers_per_multiprocessor = sqlite_rows_uint32(rows, 14);
    device->shared_memory_per_block = sqlite_rows_uint32(rows, 15);
    device->shared_memory_per_multiprocessor = sqlite_rows_uint32(rows, 16);
    uint64_t threads = (uint64_t)device->max_warps_per_multiprocessor * device->threads_per_warp;
    device->max_threads_per_multiprocessor = (uint32_t)(threads > UINT32_MAX ? 0 : threads);
}

void sqlite_trace_devices(struct sqlite_trace *trace, const char *table, const char *const *columns,
                          int count, uint32_t most,
                          struct prof_rec_device (*take)(struct sqlite_trace *trace,
                                                         struct sqlite_rows *rows))
{
    struct sqlite_rows rows;
    uint32_t processes = event_store_process_count(trace->store), told = 0;
    sqlite_rows_begin(&rows, trace->file, table, columns, count);
    while (told < most && sqlite_rows_next(&rows)) {
        struct prof_rec_device device = take(trace, &rows);
        for (uint32_t i = 0; i < processes; i++, told++)
            event_store_device(trace->store, i, &device);
    }
    sqlite_trace_end(trace, &rows);
}
