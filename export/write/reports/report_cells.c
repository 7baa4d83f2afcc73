#include "report_cells.h"

#include "process_name.h"

#include <stdio.h>
#include <string.h>

#define PATH_DEPTH_MAX 256u

void cell_index(struct table *table, uint32_t index)
{
    if (index == TL_NONE)
        table_none(table);
    else
        table_count(table, index);
}

void cell_name(struct table *table, const struct timeline *timeline, uint32_t name)
{
    if (name < timeline->names.count)
        table_text(table, timeline->names.at[name]);
    else
        table_none(table);
}

static void path_json(struct json_out *out, const struct range_paths *paths, uint32_t path)
{
    uint32_t way[PATH_DEPTH_MAX], depth = 0;
    for (; path != TL_NONE && depth < PATH_DEPTH_MAX; path = paths->paths.at[path].parent)
        way[depth++] = path;
    json_array_begin(out);
    while (depth--)
        json_text(out, range_paths_name(paths, way[depth]));
    json_array_end(out);
}

void cell_path(struct table *table, const struct range_paths *paths, uint32_t path)
{
    char text[RANGE_PATH_BYTES];
    if (!table_shows(table))
        return;
    if (table->format == WRITE_JSON) {
        path_json(table_json(table), paths, path);
        return;
    }
    range_paths_text(paths, path, text);
    table_string(table, text);
}

void cell_rest(FILE *stream, uint32_t count, int64_t most)
{
    if (most >= 0 && count > most)
        fprintf(stream, "  ... and %u more\n", (unsigned)(count - most));
}

struct text name_or_unnamed(const struct timeline *timeline, uint32_t name)
{
    static const struct text none = {"(unnamed)", 9};
    return name < timeline->names.count ? timeline->names.at[name] : none;
}

struct text device_name(const struct timeline *timeline, const struct tl_device *device)
{
    return device->name < timeline->names.count ? timeline->names.at[device->name]
                                                : (struct text){"", 0};
}

/* ---- heaps ---- */

#define LABEL_DEPTH_MAX 64
#define NAME_BYTES_MAX 100

static const char *name_of(const struct timeline *timeline, uint32_t name)
{
    return name_or_unnamed(timeline, name).bytes;
}

void cell_process(struct table *table, const struct timeline *timeline, uint32_t process)
{
    if (process == TL_NONE)
        table_unknown(table);
    else if (table_shows(table))
        table_string(table, process_short_name(timeline, process).text);
}

void cell_pid(struct table *table, const struct timeline *timeline, uint32_t process)
{
    if (process == TL_NONE)
        table_unknown(table);
    else
        table_count(table, timeline->processes.at[process].info.pid);
}

void cell_rank(struct table *table, const struct timeline *timeline, uint32_t process)
{
    int64_t rank = process == TL_NONE ? -1 : timeline->processes.at[process].info.rank;
    if (rank < 0)
        table_unknown(table);
    else
        table_int(table, rank);
}

void memory_label(const struct timeline *timeline, uint32_t heap, char to[MEMORY_LABEL_BYTES])
{
    const struct tl_heap *what = &timeline->heaps.at[heap];
    const char *name = name_of(timeline, what->name);
    int size;
    if (what->allocator)
        size = snprintf(to, MEMORY_LABEL_BYTES, "Allocator %.100s", name);
    else if (what->device == TL_NONE)
        size = snprintf(to, MEMORY_LABEL_BYTES, "Host %.100s", name);
    else
        size = snprintf(to, MEMORY_LABEL_BYTES, "Device %u %.100s", what->device, name);
    if (timeline->processes.count > 1 && size > 0)
        snprintf(to + size, MEMORY_LABEL_BYTES - (size_t)size, ", %s",
                 process_short_name(timeline, what->process).text);
}

/* Puts the name ahead of what is at `at`; returns where it begins, NULL when there is no room. */
static char *put_ahead(char *first, char *at, const char *name, bool is_last)
{
    size_t size = strnlen(name, NAME_BYTES_MAX), gap = is_last ? 0 : 3;
    if ((size_t)(at - first) < size + gap + 6)
        return NULL;
    memcpy(at - gap, " > ", gap);
    return memcpy(at - gap - size, name, size);
}

void memory_path_text(const struct timeline *timeline, const struct memory_sites *sites,
                      uint32_t path, char to[MEMORY_PATH_BYTES])
{
    char text[MEMORY_PATH_BYTES], *at = text + sizeof text - 1;
    *at = '\0';
    int depth = 0;
    if (path == TL_NONE) {
        snprintf(to, MEMORY_PATH_BYTES, "(outside of any range)");
        return;
    }
    for (; path != TL_NONE && depth < LABEL_DEPTH_MAX; depth++) {
        char *ahead =
            put_ahead(text, at, name_of(timeline, sites->paths.at[path].name), depth == 0);
        if (!ahead)
            break;
        at = ahead;
        path = sites->paths.at[path].parent;
    }
    snprintf(to, MEMORY_PATH_BYTES, "%s%.580s", path == TL_NONE ? "" : "... > ", at);
}
