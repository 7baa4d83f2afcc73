/* kineto_python.h - Python frames of a trace, as call stacks of what was called within them.
 *
 * Frames are no work of their own: as ranges they would be counted like operators, and each
 * operator's time once more for every frame around it. So they become the attribute "Call stack" of
 * the slices that have none: the frames open when the slice began, innermost first, joined by ';' as
 * Kineto joins them.
 */
#ifndef PROF_KINETO_PYTHON_H
#define PROF_KINETO_PYTHON_H

#include "array.h"
#include "event_store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct kineto_frame {
    int64_t start_ns, end_ns;
    uint32_t thread, name;
};

/* A slice that wants a stack, by its number in the store. */
struct kineto_wish {
    int64_t start_ns;
    uint32_t thread, slice;
};

struct kineto_python {
    struct {
        struct kineto_frame *at;
        uint32_t count, capacity;
    } frames;
    struct {
        struct kineto_wish *at;
        uint32_t count, capacity;
    } wishes;
};

void kineto_python_fini(struct kineto_python *python);
/* False: no memory. */
bool kineto_python_frame(struct kineto_python *python, const struct kineto_frame *frame);
bool kineto_python_wish(struct kineto_python *python, const struct kineto_wish *wish);
bool kineto_python_finish(struct kineto_python *python, struct event_store *store);

#ifdef __cplusplus
}
#endif
#endif
