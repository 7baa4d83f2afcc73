/* sqlite_nvprof_markers.c - NVTX as nvprof has it: a row where a range begins and one where it ends,
 * of one id.
 *
 * Whether a range was pushed or started is not said. One that ends on its own thread is taken as
 * pushed, any other as started.
 */
#include "sqlite_nvprof.h"

#include <stdlib.h>

/* CUpti_ActivityFlag of markers, and of their data. */
enum { MARKER_INSTANTANEOUS = 1, MARKER_START = 2, MARKER_END = 4 };
enum { MARKER_COLORED = 2 };

struct looks {
    uint32_t color, category;
    bool colored;
};

/* One end of a range whose other end has not come yet. */
struct half {
    int64_t time_ns;
    uint32_t process, thread, name;
    bool is_start;
    bool paired;
};

struct markers {
    struct sqlite_trace *trace;
    struct keymap looks_of, halves_of, domains;
    struct {
        struct looks *at;
        uint32_t count, capacity;
    } looks;
    struct {
        struct half *at;
        uint32_t count, capacity;
    } halves;
    uint64_t ranges;
};

static void set(struct markers *markers, struct keymap *map, int64_t id, uint32_t number)
{
    if (!keymap_set_id(map, id, number))
        sqlite_file_fail_memory(markers->trace->file);
}

static void read_looks(struct markers *markers)
{
    static const char *const columns[] = {"id", "flags", "color", "category"};
    struct sqlite_rows rows;
    sqlite_rows_begin(&rows, markers->trace->file, "CUPTI_ACTIVITY_KIND_MARKER_DATA", columns,
                      SQLITE_COUNT(columns));
    while (sqlite_rows_next(&rows)) {
        struct looks *looks = ARRAY_ADD(&markers->looks);
        if (!looks) {
            sqlite_file_fail_memory(markers->trace->file);
            break;
        }
        *looks = (struct looks){
            .color = (uint32_t)sqlite_rows_int(&rows, 2, 0),
            .category = (uint32_t)sqlite_rows_int(&rows, 3, 0),
            .colored = sqlite_rows_int(&rows, 1, 0) & MARKER_COLORED,
        };
        set(markers, &markers->looks_of, sqlite_rows_int(&rows, 0, 0), markers->looks.count - 1);
    }
    sqlite_trace_end(markers->trace, &rows);
}

/* A domain is a string: 0 is none. */
static uint32_t domain_of(struct markers *markers, uint32_t process, int64_t string)
{
    struct event_store *store = markers->trace->store;
    if (string == 0)
        return 0;
    uint32_t name = sqlite_trace_name(markers->trace, string);
    int64_t key = (int64_t)((uint64_t)process << 32 | name);
    uint32_t domain = keymap_find_id(&markers->domains, key);
    if (domain != KEYMAP_NONE)
        return domain;
    domain = event_store_domain(store, process);
    event_store_name_domain(store, domain, name);
    set(markers, &markers->domains, key, domain);
    return domain;
}

enum { TIME, FLAGS, ID, OBJECT_KIND, OBJECT, NAME, DOMAIN };
static const char *const marker_columns[] = {"timestamp", "flags", "id",    "objectKind",
                                             "objectId",  "name",  "domain"};

static uint32_t label_of(struct markers *markers, struct sqlite_rows *rows, uint32_t process)
{
    struct event_label label = {
        .name = sqlite_trace_name(markers->trace, sqlite_rows_int(rows, NAME, 0)),
        .domain = domain_of(markers, process, sqlite_rows_int(rows, DOMAIN, 0)),
    };
    uint32_t place = keymap_find_id(&markers->looks_of, sqlite_rows_int(rows, ID, 0));
    if (place < markers->looks.count) {
        const struct looks *looks = &markers->looks.at[place];
        label.category = looks->category;
        label.colored = looks->colored;
        label.color = looks->color;
    }
    return event_store_label(markers->trace->store, &label);
}

static void add_slice(struct markers *markers, const struct half *start, int64_t end_ns,
                      unsigned flags)
{
    struct read_slice slice = {
        .start_ns = start->time_ns,
        .end_ns = end_ns,
        .thread = start->thread,
        .name = start->name,
        .result = READ_RESULT_UNKNOWN,
        .kind = READ_SLICE_RANGE,
        .flags = (uint8_t)flags,
    };
    event_store_slice(markers->trace->store, &slice);
}

static void pair(struct markers *markers, const struct half *start, const struct half *end)
{
    if (start->thread == end->thread)
        add_slice(markers, start, end->time_ns, 0);
    else
        event_store_range(markers->trace->store, start->thread, end->thread, start->time_ns,
                          end->time_ns, start->name, ++markers->ranges);
}

/* The other end of the same id waits, or this one does from now on. */
static void take_half(struct markers *markers, struct half half, int64_t id)
{
    int64_t key = (int64_t)((uint64_t)half.process << 32 ^ (uint64_t)id);
    uint32_t place = keymap_find_id(&markers->halves_of, key);
    struct half *other = place == KEYMAP_NONE ? NULL : &markers->halves.at[place];
    if (other && !other->paired && other->is_start != half.is_start) {
        other->paired = true;
        pair(markers, half.is_start ? &half : other, half.is_start ? other : &half);
        return;
    }
    struct half *kept = ARRAY_ADD(&markers->halves);
    if (!kept) {
        sqlite_file_fail_memory(markers->trace->file);
        return;
    }
    *kept = half;
    set(markers, &markers->halves_of, key, markers->halves.count - 1);
}

static bool take_owner(struct markers *markers, struct sqlite_rows *rows, struct half *half)
{
    uint32_t object[3];
    nvprof_object(rows, OBJECT, object);
    uint32_t tid =
        sqlite_rows_int(rows, OBJECT_KIND, NVPROF_THREAD) == NVPROF_THREAD ? object[1] : 0;
    half->process = sqlite_trace_process(markers->trace, object[0], object[0]);
    half->thread =
        sqlite_trace_thread(markers->trace, half->process, nvprof_thread_id(object[0], tid), tid);
    return half->thread != 0;
}

static void take_marker(struct markers *markers, struct sqlite_rows *rows)
{
    struct half half = {0};
    if (!sqlite_trace_time(markers->trace, rows, TIME, &half.time_ns) ||
        !take_owner(markers, rows, &half))
        return;
    int64_t flags = sqlite_rows_int(rows, FLAGS, 0), id = sqlite_rows_int(rows, ID, 0);
    if (flags & MARKER_INSTANTANEOUS) {
        event_store_mark(markers->trace->store, half.thread, half.time_ns,
                         label_of(markers, rows, half.process));
        return;
    }
    half.is_start = flags & MARKER_START;
    if (half.is_start)
        half.name = label_of(markers, rows, half.process);
    if (flags & (MARKER_START | MARKER_END))
        take_half(markers, half, id);
}

/* Ranges that were open at the end of the recording, and those that were at its beginning. */
static void end_halves(struct markers *markers)
{
    uint64_t ends = 0;
    for (uint32_t i = 0; i < markers->halves.count; i++) {
        const struct half *half = &markers->halves.at[i];
        if (half->paired)
            continue;
        ends += !half->is_start;
        if (half->is_start)
            add_slice(markers, half, half->time_ns, READ_SLICE_UNCLOSED);
    }
    event_store_warn(markers->trace->store, "ends of ranges without a begin: left out", ends);
}

void nvprof_read_markers(struct sqlite_trace *trace)
{
    struct markers markers = {.trace = trace};
    struct sqlite_rows rows;
    read_looks(&markers);
    sqlite_rows_begin(&rows, trace->file, "CUPTI_ACTIVITY_KIND_MARKER", marker_columns,
                      SQLITE_COUNT(marker_columns));
    while (sqlite_rows_next(&rows))
        take_marker(&markers, &rows);
    sqlite_trace_end(trace, &rows);
    end_halves(&markers);
    keymap_fini(&markers.looks_of);
    keymap_fini(&markers.halves_of);
    keymap_fini(&markers.domains);
    free(markers.looks.at);
    free(markers.halves.at);
}
