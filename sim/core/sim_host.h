/* sim_host.h - the driver's own thread: runs host functions in stream order. */
#ifndef SIM_HOST_H
#define SIM_HOST_H

/* Some stream's head may be a host function: look. Starts the thread at the first need. Core
 * lock. */
void sim_host_wake_locked(void);

#endif
