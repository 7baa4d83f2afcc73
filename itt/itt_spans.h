/* itt_spans.h - what a program's pointers for things hold that need not nest and that any thread may
 * end: overlapped tasks, regions, frames. They become ranges with a begin and an end.
 *
 * Any thread, any argument but a handle that is none; they keep errno. No
 * lock: who ends a thing knows the program's id of it, ours is looked up in a table. It has room for
 * 16384; what finds none is not recorded (counted).
 */
#ifndef PROF_ITT_SPANS_H
#define PROF_ITT_SPANS_H

#include "itt_abi.h"

#include "texts.h"

void itt_task_begin_overlapped(const struct itt_domain *domain, struct itt_id id,
                               struct itt_id parent, struct itt_string *name);
void itt_task_end_overlapped(const struct itt_domain *domain, struct itt_id id);
void itt_region_begin(const struct itt_domain *domain, struct itt_id id, struct itt_id parent,
                      struct itt_string *name);
void itt_region_end(const struct itt_domain *domain, struct itt_id id);

/* Frames have no name but their domain's: here they are called "frame". Without an id there is one at
 * a time in a domain. */
void itt_frame_begin_v3(const struct itt_domain *domain, const struct itt_id *id);
void itt_frame_end_v3(const struct itt_domain *domain, const struct itt_id *id);

/* A frame that is over, in itt_get_timestamp()'s times; the other way round is counted. */
void itt_frame_submit_v3(const struct itt_domain *domain, const struct itt_id *id, uint64_t begin,
                         uint64_t end);

/* Now, in ticks of the recorder's clock. */
uint64_t itt_get_timestamp(void);

/* Frames of before version 3: what is created is a domain. */
struct itt_domain *itt_frame_create(const char *domain);
void itt_frame_begin(struct itt_domain *frame);
void itt_frame_end(struct itt_domain *frame);

/* An event of before version 3 on the calling thread: itt_events.h. */
void itt_span_begin_event(uint32_t event, struct interned_text *name);
void itt_span_end_event(uint32_t event);

/* The range that is open as `id`; 0: none. */
uint64_t itt_span_find(struct itt_id id);

/* In a forked child: nothing is open. */
void itt_span_fork_child(void);

#endif
