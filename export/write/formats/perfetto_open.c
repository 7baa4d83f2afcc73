/* perfetto_open.c - see perfetto_open.h. */
#include "perfetto_open.h"

#include <stdlib.h>

void perfetto_open_fini(struct perfetto_open *open)
{
    free(open->heap);
    *open = (struct perfetto_open){0};
}

static bool is_before(const struct perfetto_open_slice *a, const struct perfetto_open_slice *b)
{
    return a->end_ns != b->end_ns ? a->end_ns < b->end_ns : a->order > b->order;
}

static bool grow(struct perfetto_open *open)
{
    uint32_t capacity = open->capacity ? open->capacity * 2 : 64;
    struct perfetto_open_slice *heap = realloc(open->heap, capacity * sizeof *heap);
    if (!heap)
        return false;
    open->heap = heap;
    open->capacity = capacity;
    return true;
}

bool perfetto_open_add(struct perfetto_open *open, const struct perfetto_open_slice *slice)
{
    if (open->count == open->capacity && !grow(open))
        return false;
    uint32_t at = open->count++;
    for (; at > 0 && slice->end_ns <= open->heap[(at - 1) / 2].end_ns; at = (at - 1) / 2)
        open->heap[at] = open->heap[(at - 1) / 2];
    struct perfetto_open_slice *place = &open->heap[at];
    place->end_ns = slice->end_ns;
    place->order = open->order++;
    place->track = slice->track;
    place->depth = slice->depth;
    place->lane = slice->lane;
    return true;
}

void perfetto_open_remove(struct perfetto_open *open)
{
    const struct perfetto_open_slice last = open->heap[--open->count];
    uint32_t at = 0;
    for (uint32_t child = 1; child < open->count; child = 2 * at + 1) {
        if (child + 1 < open->count && is_before(&open->heap[child + 1], &open->heap[child]))
            child++;
        if (!is_before(&open->heap[child], &last))
            break;
        open->heap[at] = open->heap[child];
        at = child;
    }
    open->heap[at] = last;
}
