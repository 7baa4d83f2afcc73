#define _DEFAULT_SOURCE
#include "intern.h"

#include "memory.h"

#include <sys/mman.h>

static size_t intern_level_bytes(const struct intern_table *table, unsigned level)
{
    return table->slots[level] * (sizeof(uint64_t) + sizeof(const void *));
}

uint64_t *intern_level(struct intern_table *table, unsigned level, bool add)
{
    uint64_t *slots = load_acquire(&table->levels[level]);
    if (slots || !add)
        return slots;
    return memory_once((void **)&table->levels[level], intern_level_bytes(table, level));
}

uint32_t intern_allocate(struct intern_table *table)
{
    uint32_t number = fetch_add_relaxed(&table->numbers, 1u) + 1;
    if (number <= table->numbers_max)
        return number;
    fetch_add_relaxed(&table->numbers, (uint32_t)-1);
    return 0;
}

/* Numbers fill the levels' records in turn. */
static unsigned intern_level_of(const struct intern_table *table, uint32_t *number)
{
    unsigned level = 0;
    for (*number -= 1; level + 1 < INTERN_LEVELS && *number >= table->slots[level]; level++)
        *number -= table->slots[level];
    return level;
}

static const void **intern_place(const struct intern_table *table, unsigned level, uint32_t index,
                                 uint64_t *slots)
{
    return (const void **)(void *)(slots + table->slots[level]) + index;
}

const void *intern_record(const struct intern_table *table, uint32_t number)
{
    if (number == 0 || number > table->numbers_max)
        return NULL;
    unsigned level = intern_level_of(table, &number);
    uint64_t *slots = load_acquire(&table->levels[level]);
    return slots ? load_acquire(intern_place(table, level, number, slots)) : NULL;
}

bool intern_set(struct intern_table *table, uint32_t number, const void *record)
{
    unsigned level = intern_level_of(table, &number);
    uint64_t *slots = intern_level(table, level, true);
    if (slots)
        store_release(intern_place(table, level, number, slots), record);
    return slots != NULL;
}

/* Pages that were never touched stay so. */
void intern_clear(struct intern_table *table)
{
    for (unsigned level = 0; level < INTERN_LEVELS; level++)
        if (table->levels[level])
            madvise(table->levels[level], intern_level_bytes(table, level), MADV_DONTNEED);
    store_release(&table->numbers, 0u);
}
