/* triggers.h - what switches recording by steps of prof_step(): PROF_SCHEDULE, and the steps of
 * PROF_START and PROF_STOP. */
#ifndef PROF_TRIGGERS_H
#define PROF_TRIGGERS_H

#include <stdbool.h>
#include <stdint.h>

/* Once, from the library's constructor, after config_load() and session_init(). */
void triggers_init(void);

/* Whether recording begins by steps, so that it is off until then. */
bool triggers_start(void);

/* Step number `number` begins. Any thread; nothing but a comparison unless something changes. */
void triggers_step(uint64_t number);

/* In a forked child, whose steps count from 0. */
void triggers_fork_child(void);

#endif
