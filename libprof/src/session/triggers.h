/* triggers.h - what switches recording by steps of prof_step(): PROF_SCHEDULE, and the steps of
 * PROF_START and PROF_STOP. */
#ifndef PROF_TRIGGERS_H
#define PROF_TRIGGERS_H

#include <stdbool.h>
#include <stdint.h>

/* ---- which steps are recorded: torch.profiler.schedule's rule ---- */

/*     skip_first | wait  warmup  active | wait  warmup  active | ...      repeat times
 *                  NONE  WARMUP  RECORD
 */

/* Numbers of steps. */
struct schedule {
    uint64_t skip_first;
    uint64_t wait, warmup, active;
    uint64_t repeat;          /* 0: forever */
    uint64_t skip_first_wait; /* 1: the first cycle does not wait */
};

enum schedule_action { SCHEDULE_NONE, SCHEDULE_WARMUP, SCHEDULE_RECORD };

/* Reads "wait=5,warmup=1,active=3". What is not given is 0. False: not of that form, an unknown or
 * repeated word, a number above 10^9, or no active step. */
bool schedule_parse(const char *text, struct schedule *schedule);

/* What to do in step number `step`, from 0. `window` counts the cycles: two neighbouring active
 * steps of different windows are recorded apart (torch saves a trace between them). */
enum schedule_action schedule_at(const struct schedule *schedule, uint64_t step, uint64_t *window);

/* From this step on nothing is recorded any more. */
bool schedule_is_over(const struct schedule *schedule, uint64_t step);

/* ---- what switches recording ---- */

/* Once, from the library's constructor, after config_load() and session_init(). */
void triggers_init(void);

/* Whether recording begins by steps, so that it is off until then. */
bool triggers_start(void);

/* Step number `number` begins. Any thread; nothing but a comparison unless something changes. */
void triggers_step(uint64_t number);

/* In a forked child, whose steps count from 0. */
void triggers_fork_child(void);

#endif
