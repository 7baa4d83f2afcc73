/* speedscope_samples.h - the sampled profiles of a speedscope file; speedscope.c writes the
 * rest. */
#ifndef PROF_SPEEDSCOPE_SAMPLES_H
#define PROF_SPEEDSCOPE_SAMPLES_H

#include "json_out.h"
#include "maps.h"
#include "symbols.h"
#include "text_pool.h"
#include "timeline.h"

/* Functions of a stack, outermost first. */
struct speedscope_stack {
    uint32_t first, count; /* into frames */
    bool is_known;
};

struct speedscope_samples {
    const struct timeline *timeline;
    struct symbols *symbols;
    struct text_pool functions; /* their indexes count from the first frame */
    TL_ARRAY(uint32_t) frames;
    struct speedscope_stack *stacks; /* by stack */
    uint32_t *next;                  /* by sample: the next one of its thread, TL_NONE none */
};

/* False: no memory; fini is needed all the same. */
bool speedscope_samples_init(struct speedscope_samples *samples, const struct timeline *timeline,
                             struct symbols *symbols);
void speedscope_samples_fini(struct speedscope_samples *samples);

/* Profiles for the array that is open. `first_frame`: how many frames come before those in
 * `functions`. False: no memory. */
bool speedscope_samples_put(struct speedscope_samples *samples, struct json_out *out,
                            uint32_t first_frame);

#endif
