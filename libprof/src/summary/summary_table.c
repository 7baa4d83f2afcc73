/* summary_table.c - durations by kind, step and name: an open hash table of fixed size. There is
 * none without PROF_SUMMARY. */
#include "process.h"
#include "recorder.h"
#include "summary_inside.h"

#include <string.h>

#define TABLE_SLOTS 8192u
#define TABLE_MAX 6144u /* three quarters: searching stays short */

struct table_entry {
    uint64_t step, name, count; /* count 0: free */
    uint64_t sum_ns, min_ns, max_ns;
    uint32_t kind;
    uint32_t buckets[PROF_SUMMARY_BUCKETS];
};

static struct table {
    uint32_t count;
    uint64_t unseen; /* chunks */
    struct table_entry slots[TABLE_SLOTS];
} * table;

bool summary_table_begin(void)
{
    void *memory = table;
    bool begun = process_memory(&memory, sizeof *table);
    table = memory;
    return begun;
}

static void table_emit(const struct table_entry *entry)
{
    unsigned first = 0, end = PROF_SUMMARY_BUCKETS;
    while (first < end && !entry->buckets[first])
        first++;
    while (end > first && !entry->buckets[end - 1])
        end--;
    struct prof_rec_summary head = {.step = entry->step,
                                    .name = entry->name,
                                    .count = entry->count,
                                    .sum_ns = entry->sum_ns,
                                    .min_ns = entry->min_ns,
                                    .max_ns = entry->max_ns,
                                    .kind = entry->kind,
                                    .first_bucket = (uint16_t)first,
                                    .buckets = (uint16_t)(end - first)};
    meta_append(PROF_REC_SUMMARY, &head, sizeof head,
                (const char *)(entry->buckets + (first < end ? first : 0)),
                (end - first) * sizeof entry->buckets[0]);
}

/* Rows of one key add up, so those written before the end of a round are as good. */
static void table_empty(void)
{
    for (uint32_t i = 0; i < TABLE_SLOTS; i++)
        if (table->slots[i].count)
            table_emit(&table->slots[i]);
    memset(table->slots, 0, sizeof table->slots);
    table->count = 0;
}

static uint64_t table_hash(uint32_t kind, uint64_t step, uint64_t name)
{
    uint64_t mixed = (name ^ (uint64_t)kind << 56 ^ step << 24) * 0x9e3779b97f4a7c15u;
    return (mixed ^ mixed >> 32) * 0xd6e8feb86659fd93u >> 32;
}

static struct table_entry *table_find(uint32_t kind, uint64_t step, uint64_t name)
{
    if (table->count == TABLE_MAX)
        table_empty();
    for (uint64_t at = table_hash(kind, step, name);; at++) {
        struct table_entry *entry = &table->slots[at % TABLE_SLOTS];
        if (!entry->count) {
            table->count++;
            *entry = (struct table_entry){.step = step, .name = name, .kind = kind};
            return entry;
        }
        if (entry->kind == kind && entry->step == step && entry->name == name)
            return entry;
    }
}

static unsigned table_bucket(uint64_t ns)
{
    unsigned bucket = 63 - (unsigned)__builtin_clzll(ns | 1);
    return bucket < PROF_SUMMARY_BUCKETS ? bucket : PROF_SUMMARY_BUCKETS - 1;
}

void summary_table_add(enum prof_summary_kind kind, uint64_t step, uint64_t name, int64_t ns)
{
    uint64_t length = ns > 0 ? (uint64_t)ns : 0;
    if (!table)
        return;
    struct table_entry *entry = table_find(kind, step, name);
    if (!entry->count || length < entry->min_ns)
        entry->min_ns = length;
    if (length > entry->max_ns)
        entry->max_ns = length;
    entry->count++;
    entry->sum_ns += length;
    entry->buckets[table_bucket(length)]++;
}

void summary_table_unseen(uint64_t chunks)
{
    if (table)
        table->unseen += chunks;
}

void summary_table_emit(int64_t from_ns, int64_t to_ns)
{
    struct table_entry unseen = {
        .step = PROF_SUMMARY_NO_STEP, .kind = PROF_SUMMARY_UNSEEN, .count = table->unseen};
    struct table_entry round = {.step = PROF_SUMMARY_NO_STEP,
                                .kind = PROF_SUMMARY_ROUND,
                                .count = 1,
                                .min_ns = (uint64_t)from_ns,
                                .max_ns = (uint64_t)to_ns};
    table_empty();
    if (unseen.count)
        table_emit(&unseen);
    table_emit(&round); /* last: what precedes it is complete */
    table->unseen = 0;
}
