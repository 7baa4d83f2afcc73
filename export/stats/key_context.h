/* key_context.h - what rows can be told apart by that a slice does not say itself: shapes, stacks,
 * devices. The inside of key_averages.c.
 */
#ifndef PROF_KEY_CONTEXT_H
#define PROF_KEY_CONTEXT_H

#include "key_averages.h"

struct key_context {
    const struct timeline *timeline;
    const struct key_options *options;
    uint32_t *device_of_stream; /* by stream: into devices[]; NULL unless asked for */
    bool *is_shape;             /* by name: whether it is a key of shapes; NULL unless asked for */
    uint32_t next_attr, next_stack; /* the first that is not before the slice at hand */
};

/* False: no memory; fini all the same. */
bool key_context_init(struct key_context *context, const struct timeline *timeline,
                      const struct key_options *options);
void key_context_fini(struct key_context *context);

/* Of a slice, which must not be before the one asked about last: into names[], or TL_NONE. */
uint32_t key_context_shape(struct key_context *context, uint32_t slice);
/* As key_group.stack. Slices in order, too. */
uint32_t key_context_stack(struct key_context *context, uint32_t slice);

/* Into devices[]; TL_NONE: none is known, or devices were not asked for. */
static inline uint32_t key_context_device(const struct key_context *context, uint32_t stream)
{
    bool known = context->device_of_stream && stream != TL_NONE;
    return known ? context->device_of_stream[stream] : TL_NONE;
}

#endif
