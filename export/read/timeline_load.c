/* timeline_load.c - from files to a timeline. */
#include "read.h"
#include "trace_reader.h"

#include <stdlib.h>

static uint64_t earliest_start(struct trace_file *const *files, size_t count)
{
    uint64_t earliest = UINT64_MAX;
    for (size_t i = 0; i < count; i++) {
        uint64_t start = trace_file_start_realtime_ns(files[i]);
        earliest = start < earliest ? start : earliest;
    }
    return count ? earliest : 0;
}

static void no_memory(struct read_error *error, const char *path)
{
    trace_error(error, path, "out of memory for its events");
}

static bool add_process(struct builder *builder, struct trace_file *file, uint32_t process,
                        int64_t shift_ns, struct read_error *error)
{
    struct tl_health health = {0};
    builder_begin_process(builder, trace_file_path(file), shift_ns);
    if (!builder_failed(builder) && !trace_file_append(file, process, builder, &health, error))
        return false;
    builder_end_process(builder, &health);
    if (builder_failed(builder))
        no_memory(error, trace_file_path(file));
    return !builder_failed(builder);
}

static bool add_file(struct builder *builder, struct trace_file *file, uint64_t base_realtime_ns,
                     struct read_error *error)
{
    uint64_t late = trace_file_start_realtime_ns(file) - base_realtime_ns;
    int64_t shift_ns = late > INT64_MAX ? INT64_MAX : (int64_t)late;
    bool added = true;
    for (uint32_t i = 0; i < trace_file_process_count(file) && added; i++)
        added = add_process(builder, file, i, shift_ns, error);
    return added;
}

struct timeline *timeline_from_files(struct builder *builder, struct trace_file *const *files,
                                     size_t file_count, struct read_error *error)
{
    uint64_t base_realtime_ns = earliest_start(files, file_count);
    if (!builder) {
        no_memory(error, "the timeline");
        return NULL;
    }
    builder_set_base(builder, base_realtime_ns, (uint32_t)file_count);
    for (size_t i = 0; i < file_count; i++)
        if (!add_file(builder, files[i], base_realtime_ns, error)) {
            builder_abandon(builder);
            return NULL;
        }
    struct timeline *timeline = builder_end(builder);
    if (!timeline)
        no_memory(error, "the timeline");
    return timeline;
}

static struct trace_file *open_recording(const char *path, bool partial, struct builder *builder,
                                         struct read_error *error)
{
    (void)builder;
    return trace_file_open(path, partial, error);
}

struct timeline *timeline_load(const char *const *paths, size_t path_count, bool partial,
                               struct read_error *error)
{
    return timeline_load_by(open_recording, paths, path_count, partial, error);
}

/* Opens the files up to the first that cannot be; returns how many. */
static size_t open_all(timeline_opener *open, const char *const *paths, struct trace_file **files,
                       size_t path_count, bool partial, struct builder *builder,
                       struct read_error *error)
{
    size_t opened = 0;
    while (opened < path_count &&
           (files[opened] = open(paths[opened], partial, builder, error)) != NULL)
        opened++;
    return opened;
}

struct timeline *timeline_load_by(timeline_opener *open, const char *const *paths,
                                  size_t path_count, bool partial, struct read_error *error)
{
    struct timeline *timeline = NULL;
    struct builder *builder = builder_begin();
    struct trace_file **files = calloc(path_count + 1, sizeof(struct trace_file *));
    if (!files || !builder) {
        no_memory(error, "the timeline");
        builder_abandon(builder);
        free(files);
        return NULL;
    }
    size_t opened = open_all(open, paths, files, path_count, partial, builder, error);
    if (opened == path_count)
        timeline = timeline_from_files(builder, files, path_count, error);
    else
        builder_abandon(builder);
    for (size_t i = 0; i < opened; i++)
        trace_file_close(files[i]);
    free(files);
    return timeline;
}
