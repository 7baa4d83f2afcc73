/* finding_steps.h - how much of what findings count and cost each step has.
 *
 * An amount belongs to the step in which it was caused: that of the launch or call; idle and other
 * time of devices belongs to the steps in which it passes. The amounts of all steps, and of no
 * step, add up to the whole.
 */
#ifndef PROF_FINDING_STEPS_H
#define PROF_FINDING_STEPS_H

#include "steps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct finding_amounts {
    int64_t count, cost_ns, saved_ns;
    int64_t most_ns; /* of savings that something else bounds: see enum finding_saving */
};

struct finding_part {
    uint32_t step; /* into steps; TL_NONE: of no step that is kept apart */
    uint32_t next; /* 1 + the next of the same list */
    struct finding_amounts amounts;
};

/* A list of parts, zeroed is empty. A step can occur more than once. */
struct finding_parts {
    uint32_t first,
        last; /* 1 + place in finding_steps.parts; `next` of the last is not of this list */
};

struct finding_steps {
    const struct steps *all;
    const bool *is_apart; /* by step: whether it is kept apart */
    TL_ARRAY(struct finding_part) parts;
    bool failed; /* no memory */
};

/* `steps` NULL in all of these: nothing is asked for by step, and they do nothing. */

void finding_steps_fini(struct finding_steps *steps);

/* The step of a process at a time, TL_NONE: none that is kept apart. */
uint32_t finding_steps_at(const struct finding_steps *steps, uint32_t process, int64_t time_ns);

void finding_parts_add(struct finding_steps *steps, struct finding_parts *to, uint32_t step,
                       struct finding_amounts amounts);

/* Time that passes: `per_ns` times the length of what each step has of it. */
void finding_parts_add_time(struct finding_steps *steps, struct finding_parts *to, uint32_t process,
                            int64_t start_ns, int64_t end_ns, struct finding_amounts per_ns);

/* Adds what another list has, which stays as it is. */
void finding_parts_join(struct finding_steps *steps, struct finding_parts *to,
                        const struct finding_parts *from);

/* Adds another list, which is not a list any more and of which no other one has a part. Takes the
 * same time for any length. */
void finding_parts_move(struct finding_steps *steps, struct finding_parts *to,
                        const struct finding_parts *from);

/* The part after `part` in the list, the first for NULL; NULL: that was the last. */
const struct finding_part *finding_parts_next(const struct finding_steps *steps,
                                              const struct finding_parts *parts,
                                              const struct finding_part *part);

#ifdef __cplusplus
}
#endif
#endif
