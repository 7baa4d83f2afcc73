/* chrome_memory.c - events of memory, as Kineto writes them where it does:
 *
 *     heap           C  "Memory Device 0 device": a curve on the process that uses it
 *     change         i  cpu_instant_event "[memory]", on the thread that made it; Bytes is negative
 *                       where memory was released
 *     managed memory X  unified_memory, on a row of the device
 *
 * "Total Reserved" is what is allocated and what memory pools hold beyond that.
 */
#include "chrome_memory.h"

#include "chrome_labels.h"
#include "memory_label.h"
#include "migrations.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* c10::DeviceType */
enum { DEVICE_TYPE_CPU = 0, DEVICE_TYPE_CUDA = 1 };

bool chrome_memory_init(struct chrome *chrome)
{
    const struct timeline *timeline = chrome->timeline;
    chrome->heap_bytes = calloc(timeline->heaps.count + (size_t)1, sizeof *chrome->heap_bytes);
    chrome->heap_idle = calloc(timeline->heaps.count + (size_t)1, sizeof *chrome->heap_idle);
    chrome->pool_used = calloc(timeline->pools.count + (size_t)1, sizeof *chrome->pool_used);
    chrome->pool_idle = calloc(timeline->pools.count + (size_t)1, sizeof *chrome->pool_idle);
    return chrome->heap_bytes && chrome->heap_idle && chrome->pool_used && chrome->pool_idle;
}

void chrome_memory_fini(struct chrome *chrome)
{
    free(chrome->heap_bytes);
    free(chrome->heap_idle);
    free(chrome->pool_used);
    free(chrome->pool_idle);
}

/* What the pool has reserved and nobody uses. */
static void note_pool(struct chrome *chrome, const struct tl_memory_event *event,
                      const struct tl_memory *memory, int64_t change)
{
    if (memory->pool == TL_NONE)
        return;
    int64_t *used = &chrome->pool_used[memory->pool], *idle = &chrome->pool_idle[memory->pool];
    *used += change;
    int64_t now = (int64_t)event->pool_bytes > *used ? (int64_t)event->pool_bytes - *used : 0;
    chrome->heap_idle[memory->heap] += now - *idle;
    *idle = now;
}

static void write_curve(struct chrome *chrome, const struct tl_memory_event *event, uint32_t heap)
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
    json_key(out, "ts"), json_microseconds(out, chrome_time(chrome, event->time_ns));
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "bytes"), json_int(out, chrome->heap_bytes[heap]);
    json_object_end(out), json_object_end(out);
}

static void write_instant(struct chrome *chrome, const struct tl_memory_event *event,
                          const struct tl_memory *memory, int64_t change)
{
    struct json_out *out = &chrome->out;
    const struct tl_heap *heap = &chrome->timeline->heaps.at[memory->heap];
    uint32_t thread = event->is_end ? memory->end_thread : memory->thread;
    bool is_cuda = memory_is_cuda(heap);
    if (thread == TL_NONE)
        return;
    json_newline(out), json_object_begin(out);
    json_members(out, "\"ph\":\"i\",\"cat\":\"cpu_instant_event\",\"s\":\"t\","
                      "\"name\":\"[memory]\"");
    chrome_row_write(&chrome->rows.threads[thread], out);
    json_key(out, "ts"), json_microseconds(out, chrome_time(chrome, event->time_ns));
    json_key(out, "args"), json_object_begin(out);
    json_key(out, "Total Reserved");
    json_int(out, chrome->heap_bytes[memory->heap] + chrome->heap_idle[memory->heap]);
    json_key(out, "Total Allocated"), json_int(out, chrome->heap_bytes[memory->heap]);
    json_key(out, "Bytes"), json_int(out, change);
    json_key(out, "Addr"), json_uint(out, memory->address);
    json_key(out, "Device Id");
    json_int(out, is_cuda && heap->device != TL_NONE ? (int64_t)heap->device : -1);
    json_key(out, "Device Type"), json_uint(out, is_cuda ? DEVICE_TYPE_CUDA : DEVICE_TYPE_CPU);
    json_object_end(out), json_object_end(out);
}

void chrome_memory_event(void *user, uint32_t index)
{
    struct chrome *chrome = user;
    const struct tl_memory_event *event = &chrome->timeline->memory_events.at[index];
    const struct tl_memory *memory = &chrome->timeline->memories.at[event->memory];
    int64_t change = event->is_end ? -(int64_t)memory->bytes : (int64_t)memory->bytes;
    chrome->heap_bytes[memory->heap] += change;
    note_pool(chrome, event, memory, change);
    write_curve(chrome, event, memory->heap);
    write_instant(chrome, event, memory, change);
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
