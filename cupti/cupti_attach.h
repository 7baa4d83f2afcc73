/* cupti_attach.h - subscribes to CUPTI and enables activity records, or explains why that is
 * impossible.
 *
 * Tries CUPTI's v2 subscriber API first, which allows other tools, then v1 (subscription.h). A
 * failed attempt is undone. If a tool in the process is linked only with v1 functions, as all tools
 * were before 13.3, a v2 subscription would exclude it: then only v1 is tried, and other_tool.h
 * shares it.
 */
#ifndef PROF_CUPTI_ATTACH_H
#define PROF_CUPTI_ATTACH_H

#include <stdbool.h>
#include <stddef.h>

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
