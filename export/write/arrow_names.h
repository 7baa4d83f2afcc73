/* arrow_names.h - the dictionary that all columns of names share, as Arrow's large_string: names of the
 * timeline, then arrow_words, then what events need beside these: call stacks and numbered categories.
 *
 * Each text is there once, as pandas wants it of categories: names that were told apart by bytes that are not
 * UTF-8 can have become equal, and a program may call its ranges "step". So a cell's number is one of all these
 * texts in that order, and `places` tells where in the dictionary that is. */
#ifndef PROF_ARROW_NAMES_H
#define PROF_ARROW_NAMES_H

#include "arrow_view.h"

#include <stdatomic.h>

/* Counted: the stream, and every array that has it, hold it. */
struct arrow_names {
    _Atomic(uint32_t) holders;
    uint32_t count;
    int64_t *offsets; /* count + 1 */
    char *bytes;
    uint32_t *places; /* by number */
};

/* With one holder. `table` ARROW_EVENTS: with what events need, of which the view gets the places; `stacks`
 * as in struct arrow_more. NULL: no memory. */
struct arrow_names *arrow_names_create(struct arrow_view *view, enum arrow_table table,
                                       char *const *stacks);
struct arrow_names *arrow_names_hold(struct arrow_names *names);
void arrow_names_release(struct arrow_names *names); /* NULL is fine */

#endif
