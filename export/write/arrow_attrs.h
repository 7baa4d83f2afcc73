/* arrow_attrs.h - attributes of events: those that have columns of their own, and all others as JSON. */
#ifndef PROF_ARROW_ATTRS_H
#define PROF_ARROW_ATTRS_H

#include "arrow_view.h"
#include "text_out.h"

/* The ones with columns; NULL: not given. Of several for one column the last counts. */
struct arrow_attrs_own {
    const struct tl_attr *shapes; /* "Input Dims", "sizes": text */
    const struct tl_attr
        *sequence;               /* "stashed_seq", else "Sequence number", "seq": a whole number */
    const struct tl_attr *stack; /* "Call stack": text */
    const struct tl_attr *flops; /* "flops": a number that is not negative */
};

/* Of a view's events. False: no memory; fini is needed all the same. */
bool arrow_attrs_init(struct arrow_view *view);
void arrow_attrs_fini(struct arrow_view *view);

struct tl_attrs arrow_attrs_of_slice(const struct arrow_view *view, uint32_t slice);
struct arrow_attrs_own arrow_attrs_own(const struct arrow_view *view, struct tl_attrs attrs);

/* A JSON object of the others; each key once, with the last value that was given for it. Numbers are numbers,
 * null those that are not finite. False: there are none, nothing was written. */
bool arrow_attrs_json(const struct arrow_view *view, struct tl_attrs attrs, struct text_out *out);

#endif
