/* intern.h - contents that are stored once per process and referred to by number: names, call
 * stacks, labels, texts.
 *
 * Open addressing in three levels of growing size, so that few contents touch few pages; a level is
 * mapped when it is first needed. A content lives in the first level that had a free slot among the
 * INTERN_PROBES slots from its hash on;
 * as nothing is ever removed, a lookup may stop at the first empty slot that it meets. A slot is
 * one word, hash << 32 | number, set by compare-and-swap after the number's record: a reader that
 * sees the slot sees the record.
 *
 * Two threads that meet the same new content at once may both make a record; the loser's number is
 * never used.
 *
 * Threads: any, in signal handlers, too; no lock. The compare and make functions are parameters of
 * inline functions, so that the compiler can inline them.
 */
#ifndef PROF_INTERN_H
#define PROF_INTERN_H

#include "atomic.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INTERN_LEVELS 3
#define INTERN_PROBES 16u
#define INTERN_PROBES_LAST \
    65536u /* there is no level after the last: 16 lost 64 of a million names */

struct intern_table {
    uint32_t slots[INTERN_LEVELS]; /* of each level, powers of two; constant */
    uint32_t numbers_max;          /* constant; at most the sum of the slots */
    uint32_t numbers;              /* given so far, from 1 */
    /* Each level's slots, and as many records after them; mapped by the first thread, CAS ->
     * load_acquire. */
    uint64_t *levels[INTERN_LEVELS];
};

/* Whether a record holds what is looked for; NULL: it does not hold anything any more. */
typedef bool (*intern_equal)(const void *record, const void *content);

/* The record of a content that is new, NULL: it cannot be kept. */
typedef const void *(*intern_make)(uint32_t number, const void *content);

/* The next number, for what its owner keeps without a record. 0: none is left. */
uint32_t intern_allocate(struct intern_table *table);

/* How many were given. */
static inline uint32_t intern_count(const struct intern_table *table)
{
    return load_acquire(&table->numbers);
}

/* The record of a number, NULL: it has none. */
const void *intern_record(const struct intern_table *table, uint32_t number);

/* Replaces it. False: there is no memory. */
bool intern_set(struct intern_table *table, uint32_t number, const void *record);

/* Forgets everything; nobody else may use the table. In a forked child. */
void intern_clear(struct intern_table *table);

/* The slots of a level. `add`: it is mapped where it is missing. NULL: missing. */
uint64_t *intern_level(struct intern_table *table, unsigned level, bool add);

/* The slot in a level that holds the content, or the first empty one; NULL when the probed slots
 * are full of others. `*number` is 0 for an empty slot. */
static inline __attribute__((always_inline)) uint64_t *
intern_probe(struct intern_table *table, unsigned level, uint64_t *slots, uint32_t hash,
             const void *content, intern_equal equal, uint32_t *number)
{
    uint32_t mask = table->slots[level] - 1;
    uint32_t probes = level == INTERN_LEVELS - 1 ? INTERN_PROBES_LAST : INTERN_PROBES;
    for (uint32_t probe = 0; probe < probes; probe++) {
        uint64_t *slot = &slots[(hash + probe) & mask];
        uint64_t value = load_acquire(slot);
        *number = (uint32_t)value;
        if (value == 0)
            return slot;
        if ((uint32_t)(value >> 32) == hash && equal(intern_record(table, *number), content))
            return slot;
    }
    return NULL;
}

/* The number of a content that is known, else 0. */
static inline __attribute__((always_inline)) uint32_t
intern_find(struct intern_table *table, uint32_t hash, const void *content, intern_equal equal)
{
    uint64_t *slots;
    for (unsigned level = 0;
         level < INTERN_LEVELS && (slots = intern_level(table, level, false)) != NULL; level++) {
        uint32_t number;
        if (intern_probe(table, level, slots, hash, content, equal, &number))
            return number;
    }
    return 0;
}

static inline __attribute__((always_inline)) uint32_t
intern_new(struct intern_table *table, const void *content, intern_make make)
{
    uint32_t number = intern_allocate(table);
    const void *record = number ? make(number, content) : NULL;
    return record && intern_set(table, number, record) ? number : 0;
}

/* The number of a content, new or not. 0: it cannot be kept. */
static inline __attribute__((always_inline)) uint32_t intern(struct intern_table *table,
                                                             uint32_t hash, const void *content,
                                                             intern_equal equal, intern_make make)
{
    uint32_t mine = 0;
    for (unsigned level = 0; level < INTERN_LEVELS;) {
        uint64_t *slots = intern_level(table, level, true), *slot;
        uint32_t number;
        uint64_t empty = 0;
        if (!slots)
            return mine;
        slot = intern_probe(table, level, slots, hash, content, equal, &number);
        if (!slot) {
            level++;
            continue;
        }
        if (number)
            return number;
        if (!mine)
            mine = intern_new(table, content, make);
        if (!mine || cas_acq_rel(slot, &empty, (uint64_t)hash << 32 | mine))
            return mine;
    }
    return mine;
}

#endif
