/* devices.h - what the driver says of its devices.
 *
 * Asked of the driver and not of CUPTI: its device records come only to a tool that was there when
 * CUDA was initialised.
 */
#ifndef PROF_DEVICES_H
#define PROF_DEVICES_H

#include "loader.h"

/* States every device as a fact, the first time that the driver answers: it does not before cuInit has
 * finished. Says whether the devices are simulated. Threads: one at a time. */
void devices_state(const struct driver_library *driver);

#endif
