/* The process's name table.
 *
 * Three open-addressing levels of growing size, so that few names touch few pages. A name lives in
 * the first level that had a free slot among the NAMES_PROBES slots from its hash on; as nothing is
 * ever removed, a lookup may stop at the first empty slot it meets. A slot is one word, hash << 32
 * | id, set by compare-and-swap after the NAME record and names.records[id] are in place: who sees
 * the slot sees the name, and so does the file.
 *
 * Two threads that intern the same new name at once may both write a NAME record; the loser's id is
 * never used.
 */
#include "names.h"

#include "arena.h"
#include "atomic.h"

#include <string.h>
#include <sys/mman.h>

#define NAMES_LEVELS 3
#define NAMES_PROBES 16u
#define NAMES_PROBES_LAST \
    65536u /* there is no level after the last: 16 lost 64 of a million names */
#define NAMES_IDS_MAX (1u << 21)

static const uint32_t names_level_slots[NAMES_LEVELS] = {1u << 12, 1u << 16, 1u << 21};

static struct {
    uint64_t *slots[NAMES_LEVELS];        /* interning threads: CAS -> load_acquire */
    const struct prof_rec_name **records; /* by id; release before the slot that holds the id */
    uint32_t next_id;
} names;

static void *names_reserve(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

bool names_init(void)
{
    if (names.records)
        return true;
    for (int level = 0; level < NAMES_LEVELS; level++)
        if (!names.slots[level])
            names.slots[level] = names_reserve(names_level_slots[level] * sizeof(uint64_t));
    for (int level = 0; level < NAMES_LEVELS; level++)
        if (!names.slots[level])
            return false;
    names.records = names_reserve(NAMES_IDS_MAX * sizeof *names.records);
    return names.records != NULL;
}

/* The hash in the file is plain FNV-1a, which any reader can compute. */
static uint32_t names_fnv(const char *bytes, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ (uint8_t)bytes[i]) * 16777619u;
    return hash;
}

/* `size` may be that of a name too long to be kept whole: it is compared as it was cut. */
static bool names_equal(uint32_t id, const char *bytes, size_t kept, size_t size)
{
    const struct prof_rec_name *record = load_acquire(&names.records[id]);
    return record && record->bytes == kept && record->full_bytes == (uint32_t)size &&
           memcmp(names_text(record), bytes, kept) == 0;
}

/* Ours, not the file's: others may change or cut that one, and a forked child writes its own. NULL
 * without memory. */
static const struct prof_rec_name *names_keep(uint32_t id, const char *bytes, size_t kept,
                                              size_t size)
{
    struct prof_rec_name *record = arena_try(sizeof *record + kept + 1);
    if (!record)
        return NULL;
    *record = (struct prof_rec_name){.id = id,
                                     .bytes = (uint32_t)kept,
                                     .full_bytes = (uint32_t)size,
                                     .hash = names_fnv(bytes, kept)};
    memcpy(record + 1, bytes, kept); /* and the terminator, for strcmp */
    return record;
}

static bool names_state(const struct prof_rec_name *record)
{
    return meta_append(PROF_REC_NAME, record, sizeof *record, names_text(record),
                       record->bytes + 1) != NULL;
}

uint32_t names_take_id(void)
{
    uint32_t id = fetch_add_relaxed(&names.next_id, 1u) + 1;
    if (id < NAMES_IDS_MAX)
        return id;
    fetch_add_relaxed(&names.next_id, (uint32_t)-1);
    return 0;
}

static uint32_t names_new(const char *bytes, size_t kept, size_t size)
{
    uint32_t id = names_take_id();
    if (!id)
        return 0;
    const struct prof_rec_name *record = names_keep(id, bytes, kept, size);
    if (!record || !names_state(record))
        return 0;
    store_release(&names.records[id], record);
    return id;
}

/* Walks the probe window of one level. Returns the slot that holds the name or the first empty one;
 * NULL when the window is full of others. `*id` is 0 for an empty slot. */
static uint64_t *names_probe(int level, uint32_t hash, const char *bytes, size_t kept, size_t size,
                             uint32_t *id)
{
    uint32_t mask = names_level_slots[level] - 1;
    uint32_t probes = level == NAMES_LEVELS - 1 ? NAMES_PROBES_LAST : NAMES_PROBES;
    for (uint32_t probe = 0; probe < probes; probe++) {
        uint64_t *slot = &names.slots[level][(hash + probe) & mask];
        uint64_t value = load_acquire(slot);
        *id = (uint32_t)value;
        if (value == 0)
            return slot;
        if ((uint32_t)(value >> 32) == hash && names_equal(*id, bytes, kept, size))
            return slot;
    }
    return NULL;
}

static uint32_t names_find_or_add(uint32_t hash, const char *bytes, size_t kept, size_t size)
{
    uint32_t mine = 0;
    for (int level = 0; level < NAMES_LEVELS;) {
        uint32_t id;
        uint64_t *slot = names_probe(level, hash, bytes, kept, size, &id);
        if (!slot) {
            level++;
            continue;
        }
        if (id)
            return id;
        if (!mine)
            mine = names_new(bytes, kept, size);
        uint64_t empty = 0;
        if (!mine || cas_acq_rel(slot, &empty, (uint64_t)hash << 32 | mine))
            return mine;
    }
    return 0;
}

uint32_t names_intern(const char *bytes, size_t size)
{
    if (!names.records || !bytes)
        return 0;
    size_t kept = size < PROF_NAME_BYTES_MAX ? size : PROF_NAME_BYTES_MAX;
    uint32_t id = names_find_or_add(names_hash(bytes, kept), bytes, kept, size);
    if (!id)
        loss_add(PROF_LOSS_NAMES, 1);
    return id;
}

const char *names_text_of(uint32_t id)
{
    const struct prof_rec_name *record = id ? load_acquire(&names.records[id]) : NULL;
    return record ? names_text(record) : "";
}

/* ---- the thread's cache ---- */

static void names_fill(struct name_cache_slot *slot, const char *given, uint32_t id)
{
    slot->given = given;
    store_relaxed(&slot->known, load_acquire(&names.records[id]));
}

uint32_t names_learn_n(struct name_cache *cache, const char *name, size_t size)
{
    if (size > PROF_NAME_BYTES_MAX)
        return names_intern(name, size);
    uint32_t id = names_known_n(cache, name, size);
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

uint32_t names_learn(struct name_cache *cache, const char *name)
{
    size_t size = strlen(name);
    uint32_t id = names_learn_n(cache, name, size);
    if (id && size <= PROF_NAME_BYTES_MAX)
        names_learn_address(&cache->by_address[names_address_slot(name)], name, id);
    return id;
}

void names_restate(void)
{
    uint32_t count = load_relaxed(&names.next_id);
    for (uint32_t id = 1; id <= count && names.records; id++)
        if (names.records[id] && !names_state(names.records[id]))
            loss_add(PROF_LOSS_NAMES, 1);
}
