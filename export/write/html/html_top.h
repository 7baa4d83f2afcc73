/* html_top.h - the most heavy of many: a page has room for some. */
#ifndef PROF_HTML_TOP_H
#define PROF_HTML_TOP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct html_top_item {
    double weight;
    uint32_t index;
};

struct html_top {
    struct html_top_item *at; /* a heap with the lightest on top; sorted by html_top_sort() */
    uint32_t count, capacity;
};

/* False: no memory; fini is not needed then. */
bool html_top_init(struct html_top *top, uint32_t capacity);
void html_top_fini(struct html_top *top);

/* Takes it when there is room, or in place of a lighter one; of equals the smaller index counts more. At
 * most the logarithm of the capacity. */
void html_top_add(struct html_top *top, uint32_t index, double weight);

/* The heaviest first; of equals the smaller index. Nothing can be added then. */
void html_top_sort(struct html_top *top);

#ifdef __cplusplus
}
#endif
#endif
