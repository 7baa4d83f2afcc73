#include "names.h"

#include "intern.h"
#include "memory.h"
#include "meta.h"

#include <string.h>

/* Records are ours, of struct prof_rec_name; a name's number is its id. `header` is
 * names_first_kept of the process in whose file the name is stated; the thread that emits it
 * releases -> names_state() acquires. */
static struct intern_table names = {
    .slots = {1u << 12, 1u << 16, 1u << 21},
    .numbers_max = (1u << 21) - 1,
};

/* By address, whose names rarely change: 4,096 slots, as a large PyTorch job has some hundred
 * kernels, TensorRT some thousand. */
#define NAMES_STABLE_BITS 12
static const struct prof_rec_name *names_stable[1u << NAMES_STABLE_BITS];

uint64_t names_first_kept GUEST_DATA = 1;

GUEST_PATH void names_own_process(uint32_t generation)
{
    names_first_kept = (uint64_t)generation << 32 | 1;
}

/* The key of a search: the bytes that are kept, in two parts. */
struct names_given {
    const char *bytes;
    size_t begin;
    const char *mark; /* of a name that is cut: NAMES_MARK_BYTES */
    size_t mark_bytes;
    size_t full; /* of the whole name */
};

/* The hash in the file is plain FNV-1a, which any reader can compute. */
static uint32_t names_fnv(const char *bytes, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
    return hash;
}

/* Mixes in one word after the other. Each step is invertible, so names that differ in one word
 * never have the same hash. */
uint64_t names_hash_rest(const char *bytes, size_t size)
{
    uint64_t hash = size, last = 0;
    for (; size >= 8; bytes += 8, size -= 8) {
        hash = (hash ^ names_word(bytes)) * NAMES_MIX_1;
        hash ^= hash >> 32;
    }
    memcpy(&last, bytes, size);
    hash = (hash ^ last) * NAMES_MIX_1;
    return hash ^ hash >> 32;
}

void names_put_hash(char digits[16], uint64_t hash)
{
    for (int i = 15; i >= 0; i--, hash >>= 4)
        digits[i] = "0123456789abcdef"[hash & 15];
}

size_t names_cut(const char *bytes, size_t size, char mark[NAMES_MARK_BYTES])
{
    size_t begin = PROF_NAME_BYTES_MAX - NAMES_MARK_BYTES;
    for (unsigned i = 0; i < 3 && ((uint8_t)bytes[begin] & 0xc0) == 0x80; i++)
        begin--;
    memcpy(mark, "...#", 4);
    names_put_hash(mark + 4, names_hash_rest(bytes + begin, size - begin));
    return begin;
}

static bool names_equal(const void *known, const void *content)
{
    const struct prof_rec_name *record = known;
    const struct names_given *given = content;
    return record && record->bytes == given->begin + given->mark_bytes &&
           record->full_bytes == (uint32_t)given->full &&
           memcmp(names_text(record), given->bytes, given->begin) == 0 &&
           (!given->mark_bytes ||
            memcmp(names_text(record) + given->begin, given->mark, given->mark_bytes) == 0);
}

/* Two threads may state it both: that harms nobody. In a child that a signal handler forks
 * meanwhile it is not stated. */
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
    size_t kept = given->begin + given->mark_bytes;
    struct prof_rec_name *record = arena_alloc_uncounted(sizeof *record + kept + 1);
    if (!record)
        return NULL;
    char *text = (char *)(record + 1); /* and the terminator, for strcmp */
    memcpy(text, given->bytes, given->begin);
    if (given->mark_bytes)
        memcpy(text + given->begin, given->mark, given->mark_bytes);
    *record = (struct prof_rec_name){.id = id,
                                     .bytes = (uint32_t)kept,
                                     .full_bytes = (uint32_t)given->full,
                                     .hash = names_fnv(text, kept)};
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

static uint32_t names_intern_given(const struct names_given *given)
{
    uint32_t hash = names_hash(given->bytes, given->begin);
    if (given->mark_bytes)
        hash ^= names_hash(given->mark, given->mark_bytes);
    return names_state_again(intern(&names, hash, given, names_equal, names_create));
}

uint32_t names_intern_cut(const char *bytes, size_t kept, size_t full)
{
    if (!meta_has_file())
        return 0;
    size_t begin = kept - NAMES_MARK_BYTES;
    return names_intern_given(
        &(struct names_given){bytes, begin, bytes + begin, NAMES_MARK_BYTES, full});
}

uint32_t names_intern(const char *bytes, size_t size)
{
    char mark[NAMES_MARK_BYTES];
    if (!bytes || !meta_has_file())
        return 0;
    if (size <= PROF_NAME_BYTES_MAX)
        return names_intern_given(&(struct names_given){bytes, size, NULL, 0, size});
    size_t begin = names_cut(bytes, size, mark);
    return names_intern_given(&(struct names_given){bytes, begin, mark, sizeof mark, size});
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
