/* subscription.h - libprof's place among CUPTI's clients, and the functions that go with it.
 *
 * CUPTI has two forms of its interface. The first is as old as CUPTI, and of the whole process:
 * one subscriber, one pair of buffer callbacks. The second (`_v2`, CUDA 13.3 and its driver) is of
 * a subscriber: several tools have kinds and buffers of their own, if the first of them allowed
 * that and none uses the first form; mixing the two gives ABI_MULTIPLE_SUBSCRIBERS. Records are
 * laid out alike in both, as long as no fields are selected, and libprof selects none [CUPTI
 * documentation 13.4, "Multiple Subscribers", "User-Defined Activity Records"].
 *
 * What is called here is called in the form that was subscribed in; without a subscription, in the
 * first. Threads: one opens and closes; the rest from any.
 */
#ifndef PROF_SUBSCRIPTION_H
#define PROF_SUBSCRIPTION_H

#include "oracle.h"

enum subscription_form { SUBSCRIPTION_FIRST, SUBSCRIPTION_SECOND };

/* Whether this libcupti has all of the second form, and the driver goes with it. */
bool subscription_has_second(void);

/* Subscribes in that form. `holder` gets who holds CUPTI, where it is known. Returns an enum
 * abi_result. */
int subscription_open(enum subscription_form form, abi_callback callback,
                      char holder[ABI_OLD_SUBSCRIBER_BYTES]);
void subscription_close(void);

/* Somebody has ended it for us (cuptiFinalize): there is nothing to give back. */
void subscription_forget(void);

enum subscription_form subscription_form(void);
void *subscription_handle(void); /* NULL: not subscribed */

/* The functions without their suffix. */
int subscription_register(abi_buffer_requested requested, abi_buffer_completed completed);
int subscription_enable(uint32_t kind);
int subscription_disable(uint32_t kind);
int subscription_set(enum abi_attribute attribute, uint8_t value);
int subscription_next_record(uint8_t *buffer, size_t valid_bytes, void **record);
int subscription_dropped(size_t *dropped);

/* Whether CUPTI's own statement of its record sizes, where it has one, agrees with `oracle`. */
bool subscription_confirms(const struct oracle *oracle);

#endif
