/* trace_threads.c - the threads of a walk: met, described, in which recording they are, ended. */
#include "trace_walk.h"

#include <stdlib.h>

static void thread_begin(struct walk_thread *thread, uint32_t number)
{
    *thread = (struct walk_thread){.number = number, .last_ns = -CLOCKMAP_NS_MAX};
}

static struct walk_thread *thread_add(struct walk *walk, uint32_t number)
{
    size_t capacity = walk->thread_capacity;
    if (walk->thread_count == IDMAP_NONE - 1 ||
        !walk_room(walk, &walk->threads, walk->thread_count, &capacity, sizeof *walk->threads))
        return NULL;
    walk->thread_capacity = (uint32_t)capacity;
    if (!idmap_set(&walk->thread_slots, number, walk->thread_count)) {
        walk_no_memory(walk);
        return NULL;
    }
    thread_begin(&walk->threads[walk->thread_count], number);
    return &walk->threads[walk->thread_count++];
}

struct walk_thread *walk_thread_find(struct walk *walk, uint32_t number)
{
    uint32_t slot = idmap_find(&walk->thread_slots, number);
    return slot == IDMAP_NONE ? thread_add(walk, number) : &walk->threads[slot];
}

struct walk_thread *walk_thread_meet(struct walk *walk, uint32_t number, uint32_t tid)
{
    bool met = idmap_find(&walk->thread_slots, number) != IDMAP_NONE;
    struct walk_thread *thread = walk_thread_find(walk, number);
    if (thread && !thread->described && (!met || tid)) {
        timeline_define_thread(walk->builder, number, tid, (struct text){"", 0}, false);
        thread->described = tid != 0;
    }
    return thread;
}

void walk_thread_note_end(struct walk *walk, const struct walk_thread *thread)
{
    if (thread->last_ns > walk->end_ns)
        walk->end_ns = thread->last_ns;
}

void walk_thread_close(struct walk *walk, struct walk_thread *thread, int64_t time_ns,
                       bool unclosed)
{
    if (time_ns > thread->last_ns)
        thread->last_ns = time_ns;
    timeline_close_thread(walk->builder, thread->number, thread->last_ns, unclosed);
}

/* Where recording stopped that the thread's last records belong to; false: it never stopped. */
static bool find_stop(struct walk *walk, const struct walk_thread *thread, int64_t *stop_ns)
{
    for (size_t i = 0; i < walk->stop_count; i++) {
        if (walk->stops[i].epoch != thread->epoch)
            continue;
        *stop_ns = clockmap_time_ns(&walk->clock, walk->stops[i].ticks);
        return true;
    }
    return false;
}

void walk_thread_end(struct walk *walk, struct walk_thread *thread, int64_t time_ns)
{
    int64_t stop_ns = 0;
    bool stopped = find_stop(walk, thread, &stop_ns) && stop_ns <= time_ns;
    walk_thread_close(walk, thread, stopped ? stop_ns : time_ns, !stopped);
    thread->ended = true;
}

static int compare_epochs(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static bool is_late(const struct walk *walk, uint32_t epoch)
{
    return walk->late_count &&
           bsearch(&epoch, walk->late_epochs, walk->late_count, sizeof epoch, compare_epochs);
}

void walk_thread_enter(struct walk *walk, struct walk_thread *thread, uint32_t epoch)
{
    int64_t stop_ns = thread->last_ns;
    if (thread->begun && thread->epoch == epoch)
        return;
    if (thread->begun) {
        find_stop(walk, thread, &stop_ns);
        walk_thread_close(walk, thread, stop_ns, false);
    }
    thread->epoch = epoch;
    thread->begun = true;
    if (is_late(walk, epoch))
        timeline_cut_thread(walk->builder, thread->number);
}

void walk_close_threads(struct walk *walk)
{
    for (uint32_t i = 0; i < walk->thread_count; i++) {
        struct walk_thread *thread = &walk->threads[i];
        if (thread->begun && !thread->ended)
            walk_thread_end(walk, thread,
                            walk->end_ns > thread->last_ns ? walk->end_ns : thread->last_ns);
    }
}
