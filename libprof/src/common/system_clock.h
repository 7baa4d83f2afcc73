/* system_clock.h - how well the kernel's clock agrees with true time, as chrony, ntpd or PTP's
 * phc2sys have told the kernel. */
#ifndef PROF_SYSTEM_CLOCK_H
#define PROF_SYSTEM_CLOCK_H

#include "prof/format.h"

#include <stdbool.h>

/* Reads the kernel's state; sets no clock. False: it cannot be had, as in a sandbox (seccomp), and
 * `state` is as before. Threads: any. errno stays. */
bool system_clock_read(struct prof_rec_system_clock *state);

#endif
