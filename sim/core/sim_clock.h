/* sim_clock.h - the host's clock and the simulated device's view of it. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdint.h>

#include "sim_shared.h"

/* CLOCK_REALTIME in nanoseconds: CUPTI's clock, and the one all simulated timelines run on. */
SIM_SHARED uint64_t sim_clock_now(void);

/* Blocks the calling thread until the host clock shows time_ns. */
SIM_SHARED void sim_clock_wait(uint64_t time_ns);

/* What the device's own clock claims the host time time_ns was: SIM_CLOCK_SKEW_NS and
 * SIM_CLOCK_DRIFT_PPM applied, drift counted from the process' first use of the clock. */
SIM_SHARED uint64_t sim_clock_device(uint64_t time_ns);

#endif
