/* html_usage.c - devices and memory over time, idle gaps and their owners: see html_page.h. */
#include "array.h"
#include "device_api.h"
#include "device_time.h"
#include "finding_gaps.h"
#include "html_page.h"

#include <stdlib.h>

struct scale {
    int64_t start_ns, end_ns;
    double part_ns;
};

/* What is covered of each part. Stretches come in order of start: what an earlier one covers does
 * not count again. */
struct cover {
    int64_t until_ns;
    double ns[HTML_PARTS];
};

struct device_cover {
    struct cover busy, kernel, copy;
};

static unsigned part_of(const struct scale *scale, int64_t time_ns)
{
    double part = (double)(time_ns - scale->start_ns) / scale->part_ns;
    return part <= 0 ? 0 : part >= HTML_PARTS ? HTML_PARTS - 1 : (unsigned)part;
}

/* ---- devices ---- */

static void cover(struct cover *into, const struct scale *scale, int64_t start_ns, int64_t end_ns)
{
    start_ns = start_ns < into->until_ns ? into->until_ns : start_ns;
    end_ns = end_ns > scale->end_ns ? scale->end_ns : end_ns;
    if (end_ns <= start_ns)
        return;
    into->until_ns = end_ns;
    for (unsigned part = part_of(scale, start_ns); part < HTML_PARTS; part++) {
        double begin_ns = (double)scale->start_ns + part * scale->part_ns;
        double finish_ns = begin_ns + scale->part_ns;
        double from = (double)start_ns > begin_ns ? (double)start_ns : begin_ns;
        double to = (double)end_ns < finish_ns ? (double)end_ns : finish_ns;
        if (to > from)
            into->ns[part] += to - from;
        if ((double)end_ns <= finish_ns)
            return;
    }
}

static void cover_init(struct cover *into, const struct scale *scale)
{
    memset(into, 0, sizeof *into);
    into->until_ns = scale->start_ns;
}

static void write_cover(struct json_out *out, const struct cover *of, const struct scale *scale)
{
    json_array_begin(out);
    for (unsigned part = 0; part < HTML_PARTS; part++)
        json_uint(out, (uint64_t)(of->ns[part] / scale->part_ns * 1000 + 0.5));
    json_array_end(out);
}

static void write_ordinal(struct json_out *out, uint32_t device)
{
    json_key(out, "device");
    if (device == TL_NONE)
        json_null(out);
    else
        json_uint(out, device);
}

static void write_device(struct json_out *out, const struct timeline *timeline, uint32_t stream,
                         const struct device_cover *of, const struct scale *scale)
{
    const struct tl_stream *first = &timeline->streams.at[stream];
    json_newline(out), json_object_begin(out);
    json_key(out, "process"), json_uint(out, first->process);
    write_ordinal(out, first->device);
    json_key(out, "busy"), write_cover(out, &of->busy, scale);
    json_key(out, "kernel"), write_cover(out, &of->kernel, scale);
    json_key(out, "copy"), write_cover(out, &of->copy, scale);
    json_object_end(out);
}

/* Whether the device did anything. */
static bool add_device(struct device_walk *walk, struct device_cover *of, const struct scale *scale)
{
    uint32_t index;
    bool any = false;
    cover_init(&of->busy, scale), cover_init(&of->kernel, scale), cover_init(&of->copy, scale);
    while ((index = device_walk_next(walk)) != TL_NONE) {
        const struct tl_gpu *gpu = &walk->timeline->gpus.at[index];
        bool copies = gpu->kind == TL_MEMCPY || gpu->kind == TL_MEMSET;
        cover(&of->busy, scale, gpu->start_ns, gpu->end_ns);
        cover(copies ? &of->copy : &of->kernel, scale, gpu->start_ns, gpu->end_ns);
        any = true;
    }
    return any;
}

static bool write_devices(struct json_out *out, const struct timeline *timeline,
                          const struct scale *scale)
{
    struct device_walk walk;
    struct device_cover *of = malloc(sizeof *of);
    uint32_t shown = 0, left_out = 0;
    if (!of || !device_walk_init(&walk, timeline)) {
        free(of);
        return false;
    }
    json_key(out, "devices"), json_array_begin(out);
    for (uint32_t stream = 0, next; stream < timeline->streams.count; stream = next) {
        next = device_walk_begin(&walk, stream);
        if (!add_device(&walk, of, scale))
            continue;
        if (shown < HTML_LINES)
            shown++, write_device(out, timeline, stream, of, scale);
        else
            left_out++;
    }
    json_array_end(out);
    json_key(out, "devices_left_out"), json_uint(out, left_out);
    device_walk_fini(&walk);
    free(of);
    return true;
}

/* ---- memory ---- */

/* A heap's level, and the most of it in each part up to `part`. */
struct level {
    uint64_t bytes;
    unsigned part;
    uint64_t most[HTML_PARTS];
};

static void level_go_to(struct level *level, unsigned part)
{
    while (level->part < part)
        level->most[++level->part] = level->bytes;
}

static void level_change(struct level *level, unsigned part, uint64_t bytes, bool shrinks)
{
    level_go_to(level, part);
    if (shrinks)
        level->bytes -= bytes < level->bytes ? bytes : level->bytes;
    else
        level->bytes += bytes;
    if (level->bytes > level->most[part])
        level->most[part] = level->bytes;
}

static void write_level(struct json_out *out, const struct timeline *timeline, uint32_t index,
                        const struct level *level)
{
    const struct tl_heap *heap = &timeline->heaps.at[index];
    json_newline(out), json_object_begin(out);
    json_key(out, "process"), json_uint(out, heap->process);
    write_ordinal(out, heap->device);
    json_key(out, "name");
    html_name(out, heap->name < timeline->names.count ? timeline->names.at[heap->name]
                                                      : (struct text){"", 0});
    json_key(out, "bytes"), json_array_begin(out);
    for (unsigned part = 0; part < HTML_PARTS; part++)
        json_uint(out, level->most[part]);
    json_array_end(out);
    json_object_end(out);
}

static void add_events(const struct timeline *timeline, const struct scale *scale,
                       struct level *levels, uint32_t count)
{
    for (uint32_t i = 0; i < timeline->memory_events.count; i++) {
        const struct tl_memory_event *event = &timeline->memory_events.at[i];
        const struct tl_memory *memory = &timeline->memories.at[event->memory];
        if (memory->heap < count)
            level_change(&levels[memory->heap], part_of(scale, event->time_ns), memory->bytes,
                         event->is_end);
    }
}

static bool write_heaps(struct json_out *out, const struct timeline *timeline,
                        const struct scale *scale)
{
    uint32_t all = timeline->heaps.count, count = all < HTML_LINES ? all : HTML_LINES;
    struct level *levels = calloc((size_t)count + 1, sizeof *levels);
    if (!levels)
        return false;
    add_events(timeline, scale, levels, count);
    json_key(out, "heaps"), json_array_begin(out);
    for (uint32_t i = 0; i < count; i++) {
        level_go_to(&levels[i], HTML_PARTS - 1);
        write_level(out, timeline, i, &levels[i]);
    }
    json_array_end(out);
    json_key(out, "heaps_left_out"), json_uint(out, all - count);
    free(levels);
    return true;
}

bool html_usage(struct json_out *out, const struct timeline *timeline)
{
    struct scale scale = {timeline->start_ns, timeline->end_ns, 0};
    bool written = true;
    scale.part_ns = (double)(scale.end_ns - scale.start_ns) / HTML_PARTS;
    json_newline(out), json_key(out, "usage"), json_object_begin(out);
    json_key(out, "start_ns"), json_int(out, scale.start_ns);
    json_key(out, "part_ns"), json_double(out, scale.part_ns);
    if (scale.part_ns > 0)
        written = write_devices(out, timeline, &scale) && write_heaps(out, timeline, &scale);
    else
        json_members(out, "\"devices\":[],\"heaps\":[]");
    json_object_end(out);
    return written;
}

/* ---- gaps ---- */

/* Paths, or names, that are written once and referred to by their place. */
struct listed {
    struct keymap places;
    TL_ARRAY(uint32_t) at;
};

struct writer {
    struct json_out *out;
    const struct finding_context *context;
    struct html_top *top;
    struct listed paths, names;
    bool failed; /* no memory */
};

static void listed_fini(struct listed *list)
{
    keymap_fini(&list->places);
    free(list->at.at);
}

/* -1: none. */
static void write_place(struct writer *writer, struct listed *list, uint32_t what)
{
    uint32_t place = what == TL_NONE ? TL_NONE : keymap_find(&list->places, what);
    if (what != TL_NONE && place == KEYMAP_NONE) {
        uint32_t *added = ARRAY_ADD(&list->at);
        place = list->at.count - 1;
        if (added && keymap_set(&list->places, what, place))
            *added = what;
        else
            writer->failed = true;
    }
    json_int(writer->out, what == TL_NONE ? -1 : (int64_t)place);
}

static void write_causes(struct json_out *out, enum tl_device_api api)
{
    json_key(out, "causes"), json_array_begin(out);
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++) {
        json_array_begin(out);
        json_string(out, gap_cause_name((enum gap_cause)cause));
        json_string(out, gap_cause_words((enum gap_cause)cause, api));
        json_array_end(out);
    }
    json_array_end(out);
}

/* ---- gaps ---- */

static void write_gap(struct writer *writer, const struct finding_gap *gap)
{
    const struct timeline *timeline = writer->context->timeline;
    struct range_paths *paths = writer->context->paths;
    const struct tl_gpu *next = &timeline->gpus.at[gap->next];
    struct json_out *out = writer->out;
    json_newline(out), json_array_begin(out);
    json_uint(out, gap->device);
    json_int(out, gap->start_ns), json_int(out, gap->end_ns);
    json_uint(out, gap->cause);
    write_place(writer, &writer->names, next->name < timeline->names.count ? next->name : TL_NONE);
    write_place(writer, &writer->paths, range_paths_of(paths, next->slice));
    write_place(writer, &writer->paths, range_paths_of(paths, gap->blocker));
    json_array_end(out);
}

static void write_gaps(struct writer *writer)
{
    const struct finding_gaps *gaps = writer->context->gaps;
    struct html_top *top = writer->top;
    top->count = 0;
    for (uint32_t i = 0; i < gaps->gaps.count; i++)
        html_top_add(top, i, (double)(gaps->gaps.at[i].end_ns - gaps->gaps.at[i].start_ns));
    html_top_sort(top);
    json_key(writer->out, "gap_count"), json_uint(writer->out, gaps->gaps.count);
    json_key(writer->out, "gaps"), json_array_begin(writer->out);
    for (uint32_t i = 0; i < top->count; i++)
        write_gap(writer, &gaps->gaps.at[top->at[i].index]);
    json_array_end(writer->out);
}

/* ---- owners ---- */

static void write_owner(struct writer *writer, unsigned cause, const struct finding_owner *owner)
{
    struct json_out *out = writer->out;
    json_newline(out), json_array_begin(out);
    if (owner->process == TL_NONE)
        json_null(out);
    else
        json_uint(out, owner->process);
    if (owner->device == TL_NONE)
        json_null(out);
    else
        json_uint(out, owner->device);
    json_uint(out, cause);
    write_place(writer, &writer->paths, owner->path);
    json_uint(out, owner->count);
    json_int(out, owner->cost_ns);
    json_array_end(out);
}

/* Owners of all causes are numbered one after the other. */
static void write_numbered(struct writer *writer, uint32_t number)
{
    const struct finding_gaps *gaps = writer->context->gaps;
    unsigned cause = 0;
    while (number >= gaps->owners[cause].owners.count)
        number -= gaps->owners[cause++].owners.count;
    write_owner(writer, cause, &gaps->owners[cause].owners.at[number]);
}

static void write_owners(struct writer *writer)
{
    const struct finding_gaps *gaps = writer->context->gaps;
    struct html_top *top = writer->top;
    uint32_t number = 0;
    top->count = 0;
    for (unsigned cause = 0; cause < GAP_CAUSES; cause++)
        for (uint32_t i = 0; i < gaps->owners[cause].owners.count; i++)
            html_top_add(top, number++, (double)gaps->owners[cause].owners.at[i].cost_ns);
    html_top_sort(top);
    json_newline(writer->out);
    json_key(writer->out, "owner_count"), json_uint(writer->out, number);
    json_key(writer->out, "owners"), json_array_begin(writer->out);
    for (uint32_t i = 0; i < top->count; i++)
        write_numbered(writer, top->at[i].index);
    json_array_end(writer->out);
}

static void write_listed(const struct writer *writer)
{
    const struct timeline *timeline = writer->context->timeline;
    struct json_out *out = writer->out;
    json_newline(out), json_key(out, "paths"), json_array_begin(out);
    for (uint32_t i = 0; i < writer->paths.at.count; i++)
        html_path(out, writer->context->paths, writer->paths.at.at[i]);
    json_array_end(out);
    json_newline(out), json_key(out, "names"), json_array_begin(out);
    for (uint32_t i = 0; i < writer->names.at.count; i++)
        html_name(out, timeline->names.at[writer->names.at.at[i]]);
    json_array_end(out);
}

bool html_gaps(struct json_out *out, const struct findings *findings)
{
    _Static_assert(HTML_GAPS == HTML_OWNERS, "one choice of the longest serves both");
    struct html_top top;
    struct writer writer = {.out = out, .context = &findings->context, .top = &top};
    if (!html_top_init(&top, HTML_GAPS))
        return false;
    json_newline(out), json_key(out, "idle"), json_object_begin(out);
    write_causes(out, device_api_of(findings->context.timeline));
    write_gaps(&writer);
    write_owners(&writer);
    write_listed(&writer);
    json_object_end(out);
    html_top_fini(&top);
    listed_fini(&writer.paths);
    listed_fini(&writer.names);
    return !findings->context.paths->failed && !writer.failed;
}
