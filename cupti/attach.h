/* attach.h - from a libcupti that is loaded to records that come, or to why they cannot.
 *
 * The form of CUPTI's interface that lets other tools in is tried first where there is one, then
 * the one that does not (subscription.h). Whatever is refused on the way is undone. But a tool that is
 * linked with the first form's functions alone, as all were before 13.3, would be refused beside the second: then only the
 * first is tried, and other_tool.h shares it.
 */
#ifndef PROF_ATTACH_H
#define PROF_ATTACH_H

#include <stdbool.h>
#include <stddef.h>

/* Switches the activity kinds on; returns an enum abi_result. */
typedef int (*attach_enable)(void);

/* Subscribes, hands over buffers and callbacks, and calls `enable` unless it is NULL. States the
 * GPU mode. False: CUPTI cannot be had, and `why` says it in a sentence. Threads: one. */
bool attach_begin(attach_enable enable, char *why, size_t why_bytes);

/* After `enable` was `refused` later than that: the same with the form that is left. */
bool attach_again(int refused, attach_enable enable, char *why, size_t why_bytes);

/* ---- why CUPTI cannot be had ---- */

/* result  what CUPTI answered (enum abi_result)
 * step    what it was asked to do, "subscribe"
 * holder  who holds CUPTI, when it said so; NULL or "" otherwise */
void attach_refusal(int result, const char *step, const char *holder, char *sentence, size_t bytes);

#endif
