/* speedscope.c - a file for speedscope.app: an evented profile for each thread and for each row of
 * a stream, with frames that all share (speedscope.app/file-format-schema.json). Times are
 * nanoseconds from the timeline's begin. Sampled profiles follow: speedscope_samples.c.
 *
 * A profile's events stand together, so this goes along each thread and stream instead of through
 * time as exporter_walk() does. Begin/end ranges need not nest, as frames must: they are left out,
 * and so are waits and overhead.
 */
#include "chrome_rows.h"
#include "formats.h"
#include "key_averages.h"
#include "packed_out.h"
#include "reports.h"
#include "row_names.h"
#include "slice_sums.h"
#include "speedscope_samples.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

struct open_frame {
    int64_t end_ns;
    uint32_t frame;
    uint32_t depth;
};

struct speedscope {
    const struct timeline *timeline;
    struct json_out out;
    struct chrome_rows rows;
    struct key_names keys; /* the steps are one frame, as they are one row in tables */
    uint32_t *frames;      /* by key: its frame + 1, 0 none yet */
    uint32_t *used;        /* keys, by frame */
    uint32_t frame_count;
    struct open_frame *open;
    uint32_t open_count, open_capacity;
    bool begun; /* the current profile has an event */
    struct speedscope_samples samples;
};

static uint32_t frame_of(struct speedscope *scope, uint32_t name)
{
    uint32_t key = key_names_of(&scope->keys, name);
    if (scope->frames[key] == 0) {
        scope->used[scope->frame_count++] = key;
        scope->frames[key] = scope->frame_count;
    }
    return scope->frames[key] - 1;
}

static int64_t time_of(const struct speedscope *scope, int64_t ns)
{
    return ns > scope->timeline->start_ns ? ns - scope->timeline->start_ns : 0;
}

static void put_event(struct speedscope *scope, bool is_open, uint32_t frame, int64_t at_ns)
{
    struct json_out *out = &scope->out;
    json_newline(out), json_object_begin(out);
    if (is_open)
        json_members(out, "\"type\":\"O\"");
    else
        json_members(out, "\"type\":\"C\"");
    json_key(out, "frame"), json_uint(out, frame);
    json_key(out, "at"), json_int(out, time_of(scope, at_ns));
    json_object_end(out);
}

static void close_frame(struct speedscope *scope)
{
    const struct open_frame *frame = &scope->open[--scope->open_count];
    put_event(scope, false, frame->frame, frame->end_ns);
}

/* Ends what is over when something begins at that time and depth. */
static void close_due(struct speedscope *scope, int64_t start_ns, uint32_t depth)
{
    while (scope->open_count) {
        const struct open_frame *last = &scope->open[scope->open_count - 1];
        if (last->end_ns > start_ns || (last->end_ns == start_ns && last->depth < depth))
            break;
        close_frame(scope);
    }
}

static bool grow_open(struct speedscope *scope)
{
    uint32_t capacity = scope->open_capacity ? scope->open_capacity * 2 : 64;
    struct open_frame *open = realloc(scope->open, capacity * sizeof *open);
    if (!open) {
        scope->out.error = ENOMEM;
        return false;
    }
    scope->open = open;
    scope->open_capacity = capacity;
    return true;
}

/* A frame inside what is open still; it ends with that at the latest. */
static void open_frame(struct speedscope *scope, uint32_t name, int64_t start_ns, int64_t end_ns,
                       uint32_t depth)
{
    close_due(scope, start_ns, depth);
    if (scope->open_count == scope->open_capacity && !grow_open(scope))
        return;
    if (scope->open_count && scope->open[scope->open_count - 1].end_ns < end_ns)
        end_ns = scope->open[scope->open_count - 1].end_ns;
    uint32_t frame = frame_of(scope, name);
    scope->open[scope->open_count++] =
        (struct open_frame){end_ns > start_ns ? end_ns : start_ns, frame, depth};
    put_event(scope, true, frame, start_ns);
}

static void begin_profile(struct speedscope *scope, const char *name)
{
    struct json_out *out = &scope->out;
    if (scope->begun)
        return;
    scope->begun = true;
    json_newline(out), json_object_begin(out);
    json_members(out, "\"type\":\"evented\",\"unit\":\"nanoseconds\",\"startValue\":0");
    json_key(out, "name"), json_string(out, name);
    json_key(out, "endValue"), json_int(out, time_of(scope, scope->timeline->end_ns));
    json_key(out, "events"), json_array_begin(out);
}

static void end_profile(struct speedscope *scope)
{
    while (scope->open_count)
        close_frame(scope);
    if (scope->begun)
        json_array_end(&scope->out), json_object_end(&scope->out);
    scope->begun = false;
}

static void put_slice(struct speedscope *scope, const char *thread, const struct tl_slice *slice)
{
    if (!slice_is_shown(scope->timeline, slice))
        return;
    begin_profile(scope, thread);
    uint32_t called = tl_shown_name(scope->timeline, slice->name, tl_slice_label(slice));
    open_frame(scope, called, slice->start_ns, slice->end_ns, slice->depth);
}

/* What ends when a slice begins ends first, however deep the slice is. */
static void put_call(struct speedscope *scope, const char *thread, const struct tl_frame *call)
{
    begin_profile(scope, thread);
    close_due(scope, call->start_ns, 0);
    open_frame(scope, call->name, call->start_ns, call->end_ns, UINT32_MAX);
}

/* Whether the thread's slice begins before its call of a Python function, or around it. */
static bool slice_is_next(const struct timeline *timeline, const struct tl_thread *thread,
                          uint32_t slice, uint32_t call)
{
    if (slice == thread->slice_count)
        return false;
    const struct tl_slice *a = &timeline->slices.at[thread->first_slice + slice];
    const struct tl_frame *b = &timeline->frames.at[thread->first_frame + call];
    return a->start_ns != b->start_ns ? a->start_ns < b->start_ns : a->end_ns > b->end_ns;
}

static void put_thread(struct speedscope *scope, uint32_t index)
{
    const struct timeline *timeline = scope->timeline;
    const struct tl_thread *thread = &timeline->threads.at[index];
    struct text called = row_name_thread(timeline, index);
    char process[ROW_NAME_BYTES], name[2 * ROW_NAME_BYTES];
    row_name_process(timeline, thread->process, TL_NONE, process);
    snprintf(name, sizeof name, "%s thread %" PRIu64 " (%.*s)", process, thread->tid,
             row_name_part(called, 300), called.size ? called.bytes : "");
    uint32_t slice = 0, call = 0;
    while (slice < thread->slice_count || call < thread->frame_count) {
        if (call == thread->frame_count || slice_is_next(timeline, thread, slice, call))
            put_slice(scope, name, &timeline->slices.at[thread->first_slice + slice++]);
        else
            put_call(scope, name, &timeline->frames.at[thread->first_frame + call++]);
    }
    end_profile(scope);
}

/* Operations of a lane do not overlap. */
static void put_lane(struct speedscope *scope, uint32_t index, uint32_t lane)
{
    const struct timeline *timeline = scope->timeline;
    const struct tl_stream *stream = &timeline->streams.at[index];
    char process[ROW_NAME_BYTES], gpu[ROW_NAME_BYTES], row[ROW_NAME_BYTES];
    char name[3 * ROW_NAME_BYTES];
    row_name_process(timeline, stream->process, TL_NONE, process);
    row_name_gpu(&scope->rows, scope->rows.streams[index].gpu, gpu);
    row_name_stream(timeline, index, lane, row);
    snprintf(name, sizeof name, "%s %s %s", process, gpu, row);
    uint32_t place = scope->rows.streams[index].first_lane + lane;
    for (uint32_t i = 0; i < stream->gpu_count; i++) {
        const struct tl_gpu *op = &timeline->gpus.at[stream->first_gpu + i];
        if (!tl_is_work(op) || chrome_rows_of_stream(&scope->rows, op) != &scope->rows.lanes[place])
            continue;
        begin_profile(scope, name);
        open_frame(scope, op->name, op->start_ns, op->end_ns, 0);
    }
    end_profile(scope);
}

static void put_profiles(struct speedscope *scope)
{
    const struct timeline *timeline = scope->timeline;
    json_key(&scope->out, "profiles"), json_array_begin(&scope->out);
    for (uint32_t i = 0; i < timeline->threads.count; i++)
        put_thread(scope, i);
    for (uint32_t i = 0; i < timeline->streams.count; i++)
        for (uint32_t lane = 0; lane < scope->rows.streams[i].lane_count; lane++)
            put_lane(scope, i, lane);
    if (scope->samples.symbols &&
        !speedscope_samples_put(&scope->samples, &scope->out, scope->frame_count))
        scope->out.error = ENOMEM;
    if (!scope->out.comma) /* speedscope 1.25 fails where a file has no profile */
        begin_profile(scope, "nothing recorded"), end_profile(scope);
    json_array_end(&scope->out);
}

static void put_frame(struct json_out *out, struct text name)
{
    json_newline(out), json_object_begin(out);
    json_key(out, "name"), json_text(out, name);
    json_object_end(out);
}

static void put_frames(struct speedscope *scope)
{
    struct json_out *out = &scope->out;
    json_newline(out), json_key(out, "shared"), json_object_begin(out);
    json_key(out, "frames"), json_array_begin(out);
    for (uint32_t i = 0; i < scope->frame_count; i++)
        put_frame(out, key_names_text(&scope->keys, scope->used[i]));
    for (uint32_t i = 0; i < scope->samples.functions.count; i++)
        put_frame(out, scope->samples.functions.at[i]);
    json_array_end(out), json_object_end(out);
}

static void put_file(struct speedscope *scope)
{
    struct json_out *out = &scope->out;
    json_object_begin(out);
    json_members(out, "\"$schema\":\"https://www.speedscope.app/file-format-schema.json\","
                      "\"exporter\":\"libprof " PROF_VERSION "\"");
    json_newline(out);
    put_profiles(scope);
    put_frames(scope);
    json_object_end(out);
    out->comma = false;
    json_newline(out);
}

/* Returns 0 or an errno. */
static int write_scope(const struct timeline *timeline, struct symbols *symbols,
                       const struct export_file *file)
{
    struct speedscope scope = {.timeline = timeline};
    int error = ENOMEM;
    if (!key_names_init(&scope.keys, timeline))
        return error;
    scope.frames = calloc(scope.keys.key_count, sizeof *scope.frames);
    scope.used = calloc(scope.keys.key_count, sizeof *scope.used);
    bool ready = speedscope_samples_init(&scope.samples, timeline, symbols);
    if (ready && scope.frames && scope.used &&
        chrome_rows_init(&scope.rows, timeline, CHROME_IDS_MAX)) {
        if (json_out_init(&scope.out, file->file.fd, file->stream))
            put_file(&scope);
        error = json_out_fini(&scope.out);
        chrome_rows_fini(&scope.rows);
    }
    speedscope_samples_fini(&scope.samples);
    key_names_fini(&scope.keys);
    free(scope.frames);
    free(scope.used);
    free(scope.open);
    return error;
}

bool write_speedscope(const struct timeline *timeline, struct symbols *symbols, const char *path,
                      struct write_error *error)
{
    struct export_file file;
    if (!export_file_open(&file, path, packed_out_open, error))
        return false;
    return export_file_close(&file, write_scope(timeline, symbols, &file), error);
}
