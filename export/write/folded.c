/* folded.c - paths of ranges or functions as flamegraph.pl reads them: names from the outside in,
 * separated by semicolons, a blank, a whole number.
 */
#define _GNU_SOURCE
#include "key_averages.h"
#include "text.h"
#include "write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct line {
    char *path;
    uint64_t weight;
};

struct lines {
    struct line *at;
    uint32_t count;
    uint32_t *chain; /* of a path, innermost first */
    const char *const *stacks;
};

bool write_metric_find(const char *name, enum write_metric *metric)
{
    static const struct {
        const char *name;
        enum write_metric metric;
    } names[] = {{"self_cpu", WRITE_SELF_CPU},
                 {"self_cpu_time_total", WRITE_SELF_CPU},
                 {"self_cuda", WRITE_SELF_CUDA},
                 {"self_cuda_time_total", WRITE_SELF_CUDA},
                 {"self_device_time_total", WRITE_SELF_CUDA},
                 {"count", WRITE_COUNT}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0) {
            *metric = names[i].metric;
            return true;
        }
    return false;
}

/* Self CUDA time of a range is that of the operations below it, which are lines of their own,
 * except where events timed the range. */
static uint64_t weight_of(const struct key_average *row, enum write_metric metric)
{
    bool device = key_kind_is_device(row->kind);
    int64_t weight = 0;
    if (metric == WRITE_SELF_CPU)
        weight = row->self_cpu_total_ns;
    else if (metric == WRITE_SELF_CUDA)
        weight = device ? row->self_cuda_total_ns : row->timed_self_ns;
    else if (row->kind == KEY_RANGE)
        weight = (int64_t)row->count;
    return weight > 0 ? (uint64_t)weight : 0;
}

/* torch.profiler replaces " ;\t\n"; a line must not be broken by other controls either, and what is
 * not text is shown as everywhere. False: no memory. */
static bool write_name(struct text name, FILE *stream)
{
    unsigned columns = 4 * (unsigned)name.size; /* all of it: what is cut could be another's */
    char *plain = malloc(name.size + 1), *shown = malloc(SHOW_TEXT_BYTES((size_t)columns));
    bool ready = plain && shown, rest;
    for (size_t i = 0; i < name.size && ready; i++) {
        unsigned char byte = (unsigned char)name.bytes[i];
        plain[i] = byte <= ' ' || byte == ';' || byte == 0x7f ? '_' : name.bytes[i];
    }
    if (ready) {
        show_text((struct text){plain, name.size}, columns, shown, &rest);
        fputs(shown, stream);
    }
    free(plain);
    free(shown);
    return ready;
}

static bool write_path(const struct lines *lines, const struct key_averages *averages,
                       uint32_t path, FILE *stream)
{
    uint32_t count = 0;
    for (; path != TL_NONE; path = averages->paths[path].parent)
        lines->chain[count++] = path;
    bool written = true;
    while (count-- && written) {
        written = write_name(averages->paths[lines->chain[count]].name, stream);
        if (count)
            fputc(';', stream);
    }
    return written;
}

static bool write_functions(const struct lines *lines, const struct key_average *row, FILE *stream)
{
    if (row->group.stack != TL_NONE && *lines->stacks[row->group.stack])
        fprintf(stream, "%s;", lines->stacks[row->group.stack]);
    return write_name(row->name, stream);
}

/* To free(); NULL: no memory. */
static char *line_text(const struct lines *lines, const struct key_averages *averages,
                       const struct key_average *row)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    bool written = lines->stacks ? write_functions(lines, row, stream)
                                 : write_path(lines, averages, row->group.path, stream);
    if (fclose(stream) == 0 && written)
        return text;
    free(text);
    return NULL;
}

static int by_path(const void *left, const void *right)
{
    return strcmp(((const struct line *)left)->path, ((const struct line *)right)->path);
}

static bool collect(struct lines *lines, const struct key_averages *averages,
                    enum write_metric metric)
{
    for (uint32_t i = 0; i < averages->count; i++) {
        uint64_t weight = weight_of(&averages->rows[i], metric);
        if (!weight)
            continue;
        char *path = line_text(lines, averages, &averages->rows[i]);
        if (!path)
            return false;
        lines->at[lines->count++] = (struct line){path, weight};
    }
    if (lines->count > 1)
        qsort(lines->at, lines->count, sizeof *lines->at, by_path);
    return true;
}

static void print(const struct lines *lines, FILE *stream)
{
    for (uint32_t i = 0, next; i < lines->count; i = next) {
        uint64_t weight = 0;
        for (next = i; next < lines->count && by_path(&lines->at[i], &lines->at[next]) == 0; next++)
            weight += lines->at[next].weight;
        fprintf(stream, "%s %llu\n", lines->at[i].path, (unsigned long long)weight);
    }
}

static bool fold(const struct key_averages *averages, enum write_metric metric,
                 const char *const *stacks, FILE *stream)
{
    struct lines lines = {.at = malloc(((size_t)averages->count + 1) * sizeof *lines.at),
                          .chain = malloc(((size_t)averages->path_count + 1) * sizeof(uint32_t)),
                          .stacks = stacks};
    bool folded = lines.at && lines.chain && collect(&lines, averages, metric);
    if (folded)
        print(&lines, stream);
    for (uint32_t i = 0; i < lines.count; i++)
        free(lines.at[i].path);
    free(lines.at);
    free(lines.chain);
    return folded;
}

bool write_folded(const struct timeline *timeline, enum write_metric metric,
                  const char *const *stacks, FILE *stream)
{
    struct key_averages averages;
    struct key_options options;
    key_options_default(&options);
    options.group_by = KEY_BY_KEY | (stacks ? KEY_BY_STACK : KEY_BY_PATH);
    bool folded = key_averages_init_by(&averages, timeline, &options);
    if (folded) {
        folded = fold(&averages, metric, stacks, stream);
        key_averages_fini(&averages);
    }
    if (!folded)
        errno = ENOMEM;
    return folded && !ferror(stream);
}
