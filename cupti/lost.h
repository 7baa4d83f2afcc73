/* lost.h - device records that came and cannot be kept, by stream.
 *
 * All are counted in the file's header by cause; here it is said whose they were, so that the
 * ledger of each stream adds up.
 */
#ifndef PROF_LOST_H
#define PROF_LOST_H

#include <stdint.h>

/* Whose record it was. */
struct lost_operation {
    uint32_t correlation;
    uint32_t context;
    uint32_t stream;
    uint32_t graph; /* 0 none */
    uint32_t device;
};

/* Its launch is in the file: a record of its own, smaller than the one it would have been. */
void lost_zero_time(const struct lost_operation *operation);

/* Its launch is in no log, as a rule. There can be any number of them, while the user has asked for
 * none: they are added up by stream until lost_state(). */
void lost_out_of_window(const struct lost_operation *operation);

/* Writes what the calling thread has added up. At the end of every buffer. */
void lost_state(void);

#endif
