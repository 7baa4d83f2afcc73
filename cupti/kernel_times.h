/* kernel_times.h - how CUPTI takes the times of kernels, where that is the user's choice.
 *
 * PROF_HARDWARE_TRACE has the device's hardware write them (HES: Blackwell and later, CUDA 12.8),
 * PROF_KERNEL_LATENCY adds when kernels were queued and submitted. CUPTI does not do both: the
 * hardware wins, and it is said.
 *
 * No timestamp callback is registered, ever: from 12.6 Update 2 to 13.0 CUPTI then gives kernels
 * zero times [CUPTI release notes, 13.1].
 */
#ifndef PROF_KERNEL_TIMES_H
#define PROF_KERNEL_TIMES_H

#include "subscription.h"

/* Around subscribing: the hardware trace is of all subscribers of the second form and wants to be
 * asked for before, latency is the subscriber's own. Threads: one. */
void kernel_times_before_subscribing(enum subscription_form form);
void kernel_times_subscribed(void);

/* In CUPTI's callback when cuInit has finished, before there is a context: the moment at which the
 * first form takes the wish for the hardware trace. */
bool kernel_times_wants_init(void);
void kernel_times_init_finished(void);

/* Whether buffers may be asked for while the program is busy. CUPTI before 13.4 corrupts memory if
 * that is done under the hardware trace [release notes 13.4, "host heap corruption"]: then they
 * are asked for when the program ends or tears its contexts down. The price is that CUPTI drops
 * what does not fit into its 128 MB until then; it counts it, and so does the ledger. */
bool kernel_times_let_flush(void);

#endif
