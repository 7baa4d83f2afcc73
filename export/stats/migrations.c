/* migrations.c - one pass over the migrations. */
#include "migrations.h"

#include "array.h"
#include "maps.h"

#include <stdlib.h>

#define HOST UINT32_MAX

enum kind { HTOD = 1, DTOH, CPU_FAULT, GPU_FAULT, THRASHING, THROTTLING, REMOTE_MAP, DTOD };

const char *migration_kind_name(uint32_t kind)
{
    static const char *const names[] = {
        "Unknown",           "Memory migration HtoD", "Memory migration DtoH",
        "CPU page fault",    "GPU page fault",        "Memory thrashing",
        "Memory throttling", "Memory remote map",     "Memory migration DtoD"};
    return names[kind < sizeof names / sizeof *names ? kind : 0];
}

bool migration_moves(uint32_t kind)
{
    return kind == HTOD || kind == DTOH || kind == DTOD;
}

static void add(struct migration_amounts *to, const struct tl_migration *migration)
{
    switch ((enum kind)migration->kind) {
    case HTOD:
        to->htod++;
        to->htod_bytes += migration->value;
        break;
    case DTOH:
        to->dtoh++;
        to->dtoh_bytes += migration->value;
        break;
    case DTOD:
        to->dtod++;
        to->dtod_bytes += migration->value;
        break;
    case CPU_FAULT:
        to->cpu_faults += migration->value;
        break;
    case GPU_FAULT:
        to->gpu_faults += migration->value;
        break;
    case THRASHING:
        to->thrashings++;
        break;
    case THROTTLING:
        to->throttlings++;
        break;
    case REMOTE_MAP:
        to->remote_maps++;
        break;
    }
    if (migration_moves(migration->kind))
        to->moving_ns += migration->end_ns - migration->start_ns;
}

/* The device that it is about: of thrashing the source is a set of devices. */
static uint32_t device_of(const struct tl_migration *migration)
{
    switch ((enum kind)migration->kind) {
    case HTOD:
    case DTOD:
    case REMOTE_MAP:
        return migration->target;
    case DTOH:
    case GPU_FAULT:
    case THROTTLING:
        return migration->source;
    case CPU_FAULT:
    case THRASHING:
        break;
    }
    return HOST;
}

static uint32_t range_name(const struct timeline *timeline, uint32_t slice)
{
    while (slice != TL_NONE && timeline->slices.at[slice].kind == TL_API)
        slice = timeline->slices.at[slice].parent;
    return slice == TL_NONE ? TL_NONE : timeline->slices.at[slice].name;
}

/* NULL: no memory. */
static struct migration_row *row_of(struct migration_rows *rows, struct keymap *keys, uint64_t key,
                                    struct migration_row fresh)
{
    uint32_t known = keymap_find(keys, key);
    if (known != KEYMAP_NONE)
        return &rows->at[known];
    struct migration_row *row = ARRAY_ADD(rows);
    if (!row || !keymap_set(keys, key, rows->count - 1))
        return NULL;
    *row = fresh;
    return row;
}

static uint64_t moved(const struct migration_row *row)
{
    return row->amounts.htod_bytes + row->amounts.dtoh_bytes + row->amounts.dtod_bytes;
}

static int compare_rows(const void *left, const void *right)
{
    const struct migration_row *a = left, *b = right;
    if (moved(a) != moved(b))
        return moved(a) < moved(b) ? 1 : -1;
    return a->name < b->name ? -1 : a->name > b->name;
}

bool migrations_init(struct migrations *migrations, const struct timeline *timeline)
{
    struct keymap devices = {0}, ranges = {0};
    bool stored = true;
    *migrations = (struct migrations){0};
    for (uint32_t i = 0; i < timeline->migrations.count && stored; i++) {
        const struct tl_migration *migration = &timeline->migrations.at[i];
        uint32_t device = device_of(migration), name = range_name(timeline, migration->slice);
        struct migration_row *by_device =
            row_of(&migrations->devices, &devices, (uint64_t)migration->process << 32 | device,
                   (struct migration_row){migration->process, device, TL_NONE, {0}});
        struct migration_row *by_range =
            row_of(&migrations->ranges, &ranges, name,
                   (struct migration_row){migration->process, TL_NONE, name, {0}});
        stored = by_device && by_range;
        if (!stored)
            break;
        add(&by_device->amounts, migration);
        add(&by_range->amounts, migration);
    }
    keymap_fini(&devices);
    keymap_fini(&ranges);
    if (migrations->ranges.at)
        qsort(migrations->ranges.at, migrations->ranges.count, sizeof *migrations->ranges.at,
              compare_rows);
    if (!stored)
        migrations_fini(migrations);
    return stored;
}

void migrations_fini(struct migrations *migrations)
{
    free(migrations->devices.at);
    free(migrations->ranges.at);
    *migrations = (struct migrations){0};
}
