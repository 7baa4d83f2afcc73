/* html_top.c - see html_top.h. */
#include "html_top.h"

#include <stdlib.h>

bool html_top_init(struct html_top *top, uint32_t capacity)
{
    *top = (struct html_top){.at = calloc(capacity ? capacity : 1, sizeof *top->at),
                             .capacity = capacity};
    return top->at != NULL;
}

void html_top_fini(struct html_top *top)
{
    free(top->at);
    *top = (struct html_top){0};
}

static bool is_heavier(const struct html_top_item *left, const struct html_top_item *right)
{
    return left->weight > right->weight ||
           (left->weight == right->weight && left->index < right->index);
}

static void swap(struct html_top_item *left, struct html_top_item *right)
{
    struct html_top_item item = *left;
    *left = *right;
    *right = item;
}

static void sink(struct html_top *top, uint32_t at)
{
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= top->count)
            return;
        if (child + 1 < top->count && is_heavier(&top->at[child], &top->at[child + 1]))
            child++;
        if (!is_heavier(&top->at[at], &top->at[child]))
            return;
        swap(&top->at[at], &top->at[child]);
        at = child;
    }
}

static void rise(struct html_top *top, uint32_t at)
{
    while (at && is_heavier(&top->at[(at - 1) / 2], &top->at[at])) {
        swap(&top->at[(at - 1) / 2], &top->at[at]);
        at = (at - 1) / 2;
    }
}

void html_top_add(struct html_top *top, uint32_t index, double weight)
{
    struct html_top_item item = {weight, index};
    if (top->count < top->capacity) {
        top->at[top->count] = item;
        rise(top, top->count++);
    } else if (top->count && is_heavier(&item, &top->at[0])) {
        top->at[0] = item;
        sink(top, 0);
    }
}

static int by_weight(const void *left, const void *right)
{
    return is_heavier(left, right) ? -1 : 1;
}

void html_top_sort(struct html_top *top)
{
    if (top->count > 1)
        qsort(top->at, top->count, sizeof *top->at, by_weight);
}
