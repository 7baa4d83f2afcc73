/* sim_client_clock.h - the clock that a client registers with
 * cuptiActivityRegisterTimestampCallback, of any unit and origin. Device times are converted to it
 * by two pairs of readings, by offset and rate.
 */
#ifndef SIM_CLIENT_CLOCK_H
#define SIM_CLIENT_CLOCK_H

#include <stdint.h>

/* Takes some milliseconds, for the rate; NULL: records show CLOCK_REALTIME again. */
void sim_client_clock_set(uint64_t (*clock)(void));

/* Reads both clocks once more, now and then: the rate gets better with time. */
void sim_client_clock_align(void);

/* Now, as records show it. */
uint64_t sim_client_clock_now(void);

/* A moment of CLOCK_REALTIME, as records show it. */
uint64_t sim_client_clock_of(uint64_t realtime_ns);

#endif
