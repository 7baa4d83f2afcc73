/* html_timeline.c - the timeline of a page: see html_page.h.
 *
 * Boxes of a level come by their start, in columns, because columns of like numbers deflate well. A
 * page has room for HTML_BOXES: where there are more, boxes shorter than `least_ns` are run
 * together with their neighbours. The tracks are walked once for each length that is tried, which
 * is twice the one before, and once more to write.
 */
#include "html_bytes.h"
#include "html_page.h"
#include "occupancy.h"
#include "row_names.h"
#include "temporal_breakdown.h"

#include <inttypes.h>
#include <stdlib.h>

#define LEVELS_MAX 64u
#define DETAILS_MAX 20000u
#define MANY_PARTS 4 /* a box of many is at most this many times `least_ns` long */
#define FINEST_PARTS 1000000

enum track_kind { TRACK_THREAD, TRACK_PYTHON, TRACK_STREAM };
enum box_kind {
    BOX_RANGE,
    BOX_CALL,
    BOX_COMPUTE,
    BOX_COPY,
    BOX_SET,
    BOX_GRAPH,
    BOX_COMMUNICATION,
    BOX_FUNCTION
};

struct box {
    int64_t start_ns, end_ns;
    int64_t busy_ns, longest_ns; /* of the events that it stands for */
    int64_t delay_ns;            /* from the start of the launch */
    uint32_t count, name;
    uint32_t thread, depth; /* of the launch: a track of the page; TL_NONE unknown */
    uint32_t detail;        /* 1 + the number of its text; 0 none */
    enum box_kind kind;
};

enum column { HEAD, START, LENGTH, NAME, BUSY, THREAD, DEPTH, DELAY, DETAIL, COLUMNS };

struct level {
    struct html_bytes columns[COLUMNS];
    uint32_t count;
    int64_t last_ns;
    struct box open; /* count 0: none */
};

struct page {
    const struct timeline *timeline;
    struct json_out *out;
    struct work_classes classes;
    int64_t least_ns;
    bool full, writes; /* else it counts */
    uint64_t boxes, events, deep;
    uint32_t tracks, tracks_left, details_left;
    struct level levels[LEVELS_MAX];
    uint32_t level_count;      /* of the track */
    uint32_t *track_of_thread; /* TL_NONE: it has none */
    uint16_t *frame_depth;
    uint32_t *page_name, *name_list, names; /* 1 + the page's number; by it; how many */
    uint32_t *kernel_detail;
    struct text_pool details;
    struct html_bytes data;
};

/* ---- names and details ---- */

static uint32_t name_number(struct page *page, uint32_t name)
{
    if (name >= page->timeline->names.count)
        return 0;
    if (!page->page_name[name]) {
        page->name_list[page->names] = name;
        page->page_name[name] = ++page->names;
    }
    return page->page_name[name];
}

static uint32_t detail_number(struct page *page, struct text text)
{
    if (text.size == 0 || !page->writes)
        return 0;
    if (!page->full && page->details.count >= DETAILS_MAX) {
        uint32_t number = text_pool_find_number(&page->details, text);
        page->details_left += number == 0;
        return number;
    }
    uint32_t number = text_pool_number(&page->details, text);
    page->data.failed |= number == 0;
    return number;
}

static size_t add_line(char *to, size_t room, size_t used, const char *title, struct text value)
{
    int length = value.size > 300 ? 300 : (int)value.size;
    int written = snprintf(to + used, room - used, "%s%s\t%.*s", used ? "\n" : "", title, length,
                           value.bytes);
    return written < 0 ? used : used + (size_t)written < room ? used + (size_t)written : room - 1;
}

static void write_occupancy(const struct timeline *timeline, const struct tl_gpu *gpu, char *to,
                            size_t room)
{
    const struct tl_device *device = timeline_device_of(timeline, gpu->process, gpu->device);
    if (!device)
        return;
    struct occupancy of = occupancy_of(&timeline->kernels.at[gpu->detail], &device->info);
    if (of.percent >= 0)
        snprintf(to, room, "\nOccupancy\t%d %%, %.3g waves", of.percent, of.waves);
    else if (of.blocks_per_sm > 0)
        snprintf(to, room, "\nBlocks per multiprocessor\t%.3g", of.blocks_per_sm);
}

static uint32_t kernel_detail(struct page *page, const struct tl_gpu *gpu)
{
    uint32_t *known = &page->kernel_detail[gpu->detail];
    const struct tl_kernel *kernel = &page->timeline->kernels.at[gpu->detail];
    char text[400];
    if (*known || !page->writes || !kernel->block_x)
        return *known;
    int size = snprintf(text, sizeof text,
                        "Grid\t%u x %u x %u\nBlock\t%u x %u x %u\nRegisters\t%u per thread\n"
                        "Shared memory\t%u B static, %u B dynamic",
                        kernel->grid_x, kernel->grid_y, kernel->grid_z, kernel->block_x,
                        kernel->block_y, kernel->block_z, kernel->registers,
                        kernel->static_shared_memory, kernel->dynamic_shared_memory);
    write_occupancy(page->timeline, gpu, text + size, sizeof text - (size_t)size);
    return *known = detail_number(page, (struct text){text, strlen(text)});
}

static uint32_t gpu_detail(struct page *page, const struct tl_gpu *gpu)
{
    char text[64];
    if (gpu->kind == TL_KERNEL && gpu->detail < page->timeline->kernels.count)
        return kernel_detail(page, gpu);
    if (!page->writes || !gpu->bytes)
        return 0;
    snprintf(text, sizeof text, "Bytes\t%llu", (unsigned long long)gpu->bytes);
    return detail_number(page, (struct text){text, strlen(text)});
}

static struct text attr_text(const struct timeline *timeline, const struct tl_attr *attr,
                             char number[32])
{
    if (attr->type == PROF_ATTR_STRING && attr->value < timeline->names.count)
        return timeline->names.at[attr->value];
    double value = tl_attr_number(attr);
    number[0] = '\0';
    if (value == value) /* no number: flags and addresses are left out */
        snprintf(number, 32, "%.15g", value);
    return (struct text){number, strlen(number)};
}

static uint32_t slice_detail(struct page *page, uint32_t slice)
{
    const struct timeline *timeline = page->timeline;
    if (!page->writes || !timeline->attrs.count)
        return 0;
    struct tl_attrs attrs = timeline_slice_attrs(timeline, slice);
    char text[1200], number[32], title[64];
    size_t used = 0;
    for (uint32_t i = 0; i < attrs.count && used + 100 < sizeof text; i++) {
        struct text value = attr_text(timeline, &attrs.at[i], number);
        if (attrs.at[i].key >= timeline->names.count || !value.size ||
            tl_attr_is_given_again(attrs, i))
            continue;
        struct text key = timeline->names.at[attrs.at[i].key];
        snprintf(title, sizeof title, "%.*s", row_name_part(key, 60), key.bytes);
        used = add_line(text, sizeof text, used, title, value);
    }
    return detail_number(page, (struct text){text, used});
}

/* ---- boxes of a level ---- */

static void put_launch(struct level *level, const struct box *box)
{
    bool known = box->thread != TL_NONE;
    html_bytes_uint(&level->columns[THREAD], known ? box->thread + 1 : 0);
    if (!known)
        return;
    html_bytes_uint(&level->columns[DEPTH], box->depth);
    html_bytes_int(&level->columns[DELAY], box->delay_ns);
}

static void put(struct page *page, struct level *level, const struct box *box)
{
    page->boxes++;
    level->count++;
    if (!page->writes)
        return;
    html_bytes_uint(&level->columns[HEAD], (uint64_t)box->count * 8 + box->kind);
    html_bytes_int(&level->columns[START], box->start_ns - level->last_ns);
    html_bytes_uint(&level->columns[LENGTH], (uint64_t)(box->end_ns - box->start_ns));
    html_bytes_uint(&level->columns[NAME], name_number(page, box->name));
    level->last_ns = box->start_ns;
    if (box->count > 1)
        html_bytes_uint(&level->columns[BUSY], (uint64_t)box->busy_ns);
    else
        put_launch(level, box), html_bytes_uint(&level->columns[DETAIL], box->detail);
}

static void flush(struct page *page, struct level *level)
{
    if (level->open.count)
        put(page, level, &level->open);
    level->open.count = 0;
}

/* What a box of many is called, and its colour, are those of its longest event. */
static void run_together(struct box *many, const struct box *box)
{
    if (box->longest_ns > many->longest_ns)
        many->name = box->name, many->kind = box->kind, many->longest_ns = box->longest_ns;
    many->end_ns = box->end_ns > many->end_ns ? box->end_ns : many->end_ns;
    many->busy_ns += box->busy_ns;
    many->count++;
}

static void add_box(struct page *page, uint32_t depth, struct box box)
{
    if (depth >= LEVELS_MAX) {
        page->deep++;
        return;
    }
    struct level *level = &page->levels[depth];
    if (depth >= page->level_count)
        page->level_count = depth + 1;
    box.end_ns = box.end_ns > box.start_ns ? box.end_ns : box.start_ns;
    box.busy_ns = box.longest_ns = box.end_ns - box.start_ns;
    box.count = 1;
    page->events++;
    bool fits = level->open.count && box.start_ns - level->open.end_ns < page->least_ns &&
                box.end_ns - level->open.start_ns <= MANY_PARTS * page->least_ns;
    if (box.busy_ns >= page->least_ns) {
        flush(page, level);
        put(page, level, &box);
    } else if (fits) {
        run_together(&level->open, &box);
    } else {
        flush(page, level);
        level->open = box;
    }
}

/* ---- tracks ---- */

static void write_track(struct page *page, enum track_kind kind, uint32_t process, struct text name,
                        uint32_t device)
{
    struct json_out *out = page->out;
    json_newline(out), json_array_begin(out);
    json_uint(out, process), json_uint(out, kind);
    html_name(out, name);
    if (device == TL_NONE)
        json_null(out);
    else
        json_uint(out, device);
    for (uint32_t i = 0; i < page->level_count; i++)
        json_uint(out, page->levels[i].count);
    json_array_end(out);
}

/* Returns whether the track is on the page. */
static bool end_track(struct page *page, enum track_kind kind, uint32_t process, struct text name,
                      uint32_t device)
{
    bool fits = page->full || page->tracks<HTML_TRACKS, any = page->level_count> 0;
    uint64_t before = page->boxes;
    for (uint32_t i = 0; i < page->level_count; i++)
        flush(page, &page->levels[i]);
    if (!fits)
        page->boxes = before, page->tracks_left += any;
    if (fits && any && page->writes)
        write_track(page, kind, process, name, device);
    for (uint32_t i = 0; i < page->level_count; i++) {
        struct level *level = &page->levels[i];
        for (unsigned column = 0; column < COLUMNS; column++) {
            if (fits)
                html_bytes_append(&page->data, &level->columns[column]);
            page->data.failed |= level->columns[column].failed;
            level->columns[column].count = 0;
        }
        level->count = 0, level->last_ns = page->timeline->start_ns;
    }
    page->level_count = 0;
    page->tracks += fits && any;
    return fits && any;
}

static void add_slices(struct page *page, const struct tl_thread *thread)
{
    const struct timeline *timeline = page->timeline;
    for (uint32_t i = thread->first_slice; i < thread->first_slice + thread->slice_count; i++) {
        const struct tl_slice *slice = &timeline->slices.at[i];
        if (slice->flags & TL_INTERNAL)
            continue;
        struct box box = {.start_ns = slice->start_ns,
                          .end_ns = slice->end_ns,
                          .name = tl_shown_name(timeline, slice->name, tl_slice_label(slice)),
                          .thread = TL_NONE,
                          .detail = slice_detail(page, i),
                          .kind = slice->kind == TL_API ? BOX_CALL : BOX_RANGE};
        add_box(page, slice->depth, box);
    }
}

static void add_frames(struct page *page, const struct tl_thread *thread)
{
    for (uint32_t i = thread->first_frame; i < thread->first_frame + thread->frame_count; i++) {
        const struct tl_frame *frame = &page->timeline->frames.at[i];
        struct box box = {.start_ns = frame->start_ns,
                          .end_ns = frame->end_ns,
                          .name = frame->name,
                          .thread = TL_NONE,
                          .kind = BOX_FUNCTION};
        add_box(page, page->frame_depth[i], box);
    }
}

static void add_thread(struct page *page, uint32_t index)
{
    const struct tl_thread *thread = &page->timeline->threads.at[index];
    struct text name = row_name_thread(page->timeline, index);
    char text[ROW_NAME_BYTES];
    if (thread->internal)
        return;
    snprintf(text, sizeof text, "%.*s%s%" PRIu64, row_name_part(name, 300), name.bytes,
             name.size ? " " : "thread ", thread->tid);
    name = (struct text){text, strlen(text)};
    uint32_t track = page->tracks;
    add_slices(page, thread);
    bool shown = end_track(page, TRACK_THREAD, thread->process, name, TL_NONE);
    page->track_of_thread[index] = shown ? track : TL_NONE;
    add_frames(page, thread);
    end_track(page, TRACK_PYTHON, thread->process, name, TL_NONE);
}

static enum box_kind kind_of(const struct page *page, const struct tl_gpu *gpu)
{
    switch (gpu->kind) {
    case TL_MEMCPY:
        return BOX_COPY;
    case TL_MEMSET:
        return BOX_SET;
    case TL_GRAPH_RUN:
        return BOX_GRAPH;
    default:
        return work_class_of(&page->classes, gpu) == WORK_COMMUNICATION ? BOX_COMMUNICATION
                                                                        : BOX_COMPUTE;
    }
}

static void add_operation(struct page *page, const struct tl_gpu *gpu)
{
    struct box box = {.start_ns = gpu->start_ns,
                      .end_ns = gpu->end_ns,
                      .name = gpu->name,
                      .thread = TL_NONE,
                      .detail = gpu_detail(page, gpu),
                      .kind = kind_of(page, gpu)};
    if (gpu->slice != TL_NONE) {
        const struct tl_slice *launch = &page->timeline->slices.at[gpu->slice];
        box.thread = page->track_of_thread[launch->thread];
        box.depth = launch->depth;
        box.delay_ns = gpu->start_ns - launch->start_ns;
    }
    add_box(page, gpu->lane, box);
}

static void add_stream(struct page *page, uint32_t index)
{
    const struct timeline *timeline = page->timeline;
    const struct tl_stream *stream = &timeline->streams.at[index];
    char name[ROW_NAME_BYTES];
    for (uint32_t i = stream->first_gpu; i < stream->first_gpu + stream->gpu_count; i++)
        if (tl_is_work(&timeline->gpus.at[i]))
            add_operation(page, &timeline->gpus.at[i]);
    row_name_stream(timeline, index, 0, name);
    end_track(page, TRACK_STREAM, stream->process, (struct text){name, strlen(name)},
              stream->device);
}

/* Threads of a process, then its streams; both are sorted by process. */
static void walk(struct page *page)
{
    const struct timeline *timeline = page->timeline;
    uint32_t thread = 0, stream = 0;
    page->boxes = page->events = page->deep = 0;
    page->tracks = page->tracks_left = 0;
    for (uint32_t process = 0; process < timeline->processes.count; process++) {
        for (; thread < timeline->threads.count && timeline->threads.at[thread].process == process;
             thread++)
            add_thread(page, thread);
        for (; stream < timeline->streams.count && timeline->streams.at[stream].process == process;
             stream++)
            add_stream(page, stream);
    }
}

/* ---- the page ---- */

static void find_least(struct page *page)
{
    int64_t span_ns = page->timeline->end_ns - page->timeline->start_ns;
    walk(page);
    if (page->full || page->boxes <= HTML_BOXES)
        return;
    for (page->least_ns = span_ns / FINEST_PARTS + 1; page->least_ns < span_ns;
         page->least_ns *= 2) {
        walk(page);
        if (page->boxes <= HTML_BOXES)
            return;
    }
}

/* Behind the columns: they deflate well there. */
static void put_texts(struct page *page)
{
    for (uint32_t i = 0; i < page->names; i++) {
        struct text name = page->timeline->names.at[page->name_list[i]];
        html_bytes_text(&page->data, name, page->full ? HTML_NAME_BYTES : HTML_BOX_NAME_BYTES);
    }
    for (uint32_t i = 0; i < page->details.count; i++)
        html_bytes_text(&page->data, page->details.at[i], SIZE_MAX);
}

static bool write_page(struct page *page)
{
    struct json_out *out = page->out;
    find_least(page);
    page->writes = true;
    json_object_begin(out);
    json_key(out, "start_ns"), json_int(out, page->timeline->start_ns);
    json_key(out, "end_ns"), json_int(out, page->timeline->end_ns);
    json_key(out, "origin_ns"), json_int(out, page->timeline->origin_ns);
    json_newline(out), json_key(out, "tracks"), json_array_begin(out);
    walk(page);
    json_array_end(out);
    json_newline(out), json_key(out, "boxes"), json_uint(out, page->boxes);
    json_key(out, "events"), json_uint(out, page->events);
    json_key(out, "least_ns"), json_int(out, page->least_ns);
    json_key(out, "deep"), json_uint(out, page->deep);
    json_key(out, "tracks_left"), json_uint(out, page->tracks_left);
    json_key(out, "details_left"), json_uint(out, page->details_left);
    json_key(out, "names"), json_uint(out, page->names);
    json_key(out, "details"), json_uint(out, page->details.count);
    json_newline(out);
    put_texts(page);
    bool written = html_bytes_write(out, &page->data);
    json_object_end(out);
    return written;
}

/* How deep each Python function was called: a call comes after the one around it. */
static bool find_depths(struct page *page)
{
    const struct timeline *timeline = page->timeline;
    page->frame_depth = calloc((size_t)timeline->frames.count + 1, sizeof *page->frame_depth);
    if (!page->frame_depth)
        return false;
    for (uint32_t i = 0; i < timeline->frames.count; i++) {
        uint32_t parent = timeline->frames.at[i].parent;
        uint16_t around = parent == TL_NONE ? 0 : page->frame_depth[parent];
        page->frame_depth[i] = (uint16_t)(parent == TL_NONE ? 0 : around + (around < UINT16_MAX));
    }
    return true;
}

static void page_fini(struct page *page)
{
    for (uint32_t i = 0; i < LEVELS_MAX; i++)
        for (unsigned column = 0; column < COLUMNS; column++)
            html_bytes_fini(&page->levels[i].columns[column]);
    work_classes_fini(&page->classes);
    text_pool_fini(&page->details);
    html_bytes_fini(&page->data);
    free(page->track_of_thread);
    free(page->frame_depth);
    free(page->page_name);
    free(page->name_list);
    free(page->kernel_detail);
    free(page);
}

static struct page *page_create(struct json_out *out, const struct timeline *timeline, bool full)
{
    struct page *page = calloc(1, sizeof *page);
    if (!page)
        return NULL;
    page->timeline = timeline;
    page->out = out;
    page->full = full;
    page->track_of_thread =
        calloc((size_t)timeline->threads.count + 1, sizeof *page->track_of_thread);
    page->page_name = calloc((size_t)timeline->names.count + 1, sizeof *page->page_name);
    page->name_list = calloc((size_t)timeline->names.count + 1, sizeof *page->name_list);
    page->kernel_detail = calloc((size_t)timeline->kernels.count + 1, sizeof *page->kernel_detail);
    for (uint32_t i = 0; i < LEVELS_MAX; i++)
        page->levels[i].last_ns = timeline->start_ns;
    if (work_classes_init(&page->classes, timeline) && page->track_of_thread && page->page_name &&
        page->name_list && page->kernel_detail && find_depths(page))
        return page;
    page_fini(page);
    return NULL;
}

bool html_timeline(struct json_out *out, const struct timeline *timeline, bool full)
{
    struct page *page = page_create(out, timeline, full);
    if (!page)
        return false;
    bool written = write_page(page);
    page_fini(page);
    return written;
}
