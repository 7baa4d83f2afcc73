/* other_tool.h - coexistence with another tool that uses CUPTI's v1 API in the same process.
 *
 * That form has one pair of buffer callbacks and one set of kinds for the whole process. CUPTI lets
 * a tool register callbacks and disable kinds where it did not let it subscribe, and Kineto does
 * both: from then on all records go to the other tool, and later to nobody. So libprof.so
 * interposes the five functions that do this (other_tool_entry.c), as it does before cuBLAS's, and
 * passes the calls on:
 *
 *     register   first ends our kinds and takes our buffers back, as the other tool would be handed
 *                them
 *     clock      is passed on only then: from there on all records, ours too, have times of the
 *                other tool's clock, until we give CUPTI a clock that returns the times it takes by
 *                default
 *     disable    waits while our thread flushes: both at once crash up to CUDA 13.0
 *     flush      is seen by our thread before it disables
 *     finalize   ends our subscription, too
 *
 * The other tool has gone once it has disabled kernels and has taken its last buffers by a flush,
 * or a second later.
 */
#ifndef PROF_OTHER_TOOL_H
#define PROF_OTHER_TOOL_H

#include "abi.h"

#include <stdbool.h>

typedef int (*other_tool_register_function)(abi_buffer_requested, abi_buffer_completed);
typedef int (*other_tool_clock_function)(abi_timestamp);
typedef int (*other_tool_disable_function)(uint32_t kind);
typedef int (*other_tool_flush_function)(uint32_t flags);
typedef int (*other_tool_finalize_function)(void);

/* The function of that name in the libcupti that is loaded under `soname`, NULL: it is not.
 * `*known` is it, once it was found in a library that stays loaded. Threads: any. Takes no lock but
 * that of dl_iterate_phdr(). */
void *other_tool_find(void **known, const char *name, const char *soname);

/* Whether we stand before another tool's calls: libprof.so was there before the tool. */
bool other_tool_is_seen(void);

/* Whether the libcupti of that name is the one that we record with. */
bool other_tool_is_our_library(const char *soname);

/* The other tool's calls; `real` is libcupti's. Threads: any, the program's. */
int other_tool_register(other_tool_register_function real, abi_buffer_requested request,
                        abi_buffer_completed complete);
int other_tool_clock(other_tool_clock_function real, abi_timestamp clock);
int other_tool_disable(other_tool_disable_function real, uint32_t kind);
int other_tool_flush(other_tool_flush_function real, uint32_t flags);
int other_tool_finalize(other_tool_finalize_function real, bool of_our_library);

/* What the other tool has left us without. */
enum other_tool_loss {
    OTHER_TOOL_TOOK_NOTHING,
    OTHER_TOOL_TOOK_KINDS,
    OTHER_TOOL_TOOK_CALLBACKS, /* and kinds; it has gone */
    OTHER_TOOL_TOOK_ALL,       /* CUPTI was finalized: we are not subscribed any more */
};

/* Returns it, once; registers our callbacks again where the other tool has gone. One thread at a
 * time. */
enum other_tool_loss other_tool_reclaim(void);

/* Around registering callbacks: excludes other tools. False: timed out; pass the result to
 * other_tool_turn_end(). A thread of the program's waits no longer than half a second: it may be in
 * a callback, under a lock of CUPTI's that our thread waits for. */
bool other_tool_turn_begin(void);
void other_tool_turn_end(bool begun);

/* States the GPU mode once more: part of the records was another tool's. */
void other_tool_emit_mode(void);

/* Whether records are another tool's at this moment. */
bool other_tool_has_records(void);

/* Hooks of the collector, called on the program's threads. */
struct other_tool_hooks {
    void (*give_way)(void);  /* another tool is about to take the callbacks: kinds of ours go off */
    void (*take_back)(void); /* there may be something to undo */
    void (*take_back_soon)(void); /* likewise, where CUPTI may not be called */
};

/* Before any call is passed on. `hooks` stays. */
void other_tool_begin(const struct other_tool_hooks *hooks);

#endif
