/* trace_cost.c - what recording cost, and what was not recorded any more because of that. */
#include "trace_walk.h"

/* Statements may be written by two threads at once: the latest is not always the last. */
void walk_cost_collect(struct walk_cost *cost, const struct record *record)
{
    struct prof_rec_cost head;
    record_copy(record, &head, sizeof head);
    if (head.ticks < cost->head.ticks)
        return;
    size_t room = record->words * sizeof(uint64_t);
    room = room > sizeof head ? (room - sizeof head) / sizeof(struct prof_cost_item) : 0;
    size_t count = head.items < room ? head.items : room;
    const uint64_t *at = record->at + sizeof head / sizeof *at;
    memset(cost->items, 0, sizeof cost->items);
    cost->head = head;
    for (size_t i = 0; i < count; i++) {
        struct prof_cost_item item;
        memcpy(&item, at + i * (sizeof item / sizeof *at), sizeof item);
        if (item.part < PROF_COST_COUNT)
            cost->items[item.part] = item;
    }
}

/* What the recorder measures otherwise, or not at all. */
static bool is_measured(unsigned type)
{
    switch (type) {
    case PROF_REC_THREAD:
    case PROF_REC_THREAD_END:
    case PROF_REC_EPOCH:
    case PROF_REC_API_ENTER:
    case PROF_REC_API_EXIT:
    case PROF_REC_START_EVENT:
    case PROF_REC_STACK:
    case PROF_REC_SAMPLE:
    case PROF_REC_TIMED:
        return true;
    default:
        return type >= PROF_REC_KERNEL;
    }
}

void walk_cost_count(struct walk_cost *cost, uint64_t header, uint64_t ticks)
{
    if (ticks > cost->head.ticks)
        return;
    if (PROF_WORD_KIND(header) != PROF_KIND_EXT)
        cost->events++;
    else
        cost->records += !is_measured(PROF_WORD_TYPE(header));
}

/* A ring has lost chunks: what they held is taken for what the others hold. */
static uint64_t scaled(const struct walk *walk, uint64_t count)
{
    uint64_t missing = walk->health.missing_chunks, kept = walk->chunk_count;
    if (!walk->process.ring || !missing || !kept)
        return count;
    return (uint64_t)((double)count * ((double)kept + (double)missing) / (double)kept);
}

static void count_events(const struct walk *walk, struct tl_cost *cost)
{
    const struct walk_cost *from = &walk->cost;
    cost->parts[PROF_COST_EVENTS].count = scaled(walk, from->events);
    cost->parts[PROF_COST_RECORDS].count = scaled(walk, from->records);
    for (int i = 0; i < PROF_COST_COUNT; i++) {
        struct tl_cost_part *part = &cost->parts[i];
        if (from->items[i].each_ps)
            part->ns = (uint64_t)((double)part->count * from->items[i].each_ps / 1000);
    }
}

void walk_cost_append(struct walk *walk)
{
    const struct walk_cost *from = &walk->cost;
    if (!from->head.ticks)
        return;
    struct tl_cost cost = {.recorded_ns = from->head.recorded_ns,
                           .cpu_ns = from->head.cpu_ns,
                           .launches = from->head.launches,
                           .budget_ppm = from->head.budget_ppm,
                           .time_ns = clockmap_time_ns(&walk->clock, from->head.ticks)};
    for (int i = 0; i < PROF_COST_COUNT; i++)
        cost.parts[i] = (struct tl_cost_part){from->items[i].count, from->items[i].ns};
    count_events(walk, &cost);
    builder_set_cost(walk->builder, &cost);
}

void walk_throttle_append(struct walk *walk, const struct record *record)
{
    struct prof_rec_throttle from;
    record_copy(record, &from, sizeof from);
    if (from.what >= PROF_THROTTLE_COUNT)
        return;
    const struct throttle_event throttle = {.time_ns = clockmap_time_ns(&walk->clock, from.ticks),
                                            .what = (enum prof_throttle_thing)from.what,
                                            .on = from.on != 0,
                                            .cost_ppm = from.cost_ppm,
                                            .budget_ppm = from.budget_ppm};
    builder_append_throttle(walk->builder, &throttle);
}
