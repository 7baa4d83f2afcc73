/* subscription.h - libprof's subscription to CUPTI, and the activity functions that depend on it.
 *
 * CUPTI has two subscriber APIs. The v1 API belongs to the whole process: one subscriber, one pair
 * of buffer callbacks. In the v2 API (functions ending in _v2; CUDA 13.3 and its driver), each
 * subscriber has its own activity kinds and buffers. Several tools can then subscribe, if the first
 * one allowed it and none uses v1: mixing the two gives ABI_MULTIPLE_SUBSCRIBERS. Both APIs have
 * the same record layout as long as no fields are selected, and libprof selects none [CUPTI
 * documentation 13.4, "Multiple Subscribers", "User-Defined Activity Records"].
 *
 * The functions below call the API of the current subscription; without a subscription, v1.
 * Threads: one opens and closes; any may call the rest.
 */
#ifndef PROF_SUBSCRIPTION_H
#define PROF_SUBSCRIPTION_H

#include "oracle.h"

#include <stdbool.h>
#include <stddef.h>

enum subscription_api { SUBSCRIPTION_V1, SUBSCRIPTION_V2 };

/* Whether libcupti has the complete v2 API and the driver supports it. */
bool subscription_has_v2(void);

/* Subscribes through that API. Stores the name of the tool that holds CUPTI, if known, in `holder`.
 * Returns an enum abi_result. */
int subscription_open(enum subscription_api api, abi_callback callback,
                      char holder[ABI_OLD_SUBSCRIBER_BYTES]);
void subscription_close(void);

/* Forgets the subscription after another tool ended it (cuptiFinalize): nothing to unsubscribe. */
void subscription_forget(void);

enum subscription_api subscription_api(void);
void *subscription_handle(void); /* NULL: not subscribed */

/* These call the CUPTI function of the same name, with or without _v2. */
int subscription_register(abi_buffer_requested requested, abi_buffer_completed completed);
int subscription_enable(uint32_t kind);
int subscription_disable(uint32_t kind);
int subscription_set(enum abi_attribute attribute, uint8_t value);
int subscription_next_record(uint8_t *buffer, size_t valid_bytes, void **record);
int subscription_dropped(size_t *dropped);

/* Whether the record sizes that CUPTI reports, if it does, agree with `oracle`. */
bool subscription_confirms(const struct oracle *oracle);

/* ---- choosing an API, or explaining why there is none ---- */

/* Tries CUPTI's v2 subscriber API first, which allows other tools, then v1. A
 * failed attempt is undone. If a tool in the process is linked only with v1 functions, as all tools
 * were before 13.3, a v2 subscription would exclude it: then only v1 is tried, and other_tool.h
 * shares it.
 */

/* Switches the activity kinds on; returns an enum abi_result. */
typedef int (*cupti_attach_enable)(void);

/* Subscribes, registers buffers and callbacks, and calls `enable` unless it is NULL. Sets the GPU
 * mode. Returns false if CUPTI is unavailable, with the reason as a sentence in `why`. Threads:
 * one. */
bool cupti_attach_begin(cupti_attach_enable enable, char *why, size_t why_bytes);

/* Call this if CUPTI `refused` a later `enable`: tries the other API. */
bool cupti_attach_again(int refused, cupti_attach_enable enable, char *why, size_t why_bytes);

/* ---- why CUPTI is unavailable ---- */

/* Writes a sentence about a refusal.
 *
 * result  returned by CUPTI (enum abi_result)
 * step    what was attempted, such as "subscribe"
 * holder  name of the tool that holds CUPTI; NULL or "" if unknown */
void cupti_attach_explain(int result, const char *step, const char *holder, char *sentence,
                          size_t bytes);

#endif
