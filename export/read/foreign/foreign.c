/* foreign.c - which reader a file is for. */
#include "foreign.h"

#include "format_list.h"
#include "trace_reader.h"

#include <string.h>

static bool is_native(struct text head)
{
    size_t seen = head.size < PROF_FILE_MAGIC_BYTES ? head.size : PROF_FILE_MAGIC_BYTES;
    return memcmp(head.bytes, PROF_FILE_MAGIC, seen) == 0 || read_is_recording(head);
}

/* The first that recognises the file reads it. */
static const struct foreign_format *const formats[] = {
    &format_sqlite, &format_etdump, &format_etprof, &format_kineto, NULL,
};

static const struct foreign_format *find_format(struct text head)
{
    for (size_t i = 0; formats[i]; i++)
        if (formats[i]->recognise(head))
            return formats[i];
    return NULL;
}

static void unknown_format(const struct source *source, struct read_error *error)
{
    char known[256] = "libprof trace";
    size_t length = strlen(known);
    for (size_t i = 0; formats[i]; i++) {
        size_t size = strlen(formats[i]->name);
        if (length + size + 3 > sizeof known)
            break;
        memcpy(known + length, ", ", 2);
        memcpy(known + length + 2, formats[i]->name, size + 1);
        length += size + 2;
    }
    trace_error(error, source_path(source), "not a trace of a known kind (%s)", known);
}

static struct trace_file *open_source(struct source *source, struct text head, bool partial,
                                      struct builder *builder, struct read_error *error)
{
    const struct foreign_format *format = find_format(head);
    if (format)
        return format->open(source, partial, builder, error);
    unknown_format(source, error);
    return NULL;
}

/* A trace of libprof's own that is compressed. Large ones do not fit: such a file is read at
 * random. */
#define UNPACKED_MAX (SIZE_MAX / 4)

static struct trace_file *open_unpacked(struct source *source, bool partial,
                                        struct read_error *error)
{
    size_t size;
    void *bytes = source_read_all(source, UNPACKED_MAX, &size, error);
    return bytes ? trace_file_open_owned(bytes, size, source_path(source), partial, error) : NULL;
}

struct trace_file *foreign_open(const char *path, bool partial, struct builder *builder,
                                struct read_error *error)
{
    return foreign_open_clock(path, (struct source_clock){0}, partial, builder, error);
}

struct trace_file *foreign_open_clock(const char *path, struct source_clock clock, bool partial,
                                      struct builder *builder, struct read_error *error)
{
    struct text head;
    struct trace_file *file = NULL;
    struct source *source = source_open(path, error);
    if (!source)
        return NULL;
    source_set_clock(source, clock);
    bool readable = source_peek(source, &head, error);
    if (readable && is_native(head) && source_is_plain(source))
        file = trace_file_open(path, partial, error);
    else if (readable && is_native(head))
        file = open_unpacked(source, partial, error);
    else if (readable)
        file = open_source(source, head, partial, builder, error);
    source_close(source);
    return file;
}

struct trace_file *foreign_open_memory(const void *bytes, size_t size, const char *name,
                                       bool partial, struct builder *builder,
                                       struct read_error *error)
{
    struct text head = {bytes, size};
    if (is_native(head))
        return trace_file_open_memory(bytes, size, name, partial, error);
    struct trace_file *file = NULL;
    struct source *source = source_open_memory(bytes, size, name, error);
    if (source && source_peek(source, &head, error))
        file = is_native(head) ? open_unpacked(source, partial, error)
                               : open_source(source, head, partial, builder, error);
    source_close(source);
    return file;
}

static bool append_unordered(void *events, uint32_t process, struct builder *builder,
                             struct tl_health *health, struct read_error *error)
{
    (void)builder; /* the one that the events were gathered for */
    (void)error;   /* without memory the builder fails */
    unordered_finish_process(events, process, health);
    return true;
}

/* The events are the builder's. */
static void close_unordered(void *events)
{
    (void)events;
}

struct trace_file *format_file(const struct source *source, struct unordered *events,
                               uint64_t start_realtime_ns, struct read_error *error)
{
    static const struct trace_reader reader = {append_unordered, close_unordered};
    if (unordered_failed(events)) {
        trace_error(error, source_path(source), "out of memory");
        return NULL;
    }
    return trace_file_adopt(source_path(source), &reader, events, unordered_process_count(events),
                            start_realtime_ns, error);
}
