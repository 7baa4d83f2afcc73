/* counter.h - whether the processor's counter is a reliable clock although it is not the kernel's
 * clocksource.
 *
 * Under a hypervisor the kernel often uses a paravirtual clock that is computed from the counter
 * (kvm-clock, Hyper-V's page). The counter is as good then, if it never stops and all processors
 * have the same one.
 */
#ifndef PROF_COUNTER_H
#define PROF_COUNTER_H

#include "recorder.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether a kernel that keeps time by `clocksource` may have a good counter: one of those
 * clocks. */
bool counter_may_be_good(const char *clocksource);

/* Takes a sample on each processor that the calling thread may run on, sixteen of them at most, and
 * returns whether the counter never stops and they agree. Takes about 50 us for each. The thread is
 * not moved: a child is. Before: signals are blocked (signals_block). Not in signal handlers. */
bool counter_is_in_step(void);

/* Whether samples, taken one after the other, lie on one line of ticks against CLOCK_MONOTONIC,
 * each as closely as it was taken. The first and the last one must be of the same processor. */
bool counter_samples_agree(const struct prof_rec_clock *samples, size_t count);

/* What the watch remembers: zero at first. */
struct counter_watch {
    struct prof_rec_clock last;
    uint64_t ticks, ns; /* between the last two samples; 0 not known */
};

/* Whether the counter went on since the last sample as it did before that one: no faster, no slower
 * and not back. Virtual machines move to other processors, and suspended ones lose their counter.
 * True when there is too little to tell. */
bool counter_goes_on(struct counter_watch *watch, const struct prof_rec_clock *sample);

#endif
