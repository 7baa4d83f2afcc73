/* sqlite_nsys.c - a database of nsys (nsys export --type sqlite), of any version of its schema.
 *
 * Tables are there when they have rows, columns come and go with versions, so all are found by name.
 * Times are nanoseconds since the session began. The schema is described in the tool's manual
 * ("SQLite Schema Reference" of the Analysis Guide), and in the comments of the exported file.
 */
#include "sqlite_nsys.h"

#include "sqlite_calls.h"

uint32_t nsys_process(struct sqlite_trace *trace, int64_t global)
{
    return sqlite_trace_process(trace, global >> 24, nsys_pid(global));
}

uint32_t nsys_thread(struct sqlite_trace *trace, int64_t global)
{
    uint32_t thread = keymap_find_id(&trace->threads, global);
    if (thread != KEYMAP_NONE)
        return thread;
    return sqlite_trace_thread(trace, nsys_process(trace, global), global,
                               (uint32_t)(global & 0xffffff));
}

/* Calls are named with a version that nsys itself cuts off in its reports. */
static void name_call(struct sqlite_trace *trace, int64_t id, struct sqlite_call *call)
{
    struct sqlite_string *string = sqlite_trace_string(trace, id);
    if (!string) {
        call->name = sqlite_trace_name(trace, id);
        return;
    }
    if (!string->call) {
        struct text name = sqlite_call_trim(string->text);
        string->call = event_store_name(trace->store, name);
        string->call_flags = sqlite_call_flags(name);
    }
    call->name = string->call;
    call->flags |= string->call_flags;
}

enum { START, END, THREAD, CORRELATION, NAME, RESULT };
static const char *const call_columns[] = {"start",         "end",    "globalTid",
                                           "correlationId", "nameId", "returnValue"};

static void take_call(struct sqlite_trace *trace, struct sqlite_rows *rows)
{
    struct sqlite_call call = {0};
    bool open;
    if (!sqlite_trace_times(trace, rows, &call.start_ns, &call.end_ns, &open))
        return;
    int64_t global = sqlite_rows_int(rows, THREAD, 0);
    call.process = nsys_process(trace, global);
    call.thread = nsys_thread(trace, global);
    call.correlation = sqlite_trace_correlation(trace, sqlite_rows_int(rows, CORRELATION, 0));
    call.result = (int32_t)sqlite_rows_int(rows, RESULT, READ_RESULT_UNKNOWN);
    call.flags = open ? READ_SLICE_UNCLOSED : 0;
    name_call(trace, sqlite_rows_int(rows, NAME, 0), &call);
    if (call.thread)
        sqlite_trace_call(trace, &call);
}

/* Calls of the runtime and of the driver stand in one table. */
static void read_calls(struct sqlite_trace *trace)
{
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_RUNTIME", call_columns,
                      SQLITE_COUNT(call_columns));
    while (sqlite_rows_next(&rows))
        take_call(trace, &rows);
    sqlite_trace_end(trace, &rows);
}

uint64_t sqlite_nsys_read(struct sqlite_trace *trace)
{
    sqlite_trace_strings(trace, "StringIds", "id", "value");
    read_calls(trace);
    nsys_read_nvtx(trace);
    sqlite_gpu_read(trace, true);
    nsys_read_memory(trace);
    uint64_t start_ns = nsys_read_facts(trace);
    event_store_join_pid_0(trace->store);
    int64_t first_ns = event_store_end(trace->store);
    if (start_ns || first_ns >= 0)
        return start_ns;
    event_store_shift(trace->store, first_ns);
    return 0;
}
