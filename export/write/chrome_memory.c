/* chrome_memory.c - events of memory, as Kineto writes them where it does:
 *
 *     heap           C  "Memory Device 0 device": a curve on the process that uses it
 *     change         i  cpu_instant_event "[memory]", on the thread that made it; Bytes is negative
 *                       where memory was released
 *     managed memory X  unified_memory, on a row of the device
 *
 * "Total Reserved" is what is allocated and what memory pools hold beyond that.
 */
#include "chrome.h"

#include "chrome_rows.h"
#include "exporter.h"
#include "memory_use.h"
#include "report_cells.h"

#include <errno.h>
#include <stdio.h>

static void write_curve(struct chrome *chrome, int64_t time_ns, uint32_t heap, int64_t bytes)
{
    struct json_out *out = &chrome->out;
    char label[MEMORY_LABEL_BYTES], name[MEMORY_LABEL_BYTES + 8];
    memory_label(chrome->timeline, heap, label);
    snprintf(name, sizeof name, "Memory %s", label);
    json_newline(out), json_object_begin(out), json_members(out, "\"ph\":\"C\"");
    json_key(out, "name"), json_text(out, (struct text){name, strlen(name)});
    json_key(out, "pid"),
        json_uint(out, chrome->rows.pids[chrome->timeline->heaps.at[heap].process]);
    json_key(out, "tid"), json_uint(out, 0);
    json_key(out, "ts"), json_microseconds(out, chrome_time(chrome, time_ns));
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "bytes"), json_int(out, bytes);
    json_object_end(out), json_object_end(out);
}

/* Which memory of its device, or whose, where Kineto has no word for it. */
static void write_heap(struct chrome *chrome, const struct tl_heap *heap)
{
    bool usual = heap->kind == (heap_levels_device_type(heap) ? 3 : 1);
    if (heap->name == TL_NONE || (usual && !heap->allocator))
        return;
    if (heap->allocator)
        json_key(&chrome->out, "allocator");
    else
        json_key(&chrome->out, "kind");
    quoted_names_write(&chrome->names, &chrome->out, heap->name);
}

static void write_instant(struct chrome *chrome, int64_t time_ns, const struct heap_change *change)
{
    struct json_out *out = &chrome->out;
    const struct tl_heap *heap = &chrome->timeline->heaps.at[change->memory->heap];
    if (change->thread == TL_NONE)
        return;
    json_newline(out), json_object_begin(out);
    json_members(out, "\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\","
                      "\"name\":\"[memory]\"");
    chrome_row_write(&chrome->rows.threads[change->thread], out);
    json_key(out, "ts"), json_microseconds(out, chrome_time(chrome, time_ns));
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "Total Reserved"), json_int(out, change->reserved);
    json_key(out, "Total Allocated"), json_int(out, change->allocated);
    json_key(out, "Bytes"), json_int(out, change->bytes);
    json_key(out, "Addr"), json_uint(out, change->memory->address);
    json_key(out, "Device Id"), json_int(out, heap_levels_device(heap));
    json_key(out, "Device Type"), json_uint(out, heap_levels_device_type(heap));
    write_heap(chrome, heap);
    chrome_args_index(chrome);
    json_object_end(out), json_object_end(out);
}

void chrome_memory_event(void *user, uint32_t index)
{
    struct chrome *chrome = user;
    int64_t time_ns = chrome->timeline->memory_events.at[index].time_ns;
    struct heap_change change = heap_levels_apply(&chrome->heaps, index);
    write_curve(chrome, time_ns, change.memory->heap, change.allocated);
    write_instant(chrome, time_ns, &change);
}

void chrome_memory_finish(struct chrome *chrome)
{
    int64_t end_ns = exporter_end_ns(chrome->timeline);
    for (uint32_t heap = 0; heap < chrome->timeline->heaps.count; heap++)
        if (chrome->heaps.changed[heap])
            write_curve(chrome, end_ns, heap, chrome->heaps.bytes[heap]);
}

static void write_place(struct json_out *out, const char *key, uint32_t device)
{
    json_text(out, (struct text){key, strlen(key)});
    json_colon(out);
    json_int(out, device == UINT32_MAX ? -1 : (int64_t)device);
}

void chrome_memory_migration(void *user, uint32_t index)
{
    struct chrome *chrome = user;
    struct json_out *out = &chrome->out;
    const struct tl_migration *migration = &chrome->timeline->migrations.at[index];
    const char *name = migration_kind_name(migration->kind);
    struct chrome_spare *spare = chrome_rows_managed(&chrome->rows, migration);
    if (!spare) {
        out->error = ENOMEM;
        return;
    }
    chrome_labels_spare(&chrome->rows, out, spare);
    int64_t start = chrome_time(chrome, migration->start_ns);
    int64_t end = chrome_time(chrome, migration->end_ns);
    json_newline(out), json_object_begin(out);
    json_members(out, "\"ph\":\"X\",\"cat\":\"unified_memory\"");
    json_key(out, "name"), json_text(out, (struct text){name, strlen(name)});
    chrome_row_write(&spare->row, out);
    json_key(out, "ts"), json_microseconds(out, start);
    json_key(out, "dur"), json_microseconds(out, end > start ? end - start : 0);
    json_key(out, "args"), json_object_begin(out);
    if (migration_moves(migration->kind))
        json_key(out, "bytes"), json_uint(out, migration->value);
    else
        json_key(out, "value"), json_uint(out, migration->value);
    json_key(out, "address"), json_uint(out, migration->address);
    write_place(out, "source", migration->source);
    write_place(out, "target", migration->target);
    json_object_end(out), json_object_end(out);
}
