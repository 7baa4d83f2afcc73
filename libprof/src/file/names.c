#include "names.h"

#include "arena.h"
#include "intern.h"
#include "meta.h"

#include <string.h>

/* Records are ours, of struct prof_rec_name; a name's number is its id. `header` is names_first_kept of the process in
 * whose file the name is stated; the thread that emits it releases -> names_state() acquires. */
static struct intern_table names = {
    .slots = {1u << 12, 1u << 16, 1u << 21},
    .numbers_max = (1u << 21) - 1,
};

/* By address, whose names rarely change: 4,096 slots, as a large PyTorch job has some hundred kernels, TensorRT some
 * thousand. */
#define NAMES_STABLE_BITS 12
static const struct prof_rec_name *names_stable[1u << NAMES_STABLE_BITS];

uint64_t names_first_kept = 1;

void names_own_process(uint32_t generation)
{
    names_first_kept = (uint64_t)generation << 32 | 1;
}

/* What is looked for. */
struct names_given {
    const char *bytes;
    size_t kept; /* bytes that are kept */
    size_t size; /* bytes that there are */
};

/* The hash in the file is plain FNV-1a, which any reader can compute. */
static uint32_t names_fnv(const char *bytes, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
    return hash;
}

static bool names_equal(const void *known, const void *content)
{
    const struct prof_rec_name *record = known;
    const struct names_given *given = content;
    return record && record->bytes == given->kept && record->full_bytes == (uint32_t)given->size &&
           memcmp(names_text(record), given->bytes, given->kept) == 0;
}

/* Two threads may state it both: that harms nobody. In a child that a signal handler forks meanwhile it is not stated. */
static bool names_state(struct prof_rec_name *record)
{
    uint64_t file = names_first_kept;
    if (load_acquire(&record->header) == file)
        return true;
    if (!meta_try_append(PROF_REC_NAME, record, sizeof *record, names_text(record),
                         record->bytes + 1))
        return false;
    store_release(&record->header, file);
    return true;
}

/* Kept by us, since others may change or cut the file, and a forked child writes its own. */
static const void *names_create(uint32_t id, const void *content)
{
    const struct names_given *given = content;
    struct prof_rec_name *record = arena_alloc_uncounted(sizeof *record + given->kept + 1);
    if (!record)
        return NULL;
    *record = (struct prof_rec_name){.id = id,
                                     .bytes = (uint32_t)given->kept,
                                     .full_bytes = (uint32_t)given->size,
                                     .hash = names_fnv(given->bytes, given->kept)};
    memcpy(record + 1, given->bytes, given->kept); /* and the terminator, for strcmp */
    return names_state(record) ? record : NULL;
}

static struct prof_rec_name *names_record(uint32_t id)
{
    return (struct prof_rec_name *)(uintptr_t)intern_record(&names, id);
}

uint32_t names_state_again(uint32_t id)
{
    struct prof_rec_name *record = names_record(id);
    if (record && names_state(record))
        return id;
    loss_add(PROF_LOSS_NAMES, 1);
    return 0;
}

void names_state_all(void)
{
    for (uint32_t id = 1, count = intern_count(&names); id <= count; id++)
        if (names_record(id))
            names_state_again(id);
}

uint32_t names_allocate_id(void)
{
    return intern_allocate(&names);
}

uint32_t names_intern(const char *bytes, size_t size)
{
    if (!bytes || !meta_has_file())
        return 0;
    struct names_given given = {bytes, size < PROF_NAME_BYTES_MAX ? size : PROF_NAME_BYTES_MAX,
                                size};
    return names_state_again(
        intern(&names, names_hash(bytes, given.kept), &given, names_equal, names_create));
}

uint32_t names_kept_slow(uint64_t *kept)
{
    uint32_t id = (uint32_t)load_relaxed(kept);
    uint64_t again = names_keep(id);
    if (id && (id = names_state_again(id)) != 0)
        store_relaxed(kept, again);
    return id;
}

const char *names_text_of(uint32_t id)
{
    const struct prof_rec_name *record = names_record(id);
    return record ? names_text(record) : "";
}

/* A module may be unloaded, and another name come to lie at its address: the content decides. */
uint32_t names_intern_stable(const char *name)
{
    if (!name)
        return 0;
    uint64_t mixed = (uint64_t)(uintptr_t)name * NAMES_MIX_1;
    const struct prof_rec_name **slot = &names_stable[mixed >> (64 - NAMES_STABLE_BITS)];
    const struct prof_rec_name *known = load_acquire(slot);
    if (known && strcmp(names_text(known), name) == 0 &&
        load_acquire(&known->header) == names_first_kept)
        return known->id;
    uint32_t id = names_intern(name, strlen(name));
    if (id)
        store_release(slot, names_record(id));
    return id;
}

/* ---- the thread's cache ---- */

static void names_fill(struct name_cache_slot *slot, const char *given, uint32_t id)
{
    slot->given = given;
    store_relaxed(&slot->known, names_record(id));
}

uint32_t names_resolve_n(struct name_cache *cache, const char *name, size_t size)
{
    if (size > PROF_NAME_BYTES_MAX)
        return names_intern(name, size);
    uint32_t id = names_lookup_n(cache, name, size);
    if (id)
        return id;
    id = names_intern(name, size);
    if (id)
        names_fill(&cache->by_content[names_hash(name, size) % NAME_CACHE_SLOTS], name, id);
    return id;
}

/* An address that holds another name than it did is a buffer: from then on it goes by content at
 * once. */
static void names_learn_address(struct name_cache_slot *slot, const char *name, uint32_t id)
{
    const struct prof_rec_name *known = load_relaxed(&slot->known);
    if (slot->given != name)
        names_fill(slot, name, id);
    else if (known && known->id != id)
        store_relaxed(&slot->known, (const struct prof_rec_name *)NULL);
}

uint32_t names_resolve(struct name_cache *cache, const char *name)
{
    size_t size = strlen(name);
    uint32_t id = names_resolve_n(cache, name, size);
    if (id && size <= PROF_NAME_BYTES_MAX)
        names_learn_address(&cache->by_address[names_address_slot(name)], name, id);
    return id;
}
