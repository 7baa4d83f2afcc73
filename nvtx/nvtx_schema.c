/* nvtx_schema.c - descriptions of binary data: see nvtx_payload.h. */
#include "atomic.h"
#include "labels.h"
#include "memory.h"
#include "nvtx_payload.h"
#include "recorder.h"

#include <stdio.h>
#include <string.h>

#define NVTX_SCHEMA_CHAINS 256u

static struct nvtx_schema *nvtx_schema_chains[NVTX_SCHEMA_CHAINS]; /* CAS -> load_acquire */
static uint64_t nvtx_schema_count; /* incremented by threads that register */

static bool nvtx_schema_is_ours(uint64_t id)
{
    return id >= NVTX_SCHEMA_ID_DYNAMIC;
}

const struct nvtx_schema *nvtx_schema_find(uint32_t domain, uint64_t id)
{
    const struct nvtx_schema *schema = load_acquire(&nvtx_schema_chains[id % NVTX_SCHEMA_CHAINS]);
    while (schema && !(schema->id == id && (schema->domain == domain || nvtx_schema_is_ours(id))))
        schema = schema->next;
    return schema;
}

/* In front, so that an id that is registered again means the latest. */
static uint64_t nvtx_schema_add(const struct nvtx_schema *filled, uint64_t wanted_id)
{
    struct nvtx_schema *schema = arena_alloc(sizeof *schema);
    if (!schema)
        return 0;
    *schema = *filled;
    schema->id = wanted_id >= NVTX_SCHEMA_ID_STATIC && !nvtx_schema_is_ours(wanted_id)
                     ? wanted_id
                     : NVTX_SCHEMA_ID_DYNAMIC + fetch_add_relaxed(&nvtx_schema_count, 1u);
    struct nvtx_schema **chain = &nvtx_schema_chains[schema->id % NVTX_SCHEMA_CHAINS];
    struct nvtx_schema *first = load_acquire(chain);
    do
        schema->next = first;
    while (!cas_acq_rel(chain, &first, schema));
    return schema->id;
}

/* A permanent name; entries without one are named by their number. */
static const char *nvtx_schema_name(const char *name, size_t index)
{
    char number[24];
    if (!name || !*name) {
        snprintf(number, sizeof number, "%zu", index);
        name = number;
    }
    const struct interned_text *kept = texts_intern(0, name, strlen(name));
    return kept ? kept->text : NULL;
}

static uint64_t nvtx_schema_refuse(void)
{
    loss_add(PROF_LOSS_BAD_ARGUMENT, 1);
    return 0;
}

static const struct nvtx_entry *nvtx_schema_copy_entries(const struct nvtx_entry *from,
                                                         size_t count)
{
    struct nvtx_entry *entries = arena_alloc(count * sizeof *entries);
    for (size_t i = 0; entries && i < count; i++) {
        entries[i] = from[i];
        entries[i].name = nvtx_schema_name(from[i].name, i);
        entries[i].semantics = NULL; /* the program's memory: never looked at */
        if (!entries[i].name)
            return NULL;
    }
    return entries;
}

static bool nvtx_schema_has(uint64_t mask, uint64_t fields)
{
    return (mask & fields) == fields;
}

uint64_t nvtx_schema_register(uint32_t domain, const struct nvtx_schema_attributes *attributes)
{
    const uint64_t needed = NVTX_SCHEMA_HAS_TYPE | NVTX_SCHEMA_HAS_ENTRIES | NVTX_SCHEMA_HAS_COUNT;
    if (!attributes || !nvtx_schema_has(attributes->mask, needed) || !attributes->entries ||
        attributes->entry_count == 0 || attributes->entry_count > NVTX_SCHEMA_ENTRIES_MAX ||
        (attributes->type != NVTX_SCHEMA_STATIC && attributes->type != NVTX_SCHEMA_DYNAMIC))
        return nvtx_schema_refuse();
    struct nvtx_schema schema = {
        .domain = domain,
        .dynamic = attributes->type == NVTX_SCHEMA_DYNAMIC,
        .count = attributes->entry_count,
        .size = attributes->mask & NVTX_SCHEMA_HAS_SIZE ? attributes->static_size : 0,
        .pack = attributes->mask & NVTX_SCHEMA_HAS_ALIGN ? attributes->pack_align : 0,
        .entries = nvtx_schema_copy_entries(attributes->entries, attributes->entry_count),
    };
    uint64_t id = attributes->mask & NVTX_SCHEMA_HAS_ID ? attributes->id : 0;
    return schema.entries ? nvtx_schema_add(&schema, id) : 0;
}

static const struct nvtx_enum_value *nvtx_schema_copy_values(const struct nvtx_enum_value *from,
                                                             size_t count)
{
    struct nvtx_enum_value *values = arena_alloc(count * sizeof *values);
    for (size_t i = 0; values && i < count; i++) {
        values[i] = from[i];
        values[i].name = nvtx_schema_name(from[i].name, i);
        if (!values[i].name)
            return NULL;
    }
    return values;
}

uint64_t nvtx_schema_register_enum(uint32_t domain, const struct nvtx_enum_attributes *attributes)
{
    const uint64_t needed = NVTX_ENUM_HAS_ENTRIES | NVTX_ENUM_HAS_COUNT;
    if (!attributes || !nvtx_schema_has(attributes->mask, needed) || !attributes->entries ||
        attributes->entry_count == 0 || attributes->entry_count > NVTX_SCHEMA_ENTRIES_MAX)
        return nvtx_schema_refuse();
    size_t size = attributes->mask & NVTX_ENUM_HAS_SIZE ? attributes->value_bytes : sizeof(int);
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return nvtx_schema_refuse();
    struct nvtx_schema schema = {
        .domain = domain,
        .count = attributes->entry_count,
        .size = size,
        .values = nvtx_schema_copy_values(attributes->entries, attributes->entry_count),
    };
    uint64_t id = attributes->mask & NVTX_ENUM_HAS_ID ? attributes->id : 0;
    return schema.values ? nvtx_schema_add(&schema, id) : 0;
}
