/* global_ids.c - see global_ids.h. */
#include "global_ids.h"

#include "maps.h"

#include <stdlib.h>
#include <string.h>

#define MACHINES_MAX 0x7fffu

/* The numbers that are in use, and where to look for a free one. */
struct numbers {
    struct keymap taken;
    uint32_t next;
    bool failed;
};

static bool is_taken(const struct numbers *numbers, uint64_t number)
{
    return keymap_find(&numbers->taken, number) != KEYMAP_NONE;
}

static void claim(struct numbers *numbers, uint64_t number)
{
    numbers->failed |= !keymap_set(&numbers->taken, number, 0);
}

/* 0: all are in use. */
static uint32_t free_number(struct numbers *numbers)
{
    while (numbers->next && is_taken(numbers, numbers->next))
        numbers->next--;
    if (numbers->next)
        claim(numbers, numbers->next);
    return numbers->next;
}

static bool number_processes(struct global_ids *ids, const struct timeline *timeline)
{
    struct numbers numbers = {.next = GLOBAL_IDS_MAX};
    struct keymap machines = {0}; /* pid -> how many processes have it */
    for (uint32_t i = 0; i < timeline->processes.count; i++)
        if (timeline->processes.at[i].info.pid <= GLOBAL_IDS_MAX)
            claim(&numbers, timeline->processes.at[i].info.pid);
    for (uint32_t i = 0; i < timeline->processes.count; i++) {
        uint64_t pid = timeline->processes.at[i].info.pid;
        bool moved = pid > GLOBAL_IDS_MAX;
        uint32_t number = moved ? free_number(&numbers) : (uint32_t)pid;
        uint32_t machine = keymap_find(&machines, number);
        machine = machine == KEYMAP_NONE ? 0 : machine + 1;
        numbers.failed |= !keymap_set(&machines, number, machine);
        ids->processes[i] = (int64_t)(machine & MACHINES_MAX) << 48 | (int64_t)number << 24;
        ids->moved_processes += moved;
    }
    keymap_fini(&machines);
    keymap_fini(&numbers.taken);
    return !numbers.failed;
}

/* Threads whose number is 0 have a text instead: the first one keeps it. */
static bool number_threads(struct global_ids *ids, const struct timeline *timeline,
                           uint32_t process)
{
    const struct tl_process *of = &timeline->processes.at[process];
    const struct tl_thread *threads = timeline->threads.at;
    struct numbers numbers = {.next = GLOBAL_IDS_MAX};
    uint32_t end = of->first_thread + of->thread_count;
    bool has_zero = false;
    for (uint32_t i = of->first_thread; i < end; i++)
        if (threads[i].tid <= GLOBAL_IDS_MAX)
            claim(&numbers, threads[i].tid);
    for (uint32_t i = of->first_thread; i < end; i++) {
        bool moved = threads[i].tid > GLOBAL_IDS_MAX || (threads[i].tid == 0 && has_zero);
        uint32_t number = moved ? free_number(&numbers) : (uint32_t)threads[i].tid;
        has_zero |= number == 0;
        ids->threads[i] = ids->processes[process] | number;
        ids->moved_threads += moved && threads[i].tid;
    }
    keymap_fini(&numbers.taken);
    return !numbers.failed;
}

bool global_ids_init(struct global_ids *ids, const struct timeline *timeline)
{
    memset(ids, 0, sizeof *ids);
    ids->processes = malloc((timeline->processes.count + (size_t)1) * sizeof *ids->processes);
    ids->threads = malloc((timeline->threads.count + (size_t)1) * sizeof *ids->threads);
    bool numbered = ids->processes && ids->threads && number_processes(ids, timeline);
    for (uint32_t i = 0; i < timeline->processes.count && numbered; i++)
        numbered = number_threads(ids, timeline, i);
    return numbered;
}

void global_ids_fini(struct global_ids *ids)
{
    free(ids->processes);
    free(ids->threads);
    memset(ids, 0, sizeof *ids);
}
