/* chrome_rows.c - handing out pids and tids so that no two rows are one. */
#include "chrome_rows.h"

#include "row_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static void set_row(struct chrome_row *row, uint64_t pid, uint64_t tid)
{
    static const char pid_key[] = "\"pid\":", tid_key[] = ",\"tid\":";
    char *p = row->json;
    row->pid = pid;
    row->tid = tid;
    memcpy(p, pid_key, sizeof pid_key - 1);
    p = json_put_uint(p + sizeof pid_key - 1, pid);
    memcpy(p, tid_key, sizeof tid_key - 1);
    p = json_put_uint(p + sizeof tid_key - 1, tid);
    row->size = (uint32_t)(p - row->json);
}

/* Whether a row may have the number as it is: `own` and what follows, up to 32 bits, are the
 * writer's own. */
static bool is_usable(const struct chrome_rows *rows, uint64_t id, uint32_t own)
{
    return id != 0 && (id < own || (id > UINT32_MAX && id <= rows->most_id));
}

static bool pid_is_taken(const struct chrome_rows *rows, uint64_t pid)
{
    return keymap_find(&rows->taken_pids, pid) != KEYMAP_NONE;
}

static bool assign_processes(struct chrome_rows *rows)
{
    bool stored = true;
    for (uint32_t i = 0; i < rows->timeline->processes.count && stored; i++) {
        uint64_t pid = rows->timeline->processes.at[i].info.pid;
        bool usable = is_usable(rows, pid, CHROME_OWN_IDS) && !pid_is_taken(rows, pid);
        rows->pids[i] = usable ? pid : rows->next_id++;
        stored = keymap_set(&rows->taken_pids, rows->pids[i], i);
    }
    return stored;
}

struct id_range {
    uint32_t least, most; /* most 0: none */
};

static void widen_ids(struct id_range *range, uint32_t id)
{
    if (id && (range->most == 0 || id < range->least))
        range->least = id;
    if (id > range->most)
        range->most = id;
}

static void find_ids(const struct timeline *timeline, struct id_range *ranges)
{
    for (uint32_t i = 0; i < timeline->slices.count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->kind == TL_API && slice->api < timeline->apis.count)
            widen_ids(&ranges[timeline->threads.at[slice->thread].process],
                      timeline->apis.at[slice->api].correlation);
    }
    for (uint32_t i = 0; i < timeline->gpus.count; i++)
        widen_ids(&ranges[timeline->gpus.at[i].process], timeline->gpus.at[i].correlation);
}

static bool assign_ids(struct chrome_rows *rows)
{
    uint32_t count = rows->timeline->processes.count;
    uint64_t used = 0;
    struct id_range *ranges = calloc((size_t)count + 1, sizeof *ranges);
    if (!ranges)
        return false;
    find_ids(rows->timeline, ranges);
    for (uint32_t i = 0; i < count; i++) {
        if (ranges[i].most == 0)
            continue;
        rows->first_ids[i] = ranges[i].least > used ? 0 : used;
        uint64_t most = ranges[i].most + rows->first_ids[i];
        used = most > used ? most : used;
    }
    free(ranges);
    return true;
}

static bool grow_gpus(struct chrome_rows *rows)
{
    uint32_t capacity = rows->gpu_capacity ? rows->gpu_capacity * 2 : 8;
    struct chrome_gpu *gpus = realloc(rows->gpus, capacity * sizeof *gpus);
    if (!gpus)
        return false;
    rows->gpus = gpus;
    rows->gpu_capacity = capacity;
    return true;
}

static uint64_t gpu_key(uint32_t process, uint32_t ordinal)
{
    return (uint64_t)process << 32 | ordinal;
}

static uint32_t find_gpu(const struct chrome_rows *rows, uint32_t process, uint32_t ordinal)
{
    return keymap_find(&rows->gpu_slots, gpu_key(process, ordinal)); /* KEYMAP_NONE is TL_NONE */
}

/* Returns the index of the device, TL_NONE when memory is short. */
static uint32_t add_gpu(struct chrome_rows *rows, uint32_t process, uint32_t ordinal,
                        uint32_t device)
{
    uint32_t index = find_gpu(rows, process, ordinal);
    if (index != TL_NONE)
        return index;
    if (rows->gpu_count == rows->gpu_capacity && !grow_gpus(rows))
        return TL_NONE;
    bool taken = ordinal == TL_NONE || pid_is_taken(rows, ordinal);
    uint64_t pid = taken ? rows->next_id++ : ordinal;
    rows->gpus[rows->gpu_count] = (struct chrome_gpu){pid, process, ordinal, device, TL_NONE};
    bool stored = keymap_set(&rows->taken_pids, pid, 0) &&
                  keymap_set(&rows->gpu_slots, gpu_key(process, ordinal), rows->gpu_count);
    return stored ? rows->gpu_count++ : TL_NONE;
}

static uint32_t process_of(const struct timeline *timeline, const struct tl_timing *timing)
{
    return timeline->threads.at[timeline->slices.at[timing->slice].thread].process;
}

/* From each process to its devices, in their order. */
static void link_gpus(struct chrome_rows *rows)
{
    for (uint32_t i = rows->gpu_count; i-- > 0;) {
        uint32_t *first = &rows->process_gpus[rows->gpus[i].process];
        rows->gpus[i].next = *first;
        *first = i;
    }
}

/* Every device is listed, so that the trace shows which there were; streams may name devices
 * without a description. */
static bool assign_gpus(struct chrome_rows *rows)
{
    const struct timeline *timeline = rows->timeline;
    for (uint32_t i = 0; i < timeline->devices.count; i++)
        if (add_gpu(rows, timeline->devices.at[i].process, timeline->devices.at[i].info.device,
                    i) == TL_NONE)
            return false;
    for (uint32_t i = 0; i < timeline->streams.count; i++) {
        const struct tl_stream *stream = &timeline->streams.at[i];
        rows->streams[i].gpu = add_gpu(rows, stream->process, stream->device, TL_NONE);
        if (rows->streams[i].gpu == TL_NONE)
            return false;
    }
    for (uint32_t i = 0; i < timeline->timings.count; i++) {
        const struct tl_timing *timing = &timeline->timings.at[i];
        if (add_gpu(rows, process_of(timeline, timing), timing->device, TL_NONE) == TL_NONE)
            return false;
    }
    link_gpus(rows);
    return true;
}

/* Something that wants to be a row: who comes second with the same (group, id) gets another one. */
struct request {
    uint64_t id;
    uint32_t group, index;
};

static int compare_requests(const void *left, const void *right)
{
    const struct request *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->id != b->id)
        return a->id < b->id ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Turns ids that are 0, too large or taken into own ones. Leaves `requests` sorted. */
static void grant(struct chrome_rows *rows, struct request *requests, uint32_t count,
                  uint32_t limit)
{
    uint64_t id = 0;
    uint32_t group = 0;
    if (count > 1)
        qsort(requests, count, sizeof *requests, compare_requests);
    for (uint32_t i = 0; i < count; i++) {
        bool taken = !is_usable(rows, requests[i].id, limit) ||
                     (i > 0 && requests[i].group == group && requests[i].id == id);
        group = requests[i].group;
        id = requests[i].id;
        if (taken)
            requests[i].id = rows->next_id++;
    }
}

static bool assign_threads(struct chrome_rows *rows)
{
    const struct timeline *timeline = rows->timeline;
    uint32_t count = timeline->threads.count;
    struct request *requests = calloc(count + (size_t)1, sizeof *requests);
    if (!requests)
        return false;
    for (uint32_t i = 0; i < count; i++)
        requests[i] =
            (struct request){timeline->threads.at[i].tid, timeline->threads.at[i].process, i};
    grant(rows, requests, count, CHROME_OWN_IDS);
    for (uint32_t i = 0; i < count; i++)
        set_row(&rows->threads[requests[i].index], rows->pids[requests[i].group], requests[i].id);
    free(requests);
    return true;
}

static bool count_lanes(struct chrome_rows *rows)
{
    uint32_t lanes = 0;
    for (uint32_t i = 0; i < rows->timeline->streams.count; i++) {
        uint16_t wanted = rows->timeline->streams.at[i].lanes;
        rows->streams[i].first_lane = lanes;
        rows->streams[i].lane_count = wanted ? wanted : 1;
        lanes += rows->streams[i].lane_count;
    }
    rows->lanes = malloc((lanes + (size_t)1) * sizeof *rows->lanes);
    return rows->lanes != NULL;
}

static bool assign_streams(struct chrome_rows *rows)
{
    const struct timeline *timeline = rows->timeline;
    uint32_t count = timeline->streams.count;
    struct request *requests = calloc(count + (size_t)1, sizeof *requests);
    if (!requests || !count_lanes(rows)) {
        free(requests);
        return false;
    }
    for (uint32_t i = 0; i < count; i++)
        requests[i] = (struct request){timeline->streams.at[i].stream, rows->streams[i].gpu, i};
    grant(rows, requests, count, CHROME_SYNC_IDS);
    for (uint32_t i = 0; i < count; i++) {
        const struct chrome_stream *stream = &rows->streams[requests[i].index];
        uint64_t pid = rows->gpus[stream->gpu].pid;
        set_row(&rows->lanes[stream->first_lane], pid, requests[i].id);
        for (uint32_t lane = 1; lane < stream->lane_count; lane++)
            set_row(&rows->lanes[stream->first_lane + lane], pid, rows->next_id++);
    }
    free(requests);
    return true;
}

static bool allocate(struct chrome_rows *rows)
{
    const struct timeline *timeline = rows->timeline;
    size_t processes = timeline->processes.count, threads = timeline->threads.count;
    size_t streams = timeline->streams.count;
    rows->threads = malloc((threads + 1) * sizeof *rows->threads);
    rows->pids = malloc((processes + 1) * sizeof *rows->pids);
    rows->streams = calloc(streams + 1, sizeof *rows->streams);
    rows->first_ids = calloc(rows->timeline->processes.count + (size_t)1, sizeof *rows->first_ids);
    rows->process_gpus = malloc((processes + 1) * sizeof *rows->process_gpus);
    for (size_t i = 0; i < processes && rows->process_gpus; i++)
        rows->process_gpus[i] = TL_NONE;
    return rows->threads && rows->pids && rows->streams && rows->first_ids && rows->process_gpus;
}

static size_t count_groups(const struct chrome_rows *rows)
{
    size_t processes = rows->timeline->processes.count;
    return 2 * (rows->timeline->streams.count + rows->gpu_count + processes);
}

bool chrome_rows_init(struct chrome_rows *rows, const struct timeline *timeline, uint64_t most_id)
{
    *rows =
        (struct chrome_rows){.timeline = timeline, .most_id = most_id, .next_id = CHROME_OWN_IDS};
    bool ready = allocate(rows);
    if (ready)
        ready = assign_processes(rows) && assign_ids(rows) && assign_gpus(rows) &&
                assign_threads(rows) && assign_streams(rows);
    if (ready) {
        rows->spares = calloc(count_groups(rows) + 1, sizeof(struct chrome_spare *));
    }
    if (!rows->spares)
        chrome_rows_fini(rows);
    return rows->spares != NULL;
}

static void free_spares(struct chrome_rows *rows)
{
    for (size_t i = 0; i < count_groups(rows); i++)
        while (rows->spares[i]) {
            struct chrome_spare *spare = rows->spares[i];
            rows->spares[i] = spare->next;
            free(spare);
        }
    free(rows->spares);
}

static void free_timed(struct chrome_rows *rows)
{
    while (rows->timed) {
        struct chrome_timed *timed = rows->timed;
        rows->timed = timed->next;
        free(timed);
    }
}

void chrome_rows_fini(struct chrome_rows *rows)
{
    free_timed(rows);
    if (rows->spares)
        free_spares(rows);
    free(rows->threads);
    free(rows->pids);
    free(rows->first_ids);
    free(rows->process_gpus);
    free(rows->gpus);
    keymap_fini(&rows->gpu_slots);
    keymap_fini(&rows->taken_pids);
    free(rows->streams);
    free(rows->lanes);
    *rows = (struct chrome_rows){0};
}

/* The device whose row a wait that names no stream goes to. */
static uint32_t gpu_of_wait(const struct chrome_rows *rows, const struct tl_gpu *op)
{
    uint32_t gpu = find_gpu(rows, op->process, op->device);
    return gpu != TL_NONE ? gpu : chrome_rows_first_gpu(rows, op->process);
}

/* The group of rows that an operation without a row of its own shares. */
static struct chrome_spare group_of(const struct chrome_rows *rows, const struct tl_gpu *op)
{
    uint32_t gpu = TL_NONE;
    if (op->kind == TL_SYNC && op->stream != TL_NONE)
        return (struct chrome_spare){.kind = CHROME_SPARE_STREAM, .index = op->stream};
    if (op->kind == TL_SYNC)
        gpu = gpu_of_wait(rows, op);
    if (gpu != TL_NONE)
        return (struct chrome_spare){.kind = CHROME_SPARE_GPU, .index = gpu};
    return (struct chrome_spare){.kind = CHROME_SPARE_PROCESS, .index = op->process};
}

static struct chrome_spare **first_of_group(const struct chrome_rows *rows,
                                            const struct chrome_spare *spare)
{
    size_t gpus = rows->timeline->streams.count;
    size_t processes = gpus + rows->gpu_count;
    size_t managed = processes + rows->timeline->processes.count;
    switch (spare->kind) {
    case CHROME_SPARE_STREAM:
        return &rows->spares[spare->index];
    case CHROME_SPARE_GPU:
        return &rows->spares[gpus + spare->index];
    case CHROME_SPARE_MANAGED:
        return &rows->spares[managed + spare->index];
    case CHROME_SPARE_FAULTS:
        return &rows->spares[managed + rows->gpu_count + spare->index];
    case CHROME_SPARE_RANGES:
        return &rows->spares[managed + rows->gpu_count + rows->timeline->processes.count +
                             spare->index];
    case CHROME_SPARE_PROCESS:
        break;
    }
    return &rows->spares[processes + spare->index];
}

/* Kineto's number for the first row of waits of a stream that kept its own id. */
static uint64_t spare_tid(struct chrome_rows *rows, const struct chrome_spare *spare)
{
    if (spare->kind == CHROME_SPARE_STREAM && spare->lane == 0) {
        uint64_t stream = rows->lanes[rows->streams[spare->index].first_lane].tid;
        if (stream < CHROME_SYNC_IDS)
            return stream + CHROME_SYNC_IDS;
    }
    return rows->next_id++;
}

static uint64_t spare_pid(const struct chrome_rows *rows, const struct chrome_spare *spare)
{
    switch (spare->kind) {
    case CHROME_SPARE_STREAM:
    case CHROME_SPARE_RANGES:
        return rows->gpus[rows->streams[spare->index].gpu].pid;
    case CHROME_SPARE_GPU:
    case CHROME_SPARE_MANAGED:
        return rows->gpus[spare->index].pid;
    case CHROME_SPARE_FAULTS:
    case CHROME_SPARE_PROCESS:
        break;
    }
    return rows->pids[spare->index];
}

/* Appends to a group. */
static struct chrome_spare *add_spare(struct chrome_rows *rows, struct chrome_spare **end,
                                      struct chrome_spare wanted)
{
    *end = malloc(sizeof **end);
    if (!*end)
        return NULL;
    set_row(&wanted.row, spare_pid(rows, &wanted), spare_tid(rows, &wanted));
    **end = wanted;
    return *end;
}

/* More are of no use, and each event is compared with all of them. */
#define SPARE_ROWS_MAX 256u

/* The first of the group's rows that is free at the start; the last one where there are too
 * many. */
static struct chrome_spare *find_or_add_spare(struct chrome_rows *rows, struct chrome_spare wanted,
                                              int64_t start_ns, int64_t end_ns)
{
    struct chrome_spare **at = first_of_group(rows, &wanted);
    for (; *at && (*at)->end_ns > start_ns && wanted.lane < SPARE_ROWS_MAX; at = &(*at)->next)
        wanted.lane++;
    struct chrome_spare *spare = *at ? *at : add_spare(rows, at, wanted);
    if (spare)
        spare->end_ns = end_ns;
    return spare;
}

/* Lanes are requested in the order of their first range, so each is at most one beyond those
 * there. */
struct chrome_spare *chrome_rows_range_spare(struct chrome_rows *rows, uint32_t stream,
                                             uint32_t place)
{
    struct chrome_spare wanted = {.kind = CHROME_SPARE_RANGES, .index = stream};
    struct chrome_spare **at = first_of_group(rows, &wanted);
    for (; *at && wanted.lane < place; at = &(*at)->next)
        wanted.lane++;
    return *at ? *at : add_spare(rows, at, wanted);
}

const struct chrome_row *chrome_rows_ranges(struct chrome_rows *rows, uint32_t stream,
                                            uint32_t lane, struct chrome_spare **spare)
{
    const struct chrome_stream *own = &rows->streams[stream];
    bool overlaps = own->lane_count > 1;
    if (lane == 0 && !overlaps)
        return &rows->lanes[own->first_lane];
    *spare = chrome_rows_range_spare(rows, stream, overlaps ? lane : lane - 1);
    return NULL;
}

struct chrome_spare *chrome_rows_spare(struct chrome_rows *rows, const struct tl_gpu *op)
{
    return find_or_add_spare(rows, group_of(rows, op), op->start_ns, op->end_ns);
}

/* The device that memory comes to, or leaves for the host; faults of the CPU are the process's. */
struct chrome_spare *chrome_rows_managed(struct chrome_rows *rows,
                                         const struct tl_migration *migration)
{
    struct chrome_spare wanted = {.kind = CHROME_SPARE_FAULTS, .index = migration->process};
    uint32_t gpu = find_gpu(rows, migration->process, migration->target);
    if (gpu == TL_NONE)
        gpu = find_gpu(rows, migration->process, migration->source);
    if (gpu != TL_NONE && rows->gpus[gpu].ordinal != TL_NONE)
        wanted = (struct chrome_spare){.kind = CHROME_SPARE_MANAGED, .index = gpu};
    return find_or_add_spare(rows, wanted, migration->start_ns, migration->end_ns);
}

/* Takes the row out of the list; NULL: there is none yet. */
static struct chrome_timed *remove_timed(struct chrome_rows *rows, uint32_t gpu, uint32_t thread)
{
    for (struct chrome_timed **at = &rows->timed; *at; at = &(*at)->next)
        if ((*at)->gpu == gpu && (*at)->thread == thread) {
            struct chrome_timed *found = *at;
            *at = found->next;
            return found;
        }
    return NULL;
}

struct chrome_timed *chrome_rows_timed(struct chrome_rows *rows, const struct tl_timing *timing,
                                       bool *is_new)
{
    uint32_t thread = rows->timeline->slices.at[timing->slice].thread;
    uint32_t gpu = find_gpu(rows, process_of(rows->timeline, timing), timing->device);
    struct chrome_timed *timed = remove_timed(rows, gpu, thread);
    *is_new = !timed;
    if (!timed) {
        timed = calloc(1, sizeof *timed);
        if (!timed)
            return NULL;
        timed->gpu = gpu;
        timed->thread = thread;
        set_row(&timed->row, rows->gpus[gpu].pid, rows->next_id++);
    }
    timed->next = rows->timed;
    rows->timed = timed;
    return timed;
}

/* ---- what rows are called, and in which order they stand ---- */

/* Kineto's: devices stand below every process. */
#define GPU_SORT_BASE 5000000

/* Places in the order of a device's rows: each stream has a thousand, its lanes first, its waits in
 * the middle. */
#define STREAM_PLACES 1000
#define STREAM_WAITS 500
#define LAST_PLACE INT32_MAX

static void begin_metadata(struct json_out *out, const struct chrome_row *row, const char *name)
{
    json_newline(out);
    json_object_begin(out);
    json_key(out, "ph"), json_constant(out, "M");
    json_key(out, "name"), json_string(out, name);
    json_key(out, "ts"), json_uint(out, 0);
    chrome_row_write(row, out);
    json_key(out, "args");
    json_object_begin(out);
}

static void end_metadata(struct json_out *out)
{
    json_object_end(out);
    json_object_end(out);
}

static void write_name(struct json_out *out, const struct chrome_row *row, const char *kind,
                       const char *name)
{
    begin_metadata(out, row, kind);
    json_key(out, "name"), json_string(out, name);
    end_metadata(out);
}

static void write_order(struct json_out *out, const struct chrome_row *row, const char *kind,
                        int64_t place)
{
    begin_metadata(out, row, kind);
    json_key(out, "sort_index"), json_int(out, place < LAST_PLACE ? place : LAST_PLACE);
    end_metadata(out);
}

#define CLOCK_LABEL_BYTES 512u

static void write_labels(struct json_out *out, const struct chrome_row *row, const char *labels)
{
    begin_metadata(out, row, "process_labels");
    json_key(out, "labels"), json_string(out, labels);
    end_metadata(out);
}

static void write_process(const struct chrome_rows *rows, struct json_out *out, uint32_t process)
{
    const struct text *clock = &rows->timeline->processes.at[process].info.clock;
    struct chrome_row row;
    char labels[CLOCK_LABEL_BYTES], name[ROW_NAME_BYTES];
    set_row(&row, rows->pids[process], 0);
    row_name_process(rows->timeline, process, TL_NONE, name);
    write_name(out, &row, "process_name", name);
    snprintf(labels, sizeof labels, "CPU%s%.*s", clock->size ? ", " : "", (int)clock->size,
             clock->bytes);
    write_labels(out, &row, labels);
    write_order(out, &row, "process_sort_index", (int64_t)rows->pids[process]);
}

/* A device that the program named is called so. Perfetto shows no labels, so the name says which
 * GPU, too. */
static void write_gpu(const struct chrome_rows *rows, struct json_out *out, uint32_t index)
{
    const struct chrome_gpu *gpu = &rows->gpus[index];
    struct chrome_row row;
    char labels[ROW_NAME_BYTES], process[ROW_NAME_BYTES], name[2 * ROW_NAME_BYTES + 4];
    set_row(&row, gpu->pid, 0);
    row_name_gpu(rows, index, labels);
    row_name_process(rows->timeline, gpu->process,
                     gpu->device == TL_NONE ? TL_NONE
                                            : rows->timeline->devices.at[gpu->device].given_name,
                     process);
    snprintf(name, sizeof name, "%s (%s)", process, labels);
    write_name(out, &row, "process_name", name);
    write_labels(out, &row, labels);
    write_order(out, &row, "process_sort_index", GPU_SORT_BASE + (int64_t)index);
}

static void write_thread(const struct chrome_rows *rows, struct json_out *out, uint32_t index)
{
    const struct tl_thread *thread = &rows->timeline->threads.at[index];
    struct text name = row_name_thread(rows->timeline, index);
    char text[ROW_NAME_BYTES];
    if (thread->internal && thread->slice_count == 0)
        return;
    snprintf(text, sizeof text, "thread %" PRIu64 " (%.*s)", thread->tid, row_name_part(name, 300),
             name.size ? name.bytes : "");
    write_name(out, &rows->threads[index], "thread_name", text);
    write_order(out, &rows->threads[index], "thread_sort_index", (int64_t)rows->threads[index].tid);
}

static void write_stream(const struct chrome_rows *rows, struct json_out *out, uint32_t index)
{
    const struct chrome_stream *stream = &rows->streams[index];
    for (uint32_t lane = 0; lane < stream->lane_count; lane++) {
        const struct chrome_row *row = &rows->lanes[stream->first_lane + lane];
        char name[ROW_NAME_BYTES];
        row_name_stream(rows->timeline, index, lane, name);
        write_name(out, row, "thread_name", name);
        write_order(out, row, "thread_sort_index",
                    (int64_t)index * STREAM_PLACES + (lane < STREAM_WAITS ? lane : STREAM_WAITS));
    }
}

void chrome_labels_write(const struct chrome_rows *rows, struct json_out *out)
{
    const struct timeline *timeline = rows->timeline;
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        write_process(rows, out, i);
    for (uint32_t i = 0; i < rows->gpu_count; i++)
        write_gpu(rows, out, i);
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        write_thread(rows, out, i);
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        if (timeline->streams.at[i].gpu_count)
            write_stream(rows, out, i);
}

void chrome_labels_spare(const struct chrome_rows *rows, struct json_out *out,
                         struct chrome_spare *spare)
{
    char name[ROW_NAME_BYTES];
    int64_t place = LAST_PLACE;
    if (spare->named)
        return;
    if (spare->kind == CHROME_SPARE_STREAM || spare->kind == CHROME_SPARE_RANGES)
        place = (int64_t)spare->index * STREAM_PLACES + STREAM_WAITS + spare->lane;
    row_name_spare(rows, spare, name);
    write_name(out, &spare->row, "thread_name", name);
    write_order(out, &spare->row, "thread_sort_index", place);
    spare->named = true;
}

void chrome_labels_timed(const struct chrome_rows *rows, struct json_out *out,
                         const struct chrome_timed *timed)
{
    char name[ROW_NAME_BYTES];
    row_name_timed(rows->timeline, timed, name);
    write_name(out, &timed->row, "thread_name", name);
    write_order(out, &timed->row, "thread_sort_index", LAST_PLACE);
}
