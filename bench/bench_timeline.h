/* bench_timeline.h - the timeline that writers of traces are measured with: nested ranges with two integer
 * attributes each, of one thread. For the programs in this folder; each has its own copy. */
#ifndef PROF_BENCH_TIMELINE_H
#define PROF_BENCH_TIMELINE_H

#include "timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define DEPTH 4u
#define NAMES 16u

static char name_texts[NAMES + 2][32];
static struct text names[NAMES + 2];
static struct tl_process one_process;
static struct tl_thread one_thread;

static void fill_names(void)
{
    for (unsigned i = 0; i < NAMES; i++)
        snprintf(name_texts[i], sizeof name_texts[i], "layer%02u::forward_block", i);
    strcpy(name_texts[NAMES], "flops");
    strcpy(name_texts[NAMES + 1], "bytes");
    for (unsigned i = 0; i < NAMES + 2; i++)
        names[i] = (struct text){name_texts[i], strlen(name_texts[i])};
}

/* Ranges of DEPTH levels, one chain after the other, two attributes each. */
static void fill_slices(struct timeline *timeline, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t depth = i % DEPTH;
        int64_t start_ns = (int64_t)(i / DEPTH) * 4000 + depth * 317;
        timeline->slices.at[i] = (struct tl_slice){
            .start_ns = start_ns,
            .end_ns = start_ns + 3500 - depth * 700,
            .name = i * 7 % NAMES,
            .parent = depth ? i - 1 : TL_NONE,
            .api = TL_NONE,
            .depth = (uint16_t)depth,
        };
        timeline->attrs.at[2 * i] =
            (struct tl_attr){i, NAMES, PROF_ATTR_INT, 0, i * (uint64_t)1024};
        timeline->attrs.at[2 * i + 1] =
            (struct tl_attr){i, NAMES + 1, PROF_ATTR_INT, 0, i * (uint64_t)3};
    }
}

static bool make_timeline(struct timeline *timeline, uint32_t count)
{
    fill_names();
    one_process.info.pid = 123456;
    one_thread = (struct tl_thread){.tid = 123457, .name = TL_NONE, .slice_count = count};
    *timeline = (struct timeline){.base_realtime_ns = 1700000000000000000u};
    timeline->names.at = names, timeline->names.count = NAMES + 2;
    timeline->processes.at = &one_process, timeline->processes.count = 1;
    timeline->threads.at = &one_thread, timeline->threads.count = 1;
    timeline->slices.at = malloc(count * sizeof *timeline->slices.at),
    timeline->slices.count = count;
    timeline->attrs.at = malloc(2 * (size_t)count * sizeof *timeline->attrs.at),
    timeline->attrs.count = 2 * count;
    if (!timeline->slices.at || !timeline->attrs.at)
        return false;
    fill_slices(timeline, count);
    return true;
}

static double file_bytes(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? (double)status.st_size : 0;
}

static void report(const char *name, double ns, double events, double bytes)
{
    printf("%-28s %6.2f M events/s %8.0f MB/s %6.1f bytes/event\n", name, events / ns * 1e3,
           bytes / ns * 1e3, bytes / events);
}

#endif
