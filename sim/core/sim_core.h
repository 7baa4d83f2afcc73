/* sim_core.h - life cycle of the simulated driver: initialization, injection, fork, exit; and its
 * one lock.
 */
#ifndef SIM_CORE_H
#define SIM_CORE_H

#include <stdbool.h>

#include "sim_facts.h"
#include "sim_shared.h"

/* The lock over all state of the core. Never held while a program's or tool's function runs (but
 * for the hooks sim_tools.h marks "locked"); the tools library's own lock nests inside. */
SIM_SHARED void sim_core_lock(void);
SIM_SHARED void sim_core_unlock(void);

/* Waits, with the lock held, until some stream has moved on (sim_core_signal). */
void sim_core_wait(void);
void sim_core_signal(void);

/* What cuInit does: honours CUDA_INJECTION64_PATH, notifies tools.
 *
 * Returns  SIM_OK, or why there is no usable driver (SIM_NO_DRIVER, SIM_DEVICES=0). Threads  any;
 * the first does it, the injected library itself may call CUDA from within.
 */
SIM_SHARED int sim_core_init(void);

/* Whether a driver could be used, without initialising it. Returns  SIM_OK or the reason. */
SIM_SHARED int sim_core_usable(void);

/* SIM_OK when initialised and usable here; SIM_NOT_INITIALIZED before, in a forked child likewise;
 * SIM_DEINITIALIZED once the process' exit handlers have passed. */
SIM_SHARED int sim_core_state(void);

/* This process is a child forked after the driver was initialised. */
SIM_SHARED bool sim_core_is_forked(void);

/* An error that destroyed the contexts, SIM_OK if none; stays until sim_core_recover. */
SIM_SHARED int sim_core_sticky(void);
SIM_SHARED void sim_core_corrupt(int result);
SIM_SHARED void sim_core_recover(void);

#endif
