#include "perfmap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PERFMAP_BYTES_MAX (256u << 20)

static bool map_path(const char *where, uint32_t pid, char *path, size_t path_bytes)
{
    struct stat status;
    bool is_file = where && stat(where, &status) == 0 && !S_ISDIR(status.st_mode);
    int size = is_file ? snprintf(path, path_bytes, "%s", where)
                       : snprintf(path, path_bytes, "%s/perf-%u.map", where ? where : "/tmp", pid);
    return size > 0 && (size_t)size < path_bytes;
}

/* The whole file, terminated; NULL: there is none. */
static char *read_text(const char *path)
{
    FILE *file = fopen(path, "re");
    struct stat status;
    char *text = NULL;
    if (!file)
        return NULL;
    if (fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
        (uint64_t)status.st_size <= PERFMAP_BYTES_MAX)
        text = malloc((size_t)status.st_size + 1);
    if (text)
        text[fread(text, 1, (size_t)status.st_size, file)] = '\0';
    fclose(file);
    return text;
}

static size_t count_lines(const char *text)
{
    size_t lines = 1;
    for (; (text = strchr(text, '\n')); text++)
        lines++;
    return lines;
}

/* False: the line is no entry. */
static bool parse_line(char *line, struct perfmap_entry *entry)
{
    char *end, *after;
    entry->start = strtoull(line, &end, 16);
    if (end == line || *end != ' ')
        return false;
    entry->bytes = strtoull(end + 1, &after, 16);
    if (after == end + 1 || *after != ' ' || entry->bytes == 0)
        return false;
    entry->name = after + 1;
    return true;
}

static int by_start(const void *left, const void *right)
{
    const struct perfmap_entry *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static void parse(struct perfmap *map)
{
    size_t number = 0;
    char *rest = map->text;
    for (char *line; (line = strsep(&rest, "\n")); number++) {
        struct perfmap_entry *entry = &map->entries[map->count];
        if (!parse_line(line, entry))
            continue;
        entry->line = number;
        map->longest = entry->bytes > map->longest ? entry->bytes : map->longest;
        map->count++;
    }
    if (map->count)
        qsort(map->entries, map->count, sizeof *map->entries, by_start);
}

bool perfmap_load(struct perfmap *map, const char *where, uint32_t pid)
{
    char path[4096];
    *map = (struct perfmap){0};
    if (!map_path(where, pid, path, sizeof path) || !(map->text = read_text(path)))
        return false;
    map->entries = calloc(count_lines(map->text) + 1, sizeof *map->entries);
    if (map->entries)
        parse(map);
    return map->entries != NULL;
}

void perfmap_free(struct perfmap *map)
{
    free(map->entries);
    free(map->text);
    *map = (struct perfmap){0};
}

/* The last line that covers the address counts: memory is used again. */
const char *perfmap_find(const struct perfmap *map, uint64_t address)
{
    size_t low = 0, high = map->count;
    const struct perfmap_entry *best = NULL;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (map->entries[middle].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    while (low-- > 0 && address - map->entries[low].start < map->longest) {
        const struct perfmap_entry *entry = &map->entries[low];
        if (address - entry->start < entry->bytes && (!best || entry->line > best->line))
            best = entry;
    }
    return best ? best->name : NULL;
}
