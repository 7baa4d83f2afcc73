/* perfetto_memory.c - memory in a Perfetto trace, as chrome_memory.c has it: a curve per heap in bytes,
 * an instant "[memory]" per change on the thread that made it, managed memory as slices of its device. */
#include "perfetto.h"

#include "migrations.h"

static const char memory_word[] = "[memory]";

static void put_instant(struct perfetto *perfetto, int64_t time_ns,
                        const struct heap_change *change)
{
    const struct tl_heap *heap = &perfetto->timeline->heaps.at[change->memory->heap];
    if (change->thread == TL_NONE)
        return;
    perfetto_begin(perfetto, TYPE_INSTANT,
                   perfetto_tracks_thread(&perfetto->tracks, change->thread), time_ns);
    perfetto_name(perfetto, PERFETTO_CATEGORY_INSTANT,
                  perfetto_names_word(&perfetto->names, memory_word));
    perfetto_int(perfetto, PERFETTO_KEY_RESERVED, change->reserved);
    perfetto_int(perfetto, PERFETTO_KEY_ALLOCATED, change->allocated);
    perfetto_int(perfetto, PERFETTO_KEY_CHANGE, change->bytes);
    perfetto_pointer(perfetto, PERFETTO_KEY_ADDRESS, change->memory->address);
    perfetto_int(perfetto, PERFETTO_KEY_DEVICE_ID, heap_levels_device(heap));
    perfetto_uint(perfetto, PERFETTO_KEY_DEVICE_TYPE, heap_levels_device_type(heap));
    perfetto_end(perfetto);
}

void perfetto_memory_event(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    int64_t time_ns = perfetto->timeline->memory_events.at[index].time_ns;
    struct heap_change change = heap_levels_take(&perfetto->heaps, index);
    uint32_t track = perfetto_tracks_heap(&perfetto->tracks, change.memory->heap);
    perfetto_begin(perfetto, TYPE_COUNTER, track, time_ns);
    proto_int(&perfetto->out, EVENT_COUNTER_VALUE, change.allocated);
    perfetto_end(perfetto);
    put_instant(perfetto, time_ns, &change);
}

static void put_place(struct perfetto *perfetto, enum perfetto_key key, uint32_t device)
{
    perfetto_int(perfetto, key, device == UINT32_MAX ? -1 : (int64_t)device);
}

void perfetto_memory_migration(void *user, uint32_t index)
{
    struct perfetto *perfetto = user;
    const struct tl_migration *migration = &perfetto->timeline->migrations.at[index];
    struct chrome_spare *spare = chrome_rows_managed(&perfetto->tracks.rows, migration);
    uint32_t track = perfetto_tracks_of_spare(&perfetto->tracks, spare);
    perfetto_begin_slice(perfetto, track, migration->start_ns, migration->end_ns);
    perfetto_name(perfetto, PERFETTO_CATEGORY_MANAGED,
                  perfetto_names_word(&perfetto->names, migration_kind_name(migration->kind)));
    perfetto_uint(perfetto,
                  migration_moves(migration->kind) ? PERFETTO_KEY_BYTES : PERFETTO_KEY_VALUE,
                  migration->value);
    perfetto_pointer(perfetto, PERFETTO_KEY_MANAGED_ADDRESS, migration->address);
    put_place(perfetto, PERFETTO_KEY_SOURCE, migration->source);
    put_place(perfetto, PERFETTO_KEY_TARGET, migration->target);
    perfetto_end(perfetto);
}
