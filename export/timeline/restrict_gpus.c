/* restrict_gpus.c - what devices did on behalf of a window, and what the driver did to managed memory. */
#include "restrict.h"

void restrict_find_gpus(struct restriction *with)
{
    const struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        const struct tl_gpu *gpu = &timeline->gpus.at[i];
        bool stays = gpu->slice == TL_NONE ? restrict_has(with, gpu->start_ns)
                                           : with->slice_stays[gpu->slice];
        with->gpus[i] = stays ? next++ : TL_NONE;
    }
}

static void put_on_stream(struct timeline *timeline, uint32_t index)
{
    const struct tl_gpu *gpu = &timeline->gpus.at[index];
    struct tl_stream *stream = &timeline->streams.at[gpu->stream];
    if (stream->gpu_count++ == 0)
        stream->first_gpu = index;
    if (gpu->lane >= stream->lanes)
        stream->lanes = (uint16_t)(gpu->lane + 1u);
}

static void move_gpus(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->streams.count; i++) {
        struct tl_stream *stream = &timeline->streams.at[i];
        stream->first_gpu = stream->gpu_count = 0;
        stream->lanes = 1;
    }
    for (uint32_t i = 0; i < timeline->gpus.count; i++) {
        if (with->gpus[i] == TL_NONE)
            continue;
        timeline->gpus.at[next] = timeline->gpus.at[i];
        timeline->gpus.at[next].slice = restrict_slice(with, timeline->gpus.at[next].slice);
        if (timeline->gpus.at[next].stream != TL_NONE)
            put_on_stream(timeline, next);
        next++;
    }
    timeline->gpus.count = next;
}

static void move_migrations(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->migrations.count; i++) {
        struct tl_migration migration = timeline->migrations.at[i];
        if (!restrict_has(with, migration.start_ns))
            continue;
        migration.gpu = migration.gpu == TL_NONE ? TL_NONE : with->gpus[migration.gpu];
        migration.slice = restrict_slice(with, migration.slice);
        timeline->migrations.at[next++] = migration;
    }
    timeline->migrations.count = next;
}

static void move_waits(const struct restriction *with)
{
    struct timeline *timeline = with->timeline;
    uint32_t next = 0;
    for (uint32_t i = 0; i < timeline->waits.count; i++) {
        struct tl_wait wait = timeline->waits.at[i];
        wait.gpu = with->gpus[wait.gpu];
        if (wait.gpu != TL_NONE)
            timeline->waits.at[next++] = wait;
    }
    timeline->waits.count = next;
}

void restrict_gpus(struct restriction *with)
{
    move_gpus(with);
    move_waits(with);
    move_migrations(with);
}
