/* shed.h - carries out what the governor decides: what can be left out registers here with a
 * function, in recorder.h's words (recorder_sheddable); what was left out is stamped into the file.
 */
#ifndef PROF_SHED_H
#define PROF_SHED_H

#include "recorder.h"

/* On the writer thread, after config_load(). */
void shed_begin(void);

/* A period is over: every SHED_PERIOD_NS, on the writer thread. */
#define SHED_PERIOD_NS 100000000u
void shed_tick(void);

/* Everything is recorded again, as at the beginning. */
void shed_fork_child(void);

#endif
