/* averages_groups.c - threads by their ids, paths from the outside in. */
#define _GNU_SOURCE
#include "averages_groups.h"

#include "text.h"

#include <stdlib.h>
#include <string.h>

#define PATH_SHOWN 64u /* ranges of a path: the innermost ones */

const struct group_part group_parts[GROUP_PARTS] = {
    {KEY_BY_PROCESS, "Process", 12, false}, {KEY_BY_RANK, "Rank", 12, false},
    {KEY_BY_THREAD, "Thread", 30, false},   {KEY_BY_DEVICE, "Device", 20, false},
    {KEY_BY_STREAM, "Stream", 20, false},   {KEY_BY_SHAPE, "Input Shapes", 80, false},
    {KEY_BY_PATH, "Path", 120, true},       {KEY_BY_STACK, "Source Location", 75, true},
};

static void write_text(struct text text, FILE *stream)
{
    fwrite(text.bytes, 1, text.size, stream);
}

/* Of several processes, whose. */
static void write_pid(const struct group_texts *texts, uint32_t process, FILE *stream)
{
    if (texts->timeline->processes.count > 1)
        fprintf(stream, "%u:", texts->timeline->processes.at[process].info.pid);
}

static void write_thread(const struct group_texts *texts, uint32_t index, FILE *stream)
{
    const struct tl_thread *thread = &texts->timeline->threads.at[index];
    write_pid(texts, thread->process, stream);
    fprintf(stream, "%u", thread->tid);
    if (thread->name < texts->timeline->names.count) {
        fputc(' ', stream);
        write_text(texts->timeline->names.at[thread->name], stream);
    }
}

static void write_stream(const struct group_texts *texts, uint32_t index, FILE *stream)
{
    const struct tl_stream *of = &texts->timeline->streams.at[index];
    write_pid(texts, of->process, stream);
    if (of->device != TL_NONE)
        fprintf(stream, "%u/", of->device);
    fprintf(stream, "%u", of->stream);
}

static void write_path(const struct group_texts *texts, uint32_t path, FILE *stream)
{
    uint32_t chain[PATH_SHOWN], count = 0;
    const struct key_path *paths = texts->averages->paths;
    for (; path != TL_NONE && count < PATH_SHOWN; path = paths[path].parent)
        chain[count++] = path;
    fputs(path == TL_NONE ? "" : "... > ", stream);
    while (count--) {
        write_text(paths[chain[count]].name, stream);
        fputs(count ? " > " : "", stream);
    }
}

static void write_stack(const struct group_texts *texts, uint32_t stack, FILE *stream)
{
    if (texts->stacks->texts)
        fputs(texts->stacks->texts[stack], stream);
    else
        fprintf(stream, "stack %u", stack);
}

void group_text_write(const struct group_texts *texts, const struct key_average *row, uint32_t flag,
                      FILE *stream)
{
    const struct key_group *group = &row->group;
    const struct timeline *timeline = texts->timeline;
    if (flag == KEY_BY_PROCESS && group->process != TL_NONE)
        fprintf(stream, "%u", timeline->processes.at[group->process].info.pid);
    if (flag == KEY_BY_RANK && group->rank != TL_NONE)
        fprintf(stream, "%u", group->rank);
    if (flag == KEY_BY_THREAD && group->thread != TL_NONE)
        write_thread(texts, group->thread, stream);
    if (flag == KEY_BY_DEVICE && group->device != TL_NONE) {
        write_pid(texts, timeline->devices.at[group->device].process, stream);
        fprintf(stream, "%u", timeline->devices.at[group->device].info.device);
    }
    if (flag == KEY_BY_STREAM && group->stream != TL_NONE)
        write_stream(texts, group->stream, stream);
    if (flag == KEY_BY_SHAPE && group->shape != TL_NONE)
        write_text(timeline->names.at[group->shape], stream);
    if (flag == KEY_BY_PATH && group->path != TL_NONE)
        write_path(texts, group->path, stream);
    if (flag == KEY_BY_STACK && group->stack != TL_NONE)
        write_stack(texts, group->stack, stream);
}

unsigned group_text_show(const struct group_texts *texts, const struct key_average *row,
                         uint32_t flag, unsigned columns, char *to)
{
    char *bytes = NULL;
    size_t size = 0;
    unsigned width = 0;
    *to = 0;
    FILE *stream = open_memstream(&bytes, &size);
    if (!stream)
        return 0;
    group_text_write(texts, row, flag, stream);
    if (fclose(stream) == 0) {
        width = show_text_cut((struct text){bytes, size}, columns, to);
    }
    free(bytes);
    return width;
}
