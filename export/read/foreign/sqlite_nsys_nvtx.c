/* sqlite_nsys_nvtx.c - NVTX as nsys has it: a row is a whole range.
 *
 * Domains and categories are rows of the same table, which may come after their use; a domain's
 * number is unique in its process.
 */
#include "sqlite_nsys.h"

#include <string.h>

/* ENUM_NSYS_EVENT_TYPE */
enum {
    NVTX_CATEGORY = 33,
    NVTX_MARK = 34,
    NVTX_THREAD = 39,
    NVTX_PUSH_POP = 59,
    NVTX_START_END = 60,
    NVTX_DOMAIN = 75,
    NVTX_DOMAIN_DESTROY = 76
};

enum {
    START,
    END,
    TYPE,
    CATEGORY,
    COLOR,
    TEXT,
    THREAD,
    END_THREAD,
    TEXT_ID,
    DOMAIN,
    VALUE_U64,
    VALUE_I64,
    VALUE_U32,
    VALUE_I32
};
static const char *const columns[] = {"start",       "end",       "eventType",   "category",
                                      "color",       "text",      "globalTid",   "endGlobalTid",
                                      "textId",      "domainId",  "uint64Value", "int64Value",
                                      "uint32Value", "int32Value"};

struct nvtx {
    struct sqlite_trace *trace;
    struct keymap domains; /* process and number of the file -> the store's */
    uint64_t ranges;
    uint32_t payload; /* name; 0 not needed yet */
};

static uint32_t domain_of(struct nvtx *nvtx, uint32_t process, int64_t number)
{
    if (number == 0 || process == SQLITE_NO_PROCESS)
        return 0;
    uint64_t mixed = (uint64_t)number * UINT64_C(0x9e3779b97f4a7c15);
    int64_t key = (int64_t)(mixed + process);
    uint32_t domain = keymap_find_id(&nvtx->domains, key);
    if (domain != KEYMAP_NONE)
        return domain;
    domain = event_store_domain(nvtx->trace->store, process);
    if (!keymap_set_id(&nvtx->domains, key, domain))
        sqlite_file_fail_memory(nvtx->trace->file);
    return domain;
}

/* 0: it has none. */
static uint32_t text_of(struct nvtx *nvtx, struct sqlite_rows *rows)
{
    struct text text = sqlite_rows_text(rows, TEXT);
    int64_t id;
    if (text.size)
        return event_store_name(nvtx->trace->store, text);
    return sqlite_rows_take(rows, TEXT_ID, &id) ? sqlite_trace_name(nvtx->trace, id) : 0;
}

static uint32_t label_of(struct nvtx *nvtx, struct sqlite_rows *rows, uint32_t process)
{
    int64_t color;
    struct event_label label = {
        .name = text_of(nvtx, rows),
        .domain = domain_of(nvtx, process, sqlite_rows_int(rows, DOMAIN, 0)),
        .category = (uint32_t)sqlite_rows_int(rows, CATEGORY, 0),
    };
    label.colored = sqlite_rows_take(rows, COLOR, &color);
    label.color = label.colored ? (uint32_t)color : 0;
    return event_store_label(nvtx->trace->store, &label);
}

/* The one whole number that the program gave with the range, if it did. */
static uint32_t take_payload(struct nvtx *nvtx, struct sqlite_rows *rows, struct read_attr *attr)
{
    static const char called[] = "payload";
    for (int column = VALUE_U64; column <= VALUE_I32; column++) {
        int64_t value;
        if (!sqlite_rows_take(rows, column, &value))
            continue;
        if (!nvtx->payload)
            nvtx->payload =
                event_store_name(nvtx->trace->store, (struct text){called, sizeof called - 1});
        *attr = (struct read_attr){(uint64_t)value, nvtx->payload, PROF_ATTR_INT};
        return 1;
    }
    return 0;
}

static void add_slice(struct nvtx *nvtx, struct sqlite_rows *rows, struct read_slice slice)
{
    struct read_attr attr;
    slice.attr_count = take_payload(nvtx, rows, &attr);
    slice.attrs = &attr;
    slice.result = READ_RESULT_UNKNOWN;
    slice.kind = READ_SLICE_RANGE;
    event_store_slice(nvtx->trace->store, &slice);
}

static void take_event(struct nvtx *nvtx, struct sqlite_rows *rows, int64_t type)
{
    struct sqlite_trace *trace = nvtx->trace;
    int64_t start_ns, end_ns, global = sqlite_rows_int(rows, THREAD, 0);
    bool open;
    uint32_t thread = nsys_thread(trace, global);
    if (!sqlite_trace_times(trace, rows, &start_ns, &end_ns, &open) || !thread)
        return;
    uint32_t label = label_of(nvtx, rows, nsys_process(trace, global));
    if (type == NVTX_MARK) {
        event_store_mark(trace->store, thread, start_ns, label);
    } else if (type == NVTX_PUSH_POP || open) {
        add_slice(nvtx, rows,
                  (struct read_slice){.start_ns = start_ns,
                                      .end_ns = end_ns,
                                      .thread = thread,
                                      .name = label,
                                      .flags = open ? READ_SLICE_UNCLOSED : 0});
    } else {
        int64_t other = sqlite_rows_int(rows, END_THREAD, global);
        uint32_t end_thread = other >> 24 == global >> 24 ? nsys_thread(trace, other) : 0;
        event_store_range(trace->store, thread, end_thread ? end_thread : thread, start_ns, end_ns,
                          label, ++nvtx->ranges);
    }
}

static void name_domain(struct nvtx *nvtx, struct sqlite_rows *rows, uint32_t process)
{
    uint32_t name = text_of(nvtx, rows);
    uint32_t domain = domain_of(nvtx, process, sqlite_rows_int(rows, DOMAIN, 0));
    if (name)
        event_store_name_domain(nvtx->trace->store, domain, name);
}

static void name_category(struct nvtx *nvtx, struct sqlite_rows *rows, uint32_t process)
{
    uint32_t name = text_of(nvtx, rows);
    if (name && process != SQLITE_NO_PROCESS)
        event_store_category(nvtx->trace->store, process,
                             domain_of(nvtx, process, sqlite_rows_int(rows, DOMAIN, 0)),
                             (uint32_t)sqlite_rows_int(rows, CATEGORY, 0), name);
}

static void name_thread(struct nvtx *nvtx, struct sqlite_rows *rows, int64_t global)
{
    uint32_t name = text_of(nvtx, rows), thread = nsys_thread(nvtx->trace, global);
    if (name && thread)
        event_store_name_thread(nvtx->trace->store, thread,
                                event_store_text(nvtx->trace->store, name));
}

static void take_row(struct nvtx *nvtx, struct sqlite_rows *rows)
{
    int64_t type = sqlite_rows_int(rows, TYPE, 0), global = sqlite_rows_int(rows, THREAD, 0);
    switch (type) {
    case NVTX_MARK:
    case NVTX_PUSH_POP:
    case NVTX_START_END:
        take_event(nvtx, rows, type);
        break;
    case NVTX_DOMAIN:
        name_domain(nvtx, rows, nsys_process(nvtx->trace, global));
        break;
    case NVTX_CATEGORY:
        name_category(nvtx, rows, nsys_process(nvtx->trace, global));
        break;
    case NVTX_THREAD:
        name_thread(nvtx, rows, global);
        break;
    default:
        break; /* resources, payload schemas, ends of domains: nothing that is shown */
    }
}

void nsys_read_nvtx(struct sqlite_trace *trace)
{
    struct nvtx nvtx = {.trace = trace};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, trace->file, "NVTX_EVENTS", columns, SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows))
        take_row(&nvtx, &rows);
    sqlite_trace_end(trace, &rows);
    keymap_fini(&nvtx.domains);
}
