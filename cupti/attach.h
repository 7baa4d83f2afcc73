/* attach.h - from a libcupti that is loaded to records that come, or to why they cannot.
 *
 * The form of CUPTI's interface that lets other tools in is tried first where there is one, then
 * the one that does not (subscription.h). Whatever is refused on the way is undone.
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

#endif
