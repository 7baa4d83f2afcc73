/* memory_json.c - see memory_json.h. Members, all amounts in bytes, all times in ns from the
 * trace's time 0:
 *
 *     heaps[]   pid, device (-1: none), kind, allocator (or null), allocations, frees,
 *               allocated_bytes, freed_bytes, live, live_bytes, peak_bytes, peak_ns,
 *               peak_owners[]: bytes, count, path[]
 *     leaks[]   bytes, count, heap (index), path[], first_ns, tid
 *     ranges[]  name, count, cpu{} and cuda{}: allocations, frees, allocated_bytes, freed_bytes,
 *               net_bytes, self_net_bytes, peak_bytes
 *     pools[]   pid, device, address, peak_bytes, peak_used_bytes, last_bytes, last_used_bytes,
 *               release_threshold, trims, destroyed
 *     managed   devices[], ranges[]: what moved and faulted
 *     unknown_frees, reused_addresses
 *     complete  false: something was lost while recording, memory perhaps among it
 */
#include "memory_json.h"

#include "memory_use.h"
#include "migrations.h"
#include "run_facts.h"
#include "write_report.h"

#include <errno.h>

#define PEAK_OWNERS 5u
#define PATH_DEPTH_MAX 256u

struct memory_list {
    struct json_out *out;
    const struct timeline *timeline;
    int64_t rows;
};

static void write_number(const struct memory_list *list, const char *key, uint64_t value)
{
    json_text(list->out, (struct text){key, strlen(key)});
    json_colon(list->out);
    json_uint(list->out, value);
}

static void write_signed(const struct memory_list *list, const char *key, int64_t value)
{
    json_text(list->out, (struct text){key, strlen(key)});
    json_colon(list->out);
    json_int(list->out, value);
}

static void write_named(const struct memory_list *list, const char *key, uint32_t name)
{
    json_text(list->out, (struct text){key, strlen(key)});
    json_colon(list->out);
    if (name < list->timeline->names.count)
        json_text(list->out, list->timeline->names.at[name]);
    else
        json_null(list->out);
}

static void begin_list(const struct memory_list *list, const char *key)
{
    json_newline(list->out);
    json_text(list->out, (struct text){key, strlen(key)});
    json_colon(list->out);
    json_array_begin(list->out);
}

static void begin_item(const struct memory_list *list)
{
    json_newline(list->out);
    json_object_begin(list->out);
}

static bool is_wanted(const struct memory_list *list, uint32_t index)
{
    return list->rows < 0 || index < list->rows;
}

/* Outermost first. */
static void write_path(const struct memory_list *list, const struct memory_sites *sites,
                       uint32_t path)
{
    uint32_t chain[PATH_DEPTH_MAX], depth = 0;
    for (; path != TL_NONE && depth < PATH_DEPTH_MAX; path = sites->paths.at[path].parent)
        chain[depth++] = sites->paths.at[path].name;
    json_key(list->out, "path"), json_array_begin(list->out);
    while (depth-- > 0)
        json_text(list->out, chain[depth] < list->timeline->names.count
                                 ? list->timeline->names.at[chain[depth]]
                                 : (struct text){"", 0});
    json_array_end(list->out);
}

static void write_site(const struct memory_list *list, const struct memory_sites *sites, uint32_t i)
{
    const struct memory_site *site = &sites->sites.at[i];
    begin_item(list);
    write_number(list, "bytes", site->bytes);
    write_number(list, "count", site->count);
    write_path(list, sites, site->path);
}

static bool write_owners(const struct memory_list *list, const struct memory_heap_use *use,
                         uint32_t heap)
{
    struct memory_sites sites = {0};
    if (use->peak_event != TL_NONE &&
        !memory_sites_init(&sites, list->timeline, use->peak_event, heap))
        return false;
    json_key(list->out, "peak_owners"), json_array_begin(list->out);
    for (uint32_t i = 0; i < sites.sites.count && i < PEAK_OWNERS; i++) {
        write_site(list, &sites, i);
        json_object_end(list->out);
    }
    json_array_end(list->out);
    memory_sites_fini(&sites);
    return true;
}

static bool write_heap(const struct memory_list *list, const struct memory_use *uses, uint32_t i)
{
    const struct tl_heap *heap = &list->timeline->heaps.at[i];
    const struct memory_heap_use *use = &uses->heaps[i];
    begin_item(list);
    write_number(list, "pid", list->timeline->processes.at[heap->process].info.pid);
    write_signed(list, "device", heap->device == TL_NONE ? -1 : (int64_t)heap->device);
    write_named(list, "kind", heap->allocator ? TL_NONE : heap->name);
    write_named(list, "allocator", heap->allocator ? heap->name : TL_NONE);
    write_number(list, "allocations", use->allocations);
    write_number(list, "frees", use->frees);
    write_number(list, "allocated_bytes", use->allocated_bytes);
    write_number(list, "freed_bytes", use->freed_bytes);
    write_number(list, "live", use->live);
    write_number(list, "live_bytes", use->live_bytes);
    write_number(list, "peak_bytes", use->peak_bytes);
    write_signed(list, "peak_ns", use->peak_ns);
    bool written = write_owners(list, use, i);
    json_object_end(list->out);
    return written;
}

static bool write_heaps(const struct memory_list *list)
{
    struct memory_use uses;
    bool written = memory_use_init(&uses, list->timeline);
    begin_list(list, "heaps");
    for (uint32_t i = 0; i < list->timeline->heaps.count && written; i++)
        written = write_heap(list, &uses, i);
    json_array_end(list->out);
    memory_use_fini(&uses);
    return written;
}

static bool write_leaks(const struct memory_list *list)
{
    struct memory_sites sites;
    if (!memory_sites_init(&sites, list->timeline, TL_NONE, TL_NONE))
        return false;
    begin_list(list, "leaks");
    for (uint32_t i = 0; i < sites.sites.count && is_wanted(list, i); i++) {
        const struct tl_memory *first = &list->timeline->memories.at[sites.sites.at[i].memory];
        write_site(list, &sites, i);
        write_number(list, "heap", sites.sites.at[i].heap);
        write_signed(list, "first_ns", first->start_ns);
        if (first->thread != TL_NONE)
            write_number(list, "tid", list->timeline->threads.at[first->thread].tid);
        json_object_end(list->out);
    }
    json_array_end(list->out);
    memory_sites_fini(&sites);
    return true;
}

static void write_side(const struct memory_list *list, const struct memory_range *row,
                       enum memory_side side)
{
    static const char *const names[] = {"cpu", "cuda"};
    const struct memory_amounts *total = &row->total[side];
    json_text(list->out, (struct text){names[side], strlen(names[side])});
    json_colon(list->out);
    json_object_begin(list->out);
    write_number(list, "allocations", total->allocations);
    write_number(list, "frees", total->frees);
    write_number(list, "allocated_bytes", total->allocated_bytes);
    write_number(list, "freed_bytes", total->freed_bytes);
    write_signed(list, "net_bytes", memory_net(total));
    write_signed(list, "self_net_bytes", memory_net(&row->self[side]));
    write_number(list, "peak_bytes", row->peak_bytes[side]);
    json_object_end(list->out);
}

static bool write_ranges(const struct memory_list *list)
{
    struct memory_ranges ranges;
    if (!memory_ranges_init(&ranges, list->timeline))
        return false;
    begin_list(list, "ranges");
    for (uint32_t i = 0; i < ranges.count && is_wanted(list, i); i++) {
        begin_item(list);
        json_key(list->out, "name");
        json_text(list->out, key_names_text(&ranges.keys, ranges.rows[i].key));
        write_number(list, "count", ranges.rows[i].count);
        write_side(list, &ranges.rows[i], MEMORY_CPU);
        write_side(list, &ranges.rows[i], MEMORY_CUDA);
        json_object_end(list->out);
    }
    json_array_end(list->out);
    memory_ranges_fini(&ranges);
    return true;
}

static void write_pool(const struct memory_list *list, const struct tl_pool *pool)
{
    begin_item(list);
    write_number(list, "pid", list->timeline->processes.at[pool->process].info.pid);
    write_signed(list, "device", pool->device == TL_NONE ? -1 : (int64_t)pool->device);
    write_number(list, "address", pool->address);
    write_number(list, "peak_bytes", pool->peak_bytes);
    write_number(list, "peak_used_bytes", pool->peak_used_bytes);
    write_number(list, "last_bytes", pool->last_bytes);
    write_number(list, "last_used_bytes", pool->last_used_bytes);
    write_number(list, "release_threshold", pool->release_threshold);
    write_number(list, "trims", pool->trims);
    json_key(list->out, "destroyed"), json_bool(list->out, pool->end_ns != INT64_MAX);
    json_object_end(list->out);
}

static void write_pools(const struct memory_list *list)
{
    begin_list(list, "pools");
    for (uint32_t i = 0; i < list->timeline->pools.count && is_wanted(list, i); i++)
        write_pool(list, &list->timeline->pools.at[i]);
    json_array_end(list->out);
}

static void write_amounts(const struct memory_list *list, const struct migration_amounts *amounts)
{
    write_number(list, "htod", amounts->htod);
    write_number(list, "htod_bytes", amounts->htod_bytes);
    write_number(list, "dtoh", amounts->dtoh);
    write_number(list, "dtoh_bytes", amounts->dtoh_bytes);
    write_number(list, "dtod", amounts->dtod);
    write_number(list, "dtod_bytes", amounts->dtod_bytes);
    write_signed(list, "moving_ns", amounts->moving_ns);
    write_number(list, "gpu_faults", amounts->gpu_faults);
    write_number(list, "cpu_faults", amounts->cpu_faults);
    write_number(list, "thrashings", amounts->thrashings);
    write_number(list, "throttlings", amounts->throttlings);
    write_number(list, "remote_maps", amounts->remote_maps);
}

static void write_managed_lists(const struct memory_list *list, const struct migrations *migrations)
{
    begin_list(list, "devices");
    for (uint32_t i = 0; i < migrations->devices.count; i++) {
        const struct migration_row *row = &migrations->devices.at[i];
        begin_item(list);
        write_number(list, "pid", list->timeline->processes.at[row->process].info.pid);
        write_signed(list, "device", row->device == TL_NONE ? -1 : (int64_t)row->device);
        write_amounts(list, &row->amounts);
        json_object_end(list->out);
    }
    json_array_end(list->out);
    begin_list(list, "ranges");
    for (uint32_t i = 0; i < migrations->ranges.count && is_wanted(list, i); i++) {
        begin_item(list);
        write_named(list, "name", migrations->ranges.at[i].name);
        write_amounts(list, &migrations->ranges.at[i].amounts);
        json_object_end(list->out);
    }
    json_array_end(list->out);
}

static bool write_managed(const struct memory_list *list)
{
    struct migrations migrations;
    if (!migrations_init(&migrations, list->timeline))
        return false;
    json_newline(list->out), json_key(list->out, "managed"), json_object_begin(list->out);
    write_managed_lists(list, &migrations);
    json_object_end(list->out);
    migrations_fini(&migrations);
    return true;
}

static void write_oddities(const struct memory_list *list)
{
    struct run_facts facts;
    uint64_t unknown = 0, reused = 0;
    for (uint32_t i = 0; i < list->timeline->processes.count; i++) {
        unknown += list->timeline->processes.at[i].odd.unknown_frees;
        reused += list->timeline->processes.at[i].odd.reused_addresses;
    }
    json_newline(list->out);
    write_number(list, "unknown_frees", unknown);
    write_number(list, "reused_addresses", reused);
    run_facts_init(&facts, list->timeline);
    json_key(list->out, "complete"), json_bool(list->out, !facts.lost_anything);
}

bool memory_json(struct json_out *out, const struct timeline *timeline, int64_t rows)
{
    const struct memory_list list = {out, timeline, rows};
    json_object_begin(out);
    bool written = write_heaps(&list) && write_leaks(&list) && write_ranges(&list);
    if (written)
        write_pools(&list);
    written = written && write_managed(&list);
    write_oddities(&list);
    json_object_end(out);
    return written;
}

bool write_memory_json(const struct timeline *timeline, const struct write_options *options,
                       FILE *stream)
{
    struct json_out out;
    bool written = json_out_init(&out, -1, stream) && memory_json(&out, timeline, options->rows);
    out.comma = false;
    json_newline(&out);
    int error = json_out_fini(&out);
    errno = error ? error : ENOMEM;
    return written && error == 0;
}
