/* names.h - every name is written to the file once and is a number from then on.
 *
 * Two levels of tables, none of which takes a lock or allocates:
 *   - a thread's own cache (struct name_cache): by address, verified; else by content
 *   - the process's table (names_intern in recorder.h): by content (intern.h)
 *
 * A forked child inherits the table, and a name keeps its number. But it is written to the child's
 * file only when the child first uses it: a parent may know a million names. Caches of threads are
 * new in a child; other holders of an id also keep the number of the process for whose file it is
 * valid (names_keep).
 */
#ifndef PROF_NAMES_H
#define PROF_NAMES_H

#include "atomic.h"
#include "recorder.h"

#include <string.h>

#define NAME_CACHE_SLOTS 256u

/* `known` alone decides, so that a signal handler that changes the slot in the middle of a lookup
 * cannot make it mix two names. */
struct name_cache_slot {
    const char *given;                 /* by_address: where it was given, a hint */
    const struct prof_rec_name *known; /* NULL: empty, or what is given there changes */
};

/* One thread's. Zero-filled is empty. */
struct name_cache {
    struct name_cache_slot by_address[NAME_CACHE_SLOTS], by_content[NAME_CACHE_SLOTS];
};

static inline size_t names_address_slot(const char *name)
{
    uintptr_t address = (uintptr_t)name;
    return (address ^ address >> 8) % NAME_CACHE_SLOTS;
}

static inline uint64_t names_word(const char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

/* The last 1 to 8 bytes of a name, without reading outside of it. */
static inline uint64_t names_tail(const char *bytes, size_t size)
{
    if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, bytes, 4);
        memcpy(&last, bytes + size - 4, 4);
        return (uint64_t)last << 32 | first;
    }
    if (size == 0)
        return 0;
    return (uint64_t)(uint8_t)bytes[0] | (uint64_t)(uint8_t)bytes[size / 2] << 8 |
           (uint64_t)(uint8_t)bytes[size - 1] << 16;
}

/* Odd multipliers without structure. */
#define NAMES_MIX_1 0x9e3779b97f4a7c15u
#define NAMES_MIX_2 0xd1b54a32d192ed03u
#define NAMES_MIX_3 0x8cb92ba72f3d8dd7u
#define NAMES_MIX_4 0xaef17502108ef2d9u

/* Four products that do not wait for each other. A bit moves only upwards in a product, so the
 * upper half is folded down and multiplied once more: names that differ in their last character
 * must differ in the bits that choose a slot. */
static inline uint64_t names_mix(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    uint64_t sum = a * NAMES_MIX_1 + b * NAMES_MIX_2 + c * NAMES_MIX_3 + d * NAMES_MIX_4;
    return (sum ^ sum >> 32) * NAMES_MIX_1 >> 32;
}

static __attribute__((noinline, unused)) uint64_t names_hash_long(const char *bytes, size_t size)
{
    uint64_t hash = size;
    for (; size > 32; bytes += 16, size -= 16)
        hash = names_mix(hash, names_word(bytes), names_word(bytes + 8), 0);
    const char *last = bytes + size - 16;
    return names_mix(hash, names_word(bytes), names_word(last), names_word(last + 8));
}

/* The first and the last 16 bytes of a name of up to 32 bytes cover it: no loop. */
static inline uint32_t names_hash(const char *bytes, size_t size)
{
    if (size > 32)
        return (uint32_t)names_hash_long(bytes, size);
    if (size < 8)
        return (uint32_t)names_mix(size, names_tail(bytes, size), 0, 0);
    if (size < 16)
        return (uint32_t)names_mix(size, names_word(bytes), names_word(bytes + size - 8), 0);
    const char *last = bytes + size - 16;
    return (uint32_t)names_mix(names_word(bytes) + size, names_word(bytes + 8), names_word(last),
                               names_word(last + 8));
}

static inline bool names_same(const char *a, const char *b, size_t size)
{
    if (size < 8)
        return names_tail(a, size) == names_tail(b, size);
    for (size_t at = 0; at + 8 <= size; at += 8)
        if (names_word(a + at) != names_word(b + at))
            return false;
    return names_word(a + size - 8) == names_word(b + size - 8);
}

/* NUL-terminated. */
static inline const char *names_text(const struct prof_rec_name *record)
{
    return (const char *)(record + 1);
}

/* The id of `size` bytes if the thread has met them, else 0. */
static inline uint32_t names_lookup_n(const struct name_cache *cache, const char *name, size_t size)
{
    const struct prof_rec_name *known =
        load_relaxed(&cache->by_content[names_hash(name, size) % NAME_CACHE_SLOTS].known);
    if (!known || known->bytes != size || !names_same(names_text(known), name, size))
        return 0;
    return known->id;
}

/* The id of a name if the thread has met it, else 0. The same address usually means the same name;
 * the content decides, as buffers are reused. */
static inline uint32_t names_lookup(const struct name_cache *cache, const char *name)
{
    const struct name_cache_slot *slot = &cache->by_address[names_address_slot(name)];
    const struct prof_rec_name *known = load_relaxed(&slot->known);
    if (slot->given == name && known && strcmp(names_text(known), name) == 0)
        return known->id;
    size_t size = strnlen(name, PROF_NAME_BYTES_MAX + 1);
    return size <= PROF_NAME_BYTES_MAX ? names_lookup_n(cache, name, size) : 0;
}

/* The least id that is kept for this process's file: process_generation() << 32 | 1.
 * names_own_process() writes it while there is no file and no other thread, so that the hot path
 * need not load it by itself. */
extern uint64_t names_first_kept __attribute__((visibility("hidden")));

void names_own_process(uint32_t generation);

/* An id as it is kept beyond the call that returned it. 0 for 0. */
static inline uint64_t names_keep(uint32_t id)
{
    return id ? (names_first_kept - 1) | id : 0;
}

/* A kept id - 1 if its name is stated in this process's file, else more than any id. */
static inline uint64_t names_place(uint64_t kept)
{
    return kept - names_first_kept;
}

static inline bool names_is_good(uint64_t kept)
{
    return names_place(kept) < UINT32_MAX;
}

uint32_t names_kept_slow(uint64_t *kept);

/* The id that was kept, 0 for 0. In a forked child, the name is stated first, and the id kept anew;
 * 0: it is lost (counted). There is a file. */
static inline uint32_t names_kept(uint64_t *kept)
{
    uint64_t now = load_relaxed(kept);
    return __builtin_expect(names_is_good(now), 1) ? (uint32_t)now : names_kept_slow(kept);
}

/* ---- names that are too long ----
 *
 * What is kept of a name of more than PROF_NAME_BYTES_MAX bytes is its beginning, up to a whole
 * character of UTF-8, and a mark: "...#" and 16 hexadecimal digits, a hash of the rest. So names
 * that differ after the cut stay different.
 */

#define NAMES_MARK_BYTES 20u

/* Writes the mark of a name that is too long. Returns how many bytes of the name come before it. */
size_t names_cut(const char *bytes, size_t size, char mark[NAMES_MARK_BYTES]);

uint64_t names_hash_rest(const char *bytes, size_t size);
void names_put_hash(char digits[16], uint64_t hash);

/* As names_intern(), for a name of `full` bytes of which only what is kept is at hand, with the
 * mark. */
uint32_t names_intern_cut(const char *bytes, size_t kept, size_t full);

/* The id of a NUL-terminated name / of `size` bytes, new or not. 0: lost (counted). */
uint32_t names_resolve(struct name_cache *cache, const char *name);
uint32_t names_resolve_n(struct name_cache *cache, const char *name, size_t size);

/* An id of the same sequence for a name of another kind (EVENT_NAME), which its owner states.
 * 0: none is left. */
uint32_t names_allocate_id(void);

/* States every name in this process's file. */
void names_state_all(void);

/* The text of a name that was interned, NUL-terminated; "" for 0. It stays. */
const char *names_text_of(uint32_t id);

#endif
