/* capture.h - whether launches go into a graph that is being captured, rather than to a device. */
#ifndef PROF_CAPTURE_H
#define PROF_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

/* A capture began / ended on some stream. Threads: any. */
void capture_began(void);
void capture_ended(void);

/* Whether any capture is in progress: cheap enough for every launch. */
bool capture_may_be_active(void);

/* Whether the stream takes part in one; asks the driver. `per_thread`: stream 0 is the thread's
 * own. */
bool capture_is_active(uint64_t stream, bool per_thread);

#endif
