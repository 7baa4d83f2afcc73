/* throttle.h - carries out the governor's decisions: calls the functions registered with
 * recorder_throttleable(), and records what was throttled in the file.
 */
#ifndef PROF_THROTTLE_H
#define PROF_THROTTLE_H

#include "recorder.h"

/* On the writer thread, after config_load(). */
void throttle_begin(void);

/* A period is over: every THROTTLE_PERIOD_NS, on the writer thread. */
#define THROTTLE_PERIOD_NS 100000000u
void throttle_tick(void);

/* Everything is recorded again, as at the beginning. */
void throttle_fork_child(void);

#endif
